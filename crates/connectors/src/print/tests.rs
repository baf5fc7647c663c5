use std::sync::Arc;

use millstream_flow::{Connector, Guarantee, Sink, WriterContext};
use millstream_types::{Batch, DataType, IntervalField, RowKind, TypeKind, Value};

use super::options::PrintOptions;
use super::sink::PrintSink;
use super::{Print, push_row};
use crate::terminal::Remembered;
use crate::testing::{batch, only_writer, run, schema, sink_spec, source_spec};

fn text(value: Value, data_type: DataType) -> String {
    let columns = schema(&[("x", data_type)]);
    let mut out = String::new();
    push_row(&mut out, &batch(&columns, &[vec![value]]), 0);
    out.strip_prefix("+I[").unwrap().strip_suffix(']').unwrap().to_string()
}

#[test]
fn values_are_javas_text() {
    let ltz = |p| TypeKind::timestamp_ltz(p).nullable();
    let ts = |p| TypeKind::timestamp(p).nullable();
    let months = |from, to| TypeKind::IntervalYearMonth(from, to, 2).nullable();
    let seconds = || TypeKind::interval_seconds().nullable();
    use IntervalField::{Month, Year};
    for (value, data_type, expected) in [
        (Value::Null, DataType::int(), "null"),
        (Value::Boolean(true), DataType::boolean(), "true"),
        (Value::Int(-7), DataType::bigint(), "-7"),
        (Value::Float(1.0), DataType::double(), "1.0"),
        (Value::Float(1e10), DataType::double(), "1.0E10"),
        (Value::Float(f64::from(0.1f32)), TypeKind::Float.nullable(), "0.1"),
        (Value::Decimal(0), DataType::decimal(20, 10), "0E-10"),
        (Value::Decimal(-150), DataType::decimal(10, 2), "-1.50"),
        ("a, 'b'".into(), DataType::string(), "a, 'b'"),
        (Value::Bytes([1u8, 255].as_slice().into()), TypeKind::BYTES.nullable(), "[1, -1]"),
        (Value::Int(18_321), TypeKind::Date.nullable(), "2020-02-29"),
        (Value::Int(2_932_897), TypeKind::Date.nullable(), "+10000-01-01"),
        (Value::Int(37_200_000), TypeKind::Time(0).nullable(), "10:20"),
        (Value::Int(37_230_000), TypeKind::Time(0).nullable(), "10:20:30"),
        (Value::Int(37_200_005), TypeKind::Time(3).nullable(), "10:20:00.005"),
        (Value::Int(0), ts(3), "1970-01-01T00:00"),
        (Value::Int(1_500_000), ts(3), "1970-01-01T00:00:01.500"),
        (Value::Int(1_500_010), ts(6), "1970-01-01T00:00:01.500010"),
        (Value::Int(-1), ts(9), "1969-12-31T23:59:59.999999999"),
        (Value::Int(0), ltz(3), "1970-01-01T00:00:00Z"),
        (Value::Int(61_020_000), ltz(3), "1970-01-01T00:01:01.020Z"),
        (Value::Int(0), months(Month, Month), "P0D"),
        (Value::Int(14), months(Month, Month), "P14M"),
        (Value::Int(14), months(Year, Month), "P1Y2M"),
        (Value::Int(-14), months(Year, Month), "P-1Y-2M"),
        (Value::Int(24), months(Year, Year), "P2Y"),
        (Value::Int(0), seconds(), "PT0S"),
        (Value::Int(90_061_500), seconds(), "PT25H1M1.5S"),
        (Value::Int(3_600_000), seconds(), "PT1H"),
        (Value::Int(-500), seconds(), "PT-0.5S"),
        (Value::Int(-61_000), seconds(), "PT-1M-1S"),
    ] {
        assert_eq!(text(value, data_type), expected);
    }
}

#[test]
fn nested_values() {
    let row = DataType::row([("x", DataType::int()), ("y", DataType::array(DataType::string()))]);
    let value = Value::Row([Value::Int(1), Value::Array([Value::Null, "a".into()].into())].into());
    assert_eq!(text(value.clone(), row.clone()), "+I[1, [null, a]]");
    let map = DataType::map(DataType::string(), row);
    assert_eq!(
        text(Value::Map([("k".into(), value), ("l".into(), Value::Null)].into()), map),
        "{k=+I[1, [null, a]], l=null}"
    );
    let set = TypeKind::Multiset(Box::new(DataType::string())).nullable();
    assert_eq!(text(Value::Map([("k".into(), Value::Int(2))].into()), set), "{k=2}");
}

fn printed(options: &[(&str, &str)], subtask: usize) -> String {
    let columns = schema(&[("a", DataType::int()), ("b", DataType::string())]);
    let spec = sink_spec(columns.clone(), options);
    let terminal = Arc::new(Remembered::default());
    let sink = PrintSink::on(terminal.clone(), PrintOptions::read(&spec.options).unwrap(), &spec);
    let rows = [
        (RowKind::Insert, vec![Value::Int(1), "a".into()]),
        (RowKind::UpdateBefore, vec![Value::Int(1), "a".into()]),
        (RowKind::UpdateAfter, vec![Value::Int(2), Value::Null]),
        (RowKind::Delete, vec![Value::Int(2), "".into()]),
    ];
    run(async {
        let context = WriterContext { subtask, index: subtask, checkpoints: false, ..only_writer() };
        let mut writer = sink.writer(&context).await.unwrap();
        let data = Batch::from_rows(columns, &rows).unwrap();
        writer.write(&data).await.unwrap();
        writer.write(&data.slice(0, 1)).await.unwrap();
        assert!(writer.prepare(1).await.unwrap().is_empty());
    });
    let bytes = terminal.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn lines_and_prefixes() {
    assert_eq!(printed(&[], 0), "+I[1, a]\n-U[1, a]\n+U[2, null]\n-D[2, ]\n+I[1, a]\n");
    assert!(printed(&[], 1).starts_with("+I[1, a]\n"), "another sink of the job is no other subtask");
    assert!(printed(&[("print-identifier", "x")], 0).starts_with("x> +I[1, a]\n"));
    assert!(printed(&[("sink.parallelism", "2")], 0).starts_with("1> +I[1, a]\n"));
    assert!(printed(&[("print-identifier", "x"), ("sink.parallelism", "2")], 1).starts_with("x:2> +I"));
}

#[test]
fn the_card() {
    let card = Print.card().sink.unwrap();
    assert_eq!((card.guarantee)(&sink_spec(schema(&[]), &[]).options, true), Guarantee::None);
    let fault = Print.source(source_spec(schema(&[]), &[])).unwrap_err();
    assert!(fault.to_string().contains("print"), "{fault}");
    assert!(Print.sink(sink_spec(schema(&[]), &[("standard-error", "yes")])).is_err());
}
