//! Pages of the manual that come from where things are defined. A test compares them with `docs/`.

use std::fmt::Write;

use millstream_flow::{ChangelogMode, MetadataColumn, OptionCard, OptionKind, SCAN_OPTIONS};
use millstream_plan::session::SESSION_OPTIONS;

pub use millstream_expr::docs::{function_markdown, functions_markdown};

/// The page of connectors and formats.
pub fn connectors_markdown() -> String {
    let mut out = String::from(
        "# Connectors and formats\n\nThis page is generated from the cards of the connectors and formats; a test compares it. \
         A table names its connector with `'connector' = '…'` and, where the connector reads or writes bytes, its format with `'format' = '…'`; \
         options of a format begin with its name and a dot.\n\n# Connectors\n",
    );
    for connector in millstream_connectors::connectors() {
        let card = connector.card();
        let _ = write!(out, "\n## {}\n\n{}\n", card.name, card.doc);
        if !card.aliases.is_empty() {
            let _ = write!(out, "\nAlso called {}.\n", names(card.aliases));
        }
        let uses = match (card.source.is_some(), card.sink.is_some()) {
            (true, true) => "Can be read and written.",
            (true, false) => "Can be read.",
            (false, _) => "Can be written.",
        };
        let _ = write!(out, "\n{uses}");
        if let Some(sink) = card.sink {
            let _ = write!(out, " As a sink it takes {}.", changes(sink.changes));
        }
        out.push('\n');
        options(&mut out, card.options, "");
        metadata(&mut out, card.metadata);
    }
    out.push_str("\n# Options of every table that is read as raw records\n");
    options(&mut out, SCAN_OPTIONS, "");
    out.push_str("\n# Formats\n");
    for format in millstream_formats::formats() {
        let card = format.card();
        let _ = write!(out, "\n## {}\n\n{}\n", card.name, card.doc);
        options(&mut out, card.options, &format!("{}.", card.name));
        metadata(&mut out, card.metadata);
    }
    out
}

/// The page of session options.
pub fn options_markdown() -> String {
    let mut out = String::from(
        "# Session options\n\nThis page is generated from the options' definitions; a test compares it. They are set with `SET 'key' = 'value'` or \
         `millstream run -D key=value`; unknown keys are kept, with a warning.\n",
    );
    options(&mut out, SESSION_OPTIONS, "");
    out
}

fn options(out: &mut String, cards: &[OptionCard], prefix: &str) {
    if cards.is_empty() {
        return;
    }
    out.push_str("\n| option | value | default | meaning |\n|---|---|---|---|\n");
    for card in cards {
        let mut meaning = card.doc.replace('|', "\\|");
        if card.required {
            meaning.push_str(" **Required.**");
        }
        if card.secret {
            meaning.push_str(" A secret: never printed.");
        }
        if !card.aliases.is_empty() {
            let _ = write!(meaning, " Also: {}.", names(card.aliases));
        }
        let default = card.default.map_or_else(String::new, |d| format!("`{d}`"));
        let _ = writeln!(out, "| `{prefix}{}` | {} | {default} | {meaning} |", card.key, kind(card.kind));
    }
}

fn metadata(out: &mut String, columns: &[MetadataColumn]) {
    if columns.is_empty() {
        return;
    }
    out.push_str("\n| metadata | type | meaning |\n|---|---|---|\n");
    for column in columns {
        let _ =
            writeln!(out, "| `{}` | {} | {} |", column.key, column.data_type, column.doc.replace('|', "\\|"));
    }
}

fn names(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

fn kind(kind: OptionKind) -> String {
    match kind {
        OptionKind::Text => "text".into(),
        OptionKind::Boolean => "true, false".into(),
        OptionKind::Integer => "whole number".into(),
        OptionKind::Number => "number".into(),
        OptionKind::Duration => "duration".into(),
        OptionKind::MemorySize => "size".into(),
        OptionKind::OneOf(words) => {
            words.iter().filter(|w| !w.is_empty()).map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
        }
    }
}

fn changes(mode: ChangelogMode) -> &'static str {
    match mode {
        ChangelogMode::Append => "inserts only",
        ChangelogMode::Upsert => "inserts, updates and deletions by key",
        ChangelogMode::Retract => "every change",
    }
}
