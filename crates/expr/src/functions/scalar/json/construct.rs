//! JSON_OBJECT, JSON_ARRAY, JSON and JSON_STRING: values as JSON.

use millstream_types::{DataType, Fault, TypeKind};

use super::printer::{JsonPrinter, push_object};
use super::{is_null_constant, words};
use crate::binding::null_of;
use crate::kernel::{Arguments, simple, strings};
use crate::{BoundCall, Call, Column, EvalError, Example, Expr, ExprKind, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "JSON_STRING",
        "JSON_STRING(value ANY) -> STRING",
        "The value as JSON: BOOLEAN, numbers, strings, TIMESTAMPs, bytes (in base 64), ARRAYs, ROWs, VARIANTs, and MAPs with strings as \
         keys. NULL for NULL. Names are sorted.",
        &[Example::new("JSON_STRING(ARRAY['a', 'b'])", "[\"a\",\"b\"]")],
        string,
    ),
    Function::new(
        "JSON_OBJECT",
        "JSON_OBJECT([[KEY] key STRING VALUE value ANY, ...] [{NULL|ABSENT} ON NULL]) -> STRING",
        "A JSON object, names sorted. Entries whose value is NULL are kept unless ABSENT ON NULL is written. Values by JSON_OBJECT, \
         JSON_ARRAY and JSON are put in as JSON, not as strings.",
        &[Example::new("JSON_OBJECT('b' VALUE 1, 'a' VALUE JSON_ARRAY(TRUE))", "{\"a\":[true],\"b\":1}")],
        object,
    ),
    Function::new(
        "JSON_ARRAY",
        "JSON_ARRAY([value ANY, ...] [{NULL|ABSENT} ON NULL]) -> STRING",
        "A JSON array. NULLs are left out unless NULL ON NULL is written. Values by JSON_OBJECT, JSON_ARRAY and JSON are put in as JSON, \
         not as strings.",
        &[Example::new("JSON_ARRAY(1, 'a' NULL ON NULL)", "[1,\"a\"]")],
        array,
    ),
    Function::new(
        "JSON",
        "JSON(json STRING) -> STRING",
        "Marks a text as JSON inside JSON_OBJECT and JSON_ARRAY, its only places. Text that is no JSON fails.",
        &[Example::new("JSON_ARRAY(JSON('[1]'))", "[[1]]")],
        json,
    ),
];

/// How an argument is written.
#[derive(Debug)]
enum Item {
    Value(DataType),
    Written,
    Parsed,
}

impl Item {
    fn printer<'a>(&self, column: &'a Column) -> Result<JsonPrinter<'a>, Fault> {
        let array = column.array();
        match self {
            Item::Value(t) => JsonPrinter::new(array, t),
            Item::Written => Ok(JsonPrinter::written(array)),
            Item::Parsed => Ok(JsonPrinter::parsed(array)),
        }
    }
}

/// A value as it is evaluated and written.
fn item(call: &Call<'_>, value: &Expr) -> Result<(Expr, Item), Fault> {
    if let ExprKind::Call(inner) = &value.kind {
        match (&*inner.name, inner.args.as_slice()) {
            ("JSON_OBJECT" | "JSON_ARRAY", _) => return Ok((value.clone(), Item::Written)),
            ("JSON", [text]) => return Ok((text.clone(), Item::Parsed)),
            _ => {}
        }
    }
    if !JsonPrinter::can_write(&value.data_type.kind) || value.data_type.kind == TypeKind::Null {
        return Err(no_json(call, value));
    }
    Ok((value.clone(), Item::Value(value.data_type.clone())))
}

fn name_of(value: &Expr) -> Option<&str> {
    match &value.kind {
        ExprKind::Call(inner) => Some(&inner.name),
        _ => None,
    }
}

fn no_json(call: &Call<'_>, value: &Expr) -> Fault {
    let kind = &value.data_type.kind;
    Fault::user("json-type", format!("Type '{kind}' is not scalar or cannot be converted into JSON."))
        .at(value.span.unwrap_or(call.span))
        .hint("cast it: CAST(... AS STRING)")
}

/// Evaluates row by row what `write` appends; a constant call gives one row.
fn written(
    arguments: &Arguments<'_>,
    mut write: impl FnMut(usize, &mut String) -> Result<bool, Fault>,
) -> Result<arrow::array::ArrayRef, EvalError> {
    let mut text = String::new();
    strings::build(arguments.rows(), |row, out| {
        text.clear();
        let is = write(row, &mut text).map_err(|f| EvalError::at_row(row, f))?;
        out.push_str(&text);
        Ok(is)
    })
}

fn string(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(1, 1, "JSON_STRING(<ANY>)")?;
    let value = call.arg(0)?.clone();
    if value.data_type.kind == TypeKind::Null {
        return Ok(BoundCall::new(
            DataType::string(),
            vec![null_of(TypeKind::STRING)],
            simple("JSON_STRING", |arguments, _| Ok(arguments.column(0)?.array().clone())),
        ));
    }
    if let Some("JSON_OBJECT" | "JSON_ARRAY") = name_of(&value) {
        // It is JSON already.
        let kernel = simple("JSON_STRING", |arguments, _| Ok(arguments.column(0)?.array().clone()));
        return Ok(BoundCall::new(value.data_type.clone(), vec![value], kernel));
    }
    if !JsonPrinter::can_write(&value.data_type.kind) {
        return Err(no_json(call, &value));
    }
    let data_type = TypeKind::STRING.nullable().with_nullable(value.data_type.nullable);
    let item = Item::Value(value.data_type.clone());
    let kernel = simple("JSON_STRING", move |arguments, _| {
        let column = arguments.column(0)?;
        let printer = item.printer(column)?;
        written(arguments, |row, out| {
            let i = column.index(row);
            if printer.is_null(i) {
                return Ok(false);
            }
            printer.push(i, out)?;
            Ok(true)
        })
    });
    Ok(BoundCall::new(data_type, vec![value], kernel))
}

/// Whether entries that are NULL are written.
fn keeps_nulls(call: &Call<'_>, default: bool) -> bool {
    match words(call, "on-null") {
        Some("NULL") => true,
        Some("ABSENT") => false,
        _ => default,
    }
}

fn object(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON_OBJECT(<CHARACTER> VALUE <ANY>, ...)";
    let (mut args, mut items) = (Vec::with_capacity(call.args.len()), Vec::new());
    if !call.args.len().is_multiple_of(2) {
        return Err(call.refuse(FORM));
    }
    for (n, arg) in call.args.iter().enumerate() {
        if n % 2 == 0 {
            if is_null_constant(arg) {
                return Err(Fault::user("json-key", "a key of JSON_OBJECT must not be NULL")
                    .at(arg.span.unwrap_or(call.span))
                    .hint("give it a name: JSON_OBJECT('name' VALUE ...)"));
            }
            args.push(call.string(n, FORM)?);
        } else {
            let (arg, item) = item(call, arg)?;
            args.push(arg);
            items.push(item);
        }
    }
    let fallible = items.iter().any(|i| matches!(i, Item::Parsed)) || call.any_nullable();
    let keep = keeps_nulls(call, true);
    let kernel = simple("JSON_OBJECT", move |arguments, _| {
        let mut pairs = Vec::with_capacity(items.len());
        for (n, item) in items.iter().enumerate() {
            let column = arguments.column(2 * n + 1)?;
            pairs.push((arguments.strings(2 * n)?, column, item.printer(column)?));
        }
        written(arguments, |row, out| {
            let mut entries = Vec::with_capacity(pairs.len());
            for (keys, column, printer) in &pairs {
                let Some(key) = keys.get(row) else {
                    return Err(Fault::user("json-key", "a key of JSON_OBJECT is NULL")
                        .hint("COALESCE(key, 'name') gives it a name"));
                };
                let i = column.index(row);
                if keep || !printer.is_null(i) {
                    entries.push((key, (printer, i)));
                }
            }
            push_object(entries, out)?;
            Ok(true)
        })
    });
    let bound = BoundCall::new(TypeKind::STRING.not_null(), args, kernel);
    Ok(if fallible { bound.fallible() } else { bound })
}

fn array(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (mut args, mut items) = (Vec::with_capacity(call.args.len()), Vec::new());
    for arg in call.args {
        let (arg, item) = item(call, arg)?;
        args.push(arg);
        items.push(item);
    }
    let fallible = items.iter().any(|i| matches!(i, Item::Parsed));
    let keep = keeps_nulls(call, false);
    let kernel = simple("JSON_ARRAY", move |arguments, _| {
        let mut printers = Vec::with_capacity(items.len());
        for (column, item) in arguments.columns().iter().zip(&items) {
            printers.push((column, item.printer(column)?));
        }
        written(arguments, |row, out| {
            out.push('[');
            let mut first = true;
            for (column, printer) in &printers {
                let i = column.index(row);
                if !keep && printer.is_null(i) {
                    continue;
                }
                if !std::mem::take(&mut first) {
                    out.push(',');
                }
                printer.push(i, out)?;
            }
            out.push(']');
            Ok(true)
        })
    });
    let bound = BoundCall::new(TypeKind::STRING.not_null(), args, kernel);
    Ok(if fallible { bound.fallible() } else { bound })
}

fn json(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON(<CHARACTER>)";
    call.expect(1, 1, FORM)?;
    let text = call.string(0, FORM)?;
    let data_type = TypeKind::STRING.nullable().with_nullable(text.data_type.nullable);
    // JSON_OBJECT and JSON_ARRAY take the argument itself; in any other place this is evaluated.
    let kernel = simple("JSON", |_, _| {
        Err(Fault::user(
            "json-place",
            "The JSON() function is currently only supported inside JSON_OBJECT() and JSON_ARRAY()",
        )
        .hint("leave JSON(...) out: the text is JSON already")
        .into())
    });
    Ok(BoundCall::new(data_type, vec![text], kernel).fallible())
}
