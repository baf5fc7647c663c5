//! A script: statements with `;` between, all faults of all of them; statement sets.

use millstream_types::{Fault, Span};

use super::{Parse, Parser};
use crate::ast::{Insert, SpannedStatement, Statement};
use crate::lexer::Kind;

impl Parser<'_> {
    /// All statements up to the end of the text. After a fault reading goes on behind the next `;`.
    pub(crate) fn script(&mut self) -> (Vec<SpannedStatement>, Vec<Fault>) {
        let (mut statements, mut faults) = (Vec::new(), Vec::new());
        loop {
            while self.eat(Kind::Semicolon) {}
            if self.is(Kind::End) {
                return (statements, faults);
            }
            let begin = self.at;
            match self.whole_statement(&mut faults) {
                Ok(Some(statement)) => statements.push(statement),
                Ok(None) => {}
                Err(fault) => {
                    faults.push(fault);
                    self.recover();
                    if self.at == begin {
                        self.advance();
                    }
                }
            }
        }
    }

    /// The only statement of a text, perhaps with `;` behind it.
    pub(crate) fn only_statement(&mut self) -> Parse<SpannedStatement> {
        if self.is(Kind::End) || self.is(Kind::Semicolon) {
            return Err(self.parse_fault("there is no statement here"));
        }
        let mut faults = Vec::new();
        let statement = self.whole_statement(&mut faults)?;
        while self.eat(Kind::Semicolon) {}
        if let Some(first) = faults.into_iter().next() {
            return Err(first);
        }
        if !self.is(Kind::End) {
            return Err(self
                .parse_fault("only one statement can stand here")
                .hint("read several with parse_script"));
        }
        statement.ok_or_else(|| self.parse_fault("there is no statement here"))
    }

    /// A statement with its `;`. None if it had faults, which are then among `faults`.
    fn whole_statement(&mut self, faults: &mut Vec<Fault>) -> Parse<Option<SpannedStatement>> {
        let start = self.here().start;
        let had = faults.len();
        let statement = if self.at_all(&["EXECUTE", "STATEMENT", "SET"]) {
            self.advance();
            Statement::StatementSet(self.statement_set(faults)?)
        } else {
            self.statement()?
        };
        let span = self.since(start);
        if !self.is(Kind::Semicolon) && !self.is(Kind::End) {
            return Err(self.behind_statement());
        }
        self.eat(Kind::Semicolon);
        Ok((faults.len() == had).then_some(SpannedStatement { statement, span }))
    }

    /// `STATEMENT SET BEGIN insert; … END`. A faulty INSERT is left out and its fault kept.
    pub(crate) fn statement_set(&mut self, faults: &mut Vec<Fault>) -> Parse<Vec<Insert>> {
        self.expect_words(&["STATEMENT", "SET"])?;
        let begin = self.here();
        self.expect_word("BEGIN")?;
        let had = faults.len();
        let mut inserts = Vec::new();
        loop {
            while self.eat(Kind::Semicolon) {}
            if self.at("END") && !(inserts.is_empty() && faults.len() == had) {
                self.advance();
                return Ok(inserts);
            }
            if self.is(Kind::End) {
                return Err(self.wanted("INSERT or END", needs_end(begin, self.text)));
            }
            if self.at_any(&["CREATE", "DROP", "ALTER", "SET", "RESET", "USE", "EXECUTE", "BEGIN", "SHOW"]) {
                // What follows is no part of the set: one fault for the END that is missing.
                return Err(self.wanted("INSERT or END", needs_end(begin, self.text)));
            }
            match self.set_member() {
                Ok(insert) => inserts.push(insert),
                Err(fault) => {
                    faults.push(fault);
                    // An END at the fault ends the set all the same.
                    let behind = self.token(1).kind;
                    if self.at("END") && matches!(behind, Kind::Semicolon | Kind::End) {
                        self.advance();
                        return Ok(inserts);
                    }
                    self.recover();
                }
            }
        }
    }

    fn set_member(&mut self) -> Parse<Insert> {
        if !self.at("INSERT") {
            return Err(self.wanted("INSERT", "a statement set holds INSERT statements only"));
        }
        let insert = self.insert()?;
        if self.is(Kind::Semicolon) {
            return Ok(insert);
        }
        if self.at("END") {
            return Err(self.wanted("';'", "every INSERT of a statement set ends with ';'"));
        }
        Err(self.behind_statement())
    }

    /// Whether a statement may begin here.
    pub(crate) fn begins_statement(&self) -> bool {
        self.at_any(&[
            "SELECT", "INSERT", "CREATE", "DROP", "ALTER", "EXECUTE", "SET", "SHOW", "EXPLAIN", "BEGIN",
        ])
    }

    /// The fault for what stands behind a whole statement.
    fn behind_statement(&self) -> Fault {
        let expected = "the end of the statement";
        if self.begins_statement() {
            return self.wanted(expected, format!("put a ';' before {}", self.found()));
        }
        if let Some(hint) = self.missing_between() {
            return self.wanted(expected, hint);
        }
        self.unexpected(expected)
    }
}

fn needs_end(begin: Span, text: &str) -> String {
    let (line, column) = begin.line_column(text);
    format!("the BEGIN at line {line}, column {column} needs an END")
}
