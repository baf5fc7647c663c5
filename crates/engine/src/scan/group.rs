//! What is read of a source, and how it is decoded.

use std::sync::Arc;

use millstream_flow::{
    Decoder, DecoderSpec, Environment, FieldSpec, Format, Framing, Options, SCAN_OPTIONS, Source, SourceSpec,
};
use millstream_plan::{ColumnSource, ScanGroup, TableSpec};
use millstream_types::{Clock, DataType, Fault};

use super::bad::BadPolicy;
use super::claims::{Claims, SplitPool};
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
    /// Whether conditions are looked for by the index, rather than evaluated one by one.
    pub indexed: bool,
    /// From what it was made, where other jobs may read the same; `None`: each job reads it by itself.
    pub(super) making: Option<Making>,
    /// Where several tasks read the source.
    pub(super) claims: Option<Claims>,
}

/// From what the source and the decoder of a scan group were made.
#[derive(Debug, Clone)]
pub(super) struct Making {
    pub(super) table: Arc<TableSpec>,
    pub(super) format: &'static dyn Format,
    pub(super) zone: Arc<str>,
    pub(super) clock: Arc<dyn Clock>,
    /// Metadata columns that the source gives.
    pub(super) metadata: Vec<String>,
    /// For each of the group's columns the nested fields that are read (none: all of it).
    pub(super) paths: Vec<Vec<Vec<usize>>>,
}

/// A column of a scan group.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        let mut metadata = Vec::new();
        for column in &group.columns {
            match column {
                ColumnSource::Physical(i) => {
                    let field =
                        table.schema.field(*i).ok_or_else(|| Fault::internal("column out of range"))?;
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
            metadata: metadata.clone(),
            partition_keys: table.partition_keys.clone(),
            environment: environment.clone(),
        })?;
        for column in &mut columns {
            if let GroupColumn::Physical(i, data_type) = column
                && let Some(field) = table.schema.field(*i)
                && table.partition_keys.iter().any(|k| **k == *field.name)
            {
                *column = GroupColumn::Metadata(field.name.to_string(), data_type.clone());
            }
        }
        let making = format.map(|format| Making {
            table: table.clone(),
            format,
            zone: zone.clone(),
            clock: environment.clock.clone(),
            metadata,
            paths: paths.to_vec(),
        });
        let all: Vec<usize> = (0..columns.len()).collect();
        let decoder = making.as_ref().map(|m| m.decoder(&columns, &all)).transpose()?;
        Ok(GroupSpec {
            name: table.name.clone(),
            source,
            decoder,
            columns,
            bad: BadPolicy::new(&table.options)?,
            indexed: true,
            making,
            claims: None,
        })
    }

    /// Lets the source be read together with other tasks.
    #[must_use]
    pub fn claiming(mut self, pool: Arc<SplitPool>, task: usize) -> Self {
        self.claims = Some(Claims { pool, task });
        self
    }
}

impl Making {
    /// A decoder that gives these of the group's columns.
    ///
    /// # Errors
    /// User, for wrong options or types.
    pub(super) fn decoder(&self, columns: &[GroupColumn], read: &[usize]) -> Result<Box<dyn Decoder>, Fault> {
        let table = &self.table;
        let field = |f: &millstream_types::Field| FieldSpec {
            name: f.name.clone(),
            data_type: f.data_type.clone(),
            paths: Vec::new(),
        };
        let mut fields: Vec<FieldSpec> = table.schema.fields.iter().map(field).collect();
        let mut positions = Vec::new();
        for c in read {
            // Partition columns come from the path, not from the record: they are among the metadata.
            let Some(GroupColumn::Physical(position, _)) = columns.get(*c) else { continue };
            positions.push(*position);
            if let (Some(field), Some(paths)) = (fields.get_mut(*position), self.paths.get(*c)) {
                field.paths.clone_from(paths);
            }
        }
        positions.sort_unstable();
        positions.dedup();
        self.format.decoder(DecoderSpec {
            columns: fields,
            read: positions,
            options: table.format_options.clone(),
            zone: self.zone.clone(),
            clock: self.clock.clone(),
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
            indexed: true,
            making: None,
            claims: None,
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
