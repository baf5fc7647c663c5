//! CREATE TABLE.

use std::sync::Arc;

use millstream_sql::ast::{self, CreateMode, CreateTable};
use millstream_types::{Fault, Span};

use super::{Planned, SessionState, source};
use crate::catalog::{
    CatalogTable, ColumnDefinition, ColumnForm, KeyDefinition, ObjectPath, Stored, TableDefinition,
    TableUses, WatermarkDefinition, bind_columns, no_database, unknown_column,
};

impl SessionState {
    pub(super) fn create_table(&mut self, create: &CreateTable, text: &str) -> Result<Planned, Fault> {
        let path = self.namespace.complete(&create.name);
        let mut definition = define(create, text)?;
        if let Some(like) = &create.like {
            definition = self.merge_like(definition, like)?;
        }
        check_partitions(create, &definition)?;
        let table = self.bind_table(path.clone(), definition, create.temporary)?;
        if !self.may_create(&path, create.mode, create.temporary, create.name.span)? {
            return Ok(Planned::done());
        }
        self.catalogs.put(&path, Stored::Table(Arc::new(table)), create.temporary)?;
        Ok(Planned::done())
    }

    /// A table of a declaration, its columns bound.
    pub(super) fn bind_table(
        &self,
        path: ObjectPath,
        mut definition: TableDefinition,
        temporary: bool,
    ) -> Result<CatalogTable, Fault> {
        let context = self.settings.bind_context();
        let columns = bind_columns(&definition, &self.environment(&context))?;
        // A primary key makes its columns NOT NULL, and they stay so when it is dropped.
        for (key, _) in definition.primary_key.iter().flat_map(|k| &k.columns) {
            let column = definition.columns.iter_mut().find(|c| c.name == *key);
            if let Some(ColumnForm::Physical(data_type)) = column.map(|c| &mut c.kind) {
                data_type.nullable = false;
            }
        }
        Ok(CatalogTable { path, temporary, definition, columns, uses: TableUses::default() })
    }

    /// Whether an object is to be created: `false` where IF NOT EXISTS finds one.
    ///
    /// # Errors
    /// User, when there is one already, or no such database.
    pub(super) fn may_create(
        &self,
        path: &ObjectPath,
        mode: CreateMode,
        temporary: bool,
        span: Span,
    ) -> Result<bool, Fault> {
        if self.catalogs.database(&path.catalog, &path.database).is_none() && !temporary {
            if self.catalogs.catalog(&path.catalog).is_none() {
                return Err(self.unknown_catalog(&path.catalog).at(span));
            }
            return Err(no_database(&path.catalog, &path.database).at(span));
        }
        let found = if temporary { self.catalogs.temporary(path) } else { self.catalogs.permanent(path) };
        match (found, mode) {
            (None | Some(Stored::Failed), CreateMode::Replace) => Err(Fault::user(
                "unknown-table",
                format!("table '{path}' does not exist, so it cannot be replaced"),
            )
            .at(span)
            .hint("write CREATE OR REPLACE TABLE")),
            (None | Some(Stored::Failed), _) => Ok(true),
            (Some(_), CreateMode::IfNotExists) => Ok(false),
            (Some(Stored::Table(_)), CreateMode::Replace) => Ok(true),
            (Some(object), _) => {
                let (what, drop) = match object {
                    Stored::View(_) => ("view", "VIEW"),
                    _ => ("table", "TABLE"),
                };
                Err(Fault::user("already-exists", format!("{what} '{path}' already exists"))
                    .at(span)
                    .hint(format!("write CREATE … IF NOT EXISTS, another name, or DROP {drop} first")))
            }
        }
    }
}

/// The declaration that a statement makes, LIKE and AS aside.
pub(super) fn define(create: &CreateTable, text: &str) -> Result<TableDefinition, Fault> {
    let legacy_options = create.options.iter().any(|o| is_bare(&o.key, text));
    let mut definition = TableDefinition {
        columns: Vec::with_capacity(create.schema.columns.len()),
        watermark: None,
        primary_key: None,
        partitioned_by: create.partitioned_by.iter().map(|p| p.value.clone()).collect(),
        distribution: create.distribution.clone(),
        options: Vec::new(),
        legacy_options,
        comment: create.comment.as_ref().map(|c| c.value.clone()),
    };
    for column in &create.schema.columns {
        if matches!(column.kind, ast::ColumnKind::NameOnly) {
            if create.query.is_some() {
                continue;
            }
            return Err(Fault::user("missing-type", format!("column '{}' has no type", column.name.value))
                .at(column.span)
                .hint(format!("write one: {} STRING", column.name.value)));
        }
        if let ast::ColumnKind::Physical(declared) = &column.kind {
            check_raw(declared, text)?;
        }
        definition.columns.push(define_column(column, text));
    }
    for option in &create.options {
        definition.set_option(&option.key.value, &option.value.value);
    }
    if let Some(watermark) = &create.schema.watermark {
        definition.watermark = Some(define_watermark(watermark, &definition, text)?);
    }
    for constraint in &create.schema.constraints {
        if let Some(key) = define_key(constraint, legacy_options)? {
            if definition.primary_key.is_some() {
                return Err(Fault::user("bad-primary-key", "a table can have only one PRIMARY KEY")
                    .at(constraint.span)
                    .hint("list all its columns in one PRIMARY KEY (…) NOT ENFORCED"));
            }
            definition.primary_key = Some(key);
        }
    }
    Ok(definition)
}

/// PARTITIONED BY, while the places of its columns are known.
pub(super) fn check_partitions(create: &CreateTable, definition: &TableDefinition) -> Result<(), Fault> {
    match create.partitioned_by.iter().find(|p| definition.index_of(&p.value).is_none()) {
        Some(p) => Err(unknown_column(&p.value, definition.column_names(), "PARTITIONED BY").at(p.span)),
        None => Ok(()),
    }
}

/// Blink writes keys without quotes.
fn is_bare(key: &ast::Text, text: &str) -> bool {
    text.as_bytes().get(key.span.start as usize).is_some_and(|b| *b != b'\'')
}

/// `RAW('class', 'serializer')`: the serializer is a Java object in base64, of which at least the form can be checked.
fn check_raw(declared: &ast::TypeName, text: &str) -> Result<(), Fault> {
    if !matches!(declared.data_type.kind, millstream_types::TypeKind::Raw(_)) {
        return Ok(());
    }
    let written = source(text, declared.span);
    let serializer = written.rsplit('\'').nth(1).unwrap_or("").trim_end_matches('=');
    let digit = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
    // Four digits are three bytes; one digit alone is none.
    if serializer.len() >= 2 && serializer.len() % 4 != 1 && serializer.chars().all(digit) {
        return Ok(());
    }
    Err(Fault::user("bad-type", "the serializer of a RAW type is a Java object in base64, which this is not")
        .at(declared.span)
        .hint("declare the column as BYTES"))
}

/// A declared column. A column without type is a programming error of the caller and becomes a STRING.
pub(super) fn define_column(column: &ast::ColumnDef, text: &str) -> ColumnDefinition {
    let kind = match &column.kind {
        ast::ColumnKind::Physical(t) => ColumnForm::Physical(t.data_type.clone()),
        ast::ColumnKind::Computed(expr) => {
            ColumnForm::Computed { expr: expr.clone(), text: source(text, expr.span) }
        }
        ast::ColumnKind::Metadata { data_type, key, is_virtual } => ColumnForm::Metadata {
            data_type: data_type.data_type.clone(),
            key: key.as_ref().map(|k| k.value.clone()),
            is_virtual: *is_virtual,
        },
        // A property of the message, under its own name; never written.
        ast::ColumnKind::Header(t) => {
            ColumnForm::Metadata { data_type: t.data_type.clone(), key: None, is_virtual: true }
        }
        ast::ColumnKind::NameOnly => ColumnForm::Physical(millstream_types::DataType::string()),
    };
    ColumnDefinition {
        name: column.name.value.clone(),
        kind,
        comment: column.comment.as_ref().map(|c| c.value.clone()),
        span: column.name.span,
        inherited: false,
    }
}

/// A declared watermark.
///
/// # Errors
/// User, when it is on a nested field.
pub(super) fn define_watermark(
    watermark: &ast::WatermarkDef,
    definition: &TableDefinition,
    text: &str,
) -> Result<WatermarkDefinition, Fault> {
    if watermark.column.parts.len() > 1 {
        let path = watermark.column.texts().join(".");
        let columns: Vec<&str> = definition.column_names().collect();
        return Err(Fault::user(
            "bad-watermark",
            format!("a watermark cannot be declared on the nested field '{path}'"),
        )
        .at(watermark.column.span)
        .hint(format!(
            "add a computed column `rowtime AS {path}` and declare the watermark on it (columns: {})",
            columns.join(", ")
        )));
    }
    Ok(WatermarkDefinition {
        column: watermark.column.last().to_string(),
        column_span: watermark.column.span,
        strategy: watermark.strategy.clone(),
        text: source(text, watermark.strategy.span),
        inherited: false,
    })
}

/// A declared primary key; `None` for what Blink's tables may have and nothing uses.
///
/// # Errors
/// User: UNIQUE, or a key that is to be enforced.
pub(super) fn define_key(
    constraint: &ast::ConstraintDef,
    legacy: bool,
) -> Result<Option<KeyDefinition>, Fault> {
    if constraint.unique {
        if legacy {
            return Ok(None);
        }
        return Err(Fault::user("unsupported-constraint", "UNIQUE is not supported, only PRIMARY KEY is")
            .at(constraint.span)
            .hint("write PRIMARY KEY (…) NOT ENFORCED, or leave it out"));
    }
    match constraint.enforced {
        Some(false) => {}
        None if legacy => {}
        _ => {
            return Err(Fault::user(
                "unsupported-constraint",
                "a PRIMARY KEY cannot be enforced: the data belong to another system",
            )
            .at(constraint.span)
            .hint("write NOT ENFORCED behind it"));
        }
    }
    Ok(Some(KeyDefinition {
        name: constraint.name.as_ref().map(|n| n.value.clone()),
        columns: constraint.columns.iter().map(|c| (c.value.clone(), c.span)).collect(),
    }))
}
