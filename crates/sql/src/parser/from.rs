//! FROM: tables, joins, table functions.

use super::expr::call::Queries;
use super::fault::shown;
use super::{Parse, Parser, cost};
use crate::ast::{Ident, Join, JoinCondition, JoinKind, JoinedTable, TableAlias, TableFactor, TableKind};
use crate::lexer::Kind;

impl Parser<'_> {
    /// A table and what is joined to it.
    pub(crate) fn joined_table(&mut self) -> Parse<JoinedTable> {
        let start = self.here().start;
        let first = self.table_factor()?;
        let mut joins = Vec::new();
        while let Some(join) = self.join()? {
            joins.push(join);
        }
        Ok(JoinedTable { first, joins, span: self.since(start) })
    }

    fn join(&mut self) -> Parse<Option<Join>> {
        let start = self.here().start;
        let natural = self.at("NATURAL");
        let ahead = usize::from(natural);
        let kind = match self.word_at(ahead).to_ascii_uppercase().as_str() {
            "JOIN" | "INNER" => JoinKind::Inner,
            "LEFT" => JoinKind::Left,
            "RIGHT" => JoinKind::Right,
            "FULL" => JoinKind::Full,
            "CROSS" => JoinKind::Cross,
            "ANTI" | "SEMI" if self.word_at(ahead + 1).eq_ignore_ascii_case("JOIN") => {
                return Err(self.unexpected("a join, WHERE or the end of FROM"));
            }
            "OUTER" => return Err(self.unexpected("LEFT, RIGHT or FULL before OUTER")),
            _ if natural => {
                self.advance();
                return Err(self.unexpected("JOIN"));
            }
            _ => return Ok(None),
        };
        if natural {
            self.advance();
        }
        if !self.eat_word("JOIN") {
            self.advance();
            if matches!(kind, JoinKind::Left | JoinKind::Right | JoinKind::Full) {
                self.eat_word("OUTER");
            }
            if self.at("APPLY") {
                return Err(self.wanted(
                    "JOIN",
                    "write CROSS JOIN LATERAL TABLE(…), or LEFT JOIN LATERAL TABLE(…) ON TRUE",
                ));
            }
            self.expect_word("JOIN")?;
        }
        let op_span = self.since(start);
        let right = self.table_factor()?;
        let condition = if self.eat_word("ON") {
            JoinCondition::On(self.expr()?)
        } else if self.eat_word("USING") {
            JoinCondition::Using(self.ident_list("a column's name")?)
        } else {
            JoinCondition::None
        };
        Ok(Some(Join { kind, natural, right, condition, op_span }))
    }

    fn table_factor(&mut self) -> Parse<TableFactor> {
        let start = self.here().start;
        let kind = self.table_kind()?;
        let mut factor = TableFactor { kind, alias: None, span: self.since(start) };
        let may_match = !matches!(factor.kind, TableKind::Function { .. } | TableKind::Unnest { .. });
        let matches_alias =
            self.at("AS") && self.ident_at(1) && self.word_at(2).eq_ignore_ascii_case("MATCH_RECOGNIZE");
        if may_match && (self.at("MATCH_RECOGNIZE") || matches_alias) {
            if matches_alias {
                self.advance();
                let name = self.ident("a table's name")?;
                factor.alias = Some(TableAlias { name, columns: Vec::new() });
                factor.span = self.since(start);
            }
            let clause = Box::new(self.match_recognize()?);
            factor = TableFactor {
                kind: TableKind::Match { input: Box::new(factor), clause },
                alias: None,
                span: self.since(start),
            };
        }
        match self.word().to_ascii_uppercase().as_str() {
            "PIVOT" | "UNPIVOT" => return Err(self.unsupported("PIVOT")),
            _ => factor.alias = self.table_alias()?,
        }
        if self.at("TABLESAMPLE") {
            return Err(self.unsupported("TABLESAMPLE"));
        }
        if factor.alias.is_some() && self.at_all(&["FOR", "SYSTEM_TIME"]) {
            let hint = "put the alias behind it: table FOR SYSTEM_TIME AS OF time AS alias";
            return Err(self.wanted("a join, WHERE or the end of FROM", hint));
        }
        factor.span = self.since(start);
        Ok(factor)
    }

    fn table_alias(&mut self) -> Parse<Option<TableAlias>> {
        let name: Ident = if self.eat_word("AS") {
            self.ident("a table's name behind AS")?
        } else if self.at_ident() && !self.at_emit() {
            self.ident("a table's name")?
        } else {
            return Ok(None);
        };
        let columns = if self.is(Kind::LeftParen) { self.ident_list("a column's name")? } else { Vec::new() };
        Ok(Some(TableAlias { name, columns }))
    }

    fn table_kind(&mut self) -> Parse<TableKind> {
        let lateral = self.eat_word("LATERAL");
        if self.at("UNNEST") {
            self.advance();
            let args = self.in_parens(Self::expr)?;
            let ordinality = self.eat_words(&["WITH", "ORDINALITY"]);
            return Ok(TableKind::Unnest { args, ordinality, lateral });
        }
        if self.at("TABLE") && self.token(1).kind == Kind::LeftParen {
            return self.wrapped_function(lateral);
        }
        if self.at_query_paren() {
            self.advance();
            let query = Box::new(self.query()?);
            self.close()?;
            return Ok(TableKind::Derived { query, lateral });
        }
        if lateral {
            let expected = "TABLE(…), UNNEST(…) or a query in parentheses";
            return Err(match self.word() {
                "" => self.unexpected(expected),
                function => self.wanted(expected, format!("write LATERAL TABLE({}(…))", shown(function))),
            });
        }
        if self.is(Kind::LeftParen) {
            let outer = self.enter(cost::JOIN)?;
            self.advance();
            let inner = Box::new(self.joined_table()?);
            if self.is(Kind::Comma) {
                return Err(self.wanted("')'", "write CROSS JOIN instead of the comma in parentheses"));
            }
            self.close()?;
            self.leave(cost::JOIN, outer);
            return Ok(TableKind::Nested(inner));
        }
        if self.query_begins(0) {
            return Err(self.wanted("a table", "put the query into parentheses: FROM (SELECT …) AS t"));
        }
        self.named_table()
    }

    /// `TABLE(f(…))`.
    fn wrapped_function(&mut self, lateral: bool) -> Parse<TableKind> {
        self.advance();
        self.open()?;
        let start = self.here().start;
        let name = self.path("a table function's name")?;
        let span = self.since(start);
        if !self.is(Kind::LeftParen) {
            return Err(self.wanted(
                "'('",
                "TABLE(…) holds a call of a table function; a table stands in FROM by its name",
            ));
        }
        let call = self.call_arguments(name, span, Queries::AreTables)?;
        self.close()?;
        Ok(TableKind::Function { call, lateral, wrapped: true })
    }

    /// A table by its name, or a call of a table function without `TABLE( )`.
    fn named_table(&mut self) -> Parse<TableKind> {
        let name = self.object_name("a table's name")?;
        if self.is(Kind::LeftParen) {
            let span = name.span;
            let call = self.call_arguments(name.parts, span, Queries::AreTables)?;
            return Ok(TableKind::Function { call, lateral: false, wrapped: false });
        }
        let hints = self.hints()?;
        let mut system_time = None;
        if self.eat_words(&["FOR", "SYSTEM_TIME"]) {
            self.expect_words(&["AS", "OF"])?;
            system_time = Some(self.expr()?);
        }
        Ok(TableKind::Named { name, hints, system_time })
    }
}
