//! The plan as JSON: nodes in order, with their inputs by number.

use super::operator::describe;
use super::tree::changes_text;
use crate::{JobPlan, Op};

/// The plan as a JSON object: `nodes` (`id`, `operator`, `inputs`, its parts, `columns`, `changes`, `upsertKeys`, `identity`),
/// `sources` (what is read once), `sinks`, and `parallelism` above 1.
pub fn explain_json(plan: &JobPlan) -> String {
    let mut out = String::from("{\"nodes\":[");
    for (i, node) in plan.nodes.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let (name, parts) = describe(plan, node, false);
        let inputs: Vec<String> = node.inputs.iter().map(|n| n.0.to_string()).collect();
        out.push_str(&format!(
            "\n{{\"id\":{i},\"operator\":{},\"inputs\":[{}]",
            quoted(&name),
            inputs.join(",")
        ));
        out.push_str(",\"parts\":{");
        for (p, (key, value)) in parts.iter().enumerate() {
            if p > 0 {
                out.push(',');
            }
            out.push_str(&format!("{}:{}", quoted(key), quoted(value)));
        }
        out.push_str("},\"columns\":[");
        for (c, field) in node.schema.fields.iter().enumerate() {
            if c > 0 {
                out.push(',');
            }
            out.push_str(&format!(
                "{{\"name\":{},\"type\":{}}}",
                quoted(&field.name),
                quoted(&field.data_type.with_attribute())
            ));
        }
        out.push(']');
        if !matches!(node.op, Op::Sink(_)) {
            out.push_str(&format!(",\"changes\":{}", quoted(changes_text(node.changes))));
        }
        let keys: Vec<String> = node
            .upsert_keys
            .iter()
            .map(|k| {
                let names: Vec<String> =
                    k.iter().filter_map(|c| node.schema.field(*c)).map(|f| quoted(&f.name)).collect();
                format!("[{}]", names.join(","))
            })
            .collect();
        out.push_str(&format!(",\"upsertKeys\":[{}]", keys.join(",")));
        if let Op::Scan(scan) = &node.op {
            out.push_str(&format!(",\"source\":{}", scan.group));
        }
        out.push_str(&format!(",\"identity\":\"{:016x}\"}}", node.id.0));
    }
    out.push_str("\n],\"sources\":[");
    for (i, group) in plan.scan_groups.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let scans: Vec<String> = group.scans.iter().map(|s| s.0.to_string()).collect();
        let read: Vec<String> = group
            .columns
            .iter()
            .map(|c| match c {
                crate::ColumnSource::Physical(p) => quoted(
                    &group.table.schema.field(*p).map_or_else(|| p.to_string(), |f| f.name.to_string()),
                ),
                crate::ColumnSource::Metadata { key, .. } => quoted(&format!("metadata '{key}'")),
            })
            .collect();
        out.push_str(&format!(
            "\n{{\"table\":{},\"connector\":{},\"columns\":[{}],\"scans\":[{}]}}",
            quoted(&group.table.name),
            quoted(&group.table.connector),
            read.join(","),
            scans.join(",")
        ));
    }
    let sinks: Vec<String> = plan.sinks.iter().map(|s| s.0.to_string()).collect();
    out.push_str(&format!("\n],\"sinks\":[{}]", sinks.join(",")));
    if plan.settings.parallelism > 1 {
        out.push_str(&format!(",\"parallelism\":{}", plan.settings.parallelism));
    }
    out.push('}');
    out
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
