//! Index and plain evaluation side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millstream_expr::{EvalContext, Expr, ExprKind, fold};
use millstream_rules::index::IndexedRules;
use millstream_rules::plain::PlainRules;
use millstream_rules::{Hits, Outcome, Rule, RuleInput, RuleSet};
use millstream_types::{Clock, ManualClock, SeededRandom};

use crate::conditions::{focused, literals, numbered, planned};
use crate::events::{Chunk, Dice, WORDS, columns, event};

pub fn context() -> EvalContext {
    EvalContext {
        clock: Arc::new(ManualClock::new(0)),
        random: Arc::new(SeededRandom::new(1)),
        zone: "UTC".into(),
        query_start: 0,
        batch: false,
    }
}

pub fn plain(outcome: Option<&Outcome>, rows: usize) -> Result<Vec<u32>, (Option<usize>, String)> {
    match outcome {
        None => Ok(Vec::new()),
        Some(Ok(Hits::All)) => Ok((0..rows as u32).collect()),
        Some(Ok(Hits::Rows(r))) => Ok(r.clone()),
        Some(Err(e)) => Err((e.row, e.fault.to_string())),
    }
}

#[derive(Default)]
struct Tally {
    pairs: u64,
    hits: u64,
    failures: u64,
    candidates: u64,
    rows: u64,
}

fn round(seed: u64, tally: &mut Tally) {
    const RULES: usize = 40;
    let mut dice = Dice::new(seed);
    let focus = seed.is_multiple_of(3);
    if focus {
        // Words that are spelled alike in JSON leave other ways open than the rest.
        let of = if dice.one_in(2) { WORDS.split_at(5).0 } else { WORDS };
        dice.words = (0..3).map(|_| dice.pick(of)).collect();
    }
    let planned = |dice: &mut Dice, depth: usize| {
        if focus { fold(focused(dice, depth.min(2)), &context()) } else { planned(dice, depth) }
    };
    let mut rules: Vec<Rule> = (0..RULES)
        .map(|id| Rule { id, predicate: Some(planned(&mut dice, (id % 6).saturating_sub(2)).into()) })
        .collect();
    rules[0].predicate = None;
    if seed.is_multiple_of(2) {
        // Most rules ask for a number first, as those of real sets do.
        rules
            .iter_mut()
            .skip(8)
            .for_each(|r| r.predicate = r.predicate.take().map(|p| numbered(&mut dice, (*p).clone()).into()));
    }
    // Rules that share terms, and rules that are the same.
    rules[1].predicate = rules[2].predicate.clone();
    let mut index = IndexedRules::new(&rules).unwrap();
    let mut reference = PlainRules::new(&rules).unwrap();
    let mut next = RULES;
    for turn in 0..4 {
        if turn > 1 {
            // Rules come and go.
            let gone: Vec<usize> = rules.iter().map(|r| r.id).filter(|_| dice.one_in(6)).collect();
            let come: Vec<Rule> = (0..dice.below(8))
                .map(|i| {
                    let inner = planned(&mut dice, i % 4);
                    let predicate = if dice.one_in(2) { numbered(&mut dice, inner) } else { inner };
                    Rule { id: next + i, predicate: Some(predicate.into()) }
                })
                .collect();
            next += 8;
            rules.retain(|r| gone.binary_search(&r.id).is_err());
            rules.extend(come.iter().cloned());
            for set in [&mut index as &mut dyn RuleSet, &mut reference] {
                set.remove(&gone).unwrap();
                set.add(&come).unwrap();
            }
        }
        dice.literals = rules.iter().filter_map(|r| r.predicate.as_deref()).flat_map(literals).collect();
        let lines: Vec<String> = (0..1 + dice.below(40)).map(|_| event(&mut dice)).collect();
        let all: Vec<usize> = (0..columns().len()).collect();
        let want = match dice.below(3) {
            0 => all,
            1 => index.slice_columns(),
            _ => all.into_iter().filter(|_| dice.one_in(2)).collect(),
        };
        let mut chunk = Chunk::new(&lines, &want, !dice.one_in(5));
        let (mut ours, mut wanted) = (Vec::new(), Vec::new());
        index.evaluate(&mut chunk, &context(), &mut ours).unwrap();
        reference.evaluate(&mut chunk, &context(), &mut wanted).unwrap();
        let rows = chunk.rows();
        assert!(ours.is_sorted_by_key(|(rule, _)| *rule), "seed {seed}");
        for rule in &rules {
            let find = |all: &[(usize, Outcome)]| {
                plain(all.iter().find(|(r, _)| *r == rule.id).map(|(_, o)| o), rows)
            };
            let (a, b) = (find(&ours), find(&wanted));
            if a != b {
                let row = match (&a, &b) {
                    (Ok(a), Ok(b)) => {
                        (0..rows as u32).find(|r| a.contains(r) != b.contains(r)).map(|r| r as usize)
                    }
                    (Err((row, _)), _) | (_, Err((row, _))) => *row,
                };
                let report = index.report().into_iter().find(|r| r.rule == rule.id).unwrap();
                panic!(
                    "seed {seed}, rule {}: index {a:?}, plain {b:?}\nrow {row:?}: {}\n{report}\n{:#?}",
                    rule.id,
                    chunk.line(row.unwrap_or(0)),
                    rule.predicate
                );
            }
            tally.hits += a.as_ref().map_or(0, |h| h.len() as u64);
            tally.failures += u64::from(a.is_err());
        }
        tally.pairs += (rows * rules.len()) as u64;
    }
    for r in index.report() {
        tally.candidates += r.candidates;
        tally.rows += r.rows;
    }
}

/// 100,000 pairs of rule and event; with MILLSTREAM_LONG=1, a million.
#[test]
fn index_is_plain() {
    let wanted = if std::env::var("MILLSTREAM_LONG").is_ok_and(|v| v == "1") { 1_000_000 } else { 100_000 };
    let first = std::env::var("MILLSTREAM_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut tally = Tally::default();
    let mut seed = first;
    while tally.pairs < wanted {
        round(seed, &mut tally);
        seed += 1;
    }
    // The test would be void if rules never hit, never failed, or were never skipped.
    let Tally { pairs, hits, failures, candidates, rows } = tally;
    println!("{pairs} pairs, {hits} hits, {failures} failures, {candidates} candidates of {rows}");
    assert!(hits * 50 > pairs && failures * 1000 > pairs, "{hits} hits, {failures} failures of {pairs}");
    assert!(candidates < rows, "{candidates} of {rows}");
}

/// A clock whose time jumps, so that whatever is measured may seem to pay or not.
#[derive(Debug)]
struct Jumps(AtomicU64);

impl Clock for Jumps {
    fn now_millis(&self) -> i64 {
        0
    }

    fn monotonic_nanos(&self) -> u64 {
        let n = self.0.fetch_add(1 << 20, Ordering::Relaxed);
        n + (n >> 20).wrapping_mul(0x9E37_79B9_7F4A_7C15) % (1 << 20)
    }
}

/// What is remembered of repeating values is what evaluation gives, while it is tried, used and given up.
#[test]
fn what_is_remembered_is_what_is_evaluated() {
    let context = EvalContext { clock: Arc::new(Jumps(AtomicU64::new(0))), ..context() };
    let mut dice = Dice::new(7);
    let of_one_text = |e: &Expr| {
        let mut texts = true;
        e.walk(&mut |e| texts &= !matches!(e.kind, ExprKind::Column(_)) || e.data_type.kind.is_string());
        texts && e.columns().len() == 1
    };
    let mut rules = Vec::new();
    while rules.len() < 60 {
        let predicate = planned(&mut dice, 1);
        if of_one_text(&predicate) {
            rules.push(Rule { id: rules.len(), predicate: Some(predicate.into()) });
        }
    }
    let mut index = IndexedRules::new(&rules).unwrap();
    let mut reference = PlainRules::new(&rules).unwrap();
    dice.literals = rules.iter().filter_map(|r| r.predicate.as_deref()).flat_map(literals).collect();
    let pool: Vec<String> = (0..60).map(|_| event(&mut dice)).collect();
    for _ in 0..40 {
        let lines: Vec<String> = (0..500)
            .map(|_| if dice.one_in(20) { event(&mut dice) } else { pool[dice.below(pool.len())].clone() })
            .collect();
        let mut chunk = Chunk::new(&lines, &index.slice_columns(), true);
        let (mut ours, mut wanted) = (Vec::new(), Vec::new());
        index.evaluate(&mut chunk, &context, &mut ours).unwrap();
        reference.evaluate(&mut chunk, &context, &mut wanted).unwrap();
        for rule in &rules {
            let find = |all: &[(usize, Outcome)]| {
                plain(all.iter().find(|(r, _)| *r == rule.id).map(|(_, o)| o), lines.len())
            };
            assert_eq!(find(&ours), find(&wanted), "{:#?}", rule.predicate);
        }
    }
    let remembered: u64 = index.report().iter().map(|r| r.remembered).sum();
    assert!(remembered > 50_000, "{remembered}");
}
