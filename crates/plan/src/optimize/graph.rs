//! The plan as a graph: who uses what, and bringing its nodes into order again after a rewrite.

use millstream_flow::ChangelogMode;
use millstream_types::{SchemaRef, Span};

use crate::{JobPlan, Node, NodeId, Op, OperatorId};

/// Adds a node made from another one's place in the text.
pub(super) fn add(
    plan: &mut JobPlan,
    like: Place,
    op: Op,
    inputs: Vec<NodeId>,
    schema: impl Into<SchemaRef>,
) -> NodeId {
    let id = NodeId(plan.nodes.len());
    plan.nodes.push(Node {
        op,
        inputs,
        schema: schema.into(),
        changes: like.changes,
        upsert_keys: Vec::new(),
        id: OperatorId(0),
        upstream: 0,
        span: like.span,
        statement: like.statement,
    });
    id
}

/// What a node that a rewrite makes takes over from another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) changes: ChangelogMode,
    pub(super) span: Option<Span>,
    pub(super) statement: usize,
}

impl Node {
    /// Where it comes from.
    pub(super) fn place(&self) -> Place {
        Place { changes: self.changes, span: self.span, statement: self.statement }
    }
}

/// Takes the operator out of a node that is about to be changed or replaced.
pub(super) fn take(plan: &mut JobPlan, id: NodeId) -> Option<Op> {
    plan.nodes.get_mut(id.0).map(|n| std::mem::replace(&mut n.op, Op::Union))
}

/// Takes a node out of the plan, to be put back at its place when it was changed.
pub(super) fn lift(plan: &mut JobPlan, index: usize) -> Option<Node> {
    let node = plan.nodes.get_mut(index)?;
    let hollow = Node {
        op: Op::Union,
        inputs: Vec::new(),
        schema: node.schema.clone(),
        changes: node.changes,
        upsert_keys: Vec::new(),
        id: node.id,
        upstream: node.upstream,
        span: node.span,
        statement: node.statement,
    };
    Some(std::mem::replace(node, hollow))
}

/// Puts an operator into a node.
pub(super) fn put(plan: &mut JobPlan, id: NodeId, op: Op) {
    if let Some(n) = plan.nodes.get_mut(id.0) {
        n.op = op;
    }
}

/// Whether more than one node reads a node.
pub(super) fn is_shared(plan: &JobPlan, id: NodeId) -> bool {
    plan.nodes.iter().flat_map(|n| &n.inputs).filter(|i| **i == id).nth(1).is_some()
}

/// Whether the plan is one row of operators from a source to the only sink, as most rules are: nothing in it can be dropped, or stand twice.
pub(super) fn is_chain(plan: &JobPlan) -> bool {
    let last = plan.nodes.len().checked_sub(1).map(NodeId);
    plan.sinks.len() == 1
        && plan.sinks.first().copied() == last
        && plan.nodes.iter().enumerate().all(|(i, node)| match node.inputs.as_slice() {
            [] => i == 0,
            [input] => input.0 + 1 == i,
            _ => false,
        })
}

/// As [`compact`], after a rewrite that says whether it changed anything.
pub(super) fn compact_if(changed: bool, plan: &mut JobPlan) {
    if changed {
        compact(plan);
    }
}

/// Drops what no sink reaches and numbers the rest anew, inputs before users, in the order in which the sinks reach them.
pub(super) fn compact(plan: &mut JobPlan) {
    if is_chain(plan) {
        return regroup(plan);
    }
    let mut order: Vec<NodeId> = Vec::with_capacity(plan.nodes.len());
    let mut state: Vec<u8> = vec![0; plan.nodes.len()];
    for sink in &plan.sinks {
        // Depth first without recursion: a node is put down when its inputs are.
        let mut stack = vec![(*sink, 0usize)];
        while let Some((id, next)) = stack.pop() {
            let Some(node) = plan.nodes.get(id.0) else { continue };
            if next == 0 {
                match state.get_mut(id.0) {
                    Some(s @ 0) => *s = 1,
                    _ => continue,
                }
            }
            match node.inputs.get(next) {
                Some(input) => {
                    stack.push((id, next + 1));
                    stack.push((*input, 0));
                }
                None => order.push(id),
            }
        }
    }
    // Most rewrites find nothing to do.
    if order.len() == plan.nodes.len() && order.iter().enumerate().all(|(new, old)| new == old.0) {
        return regroup(plan);
    }
    let mut place: Vec<Option<NodeId>> = vec![None; plan.nodes.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(p) = place.get_mut(old.0) {
            *p = Some(NodeId(new));
        }
    }
    let moved = |id: &NodeId| place.get(id.0).copied().flatten();
    if order.is_sorted() {
        // What is left stands in its order: only those between go.
        let mut kept = place.iter().map(Option::is_some);
        plan.nodes.retain(|_| kept.next().unwrap_or(false));
        for node in &mut plan.nodes {
            for input in &mut node.inputs {
                *input = moved(input).unwrap_or(*input);
            }
        }
        plan.sinks = plan.sinks.iter().filter_map(moved).collect();
        return regroup(plan);
    }
    let mut all: Vec<Option<Node>> = std::mem::take(&mut plan.nodes).into_iter().map(Some).collect();
    let mut nodes = Vec::with_capacity(order.len());
    for old in &order {
        if let Some(mut node) = all.get_mut(old.0).and_then(Option::take) {
            node.inputs = node.inputs.iter().filter_map(moved).collect();
            nodes.push(node);
        }
    }
    plan.nodes = nodes;
    plan.sinks = plan.sinks.iter().filter_map(moved).collect();
    regroup(plan);
}

/// Gives every scan's group its scans, and drops groups without any.
fn regroup(plan: &mut JobPlan) {
    for group in &mut plan.scan_groups {
        group.scans.clear();
    }
    for (i, node) in plan.nodes.iter().enumerate() {
        if let Op::Scan(scan) = &node.op
            && let Some(group) = plan.scan_groups.get_mut(scan.group)
        {
            group.scans.push(NodeId(i));
        }
    }
    if plan.scan_groups.iter().all(|g| !g.scans.is_empty()) {
        return;
    }
    let mut number = Vec::with_capacity(plan.scan_groups.len());
    let mut kept = 0usize;
    for group in &plan.scan_groups {
        number.push(kept);
        if !group.scans.is_empty() {
            kept += 1;
        }
    }
    plan.scan_groups.retain(|g| !g.scans.is_empty());
    for node in &mut plan.nodes {
        if let Op::Scan(scan) = &mut node.op
            && let Some(n) = number.get(scan.group)
        {
            scan.group = *n;
        }
    }
}
