//! Identities of operators: what an operator means by itself, in names, so that neither its place in the plan nor the columns that the
//! optimizer leaves change it.

use std::fmt::Write as _;

use crate::explain::{push_condition, push_meaning};
use crate::optimize::fingerprint::of_text;
use crate::{JobPlan, OperatorId};

/// Gives every node its identity and the fingerprint of everything above it.
pub(crate) fn identify(plan: &mut JobPlan) {
    let mut text = String::new();
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        text.clear();
        push_meaning(plan, node, &mut text);
        let id = of_text(&text);
        text.clear();
        for (k, above) in node.inputs.iter().filter_map(|input| plan.nodes.get(input.0)).enumerate() {
            if k > 0 {
                text.push(',');
            }
            let _ = write!(text, "{:016x}{:016x}", above.id.0, above.upstream);
            push_condition(plan, above, &mut text);
        }
        let upstream = of_text(&text);
        if let Some(n) = plan.nodes.get_mut(i) {
            n.id = OperatorId(id);
            n.upstream = upstream;
        }
    }
}
