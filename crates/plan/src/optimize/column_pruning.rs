//! Columns that nobody reads are not computed, not kept and not read.
//!
//! From the sinks down each node learns which of its columns are read; from the scans up each is built anew with those. Operators that
//! pass their input's columns on pass on whatever their input still has.

use std::sync::Arc;

use millstream_expr::{Expr, ExprKind};
use millstream_flow::ChangelogMode;
use millstream_types::Schema;

use super::graph;
use crate::{AggregateCall, JobPlan, JoinKind, NodeId, Op, ProjectItem, SortKey};

/// A set of columns, by position: the first 64 in one number, which is all that most inputs have.
#[derive(Debug, Clone, Default)]
struct Columns {
    first: u64,
    rest: Vec<u64>,
}

impl Columns {
    fn insert(&mut self, column: usize) {
        let bit = 1 << (column % 64);
        let Some(word) = (column / 64).checked_sub(1) else {
            self.first |= bit;
            return;
        };
        if self.rest.len() <= word {
            self.rest.resize(word + 1, 0);
        }
        if let Some(word) = self.rest.get_mut(word) {
            *word |= bit;
        }
    }

    fn words(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }

    fn contains(&self, column: usize) -> bool {
        let word = match (column / 64).checked_sub(1) {
            None => self.first,
            Some(word) => self.rest.get(word).copied().unwrap_or(0),
        };
        word & (1 << (column % 64)) != 0
    }

    fn len(&self) -> usize {
        self.words().map(|w| w.count_ones() as usize).sum()
    }

    /// The columns, ascending.
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.words().enumerate().flat_map(|(i, mut word)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.checked_sub(1)?;
                Some(i * 64 + bit as usize)
            })
        })
    }

    /// Adds the columns of another set.
    fn extend(&mut self, other: &Columns) {
        self.first |= other.first;
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        for (own, more) in self.rest.iter_mut().zip(&other.rest) {
            *own |= more;
        }
    }

    /// Adds the columns that an expression reads.
    fn read_by(&mut self, expr: &Expr) {
        expr.walk(&mut |e| {
            if let ExprKind::Column(c) = e.kind {
                self.insert(c);
            }
        });
    }
}

impl FromIterator<usize> for Columns {
    fn from_iter<T: IntoIterator<Item = usize>>(columns: T) -> Self {
        let mut set = Columns::default();
        columns.into_iter().for_each(|c| set.insert(c));
        set
    }
}

/// Where a node's old columns are now.
type Map = Vec<Option<usize>>;

/// Prunes the plan.
pub(super) fn prune_columns(plan: &mut JobPlan) {
    let mut required: Vec<Columns> = vec![Columns::default(); plan.nodes.len()];
    for i in (0..plan.nodes.len()).rev() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let own = required.get_mut(i).map(std::mem::take).unwrap_or_default();
        for (input, wanted) in node.inputs.iter().zip(wanted(plan, i, &own)) {
            if let Some(r) = required.get_mut(input.0) {
                r.extend(&wanted);
            }
        }
        if let Some(r) = required.get_mut(i) {
            *r = own;
        }
    }
    let mut maps: Vec<Map> = Vec::with_capacity(plan.nodes.len());
    for i in 0..plan.nodes.len() {
        let own = required.get_mut(i).map(std::mem::take).unwrap_or_default();
        let map = rebuild(plan, i, &own, &maps);
        maps.push(map);
    }
    graph::compact(plan);
}

fn width(plan: &JobPlan, id: NodeId) -> usize {
    plan.nodes.get(id.0).map_or(0, |n| n.schema.len())
}

fn columns_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> Columns {
    let mut found = Columns::default();
    for e in exprs {
        found.read_by(e);
    }
    found
}

/// The columns that an operator's expressions read, all of one input.
fn read_by_all(op: &Op) -> Columns {
    let mut found = Columns::default();
    op.each_expression(|e| found.read_by(e));
    found
}

fn calls_columns(calls: &[AggregateCall]) -> Columns {
    columns_of(
        calls.iter().flat_map(|c| c.args.iter().chain(&c.filter).chain(c.order_by.iter().map(|k| &k.expr))),
    )
}

fn keys_columns(keys: &[SortKey]) -> Columns {
    columns_of(keys.iter().map(|k| &k.expr))
}

/// Which columns of each input a node reads, given which of its own are read.
fn wanted(plan: &JobPlan, index: usize, own: &Columns) -> Vec<Columns> {
    let Some(node) = plan.nodes.get(index) else { return Vec::new() };
    let first = node.inputs.first().map_or(0, |i| width(plan, *i));
    let all = |n: usize| -> Columns { (0..n).collect() };
    let mut passed: Columns = match &node.op {
        Op::Scan(_) | Op::Values(_) | Op::Project(_) | Op::Aggregate(_) => Columns::default(),
        _ => own.iter().filter(|c| *c < first).collect(),
    };
    match &node.op {
        Op::Scan(_) | Op::Values(_) => return Vec::new(),
        Op::Filter(e) => passed.read_by(e),
        Op::Project(items) => {
            return vec![columns_of(own.iter().filter_map(|c| items.get(c)).map(|i| &i.expr))];
        }
        Op::Union => return vec![own.clone(); node.inputs.len()],
        Op::SetOperation { .. } | Op::Sink(_) | Op::Match(_) => {
            return node.inputs.iter().map(|i| all(width(plan, *i))).collect();
        }
        Op::Unnest(u) => passed.read_by(&u.collection),
        Op::TableFunction(t) => passed.extend(&columns_of(&t.args)),
        Op::Window(w) => {
            passed.insert(w.time);
            if let crate::WindowKind::Session { partition_keys, .. } = &w.kind {
                partition_keys.iter().for_each(|k| passed.insert(*k));
            }
        }
        Op::Aggregate(a) => {
            let mut read = columns_of(&a.keys);
            let kept: Vec<AggregateCall> = a
                .calls
                .iter()
                .enumerate()
                .filter(|(i, _)| own.contains(a.keys.len() + i))
                .map(|(_, c)| c.clone())
                .collect();
            read.extend(&calls_columns(&kept));
            if let Some(w) = &a.group_window {
                read.insert(w.time);
            }
            return vec![read];
        }
        Op::Join(j) => {
            let mut left = passed;
            let mut right: Columns = own.iter().filter(|c| *c >= first).map(|c| c - first).collect();
            if matches!(j.kind, JoinKind::Semi | JoinKind::Anti) {
                right = Columns::default();
            }
            for (l, r) in &j.equal {
                left.read_by(l);
                right.read_by(r);
            }
            for c in j.condition.iter().flat_map(Expr::columns) {
                if c < first {
                    left.insert(c);
                } else {
                    right.insert(c - first);
                }
            }
            if let Some((_, _, l, r)) = j.interval {
                left.insert(l);
                right.insert(r);
            }
            j.time.into_iter().for_each(|c| left.insert(c));
            j.right_time.into_iter().for_each(|c| right.insert(c));
            return vec![left, right];
        }
        Op::Over(o) => {
            passed.extend(&columns_of(&o.partition_by));
            passed.extend(&keys_columns(&o.order_by));
            passed.extend(&calls_columns(&o.calls));
        }
        Op::TopN(t) => {
            passed.extend(&columns_of(&t.partition_by));
            passed.extend(&keys_columns(&t.order_by));
        }
        Op::Sort(keys) => passed.extend(&keys_columns(keys)),
        Op::Limit { .. } => {}
    }
    vec![passed]
}

/// Builds a node with only what is read; gives where its columns are now.
fn rebuild(plan: &mut JobPlan, index: usize, own: &Columns, maps: &[Map]) -> Map {
    if is_whole(plan, index, own, maps) {
        let columns = plan.nodes.get(index).map_or(0, |n| n.schema.len());
        return (0..columns).map(Some).collect();
    }
    let Some(mut node) = graph::lift(plan, index) else { return Vec::new() };
    let old = node.schema.clone();
    let input_map = |n: usize| node.inputs.get(n).and_then(|i| maps.get(i.0)).map_or(&[][..], Vec::as_slice);
    let (first, second) = (input_map(0), input_map(1));
    let old_width = first.len();
    let to = |map: &[Option<usize>], c: usize| map.get(c).copied().flatten().unwrap_or(0);
    let remap = |e: &mut Expr| e.map_columns(&|c| to(first, c));
    let new_width = node.inputs.first().map_or(0, |i| width(plan, *i));
    // Columns that pass through, then the node's own ones.
    let passing = |added: usize| -> Map {
        let mut map: Map = first.to_vec();
        map.extend((0..added).map(|a| Some(new_width + a)));
        map
    };
    let map: Map = match &mut node.op {
        Op::Scan(scan) => {
            let mut kept: Vec<usize> = own.iter().collect();
            if node.changes == ChangelogMode::Upsert {
                kept.extend(node.upsert_keys.iter().flatten());
                kept.sort_unstable();
                kept.dedup();
            }
            let mut position = 0usize;
            Arc::make_mut(&mut scan.output).retain(|_| {
                position += 1;
                kept.binary_search(&(position - 1)).is_ok()
            });
            let used: Vec<usize> = read_by_all(&node.op).iter().collect();
            let Op::Scan(scan) = &mut node.op else { return Vec::new() };
            let columns = used.iter().filter_map(|c| scan.columns.get(*c)).copied().collect();
            scan.columns = columns;
            node.op.each_expression_mut(|e| e.map_columns(&|c| used.binary_search(&c).unwrap_or(0)));
            position_map(old.len(), &kept)
        }
        Op::Values(rows) => {
            let kept: Vec<usize> = own.iter().collect();
            for row in rows {
                *row = kept.iter().filter_map(|c| row.get(*c)).cloned().collect();
            }
            position_map(old.len(), &kept)
        }
        Op::Project(items) => {
            let kept: Vec<usize> = own.iter().collect();
            let mut position = 0;
            items.retain(|_| {
                position += 1;
                own.contains(position - 1)
            });
            for item in items {
                remap(&mut item.expr);
            }
            position_map(old.len(), &kept)
        }
        Op::Union => {
            let kept: Vec<usize> = own.iter().collect();
            align_inputs(plan, &mut node, &kept, maps);
            position_map(old.len(), &kept)
        }
        Op::SetOperation { .. } | Op::Sink(_) | Op::Match(_) => {
            let kept: Vec<usize> = (0..old_width).collect();
            align_inputs(plan, &mut node, &kept, maps);
            (0..old.len()).map(Some).collect()
        }
        Op::Unnest(_) | Op::TableFunction(_) | Op::Sort(_) | Op::Limit { .. } | Op::Filter(_) => {
            node.op.each_expression_mut(remap);
            passing(old.len() - old_width)
        }
        Op::Window(w) => {
            w.time = to(first, w.time);
            if let crate::WindowKind::Session { partition_keys, .. } = &mut w.kind {
                for k in partition_keys {
                    *k = to(first, *k);
                }
            }
            passing(3)
        }
        Op::Over(_) => {
            node.op.each_expression_mut(remap);
            passing(old.len() - old_width)
        }
        Op::TopN(t) => {
            let rank = t.with_rank && own.contains(old_width);
            let had = t.with_rank;
            t.with_rank = rank;
            node.op.each_expression_mut(remap);
            let mut map = passing(usize::from(rank));
            if had && !rank {
                map.push(None);
            }
            map
        }
        Op::Aggregate(a) => {
            let keys = a.keys.len();
            let kept: Vec<usize> = (0..keys).chain(own.iter().filter(|c| *c >= keys)).collect();
            let calls = a.calls.len();
            a.calls = (0..calls)
                .filter(|c| own.contains(keys + c))
                .filter_map(|c| a.calls.get(c))
                .cloned()
                .collect();
            let properties = a.window_properties.len();
            a.window_properties = (0..properties)
                .filter(|c| own.contains(keys + calls + c))
                .filter_map(|c| a.window_properties.get(c).copied())
                .collect();
            if let Some(w) = &mut a.group_window {
                w.time = to(first, w.time);
            }
            node.op.each_expression_mut(remap);
            position_map(old.len(), &kept)
        }
        Op::Join(j) => {
            for (l, r) in &mut j.equal {
                remap(l);
                r.map_columns(&|c| to(second, c));
            }
            let side =
                |c: usize| if c < old_width { to(first, c) } else { new_width + to(second, c - old_width) };
            if let Some(e) = &mut j.condition {
                e.map_columns(&side);
            }
            if let Some((_, _, l, r)) = &mut j.interval {
                *l = to(first, *l);
                *r = to(second, *r);
            }
            j.time = j.time.map(|t| to(first, t));
            j.right_time = j.right_time.map(|t| to(second, t));
            let mut map = first.to_vec();
            if !matches!(j.kind, JoinKind::Semi | JoinKind::Anti) {
                map.extend(second.iter().map(|c| c.map(|c| c + new_width)));
            }
            map
        }
    };
    node.schema = Arc::new(new_schema(plan, &node.inputs, &node.op, &old, &map));
    node.upsert_keys = node
        .upsert_keys
        .iter()
        .filter_map(|key| key.iter().map(|c| map.get(*c).copied().flatten()).collect::<Option<Vec<_>>>())
        .collect();
    if let Some(n) = plan.nodes.get_mut(index) {
        *n = node;
    }
    map
}

/// Whether nothing changes for a node: its inputs are as they were, and all that it could leave out is read.
fn is_whole(plan: &JobPlan, index: usize, own: &Columns, maps: &[Map]) -> bool {
    let Some(node) = plan.nodes.get(index) else { return false };
    let same_inputs = node.inputs.iter().all(|i| {
        maps.get(i.0).is_some_and(|m| m.iter().enumerate().all(|(old, new)| *new == Some(old)))
            && maps.get(i.0).map(Vec::len) == plan.nodes.get(i.0).map(|n| n.schema.len())
    });
    same_inputs
        && match &node.op {
            Op::Scan(scan) => {
                own.len() == node.schema.len() && read_by_all(&node.op).len() == scan.columns.len()
            }
            Op::Values(_) => false,
            Op::Project(_) | Op::Union | Op::Aggregate(_) | Op::TopN(_) => own.len() == node.schema.len(),
            _ => true,
        }
}

/// Where the columns are when only some are kept; `kept` ascends.
fn position_map(width: usize, kept: &[usize]) -> Map {
    (0..width).map(|c| kept.binary_search(&c).ok()).collect()
}

/// The fields that are still there, in their new order.
fn new_schema(plan: &JobPlan, inputs: &[NodeId], op: &Op, old: &Schema, map: &Map) -> Schema {
    let width = map.iter().flatten().max().map_or(0, |m| m + 1);
    let mut fields = vec![None; width];
    for (c, place) in map.iter().enumerate() {
        if let (Some(p), Some(field)) = (place, old.field(c))
            && let Some(slot) = fields.get_mut(*p)
        {
            *slot = Some(field.clone());
        }
    }
    // An input may still have columns that only its other users read: they pass here, too.
    if matches!(op, Op::Project(_) | Op::Aggregate(_) | Op::Union | Op::Scan(_) | Op::Values(_)) {
        return Schema::new(fields.into_iter().flatten().collect());
    }
    let below: Vec<_> = inputs
        .iter()
        .filter_map(|i| plan.nodes.get(i.0))
        .flat_map(|n| n.schema.fields.iter().cloned())
        .collect();
    let all = fields.into_iter().enumerate().filter_map(|(i, f)| f.or_else(|| below.get(i).cloned()));
    Schema::new(all.collect())
}

/// Gives every input exactly the kept columns, where it has others or another order.
fn align_inputs(plan: &mut JobPlan, node: &mut crate::Node, kept: &[usize], maps: &[Map]) {
    for slot in 0..node.inputs.len() {
        let Some(input) = node.inputs.get(slot).copied() else { continue };
        let map = maps.get(input.0).cloned().unwrap_or_default();
        let places: Vec<usize> = kept.iter().map(|c| map.get(*c).copied().flatten().unwrap_or(0)).collect();
        let exact = places.iter().copied().eq(0..width(plan, input));
        if exact {
            continue;
        }
        let Some(below) = plan.nodes.get(input.0) else { continue };
        let items: Vec<ProjectItem> = places
            .iter()
            .filter_map(|p| below.schema.field(*p).map(|f| (p, f)))
            .map(|(p, f)| ProjectItem { name: f.name.clone(), expr: Expr::column(*p, f.data_type.clone()) })
            .collect();
        let schema = below.schema.project(&places);
        let like = graph::Place { changes: ChangelogMode::Append, ..below.place() };
        let added = graph::add(plan, like, Op::Project(items), vec![input], schema);
        if let Some(i) = node.inputs.get_mut(slot) {
            *i = added;
        }
    }
}
