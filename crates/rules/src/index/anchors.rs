//! Which atoms of each rule are searched for.

use std::collections::HashMap;

use super::atom::{AtomId, Cover};
use super::compile::{Compiled, TermId};
use super::found::Slot;

/// Anchors that more rows have are not worth their search.
const TOO_COMMON: f64 = 0.7;

/// How a rule is evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    /// It has no condition.
    EveryRow,
    /// It is never TRUE and never fails.
    Never,
    /// On every row.
    Plain,
    /// Where one of its anchors was found.
    Anchored {
        atoms: Vec<AtomId>,
        /// The term that is TRUE wherever one of them was found.
        decides: Option<TermId>,
    },
}

/// The anchors of all rules.
#[derive(Debug)]
pub(super) struct Anchors {
    pub(super) plans: Vec<Plan>,
    /// The atoms to search for, by slot.
    pub(super) atoms: Vec<AtomId>,
    /// For each slot the rules that it is an anchor of.
    pub(super) rules: Vec<Vec<u32>>,
    /// Rules that are looked at whatever is found.
    pub(super) always: Vec<u32>,
    /// Expected number of candidates a row.
    pub(super) expected: f64,
}

impl Anchors {
    /// Chooses by the share of rows on which an atom holds.
    pub(super) fn choose(compiled: &Compiled, rate: &impl Fn(AtomId) -> f64) -> Self {
        let mut anchors = Anchors {
            plans: Vec::with_capacity(compiled.rules.len()),
            atoms: Vec::new(),
            rules: Vec::new(),
            always: Vec::new(),
            expected: 0.0,
        };
        // Rules that share a term share its cover.
        let mut covers: HashMap<TermId, Option<Cover>> = HashMap::new();
        let mut slots: HashMap<AtomId, Slot> = HashMap::new();
        for (number, rule) in compiled.rules.iter().enumerate() {
            if rule.is_none() {
                anchors.always.push(number as u32);
                anchors.plans.push(Plan::EveryRow);
                continue;
            }
            if compiled.is_never(number) {
                anchors.plans.push(Plan::Never);
                continue;
            }
            let mut best: Option<(TermId, Cover)> = None;
            for id in compiled.searched(number) {
                let Some(term) = compiled.terms.get(*id) else { continue };
                let cover = covers.entry(*id).or_insert_with(|| Cover::of(&term.known.condition, rate));
                if let Some(cover) = cover
                    && best.as_ref().is_none_or(|(_, b)| cover.rate < b.rate)
                {
                    best = Some((*id, cover.clone()));
                }
            }
            let Some((id, cover)) = best.filter(|(_, c)| c.rate <= TOO_COMMON) else {
                anchors.always.push(number as u32);
                anchors.plans.push(Plan::Plain);
                continue;
            };
            anchors.expected += cover.rate;
            for atom in &cover.atoms {
                let slot = *slots.entry(*atom).or_insert_with(|| {
                    anchors.atoms.push(*atom);
                    anchors.rules.push(Vec::new());
                    (anchors.atoms.len() - 1) as Slot
                });
                if let Some(rules) = anchors.rules.get_mut(slot as usize) {
                    rules.push(number as u32);
                }
            }
            let exact = compiled.terms.get(id).is_some_and(|t| t.known.exact);
            let decides = (exact && cover.lossless).then_some(id);
            anchors.plans.push(Plan::Anchored { atoms: cover.atoms, decides });
        }
        anchors
    }
}
