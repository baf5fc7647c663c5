use millstream_types::{Random, SeededRandom};

use super::*;

fn lines(delimiter: &[u8]) -> Framing {
    Framing::Lines { delimiter: delimiter.to_vec() }
}

fn quoted(escape: Option<u8>) -> Framing {
    Framing::QuotedLines { delimiter: b"\n".to_vec(), quote: b'"', escape }
}

/// Feeds `data` in random pieces, taking chunks at random moments.
fn frame(framing: &Framing, data: &[u8], random: &SeededRandom) -> (Vec<Vec<u8>>, Vec<u64>) {
    let mut framer = Framer::new(framing, DEFAULT_MAX_RECORD, 1, BufferPool::default());
    let (mut records, mut numbers) = (Vec::new(), Vec::new());
    let mut collect = |frame: Frame| {
        for (i, span) in frame.records.iter().enumerate() {
            records.push(frame.data[span.start as usize..span.end as usize].to_vec());
            numbers.push(frame.lines.get(i).copied().unwrap_or(frame.first_line + i as u64));
        }
    };
    let mut rest = data;
    while !rest.is_empty() {
        let space = framer.space();
        let count = (1 + random.next_u64() as usize % 9).min(space.len()).min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        rest = &rest[count..];
        framer.advance(count).unwrap();
        if random.next_u64().is_multiple_of(3)
            && let Some(frame) = framer.take()
        {
            collect(frame);
        }
    }
    framer.finish().unwrap();
    if let Some(frame) = framer.take() {
        collect(frame);
    }
    assert!(framer.take().is_none());
    (records, numbers)
}

fn texts(framing: &Framing, data: &str) -> Vec<String> {
    let random = SeededRandom::new(data.len() as u64);
    frame(framing, data.as_bytes(), &random).0.into_iter().map(|r| String::from_utf8(r).unwrap()).collect()
}

#[test]
fn lines_and_their_ends() {
    assert_eq!(texts(&lines(b"\n"), "a\nb\n"), ["a", "b"]);
    assert_eq!(texts(&lines(b"\n"), "a\r\n\r\nb\r"), ["a", "", "b"]);
    assert_eq!(texts(&lines(b"\n"), "a\n\nb"), ["a", "", "b"]);
    assert_eq!(texts(&lines(b"\n"), ""), Vec::<String>::new());
    assert_eq!(texts(&lines(b"\n"), "\n"), [""]);
    assert_eq!(texts(&lines(b"||"), "a|b||c||"), ["a|b", "c"]);
    assert_eq!(texts(&lines(b"aab"), "aaaabxaab"), ["aa", "x"]);
    assert_eq!(texts(&lines("→".as_bytes()), "x→y\r\n→z"), ["x", "y\r\n", "z"]);
}

#[test]
fn quotes_protect_delimiters() {
    assert_eq!(texts(&quoted(None), "a,\"b\nc\"\nd"), ["a,\"b\nc\"", "d"]);
    assert_eq!(texts(&quoted(None), "\"a\"\"\n\"\r\nd\n"), ["\"a\"\"\n\"", "d"]);
    assert_eq!(texts(&quoted(Some(b'\\')), "\"a\\\"\nb\"\nc\n"), ["\"a\\\"\nb\"", "c"]);
    assert_eq!(texts(&quoted(Some(b'\\')), "a\\\nb\n"), ["a\\", "b"]);
    let wide = Framing::QuotedLines { delimiter: b"\r\n".to_vec(), quote: b'\'', escape: None };
    assert_eq!(texts(&wide, "a\rb\r\n'x\r\ny'\r\n"), ["a\rb", "'x\r\ny'"]);
    let (_, numbers) = frame(&quoted(None), b"a\n\"b\n\nc\"\nd\ne\n", &SeededRandom::new(3));
    assert_eq!(numbers, [1, 2, 5, 6]);
}

#[test]
fn a_quote_within_a_field_opens_nothing() {
    let fields =
        Framing::QuotedFields { delimiter: b"\n".to_vec(), separator: b',', quote: b'"', escape: None };
    assert_eq!(texts(&fields, "5\" pipe,x\n7\"\n"), ["5\" pipe,x", "7\""]);
    assert_eq!(texts(&fields, "\"a\n\"\"b\",\"c\nd\"\n\",\"\nx"), ["\"a\n\"\"b\",\"c\nd\"", "\",\"", "x"]);
    assert_eq!(texts(&fields, "\"\"\n\"\"\"\n\"\n\"open\n"), ["\"\"", "\"\"\"\n\"", "\"open\n"]);
    assert_eq!(texts(&quoted(None), "5\" pipe,x\n7\"\n"), ["5\" pipe,x\n7\""]);
}

#[test]
fn any_pieces_give_the_same_records() {
    for seed in 0..300 {
        let random = SeededRandom::new(seed);
        let delimiter: &[u8] = [&b"\n"[..], b"ab", b"||", b"aab"][seed as usize % 4];
        let alphabet = b"ab|\nx";
        let data: Vec<u8> =
            (0..random.next_u64() % 400).map(|_| alphabet[random.next_u64() as usize % 5]).collect();
        let mut expected: Vec<Vec<u8>> = Vec::new();
        let mut rest = &data[..];
        while let Some(at) = rest.windows(delimiter.len()).position(|w| w == delimiter) {
            expected.push(rest[..at].to_vec());
            rest = &rest[at + delimiter.len()..];
        }
        if !rest.is_empty() {
            expected.push(rest.to_vec());
        }
        let (records, numbers) = frame(&lines(delimiter), &data, &random);
        assert_eq!(records, expected, "seed {seed}");
        assert_eq!(numbers, (1..=expected.len() as u64).collect::<Vec<_>>());
    }
}

/// What a byte-by-byte reading of the quoting rules gives.
fn plainly_quoted(data: &[u8], escape: Option<u8>) -> Vec<Vec<u8>> {
    let (mut out, mut record, mut inside) = (Vec::new(), Vec::new(), false);
    let mut bytes = data.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        if b == b'\n' && !inside {
            if record.last() == Some(&b'\r') {
                record.pop();
            }
            out.push(std::mem::take(&mut record));
            continue;
        }
        record.push(b);
        if b == b'"' {
            inside = !inside;
        } else if inside && Some(b) == escape {
            record.extend(bytes.next());
        }
    }
    if !record.is_empty() {
        if record.last() == Some(&b'\r') {
            record.pop();
        }
        out.push(record);
    }
    out
}

#[test]
fn any_pieces_give_the_same_quoted_records() {
    for seed in 0..300 {
        let random = SeededRandom::new(seed);
        let escape = seed.is_multiple_of(2).then_some(b'\\');
        let alphabet = b"ab\n\"\\\rx\n";
        let data: Vec<u8> =
            (0..random.next_u64() % 300).map(|_| alphabet[random.next_u64() as usize % 8]).collect();
        let (records, _) = frame(&quoted(escape), &data, &random);
        assert_eq!(records, plainly_quoted(&data, escape), "seed {seed}");
    }
}

#[test]
fn a_record_over_the_limit_is_a_fault_with_its_line() {
    let mut framer = Framer::new(&lines(b"\n"), 10, 1, BufferPool::default());
    let data = b"0123456789\r\n01234567890";
    framer.space()[..data.len()].copy_from_slice(data);
    framer.advance(data.len()).unwrap();
    let oversized = framer.finish().unwrap_err();
    assert_eq!(oversized, Oversized { line: 2 });
    assert!(oversized.fault(10).to_string().contains("line 2"));
    let mut framer = Framer::new(&lines(b"\n"), 10, 1, BufferPool::default());
    framer.space()[..13].copy_from_slice(b"0123456789012");
    assert!(framer.advance(13).is_err());
}

#[test]
fn a_large_record_grows_its_chunk_and_buffers_come_back() {
    let pool = BufferPool::default();
    let mut framer = Framer::new(&lines(b"\n"), DEFAULT_MAX_RECORD, 1, pool.clone());
    let mut data = vec![b'x'; 50 << 20];
    data.extend_from_slice(b"\nshort\n");
    let mut rest = &data[..];
    while !rest.is_empty() {
        let space = framer.space();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        rest = &rest[count..];
        framer.advance(count).unwrap();
    }
    let frame = framer.take().unwrap();
    assert_eq!(frame.records.len(), 2);
    assert_eq!(frame.records[0], RecordSpan { start: 0, end: 50 << 20 });
    drop(frame);
    // The grown buffer is let go, ordinary ones are used again.
    framer.space()[..2].copy_from_slice(b"a\n");
    framer.advance(2).unwrap();
    let frame = framer.take().unwrap();
    let address = frame.data.as_ptr();
    drop(frame);
    let again = pool.get(1);
    assert_eq!(again.as_ptr(), address);
}
