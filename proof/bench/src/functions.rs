//! Nanoseconds a row of the functions that are used most, on batches of 8,192 rows, beside obvious hand-written loops.

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Arc;

use crate::cost::thread_nanos;
use arrow::array::{ArrayRef, AsArray, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray};
use arrow::datatypes::{Float64Type, Int32Type, Int64Type};
use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, CastMode, EvalContext, Expr, Keyword, Program, Rows, coerce};
use millstream_types::{DataType, ManualClock, SeededRandom, Span, TypeKind as K, Value};
use regex::Regex;

const ROWS: usize = 8192;
/// Nanoseconds of one measurement at least, and measurements of which the best counts.
const LEAST: u64 = 20_000_000;
const BEST_OF: usize = 5;

/// Columns of the batch.
const PATH: usize = 0;
const HOST: usize = 1;
const BYTES: usize = 2;
const PORT: usize = 3;
const SCORE: usize = 4;
const PRICE: usize = 5;
const TIME: usize = 6;
const JSON: usize = 7;
const TIME_TEXT: usize = 8;
const NUMBER_TEXT: usize = 9;
const OTHER: usize = 10;
const ADDRESS: usize = 11;
const URL: usize = 12;

fn types() -> Vec<DataType> {
    let s = DataType::string;
    let (decimal, time) = (DataType::decimal(12, 2), K::timestamp(3).nullable());
    vec![
        s(),
        s(),
        DataType::bigint(),
        DataType::int(),
        DataType::double(),
        decimal,
        time,
        s(),
        s(),
        s(),
        DataType::double(),
        s(),
        s(),
    ]
}

fn columns() -> Result<Vec<ArrayRef>, String> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let mut values: Vec<Vec<Value>> = vec![Vec::with_capacity(ROWS); types().len()];
    for _ in 0..ROWS {
        let (host, port, bytes) = (random(400), random(65_536), random(1 << 20));
        let tail = if random(20) == 0 { "/etc/passwd" } else { "/index.html" };
        let (hour, minute) = (random(24), random(60));
        let row: Vec<Value> = vec![
            format!("/var/www/site-{}/page-{}{tail}", random(90), random(9000)).as_str().into(),
            format!("host-{host:03}").as_str().into(),
            (bytes as i64).into(),
            (port as i64).into(),
            Value::Float(random(10_000) as f64 / 7.0),
            Value::Decimal(i128::from(random(1_000_000))),
            ((1_583_000_000_000 + random(86_400_000) as i64) * 1000).into(),
            format!(r#"{{"host":"host-{host}","port":{port},"user":{{"name":"u{bytes}"}}}}"#).as_str().into(),
            format!("2020-02-29 {hour:02}:{minute:02}:15").as_str().into(),
            port.to_string().as_str().into(),
            Value::Float(random(10_000) as f64 / 7.0),
            format!("10.{}.{}.{}", random(4), random(256), random(256)).as_str().into(),
            format!("https://example.com/a/b?user={host}&page={port}").as_str().into(),
        ];
        values.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }
    values.iter().zip(types()).map(|(v, t)| Value::array(v, &t).map_err(|f| f.to_string())).collect()
}

/// What is measured: a name as SQL writes it, and the expression.
type Case = (&'static str, Result<Expr, millstream_types::Fault>);

fn cases() -> Vec<Case> {
    let context = BindContext::default();
    let types = types();
    let column = |i: usize| Expr::column(i, types.get(i).cloned().unwrap_or_else(DataType::string));
    let text = |t: &str| Expr::literal(t, K::Char(t.chars().count() as u32).not_null());
    let int = |n: i64| Expr::literal(n, K::Int.not_null());
    let call = |name: &str, args: &[Expr]| call_expr(name, args, &[], Span::default(), &context);
    let unit = |name: &str, unit: &str, args: &[Expr]| {
        call_expr(name, args, &[("unit", Keyword::Word(unit.into()))], Span::default(), &context)
    };
    let cast =
        |i: usize, kind: K| coerce::explicit_cast(column(i), &kind.nullable(), CastMode::Cast, &context);
    let list = |first: usize, rest: Vec<Expr>| call("IN", &[vec![column(first)], rest].concat());
    vec![
        ("host = 'host-017'", call("=", &[column(HOST), text("host-017")])),
        ("port = 443", call("=", &[column(PORT), int(443)])),
        ("bytes > 500000", call(">", &[column(BYTES), int(500_000)])),
        ("score < other", call("<", &[column(SCORE), column(OTHER)])),
        ("host IN (10 texts)", list(HOST, (0..10).map(|i| text(&format!("host-{:03}", i * 37))).collect())),
        ("port IN (10 numbers)", list(PORT, (0..10).map(|i| int(i * 5000 + 22)).collect())),
        ("path LIKE '%passwd%'", call("LIKE", &[column(PATH), text("%passwd%")])),
        ("path LIKE '/var/www/site-1%'", call("LIKE", &[column(PATH), text("/var/www/site-1%")])),
        ("REGEXP(path, 'page-[0-9]{3}/etc')", call("REGEXP", &[column(PATH), text("page-[0-9]{3}/etc")])),
        ("host <> 'host-017'", call("<>", &[column(HOST), text("host-017")])),
        ("path IS NULL", call("IS NULL", &[column(PATH)])),
        ("bytes + port", call("+", &[column(BYTES), column(PORT)])),
        ("score * other", call("*", &[column(SCORE), column(OTHER)])),
        ("price * price", call("*", &[column(PRICE), column(PRICE)])),
        (
            "price / 3.33",
            call("/", &[column(PRICE), Expr::literal(Value::Decimal(333), DataType::decimal(5, 2))]),
        ),
        ("bytes % 7", call("%", &[column(BYTES), int(7)])),
        ("ABS(bytes)", call("ABS", &[column(BYTES)])),
        ("ROUND(score, 2)", call("ROUND", &[column(SCORE), int(2)])),
        ("FLOOR(score)", call("FLOOR", &[column(SCORE)])),
        ("COALESCE(host, 'none')", call("COALESCE", &[column(HOST), text("none")])),
        ("NULLIF(port, 0)", call("NULLIF", &[column(PORT), int(0)])),
        (
            "IF(port = 443, host, path)",
            call("=", &[column(PORT), int(443)]).and_then(|c| call("IF", &[c, column(HOST), column(PATH)])),
        ),
        ("UPPER(path)", call("UPPER", &[column(PATH)])),
        ("LOWER(path)", call("LOWER", &[column(PATH)])),
        ("CONCAT(host, path)", call("CONCAT", &[column(HOST), column(PATH)])),
        ("CONCAT_WS(':', host, path)", call("CONCAT_WS", &[text(":"), column(HOST), column(PATH)])),
        ("SUBSTRING(path, 5, 10)", call("SUBSTRING", &[column(PATH), int(5), int(10)])),
        ("CHAR_LENGTH(path)", call("CHAR_LENGTH", &[column(PATH)])),
        ("TRIM(path)", call_expr("TRIM", &[column(PATH)], &[], Span::default(), &context)),
        ("REPLACE(path, 'www', 'web')", call("REPLACE", &[column(PATH), text("www"), text("web")])),
        ("LOCATE('page', path)", call("LOCATE", &[text("page"), column(PATH)])),
        ("SPLIT_INDEX(path, '/', 3)", call("SPLIT_INDEX", &[column(PATH), text("/"), int(3)])),
        ("LPAD(host, 12, ' ')", call("LPAD", &[column(HOST), int(12), text(" ")])),
        ("STARTSWITH(path, '/var')", call("STARTSWITH", &[column(PATH), text("/var")])),
        (
            "REGEXP_EXTRACT(path, 'page-(\\d+)', 1)",
            call("REGEXP_EXTRACT", &[column(PATH), text("page-(\\d+)"), int(1)]),
        ),
        (
            "REGEXP_REPLACE(path, '\\d+', 'N')",
            call("REGEXP_REPLACE", &[column(PATH), text("\\d+"), text("N")]),
        ),
        ("CAST(text AS INT)", cast(NUMBER_TEXT, K::Int)),
        ("CAST(bytes AS STRING)", cast(BYTES, K::STRING)),
        ("CAST(text AS TIMESTAMP(3))", cast(TIME_TEXT, K::timestamp(3))),
        ("CAST(time AS STRING)", cast(TIME, K::STRING)),
        ("TO_TIMESTAMP(text)", call("TO_TIMESTAMP", &[column(TIME_TEXT)])),
        ("UNIX_TIMESTAMP(text)", call("UNIX_TIMESTAMP", &[column(TIME_TEXT)])),
        (
            "DATE_FORMAT(time, 'yyyy-MM-dd HH:mm')",
            call("DATE_FORMAT", &[column(TIME), text("yyyy-MM-dd HH:mm")]),
        ),
        ("HOUR(time)", call("HOUR", &[column(TIME)])),
        ("TIMESTAMPADD(MINUTE, 5, time)", unit("TIMESTAMPADD", "MINUTE", &[int(5), column(TIME)])),
        ("JSON_VALUE(json, '$.user.name')", call("JSON_VALUE", &[column(JSON), text("$.user.name")])),
        ("MD5(path)", call("MD5", &[column(PATH)])),
        ("IPCONTAINS(address, '10.1.0.0/16')", call("IPCONTAINS", &[column(ADDRESS), text("10.1.0.0/16")])),
        ("PARSE_URL(url, 'QUERY', 'page')", call("PARSE_URL", &[column(URL), text("QUERY"), text("page")])),
    ]
}

fn strings(columns: &[ArrayRef], at: usize) -> Option<&StringArray> {
    columns.get(at)?.as_string_opt::<i32>()
}

/// The loop that one would write by hand, for the cases that have one.
fn by_hand<'c>(name: &str, columns: &'c [ArrayRef]) -> Option<Box<dyn Fn() -> BooleanArray + 'c>> {
    let (path, host) = (strings(columns, PATH)?, strings(columns, HOST)?);
    let port: &Int32Array = columns.get(PORT)?.as_primitive_opt::<Int32Type>()?;
    let bytes: &Int64Array = columns.get(BYTES)?.as_primitive_opt::<Int64Type>()?;
    let score: &Float64Array = columns.get(SCORE)?.as_primitive_opt::<Float64Type>()?;
    let other: &Float64Array = columns.get(OTHER)?.as_primitive_opt::<Float64Type>()?;
    Some(match name {
        "host = 'host-017'" => Box::new(move || host.iter().map(|h| h.map(|h| h == "host-017")).collect()),
        "port = 443" => Box::new(move || port.iter().map(|p| p.map(|p| p == 443)).collect()),
        "bytes > 500000" => Box::new(move || bytes.iter().map(|b| b.map(|b| b > 500_000)).collect()),
        "score < other" => Box::new(move || {
            score.iter().zip(other.iter()).map(|(a, b)| a.zip(b).map(|(a, b)| a < b)).collect()
        }),
        "host IN (10 texts)" => {
            let set: HashSet<String> = (0..10).map(|i| format!("host-{:03}", i * 37)).collect();
            Box::new(move || host.iter().map(|h| h.map(|h| set.contains(h))).collect())
        }
        "port IN (10 numbers)" => {
            let set: HashSet<i32> = (0..10).map(|i| i * 5000 + 22).collect();
            Box::new(move || port.iter().map(|p| p.map(|p| set.contains(&p))).collect())
        }
        "path LIKE '%passwd%'" => {
            Box::new(move || path.iter().map(|p| p.map(|p| p.contains("passwd"))).collect())
        }
        "path LIKE '/var/www/site-1%'" => {
            Box::new(move || path.iter().map(|p| p.map(|p| p.starts_with("/var/www/site-1"))).collect())
        }
        "REGEXP(path, 'page-[0-9]{3}/etc')" => {
            let pattern = Regex::new("page-[0-9]{3}/etc").ok()?;
            Box::new(move || path.iter().map(|p| p.map(|p| pattern.is_match(p))).collect())
        }
        _ => return None,
    })
}

/// The best of some measurements, in nanoseconds a row.
fn measure(mut evaluate: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    let mut repeat = 1usize;
    let mut measured = 0;
    while measured < BEST_OF {
        let start = thread_nanos();
        for _ in 0..repeat {
            evaluate()?;
        }
        let nanos = thread_nanos().saturating_sub(start);
        if nanos < LEAST && repeat < 1 << 20 {
            repeat *= 2;
            continue;
        }
        best = best.min(nanos as f64 / (repeat * ROWS) as f64);
        measured += 1;
    }
    Ok(best)
}

/// Prints the table.
///
/// # Errors
/// When an expression cannot be bound or evaluated, or a hand-written loop gives something else.
pub fn run() -> Result<(), String> {
    let columns = columns()?;
    let context = EvalContext {
        clock: Arc::new(ManualClock::new(1_583_000_000_000)),
        random: Arc::new(SeededRandom::new(1)),
        zone: "UTC".into(),
        query_start: 0,
        batch: false,
    };
    println!("| expression | ns a row | by hand | ratio |\n|---|---|---|---|");
    for (name, expr) in cases() {
        let expr = expr.map_err(|f| format!("{name}: {f}"))?;
        let program = Program::compile(&[expr]).map_err(|f| format!("{name}: {f}"))?;
        let rows = Rows { columns: &columns, rows: ROWS, watermarks: None };
        let evaluate = || program.eval(&rows, &context).map_err(|e| format!("{name}: {}", e.fault));
        let result = evaluate()?;
        let nanos = measure(|| evaluate().map(|r| drop(black_box(r))))?;
        let Some(hand) = by_hand(name, &columns) else {
            println!("| `{name}` | {nanos:.1} | | |");
            continue;
        };
        let same = result.first().and_then(|r| r.as_boolean_opt()).is_some_and(|r| *r == hand());
        if !same {
            return Err(format!("{name}: the loop gives something else"));
        }
        let by_hand = measure(|| {
            black_box(hand());
            Ok(())
        })?;
        println!("| `{name}` | {nanos:.1} | {by_hand:.1} | {:.2} |", nanos / by_hand);
    }
    Ok(())
}
