//! The plain evaluator: each distinct predicate by itself, on columns.

use std::collections::HashMap;

use arrow::array::ArrayRef;
use millstream_expr::{EvalContext, Expr, Predicate, Rows};
use millstream_types::Fault;

use crate::{Anchoring, Hits, Outcome, Rule, RuleInput, RuleReport, RuleSet};

/// Rules evaluated one after the other. Equal predicates that always give the same value are evaluated once.
#[derive(Debug)]
pub struct PlainRules {
    known: Vec<Rule>,
    predicates: Vec<(Predicate, Vec<usize>)>,
    /// For each rule its predicate's position; `None`: no condition.
    rules: Vec<Option<usize>>,
    generation: u64,
}

impl PlainRules {
    /// Compiles the rules.
    ///
    /// # Errors
    /// When a predicate cannot be compiled.
    pub fn new(rules: &[Rule]) -> Result<Self, Fault> {
        let mut known: HashMap<&Expr, usize> = HashMap::new();
        let mut set =
            PlainRules { known: rules.to_vec(), predicates: Vec::new(), rules: Vec::new(), generation: 0 };
        for rule in rules {
            let Some(predicate) = &rule.predicate else {
                set.rules.push(None);
                continue;
            };
            let shared = predicate.volatility() != millstream_expr::Volatility::PerRow;
            let position = match known.get(&**predicate) {
                Some(p) if shared => *p,
                _ => {
                    set.predicates.push((Predicate::compile(predicate)?, predicate.columns()));
                    set.predicates.len() - 1
                }
            };
            known.insert(predicate, position);
            set.rules.push(Some(position));
        }
        Ok(set)
    }

    fn replace(&mut self, rules: &[Rule]) -> Result<(), Fault> {
        *self = PlainRules { generation: self.generation + 1, ..PlainRules::new(rules)? };
        Ok(())
    }

    fn id(&self, rule: usize) -> usize {
        self.known.get(rule).map_or(rule, |r| r.id)
    }
}

impl RuleSet for PlainRules {
    fn add(&mut self, rules: &[Rule]) -> Result<(), Fault> {
        let all: Vec<Rule> = self.known.iter().chain(rules).cloned().collect();
        self.replace(&all)
    }

    fn remove(&mut self, ids: &[usize]) -> Result<(), Fault> {
        let left: Vec<Rule> =
            self.known.iter().filter(|r| ids.binary_search(&r.id).is_err()).cloned().collect();
        self.replace(&left)
    }

    fn evaluate(
        &mut self,
        input: &mut dyn RuleInput,
        context: &EvalContext,
        outcomes: &mut Vec<(usize, Outcome)>,
    ) -> Result<(), Fault> {
        outcomes.clear();
        let rows = input.rows();
        let width = self.predicates.iter().flat_map(|(_, c)| c).max().map_or(0, |m| m + 1);
        let mut columns: Vec<Option<ArrayRef>> = vec![None; width];
        for (_, needed) in &self.predicates {
            for c in needed {
                if let Some(slot @ None) = columns.get_mut(*c) {
                    *slot = Some(input.column(*c, None)?);
                }
            }
        }
        let empty = arrow::array::new_empty_array(&arrow::datatypes::DataType::Null);
        let columns: Vec<ArrayRef> =
            columns.into_iter().map(|c| c.unwrap_or_else(|| empty.clone())).collect();
        let view = Rows { columns: &columns, rows, watermarks: input.watermarks() };
        let hits: Vec<Outcome> = self
            .predicates
            .iter()
            .map(|(p, _)| {
                let mask = p.eval(&view, context)?;
                let hits: Vec<u32> = mask.values().set_indices().map(|i| i as u32).collect();
                Ok(if hits.len() == rows { Hits::All } else { Hits::Rows(hits) })
            })
            .collect();
        for (rule, predicate) in self.rules.iter().enumerate() {
            let outcome = match predicate {
                None => Ok(Hits::All),
                Some(p) => hits
                    .get(*p)
                    .cloned()
                    .unwrap_or_else(|| Err(Fault::internal("rule without predicate").into())),
            };
            if !matches!(&outcome, Ok(Hits::Rows(r)) if r.is_empty()) {
                outcomes.push((self.id(rule), outcome));
            }
        }
        Ok(())
    }

    fn slice_columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.predicates.iter().flat_map(|(_, c)| c.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn report(&self) -> Vec<RuleReport> {
        let anchoring = |p: &Option<usize>| match p {
            None => Anchoring::EveryRow,
            Some(_) => Anchoring::Plain("no index is used".into()),
        };
        let report = |(rule, p)| RuleReport {
            rule: self.id(rule),
            anchoring: anchoring(p),
            decided: false,
            rows: 0,
            candidates: 0,
            hits: 0,
            nanos: None,
            remembered: 0,
        };
        self.rules.iter().enumerate().map(report).collect()
    }
}
