//! SELECT and its clauses.

use millstream_types::Fault;

use super::fault::parse_fault_at;
use super::{Parse, Parser, cost};
use crate::ast::{GroupBy, GroupItem, NamedWindow, ObjectName, Select, SelectItem};
use crate::lexer::Kind;

impl Parser<'_> {
    /// SELECT … up to QUALIFY.
    pub(crate) fn select(&mut self) -> Parse<Select> {
        let start = self.advance().start;
        let hints = self.hints()?;
        let stream = self.eat_word("STREAM");
        let quantifier = self.set_quantifier();
        if self.at("TOP") && self.token(1).kind == Kind::Integer {
            self.advance();
            return Err(self
                .unexpected("',' or FROM")
                .hint("put LIMIT and the number at the end of the query"));
        }
        let items = self.commas(Self::select_item)?;
        let mut select = Select {
            hints,
            stream,
            quantifier,
            items,
            from: Vec::new(),
            filter: None,
            group_by: None,
            having: None,
            windows: Vec::new(),
            qualify: None,
            span: self.since(start),
        };
        if self.eat_word("FROM") {
            self.clauses(&mut select)?;
        } else if self.at_any(&["WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY"]) {
            let fault = self.unexpected("',' or FROM");
            return Err(fault.hint("a SELECT without FROM has no other clause; read from (VALUES (…)) AS t"));
        }
        select.span = self.since(start);
        Ok(select)
    }

    fn clauses(&mut self, select: &mut Select) -> Parse<()> {
        select.from = self.commas(Self::joined_table)?;
        if self.eat_word("WHERE") {
            select.filter = Some(self.expr()?);
        }
        if self.at("GROUP") {
            select.group_by = Some(self.group_by()?);
        }
        if self.eat_word("HAVING") {
            select.having = Some(self.expr()?);
        }
        if self.eat_word("WINDOW") {
            select.windows = self.commas(|p| {
                let name = p.ident("a window's name")?;
                p.expect_word("AS")?;
                Ok(NamedWindow { name, spec: p.window_spec()? })
            })?;
        }
        if self.eat_word("QUALIFY") {
            select.qualify = Some(self.expr()?);
        }
        if self.at("WHERE") {
            return Err(self
                .unexpected("the end of the query")
                .hint("WHERE stands behind FROM, before GROUP BY"));
        }
        Ok(())
    }

    fn select_item(&mut self) -> Parse<SelectItem> {
        if self.is(Kind::Star) {
            let span = self.advance().span();
            if self.at_any(&["EXCEPT", "EXCLUDE", "REPLACE"])
                && self.token(1).kind == Kind::LeftParen
                && !self.query_begins(2)
            {
                let fault = self.unexpected("',' or FROM");
                return Err(fault.hint("Flink SQL cannot leave columns out of *; list the others"));
            }
            return Ok(SelectItem::Star(span));
        }
        if let Some(item) = self.qualified_star()? {
            return Ok(item);
        }
        let expr = self.expr()?;
        let alias = if self.eat_word("AS") {
            Some(self.ident("a column's name behind AS")?)
        } else if self.at_ident() && !self.at_emit() {
            Some(self.ident("a column's name")?)
        } else {
            None
        };
        Ok(SelectItem::Expr { expr, alias })
    }

    /// `t.*`, `catalog.database.t.*`.
    fn qualified_star(&mut self) -> Parse<Option<SelectItem>> {
        let mut ahead = 0;
        while self.ident_at(ahead) && self.token(ahead + 1).kind == Kind::Dot {
            ahead += 2;
        }
        if ahead == 0 || self.token(ahead).kind != Kind::Star {
            return Ok(None);
        }
        let start = self.here().start;
        let mut parts = Vec::new();
        while !self.is(Kind::Star) {
            parts.push(self.ident("a name")?);
            self.expect(Kind::Dot, "'.'")?;
        }
        let span = self.since(start);
        self.advance();
        Ok(Some(SelectItem::QualifiedStar(ObjectName { parts, span }, self.since(start))))
    }

    fn group_by(&mut self) -> Parse<GroupBy> {
        let start = self.advance().start;
        self.expect_word("BY")?;
        let distinct = self.eat_word("DISTINCT");
        if self.eat_word("ALL") && !self.starts_group_item() {
            return Err(self
                .unexpected("an expression")
                .hint("Flink SQL has no GROUP BY ALL; list the columns"));
        }
        let items = self.commas(Self::group_item)?;
        Ok(GroupBy { distinct, items, span: self.since(start) })
    }

    fn starts_group_item(&self) -> bool {
        !matches!(self.kind(), Kind::End | Kind::Semicolon | Kind::RightParen)
            && !self.at_any(&["HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "UNION"])
    }

    fn group_item(&mut self) -> Parse<GroupItem> {
        let start = self.here().start;
        if self.at_all(&["GROUPING", "SETS"])
            || (self.at_any(&["ROLLUP", "CUBE"]) && self.token(1).kind == Kind::LeftParen)
        {
            let outer = self.enter(cost::EXPRESSION)?;
            let item = self.grouping(start)?;
            self.leave(cost::EXPRESSION, outer);
            return Ok(item);
        }
        if self.is(Kind::LeftParen) && self.token(1).kind == Kind::RightParen {
            self.advance();
            self.advance();
            return Ok(GroupItem::List(Vec::new(), self.since(start)));
        }
        let expr = self.expr()?;
        let span = self.since(start);
        Ok(match expr.kind {
            // `(a, b)`: a list of columns, not a row.
            crate::ast::ExprKind::Row { items, explicit: false } => GroupItem::List(items, span),
            _ => GroupItem::Expr(expr),
        })
    }

    fn grouping(&mut self, start: u32) -> Parse<GroupItem> {
        if self.eat_words(&["GROUPING", "SETS"]) {
            let items = self.in_parens(Self::group_item)?;
            return Ok(GroupItem::GroupingSets(items, self.since(start)));
        }
        let rollup = self.at("ROLLUP");
        self.advance();
        let items = self.in_parens(Self::group_item)?;
        let span = self.since(start);
        if items.iter().any(|i| !matches!(i, GroupItem::Expr(_) | GroupItem::List(..))) {
            return Err(parse_fault_at(span, "ROLLUP and CUBE take columns only"));
        }
        Ok(if rollup { GroupItem::Rollup(items, span) } else { GroupItem::Cube(items, span) })
    }

    /// A fault for something that Flink's grammar has and Flink refuses.
    pub(crate) fn unsupported(&self, what: &str) -> Fault {
        Fault::user("unsupported", format!("{what} is not supported by Flink")).at(self.here())
    }
}
