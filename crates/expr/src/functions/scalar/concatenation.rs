//! The operator `||`.

use millstream_types::{Fault, MAX_LENGTH, TypeKind};

use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "||",
    "text STRING || other STRING -> STRING",
    "One text behind the other. NULL if one of them is NULL.",
    &[Example::new("'a' || 'b'", "ab")],
    bind,
)];

fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "<STRING> || <STRING>";
    call.expect(2, 2, FORM)?;
    call.no_bare_null()?;
    let (a, b) = (call.string(0, FORM)?, call.string(1, FORM)?);
    let kind = match (&a.data_type.kind, &b.data_type.kind) {
        (TypeKind::Char(x), TypeKind::Char(y)) => TypeKind::Char(x.saturating_add(*y).min(MAX_LENGTH)),
        (TypeKind::Char(x) | TypeKind::VarChar(x), TypeKind::Char(y) | TypeKind::VarChar(y)) => {
            TypeKind::VarChar(x.saturating_add(*y).min(MAX_LENGTH))
        }
        _ => return Err(call.refuse(FORM)),
    };
    let kernel = simple("||", |arguments, _| {
        let (a, b) = (arguments.strings(0)?, arguments.strings(1)?);
        strings::build(arguments.rows(), |row, out| {
            let (Some(x), Some(y)) = (a.get(row), b.get(row)) else { return Ok(false) };
            out.push_str(x);
            out.push_str(y);
            Ok(true)
        })
    });
    Ok(BoundCall::new(kind.nullable().with_nullable(call.any_nullable()), vec![a, b], kernel))
}
