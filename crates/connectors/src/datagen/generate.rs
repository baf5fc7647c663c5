//! Generators of values, one a type.

use millstream_flow::Options;
use millstream_text::number::{decimal_from_f64, parse_f64, power_of_ten};
use millstream_types::{DataType, Fault, MAX_LENGTH, TypeKind, Value};

use super::options::bad;

const DEFAULT_LENGTH: u32 = 100;
const DEFAULT_SIZE: i64 = 3;

/// Makes the values of a column, or of what is nested in it.
#[derive(Debug)]
pub(super) struct Generator {
    kind: Kind,
    null_rate: f64,
}

#[derive(Debug)]
enum Kind {
    Boolean,
    /// All types that are whole numbers inside.
    Int {
        min: i64,
        max: i64,
    },
    Float {
        min: f64,
        max: f64,
        single: bool,
    },
    Decimal {
        min: f64,
        max: f64,
        precision: u8,
        scale: u8,
    },
    Text {
        length: u32,
        varies: bool,
    },
    Bytes {
        length: u32,
        varies: bool,
    },
    /// Days of the current date.
    Date,
    /// Milliseconds of the current time of day.
    Time,
    /// Now, or up to some milliseconds before; in micro- or nanoseconds.
    Past {
        max_past: u64,
        per_milli: i64,
    },
    Array {
        element: Box<Generator>,
        size: u64,
    },
    Map {
        key: Box<Generator>,
        value: Box<Generator>,
        size: u64,
    },
    Row(Vec<Generator>),
    Sequence {
        start: i64,
        form: Form,
    },
}

#[derive(Debug)]
enum Form {
    Int,
    Float,
    /// The number with this many digits behind its point.
    Decimal(u8),
    Text,
    /// Eight bytes, the highest first.
    Bytes,
}

/// Random numbers of one row and column: from the seed and the position alone, so that a row is the same whenever it is made.
pub(super) struct Draw(u64);

impl Draw {
    pub fn new(seed: u64, row: u64, column: u64) -> Self {
        let mut draw = Draw(seed ^ row.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let mixed = draw.next() ^ column.wrapping_mul(0xA076_1D64_78BD_642F);
        Draw(mixed)
    }

    fn next(&mut self) -> u64 {
        // SplitMix64, as in types::SeededRandom.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From `min` to `max`, both included.
    fn between(&mut self, min: i64, max: i64) -> i64 {
        let span = max.wrapping_sub(min) as u64;
        match span.checked_add(1) {
            None => self.next() as i64,
            // The high half of the product: no modulo, and no bias worth a second draw.
            Some(count) => min.wrapping_add(((u128::from(self.next()) * u128::from(count)) >> 64) as i64),
        }
    }

    fn uniform(&mut self, min: f64, max: f64) -> f64 {
        let u = self.unit();
        // Not min + u * (max - min): that overflows for the whole range of a DOUBLE.
        min * (1.0 - u) + max * u
    }
}

impl Generator {
    /// The generator of a column and, where it is a sequence, the number of its values.
    pub fn of_column(
        name: &str,
        data_type: &DataType,
        options: &Options,
    ) -> Result<(Self, Option<u64>), Fault> {
        match options.get(&format!("fields.{name}.kind")) {
            None | Some("random") => Ok((Self::random(name, data_type, options, 0)?, None)),
            Some("sequence") => Self::sequence(name, data_type, options),
            Some(other) => Err(bad(&format!("fields.{name}.kind"), &format!("has the value '{other}'"))
                .hint("write 'random' or 'sequence'")),
        }
    }

    fn random(name: &str, data_type: &DataType, options: &Options, depth: usize) -> Result<Self, Fault> {
        if depth > 64 {
            return Err(Fault::user(
                "too-deep",
                format!("column '{name}' is nested more than 64 levels deep"),
            ));
        }
        let key = |option: &str| format!("fields.{name}.{option}");
        let nested =
            |part: &str, t: &DataType| Self::random(&format!("{name}.{part}"), t, options, depth + 1);
        let range = |low: i64, high: i64| -> Result<Kind, Fault> {
            let (min, max) = (options.integer(&key("min"), low)?, options.integer(&key("max"), high)?);
            if min > max || min < low || max > high {
                return Err(bad(&key("min"), &format!("and 'max' give the range {min} to {max}"))
                    .hint(format!("choose 'min' and 'max' in order, between {low} and {high}")));
            }
            Ok(Kind::Int { min, max })
        };
        let reals = |low: f64, high: f64| -> Result<(f64, f64), Fault> {
            let number = |option: &str, default: f64| match options.get(&key(option)) {
                None => Ok(default),
                Some(text) => parse_f64(text)
                    .ok()
                    .filter(|n| n.is_finite())
                    .ok_or_else(|| bad(&key(option), &format!("has the value '{text}', which is no number"))),
            };
            let (min, max) = (number("min", low)?, number("max", high)?);
            if min > max {
                return Err(bad(&key("min"), &format!("({min}) is greater than 'max' ({max})")));
            }
            Ok((min, max))
        };
        let length = |most: u32, default: u32| -> Result<u32, Fault> {
            let length = options.integer(&key("length"), i64::from(default))?;
            match u32::try_from(length) {
                Ok(length) if length <= most => Ok(length),
                Ok(_) => {
                    Err(bad(&key("length"), &format!("is longer than the column, a {}", data_type.kind))
                        .hint(format!("set it to at most {most}")))
                }
                Err(_) => Err(bad(&key("length"), "must not be negative")),
            }
        };
        let fixed = |n: u32| match options.get(&key("length")) {
            Some(_) => Err(bad(&key("length"), &format!("cannot be set for a {}", data_type.kind))
                .hint("leave it out: the type has a fixed length")),
            None => Ok(n),
        };
        let varies = options.boolean(&key("var-len"), false)?;
        let size = || {
            u64::try_from(options.integer(&key("length"), DEFAULT_SIZE)?)
                .map_err(|_| bad(&key("length"), "must not be negative"))
        };
        let or_default = |n: u32| if n == MAX_LENGTH { DEFAULT_LENGTH } else { n };
        let kind = match &data_type.kind {
            TypeKind::Boolean => Kind::Boolean,
            TypeKind::TinyInt => range(i64::from(i8::MIN), i64::from(i8::MAX))?,
            TypeKind::SmallInt => range(i64::from(i16::MIN), i64::from(i16::MAX))?,
            TypeKind::Int => range(i64::from(i32::MIN), i64::from(i32::MAX))?,
            TypeKind::BigInt | TypeKind::IntervalDayTime(..) => range(i64::MIN, i64::MAX)?,
            TypeKind::IntervalYearMonth(..) => {
                // Flink's greatest period; only the default, not the limit.
                match (options.get(&key("min")), options.get(&key("max"))) {
                    (None, None) => Kind::Int { min: 0, max: 120_000 },
                    _ => range(i64::from(i32::MIN), i64::from(i32::MAX))?,
                }
            }
            // Java's MIN_VALUE is the smallest number above 0.
            TypeKind::Float => {
                let (min, max) = reals(f64::from(f32::from_bits(1)), f64::from(f32::MAX))?;
                Kind::Float { min, max, single: true }
            }
            TypeKind::Double => {
                let (min, max) = reals(f64::from_bits(1), f64::MAX)?;
                Kind::Float { min, max, single: false }
            }
            TypeKind::Decimal { precision, scale } => {
                let (min, max) = reals(f64::from_bits(1), f64::MAX)?;
                let most =
                    10f64.powi(i32::from(*precision) - i32::from(*scale)) - 10f64.powi(-i32::from(*scale));
                Kind::Decimal {
                    min: min.clamp(-most, most),
                    max: max.clamp(-most, most),
                    precision: *precision,
                    scale: *scale,
                }
            }
            TypeKind::Char(n) => Kind::Text { length: fixed(*n)?, varies: false },
            TypeKind::VarChar(n) => Kind::Text { length: length(*n, or_default(*n))?, varies },
            TypeKind::Binary(n) => Kind::Bytes { length: fixed(*n)?, varies: false },
            TypeKind::VarBinary(n) => Kind::Bytes { length: length(*n, or_default(*n))?, varies },
            TypeKind::Date => Kind::Date,
            TypeKind::Time(_) => Kind::Time,
            TypeKind::Timestamp(..) | TypeKind::TimestampLtz(..) => Kind::Past {
                max_past: options.duration(&key("max-past"), 0)?,
                per_milli: if data_type.kind.counts_nanos() { 1_000_000 } else { 1000 },
            },
            TypeKind::Array(element) => {
                Kind::Array { element: Box::new(nested("element", element)?), size: size()? }
            }
            TypeKind::Multiset(element) => Kind::Map {
                key: Box::new(nested("element", element)?),
                value: Box::new(Generator { kind: Kind::Int { min: 0, max: 10 }, null_rate: 0.0 }),
                size: size()?,
            },
            TypeKind::Map(k, v) => Kind::Map {
                key: Box::new(nested("key", k)?),
                value: Box::new(nested("value", v)?),
                size: size()?,
            },
            TypeKind::Row(fields) => {
                Kind::Row(fields.iter().map(|f| nested(&f.name, &f.data_type)).collect::<Result<_, _>>()?)
            }
            other => return Err(unsupported(name, other)),
        };
        let null_rate = match options.get(&key("null-rate")) {
            None => 0.0,
            Some(text) => parse_f64(text)
                .ok()
                .filter(|r| (0.0..=1.0).contains(r))
                .ok_or_else(|| bad(&key("null-rate"), "must be a number from 0 to 1"))?,
        };
        Ok(Generator { kind, null_rate })
    }

    fn sequence(name: &str, data_type: &DataType, options: &Options) -> Result<(Self, Option<u64>), Fault> {
        let bound = |option: &str| {
            let key = format!("fields.{name}.{option}");
            match options.get(&key) {
                None => Err(Fault::user("missing-option", format!("a sequence needs the option '{key}'"))
                    .hint(format!("add '{key}' = '1'"))),
                Some(_) => options.integer(&key, 0),
            }
        };
        let (start, end) = (bound("start")?, bound("end")?);
        let (low, high, form) = match &data_type.kind {
            TypeKind::Boolean => return Ok((Generator { kind: Kind::Boolean, null_rate: 0.0 }, None)),
            TypeKind::TinyInt => (i64::from(i8::MIN), i64::from(i8::MAX), Form::Int),
            TypeKind::SmallInt => (i64::from(i16::MIN), i64::from(i16::MAX), Form::Int),
            TypeKind::Int => (i64::from(i32::MIN), i64::from(i32::MAX), Form::Int),
            TypeKind::BigInt => (i64::MIN, i64::MAX, Form::Int),
            TypeKind::Float | TypeKind::Double => (i64::from(i32::MIN), i64::from(i32::MAX), Form::Float),
            TypeKind::Decimal { precision, scale } => {
                let most = power_of_ten(u32::from(precision - scale)).unwrap_or(i128::MAX) - 1;
                let most = i64::try_from(most).unwrap_or(i64::MAX).min(i64::from(i32::MAX));
                (-most, most, Form::Decimal(*scale))
            }
            TypeKind::Char(_) | TypeKind::VarChar(_) => (i64::MIN, i64::MAX, Form::Text),
            TypeKind::Binary(_) | TypeKind::VarBinary(_) => (i64::MIN, i64::MAX, Form::Bytes),
            other => return Err(unsupported(name, other)),
        };
        if start > end || start < low || end > high {
            return Err(bad(
                &format!("fields.{name}.start"),
                &format!("and 'end' give the sequence {start} to {end}"),
            )
            .hint(format!("choose 'start' and 'end' in order, between {low} and {high}")));
        }
        let count = (end.wrapping_sub(start) as u64).saturating_add(1);
        Ok((Generator { kind: Kind::Sequence { start, form }, null_rate: 0.0 }, Some(count)))
    }

    /// The value of row `row` (from 0), made at `now` (milliseconds since the epoch).
    pub fn value(&self, draw: &mut Draw, row: u64, now: i64) -> Value {
        if self.null_rate > 0.0 && draw.unit() <= self.null_rate {
            return Value::Null;
        }
        let length = |draw: &mut Draw, length: u32, varies: bool| {
            if varies && length > 1 {
                draw.between(1, i64::from(length) - 1) as usize
            } else {
                length as usize
            }
        };
        match &self.kind {
            Kind::Boolean => Value::Boolean(draw.next() & 1 == 1),
            Kind::Int { min, max } => Value::Int(draw.between(*min, *max)),
            Kind::Float { min, max, single } => {
                let value = draw.uniform(*min, *max);
                Value::Float(if *single { f64::from(value as f32) } else { value })
            }
            Kind::Decimal { min, max, precision, scale } => {
                let value = decimal_from_f64(draw.uniform(*min, *max), *precision, *scale);
                value.map_or(Value::Decimal(0), Value::Decimal)
            }
            Kind::Text { length: most, varies } => {
                let length = length(draw, *most, *varies);
                let mut text = String::with_capacity(length + 16);
                while text.len() < length {
                    text.push_str(&format!("{:016x}", draw.next()));
                }
                text.truncate(length);
                Value::String(text.into())
            }
            Kind::Bytes { length: most, varies } => {
                let length = length(draw, *most, *varies);
                let mut bytes = Vec::with_capacity(length + 8);
                while bytes.len() < length {
                    bytes.extend_from_slice(&draw.next().to_be_bytes());
                }
                bytes.truncate(length);
                Value::Bytes(bytes.into())
            }
            Kind::Date => Value::Int(now.div_euclid(86_400_000)),
            Kind::Time => Value::Int(now.rem_euclid(86_400_000)),
            Kind::Past { max_past, per_milli } => {
                let most = i64::try_from(*max_past).unwrap_or(i64::MAX);
                let past = if most > 0 { draw.between(0, most - 1) } else { 0 };
                Value::Int(now.saturating_sub(past).saturating_mul(*per_milli))
            }
            Kind::Array { element, size } => {
                Value::Array((0..*size).map(|_| element.value(draw, row, now)).collect())
            }
            Kind::Map { key, value, size } => {
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..*size {
                    let (k, v) = (key.value(draw, row, now), value.value(draw, row, now));
                    match entries.iter_mut().find(|e| e.0 == k) {
                        Some(entry) => entry.1 = v,
                        None => entries.push((k, v)),
                    }
                }
                Value::Map(entries.into())
            }
            Kind::Row(fields) => Value::Row(fields.iter().map(|f| f.value(draw, row, now)).collect()),
            Kind::Sequence { start, form } => {
                let number = start.wrapping_add(row as i64);
                match form {
                    Form::Int => Value::Int(number),
                    Form::Float => Value::Float(number as f64),
                    Form::Decimal(scale) => Value::Decimal(
                        i128::from(number).saturating_mul(power_of_ten(u32::from(*scale)).unwrap_or(1)),
                    ),
                    Form::Text => Value::String(number.to_string().into()),
                    Form::Bytes => Value::Bytes(number.to_be_bytes().as_slice().into()),
                }
            }
        }
    }
}

fn unsupported(name: &str, kind: &TypeKind) -> Fault {
    Fault::user("unsupported-type", format!("datagen cannot make up column '{name}' of type {kind}"))
        .hint("leave the column out, or compute it: `name AS expression`")
}
