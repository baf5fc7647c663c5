//! Scans of one source read it once: the same connector with the same options that decide the data, whatever the tables are called and
//! whichever of its columns they declare.

use std::collections::BTreeMap;
use std::sync::Arc;

use millstream_types::Schema;

use super::fingerprint::of_text;
use super::graph;
use crate::{ColumnSource, JobPlan, Op, ScanGroup, TableSpec};

/// Joins the groups of scans that read the same source, and leaves in each group only the columns that are read.
pub(super) fn share_scans(plan: &mut JobPlan) {
    let mut groups: Vec<ScanGroup> = Vec::new();
    let mut by_identity: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut last: Option<(Arc<TableSpec>, usize)> = None;
    for i in 0..plan.nodes.len() {
        let Some(Op::Scan(scan)) = plan.nodes.get(i).map(|n| &n.op) else { continue };
        let Some(own) = plan.scan_groups.get(scan.group) else { continue };
        // The group's table decides what a physical position means.
        let table = own.table.clone();
        let sources: Vec<ColumnSource> =
            scan.columns.iter().filter_map(|c| own.columns.get(*c)).cloned().collect();
        // Hundreds of statements read one table, others a table each: neither may look at every group that there is.
        let again = last.as_ref().filter(|(known, _)| Arc::ptr_eq(known, &table)).map(|(_, group)| *group);
        let found = again.or_else(|| {
            // A source that is alone needs no identity: most statements read only one.
            let first = groups.first()?;
            if by_identity.is_empty() {
                by_identity.insert(source_identity(&first.table), vec![0]);
            }
            let alike = by_identity.entry(source_identity(&table)).or_default();
            let found =
                alike.iter().copied().find(|g| groups.get(*g).is_some_and(|g| same_source(&g.table, &table)));
            if found.is_none() {
                alike.push(groups.len());
            }
            found
        });
        let group = found.unwrap_or(groups.len());
        if found.is_none() {
            groups.push(ScanGroup { table: table.clone(), columns: Vec::new(), scans: Vec::new() });
        }
        last = Some((table.clone(), group));
        let Some(target) = groups.get_mut(group) else { continue };
        if found.is_some() && !Arc::ptr_eq(&table, &target.table) {
            target.table = merged(&target.table, &table);
        }
        let mut columns = Vec::with_capacity(sources.len());
        for source in sources {
            let source = match source {
                ColumnSource::Physical(p) if !Arc::ptr_eq(&table, &target.table) => {
                    let name = table.schema.field(p).map(|f| f.name.clone()).unwrap_or_default();
                    ColumnSource::Physical(target.table.schema.index_of(&name).unwrap_or(p))
                }
                same => same,
            };
            columns.push(match target.columns.iter().position(|c| *c == source) {
                Some(p) => p,
                None => {
                    target.columns.push(source);
                    target.columns.len() - 1
                }
            });
        }
        if let Some(Op::Scan(scan)) = plan.nodes.get_mut(i).map(|n| &mut n.op) {
            scan.group = group;
            scan.columns = columns;
        }
    }
    plan.scan_groups = groups;
    graph::compact(plan);
}

/// The options of a table that decide which data it reads.
fn decides(table: &TableSpec) -> Vec<(String, String)> {
    let kept = table.options.iter().filter(|(k, _)| !k.starts_with("sink."));
    kept.map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

/// Identity of a table's source over restarts: what it reads, whatever the table is called and whichever columns it declares.
pub fn source_identity(table: &TableSpec) -> u64 {
    let format: Vec<(&str, &str)> = table.format_options.iter().collect();
    of_text(&format!("{} {:?} {:?} {format:?}", table.connector, decides(table), table.format))
}

/// Whether two tables read the same data, so that one scan can serve both.
pub fn same_source(a: &TableSpec, b: &TableSpec) -> bool {
    let format = a.format.as_deref();
    a.connector == b.connector
        && a.format == b.format
        && a.format_options == b.format_options
        && a.bounded == b.bounded
        && a.partition_keys == b.partition_keys
        && decides(a) == decides(b)
        && match format {
            // Rows that are made up or asked for: two tables of the same options are still two sources (random rows must differ).
            None => a.schema == b.schema && a.name == b.name,
            // Columns by position: only the same declaration means the same.
            Some(_) if a.by_position => a.schema == b.schema,
            Some(_) => a.schema.fields.iter().all(|f| {
                b.schema
                    .index_of(&f.name)
                    .and_then(|i| b.schema.field(i))
                    .is_none_or(|g| f.data_type == g.data_type)
            }),
        }
}

/// The first table with the columns of both: its own keep their positions.
pub fn merged(a: &Arc<TableSpec>, b: &TableSpec) -> Arc<TableSpec> {
    let missing: Vec<_> =
        b.schema.fields.iter().filter(|f| a.schema.index_of(&f.name).is_none()).cloned().collect();
    if missing.is_empty() {
        return a.clone();
    }
    let mut fields = a.schema.fields.clone();
    fields.extend(missing);
    Arc::new(TableSpec { schema: Arc::new(Schema::new(fields)), ..(**a).clone() })
}
