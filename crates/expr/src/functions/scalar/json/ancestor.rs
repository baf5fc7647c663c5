//! Helpers for JSON in texts that RocketMQ Streams has and Flink has not. Text that is no JSON, or not of the shape, gives NULL.

use std::cmp::Ordering;
use std::collections::HashMap;

use arrow::datatypes::Int32Type;
use millstream_text::json::{Json, Numbers};
use millstream_types::{DataType, Fault, TypeKind};

use super::lookup::{Found, Lookup, PathOf};
use super::printer::JsonPrinter;
use super::{push_scalar, text_and_path};
use crate::kernel::strings::Strings;
use crate::kernel::{Arguments, numbers, simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function, Origin};

macro_rules! functions {
    ($($name:literal, $aliases:expr, $signature:literal, $doc:literal, $example:literal, $result:literal, $bind:expr;)*) => {
        pub(super) const FUNCTIONS: &[Function] = &[$(
            Function::new($name, $signature, $doc, &[Example::new($example, $result)], $bind)
                .aliases($aliases)
                .origin(Origin::Ancestor)
        ),*];
    };
}

functions! {
    "JSON_GET", &[], "JSON_GET(json STRING, path STRING) -> STRING",
    "What is at the path of the JSON text: strings without quotes, arrays and objects as JSON. NULL when nothing is there.",
    "JSON_GET('{\"a\": {\"b\": [1, \"x\"]}}', 'a.b')", "[1,\"x\"]", get;

    "ARRAY_SIZE", &["SIZE_ARRAY"], "ARRAY_SIZE(json STRING) -> INT",
    "The number of items of a JSON array in a text. CARDINALITY is for ARRAYs.",
    "ARRAY_SIZE('[1, 2, 3]')", "3", array_size;

    "IN_MAX", &["MAX_FROM_ARRAY"], "IN_MAX(json STRING, name STRING) -> STRING",
    "The greatest value of a field of the objects in a JSON array: numbers as numbers, others as text.",
    "IN_MAX('[{\"n\": 9}, {\"n\": 10}]', 'n')", "10", |call| extreme(call, "IN_MAX(<CHARACTER>, <CHARACTER>)", Ordering::Greater);

    "IN_MIN", &["MIN_FROM_ARRAY"], "IN_MIN(json STRING, name STRING) -> STRING",
    "The least value of a field of the objects in a JSON array: numbers as numbers, others as text.",
    "IN_MIN('[{\"n\": 9}, {\"n\": 10}]', 'n')", "9", |call| extreme(call, "IN_MIN(<CHARACTER>, <CHARACTER>)", Ordering::Less);

    "JSON_ADD", &["JSONADD"], "JSON_ADD(json STRING, name STRING, value ANY, ...) -> STRING",
    "The JSON object with these fields added or replaced. A field whose name or value is NULL stays as it is.",
    "JSON_ADD('{\"a\":1}', 'b', 'x')", "{\"a\":1,\"b\":\"x\"}", add;

    "JSON_CREATE", &["JSON_GENERATE"], "JSON_CREATE(name STRING, value ANY, ...) -> STRING",
    "A JSON object of these fields. Fields whose name or value is NULL are left out.",
    "JSON_CREATE('b', 1, 'a', TRUE)", "{\"b\":1,\"a\":true}", create;

    "JSON_REMOVE", &["JSONREMOVE"], "JSON_REMOVE(json STRING, name STRING, ...) -> STRING",
    "The JSON object without these fields.",
    "JSON_REMOVE('{\"a\":1,\"b\":2}', 'a')", "{\"b\":2}", remove;

    "JSON_MERGE", &["JSONMERGE"], "JSON_MERGE(json STRING, json STRING, ...) -> STRING",
    "The fields of all the JSON objects in one; of equal names the last one counts.",
    "JSON_MERGE('{\"a\":1}', '{\"a\":2,\"b\":3}')", "{\"a\":2,\"b\":3}", merge;

    "JSON_EXPAND", &["JSONEXPAND"], "JSON_EXPAND(json STRING, name STRING) -> STRING",
    "The JSON object with the fields of the object in that field in its place. Unchanged if there is no such object.",
    "JSON_EXPAND('{\"a\":1,\"b\":{\"c\":2}}', 'b')", "{\"a\":1,\"c\":2}", expand;

    "ROW2COLUMN", &["ROWTOCOLUMN"], "ROW2COLUMN(json STRING, name_field STRING, value_field STRING) -> STRING",
    "A JSON object made of a JSON array of objects: each gives a field, named by one of its fields and with the value of another.",
    "ROW2COLUMN('[{\"k\":\"a\",\"v\":\"1\"},{\"k\":\"b\",\"v\":\"2\"}]', 'k', 'v')", "{\"a\":\"1\",\"b\":\"2\"}", row_to_column;
}

type Fields = Vec<(String, Json)>;

fn get(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON_GET(<CHARACTER>, <CHARACTER>)";
    call.expect(2, 2, FORM)?;
    let args = text_and_path(call, FORM)?;
    let path = PathOf::of(call)?;
    let kernel = simple("JSON_GET", move |arguments, _| {
        let mut lookup = Lookup::new(arguments, &path)?;
        strings::build(arguments.rows(), |row, out| {
            let found = lookup.row(row, |found, _| match found {
                Found::Value(v) if *v != Json::Null => {
                    out.write(|s| push_any(&v, s));
                    Ok(true)
                }
                _ => Ok(false),
            })?;
            Ok(found.unwrap_or(false))
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel).fallible())
}

/// Appends a value: single values as JSON_VALUE gives them, others as JSON.
fn push_any(json: &Json, out: &mut String) {
    if json.is_scalar() { push_scalar(json, out) } else { json.write_into(out, false, Numbers::AsRead) }
}

fn array_size(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ARRAY_SIZE(<CHARACTER>)";
    call.expect(1, 1, FORM)?;
    if matches!(call.arg(0)?.data_type.kind, TypeKind::Array(_)) {
        return Err(call.refuse(FORM).hint("CARDINALITY(array) is the number of items of an ARRAY"));
    }
    let args = vec![call.string(0, FORM)?];
    let kernel = simple("ARRAY_SIZE", |arguments, _| {
        let texts = arguments.strings(0)?;
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            Ok(items(texts.get(row)).and_then(|i| i32::try_from(i.len()).ok()))
        })
    });
    Ok(BoundCall::new(DataType::int(), args, kernel))
}

fn items(text: Option<&str>) -> Option<Vec<Json>> {
    match Json::parse(text?) {
        Ok(Json::Array(items)) => Some(items),
        _ => None,
    }
}

fn fields(text: Option<&str>) -> Option<Fields> {
    match Json::parse(text?) {
        Ok(Json::Object(fields)) => Some(fields),
        _ => None,
    }
}

/// An object that is being put together.
#[derive(Default)]
struct Object {
    fields: Fields,
    index: HashMap<String, usize>,
}

impl Object {
    /// Sets a field; an equal name keeps its place.
    fn put(&mut self, name: &str, value: Json) {
        match self.index.get(name).and_then(|i| self.fields.get_mut(*i)) {
            Some((_, old)) => *old = value,
            None => {
                self.index.insert(name.to_string(), self.fields.len());
                self.fields.push((name.to_string(), value));
            }
        }
    }

    fn put_all(&mut self, fields: Fields) {
        fields.into_iter().for_each(|(name, value)| self.put(&name, value));
    }
}

/// A kernel that writes the objects that `row` gives.
fn objects(
    arguments: &Arguments<'_>,
    mut row: impl FnMut(usize) -> Result<Option<Fields>, EvalError>,
) -> Result<arrow::array::ArrayRef, EvalError> {
    strings::build(arguments.rows(), |i, out| {
        let Some(fields) = row(i)? else { return Ok(false) };
        out.write(|s| Json::Object(fields).write_into(s, false, Numbers::AsRead));
        Ok(true)
    })
}

/// All arguments as strings.
fn all_strings(call: &Call<'_>, least: usize, most: usize, form: &str) -> Result<Vec<Expr>, Fault> {
    call.expect(least, most, form)?;
    (0..call.args.len()).map(|i| call.string(i, form)).collect()
}

fn columns<'a>(arguments: &Arguments<'a>) -> Result<Vec<Strings<'a>>, Fault> {
    (0..arguments.count()).map(|i| arguments.strings(i)).collect()
}

fn extreme(call: &Call<'_>, form: &'static str, better: Ordering) -> Result<BoundCall, Fault> {
    let args = all_strings(call, 2, 2, form)?;
    let kernel = simple("IN_MAX", move |arguments, _| {
        let (texts, names) = (arguments.strings(0)?, arguments.strings(1)?);
        strings::build(arguments.rows(), |row, out| {
            let (Some(items), Some(name)) = (items(texts.get(row)), names.get(row)) else { return Ok(false) };
            let values = items.iter().filter_map(|i| i.get(name)).filter(|v| **v != Json::Null);
            let best = values.reduce(|a, b| if order(b, a) == better { b } else { a });
            if let Some(best) = best {
                out.write(|s| push_any(best, s));
            }
            Ok(best.is_some())
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn order(a: &Json, b: &Json) -> Ordering {
    if let (Json::Number(x), Json::Number(y)) = (a, b)
        && let (Ok(x), Ok(y)) = (x.parse::<f64>(), y.parse::<f64>())
    {
        return x.total_cmp(&y);
    }
    let text = |v: &Json| {
        let mut out = String::new();
        push_any(v, &mut out);
        out
    };
    text(a).cmp(&text(b))
}

fn add(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON_ADD(<CHARACTER>, <CHARACTER>, <ANY>, ...)";
    call.expect(3, usize::MAX, FORM)?;
    if call.args.len().is_multiple_of(2) {
        return Err(call.refuse(FORM));
    }
    let json = call.string(0, FORM)?;
    with_fields(call, Some(json), FORM)
}

fn create(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON_CREATE(<CHARACTER>, <ANY>, ...)";
    call.expect(2, usize::MAX, FORM)?;
    if !call.args.len().is_multiple_of(2) {
        return Err(call.refuse(FORM));
    }
    with_fields(call, None, FORM)
}

/// An object, or a new one, with fields from pairs of arguments.
fn with_fields(call: &Call<'_>, json: Option<Expr>, form: &str) -> Result<BoundCall, Fault> {
    let first = usize::from(json.is_some());
    let nullable = json.is_some();
    let mut args: Vec<Expr> = json.into_iter().collect();
    let mut types = Vec::new();
    for i in (first..call.args.len()).step_by(2) {
        args.push(call.string(i, form)?);
        let value = call.arg(i + 1)?;
        if !JsonPrinter::can_write(&value.data_type.kind) {
            return Err(call.refuse(form));
        }
        types.push(value.data_type.clone());
        args.push(value.clone());
    }
    let kernel = simple("JSON_ADD", move |arguments, _| {
        let mut pairs = Vec::with_capacity(types.len());
        for (n, data_type) in types.iter().enumerate() {
            let column = arguments.column(first + 2 * n + 1)?;
            pairs.push((
                arguments.strings(first + 2 * n)?,
                column,
                JsonPrinter::new(column.array(), data_type)?,
            ));
        }
        let base = if first == 1 { Some(arguments.strings(0)?) } else { None };
        let mut text = String::new();
        objects(arguments, |row| {
            let mut object = Object::default();
            if let Some(texts) = &base {
                let Some(fields) = fields(texts.get(row)) else { return Ok(None) };
                object.put_all(fields);
            }
            for (names, column, printer) in &pairs {
                let i = column.index(row);
                let Some(name) = names.get(row).filter(|_| !printer.is_null(i)) else { continue };
                text.clear();
                printer.push(i, &mut text)?;
                let value = Json::parse(&text).map_err(|e| EvalError::at_row(row, e.into()))?;
                object.put(name, value);
            }
            Ok(Some(object.fields))
        })
    });
    Ok(BoundCall::new(DataType::string().with_nullable(nullable), args, kernel))
}

fn remove(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = all_strings(call, 2, usize::MAX, "JSON_REMOVE(<CHARACTER>, <CHARACTER>, ...)")?;
    let kernel = simple("JSON_REMOVE", |arguments, _| {
        let columns = columns(arguments)?;
        let Some((texts, names)) = columns.split_first() else {
            return Err(Fault::internal("no JSON").into());
        };
        objects(arguments, |row| {
            Ok(fields(texts.get(row)).map(|mut object| {
                object.retain(|(n, _)| names.iter().all(|name| name.get(row) != Some(n.as_str())));
                object
            }))
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn merge(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = all_strings(call, 2, usize::MAX, "JSON_MERGE(<CHARACTER>, <CHARACTER>, ...)")?;
    let kernel = simple("JSON_MERGE", |arguments, _| {
        let columns = columns(arguments)?;
        objects(arguments, |row| {
            let mut all = Object::default();
            for text in &columns {
                let Some(object) = fields(text.get(row)) else { return Ok(None) };
                all.put_all(object);
            }
            Ok(Some(all.fields))
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn expand(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = all_strings(call, 2, 2, "JSON_EXPAND(<CHARACTER>, <CHARACTER>)")?;
    let kernel = simple("JSON_EXPAND", |arguments, _| {
        let (texts, names) = (arguments.strings(0)?, arguments.strings(1)?);
        objects(arguments, |row| {
            let (Some(object), Some(name)) = (fields(texts.get(row)), names.get(row)) else {
                return Ok(None);
            };
            let mut flat = Object::default();
            for (field, value) in object {
                match value {
                    Json::Object(inner) if field == name => flat.put_all(inner),
                    value => flat.put(&field, value),
                }
            }
            Ok(Some(flat.fields))
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn row_to_column(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = all_strings(call, 3, 3, "ROW2COLUMN(<CHARACTER>, <CHARACTER>, <CHARACTER>)")?;
    let kernel = simple("ROW2COLUMN", |arguments, _| {
        let (texts, names, values) = (arguments.strings(0)?, arguments.strings(1)?, arguments.strings(2)?);
        objects(arguments, |row| {
            let (Some(items), Some(name), Some(value)) =
                (items(texts.get(row)), names.get(row), values.get(row))
            else {
                return Ok(None);
            };
            let mut object = Object::default();
            for item in &items {
                if let (Some(n), Some(v)) = (item.get(name), item.get(value)) {
                    let mut field = String::new();
                    push_any(n, &mut field);
                    object.put(&field, v.clone());
                }
            }
            Ok(Some(object.fields))
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}
