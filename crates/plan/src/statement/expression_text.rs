//! Expressions of declarations as Flink shows them: as they were written, with the columns' names in backticks.

use crate::catalog::{TableDefinition, quote};

/// The text of an expression with its column names quoted. What is quoted already, in a string, or a function stays as it is.
pub(super) fn with_quoted_columns(text: &str, definition: &TableDefinition) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '\'' | '`' => rest.get(1..).and_then(|r| r.find(c)).map_or(rest.len(), |at| at + 2),
            c if is_word(c) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(end.min(rest.len()));
        let is_name = is_word(c) && !c.is_ascii_digit();
        let is_call = after.trim_start().starts_with('(');
        let is_field = out.ends_with('.')
            && out.len() > 1
            && !out.trim_end_matches('.').ends_with(|c: char| c.is_ascii_digit());
        if is_name && !is_call && (is_field || definition.index_of(piece).is_some()) {
            out.push_str(&quote(piece));
        } else {
            out.push_str(piece);
        }
        rest = after;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ColumnDefinition, ColumnForm};

    #[test]
    fn only_columns_are_quoted() {
        let column = |name: &str| ColumnDefinition {
            name: name.to_string(),
            kind: ColumnForm::Physical(millstream_types::DataType::int()),
            comment: None,
            span: millstream_types::Span::default(),
            inherited: false,
        };
        let table = TableDefinition {
            columns: vec![column("id"), column("r"), column("ts")],
            ..TableDefinition::default()
        };
        let shown = |text: &str| with_quoted_columns(text, &table);
        assert_eq!(shown("id * 2"), "`id` * 2");
        assert_eq!(shown("ts - INTERVAL '5' SECOND"), "`ts` - INTERVAL '5' SECOND");
        assert_eq!(shown("UPPER(r.name) || 'id' || `id`"), "UPPER(`r`.`name`) || 'id' || `id`");
        assert_eq!(shown("id(1.5)"), "id(1.5)");
        assert_eq!(shown("'it''s id'"), "'it''s id'");
        assert_eq!(shown("'open id"), "'open id");
    }
}
