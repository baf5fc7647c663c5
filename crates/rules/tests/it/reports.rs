//! What is told of rules.

use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, CastMode, Expr, ExprKind};
use millstream_rules::index::IndexedRules;
use millstream_rules::{Anchoring, Hits, Rule, RuleSet};
use millstream_types::{DataType, Span, TypeKind};

use crate::events::Chunk;
use crate::soundness::context;

fn call(name: &str, args: &[Expr]) -> Expr {
    let binding = BindContext::default();
    call_expr(name, args, &[], Span::default(), &binding).unwrap()
}

fn text(s: &str) -> Expr {
    Expr::literal(s, TypeKind::Char(s.len() as u32).not_null())
}

fn a() -> Expr {
    Expr::column(0, DataType::string())
}

fn fails() -> Expr {
    let number =
        ExprKind::Cast { input: Box::new(Expr::column(1, DataType::string())), mode: CastMode::Cast };
    let three = Expr::literal(3, TypeKind::Int.not_null());
    call(">", &[Expr::new(number, DataType::int()), three])
}

fn rules(conditions: Vec<Expr>) -> IndexedRules {
    let rules: Vec<Rule> =
        conditions.into_iter().enumerate().map(|(id, p)| Rule { id, predicate: Some(p.into()) }).collect();
    IndexedRules::new(&rules).unwrap()
}

#[test]
fn each_rule_says_how_it_is_looked_for() {
    let mut index = rules(vec![
        call("LIKE", &[a(), text("%whoami%")]),
        call("REGEXP", &[a(), text(".*")]),
        Expr::and(vec![fails(), call("LIKE", &[a(), text("%whoami%")])]),
        Expr::and(vec![call("=", &[a(), text("whoami")]), call("REGEXP", &[a(), text("[a-z]+")])]),
    ]);
    let mut lines: Vec<String> = (0..40).map(|i| format!("{{\"a\":\"quiet {i}\",\"b\":\"4\"}}")).collect();
    lines.push("{\"a\":\"whoami\",\"b\":\"4\"}".into());
    let mut chunk = Chunk::new(&lines, &index.slice_columns(), true);
    let mut outcomes = Vec::new();
    index.evaluate(&mut chunk, &context(), &mut outcomes).unwrap();
    let hits = |rule: usize| outcomes.iter().find(|(r, _)| *r == rule).map(|(_, o)| o.clone().unwrap());
    for rule in [0, 2, 3] {
        assert_eq!(hits(rule), Some(Hits::Rows(vec![40])), "{rule}");
    }
    let report = index.report();
    assert_eq!(report[0].anchoring, Anchoring::Anchors(vec!["#0 contains 'whoami'".into()]));
    assert!(report[0].decided && (report[0].candidates, report[0].hits) == (1, 1), "{}", report[0]);
    assert!(report[1].to_string().contains("most rows"), "{}", report[1]);
    assert!(report[2].to_string().contains("TRY_CAST"), "{}", report[2]);
    assert_eq!(report[3].anchoring, Anchoring::Anchors(vec!["#0 = 'whoami'".into()]));
    assert_eq!((report[3].decided, report[3].candidates), (false, 1));
}

/// A division by a constant does not fail, unless that is 0.
#[test]
fn division_by_a_constant_keeps_the_anchor() {
    let int = |i: i64| Expr::literal(i, TypeKind::Int.not_null());
    let rule = |by: i64| {
        let rest = call("%", &[Expr::column(3, DataType::int()), int(by)]);
        Expr::and(vec![call("<>", &[rest, int(0)]), call("LIKE", &[a(), text("%whoami%")])])
    };
    let report = rules(vec![rule(7), rule(-1), rule(0)]).report();
    let anchored = Anchoring::Anchors(vec!["#0 contains 'whoami'".into()]);
    assert_eq!((&report[0].anchoring, &report[1].anchoring), (&anchored, &anchored));
    assert!(report[2].to_string().contains("TRY_CAST"), "{}", report[2]);
}

/// A literal may not keep a row from a condition before it that fails, nor, where it is NULL, from one behind it.
#[test]
fn literals_hide_no_errors() {
    let like = call("LIKE", &[a(), text("%nc -e%")]);
    let mut index = rules(vec![Expr::and(vec![fails(), like.clone()]), Expr::and(vec![like, fails()])]);
    let mut run = |line: &str| -> Vec<(usize, bool)> {
        let mut chunk = Chunk::new(&[line.to_string()], &index.slice_columns(), true);
        let mut outcomes = Vec::new();
        index.evaluate(&mut chunk, &context(), &mut outcomes).unwrap();
        outcomes.iter().map(|(rule, o)| (*rule, o.is_err())).collect()
    };
    assert_eq!(run("{\"a\":\"quiet\",\"b\":\"x\"}"), [(0, true)]);
    assert_eq!(run("{\"a\":null,\"b\":\"x\"}"), [(0, true), (1, true)]);
    assert_eq!(run("{\"a\":\"nc -e\",\"b\":\"x\"}"), [(0, true), (1, true)]);
    assert_eq!(run("{\"a\":\"nc -e\",\"b\":\"7\"}"), [(0, false), (1, false)]);
    assert_eq!(run("{\"a\":\"quiet\",\"b\":\"7\"}"), []);
}
