use arrow::array::UInt32Array;
use millstream_flow::Format;
use millstream_types::{DataType, SliceForm, TypeKind, Value};

use super::Raw;
use crate::testing::{chunk, decode, decode_chunk, encode, spec};

// Flink's recorded answers: 229.
#[test]
fn lines() {
    let columns = [("line", DataType::string())];
    let out = decode(&Raw, &columns, &[], &["first line", "", "  third ", "last without newline"]);
    let texts: Vec<_> = out.rows.iter().map(|r| r[0].as_str().unwrap()).collect();
    assert_eq!(texts, ["first line", "", "  third ", "last without newline"]);
    assert!(out.slices.fields[0].slices.iter().all(|s| s.form == SliceForm::Plain));
}

#[test]
fn charsets() {
    let read = |charset: &str, bytes: &[u8]| {
        let spec = spec(&[("s", DataType::string())], &[("charset", charset)]);
        let out = decode_chunk(&Raw, &spec, &[chunk(&[bytes], b"")], &[0]).unwrap();
        out.rows[0][0].as_str().unwrap().to_string()
    };
    assert_eq!(read("UTF-8", "é😀".as_bytes()), "é😀");
    assert_eq!(read("UTF-8", b"a\xFFb"), "a\u{FFFD}b");
    assert_eq!(read("US-ASCII", b"a\xE9"), "a\u{FFFD}");
    assert_eq!(read("ISO-8859-1", b"a\xE9"), "aé");
    assert_eq!(read("UTF-16", b"\xFF\xFE\xE9\x00"), "é");
    assert_eq!(read("UTF-16", b"\x00\xE9\xD8"), "é\u{FFFD}");
    assert_eq!(read("UTF-16LE", b"\x3D\xD8\x00\xDE"), "😀");
    let columns = [("s", DataType::string())];
    for charset in ["UTF-8", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE"] {
        let schema = std::sync::Arc::new(millstream_types::Schema::new(vec![millstream_types::Field::new(
            "s",
            DataType::string(),
        )]));
        let rows = [(millstream_types::RowKind::Insert, vec!["aé".into()])];
        let batch = millstream_types::Batch::from_rows(schema.clone(), &rows).unwrap();
        let mut encoder = Raw
            .encoder(millstream_flow::EncoderSpec {
                schema,
                options: [("charset", charset)].into_iter().collect(),
                zone: "UTC".into(),
            })
            .unwrap();
        let mut out = millstream_flow::Encoded::default();
        encoder.encode(&batch, &mut out).unwrap();
        let record = out.records[0];
        assert_eq!(read(charset, &out.data[record.start as usize..record.end as usize]), "aé", "{charset}");
    }
    assert_eq!(encode(&Raw, &columns, &[("charset", "US-ASCII")], &[vec!["é".into()]]).unwrap(), ["?"]);
    let fault = Raw.decoder(spec(&columns, &[("charset", "EUC-JP")])).unwrap_err();
    assert!(
        fault.to_string().contains("option 'raw.charset': not supported yet: the character set 'EUC-JP'"),
        "{fault}"
    );
}

#[test]
fn numbers() {
    let read = |t: DataType, order: &str, bytes: &[u8]| {
        let spec = spec(&[("n", t)], &[("endianness", order)]);
        let out = decode_chunk(&Raw, &spec, &[chunk(&[bytes], b"")], &[0]).unwrap();
        let text = out.slices.fields[0]
            .slices
            .first()
            .map(|s| String::from_utf8_lossy(out.slices.bytes(&out.slices.fields[0], *s)).into_owned());
        match out.bad.first() {
            Some(b) => Err(b.fault.message().to_string()),
            None => Ok((out.rows[0][0].clone(), text.unwrap())),
        }
    };
    let (big, little) = ("big-endian", "little-endian");
    assert_eq!(read(DataType::int(), big, &[0xFF, 0xFF, 0xFF, 0xFE]), Ok((Value::Int(-2), "-2".into())));
    assert_eq!(read(DataType::int(), little, &[1, 0, 0, 0]), Ok((Value::Int(1), "1".into())));
    assert_eq!(
        read(TypeKind::SmallInt.nullable(), little, &[0, 0x80]),
        Ok((Value::Int(-32768), "-32768".into()))
    );
    assert_eq!(read(DataType::bigint(), big, &[0, 0, 0, 0, 0, 0, 1, 0]), Ok((Value::Int(256), "256".into())));
    assert_eq!(read(DataType::double(), big, &1.5f64.to_be_bytes()), Ok((Value::Float(1.5), "1.5".into())));
    let float = TypeKind::Float.nullable();
    assert_eq!(read(float, little, &0.1f32.to_le_bytes()), Ok((Value::Float(0.1f32.into()), "0.1".into())));
    assert_eq!(read(DataType::boolean(), big, &[7]), Ok((Value::Boolean(true), "true".into())));
    let fault = read(DataType::int(), big, &[1, 2]).unwrap_err();
    assert_eq!(fault, "field 'n': expected 4 bytes of INT, found 2");
}

#[test]
fn records_that_are_bad_are_no_rows() {
    let spec = spec(&[("n", TypeKind::TinyInt.nullable())], &[]);
    let chunk = chunk(&[&[1], &[1, 2], &[3]], b"\n");
    let out = decode_chunk(&Raw, &spec, std::slice::from_ref(&chunk), &[0]).unwrap();
    assert_eq!(out.rows, vec![vec![Value::Int(1)], vec![Value::Int(3)]]);
    assert_eq!(out.records, [0, 2]);
    let mut decoder = Raw.decoder(spec).unwrap();
    let picked: UInt32Array = vec![1].into();
    let array = decoder.build(&chunk, &out.slices, 0, &picked).unwrap();
    assert_eq!(Value::from_array(&array, 0, &TypeKind::TinyInt.nullable()), Value::Int(3));
}

#[test]
fn one_column_of_a_simple_type() {
    let refused = |columns: &[(&str, DataType)]| Raw.decoder(spec(columns, &[])).unwrap_err().to_string();
    assert!(refused(&[("a", DataType::int()), ("b", DataType::int())]).contains("one column, the table 2"));
    assert!(refused(&[("a", TypeKind::Date.nullable())]).contains("has no DATE"));
}
