use std::sync::Arc;
use std::time::Duration;

use millstream_flow::{Connector, Offset, Read, Source, SplitReader};
use millstream_types::{Batch, DataType, RowKind, SchemaRef, Value};

use super::{Record, Step, SteppingHandle};
use crate::testing::{only_writer, run, schema, sink_spec, source_spec};

fn columns() -> SchemaRef {
    schema(&[("a", DataType::int())])
}

fn source(connector: &dyn Connector, table: &str) -> Arc<dyn Source> {
    let mut spec = source_spec(columns(), &[]);
    spec.table = table.into();
    connector.source(spec).unwrap()
}

async fn open(source: &dyn Source, from: Option<&Offset>) -> Box<dyn SplitReader> {
    let splits = source.discover(&[]).await.unwrap();
    source.open(&splits[0], from).await.unwrap()
}

fn raw(text: &str) -> Record {
    Record::Raw(text.as_bytes().to_vec())
}

async fn text(reader: &mut dyn SplitReader) -> String {
    match reader.next().await.unwrap() {
        Read::Records(chunk) => {
            assert_eq!(chunk.records.len(), 1);
            String::from_utf8(chunk.record(0).to_vec()).unwrap()
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn one_record_a_read_and_drained_when_it_asks_again() {
    let handle = SteppingHandle::new();
    let [connector, _] = handle.connectors();
    run(async {
        let source = source(&*connector, "default_catalog.default_database.t");
        handle.push("t", raw("1"));
        handle.push("t", raw("2"));
        assert!(!handle.is_drained());
        let mut reader = open(&*source, None).await;
        assert_eq!(text(&mut *reader).await, "1");
        assert_eq!(text(&mut *reader).await, "2");
        assert!(!handle.is_drained());
        let waiting = async {
            // A record that is pushed while the reader waits wakes it at once.
            handle.drained().await;
            handle.push("t", raw("3"));
        };
        let reading = async {
            assert_eq!(text(&mut *reader).await, "3");
            assert_eq!(text(&mut *reader).await, "Nothing");
        };
        let ((), ()) = both(waiting, reading).await;
        assert!(handle.is_drained());
        handle.end("t");
        assert!(!handle.is_drained());
        assert_eq!(text(&mut *reader).await, "End");
        assert!(handle.is_drained());
        drop(reader);
        assert!(handle.is_drained());
    });
}

async fn both<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>) -> (A, B) {
    let (mut a, mut b) = (Box::pin(a), Box::pin(b));
    let (mut x, mut y) = (None, None);
    std::future::poll_fn(|context| {
        use std::task::Poll;
        if x.is_none()
            && let Poll::Ready(v) = a.as_mut().poll(context)
        {
            x = Some(v);
        }
        if y.is_none()
            && let Poll::Ready(v) = b.as_mut().poll(context)
        {
            y = Some(v);
        }
        if x.is_some() && y.is_some() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    (x.unwrap(), y.unwrap())
}

#[test]
fn a_restored_reader_goes_on_and_dropped_futures_lose_nothing() {
    let handle = SteppingHandle::new();
    let [connector, _] = handle.connectors();
    run(async {
        let source = source(&*connector, "t");
        let mut reader = open(&*source, None).await;
        assert!(tokio::time::timeout(Duration::from_millis(5), reader.next()).await.is_err());
        for i in 0..5 {
            handle.push("t", raw(&i.to_string()));
        }
        assert_eq!(text(&mut *reader).await, "0");
        assert_eq!(text(&mut *reader).await, "1");
        let offset = reader.offset();
        assert_eq!(text(&mut *reader).await, "2");
        drop(reader);
        let mut again = open(&*source, Some(&offset)).await;
        assert_eq!(text(&mut *again).await, "2");
        assert!(!handle.is_drained());
    });
}

#[test]
fn rows_in_and_out() {
    let handle = SteppingHandle::new();
    let [raw_connector, connector] = handle.connectors();
    run(async {
        let rows = source(&*connector, "t");
        let mut reader = open(&*rows, None).await;
        handle.push("t", Record::Row(RowKind::Delete, vec![Value::Int(7)]));
        let Read::Rows(batch) = reader.next().await.unwrap() else { panic!() };
        assert_eq!((batch.kind(0), batch.row(0)), (RowKind::Delete, vec![Value::Int(7)]));
        handle.push("t", raw("x"));
        assert_eq!(reader.next().await.unwrap_err().code(), "wrong-record");
        let mut spec = sink_spec(columns(), &[]);
        spec.table = "out".into();
        let sink = connector.sink(spec).unwrap();
        let context = only_writer();
        let data = [(RowKind::Insert, vec![Value::Int(1)]), (RowKind::Delete, vec![Value::Int(1)])];
        let mut writer = sink.writer(&context).await.unwrap();
        writer.write(&Batch::from_rows(columns(), &data).unwrap()).await.unwrap();
        assert_eq!(handle.rows("out"), data);
    });
    assert!(raw_connector.sink(sink_spec(columns(), &[])).is_err());
    assert_eq!((raw_connector.card().name, raw_connector.card().format), ("stepping", true));
    assert_eq!((connector.card().name, connector.card().format), ("stepping-rows", false));
}

#[test]
fn a_script_feeds_tables_in_one_order() {
    let handle = SteppingHandle::new();
    let [connector, _] = handle.connectors();
    let records = vec![
        (3, "b".to_string(), raw("b3")),
        (1, "a".to_string(), raw("a1")),
        (2, "b".to_string(), raw("b2")),
        (4, "a".to_string(), raw("a4")),
    ];
    let mut script = handle.script(&["a", "b", "empty"], records);
    let pushed = |table: &str, sequence| Step::Pushed { table: table.into(), sequence };
    let ended = |table: &str| Step::Ended { table: table.into() };
    run(async {
        let mut readers = Vec::new();
        for table in ["a", "b", "empty"] {
            readers.push(open(&*source(&*connector, table), None).await);
        }
        let mut seen = Vec::new();
        let mut steps = Vec::new();
        loop {
            let step = script.step();
            if step == Step::Done {
                break;
            }
            steps.push(step);
            let mut rounds = 0;
            while !handle.is_drained() {
                rounds += 1;
                assert!(rounds < 5);
                for reader in &mut readers {
                    if let Read::Records(chunk) = reader.next().await.unwrap() {
                        seen.push(String::from_utf8(chunk.record(0).to_vec()).unwrap());
                    }
                }
            }
        }
        assert_eq!(seen, ["a1", "b2", "b3", "a4"]);
        let expected = vec![
            ended("empty"),
            pushed("a", 1),
            pushed("b", 2),
            pushed("b", 3),
            ended("b"),
            pushed("a", 4),
            ended("a"),
        ];
        assert_eq!(steps, expected);
    });
}
