//! Calls and constructors with a notation of their own.

use millstream_types::{Fault, Span};

use super::Operand;
use crate::ast::{
    ArgValue, Case, Cast, CollectKind, Expr, ExprKind, FunctionArg, FunctionCall, Ident, MatchScope,
    ObjectName, RoundTo, TimeUnit, Trim, TrimSide, UnitName,
};
use crate::keywords::is_reserved;
use crate::lexer::Kind;
use crate::parser::{Parse, Parser, cost};

impl Parser<'_> {
    /// CASE in both forms.
    pub(super) fn case(&mut self) -> Parse<ExprKind> {
        let opening = self.advance();
        let operand = if self.at("WHEN") { None } else { Some(self.expr()?) };
        let mut branches = Vec::new();
        while self.eat_word("WHEN") {
            let when = self.when_values()?;
            self.expect_word("THEN")?;
            branches.push((when, self.expr()?));
        }
        if branches.is_empty() {
            return Err(self.unexpected("WHEN"));
        }
        let otherwise = if self.eat_word("ELSE") { Some(self.expr()?) } else { None };
        if !self.at("END") {
            let (line, column) = opening.span().line_column(self.text);
            return Err(self.wanted("END", format!("the CASE at line {line}, column {column} needs an END")));
        }
        self.advance();
        Ok(ExprKind::Case(Box::new(Case { operand, branches, otherwise })))
    }

    /// `1` or `1, 2` behind WHEN.
    fn when_values(&mut self) -> Parse<Expr> {
        let start = self.here().start;
        let mut values = self.commas(Self::expr)?;
        match (values.pop(), values.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                values.push(last);
                Ok(Expr { kind: ExprKind::Row { items: values, explicit: false }, span: self.since(start) })
            }
            (None, _) => Err(self.unexpected("an expression")),
        }
    }

    pub(super) fn cast(&mut self) -> Parse<ExprKind> {
        let safe = self.at("TRY_CAST");
        self.advance();
        self.open()?;
        let expr = self.expr()?;
        if !self.at("AS") {
            return Err(self.wanted("AS", "write CAST(value AS type)"));
        }
        self.advance();
        let target = self.cast_type()?;
        self.close()?;
        Ok(ExprKind::Cast(Box::new(Cast { expr, target, safe })))
    }

    pub(super) fn extract(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.open()?;
        let unit = self.time_unit()?;
        self.expect_word("FROM")?;
        let from = self.expr()?;
        self.close()?;
        Ok(ExprKind::Extract(unit, Box::new(from)))
    }

    /// `POSITION(a IN b [FROM n])`, as the call `POSITION(a, b[, n])`.
    pub(super) fn position(&mut self) -> Parse<ExprKind> {
        let name = self.any_word();
        self.open()?;
        let needle = self.single_operand()?;
        if !self.at("IN") {
            return Err(self.wanted("IN", "write POSITION(part IN text)"));
        }
        self.advance();
        let mut args = vec![needle, self.expr()?];
        if self.eat_word("FROM") {
            args.push(self.expr()?);
        }
        self.close()?;
        Ok(self.plain_call(name, args))
    }

    /// An operand with what binds tightest behind it, where an IN must not be read as a predicate.
    fn single_operand(&mut self) -> Parse<Expr> {
        let outer = self.enter(cost::EXPRESSION)?;
        let operand = if self.is(Kind::LeftParen) && !self.at_query_paren() {
            self.advance();
            let expr = self.expr()?;
            self.close()?;
            Operand { expr, height: self.tall }
        } else {
            let expr = self.operand()?;
            self.postfixes(Operand { expr, height: self.tall + 1 })?
        };
        self.depth -= cost::EXPRESSION;
        self.tall = outer.max(operand.height);
        Ok(operand.expr)
    }

    /// `OVERLAY(x PLACING y FROM a [FOR b])`, as the call `OVERLAY(x, y, a[, b])`.
    pub(super) fn overlay(&mut self) -> Parse<ExprKind> {
        let name = self.any_word();
        self.open()?;
        let mut args = vec![self.expr()?];
        if !self.at("PLACING") {
            return Err(self.wanted("PLACING", "write OVERLAY(text PLACING new FROM start FOR length)"));
        }
        self.advance();
        args.push(self.expr()?);
        self.expect_word("FROM")?;
        args.push(self.expr()?);
        if self.eat_word("FOR") {
            args.push(self.expr()?);
        }
        self.close()?;
        Ok(self.plain_call(name, args))
    }

    /// `SUBSTRING(x FROM a [FOR b])` or with commas.
    pub(super) fn substring(&mut self) -> Parse<ExprKind> {
        let name = self.any_word();
        self.open()?;
        let mut args = vec![self.expr()?];
        if !self.eat(Kind::Comma) && !self.eat_word("FROM") {
            return Err(self.unexpected("',' or FROM"));
        }
        args.push(self.expr()?);
        if self.eat(Kind::Comma) || self.eat_word("FOR") {
            args.push(self.expr()?);
        }
        self.close()?;
        Ok(self.plain_call(name, args))
    }

    /// TRIM; without FROM and side it is an ordinary call.
    pub(super) fn trim(&mut self) -> Parse<ExprKind> {
        let name = self.any_word();
        self.open()?;
        let side = match self.word().to_ascii_uppercase().as_str() {
            "BOTH" => Some(TrimSide::Both),
            "LEADING" => Some(TrimSide::Leading),
            "TRAILING" => Some(TrimSide::Trailing),
            _ => None,
        };
        if side.is_some() {
            self.advance();
        }
        let mut characters = None;
        let text = if side.is_some() && self.eat_word("FROM") {
            self.expr()?
        } else {
            let first = self.expr()?;
            if self.eat_word("FROM") {
                characters = Some(first);
                self.expr()?
            } else {
                first
            }
        };
        self.close()?;
        if side.is_none() && characters.is_none() {
            return Ok(self.plain_call(name, vec![text]));
        }
        Ok(ExprKind::Trim(Box::new(Trim { side: side.unwrap_or(TrimSide::Both), characters, text })))
    }

    /// `FLOOR(x TO unit)`; without TO an ordinary call.
    pub(super) fn floor_or_ceil(&mut self) -> Parse<ExprKind> {
        let name = self.any_word();
        let round = if name.value.eq_ignore_ascii_case("FLOOR") { RoundTo::Floor } else { RoundTo::Ceil };
        self.open()?;
        let expr = self.expr()?;
        if self.eat_word("TO") {
            let unit = self.time_unit()?;
            self.close()?;
            return Ok(ExprKind::Round(round, unit, Box::new(expr)));
        }
        self.close()?;
        Ok(self.plain_call(name, vec![expr]))
    }

    /// `TIMESTAMPADD(unit, count, point)`, `TIMESTAMPDIFF(unit, from, to)`.
    pub(super) fn timestamp_function(&mut self) -> Parse<ExprKind> {
        let add = self.at("TIMESTAMPADD");
        self.advance();
        self.open()?;
        let unit = self.time_unit()?;
        self.expect(Kind::Comma, "','")?;
        let second = Box::new(self.expr()?);
        self.expect(Kind::Comma, "','")?;
        let third = Box::new(self.expr()?);
        self.close()?;
        Ok(if add {
            ExprKind::TimestampAdd(unit, second, third)
        } else {
            ExprKind::TimestampDiff(unit, second, third)
        })
    }

    fn time_unit(&mut self) -> Parse<UnitName> {
        let span = self.here();
        let unit = match self.word().to_ascii_uppercase().trim_start_matches("SQL_TSI_") {
            "MILLENNIUM" => TimeUnit::Millennium,
            "CENTURY" => TimeUnit::Century,
            "DECADE" => TimeUnit::Decade,
            "YEAR" => TimeUnit::Year,
            "ISOYEAR" => TimeUnit::IsoYear,
            "QUARTER" => TimeUnit::Quarter,
            "MONTH" => TimeUnit::Month,
            "WEEK" => TimeUnit::Week,
            "DAY" => TimeUnit::Day,
            "DOY" | "DAYOFYEAR" => TimeUnit::Doy,
            "DOW" | "DAYOFWEEK" => TimeUnit::Dow,
            "ISODOW" => TimeUnit::IsoDow,
            "HOUR" => TimeUnit::Hour,
            "MINUTE" => TimeUnit::Minute,
            "SECOND" => TimeUnit::Second,
            "MILLISECOND" => TimeUnit::Millisecond,
            "MICROSECOND" | "FRAC_SECOND" => TimeUnit::Microsecond,
            "NANOSECOND" => TimeUnit::Nanosecond,
            "EPOCH" => TimeUnit::Epoch,
            other => {
                // Flink's grammar takes any name here and refuses it later.
                if !other.is_empty() && !is_reserved(other) {
                    return Err(Fault::user("unknown-unit", format!("{} is no unit of time", self.found()))
                        .at(span)
                        .hint("write SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR"));
                }
                return Err(
                    self.unexpected("a unit of time such as SECOND, MINUTE, HOUR, DAY, MONTH or YEAR")
                );
            }
        };
        self.advance();
        Ok(UnitName { unit, span })
    }

    pub(super) fn exists(&mut self) -> Parse<ExprKind> {
        let unique = self.at("UNIQUE");
        self.advance();
        if !self.at_query_paren() {
            return Err(self.unexpected("a query in parentheses"));
        }
        self.advance();
        let query = Box::new(self.query()?);
        self.close()?;
        Ok(if unique { ExprKind::Unique(query) } else { ExprKind::Exists(query) })
    }

    /// `ROW(a, b)`.
    pub(super) fn row_constructor(&mut self) -> Parse<ExprKind> {
        self.advance();
        if self.is(Kind::LeftParen) && self.token(1).kind == Kind::RightParen {
            self.eat(Kind::LeftParen);
            return Err(self.unexpected("a value"));
        }
        let items = self.in_parens(Self::expr)?;
        Ok(ExprKind::Row { items, explicit: true })
    }

    pub(crate) fn at_default(&self) -> bool {
        self.at("DEFAULT") && matches!(self.token(1).kind, Kind::Comma | Kind::RightParen)
    }

    pub(crate) fn default_value(&mut self) -> Parse<Expr> {
        let span = self.here();
        self.expect_word("DEFAULT")?;
        Ok(Expr { kind: ExprKind::Default, span })
    }

    /// `ARRAY(SELECT …)` and its kin.
    pub(super) fn collect_query(&mut self, kind: CollectKind) -> Parse<ExprKind> {
        self.advance();
        self.open()?;
        let query = self.query()?;
        self.close()?;
        Ok(ExprKind::CollectQuery(kind, Box::new(query)))
    }

    /// `ARRAY[a, b]`.
    pub(super) fn array(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.bracketed().map(ExprKind::Array)
    }

    /// `MULTISET[a, b]`.
    pub(super) fn multiset(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.bracketed().map(ExprKind::Multiset)
    }

    /// `MAP[k, v, k, v]`.
    pub(super) fn map(&mut self) -> Parse<ExprKind> {
        self.advance();
        let closing = self.here();
        let mut items = self.bracketed()?.into_iter();
        let mut pairs = Vec::new();
        while let Some(key) = items.next() {
            let Some(value) = items.next() else {
                return Err(Fault::user("map-entries", "a MAP needs an even number of keys and values")
                    .at(closing)
                    .hint("write MAP[key, value, key, value]"));
            };
            pairs.push((key, value));
        }
        Ok(ExprKind::Map(pairs))
    }

    /// `[a, b]`, perhaps empty.
    fn bracketed(&mut self) -> Parse<Vec<Expr>> {
        self.expect(Kind::LeftBracket, "'['")?;
        if self.eat(Kind::RightBracket) {
            return Ok(Vec::new());
        }
        let items = self.commas(Self::expr)?;
        self.expect(Kind::RightBracket, "',' or ']'")?;
        Ok(items)
    }

    pub(super) fn descriptor(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.ident_list("a column's name").map(ExprKind::Descriptor)
    }

    /// `PERIOD(a, b)` is a row.
    pub(super) fn period(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.open()?;
        let from = self.expr()?;
        self.expect(Kind::Comma, "','")?;
        let to = self.expr()?;
        self.close()?;
        Ok(ExprKind::Row { items: vec![from, to], explicit: false })
    }

    /// `RUNNING x`, `FINAL x`.
    pub(super) fn match_scope(&mut self) -> Parse<ExprKind> {
        let scope = if self.at("FINAL") { MatchScope::Final } else { MatchScope::Running };
        self.advance();
        if matches!(self.word().to_ascii_uppercase().as_str(), "RUNNING" | "FINAL") {
            return Err(self.unexpected("a call"));
        }
        Ok(ExprKind::MatchScope(scope, Box::new(self.single_operand()?)))
    }

    /// `CURRENT_DATE` and its kin.
    pub(super) fn niladic(&mut self) -> ExprKind {
        let name = self.any_word();
        let mut call = bare_call(name, Vec::new());
        call.parens = false;
        ExprKind::Function(call)
    }

    /// A call in ordinary notation of operands that were written in another.
    fn plain_call(&self, name: Ident, args: Vec<Expr>) -> ExprKind {
        let start = name.span.start;
        let args = args
            .into_iter()
            .map(|e| FunctionArg { name: None, span: e.span, value: ArgValue::Expr(e) })
            .collect();
        let mut call = bare_call(name, args);
        call.span = self.since(start);
        ExprKind::Function(call)
    }
}

/// A call without any clause; its place is that of its name.
pub(super) fn bare_call(name: Ident, args: Vec<FunctionArg>) -> Box<FunctionCall> {
    let span: Span = name.span;
    Box::new(FunctionCall {
        name: ObjectName { span, parts: vec![name] },
        parens: true,
        quantifier: None,
        args,
        order_by: Vec::new(),
        within_group: Vec::new(),
        filter: None,
        nulls: None,
        over: None,
        span,
    })
}
