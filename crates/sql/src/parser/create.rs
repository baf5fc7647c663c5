//! CREATE, REPLACE TABLE and DROP.

use millstream_types::Fault;

use super::fault::{name, parse_fault_at, shown};
use super::{Parse, Parser};
use crate::ast::{
    ColumnKind, CreateCatalog, CreateDatabase, CreateFunction, CreateMaterializedTable, CreateMode,
    CreateModel, CreateTable, CreateView, DropKind, DropObject, FunctionResource, FunctionScope, Ident,
    Statement, TableSchema, Text,
};
use crate::lexer::Kind;

/// What can be created and dropped.
const THINGS: &[&str] = &["TABLE", "VIEW", "FUNCTION", "CATALOG", "DATABASE", "MODEL", "MATERIALIZED"];

/// What stood between CREATE and the kind of thing.
#[derive(Clone, Copy)]
struct Prefix {
    replace: bool,
    temporary: bool,
    system: bool,
}

impl Parser<'_> {
    pub(crate) fn create(&mut self) -> Parse<Statement> {
        let start = self.here().start;
        self.advance();
        let replace = self.eat_words(&["OR", "REPLACE"]);
        let temporary = self.eat_word("TEMPORARY");
        let system = self.eat_word("SYSTEM");
        let prefix = Prefix { replace, temporary, system };
        let word = self.word().to_ascii_uppercase();
        if system && word != "FUNCTION" {
            return Err(self.unexpected("FUNCTION"));
        }
        if system && !temporary {
            return Err(parse_fault_at(self.since(start), "a system function can only be temporary")
                .hint("write CREATE TEMPORARY SYSTEM FUNCTION"));
        }
        if temporary && matches!(word.as_str(), "CATALOG" | "DATABASE" | "MATERIALIZED") {
            return Err(self.wanted("TABLE, VIEW, FUNCTION or MODEL", "only these can be temporary"));
        }
        match word.as_str() {
            "TABLE" => self.create_table(prefix),
            "VIEW" => self.create_view(prefix),
            "FUNCTION" => self.create_function(prefix),
            "CATALOG" => self.create_catalog(prefix),
            "DATABASE" => self.create_database(prefix),
            "MODEL" => self.create_model(prefix),
            "MATERIALIZED" => self.create_materialized_table(prefix),
            "CONNECTION" => {
                Err(Fault::user("unsupported", "Flink carries out no CREATE CONNECTION").at(self.here()))
            }
            "SCHEMA" => Err(self.wanted("what to create", "write CREATE DATABASE")),
            "EXTERNAL" | "SOURCE" | "SINK" | "STREAM" => {
                Err(self.wanted("what to create", "write CREATE TABLE; options say where its rows come from"))
            }
            _ => {
                let all = "it can be TABLE, VIEW, FUNCTION, CATALOG, DATABASE, MODEL or MATERIALIZED TABLE";
                Err(self.wanted("what to create", self.meant(THINGS, all)))
            }
        }
    }

    fn mode(&mut self, prefix: Prefix) -> Parse<CreateMode> {
        let at = self.here();
        if self.if_not_exists() {
            if prefix.replace {
                return Err(parse_fault_at(at, "OR REPLACE and IF NOT EXISTS exclude each other")
                    .hint("leave one out"));
            }
            return Ok(CreateMode::IfNotExists);
        }
        Ok(if prefix.replace { CreateMode::OrReplace } else { CreateMode::New })
    }

    fn create_table(&mut self, prefix: Prefix) -> Parse<Statement> {
        self.advance();
        let mode = self.mode(prefix)?;
        self.table_definition(mode, prefix.temporary)
    }

    /// `REPLACE TABLE t AS query`.
    pub(crate) fn replace_table(&mut self) -> Parse<Statement> {
        self.expect_words(&["REPLACE", "TABLE"])?;
        self.table_definition(CreateMode::Replace, false)
    }

    fn table_definition(&mut self, mode: CreateMode, temporary: bool) -> Parse<Statement> {
        let name = self.object_name("a table's name")?;
        let schema = self.schema_or_none()?;
        let comment = self.comment()?;
        let distribution = self.distribution()?;
        let partitioned_by = self.partitioned_by()?;
        let options = self.with_options()?;
        let like = if self.at("LIKE") { Some(self.table_like()?) } else { None };
        let query = if like.is_none() && self.eat_word("AS") { Some(self.statement_query()?) } else { None };
        self.names_only_with_query(&schema, query.is_some())?;
        if mode == CreateMode::Replace && query.is_none() {
            return Err(self.wanted("AS and a query", "write CREATE OR REPLACE TABLE"));
        }
        Ok(Statement::CreateTable(Box::new(CreateTable {
            mode,
            temporary,
            name,
            schema,
            comment,
            distribution,
            partitioned_by,
            options,
            like,
            query,
        })))
    }

    fn schema_or_none(&mut self) -> Parse<TableSchema> {
        if self.is(Kind::LeftParen) {
            return self.table_schema();
        }
        Ok(TableSchema { span: self.nothing_here(), ..TableSchema::default() })
    }

    /// Columns without types can stand only where a query gives the types.
    fn names_only_with_query(&self, schema: &TableSchema, query: bool) -> Parse<()> {
        let names = schema.columns.iter().filter(|c| matches!(c.kind, ColumnKind::NameOnly)).count();
        let Some(first) = schema.columns.iter().find(|c| matches!(c.kind, ColumnKind::NameOnly)) else {
            return Ok(());
        };
        if !query {
            return Err(parse_fault_at(
                first.span,
                format!("the column '{}' has no type", shown(&first.name.value)),
            )
            .hint(format!("write its type: {} STRING", name(&shown(&first.name.value)))));
        }
        if names != schema.columns.len() {
            return Err(parse_fault_at(first.span, "columns with and without types cannot be mixed")
                .hint("give either all columns their types or none"));
        }
        Ok(())
    }

    /// A query behind AS.
    fn statement_query(&mut self) -> Parse<crate::ast::Query> {
        if !self.at_query() {
            return Err(self.unexpected("a query"));
        }
        self.query()
    }

    fn create_view(&mut self, prefix: Prefix) -> Parse<Statement> {
        self.advance();
        let mode = self.mode(prefix)?;
        let name = self.object_name("a view's name")?;
        let columns = if self.is(Kind::LeftParen) { self.ident_list("a column's name")? } else { Vec::new() };
        let comment = self.comment()?;
        self.expect_word("AS")?;
        let query = self.statement_query()?;
        let temporary = prefix.temporary;
        Ok(Statement::CreateView(Box::new(CreateView { mode, temporary, name, columns, comment, query })))
    }

    fn create_function(&mut self, prefix: Prefix) -> Parse<Statement> {
        self.advance();
        let mode = self.mode(prefix)?;
        let scope = match prefix {
            Prefix { system: true, .. } => FunctionScope::TemporarySystem,
            Prefix { temporary: true, .. } => FunctionScope::Temporary,
            _ => FunctionScope::Catalog,
        };
        let name = self.object_name("a function's name")?;
        self.expect_word("AS")?;
        let class = self.text("a class as a string")?;
        let function = self.function_clauses(CreateFunction {
            mode,
            scope,
            name,
            class,
            language: None,
            resources: Vec::new(),
            options: Vec::new(),
        })?;
        Ok(Statement::CreateFunction(Box::new(function)))
    }

    /// LANGUAGE, USING and WITH behind a function's class.
    pub(crate) fn function_clauses(&mut self, mut function: CreateFunction) -> Parse<CreateFunction> {
        function.language = self.language()?;
        if self.eat_word("USING") {
            function.resources = self.commas(|p| {
                if !p.at_any(&["JAR", "FILE", "ARTIFACT"]) {
                    return Err(p.unexpected("JAR, FILE or ARTIFACT"));
                }
                Ok(FunctionResource { kind: p.any_word(), uri: p.text("a file as a string")? })
            })?;
        }
        function.options = self.with_options()?;
        Ok(function)
    }

    fn language(&mut self) -> Parse<Option<Ident>> {
        if !self.eat_word("LANGUAGE") {
            return Ok(None);
        }
        if !self.at_any(&["JAVA", "SCALA", "PYTHON", "SQL", "WASM"]) {
            return Err(self.unexpected("JAVA, SCALA, PYTHON, SQL or WASM"));
        }
        Ok(Some(self.any_word()))
    }

    fn create_catalog(&mut self, prefix: Prefix) -> Parse<Statement> {
        self.advance();
        let mode = self.mode(prefix)?;
        let name = self.ident("a catalog's name")?;
        let comment = self.comment()?;
        let options = self.with_options()?;
        Ok(Statement::CreateCatalog(Box::new(CreateCatalog { mode, name, comment, options })))
    }

    fn create_database(&mut self, prefix: Prefix) -> Parse<Statement> {
        self.advance();
        let mode = self.mode(prefix)?;
        let name = self.object_name("a database's name")?;
        let comment = self.comment()?;
        let options = self.with_options()?;
        Ok(Statement::CreateDatabase(Box::new(CreateDatabase { mode, name, comment, options })))
    }

    fn create_model(&mut self, prefix: Prefix) -> Parse<Statement> {
        self.advance();
        let mode = self.mode(prefix)?;
        let name = self.object_name("a model's name")?;
        let input = if self.eat_word("INPUT") { self.table_schema()?.columns } else { Vec::new() };
        let output = if self.eat_word("OUTPUT") { self.table_schema()?.columns } else { Vec::new() };
        let comment = self.comment()?;
        let options = self.with_options()?;
        let query = if self.eat_word("AS") { Some(self.statement_query()?) } else { None };
        let temporary = prefix.temporary;
        Ok(Statement::CreateModel(Box::new(CreateModel {
            mode,
            temporary,
            name,
            input,
            output,
            comment,
            options,
            query,
        })))
    }

    fn create_materialized_table(&mut self, prefix: Prefix) -> Parse<Statement> {
        self.expect_words(&["MATERIALIZED", "TABLE"])?;
        let mode = self.mode(prefix)?;
        let name = self.object_name("a table's name")?;
        let schema = self.schema_or_none()?;
        let comment = self.comment()?;
        let distribution = self.distribution()?;
        let partitioned_by = self.partitioned_by()?;
        let options = self.with_options()?;
        let mut freshness = None;
        if self.eat_word("FRESHNESS") {
            self.expect(Kind::Eq, "'='")?;
            freshness = Some(self.interval_literal()?);
        }
        let mut full_refresh = None;
        if self.eat_word("REFRESH_MODE") {
            self.expect(Kind::Eq, "'='")?;
            full_refresh = Some(self.refresh_mode()?);
        }
        self.expect_word("AS")?;
        let query = self.statement_query()?;
        self.names_only_with_query(&schema, true)?;
        Ok(Statement::CreateMaterializedTable(Box::new(CreateMaterializedTable {
            mode,
            name,
            schema,
            comment,
            distribution,
            partitioned_by,
            options,
            freshness,
            full_refresh,
            query,
        })))
    }

    /// FULL (true) or CONTINUOUS (false).
    pub(crate) fn refresh_mode(&mut self) -> Parse<bool> {
        if self.eat_word("FULL") {
            return Ok(true);
        }
        self.expect_word("CONTINUOUS")?;
        Ok(false)
    }

    pub(crate) fn drop_statement(&mut self) -> Parse<Statement> {
        self.advance();
        let temporary = self.eat_word("TEMPORARY");
        let system = self.eat_word("SYSTEM");
        if system && !(temporary && self.at("FUNCTION")) {
            return Err(self.unexpected("TEMPORARY SYSTEM FUNCTION"));
        }
        let kind = self.drop_kind(system)?;
        if temporary && matches!(kind, DropKind::Catalog | DropKind::Database | DropKind::MaterializedTable) {
            return Err(Fault::user("parse", "only tables, views, functions and models can be temporary")
                .at(self.here()));
        }
        let if_exists = self.if_exists();
        let name = self.object_name("a name")?;
        let mut cascade = None;
        if kind == DropKind::Database {
            cascade = match self.word().to_ascii_uppercase().as_str() {
                "CASCADE" => Some(true),
                "RESTRICT" => Some(false),
                _ => None,
            };
            if cascade.is_some() {
                self.advance();
            }
        }
        Ok(Statement::Drop(Box::new(DropObject { kind, temporary, if_exists, name, cascade })))
    }

    fn drop_kind(&mut self, system: bool) -> Parse<DropKind> {
        if self.eat_words(&["MATERIALIZED", "TABLE"]) {
            return Ok(DropKind::MaterializedTable);
        }
        let kind = match self.word().to_ascii_uppercase().as_str() {
            "TABLE" => DropKind::Table,
            "VIEW" => DropKind::View,
            "FUNCTION" if system => DropKind::SystemFunction,
            "FUNCTION" => DropKind::Function,
            "CATALOG" => DropKind::Catalog,
            "DATABASE" => DropKind::Database,
            "MODEL" => DropKind::Model,
            "SCHEMA" => return Err(self.wanted("what to drop", "write DROP DATABASE")),
            _ => {
                let all = "it can be TABLE, VIEW, FUNCTION, CATALOG, DATABASE, MODEL or MATERIALIZED TABLE";
                return Err(self.wanted("what to drop", self.meant(THINGS, all)));
            }
        };
        self.advance();
        Ok(kind)
    }

    /// `key = value` of ALTER; kept here to be beside the other clauses of options.
    pub(crate) fn comment_text(&mut self) -> Parse<Text> {
        self.text("a string behind COMMENT")
    }
}
