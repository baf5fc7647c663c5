//! Texts put together.

use millstream_types::{Fault, TypeKind};

use super::arguments::of_kind;
use crate::kernel::strings::Strings;
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Expr, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CONCAT",
        "CONCAT(text STRING, ...) -> STRING",
        "The texts one behind the other. NULL if one of them is NULL.",
        &[Example::new("CONCAT('AA', 'BB', 'CC')", "AABBCC")],
        concat,
    ),
    Function::new(
        "CONCAT_WS",
        "CONCAT_WS(separator STRING, text STRING, ...) -> STRING",
        "The texts that are not NULL, with the separator between them. NULL if the separator is NULL.",
        &[Example::new("CONCAT_WS('~', 'AA', CAST(NULL AS STRING), 'BB', '', 'CC')", "AA~BB~~CC")],
        concat_ws,
    )
    .aliases(&["CONCAT_SIGN"]),
];

fn texts(call: &Call<'_>, least: usize, form: &str) -> Result<Vec<Expr>, Fault> {
    call.expect(least, usize::MAX, form)?;
    call.no_bare_null()?;
    (0..call.args.len()).map(|i| call.string(i, form)).collect()
}

fn concat(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = texts(call, 1, "CONCAT(<CHARACTER>, ...)")?;
    let kernel = simple("CONCAT", |arguments, _| {
        let texts = arguments.columns().iter().map(Strings::of).collect::<Result<Vec<_>, _>>()?;
        strings::build(arguments.rows(), |row, out| {
            for text in &texts {
                let Some(s) = text.get(row) else { return Ok(false) };
                out.push_str(s);
            }
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}

fn concat_ws(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = texts(call, 1, "CONCAT_WS(<CHARACTER> [, <CHARACTER>, ...])")?;
    let kernel = simple("CONCAT_WS", |arguments, _| {
        let separator = arguments.strings(0)?;
        let texts = arguments.columns().iter().skip(1).map(Strings::of).collect::<Result<Vec<_>, _>>()?;
        strings::build(arguments.rows(), |row, out| {
            let Some(separator) = separator.get(row) else { return Ok(false) };
            let mut first = true;
            for s in texts.iter().filter_map(|t| t.get(row)) {
                if !first {
                    out.push_str(separator);
                }
                out.push_str(s);
                first = false;
            }
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}
