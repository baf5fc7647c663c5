//! Operators as text, in the manner of Flink's plans.

use std::borrow::Cow;

use millstream_expr::Expr;

use super::expression::{Printer, shortened};
use crate::{
    AggregateCall, ColumnSource, JobPlan, JoinKind, Node, Op, ProjectItem, ScanOp, SinkTarget, SortKey,
    TopNOp, WindowKind,
};

/// An operator on one line, as in a plan for a person.
pub(crate) fn operator_text(plan: &JobPlan, node: &Node) -> String {
    let (name, parts) = describe(plan, node, false);
    if parts.is_empty() {
        return name;
    }
    let parts: Vec<String> = parts
        .into_iter()
        .map(|(k, v)| if k.is_empty() { shortened(v) } else { format!("{k}=[{}]", shortened(v)) })
        .collect();
    format!("{name}({})", parts.join(", "))
}

/// Adds what an operator means by itself: its text without layout, in full. What rules are made of is written as it comes.
pub(crate) fn push_meaning(plan: &JobPlan, node: &Node, out: &mut String) {
    let first_name = |c: usize| input_name(plan, node, 0, c);
    let printer = Printer { name: &first_name };
    match &node.op {
        // A scan is its source, whatever the table is called.
        Op::Scan(scan) => {
            out.push_str("Scan(connector=");
            out.push_str(&scan.table.connector);
            out.push_str(";options=");
            push_source_options(scan, out);
            out.push_str(";format=");
            out.push_str(scan.table.format.as_deref().unwrap_or_default());
            out.push(')');
        }
        Op::Filter(condition) => {
            out.push_str("Filter(where=");
            printer.push(condition, out);
            out.push(')');
        }
        Op::Project(items) => {
            out.push_str("Project(select=");
            push_items(items, &printer, out);
            out.push(')');
        }
        _ => {
            let (name, parts) = describe(plan, node, true);
            out.push_str(&name);
            out.push('(');
            for (i, (key, value)) in parts.iter().enumerate() {
                if i > 0 {
                    out.push(';');
                }
                out.push_str(key);
                out.push('=');
                out.push_str(value);
            }
            out.push(')');
        }
    }
}

/// Adds what decides which rows a stateless operator gives, and with which values: what its users must know of it when the text was edited.
pub(crate) fn push_condition(plan: &JobPlan, node: &Node, out: &mut String) {
    match &node.op {
        Op::Scan(scan) => {
            let name = |c: usize| source_name(plan, scan, c);
            if let Some(filter) = &scan.filter {
                Printer { name: &name }.push(filter, out);
            }
        }
        // Columns that only pass through change nothing for who does not read them.
        Op::Project(items) => {
            let below = node.inputs.first().and_then(|i| plan.nodes.get(i.0));
            let name = |c: usize| {
                below.and_then(|n| n.schema.field(c)).map_or(Cow::Borrowed(""), |f| Cow::Borrowed(&*f.name))
            };
            let printer = Printer { name: &name };
            let computed =
                items.iter().filter(|i| !matches!(i.expr.kind, millstream_expr::ExprKind::Column(_)));
            for (i, item) in computed.enumerate() {
                if i > 0 {
                    out.push(',');
                }
                printer.push(&item.expr, out);
            }
        }
        _ => {}
    }
}

/// Adds the options of a scan's table that are about reading it.
fn push_source_options(scan: &ScanOp, out: &mut String) {
    for (i, (key, value)) in scan.table.options.iter().filter(|(k, _)| !k.starts_with("sink.")).enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(key);
        out.push('=');
        out.push_str(value);
    }
}

/// Adds the columns of a projection, with their names where those are others than their texts.
fn push_items(items: &[ProjectItem], printer: &Printer<'_>, out: &mut String) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let start = out.len();
        printer.push(&item.expr, out);
        if out.get(start..) != Some(&*item.name) {
            out.push_str(" AS ");
            out.push_str(&item.name);
        }
    }
}

/// The name of a column of an input.
fn input_name<'p>(plan: &'p JobPlan, node: &Node, slot: usize, column: usize) -> Cow<'p, str> {
    let below = node.inputs.get(slot).and_then(|i| plan.nodes.get(i.0));
    match below.and_then(|n| n.schema.field(column)) {
        Some(field) => Cow::Borrowed(&*field.name),
        None => Cow::Owned(format!("${column}")),
    }
}

/// The name of a column of a scan's input.
fn source_name<'p>(plan: &'p JobPlan, scan: &ScanOp, column: usize) -> Cow<'p, str> {
    let group = plan.scan_groups.get(scan.group);
    let source = scan.columns.get(column).and_then(|c| group.and_then(|g| g.columns.get(*c)));
    match source {
        Some(ColumnSource::Physical(p)) => group
            .and_then(|g| g.table.schema.field(*p))
            .map_or_else(|| Cow::Owned(format!("${p}")), |f| Cow::Borrowed(&*f.name)),
        Some(ColumnSource::Metadata { key, .. }) => Cow::Owned(format!("metadata '{key}'")),
        None => Cow::Owned(format!("${column}")),
    }
}

/// Name and parts of an operator. `meaning`: leave out what is layout rather than meaning; scans, of which that is most, are told by
/// [`push_meaning`] then.
pub(super) fn describe(plan: &JobPlan, node: &Node, meaning: bool) -> (String, Vec<(&'static str, String)>) {
    let input_name = |slot: usize, column: usize| input_name(plan, node, slot, column);
    let width = node.inputs.first().and_then(|i| plan.nodes.get(i.0)).map_or(0, |n| n.schema.len());
    let first_name = |c: usize| input_name(0, c);
    let printer = Printer { name: &first_name };
    let names = || node.schema.fields.iter().map(|f| f.name.to_string()).collect::<Vec<_>>().join(", ");
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    let name = match &node.op {
        Op::Scan(scan) => {
            let source = |c: usize| source_name(plan, scan, c);
            let sources = Printer { name: &source };
            parts.push(("table", scan.table.name.clone()));
            if let Some(f) = &scan.filter {
                parts.push(("filter", sources.text(f)));
            }
            if let Some(s) = &scan.screen {
                parts.push(("screen", sources.text(s)));
            }
            let mut fields = String::new();
            push_items(&scan.output, &sources, &mut fields);
            parts.push(("fields", fields));
            if let Some(w) = &scan.watermark {
                parts.push(("watermark", format!("{} AS {}", w.column, sources.text(&w.watermark))));
            }
            if !scan.hints.is_empty() {
                let hints: Vec<String> = scan.hints.iter().map(|(k, _)| k.clone()).collect();
                parts.push(("hints", hints.join(", ")));
            }
            "Scan".to_string()
        }
        Op::Filter(e) => {
            parts.push(("where", printer.text(e)));
            "Filter".to_string()
        }
        Op::Project(items) => {
            let mut select = String::new();
            push_items(items, &printer, &mut select);
            parts.push(("select", select));
            "Project".to_string()
        }
        Op::Union => {
            parts.push(("columns", names()));
            "Union".to_string()
        }
        Op::Values(rows) => {
            parts.push(("rows", rows.len().to_string()));
            if !node.schema.is_empty() {
                parts.push(("columns", names()));
            }
            "Values".to_string()
        }
        Op::Unnest(u) => {
            parts.push(("collection", printer.text(&u.collection)));
            parts.push(("columns", added(node, width)));
            if u.left {
                parts.push(("join", "LEFT".to_string()));
            }
            "Unnest".to_string()
        }
        Op::TableFunction(t) => {
            let args: Vec<String> = t.args.iter().map(|a| printer.text(a)).collect();
            parts.push(("call", format!("{}({})", t.function, args.join(", "))));
            parts.push(("columns", added(node, width)));
            if t.left {
                parts.push(("join", "LEFT".to_string()));
            }
            "TableFunction".to_string()
        }
        Op::Window(w) => {
            parts.push(("window", window(&w.kind, &first_name(w.time), &first_name)));
            "Window".to_string()
        }
        Op::Aggregate(a) => {
            let keys: Vec<String> = a.keys.iter().map(|k| printer.text(k)).collect();
            if !keys.is_empty() {
                parts.push(("groupBy", keys.join(", ")));
            }
            if a.grouping_sets.len() > 1 {
                let sets: Vec<String> = a
                    .grouping_sets
                    .iter()
                    .map(|s| {
                        let names: Vec<&str> =
                            s.iter().filter_map(|k| keys.get(*k)).map(String::as_str).collect();
                        format!("({})", names.join(", "))
                    })
                    .collect();
                parts.push(("groupingSets", sets.join(", ")));
            }
            if let Some(w) = &a.group_window {
                parts.push(("window", window(&w.kind, &first_name(w.time), &first_name)));
            }
            if !a.window_properties.is_empty() {
                parts.push(("properties", a.window_properties.join(", ")));
            }
            if !a.calls.is_empty() {
                parts.push(("select", calls(&a.calls, &printer)));
            }
            match (&a.group_window, a.window_keys) {
                (Some(_), _) => "GroupWindowAggregate",
                (None, Some(_)) => "WindowAggregate",
                (None, None) => "GroupAggregate",
            }
            .to_string()
        }
        Op::Join(j) => {
            let second_name = |c: usize| input_name(1, c);
            let both = |c: usize| if c < width { input_name(0, c) } else { input_name(1, c - width) };
            let (right, all) = (Printer { name: &second_name }, Printer { name: &both });
            parts.push(("type", kind(j.kind).to_string()));
            let mut conditions: Vec<String> = j
                .equal
                .iter()
                .enumerate()
                .map(|(i, (l, r))| {
                    let op = if j.null_safe.contains(&i) { "IS NOT DISTINCT FROM" } else { "=" };
                    format!("{} {op} {}", printer.text(l), right.text(r))
                })
                .collect();
            conditions.extend(j.condition.iter().map(|c| all.text(c)));
            parts.push((
                "where",
                if conditions.is_empty() { "TRUE".to_string() } else { conditions.join(" AND ") },
            ));
            if let Some((low, high, l, r)) = j.interval {
                parts.push((
                    "interval",
                    format!("{} - {} in {low} ms to {high} ms", input_name(0, l), input_name(1, r)),
                ));
            }
            if let Some(t) = j.time {
                parts.push(("time", input_name(0, t).into_owned()));
            }
            for (hint, args) in &j.hints {
                let args: Vec<String> = args
                    .iter()
                    .map(|(k, v)| if v.is_empty() { k.clone() } else { format!("{k}={v}") })
                    .collect();
                parts.push(("hint", format!("{hint}({})", args.join(", "))));
            }
            match (j.interval.is_some(), j.window, j.kind) {
                (true, ..) => "IntervalJoin",
                (_, true, _) => "WindowJoin",
                (_, _, JoinKind::TemporalInner | JoinKind::TemporalLeft) => "TemporalJoin",
                (_, _, JoinKind::LookupInner | JoinKind::LookupLeft) => "LookupJoin",
                _ => "Join",
            }
            .to_string()
        }
        Op::Over(o) => {
            push_partition(&mut parts, &o.partition_by, &o.order_by, &printer);
            let bound = |b: Option<i64>, what: &str| match b {
                None => format!("UNBOUNDED {what}"),
                Some(0) => "CURRENT ROW".to_string(),
                Some(n) => format!("{n} {what}"),
            };
            let frame = if o.rows { "ROWS" } else { "RANGE" };
            parts.push((
                "window",
                format!(
                    "{frame} BETWEEN {} AND {}",
                    bound(o.preceding, "PRECEDING"),
                    bound(o.following, "FOLLOWING")
                ),
            ));
            parts.push(("select", calls(&o.calls, &printer)));
            "OverAggregate".to_string()
        }
        Op::TopN(t) => {
            push_partition(&mut parts, &t.partition_by, &t.order_by, &printer);
            parts.push(("rank", ranks(t)));
            if t.with_rank && !meaning {
                parts.push(("rankColumn", added(node, width)));
            }
            if is_deduplication(t) { "Deduplicate" } else { "TopN" }.to_string()
        }
        Op::Sort(keys) => {
            parts.push(("orderBy", order(keys, &printer)));
            "Sort".to_string()
        }
        Op::Limit { offset, fetch } => {
            if *offset > 0 {
                parts.push(("offset", offset.to_string()));
            }
            if let Some(f) = fetch {
                parts.push(("fetch", f.to_string()));
            }
            "Limit".to_string()
        }
        Op::Match(m) => {
            push_partition(&mut parts, &m.partition_by, &m.order_by, &printer);
            parts.push(("pattern", m.pattern.clone()));
            parts.push(("columns", names()));
            "Match".to_string()
        }
        Op::SetOperation { except, all } => {
            parts.push(("columns", names()));
            format!("{}{}", if *except { "Except" } else { "Intersect" }, if *all { "All" } else { "" })
        }
        Op::Sink(s) => {
            match &s.target {
                SinkTarget::Collect => parts.push(("table", "result".to_string())),
                SinkTarget::Table(_) => parts.push(("table", s.name.clone())),
            }
            parts.push(("fields", names()));
            if s.overwrite {
                parts.push(("overwrite", "true".to_string()));
            }
            if s.materialize {
                parts.push(("upsertMaterialize", "true".to_string()));
            }
            "Sink".to_string()
        }
    };
    (name, parts)
}

/// The columns that a node adds to its input's.
fn added(node: &Node, width: usize) -> String {
    node.schema.fields.iter().skip(width).map(|f| f.name.to_string()).collect::<Vec<_>>().join(", ")
}

fn kind(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner | JoinKind::TemporalInner | JoinKind::LookupInner => "INNER",
        JoinKind::Left | JoinKind::TemporalLeft | JoinKind::LookupLeft => "LEFT",
        JoinKind::Right => "RIGHT",
        JoinKind::Full => "FULL",
        JoinKind::Semi => "SEMI",
        JoinKind::Anti => "ANTI",
    }
}

fn window<'p>(kind: &WindowKind, time: &str, name: &dyn Fn(usize) -> Cow<'p, str>) -> String {
    let tail = |offset: i64| if offset == 0 { String::new() } else { format!(", offset {offset} ms") };
    match kind {
        WindowKind::Tumble { size, offset } => format!("TUMBLE({time}, size {size} ms{})", tail(*offset)),
        WindowKind::Hop { slide, size, offset } => {
            format!("HOP({time}, slide {slide} ms, size {size} ms{})", tail(*offset))
        }
        WindowKind::Cumulate { step, size, offset } => {
            format!("CUMULATE({time}, step {step} ms, size {size} ms{})", tail(*offset))
        }
        WindowKind::Session { gap, partition_keys } => {
            let keys: Vec<Cow<'_, str>> = partition_keys.iter().map(|k| name(*k)).collect();
            let by = if keys.is_empty() { String::new() } else { format!(", by {}", keys.join(", ")) };
            format!("SESSION({time}, gap {gap} ms{by})")
        }
    }
}

fn calls(calls: &[AggregateCall], printer: &Printer<'_>) -> String {
    let all: Vec<String> = calls
        .iter()
        .map(|c| {
            let mut text = c.function.to_string();
            text.push('(');
            if c.distinct {
                text.push_str("DISTINCT ");
            }
            if c.args.is_empty() && &*c.function == "COUNT" {
                text.push('*');
            }
            let args: Vec<String> = c.args.iter().map(|a| printer.text(a)).collect();
            text.push_str(&args.join(", "));
            if !c.order_by.is_empty() {
                text.push_str(&format!(" ORDER BY {}", order(&c.order_by, printer)));
            }
            for (clause, keyword) in &c.keywords {
                if let millstream_expr::Keyword::Word(w) = keyword {
                    text.push_str(&format!(", {clause}: {w}"));
                }
            }
            text.push(')');
            if let Some(f) = &c.filter {
                text.push_str(&format!(" FILTER (WHERE {})", printer.text(f)));
            }
            text
        })
        .collect();
    all.join(", ")
}

fn order(keys: &[SortKey], printer: &Printer<'_>) -> String {
    let all: Vec<String> = keys
        .iter()
        .map(|k| {
            let direction = if k.descending { "DESC" } else { "ASC" };
            // NULL is the lowest value unless the text says otherwise.
            let nulls = match (k.descending, k.nulls_first) {
                (false, false) => " NULLS LAST",
                (true, true) => " NULLS FIRST",
                _ => "",
            };
            format!("{} {direction}{nulls}", printer.text(&k.expr))
        })
        .collect();
    all.join(", ")
}

fn push_partition(
    parts: &mut Vec<(&'static str, String)>,
    partition_by: &[Expr],
    order_by: &[SortKey],
    printer: &Printer<'_>,
) {
    if !partition_by.is_empty() {
        let all: Vec<String> = partition_by.iter().map(|e| printer.text(e)).collect();
        parts.push(("partitionBy", all.join(", ")));
    }
    if !order_by.is_empty() {
        parts.push(("orderBy", order(order_by, printer)));
    }
}

fn ranks(t: &TopNOp) -> String {
    if t.from == t.to { t.from.to_string() } else { format!("{} to {}", t.from, t.to) }
}

/// One row a key, chosen by time.
fn is_deduplication(t: &TopNOp) -> bool {
    (t.from, t.to) == (1, 1)
        && !t.with_rank
        && matches!(t.order_by.as_slice(), [k] if k.expr.data_type.kind.time_attribute() != millstream_types::TimeAttribute::None)
}
