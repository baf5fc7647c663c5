//! Tables that a test feeds row by row.

use millstream::Session;
use millstream::types::{RowKind, Value};
use millstream_connectors::stepping::{Record, Step, SteppingHandle};

#[tokio::test]
async fn one_row_goes_all_the_way_through_before_the_next() {
    let handle = SteppingHandle::new();
    let [raw, of_rows] = handle.connectors();
    let mut session = Session::builder().connector(raw).connector(of_rows).build();
    let text = "CREATE TABLE a (n INT) WITH ('connector' = 'stepping', 'path' = 'a', 'format' = 'json');\n\
                CREATE TABLE b (n INT) WITH ('connector' = 'stepping', 'path' = 'b', 'format' = 'json');\n\
                CREATE TABLE o (n INT) WITH ('connector' = 'stepping-rows');\n\
                INSERT INTO o SELECT n FROM a WHERE n > 0 UNION ALL SELECT n * 10 FROM b";
    let mut plan = None;
    for statement in session.statements(text).unwrap() {
        if let millstream::StatementResult::Insert(p) = session.statement(&statement, text).await.unwrap() {
            plan = Some(*p);
        }
    }
    let job = session.start(plan.unwrap()).await.unwrap();
    let name = |t: &str| format!("default_catalog.default_database.{t}");
    let record = |n: i64| Record::Raw(format!("{{\"n\":{n}}}").into_bytes());
    let records = vec![
        (1, name("a"), record(1)),
        (2, name("b"), record(2)),
        (3, name("a"), record(-1)),
        (4, name("b"), record(3)),
        (5, name("a"), record(4)),
    ];
    let mut script = handle.script(&[&name("a"), &name("b")], records);
    let mut seen = Vec::new();
    loop {
        let step = script.step();
        handle.drained().await;
        while !job.is_drained() {
            tokio::task::yield_now().await;
        }
        match step {
            Step::Done => break,
            Step::Pushed { sequence, .. } => seen.push((sequence, handle.rows(&name("o")).len())),
            Step::Ended { .. } => {}
        }
    }
    assert_eq!(seen, [(1, 1), (2, 2), (3, 2), (4, 3), (5, 4)]);
    job.wait().await;
    let numbers: Vec<Vec<Value>> = handle
        .rows(&name("o"))
        .into_iter()
        .map(|(kind, row)| {
            assert_eq!(kind, RowKind::Insert);
            row
        })
        .collect();
    assert_eq!(numbers, [[Value::Int(1)], [Value::Int(20)], [Value::Int(30)], [Value::Int(4)]]);
}
