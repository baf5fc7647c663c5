//! INSERT: what the query gives against what the table takes.

use std::sync::Arc;

use millstream_expr::coerce::assignable;
use millstream_expr::{CastMode, Expr, ExprKind};
use millstream_flow::ChangelogMode;
use millstream_sql::ast::{Ident, Insert, OnConflict};
use millstream_types::{DataType, Fault, Field, Schema, Span, Value, nearest};

use super::{Binder, bind_expression};
use crate::catalog::{BindEnvironment, ColumnOrigin, ResolvedColumn, ResolvedTable};
use crate::{ColumnSource, NodeId, Op, SinkOp, SinkTarget};

impl Binder<'_> {
    /// Adds an INSERT to the job: the query, a projection to the table's columns, the sink.
    ///
    /// # Errors
    /// User or NotYet, at the place in the statement.
    pub fn bind_insert(&mut self, statement: usize, insert: &Insert) -> Result<NodeId, Fault> {
        self.statement = statement;
        let environment = self.env;
        let table = environment.sink(&insert.table, &insert.hints)?;
        check_mode(insert, &table, self.streaming())?;
        let fixed = static_partition(insert, &table, &environment)?;
        let targets = targets(insert, &table, &fixed)?;
        let query = self.bind_query(&insert.query, true)?;
        let input = self.schema(query);
        check_types(insert, &table, &targets, &input)?;
        let written = written(&table);
        let mut items = Vec::with_capacity(written.len());
        for (at, name) in &written {
            let Some(column) = table.columns.get(*at) else { continue };
            items.push((name.clone(), value_of(insert, column, *at, &fixed, &targets, &input)?));
        }
        let schema =
            Schema::new(items.iter().map(|(n, e)| Field::new(n.clone(), e.data_type.plain())).collect());
        let not_null = written
            .iter()
            .zip(&items)
            .enumerate()
            .filter(|(_, ((at, _), (_, value)))| {
                value.data_type.nullable && table.columns.get(*at).is_some_and(|c| !c.data_type.nullable)
            })
            .map(|(i, _)| i)
            .collect();
        let project = self.project(query, items, insert.query.span);
        let drop_null = self.settings.options.get("table.exec.sink.not-null-enforcer");
        let op = SinkOp {
            target: SinkTarget::Table(table.spec.clone()),
            name: table.path.to_string(),
            overwrite: insert.overwrite,
            not_null,
            drop_null: drop_null.is_some_and(|v| v.eq_ignore_ascii_case("DROP")),
            materialize: false,
        };
        let sink = self.add(Op::Sink(op), vec![project], schema, insert.table.span);
        if let Some(n) = self.plan.nodes.get_mut(sink.0) {
            // What the sink takes, until the changelog is derived.
            n.changes = accepted_changes(&table);
        }
        self.plan.sinks.push(sink);
        Ok(sink)
    }
}

/// The most that a sink takes. A format that writes changes (Debezium's) makes any connector take them.
fn accepted_changes(table: &ResolvedTable) -> ChangelogMode {
    match (table.format.and_then(|f| f.encodes), table.connector.sink) {
        (Some(ChangelogMode::Retract), _) => ChangelogMode::Retract,
        (_, Some(card)) => card.changes,
        (encodes, None) => encodes.unwrap_or(ChangelogMode::Append),
    }
}

/// OVERWRITE and ON CONFLICT are not for every table.
fn check_mode(insert: &Insert, table: &ResolvedTable, streaming: bool) -> Result<(), Fault> {
    let Some(card) = table.connector.sink else { return Err(Fault::internal("not a sink")) };
    let connector = table.connector.name;
    if insert.overwrite && !card.overwrite {
        return Err(Fault::user("no-overwrite", format!("connector '{connector}' cannot overwrite a table"))
            .at(insert.table.span)
            .hint("write INSERT INTO"));
    }
    if insert.overwrite && streaming {
        return Err(Fault::user("no-overwrite", "INSERT OVERWRITE is only for batch mode")
            .at(insert.table.span)
            .hint("SET 'execution.runtime-mode' = 'batch', or write INSERT INTO"));
    }
    match insert.on_conflict {
        None => Ok(()),
        Some(_) if card.changes != ChangelogMode::Upsert || table.primary_key.is_empty() => Err(Fault::user(
            "no-conflict",
            "ON CONFLICT is only for tables with a primary key that are written by key",
        )
        .at(insert.span)
        .hint("leave it out")),
        Some(OnConflict::Deduplicate) => Ok(()),
        Some(OnConflict::Nothing) => Err(Fault::not_yet("ON CONFLICT DO NOTHING").at(insert.span)),
        Some(OnConflict::Error) => Err(Fault::not_yet("ON CONFLICT DO ERROR").at(insert.span)),
    }
}

/// PARTITION (column = value): positions of the columns with their values.
fn static_partition(
    insert: &Insert,
    table: &ResolvedTable,
    environment: &BindEnvironment<'_>,
) -> Result<Vec<(usize, Expr)>, Fault> {
    let mut fixed: Vec<(usize, Expr)> = Vec::new();
    for (name, value) in insert.partition.iter().flat_map(|p| &p.entries) {
        let keys = &table.spec.partition_keys;
        let position = table.columns.iter().position(|c| *c.name == *name.value);
        let Some(at) = position.filter(|_| keys.contains(&name.value)) else {
            let fault = Fault::user(
                "bad-partition",
                format!("'{}' is no partition column of '{}'", name.value, table.path),
            )
            .at(name.span);
            return Err(match nearest(&name.value, keys.iter().map(String::as_str)) {
                Some(near) => fault.hint(format!("did you mean '{near}'?")),
                None if keys.is_empty() => {
                    fault.hint("the table is not partitioned: give the value in the query")
                }
                None => fault.hint(format!("its partition columns are: {}", keys.join(", "))),
            });
        };
        if fixed.iter().any(|(p, _)| *p == at) {
            return Err(Fault::user(
                "bad-partition",
                format!("partition column '{}' is given twice", name.value),
            )
            .at(name.span));
        }
        let Some(value) = value else { continue };
        let Some(column) = table.columns.get(at) else { continue };
        let bound = bind_expression(value, &[], environment)?;
        if !assignable(&bound.data_type, &column.data_type) && !bound.data_type.kind.is_string() {
            return Err(wrong_type(column, &bound.data_type, value.span));
        }
        fixed.push((at, bound));
    }
    Ok(fixed)
}

/// The columns that the query fills, in its order: those of the column list, else all that are stored and not fixed.
fn targets(
    insert: &Insert,
    table: &ResolvedTable,
    fixed: &[(usize, Expr)],
) -> Result<Vec<(usize, Option<Span>)>, Fault> {
    let is_fixed = |at: usize| fixed.iter().any(|(p, _)| *p == at);
    if insert.columns.is_empty() {
        return Ok(table.persisted().into_iter().filter(|at| !is_fixed(*at)).map(|at| (at, None)).collect());
    }
    let mut found: Vec<(usize, Option<Span>)> = Vec::new();
    for name in &insert.columns {
        let at = target(name, table)?;
        if is_fixed(at) {
            return Err(Fault::user(
                "duplicate-column",
                format!("column '{}' has a value by PARTITION already", name.value),
            )
            .at(name.span));
        }
        if found.iter().any(|(p, _)| *p == at) {
            return Err(Fault::user("duplicate-column", format!("column '{}' is named twice", name.value))
                .at(name.span)
                .hint("name it once"));
        }
        found.push((at, Some(name.span)));
    }
    Ok(found)
}

fn target(name: &Ident, table: &ResolvedTable) -> Result<usize, Fault> {
    let stored = || table.columns.iter().filter(|c| ColumnOrigin::is_persisted(c.origin)).map(|c| &*c.name);
    match table.columns.iter().position(|c| *c.name == *name.value) {
        Some(at) if table.columns.get(at).is_some_and(|c| ColumnOrigin::is_persisted(c.origin)) => Ok(at),
        Some(_) => Err(Fault::user(
            "not-stored",
            format!("column '{}' is not stored: nothing can be inserted into it", name.value),
        )
        .at(name.span)
        .hint("leave it out: its value is computed when the table is read")),
        None => {
            let fault = Fault::user(
                "unknown-column",
                format!("table '{}' has no column '{}'", table.path, name.value),
            )
            .at(name.span);
            Err(match nearest(&name.value, stored()) {
                Some(near) => fault.hint(format!("did you mean '{near}'?")),
                None => fault.hint(format!("its columns are: {}", stored().collect::<Vec<_>>().join(", "))),
            })
        }
    }
}

fn check_types(
    insert: &Insert,
    table: &ResolvedTable,
    targets: &[(usize, Option<Span>)],
    query: &Schema,
) -> Result<(), Fault> {
    if targets.len() != query.len() {
        let list = |names: Vec<String>| if names.is_empty() { "none".to_string() } else { names.join(", ") };
        let wanted = targets.iter().filter_map(|(at, _)| table.columns.get(*at));
        return Err(Fault::user(
            "column-count",
            format!(
                "the query gives {} columns, {} {} wanted by '{}'",
                query.len(),
                targets.len(),
                if targets.len() == 1 { "is" } else { "are" },
                table.path
            ),
        )
        .at(insert.query.span)
        .hint(format!(
            "the query gives: {}; wanted are: {}. A column list behind the table's name says which columns are filled",
            list(query.fields.iter().map(|f| format!("{} {}", f.name, f.data_type)).collect()),
            list(wanted.map(|c| format!("{} {}", c.name, c.data_type)).collect()),
        )));
    }
    for ((at, span), field) in targets.iter().zip(&query.fields) {
        let Some(column) = table.columns.get(*at) else { continue };
        if !assignable(&field.data_type, &column.data_type) {
            return Err(wrong_type(column, &field.data_type, span.unwrap_or(insert.query.span)));
        }
    }
    Ok(())
}

fn wrong_type(column: &ResolvedColumn, given: &DataType, span: Span) -> Fault {
    let wanted = column.data_type.plain();
    Fault::user(
        "column-type",
        format!("column '{}' is {wanted}, and {} cannot be stored in it", column.name, given.plain()),
    )
    .at(span)
    .hint(format!("write CAST(… AS {}) in the query", wanted.with_nullable(true)))
}

/// What is written, in the sink's order: physical columns by name, then metadata columns by key.
fn written(table: &ResolvedTable) -> Vec<(usize, Arc<str>)> {
    let columns = || table.persisted().into_iter().filter_map(|at| Some((at, table.columns.get(at)?)));
    let physical =
        columns().filter(|(_, c)| c.origin == ColumnOrigin::Physical).map(|(at, c)| (at, c.name.clone()));
    let metadata = columns().filter(|(_, c)| c.origin != ColumnOrigin::Physical).map(|(at, c)| {
        let key = c.value.columns().first().and_then(|i| table.inputs.get(*i)).and_then(|i| match i {
            ColumnSource::Metadata { key, .. } => Some(Arc::from(key.as_str())),
            ColumnSource::Physical(_) => None,
        });
        (at, key.unwrap_or_else(|| c.name.clone()))
    });
    physical.chain(metadata).collect()
}

/// The value of a column: from the query, from PARTITION, or NULL.
fn value_of(
    insert: &Insert,
    column: &ResolvedColumn,
    at: usize,
    fixed: &[(usize, Expr)],
    targets: &[(usize, Option<Span>)],
    query: &Schema,
) -> Result<Expr, Fault> {
    let wanted = column.data_type.plain();
    if let Some((_, value)) = fixed.iter().find(|(p, _)| *p == at) {
        return Ok(assign(value.clone(), &wanted));
    }
    let Some(from) = targets.iter().position(|(p, _)| *p == at) else {
        if !wanted.nullable {
            let span = insert.columns.iter().map(|c| c.span).reduce(Span::to).unwrap_or(insert.table.span);
            return Err(Fault::user(
                "missing-column",
                format!("column '{}' is {wanted}, so it must get a value", column.name),
            )
            .at(span)
            .hint(format!("add '{}' to the column list", column.name)));
        }
        return Ok(Expr::literal(Value::Null, wanted));
    };
    let data_type = query.field(from).map_or_else(DataType::string, |f| f.data_type.clone());
    Ok(assign(Expr::column(from, data_type), &wanted))
}

/// The value as one of the sink's type; the sink looks after NULLs itself.
fn assign(value: Expr, wanted: &DataType) -> Expr {
    let wanted = wanted.clone().with_nullable(value.data_type.nullable);
    if value.data_type.kind.same_as(&wanted.kind) {
        return value;
    }
    let span = value.span;
    let cast = Expr::new(ExprKind::Cast { input: Box::new(value), mode: CastMode::Assign }, wanted);
    match span {
        Some(span) => cast.at(span),
        None => cast,
    }
}
