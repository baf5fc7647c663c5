//! Long and deep texts on a thread with a stack of 2 MB: chains of any length are read, deep ones up to the limit, what
//! is deeper is a fault, and nothing overflows the stack or hangs.

// A test that stops at once says best what is wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use millstream_sql::ast::{ExprKind, QueryKind, Statement};
use millstream_sql::{parse_data_type, parse_expression, parse_script, parse_statement};

fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}

/// Reads, clones, compares, prints and drops.
fn used(text: &str) -> ExprKind {
    let expr = parse_expression(text).unwrap();
    assert!(expr.clone() == expr);
    assert!(!format!("{expr:?}").is_empty());
    expr.kind
}

fn too_deep(text: &str) {
    let fault = parse_expression(text).unwrap_err();
    assert_eq!(fault.code(), "too-deep", "{}: {fault:?}", &text[..40.min(text.len())]);
    let (_, faults) = parse_script(&format!("SELECT {text} FROM t; SELECT 1"));
    assert_eq!(faults.len(), 1);
    assert!(faults[0].span().unwrap().end as usize <= text.len() + 30);
}

#[test]
fn ten_thousand_terms() {
    on_small_stack(|| {
        let terms = |op: &str| (0..10_000).map(|i| format!("a = {i}")).collect::<Vec<_>>().join(op);
        assert!(matches!(used(&terms(" OR ")), ExprKind::Or(t) if t.len() == 10_000));
        assert!(matches!(used(&terms(" AND ")), ExprKind::And(t) if t.len() == 10_000));
        let mixed =
            (0..10_000).map(|i| format!("a LIKE '%{i}%' AND b > {i}")).collect::<Vec<_>>().join(" OR ");
        assert!(matches!(used(&mixed), ExprKind::Or(t) if t.len() == 10_000));
        for op in [" + ", " || ", " * "] {
            let chain = vec!["a"; 10_000].join(op);
            assert!(matches!(used(&chain), ExprKind::Chain(_, links) if links.len() == 9_999));
        }
        let list = (0..10_000).map(|i| format!("'x{i}'")).collect::<Vec<_>>().join(", ");
        assert!(
            matches!(used(&format!("a IN ({list})")), ExprKind::InList { list, .. } if list.len() == 10_000)
        );
    });
}

#[test]
fn long_queries() {
    on_small_stack(|| {
        let union = vec!["SELECT a FROM t"; 10_000].join(" UNION ALL ");
        let Statement::Query(query) = parse_statement(&union).unwrap().statement else { panic!() };
        assert!(matches!(&query.body.kind, QueryKind::SetOperation(_, links) if links.len() == 9_999));
        assert!(query.clone() == query);
        let joins = vec!["JOIN u ON t.a = u.a"; 5_000].join(" ");
        assert!(parse_statement(&format!("SELECT * FROM t {joins}")).is_ok());
        let values = vec!["(1, 'a')"; 10_000].join(", ");
        assert!(parse_statement(&format!("INSERT INTO t VALUES {values}")).is_ok());
    });
}

#[test]
fn five_hundred_parentheses() {
    on_small_stack(|| {
        used(&format!("{}a = 1{}", "(".repeat(500), ")".repeat(500)));
        // Every level is a real one: ((((a = 0) OR a = 1) AND a = 2) OR …
        let mut left = "a = 0".to_string();
        for i in 0..500 {
            left = format!("({left}) {} a = {i}", if i % 2 == 0 { "OR" } else { "AND" });
        }
        used(&left);
        let mut right = "a = 0".to_string();
        for i in 0..500 {
            right = format!("a = {i} {} ({right})", if i % 2 == 0 { "OR" } else { "AND" });
        }
        used(&right);
        parse_statement(&format!("SELECT * FROM t WHERE {right}")).unwrap();
    });
}

#[test]
fn deep_but_within_the_limit() {
    on_small_stack(|| {
        used(&format!("{}a{}", "UPPER(".repeat(120), ")".repeat(120)));
        used(&format!("{}1{}", "CASE WHEN a THEN b ELSE ".repeat(120), " END".repeat(120)));
        used(&format!("{}1{}", "CAST(".repeat(120), " AS INT)".repeat(120)));
        used(&format!("{}1{}", "ARRAY[".repeat(120), "]".repeat(120)));
        used(&format!("a{}", "[1]".repeat(400)));
        used(&format!("{}a", "NOT ".repeat(400)));
        used(&format!("{}1{}", "(SELECT ".repeat(36), ")".repeat(36)));
        parse_statement(&format!("{}SELECT 1{}", "SELECT * FROM (".repeat(45), ")".repeat(45))).unwrap();
        parse_data_type(&format!("{}INT{}", "ARRAY<".repeat(200), ">".repeat(200))).unwrap();
        parse_data_type(&format!("{}INT{}", "ROW<a ".repeat(120), ">".repeat(120))).unwrap();
    });
}

#[test]
fn deeper_than_the_limit() {
    on_small_stack(|| {
        for n in [600, 5_000] {
            let nest = |open: &str, close: &str| format!("{}1{}", open.repeat(n), close.repeat(n));
            too_deep(&nest("(", ")"));
            too_deep(&"(".repeat(n));
            too_deep(&nest("((1, ", "))"));
            too_deep(&nest("- ", ""));
            too_deep(&nest("NOT ", ""));
            too_deep(&nest("CASE WHEN a THEN ", " END"));
            too_deep(&nest("CASE ", ""));
            too_deep(&nest("f(", ")"));
            too_deep(&nest("CAST(", " AS INT)"));
            too_deep(&nest("POSITION(", " IN a)"));
            too_deep(&nest("SUBSTRING(", " FROM 1)"));
            too_deep(&nest("JSON_OBJECT('a' VALUE ", ")"));
            too_deep(&nest("ARRAY[", "]"));
            too_deep(&nest("a[", "]"));
            too_deep(&nest("a + (b * ", ")"));
            too_deep(&nest("a IN (", ")"));
            too_deep(&nest("a BETWEEN b AND (", ")"));
            too_deep(&nest("(SELECT ", ")"));
            too_deep(&nest("EXISTS (SELECT ", ")"));
            too_deep(&nest("a IN (SELECT ", ")"));
            too_deep(&nest("SUM(a) OVER (PARTITION BY ", ")"));
            too_deep(&nest("INTERVAL (", ") DAY"));
            too_deep(&format!("a{}", "[1]".repeat(n)));
            too_deep(&format!("f(a){}", ".b".repeat(n)));
            too_deep(&format!("a{}", " IS NULL".repeat(n)));
            too_deep(&format!("a{}", " = b".repeat(n)));
            too_deep(&format!("a{}", " LIKE b".repeat(n)));
            too_deep(&format!("a{}", " IS DISTINCT FROM b".repeat(n)));
            too_deep(&format!("a{}", " IN (1)".repeat(n)));
        }
    });
}

#[test]
fn a_hundred_thousand_levels() {
    on_small_stack(|| {
        for (open, close) in
            [("(", ")"), ("CASE WHEN a THEN ", " END"), ("f(", ")"), ("(SELECT ", ")"), ("NOT ", "")]
        {
            too_deep(&format!("{}1{}", open.repeat(100_000), close.repeat(100_000)));
        }
        let types = format!("{}INT{}", "ARRAY<".repeat(100_000), ">".repeat(100_000));
        assert_eq!(parse_data_type(&types).unwrap_err().code(), "too-deep");
    });
}

#[test]
fn deep_queries_and_types() {
    on_small_stack(|| {
        for n in [600, 20_000] {
            let statements = [
                format!("{}SELECT 1{}", "(".repeat(n), ")".repeat(n)),
                format!("{}SELECT 1{}", "SELECT * FROM (".repeat(n), ")".repeat(n)),
                format!("SELECT * FROM {}a{}", "(".repeat(n), ")".repeat(n)),
                format!("SELECT * FROM {}a{}", "(b JOIN ".repeat(n), ")".repeat(n)),
                format!("SELECT * FROM {}a{}", "TABLE(f(TABLE(".repeat(n), ")))".repeat(n)),
                format!("SELECT * FROM t {}", "MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS ".repeat(n)),
                format!(
                    "SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({}A{}) DEFINE A AS TRUE)",
                    "(".repeat(n),
                    ")".repeat(n)
                ),
                format!("{}SELECT 1", "WITH a AS (".repeat(n)),
                format!("SELECT 1 FROM t GROUP BY {}a", "GROUPING SETS (".repeat(n)),
                format!("{}SELECT 1", "(SELECT 1 UNION ".repeat(n)),
                format!("{}SELECT 1", "EXPLAIN ".repeat(n)),
            ];
            for text in statements {
                let fault = parse_statement(&text).unwrap_err();
                assert!(fault.span().is_some(), "{fault:?}");
            }
            for (open, close) in [("ARRAY<", ">"), ("ROW<a ", ">"), ("MAP<INT, ", ">"), ("ROW(a ", ")")] {
                let fault =
                    parse_data_type(&format!("{}INT{}", open.repeat(n), close.repeat(n))).unwrap_err();
                assert_eq!(fault.code(), "too-deep", "{fault:?}");
            }
            assert_eq!(
                parse_data_type(&format!("INT{}", " ARRAY".repeat(n))).unwrap_err().code(),
                "too-deep"
            );
        }
    });
}

/// Text that would be read twice at every level if the reader went back.
#[test]
fn no_text_takes_long() {
    on_small_stack(|| {
        for unit in ["((SELECT 1) ", "(((SELECT 1) AS a ", "((SELECT 1) UNION ", "(a, (SELECT ", "f((SELECT "]
        {
            let text = format!("SELECT * FROM {}", unit.repeat(20_000));
            assert!(parse_statement(&text).is_err());
        }
        let (_, faults) = parse_script(&"SELECT (;".repeat(20_000));
        assert_eq!(faults.len(), 20_000);
    });
}
