//! Numbers in other bases: BIN, HEX, UNHEX.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::BinaryBuilder;
use arrow::datatypes::Int64Type;
use millstream_types::{DataType, Fault, TypeKind};

use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "BIN",
        "BIN(value INTEGER) -> STRING",
        "The integer in base 2, negative ones in 64 bits of two's complement.",
        &[Example::new("BIN(12)", "1100")],
        binary,
    ),
    Function::new(
        "HEX",
        "HEX(value INTEGER) -> STRING\nHEX(text STRING) -> STRING",
        "The integer in base 16, or the UTF-8 bytes of a text in base 16; upper case.",
        &[Example::new("HEX(255)", "FF"), Example::new("HEX('hello')", "68656C6C6F")],
        hex,
    ),
    Function::new(
        "UNHEX",
        "UNHEX(text STRING) -> BYTES",
        "The bytes that a text writes in base 16; the first digit of an odd number of digits counts as 0. NULL if it is no such text.",
        &[Example::new("UNHEX('68656C6C6F')", "hello"), Example::new("UNHEX('xy')", "NULL")],
        unhex,
    ),
];

fn text_type(call: &Call<'_>) -> DataType {
    DataType::string().with_nullable(call.any_nullable())
}

fn binary(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BIN(<INTEGER>)";
    call.expect(1, 1, FORM)?;
    call.no_bare_null()?;
    let arg = call.number(0, TypeKind::BigInt, FORM)?;
    let kernel = simple("BIN", |arguments, _| {
        let a = arguments.numbers::<Int64Type>(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(v) = a.get(row) else { return Ok(false) };
            let _ = write!(out, "{v:b}");
            Ok(true)
        })
    });
    Ok(BoundCall::new(text_type(call), vec![arg], kernel))
}

fn hex(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "HEX(<INTEGER>)\nHEX(<CHARACTER>)";
    call.expect(1, 1, FORM)?;
    call.no_bare_null()?;
    if call.arg(0)?.data_type.kind.is_string() {
        let kernel = simple("HEX", |arguments, _| {
            let a = arguments.strings(0)?;
            strings::build(arguments.rows(), |row, out| {
                let Some(s) = a.get(row) else { return Ok(false) };
                for b in s.bytes() {
                    let _ = write!(out, "{b:02X}");
                }
                Ok(true)
            })
        });
        return Ok(BoundCall::new(text_type(call), call.args.to_vec(), kernel));
    }
    let arg = call.number(0, TypeKind::BigInt, FORM)?;
    let kernel = simple("HEX", |arguments, _| {
        let a = arguments.numbers::<Int64Type>(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(v) = a.get(row) else { return Ok(false) };
            let _ = write!(out, "{v:X}");
            Ok(true)
        })
    });
    Ok(BoundCall::new(text_type(call), vec![arg], kernel))
}

fn unhex(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "UNHEX(<CHARACTER>)";
    call.expect(1, 1, FORM)?;
    let arg = call.string(0, FORM)?;
    let kernel = simple("UNHEX", |arguments, _| {
        let a = arguments.strings(0)?;
        let mut out = BinaryBuilder::new();
        for row in 0..arguments.rows() {
            out.append_option(a.get(row).and_then(bytes_of));
        }
        Ok(Arc::new(out.finish()))
    });
    Ok(BoundCall::new(TypeKind::BYTES.nullable(), vec![arg], kernel))
}

/// The bytes of a text in base 16. Of an odd number of digits the first one is checked, but stands for a byte 0, as in Flink
/// (`EncodingUtils.unhex`).
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    let odd = digits.len() % 2;
    let pairs = digits.get(odd..).unwrap_or_default();
    let pairs = pairs.chunks(2).map(|p| p.iter().fold(0u8, |v, d| v << 4 | d));
    Some(std::iter::repeat_n(0, odd).chain(pairs).collect())
}
