//! GROUP BY: keys, grouping sets, group windows; what expressions are behind it.

use std::sync::Arc;

use millstream_expr::{Expr, ExprKind};
use millstream_sql::ast::{self, ArgValue, GroupItem};
use millstream_types::{Fault, Field, Schema, Span, TimeAttribute, TypeKind};

use super::call::interval_millis;
use super::expression::{Collected, ExprBinder};
use super::lineage::{WindowColumn, is_time_attribute, window_origin};
use super::scope::Scope;
use super::{AGGREGATE, Binder, OUTER, OVER, SUBQUERY, WINDOW_PROPERTY};
use crate::{AggregateOp, NodeId, Op, WindowKind, WindowOp};

/// Most grouping sets of one GROUP BY.
const MAX_SETS: usize = 4096;

/// `GROUP BY TUMBLE(time, …)`.
#[derive(Debug, Clone)]
pub(crate) struct GroupWindow {
    /// TUMBLE, HOP or SESSION.
    pub function: &'static str,
    /// The window.
    pub kind: WindowKind,
    /// The time attribute, over the input.
    pub time: Expr,
    /// Place of the call.
    pub span: Span,
}

/// A bound GROUP BY.
#[derive(Debug, Default)]
pub(crate) struct Grouping {
    /// The keys.
    pub keys: Vec<Expr>,
    /// Sets of positions in `keys`.
    pub sets: Vec<Vec<usize>>,
    /// The group window.
    pub window: Option<GroupWindow>,
}

/// The group window function and the property of an auxiliary function's name.
pub(crate) fn auxiliary(name: &str) -> Option<(&'static str, &'static str)> {
    const ALL: &[(&str, &str, &str)] = &[
        ("TUMBLE_START", "TUMBLE", "window_start"),
        ("TUMBLE_END", "TUMBLE", "window_end"),
        ("TUMBLE_ROWTIME", "TUMBLE", "rowtime"),
        ("TUMBLE_PROCTIME", "TUMBLE", "proctime"),
        ("HOP_START", "HOP", "window_start"),
        ("HOP_END", "HOP", "window_end"),
        ("HOP_ROWTIME", "HOP", "rowtime"),
        ("HOP_PROCTIME", "HOP", "proctime"),
        ("SESSION_START", "SESSION", "window_start"),
        ("SESSION_END", "SESSION", "window_end"),
        ("SESSION_ROWTIME", "SESSION", "rowtime"),
        ("SESSION_PROCTIME", "SESSION", "proctime"),
    ];
    ALL.iter().find(|a| a.0.eq_ignore_ascii_case(name)).map(|a| (a.1, a.2))
}

/// The group window function of a call.
fn window_function(call: &ast::FunctionCall) -> Option<&'static str> {
    let [only] = call.name.parts.as_slice() else { return None };
    ["TUMBLE", "HOP", "SESSION"].into_iter().find(|n| n.eq_ignore_ascii_case(&only.value))
}

impl Binder<'_> {
    /// Binds a GROUP BY over the input.
    pub(super) fn bind_group_by(
        &mut self,
        group_by: &ast::GroupBy,
        scope: &Scope,
        found: &mut Collected,
    ) -> Result<Grouping, Fault> {
        let mut grouping = Grouping::default();
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for item in &group_by.items {
            if let GroupItem::Expr(e) = item
                && let ast::ExprKind::Function(call) = &e.kind
                && call.over.is_none()
                && let Some(function) = window_function(call)
            {
                let window = self.bind_group_window(function, call, scope, found)?;
                if grouping.window.is_some() {
                    return Err(Fault::user("two-windows", "GROUP BY can have only one window").at(call.span));
                }
                grouping.window = Some(window);
                continue;
            }
            let choices = self.group_sets(item, scope, found, &mut grouping.keys)?;
            let mut next = Vec::new();
            for set in &sets {
                for choice in &choices {
                    let mut joined = set.clone();
                    joined.extend(choice.iter().filter(|k| !set.contains(k)));
                    joined.sort_unstable();
                    next.push(joined);
                }
            }
            if next.len() > MAX_SETS {
                return Err(Fault::user(
                    "grouping-sets",
                    format!("GROUP BY has more than {MAX_SETS} grouping sets"),
                )
                .at(group_by.span));
            }
            sets = next;
        }
        if group_by.distinct {
            let mut unique: Vec<Vec<usize>> = Vec::new();
            for set in sets {
                if !unique.contains(&set) {
                    unique.push(set);
                }
            }
            sets = unique;
        }
        grouping.sets = sets;
        Ok(grouping)
    }

    /// The sets that an element of GROUP BY stands for.
    fn group_sets(
        &mut self,
        item: &GroupItem,
        scope: &Scope,
        found: &mut Collected,
        keys: &mut Vec<Expr>,
    ) -> Result<Vec<Vec<usize>>, Fault> {
        Ok(match item {
            GroupItem::Expr(e) => vec![vec![self.group_key(e, scope, found, keys)?]],
            GroupItem::List(items, _) => {
                let set = items
                    .iter()
                    .map(|e| self.group_key(e, scope, found, keys))
                    .collect::<Result<Vec<_>, _>>()?;
                vec![set]
            }
            GroupItem::GroupingSets(items, _) => {
                let mut all = Vec::new();
                for i in items {
                    all.extend(self.group_sets(i, scope, found, keys)?);
                }
                all
            }
            GroupItem::Rollup(items, span) => {
                let parts = self.composite_keys(items, *span, scope, found, keys)?;
                (0..=parts.len()).rev().map(|n| parts.iter().take(n).flatten().copied().collect()).collect()
            }
            GroupItem::Cube(items, span) => {
                let parts = self.composite_keys(items, *span, scope, found, keys)?;
                let n = parts.len();
                if n > 12 {
                    return Err(Fault::user("grouping-sets", "CUBE has more than 12 elements").at(*span));
                }
                // The first element is the highest bit: (a, b), (a), (b), ().
                (0..1usize << n)
                    .rev()
                    .map(|mask| {
                        let chosen = parts.iter().enumerate().filter(|(i, _)| mask >> (n - 1 - i) & 1 == 1);
                        chosen.flat_map(|(_, p)| p.iter().copied()).collect()
                    })
                    .collect()
            }
        })
    }

    fn composite_keys(
        &mut self,
        items: &[GroupItem],
        span: Span,
        scope: &Scope,
        found: &mut Collected,
        keys: &mut Vec<Expr>,
    ) -> Result<Vec<Vec<usize>>, Fault> {
        let mut parts = Vec::new();
        for item in items {
            let mut sets = self.group_sets(item, scope, found, keys)?;
            match (sets.pop(), sets.is_empty()) {
                (Some(set), true) => parts.push(set),
                _ => return Err(Fault::not_yet("GROUPING SETS inside ROLLUP or CUBE").at(span)),
            }
        }
        Ok(parts)
    }

    fn group_key(
        &mut self,
        expr: &ast::Expr,
        scope: &Scope,
        found: &mut Collected,
        keys: &mut Vec<Expr>,
    ) -> Result<usize, Fault> {
        let clause = std::mem::replace(&mut found.clause, "GROUP BY");
        let bound = ExprBinder { binder: self, scope, found }.bind(expr);
        found.clause = clause;
        let bound = bound?;
        Ok(match keys.iter().position(|k| *k == bound) {
            Some(p) => p,
            None => {
                keys.push(bound);
                keys.len() - 1
            }
        })
    }

    /// `TUMBLE(time, size)` and its kin in GROUP BY, or the arguments of an auxiliary function.
    fn bind_group_window(
        &mut self,
        function: &'static str,
        call: &ast::FunctionCall,
        scope: &Scope,
        found: &mut Collected,
    ) -> Result<GroupWindow, Fault> {
        let mut args = Vec::new();
        for arg in &call.args {
            match &arg.value {
                ArgValue::Expr(e) => {
                    args.push((ExprBinder { binder: self, scope, found }.bind(e)?, arg.span))
                }
                _ => {
                    return Err(
                        Fault::user("window-argument", "this argument must be an expression").at(arg.span)
                    );
                }
            }
        }
        let wanted = if function == "HOP" { 3 } else { 2 };
        if args.len() == wanted + 1 {
            return Err(Fault::user(
                "window-alignment",
                format!("{function} window with alignment is not supported"),
            )
            .at(call.span)
            .hint(format!(
                "use the table function: {function}(TABLE t, DESCRIPTOR(ts), INTERVAL ..., INTERVAL 'offset' ...)"
            )));
        }
        let form = if function == "HOP" { "HOP(time, slide, size)" } else { "TUMBLE(time, size)" };
        if args.len() != wanted {
            return Err(Fault::user(
                "argument-count",
                format!("{function} in GROUP BY wants {wanted} arguments, {} are given", args.len()),
            )
            .at(call.span)
            .hint(format!("write {}", form.replace("TUMBLE", function))));
        }
        let mut rest = args.split_off(1);
        let Some((time, time_span)) = args.pop() else { return Err(Fault::internal("window without time")) };
        if !time.data_type.kind.is_timestamp() {
            return Err(Fault::user(
                "window-time",
                format!(
                    "{function} in GROUP BY needs a time attribute, this is of type {}",
                    time.data_type.kind
                ),
            )
            .at(time_span)
            .hint(
                "declare it in the table: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, or use PROCTIME()",
            ));
        }
        let mut next = |what: &str| -> Result<i64, Fault> {
            if rest.is_empty() {
                return Err(Fault::internal("window argument"));
            }
            let (expr, span) = rest.remove(0);
            let millis = interval_millis(&expr, what, span)?;
            if millis <= 0 {
                return Err(Fault::user("interval", format!("{what} must be positive")).at(span));
            }
            Ok(millis)
        };
        let kind = match function {
            "HOP" => {
                let slide = next("the slide of the window")?;
                let size = next("the size of the window")?;
                WindowKind::Hop { slide, size, offset: 0 }
            }
            "SESSION" => {
                WindowKind::Session { gap: next("the gap of the window")?, partition_keys: Vec::new() }
            }
            _ => WindowKind::Tumble { size: next("the size of the window")?, offset: 0 },
        };
        Ok(GroupWindow { function, kind, time, span: call.span })
    }

    /// Adds the aggregation; gives it and the keys with the types that they have behind it.
    pub(super) fn add_aggregate(
        &mut self,
        mut input: NodeId,
        grouping: &Grouping,
        found: &mut Collected,
        span: Span,
    ) -> Result<(NodeId, Vec<Expr>), Fault> {
        let streaming = self.streaming();
        let mut group_window = None;
        if let Some(window) = &grouping.window {
            let schema = self.schema(input);
            let position = match window.time.kind {
                ExprKind::Column(i) if i < schema.len() => i,
                _ => {
                    let mut items = pass_through(&schema);
                    items.push((Arc::from("window_time_attribute"), window.time.clone()));
                    input = self.project(input, items, window.span);
                    schema.len()
                }
            };
            if streaming && !is_time_attribute(&self.plan, input, position) {
                return Err(Fault::user(
                    "window-time",
                    format!(
                        "Window aggregate can only be defined over a time attribute column, but {} encountered",
                        window.time.data_type.kind
                    ),
                )
                .at(window.span)
                .hint("group by a column with a declared watermark, or by PROCTIME(), as it comes from the table"));
            }
            group_window = Some(WindowOp { kind: window.kind.clone(), time: position });
        }
        let window_keys = self.window_keys(input, grouping)?;
        let in_all = |k: usize| grouping.sets.iter().all(|s| s.contains(&k));
        let keys: Vec<Expr> = grouping.keys.clone();
        let input_schema = self.schema(input);
        let mut fields = Vec::new();
        let mut outputs = Vec::new();
        for (i, key) in keys.iter().enumerate() {
            let nullable = key.data_type.nullable || !in_all(i);
            let data_type = key.data_type.clone().with_nullable(nullable);
            let name = match key.kind {
                ExprKind::Column(c) => input_schema.field(c).map(|f| f.name.clone()),
                _ => None,
            };
            fields.push(Field::new(name.unwrap_or_else(|| Arc::from(format!("key{i}"))), data_type.clone()));
            outputs.push(Expr::column(i, data_type));
        }
        let calls = std::mem::take(&mut found.aggregates);
        for (i, call) in calls.iter().enumerate() {
            fields.push(Field::new(format!("agg{i}"), call.data_type.clone()));
        }
        let window_properties = std::mem::take(&mut found.window_properties);
        for property in &window_properties {
            let kind = property_kind(property, grouping.window.as_ref());
            fields.push(Field::new(*property, kind));
        }
        let op = AggregateOp {
            keys,
            grouping_sets: grouping.sets.clone(),
            calls,
            group_window,
            window_properties,
            window_keys,
        };
        let node = self.add(Op::Aggregate(op), vec![input], Schema::new(fields), span);
        Ok((node, outputs))
    }

    /// The positions among the keys of window_start and window_end of one window function.
    fn window_keys(&self, input: NodeId, grouping: &Grouping) -> Result<Option<(usize, usize)>, Fault> {
        if grouping.window.is_some() {
            return Ok(None);
        }
        let origins: Vec<_> = grouping
            .keys
            .iter()
            .enumerate()
            .filter(|(i, _)| grouping.sets.iter().all(|s| s.contains(i)))
            .filter_map(|(i, k)| match k.kind {
                ExprKind::Column(c) => window_origin(&self.plan, input, c).map(|o| (i, o)),
                _ => None,
            })
            .collect();
        for (start, (node, column)) in &origins {
            if *column != WindowColumn::Start {
                continue;
            }
            let end = origins.iter().find(|(_, (n, c))| n == node && *c == WindowColumn::End);
            if let Some((end, _)) = end {
                if let Some(Op::Window(w)) = self.plan.nodes.get(node.0).map(|n| &n.op) {
                    check_multiple(&w.kind, self.plan.nodes.get(node.0).and_then(|n| n.span))?;
                }
                return Ok(Some((*start, *end)));
            }
        }
        Ok(None)
    }
}

/// HOP and CUMULATE must consist of whole slides or steps where they are aggregated.
fn check_multiple(kind: &WindowKind, span: Option<Span>) -> Result<(), Fault> {
    let (message, hint) = match kind {
        WindowKind::Hop { slide, size, .. } if size % slide != 0 => (
            format!(
                "HOP table function based aggregate requires size must be an integral multiple of slide, but got size {size} ms and slide {slide} ms"
            ),
            "make the size a multiple of the slide",
        ),
        WindowKind::Cumulate { step, size, .. } if size % step != 0 => (
            format!(
                "CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, but got maxSize {size} ms and step {step} ms"
            ),
            "make the size a multiple of the step",
        ),
        _ => return Ok(()),
    };
    let fault = Fault::user("window-multiple", message).hint(hint);
    Err(match span {
        Some(s) => fault.at(s),
        None => fault,
    })
}

/// The type of a property of a group window.
fn property_kind(property: &str, window: Option<&GroupWindow>) -> millstream_types::DataType {
    match property {
        "rowtime" => match window.map(|w| &w.time.data_type) {
            Some(t) => match t.kind {
                TypeKind::TimestampLtz(..) => {
                    TypeKind::TimestampLtz(3, TimeAttribute::Rowtime).nullable().with_nullable(t.nullable)
                }
                _ => TypeKind::Timestamp(3, TimeAttribute::Rowtime).nullable().with_nullable(t.nullable),
            },
            None => TypeKind::Timestamp(3, TimeAttribute::Rowtime).nullable(),
        },
        "proctime" => TypeKind::TimestampLtz(3, TimeAttribute::Proctime).not_null(),
        _ => TypeKind::timestamp(3).not_null(),
    }
}

impl ExprBinder<'_, '_> {
    /// `TUMBLE_START(…)` and its kin: gives the property's marker.
    #[inline(never)]
    pub(super) fn window_property(
        &mut self,
        name: &str,
        (function, property): (&'static str, &'static str),
        call: &ast::FunctionCall,
    ) -> Result<Expr, Fault> {
        let unmatched = || {
            Fault::user(
                "window-auxiliary",
                format!(
                    "Call to auxiliary group function '{}' must have matching call to group function '{function}' in GROUP BY clause",
                    name.to_uppercase()
                ),
            )
            .at(call.span)
            .hint(format!("give it the same arguments as {function}(...) in GROUP BY"))
        };
        let Some(window) = self.found.group_window.clone() else { return Err(unmatched()) };
        let asked = self.binder.bind_group_window(function, call, self.scope, self.found)?;
        if window.function != function || window.kind != asked.kind || window.time != asked.time {
            return Err(unmatched());
        }
        let data_type = property_kind(property, Some(&window));
        if property == "rowtime" && window.time.data_type.kind.time_attribute() == TimeAttribute::Proctime {
            return Err(Fault::user(
                "window-auxiliary",
                "A proctime window cannot provide a rowtime attribute",
            )
            .at(call.span)
            .hint(format!("use {function}_PROCTIME")));
        }
        let position = match self.found.window_properties.iter().position(|p| *p == property) {
            Some(p) => p,
            None => {
                self.found.window_properties.push(property);
                self.found.window_properties.len() - 1
            }
        };
        Ok(Expr::column(WINDOW_PROPERTY + position, data_type))
    }
}

/// All columns of a schema as items of a projection.
pub(crate) fn pass_through(schema: &Schema) -> Vec<(Arc<str>, Expr)> {
    schema
        .fields
        .iter()
        .enumerate()
        .map(|(i, f)| (f.name.clone(), Expr::column(i, f.data_type.clone())))
        .collect()
}

/// An expression over the input as one over the aggregation's output: keys and markers become columns.
///
/// # Errors
/// User, where a column is neither grouped nor aggregated.
pub(crate) fn behind_aggregate(
    expr: &mut Expr,
    keys: &[Expr],
    outputs: &[Expr],
    calls: usize,
    input: &Schema,
) -> Result<(), Fault> {
    if let Some(position) = keys.iter().position(|k| k == expr) {
        let span = expr.span;
        if let Some(output) = outputs.get(position) {
            *expr = output.clone();
            expr.span = span;
        }
        return Ok(());
    }
    if let ExprKind::Column(i) = &mut expr.kind {
        match *i {
            m if m >= OUTER || (OVER..SUBQUERY).contains(&m) || (SUBQUERY..OUTER).contains(&m) => {}
            m if m >= WINDOW_PROPERTY => *i = keys.len() + calls + (m - WINDOW_PROPERTY),
            m if m >= AGGREGATE => *i = keys.len() + (m - AGGREGATE),
            column => {
                let name = input.field(column).map_or_else(|| column.to_string(), |f| f.name.to_string());
                let fault = Fault::user("not-grouped", format!("Expression '{name}' is not being grouped"))
                    .hint(format!("add {name} to GROUP BY, or put it into an aggregate such as MAX({name})"));
                return Err(match expr.span {
                    Some(s) => fault.at(s),
                    None => fault,
                });
            }
        }
        return Ok(());
    }
    for child in expr.children_mut() {
        behind_aggregate(child, keys, outputs, calls, input)?;
    }
    Ok(())
}

/// Replaces columns by expressions, where there is one.
pub(crate) fn replace_columns(expr: &mut Expr, with: &impl Fn(usize) -> Option<Expr>) {
    if let ExprKind::Column(i) = expr.kind {
        if let Some(mut replacement) = with(i) {
            replacement.span = expr.span.or(replacement.span);
            *expr = replacement;
        }
        return;
    }
    expr.each_child_mut(|child| replace_columns(child, with));
}
