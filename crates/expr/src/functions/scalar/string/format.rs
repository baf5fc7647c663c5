//! Texts made to a form: PRINTF and UUID.

use millstream_text::printf::{PrintfArg, printf};
use millstream_text::temporal::Zone;
use millstream_types::{DataType, Fault, TypeKind, Value};

use crate::kernel::{per_row, simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Function, Printer, Volatility};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "PRINTF",
        "PRINTF(format STRING, value ANY, ...) -> STRING",
        "The values in a format of Java's `String.format`. NULL when the format is wrong or a value does not fit it.",
        &[Example::new("PRINTF('%d-%s', 5, 'x')", "5-x")],
        print,
    ),
    Function::new(
        "UUID",
        "UUID() -> STRING",
        "A random UUID (version 4), another one in every row.",
        &[Example::new("CHAR_LENGTH(UUID())", "36")],
        uuid,
    ),
];

fn print(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "PRINTF(<CHARACTER_STRING>, <ANY>...)";
    call.expect(1, usize::MAX, FORM)?;
    let mut args = vec![call.string(0, FORM)?];
    args.extend(call.args.iter().skip(1).cloned());
    let types: Vec<DataType> = args.iter().map(|a| a.data_type.clone()).collect();
    let kernel = simple("PRINTF", move |arguments, context| {
        let formats = arguments.strings(0)?;
        let zone = Zone::of(&context.zone)?;
        let columns = arguments.columns();
        let printers = columns
            .iter()
            .zip(&types)
            .map(|(c, t)| Printer::new(c.array(), t, &zone))
            .collect::<Result<Vec<_>, _>>()?;
        let mut texts: Vec<String> = vec![String::new(); columns.len()];
        strings::build(arguments.rows(), |row, out| {
            let Some(format) = formats.get(row) else { return Ok(false) };
            let values: Vec<Value> = columns.iter().zip(&types).map(|(c, t)| c.value(row, t)).collect();
            for (((text, printer), column), data_type) in
                texts.iter_mut().zip(&printers).zip(columns).zip(&types)
            {
                text.clear();
                printer.push(column.index(row), text);
                if data_type.kind.is_timestamp() {
                    as_java_shows(text);
                }
            }
            let given: Vec<PrintfArg<'_>> = values
                .iter()
                .zip(&types)
                .zip(&texts)
                .skip(1)
                .map(|((value, data_type), text)| argument(value, data_type, text))
                .collect();
            let printed = printf(format, &given).map_err(|f| EvalError::at_row(row, f))?;
            printed.as_ref().inspect(|p| out.push_str(p));
            Ok(printed.is_some())
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel).fallible())
}

fn argument<'a>(value: &'a Value, data_type: &DataType, text: &'a str) -> PrintfArg<'a> {
    match (&data_type.kind, value) {
        (_, Value::Null) => PrintfArg::Null,
        (_, Value::Boolean(b)) => PrintfArg::Boolean(*b),
        (TypeKind::TinyInt, Value::Int(i)) => PrintfArg::TinyInt(*i as i8),
        (TypeKind::SmallInt, Value::Int(i)) => PrintfArg::SmallInt(*i as i16),
        (TypeKind::Int, Value::Int(i)) => PrintfArg::Int(*i as i32),
        (TypeKind::BigInt, Value::Int(i)) => PrintfArg::BigInt(*i),
        (TypeKind::Float, Value::Float(f)) => PrintfArg::Float(*f as f32),
        (TypeKind::Double, Value::Float(f)) => PrintfArg::Double(*f),
        // Dates and times come as the numbers that Flink holds: days, milliseconds, months.
        (TypeKind::Date | TypeKind::Time(_) | TypeKind::IntervalYearMonth(..), Value::Int(i)) => {
            PrintfArg::Int(*i as i32)
        }
        (TypeKind::IntervalDayTime(..), Value::Int(i)) => PrintfArg::BigInt(*i),
        (k, Value::String(s)) if k.is_string() => PrintfArg::String(s),
        _ => PrintfArg::Other(text),
    }
}

/// A timestamp's text as `java.time.LocalDateTime` has it: `2020-01-01T00:00`, without seconds that are 0.
fn as_java_shows(text: &mut String) {
    if let Some(at) = text.find(' ') {
        text.replace_range(at..=at, "T");
    }
    if let Some((_, fraction)) = text.split_once('.') {
        let width = fraction.trim_end_matches('0').len().div_ceil(3) * 3;
        let wanted = text.len() - fraction.len() + width.min(fraction.len());
        text.truncate(if width == 0 { wanted.saturating_sub(1) } else { wanted });
    }
    if let Some(short) = text.strip_suffix(":00").filter(|s| s.len() >= 16).map(str::len) {
        text.truncate(short);
    }
}

fn uuid(call: &Call<'_>) -> Result<BoundCall, Fault> {
    use std::fmt::Write;
    call.expect(0, 0, "UUID()")?;
    let kernel = per_row("UUID", |arguments, context| {
        strings::build(arguments.rows(), |_, out| {
            let bits = u128::from(context.random.next_u64()) << 64 | u128::from(context.random.next_u64());
            // Version 4, variant 10.
            let bits = bits & !(0xf << 76) & !(0b11 << 62) | 0x4 << 76 | 0b10 << 62;
            let part = |from: u32, digits: u32| bits >> from & ((1 << (digits * 4)) - 1);
            let _ = write!(
                out,
                "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                part(96, 8),
                part(80, 4),
                part(64, 4),
                part(48, 4),
                part(0, 12)
            );
            Ok(true)
        })
    });
    let data_type = TypeKind::Char(36).not_null();
    Ok(BoundCall::new(data_type, Vec::new(), kernel).volatile(Volatility::PerRow))
}
