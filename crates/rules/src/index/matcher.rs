//! All atoms that are searched for, by column, over the rows of a chunk.

use std::collections::BTreeMap;
use std::net::IpAddr;

use arrow::array::{Array, ArrayRef, AsArray};
use millstream_expr::functions::scalar::url::Addresses;
use millstream_types::{Fault, FieldSlices, SliceForm, Slices};

use super::atom::{Atom, AtomId, Atoms, Place, Test};
use super::found::{Found, Slot};
use super::frequencies::Frequencies;
use super::gate::Gate;
use super::grams::Sought;
use super::numbers::Ranges;
use super::orders::{Order, Orders};
use super::ordinal::Ordinal;
use super::texts::{Texts, unescape};
use crate::RuleInput;

/// The atoms of one column.
#[derive(Debug)]
struct Field {
    texts: Option<Texts>,
    /// Ranges of ordinals, and what these are.
    ranges: Option<(Ordinal, Ranges<i64>)>,
    addresses: Option<Ranges<IpAddr>>,
    /// Ranges of texts.
    orders: Option<Orders>,
    /// Literals in JSON that has parts, with their slots.
    raws: Option<(Texts, Vec<Slot>)>,
    present: Vec<Slot>,
    missing: Vec<Slot>,
    all: Vec<Slot>,
    scratch: Vec<u8>,
    /// Whether there are only texts.
    only_texts: bool,
}

/// What is searched for in one column.
#[derive(Default)]
struct Parts {
    sought: Vec<Sought>,
    ordinal: Option<Ordinal>,
    ranges: Vec<(i64, i64, Slot)>,
    addresses: Vec<(IpAddr, IpAddr, Slot)>,
    orders: Vec<Order>,
    raws: Vec<Sought>,
    present: Vec<Slot>,
    missing: Vec<Slot>,
    all: Vec<Slot>,
}

/// Finds the rows on which atoms hold.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    fields: BTreeMap<usize, Field>,
    pub(super) gate: Option<Gate>,
    pub(super) found: Found,
    rows: Vec<u32>,
}

impl Matcher {
    /// Looks for these atoms from now on, in these columns (ascending); other columns stay as they are. Slots are below `slots`.
    pub(super) fn search(
        &mut self,
        atoms: &Atoms,
        wanted: impl Iterator<Item = (Slot, AtomId)>,
        columns: &[usize],
        slots: usize,
        frequencies: &BTreeMap<usize, Frequencies>,
    ) {
        let mut by_column: BTreeMap<usize, Parts> = BTreeMap::new();
        for (slot, id) in wanted {
            let Some(Atom { column, test }) = atoms.get(id) else { continue };
            if columns.binary_search(column).is_err() {
                continue;
            }
            let parts = by_column.entry(*column).or_default();
            parts.all.push(slot);
            match test {
                Test::Text { literal, place, case } => {
                    parts.sought.push(Sought { literal: literal.clone(), place: *place, case: *case, slot });
                }
                Test::Range { low, high, of } => {
                    parts.ordinal = Some(*of);
                    parts.ranges.push((*low, *high, slot));
                }
                Test::Address { low, high } => parts.addresses.push((*low, *high, slot)),
                Test::Order { low, high, case } => {
                    parts.orders.push(Order { low: low.clone(), high: high.clone(), case: *case, slot });
                }
                Test::Raw { literal, case } => {
                    let (literal, place) = (literal.clone(), Place::Anywhere);
                    parts.raws.push(Sought { literal, place, case: *case, slot });
                }
                Test::Present => parts.present.push(slot),
                Test::Missing => parts.missing.push(slot),
            }
        }
        for column in columns {
            let Some(p) = by_column.remove(column) else {
                self.fields.remove(column);
                continue;
            };
            let field = Field {
                texts: (!p.sought.is_empty()).then(|| Texts::new(p.sought, frequencies.get(column))),
                ranges: p.ordinal.map(|ordinal| (ordinal, Ranges::new(&p.ranges))),
                addresses: (!p.addresses.is_empty()).then(|| Ranges::new(&p.addresses)),
                orders: (!p.orders.is_empty()).then(|| Orders::new(&p.orders)),
                raws: (!p.raws.is_empty()).then(|| {
                    let slots = p.raws.iter().map(|s| s.slot).collect();
                    (Texts::new(p.raws, None), slots)
                }),
                present: p.present,
                missing: p.missing,
                all: p.all,
                scratch: Vec::new(),
                only_texts: false,
            };
            let only_texts = field.is_only_texts();
            let field = Field { only_texts, ..field };
            self.fields.insert(*column, field);
        }
        self.found.clear();
        self.found.grow(slots);
    }

    /// The columns whose values it looks at, ascending.
    pub(super) fn columns(&self) -> impl Iterator<Item = usize> {
        self.fields.keys().copied()
    }

    /// Looks at the first `rows` rows of a chunk; what holds is in `found`.
    pub(super) fn run(&mut self, input: &mut dyn RuleInput, rows: usize) -> Result<(), Fault> {
        let Matcher { fields, found, gate, rows: some } = self;
        found.clear();
        if let Some(gate) = gate {
            gate.look(input, rows)?;
        }
        for (column, field) in fields {
            let gated = gate.as_mut().is_some_and(|g| g.rows(*column, some));
            if gated && some.is_empty() {
                continue;
            }
            if let Some((slices, cut)) = input.field(*column) {
                if gated {
                    field.slices(slices, cut, some.iter().copied(), found);
                } else {
                    field.slices(slices, cut, 0..rows as u32, found);
                }
                continue;
            }
            let array = input.column(*column, None)?;
            if gated {
                field.array(&array, some.iter().copied(), found);
            } else {
                field.array(&array, 0..rows as u32, found);
            }
        }
        Ok(())
    }
}

impl Field {
    fn is_only_texts(&self) -> bool {
        self.texts.is_some()
            && self.ranges.is_none()
            && self.addresses.is_none()
            && self.orders.is_none()
            && self.raws.is_none()
            && self.present.is_empty()
            && self.missing.is_empty()
    }

    fn slices(
        &mut self,
        slices: &Slices,
        cut: &FieldSlices,
        rows: impl Iterator<Item = u32>,
        found: &mut Found,
    ) {
        if let (true, Some(texts)) = (self.only_texts, &mut self.texts) {
            for row in rows {
                let Some(slice) = cut.slices.get(row as usize) else { break };
                match slice.form {
                    SliceForm::Absent | SliceForm::Null => {}
                    SliceForm::Plain | SliceForm::Side | SliceForm::JsonRaw => {
                        texts.find(slices.bytes(cut, *slice), row, found);
                    }
                    SliceForm::JsonEscaped => texts.find_escaped(slices.bytes(cut, *slice), row, found),
                    _ => undecided(&self.all, row, found),
                }
            }
            return;
        }
        for row in rows {
            let Some(slice) = cut.slices.get(row as usize) else { break };
            if matches!(slice.form, SliceForm::Absent | SliceForm::Null) {
                self.missing.iter().for_each(|s| found.emit(*s, row));
                continue;
            }
            self.present.iter().for_each(|s| found.emit(*s, row));
            let bytes = slices.bytes(cut, *slice);
            if let Some(texts) = &mut self.texts {
                match slice.form {
                    SliceForm::Plain | SliceForm::Side | SliceForm::JsonRaw => texts.find(bytes, row, found),
                    SliceForm::JsonEscaped => texts.find_escaped(bytes, row, found),
                    _ => undecided(&self.all, row, found),
                }
            }
            if let Some((ordinal, ranges)) = &self.ranges {
                match ordinal.spelled(bytes) {
                    Some(value) => ranges.find(value, row, found),
                    None => undecided(&self.all, row, found),
                }
            }
            if let Some(addresses) = &self.addresses {
                match slice.form {
                    SliceForm::Plain | SliceForm::Side | SliceForm::JsonRaw => {
                        address(addresses, std::str::from_utf8(bytes).ok(), row, found);
                    }
                    _ => undecided(&self.all, row, found),
                }
            }
            if let Some(orders) = &mut self.orders {
                match slice.form {
                    SliceForm::Plain | SliceForm::Side | SliceForm::JsonRaw => orders.find(bytes, row, found),
                    SliceForm::JsonEscaped => {
                        self.scratch.clear();
                        unescape(bytes, &mut self.scratch);
                        orders.find(&self.scratch, row, found);
                    }
                    _ => undecided(&self.all, row, found),
                }
            }
            if let Some((raws, slots)) = &mut self.raws {
                if slice.form == SliceForm::JsonRaw && memchr::memchr(b'\\', bytes).is_none() {
                    raws.find(bytes, row, found);
                } else {
                    slots.iter().for_each(|s| found.emit(*s, row));
                }
            }
        }
    }

    fn array(&mut self, array: &ArrayRef, rows: impl Iterator<Item = u32>, found: &mut Found) {
        let ordinals = Ordinal::array(array);
        let strings = array.as_string_opt::<i32>();
        for row in rows.take_while(|r| (*r as usize) < array.len()) {
            let index = row as usize;
            if array.is_null(index) {
                self.missing.iter().for_each(|s| found.emit(*s, row));
                continue;
            }
            self.present.iter().for_each(|s| found.emit(*s, row));
            if let Some(texts) = &mut self.texts {
                match strings {
                    Some(strings) => texts.find(strings.value(index).as_bytes(), row, found),
                    None => undecided(&self.all, row, found),
                }
            }
            if let Some((_, ranges)) = &self.ranges {
                match ordinals(index) {
                    Some(value) => ranges.find(value, row, found),
                    None => undecided(&self.all, row, found),
                }
            }
            if let Some(addresses) = &self.addresses {
                match strings {
                    Some(strings) => address(addresses, Some(strings.value(index)), row, found),
                    None => undecided(&self.all, row, found),
                }
            }
            if let Some(orders) = &mut self.orders {
                match strings {
                    Some(strings) => orders.find(strings.value(index).as_bytes(), row, found),
                    None => undecided(&self.all, row, found),
                }
            }
            if let Some((_, slots)) = &self.raws {
                slots.iter().for_each(|s| found.emit(*s, row));
            }
        }
    }
}

/// A text that may be an address; `None`: it is no text.
fn address(ranges: &Ranges<IpAddr>, text: Option<&str>, row: u32, found: &mut Found) {
    if let Some(address) = text.and_then(Addresses::address) {
        ranges.find(address, row, found);
    }
}

/// A row that cannot be decided is given to every atom of the column, and told.
#[cold]
fn undecided(all: &[Slot], row: u32, found: &mut Found) {
    found.open = true;
    all.iter().for_each(|s| found.emit(*s, row));
}

/// Counts windows of a column's texts.
pub(super) fn count_windows(
    input: &mut dyn RuleInput,
    column: usize,
    rows: usize,
    into: &mut Frequencies,
) -> Result<(), Fault> {
    if let Some((slices, cut)) = input.field(column) {
        for slice in cut.slices.iter().take(rows) {
            into.count(slices.bytes(cut, *slice));
        }
        return Ok(());
    }
    let array = input.column(column, None)?;
    if let Some(strings) = array.as_string_opt::<i32>() {
        for text in strings.iter().take(rows).flatten() {
            into.count(text.as_bytes());
        }
    }
    Ok(())
}
