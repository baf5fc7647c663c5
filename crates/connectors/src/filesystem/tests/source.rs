use std::io::Write as _;

use millstream_flow::{Connector, Framing, Offset, RawChunk, Read, Source, Split};
use millstream_types::{DataType, Fault, FaultKind, Random, SeededRandom, TypeKind, Value};

use crate::filesystem::Filesystem;
use crate::testing::{TempDir, run, schema, source_spec};
use std::sync::Arc;

fn source(options: &[(&str, &str)]) -> Arc<dyn Source> {
    Filesystem.source(source_spec(schema(&[("a", DataType::string())]), options)).unwrap()
}

fn splits(source: &dyn Source) -> Vec<Split> {
    run(source.discover(&[])).unwrap()
}

/// All chunks of a split from an offset, each with the offset behind it.
fn read(source: &dyn Source, split: &Split, from: Option<&Offset>) -> Result<Vec<(RawChunk, Offset)>, Fault> {
    run(async {
        let mut reader = source.open(split, from).await?;
        let mut out = Vec::new();
        loop {
            match reader.next().await? {
                Read::Records(chunk) => out.push((chunk, reader.offset())),
                Read::Nothing => {}
                Read::End => return Ok(out),
                Read::Rows(_) => panic!("rows"),
            }
        }
    })
}

fn records(chunks: &[(RawChunk, Offset)]) -> Vec<Vec<u8>> {
    chunks.iter().flat_map(|(c, _)| (0..c.records.len()).map(|i| c.record(i).to_vec())).collect()
}

fn positions(chunks: &[(RawChunk, Offset)]) -> Vec<u64> {
    chunks.iter().flat_map(|(c, _)| (0..c.records.len()).map(|i| c.position(i))).collect()
}

fn all(source: &dyn Source) -> Vec<Vec<u8>> {
    splits(source).iter().flat_map(|s| records(&read(source, s, None).unwrap())).collect()
}

fn gzip(members: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for member in members {
        let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
        encoder.write_all(member).unwrap();
        encoder.finish().unwrap();
    }
    out
}

/// Lines of random lengths: some empty, a few long.
fn content(seed: u64, bytes: usize) -> Vec<u8> {
    let random = SeededRandom::new(seed);
    let mut out = Vec::new();
    while out.len() < bytes {
        let length = match random.next_u64() % 50 {
            0 => 0,
            1 => random.next_u64() % 20_000,
            _ => random.next_u64() % 300,
        };
        out.extend((0..length).map(|_| b'a' + (random.next_u64() % 26) as u8));
        out.extend_from_slice(if random.next_u64().is_multiple_of(4) { b"\r\n" } else { b"\n" });
    }
    out
}

fn plain_lines(data: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> =
        data.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l).to_vec()).collect();
    if data.ends_with(b"\n") || data.is_empty() {
        lines.pop();
    }
    lines
}

#[test]
fn files_of_a_directory_in_order() {
    let dir = TempDir::new();
    dir.file("b.txt", "3\n4");
    dir.file("a/z.txt", "1\r\n2\n");
    dir.file("c.txt", "");
    dir.file("_SUCCESS", "no");
    let source = source(&[("path", &dir.text())]);
    assert!(source.is_bounded() && source.reads_in_sequence());
    assert_eq!(all(&*source), [b"1", b"2", b"3", b"4"]);
    let known = splits(&*source);
    assert_eq!(known.len(), 3);
    dir.file("d.txt", "5");
    let fresh = run(source.discover(&known)).unwrap();
    assert_eq!(fresh.len(), 1);
    assert!(fresh[0].id.ends_with("/d.txt"));
}

#[test]
fn uris_and_monitoring() {
    let dir = TempDir::new();
    dir.file("a.txt", "1\n");
    let uri = format!("file://{}", dir.text());
    let monitored = source(&[("path", &uri), ("source.monitor-interval", "3 s")]);
    assert!(!monitored.is_bounded());
    assert_eq!(monitored.discovery_interval(), Some(3000));
    assert_eq!(all(&*monitored), [b"1"]);
    let refused = |options: &[(&str, &str)]| {
        Filesystem.source(source_spec(schema(&[("a", DataType::string())]), options)).unwrap_err()
    };
    assert_eq!(refused(&[("path", "s3://bucket/x")]).kind(), FaultKind::NotYet);
    assert_eq!(refused(&[]).code(), "missing-option");
    assert!(refused(&[("path", "file://a/b")]).remedy().unwrap().contains("file:///a/b"));
    assert_eq!(refused(&[("path", "/a"), ("source.compression", "lzma")]).code(), "bad-option");
    assert_eq!(refused(&[("path", "/a"), ("source.max-record-size", "3 gb")]).code(), "bad-option");
}

#[test]
fn resuming_from_every_offset_gives_the_rest() {
    let dir = TempDir::new();
    let data = content(1, 4 << 20);
    let expected = plain_lines(&data);
    dir.file("plain.log", &data);
    dir.file("members.log.gz", gzip(&[&data[..1_000_003], &data[1_000_003..]]));
    let mut frames = zstd::stream::encode_all(&data[..777_777], 1).unwrap();
    frames.extend(zstd::stream::encode_all(&data[777_777..], 1).unwrap());
    dir.file("frames.log.zst", frames);
    let source = source(&[("path", &dir.text())]);
    for split in splits(&*source) {
        let chunks = read(&*source, &split, None).unwrap();
        assert!(chunks.len() > 4, "{}", chunks.len());
        assert_eq!(records(&chunks), expected, "{}", split.id);
        assert_eq!(positions(&chunks), (1..=expected.len() as u64).collect::<Vec<_>>());
        for i in 0..chunks.len() {
            let rest = read(&*source, &split, Some(&chunks[i].1)).unwrap();
            assert_eq!(records(&rest), records(&chunks[i + 1..]), "{} from {}", split.id, chunks[i].1);
            assert_eq!(positions(&rest), positions(&chunks[i + 1..]));
        }
    }
}

#[test]
fn quoted_records_resume_with_their_lines() {
    let dir = TempDir::new();
    let mut text = String::new();
    for i in 0..30_000 {
        text.push_str(&if i % 7 == 0 { format!("{i},\"x\ny\n\"\n") } else { format!("{i},z\n") });
    }
    dir.file("a.csv", &text);
    let mut spec = source_spec(schema(&[("a", DataType::string())]), &[("path", &dir.text())]);
    spec.framing = Some(Framing::QuotedLines { delimiter: b"\n".to_vec(), quote: b'"', escape: None });
    let source = Filesystem.source(spec).unwrap();
    let split = &splits(&*source)[0];
    let chunks = read(&*source, split, None).unwrap();
    let numbers = positions(&chunks);
    assert_eq!((numbers.len(), &numbers[..4], numbers[8]), (30_000, &[1, 4, 5, 6][..], 13));
    let rest = read(&*source, split, Some(&chunks[0].1)).unwrap();
    assert_eq!(records(&rest), records(&chunks[1..]));
    assert_eq!(positions(&rest), positions(&chunks[1..]));
}

#[test]
fn an_offset_asked_for_while_skipping_is_the_one_to_go_on_from() {
    let dir = TempDir::new();
    let line = format!("{}\n", "x".repeat(999));
    dir.file("a.gz", gzip(&[line.repeat(40_000).as_bytes(), b"last\n"]));
    let source = source(&[("path", &dir.text())]);
    let split = &splits(&*source)[0];
    let from = Offset::of(&[("bytes", 40_000_000), ("line", 40_001)]);
    run(async {
        let mut reader = source.open(split, Some(&from)).await.unwrap();
        let mut waits = 0;
        loop {
            match reader.next().await.unwrap() {
                Read::Nothing => {
                    assert_eq!(reader.offset(), from);
                    waits += 1;
                }
                Read::Records(chunk) => {
                    assert_eq!((chunk.record(0), chunk.position(0)), (&b"last"[..], 40_001));
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(waits >= 2);
        assert!(matches!(reader.next().await.unwrap(), Read::End));
    });
}

#[test]
fn a_line_of_50_mb_and_one_too_many() {
    let dir = TempDir::new();
    let mut data = b"first\n".to_vec();
    data.resize(50 << 20, b'x');
    data.extend_from_slice(b"\nlast");
    let path = dir.file("a.txt", &data);
    let lines = all(&*source(&[("path", &dir.text())]));
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [5, (50 << 20) - 6, 4]);
    let small = source(&[("path", &dir.text()), ("source.max-record-size", "1 mb")]);
    let split = &splits(&*small)[0];
    let fault = run(async {
        let mut reader = small.open(split, None).await.unwrap();
        loop {
            match reader.next().await {
                Ok(Read::End) => panic!("no fault"),
                Ok(_) => {}
                Err(fault) => break fault,
            }
        }
    });
    assert_eq!(fault.place().unwrap(), format!("{}: line 2", path.display()));
    assert!(fault.remedy().unwrap().contains("source.max-record-size"));
}

#[test]
fn metadata_and_partition_columns() {
    let dir = TempDir::new();
    let path = dir.file("dt=2024-02-29/city=São%2FX/h=7/a.txt", "1\n");
    dir.file("dt=2024-02-29/city=__DEFAULT_PARTITION__/h=8/a.txt", "2\n");
    let columns = schema(&[
        ("a", DataType::string()),
        ("city", DataType::string()),
        ("h", DataType::int()),
        ("dt", TypeKind::Date.nullable()),
    ]);
    let mut spec = source_spec(columns.clone(), &[("path", &dir.text())]);
    spec.metadata = vec!["file.size".into(), "file.path".into(), "file.name".into()];
    spec.partition_keys = vec!["dt".into(), "city".into(), "h".into()];
    let source = Filesystem.source(spec).unwrap();
    let chunks: Vec<_> = splits(&*source).iter().flat_map(|s| read(&*source, s, None).unwrap()).collect();
    let day = Value::Int(19_782);
    let one = |v: Value| vec![v];
    assert_eq!(
        chunks[0].0.metadata,
        vec![
            ("file.size", one(Value::Int(2))),
            ("file.path", one(path.to_str().unwrap().into())),
            ("file.name", one("a.txt".into())),
            ("dt", one(day.clone())),
            ("city", one("São/X".into())),
            ("h", one(Value::Int(7))),
        ]
    );
    assert_eq!(chunks[1].0.metadata[4].1, one(Value::Null));
    dir.file("elsewhere.txt", "3");
    let fault = splits(&*source).iter().find_map(|s| read(&*source, s, None).err()).unwrap();
    assert_eq!(fault.code(), "bad-partition");
    let mut spec = source_spec(columns, &[("path", "/x")]);
    spec.metadata = vec!["file.owner".into()];
    assert_eq!(Filesystem.source(spec).unwrap_err().code(), "unknown-metadata");
}

#[test]
fn what_cannot_be_read_says_so() {
    let dir = TempDir::new();
    dir.file("a.gz", "this is not compressed");
    let whole = gzip(&[content(3, 1 << 20).as_slice()]);
    dir.file("b.gz", &whole[..whole.len() / 2]);
    dir.file("c.zst", &zstd::stream::encode_all(&content(4, 1 << 20)[..], 1).unwrap()[..1000]);
    dir.file("d.bz2", "x");
    let source = source(&[("path", &dir.text())]);
    let faults: Vec<Fault> = splits(&*source).iter().map(|s| read(&*source, s, None).unwrap_err()).collect();
    for fault in &faults[..3] {
        assert_eq!((fault.kind(), fault.code()), (FaultKind::User, "bad-compression"), "{fault}");
    }
    assert!(faults[1].to_string().contains("ends too early"), "{}", faults[1]);
    assert_eq!(faults[3].kind(), FaultKind::NotYet);
    // A file that went away, and one that shrank, since the checkpoint.
    let path = dir.file("e.txt", "1\n2\n3\n");
    let split = splits(&*source).pop().unwrap();
    let (_, offset) = read(&*source, &split, None).unwrap().pop().unwrap();
    std::fs::write(&path, "1\n").unwrap();
    assert_eq!(read(&*source, &split, Some(&offset)).unwrap_err().code(), "file-changed");
    std::fs::remove_file(&path).unwrap();
    let fault = read(&*source, &split, Some(&offset)).unwrap_err();
    assert_eq!(fault.code(), "file-not-found");
    assert!(fault.to_string().contains("e.txt"), "{fault}");
}

#[test]
fn a_java_pattern_chooses_whole_paths() {
    let dir = TempDir::new();
    for name in ["a/x1.csv", "a/x2.csv", "b/x1.csv", "b/x1.csv.bak"] {
        dir.file(name, format!("{name}\n"));
    }
    let chosen = |pattern: &str| {
        let options = [("path", &*dir.text()), ("source.path.regex-pattern", pattern)];
        all(&*source(&options)).into_iter().map(|r| String::from_utf8(r).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(chosen(r".*/x1\.csv"), ["a/x1.csv", "b/x1.csv"]);
    assert_eq!(chosen(r".*/a/x\d\.\p{Lower}+"), ["a/x1.csv", "a/x2.csv"]);
    assert!(chosen("x1").is_empty());
    let options = [("path", "/x"), ("source.path.regex-pattern", "(")];
    let fault = Filesystem.source(source_spec(schema(&[("a", DataType::string())]), &options)).unwrap_err();
    assert!(fault.to_string().contains("source.path.regex-pattern"), "{fault}");
}

#[test]
fn a_chosen_compression_wins_over_the_ending() {
    let dir = TempDir::new();
    dir.file("a.gz", "plain\n");
    assert_eq!(all(&*source(&[("path", &dir.text()), ("source.compression", "none")])), [b"plain"]);
    dir.file("a.gz", gzip(&[b"x\n"]));
    assert_eq!(all(&*source(&[("path", &dir.text()), ("source.compression", "gzip")])), [b"x"]);
}

#[test]
fn a_reader_stops_where_another_one_stands() {
    for (seed, packed, newline) in [(3, false, true), (4, false, false), (5, true, true)] {
        let dir = TempDir::new();
        let mut text = content(seed, 3 << 20);
        while text.last() == Some(&b'\n') {
            text.pop();
        }
        text.extend(if newline { &b"end\n"[..] } else { b"end" });
        let path = if packed { dir.file("a.gz", gzip(&[&text])) } else { dir.file("a.txt", &text) };
        let source = source(&[("path", path.to_str().unwrap())]);
        let split = splits(&*source).remove(0);
        let whole = read(&*source, &split, None).unwrap();
        assert!(whole.len() > 3);
        let expected = records(&whole);
        // Its chunks are others than those of the one that it follows: it begins elsewhere.
        let from = whole[0].1.clone();
        for (chunks, (_, end)) in whole.iter().enumerate().skip(1) {
            let seen = run(async {
                let mut reader = source.open(&split, Some(&from)).await.unwrap();
                assert!(
                    !reader.stop_at(Some(&Offset::of(&[("bytes", 1), ("line", 1)]))),
                    "behind it already"
                );
                assert!(reader.stop_at(Some(end)));
                let mut out = Vec::new();
                while reader.offset() != *end {
                    match reader.next().await.unwrap() {
                        Read::Records(chunk) => out.push((chunk, reader.offset())),
                        Read::Nothing => {}
                        other => panic!("{other:?}"),
                    }
                }
                assert!(matches!(reader.next().await.unwrap(), Read::Nothing));
                assert_eq!(source.order(&reader.offset(), end), Some(std::cmp::Ordering::Equal));
                let there = records(&out).len();
                assert!(reader.stop_at(None));
                loop {
                    match reader.next().await.unwrap() {
                        Read::Records(chunk) => out.push((chunk, reader.offset())),
                        Read::Nothing => {}
                        Read::End => break,
                        other => panic!("{other:?}"),
                    }
                }
                (there, records(&out))
            });
            let before = records(&whole[..1]).len();
            assert_eq!(before + seen.0, records(&whole[..=chunks]).len());
            assert!(seen.1 == expected[before..], "seed {seed}, {chunks} chunks");
        }
    }
}
