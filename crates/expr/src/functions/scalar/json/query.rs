//! JSON_QUERY.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{ArrayRef, ListBuilder, StringBuilder};
use millstream_text::json::{Json, PathMode};
use millstream_types::{Fault, TypeKind};

use super::lookup::{Found, Lookup, PathOf};
use super::{clause, no_returning, push_scalar, push_sorted, text_and_path, words};
use crate::kernel::{Arguments, simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Function, Keyword};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "JSON_QUERY",
    "JSON_QUERY(json STRING, path STRING [RETURNING {STRING|ARRAY<STRING>}] [{WITHOUT|WITH [CONDITIONAL|UNCONDITIONAL]} [ARRAY] WRAPPER] \
     [{NULL|EMPTY ARRAY|EMPTY OBJECT|ERROR} ON EMPTY] [{NULL|EMPTY ARRAY|EMPTY OBJECT|ERROR} ON ERROR]) -> STRING",
    "The array or object at the path of the JSON text, as JSON with sorted names; with a wrapper also other values, in an array. NULL ON \
     EMPTY and NULL ON ERROR unless written otherwise.",
    &[Example::new("JSON_QUERY('{\"a\": {\"c\": 1, \"b\": [2]}}', '$.a')", "{\"b\":[2],\"c\":1}")],
    bind,
)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instead {
    Null,
    Error,
    EmptyArray,
    EmptyObject,
}

#[derive(Debug, Clone, Copy)]
enum Wrapper {
    Without,
    Conditional,
    Unconditional,
}

#[derive(Debug)]
struct Rules {
    path: PathOf,
    wrapper: Wrapper,
    on_empty: Instead,
    on_error: Instead,
    array: bool,
}

fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON_QUERY(<CHARACTER>, <CHARACTER>)";
    call.expect(2, 2, FORM)?;
    let args = text_and_path(call, FORM)?;
    let instead = |name: &str| match words(call, name) {
        Some("ERROR") => Instead::Error,
        Some("EMPTY ARRAY") => Instead::EmptyArray,
        Some("EMPTY OBJECT") => Instead::EmptyObject,
        _ => Instead::Null,
    };
    let wrapper = match words(call, "wrapper") {
        Some("WITH CONDITIONAL WRAPPER") => Wrapper::Conditional,
        Some("WITH UNCONDITIONAL WRAPPER") => Wrapper::Unconditional,
        _ => Wrapper::Without,
    };
    let returning = match clause(call, "returning") {
        Some(Keyword::Type(t)) => t.kind.clone(),
        _ => TypeKind::STRING,
    };
    let array = match &returning {
        TypeKind::VarChar(_) => false,
        TypeKind::Array(e) if e.kind == TypeKind::STRING => true,
        other => return Err(no_returning(call, other, "STRING and ARRAY<STRING>")),
    };
    let rules = Rules {
        path: PathOf::of(call)?,
        wrapper,
        on_empty: instead("on-empty"),
        on_error: instead("on-error"),
        array,
    };
    if array && [rules.on_empty, rules.on_error].contains(&Instead::EmptyObject) {
        return Err(Fault::user("json-default", "EMPTY OBJECT is no ARRAY<STRING>")
            .at(call.span)
            .hint("write EMPTY ARRAY"));
    }
    let kernel =
        simple(
            "JSON_QUERY",
            move |arguments, _| {
                if rules.array { arrays(arguments, &rules) } else { texts(arguments, &rules) }
            },
        );
    Ok(BoundCall::new(returning.nullable(), args, kernel).fallible())
}

impl Rules {
    /// The array or object found, or what stands in for it; `None` is NULL.
    fn answer<'a>(&self, found: Found<'a>, mode: PathMode) -> Result<Option<Cow<'a, Json>>, Fault> {
        let (instead, fault) = match found {
            Found::Value(v) if *v != Json::Null => {
                let wrap = match self.wrapper {
                    Wrapper::Without => false,
                    Wrapper::Conditional => !matches!(*v, Json::Array(_)),
                    Wrapper::Unconditional => true,
                };
                let v = if wrap { Cow::Owned(Json::Array(vec![v.into_owned()])) } else { v };
                match &*v {
                    Json::Array(_) => return Ok(Some(v)),
                    Json::Object(_) if !self.array => return Ok(Some(v)),
                    other if mode == PathMode::Strict || !other.is_scalar() => {
                        let mut shown = String::new();
                        push_sorted(&v, &mut shown);
                        let shown: String = shown.chars().take(100).collect();
                        let wanted = if self.array { "array" } else { "array or object" };
                        let message = format!(
                            "Strict jsonpath mode requires {wanted} value, and the actual value is: '{shown}'"
                        );
                        let fault = Fault::user("json-structure", message)
                            .hint("JSON_VALUE gives single values; WITH WRAPPER puts them into an array");
                        (self.on_error, fault)
                    }
                    _ => (self.on_empty, empty()),
                }
            }
            Found::Value(_) | Found::Missing => (self.on_empty, empty()),
            Found::Error(fault) => (self.on_error, fault),
        };
        match instead {
            Instead::Null => Ok(None),
            Instead::Error => Err(fault),
            Instead::EmptyArray => Ok(Some(Cow::Owned(Json::Array(Vec::new())))),
            Instead::EmptyObject => Ok(Some(Cow::Owned(Json::Object(Vec::new())))),
        }
    }
}

fn empty() -> Fault {
    Fault::user("json-empty", "Empty result of JSON_QUERY function is not allowed")
        .hint("NULL ON EMPTY or EMPTY ARRAY ON EMPTY allow it")
}

fn texts(arguments: &Arguments<'_>, rules: &Rules) -> Result<ArrayRef, EvalError> {
    let mut lookup = Lookup::new(arguments, &rules.path)?;
    strings::build(arguments.rows(), |row, out| {
        let found = lookup.row(row, |found, mode| {
            let Some(value) = rules.answer(found, mode)? else { return Ok(false) };
            out.write(|s| push_sorted(&value, s));
            Ok(true)
        })?;
        Ok(found.unwrap_or(false))
    })
}

fn arrays(arguments: &Arguments<'_>, rules: &Rules) -> Result<ArrayRef, EvalError> {
    let mut lookup = Lookup::new(arguments, &rules.path)?;
    let mut out = ListBuilder::new(StringBuilder::new());
    let mut text = String::new();
    for row in 0..arguments.rows() {
        let found = lookup.row(row, |found, mode| {
            let Some(value) = rules.answer(found, mode)? else { return Ok(false) };
            let Json::Array(items) = &*value else { return Ok(false) };
            for item in items {
                text.clear();
                match item {
                    Json::Null => {
                        out.values().append_null();
                        continue;
                    }
                    Json::Array(_) | Json::Object(_) => push_sorted(item, &mut text),
                    _ => push_scalar(item, &mut text),
                }
                out.values().append_value(&text);
            }
            Ok(true)
        })?;
        out.append(found.unwrap_or(false));
    }
    Ok(Arc::new(out.finish()))
}
