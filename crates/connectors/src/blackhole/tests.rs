use millstream_flow::Connector;
use millstream_types::{DataType, Value};

use super::Blackhole;
use crate::testing::{batch, only_writer, run, schema, sink_spec, source_spec};

#[test]
fn rows_go_in_and_nothing_comes_out() {
    let columns = schema(&[("a", DataType::int())]);
    let sink = Blackhole.sink(sink_spec(columns.clone(), &[])).unwrap();
    run(async {
        let context = only_writer();
        let mut writer = sink.writer(&context).await.unwrap();
        writer.write(&batch(&columns, &[vec![Value::Int(1)]])).await.unwrap();
        assert!(writer.prepare(1).await.unwrap().is_empty());
        writer.abort().await.unwrap();
    });
    assert!(sink.committer().is_none());
    assert!(Blackhole.source(source_spec(columns, &[])).is_err());
}
