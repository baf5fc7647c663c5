use std::io::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use millstream_flow::{Connector, Offset, Read, Sink, Source};
use millstream_types::{DataType, Value};

use super::sink::StdoutSink;
use super::source::StdinSource;
use super::{Stdin, Stdout};
use crate::terminal::Remembered;
use crate::testing::{batch, only_writer, run, schema, sink_spec, source_spec};

/// A pipe: blocks until its other end sends, ends when that is dropped.
struct Pipe {
    receiver: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl std::io::Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.receiver.recv().unwrap_or_default();
        }
        let count = std::io::Read::read(&mut self.rest.as_slice(), buffer)?;
        self.rest.drain(..count);
        Ok(count)
    }
}

#[test]
fn lines_come_as_they_are_piped_and_waits_are_short() {
    let (sender, receiver) = channel();
    let spec = source_spec(schema(&[("a", DataType::string())]), &[]);
    let source = StdinSource::new(&spec, Box::new(Pipe { receiver, rest: Vec::new() })).unwrap();
    assert!(source.is_bounded());
    run(async {
        let splits = source.discover(&[]).await.unwrap();
        let mut reader = source.open(&splits[0], None).await.unwrap();
        sender.send(b"one\ntw".to_vec()).unwrap();
        let Read::Records(chunk) = reader.next().await.unwrap() else { panic!() };
        assert_eq!((chunk.records.len(), chunk.record(0), chunk.position(0)), (1, &b"one"[..], 1));
        // Nothing comes: it says so, and dropping its future loses nothing.
        assert!(matches!(reader.next().await.unwrap(), Read::Nothing));
        drop(reader.next());
        let waiting = tokio::time::timeout(std::time::Duration::from_millis(5), reader.next()).await;
        assert!(waiting.is_err());
        sender.send(b"o\nthree".to_vec()).unwrap();
        let Read::Records(chunk) = reader.next().await.unwrap() else { panic!() };
        assert_eq!((chunk.record(0), chunk.position(0)), (&b"two"[..], 2));
        assert_eq!(reader.offset(), Offset::of(&[("line", 3)]));
        drop(sender);
        let Read::Records(chunk) = reader.next().await.unwrap() else { panic!() };
        assert_eq!(chunk.record(0), b"three");
        assert!(matches!(reader.next().await.unwrap(), Read::End));
        assert!(matches!(reader.next().await.unwrap(), Read::End));
    });
}

#[test]
fn large_input_comes_whole() {
    let mut data = Vec::new();
    for i in 0..400_000 {
        writeln!(data, "line {i}").unwrap();
    }
    let spec = source_spec(schema(&[("a", DataType::string())]), &[]);
    let source = StdinSource::new(&spec, Box::new(std::io::Cursor::new(data.clone()))).unwrap();
    run(async {
        let splits = source.discover(&[]).await.unwrap();
        let mut reader = source.open(&splits[0], None).await.unwrap();
        let (mut count, mut read) = (0, Vec::new());
        loop {
            match reader.next().await.unwrap() {
                Read::Records(chunk) => {
                    count += chunk.records.len();
                    read.extend_from_slice(&chunk.data);
                }
                Read::End => break,
                _ => {}
            }
        }
        assert_eq!(count, 400_000);
        assert!(read == data);
    });
}

#[test]
fn a_line_over_the_limit_names_its_line() {
    let spec = source_spec(schema(&[("a", DataType::string())]), &[("source.max-record-size", "10 b")]);
    let source = StdinSource::new(&spec, Box::new(&b"a\n0123456789a\n"[..])).unwrap();
    let fault = run(async {
        let splits = source.discover(&[]).await.unwrap();
        source.open(&splits[0], None).await.unwrap().next().await.unwrap_err()
    });
    assert_eq!(fault.place(), Some("stdin: line 2"));
}

#[test]
fn encoded_records_go_out() {
    let columns = schema(&[("a", DataType::int()), ("b", DataType::string())]);
    let terminal = Arc::new(Remembered::default());
    let sink = StdoutSink::on(terminal.clone(), sink_spec(columns.clone(), &[])).unwrap();
    run(async {
        let context = only_writer();
        let mut writer = sink.writer(&context).await.unwrap();
        for i in 0..3 {
            writer.write(&batch(&columns, &[vec![Value::Int(i), "x".into()]])).await.unwrap();
        }
    });
    assert_eq!(*terminal.0.lock().unwrap(), b"0|x\n1|x\n2|x\n");
    assert!(Stdout.source(source_spec(columns.clone(), &[])).is_err());
    assert!(Stdin.sink(sink_spec(columns, &[])).is_err());
}
