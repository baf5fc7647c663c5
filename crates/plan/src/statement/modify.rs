//! Queries and statements that write: they become plans.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use millstream_sql::ast::{
    Analyze, AnalyzeColumns, CompilePlan, Delete, Explain, Insert, ObjectName, Query, QueryBody, QueryKind,
    SelectItem, Statement, Update,
};
use millstream_types::{Fault, SchemaRef};

use super::{Planned, SessionState};
use crate::catalog::{Relation, Stored, failed, unknown_column};
use crate::session::session_option;
use crate::{JobPlan, Node, NodeId, Op, ProjectItem};

impl SessionState {
    pub(super) fn query(&mut self, query: &Query) -> Result<Planned, Fault> {
        Ok(Planned::Query(Box::new(self.plan_query(query)?)))
    }

    pub(super) fn insert(&mut self, insert: &Insert) -> Result<Planned, Fault> {
        let plan = self.plan_insert(insert)?;
        match &mut self.statement_set {
            Some(set) => {
                set.push(plan);
                Ok(Planned::Deferred)
            }
            None => Ok(Planned::Insert(Box::new(plan))),
        }
    }

    pub(super) fn plan_inserts(&self, inserts: &[Insert]) -> Result<JobPlan, Fault> {
        let plans = inserts.iter().map(|i| self.plan_insert(i)).collect::<Result<Vec<_>, _>>()?;
        Ok(merge_jobs(plans))
    }

    pub(super) fn statement_set(&mut self, inserts: &[Insert]) -> Result<Planned, Fault> {
        Ok(Planned::Insert(Box::new(self.plan_inserts(inserts)?)))
    }

    pub(super) fn begin_statement_set(&mut self) -> Result<Planned, Fault> {
        if self.statement_set.is_some() {
            return Err(Fault::user("nested-statement-set", "a statement set has begun already")
                .hint("end it first: END"));
        }
        self.statement_set = Some(Vec::new());
        Ok(Planned::done())
    }

    pub(super) fn end_statement_set(&mut self) -> Result<Planned, Fault> {
        match self.statement_set.take() {
            None => Err(Fault::user("no-statement-set", "END without a statement set")
                .hint("begin one first: BEGIN STATEMENT SET")),
            Some(plans) if plans.is_empty() => {
                Err(Fault::user("empty-statement-set", "the statement set holds no statement")
                    .hint("write an INSERT INTO between BEGIN STATEMENT SET and END"))
            }
            Some(plans) => Ok(Planned::Insert(Box::new(merge_jobs(plans)))),
        }
    }

    pub(super) fn explain(&mut self, explain: &Explain, text: &str) -> Result<Planned, Fault> {
        let plan = match &explain.statement.statement {
            Statement::Query(query) => self.plan_query(query)?,
            Statement::Insert(insert) => self.plan_insert(insert)?,
            Statement::StatementSet(inserts) => self.plan_inserts(inserts)?,
            Statement::CreateTable(create) if create.query.is_some() => {
                self.plan_create_table_as(create, text)?.1
            }
            _ => {
                return Err(Fault::user("bad-explain", "EXPLAIN is for statements with a query")
                    .at(explain.statement.span)
                    .hint("explain a SELECT, an INSERT, a STATEMENT SET or a CREATE TABLE … AS"));
            }
        };
        Ok(Planned::Explain(Box::new(plan), explain.details.clone()))
    }

    pub(super) fn compile_plan(&mut self, compile: &CompilePlan) -> Result<Planned, Fault> {
        let plan = self.plan_inserts(&compile.inserts)?;
        Ok(Planned::CompilePlan {
            plan: Box::new(plan),
            path: compile.path.value.clone(),
            if_not_exists: compile.if_not_exists,
            execute: compile.execute,
        })
    }

    pub(super) fn update(&mut self, update: &Update) -> Result<Planned, Fault> {
        self.check_row_level("UPDATE", &update.table, &update.hints)
    }

    pub(super) fn delete(&mut self, delete: &Delete) -> Result<Planned, Fault> {
        self.check_row_level("DELETE", &delete.table, &delete.hints)
    }

    fn check_row_level(
        &self,
        word: &str,
        name: &ObjectName,
        hints: &[millstream_sql::ast::Hint],
    ) -> Result<Planned, Fault> {
        let context = self.settings.bind_context();
        let environment = self.environment(&context);
        if let Relation::View(view) = environment.relation(name, hints)? {
            return Err(Fault::user("not-a-table", format!("'{}' is a view", view.path)).at(name.span));
        }
        environment.sink(name, hints)?;
        if context.batch {
            return Err(Fault::not_yet(word).at(name.span));
        }
        Err(Fault::user("batch-only", format!("{word} is only for batch mode"))
            .at(name.span)
            .hint("SET 'execution.runtime-mode' = 'batch'"))
    }

    pub(super) fn truncate(&mut self, name: &ObjectName) -> Result<Planned, Fault> {
        let context = self.settings.bind_context();
        Ok(Planned::Truncate(self.environment(&context).sink(name, &[])?))
    }

    pub(super) fn analyze(&mut self, analyze: &Analyze) -> Result<Planned, Fault> {
        let path = self.namespace.complete(&analyze.table);
        let context = self.settings.bind_context();
        let table = match self.environment(&context).find(&path, &analyze.table)? {
            Stored::Table(table) => table,
            Stored::View(_) => {
                return Err(Fault::user("not-a-table", format!("'{path}' is a view")).at(analyze.table.span));
            }
            Stored::Failed => return Err(failed(&path).at(analyze.table.span)),
        };
        let names = || table.definition.column_names();
        if let AnalyzeColumns::Named(columns) = &analyze.columns {
            for column in columns {
                if table.definition.index_of(&column.value).is_none() {
                    return Err(unknown_column(&column.value, names(), "ANALYZE TABLE").at(column.span));
                }
            }
        }
        for (column, _) in analyze.partition.iter().flat_map(|p| &p.entries) {
            if !table.definition.partitioned_by.contains(&column.value) {
                let keys = table.definition.partitioned_by.iter().map(String::as_str);
                return Err(unknown_column(&column.value, keys, "PARTITION").at(column.span));
            }
        }
        let nothing = Fault::user("no-statistics", "nothing was read: no plan depends on statistics");
        Ok(Planned::Done(vec![nothing.at(analyze.table.span)]))
    }

    /// A name that a query's select list gives twice, if it says so itself.
    pub(super) fn repeated_column(&self, query: &Query) -> Option<String> {
        fn select(body: &QueryBody) -> Option<&[SelectItem]> {
            match &body.kind {
                QueryKind::Select(select) => Some(&select.items),
                QueryKind::Nested(query) => select(&query.body),
                QueryKind::SetOperation(first, _) => select(first),
                _ => None,
            }
        }
        let mut seen = HashSet::new();
        let names = select(&query.body)?.iter().filter_map(|item| match item {
            SelectItem::Expr { alias: Some(alias), .. } => Some(alias.value.as_str()),
            SelectItem::Expr { expr, alias: None } => match &expr.kind {
                millstream_sql::ast::ExprKind::Column(parts) => parts.last().map(|p| p.value.as_str()),
                _ => None,
            },
            _ => None,
        });
        names.into_iter().find(|n| !seen.insert(n.to_string())).map(str::to_string)
    }
}

/// One job of several: their nodes one behind the other. Settings are those of the last one.
pub fn merge_jobs(plans: Vec<JobPlan>) -> JobPlan {
    let mut merged = JobPlan::default();
    // Hundreds of rules on one table read the same columns and give rows of the same form: these are held once.
    let mut schemas: HashSet<SchemaRef> = HashSet::new();
    let mut outputs: HashSet<Arc<Vec<ProjectItem>>> = HashSet::new();
    for plan in plans {
        let nodes = merged.nodes.len();
        let groups = merged.scan_groups.len();
        let shift = |id: NodeId| NodeId(id.0 + nodes);
        for node in plan.nodes {
            let op = match node.op {
                Op::Scan(mut scan) => {
                    scan.group += groups;
                    scan.output = held_once(&mut outputs, scan.output);
                    Op::Scan(scan)
                }
                other => other,
            };
            let inputs = node.inputs.into_iter().map(shift).collect();
            let schema = held_once(&mut schemas, node.schema);
            merged.nodes.push(Node { op, inputs, schema, ..node });
        }
        for mut group in plan.scan_groups {
            group.scans = group.scans.into_iter().map(shift).collect();
            merged.scan_groups.push(group);
        }
        merged.sinks.extend(plan.sinks.into_iter().map(shift));
        // EMIT of any statement holds for the whole job: what an earlier one asked for stays where a later one asks for nothing.
        let mut settings = plan.settings;
        let asked = |key: &str, value: Option<&str>| {
            value.is_some() && value != session_option(key).and_then(|o| o.default)
        };
        let earlier = std::mem::take(&mut merged.settings).options;
        let changed = earlier != settings.options;
        for (key, value) in earlier.iter().filter(|(k, _)| changed && k.starts_with("table.exec.emit.")) {
            if asked(key, Some(value)) && !asked(key, settings.options.get(key)) {
                settings.options.set(key, value);
            }
        }
        merged.settings = settings;
    }
    crate::optimize::share(&mut merged);
    merged
}

/// The one of equal values that is kept.
fn held_once<T: Eq + Hash>(kept: &mut HashSet<Arc<T>>, value: Arc<T>) -> Arc<T> {
    if let Some(same) = kept.get(&value) {
        return same.clone();
    }
    kept.insert(value.clone());
    value
}
