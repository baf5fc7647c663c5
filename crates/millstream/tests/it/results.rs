//! Results, faults, and what is handed in.

use std::pin::Pin;
use std::sync::Arc;

use millstream::types::{FaultKind, ManualClock, RowKind, Value};
use millstream::{Completion, Session, StatementResult};

use crate::rows;

#[tokio::test]
async fn rows_come_as_a_stream_of_batches() {
    use futures_core::Stream;
    let mut session = Session::new();
    let mut rows = session.query("SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t (n, s)").await.unwrap();
    assert_eq!(
        rows.schema().fields.iter().map(|f| f.data_type.to_string()).collect::<Vec<_>>(),
        ["INT NOT NULL", "CHAR(1) NOT NULL"]
    );
    let mut found = Vec::new();
    while let Some(batch) = std::future::poll_fn(|c| Pin::new(&mut rows).poll_next(c)).await {
        let batch = batch.unwrap();
        found.extend((0..batch.rows).map(|r| (batch.kind(r), batch.row(r))));
        assert_eq!(batch.to_arrow().unwrap().num_columns(), 2);
    }
    assert_eq!(found.len(), 2);
    assert_eq!(found[1], (RowKind::Insert, vec![Value::Int(2), Value::from("b")]));
}

#[tokio::test]
async fn time_is_handed_in() {
    let mut session = Session::builder().clock(Arc::new(ManualClock::new(1_000))).build();
    let found = rows(&mut session, "SELECT CAST(CURRENT_TIMESTAMP AS STRING)").await;
    assert_eq!(found[0].1, [Value::from("1970-01-01 00:00:01.000")]);
}

#[tokio::test]
async fn all_faults_of_a_text_are_told_before_anything_runs() {
    let mut session = Session::new();
    let text = "SELECT a FROM nope;\nSELEC 1;\nSELECT COUNT(*) FROM (VALUES (1)) AS t (a)";
    let faults = session.check(text);
    assert_eq!(faults.iter().map(|f| f.span().unwrap().line_column(text).0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(faults[2].kind(), FaultKind::NotYet);
    assert!(session.execute(text).await.is_err());
}

#[tokio::test]
async fn a_failing_row_names_function_and_place() {
    let mut session = Session::new();
    let rows = session.query("SELECT CAST(s AS INT) FROM (VALUES ('1'), ('x')) AS t (s)").await.unwrap();
    let fault = rows.collect().await.unwrap_err();
    assert_eq!(fault.kind(), FaultKind::User);
    assert!(fault.to_string().contains("'x'") && fault.to_string().contains("INT"), "{fault}");
}

#[tokio::test]
async fn inserts_are_planned_merged_and_run_as_one_job() {
    let mut session = Session::new();
    let text = "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '10', 'fields.n.kind' = 'sequence', \
                'fields.n.start' = '1', 'fields.n.end' = '10', 'rows-per-second' = '100000');\n\
                CREATE TABLE x (n BIGINT) WITH ('connector' = 'blackhole');\n\
                INSERT INTO x SELECT n FROM g WHERE n > 5;\nINSERT INTO x SELECT n FROM g WHERE n = 1;";
    let mut plans = Vec::new();
    for statement in session.statements(text).unwrap() {
        if let StatementResult::Insert(plan) = session.statement(&statement, text).await.unwrap() {
            plans.push(*plan);
        }
    }
    assert_eq!(plans.len(), 2);
    let job = session.start(Session::merge(plans)).await.unwrap();
    let report = job.wait().await;
    assert!(matches!(report.completion, Completion::Finished));
    let counts: Vec<u64> = report.progress.sinks.iter().map(|s| millstream::Progress::get(&s.rows)).collect();
    assert_eq!(counts, [5, 1]);
    assert_eq!(millstream::Progress::get(&report.progress.records), 10, "the source is read once");
}

#[tokio::test]
async fn dropping_the_rows_stops_the_query() {
    let mut session = Session::new();
    let mut endless = session.query("CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000'); SELECT n FROM g").await.unwrap();
    assert!(endless.next().await.unwrap().is_some());
    drop(endless);
    assert_eq!(rows(&mut session, "SELECT 1").await.len(), 1);
}

#[tokio::test]
async fn an_insert_that_fails_before_a_select_is_told() {
    let mut session = Session::new();
    let text = "CREATE TABLE b (n INT) WITH ('connector' = 'blackhole');\n\
                INSERT INTO b SELECT CAST(s AS INT) FROM (VALUES ('x')) AS t (s);\nSELECT 1";
    let fault = session.query(text).await.unwrap_err();
    assert!(fault.to_string().contains("'x'"), "{fault}");
}

#[tokio::test]
async fn a_cast_that_would_fill_memory_is_refused() {
    let mut session = Session::new();
    let rows = session.query("SELECT CAST('42' AS CHAR(1583000000))").await.unwrap();
    let fault = rows.collect().await.unwrap_err();
    assert_eq!((fault.kind(), fault.code()), (FaultKind::User, "too-large"));
}
