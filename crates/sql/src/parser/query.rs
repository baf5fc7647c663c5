//! Queries: WITH, set operations, VALUES, ORDER BY and LIMIT, Blink's EMIT.

use millstream_types::{Fault, Span};

use super::{Parse, Parser, cost};
use crate::ast::{
    CommonTable, Emit, EmitDelay, EmitStrategy, EmitWhen, Expr, ExprKind, Limit, OrderItem, Query, QueryBody,
    QueryKind, SetLink, SetOp, ValuesRow, With,
};
use crate::lexer::Kind;

impl Parser<'_> {
    /// A query, its parentheses being read.
    pub(crate) fn query(&mut self) -> Parse<Query> {
        let outer = self.enter(cost::QUERY)?;
        let start = self.here().start;
        let with = if self.at("WITH") { Some(self.with_clause()?) } else { None };
        let body = self.set_operations()?;
        let order_by = if self.at("ORDER") { self.order_by()? } else { Vec::new() };
        let (limit, offset) = self.limit_and_offset()?;
        let emit = if self.at_emit() { Some(self.emit()?) } else { None };
        self.leave(cost::QUERY, outer);
        let plain =
            with.is_none() && order_by.is_empty() && limit.is_none() && offset.is_none() && emit.is_none();
        let span = self.since(start);
        match body {
            // `((SELECT …))` is the query in it.
            QueryBody { kind: QueryKind::Nested(inner), .. } if plain => Ok(*inner),
            body => Ok(Query { with, body, order_by, limit, offset, emit, span }),
        }
    }

    /// Whether a query begins here, perhaps in parentheses.
    pub(crate) fn at_query(&self) -> bool {
        self.query_begins(0) || self.at_query_paren()
    }

    fn with_clause(&mut self) -> Parse<With> {
        let start = self.advance().start;
        let recursive = self.eat_word("RECURSIVE");
        let tables = self.commas(Self::common_table)?;
        if !self.at_query() {
            let expected = "',', SELECT, VALUES or '('";
            if self.at("INSERT") {
                return Err(self.wanted(expected, "put WITH behind it: INSERT INTO table WITH … SELECT …"));
            }
            return Err(self.unexpected(expected));
        }
        Ok(With { recursive, tables, span: self.since(start) })
    }

    fn common_table(&mut self) -> Parse<CommonTable> {
        let name = self.ident("a query's name")?;
        let columns = if self.is(Kind::LeftParen) { self.ident_list("a column's name")? } else { Vec::new() };
        self.expect_word("AS")?;
        if !self.at_query_paren() {
            return Err(self.unexpected("a query in parentheses"));
        }
        self.advance();
        let query = self.query()?;
        self.close()?;
        Ok(CommonTable { name, columns, query })
    }

    /// UNION and EXCEPT from left to right.
    fn set_operations(&mut self) -> Parse<QueryBody> {
        let first = self.intersections()?;
        let mut links = Vec::new();
        loop {
            let op_span = self.here();
            let op = match self.word().to_ascii_uppercase().as_str() {
                "UNION" => SetOp::Union,
                "EXCEPT" => SetOp::Except,
                "MINUS" => {
                    return Err(self
                        .parse_fault("Flink SQL has no MINUS between queries")
                        .hint("write EXCEPT"));
                }
                _ => break,
            };
            self.advance();
            let all = self.set_all();
            let op_span = self.since(op_span.start);
            links.push(SetLink { op, all, op_span, operand: self.intersections()? });
        }
        Ok(chain(first, links))
    }

    fn intersections(&mut self) -> Parse<QueryBody> {
        let first = self.leaf_query()?;
        let mut links = Vec::new();
        while self.at("INTERSECT") {
            let start = self.advance().start;
            let all = self.set_all();
            let op_span = self.since(start);
            links.push(SetLink { op: SetOp::Intersect, all, op_span, operand: self.leaf_query()? });
        }
        Ok(chain(first, links))
    }

    fn set_all(&mut self) -> bool {
        if self.eat_word("ALL") {
            return true;
        }
        self.eat_word("DISTINCT");
        false
    }

    fn leaf_query(&mut self) -> Parse<QueryBody> {
        let start = self.here().start;
        let kind = if self.at("SELECT") {
            QueryKind::Select(Box::new(self.select()?))
        } else if self.at("VALUES") {
            self.advance();
            QueryKind::Values(self.commas(Self::values_row)?)
        } else if self.at("TABLE") {
            self.advance();
            QueryKind::Table(self.object_name("a table's name")?)
        } else if self.is(Kind::LeftParen) {
            self.advance();
            let query = self.query()?;
            self.close()?;
            QueryKind::Nested(Box::new(query))
        } else {
            return Err(self.unexpected("SELECT, VALUES, TABLE or a query in parentheses"));
        };
        Ok(QueryBody { kind, span: self.since(start) })
    }

    /// `(a, b)`, `ROW(a, b)` or a bare value.
    fn values_row(&mut self) -> Parse<ValuesRow> {
        let start = self.here().start;
        // `((1, 2))` is a row of one field, which is a row.
        let doubled = self.is(Kind::LeftParen)
            && self.token(1).kind == Kind::LeftParen
            && self.matching(1) + 1 == self.matching(0);
        let value = self.expr()?;
        let items = match value.kind {
            ExprKind::Row { items, .. } if !doubled => items,
            kind => vec![Expr { kind, span: value.span }],
        };
        Ok(ValuesRow { items, span: self.since(start) })
    }

    /// `ORDER BY a, b`.
    pub(crate) fn order_by(&mut self) -> Parse<Vec<OrderItem>> {
        self.expect_words(&["ORDER", "BY"])?;
        self.commas(Self::order_item)
    }

    pub(crate) fn order_item(&mut self) -> Parse<OrderItem> {
        let expr = self.expr()?;
        let descending = self.eat_word("DESC");
        if !descending {
            self.eat_word("ASC");
        }
        let nulls_first = if self.eat_words(&["NULLS", "FIRST"]) {
            Some(true)
        } else if self.eat_words(&["NULLS", "LAST"]) {
            Some(false)
        } else {
            None
        };
        Ok(OrderItem { expr, descending, nulls_first })
    }

    /// LIMIT, OFFSET and FETCH in the orders that Flink takes.
    fn limit_and_offset(&mut self) -> Parse<(Option<Limit>, Option<Expr>)> {
        let (mut limit, mut offset) = (None, None);
        if self.eat_word("LIMIT") {
            limit = Some(self.limit()?);
            if self.eat_word("OFFSET") {
                offset = Some(self.offset()?);
            }
            return Ok((limit, offset));
        }
        if self.eat_word("OFFSET") {
            offset = Some(self.offset()?);
            if self.eat_word("LIMIT") {
                limit = Some(self.limit()?);
                return Ok((limit, offset));
            }
        }
        if self.eat_word("FETCH") {
            if !self.eat_word("FIRST") {
                self.expect_word("NEXT")?;
            }
            limit = Some(Limit::Count(self.count()?));
            if !self.eat_word("ROW") {
                self.expect_word("ROWS")?;
            }
            self.expect_word("ONLY")?;
        }
        Ok((limit, offset))
    }

    fn limit(&mut self) -> Parse<Limit> {
        if self.at("ALL") {
            return Ok(Limit::All(self.advance().span()));
        }
        let first = self.here();
        let count = self.count()?;
        if self.is(Kind::Comma) {
            let number = |span: Span| self.text.get(span.start as usize..span.end as usize).unwrap_or("");
            let fault = self.parse_fault("Flink SQL has no 'LIMIT start, count'");
            let second = self.token(1);
            let hint = if second.kind == Kind::Integer {
                format!("write LIMIT {} OFFSET {}", number(second.span()), number(first))
            } else {
                "write LIMIT count OFFSET start".to_string()
            };
            return Err(fault.hint(hint));
        }
        Ok(Limit::Count(count))
    }

    fn offset(&mut self) -> Parse<Expr> {
        let count = self.count()?;
        if !self.eat_word("ROWS") {
            self.eat_word("ROW");
        }
        Ok(count)
    }

    /// A number of rows.
    fn count(&mut self) -> Parse<Expr> {
        if !self.is(Kind::Integer) {
            return Err(self.unexpected("a number of rows"));
        }
        let span = self.here();
        let kind = self.number();
        Ok(Expr { kind, span })
    }

    /// Whether Blink's EMIT begins here.
    pub(crate) fn at_emit(&self) -> bool {
        self.at_all(&["EMIT", "WITH"]) || self.at_all(&["EMIT", "WITHOUT"])
    }

    /// `EMIT WITH DELAY '1' MINUTE BEFORE WATERMARK, WITHOUT DELAY AFTER WATERMARK`.
    pub(crate) fn emit(&mut self) -> Parse<Emit> {
        let start = self.advance().start;
        let strategies = self.commas(Self::emit_strategy)?;
        let span = self.since(start);
        let count = |when: EmitWhen| strategies.iter().filter(|s| s.when == Some(when)).count();
        let both = strategies.iter().any(|s| s.when.is_none());
        let twice = count(EmitWhen::BeforeWatermark) > 1 || count(EmitWhen::AfterWatermark) > 1;
        if twice || (both && strategies.len() > 1) {
            return Err(Fault::user("parse", "EMIT names the same part of a window twice")
                .at(span)
                .hint("write at most one BEFORE WATERMARK and one AFTER WATERMARK"));
        }
        Ok(Emit { strategies, span })
    }

    fn emit_strategy(&mut self) -> Parse<EmitStrategy> {
        let start = self.here().start;
        let delay = if self.eat_words(&["WITHOUT", "DELAY"]) {
            None
        } else {
            self.expect_words(&["WITH", "DELAY"])?;
            let count = self.text("the delay as a string")?;
            Some(EmitDelay { count, unit: self.interval_unit()? })
        };
        let when = if self.eat_words(&["BEFORE", "WATERMARK"]) {
            Some(EmitWhen::BeforeWatermark)
        } else if self.eat_words(&["AFTER", "WATERMARK"]) {
            Some(EmitWhen::AfterWatermark)
        } else {
            None
        };
        Ok(EmitStrategy { delay, when, span: self.since(start) })
    }
}

fn chain(first: QueryBody, links: Vec<SetLink>) -> QueryBody {
    let Some(last) = links.last() else { return first };
    let span = first.span.to(last.operand.span);
    QueryBody { kind: QueryKind::SetOperation(Box::new(first), links), span }
}
