//! The tree.

use std::collections::{BTreeMap, BTreeSet};

use millstream_flow::ChangelogMode;
use millstream_sql::ast::ExplainDetail;

use super::operator::operator_text;
use crate::{JobPlan, NodeId, Op};

/// What a tree shows besides the operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainOptions {
    /// The changes of every edge, and the keys that identify its rows.
    pub changes: bool,
    /// Remarks on what could be better.
    pub advice: bool,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        ExplainOptions { changes: true, advice: false }
    }
}

impl ExplainOptions {
    /// The options of an EXPLAIN statement. ESTIMATED_COST adds nothing: no plan depends on costs.
    pub fn of(details: &[ExplainDetail]) -> Self {
        ExplainOptions {
            changes: details.is_empty() || details.contains(&ExplainDetail::ChangelogMode),
            advice: details.contains(&ExplainDetail::PlanAdvice),
        }
    }
}

/// The plan as text: first the sources that several queries read together, then a tree for each sink, its inputs below it. A node that
/// several operators read is printed once and named afterwards.
pub fn explain_text(plan: &JobPlan, options: ExplainOptions) -> String {
    let mut printer = TreePrinter {
        plan,
        options,
        shared: shared_nodes(plan),
        printed: BTreeSet::new(),
        out: String::new(),
    };
    printer.sources();
    for (i, sink) in plan.sinks.iter().enumerate() {
        if i > 0 || !printer.out.is_empty() {
            printer.out.push('\n');
        }
        printer.node(*sink, "", "");
    }
    if options.advice {
        printer.advice();
    }
    printer.out
}

/// The nodes that more than one operator reads, numbered in their order.
fn shared_nodes(plan: &JobPlan) -> BTreeMap<NodeId, usize> {
    let mut users = vec![0usize; plan.nodes.len()];
    for input in plan.nodes.iter().flat_map(|n| &n.inputs) {
        if let Some(u) = users.get_mut(input.0) {
            *u += 1;
        }
    }
    let several = users.iter().enumerate().filter(|(_, u)| **u > 1).map(|(i, _)| NodeId(i));
    several.enumerate().map(|(number, id)| (id, number + 1)).collect()
}

/// The changes of an edge, as Flink abbreviates them.
pub(super) fn changes_text(changes: ChangelogMode) -> &'static str {
    match changes {
        ChangelogMode::Append => "I",
        ChangelogMode::Upsert => "I,UA,D",
        ChangelogMode::Retract => "I,UB,UA,D",
    }
}

struct TreePrinter<'p> {
    plan: &'p JobPlan,
    options: ExplainOptions,
    shared: BTreeMap<NodeId, usize>,
    printed: BTreeSet<NodeId>,
    out: String,
}

impl TreePrinter<'_> {
    /// Sources with more than one scan.
    fn sources(&mut self) {
        for (i, group) in self.plan.scan_groups.iter().enumerate() {
            if group.scans.len() < 2 {
                continue;
            }
            let read: Vec<String> = group
                .columns
                .iter()
                .map(|c| match c {
                    crate::ColumnSource::Physical(p) => {
                        group.table.schema.field(*p).map_or_else(|| p.to_string(), |f| f.name.to_string())
                    }
                    crate::ColumnSource::Metadata { key, .. } => format!("metadata '{key}'"),
                })
                .collect();
            self.out.push_str(&format!(
                "Source {}: {} is read once for {} scans, columns [{}]\n",
                i + 1,
                group.table.name,
                group.scans.len(),
                read.join(", ")
            ));
        }
    }

    fn node(&mut self, id: NodeId, lead: &str, below: &str) {
        let Some(node) = self.plan.nodes.get(id.0) else { return };
        self.out.push_str(lead);
        if let Some(number) = self.shared.get(&id).copied() {
            if !self.printed.insert(id) {
                self.out.push_str(&format!("Reused({number})\n"));
                return;
            }
            self.out.push_str(&format!("[{number}] "));
        }
        self.out.push_str(&operator_text(self.plan, node));
        if let Op::Scan(scan) = &node.op
            && self.plan.scan_groups.get(scan.group).is_some_and(|g| g.scans.len() > 1)
        {
            self.out.push_str(&format!(", source {}", scan.group + 1));
        }
        if matches!(node.op, Op::Scan(_)) && self.plan.settings.parallelism > 1 {
            self.out.push_str(&format!(", parallelism={}", self.plan.settings.parallelism));
        }
        if self.options.changes && !matches!(node.op, Op::Sink(_)) {
            self.out.push_str(&format!(", changelogMode=[{}]", changes_text(node.changes)));
            if node.changes != ChangelogMode::Append && !node.upsert_keys.is_empty() {
                let keys: Vec<String> = node
                    .upsert_keys
                    .iter()
                    .map(|k| {
                        let names: Vec<&str> =
                            k.iter().filter_map(|c| node.schema.field(*c)).map(|f| &*f.name).collect();
                        format!("({})", names.join(", "))
                    })
                    .collect();
                self.out.push_str(&format!(", upsertKeys=[{}]", keys.join(", ")));
            }
        }
        self.out.push('\n');
        let inputs = node.inputs.clone();
        for (i, input) in inputs.iter().enumerate() {
            let last = i + 1 == inputs.len();
            let (lead, next) = if last { ("+- ", "   ") } else { (":- ", ":  ") };
            self.node(*input, &format!("{below}{lead}"), &format!("{below}{next}"));
        }
    }

    /// PLAN_ADVICE.
    fn advice(&mut self) {
        let mut lines = Vec::new();
        for node in &self.plan.nodes {
            match &node.op {
                Op::Join(j) if j.equal.is_empty() && !matches!(j.kind, crate::JoinKind::LookupInner | crate::JoinKind::LookupLeft) => {
                    lines.push(format!(
                        "{} has no equality: every row meets every row. Add one if there is one.",
                        operator_text(self.plan, node)
                    ));
                }
                Op::Aggregate(a)
                    if a.window_keys.is_none() && a.group_window.is_none() && !self.plan.settings.batch =>
                {
                    lines.push(format!(
                        "{} keeps every group for ever: group by a window, or set table.exec.state.ttl.",
                        operator_text(self.plan, node)
                    ));
                }
                Op::Sink(s) if s.materialize => lines.push(format!(
                    "{} has another key than its rows: they are put in order by a materializer. Write by the key of the query if you can.",
                    operator_text(self.plan, node)
                )),
                _ => {}
            }
        }
        self.out.push_str("\nadvice:\n");
        if lines.is_empty() {
            self.out.push_str("none\n");
        }
        for (i, line) in lines.iter().enumerate() {
            self.out.push_str(&format!("{}. {line}\n", i + 1));
        }
    }
}
