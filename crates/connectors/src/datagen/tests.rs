use std::sync::Arc;

use millstream_flow::{Connector, Offset, Read, Source, SplitReader};
use millstream_types::{DataType, ManualClock, SchemaRef, TypeKind, Value};

use super::Datagen;
use crate::testing::{environment, run, schema, source_spec};

fn every_type() -> SchemaRef {
    use millstream_types::IntervalField::{Month, Year};
    schema(&[
        ("b", DataType::boolean()),
        ("t", TypeKind::TinyInt.nullable()),
        ("s", TypeKind::SmallInt.nullable()),
        ("i", DataType::int()),
        ("l", DataType::bigint()),
        ("f", TypeKind::Float.nullable()),
        ("d", DataType::double()),
        ("n", DataType::decimal(10, 2)),
        ("c", TypeKind::Char(5).nullable()),
        ("v", DataType::string()),
        ("w", TypeKind::VarChar(7).nullable()),
        ("x", TypeKind::Binary(3).nullable()),
        ("y", TypeKind::BYTES.nullable()),
        ("da", TypeKind::Date.nullable()),
        ("ti", TypeKind::Time(0).nullable()),
        ("ts", TypeKind::timestamp(3).nullable()),
        ("tz", TypeKind::timestamp_ltz(9).nullable()),
        ("iy", TypeKind::IntervalYearMonth(Year, Month, 2).nullable()),
        ("id", TypeKind::interval_seconds().nullable()),
        ("a", DataType::array(DataType::int())),
        ("m", DataType::map(DataType::int(), DataType::string())),
        ("mu", TypeKind::Multiset(Box::new(DataType::boolean())).nullable()),
        ("r", DataType::row([("p", DataType::int()), ("q", DataType::array(DataType::double()))])),
    ])
}

fn rows_of(reader: &mut dyn SplitReader, most: usize) -> Vec<Vec<Value>> {
    run(async {
        let mut out = Vec::new();
        while out.len() < most {
            match reader.next().await.unwrap() {
                Read::Rows(batch) => out.extend((0..batch.rows).map(|i| batch.row(i))),
                Read::Nothing | Read::End => break,
                Read::Records(_) => panic!("records"),
            }
        }
        out
    })
}

fn open(source: &dyn Source, from: Option<&Offset>) -> Box<dyn SplitReader> {
    run(async {
        let splits = source.discover(&[]).await.unwrap();
        assert!(source.discover(&splits).await.unwrap().is_empty());
        source.open(&splits[0], from).await.unwrap()
    })
}

fn all(columns: &SchemaRef, options: &[(&str, &str)]) -> Vec<Vec<Value>> {
    let mut options = options.to_vec();
    options.push(("rows-per-second", "1000000000000"));
    let clock = Arc::new(ManualClock::new(0));
    let mut spec = source_spec(columns.clone(), &options);
    spec.environment = environment(&clock);
    let source = Datagen.source(spec).unwrap();
    let mut reader = open(&*source, None);
    clock.advance(86_400_000 + 1234);
    rows_of(&mut *reader, 20_000)
}

#[test]
fn every_type_with_its_defaults() {
    let columns = every_type();
    let rows = all(
        &columns,
        &[("number-of-rows", "500"), ("fields.y.var-len", "true"), ("fields.ts.max-past", "1 s")],
    );
    assert_eq!(rows.len(), 500);
    let at = |name: &str| columns.index_of(name).unwrap();
    for row in &rows {
        assert!(row.iter().all(|v| !v.is_null()));
        assert_eq!(row[at("c")].as_str().unwrap().len(), 5);
        assert_eq!(row[at("v")].as_str().unwrap().len(), 100);
        assert!(row[at("v")].as_str().unwrap().bytes().all(|b| b.is_ascii_hexdigit()));
        assert_eq!(row[at("w")].as_str().unwrap().len(), 7);
        let Value::Bytes(bytes) = &row[at("y")] else { panic!() };
        assert!((1..100).contains(&bytes.len()));
        assert_eq!((&row[at("da")], &row[at("ti")]), (&Value::Int(1), &Value::Int(1234)));
        let past = row[at("ts")].as_int().unwrap();
        assert!((86_400_234_001..=86_401_234_000).contains(&past), "{past}");
        assert_eq!(row[at("tz")], Value::Int(86_401_234_000_000));
        let Value::Array(items) = &row[at("a")] else { panic!() };
        assert_eq!(items.len(), 3);
        let Value::Decimal(n) = row[at("n")] else { panic!() };
        assert!(n.abs() < 10_000_000_000);
        let Value::Float(d) = row[at("d")] else { panic!() };
        assert!(d > 0.0 && d.is_finite());
    }
    let distinct: std::collections::HashSet<_> = rows.iter().map(|r| r[at("l")].as_int()).collect();
    assert_eq!(distinct.len(), 500);
}

#[test]
fn ranges_null_rates_and_nested_options() {
    let rows = all(
        &every_type(),
        &[
            ("number-of-rows", "2000"),
            ("fields.i.min", "-2"),
            ("fields.i.max", "3"),
            ("fields.f.min", "0.5"),
            ("fields.f.max", "1.5"),
            ("fields.v.null-rate", "0.3"),
            ("fields.a.length", "2"),
            ("fields.a.element.min", "7"),
            ("fields.a.element.max", "7"),
            ("fields.r.p.null-rate", "1"),
            ("fields.m.key.min", "1"),
            ("fields.m.key.max", "1"),
        ],
    );
    let ints: std::collections::BTreeSet<i64> = rows.iter().map(|r| r[3].as_int().unwrap()).collect();
    assert_eq!(ints.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3]);
    assert!(rows.iter().all(|r| matches!(r[5], Value::Float(f) if (0.5..=1.5).contains(&f))));
    let nulls = rows.iter().filter(|r| r[9].is_null()).count();
    assert!((500..700).contains(&nulls), "{nulls}");
    assert!(rows.iter().all(|r| r[19] == Value::Array([Value::Int(7), Value::Int(7)].into())));
    assert!(rows.iter().all(|r| matches!(&r[20], Value::Map(m) if m.len() == 1)));
    assert!(rows.iter().all(|r| matches!(&r[22], Value::Row(r) if r[0].is_null() && !r[1].is_null())));
}

#[test]
fn sequences_of_each_type() {
    let columns = schema(&[
        ("t", TypeKind::TinyInt.nullable()),
        ("f", TypeKind::Float.nullable()),
        ("n", DataType::decimal(5, 2)),
        ("s", DataType::string()),
        ("b", TypeKind::BYTES.nullable()),
    ]);
    let options: Vec<(String, String)> = ["t", "f", "n", "s", "b"]
        .iter()
        .flat_map(|c| {
            [("kind", "sequence"), ("start", "-1"), ("end", "99")]
                .map(|(k, v)| (format!("fields.{c}.{k}"), v.into()))
        })
        .collect();
    let options: Vec<(&str, &str)> = options.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let rows = all(&columns, &options);
    assert_eq!(rows.len(), 101);
    assert_eq!(
        rows[0],
        vec![
            Value::Int(-1),
            Value::Float(-1.0),
            Value::Decimal(-100),
            "-1".into(),
            Value::Bytes([255u8; 8].as_slice().into()),
        ]
    );
    assert_eq!(rows[100][2], Value::Decimal(9900));
}

#[test]
fn resuming_gives_the_same_rest_also_of_random_columns() {
    let options = [
        ("fields.i.kind", "sequence"),
        ("fields.i.start", "10"),
        ("fields.i.end", "20000"),
        ("rows-per-second", "1000"),
    ];
    let clock = Arc::new(ManualClock::new(0));
    let spec = || {
        let mut spec = source_spec(every_type(), &options);
        spec.environment = environment(&clock);
        spec
    };
    let source = Datagen.source(spec()).unwrap();
    assert!(source.is_bounded());
    let mut reader = open(&*source, None);
    let mut rows = rows_of(&mut *reader, 1);
    assert_eq!(rows.len(), 1);
    let mut offsets = vec![reader.offset()];
    for _ in 0..5 {
        clock.advance(100);
        rows.extend(rows_of(&mut *reader, 1));
        offsets.push(reader.offset());
    }
    assert_eq!(rows.len(), 501);
    assert!((0..501).all(|i| rows[i][3] == Value::Int(10 + i as i64)));
    // Nothing is due: it waits for a while, and says so.
    assert!(rows_of(&mut *reader, 1).is_empty());
    for offset in offsets {
        let from = offset.part("rows").unwrap() as usize;
        // Another source of the same table, as after a restart.
        let source = Datagen.source(spec()).unwrap();
        let mut reader = open(&*source, Some(&offset));
        clock.advance(600);
        let again = rows_of(&mut *reader, 501 - from);
        for (a, b) in rows[from..].iter().zip(&again) {
            let columns = |r: &[Value]| r.iter().take(13).cloned().collect::<Vec<_>>();
            assert_eq!(columns(a), columns(b));
        }
        assert!(again.len() >= 501 - from);
    }
}

#[test]
fn without_an_end_it_is_unbounded() {
    let columns = schema(&[("i", DataType::int())]);
    assert!(!Datagen.source(source_spec(columns.clone(), &[])).unwrap().is_bounded());
    assert!(all(&columns, &[("number-of-rows", "0")]).is_empty());
    let mut all_of_a_bigint = source_spec(
        schema(&[("l", DataType::bigint())]),
        &[
            ("fields.l.kind", "sequence"),
            ("fields.l.start", "-9223372036854775808"),
            ("fields.l.end", "9223372036854775807"),
        ],
    );
    all_of_a_bigint.table = "big".into();
    assert!(Datagen.source(all_of_a_bigint).is_ok());
}

#[test]
fn wrong_options_are_refused() {
    let refuse = |option: &[(&str, &str)]| {
        Datagen.source(source_spec(every_type(), option)).map(|_| option.to_vec()).unwrap_err()
    };
    for options in [
        &[("rows-per-second", "0")][..],
        &[("number-of-rows", "-1")],
        &[("fields.i.kind", "serial")],
        &[("fields.i.kind", "sequence")],
        &[("fields.i.kind", "sequence"), ("fields.i.start", "5"), ("fields.i.end", "4")],
        &[("fields.t.kind", "sequence"), ("fields.t.start", "5"), ("fields.t.end", "400")],
        &[("fields.ts.kind", "sequence"), ("fields.ts.start", "5"), ("fields.ts.end", "400")],
        &[("fields.i.min", "5"), ("fields.i.max", "4")],
        &[("fields.t.max", "300")],
        &[("fields.w.length", "8")],
        &[("fields.c.length", "5")],
        &[("fields.v.null-rate", "2")],
        &[("fields.d.min", "x")],
        &[("fields.nothing.min", "1")],
        &[("fields.i.minimum", "1")],
        &[("fields.a.key.min", "1")],
    ] {
        refuse(options);
    }
    assert!(refuse(&[("fields.dd.min", "1")]).remedy().is_some());
    let raw = source_spec(schema(&[("v", TypeKind::Variant.nullable())]), &[]);
    assert_eq!(Datagen.source(raw).unwrap_err().code(), "unsupported-type");
}
