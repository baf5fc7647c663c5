//! Rules that come and go between two chunks: those that stay keep their ids and their hits.

use millstream_rules::index::IndexedRules;
use millstream_rules::plain::PlainRules;
use millstream_rules::{Rule, RuleInput, RuleSet};

use crate::conditions::condition;
use crate::events::{Chunk, Dice, event};
use crate::soundness::{context, plain};

fn rule(dice: &mut Dice, id: usize) -> Rule {
    Rule { id, predicate: (!dice.one_in(10)).then(|| condition(dice, id % 4).into()) }
}

#[test]
fn a_set_that_changes_is_a_set_of_what_is_left() {
    let mut hits = 0;
    for seed in 1..40 {
        let mut dice = Dice::new(seed);
        let mut rules: Vec<Rule> = (0..12).map(|id| rule(&mut dice, id)).collect();
        let mut next = rules.len();
        let mut index = IndexedRules::new(&rules).unwrap();
        let mut reference = PlainRules::new(&rules).unwrap();
        for _ in 0..6 {
            let gone: Vec<usize> = rules.iter().map(|r| r.id).filter(|_| dice.one_in(4)).collect();
            rules.retain(|r| !gone.contains(&r.id));
            let fresh: Vec<Rule> = (next..next + dice.below(4)).map(|id| rule(&mut dice, id)).collect();
            next += fresh.len();
            rules.extend(fresh.iter().cloned());
            for set in [&mut index as &mut dyn RuleSet, &mut reference] {
                let before = set.generation();
                set.remove(&gone).unwrap();
                // An id that is gone already is no error.
                set.remove(&gone).unwrap();
                set.add(&fresh).unwrap();
                assert!(set.generation() > before || gone.is_empty() && fresh.is_empty());
            }
            let lines: Vec<String> = (0..1 + dice.below(30)).map(|_| event(&mut dice)).collect();
            let mut chunk = Chunk::new(&lines, &index.slice_columns(), true);
            let rows = chunk.rows();
            let mut anew = IndexedRules::new(&rules).unwrap();
            let mut all = Vec::new();
            for set in [&mut index as &mut dyn RuleSet, &mut reference, &mut anew] {
                let mut outcomes = Vec::new();
                set.evaluate(&mut chunk, &context(), &mut outcomes).unwrap();
                assert!(outcomes.is_sorted_by_key(|(rule, _)| *rule), "seed {seed}");
                let by_rule: Vec<_> = rules
                    .iter()
                    .map(|r| plain(outcomes.iter().find(|(id, _)| *id == r.id).map(|(_, o)| o), rows))
                    .collect();
                assert!(outcomes.iter().all(|(id, _)| rules.iter().any(|r| r.id == *id)), "seed {seed}");
                let told: Vec<usize> = set.report().iter().map(|r| r.rule).collect();
                assert_eq!(told, rules.iter().map(|r| r.id).collect::<Vec<_>>());
                all.push(by_rule);
            }
            assert_eq!(all[0], all[1], "seed {seed}");
            assert_eq!(all[2], all[1], "seed {seed}");
            hits += all[0].iter().filter(|r| r.as_ref().is_ok_and(|h| !h.is_empty())).count();
        }
    }
    assert!(hits > 200, "{hits}");
}
