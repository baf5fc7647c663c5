use millstream_types::{DataType, Random, SeededRandom, TypeKind, Value};

use super::Csv;
use crate::testing::{decode, encode};

const NULL: Value = Value::Null;

fn int(v: i64) -> Value {
    Value::Int(v)
}

fn two() -> [(&'static str, DataType); 2] {
    [("i", DataType::int()), ("s", DataType::string())]
}

/// One line of (INT, STRING): its rows, or the first fault's message.
fn line(pairs: &[(&str, &str)], text: &str) -> Result<Vec<(Value, Value)>, String> {
    let out = decode(&Csv, &two(), pairs, &[text]);
    match out.bad.first() {
        Some(b) => Err(b.fault.message().to_string()),
        None => Ok(out.rows.iter().map(|r| (r[0].clone(), r[1].clone())).collect()),
    }
}

fn is(text: &str) -> Result<Vec<(Value, Value)>, String> {
    Ok(vec![(int(1), text.into())])
}

// Flink's recorded answers: 226.
#[test]
fn basic() {
    let columns = [
        ("i", DataType::int()),
        ("s", DataType::string()),
        ("d", DataType::double()),
        ("b", DataType::boolean()),
        ("ts", TypeKind::timestamp(3).nullable()),
    ];
    let out = decode(
        &Csv,
        &columns,
        &[],
        &[
            "1,abc,1.5,true,2024-02-29 10:20:30.123",
            "2,\"a,b\",7,false,2024-02-29 10:20:30.5",
            "3,\"q\"\"q\",2.0,true,2024-02-29 10:20:30",
            "4,,0,TRUE,2024-02-29 00:00:00",
            " 5 , sp ,1e3,false,1969-12-31 23:59:59.999",
        ],
    );
    assert!(out.bad.is_empty(), "{:?}", out.bad);
    let strings: Vec<_> = out.rows.iter().map(|r| r[1].as_str().unwrap()).collect();
    assert_eq!(strings, ["abc", "a,b", "q\"q", "", " sp "]);
    assert_eq!(out.rows[4][0], int(5));
    assert_eq!(out.rows[4][2], Value::Float(1000.0));
    assert_eq!(out.rows[3][3], Value::Boolean(true));
    assert_eq!(out.rows[4][4], int(-1000));
    assert_eq!(out.rows[1][4], int(1_709_202_030_500_000));
}

// 227.
#[test]
fn options() {
    let pairs = [
        ("field-delimiter", ";"),
        ("null-literal", "NULL"),
        ("allow-comments", "true"),
        ("ignore-parse-errors", "true"),
    ];
    let lines = ["1;a", "# comment", "NULL;NULL", "x;bad", "2", "3;c;extra", "4;'q'"];
    let out = decode(&Csv, &two(), &pairs, &lines);
    assert_eq!(
        out.rows,
        vec![
            vec![int(1), "a".into()],
            vec![NULL, NULL],
            vec![NULL, "bad".into()],
            vec![int(2), NULL],
            vec![int(4), "'q'".into()]
        ]
    );
    assert_eq!(out.records, [0, 2, 3, 4, 6]);
    assert_eq!(out.ignored, 2);
}

// 282, 283.
#[test]
fn empty_fields() {
    assert_eq!(line(&[], ",a"), Err("field 'i': expected INT, found \"\"".into()));
    assert_eq!(line(&[], "1,"), is(""));
    let null = [("null-literal", "")];
    assert_eq!(line(&null, ",\"\""), Ok(vec![(NULL, NULL)]));
    assert_eq!(line(&[("empty-string-as-null", "true")], ",\"\""), Ok(vec![(NULL, NULL)]));
}

// Rows that the framing took for one record are found one by one again, also where some of them are bad or none.
#[test]
fn rows_within_a_record() {
    let text = "1,a\"b\nx,c\n# no row\n2,\"d\"\"e\"\n3\n+04, f ";
    let pairs = [("ignore-parse-errors", "true"), ("allow-comments", "true")];
    let out = decode(&Csv, &two(), &pairs, &["9,z", text, "8,y"]);
    let row = |i: i64, s: &str| vec![int(i), s.into()];
    assert_eq!(
        out.rows,
        [
            row(9, "z"),
            row(1, "a\"b"),
            vec![NULL, "c".into()],
            row(2, "d\"e"),
            vec![int(3), NULL],
            row(4, " f "),
            row(8, "y")
        ]
    );
    let out = decode(&Csv, &two(), &[("allow-comments", "true")], &["9,z", text, "8,y"]);
    assert_eq!(out.bad.iter().map(|b| b.record).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(out.rows, [row(9, "z"), row(1, "a\"b"), row(2, "d\"e"), row(4, " f "), row(8, "y")]);
}

// Flink 2.3 reads the projected columns of every row, whatever the condition, and no others.
#[test]
fn columns_that_nothing_reads_are_not_looked_at() {
    let mut spec = crate::testing::spec(
        &[("a", DataType::int()), ("b", DataType::int()), ("c", DataType::string())],
        &[],
    );
    let chunk = crate::testing::chunk(&[b"1,x,hello", b"2,3,\xff"], b"\n");
    let mut decoded = |read: &[usize], want: &[usize]| {
        spec.read = read.to_vec();
        crate::testing::decode_chunk(&Csv, &spec, std::slice::from_ref(&chunk), want).unwrap()
    };
    assert_eq!(decoded(&[0], &[0]).rows, [[int(1)], [int(2)]]);
    for want in [&[][..], &[0], &[0, 1]] {
        let out = decoded(&[0, 1], want);
        assert_eq!((out.bad.len(), out.rows), (1, vec![vec![int(2), int(3)]]));
        let out = decoded(&[0, 2], &[]);
        assert_eq!((out.bad.len(), out.rows), (1, vec![vec![int(1), "hello".into()]]));
    }
}

// What Flink 2.3's reader answered.
#[test]
fn rows_as_jackson_finds_them() {
    assert_eq!(line(&[], "1,a"), is("a"));
    assert_eq!(line(&[], "1,a,"), is("a"));
    assert!(line(&[], "1,a,b").is_err());
    assert!(line(&[], "1,a,,").is_err());
    assert!(line(&[], "1").is_err());
    assert!(line(&[], "").is_err());
    assert_eq!(line(&[], "1,\"a\" "), is("a"));
    assert!(line(&[], "1,\"a\"x").unwrap_err().contains("behind a quote at byte 6"));
    assert_eq!(line(&[], "1, \"a\""), is(" \"a\""));
    assert_eq!(line(&[], "1,\"a\nb\""), is("a\nb"));
    assert!(line(&[], "1,\"a").unwrap_err().contains("closing quote"));
    assert_eq!(line(&[], "1,a\"b"), is("a\"b"));
    assert_eq!(line(&[], "\"1\",a"), is("a"));
    assert_eq!(line(&[], "+1,a"), is("a"));
    assert!(line(&[], "1.5,a").is_err());
    assert_eq!(line(&[], "1,a\r"), is("a"));
    // A lone quote makes the framing hold two rows together.
    assert_eq!(line(&[], "1,a\"b\r\n2,c\"d"), Ok(vec![(int(1), "a\"b".into()), (int(2), "c\"d".into())]));
    let escape = [("escape-character", "\\")];
    assert_eq!(line(&escape, "1,a\\,b"), is("a,b"));
    assert_eq!(line(&escape, "1,\"a\\\"b\""), is("a\"b"));
    assert_eq!(line(&escape, "1,\"a\\nb\\tc\\0\\x\""), is("a\nb\tc\0x"));
    assert!(line(&escape, "1,a\\").is_err());
    let plain = [("disable-quote-character", "true")];
    assert_eq!(line(&plain, "1,\"a\""), is("\"a\""));
    assert!(line(&plain, "1,\"a,b\"").is_err());
    let null = [("null-literal", "null")];
    assert_eq!(line(&null, "1,\"null\""), Ok(vec![(int(1), NULL)]));
    assert_eq!(line(&null, "1, null"), is(" null"));
    let comments = [("allow-comments", "true")];
    assert_eq!(line(&comments, " #x,a"), Ok(vec![]));
    assert_eq!(line(&comments, ""), Ok(vec![]));
    assert_eq!(line(&comments, "1,#a"), is("#a"));
    assert_eq!(line(&comments, "  1,a"), is("a"));
    assert_eq!(line(&[("trim-spaces", "true")], " 1 , \" a \" "), is(" a "));
    assert_eq!(line(&[("ignore-trailing-unmappable", "true")], "1,a,b,c"), is("a"));
    assert!(
        line(&[("fail-on-missing-columns", "true"), ("ignore-parse-errors", "true")], "1")
            .unwrap()
            .is_empty()
    );
    assert!(line(&[("allow-trailing-comma", "false")], "1,a,").is_err());
    assert_eq!(line(&[("field-delimiter", "\\t")], "1\ta"), is("a"));
}

#[test]
fn types() {
    let columns = [
        ("b", DataType::boolean()),
        ("d", DataType::double()),
        ("x", DataType::decimal(5, 2)),
        ("y", TypeKind::BYTES.nullable()),
        ("z", TypeKind::Date.nullable()),
        ("w", TypeKind::Time(0).nullable()),
        ("v", TypeKind::timestamp(3).nullable()),
        ("u", TypeKind::timestamp_ltz(3).nullable()),
    ];
    let out = decode(
        &Csv,
        &columns,
        &[("ignore-parse-errors", "true")],
        &[
            "1,1,1,AQ==,2024-2-1,10:20,2024-2-1 1:2:3,2024-02-01 00:00:00Z",
            " true , 1.5 , 1.5 , AQ== , 2024-02-01 , 10:20:30 , 2024-02-01 01:02:03 , 2024-02-01 00:00:00Z ",
            "TRUE,NaN,123456,AQ,2024-02-30,24:00,2024-02-30 24:00:00.5,2024-02-01 00:00:00",
            "x,1e3,1e2,,02024-02-01,10:20:30.999,2024-02-01T01:02:03,2024-02-01 00:00:00.123456Z",
        ],
    );
    let (f, t) = (Value::Boolean(false), Value::Boolean(true));
    let bytes = |b: &[u8]| Value::Bytes(b.into());
    let day = 1_706_745_600_000_000;
    assert_eq!(
        out.rows,
        vec![
            vec![
                f.clone(),
                Value::Float(1.0),
                Value::Decimal(100),
                bytes(&[1]),
                int(19754),
                int(37_200_000),
                NULL,
                int(day)
            ],
            vec![
                t.clone(),
                Value::Float(1.5),
                NULL,
                bytes(&[1]),
                NULL,
                NULL,
                int(day + 3_723_000_000),
                int(day)
            ],
            vec![t, Value::Float(f64::NAN), NULL, NULL, int(19783), NULL, NULL, NULL],
            vec![
                f,
                Value::Float(1000.0),
                Value::Decimal(10_000),
                bytes(&[]),
                NULL,
                int(37_230_000),
                NULL,
                int(day + 123_000)
            ],
        ]
    );
}

#[test]
fn arrays_and_rows() {
    let columns = [
        ("i", DataType::int()),
        ("a", DataType::array(DataType::int())),
        ("r", DataType::row([("x", DataType::int()), ("y", DataType::string())])),
        ("z", DataType::string()),
    ];
    let list = |v: &[Value]| Value::Array(v.into());
    let row = |x: Value, y: Value| Value::Row([x, y].into());
    let out = decode(
        &Csv,
        &columns,
        &[],
        &["1,1;2;3,4;q,k", "1,,,k", "1,1; 2 ,4,k", "1,5,4;q;w,k", "1,\"1;2\",\"3;\"\"\",k", "1,1;;2,4;,k"],
    );
    assert_eq!(out.bad.iter().map(|b| b.record).collect::<Vec<_>>(), [2, 5]);
    assert_eq!(out.rows[0][1..3], [list(&[int(1), int(2), int(3)]), row(int(4), "q".into())]);
    assert_eq!(out.rows[1][1..3], [list(&[]), NULL]);
    assert_eq!(out.rows[2][1..3], [list(&[int(5)]), row(int(4), "q".into())]);
    assert_eq!(out.rows[3][1..3], [list(&[int(1), int(2)]), row(int(3), "\"".into())]);
    let pairs = [("null-literal", "n"), ("ignore-parse-errors", "true")];
    let out = decode(&Csv, &columns, &pairs, &["1,1;n;2,n;n,k", "1,x;2,4;q;w,k"]);
    assert_eq!(out.rows[0][1..3], [list(&[int(1), NULL, int(2)]), row(NULL, NULL)]);
    assert_eq!(out.rows[1][1..3], [list(&[NULL, int(2)]), row(int(4), "q".into())]);
}

// Flink 2.3's own text.
#[test]
fn written_as_flink_writes() {
    let columns = [
        ("s", DataType::string()),
        ("x", DataType::decimal(20, 9)),
        ("a", DataType::array(DataType::string())),
        ("r", DataType::row([("q", DataType::decimal(10, 2)), ("w", DataType::string())])),
    ];
    let rows = |texts: &[&str]| -> Vec<Vec<Value>> {
        let decimals = [100_000_000_000_000, 27, 0, 12_500_000_000];
        texts
            .iter()
            .enumerate()
            .map(|(i, t)| {
                vec![
                    if *t == "-" { NULL } else { (*t).into() },
                    Value::Decimal(decimals[i % 4]),
                    Value::Array(["z".into(), NULL].into()),
                    Value::Row([Value::Decimal(100_000), NULL].into()),
                ]
            })
            .collect()
    };
    let texts = [
        "b\\c",
        "abcdefghijklmnopqrstuvwx",
        "abcdefghijklmnopqrstuvwxy",
        "-5",
        "it's",
        "日本",
        "a\rb",
        "",
        "-",
        "q\"x",
    ];
    let out = encode(&Csv, &columns, &[("null-literal", "null")], &rows(&texts)).unwrap();
    assert_eq!(
        out,
        [
            "\"b\\c\",1E+5,z;null,\"1E+3;null\"",
            "abcdefghijklmnopqrstuvwx,2.7E-8,z;null,\"1E+3;null\"",
            "\"abcdefghijklmnopqrstuvwxy\",0,z;null,\"1E+3;null\"",
            "-5,12.5,z;null,\"1E+3;null\"",
            "\"it's\",1E+5,z;null,\"1E+3;null\"",
            "日本,2.7E-8,z;null,\"1E+3;null\"",
            "\"a\rb\",0,z;null,\"1E+3;null\"",
            ",12.5,z;null,\"1E+3;null\"",
            "null,1E+5,z;null,\"1E+3;null\"",
            "\"q\"\"x\",2.7E-8,z;null,\"1E+3;null\"",
        ]
    );
    let pairs = [("escape-character", "\\"), ("write-bigdecimal-in-scientific-notation", "false")];
    let out = encode(&Csv, &columns, &pairs, &rows(&["b\\c", "-"])).unwrap();
    assert_eq!(out, ["\"b\\\\c\",100000.000000000,z;,1000.00;", ",0.000000027,z;,1000.00;"]);
    let pairs = [("field-delimiter", ";"), ("quote-character", "'")];
    let out = encode(&Csv, &columns, &pairs, &rows(&["it's", "{|}"])).unwrap();
    assert_eq!(out, ["'it''s';1E+5;'z;';'1E+3;'", "{|};2.7E-8;'z;';'1E+3;'"]);
    let out = encode(&Csv, &columns, &[("disable-quote-character", "true")], &rows(&["a b"])).unwrap();
    assert_eq!(out, ["a b,1E+5,z;,1E+3;"]);
}

#[test]
fn what_is_written_is_read_again() {
    let columns = [
        ("s", DataType::string()),
        ("d", DataType::double()),
        ("by_", TypeKind::BYTES.nullable()),
        ("tm", TypeKind::Time(3).nullable()),
        ("tz", TypeKind::timestamp_ltz(6).nullable()),
    ];
    let texts = ["", "a,b", "q\"\"x\"", "two\nlines", " sp ", "#c", "\\", "日本😀", "\r"];
    let rows: Vec<Vec<Value>> = texts
        .iter()
        .map(|t| vec![(*t).into(), Value::Float(1e-7), Value::Bytes([0, 255].into()), int(1), int(-1)])
        .chain([vec![NULL; 5]])
        .collect();
    for pairs in [&[("null-literal", "n/a")][..], &[("null-literal", "n/a"), ("escape-character", "\\")]] {
        let text = encode(&Csv, &columns, pairs, &rows).unwrap();
        let lines: Vec<&str> = text.iter().map(String::as_str).collect();
        assert_eq!(decode(&Csv, &columns, pairs, &lines).rows, rows, "{lines:?}");
    }
}

#[test]
fn wrong_options_and_types() {
    let csv = crate::format("csv").unwrap();
    let refused = |t: DataType, pairs: &[(&str, &str)]| {
        csv.decoder(crate::testing::spec(&[("x", t)], pairs)).unwrap_err().to_string()
    };
    assert!(refused(DataType::int(), &[("field-delimiter", "ab")]).contains("single character"));
    let both = [("quote-character", "'"), ("disable-quote-character", "true")];
    assert!(refused(DataType::int(), &both).contains("csv.quote-character"));
    assert!(refused(DataType::map(DataType::string(), DataType::int()), &[]).contains("MAP<STRING, INT>"));
    assert!(refused(DataType::array(DataType::array(DataType::int())), &[]).contains("ARRAY<INT>"));
    assert!(refused(TypeKind::Time(6).nullable(), &[]).contains("TIME(6)"));
}

#[test]
fn random_rows_come_back() {
    let random = SeededRandom::new(11);
    let roll = |n: u64| random.next_u64() % n;
    let pieces = [
        "a",
        "\"",
        "'",
        ",",
        ";",
        "\\",
        "\n",
        "\r",
        " ",
        "#",
        "é",
        "😀",
        "null",
        "0",
        "|",
        "\t",
        "ordinary words of some length",
    ];
    let columns = [
        ("s", DataType::string()),
        ("i", TypeKind::SmallInt.nullable()),
        ("t", DataType::string()),
        ("x", DataType::decimal(20, 3)),
        ("d", DataType::double()),
        ("a", DataType::array(DataType::bigint())),
    ];
    for round in 0..200 {
        let text = || (0..roll(6)).map(|_| pieces[roll(pieces.len() as u64) as usize]).collect::<String>();
        let rows: Vec<Vec<Value>> = (0..10)
            .map(|_| {
                if roll(8) == 0 {
                    return vec![NULL; columns.len()];
                }
                vec![
                    text().as_str().into(),
                    int(random.next_u64() as i16 as i64),
                    text().as_str().into(),
                    Value::Decimal(random.next_u64() as i64 as i128 >> roll(60)),
                    Value::Float(f64::from_bits(random.next_u64() >> 2)),
                    Value::Array((0..1 + roll(3)).map(|_| int(random.next_u64() as i64)).collect()),
                ]
            })
            .collect();
        // Texts that only look alike do not count: an empty text is no NULL, since NULL is a word that no text is.
        let mut pairs = vec![("null-literal", "~"), ("array-element-delimiter", "/")];
        pairs.push(("field-delimiter", [",", ";", "|", "\\t"][roll(4) as usize]));
        pairs.push(("quote-character", ["\"", "'"][roll(2) as usize]));
        if roll(2) == 0 {
            pairs.push(("escape-character", "\\"));
        }
        let lines = encode(&Csv, &columns, &pairs, &rows).unwrap();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let out = decode(&Csv, &columns, &pairs, &lines);
        assert_eq!(out.rows, rows, "round {round} {pairs:?} {lines:?}");
        // Rows that were framed as one record are found again.
        let joined = lines.join("\n");
        assert_eq!(decode(&Csv, &columns, &pairs, &[&joined]).rows, rows, "round {round}");
    }
}
