//! Rows as text, for a terminal or a pipe.

use millstream_expr::coerce::explicit_cast;
use millstream_expr::{BindContext, CastMode, EvalContext, Expr, Program};
use millstream_flow::{Encoded, Encoder, EncoderSpec, Options};
use millstream_types::{Batch, DataType, Fault, SchemaRef, TypeKind};
use std::sync::Arc;

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Aligned columns, for a person.
    Table,
    /// One JSON object a line.
    Json,
    /// CSV with a header.
    Csv,
    /// Kind and values, as the print connector does: `+I[1, a]`.
    Changelog,
}

/// Renders the batches of one result.
#[derive(Debug)]
pub struct RowRenderer {
    format: OutputFormat,
    schema: SchemaRef,
    encoder: Option<Box<dyn Encoder>>,
    texts: Option<Program>,
    context: EvalContext,
    widths: Vec<usize>,
    started: bool,
    changes: bool,
}

impl RowRenderer {
    /// A renderer of rows of a schema.
    ///
    /// # Errors
    /// When a type cannot be written in the format.
    pub fn new(
        format: OutputFormat,
        schema: SchemaRef,
        changes: bool,
        context: EvalContext,
    ) -> Result<Self, Fault> {
        let spec = || EncoderSpec {
            schema: schema.clone(),
            options: Options::default(),
            zone: context.zone.clone(),
        };
        let encoder = match format {
            OutputFormat::Json => Some(encoder("json", spec())?),
            OutputFormat::Csv => Some(encoder("csv", spec())?),
            OutputFormat::Table | OutputFormat::Changelog => None,
        };
        let texts = match encoder {
            Some(_) => None,
            None => Some(texts(&schema, &context)?),
        };
        Ok(RowRenderer {
            format,
            schema,
            encoder,
            texts,
            context,
            widths: Vec::new(),
            started: false,
            changes,
        })
    }

    /// The text of a batch, lines with their ends.
    ///
    /// # Errors
    /// When a value cannot be written.
    pub fn render(&mut self, batch: &Batch) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        match (&mut self.encoder, self.format) {
            (Some(encoder), format) => {
                if format == OutputFormat::Csv && !self.started {
                    out.extend_from_slice(csv_header(&self.schema).as_bytes());
                }
                let mut encoded = Encoded::default();
                encoder.encode(batch, &mut encoded)?;
                out.extend_from_slice(&encoded.data);
            }
            (None, OutputFormat::Changelog) => {
                for (row, values) in self.rows(batch)?.into_iter().enumerate() {
                    let values: Vec<String> =
                        values.into_iter().map(|v| v.unwrap_or_else(|| "null".into())).collect();
                    out.extend_from_slice(format!("{}[{}]\n", batch.kind(row), values.join(", ")).as_bytes());
                }
            }
            (None, _) => self.table(batch, &mut out)?,
        }
        self.started = true;
        Ok(out)
    }

    /// The last line, if the format has one; behind no row at all the names of the columns, so that an empty result is seen as one.
    pub fn finish(&mut self) -> Vec<u8> {
        let text = match (self.format, self.started) {
            (OutputFormat::Table, true) => self.rule(),
            (OutputFormat::Table, false) => self.head(&[]),
            (OutputFormat::Csv, false) => csv_header(&self.schema),
            _ => String::new(),
        };
        self.started = true;
        text.into_bytes()
    }

    /// The names of the columns between two rules; the first rows say how wide the columns are.
    fn head(&mut self, cells: &[Vec<String>]) -> String {
        const WIDEST: usize = 60;
        let mut names: Vec<String> = if self.changes { vec!["op".into()] } else { Vec::new() };
        names.extend(self.schema.fields.iter().map(|f| f.name.to_string()));
        self.widths = names.iter().map(|n| n.chars().count()).collect();
        for line in cells {
            for (w, cell) in self.widths.iter_mut().zip(line) {
                *w = (*w).max(cell.chars().count().min(WIDEST));
            }
        }
        let rule = self.rule();
        format!("{rule}{}{rule}", self.line(&names))
    }

    fn rows(&self, batch: &Batch) -> Result<Vec<Vec<Option<String>>>, Fault> {
        use arrow::array::{Array, AsArray};
        let Some(texts) = &self.texts else { return Ok(Vec::new()) };
        let view = millstream_expr::Rows { columns: &batch.columns, rows: batch.rows, watermarks: None };
        let columns = texts.eval(&view, &self.context).map_err(|e| e.fault)?;
        Ok((0..batch.rows)
            .map(|row| {
                columns
                    .iter()
                    .map(|c| {
                        let c = c.as_string_opt::<i32>()?;
                        c.is_valid(row).then(|| c.value(row).to_string())
                    })
                    .collect()
            })
            .collect())
    }

    fn table(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<(), Fault> {
        let rows = self.rows(batch)?;
        let clean = |s: &str| -> String { s.chars().map(|c| if c.is_control() { ' ' } else { c }).collect() };
        let mut cells: Vec<Vec<String>> = Vec::with_capacity(rows.len());
        for (i, row) in rows.into_iter().enumerate() {
            let mut line = Vec::new();
            if self.changes {
                line.push(batch.kind(i).symbol().to_string());
            }
            line.extend(row.into_iter().map(|v| v.map_or_else(|| "<NULL>".to_string(), |v| clean(&v))));
            cells.push(line);
        }
        if !self.started {
            out.extend_from_slice(self.head(&cells).as_bytes());
        }
        for line in &cells {
            out.extend_from_slice(self.line(line).as_bytes());
        }
        Ok(())
    }

    fn rule(&self) -> String {
        let parts: Vec<String> = self.widths.iter().map(|w| "-".repeat(w + 2)).collect();
        format!("+{}+\n", parts.join("+"))
    }

    fn line(&self, cells: &[String]) -> String {
        let parts: Vec<String> = cells
            .iter()
            .zip(&self.widths)
            .map(|(cell, w)| format!(" {cell}{} ", " ".repeat(w.saturating_sub(cell.chars().count()))))
            .collect();
        format!("|{}|\n", parts.join("|"))
    }
}

fn encoder(name: &str, spec: EncoderSpec) -> Result<Box<dyn Encoder>, Fault> {
    let format = millstream_formats::formats().iter().find(|f| f.card().name == name);
    format.ok_or_else(|| Fault::internal(format!("no format '{name}'")))?.encoder(spec)
}

/// Every column as CAST AS STRING gives it.
fn texts(schema: &SchemaRef, context: &EvalContext) -> Result<Program, Fault> {
    let bind =
        BindContext { zone: Arc::clone(&context.zone), batch: context.batch, ..BindContext::default() };
    let exprs = schema
        .fields
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let column = Expr::column(i, f.data_type.clone());
            match f.data_type.kind {
                TypeKind::VarChar(_) => Ok(column),
                _ => explicit_cast(column, &DataType::string(), CastMode::Cast, &bind),
            }
        })
        .collect::<Result<Vec<_>, _>>()?;
    Program::compile(&exprs)
}

fn csv_header(schema: &SchemaRef) -> String {
    let names: Vec<String> = schema.fields.iter().map(|f| csv_name(&f.name)).collect();
    format!("{}\n", names.join(","))
}

fn csv_name(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_string()
    }
}
