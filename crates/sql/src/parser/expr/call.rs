//! Calls in ordinary notation, and the clauses behind them.

use millstream_types::{Fault, Span};

use super::special::bare_call;
use crate::ast::{
    ArgValue, ExprKind, FrameBound, FunctionArg, FunctionCall, Ident, NullTreatment, ObjectName, Over,
    SetQuantifier, TableArgument, TableSource, WindowFrame, WindowSpec,
};
use crate::lexer::Kind;
use crate::parser::fault::parse_fault_at;
use crate::parser::{Parse, Parser, cost};

/// Whether queries among the arguments are tables or values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queries {
    /// `TUMBLE((SELECT …), …)`.
    AreTables,
    /// `f((SELECT …))`.
    AreValues,
}

impl Parser<'_> {
    /// A call of a function with a reserved word for its name.
    pub(super) fn reserved_call(&mut self) -> Parse<ExprKind> {
        let name = self.any_word();
        let span = name.span;
        self.call(vec![name], span)
    }

    /// `(arguments)` and the clauses behind it, the name being read.
    pub(super) fn call(&mut self, name: Vec<Ident>, span: Span) -> Parse<ExprKind> {
        let mut call = self.call_arguments(name, span, Queries::AreValues)?;
        self.aggregate_clauses(&mut call)?;
        call.span = self.since(span.start);
        Ok(ExprKind::Function(call))
    }

    /// `(arguments)`, the name being read.
    pub(crate) fn call_arguments(
        &mut self,
        name: Vec<Ident>,
        span: Span,
        queries: Queries,
    ) -> Parse<Box<FunctionCall>> {
        if name.len() > 3 {
            return Err(parse_fault_at(
                span,
                "a function's name has at most three parts: catalog.database.function",
            ));
        }
        let mut call = bare_call(Ident { value: String::new(), quoted: false, span }, Vec::new());
        call.name = ObjectName { parts: name, span };
        self.open()?;
        if self.is(Kind::Star) {
            let star = self.advance();
            if !self.is(Kind::RightParen) {
                return Err(self.unexpected("')'"));
            }
            call.args.push(FunctionArg { name: None, value: ArgValue::Star, span: star.span() });
        } else if !self.is(Kind::RightParen) {
            call.quantifier = self.set_quantifier();
            call.args = self.commas(|p| p.argument(queries))?;
            // Inside the parentheses only ARRAY_AGG has an order.
            if self.at("ORDER") && call.name.last().eq_ignore_ascii_case("ARRAY_AGG") {
                call.order_by = self.order_by()?;
            }
        }
        if !self.is(Kind::RightParen) {
            return Err(self.unexpected("',' or ')'"));
        }
        self.advance();
        call.span = self.since(span.start);
        Ok(call)
    }

    pub(crate) fn set_quantifier(&mut self) -> Option<SetQuantifier> {
        if self.eat_word("DISTINCT") {
            Some(SetQuantifier::Distinct)
        } else if self.eat_word("ALL") {
            Some(SetQuantifier::All)
        } else {
            None
        }
    }

    fn argument(&mut self, queries: Queries) -> Parse<FunctionArg> {
        let start = self.here().start;
        let named = self.token(1).kind == Kind::FatArrow;
        let name = if named { Some(self.ident("an argument's name")?) } else { None };
        if named {
            self.advance();
        }
        let value = self.argument_value(queries)?;
        Ok(FunctionArg { name, value, span: self.since(start) })
    }

    fn argument_value(&mut self, queries: Queries) -> Parse<ArgValue> {
        let table = self.at("TABLE") || (self.at("MODEL") && self.ident_at(1));
        let query = self.query_begins(0) || (queries == Queries::AreTables && self.at_query_paren());
        if table || query || self.at("DEFAULT") || self.token(1).kind == Kind::Arrow {
            return self.special_argument(queries);
        }
        self.expr().map(ArgValue::Expr)
    }

    #[inline(never)]
    fn special_argument(&mut self, queries: Queries) -> Parse<ArgValue> {
        if self.at_default() {
            return self.default_value().map(ArgValue::Expr);
        }
        if self.at("TABLE") || (self.at("MODEL") && self.ident_at(1)) {
            return self.table_argument().map(|t| ArgValue::Table(Box::new(t)));
        }
        if self.at_ident() && self.token(1).kind == Kind::Arrow {
            return Err(Fault::not_yet("lambda expressions").at(self.here()));
        }
        let start = self.here().start;
        let bare = self.query_begins(0);
        if !bare && !self.at_query_paren() {
            return self.expr().map(ArgValue::Expr);
        }
        if !bare {
            self.advance();
        }
        let query = Box::new(self.query()?);
        if !bare {
            self.close()?;
        }
        if queries == Queries::AreValues && !self.at("PARTITION") {
            let span = self.since(start);
            return Ok(ArgValue::Expr(crate::ast::Expr { kind: ExprKind::Subquery(query), span }));
        }
        self.table_clauses(TableSource::Query(query), start).map(|t| ArgValue::Table(Box::new(t)))
    }

    /// `TABLE t /*+ … */`, `TABLE (query)`, `MODEL m`, with PARTITION BY and ORDER BY.
    fn table_argument(&mut self) -> Parse<TableArgument> {
        let start = self.here().start;
        let model = self.at("MODEL");
        self.advance();
        let source = if model {
            TableSource::Model(self.object_name("a model's name")?)
        } else if self.at_query_paren() {
            self.advance();
            let query = self.query()?;
            self.close()?;
            TableSource::Query(Box::new(query))
        } else {
            let name = self.object_name("a table's name")?;
            TableSource::Named(name, self.hints()?)
        };
        self.table_clauses(source, start)
    }

    fn table_clauses(&mut self, source: TableSource, start: u32) -> Parse<TableArgument> {
        let mut partition_by = Vec::new();
        if self.eat_words(&["PARTITION", "BY"]) {
            partition_by =
                if self.is(Kind::LeftParen) { self.in_parens(Self::expr)? } else { vec![self.expr()?] };
        }
        let mut order_by = Vec::new();
        if self.eat_words(&["ORDER", "BY"]) {
            let parens = self.is(Kind::LeftParen);
            order_by = if parens { self.in_parens(Self::order_item)? } else { vec![self.order_item()?] };
        }
        Ok(TableArgument { source, partition_by, order_by, span: self.since(start) })
    }

    /// IGNORE NULLS, WITHIN GROUP, FILTER and OVER behind a call.
    fn aggregate_clauses(&mut self, call: &mut FunctionCall) -> Parse<()> {
        if self.eat_words(&["IGNORE", "NULLS"]) {
            call.nulls = Some(NullTreatment::Ignore);
        } else if self.eat_words(&["RESPECT", "NULLS"]) {
            call.nulls = Some(NullTreatment::Respect);
        }
        if self.eat_words(&["WITHIN", "GROUP"]) {
            self.open()?;
            call.within_group = self.order_by()?;
            self.close()?;
        }
        call.filter = self.filter_clause()?;
        call.over = self.over_clause()?;
        Ok(())
    }

    /// `FILTER (WHERE …)`.
    pub(super) fn filter_clause(&mut self) -> Parse<Option<crate::ast::Expr>> {
        if !self.eat_word("FILTER") {
            return Ok(None);
        }
        self.open()?;
        self.expect_word("WHERE")?;
        let filter = self.expr()?;
        self.close()?;
        Ok(Some(filter))
    }

    /// `OVER name`, `OVER (…)`.
    pub(super) fn over_clause(&mut self) -> Parse<Option<Over>> {
        if !self.eat_word("OVER") {
            return Ok(None);
        }
        if self.is(Kind::LeftParen) {
            return self.window_spec().map(Over::Inline).map(Some);
        }
        self.ident("a window's name or '('").map(Over::Named).map(Some)
    }

    /// `([base] [PARTITION BY …] [ORDER BY …] [frame])`.
    pub(crate) fn window_spec(&mut self) -> Parse<WindowSpec> {
        let outer = self.enter(cost::EXPRESSION)?;
        let start = self.here().start;
        self.open()?;
        let base = if self.at_ident() { Some(self.ident("a window's name")?) } else { None };
        let mut partition_by = Vec::new();
        if self.eat_word("PARTITION") {
            self.expect_word("BY")?;
            partition_by = self.commas(Self::expr)?;
        }
        let order_by = if self.at("ORDER") { self.order_by()? } else { Vec::new() };
        let frame = if self.at_any(&["ROWS", "RANGE"]) { Some(self.window_frame()?) } else { None };
        if !self.is(Kind::RightParen) {
            return Err(self.unexpected("')'"));
        }
        self.advance();
        self.leave(cost::EXPRESSION, outer);
        Ok(WindowSpec { base, partition_by, order_by, frame, span: self.since(start) })
    }

    fn window_frame(&mut self) -> Parse<WindowFrame> {
        let start_at = self.here().start;
        let rows = self.at("ROWS");
        self.advance();
        let (start, end) = if self.eat_word("BETWEEN") {
            let start = self.frame_bound()?;
            self.expect_word("AND")?;
            (start, Some(self.frame_bound()?))
        } else {
            (self.frame_bound()?, None)
        };
        if self.at("EXCLUDE") {
            return Err(Fault::not_yet("EXCLUDE in a window's frame").at(self.here()));
        }
        Ok(WindowFrame { rows, start, end, span: self.since(start_at) })
    }

    fn frame_bound(&mut self) -> Parse<FrameBound> {
        if self.eat_words(&["CURRENT", "ROW"]) {
            return Ok(FrameBound::CurrentRow);
        }
        if self.eat_words(&["UNBOUNDED", "PRECEDING"]) {
            return Ok(FrameBound::UnboundedPreceding);
        }
        if self.eat_words(&["UNBOUNDED", "FOLLOWING"]) {
            return Ok(FrameBound::UnboundedFollowing);
        }
        let distance = Box::new(self.expr()?);
        if self.eat_word("PRECEDING") {
            Ok(FrameBound::Preceding(distance))
        } else if self.eat_word("FOLLOWING") {
            Ok(FrameBound::Following(distance))
        } else {
            Err(self.unexpected("PRECEDING or FOLLOWING"))
        }
    }
}
