//! Wide and deep conditions parse, bind, run and drop on a small stack.

use millstream::Session;

/// Stack of the thread that does everything: what a runtime gives its threads; twice that without optimisation, where frames are several times as
/// large.
const STACK: usize = if cfg!(debug_assertions) { 4 << 20 } else { 2 << 20 };

#[allow(clippy::disallowed_methods)] // the size of the stack is what is tested
fn on_a_small_stack(sql: String, expected: usize) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut session = Session::new();
            assert_eq!(crate::rows(&mut session, &sql).await.len(), expected);
        });
    });
    thread.unwrap().join().unwrap();
}

const ROWS: &str = "SELECT n FROM (VALUES (1), (9999), (20000)) AS t (n) WHERE ";

#[test]
fn ten_thousand_terms() {
    let terms: Vec<String> = (0..10_000).map(|i| format!("n = {i}")).collect();
    on_a_small_stack(format!("{ROWS}{}", terms.join(" OR ")), 2);
    let terms: Vec<String> = (0..10_000).map(|i| format!("CAST(n AS STRING) LIKE '%x{i}'")).collect();
    on_a_small_stack(format!("{ROWS}NOT ({})", terms.join(" OR ")), 3);
}

#[test]
fn five_hundred_levels() {
    on_a_small_stack(format!("{ROWS}{}n = 1{}", "(".repeat(500), ")".repeat(500)), 1);
    on_a_small_stack(format!("{ROWS}{}n = 1{}", "NOT (NOT (".repeat(250), "))".repeat(250)), 1);
    let mut condition = "n = 1".to_string();
    for i in 0..500 {
        condition = if i % 2 == 0 {
            format!("({condition} AND n > 0)")
        } else {
            format!("({condition} OR n = 9999)")
        };
    }
    on_a_small_stack(format!("{ROWS}{condition}"), 2);
}

#[test]
fn too_deep_is_said() {
    let mut session = None;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { session = Some(Session::new()) });
    let text = format!("{ROWS}{}n = 1{}", "(".repeat(100_000), ")".repeat(100_000));
    let faults = session.unwrap().check(&text);
    assert_eq!(faults[0].code(), "too-deep", "{faults:?}");
}
