//! Arguments of functions of text.

use millstream_types::{DataType, Fault, TypeKind};

use crate::{Call, Expr};

/// What an argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::functions::scalar) enum Arg {
    /// CHAR or VARCHAR.
    Text,
    /// An integer; the kernel gets a BIGINT.
    Integer,
    /// BINARY or VARBINARY.
    Bytes,
}

/// The arguments of a call: at least `least`, at most as many as `wanted` names.
///
/// # Errors
/// User, for another number or other types.
pub(in crate::functions::scalar) fn arguments(
    call: &Call<'_>,
    form: &str,
    least: usize,
    wanted: &[Arg],
) -> Result<Vec<Expr>, Fault> {
    call.expect(least, wanted.len(), form)?;
    wanted
        .iter()
        .take(call.args.len())
        .enumerate()
        .map(|(i, w)| match w {
            Arg::Text => call.string(i, form),
            Arg::Integer => call.number(i, TypeKind::BigInt, form),
            Arg::Bytes => {
                let arg = call.arg(i)?;
                match &arg.data_type.kind {
                    k if k.is_binary() => Ok(arg.clone()),
                    TypeKind::Null => Ok(crate::binding::null_of(TypeKind::BYTES)),
                    _ => Err(call.refuse(form)),
                }
            }
        })
        .collect()
}

/// As [`arguments`], for Flink's older functions, which refuse a bare NULL.
///
/// # Errors
/// User, also for a bare NULL.
pub(in crate::functions::scalar) fn strict_arguments(
    call: &Call<'_>,
    form: &str,
    least: usize,
    wanted: &[Arg],
) -> Result<Vec<Expr>, Fault> {
    call.expect(least, wanted.len(), form)?;
    call.no_bare_null()?;
    arguments(call, form, least, wanted)
}

/// A type that is nullable if an argument is.
pub(in crate::functions::scalar) fn of_kind(call: &Call<'_>, kind: TypeKind) -> DataType {
    DataType { kind, nullable: call.any_nullable() }
}

/// The length in the type of a text, for results that are as long at most.
pub(super) fn length_of(expr: &Expr) -> u32 {
    match expr.data_type.kind {
        TypeKind::Char(n) | TypeKind::VarChar(n) => n,
        _ => millstream_types::MAX_LENGTH,
    }
}
