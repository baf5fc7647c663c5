//! Laws that hold for every value, on seeded random values, against slow references.

// Tests fail by panicking.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cloned_ref_to_slice_refs
)]

mod samples;

use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, CastMode, EvalContext, Expr, ExprKind, Program, Rows, coerce};
use millstream_text::temporal::Zone;
use millstream_types::{DataType, ManualClock, SeededRandom, Span, TypeKind as K, Value};
use num_bigint::BigInt;
use samples::Samples;
use std::sync::Arc;

const ROWS: usize = 500;

fn bind_context() -> BindContext {
    BindContext { batch: true, ..BindContext::default() }
}

/// The values of an expression over columns.
fn eval(expr: &Expr, columns: &[(DataType, Vec<Value>)]) -> Vec<Value> {
    let context = EvalContext {
        clock: Arc::new(ManualClock::new(0)),
        random: Arc::new(SeededRandom::new(1)),
        zone: "UTC".into(),
        query_start: 0,
        batch: true,
    };
    let arrays: Vec<_> = columns.iter().map(|(t, values)| Value::array(values, t).unwrap()).collect();
    let program = Program::compile(std::slice::from_ref(expr)).unwrap();
    let rows = Rows { columns: &arrays, rows: columns[0].1.len(), watermarks: None };
    let array = program.eval(&rows, &context).map_err(|e| e.fault).unwrap().remove(0);
    (0..rows.rows).map(|row| Value::from_array(array.as_ref(), row, &expr.data_type)).collect()
}

fn call(name: &str, args: &[Expr]) -> Expr {
    call_expr(name, args, &[], Span::default(), &bind_context()).unwrap()
}

fn column(index: usize, kind: K) -> Expr {
    Expr::column(index, kind.nullable())
}

fn string(index: usize) -> Expr {
    column(index, K::STRING)
}

fn literal(text: &str) -> Expr {
    Expr::literal(text, K::STRING.not_null())
}

fn cast(expr: Expr, kind: K) -> Expr {
    coerce::explicit_cast(expr, &kind.nullable(), CastMode::Cast, &bind_context()).unwrap()
}

fn texts(samples: &mut Samples) -> Vec<Value> {
    (0..ROWS).map(|_| Value::from(samples.text(12).as_str())).collect()
}

fn as_str(value: &Value) -> Vec<char> {
    value.as_str().unwrap().chars().collect()
}

#[test]
fn decoding_undoes_encoding() {
    let mut samples = Samples::new(1);
    let input = vec![(DataType::string(), texts(&mut samples))];
    let t = string(0);
    let utf8 = |bytes: Expr| call("DECODE", &[bytes, literal("UTF-8")]);
    let laws = [
        ("base64", call("FROM_BASE64", &[call("TO_BASE64", &[t.clone()])])),
        ("hex", utf8(call("UNHEX", &[call("HEX", &[t.clone()])]))),
        ("URL", call("URL_DECODE", &[call("URL_ENCODE", &[t.clone()])])),
        ("UTF-8", utf8(call("ENCODE", &[t.clone(), literal("UTF-8")]))),
        ("UTF-16", call("DECODE", &[call("ENCODE", &[t.clone(), literal("UTF-16")]), literal("UTF-16")])),
        (
            "UTF-16LE",
            call("DECODE", &[call("ENCODE", &[t.clone(), literal("UTF-16LE")]), literal("UTF-16LE")]),
        ),
        ("JSON", call("JSON_UNQUOTE", &[call("JSON_QUOTE", &[t.clone()])])),
        ("reverse", call("REVERSE", &[call("REVERSE", &[t.clone()])])),
    ];
    for (name, law) in laws {
        let got = eval(&law, &input);
        for (got, wanted) in got.iter().zip(&input[0].1) {
            assert_eq!(got, wanted, "{name}");
        }
    }
}

#[test]
fn casts_to_text_and_back_give_the_value() {
    let mut samples = Samples::new(2);
    let kinds = [
        K::Boolean,
        K::TinyInt,
        K::SmallInt,
        K::Int,
        K::BigInt,
        K::Float,
        K::Double,
        K::Decimal { precision: 38, scale: 18 },
        K::Decimal { precision: 7, scale: 7 },
        K::Date,
        K::Time(0),
        K::timestamp(0),
        K::timestamp(3),
        K::timestamp(6),
        K::timestamp(9),
        K::timestamp_ltz(3),
    ];
    for kind in kinds {
        let data_type = kind.clone().nullable();
        let values: Vec<Value> = (0..ROWS).map(|_| samples.value(&kind)).collect();
        let back = cast(cast(Expr::column(0, data_type.clone()), K::STRING), kind.clone());
        assert_eq!(eval(&back, &[(data_type, values.clone())]), values, "{kind}");
    }
    // Through wider numbers.
    for (narrow, wide) in [
        (K::TinyInt, K::BigInt),
        (K::Int, K::Double),
        (K::SmallInt, K::Float),
        (K::BigInt, K::Decimal { precision: 19, scale: 0 }),
    ] {
        let values: Vec<Value> = (0..ROWS).map(|_| samples.value(&narrow)).collect();
        let back = cast(cast(column(0, narrow.clone()), wide.clone()), narrow.clone());
        assert_eq!(eval(&back, &[(narrow.clone().nullable(), values.clone())]), values, "{narrow} by {wide}");
    }
}

/// REPLACE on characters, from left to right; nothing is found in an empty text.
fn replaced(text: &[char], old: &[char], new: &[char]) -> Vec<char> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < text.len() {
        if !old.is_empty() && text[i..].starts_with(old) {
            out.extend(new);
            i += old.len();
        } else {
            out.push(text[i]);
            i += 1;
        }
    }
    out
}

/// SUBSTRING on characters: from 1, or from behind where negative.
fn substring(text: &[char], start: i64, length: i64) -> Vec<char> {
    let size = text.len() as i64;
    let first = if start > 0 {
        start - 1
    } else if start < 0 {
        size + start
    } else {
        0
    };
    let end = first.saturating_add(length);
    (0..size).filter(|i| *i >= first && *i < end).map(|i| text[i as usize]).collect()
}

/// LPAD and RPAD on UTF-16, as Flink counts there; half a character is a question mark, an empty padding gives NULL.
fn padded(text: &[char], length: usize, pad: &[char], left: bool) -> Option<Vec<char>> {
    let units = |chars: &[char]| chars.iter().collect::<String>().encode_utf16().collect::<Vec<u16>>();
    let (text, pad) = (units(text), units(pad));
    if pad.is_empty() {
        return None;
    }
    let result: Vec<u16> = if length <= text.len() {
        text[..length].to_vec()
    } else {
        let filling: Vec<u16> = (0..length - text.len()).map(|i| pad[i % pad.len()]).collect();
        if left { [filling, text].concat() } else { [text, filling].concat() }
    };
    Some(char::decode_utf16(result).map(|c| c.unwrap_or('?')).collect())
}

#[test]
fn parts_of_texts_are_those_of_a_slow_reference() {
    let mut samples = Samples::new(3);
    let text: Vec<Value> =
        (0..ROWS).map(|_| Value::from(samples.one_of_set("aabé😀", 14).as_str())).collect();
    let old: Vec<Value> = (0..ROWS).map(|_| Value::from(samples.one_of_set("abé", 3).as_str())).collect();
    let new: Vec<Value> = (0..ROWS).map(|_| Value::from(samples.one_of_set("xy", 3).as_str())).collect();
    let start: Vec<Value> = (0..ROWS).map(|_| samples.within(-16, 16).into()).collect();
    let length: Vec<Value> = (0..ROWS).map(|_| samples.within(0, 20).into()).collect();
    let s = DataType::string;
    let input = vec![
        (s(), text.clone()),
        (s(), old.clone()),
        (s(), new.clone()),
        (DataType::int(), start.clone()),
        (DataType::int(), length.clone()),
    ];
    let n = |i: usize| column(i, K::Int);
    let replace = eval(&call("REPLACE", &[string(0), string(1), string(2)]), &input);
    let sub = eval(&call("SUBSTRING", &[string(0), n(3), n(4)]), &input);
    let lpad = eval(&call("LPAD", &[string(0), n(4), string(1)]), &input);
    let rpad = eval(&call("RPAD", &[string(0), n(4), string(1)]), &input);
    for i in 0..ROWS {
        let (t, o) = (as_str(&text[i]), as_str(&old[i]));
        let told = |what: &str| {
            format!("{what} of {:?} {:?} {:?} {:?} {:?}", text[i], old[i], new[i], start[i], length[i])
        };
        if !o.is_empty() {
            assert_eq!(as_str(&replace[i]), replaced(&t, &o, &as_str(&new[i])), "{}", told("REPLACE"));
        }
        let (from, len) = (start[i].as_int().unwrap(), length[i].as_int().unwrap());
        // A start before the text: Flink gives nothing.
        if from.unsigned_abs() as usize <= t.len() {
            assert_eq!(as_str(&sub[i]), substring(&t, from, len), "{}", told("SUBSTRING"));
        }
        for (name, column, left) in [("LPAD", &lpad, true), ("RPAD", &rpad, false)] {
            let got = (!column[i].is_null()).then(|| as_str(&column[i]));
            assert_eq!(got, padded(&t, len as usize, &o, left), "{}", told(name));
        }
    }
}

/// LIKE in twenty lines: `%` any characters, `_` one, a backslash quotes.
fn like(text: &[char], pattern: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('%', rest)) => (0..=text.len()).any(|i| like(&text[i..], rest)),
        Some(('_', rest)) => !text.is_empty() && like(&text[1..], rest),
        Some(('\\', rest)) if !rest.is_empty() => {
            text.first() == rest.first() && like(&text[1..], &rest[1..])
        }
        Some((c, rest)) => text.first() == Some(c) && like(&text[1..], rest),
    }
}

#[test]
fn like_is_that_of_a_slow_matcher() {
    let mut samples = Samples::new(4);
    let values: Vec<Value> = (0..200).map(|_| Value::from(samples.one_of_set("abé😀", 8).as_str())).collect();
    let input = vec![(DataType::string(), values)];
    for _ in 0..400 {
        let pattern = samples.one_of_set("abé%%_", 6);
        let got = eval(&call("LIKE", &[string(0), literal(&pattern)]), &input);
        let chars: Vec<char> = pattern.chars().collect();
        for (value, got) in input[0].1.iter().zip(got) {
            assert_eq!(got, Value::Boolean(like(&as_str(value), &chars)), "{value:?} LIKE {pattern:?}");
        }
    }
}

fn power(n: u32) -> BigInt {
    BigInt::from(10).pow(n)
}

/// The quotient, halves away from 0.
fn rounded(digits: &BigInt, divisor: &BigInt) -> BigInt {
    let negative = (digits < &BigInt::ZERO) != (divisor < &BigInt::ZERO);
    let (a, b): (BigInt, BigInt) =
        (BigInt::from(digits.magnitude().clone()), divisor.magnitude().clone().into());
    let quotient: BigInt = (a * 2 + &b) / (b * 2);
    if negative { -quotient } else { quotient }
}

/// Digits of one scale in another one.
fn rescaled(digits: &BigInt, from: i64, to: i64) -> BigInt {
    if to >= from { digits * power((to - from) as u32) } else { rounded(digits, &power((from - to) as u32)) }
}

/// `a / b` as Java computes it with 38 significant digits, in a scale.
fn quotient(a: &BigInt, b: &BigInt, scale: i64) -> BigInt {
    // Many digits more than are wanted, then those that count: the first rounding is to 38 significant ones.
    let exact = 120i64;
    let long = a * power(exact as u32) / b;
    let length = long.magnitude().to_string().len() as i64;
    if length <= 38 {
        return rescaled(&long, exact, scale);
    }
    let kept = exact - (length - 38);
    rescaled(&rescaled(&long, exact, kept), kept, scale)
}

#[test]
fn decimals_are_those_of_big_numbers() {
    let mut samples = Samples::new(5);
    for _ in 0..250 {
        let (p1, p2) = (samples.within(1, 38) as u8, samples.within(1, 38) as u8);
        let (s1, s2) = (samples.within(0, p1.into()) as u8, samples.within(0, p2.into()) as u8);
        let (a, b) = (K::Decimal { precision: p1, scale: s1 }, K::Decimal { precision: p2, scale: s2 });
        let rows = 20;
        let left: Vec<Value> = (0..rows).map(|_| samples.value(&a)).collect();
        let right: Vec<Value> = (0..rows)
            .map(|_| samples.value(&b))
            .map(|v| if v == Value::Decimal(0) { Value::Decimal(1) } else { v })
            .collect();
        let input = vec![(a.clone().nullable(), left.clone()), (b.clone().nullable(), right.clone())];
        for operator in ["+", "-", "*", "/"] {
            let expr = call(operator, &[column(0, a.clone()), column(1, b.clone())]);
            let K::Decimal { precision, scale } = expr.data_type.kind else { panic!("{a} {operator} {b}") };
            for (i, got) in eval(&expr, &input).into_iter().enumerate() {
                let (Value::Decimal(x), Value::Decimal(y)) = (&left[i], &right[i]) else { panic!() };
                let (x, y) = (BigInt::from(*x), BigInt::from(*y));
                let (s1, s2, scale) = (i64::from(s1), i64::from(s2), i64::from(scale));
                let widest = s1.max(s2);
                let (wide_x, wide_y) = (rescaled(&x, s1, widest), rescaled(&y, s2, widest));
                let wanted = match operator {
                    "+" => rescaled(&(wide_x + wide_y), widest, scale),
                    "-" => rescaled(&(wide_x - wide_y), widest, scale),
                    "*" => rescaled(&(x * y), s1 + s2, scale),
                    _ => quotient(&wide_x, &wide_y, scale),
                };
                let fits = wanted.magnitude() < power(precision.into()).magnitude();
                let wanted = if fits { Value::Decimal(wanted.try_into().unwrap()) } else { Value::Null };
                assert_eq!(
                    got, wanted,
                    "{:?} {a} {operator} {:?} {b} in {}",
                    left[i], right[i], expr.data_type
                );
            }
        }
    }
}

const BEGIN: i64 = -2_208_988_800;
const END: i64 = 4_102_444_800;

#[test]
fn zones_are_those_of_the_tz_database() {
    for line in include_str!("data/zones.tsv").lines().filter(|l| !l.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let zone = Zone::of(cells[0]).unwrap();
        let mut offset: i32 = cells[1].parse().unwrap();
        let mut at = BEGIN;
        for transition in cells[2].split_whitespace() {
            let (behind, next) = transition.split_once(':').unwrap();
            at += behind.parse::<i64>().unwrap();
            assert_eq!(zone.offset_at(at - 1), offset, "{} before {at}", cells[0]);
            offset = next.parse().unwrap();
            assert_eq!(zone.offset_at(at), offset, "{} at {at}", cells[0]);
        }
        assert_eq!(zone.offset_at(END - 1), offset, "{} in 2099", cells[0]);
    }
}

#[test]
fn every_zone_is_that_of_the_tz_database() {
    let mut other = Vec::new();
    for line in include_str!("data/zone-sums.tsv").lines().filter(|l| !l.starts_with('#')) {
        let (name, wanted) = line.split_once('\t').unwrap();
        let zone = Zone::of(name).unwrap();
        let mut cursor = zone.cursor();
        let mut sum = 0xcbf2_9ce4_8422_2325u64;
        let mut at = BEGIN;
        while at < END {
            for byte in cursor.offset_at(at).to_le_bytes() {
                sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            at += 1_054_321;
        }
        if format!("{sum:016x}") != wanted {
            other.push(name);
        }
    }
    assert!(other.is_empty(), "{} zones differ: {other:?}", other.len());
}

#[test]
fn local_times_come_back() {
    let mut samples = Samples::new(6);
    for name in ["America/New_York", "Europe/Berlin", "Asia/Shanghai", "Australia/Lord_Howe", "Pacific/Apia"]
    {
        let values: Vec<Value> = (0..ROWS).map(|_| (samples.within(BEGIN, END) * 1_000_000).into()).collect();
        let zone = Zone::of(name).unwrap();
        for value in values {
            let instant = millstream_text::temporal::DateTime::from_micros(value.as_int().unwrap());
            let local = zone.to_local(instant);
            let back = zone.to_local(zone.to_instant(local));
            assert_eq!(back, local, "{name} {value:?}");
        }
    }
}

#[test]
fn conditions_follow_three_valued_logic() {
    let truths = [Value::Boolean(true), Value::Boolean(false), Value::Null];
    let pairs: Vec<(Value, Value)> =
        truths.iter().flat_map(|a| truths.iter().map(|b| (a.clone(), b.clone()))).collect();
    let input = vec![
        (DataType::boolean(), pairs.iter().map(|(a, _)| a.clone()).collect()),
        (DataType::boolean(), pairs.iter().map(|(_, b)| b.clone()).collect()),
    ];
    let (a, b) = (column(0, K::Boolean), column(1, K::Boolean));
    let boolean = |kind: ExprKind| Expr::new(kind, DataType::boolean());
    let not = |e: Expr| boolean(ExprKind::Not(Box::new(e)));
    let and = boolean(ExprKind::And(vec![a.clone(), b.clone()]));
    let or = not(boolean(ExprKind::Or(vec![not(a), not(b)])));
    assert_eq!(eval(&and, &input), eval(&or, &input));
}
