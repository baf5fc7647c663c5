//! JSON in texts: looking into it, testing it, making it.

mod ancestor;
mod construct;
mod exists;
mod is_json;
mod lookup;
mod printer;
mod query;
#[cfg(test)]
mod tests;
mod value;

use millstream_text::json::{Json, java_number};
use millstream_types::{Fault, TypeKind};

use crate::{Call, Expr, Function, Keyword};

pub use printer::JsonPrinter;

pub(super) const FUNCTIONS: &[&[Function]] = &[
    is_json::FUNCTIONS,
    exists::FUNCTIONS,
    value::FUNCTIONS,
    query::FUNCTIONS,
    construct::FUNCTIONS,
    ancestor::FUNCTIONS,
];

/// The clause of a call.
fn clause<'a>(call: &'a Call<'_>, name: &str) -> Option<&'a Keyword> {
    call.keywords.iter().find(|(n, _)| *n == name).map(|(_, k)| k)
}

/// The words of a clause.
fn words<'a>(call: &'a Call<'_>, name: &str) -> Option<&'a str> {
    match clause(call, name)? {
        Keyword::Word(w) => Some(w),
        _ => None,
    }
}

/// The first two arguments: the text and the path.
fn text_and_path(call: &Call<'_>, form: &str) -> Result<Vec<Expr>, Fault> {
    Ok(vec![call.string(0, form)?, call.string(1, form)?])
}

/// Whether an expression is NULL itself, or a cast of it.
fn is_null_constant(expr: &Expr) -> bool {
    match &expr.kind {
        crate::ExprKind::Cast { input, .. } => is_null_constant(input),
        _ => expr.as_literal().is_some_and(|v| v.is_null()),
    }
}

/// Appends a value that is no array or object, as JSON_VALUE gives it: strings without quotes.
fn push_scalar(json: &Json, out: &mut String) {
    match json {
        Json::String(s) => out.push_str(s),
        Json::Number(n) => out.push_str(&java_number(n)),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Null | Json::Array(_) | Json::Object(_) => {}
    }
}

/// A value in the form that Flink's functions write: compact, names sorted.
fn push_sorted(json: &Json, out: &mut String) {
    json.write_into(out, true, millstream_text::json::Numbers::BigDecimal);
}

/// The refusal of a RETURNING type.
fn no_returning(call: &Call<'_>, kind: &TypeKind, allowed: &str) -> Fault {
    let name = call.name.to_uppercase();
    Fault::user("returning", format!("Unsupported type '{kind}' for RETURNING in {name}()."))
        .at(call.span)
        .hint(format!("RETURNING takes {allowed}; CAST converts the result to other types"))
}
