//! The manual's page of functions, from their definitions.

mod headings;
mod migrating;
mod replaced;

pub use migrating::migrating_markdown;
pub use replaced::{REPLACED, replaced};

use std::fmt::Write;

use headings::heading;

use crate::functions::table::TableFunction;
use crate::functions::{AggregateFunction, AggregateKind, aggregate, scalar, table};
use crate::{Function, Origin};

/// The page in Markdown: a chapter a family, with signatures, meaning and examples.
pub fn functions_markdown() -> String {
    let mut out = String::from(
        "# Functions\n\nThis page is generated from the definitions of the functions; a test compares it. Where nothing else is \
         said, a function is Flink SQL's, and its result is NULL if an argument is NULL.\n",
    );
    for family in scalar::FAMILIES {
        let _ = write!(out, "\n## {}\n", heading(family.title));
        for function in family.lists.iter().flat_map(|f| f.iter()) {
            push_scalar(&mut out, function);
        }
    }
    for (title, kind) in [
        ("Aggregate functions", AggregateKind::Group),
        ("Grouping functions", AggregateKind::Grouping),
        ("Window functions", AggregateKind::Window),
    ] {
        let _ = write!(out, "\n## {}\n", heading(title));
        for function in aggregate::all().filter(|f| f.kind == kind) {
            push_aggregate(&mut out, function);
        }
    }
    let _ = write!(out, "\n## {}\n", heading("Table functions"));
    for function in table::all() {
        push_table(&mut out, function);
    }
    out
}

/// The section of one function, by name or alias, or the SQL that replaces a function of RocketMQ Streams; `None`: there is no such function.
pub fn function_markdown(name: &str) -> Option<String> {
    let mut out = String::new();
    let named = |n: &str, aliases: &[&str]| {
        n.eq_ignore_ascii_case(name) || aliases.iter().any(|a| a.eq_ignore_ascii_case(name))
    };
    if let Some(f) = scalar::all().find(|f| named(f.name, f.aliases)) {
        push_scalar(&mut out, f);
    }
    if let Some(f) = aggregate::all().find(|f| named(f.name, f.aliases)) {
        push_aggregate(&mut out, f);
    }
    if let Some(f) = table::all().find(|f| named(f.name, f.aliases)) {
        push_table(&mut out, f);
    }
    if let Some(sql) = replaced(name).filter(|_| out.is_empty()) {
        let _ = write!(
            out,
            "\n### {name}\n\nA function of Apache RocketMQ Streams that SQL does not need. Write instead:\n\n```\n{sql}\n```\n"
        );
    }
    (!out.is_empty()).then_some(out)
}

fn push_table(out: &mut String, f: &TableFunction) {
    push_head(out, f.name, f.aliases, f.signature, f.doc, f.origin);
    out.push_str("\n| call | rows |\n|---|---|\n");
    for e in f.examples {
        let _ = writeln!(out, "| {} | {} |", cell(e.expr), cell(e.result));
    }
}

fn push_head(out: &mut String, name: &str, aliases: &[&str], signature: &str, doc: &str, origin: Origin) {
    let _ = write!(out, "\n### {name}\n\n");
    if !aliases.is_empty() {
        let names: Vec<String> = aliases.iter().map(|a| format!("`{a}`")).collect();
        let _ = write!(out, "Also called {}.\n\n", names.join(", "));
    }
    let _ = write!(out, "```\n{signature}\n```\n\n{doc}");
    match origin {
        Origin::Flink => {}
        Origin::Ancestor => out.push_str(" From Apache RocketMQ Streams; Flink has no such function."),
        Origin::Millstream => out.push_str(" Millstream's own; Flink has no such function."),
    }
    out.push('\n');
}

fn push_scalar(out: &mut String, f: &Function) {
    push_head(out, f.name, f.aliases, f.signature, f.doc, f.origin);
    if f.examples.is_empty() {
        return;
    }
    out.push_str("\n| expression | result |\n|---|---|\n");
    for e in f.examples {
        let _ = writeln!(out, "| {} | {} |", cell(e.expr), cell(e.result));
    }
}

/// Text in a table, as code: pipes and line breaks would end the cell.
fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', " ");
    let fence = if text.contains('`') { "``" } else { "`" };
    if text.is_empty() { "(empty)".into() } else { format!("{fence}{text}{fence}") }
}

fn push_aggregate(out: &mut String, f: &AggregateFunction) {
    push_head(out, f.name, f.aliases, f.signature, f.doc, f.origin);
    if !f.distinct && f.kind == AggregateKind::Group {
        out.push_str("\nDISTINCT is not allowed.\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What means something only in the definition of a table.
    const WITHOUT_EXAMPLE: &[&str] = &["SOURCE_WATERMARK"];

    #[test]
    fn every_function_is_on_the_page() {
        let page = functions_markdown();
        for f in scalar::all() {
            assert!(page.contains(&format!("### {}\n", f.name)), "{}", f.name);
            assert!(!f.doc.is_empty() && f.doc.ends_with('.'), "{}: the doc is sentences", f.name);
            assert!(!f.examples.is_empty() || WITHOUT_EXAMPLE.contains(&f.name), "{} has no example", f.name);
            assert!(!f.signature.is_empty(), "{} has no signature", f.name);
        }
        for f in aggregate::all() {
            assert!(page.contains(&format!("### {}\n", f.name)), "{}", f.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for f in scalar::all() {
            for name in std::iter::once(&f.name).chain(f.aliases) {
                assert!(seen.insert(name.to_uppercase()), "{name} is defined twice");
            }
        }
    }
}
