//! CREATE TABLE … AS: a table of a query's columns and the job that fills it.

use std::sync::Arc;

use millstream_expr::coerce::assignable;
use millstream_sql::ast::{ColumnKind, CreateMode, CreateTable, Ident, Insert};
use millstream_types::{Fault, SchemaRef, Span};

use super::create_table::{check_partitions, define};
use super::{Planned, SessionState};
use crate::JobPlan;
use crate::catalog::{CatalogTable, ColumnDefinition, ColumnForm, Stored, TableDefinition, unknown_column};

impl SessionState {
    pub(super) fn create_table_as(&mut self, create: &CreateTable, text: &str) -> Result<Planned, Fault> {
        let path = self.namespace.complete(&create.name);
        if create.mode == CreateMode::IfNotExists
            && self.catalogs.permanent(&path).is_some_and(|o| !matches!(o, Stored::Failed))
        {
            return Ok(Planned::done());
        }
        let (table, plan) = self.plan_create_table_as(create, text)?;
        self.catalogs.put(&path, Stored::Table(Arc::new(table)), false)?;
        match &mut self.statement_set {
            Some(set) => {
                set.push(plan);
                Ok(Planned::Deferred)
            }
            None => Ok(Planned::Insert(Box::new(plan))),
        }
    }

    /// The table and the job; nothing is changed.
    pub(super) fn plan_create_table_as(
        &self,
        create: &CreateTable,
        text: &str,
    ) -> Result<(CatalogTable, JobPlan), Fault> {
        let Some(query) = &create.query else { return Err(Fault::internal("no query")) };
        if create.temporary {
            return Err(Fault::user("unsupported-create", "CREATE TABLE … AS cannot make a temporary table")
                .at(create.name.span)
                .hint("leave TEMPORARY out"));
        }
        if create.like.is_some() {
            return Err(
                Fault::user("unsupported-create", "CREATE TABLE … AS cannot have LIKE").at(create.name.span)
            );
        }
        let path = self.namespace.complete(&create.name);
        let mode = match create.mode {
            // Replacing begins with an empty name.
            CreateMode::OrReplace => CreateMode::IfNotExists,
            other => other,
        };
        self.may_create(&path, mode, false, create.name.span)?;

        let schema = self.query_schema(query)?;
        let mut definition = define(create, text)?;
        let order = merge_columns(&mut definition, create, &schema)?;
        check_partitions(create, &definition)?;
        check_key(&definition, create, &schema)?;
        let table = self.bind_table(path.clone(), definition, false)?;

        // The job is that of an INSERT into the table as it will be.
        let mut state = self.clone();
        state.catalogs.put(&path, Stored::Table(Arc::new(table.clone())), false)?;
        let insert = Insert {
            overwrite: false,
            table: create.name.clone(),
            hints: Vec::new(),
            partition: None,
            columns: order,
            query: query.clone(),
            on_conflict: None,
            span: query.span,
        };
        let plan = state.plan_insert(&insert)?;
        Ok((table, plan))
    }
}

/// Adds the query's columns to the declared ones: those that are declared with a type keep it, the others come from the query; declared ones
/// that the query does not have stand before. Gives the columns that the query fills, in the query's order.
fn merge_columns(
    definition: &mut TableDefinition,
    create: &CreateTable,
    schema: &SchemaRef,
) -> Result<Vec<Ident>, Fault> {
    let span = create.query.as_ref().map_or(Span::default(), |q| q.span);
    let from_query = |name: &str, data_type: &millstream_types::DataType| ColumnDefinition {
        name: name.to_string(),
        kind: ColumnForm::Physical(data_type.plain()),
        comment: None,
        span,
        inherited: false,
    };
    let listed: Vec<&Ident> = create
        .schema
        .columns
        .iter()
        .filter(|c| matches!(c.kind, ColumnKind::NameOnly))
        .map(|c| &c.name)
        .collect();
    let names = || schema.fields.iter().map(|f| &*f.name);
    if listed.is_empty() {
        let mut columns: Vec<ColumnDefinition> = Vec::new();
        for field in &schema.fields {
            match definition.index_of(&field.name) {
                Some(at) => {
                    let declared = definition.columns.remove(at);
                    check_type(&declared, field)?;
                    columns.push(declared);
                }
                None => columns.push(from_query(&field.name, &field.data_type)),
            }
        }
        definition.columns.append(&mut columns);
    } else {
        // Names alone give the order of the query's columns: all of them, and nothing else.
        for name in &listed {
            if schema.index_of(&name.value).is_none() {
                return Err(unknown_column(&name.value, names(), "the column list").at(name.span));
            }
        }
        if let Some(missing) = names().find(|n| !listed.iter().any(|l| l.value == **n)) {
            return Err(Fault::user(
                "column-count",
                format!("the column list leaves out the query's column '{missing}'"),
            )
            .at(create.schema.span)
            .hint("list all columns of the query"));
        }
        for name in listed {
            if let Some(field) = schema.index_of(&name.value).and_then(|i| schema.field(i)) {
                definition.columns.push(from_query(&field.name, &field.data_type));
            }
        }
    }
    Ok(schema.fields.iter().map(|f| Ident { value: f.name.to_string(), quoted: true, span }).collect())
}

fn check_type(declared: &ColumnDefinition, field: &millstream_types::Field) -> Result<(), Fault> {
    let (ColumnForm::Physical(to) | ColumnForm::Metadata { data_type: to, is_virtual: false, .. }) =
        &declared.kind
    else {
        return Err(Fault::user(
            "bad-column",
            format!("column '{}' is not stored, so the query cannot fill it", declared.name),
        )
        .at(declared.span)
        .hint("give one of the two another name"));
    };
    // The query's type must allow what the column does not: a NULL, too.
    if assignable(&field.data_type, to) && (to.nullable || !field.data_type.nullable) {
        return Ok(());
    }
    Err(Fault::user(
        "column-type",
        format!("column '{}' is declared as {to}, the query gives {}", declared.name, field.data_type),
    )
    .at(declared.span)
    .hint(if assignable(&field.data_type, to) {
        format!("make it NOT NULL in the query, with COALESCE({}, …)", declared.name)
    } else {
        format!("write CAST({} AS {}) in the query", declared.name, to.clone().with_nullable(true))
    }))
}

/// A primary key's columns must not be NULL: those from the query by their type, those that it leaves out always are.
fn check_key(definition: &TableDefinition, create: &CreateTable, schema: &SchemaRef) -> Result<(), Fault> {
    let Some(key) = &definition.primary_key else { return Ok(()) };
    for (name, span) in &key.columns {
        let declared = create
            .schema
            .columns
            .iter()
            .any(|c| c.name.value == *name && !matches!(c.kind, ColumnKind::NameOnly));
        let nullable =
            schema.index_of(name).and_then(|i| schema.field(i)).is_some_and(|f| f.data_type.nullable);
        if nullable && !declared {
            return Err(Fault::user(
                "bad-primary-key",
                format!("column '{name}' of the PRIMARY KEY can be NULL"),
            )
            .at(*span)
            .hint(format!("declare it: {name} … NOT NULL, or make it NOT NULL in the query with COALESCE")));
        }
    }
    Ok(())
}
