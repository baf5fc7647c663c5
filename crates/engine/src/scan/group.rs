//! What is read of a source, and how it is decoded.

use std::sync::Arc;

use millstream_flow::{
    Decoder, DecoderSpec, Environment, FieldSpec, Format, Framing, Options, SCAN_OPTIONS, Source, SourceSpec,
};
use millstream_plan::{ColumnSource, ScanGroup, TableSpec};
use millstream_types::{DataType, Fault};

use super::bad::BadPolicy;
use crate::runtime::Parts;

/// A source with its decoder, ready to be read.
#[derive(Debug)]
pub struct GroupSpec {
    /// The table's name, for messages.
    pub name: String,
    /// The source.
    pub source: Arc<dyn Source>,
    /// The decoder of raw records; `None` for sources of rows.
    pub decoder: Option<Box<dyn Decoder>>,
    /// The columns that rules and outputs refer to.
    pub columns: Vec<GroupColumn>,
    /// What happens to bad records.
    pub bad: BadPolicy,
}

/// A column of a scan group.
#[derive(Debug, Clone)]
pub enum GroupColumn {
    /// A physical column, by position in the table.
    Physical(usize, DataType),
    /// A metadata column, by its key.
    Metadata(String, DataType),
}

impl GroupSpec {
    /// Makes the source and the decoder of a scan group. `paths` are, for each of its columns, the nested fields that are read (none: all of it).
    ///
    /// # Errors
    /// User, for wrong options or types.
    pub fn new(
        group: &ScanGroup,
        paths: &[Vec<Vec<usize>>],
        parts: &dyn Parts,
        environment: &Environment,
        zone: &Arc<str>,
    ) -> Result<Self, Fault> {
        let table = &group.table;
        let connector = parts
            .connector(&table.connector)
            .ok_or_else(|| Fault::internal(format!("no connector '{}'", table.connector)))?;
        let format = format_of(table, parts)?;
        let framing: Option<Framing> = format.map(|f| f.framing(&table.format_options)).transpose()?;
        let mut columns = Vec::with_capacity(group.columns.len());
        let mut read = Vec::new();
        let mut metadata = Vec::new();
        let mut fields: Vec<FieldSpec> = table
            .schema
            .fields
            .iter()
            .map(|f| FieldSpec { name: f.name.clone(), data_type: f.data_type.clone(), paths: Vec::new() })
            .collect();
        for (number, column) in group.columns.iter().enumerate() {
            match column {
                ColumnSource::Physical(i) => {
                    let field =
                        table.schema.field(*i).ok_or_else(|| Fault::internal("column out of range"))?;
                    read.push(*i);
                    if let (Some(spec), Some(paths)) = (fields.get_mut(*i), paths.get(number)) {
                        spec.paths.clone_from(paths);
                    }
                    columns.push(GroupColumn::Physical(*i, field.data_type.clone()));
                }
                ColumnSource::Metadata { key, data_type } => {
                    metadata.push(key.clone());
                    columns.push(GroupColumn::Metadata(key.clone(), data_type.clone()));
                }
            }
        }
        let source = connector.source(SourceSpec {
            table: table.name.clone(),
            schema: table.schema.clone(),
            options: connector_options(&table.options),
            framing,
            metadata,
            partition_keys: table.partition_keys.clone(),
            environment: environment.clone(),
        })?;
        let decoder = match format {
            None => None,
            Some(format) => Some(format.decoder(DecoderSpec {
                columns: fields,
                read: {
                    read.sort_unstable();
                    read.dedup();
                    // Partition columns come from the path, not from the record.
                    read.retain(|i| {
                        table
                            .schema
                            .field(*i)
                            .is_none_or(|f| !table.partition_keys.iter().any(|k| **k == *f.name))
                    });
                    read
                },
                options: table.format_options.clone(),
                zone: zone.clone(),
            })?),
        };
        for column in &mut columns {
            if let GroupColumn::Physical(i, data_type) = column
                && let Some(field) = table.schema.field(*i)
                && table.partition_keys.iter().any(|k| **k == *field.name)
            {
                *column = GroupColumn::Metadata(field.name.to_string(), data_type.clone());
            }
        }
        Ok(GroupSpec {
            name: table.name.clone(),
            source,
            decoder,
            columns,
            bad: BadPolicy::new(&table.options)?,
        })
    }
}

impl GroupSpec {
    /// Constant rows.
    pub(crate) fn values(source: crate::runtime::ValuesSource) -> Self {
        let columns = source
            .schema
            .fields
            .iter()
            .enumerate()
            .map(|(i, f)| GroupColumn::Physical(i, f.data_type.clone()))
            .collect();
        GroupSpec {
            name: "VALUES".into(),
            source: Arc::new(source),
            decoder: None,
            columns,
            bad: BadPolicy::Fail,
        }
    }
}

/// The options that the connector is to see: without the scan's own.
pub(crate) fn connector_options(options: &Options) -> Options {
    options.iter().filter(|(k, _)| !SCAN_OPTIONS.iter().any(|o| o.key == *k)).collect()
}

/// The format of a table of raw records.
///
/// # Errors
/// Internal, when the plan names a format that the product does not have.
pub(crate) fn format_of(table: &TableSpec, parts: &dyn Parts) -> Result<Option<&'static dyn Format>, Fault> {
    let Some(name) = &table.format else { return Ok(None) };
    parts.format(name).map(Some).ok_or_else(|| Fault::internal(format!("no format '{name}'")))
}
