//! Identities of operators: what an operator means by itself, in names, so that neither its place in the plan nor the columns that the
//! optimizer leaves change it.

use crate::explain::{condition_text, meaning_text};
use crate::optimize::fingerprint::of_text;
use crate::{JobPlan, OperatorId};

/// Gives every node its identity and the fingerprint of everything above it.
pub(crate) fn identify(plan: &mut JobPlan) {
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let id = of_text(&meaning_text(plan, node));
        let above: Vec<String> = node
            .inputs
            .iter()
            .filter_map(|input| plan.nodes.get(input.0))
            .map(|n| format!("{:016x}{:016x}{}", n.id.0, n.upstream, condition_text(plan, n)))
            .collect();
        let upstream = of_text(&above.join(","));
        if let Some(n) = plan.nodes.get_mut(i) {
            n.id = OperatorId(id);
            n.upstream = upstream;
        }
    }
}
