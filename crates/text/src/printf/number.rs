//! Numbers: `%d`, `%x`, `%o`, `%f`, `%e`, `%g`.

use super::spec::Spec;
use super::{PrintfArg, justify};
use crate::number::digits_to_round;

/// Appends a number; whether the argument fits the conversion.
pub(super) fn print(out: &mut String, spec: &Spec, argument: &PrintfArg<'_>) -> bool {
    let (value, bits) = match argument {
        PrintfArg::TinyInt(v) => (i64::from(*v), 8),
        PrintfArg::SmallInt(v) => (i64::from(*v), 16),
        PrintfArg::Int(v) => (i64::from(*v), 32),
        PrintfArg::BigInt(v) => (*v, 64),
        PrintfArg::Float(v) => return float(out, spec, f64::from(*v)),
        PrintfArg::Double(v) => return float(out, spec, *v),
        _ => return false,
    };
    match spec.conversion {
        'd' => {
            let body = grouped(&value.unsigned_abs().to_string(), spec.group);
            signed(out, spec, value < 0, &body, "");
        }
        'x' | 'o' => {
            let raw = value as u64 & (u64::MAX >> (64 - bits));
            let (prefix, digits) =
                if spec.conversion == 'x' { ("0x", format!("{raw:x}")) } else { ("0", format!("{raw:o}")) };
            let prefix = if spec.alternate { prefix } else { "" };
            let width = spec.width.filter(|_| spec.zero).unwrap_or(0);
            let zeros = "0".repeat(width.saturating_sub(prefix.len() + digits.len()));
            justify(out, &format!("{prefix}{zeros}{digits}"), spec);
        }
        _ => return false,
    }
    true
}

/// Appends a sign, zeros up to the width, the body and what stands behind it.
fn signed(out: &mut String, spec: &Spec, negative: bool, body: &str, tail: &str) {
    let mut text = String::new();
    match negative {
        true => text.push(if spec.parentheses { '(' } else { '-' }),
        false if spec.plus => text.push('+'),
        false if spec.space => text.push(' '),
        false => {}
    }
    let closing = if negative && spec.parentheses { ")" } else { "" };
    if let Some(width) = spec.width.filter(|_| spec.zero) {
        let length = text.len() + body.len() + tail.len() + closing.len();
        text.extend(std::iter::repeat_n('0', width.saturating_sub(length)));
    }
    text.push_str(body);
    text.push_str(tail);
    text.push_str(closing);
    justify(out, &text, spec);
}

/// Digits with commas between thousands, if wanted; a fraction stays.
fn grouped(number: &str, wanted: bool) -> String {
    if !wanted {
        return number.to_string();
    }
    let whole = number.find('.').unwrap_or(number.len());
    let mut out = String::with_capacity(number.len() + number.len() / 3);
    for (i, c) in number.chars().enumerate() {
        if i > 0 && i < whole && (whole - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

fn float(out: &mut String, spec: &Spec, value: f64) -> bool {
    if !matches!(spec.conversion, 'f' | 'e' | 'g') {
        return false;
    }
    if !value.is_finite() {
        let plain = Spec { zero: false, ..spec.clone() };
        if value.is_nan() {
            justify(out, "NaN", spec);
        } else {
            signed(out, &plain, value < 0.0, "Infinity", "");
        }
        return true;
    }
    let number = Rounded::of(value.abs());
    let precision = spec.precision.unwrap_or(6);
    let (mut body, tail) = match spec.conversion {
        'f' => (number.plain(precision), String::new()),
        'e' => number.scientific(precision),
        _ => {
            let precision = precision.max(1);
            // The exponent decides after rounding to so many digits.
            let rounded = number.to_digits(precision as i64);
            if value == 0.0 {
                (number.plain(precision - 1), String::new())
            } else if (-3..=precision as i64).contains(&rounded.exponent) {
                (rounded.plain((precision as i64 - rounded.exponent).max(0) as usize), String::new())
            } else {
                rounded.scientific(precision - 1)
            }
        }
    };
    if spec.alternate && !body.contains('.') {
        body.push('.');
    }
    signed(out, spec, value.is_sign_negative(), &grouped(&body, spec.group), &tail);
    true
}

/// Decimal digits of 0.d₁d₂… × 10^exponent, to be rounded HALF_UP.
struct Rounded {
    digits: String,
    exponent: i64,
}

impl Rounded {
    fn of(value: f64) -> Self {
        if value == 0.0 {
            return Rounded { digits: "0".into(), exponent: 1 };
        }
        let (digits, exponent) = digits_to_round(value);
        Rounded { digits, exponent: i64::from(exponent) }
    }

    /// Rounded to so many digits; as it is, when it has no more, or the number lies below its first place.
    fn to_digits(&self, count: i64) -> Rounded {
        let same = || Rounded { digits: self.digits.clone(), exponent: self.exponent };
        let Ok(keep) = usize::try_from(count) else { return same() };
        let Some((kept, cut)) = self.digits.split_at_checked(keep).filter(|(_, cut)| !cut.is_empty()) else {
            return same();
        };
        let up = cut.as_bytes().first().is_some_and(|b| *b >= b'5');
        if !up {
            let digits = if kept.is_empty() { "0" } else { kept };
            return Rounded { digits: digits.to_string(), exponent: self.exponent };
        }
        let mut digits: Vec<u8> = kept.bytes().collect();
        for digit in digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return Rounded {
                    digits: String::from_utf8(digits).unwrap_or_default(),
                    exponent: self.exponent,
                };
            }
            *digit = b'0';
        }
        digits.insert(0, b'1');
        Rounded { digits: String::from_utf8(digits).unwrap_or_default(), exponent: self.exponent + 1 }
    }

    /// With so many digits behind the point.
    fn plain(&self, precision: usize) -> String {
        let rounded = self.to_digits(self.exponent + precision as i64);
        let below_first = self.exponent + (precision as i64) < 0;
        let digit = |place: i64| {
            let at = usize::try_from(place).ok().filter(|_| !below_first);
            at.and_then(|i| rounded.digits.as_bytes().get(i)).map_or('0', |b| char::from(*b))
        };
        let mut out = String::new();
        (0..rounded.exponent.max(0)).for_each(|i| out.push(digit(i)));
        if out.is_empty() {
            out.push('0');
        }
        if precision > 0 {
            out.push('.');
            (0..precision as i64).for_each(|i| out.push(digit(rounded.exponent + i)));
        }
        out
    }

    /// The mantissa with so many digits behind the point, and the exponent, `e+05`.
    fn scientific(&self, precision: usize) -> (String, String) {
        let rounded = self.to_digits(precision as i64 + 1);
        let mut digits = rounded.digits.chars().chain(std::iter::repeat('0'));
        let mut out = String::new();
        out.extend(digits.next());
        if precision > 0 {
            out.push('.');
            out.extend(digits.take(precision));
        }
        let exponent = rounded.exponent - 1;
        let sign = if exponent < 0 { '-' } else { '+' };
        (out, format!("e{sign}{:02}", exponent.abs()))
    }
}
