//! LIKE and SIMILAR TO. A constant pattern is compiled once per plan; what it comes down to (a prefix, a part) decides the loop.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, StringArray};
use arrow::buffer::BooleanBuffer;
use memchr::memmem::Finder;
use millstream_text::like::{LikePattern, Shape, SimilarPattern, escape_char};
use millstream_types::{Fault, TypeKind};

use crate::functions::scalar::comparison::equals_text;
use crate::kernel::{Arguments, booleans, simple};
use crate::{
    BoundCall, Call, Column, EvalContext, EvalError, Example, Expr, ExprKind, Function, Kernel, Keyword, Rows,
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "LIKE",
        "text STRING LIKE pattern STRING [ESCAPE character STRING] -> BOOLEAN",
        "Whether the whole text matches the pattern, where % stands for any text and _ for one character. There is no escape character unless ESCAPE names one.",
        &[Example::new("'abc' LIKE '%b%'", "TRUE"), Example::new("'a%c' LIKE 'a!%c' ESCAPE '!'", "TRUE")],
        like,
    ),
    Function::new(
        "SIMILAR TO",
        "text STRING SIMILAR TO pattern STRING [ESCAPE character STRING] -> BOOLEAN",
        "Whether the whole text matches the pattern, a LIKE pattern with groups, alternatives, repetitions and character classes.",
        &[Example::new("'abc' SIMILAR TO '(a|b|c)+'", "TRUE")],
        similar,
    ),
];

/// The escape character of a call: its third argument or its ESCAPE clause.
fn escape(call: &Call<'_>) -> Result<Option<char>, Fault> {
    let clause = call.keywords.iter().find(|(k, _)| *k == "ESCAPE").map(|(_, v)| v);
    let argument = match clause {
        Some(Keyword::Word(w)) => return Ok(Some(escape_char(w).map_err(|e| Fault::from(e).at(call.span))?)),
        Some(Keyword::Argument(i)) => call.args.get(*i),
        _ => call.args.get(2),
    };
    let Some(argument) = argument else { return Ok(None) };
    match constant_text(argument) {
        Some(text) => Ok(Some(escape_char(text).map_err(|e| Fault::from(e).at(call.span))?)),
        None => Err(Fault::user("bad-pattern", "the escape character must be a literal")
            .at(argument.span.unwrap_or(call.span))
            .hint("write ESCAPE '!' for instance")),
    }
}

/// The text of a string literal, also below a cast between strings.
fn constant_text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(v) => v.as_str(),
        ExprKind::Cast { input, .. } if expr.data_type.kind == TypeKind::STRING => constant_text(input),
        _ => None,
    }
}

fn arguments(call: &Call<'_>, form: &str) -> Result<(Vec<Expr>, millstream_types::DataType), Fault> {
    call.expect(2, 3, form)?;
    let args = vec![call.string(0, form)?, call.string(1, form)?];
    let nullable = args.iter().any(|a| a.data_type.nullable);
    Ok((args, TypeKind::Boolean.nullable().with_nullable(nullable)))
}

fn like(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (mut args, data_type) =
        arguments(call, "LIKE(<STRING>, <STRING>); LIKE(<STRING>, <STRING>, <CHAR>)")?;
    let escape = escape(call)?;
    args.extend(call.args.get(2).cloned());
    if let Some(pattern) = args.get(1).and_then(constant_text) {
        let pattern = LikePattern::compile(pattern, escape).map_err(|e| Fault::from(e).at(call.span))?;
        return Ok(BoundCall::new(data_type, args, Arc::new(Constant(pattern))));
    }
    let kernel = simple("LIKE", move |arguments, _| {
        let (text, patterns) = (arguments.strings(0)?, arguments.strings(1)?);
        let mut last: Option<(&str, LikePattern)> = None;
        booleans::build(arguments.rows(), |row| {
            let (Some(s), Some(p)) = (text.get(row), patterns.get(row)) else { return Ok(None) };
            if last.as_ref().is_none_or(|(known, _)| *known != p) {
                let compiled =
                    LikePattern::compile(p, escape).map_err(|e| EvalError::at_row(row, e.into()))?;
                last = Some((p, compiled));
            }
            Ok(last.as_ref().map(|(_, pattern)| pattern.matches(s)))
        })
    });
    Ok(BoundCall::new(data_type, args, kernel).fallible())
}

/// LIKE with a pattern that is known.
#[derive(Debug)]
struct Constant(LikePattern);

impl Kernel for Constant {
    fn eval(&self, args: &[Column], rows: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        let arguments = Arguments::new(args, rows);
        let text = arguments.strings(0)?;
        let hits = hits(text.array, &self.0);
        let array: ArrayRef = Arc::new(BooleanArray::new(hits, text.array.nulls().cloned()));
        Ok(if text.constant { Column::Constant(array) } else { Column::Array(array) })
    }

    fn needs(&self, _: usize) -> usize {
        1
    }
}

/// Which entries match, whatever their validity.
fn hits(array: &StringArray, pattern: &LikePattern) -> BooleanBuffer {
    match pattern.shape() {
        Shape::All => BooleanBuffer::new_set(array.len()),
        Shape::Exact(text) => equals_text(array, text.as_bytes()),
        Shape::Prefix(text) => ends(array, text.as_bytes(), true),
        Shape::Suffix(text) => ends(array, text.as_bytes(), false),
        Shape::Contains(text) => contains(array, text.as_bytes()),
        Shape::General(_) => BooleanBuffer::collect_bool(array.len(), |i| pattern.matches(array.value(i))),
    }
}

/// Which entries begin (or end) with a text.
#[allow(clippy::indexing_slicing)] // `collect_bool` asks for entries below `len`; offsets ascend and end within the values
fn ends(array: &StringArray, text: &[u8], first: bool) -> BooleanBuffer {
    let (offsets, values) = (array.value_offsets(), array.value_data());
    let length = text.len();
    BooleanBuffer::collect_bool(array.len(), |i| {
        let (start, end) = (offsets[i] as usize, offsets[i + 1] as usize);
        if end - start < length {
            return false;
        }
        let part = if first { &values[start..start + length] } else { &values[end - length..end] };
        // Most entries differ in the first byte: no call is needed to see it.
        part.first() == text.first() && part == text
    })
}

/// Which entries contain a text: one search through the bytes of all entries, so that entries without a hit cost no call.
#[allow(clippy::indexing_slicing)] // offsets ascend and end within the values; `row` stays below `len`
fn contains(array: &StringArray, text: &[u8]) -> BooleanBuffer {
    let (offsets, values) = (array.value_offsets(), array.value_data());
    let rows = array.len();
    let mut found = arrow::array::BooleanBufferBuilder::new(rows);
    found.append_n(rows, text.is_empty());
    if rows == 0 || text.is_empty() {
        return found.finish();
    }
    let finder = Finder::new(text);
    let end = offsets[rows] as usize;
    let mut at = offsets[0] as usize;
    let mut row = 0;
    while let Some(hit) = finder.find(&values[at..end]) {
        let hit = at + hit;
        while (offsets[row + 1] as usize) <= hit {
            row += 1;
        }
        let row_end = offsets[row + 1] as usize;
        if hit + text.len() <= row_end {
            found.set_bit(row, true);
            at = row_end;
        } else {
            // It reaches into the next entry.
            at = hit + 1;
        }
    }
    found.finish()
}

fn similar(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (mut args, data_type) =
        arguments(call, "SIMILAR TO(<STRING>, <STRING>); SIMILAR TO(<STRING>, <STRING>, <CHAR>)")?;
    let escape = escape(call)?;
    args.extend(call.args.get(2).cloned());
    let constant = match args.get(1).and_then(constant_text) {
        Some(p) => Some(SimilarPattern::compile(p, escape).map_err(|f| f.at(call.span))?),
        None => None,
    };
    let kernel = simple("SIMILAR TO", move |arguments, _| {
        let text = arguments.strings(0)?;
        if let Some(pattern) = &constant {
            return booleans::build(arguments.rows(), |row| {
                let Some(s) = text.get(row) else { return Ok(None) };
                pattern.matches(s).map(Some).map_err(|f| EvalError::at_row(row, f))
            });
        }
        let patterns = arguments.strings(1)?;
        let mut last: Option<(&str, SimilarPattern)> = None;
        booleans::build(arguments.rows(), |row| {
            let (Some(s), Some(p)) = (text.get(row), patterns.get(row)) else { return Ok(None) };
            if last.as_ref().is_none_or(|(known, _)| *known != p) {
                let compiled = SimilarPattern::compile(p, escape).map_err(|f| EvalError::at_row(row, f))?;
                last = Some((p, compiled));
            }
            let Some((_, pattern)) = &last else { return Ok(None) };
            pattern.matches(s).map(Some).map_err(|f| EvalError::at_row(row, f))
        })
    });
    // Even a known pattern can exceed its step limit.
    Ok(BoundCall::new(data_type, args, kernel).fallible())
}

#[cfg(test)]
mod tests {
    use millstream_types::{DataType, Span, Value};

    use super::*;
    use crate::functions::call_expr;
    use crate::testing::{column, context, eval_one, eval_rows, text};

    fn ask(s: &str, name: &str, pattern: &str, escape: Option<&str>) -> Result<Value, Fault> {
        let args: Vec<Expr> = [Some(s), Some(pattern), escape].into_iter().flatten().map(text).collect();
        eval_one(&call_expr(name, &args, &[], Span::default(), &context())?)
    }

    #[test]
    fn like_matches_as_flink() {
        for (s, p, wanted) in [
            ("abc", "a%", true),
            ("abc", "%b%", true),
            ("abc", "_", false),
            ("", "%", true),
            ("abc", "", false),
            ("abcabc", "%abc", true),
            ("a%c", "a\\%c", false),
            ("日本語", "%本%", true),
            ("😀x", "_x", true),
            ("C:\\Windows\\System32\\cmd.exe", "%\\System32\\%", true),
        ] {
            assert_eq!(ask(s, "LIKE", p, None).unwrap(), Value::Boolean(wanted), "{s} {p}");
        }
        assert_eq!(ask("a%c", "LIKE", "a!%c", Some("!")).unwrap(), Value::Boolean(true));
        assert!(ask("abc", "LIKE", "a!bc", Some("!")).is_err());
        assert!(ask("abc", "LIKE", "abc", Some("xx")).is_err());
        assert_eq!(ask("abc", "SIMILAR TO", "[a-c]{3}", None).unwrap(), Value::Boolean(true));
        assert_eq!(ask("abc", "SIMILAR TO", "%(b|d)%", None).unwrap(), Value::Boolean(true));
        assert!(ask("abc", "SIMILAR TO", "(ab", None).is_err());
    }

    #[test]
    fn one_search_finds_every_entry() {
        // 'ab' also lies across entries, and behind a NULL.
        let values = ["xab", "a", "b", "abab", "", "ba", "b"].map(Value::from);
        let mut values: Vec<Value> = values.to_vec();
        values.push(Value::Null);
        values.push("zzab".into());
        let t = DataType::string();
        let array = column(&values, &t);
        let run = |p: &str| {
            let args = [Expr::column(0, t.clone()), text(p)];
            let e = call_expr("LIKE", &args, &[], Span::default(), &context()).unwrap();
            let out = eval_rows(&e, std::slice::from_ref(&array), values.len()).unwrap();
            (0..values.len()).map(|i| Value::from_array(&out, i, &e.data_type)).collect::<Vec<_>>()
        };
        let slow = |p: &str| {
            let pattern = LikePattern::compile(p, None).unwrap();
            values
                .iter()
                .map(|v| v.as_str().map_or(Value::Null, |s| pattern.matches(s).into()))
                .collect::<Vec<_>>()
        };
        for p in ["%ab%", "ab%", "%ab", "ab", "%b%a%", "%"] {
            assert_eq!(run(p), slow(p), "{p}");
        }
    }
}
