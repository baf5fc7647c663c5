use millstream_types::{DataType, SliceForm, TypeKind, Value};

use super::Json;
use crate::testing::{Decoded, chunk, decode, decode_chunk, encode, spec};

const IGNORE: &[(&str, &str)] = &[("ignore-parse-errors", "true")];

fn int(v: i64) -> Value {
    Value::Int(v)
}

const NULL: Value = Value::Null;

fn one(t: DataType, text: &str) -> Result<Value, String> {
    let line = format!("{{\"x\":{text}}}");
    let out = decode(&Json, &[("x", t)], &[], &[&line]);
    match out.bad.first() {
        Some(b) => Err(b.fault.message().to_string()),
        None => Ok(out.rows[0][0].clone()),
    }
}

/// The columns of Flink's recorded answers to all types.
fn all_types() -> Vec<(&'static str, DataType)> {
    vec![
        ("b", DataType::boolean()),
        ("i", DataType::int()),
        ("l", DataType::bigint()),
        ("d", DataType::double()),
        ("dc", DataType::decimal(10, 2)),
        ("s", DataType::string()),
        ("dt", TypeKind::Date.nullable()),
        ("tm", TypeKind::Time(0).nullable()),
        ("ts", TypeKind::timestamp(3).nullable()),
        ("tz", TypeKind::timestamp_ltz(3).nullable()),
        ("by_", TypeKind::BYTES.nullable()),
        ("arr", DataType::array(DataType::int())),
        ("m", DataType::map(DataType::string(), DataType::int())),
        ("r", DataType::row([("x", DataType::int()), ("y", DataType::string())])),
    ]
}

// Flink's recorded answers: 216 and 284.
#[test]
fn every_type() {
    let lines = [
        r#"{"b": true, "i": 1, "l": 3000000000, "d": 1.5, "dc": 12.345, "s": "x", "dt": "2024-02-29", "tm": "10:20:30", "ts": "2024-02-29 10:20:30.123", "tz": "2024-02-29 10:20:30.123Z", "by_": "AQI=", "arr": [1, null], "m": {"a": 1}, "r": {"x": 1, "y": "z"}}"#,
        r#"{"b": "true", "i": "2", "l": "3", "d": "2.5", "dc": "1.005", "s": 5, "dt": null, "arr": [], "m": {}, "r": {"x": null}}"#,
        r#"{"s": {"nested": [1, 2]}, "extra": "ignored", "r": {"y": "only", "q": 1}}"#,
        r#"{"s": true}"#,
        r#"{"s": 1.5}"#,
        "{}",
    ];
    let out = decode(&Json, &all_types(), &[], &lines);
    assert!(out.bad.is_empty(), "{:?}", out.bad);
    let ts = 1_709_202_030_123_000;
    let row = |x: Value, y: Value| Value::Row([x, y].into());
    assert_eq!(
        out.rows[0],
        vec![
            Value::Boolean(true),
            int(1),
            int(3_000_000_000),
            Value::Float(1.5),
            Value::Decimal(1235),
            "x".into(),
            int(19782),
            int(37_230_000),
            int(ts),
            int(ts),
            Value::Bytes([1, 2].into()),
            Value::Array([int(1), NULL].into()),
            Value::Map([("a".into(), int(1))].into()),
            row(int(1), "z".into()),
        ]
    );
    assert_eq!(
        out.rows[1],
        vec![
            Value::Boolean(true),
            int(2),
            int(3),
            Value::Float(2.5),
            Value::Decimal(101),
            "5".into(),
            NULL,
            NULL,
            NULL,
            NULL,
            NULL,
            Value::Array([].into()),
            Value::Map([].into()),
            row(NULL, NULL),
        ]
    );
    assert_eq!(out.rows[2][5], "{\"nested\":[1,2]}".into());
    assert_eq!(out.rows[2][13], row(NULL, "only".into()));
    assert_eq!(out.rows[3][5], "true".into());
    assert_eq!(out.rows[4][5], "1.5".into());
    assert!(out.rows[5].iter().all(Value::is_null));
}

// 217, 218, 287.
#[test]
fn integers() {
    let i = DataType::int;
    assert_eq!(one(i(), "1.9"), Ok(int(1)));
    assert_eq!(one(i(), "-1.9"), Ok(int(-1)));
    assert_eq!(one(i(), "1e3"), Ok(int(1000)));
    assert_eq!(one(i(), "\" +5 \""), Ok(int(5)));
    assert_eq!(one(i(), "-2147483648"), Ok(int(-2_147_483_648)));
    assert_eq!(one(i(), "\"x\""), Err("field 'x': expected INT, found \"x\"".into()));
    for bad in ["2147483648", "2147483647.9", "-2147483648.5", "true", "{}", "[1]", "\" \"", "\"1.5\""] {
        assert_eq!(one(i(), bad), Err(format!("field 'x': expected INT, found {bad}")));
    }
    assert_eq!(one(DataType::bigint(), "9223372036854775807"), Ok(int(i64::MAX)));
    assert_eq!(one(DataType::bigint(), "9223372036854775807.5"), Ok(int(i64::MAX)));
    assert!(one(DataType::bigint(), "9223372036854775808").is_err());
    assert!(one(DataType::bigint(), "9.3e18").is_err());
    let small = || TypeKind::SmallInt.nullable();
    assert_eq!(one(small(), "-32768"), Ok(int(-32768)));
    assert!(one(small(), "1.5").is_err());
    assert!(one(small(), "40000").is_err());
    assert_eq!(one(TypeKind::TinyInt.nullable(), "\"-128\""), Ok(int(-128)));
    assert!(one(TypeKind::TinyInt.nullable(), "128").is_err());
    assert!(one(TypeKind::TinyInt.nullable(), "1.5").is_err());
}

#[test]
fn other_simple_types() {
    let b = DataType::boolean;
    assert_eq!(one(b(), "\"TRUE\""), Ok(Value::Boolean(true)));
    assert_eq!(one(b(), "\" true \""), Ok(Value::Boolean(true)));
    assert_eq!(one(b(), "0"), Ok(Value::Boolean(false)));
    assert_eq!(one(b(), "\"yes\""), Ok(Value::Boolean(false)));
    let d = DataType::double;
    assert_eq!(one(d(), "1e400"), Ok(Value::Float(f64::INFINITY)));
    assert_eq!(one(d(), "\"0x1p3\""), Ok(Value::Float(8.0)));
    assert_eq!(one(d(), "7"), Ok(Value::Float(7.0)));
    assert!(one(d(), "true").is_err());
    let f = || TypeKind::Float.nullable();
    assert_eq!(one(f(), "16777217"), Ok(Value::Float(16_777_216.0)));
    assert_eq!(one(f(), "\"NaN\""), Ok(Value::Float(f64::NAN)));
    let x = || DataType::decimal(5, 2);
    assert_eq!(one(x(), "123456"), Ok(NULL));
    assert_eq!(one(x(), "\"12345.6\""), Ok(NULL));
    assert_eq!(one(x(), "\" 1.005 \""), Ok(Value::Decimal(101)));
    assert!(one(x(), "true").is_err());
    assert!(one(x(), "\"\"").is_err());
    let y = || TypeKind::BYTES.nullable();
    assert_eq!(one(y(), "\"\""), Ok(Value::Bytes([].into())));
    assert_eq!(one(y(), "\"\\/w==\""), Ok(Value::Bytes([255].into())));
    assert!(one(y(), "5").is_err());
    let v = || TypeKind::timestamp(3).nullable();
    assert_eq!(one(v(), "\"2024-02-03 10:20:30.123456\""), Ok(int(1_706_955_630_123_000)));
    assert_eq!(one(v(), "\"2024\\u002d02-03 10:20:30\""), Ok(int(1_706_955_630_000_000)));
    assert!(one(v(), "\"2024-02-03T10:20:30\"").is_err());
    assert!(one(v(), "1706955630").is_err());
    let u = || TypeKind::timestamp_ltz(3).nullable();
    assert!(one(u(), "\"2024-02-03 10:20:30\"").is_err());
    assert_eq!(one(DataType::string(), "1.10"), Ok("1.10".into()));
    assert_eq!(one(DataType::string(), "\"\\ud83d\""), Ok("?".into()));
    assert_eq!(one(DataType::string(), "\"tab\there\""), Ok("tab\there".into()));
}

// 221.
#[test]
fn iso_timestamps() {
    let columns = [("ts", TypeKind::timestamp(3).nullable()), ("tz", TypeKind::timestamp_ltz(3).nullable())];
    let iso = [("timestamp-format.standard", "ISO-8601")];
    let out = decode(
        &Json,
        &columns,
        &iso,
        &[r#"{"ts": "2024-02-29T10:20:30.123", "tz": "2024-02-29T10:20:30.123Z"}"#],
    );
    assert_eq!(out.rows, vec![vec![int(1_709_202_030_123_000); 2]]);
}

// 219, 220, 223.
#[test]
fn options_for_errors() {
    let columns = [("i", DataType::int()), ("s", DataType::string())];
    let lines = [r#"{"i": 1, "s": "a"}"#, r#"{"i": "x", "s": "b"}"#];
    let out = decode(&Json, &columns, IGNORE, &lines);
    assert_eq!(out.rows, vec![vec![int(1), "a".into()], vec![NULL, "b".into()]]);
    assert_eq!(out.ignored, 1);

    let out = decode(&Json, &columns, &[("fail-on-missing-field", "true")], &[lines[0], r#"{"i": 2}"#]);
    assert_eq!(out.rows.len(), 1);
    assert_eq!(out.bad[0].record, 1);
    assert!(out.first_fault().contains("field 's' is missing"), "{}", out.first_fault());

    let lines = [
        "{\"i\":1}",
        "",
        "not json",
        "[1,2]",
        "{\"i\":2} trailing",
        "{\"i\":3",
        "{\"i\":4}",
        "null",
        "\u{feff} {\"i\":5}",
        "{\"i\":6,}",
        "{\"i\":07}",
        "   ",
    ];
    let out = decode(&Json, &columns[..1], IGNORE, &lines);
    assert_eq!(out.rows, vec![vec![int(1)], vec![int(2)], vec![int(4)], vec![int(5)]]);
    assert_eq!(out.records, vec![0, 4, 6, 8]);
    assert_eq!(out.ignored, 7);
    let out = decode(&Json, &columns[..1], &[], &lines);
    assert_eq!(out.bad.iter().map(|b| b.record).collect::<Vec<_>>(), vec![2, 3, 5, 7, 9, 10, 11]);
}

#[test]
fn ignored_errors_keep_to_their_level() {
    let columns = [
        ("a", DataType::array(DataType::int())),
        ("m", DataType::map(DataType::string(), DataType::int())),
        ("n", TypeKind::Multiset(Box::new(DataType::string())).nullable()),
        ("r", DataType::row([("x", DataType::int()), ("y", DataType::row([("z", DataType::string())]))])),
        ("s", DataType::string()),
    ];
    let lines = [
        r#"{"a":[1,"x",null,2.5],"s":"k"}"#,
        r#"{"a":5,"s":"k"}"#,
        r#"{"m":{"a":1,"b":"x","a":3},"s":"k"}"#,
        r#"{"n":{"a":2},"s":"k"}"#,
        r#"{"r":[1],"s":"k"}"#,
        r#"{"r":{"x":"q","y":{"z":[1, 2]}},"s":"k"}"#,
    ];
    let out = decode(&Json, &columns, IGNORE, &lines);
    assert!(out.rows.iter().all(|r| r[4] == "k".into()));
    assert_eq!(out.rows[0][0], Value::Array([int(1), NULL, NULL, int(2)].into()));
    assert_eq!(out.rows[1][0], NULL);
    assert_eq!(out.rows[2][1], Value::Map([("a".into(), int(3)), ("b".into(), NULL)].into()));
    assert_eq!(out.rows[3][2], Value::Map([("a".into(), int(2))].into()));
    assert_eq!(out.rows[4][3], NULL);
    assert_eq!(out.rows[5][3], Value::Row([NULL, Value::Row(["[1,2]".into()].into())].into()));
    assert_eq!(out.ignored, 5);
    let out =
        decode(&Json, &columns, &[], &[r#"{"r":{"x":1,"y":7}}"#, r#"{"a":[1,2,{}]}"#, r#"{"m":{"k":[]}}"#]);
    let messages: Vec<_> = out.bad.iter().map(|b| b.fault.message().to_string()).collect();
    assert_eq!(
        messages,
        [
            "field 'r.y': expected ROW<`z` STRING>, found 7",
            "field 'a[3]': expected INT, found {}",
            "field 'm['k']': expected INT, found []"
        ]
    );
}

// 224, 285.
#[test]
fn names() {
    let columns = [
        ("Abc", DataType::int()),
        ("abc", DataType::int()),
        ("a.b", DataType::int()),
        ("@timestamp", DataType::string()),
        ("sp ace", DataType::int()),
        ("日本", DataType::int()),
        ("q\"uote", DataType::int()),
    ];
    let out = decode(
        &Json,
        &columns,
        &[],
        &[
            r#"{"Abc": 1, "abc": 2}"#,
            r#"{"ABC": 3}"#,
            r#"{"a.b": 1, "@timestamp": "t", "sp ace": 2, "日本": 3, "q\"uote": 4}"#,
            r#"{"a": {"b": 9}}"#,
            r#"{"\u0061bc": 5}"#,
        ],
    );
    let row = |v: [Option<i64>; 2]| v.map(|v| v.map_or(NULL, int)).to_vec();
    assert_eq!(out.rows[0][..2], row([Some(1), Some(2)]));
    assert_eq!(out.rows[1][..2], row([None, None]));
    assert_eq!(out.rows[2][2..], [int(1), "t".into(), int(2), int(3), int(4)]);
    assert!(out.rows[3].iter().all(Value::is_null));
    assert_eq!(out.rows[4][1], int(5));
}

#[test]
fn of_equal_names_the_last_counts() {
    let columns = [("i", DataType::int()), ("s", DataType::string())];
    let out = decode(
        &Json,
        &columns,
        &[],
        &[
            r#"{"i":1,"i":2,"s":"a"}"#,
            r#"{"i":"x","i":2}"#,
            r#"{"i":2,"s":"b","i":null}"#,
            r#"{"u":1,"u":2,"i":3}"#,
        ],
    );
    assert!(out.bad.is_empty());
    assert_eq!(
        out.rows,
        vec![vec![int(2), "a".into()], vec![int(2), NULL], vec![NULL, "b".into()], vec![int(3), NULL]]
    );
}

#[test]
fn fields_that_no_query_wants_are_checked() {
    let columns = [("i", DataType::int()), ("s", DataType::string())];
    let chunk = chunk(&[br#"{"i":1,"s":"a"}"#, br#"{"i":"x","s":"b"}"#], b"\n");
    let full = decode_chunk(&Json, &spec(&columns, &[]), std::slice::from_ref(&chunk), &[1]).unwrap();
    assert_eq!(full.bad.len(), 1);
    // A column that is not read is nobody's business.
    let mut unread = spec(&columns, &[]);
    unread.read = vec![1];
    let out = decode_chunk(&Json, &unread, std::slice::from_ref(&chunk), &[1]).unwrap();
    assert_eq!(out.rows.len(), 2);
    // With `needed` it is seen only where it is built.
    let needed = spec(&columns, &[("validate", "needed")]);
    let fault = decode_chunk(&Json, &needed, &[chunk], &[1]).unwrap_err();
    assert!(fault.to_string().contains("expected INT"), "{fault}");
}

#[test]
fn nested_paths_that_are_not_read_are_not_looked_at() {
    let t = DataType::row([
        ("x", DataType::int()),
        ("y", DataType::row([("z", DataType::int()), ("w", DataType::int())])),
    ]);
    let mut spec = spec(&[("r", t)], &[]);
    spec.columns[0].paths = vec![vec![1, 1]];
    let chunk = chunk(&[br#"{"r":{"x":"bad","y":{"z":"bad","w":3}}}"#], b"\n");
    let out = decode_chunk(&Json, &spec, &[chunk], &[0]).unwrap();
    assert_eq!(out.rows[0][0], Value::Row([NULL, Value::Row([NULL, int(3)].into())].into()));
}

#[test]
fn slices_hold_the_values_own_text() {
    let columns = [
        ("s", DataType::string()),
        ("i", DataType::int()),
        ("b", DataType::boolean()),
        ("x", DataType::decimal(10, 2)),
    ];
    let lines = [
        r#"{"s":"a\\b","i":12,"b":true,"x":1.5}"#,
        r#"{"s":"\u0041","i":1.9,"b":"TRUE","x":"7"}"#,
        r#"{"s":{"a":[ ]},"i":" 7 ","b":null}"#,
        r#"{"s":1.10,"i":-5}"#,
    ];
    let out = decode(&Json, &columns, &[], &lines);
    let text = |column: usize, row: usize| {
        let field = out.slices.column(column).unwrap();
        let slice = field.slices[row];
        (slice.form, String::from_utf8(out.slices.bytes(field, slice).to_vec()).unwrap())
    };
    use SliceForm as F;
    assert_eq!(text(0, 0), (F::JsonEscaped, "a\\\\b".into()));
    assert_eq!(text(0, 1), (F::Side, "A".into()));
    assert_eq!(text(0, 2), (F::Side, "{\"a\":[]}".into()));
    assert_eq!(text(0, 3), (F::Plain, "1.10".into()));
    assert_eq!(text(1, 0), (F::JsonRaw, "12".into()));
    assert_eq!(text(1, 1), (F::Side, "1".into()));
    assert_eq!(text(1, 2), (F::Side, "7".into()));
    assert_eq!(text(1, 3), (F::JsonRaw, "-5".into()));
    assert_eq!(text(2, 1), (F::Side, "true".into()));
    assert_eq!(text(2, 2).0, F::Null);
    assert_eq!(text(2, 3).0, F::Absent);
    assert_eq!(text(3, 0), (F::Side, "1.50".into()));
}

#[test]
fn hard_records() {
    let columns = [("i", DataType::int()), ("s", DataType::string())];
    // As deep as Jackson goes, and one deeper; a million deep overflows nothing.
    let deep = |n: usize| format!("{{\"q\":{}{},\"i\":1}}", "[".repeat(n), "]".repeat(n));
    let out = decode(&Json, &columns, &[], &[&deep(999), &deep(1000), &deep(1_000_000)]);
    assert_eq!(out.rows, vec![vec![int(1), NULL]]);
    assert!(out.first_fault().contains("nesting is deeper than 1000"), "{}", out.first_fault());
    // The deepest text for a STRING column.
    let deep = format!("{{\"s\":{}{}}}", "[".repeat(999), "]".repeat(999));
    assert_eq!(decode(&Json, &columns, &[], &[&deep]).rows[0][1].as_str().map(str::len), Some(1998));
    // 50 MB in a line.
    let long = format!("{{\"s\":\"{}\\\\\",\"i\":7}}", "x".repeat(50 << 20));
    let out = decode(&Json, &columns, &[], &[&long]);
    assert_eq!(out.rows[0][0], int(7));
    assert_eq!(out.rows[0][1].as_str().map(str::len), Some((50 << 20) + 1));
    // Invalid UTF-8, in a column and elsewhere.
    let records: [&[u8]; 3] =
        [b"{\"s\":\"\xFF\"}", b"{\"u\":\"\xC3\x28\",\"i\":1}", "{\"s\":\"é\"}".as_bytes()];
    let out = decode_chunk(&Json, &spec(&columns, &[]), &[chunk(&records, b"\n")], &[0, 1]).unwrap();
    assert_eq!(out.rows, vec![vec![NULL, "é".into()]]);
    assert!(out.first_fault().contains("no UTF-8 at byte 7"), "{}", out.first_fault());
}

#[test]
fn types_that_json_cannot_hold() {
    let refused = |t: DataType| crate::format("json").unwrap().decoder(spec(&[("x", t)], &[])).unwrap_err();
    assert!(
        refused(DataType::map(DataType::int(), DataType::int())).to_string().contains("keys are no strings")
    );
    assert!(refused(TypeKind::Bitmap.nullable()).to_string().contains("has no BITMAP"));
    let both = [("ignore-parse-errors", "true"), ("fail-on-missing-field", "true")];
    assert!(crate::format("json").unwrap().decoder(spec(&[("x", DataType::int())], &both)).is_err());
    assert!(crate::format("jsn").unwrap_err().to_string().contains("'json'"));
}

// Flink 2.3's own text.
#[test]
fn written_as_flink_writes() {
    let columns = [
        ("b", DataType::boolean()),
        ("f", TypeKind::Float.nullable()),
        ("d", DataType::double()),
        ("x", DataType::decimal(10, 2)),
        ("y", DataType::decimal(20, 9)),
        ("s", DataType::string()),
        ("by_", TypeKind::BYTES.nullable()),
        ("dt", TypeKind::Date.nullable()),
        ("tm", TypeKind::Time(3).nullable()),
        ("ts", TypeKind::timestamp(3).nullable()),
        ("tz", TypeKind::timestamp_ltz(6).nullable()),
        ("m", DataType::map(DataType::string(), DataType::int())),
        ("r", DataType::row([("q", DataType::int())])),
        ("a", DataType::array(DataType::string())),
    ];
    let row = vec![
        Value::Boolean(true),
        Value::Float(1.5),
        Value::Float(1e10),
        Value::Decimal(10_000),
        Value::Decimal(27),
        "q\"\\/é😀".into(),
        Value::Bytes([1, 2, 255, 254].into()),
        int(19000),
        int(3_661_123),
        int(1_700_000_000_123_000),
        int(1_700_000_000_000_001),
        Value::Map([("k".into(), int(1)), ("n".into(), NULL)].into()),
        Value::Row([NULL].into()),
        Value::Array(["z".into(), NULL].into()),
    ];
    let special = {
        let mut r = row.clone();
        r[1] = Value::Float(f64::NAN);
        r[2] = Value::Float(f64::INFINITY);
        r[7] = int(-800_000);
        r[8] = int(3_600_000);
        r[9] = int(-1000);
        r[10] = int(1_700_000_000_000_000);
        r
    };
    let rows = [row, special, vec![NULL; columns.len()]];
    let out = encode(&Json, &columns, &[], &rows).unwrap();
    assert_eq!(
        out[0],
        r#"{"b":true,"f":1.5,"d":1.0E10,"x":1E+2,"y":2.7E-8,"s":"q\"\\/é\uD83D\uDE00","by_":"AQL//g==","dt":"2022-01-08","tm":"01:01:01.123","ts":"2023-11-14 22:13:20.123","tz":"2023-11-14 22:13:20.000001Z","m":{"k":1,"n":null},"r":{"q":null},"a":["z",null]}"#
    );
    assert!(out[1].starts_with(r#"{"b":true,"f":"NaN","d":"Infinity","#), "{}", out[1]);
    assert!(
        out[1].contains(
            r#""dt":"-0221-09-04","tm":"01:00:00","ts":"1969-12-31 23:59:59.999","tz":"2023-11-14 22:13:20Z""#
        ),
        "{}",
        out[1]
    );
    let pairs = [
        ("encode.ignore-null-fields", "true"),
        ("encode.decimal-as-plain-number", "true"),
        ("timestamp-format.standard", "ISO-8601"),
    ];
    let out = encode(&Json, &columns, &pairs, &rows).unwrap();
    assert_eq!(
        out[0],
        r#"{"b":true,"f":1.5,"d":1.0E10,"x":100.00,"y":0.000000027,"s":"q\"\\/é\uD83D\uDE00","by_":"AQL//g==","dt":"2022-01-08","tm":"01:01:01.123","ts":"2023-11-14T22:13:20.123","tz":"2023-11-14T22:13:20.000001Z","m":{"k":1,"n":null},"r":{},"a":["z",null]}"#
    );
    assert_eq!(out[2], "{}");
}

#[test]
fn null_keys_of_maps() {
    let columns = [("m", DataType::map(DataType::string(), DataType::int()))];
    let rows = [vec![Value::Map([(NULL, int(1)), ("k".into(), int(2))].into())]];
    let fault = encode(&Json, &columns, &[], &rows).unwrap_err();
    assert!(fault.to_string().contains("json.map-null-key.mode"), "{fault}");
    assert_eq!(
        encode(&Json, &columns, &[("map-null-key.mode", "DROP")], &rows).unwrap(),
        [r#"{"m":{"k":2}}"#]
    );
    let literal = [("map-null-key.mode", "literal"), ("map-null-key.literal", "none")];
    assert_eq!(encode(&Json, &columns, &literal, &rows).unwrap(), [r#"{"m":{"none":1,"k":2}}"#]);
}

#[test]
fn what_is_written_is_read_again() {
    let first: Decoded = decode(
        &Json,
        &all_types(),
        &[],
        &[
            r#"{"b":false,"i":-1,"l":-9223372036854775808,"d":1e-300,"dc":-0.05,"s":"\u0000\ud83d\ude00\\\"","dt":"1900-01-01","tm":"23:59:59.999","ts":"1969-12-31 23:59:59.999","tz":"9999-12-31 00:00:00Z","by_":"","arr":[null,2147483647],"m":{"":null,"é":-7},"r":{"x":1,"y":"{}"}}"#,
            "{}",
        ],
    );
    assert!(first.bad.is_empty(), "{:?}", first.bad);
    for standard in ["SQL", "ISO-8601"] {
        for plain in ["true", "false"] {
            let pairs = [("timestamp-format.standard", standard), ("encode.decimal-as-plain-number", plain)];
            let text = encode(&Json, &all_types(), &pairs, &first.rows).unwrap();
            let lines: Vec<&str> = text.iter().map(String::as_str).collect();
            assert_eq!(decode(&Json, &all_types(), &pairs, &lines).rows, first.rows, "{lines:?}");
        }
    }
}

#[test]
fn timestamps_that_are_not_the_usual_ones() {
    let t = |p: u8, text: &str| one(TypeKind::timestamp(p).nullable(), &format!("\"{text}\""));
    for good in [
        "2024-02-29 00:00:00",
        "2024-12-31 23:59:59.999999999",
        "2024-01-01 24:00:00",
        "0001-01-01 00:00:00",
        "2024-01-01 00:00:00.",
    ] {
        assert!(t(3, good).is_ok(), "{good}");
    }
    for bad in [
        "2024-13-01 00:00:00",
        "2024-00-01 00:00:00",
        "2024-01-00 00:00:00",
        "2024-01-32 00:00:00",
        "2024-01-01 25:00:00",
        "2024-01-01 00:60:00",
        "2024-01-01 00:00:60",
        "2024-01-01 00:00:00.1234567890",
        "2024-01-01 00:00:00,1",
        "2024-01-01 00:00:0x",
        "2O24-01-01 00:00:00",
        "2024-01-01 00:00",
        "2024/01/01 00:00:00",
        "2024-01-01 00:00:00Z",
    ] {
        assert!(t(3, bad).is_err(), "{bad}");
    }
    // What the column's nanoseconds cannot hold.
    assert!(t(9, "2300-01-01 00:00:00").is_err());
    assert_eq!(t(9, "1700-01-01 00:00:00.000000001"), Ok(int(-8_520_336_000_000_000_000 + 1)));
    let u = TypeKind::timestamp_ltz(3).nullable();
    assert!(one(u.clone(), "\"2024-01-01 00:00:00\"").is_err());
    assert!(one(u, "\"2024-01-01 00:00:00Z\"").is_ok());
}

/// Behind `kind` come more names than are remembered, in turns, some with other spacing than the time before.
#[test]
fn records_of_many_kinds_in_turns() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let columns: Vec<(&str, DataType)> = names.iter().map(|n| (*n, DataType::int())).collect();
    let mut lines = Vec::new();
    let mut expected = Vec::new();
    for i in 0..200usize {
        // Every order of turns: steps of 1, 3, 5 and 7 through the names.
        let step = [1, 3, 5, 7][i / 50];
        let first = i * step % names.len();
        let second = (first + 1 + i % 7) % names.len();
        let space = [" ", "", "  "][i % 3];
        lines.push(format!(
            "{{\"kind\": 0,{space}\"{}\":{space}{i}, \"other{first}\": 1, \"{}\":{}}}",
            names[first],
            names[second],
            i + 1000
        ));
        let mut row = vec![NULL; names.len()];
        row[first] = int(i as i64);
        row[second] = int(i as i64 + 1000);
        expected.push(row);
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let out = decode(&Json, &columns, &[], &lines);
    assert!(out.bad.is_empty(), "{:?}", out.bad);
    assert_eq!(out.rows, expected);
}
