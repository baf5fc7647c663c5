//! Which atoms of each rule are searched for.

use std::collections::HashMap;

use super::atom::{AtomId, Cover};
use super::compile::{Compiled, TermId};
use super::found::Slot;

/// Anchors that more rows have are not worth their search.
const TOO_COMMON: f64 = 0.7;

/// How a rule is evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Plan {
    /// There is no rule.
    #[default]
    Nothing,
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
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// By the rule's place.
    pub(super) plans: Vec<Plan>,
    /// The atoms to search for, by slot.
    pub(super) atoms: Vec<AtomId>,
    /// For each slot the places of the rules that it is an anchor of.
    pub(super) rules: Vec<Vec<u32>>,
    /// Rules that are looked at whatever is found, ascending.
    pub(super) always: Vec<u32>,
    /// Expected number of candidates a row.
    pub(super) expected: f64,
    slots: HashMap<AtomId, Slot>,
    free: Vec<Slot>,
}

/// The covers of terms: rules that share a term share its cover.
pub(super) type Covers = HashMap<TermId, Option<Cover>>;

impl Anchors {
    /// Chooses for all rules, by the share of rows on which an atom holds.
    pub(super) fn choose(compiled: &mut Compiled) -> Self {
        let mut anchors = Anchors::default();
        let mut covers = Covers::new();
        let places: Vec<u32> = compiled.live().map(|(place, _)| place).collect();
        for place in places {
            anchors.add(compiled, place, &mut covers);
        }
        anchors
    }

    /// Lets go of everything.
    pub(super) fn clear(&mut self, compiled: &mut Compiled) {
        self.slots.keys().for_each(|a| compiled.atoms.release(*a));
        *self = Anchors::default();
    }

    /// Chooses for the rule at a place. Gives the columns whose searched atoms changed.
    pub(super) fn add(&mut self, compiled: &mut Compiled, place: u32, covers: &mut Covers) -> Vec<usize> {
        let plan = self.plan(compiled, place, covers);
        let mut columns = Vec::new();
        match &plan {
            Plan::EveryRow | Plan::Plain => {
                let at = self.always.partition_point(|p| *p < place);
                self.always.insert(at, place);
            }
            Plan::Anchored { atoms, .. } => {
                for atom in atoms {
                    let slot = match self.slots.get(atom) {
                        Some(slot) => *slot,
                        None => {
                            columns.extend(compiled.atoms.get(*atom).map(|a| a.column));
                            self.slot(compiled, *atom)
                        }
                    };
                    if let Some(rules) = self.rules.get_mut(slot as usize) {
                        rules.push(place);
                    }
                }
            }
            Plan::Nothing | Plan::Never => {}
        }
        if self.plans.len() <= place as usize {
            self.plans.resize(place as usize + 1, Plan::Nothing);
        }
        if let Some(slot) = self.plans.get_mut(place as usize) {
            *slot = plan;
        }
        columns
    }

    /// Forgets the rule at a place. Gives the columns whose searched atoms changed.
    pub(super) fn remove(&mut self, compiled: &mut Compiled, place: u32) -> Vec<usize> {
        let mut columns = Vec::new();
        self.always.retain(|p| *p != place);
        let Some(plan) = self.plans.get_mut(place as usize).map(std::mem::take) else { return columns };
        if let Plan::Anchored { atoms, .. } = plan {
            self.expected -= atoms.iter().map(|a| compiled.atoms.rate(*a)).sum::<f64>();
            for atom in atoms {
                let Some(slot) = self.slots.get(&atom).copied() else { continue };
                let Some(rules) = self.rules.get_mut(slot as usize) else { continue };
                rules.retain(|p| *p != place);
                if rules.is_empty() {
                    columns.extend(compiled.atoms.get(atom).map(|a| a.column));
                    self.slots.remove(&atom);
                    self.free.push(slot);
                    compiled.atoms.release(atom);
                }
            }
        }
        columns
    }

    /// The slots that are in use, with their atoms.
    pub(super) fn searched(&self) -> impl Iterator<Item = (Slot, AtomId)> {
        let used = self.atoms.iter().zip(&self.rules).enumerate().filter(|(_, (_, rules))| !rules.is_empty());
        used.map(|(slot, (atom, _))| (slot as Slot, *atom))
    }

    fn slot(&mut self, compiled: &mut Compiled, atom: AtomId) -> Slot {
        compiled.atoms.keep(atom);
        let slot = match self.free.pop() {
            Some(slot) => {
                if let Some(a) = self.atoms.get_mut(slot as usize) {
                    *a = atom;
                }
                slot
            }
            None => {
                self.atoms.push(atom);
                self.rules.push(Vec::new());
                (self.atoms.len() - 1) as Slot
            }
        };
        self.slots.insert(atom, slot);
        slot
    }

    fn plan(&mut self, compiled: &Compiled, place: u32, covers: &mut Covers) -> Plan {
        if compiled.terms_of(place).is_none() {
            return Plan::EveryRow;
        }
        if compiled.is_never(place) {
            return Plan::Never;
        }
        let rate = |a: AtomId| compiled.atoms.rate(a);
        let mut best: Option<(TermId, f64)> = None;
        for id in compiled.searched(place) {
            let Some(term) = compiled.terms.get(*id) else { continue };
            let cover = covers.entry(*id).or_insert_with(|| Cover::of(&term.known.condition, &rate));
            if let Some(cover) = cover
                && best.is_none_or(|(_, b)| cover.rate < b)
            {
                best = Some((*id, cover.rate));
            }
        }
        let Some((id, _)) = best.filter(|(_, rate)| *rate <= TOO_COMMON) else { return Plan::Plain };
        let Some(Some(cover)) = covers.get(&id) else { return Plan::Plain };
        self.expected += cover.atoms.iter().map(|a| rate(*a)).sum::<f64>();
        let exact = compiled.terms.get(id).is_some_and(|t| t.known.exact);
        Plan::Anchored { atoms: cover.atoms.clone(), decides: (exact && cover.lossless).then_some(id) }
    }
}
