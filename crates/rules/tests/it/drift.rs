//! A stream that changes: what was rare becomes common, and anchors are chosen anew.

use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, Expr};
use millstream_rules::index::IndexedRules;
use millstream_rules::{Rule, RuleSet};
use millstream_types::{DataType, Span, TypeKind};

use crate::events::Chunk;
use crate::soundness::context;

const RULES: usize = 10;
const ROWS: usize = 300;

fn like(column: usize, word: &str) -> Expr {
    let binding = BindContext::default();
    let pattern = format!("%{word}%");
    let pattern = Expr::literal(pattern.as_str(), TypeKind::Char(pattern.len() as u32).not_null());
    let column = Expr::column(column, DataType::string());
    call_expr("LIKE", &[column, pattern], &[], Span::default(), &binding).unwrap()
}

/// Evaluates chunks of which one column has all words of its side; gives pairs of rule and candidate row.
fn run(index: &mut IndexedRules, chunks: usize, common: &str) -> u64 {
    let before: u64 = index.report().iter().map(|r| r.candidates).sum();
    let all: String = (0..RULES).map(|i| format!("{common}-word-{i} ")).collect();
    let (a, b) = if common == "left" { (all.as_str(), "quiet") } else { ("quiet", all.as_str()) };
    let line = format!("{{\"a\":\"{a}\",\"b\":\"{b}\"}}");
    let lines = vec![line; ROWS];
    for _ in 0..chunks {
        let mut chunk = Chunk::new(&lines, &index.slice_columns(), true);
        let mut outcomes = Vec::new();
        index.evaluate(&mut chunk, &context(), &mut outcomes).unwrap();
        assert!(outcomes.is_empty());
    }
    index.report().iter().map(|r| r.candidates).sum::<u64>() - before
}

#[test]
fn anchors_follow_the_stream() {
    let rules: Vec<Rule> = (0..RULES)
        .map(|id| {
            let both = vec![like(0, &format!("left-word-{id}")), like(1, &format!("right-word-{id}"))];
            Rule { id, predicate: Some(Expr::and(both).into()) }
        })
        .collect();
    let mut index = IndexedRules::new(&rules).unwrap();
    assert_eq!(run(&mut index, 40, "left"), 0);
    assert!(index.report()[0].anchoring.to_string().contains("right-word"), "{}", index.report()[0]);
    // Now every row has the words that were rare.
    let at_first = run(&mut index, 2, "right");
    assert_eq!(at_first, (2 * ROWS * RULES) as u64);
    run(&mut index, 80, "right");
    assert!(index.report()[0].anchoring.to_string().contains("left-word"), "{}", index.report()[0]);
    assert_eq!(run(&mut index, 10, "right"), 0);
    // Rules that come later are anchored by what is known of the stream.
    let both = vec![like(0, "left-word-3"), like(1, "right-word-4")];
    index.add(&[Rule { id: RULES, predicate: Some(Expr::and(both).into()) }]).unwrap();
    assert!(index.report()[RULES].anchoring.to_string().contains("left-word-3"), "{}", index.report()[RULES]);
}
