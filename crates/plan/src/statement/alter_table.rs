//! ALTER TABLE: the declaration is changed, then bound anew, so that nothing refers to what is gone.

use std::sync::Arc;

use millstream_sql::ast::{AlterSchema, AlterTable, ColumnDef, ColumnPosition, ObjectName};
use millstream_types::{Fault, Span};

use super::create_table::{define_column, define_key, define_watermark};
use super::{Planned, SessionState};
use crate::catalog::{CatalogTable, ColumnForm, ObjectPath, Stored, TableDefinition, failed, unknown_column};

impl SessionState {
    pub(super) fn alter_table(
        &mut self,
        if_exists: bool,
        name: &ObjectName,
        action: &AlterTable,
        text: &str,
    ) -> Result<Planned, Fault> {
        let path = self.namespace.complete(name);
        let Some(table) = self.table_to_alter(&path, name, if_exists)? else { return Ok(Planned::done()) };
        if let AlterTable::Rename(to) = action {
            let target = self.rename_target(&path, to)?;
            let renamed = CatalogTable { path: target.clone(), ..(*table).clone() };
            self.catalogs.remove(&path, false);
            self.catalogs.put(&target, Stored::Table(Arc::new(renamed)), false)?;
            return Ok(Planned::done());
        }
        let mut definition = table.definition.inherited();
        change(&mut definition, action, text)?;
        let altered = self.bind_table(path.clone(), definition, false)?;
        self.catalogs.put(&path, Stored::Table(Arc::new(altered)), false)?;
        Ok(Planned::done())
    }

    /// The table that is to be altered; `None` where IF EXISTS finds none.
    fn table_to_alter(
        &self,
        path: &ObjectPath,
        name: &ObjectName,
        if_exists: bool,
    ) -> Result<Option<Arc<CatalogTable>>, Fault> {
        match self.catalogs.permanent(path) {
            Some(Stored::Table(table)) => Ok(Some(table.clone())),
            Some(Stored::View(_)) => Err(Fault::user("not-a-table", format!("'{path}' is a view"))
                .at(name.span)
                .hint("write ALTER VIEW")),
            Some(Stored::Failed) => Err(failed(path).at(name.span)),
            None if if_exists => Ok(None),
            None if self.catalogs.temporary(path).is_some() => Err(Fault::user(
                "temporary-table",
                format!("table '{path}' is temporary: it cannot be altered"),
            )
            .at(name.span)
            .hint("drop it and create it again")),
            None => {
                let context = self.settings.bind_context();
                Err(self.environment(&context).unknown(path, name))
            }
        }
    }
}

fn change(definition: &mut TableDefinition, action: &AlterTable, text: &str) -> Result<(), Fault> {
    match action {
        AlterTable::Rename(_) => Ok(()),
        AlterTable::Set(options) => {
            for option in options {
                definition.set_option(&option.key.value, &option.value.value);
            }
            Ok(())
        }
        AlterTable::Reset(keys) => {
            if keys.is_empty() {
                return Err(
                    Fault::user("bad-option", "ALTER TABLE RESET needs a key").hint("write RESET ('key')")
                );
            }
            if let Some(key) = keys.iter().find(|k| k.value == "connector") {
                return Err(Fault::user("bad-option", "the option 'connector' cannot be taken away")
                    .at(key.span)
                    .hint("write SET ('connector' = '…') to choose another one"));
            }
            definition.options.retain(|(k, _)| keys.iter().all(|key| key.value != *k));
            Ok(())
        }
        AlterTable::Add(schema) => add(definition, schema, text),
        AlterTable::Modify(schema) => modify(definition, schema, text),
        AlterTable::RenameColumn(from, to) => {
            let at = column_of(definition, from)?;
            if definition.index_of(&to.value).is_some() {
                return Err(Fault::user("duplicate-column", format!("column '{}' exists already", to.value))
                    .at(to.span)
                    .hint("choose another name"));
            }
            let old = from.last().to_string();
            check_unused(definition, &old, from.span, &[Use::Computed, Use::Watermark, Use::Bucket])?;
            if let Some(column) = definition.columns.get_mut(at) {
                column.name.clone_from(&to.value);
            }
            if let Some(key) = &mut definition.primary_key {
                // The constraint keeps the name that it had.
                key.name = Some(key.label());
                for (name, _) in key.columns.iter_mut().filter(|c| c.0 == old) {
                    name.clone_from(&to.value);
                }
            }
            for name in definition.partitioned_by.iter_mut().filter(|n| **n == old) {
                name.clone_from(&to.value);
            }
            Ok(())
        }
        AlterTable::DropColumns(names) => {
            let mut dropped: Vec<&str> = Vec::new();
            for name in names {
                column_of(definition, name)?;
                if dropped.contains(&name.last()) {
                    return Err(Fault::user(
                        "duplicate-column",
                        format!("column '{}' is dropped twice", name.last()),
                    )
                    .at(name.span));
                }
                dropped.push(name.last());
            }
            // A computed column that goes with them may use them.
            definition.columns.retain(|c| {
                !(dropped.contains(&c.name.as_str()) && matches!(c.kind, ColumnForm::Computed { .. }))
            });
            for name in names {
                check_unused(
                    definition,
                    name.last(),
                    name.span,
                    &[Use::Computed, Use::Watermark, Use::Key, Use::Partition, Use::Bucket],
                )?;
            }
            definition.columns.retain(|c| !dropped.contains(&c.name.as_str()));
            Ok(())
        }
        AlterTable::DropPrimaryKey => match definition.primary_key.take() {
            Some(_) => Ok(()),
            None => Err(Fault::user("no-primary-key", "the table has no primary key")),
        },
        AlterTable::DropConstraint(name) => match &definition.primary_key {
            Some(key) if key.label() == name.value => {
                definition.primary_key = None;
                Ok(())
            }
            Some(key) => Err(Fault::user(
                "unknown-constraint",
                format!("the table has no constraint '{}'", name.value),
            )
            .at(name.span)
            .hint(format!("did you mean '{}'?", key.label()))),
            None => Err(Fault::user("no-primary-key", "the table has no primary key").at(name.span)),
        },
        AlterTable::DropWatermark => match definition.watermark.take() {
            Some(_) => Ok(()),
            None => Err(Fault::user("no-watermark", "the table has no watermark")),
        },
        AlterTable::DropDistribution => match definition.distribution.take() {
            Some(_) => Ok(()),
            None => Err(Fault::user("no-distribution", "the table has no distribution")),
        },
        AlterTable::DropPartitions { if_exists: true, .. } if definition.partitioned_by.is_empty() => Ok(()),
        AlterTable::AddPartitions { .. } | AlterTable::DropPartitions { .. }
            if definition.partitioned_by.is_empty() =>
        {
            Err(Fault::user("not-partitioned", "the table is not partitioned")
                .hint("declare the table with PARTITIONED BY"))
        }
        AlterTable::AddPartitions { .. } => Err(Fault::not_yet("ALTER TABLE … ADD PARTITION")
            .hint("partitions of files are found when the table is read")),
        AlterTable::DropPartitions { .. } => Err(Fault::not_yet("ALTER TABLE … DROP PARTITION")),
    }
}

/// Position of a column; nested fields cannot be changed.
fn column_of(definition: &TableDefinition, name: &ObjectName) -> Result<usize, Fault> {
    if name.parts.len() > 1 {
        return Err(Fault::user("nested-column", "a field of a ROW cannot be changed by itself")
            .at(name.span)
            .hint("MODIFY the whole column with its new type"));
    }
    definition
        .index_of(name.last())
        .ok_or_else(|| unknown_column(name.last(), definition.column_names(), "ALTER TABLE").at(name.span))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Computed,
    Watermark,
    Key,
    Partition,
    Bucket,
}

/// Refuses a change of a column that something else refers to.
fn check_unused(definition: &TableDefinition, name: &str, span: Span, uses: &[Use]) -> Result<(), Fault> {
    let used = |what: String, hint: &str| {
        Err(Fault::user("column-in-use", format!("column '{name}' is used by {what}")).at(span).hint(hint))
    };
    for column in &definition.columns {
        if let ColumnForm::Computed { text, .. } = &column.kind
            && uses.contains(&Use::Computed)
            && mentions(text, name)
        {
            return used(format!("the computed column '{}'", column.name), "drop that one first");
        }
    }
    if uses.contains(&Use::Watermark)
        && let Some(w) = &definition.watermark
        && (w.column == name || mentions(&w.text, name))
    {
        return used("the watermark".to_string(), "write ALTER TABLE … DROP WATERMARK first");
    }
    if uses.contains(&Use::Key) && definition.primary_key.iter().flat_map(|k| &k.columns).any(|c| c.0 == name)
    {
        return used("the primary key".to_string(), "write ALTER TABLE … DROP PRIMARY KEY first");
    }
    if uses.contains(&Use::Partition) && definition.partitioned_by.iter().any(|p| p == name) {
        return used("PARTITIONED BY".to_string(), "keep it: the partitions of a table cannot be changed");
    }
    if uses.contains(&Use::Bucket)
        && definition.distribution.iter().flat_map(|d| &d.columns).any(|c| c.value == name)
    {
        return used("DISTRIBUTED BY".to_string(), "write ALTER TABLE … DROP DISTRIBUTION first");
    }
    Ok(())
}

/// Whether an expression's text has a word: string literals are left out, quoted names count.
fn mentions(text: &str, name: &str) -> bool {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            '\'' => rest = rest.get(1..).and_then(|r| r.split_once('\'')).map_or("", |(_, after)| after),
            '`' => {
                let inner = rest.get(1..).unwrap_or("");
                let Some((quoted, after)) = inner.split_once('`') else { return false };
                if quoted == name {
                    return true;
                }
                rest = after;
            }
            c if c.is_alphabetic() || c == '_' => {
                let end =
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                if word == name {
                    return true;
                }
                rest = after;
            }
            c => rest = rest.get(c.len_utf8()..).unwrap_or(""),
        }
    }
    false
}

fn add(definition: &mut TableDefinition, schema: &AlterSchema, text: &str) -> Result<(), Fault> {
    for (column, position) in &schema.columns {
        if definition.index_of(&column.name.value).is_some() {
            return Err(Fault::user(
                "duplicate-column",
                format!("column '{}' exists already", column.name.value),
            )
            .at(column.name.span)
            .hint("write ALTER TABLE … MODIFY to change it"));
        }
        insert(definition, column, position.as_ref(), None, text)?;
    }
    if let Some(watermark) = &schema.watermark {
        if let Some(old) = &definition.watermark {
            return Err(Fault::user(
                "bad-watermark",
                format!("the table has a watermark on '{}' already", old.column),
            )
            .at(watermark.span)
            .hint("write ALTER TABLE … MODIFY WATERMARK"));
        }
        definition.watermark = Some(define_watermark(watermark, definition, text)?);
    }
    for constraint in &schema.constraints {
        if definition.primary_key.is_some() {
            return Err(Fault::user("bad-primary-key", "the table has a primary key already")
                .at(constraint.span)
                .hint("write ALTER TABLE … MODIFY PRIMARY KEY, or DROP PRIMARY KEY first"));
        }
        definition.primary_key = define_key(constraint, definition.legacy_options)?;
    }
    if let Some(distribution) = &schema.distribution {
        if definition.distribution.is_some() {
            return Err(Fault::user("bad-distribution", "the table has a distribution already")
                .at(distribution.span)
                .hint("write ALTER TABLE … MODIFY DISTRIBUTION"));
        }
        definition.distribution = Some(distribution.clone());
    }
    Ok(())
}

fn modify(definition: &mut TableDefinition, schema: &AlterSchema, text: &str) -> Result<(), Fault> {
    for (column, position) in &schema.columns {
        let Some(at) = definition.index_of(&column.name.value) else {
            return Err(unknown_column(
                &column.name.value,
                definition.column_names(),
                "ALTER TABLE … MODIFY",
            )
            .at(column.name.span));
        };
        let old = definition.columns.remove(at);
        insert(definition, column, position.as_ref(), Some(at), text)?;
        // A comment stays unless a new one is given.
        if column.comment.is_none()
            && let Some(new) = definition.columns.iter_mut().find(|c| c.name == old.name)
        {
            new.comment = old.comment;
        }
    }
    if let Some(watermark) = &schema.watermark {
        if definition.watermark.is_none() {
            return Err(Fault::user("no-watermark", "the table has no watermark to be modified")
                .at(watermark.span)
                .hint("write ALTER TABLE … ADD WATERMARK"));
        }
        definition.watermark = Some(define_watermark(watermark, definition, text)?);
    }
    for constraint in &schema.constraints {
        if definition.primary_key.is_none() {
            return Err(Fault::user("no-primary-key", "the table has no primary key to be modified")
                .at(constraint.span)
                .hint("write ALTER TABLE … ADD PRIMARY KEY"));
        }
        definition.primary_key = define_key(constraint, definition.legacy_options)?;
    }
    if let Some(distribution) = &schema.distribution {
        if definition.distribution.is_none() {
            return Err(Fault::user("no-distribution", "the table has no distribution to be modified")
                .at(distribution.span)
                .hint("write ALTER TABLE … ADD DISTRIBUTION"));
        }
        definition.distribution = Some(distribution.clone());
    }
    Ok(())
}

/// Puts a column to its place: FIRST, AFTER another one, else `at`, else the end.
fn insert(
    definition: &mut TableDefinition,
    column: &ColumnDef,
    position: Option<&ColumnPosition>,
    at: Option<usize>,
    text: &str,
) -> Result<(), Fault> {
    let at = match position {
        Some(ColumnPosition::First) => 0,
        Some(ColumnPosition::After(name)) => column_of(definition, name)? + 1,
        None => at.unwrap_or(definition.columns.len()),
    };
    definition.columns.insert(at.min(definition.columns.len()), define_column(column, text));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn words_are_found_outside_of_strings() {
        assert!(mentions("UPPER(name) || 'x'", "name"));
        assert!(mentions("`a b` + 1", "a b"));
        assert!(!mentions("'name' || other_name", "name"));
        assert!(!mentions("names + 1", "name"));
    }
}
