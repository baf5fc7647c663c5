//! SHOW CREATE: statements that make a table, view or catalog again. Secrets are not in them.

use std::fmt::Write as _;

use millstream_sql::ast::DistributionKind;
use millstream_types::{DataType, TypeKind};

use super::expression_text::with_quoted_columns;
use crate::catalog::{
    Cards, Catalog, CatalogTable, CatalogView, ColumnForm, SECRET, is_secret, is_secret_key, quote,
    quote_text,
};

/// `CREATE TABLE …`. Variables of options are printed as they were written; other values of secrets are masked.
pub(super) fn create_table(table: &CatalogTable, cards: &Cards) -> String {
    let definition = &table.definition;
    let mut parts: Vec<String> = Vec::new();
    for column in &definition.columns {
        let mut part = quote(&column.name);
        match &column.kind {
            ColumnForm::Physical(data_type) => {
                let _ = write!(part, " {}", type_text(data_type));
            }
            ColumnForm::Metadata { data_type, key, is_virtual } => {
                let _ = write!(part, " {} METADATA", type_text(data_type));
                if let Some(key) = key {
                    let _ = write!(part, " FROM {}", quote_text(key));
                }
                if *is_virtual {
                    part.push_str(" VIRTUAL");
                }
            }
            ColumnForm::Computed { text, .. } => {
                let _ = write!(part, " AS {}", with_quoted_columns(text, definition));
            }
        }
        if let Some(comment) = &column.comment {
            let _ = write!(part, " COMMENT {}", quote_text(comment));
        }
        parts.push(part);
    }
    if let Some(watermark) = &definition.watermark {
        parts.push(format!(
            "WATERMARK FOR {} AS {}",
            quote(&watermark.column),
            with_quoted_columns(&watermark.text, definition)
        ));
    }
    if let Some(key) = &definition.primary_key {
        let columns: Vec<String> = key.columns.iter().map(|c| quote(&c.0)).collect();
        parts.push(format!(
            "CONSTRAINT {} PRIMARY KEY ({}) NOT ENFORCED",
            quote(&key.label()),
            columns.join(", ")
        ));
    }
    let temporary = if table.temporary { "TEMPORARY " } else { "" };
    let mut out = format!("CREATE {temporary}TABLE {}", table.path.quoted());
    if !parts.is_empty() {
        let _ = write!(out, " (\n  {}\n)", parts.join(",\n  "));
    }
    out.push('\n');
    if let Some(comment) = &definition.comment {
        let _ = writeln!(out, "COMMENT {}", quote_text(comment));
    }
    if let Some(distribution) = &definition.distribution {
        out.push_str("DISTRIBUTED");
        if !distribution.columns.is_empty() {
            let kind = match distribution.kind {
                Some(DistributionKind::Hash) => " HASH",
                Some(DistributionKind::Range) => " RANGE",
                None => " ",
            };
            let columns: Vec<String> = distribution.columns.iter().map(|c| quote(&c.value)).collect();
            let _ = write!(out, " BY{kind}({})", columns.join(", "));
        }
        if let Some(buckets) = distribution.buckets {
            let _ = write!(out, " INTO {buckets} BUCKETS");
        }
        out.push('\n');
    }
    if !definition.partitioned_by.is_empty() {
        let columns: Vec<String> = definition.partitioned_by.iter().map(|c| quote(c)).collect();
        let _ = writeln!(out, "PARTITIONED BY ({})", columns.join(", "));
    }
    if !definition.options.is_empty() {
        let mut sorted: Vec<&(String, String)> = definition.options.iter().collect();
        sorted.sort();
        let options: Vec<String> = sorted
            .into_iter()
            .map(|(key, value)| {
                let secret = is_secret(key, &definition.options, cards) && !is_variable(value);
                let shown = if secret { SECRET } else { value };
                if definition.legacy_options && is_plain(key) {
                    format!("{key} = {}", quote_text(shown))
                } else {
                    format!("{} = {}", quote_text(key), quote_text(shown))
                }
            })
            .collect();
        let _ = write!(out, "WITH (\n  {}\n)\n", options.join(",\n  "));
    }
    out
}

/// A type in the long spelling that Flink prints here.
fn type_text(data_type: &DataType) -> String {
    use millstream_types::MAX_LENGTH;
    let mut out = match &data_type.kind {
        TypeKind::VarChar(MAX_LENGTH) => format!("VARCHAR({MAX_LENGTH})"),
        TypeKind::VarBinary(MAX_LENGTH) => format!("VARBINARY({MAX_LENGTH})"),
        TypeKind::TimestampLtz(p, _) => format!("TIMESTAMP({p}) WITH LOCAL TIME ZONE"),
        TypeKind::Array(e) => format!("ARRAY<{}>", type_text(e)),
        TypeKind::Multiset(e) => format!("MULTISET<{}>", type_text(e)),
        TypeKind::Map(k, v) => format!("MAP<{}, {}>", type_text(k), type_text(v)),
        TypeKind::Row(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|f| {
                    let comment =
                        f.comment.as_ref().map(|c| format!(" {}", quote_text(c))).unwrap_or_default();
                    format!("{} {}{comment}", quote(&f.name), type_text(&f.data_type))
                })
                .collect();
            format!("ROW<{}>", fields.join(", "))
        }
        other => other.to_string(),
    };
    if !data_type.nullable {
        out.push_str(" NOT NULL");
    }
    out
}

/// `${NAME}` and nothing else: not a secret itself.
fn is_variable(value: &str) -> bool {
    value.strip_prefix("${").and_then(|v| v.strip_suffix('}')).is_some_and(|v| !v.contains('}'))
}

fn is_plain(key: &str) -> bool {
    key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !key.starts_with(|c: char| c.is_ascii_digit())
}

/// `CREATE VIEW …`.
pub(super) fn create_view(view: &CatalogView) -> String {
    let temporary = if view.temporary { "TEMPORARY " } else { "" };
    let columns: Vec<String> = view.columns.iter().map(|c| format!("  {}", quote(&c.name))).collect();
    let mut out = format!("CREATE {temporary}VIEW {} (\n{}\n)\n", view.path.quoted(), columns.join(",\n"));
    if let Some(comment) = &view.comment {
        let _ = writeln!(out, "COMMENT {}", quote_text(comment));
    }
    let _ = writeln!(out, "AS {}", view.text);
    out
}

/// `CREATE CATALOG …`.
pub(super) fn create_catalog(name: &str, catalog: &Catalog) -> String {
    let mut out = format!("CREATE CATALOG {}", quote(name));
    if let Some(comment) = &catalog.comment {
        let _ = write!(out, "\nCOMMENT {}", quote_text(comment));
    }
    let options: Vec<String> = catalog
        .options
        .iter()
        .map(|(key, value)| {
            let shown = if is_secret_key(key) && !is_variable(value) { SECRET } else { value };
            format!("{} = {}", quote_text(key), quote_text(shown))
        })
        .collect();
    let _ = write!(out, "\nWITH (\n  {}\n)\n", options.join(",\n  "));
    out
}
