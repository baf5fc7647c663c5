//! DESCRIBE.

use millstream_sql::ast::{Describe, ObjectName, ShowLike};
use millstream_types::{DataType, Fault, Field, Schema, TimeAttribute, Value};

use super::expression_text::with_quoted_columns;
use super::show::{matches_like, no_description};
use super::{Planned, SessionState, StatementRows};
use crate::catalog::{
    CatalogTable, CatalogView, ColumnForm, SECRET, Stored, failed, is_secret_key, quote_text,
};

impl SessionState {
    pub(super) fn describe(&mut self, describe: &Describe) -> Result<Planned, Fault> {
        match describe {
            Describe::Table { name, .. } => self.describe_columns(name, None),
            Describe::Catalog { extended, name } => {
                let Some(catalog) = self.catalogs.catalog(&name.value) else {
                    return Err(self.unknown_catalog(&name.value).at(name.span));
                };
                let Some(kind) = catalog.options.get("type") else {
                    return Err(no_description(&name.value).at(name.span));
                };
                let text = |t: &str| Value::String(t.into());
                let comment = catalog.comment.as_deref().map_or(Value::Null, text);
                let mut rows = vec![
                    vec![text("name"), text(&name.value)],
                    vec![text("type"), text(kind)],
                    vec![text("comment"), comment],
                ];
                if *extended {
                    for (key, value) in catalog.options.iter().filter(|(k, _)| *k != "type") {
                        let shown = if is_secret_key(key) { SECRET } else { value };
                        rows.push(vec![text(&format!("option:{key}")), text(shown)]);
                    }
                }
                let schema = super::string_schema(&["info name", "info value"]);
                Ok(Planned::Rows(StatementRows { schema, rows }))
            }
            Describe::Database { name, .. } => {
                Err(Fault::user("unsupported-describe", "Flink does not describe databases")
                    .at(name.span)
                    .hint("SHOW DATABASES lists them, SHOW TABLES FROM lists what is in one"))
            }
            Describe::Function { name, .. } => self.describe_function(name),
            Describe::Model { name, .. } => Err(super::unknown_model(name)),
            Describe::Job(id) => {
                Err(Fault::user("unknown-job", format!("this session has no job '{}'", id.value))
                    .at(id.span)
                    .hint("a job is shown where it runs: in its progress line, or by the server"))
            }
        }
    }

    /// The columns of a table or view as Flink's client shows them.
    pub(super) fn describe_columns(
        &self,
        name: &ObjectName,
        like: Option<&ShowLike>,
    ) -> Result<Planned, Fault> {
        let path = self.namespace.complete(name);
        let context = self.settings.bind_context();
        let rows = match self.environment(&context).find(&path, name)? {
            Stored::Table(table) => table_rows(table),
            Stored::View(view) => view_rows(view),
            Stored::Failed => return Err(failed(&path).at(name.span)),
        };
        Ok(render(rows.into_iter().filter(|r| matches_like(&r.name, like)).collect()))
    }

    fn describe_function(&self, name: &ObjectName) -> Result<Planned, Fault> {
        let path = self.namespace.complete(name);
        let system = self.catalogs.system_function(name.last()).filter(|_| name.parts.len() == 1);
        let temporary = self.catalogs.temporary_function(&path).is_some();
        let user = system.or_else(|| self.catalogs.function(&path));
        let rows = if let Some(function) = user {
            vec![
                vec!["is system function".to_string(), system.is_some().to_string()],
                vec!["is temporary".to_string(), (temporary || system.is_some()).to_string()],
                vec!["class name".to_string(), function.class.clone()],
                vec!["function language".to_string(), function.language.name().to_string()],
            ]
        } else if let Some(function) = self.catalogs.registered().get(name.last()) {
            vec![
                vec!["is system function".to_string(), "true".to_string()],
                vec!["is temporary".to_string(), "true".to_string()],
                vec!["signature".to_string(), function.signature().to_string()],
                vec!["description".to_string(), function.description().to_string()],
            ]
        } else if let Some(function) = millstream_expr::functions::scalar_function(name.last()) {
            vec![
                vec!["is system function".to_string(), "true".to_string()],
                vec!["is temporary".to_string(), "false".to_string()],
                vec!["signature".to_string(), function.signature.to_string()],
                vec!["description".to_string(), function.doc.to_string()],
            ]
        } else {
            return Err(self.unknown_function(&path, name));
        };
        Ok(StatementRows::strings(&["info name", "info value"], rows))
    }
}

/// A line of DESCRIBE.
struct Line {
    name: String,
    data_type: DataType,
    key: Option<String>,
    extras: Option<String>,
    watermark: Option<String>,
    comment: Option<String>,
}

fn table_rows(table: &CatalogTable) -> Vec<Line> {
    let definition = &table.definition;
    let key = definition.primary_key.as_ref();
    definition
        .columns
        .iter()
        .zip(&table.columns.columns)
        .map(|(declared, column)| Line {
            name: declared.name.clone(),
            data_type: column.data_type.clone(),
            key: key.filter(|k| k.columns.iter().any(|c| c.0 == declared.name)).map(|k| {
                format!("PRI({})", k.columns.iter().map(|c| c.0.as_str()).collect::<Vec<_>>().join(", "))
            }),
            extras: match &declared.kind {
                ColumnForm::Physical(_) => None,
                ColumnForm::Computed { text, .. } => {
                    Some(format!("AS {}", with_quoted_columns(text, definition)))
                }
                ColumnForm::Metadata { key, is_virtual, .. } => {
                    let from = key.as_ref().map(|k| format!(" FROM {}", quote_text(k))).unwrap_or_default();
                    Some(format!("METADATA{from}{}", if *is_virtual { " VIRTUAL" } else { "" }))
                }
            },
            watermark: definition
                .watermark
                .as_ref()
                .filter(|w| w.column == declared.name)
                .map(|w| with_quoted_columns(&w.text, definition)),
            comment: declared.comment.clone(),
        })
        .collect()
}

fn view_rows(view: &CatalogView) -> Vec<Line> {
    let lines = view.columns.iter().zip(&view.column_comments);
    lines
        .map(|(column, comment)| Line {
            name: column.name.to_string(),
            data_type: column.data_type.clone(),
            key: None,
            extras: None,
            watermark: None,
            comment: comment.clone(),
        })
        .collect()
}

fn render(lines: Vec<Line>) -> Planned {
    let mut fields = vec![
        Field::new("name", DataType::string()),
        Field::new("type", DataType::string()),
        Field::new("null", DataType::boolean()),
        Field::new("key", DataType::string()),
        Field::new("extras", DataType::string()),
        Field::new("watermark", DataType::string()),
    ];
    // Flink shows the comments only if there are some.
    let comments = lines.iter().any(|l| l.comment.is_some());
    if comments {
        fields.push(Field::new("comment", DataType::string()));
    }
    let text = |t: Option<String>| t.map_or(Value::Null, |t| Value::String(t.into()));
    let rows = lines
        .into_iter()
        .map(|line| {
            let nullable = line.data_type.nullable;
            let shown = line.data_type.with_nullable(true);
            let shown = match shown.kind.time_attribute() {
                TimeAttribute::None => shown.to_string(),
                _ => shown.with_attribute(),
            };
            let mut row = vec![
                Value::String(line.name.into()),
                Value::String(shown.into()),
                Value::from(nullable),
                text(line.key),
                text(line.extras),
                text(line.watermark),
            ];
            if comments {
                row.push(text(line.comment));
            }
            row
        })
        .collect();
    Planned::Rows(StatementRows { schema: Schema::new(fields).into(), rows })
}
