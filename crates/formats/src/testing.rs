//! What the rooms' tests share: records in, rows out.

use arrow::array::UInt32Array;
use bytes::Bytes;
use millstream_flow::{
    BadRecord, DecoderSpec, Encoded, EncoderSpec, FieldSpec, Format, Options, RawChunk, RecordSpan,
};
use millstream_types::{Batch, DataType, Fault, Field, RowKind, Schema, Slices, Value};

/// A chunk of these records; `gap` stands between them and is no part of them.
pub(crate) fn chunk(records: &[&[u8]], gap: &[u8]) -> RawChunk {
    let mut data = Vec::new();
    let mut spans = Vec::new();
    for record in records {
        let start = data.len() as u32;
        data.extend_from_slice(record);
        spans.push(RecordSpan { start, end: data.len() as u32 });
        data.extend_from_slice(gap);
    }
    RawChunk { data: Bytes::from(data), records: spans, ..RawChunk::default() }
}

pub(crate) fn options(pairs: &[(&str, &str)]) -> Options {
    pairs.iter().copied().collect()
}

pub(crate) fn spec(columns: &[(&str, DataType)], pairs: &[(&str, &str)]) -> DecoderSpec {
    DecoderSpec {
        columns: columns
            .iter()
            .map(|(name, t)| FieldSpec { name: (*name).into(), data_type: t.clone(), paths: Vec::new() })
            .collect(),
        read: (0..columns.len()).collect(),
        options: options(pairs),
        zone: "UTC".into(),
        clock: std::sync::Arc::new(millstream_types::ManualClock::new(NOW)),
    }
}

/// 2026-03-01 12:00:00, the time of the tests.
pub(crate) const NOW: i64 = 1_772_366_400_000;

/// What decoding gave.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub rows: Vec<Vec<Value>>,
    pub records: Vec<usize>,
    pub bad: Vec<BadRecord>,
    pub ignored: u64,
    pub slices: Slices,
}

impl Decoded {
    pub fn first_fault(&self) -> String {
        self.bad.first().map_or(String::new(), |b| b.fault.to_string())
    }
}

/// Decodes all columns of a chunk; those of `want` are cut, the others are built behind.
pub(crate) fn decode_chunk(
    format: &dyn Format,
    spec: &DecoderSpec,
    chunks: &[RawChunk],
    want: &[usize],
) -> Result<Decoded, Fault> {
    let mut decoder = format.decoder(spec.clone())?;
    let mut all = Decoded {
        rows: Vec::new(),
        records: Vec::new(),
        bad: Vec::new(),
        ignored: 0,
        slices: Slices::default(),
    };
    let mut before = 0;
    for chunk in chunks {
        let mut bad = Vec::new();
        decoder.cut(chunk, want, &mut all.slices, &mut bad)?;
        for field in &all.slices.fields {
            assert_eq!(field.slices.len(), all.slices.rows);
        }
        let rows: UInt32Array = (0..all.slices.rows as u32).collect::<Vec<_>>().into();
        let mut columns = Vec::new();
        for i in &spec.read {
            match decoder.build(chunk, &all.slices, *i, &rows) {
                Ok(array) => {
                    let t = &spec.columns[*i].data_type;
                    assert_eq!(array.data_type(), &t.to_arrow());
                    assert_eq!(array.len(), rows.len());
                    columns
                        .push((0..array.len()).map(|r| Value::from_array(&array, r, t)).collect::<Vec<_>>());
                }
                Err(e) => return Err(e.fault),
            }
        }
        for row in 0..all.slices.rows {
            all.records.push(before + all.slices.record_of(row));
            all.rows.push(columns.iter().map(|c| c[row].clone()).collect());
        }
        all.bad.extend(bad.into_iter().map(|b| BadRecord { record: before + b.record, ..b }));
        before += chunk.records.len();
    }
    all.ignored = decoder.ignored();
    Ok(all)
}

/// Decodes lines.
pub(crate) fn decode(
    format: &dyn Format,
    columns: &[(&str, DataType)],
    pairs: &[(&str, &str)],
    lines: &[&str],
) -> Decoded {
    let records: Vec<&[u8]> = lines.iter().map(|l| l.as_bytes()).collect();
    let spec = spec(columns, pairs);
    let chunk = chunk(&records, b"\n");
    let first = decode_chunk(format, &spec, std::slice::from_ref(&chunk), &spec.read).unwrap();
    // Columns that are not cut give the same.
    let other = decode_chunk(format, &spec, &[chunk], &[]).unwrap();
    assert_eq!(first.rows, other.rows);
    assert_eq!(first.records, other.records);
    assert_eq!(first.ignored, other.ignored);
    first
}

/// Rows as text.
pub(crate) fn encode(
    format: &dyn Format,
    columns: &[(&str, DataType)],
    pairs: &[(&str, &str)],
    rows: &[Vec<Value>],
) -> Result<Vec<String>, Fault> {
    let schema =
        std::sync::Arc::new(Schema::new(columns.iter().map(|(n, t)| Field::new(*n, t.clone())).collect()));
    let mut encoder = format.encoder(EncoderSpec {
        schema: schema.clone(),
        options: options(pairs),
        zone: "UTC".into(),
    })?;
    let rows: Vec<_> = rows.iter().map(|r| (RowKind::Insert, r.clone())).collect();
    let mut out = Encoded::default();
    encoder.encode(&Batch::from_rows(schema, &rows)?, &mut out)?;
    assert_eq!(out.records.len(), rows.len());
    Ok(out
        .records
        .iter()
        .map(|r| String::from_utf8_lossy(&out.data[r.start as usize..r.end as usize]).into_owned())
        .collect())
}
