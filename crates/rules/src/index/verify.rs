//! From the rows on which anchors were found to the rows that rules hit.

use millstream_expr::{EvalContext, EvalError};
use millstream_types::Fault;

use super::anchors::{Anchors, Plan};
use super::atom::{Atom, AtomId, Case, Condition, Place, Test};
use super::compile::{Compiled, RuleTerms, TermId};
use super::decide::{Decider, Pairs};
use super::found::Found;
use super::memo::Memos;
use super::rows::{RowSet, View};
use crate::{Anchoring, Hits, Outcome, RuleInput, RuleReport};

/// Columns are built for all rows where more than one row in so many is needed.
const SHARE: usize = 4;

/// Evaluates what anchors leave open.
#[derive(Debug, Default)]
pub(super) struct Verify {
    /// One more than the highest column that terms read.
    width: usize,
    /// Candidate rows of the rules touched in this chunk.
    candidates: Vec<Vec<u32>>,
    touched: Vec<u32>,
    counts: Vec<Counts>,
    decider: Decider,
    /// Nanoseconds by rule, of deciding.
    deciding: Vec<u64>,
    /// Nanoseconds by term.
    nanos: Vec<u64>,
    memos: Memos,
    rows: u64,
    /// Share of rows of late chunks on which something is left to evaluate, smoothed.
    share: f64,
    /// Whether this is so often that the columns for it should be cut from every record.
    pub(super) wide: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    /// Rows that were looked at before the rule came.
    before: u64,
    candidates: u64,
    hits: u64,
}

/// Terms of several rules with the rows on which they are TRUE, by number.
type Shared = Vec<(TermId, Result<RowSet, EvalError>)>;

/// A rule with something left to evaluate.
struct Pending {
    rule: u32,
    /// `None`: all rows.
    rows: Option<Vec<u32>>,
    terms: Vec<TermId>,
}

impl Verify {
    /// Room for the rules there are now.
    pub(super) fn grow(&mut self, compiled: &Compiled) {
        self.width = compiled.terms.iter().flat_map(|t| &t.columns).max().map_or(0, |m| m + 1);
        let rules = compiled.rules.len().max(self.counts.len());
        self.candidates.resize(rules, Vec::new());
        self.counts.resize(rules, Counts::default());
        self.deciding.resize(rules, 0);
        self.memos.keep(compiled);
        self.nanos.resize(compiled.terms.len().max(self.nanos.len()), 0);
    }

    /// The rule at a place begins anew, and of its terms those that are its own.
    pub(super) fn begin(&mut self, compiled: &Compiled, place: u32) {
        if let (Some(c), Some(n)) =
            (self.counts.get_mut(place as usize), self.deciding.get_mut(place as usize))
        {
            (*c, *n) = (Counts { before: self.rows, ..Counts::default() }, 0);
        }
        for t in compiled.terms_of(place).unwrap_or_default() {
            if let Some(n) = self.nanos.get_mut(*t)
                && compiled.terms.get(*t).is_some_and(|t| t.rules == 1)
            {
                *n = 0;
            }
        }
    }

    /// The outcomes of a chunk; gives the number of candidate pairs of anchored rules.
    pub(super) fn run(
        &mut self,
        compiled: &Compiled,
        anchors: &Anchors,
        found: &Found,
        input: &mut dyn RuleInput,
        context: &EvalContext,
        outcomes: &mut Vec<(usize, Outcome)>,
    ) -> Result<u64, Fault> {
        let rows = input.rows();
        self.rows += rows as u64;
        self.gather(anchors, found);
        let mut pairs = 0;
        let mut pending: Vec<Pending> = Vec::new();
        let mut decidable: Vec<Pending> = Vec::new();
        let mut union = RowSet::default();
        for rule in std::mem::take(&mut self.touched) {
            let Some(slot) = self.candidates.get_mut(rule as usize) else { continue };
            let mut candidates = std::mem::take(slot);
            if !candidates.is_sorted_by(|a, b| a < b) {
                // Rows of several anchors: a bit a row is cheaper than sorting.
                union.reset(rows);
                candidates.iter().for_each(|row| union.insert(*row));
                candidates = union.rows();
            }
            pairs += candidates.len() as u64;
            let plan = anchors.plans.get(rule as usize);
            let decides = match plan {
                Some(Plan::Anchored { decides, .. }) if !found.open => *decides,
                _ => None,
            };
            let terms = compiled.terms_of(rule).unwrap_or_default();
            let terms: Vec<TermId> = terms.iter().copied().filter(|t| Some(*t) != decides).collect();
            self.count(rule, candidates.len(), 0);
            if terms.is_empty() {
                self.done(rule, candidates, outcomes);
            } else if compiled.rules.get(rule as usize).is_some_and(|r| r.decided > 0) {
                decidable.push(Pending { rule, rows: Some(candidates), terms });
            } else {
                pending.push(Pending { rule, rows: Some(candidates), terms });
            }
        }
        if !decidable.is_empty() {
            self.decide(compiled, decidable, &mut pending, input, context, outcomes)?;
        }
        for rule in &anchors.always {
            match compiled.terms_of(*rule) {
                Some(terms) => {
                    self.count(*rule, rows, 0);
                    pending.push(Pending { rule: *rule, rows: None, terms: terms.to_vec() });
                }
                _ => outcomes.push((*rule as usize, Ok(Hits::All))),
            }
        }
        self.evaluate(compiled, pending, input, context, outcomes)?;
        outcomes.sort_unstable_by_key(|(rule, _)| *rule);
        Ok(pairs)
    }

    /// Decides rules by tests of fields; what is left goes to the `pending` ones.
    fn decide(
        &mut self,
        compiled: &Compiled,
        decidable: Vec<Pending>,
        pending: &mut Vec<Pending>,
        input: &mut dyn RuleInput,
        context: &EvalContext,
        outcomes: &mut Vec<(usize, Outcome)>,
    ) -> Result<(), Fault> {
        let start = context.clock.monotonic_nanos();
        let pairs: Vec<Pairs> = decidable
            .into_iter()
            .map(|p| Pairs { rule: p.rule, rows: p.rows.unwrap_or_default(), terms: p.terms })
            .collect();
        let total: usize = pairs.iter().map(|p| p.rows.len()).sum();
        let decided = self.decider.run(compiled, &pairs, input)?;
        let nanos = context.clock.monotonic_nanos().saturating_sub(start);
        for (p, mut d) in pairs.into_iter().zip(decided) {
            if let Some(n) = self.deciding.get_mut(p.rule as usize) {
                *n += nanos * p.rows.len() as u64 / total.max(1) as u64;
            }
            let decided = |t: &TermId| compiled.terms.get(*t).is_some_and(|t| t.decision.is_some());
            let left = if d.undecided.is_empty() {
                p.terms.into_iter().filter(|t| !decided(t)).collect()
            } else {
                d.hold.extend_from_slice(&d.undecided);
                d.hold.sort_unstable();
                p.terms
            };
            if left.is_empty() || d.hold.is_empty() {
                self.done(p.rule, d.hold, outcomes);
            } else {
                pending.push(Pending { rule: p.rule, rows: Some(d.hold), terms: left });
            }
        }
        Ok(())
    }

    /// The candidate rows of each rule.
    fn gather(&mut self, anchors: &Anchors, found: &Found) {
        for slot in found.touched() {
            let rows = found.rows(*slot);
            for rule in anchors.rules.get(*slot as usize).map_or(&[][..], Vec::as_slice) {
                let Some(candidates) = self.candidates.get_mut(*rule as usize) else { continue };
                if candidates.is_empty() {
                    self.touched.push(*rule);
                }
                candidates.extend_from_slice(rows);
            }
        }
    }

    fn count(&mut self, rule: u32, candidates: usize, hits: usize) {
        if let Some(c) = self.counts.get_mut(rule as usize) {
            c.candidates += candidates as u64;
            c.hits += hits as u64;
        }
    }

    fn done(&mut self, rule: u32, hits: Vec<u32>, outcomes: &mut Vec<(usize, Outcome)>) {
        self.count(rule, 0, hits.len());
        if !hits.is_empty() {
            outcomes.push((rule as usize, Ok(Hits::Rows(hits))));
        }
    }

    fn evaluate(
        &mut self,
        compiled: &Compiled,
        pending: Vec<Pending>,
        input: &mut dyn RuleInput,
        context: &EvalContext,
        outcomes: &mut Vec<(usize, Outcome)>,
    ) -> Result<(), Fault> {
        let rows = input.rows();
        let mut union = RowSet::default();
        union.reset(rows);
        let mut any = false;
        for row in pending.iter().filter_map(|p| p.rows.as_ref()).flatten() {
            union.insert(*row);
            any = true;
        }
        let subset = if any { union.rows() } else { Vec::new() };
        self.watch(subset.len(), rows);
        if pending.is_empty() {
            return Ok(());
        }
        let (whole, part): (Vec<Pending>, Vec<Pending>) = pending.into_iter().partition(|p| p.rows.is_none());
        let narrow = subset.len() * SHARE < rows;
        if whole.is_empty() || narrow {
            if !whole.is_empty() {
                self.group(compiled, whole, &mut View::new(input, None, self.width), context, outcomes)?;
            }
            if !part.is_empty() {
                let subset = narrow.then_some(subset);
                self.group(compiled, part, &mut View::new(input, subset, self.width), context, outcomes)?;
            }
            return Ok(());
        }
        let all = whole.into_iter().chain(part).collect();
        self.group(compiled, all, &mut View::new(input, None, self.width), context, outcomes)
    }

    fn watch(&mut self, left: usize, rows: usize) {
        self.share += (left as f64 / rows.max(1) as f64 - self.share) / 8.0;
        if self.share > 0.3 {
            self.wide = true;
        } else if self.share < 0.1 {
            self.wide = false;
        }
    }

    /// Rules whose terms are evaluated on the same columns.
    fn group(
        &mut self,
        compiled: &Compiled,
        pending: Vec<Pending>,
        view: &mut View<'_>,
        context: &EvalContext,
        outcomes: &mut Vec<(usize, Outcome)>,
    ) -> Result<(), Fault> {
        let rows = view.input.rows();
        let shared = self.shared(compiled, &pending, rows, view, context)?;
        for mut p in pending {
            let mut failed: Option<EvalError> = None;
            let known =
                |t: &TermId| shared.binary_search_by_key(t, |(id, _)| *id).ok().and_then(|i| shared.get(i));
            // What can fail sees all candidates; then what is known already; then what is this rule's own.
            let front = usize::from(compiled.rules.get(p.rule as usize).is_some_and(|r| r.first_fails));
            let (front, rest) = p.terms.split_at_checked(front).unwrap_or((&p.terms, &[]));
            let (at_hand, own): (Vec<TermId>, Vec<TermId>) = rest.iter().partition(|t| known(t).is_some());
            for t in front.iter().chain(&at_hand).chain(&own) {
                if failed.is_some() || p.rows.as_ref().is_some_and(Vec::is_empty) {
                    break;
                }
                match (known(t), &mut p.rows) {
                    (Some((_, Err(e))), _) => failed = Some(e.clone()),
                    (Some((_, Ok(set))), Some(rows)) => rows.retain(|r| set.contains(*r)),
                    (Some((_, Ok(set))), none) => *none = Some(set.rows()),
                    (None, rows) => match self.term(compiled, *t, rows.as_deref(), view, context)? {
                        Ok(hits) => *rows = Some(hits),
                        Err(e) => failed = Some(e),
                    },
                }
            }
            match failed {
                Some(e) => outcomes.push((p.rule as usize, Err(e))),
                None => {
                    let hits = p.rows.unwrap_or_default();
                    if hits.len() == rows {
                        self.count(p.rule, 0, rows);
                        outcomes.push((p.rule as usize, Ok(Hits::All)));
                    } else {
                        self.done(p.rule, hits, outcomes);
                    }
                }
            }
        }
        Ok(())
    }

    /// Terms of several rules, evaluated once on the rows of all of them.
    fn shared(
        &mut self,
        compiled: &Compiled,
        pending: &[Pending],
        rows: usize,
        view: &mut View<'_>,
        context: &EvalContext,
    ) -> Result<Shared, Fault> {
        let mut wanted: std::collections::BTreeMap<TermId, (u32, Option<RowSet>)> =
            std::collections::BTreeMap::new();
        for p in pending {
            for t in p.terms.iter().filter(|t| compiled.terms.get(**t).is_some_and(|t| t.rules > 1)) {
                let (count, set) = wanted.entry(*t).or_insert_with(|| {
                    let mut set = RowSet::default();
                    set.reset(rows);
                    (0, Some(set))
                });
                *count += 1;
                match (&p.rows, set.as_mut()) {
                    (Some(rows), Some(set)) => rows.iter().for_each(|r| set.insert(*r)),
                    (None, _) => *set = None,
                    _ => {}
                }
            }
        }
        let mut results = Vec::new();
        for (t, (count, set)) in wanted {
            if count < 2 {
                continue;
            }
            let among = set.map(|s| s.rows());
            let truth = self.term(compiled, t, among.as_deref(), view, context)?.map(|hits| {
                let mut set = RowSet::default();
                set.reset(rows);
                hits.iter().for_each(|r| set.insert(*r));
                set
            });
            results.push((t, truth));
        }
        Ok(results)
    }

    fn term(
        &mut self,
        compiled: &Compiled,
        id: TermId,
        among: Option<&[u32]>,
        view: &mut View<'_>,
        context: &EvalContext,
    ) -> Result<Result<Vec<u32>, EvalError>, Fault> {
        let Some(term) = compiled.terms.get(id) else {
            return Err(Fault::internal("a rule without its term"));
        };
        let start = context.clock.monotonic_nanos();
        let hits = self.memos.hits(term, among, view, context)?;
        if let Some(n) = self.nanos.get_mut(id) {
            *n += context.clock.monotonic_nanos().saturating_sub(start);
        }
        Ok(hits)
    }

    pub(super) fn report(&self, compiled: &Compiled, anchors: &Anchors) -> Vec<RuleReport> {
        let mut out = Vec::with_capacity(anchors.plans.len());
        for (place, RuleTerms { id, terms, .. }) in compiled.live() {
            let Some(plan) = anchors.plans.get(place as usize) else { continue };
            let rule = place as usize;
            let terms = terms.as_deref().unwrap_or_default();
            let (anchoring, decided) = match plan {
                Plan::EveryRow => (Anchoring::EveryRow, true),
                Plan::Never | Plan::Nothing => (Anchoring::Never, true),
                Plan::Plain => (Anchoring::Plain(why(compiled, place)), false),
                Plan::Anchored { atoms, decides } => {
                    (Anchoring::Anchors(told(compiled, atoms)), terms.len() == 1 && decides.is_some())
                }
            };
            let nanos = terms.iter().filter_map(|t| {
                let term = compiled.terms.get(*t)?;
                Some(self.nanos.get(*t)? / u64::from(term.rules.max(1)))
            });
            let counts = self.counts.get(rule).copied().unwrap_or_default();
            out.push(RuleReport {
                rule: id.unwrap_or(rule),
                anchoring,
                decided,
                rows: self.rows - counts.before,
                candidates: counts.candidates,
                hits: counts.hits,
                nanos: Some(nanos.sum::<u64>() + self.deciding.get(rule).copied().unwrap_or(0)),
                remembered: terms
                    .iter()
                    .filter_map(|t| compiled.terms.get(*t))
                    .map(|t| self.memos.answered(t))
                    .sum(),
            });
        }
        out.sort_unstable_by_key(|r| r.rule);
        out
    }
}

/// Anchors for people; long lists are cut.
fn told(compiled: &Compiled, atoms: &[AtomId]) -> Vec<String> {
    const MOST: usize = 8;
    let mut out: Vec<String> = atoms
        .iter()
        .take(MOST)
        .filter_map(|a| compiled.atoms.get(*a))
        .map(|a| describe(a, compiled))
        .collect();
    if atoms.len() > MOST {
        out.push(format!("{} more", atoms.len() - MOST));
    }
    out
}

fn describe(atom: &Atom, compiled: &Compiled) -> String {
    let column = compiled.parts.show(atom.column);
    match &atom.test {
        Test::Present => format!("{column} is not NULL"),
        Test::Missing => format!("{column} is NULL"),
        Test::Range { low, high, of } => {
            let (from, to) = (of.show(*low), of.show(*high));
            match (*low, *high) {
                (low, high) if low == high => format!("{column} = {from}"),
                (_, i64::MAX) => format!("{column} >= {from}"),
                (i64::MIN, _) => format!("{column} <= {to}"),
                _ => format!("{column} in {from}..{to}"),
            }
        }
        Test::Order { low, high, case } => {
            // A zero at the end stands for "behind this text".
            let end = |bytes: &[u8], with: &str, without: &str| {
                let (operator, bytes) = match bytes {
                    [rest @ .., 0] => (with, rest),
                    all => (without, all),
                };
                format!("{operator} '{}'", String::from_utf8_lossy(bytes))
            };
            let ends = [
                (!low.is_empty()).then(|| end(low, ">", ">=")),
                high.as_ref().map(|high| end(high, "<=", "<")),
            ];
            let ends: Vec<String> = ends.into_iter().flatten().collect();
            let cased = match case {
                Case::Lower => " in lower case",
                Case::Upper => " in upper case",
                _ => "",
            };
            if ends.is_empty() {
                format!("{column} is not NULL")
            } else {
                format!("{column} {}{cased}", ends.join(" and "))
            }
        }
        Test::Address { low, high } if low == high => format!("{column} = address {low}"),
        Test::Address { low, high } => format!("{column} in addresses {low}..{high}"),
        Test::Raw { literal, .. } => format!("{column} has '{}' within", String::from_utf8_lossy(literal)),
        Test::Text { literal, place, case } => {
            let text = String::from_utf8_lossy(literal);
            let verb = match place {
                Place::Anywhere => "contains",
                Place::Start => "starts with",
                Place::End => "ends with",
                Place::Whole => "=",
            };
            let loose = if *case == Case::Exact { "" } else { " in any case" };
            format!("{column} {verb} '{text}'{loose}")
        }
    }
}

/// Why a rule has no anchor.
fn why(compiled: &Compiled, rule: u32) -> String {
    let terms = compiled.searched(rule);
    let known =
        terms.iter().filter_map(|t| compiled.terms.get(*t)).any(|t| t.known.condition != Condition::Always);
    if known {
        return "what it asks for is true of most rows; a condition on a rarer text or value would be looked for first".into();
    }
    let fails =
        terms.iter().filter_map(|t| compiled.terms.get(*t)).any(|t| super::condition::can_fail(t.expr()));
    if fails {
        return "its first condition can fail on some values (a CAST, a pattern that counts steps), so that no later one may skip rows; put the \
                conditions that cannot fail first, or use TRY_CAST"
            .into();
    }
    "no text, value or range is known that a hit must have: a pattern that begins with .* and has no literal, a negation, a comparison of two columns"
        .into()
}
