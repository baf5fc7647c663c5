//! Java's `String.format` (locale en-US), as PRINTF uses it.

mod number;
mod spec;

use millstream_types::Fault;

use crate::number::{push_f32, push_f64, push_i64};
use spec::{Spec, scan};

/// An argument, by its type, on which the conversions depend.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)] // the names are Flink's types
pub enum PrintfArg<'a> {
    Null,
    Boolean(bool),
    TinyInt(i8),
    SmallInt(i16),
    Int(i32),
    BigInt(i64),
    Float(f32),
    Double(f64),
    String(&'a str),
    /// A value of another type by its text: only `%s` and `%b` take it.
    Other(&'a str),
}

/// The text that a format makes of its arguments; `None` where Java refuses the format or an argument does not fit
/// its conversion, as PRINTF then gives NULL.
///
/// # Errors
/// NotYet for `%a` and the dates of `%t`.
pub fn printf(format: &str, arguments: &[PrintfArg<'_>]) -> Result<Option<String>, Fault> {
    let Some(pieces) = scan(format) else { return Ok(None) };
    let mut out = String::with_capacity(format.len() + 16);
    let (mut ordinary, mut last) = (0, None);
    for piece in pieces {
        let spec = match piece {
            spec::Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            spec::Piece::Spec(spec) => spec,
        };
        if matches!(spec.conversion, 'a' | 't') {
            return Err(Fault::not_yet(format!("the conversion %{} of PRINTF", spec.conversion)));
        }
        let Some(spec) = spec.checked() else { return Ok(None) };
        match spec.conversion {
            'n' => out.push('\n'),
            '%' => justify(&mut out, "%", &spec),
            _ => {
                let index = match spec.index {
                    spec::Index::Next => {
                        ordinary += 1;
                        Some(ordinary - 1)
                    }
                    spec::Index::Last => last,
                    spec::Index::At(n) => n.checked_sub(1),
                };
                let Some(argument) = index.and_then(|i| arguments.get(i)) else { return Ok(None) };
                last = index;
                if !print(&mut out, &spec, argument) {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(out))
}

/// Appends an argument; whether it fits the conversion.
fn print(out: &mut String, spec: &Spec, argument: &PrintfArg<'_>) -> bool {
    let text = match (spec.conversion, argument) {
        ('b', PrintfArg::Null | PrintfArg::Boolean(false)) => "false".to_string(),
        ('b', _) => "true".to_string(),
        (_, PrintfArg::Null) => "null".to_string(),
        ('s', _) => shown(argument),
        ('h', _) => match hash(argument) {
            Some(code) => format!("{code:x}"),
            None => return false,
        },
        ('c', _) => {
            let code = match argument {
                PrintfArg::TinyInt(v) => u32::try_from(*v),
                PrintfArg::SmallInt(v) => u32::try_from(*v),
                PrintfArg::Int(v) => u32::try_from(*v),
                _ => return false,
            };
            match code.ok().and_then(char::from_u32) {
                Some(c) => c.to_string(),
                None => return false,
            }
        }
        _ => return number::print(out, spec, argument),
    };
    let cut: String = match spec.precision {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    };
    justify(out, &cut, spec);
    true
}

fn shown(argument: &PrintfArg<'_>) -> String {
    let mut text = String::new();
    match argument {
        PrintfArg::Null => text.push_str("null"),
        PrintfArg::Boolean(v) => text.push_str(if *v { "true" } else { "false" }),
        PrintfArg::TinyInt(v) => push_i64(&mut text, i64::from(*v)),
        PrintfArg::SmallInt(v) => push_i64(&mut text, i64::from(*v)),
        PrintfArg::Int(v) => push_i64(&mut text, i64::from(*v)),
        PrintfArg::BigInt(v) => push_i64(&mut text, *v),
        PrintfArg::Float(v) => push_f32(&mut text, *v),
        PrintfArg::Double(v) => push_f64(&mut text, *v),
        PrintfArg::String(v) | PrintfArg::Other(v) => text.push_str(v),
    }
    text
}

/// Java's `hashCode`.
fn hash(argument: &PrintfArg<'_>) -> Option<i32> {
    let of_long = |v: i64| (v ^ ((v as u64) >> 32) as i64) as i32;
    Some(match argument {
        PrintfArg::Boolean(v) => {
            if *v {
                1231
            } else {
                1237
            }
        }
        PrintfArg::TinyInt(v) => i32::from(*v),
        PrintfArg::SmallInt(v) => i32::from(*v),
        PrintfArg::Int(v) => *v,
        PrintfArg::BigInt(v) => of_long(*v),
        PrintfArg::Float(v) => (if v.is_nan() { f32::NAN } else { *v }).to_bits() as i32,
        PrintfArg::Double(v) => of_long((if v.is_nan() { f64::NAN } else { *v }).to_bits() as i64),
        PrintfArg::String(v) => {
            v.encode_utf16().fold(0i32, |h, c| h.wrapping_mul(31).wrapping_add(i32::from(c)))
        }
        PrintfArg::Null | PrintfArg::Other(_) => return None,
    })
}

/// Appends a text, in capitals if the conversion is one, filled with spaces to the width.
fn justify(out: &mut String, text: &str, spec: &Spec) {
    let capitals;
    let text = if spec.upper {
        capitals = text.to_uppercase();
        &capitals
    } else {
        text
    };
    let missing = spec.width.unwrap_or(0).saturating_sub(text.encode_utf16().count());
    if !spec.left {
        out.extend(std::iter::repeat_n(' ', missing));
    }
    out.push_str(text);
    if spec.left {
        out.extend(std::iter::repeat_n(' ', missing));
    }
}

#[cfg(test)]
mod tests;
