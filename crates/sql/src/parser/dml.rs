//! INSERT, UPDATE, DELETE.

use super::{Parse, Parser};
use crate::ast::{Delete, Insert, OnConflict, Statement, Update};
use crate::lexer::Kind;

impl Parser<'_> {
    /// INSERT INTO or OVERWRITE.
    pub(crate) fn insert(&mut self) -> Parse<Insert> {
        let start = self.here().start;
        self.expect_word("INSERT")?;
        let overwrite = self.eat_word("OVERWRITE");
        if !overwrite && !self.eat_word("INTO") {
            return Err(self.wanted("INTO or OVERWRITE", "write INSERT INTO table"));
        }
        if self.at("TABLE") {
            return Err(self.wanted("a table's name", "leave out TABLE"));
        }
        let table = self.object_name("a table's name")?;
        let hints = self.hints()?;
        let partition = if self.at("PARTITION") { Some(self.partition()?) } else { None };
        let columns = if self.is(Kind::LeftParen) && !self.at_query_paren() {
            self.ident_list("a column's name")?
        } else {
            Vec::new()
        };
        if !self.at_query() {
            return Err(self.unexpected("SELECT, VALUES or another query"));
        }
        let query = self.query()?;
        let on_conflict = if self.at_all(&["ON", "CONFLICT"]) { Some(self.on_conflict()?) } else { None };
        Ok(Insert {
            overwrite,
            table,
            hints,
            partition,
            columns,
            query,
            on_conflict,
            span: self.since(start),
        })
    }

    fn on_conflict(&mut self) -> Parse<OnConflict> {
        self.expect_words(&["ON", "CONFLICT", "DO"])?;
        let conflict = match self.word().to_ascii_uppercase().as_str() {
            "NOTHING" => OnConflict::Nothing,
            "ERROR" => OnConflict::Error,
            "DEDUPLICATE" => OnConflict::Deduplicate,
            _ => return Err(self.unexpected("NOTHING, ERROR or DEDUPLICATE")),
        };
        self.advance();
        Ok(conflict)
    }

    /// `UPDATE t SET a = 1 WHERE …`.
    pub(crate) fn update(&mut self) -> Parse<Statement> {
        self.advance();
        let table = self.object_name("a table's name")?;
        let hints = self.hints()?;
        let alias = self.dml_alias()?;
        self.expect_word("SET")?;
        let assignments = self.commas(|p| {
            let column = p.ident("a column's name")?;
            p.expect(Kind::Eq, "'='")?;
            Ok((column, p.expr()?))
        })?;
        let filter = if self.eat_word("WHERE") { Some(self.expr()?) } else { None };
        Ok(Statement::Update(Box::new(Update { table, hints, alias, assignments, filter })))
    }

    /// `DELETE FROM t WHERE …`.
    pub(crate) fn delete(&mut self) -> Parse<Statement> {
        self.expect_words(&["DELETE", "FROM"])?;
        let table = self.object_name("a table's name")?;
        let hints = self.hints()?;
        let alias = self.dml_alias()?;
        let filter = if self.eat_word("WHERE") { Some(self.expr()?) } else { None };
        Ok(Statement::Delete(Box::new(Delete { table, hints, alias, filter })))
    }

    fn dml_alias(&mut self) -> Parse<Option<crate::ast::Ident>> {
        if self.eat_word("AS") || self.at_ident() {
            return self.ident("a table's name").map(Some);
        }
        Ok(None)
    }
}
