//! What each rule of a text costs, and why.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use millstream_engine::{Anchoring, Completion, RuleReport};
use millstream_flow::Options;
use millstream_plan::{ColumnSource, JobPlan, NodeId, Op, ScanGroup, SinkTarget, TableSpec};
use millstream_types::Fault;

use crate::Session;

/// The rules of a text, the dearest first.
#[derive(Debug, Clone)]
pub struct RuleTable {
    /// The rules.
    pub rows: Vec<RuleRow>,
    /// Records of the sample.
    pub records: u64,
}

/// A rule.
#[derive(Debug, Clone)]
pub struct RuleRow {
    /// The table that its statement writes; with `#1`, `#2`, … behind it where several rules write it.
    pub name: String,
    /// How its rows are found, and the figures.
    pub report: RuleReport,
}

impl Session {
    /// Runs the conditions of a job's INSERTs over a sample that stands in for every source, writing nothing. Without a sample only the way in which
    /// each rule's rows are found is told.
    ///
    /// # Errors
    /// When the sample cannot be read or decoded, or a condition fails on it.
    pub async fn explain_rules(
        &mut self,
        mut plan: JobPlan,
        sample: Option<&Path>,
    ) -> Result<RuleTable, Fault> {
        let names = rule_names(&plan);
        for node in &mut plan.nodes {
            if let Op::Sink(sink) = &mut node.op {
                sink.target = SinkTarget::Table(Arc::new(TableSpec {
                    name: sink.name.clone(),
                    connector: "blackhole".into(),
                    options: Options::default(),
                    format: None,
                    format_options: Options::default(),
                    by_position: false,
                    schema: node.schema.clone(),
                    primary_key: Vec::new(),
                    partition_keys: Vec::new(),
                    bounded: true,
                }));
            }
        }
        let columns: Vec<(String, Vec<String>)> =
            plan.scan_groups.iter().map(|g| (g.table.name.clone(), names_of(g))).collect();
        let tables: Vec<String> = plan.scan_groups.iter().map(|g| g.table.name.clone()).collect();
        for group in &mut plan.scan_groups {
            if group.table.format.is_none() {
                continue;
            }
            let path = sample.map_or_else(|| "/dev/null".into(), |p| p.display().to_string());
            group.table = Arc::new(TableSpec {
                connector: "filesystem".into(),
                options: [("path", path)].into_iter().collect(),
                partition_keys: Vec::new(),
                bounded: true,
                ..(*group.table).clone()
            });
        }
        plan.settings.options.remove("execution.checkpointing.dir");
        plan.settings.options.remove("execution.checkpointing.interval");
        let report = self.start(plan).await?.wait().await;
        if let Completion::Failed { fault, .. } = report.completion {
            return Err(fault);
        }
        let costs = report.progress.rules.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // A statement's rules on one source come in the order of its scans.
        let mut taken = vec![false; names.len()];
        let mut names_of_cost = |statement: usize, table: &str| {
            let found = names.iter().zip(&mut taken).find(|(rule, taken)| {
                let of_table = tables.get(rule.group).is_some_and(|t| t == table);
                rule.own && rule.statement == statement && of_table && !**taken
            });
            let Some((found, taken)) = found else { return vec![table.to_string()] };
            *taken = true;
            // Statements that ask for the same rows share one scan.
            names.iter().filter(|rule| rule.scan == found.scan).map(|rule| rule.name.clone()).collect()
        };
        let mut rows: Vec<RuleRow> = Vec::new();
        for cost in costs {
            let columns =
                columns.iter().find(|(t, _)| *t == cost.table).map_or(&[][..], |(_, c)| c.as_slice());
            let report =
                RuleReport { anchoring: with_names(cost.report.anchoring.clone(), columns), ..cost.report };
            let names = names_of_cost(cost.statement, &cost.table);
            rows.extend(names.into_iter().map(|name| RuleRow { name, report: report.clone() }));
        }
        // The dearest first; without figures those that look at most rows.
        rows.sort_by_key(|r| {
            let plain = matches!(r.report.anchoring, Anchoring::Plain(_));
            std::cmp::Reverse((r.report.nanos.unwrap_or(0), r.report.candidates, plain))
        });
        Ok(RuleTable { rows, records: crate::Progress::get(&report.progress.records) })
    }
}

/// A rule of a plan.
pub(crate) struct NamedRule {
    /// The table that its statement writes; with `#1`, `#2`, … behind it, in the order of the text, where several rules write it.
    pub name: String,
    statement: usize,
    group: usize,
    /// The scan whose rows it chooses.
    pub scan: NodeId,
    /// Whether the scan was made for its statement; it may be one that an earlier statement has as well.
    own: bool,
}

impl NamedRule {
    /// Whether a name is this rule's, in full or without catalog and database.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || short(&self.name) == name
    }
}

/// The rules of a plan by name: each scan that a statement reads is one.
pub(crate) fn rule_names(plan: &JobPlan) -> Vec<NamedRule> {
    let mut rules: Vec<NamedRule> = Vec::new();
    for node in &plan.nodes {
        let Op::Sink(sink) = &node.op else { continue };
        let mut to_see = node.inputs.clone();
        let mut seen: HashSet<NodeId> = HashSet::new();
        while let Some(id) = to_see.pop() {
            let Some(input) = plan.nodes.get(id.0).filter(|_| seen.insert(id)) else { continue };
            to_see.extend_from_slice(&input.inputs);
            if let Op::Scan(scan) = &input.op {
                let own = input.statement == node.statement;
                let (name, statement, group) = (sink.name.clone(), node.statement, scan.group);
                rules.push(NamedRule { name, statement, group, scan: id, own });
            }
        }
    }
    // In the order of the text.
    rules.sort_by_key(|r| (r.statement, r.scan));
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    for rule in &rules {
        counts.entry(rule.name.clone()).or_default().0 += 1;
    }
    for rule in &mut rules {
        if let Some((count, seen)) = counts.get_mut(&rule.name)
            && *count > 1
        {
            *seen += 1;
            rule.name = format!("{}#{seen}", rule.name);
        }
    }
    rules
}

/// A table's name without the catalog and database that every session begins in.
pub(crate) fn short(name: &str) -> &str {
    name.strip_prefix("default_catalog.default_database.").unwrap_or(name)
}

/// The names of a scan group's columns.
pub(crate) fn names_of(group: &ScanGroup) -> Vec<String> {
    let names = group.columns.iter().map(|c| match c {
        ColumnSource::Physical(i) => {
            group.table.schema.field(*i).map_or_else(|| format!("#{i}"), |f| f.name.to_string())
        }
        ColumnSource::Metadata { key, .. } => key.clone(),
    });
    names.collect()
}

/// Puts columns' names for their positions, and makes texts printable.
fn with_names(anchoring: Anchoring, columns: &[String]) -> Anchoring {
    let Anchoring::Anchors(anchors) = anchoring else { return anchoring };
    let mut named: Vec<String> = Vec::new();
    for anchor in anchors {
        let (position, rest) = anchor.split_once(' ').unwrap_or((&anchor, ""));
        // `#3.x` is the field x of a column.
        let (number, part) = position.split_at(position.find('.').unwrap_or(position.len()));
        let name =
            number.strip_prefix('#').and_then(|p| p.parse::<usize>().ok()).and_then(|p| columns.get(p));
        let text: String = format!("{}{part} {rest}", name.map_or(number, String::as_str))
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if !named.contains(&text) {
            named.push(text);
        }
    }
    Anchoring::Anchors(named)
}

impl fmt::Display for RuleTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|r| short(&r.name).chars().count()).max().unwrap_or(0).max(4);
        writeln!(f, "{:<width$}  {:>10}  {:>10}  {:>12}  how", "rule", "candidates", "hits", "ns a record")?;
        for row in &self.rows {
            let per_record = match row.report.nanos {
                Some(nanos) if self.records > 0 => format!("{:.1}", nanos as f64 / self.records as f64),
                _ => "-".into(),
            };
            writeln!(
                f,
                "{:<width$}  {:>10}  {:>10}  {per_record:>12}  {}",
                short(&row.name),
                row.report.candidates,
                row.report.hits,
                row.report.anchoring
            )?;
            if row.report.remembered > 0 {
                let remembered = row.report.remembered;
                let nothing = "";
                writeln!(
                    f,
                    "{nothing:<width$}  {remembered} evaluations were spared, their values had come before"
                )?;
            }
        }
        write!(f, "{} records", self.records)
    }
}
