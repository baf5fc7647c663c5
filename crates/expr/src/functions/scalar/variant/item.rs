//! Items of a VARIANT: `variant['name']`, `variant[1]`.

use arrow::datatypes::Int64Type;
use millstream_text::json::{Json, Numbers};
use millstream_types::{Fault, TypeKind};

use crate::kernel::strings::TextOut;
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, EvalError};

/// Binds a subscript of a VARIANT.
///
/// # Errors
/// User, when the index is neither a string nor an integer.
pub(in crate::functions::scalar) fn item(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "<VARIANT>[<CHARACTER>]; <VARIANT>[<INTEGER>]";
    let variant = call.arg(0)?.clone();
    let kind = &call.arg(1)?.data_type.kind;
    let bound = if kind.is_string() {
        let kernel = simple("[]", |arguments, _| {
            let (variants, names) = (arguments.strings(0)?, arguments.strings(1)?);
            strings::build(arguments.rows(), |row, out| {
                let (Some(text), Some(name)) = (variants.get(row), names.get(row)) else { return Ok(false) };
                match parsed(text)? {
                    Json::Null => Ok(false),
                    value @ Json::Object(_) => Ok(value.get(name).is_some_and(|v| push(v, out))),
                    _ => Err(EvalError::at_row(row, wrong("object", &format!("the field '{name}'")))),
                }
            })
        });
        BoundCall::new(TypeKind::Variant.nullable(), vec![variant, call.string(1, FORM)?], kernel)
    } else if kind.is_integer() {
        let kernel = simple("[]", |arguments, _| {
            let (variants, indexes) = (arguments.strings(0)?, arguments.numbers::<Int64Type>(1)?);
            strings::build(arguments.rows(), |row, out| {
                let (Some(text), Some(index)) = (variants.get(row), indexes.get(row)) else {
                    return Ok(false);
                };
                match parsed(text)? {
                    Json::Null => Ok(false),
                    Json::Array(items) => {
                        let at = index.checked_sub(1).and_then(|i| usize::try_from(i).ok());
                        Ok(at.and_then(|i| items.get(i)).is_some_and(|v| push(v, out)))
                    }
                    _ => Err(EvalError::at_row(row, wrong("array", &format!("item {index}")))),
                }
            })
        });
        let index = call.number(1, TypeKind::BigInt, FORM)?;
        BoundCall::new(TypeKind::Variant.nullable(), vec![variant, index], kernel)
    } else {
        return Err(call.refuse(FORM));
    };
    Ok(bound.fallible())
}

fn parsed(text: &str) -> Result<Json, EvalError> {
    Json::parse(text).map_err(|e| Fault::internal(format!("a VARIANT: {e}")).into())
}

fn push(value: &Json, out: &mut TextOut) -> bool {
    out.write(|s| value.write_into(s, false, Numbers::AsRead));
    true
}

fn wrong(wanted: &str, what: &str) -> Fault {
    Fault::user("variant-type", format!("the VARIANT is no {wanted}: it cannot have {what}"))
        .hint("JSON_STRING(variant) shows what it is")
}
