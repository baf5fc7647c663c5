//! Reading a table.

use std::sync::Arc;

use millstream_types::Span;

use super::Binder;
use super::from::set_span;
use crate::catalog::ResolvedTable;
use crate::{NodeId, Op, ProjectItem, ScanGroup, ScanOp};

impl Binder<'_> {
    /// Adds a scan of a table; each begins in a group of its own, the optimizer joins the groups of one source.
    pub(super) fn add_scan(&mut self, table: &ResolvedTable, span: Span) -> NodeId {
        let group = self.plan.scan_groups.len();
        let output: Vec<ProjectItem> = table
            .columns
            .iter()
            .map(|c| {
                let mut expr = c.value.clone();
                // The time attribute is the column's, not its value's.
                expr.data_type = c.data_type.clone();
                set_span(&mut expr, span);
                ProjectItem { name: c.name.clone(), expr }
            })
            .collect();
        let op = ScanOp {
            table: table.spec.clone(),
            group,
            columns: (0..table.inputs.len()).collect(),
            filter: None,
            screen: None,
            output: Arc::new(output),
            watermark: table.watermark.clone().map(Box::new),
            hints: table.hints.clone(),
        };
        let node = self.add(Op::Scan(op), Vec::new(), table.schema.clone(), span);
        if let Some(n) = self.plan.nodes.get_mut(node.0) {
            n.changes = table.changes;
            if !table.primary_key.is_empty() {
                n.upsert_keys = vec![table.primary_key.clone()];
            }
        }
        self.plan.scan_groups.push(ScanGroup {
            table: table.spec.clone(),
            columns: table.inputs.clone(),
            scans: vec![node],
        });
        node
    }
}
