//! ARRAY_… and MAP_… functions.

mod floats;
mod lists;
mod maps;
mod order;
mod search;
mod sets;
mod shape;
#[cfg(test)]
mod tests;

use millstream_types::{DataType, Fault, TypeKind};

use crate::binding::{convert, null_of};
use crate::coerce::supports_implicit;
use crate::{Call, Expr, Function};

pub(super) const FUNCTIONS: &[&[Function]] =
    &[shape::FUNCTIONS, search::FUNCTIONS, sets::FUNCTIONS, order::FUNCTIONS, maps::FUNCTIONS];

/// The first argument, an ARRAY, and the type of its items.
fn array_argument(call: &Call<'_>, form: &str) -> Result<(Expr, DataType), Fault> {
    let array = call.arg(0)?;
    match &array.data_type.kind {
        TypeKind::Array(e) => Ok((array.clone(), e.plain())),
        _ => Err(call.refuse(form)),
    }
}

/// An argument as an item of an array of such items.
fn item_argument(call: &Call<'_>, index: usize, element: &DataType, form: &str) -> Result<Expr, Fault> {
    let item = call.arg(index)?;
    match &item.data_type.kind {
        TypeKind::Null => Ok(null_of(element.kind.clone())),
        kind if supports_implicit(kind, &element.kind) || (kind.is_string() && element.kind.is_string()) => {
            // Lengths of strings do not matter to a comparison.
            if kind.is_string() && element.kind.is_string() {
                return Ok(item.clone());
            }
            Ok(convert(item.clone(), element.kind.clone()))
        }
        _ => Err(call.refuse(form)),
    }
}
