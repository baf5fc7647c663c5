//! From a table of the catalog to what a job needs of it: connector, format, options, types, checked for its role.

use std::sync::Arc;

use millstream_expr::{CastMode, Expr, ExprKind};
use millstream_flow::{ChangelogMode, ConnectorCard, FormatCard, MetadataColumn};
use millstream_types::{DataType, Fault, Field, Schema, TimeAttribute, TypeKind, nearest};

use super::columns::{is_source_watermark, set_attribute};
use super::options::{Chosen, choose};
use super::scalar::substitute;
use super::{BindEnvironment, CatalogTable, ColumnForm, ColumnOrigin, ResolvedTable};
use crate::{ColumnSource, TableSpec};

/// Resolves a table for reading (`source`) or writing. `hints` are options that a hint adds.
///
/// # Errors
/// User, with the table as place: options that its connector does not take, a role that it cannot play, types and metadata columns that it
/// does not have.
pub(crate) fn resolve_table(
    table: &CatalogTable,
    environment: &BindEnvironment<'_>,
    hints: &[(String, String)],
    source: bool,
) -> Result<ResolvedTable, Fault> {
    resolve(table, environment, hints, source).map_err(|f| f.in_place(format!("table '{}'", table.path)))
}

fn resolve(
    table: &CatalogTable,
    environment: &BindEnvironment<'_>,
    hints: &[(String, String)],
    source: bool,
) -> Result<ResolvedTable, Fault> {
    let definition = &table.definition;
    let mut options = definition.options.clone();
    options.extend(hints.iter().cloned());
    let names: Vec<&str> = definition.column_names().collect();
    let chosen =
        choose(&options, definition.legacy_options, &names, environment.cards, environment.variables)?;
    let bounded = if source { check_source(&chosen, table)? } else { check_sink(&chosen, table)? };
    for column in &table.columns.columns {
        check_type(&column.data_type).map_err(|f| f.in_place(format!("column '{}'", column.name)))?;
    }

    let mut inputs = table.columns.inputs.clone();
    let mut casts: Vec<(usize, Expr)> = Vec::new();
    for (position, input) in inputs.iter_mut().enumerate() {
        let ColumnSource::Metadata { key, data_type } = input else { continue };
        let declared = data_type.clone();
        let column = metadata_column(table, key);
        let Some((card, bare)) = find_metadata(key, chosen.connector, chosen.format) else {
            if source || !column.1 {
                return Err(unknown_metadata(key, &column.0, &chosen));
            }
            continue;
        };
        if !source && !column.1 && !card.writable {
            return Err(Fault::user(
                "bad-metadata",
                format!(
                    "column '{}': connector '{}' cannot write the metadata '{key}'",
                    column.0, chosen.connector.name
                ),
            )
            .hint("declare the column as METADATA VIRTUAL: then it is read, and left out of INSERT"));
        }
        let given = millstream_sql::parse_data_type(card.data_type)
            .map_err(|f| Fault::internal(format!("type of metadata '{key}': {f}")))?
            .data_type;
        bare.clone_into(key);
        data_type.clone_from(&given);
        if given.kind != declared.kind {
            check_metadata_cast(&given, &declared, &column.0, source)?;
            let cast =
                ExprKind::Cast { input: Box::new(Expr::column(position, given)), mode: CastMode::Implicit };
            casts.push((position, Expr::new(cast, declared)));
        } else if given.nullable != declared.nullable {
            casts.push((position, Expr::column(position, given)));
        }
    }
    let replace = |expr: &mut Expr| {
        substitute(expr, &|i| casts.iter().find(|(p, _)| *p == i).map(|(_, e)| e.clone()));
    };
    let mut columns = table.columns.columns.clone();
    let mut watermark = table.columns.watermark.clone();
    for column in &mut columns {
        let attribute = column.value.data_type.kind.time_attribute();
        replace(&mut column.value);
        if attribute != TimeAttribute::None {
            set_attribute(column, attribute);
        }
    }
    if let Some(w) = &mut watermark {
        replace(&mut w.rowtime);
        replace(&mut w.watermark);
    }
    if let Some(declared) = &definition.watermark
        && source
        && is_source_watermark(&declared.strategy)
    {
        return Err(Fault::user(
            "bad-watermark",
            format!(
                "connector '{}' gives no watermarks of its own, as SOURCE_WATERMARK() asks",
                chosen.connector.name
            ),
        )
        .hint(format!("declare WATERMARK FOR {0} AS {0}", declared.column)));
    }
    // Batch mode knows no rowtime attributes: the column is an ordinary timestamp there.
    if environment.context.batch
        && let Some(column) = table.columns.rowtime.and_then(|i| columns.get_mut(i))
    {
        set_attribute(column, TimeAttribute::None);
    }

    let changes = match (chosen.format, chosen.connector.source) {
        (Some(format), _) => format.decodes.unwrap_or(ChangelogMode::Append),
        (None, Some(card)) => card.changes,
        (None, None) => ChangelogMode::Append,
    };
    let spec = TableSpec {
        name: table.path.to_string(),
        connector: chosen.connector.name.to_string(),
        options: chosen.options,
        format: chosen.format.map(|f| f.name.to_string()),
        format_options: chosen.format_options,
        by_position: chosen.format.is_some_and(|f| f.by_position),
        schema: Arc::new(Schema::new(table.columns.physical.clone())),
        primary_key: physical_key(table),
        partition_keys: definition.partitioned_by.clone(),
        bounded,
    };
    let schema =
        Schema::new(columns.iter().map(|c| Field::new(c.name.clone(), c.data_type.clone())).collect());
    Ok(ResolvedTable {
        path: table.path.clone(),
        spec: Arc::new(spec),
        inputs,
        columns,
        watermark,
        rowtime: table.columns.rowtime,
        primary_key: table.columns.primary_key.clone(),
        changes,
        connector: chosen.connector,
        format: chosen.format,
        hints: hints.to_vec(),
        schema: Arc::new(schema),
    })
}

/// Positions of the primary key among the physical columns.
fn physical_key(table: &CatalogTable) -> Vec<usize> {
    let key = table.columns.primary_key.iter().filter_map(|i| table.columns.columns.get(*i));
    key.filter_map(|c| table.columns.physical.iter().position(|f| f.name == c.name)).collect()
}

fn check_source(chosen: &Chosen, table: &CatalogTable) -> Result<bool, Fault> {
    let connector = chosen.connector.name;
    let Some(card) = chosen.connector.source else {
        return Err(Fault::user(
            "not-a-source",
            format!("connector '{connector}' can only be written to, so the table cannot be read"),
        )
        .hint("read from another table, or give this one a connector that is a source"));
    };
    if let Some(format) = chosen.format
        && format.decodes.is_none()
    {
        return Err(Fault::user("not-a-source", format!("format '{}' can only be written", format.name))
            .hint("choose a format that can be read"));
    }
    if table.columns.physical.is_empty() && table.columns.columns.is_empty() {
        return Err(
            Fault::user("no-columns", "the table has no columns").hint("declare them in CREATE TABLE")
        );
    }
    Ok((card.bounded)(&chosen.options))
}

fn check_sink(chosen: &Chosen, table: &CatalogTable) -> Result<bool, Fault> {
    let connector = chosen.connector.name;
    let Some(card) = chosen.connector.sink else {
        return Err(Fault::user(
            "not-a-sink",
            format!("connector '{connector}' can only be read, so the table cannot be written to"),
        )
        .hint("insert into another table, or give this one a connector that is a sink"));
    };
    if let Some(format) = chosen.format
        && format.encodes.is_none()
    {
        return Err(Fault::user("not-a-sink", format!("format '{}' can only be read", format.name))
            .hint("choose a format that can be written"));
    }
    if !table.definition.partitioned_by.is_empty() && !card.partitions {
        return Err(Fault::user(
            "no-partitions",
            format!("connector '{connector}' cannot write a table that is PARTITIONED BY"),
        )
        .hint("leave PARTITIONED BY out of CREATE TABLE"));
    }
    if table.definition.distribution.is_some() {
        return Err(Fault::user(
            "no-buckets",
            format!("connector '{connector}' cannot write a table that is DISTRIBUTED into buckets"),
        )
        .hint("leave DISTRIBUTED BY out of CREATE TABLE"));
    }
    Ok(false)
}

/// Types that can be declared, but not used.
fn check_type(data_type: &DataType) -> Result<(), Fault> {
    let refuse = |why: String| Err(Fault::user("bad-type", why));
    match &data_type.kind {
        TypeKind::Decimal { precision, .. } if *precision > 38 => {
            refuse(format!("{data_type} has more than the 38 digits that DECIMAL can have"))
        }
        TypeKind::Timestamp(p, _) | TypeKind::TimestampLtz(p, _) | TypeKind::Time(p) if *p > 9 => {
            refuse(format!("{data_type} has more than the 9 fraction digits that a time can have"))
        }
        TypeKind::Array(e) | TypeKind::Multiset(e) => check_type(e),
        TypeKind::Map(k, v) => check_type(k).and_then(|()| check_type(v)),
        TypeKind::Row(fields) => fields.iter().try_for_each(|f| check_type(&f.data_type)),
        _ => Ok(()),
    }
}

/// Name of the column that declares a metadata key, and whether it is VIRTUAL.
fn metadata_column(table: &CatalogTable, key: &str) -> (String, bool) {
    for column in &table.definition.columns {
        if let ColumnForm::Metadata { key: from, is_virtual, .. } = &column.kind
            && from.as_deref().unwrap_or(&column.name) == key
        {
            return (column.name.clone(), *is_virtual);
        }
    }
    (key.to_string(), true)
}

/// The card of a metadata key and the key without `value.`, by which a format's metadata may be named.
fn find_metadata(
    key: &str,
    connector: &'static ConnectorCard,
    format: Option<&'static FormatCard>,
) -> Option<(&'static MetadataColumn, String)> {
    if let Some(card) = connector.metadata.iter().find(|m| m.key == key) {
        return Some((card, key.to_string()));
    }
    let bare = key.strip_prefix("value.").unwrap_or(key);
    let card = format?.metadata.iter().find(|m| m.key == bare)?;
    Some((card, bare.to_string()))
}

fn unknown_metadata(key: &str, column: &str, chosen: &Chosen) -> Fault {
    let mut known: Vec<&str> = chosen.connector.metadata.iter().map(|m| m.key).collect();
    known.extend(chosen.format.iter().flat_map(|f| f.metadata.iter().map(|m| m.key)));
    let fault = Fault::user(
        "bad-metadata",
        format!("column '{column}': connector '{}' has no metadata '{key}'", chosen.connector.name),
    );
    match nearest(key, known.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean METADATA FROM '{near}'?")),
        None if known.is_empty() => fault.hint("it has no metadata at all: take the column away"),
        None => fault.hint(format!("its metadata are: {}", known.join(", "))),
    }
}

/// Flink wants the declared type to be reachable by an explicit cast; here the casts that are refused are those that could not mean anything.
fn check_metadata_cast(
    given: &DataType,
    declared: &DataType,
    column: &str,
    source: bool,
) -> Result<(), Fault> {
    let (from, to) = if source { (given, declared) } else { (declared, given) };
    if castable(from, to) {
        return Ok(());
    }
    Err(Fault::user(
        "bad-metadata",
        format!(
            "column '{column}' is declared as {declared}, but the metadata is {given} and cannot be converted"
        ),
    )
    .hint(format!("declare '{column}' as {given}")))
}

fn castable(from: &DataType, to: &DataType) -> bool {
    millstream_expr::coerce::cast_support(&from.kind, &to.kind) != millstream_expr::coerce::CastSupport::No
}

impl ResolvedTable {
    /// Positions in `columns` of what INSERT writes: physical and not virtual metadata columns.
    pub fn persisted(&self) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, c)| ColumnOrigin::is_persisted(c.origin)).map(|(i, _)| i).collect()
    }
}
