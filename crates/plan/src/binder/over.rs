//! OVER: calls over the neighbours of a row.

use millstream_expr::functions::aggregate::{AggregateFunction, AggregateKind};
use millstream_expr::{Expr, Keywords};
use millstream_sql::ast::{self, FrameBound, Over, WindowSpec};
use millstream_types::{Fault, Field, Schema, Span, TypeKind};

use super::aggregate::sort_key;
use super::call::interval_millis;
use super::expression::ExprBinder;
use super::{Binder, OVER};
use crate::{AggregateCall, NodeId, Op, OverOp, SortKey};

/// The window of an OVER.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OverWindow {
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<SortKey>,
    /// ROWS rather than RANGE.
    pub rows: bool,
    /// How far back; `None`: unbounded. Negative: the frame begins behind the row.
    pub preceding: Option<i64>,
    /// How far ahead; `None`: unbounded.
    pub following: Option<i64>,
}

/// A call with OVER.
#[derive(Debug, Clone)]
pub(crate) struct OverCall {
    /// The call.
    pub call: AggregateCall,
    /// Its window.
    pub window: OverWindow,
    /// Its place.
    pub span: Span,
}

impl OverCall {
    /// Every expression in it.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        let mut all: Vec<&mut Expr> = self.call.args.iter_mut().collect();
        all.extend(self.call.filter.iter_mut());
        all.extend(self.call.order_by.iter_mut().map(|k| &mut k.expr));
        all.extend(self.window.partition_by.iter_mut());
        all.extend(self.window.order_by.iter_mut().map(|k| &mut k.expr));
        all
    }
}

impl ExprBinder<'_, '_> {
    /// Binds a call with OVER: gives its marker.
    #[inline(never)]
    pub(super) fn over_call(
        &mut self,
        function: &'static AggregateFunction,
        call: &ast::FunctionCall,
        over: &Over,
    ) -> Result<Expr, Fault> {
        if !self.found.over_allowed {
            return Err(Fault::user(
                "over-place",
                format!("windowed aggregate {} cannot be used in {}", function.name, self.found.clause),
            )
            .at(call.span)
            .hint("compute it in a subquery and use its column"));
        }
        if function.kind == AggregateKind::Grouping {
            return Err(
                Fault::user("over-place", format!("{} cannot have OVER", function.name)).at(call.span)
            );
        }
        self.found.over_allowed = false;
        let (can_be_empty, clause) = (self.found.can_be_empty, self.found.clause);
        self.found.can_be_empty = false;
        self.found.clause = "an OVER call";
        let bound = self.over_parts(function, call, over);
        self.found.over_allowed = true;
        self.found.can_be_empty = can_be_empty;
        self.found.clause = clause;
        let (bound, window) = bound?;
        let data_type = bound.data_type.clone();
        let same = |o: &OverCall| {
            o.window == window
                && o.call.function == bound.function
                && o.call.args == bound.args
                && o.call.distinct == bound.distinct
                && o.call.filter == bound.filter
        };
        let position = match self.found.overs.iter().position(same) {
            Some(p) => p,
            None => {
                self.found.overs.push(OverCall { call: bound, window, span: call.span });
                self.found.overs.len() - 1
            }
        };
        Ok(Expr::column(OVER + position, data_type))
    }

    fn over_parts(
        &mut self,
        function: &'static AggregateFunction,
        call: &ast::FunctionCall,
        over: &Over,
    ) -> Result<(AggregateCall, OverWindow), Fault> {
        let bound = self.aggregate_call(function, call, Keywords::new())?;
        let mut window = self.over_window(over, call.span, 0)?;
        if function.kind == AggregateKind::Window {
            // Functions of the position see the whole partition, whatever the frame.
            window.rows = true;
            window.preceding = None;
            window.following = Some(0);
            if window.order_by.is_empty() && !matches!(function.name, "LAG" | "LEAD" | "ROW_NUMBER") {
                return Err(Fault::user(
                    "over-order",
                    format!("{} needs an ORDER BY in its window", function.name),
                )
                .at(call.span)
                .hint("write OVER (PARTITION BY ... ORDER BY ...)"));
            }
        }
        Ok((bound, window))
    }

    fn named_window(&self, name: &ast::Ident) -> Result<WindowSpec, Fault> {
        let found = self.found.windows.iter().find(|(n, _)| *n == name.value).map(|(_, w)| w.clone());
        found.ok_or_else(|| {
            let fault =
                Fault::user("unknown-window", format!("window '{}' not found", name.value)).at(name.span);
            super::scope::suggest(fault, &name.value, self.found.windows.iter().map(|(n, _)| n.as_str()))
        })
    }

    fn over_window(&mut self, over: &Over, span: Span, depth: usize) -> Result<OverWindow, Fault> {
        let spec = match over {
            Over::Named(name) => self.named_window(name)?,
            Over::Inline(spec) => spec.clone(),
        };
        self.window_spec(&spec, span, depth)
    }

    fn window_spec(&mut self, spec: &WindowSpec, span: Span, depth: usize) -> Result<OverWindow, Fault> {
        if depth > 64 {
            return Err(Fault::user("window-cycle", "windows refer to each other in a circle").at(spec.span));
        }
        let base = match &spec.base {
            Some(name) => Some(self.over_window(&Over::Named(name.clone()), span, depth + 1)?),
            None => None,
        };
        let mut partition_by = Vec::with_capacity(spec.partition_by.len());
        for e in &spec.partition_by {
            partition_by.push(self.bind(e)?);
        }
        let mut order_by = Vec::with_capacity(spec.order_by.len());
        for item in &spec.order_by {
            let expr = self.bind(&item.expr)?;
            order_by.push(sort_key(expr, item));
        }
        if let Some(base) = &base {
            if partition_by.is_empty() {
                partition_by = base.partition_by.clone();
            }
            if order_by.is_empty() {
                order_by = base.order_by.clone();
            }
        }
        let mut window = OverWindow { partition_by, order_by, rows: false, preceding: None, following: None };
        match (&spec.frame, base) {
            (Some(frame), _) => {
                window.rows = frame.rows;
                let end = frame.end.clone().unwrap_or(FrameBound::CurrentRow);
                window.preceding = self.bound_distance(&frame.start, frame, true, &window.order_by)?;
                window.following = self.bound_distance(&end, frame, false, &window.order_by)?;
                if !frame.rows && window.order_by.is_empty() {
                    return Err(Fault::user("over-order", "a RANGE frame needs an ORDER BY")
                        .at(frame.span)
                        .hint("add ORDER BY to the window, or use ROWS"));
                }
            }
            (None, Some(base)) if spec.order_by.is_empty() => {
                window.rows = base.rows;
                window.preceding = base.preceding;
                window.following = base.following;
            }
            (None, _) if window.order_by.is_empty() => window.rows = true,
            (None, _) => window.following = Some(0),
        }
        Ok(window)
    }

    /// How far a bound is away from the row: back for the start, ahead for the end. `None`: unbounded.
    fn bound_distance(
        &mut self,
        bound: &FrameBound,
        frame: &ast::WindowFrame,
        start: bool,
        order_by: &[SortKey],
    ) -> Result<Option<i64>, Fault> {
        let (expr, sign) = match bound {
            FrameBound::CurrentRow => return Ok(Some(0)),
            FrameBound::UnboundedPreceding if start => return Ok(None),
            FrameBound::UnboundedFollowing if !start => return Ok(None),
            FrameBound::UnboundedPreceding | FrameBound::UnboundedFollowing => {
                return Err(Fault::user("frame", "the frame ends before it begins").at(frame.span));
            }
            FrameBound::Preceding(e) => (e, if start { 1 } else { -1 }),
            FrameBound::Following(e) => (e, if start { -1 } else { 1 }),
        };
        let value = self.bind(expr)?;
        let number = if value.data_type.kind.is_interval() {
            if frame.rows {
                return Err(Fault::user("frame", "ROWS wants a number of rows, not an interval")
                    .at(expr.span)
                    .hint("use RANGE for intervals"));
            }
            interval_millis(&value, "the bound of the frame", expr.span)?
        } else {
            match value.as_literal().and_then(millstream_types::Value::as_int) {
                Some(n) if n >= 0 && value.data_type.kind.is_integer() => n,
                _ => {
                    return Err(Fault::user(
                        "frame",
                        "the bound of the frame must be a constant that is not negative",
                    )
                    .at(expr.span));
                }
            }
        };
        if !frame.rows {
            let key = order_by.first().map(|k| &k.expr.data_type.kind);
            let fits = match key {
                Some(k) if value.data_type.kind.is_interval() => k.is_datetime(),
                Some(k) => k.is_numeric() || matches!(k, TypeKind::Date),
                None => true,
            };
            if !fits {
                return Err(Fault::user("frame", "Data Type mismatch between ORDER BY and RANGE clause")
                    .at(expr.span)
                    .hint("an interval goes with a time, a number with a number"));
            }
        }
        Ok(Some(sign * number))
    }
}

impl Binder<'_> {
    /// Adds the OVER nodes; gives the node and the position of each call's column.
    pub(super) fn add_overs(
        &mut self,
        mut node: NodeId,
        calls: Vec<OverCall>,
    ) -> Result<(NodeId, Vec<usize>), Fault> {
        let mut groups: Vec<(OverWindow, Vec<(usize, OverCall)>)> = Vec::new();
        for (i, call) in calls.into_iter().enumerate() {
            match groups.iter_mut().find(|(w, _)| *w == call.window) {
                Some((_, members)) => members.push((i, call)),
                None => groups.push((call.window.clone(), vec![(i, call)])),
            }
        }
        if self.streaming()
            && let Some((_, members)) = groups.get(1)
            && let Some((_, call)) = members.first()
        {
            return Err(Fault::user(
                "over-windows",
                "Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window",
            )
            .at(call.span)
            .hint("give all OVER calls of this SELECT the same PARTITION BY, ORDER BY and frame, or use subqueries"));
        }
        let mut positions = Vec::new();
        for (window, members) in groups {
            let mut fields = self.schema(node).fields.clone();
            let mut calls = Vec::new();
            let mut span = Span::default();
            for (i, member) in members {
                if calls.is_empty() {
                    span = member.span;
                }
                positions.push((i, fields.len()));
                fields.push(Field::new(format!("over{i}"), member.call.data_type.clone()));
                calls.push(member.call);
            }
            let op = OverOp {
                partition_by: window.partition_by,
                order_by: window.order_by,
                rows: window.rows,
                preceding: window.preceding,
                following: window.following,
                calls,
            };
            node = self.add(Op::Over(op), vec![node], Schema::new(fields), span);
        }
        positions.sort_unstable();
        Ok((node, positions.into_iter().map(|(_, p)| p).collect()))
    }
}
