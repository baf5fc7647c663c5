//! JSON_EXISTS.

use millstream_types::{DataType, Fault};

use super::lookup::{Found, Lookup, PathOf};
use super::{text_and_path, words};
use crate::kernel::{booleans, simple};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "JSON_EXISTS",
    "JSON_EXISTS(json STRING, path STRING [{TRUE|FALSE|UNKNOWN|ERROR} ON ERROR]) -> BOOLEAN",
    "Whether the JSON text has a value other than null at the path. FALSE ON ERROR unless written otherwise: for text that is no JSON, a \
     path that is none, and a strict path (they are strict unless they begin with `lax`) with a missing step.",
    &[Example::new("JSON_EXISTS('{\"a\": true}', '$.a')", "TRUE")],
    bind,
)];

fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON_EXISTS(<CHARACTER>, <CHARACTER>)";
    call.expect(2, 2, FORM)?;
    let args = text_and_path(call, FORM)?;
    if super::is_null_constant(call.arg(1)?) {
        return Err(call.refuse(FORM));
    }
    let path = PathOf::of(call)?;
    let on_error = match words(call, "on-error") {
        None | Some("FALSE") => Some(Some(false)),
        Some("TRUE") => Some(Some(true)),
        Some("UNKNOWN") => Some(None),
        Some(_) => None,
    };
    let kernel = simple("JSON_EXISTS", move |arguments, _| {
        let mut lookup = Lookup::new(arguments, &path)?;
        booleans::build(arguments.rows(), |row| {
            let exists = lookup.row(row, |found, _| match found {
                Found::Value(v) => Ok(Some(*v != millstream_text::json::Json::Null)),
                Found::Missing => Ok(Some(false)),
                Found::Error(fault) => on_error.ok_or(fault),
            })?;
            Ok(exists.flatten())
        })
    });
    // A path that is a filter fails whatever ON ERROR says.
    Ok(BoundCall::new(DataType::boolean(), args, kernel).fallible())
}
