//! Statements: which one begins here, and those that are too small for a file of their own.

use millstream_types::Fault;

use super::fault::near;
use super::{Parse, Parser};
use crate::ast::{
    Analyze, AnalyzeColumns, ClientCommand, CompilePlan, Explain, ExplainDetail, OptionEntry, PartitionSpec,
    SpannedStatement, Statement, Text, Use,
};
use crate::lexer::Kind;

/// What a statement can begin with.
const BEGINNINGS: &[&str] = &[
    "SELECT", "WITH", "VALUES", "INSERT", "CREATE", "REPLACE", "ALTER", "DROP", "UPDATE", "DELETE",
    "TRUNCATE", "EXECUTE", "BEGIN", "END", "EXPLAIN", "SHOW", "DESCRIBE", "DESC", "USE", "SET", "RESET",
    "LOAD", "UNLOAD", "ADD", "REMOVE", "ANALYZE", "COMPILE", "CALL", "STOP", "QUIT", "EXIT", "CLEAR", "HELP",
];

impl Parser<'_> {
    /// A statement without its `;`.
    pub(crate) fn statement(&mut self) -> Parse<Statement> {
        if self.at_query() {
            return self.query().map(|q| Statement::Query(Box::new(q)));
        }
        match self.word().to_ascii_uppercase().as_str() {
            "INSERT" => self.insert().map(|i| Statement::Insert(Box::new(i))),
            "CREATE" => self.create(),
            "REPLACE" => self.replace_table(),
            "ALTER" => self.alter(),
            "DROP" => self.drop_statement(),
            "UPDATE" => self.update(),
            "DELETE" => self.delete(),
            "TRUNCATE" => {
                self.expect_words(&["TRUNCATE", "TABLE"])?;
                self.object_name("a table's name").map(Statement::Truncate)
            }
            "EXECUTE" => self.execute(),
            "BEGIN" => {
                self.expect_words(&["BEGIN", "STATEMENT", "SET"])?;
                Ok(Statement::BeginStatementSet)
            }
            "END" => {
                self.advance();
                Ok(Statement::EndStatementSet)
            }
            "EXPLAIN" => self.explain(),
            "SHOW" => self.show(),
            "DESCRIBE" | "DESC" => self.describe(),
            "USE" => self.use_statement(),
            "SET" => self.set(),
            "RESET" => self.reset(),
            "LOAD" => self.load_module(),
            "UNLOAD" => {
                self.expect_words(&["UNLOAD", "MODULE"])?;
                self.ident("a module's name").map(Statement::UnloadModule)
            }
            "ADD" => {
                self.expect_words(&["ADD", "JAR"])?;
                self.text("the file as a string").map(Statement::AddJar)
            }
            "REMOVE" => {
                self.expect_words(&["REMOVE", "JAR"])?;
                self.text("the file as a string").map(Statement::RemoveJar)
            }
            "ANALYZE" => self.analyze(),
            "COMPILE" => self.compile_plan(),
            "CALL" => self.call_statement(),
            "STOP" => self.stop_job(),
            "QUIT" | "EXIT" => Ok(self.client(ClientCommand::Quit)),
            "CLEAR" => Ok(self.client(ClientCommand::Clear)),
            "HELP" => Ok(self.client(ClientCommand::Help)),
            _ => Err(self.no_statement()),
        }
    }

    fn no_statement(&self) -> Fault {
        let word = self.word();
        if word.is_empty() {
            return self.unexpected("a statement");
        }
        let fault = self.parse_fault(format!("no statement begins with {}", self.found()));
        if self.at_all(&["STATEMENT", "SET"]) {
            return fault.hint("write EXECUTE STATEMENT SET BEGIN … END");
        }
        match word.to_ascii_uppercase().as_str() {
            "MERGE" | "UPSERT" => {
                fault.hint("write INSERT INTO; a sink with a primary key replaces rows by key")
            }
            "FROM" => fault.hint("begin with SELECT"),
            _ => match near(word, BEGINNINGS) {
                Some(known) => fault.hint(format!("did you mean {known}?")),
                None => fault,
            },
        }
    }

    fn client(&mut self, command: ClientCommand) -> Statement {
        self.advance();
        Statement::Client(command)
    }

    /// `EXECUTE PLAN 'file'`, `EXECUTE insert`, `EXECUTE query`; statement sets are read by the script.
    fn execute(&mut self) -> Parse<Statement> {
        self.advance();
        if self.eat_word("PLAN") {
            return self.text("the file as a string").map(Statement::ExecutePlan);
        }
        if self.at("INSERT") {
            return self.insert().map(|i| Statement::Insert(Box::new(i)));
        }
        if self.at_query() {
            return self.query().map(|q| Statement::Query(Box::new(q)));
        }
        Err(self.unexpected("STATEMENT SET, PLAN, INSERT or a query"))
    }

    /// A statement set whose first fault is the fault of all of it.
    fn set_as_a_whole(&mut self) -> Parse<Vec<crate::ast::Insert>> {
        let mut faults = Vec::new();
        let inserts = self.statement_set(&mut faults)?;
        match faults.into_iter().next() {
            Some(first) => Err(first),
            None => Ok(inserts),
        }
    }

    fn explain(&mut self) -> Parse<Statement> {
        self.advance();
        let mut details = Vec::new();
        if !self.eat_words(&["PLAN", "FOR"]) {
            while let Some(detail) = explain_detail(self.word()) {
                let token = self.advance();
                if details.contains(&detail) {
                    return Err(
                        Fault::user("parse", "Duplicate EXPLAIN DETAIL is not allowed.").at(token.span())
                    );
                }
                details.push(detail);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        let start = self.here().start;
        let statement = if self.at_all(&["STATEMENT", "SET"]) {
            Statement::StatementSet(self.set_as_a_whole()?)
        } else if self.at("INSERT") || self.at_query() || self.at_any(&["UPDATE", "DELETE"]) {
            self.statement()?
        } else if self.at_any(&["CREATE", "REPLACE"]) {
            let created = self.statement()?;
            if !matches!(&created, Statement::CreateTable(table) if table.query.is_some()) {
                return Err(Fault::user("parse", "EXPLAIN explains no CREATE without a query")
                    .at(self.since(start))
                    .hint("write CREATE TABLE … AS SELECT …, or explain the query itself"));
            }
            created
        } else {
            let details = ["ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE"];
            let hint = match near(self.word(), &details) {
                Some(near) => format!("did you mean {near}?"),
                None => "details are ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN and PLAN_ADVICE"
                    .to_string(),
            };
            return Err(self.wanted("a query, INSERT, STATEMENT SET or CREATE TABLE AS", hint));
        };
        let statement = SpannedStatement { statement, span: self.since(start) };
        Ok(Statement::Explain(Box::new(Explain { details, statement })))
    }

    fn use_statement(&mut self) -> Parse<Statement> {
        self.advance();
        if self.eat_word("CATALOG") {
            return Ok(Statement::Use(Use::Catalog(self.ident("a catalog's name")?)));
        }
        if self.eat_word("MODULES") {
            return Ok(Statement::Use(Use::Modules(self.commas(|p| p.ident("a module's name"))?)));
        }
        Ok(Statement::Use(Use::Database(self.object_name("a database's name")?)))
    }

    /// `SET`, `SET 'key' = 'value'`, and the client's `SET key = value` without quotes.
    fn set(&mut self) -> Parse<Statement> {
        self.advance();
        if matches!(self.kind(), Kind::End | Kind::Semicolon) {
            return Ok(Statement::Set(None));
        }
        if self.is(Kind::Text) {
            let key = self.text("a key")?;
            if !self.is(Kind::Eq) {
                return Err(self.wanted("'='", "write SET 'key' = 'value'"));
            }
            self.advance();
            let value = self.text("the value as a string")?;
            return Ok(Statement::Set(Some(OptionEntry { key, value })));
        }
        let key = self.raw_until(|kind| kind == Kind::Eq)?;
        self.expect(Kind::Eq, "'=' and a value")?;
        let value = if self.is(Kind::Text) { self.text("a value")? } else { self.raw_until(|_| false)? };
        Ok(Statement::Set(Some(OptionEntry { key, value })))
    }

    /// The text as it is up to a token, `;` or a blank.
    fn raw_until(&mut self, stop: impl Fn(Kind) -> bool) -> Parse<Text> {
        let first = self.here();
        let mut last = first.start;
        while !matches!(self.kind(), Kind::End | Kind::Semicolon) && !stop(self.kind()) {
            let token = self.token(0);
            if last != first.start && token.start != last {
                return Err(self.wanted("the end of the statement", "put keys and values in single quotes"));
            }
            last = self.advance().end;
        }
        if last == first.start {
            return Err(self.unexpected("a key or value"));
        }
        let span = self.since(first.start);
        let raw = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let quoted = |quote: char| raw.strip_prefix(quote).and_then(|r| r.strip_suffix(quote));
        let value = quoted('`').or_else(|| quoted('"')).unwrap_or(raw).to_string();
        Ok(Text { value, span })
    }

    fn reset(&mut self) -> Parse<Statement> {
        self.advance();
        Ok(Statement::Reset(match self.kind() {
            Kind::End | Kind::Semicolon => None,
            Kind::Text => Some(self.text("a key")?),
            _ => Some(self.raw_until(|_| false)?),
        }))
    }

    fn load_module(&mut self) -> Parse<Statement> {
        self.expect_words(&["LOAD", "MODULE"])?;
        let name = self.ident("a module's name")?;
        Ok(Statement::LoadModule(name, self.with_options()?))
    }

    fn analyze(&mut self) -> Parse<Statement> {
        self.expect_words(&["ANALYZE", "TABLE"])?;
        let table = self.object_name("a table's name")?;
        let partition = if self.at("PARTITION") { Some(self.partition()?) } else { None };
        self.expect_words(&["COMPUTE", "STATISTICS"])?;
        let mut columns = AnalyzeColumns::None;
        if self.eat_word("FOR") {
            columns = if self.eat_words(&["ALL", "COLUMNS"]) {
                AnalyzeColumns::All
            } else {
                self.expect_word("COLUMNS")?;
                AnalyzeColumns::Named(self.commas(|p| p.ident("a column's name"))?)
            };
        }
        Ok(Statement::Analyze(Box::new(Analyze { table, partition, columns })))
    }

    /// `PARTITION (a = 'x', b)`.
    pub(crate) fn partition(&mut self) -> Parse<PartitionSpec> {
        let start = self.here().start;
        self.expect_word("PARTITION")?;
        let entries = self.in_parens(|p| {
            let name = p.ident("a column's name")?;
            let value = if p.eat(Kind::Eq) { Some(p.expr()?) } else { None };
            Ok((name, value))
        })?;
        Ok(PartitionSpec { entries, span: self.since(start) })
    }

    fn compile_plan(&mut self) -> Parse<Statement> {
        self.advance();
        let execute = self.eat_words(&["AND", "EXECUTE"]);
        self.expect_word("PLAN")?;
        let path = self.text("the file as a string")?;
        let if_not_exists = !execute && self.eat_words(&["IF", "NOT", "EXISTS"]);
        self.expect_word("FOR")?;
        let statement_set = self.at_all(&["STATEMENT", "SET"]);
        let inserts = if statement_set { self.set_as_a_whole()? } else { vec![self.insert()?] };
        Ok(Statement::CompilePlan(Box::new(CompilePlan {
            path,
            if_not_exists,
            execute,
            inserts,
            statement_set,
        })))
    }

    fn call_statement(&mut self) -> Parse<Statement> {
        self.advance();
        let start = self.here().start;
        let name = self.path("a procedure's name")?;
        let span = self.since(start);
        let call = self.call_arguments(name, span, super::expr::call::Queries::AreValues)?;
        Ok(Statement::Call(call))
    }

    fn stop_job(&mut self) -> Parse<Statement> {
        self.expect_words(&["STOP", "JOB"])?;
        let id = self.text("the job's id as a string")?;
        let savepoint = self.eat_words(&["WITH", "SAVEPOINT"]);
        let drain = self.eat_words(&["WITH", "DRAIN"]);
        Ok(Statement::StopJob { id, savepoint, drain })
    }

    /// `IF EXISTS`.
    pub(crate) fn if_exists(&mut self) -> bool {
        self.eat_words(&["IF", "EXISTS"])
    }

    /// `IF NOT EXISTS`.
    pub(crate) fn if_not_exists(&mut self) -> bool {
        self.eat_words(&["IF", "NOT", "EXISTS"])
    }
}

fn explain_detail(word: &str) -> Option<ExplainDetail> {
    Some(match word.to_ascii_uppercase().as_str() {
        "ESTIMATED_COST" => ExplainDetail::EstimatedCost,
        "CHANGELOG_MODE" => ExplainDetail::ChangelogMode,
        "JSON_EXECUTION_PLAN" => ExplainDetail::JsonExecutionPlan,
        "PLAN_ADVICE" => ExplainDetail::PlanAdvice,
        _ => return None,
    })
}
