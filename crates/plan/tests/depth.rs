//! Long and deep texts: ten thousand terms are one level, five hundred levels are no overflow.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

mod cards;

use millstream_plan::JobPlan;
use millstream_plan::statement::{Planned, SessionState};
use millstream_types::Fault;

const TABLE: &str = "CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'datagen');";

fn plan(query: &str) -> Result<JobPlan, Fault> {
    let mut state: SessionState = cards::session();
    let text = format!("{TABLE}\n{query}");
    let (statements, faults) = millstream_sql::parse_script(&text);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    let mut last = None;
    for statement in &statements {
        if let Planned::Query(plan) = state.execute(statement, &text)? {
            last = Some(*plan);
        }
    }
    last.ok_or_else(|| Fault::internal("no query"))
}

#[test]
fn ten_thousand_terms() {
    for word in ["OR", "AND"] {
        let terms: Vec<String> = (0..10_000).map(|i| format!("a <> {i}")).collect();
        let start = std::time::Instant::now();
        let plan = plan(&format!("SELECT b FROM t WHERE {}", terms.join(&format!(" {word} ")))).unwrap();
        println!("{word}: {:?}", start.elapsed());
        assert_eq!(plan.nodes.len(), 2, "the condition is in the scan");
        assert!(millstream_plan::explain_text(&plan, Default::default()).len() < 10_000);
    }
    let items: Vec<String> = (0..10_000).map(|i| i.to_string()).collect();
    plan(&format!("SELECT b FROM t WHERE a IN ({})", items.join(", "))).unwrap();
    let sum: Vec<&str> = std::iter::repeat_n("a", 10_000).collect();
    // A chain of additions is a tree as deep as it is long: bound, or refused, but never an overflow.
    let _ = plan(&format!("SELECT {} FROM t", sum.join(" + ")));
}

#[test]
fn five_hundred_levels() {
    let times = |n: usize, open: &str, close: &str| format!("{}a = 1{}", open.repeat(n), close.repeat(n));
    plan(&format!("SELECT b FROM t WHERE {}", times(500, "(", ")"))).unwrap();
    plan(&format!("SELECT b FROM t WHERE {}", times(500, "NOT (", ")"))).unwrap();
    plan(&format!("SELECT b FROM t WHERE {}", times(240, "(b = 'x' OR a = 2 AND (", "))"))).unwrap();
    plan(&format!("SELECT {}a{} FROM t", "ABS(".repeat(120), ")".repeat(120))).unwrap();
    // Deeper than the limit: a fault, not an overflow.
    let deep = format!("SELECT b FROM t WHERE {}a = 1{}", "NOT (".repeat(5000), ")".repeat(5000));
    assert!(plan(&deep).is_err());
}

#[test]
fn queries_in_queries() {
    let nested = |n: usize| format!("{}SELECT a FROM t{}", "SELECT a FROM (".repeat(n), ")".repeat(n));
    plan(&nested(38)).unwrap();
    let _ = plan(&nested(500));
}

#[test]
fn views_on_views() {
    let mut text = String::new();
    for i in 0..60 {
        let below = if i == 0 { "t".to_string() } else { format!("v{}", i - 1) };
        // Each view names the one below twice: bound once, or this would be 2^60 tables.
        text.push_str(&format!(
            "CREATE TEMPORARY VIEW v{i} AS SELECT a, b FROM {below} WHERE a > {i} UNION ALL SELECT a, b FROM {below} WHERE a < {i};\n"
        ));
    }
    let small: String = text.lines().take(8).map(|l| format!("{l}\n")).collect();
    plan(&format!("{small}SELECT b FROM v7 WHERE a = 3")).unwrap();
}
