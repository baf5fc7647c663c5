//! The plan as a graph: who uses what, and bringing its nodes into order again after a rewrite.

use std::collections::BTreeMap;

use millstream_types::Schema;

use crate::{JobPlan, Node, NodeId, Op};

/// Adds a node made from another one's place in the text.
pub(super) fn add(plan: &mut JobPlan, like: &Node, op: Op, inputs: Vec<NodeId>, schema: &Schema) -> NodeId {
    let id = NodeId(plan.nodes.len());
    plan.nodes.push(Node {
        op,
        inputs,
        schema: std::sync::Arc::new(schema.clone()),
        upsert_keys: Vec::new(),
        ..like.clone()
    });
    id
}

/// Drops what no sink reaches and numbers the rest anew, inputs before users, in the order in which the sinks reach them.
pub(super) fn compact(plan: &mut JobPlan) {
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
    let place: BTreeMap<NodeId, NodeId> =
        order.iter().enumerate().map(|(new, old)| (*old, NodeId(new))).collect();
    let moved = |id: &NodeId| place.get(id).copied();
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
