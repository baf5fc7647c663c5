//! A column that most rules compare with a constant (the number of the event, say) tells which other columns are worth a look on a row.
//!
//! A rule that needs `EventID = 1` is no hit where the number is another one, whatever stands in the other columns. So the texts of a column are
//! searched only on rows whose number some rule asks for that has an anchor there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

use arrow::array::Array;
use millstream_expr::kernel::hash::QuickHasher;
use millstream_types::{Fault, SliceForm};

use super::anchors::{Anchors, Plan};
use super::atom::{Atom, Condition, Test};
use super::compile::Compiled;
use super::numbers;
use super::ordinal::Ordinal;
use super::rows::RowSet;
use crate::RuleInput;

/// With fewer anchored rules there is no gate.
const FEWEST: usize = 16;

/// Kinds of rows: NULL, a number that no rule asks for, and one for each number.
type Kind = usize;
const NULL: Kind = 0;
const OTHER: Kind = 1;

/// Which columns are looked at on which rows.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) column: usize,
    kinds: HashMap<i64, Kind, BuildHasherDefault<QuickHasher>>,
    /// By column a bit for each kind of rows on which it is looked at; a column that is not here is looked at on all rows.
    open: BTreeMap<usize, RowSet>,
    /// The rows of each kind in the chunk, and those whose number cannot be told.
    rows: Vec<RowSet>,
    unknown: RowSet,
    /// The kinds that the chunk has.
    here: Vec<Kind>,
    union: RowSet,
}

/// What a rule needs of a column: one of these numbers, or NULL.
#[derive(Debug, Default)]
struct Needs {
    numbers: Vec<i64>,
    null: bool,
}

impl Needs {
    /// Adds what a condition says of a column; `false`: it also says other things.
    fn read(&mut self, condition: &Condition, column: usize, compiled: &Compiled) -> bool {
        match condition {
            Condition::Atom(a) => match compiled.atoms.get(*a) {
                Some(Atom { column: c, test: Test::Range { low, high, of: Ordinal::Whole } })
                    if *c == column && low == high =>
                {
                    self.numbers.push(*low);
                    true
                }
                Some(Atom { column: c, test: Test::Missing }) if *c == column => {
                    self.null = true;
                    true
                }
                _ => false,
            },
            Condition::Any(parts) => parts.iter().all(|p| self.read(p, column, compiled)),
            _ => false,
        }
    }

    /// Of a rule: `None` if it does not need the column to be anything.
    fn of(compiled: &Compiled, place: u32, column: usize) -> Option<Needs> {
        compiled.searched(place).iter().filter_map(|t| compiled.terms.get(*t)).find_map(|t| {
            let parts = match &t.known.condition {
                Condition::All(parts) => parts.as_slice(),
                one => std::slice::from_ref(one),
            };
            parts.iter().find_map(|p| {
                let mut needs = Needs::default();
                needs.read(p, column, compiled).then_some(needs)
            })
        })
    }
}

impl Gate {
    /// The gate for these anchors; `None`: there is no column that half of the rules compare with a constant.
    pub(super) fn new(compiled: &Compiled, anchors: &Anchors) -> Option<Gate> {
        let anchored = |place: u32| matches!(anchors.plans.get(place as usize), Some(Plan::Anchored { .. }));
        let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
        let mut count = 0;
        for (place, _) in compiled.live().filter(|(p, _)| anchored(*p)) {
            count += 1;
            let mut asked: Vec<usize> = Vec::new();
            for t in compiled.searched(place).iter().filter_map(|t| compiled.terms.get(*t)) {
                t.known.condition.atoms(&mut |a| {
                    if let Some(Atom { column, test: Test::Range { low, high, of: Ordinal::Whole } }) =
                        compiled.atoms.get(a)
                        && low == high
                        && !asked.contains(column)
                    {
                        asked.push(*column);
                    }
                });
            }
            asked.into_iter().for_each(|c| *votes.entry(c).or_default() += 1);
        }
        let (column, most) = votes.into_iter().max_by_key(|(_, n)| *n)?;
        if count < FEWEST || most * 2 < count {
            return None;
        }
        let mut kinds: HashMap<i64, Kind, _> = HashMap::default();
        // For each column the kinds; `None`: all rows.
        let mut open: BTreeMap<usize, Option<BTreeSet<Kind>>> = BTreeMap::new();
        open.insert(column, None);
        for (place, _) in compiled.live() {
            let Some(Plan::Anchored { atoms, .. }) = anchors.plans.get(place as usize) else { continue };
            let needs = Needs::of(compiled, place, column);
            let wanted: Option<Vec<Kind>> = needs.map(|n| {
                let mut wanted: Vec<Kind> = n
                    .numbers
                    .iter()
                    .map(|number| {
                        let next = OTHER + 1 + kinds.len();
                        *kinds.entry(*number).or_insert(next)
                    })
                    .collect();
                wanted.extend(n.null.then_some(NULL));
                wanted
            });
            for atom in atoms.iter().filter_map(|a| compiled.atoms.get(*a)) {
                let here = open.entry(atom.column).or_insert_with(|| Some(BTreeSet::new()));
                match &wanted {
                    Some(wanted) => {
                        if let Some(here) = here {
                            here.extend(wanted);
                        }
                    }
                    None => *here = None,
                }
            }
        }
        let rows = vec![RowSet::default(); OTHER + 1 + kinds.len()];
        let bits = |of: BTreeSet<Kind>| {
            let mut set = RowSet::default();
            set.reset(OTHER + 1 + kinds.len());
            of.into_iter().for_each(|k| set.insert(k as u32));
            set
        };
        let open = open.into_iter().filter_map(|(c, of)| Some((c, bits(of?)))).collect();
        let (unknown, union) = (RowSet::default(), RowSet::default());
        Some(Gate { column, kinds, open, rows, unknown, here: Vec::new(), union })
    }

    /// Looks at the gate's column of the first `rows` rows of a chunk.
    ///
    /// # Errors
    /// When the column cannot be built.
    pub(super) fn look(&mut self, input: &mut dyn RuleInput, rows: usize) -> Result<(), Fault> {
        self.rows.iter_mut().for_each(|r| r.reset(rows));
        self.unknown.reset(rows);
        if let Some((slices, cut)) = input.field(self.column) {
            for (row, slice) in cut.slices.iter().enumerate().take(rows) {
                match slice.form {
                    SliceForm::Absent | SliceForm::Null => self.is(row, NULL),
                    _ => self.number(row, numbers::parse(slices.bytes(cut, *slice))),
                }
            }
            self.count();
            return Ok(());
        }
        let array = input.column(self.column, None)?;
        let ordinals = Ordinal::array(&array);
        for row in 0..rows.min(array.len()) {
            if array.is_null(row) {
                self.is(row, NULL);
            } else {
                self.number(row, ordinals(row));
            }
        }
        self.count();
        Ok(())
    }

    fn count(&mut self) {
        self.here.clear();
        self.here.extend(self.rows.iter().enumerate().filter(|(_, r)| !r.is_empty()).map(|(kind, _)| kind));
    }

    fn number(&mut self, row: usize, number: Option<i64>) {
        match number {
            Some(number) => self.is(row, self.kinds.get(&number).copied().unwrap_or(OTHER)),
            None => self.unknown.insert(row as u32),
        }
    }

    fn is(&mut self, row: usize, kind: Kind) {
        if let Some(rows) = self.rows.get_mut(kind) {
            rows.insert(row as u32);
        }
    }

    /// Puts the rows on which a column is looked at into `into`; `false`: it is all of them.
    pub(super) fn rows(&mut self, column: usize, into: &mut Vec<u32>) -> bool {
        let Gate { open, rows, unknown, here, union, .. } = self;
        let Some(kinds) = open.get(&column) else { return false };
        union.clone_from(unknown);
        let asked = here.iter().filter(|k| kinds.contains(**k as u32));
        asked.filter_map(|k| rows.get(*k)).for_each(|rows| union.add(rows));
        into.clear();
        union.each(|row| into.push(row));
        true
    }
}
