//! How many records a CPU-second the JSON decoder and encoder do: `cargo bench -p millstream-formats`.
//!
//! The events have 18 fields and are about 414 bytes long, half of them with backslashes; a file of others can be named in
//! `MILLSTREAM_BENCH_FILE`. What counts is the ratio of the lines to each other: machines differ.

use std::hint::black_box;
use std::sync::Arc;

use arrow::array::UInt32Array;
use bytes::Bytes;
use millstream_flow::{DecoderSpec, Encoded, EncoderSpec, FieldSpec, Options, RawChunk, RecordSpan};
use millstream_types::{Batch, DataType, Fault, Field, Random, Schema, SeededRandom, Slices, TypeKind};

fn columns() -> Vec<(&'static str, DataType)> {
    let (s, i, l) = (DataType::string, DataType::int, DataType::bigint);
    vec![
        ("id", l()),
        ("ts", TypeKind::timestamp(3).nullable()),
        ("event_type", s()),
        ("host", s()),
        ("user", s()),
        ("src_ip", s()),
        ("dst_ip", s()),
        ("dst_port", i()),
        ("proc_path", s()),
        ("cmdline", s()),
        ("pid", i()),
        ("method", s()),
        ("url", s()),
        ("user_agent", s()),
        ("status", i()),
        ("bytes", l()),
        ("success", DataType::boolean()),
        ("asset", l()),
    ]
}

/// Security events of the shape the product is made for.
fn events(count: usize) -> Vec<u8> {
    let random = SeededRandom::new(42);
    let word = || {
        let mut r = random.next_u64();
        let mut w = String::new();
        for _ in 0..5 + r % 5 {
            r /= 7;
            w.push(char::from(b'a' + (r % 26) as u8));
        }
        w
    };
    let mut out = String::new();
    for id in 0..count {
        let r = random.next_u64();
        let ip = |x: u64| format!("\"10.{}.{}.{}\"", x & 31, x >> 8 & 255, x >> 16 & 255);
        let (http, process) = (r & 7 < 4, r & 7 == 5);
        let or_null = |on: bool, text: String| if on { text } else { "null".to_string() };
        let (a, b, c, d, e) = (word(), word(), word(), word(), word());
        let (path, command) = if r >> 20 & 1 == 1 {
            (
                format!("C:\\\\Program Files\\\\{a}\\\\{b}.exe"),
                format!("{b}.exe /{c} --{d}=C:\\\\Users\\\\Public\\\\{e} -p {a} --id={}", r >> 44),
            )
        } else {
            (format!("/usr/{a}/{b}"), format!("{b} --{c}={d} /var/lib/{e}/{a} --id={}", r >> 44))
        };
        out.push_str(&format!(
            "{{\"id\":{id},\"ts\":\"2024-05-01 {:02}:{:02}:{:02}.{:03}\",\"event_type\":\"{}\",\"host\":\"host-{:05}\",\"user\":\"{a}\",\"src_ip\":{},\"dst_ip\":{},\
             \"dst_port\":{},\"proc_path\":\"{path}\",\"cmdline\":{},\"pid\":{},\"method\":{},\"url\":{},\"user_agent\":{},\"status\":{},\"bytes\":{},\"success\":{},\"asset\":{}}}\n",
            id / 3_600_000 % 24,
            id / 60_000 % 60,
            id / 1000 % 60,
            id % 1000,
            if http { "http" } else if process { "process_start" } else { "net_conn" },
            r >> 9 & 16383,
            ip(r),
            or_null(!process, ip(r >> 24)),
            or_null(!process, "443".to_string()),
            or_null(!http, format!("\"{command}\"")),
            r >> 30 & 32767,
            or_null(http, "\"GET\"".to_string()),
            or_null(http, format!("\"https://{a}.example.com/{b}/{c}?id={}&{d}={e}\"", r >> 50)),
            or_null(http, "\"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/124.0\"".to_string()),
            or_null(http, "200".to_string()),
            r >> 32 & 0xFFFFF,
            or_null(!http && !process, "true".to_string()),
            r >> 3 & 0xFFFFF,
        ));
    }
    out.into_bytes()
}

fn chunks(data: Vec<u8>) -> Vec<RawChunk> {
    let data = Bytes::from(data);
    let mut out = Vec::new();
    let mut from = 0;
    while from < data.len() {
        let end = data.len().min(from + (1 << 20));
        let end = memchr::memrchr(b'\n', data.get(from..end).unwrap_or_default())
            .map_or(data.len(), |i| from + i + 1);
        let part = data.slice(from..end);
        let mut records = Vec::new();
        let mut start = 0;
        for at in memchr::memchr_iter(b'\n', &part) {
            records.push(RecordSpan { start, end: at as u32 });
            start = at as u32 + 1;
        }
        out.push(RawChunk { data: part, records, ..RawChunk::default() });
        from = end;
    }
    out
}

/// Nanoseconds that this thread was on a CPU.
fn cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|t| t.parse().ok()).unwrap_or(0)
}

/// Prints the best of several runs, in records a CPU-second.
fn measure(
    name: &str,
    records: usize,
    bytes: usize,
    mut run: impl FnMut() -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut best = u64::MAX;
    for _ in 0..7 {
        let before = cpu();
        run()?;
        best = best.min(cpu() - before);
    }
    let seconds = best.max(1) as f64 / 1e9;
    println!(
        "{name:44} {:8.0} k records/CPU-s {:6.2} GB/s {:7.1} ns",
        records as f64 / seconds / 1e3,
        bytes as f64 / seconds / 1e9,
        seconds * 1e9 / records as f64
    );
    Ok(())
}

fn main() -> Result<(), Fault> {
    let data = match std::env::var("MILLSTREAM_BENCH_FILE") {
        Ok(path) => std::fs::read(&path).map_err(|e| Fault::external("read", format!("{path}: {e}")))?,
        Err(_) => events(100_000),
    };
    let bytes = data.len();
    let chunks = chunks(data);
    let records: usize = chunks.iter().map(|c| c.records.len()).sum();
    println!("{records} records of {} bytes", bytes / records.max(1));
    let columns = columns();
    let position = |name: &str| columns.iter().position(|c| c.0 == name).unwrap_or(0);
    let spec = |read: &[&str], pairs: &[(&str, &str)]| DecoderSpec {
        columns: columns
            .iter()
            .map(|(n, t)| FieldSpec { name: (*n).into(), data_type: t.clone(), paths: Vec::new() })
            .collect(),
        read: read.iter().map(|n| position(n)).collect(),
        options: pairs.iter().copied().collect(),
        zone: "UTC".into(),
        clock: std::sync::Arc::new(millstream_types::ManualClock::default()),
    };
    let json = millstream_formats::format("json")?;
    let all: Vec<&str> = columns.iter().map(|c| c.0).collect();
    let alert = ["ts", "host", "user", "cmdline", "url"];

    measure("limit: is the chunk ASCII", records, bytes, || {
        chunks.iter().for_each(|c| {
            black_box(c.data.is_ascii());
        });
        Ok(())
    })?;
    for (name, read, want, pairs) in [
        ("cut 1, read 1", &["cmdline"][..], &["cmdline"][..], &[][..]),
        ("cut 2, read 2", &["cmdline", "url"], &["cmdline", "url"], &[]),
        ("cut 1, read 5 with ts", &alert, &["cmdline"], &[]),
        ("cut 5, read 5 with ts", &alert, &alert, &[]),
        ("cut 1, read 18", &all, &["cmdline"], &[]),
        ("cut 18, read 18", &all, &all, &[]),
        ("cut 1, read 1, validate=needed", &["cmdline"], &["cmdline"], &[("validate", "needed")]),
    ] {
        let mut decoder = json.decoder(spec(read, pairs))?;
        let want: Vec<usize> = want.iter().map(|n| position(n)).collect();
        let (mut slices, mut bad) = (Slices::default(), Vec::new());
        measure(name, records, bytes, || {
            let mut rows = 0;
            for chunk in &chunks {
                decoder.cut(chunk, &want, &mut slices, &mut bad)?;
                rows += slices.rows;
            }
            assert_eq!((rows, bad.len()), (records, 0));
            Ok(())
        })?;
    }
    let schema = Arc::new(Schema::new(columns.iter().map(|(n, t)| Field::new(*n, t.clone())).collect()));
    let mut decoder = json.decoder(spec(&all, &[]))?;
    let want: Vec<usize> = (0..columns.len()).collect();
    let (mut slices, mut bad) = (Slices::default(), Vec::new());
    let mut batches = Vec::new();
    measure("cut 18, build 18", records, bytes, || {
        batches.clear();
        for chunk in &chunks {
            decoder.cut(chunk, &want, &mut slices, &mut bad)?;
            let rows: UInt32Array = (0..slices.rows as u32).collect::<Vec<_>>().into();
            let mut arrays = Vec::new();
            for column in &want {
                arrays.push(decoder.build(chunk, &slices, *column, &rows).map_err(|b| b.fault)?);
            }
            batches.push(Batch::new(schema.clone(), arrays, slices.rows));
        }
        Ok(())
    })?;
    let mut encoder =
        json.encoder(EncoderSpec { schema, options: Options::default(), zone: "UTC".into() })?;
    let mut out = Encoded::default();
    measure("encode 18", records, bytes, || {
        for batch in &batches {
            out.clear();
            encoder.encode(batch, &mut out)?;
        }
        Ok(())
    })
}
