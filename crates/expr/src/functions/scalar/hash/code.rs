//! HASH_CODE.

use arrow::array::AsArray;
use arrow::datatypes::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
};
use millstream_types::{Fault, TypeKind};

use crate::functions::scalar::string::of_kind;
use crate::kernel::{numbers, simple};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "HASH_CODE",
    "HASH_CODE(value ANY) -> INT",
    "Java's hash code of the value; of a text its absolute value.",
    &[Example::new("HASH_CODE('abc')", "96354")],
    hash_code,
)
.aliases(&["HASHCODE"])];

/// The absolute value of `String.hashCode`, over the text's UTF-16.
fn of_text(text: &str) -> i32 {
    let hash = if text.is_ascii() {
        text.bytes().fold(0i32, |h, b| h.wrapping_mul(31).wrapping_add(i32::from(b)))
    } else {
        text.encode_utf16().fold(0i32, |h, u| h.wrapping_mul(31).wrapping_add(i32::from(u)))
    };
    hash.wrapping_abs()
}

fn of_long(value: i64) -> i32 {
    (value ^ (value as u64 >> 32) as i64) as i32
}

fn hash_code(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(1, 1, "HASH_CODE(<ANY>)")?;
    call.no_bare_null()?;
    let arg = call.arg(0)?.clone();
    let kind = arg.data_type.kind.clone();
    let known = kind.is_string()
        || kind.is_integer()
        || kind.is_approximate()
        || matches!(kind, TypeKind::Boolean | TypeKind::Date | TypeKind::Time(_));
    if !known {
        return Err(Fault::not_yet(format!("HASH_CODE of {kind}"))
            .at(call.span)
            .hint("hash its text: CAST(... AS STRING)"));
    }
    let kernel = simple("HASH_CODE", move |arguments, _| {
        let column = arguments.column(0)?;
        let rows = arguments.rows();
        /// An INT from each number of a column.
        macro_rules! of_numbers {
            ($type:ty, $f:expr) => {{
                let values = arguments.numbers::<$type>(0)?;
                let f: fn(_) -> i32 = $f;
                numbers::build::<Int32Type>(rows, |row| Ok(values.get(row).map(f)))
            }};
        }
        match &kind {
            k if k.is_string() => {
                let text = arguments.strings(0)?;
                numbers::build::<Int32Type>(rows, |row| Ok(text.get(row).map(of_text)))
            }
            TypeKind::Boolean => {
                let values = arguments.booleans(0)?;
                numbers::build::<Int32Type>(rows, |row| {
                    Ok(values.get(row).map(|b| if b { 1231 } else { 1237 }))
                })
            }
            TypeKind::TinyInt => of_numbers!(Int8Type, |v: i8| i32::from(v)),
            TypeKind::SmallInt => of_numbers!(Int16Type, |v: i16| i32::from(v)),
            TypeKind::Int => of_numbers!(Int32Type, |v: i32| v),
            TypeKind::BigInt => of_numbers!(Int64Type, of_long),
            TypeKind::Date => of_numbers!(Date32Type, |v: i32| v),
            TypeKind::Float => of_numbers!(Float32Type, |v: f32| {
                (if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }) as i32
            }),
            TypeKind::Double => of_numbers!(Float64Type, |v: f64| {
                of_long((if v.is_nan() { 0x7ff8 << 48 } else { v.to_bits() }) as i64)
            }),
            _ if column.array().as_primitive_opt::<Time32MillisecondType>().is_some() => {
                of_numbers!(Time32MillisecondType, |v: i32| v)
            }
            _ => Err(Fault::internal(format!("HASH_CODE of {}", column.array().data_type())).into()),
        }
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Int), vec![arg], kernel))
}
