//! SELECT and its clauses.

use millstream_types::Fault;

use super::fault::{parse_fault_at, reserved_hint};
use super::{Parse, Parser, cost};
use crate::ast::{GroupBy, GroupItem, NamedWindow, ObjectName, Select, SelectItem};
use crate::keywords::is_reserved;
use crate::lexer::Kind;

/// Words that can follow a select list without FROM.
const BEHIND_SELECT_LIST: &[&str] = &[
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "MINUS",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "FETCH",
    "EMIT",
    "ON",
    "PARTITION",
    "END",
    "LATERAL",
];

impl Parser<'_> {
    /// SELECT … up to QUALIFY.
    pub(crate) fn select(&mut self) -> Parse<Select> {
        let start = self.advance().start;
        let hints = self.hints()?;
        let stream = self.eat_word("STREAM");
        let quantifier = self.set_quantifier();
        if self.at("TOP") && self.token(1).kind == Kind::Integer {
            self.advance();
            return Err(self.wanted("',' or FROM", "put LIMIT and the number at the end of the query"));
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
            let hint = "a SELECT without FROM has no other clause; read from (VALUES (…)) AS t";
            return Err(self.wanted("',' or FROM", hint));
        } else if let Some(fault) = self.behind_select_list() {
            return Err(fault);
        }
        select.span = self.since(start);
        Ok(select)
    }

    /// The fault of what can follow no select list: most often a second alias, a reserved or a quoted one.
    fn behind_select_list(&self) -> Option<Fault> {
        let expected = "',' or FROM";
        if self.is(Kind::Text) {
            return Some(self.wanted(expected, "a column's name stands in backticks or without quotes"));
        }
        let word = self.word();
        if word.is_empty() || self.at_any(BEHIND_SELECT_LIST) || self.begins_statement() {
            return None;
        }
        if is_reserved(word) && self.looks_like_name() {
            return Some(self.wanted(expected, reserved_hint(word)));
        }
        Some(self.unexpected(expected))
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
            return Err(self.wanted("the end of the query", "WHERE stands behind FROM, before GROUP BY"));
        }
        Ok(())
    }

    fn select_item(&mut self) -> Parse<SelectItem> {
        if self.is(Kind::Star) {
            let span = self.advance().span();
            self.no_star_but()?;
            return Ok(SelectItem::Star(span));
        }
        if let Some(item) = self.qualified_star()? {
            self.no_star_but()?;
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

    /// `* EXCEPT (a)` is another product's.
    fn no_star_but(&self) -> Parse<()> {
        let but = self.at_any(&["EXCEPT", "EXCLUDE", "REPLACE"]);
        if but && self.token(1).kind == Kind::LeftParen && self.ident_at(2) {
            return Err(
                self.wanted("',' or FROM", "Flink SQL cannot leave columns out of *; list the others")
            );
        }
        Ok(())
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
            return Err(self.wanted("an expression", "Flink SQL has no GROUP BY ALL; list the columns"));
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
