//! Window table-valued functions: TUMBLE, HOP, CUMULATE, SESSION.

use std::sync::Arc;

use millstream_sql::ast::{self, ArgValue, TableSource};
use millstream_types::{DataType, Fault, Field, Schema, Span, TimeAttribute, TypeKind};

use super::Binder;
use super::call::interval_millis;
use super::expression::{Collected, ExprBinder};
use super::is_time_attribute;
use super::scope::{Scope, suggest};
use crate::{NodeId, Op, WindowKind, WindowOp};

/// Names of the arguments behind table and time column, in order; the last one is optional.
fn interval_names(function: &str) -> &'static [&'static str] {
    match function {
        "HOP" => &["SLIDE", "SIZE", "OFFSET"],
        "CUMULATE" => &["STEP", "SIZE", "OFFSET"],
        "SESSION" => &["GAP"],
        _ => &["SIZE", "OFFSET"],
    }
}

/// The form of a call, for hints.
fn form(function: &str) -> String {
    let rest = match function {
        "HOP" => "INTERVAL 'slide' ..., INTERVAL 'size' ...",
        "CUMULATE" => "INTERVAL 'step' ..., INTERVAL 'size' ...",
        "SESSION" => "INTERVAL 'gap' ...",
        _ => "INTERVAL 'size' ...",
    };
    format!("{function}(TABLE t, DESCRIPTOR(ts), {rest})")
}

impl Binder<'_> {
    /// Binds a windowing function in FROM.
    pub(super) fn bind_window_function(&mut self, call: &ast::FunctionCall) -> Result<NodeId, Fault> {
        let name = call.name.last().to_uppercase();
        let function = ["TUMBLE", "HOP", "CUMULATE", "SESSION"].into_iter().find(|n| *n == name);
        let Some(function) = function else {
            return Err(Fault::internal(format!("{name} is no windowing function")).at(call.span));
        };
        let names = interval_names(function);
        let mut table = None;
        let mut time = None;
        let mut intervals: Vec<Option<(&ast::Expr, Span)>> = vec![None; names.len()];
        for (position, arg) in call.args.iter().enumerate() {
            let slot = match &arg.name {
                None => position,
                Some(n) => {
                    let wanted = n.value.to_uppercase();
                    match wanted.as_str() {
                        "DATA" => 0,
                        "TIMECOL" => 1,
                        other => match names.iter().position(|x| *x == other) {
                            Some(p) => p + 2,
                            None => {
                                let fault = Fault::user(
                                    "named-argument",
                                    format!("{function} has no parameter '{}'", n.value),
                                )
                                .at(n.span);
                                let all = ["DATA", "TIMECOL"].into_iter().chain(names.iter().copied());
                                return Err(suggest(fault, &wanted, all));
                            }
                        },
                    }
                }
            };
            match (slot, &arg.value) {
                (0, ArgValue::Table(t)) => table = Some(&**t),
                (0, ArgValue::Expr(e)) => {
                    let fault = match &e.kind {
                        ast::ExprKind::Column(path) => {
                            let name = path.iter().map(|p| p.value.as_str()).collect::<Vec<_>>().join(".");
                            Fault::user("unknown-column", format!("column '{name}' not found in any table"))
                                .hint(format!("a table as argument is written TABLE {name}"))
                        }
                        _ => Fault::user("window-argument", "the first argument must be a table")
                            .hint(format!("write {}", form(function))),
                    };
                    return Err(fault.at(arg.span));
                }
                (1, ArgValue::Expr(e)) => match &e.kind {
                    ast::ExprKind::Descriptor(columns) => time = Some((columns, e.span)),
                    _ => {
                        return Err(Fault::user(
                            "window-argument",
                            "the second argument must be DESCRIPTOR(column)",
                        )
                        .at(arg.span)
                        .hint(format!("write {}", form(function))));
                    }
                },
                (n, ArgValue::Expr(e)) if n >= 2 && n - 2 < intervals.len() => {
                    if let Some(place) = intervals.get_mut(n - 2) {
                        *place = Some((e, arg.span));
                    }
                }
                _ => {
                    return Err(Fault::user("window-argument", format!("Invalid argument of {function}"))
                        .at(arg.span)
                        .hint(format!("write {}", form(function))));
                }
            }
        }
        let (Some(table), Some((columns, time_span))) = (table, time) else {
            return Err(Fault::user("argument-count", format!("{function} wants a table and a time column"))
                .at(call.span)
                .hint(format!("write {}", form(function))));
        };
        let input = match &table.source {
            TableSource::Named(name, hints) => {
                let bound = self.bind_table(name, hints)?;
                self.star_of(&bound)
            }
            TableSource::Query(query) => self.bind_query(query, false)?,
            TableSource::Model(name) => return Err(Fault::not_yet("models").at(name.span)),
        };
        let schema = self.schema(input);
        let [column] = columns.as_slice() else {
            return Err(Fault::user("window-time", format!("{function} wants one time column")).at(time_span));
        };
        let Some(time) = schema.index_of(&column.value) else {
            let fault =
                Fault::user("unknown-column", format!("column '{}' not found in the table", column.value))
                    .at(column.span);
            return Err(suggest(fault, &column.value, schema.fields.iter().map(|f| &*f.name)));
        };
        let time_type = schema.field(time).map(|f| f.data_type.clone()).unwrap_or_else(DataType::string);
        if !time_type.kind.is_timestamp() {
            return Err(Fault::user(
                "window-time",
                format!(
                    "The window function {} requires the timecol to be TIMESTAMP or TIMESTAMP_LTZ, but is {}",
                    form(function),
                    time_type.kind
                ),
            )
            .at(time_span)
            .hint("name the column that has a watermark"));
        }
        if self.streaming() && !is_time_attribute(&self.plan, input, time) {
            return Err(Fault::user(
                "window-time",
                format!(
                    "The window function requires the timecol is a time attribute type, but is {}",
                    time_type.kind
                ),
            )
            .at(time_span)
            .hint("declare it in the table: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"));
        }
        let scope = Scope::of_fields(&schema);
        let mut partition_keys = Vec::new();
        for e in &table.partition_by {
            let mut found = Collected { clause: "PARTITION BY", ..Collected::default() };
            let bound = ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(e)?;
            match super::select::plain_column(&bound) {
                Some(c) => partition_keys.push(c),
                None => return Err(Fault::user("window-partition", "PARTITION BY wants columns").at(e.span)),
            }
        }
        if !partition_keys.is_empty() && function != "SESSION" {
            return Err(Fault::user("window-partition", format!("{function} does not take PARTITION BY"))
                .at(table.span)
                .hint("only SESSION windows are made per partition"));
        }
        if function == "SESSION" && !self.streaming() {
            return Err(Fault::user(
                "session-batch",
                "Unaligned windows like session are not supported in batch mode",
            )
            .at(call.span)
            .hint("run the query in streaming mode: SET 'execution.runtime-mode' = 'streaming'"));
        }
        let mut millis = Vec::new();
        let required = match function {
            "TUMBLE" | "SESSION" => 1,
            _ => 2,
        };
        for (i, (interval, name)) in intervals.into_iter().zip(names).enumerate() {
            let what = format!("{name} of {function}");
            match interval {
                Some((e, span)) => {
                    let mut found = Collected { clause: "a window function", ..Collected::default() };
                    let bound =
                        ExprBinder { binder: self, scope: &Scope::default(), found: &mut found }.bind(e)?;
                    let value = interval_millis(&bound, &what, span)?;
                    if value <= 0 && *name != "OFFSET" {
                        return Err(Fault::user("interval", format!("{what} must be positive")).at(span));
                    }
                    millis.push(value);
                }
                None if i < required => {
                    return Err(Fault::user("argument-count", format!("{what} is missing"))
                        .at(call.span)
                        .hint(format!("write {}", form(function))));
                }
                None => millis.push(0),
            }
        }
        let kind = match (function, millis.as_slice()) {
            ("HOP", [slide, size, offset]) => WindowKind::Hop { slide: *slide, size: *size, offset: *offset },
            ("CUMULATE", [step, size, offset]) => {
                WindowKind::Cumulate { step: *step, size: *size, offset: *offset }
            }
            ("SESSION", [gap]) => WindowKind::Session { gap: *gap, partition_keys },
            (_, [size, offset]) => WindowKind::Tumble { size: *size, offset: *offset },
            _ => return Err(Fault::internal("arguments of a window").at(call.span)),
        };
        let mut fields = schema.fields.clone();
        fields.push(Field::new("window_start", TypeKind::timestamp(3).not_null()));
        fields.push(Field::new("window_end", TypeKind::timestamp(3).not_null()));
        let attribute = if self.streaming() { TimeAttribute::Rowtime } else { TimeAttribute::None };
        let window_time = match (&time_type.kind, time_type.kind.time_attribute()) {
            (_, TimeAttribute::Proctime) => TypeKind::TimestampLtz(3, TimeAttribute::Proctime),
            (TypeKind::TimestampLtz(..), _) => TypeKind::TimestampLtz(3, attribute),
            _ => TypeKind::Timestamp(3, attribute),
        };
        fields.push(Field::new("window_time", window_time.not_null()));
        let names = super::unique_names(fields.iter().map(|f| f.name.clone()).collect::<Vec<Arc<str>>>());
        for (field, name) in fields.iter_mut().zip(names) {
            field.name = name;
        }
        Ok(self.add(Op::Window(WindowOp { kind, time }), vec![input], Schema::new(fields), call.span))
    }
}
