//! Statements.

use millstream_types::Span;

use super::{
    Alter, CreateCatalog, CreateDatabase, CreateFunction, CreateMaterializedTable, CreateModel, CreateTable,
    CreateView, DropObject, Expr, FunctionCall, Hint, Ident, ObjectName, OptionEntry, PartitionSpec, Query,
    Text,
};

/// A statement and its place in the script, without the semicolon.
#[derive(Debug, Clone, PartialEq)]
pub struct SpannedStatement {
    /// The statement.
    pub statement: Statement,
    /// Its place.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A query on its own; also after EXECUTE.
    Query(Box<Query>),
    /// INSERT; also after EXECUTE.
    Insert(Box<Insert>),
    /// CREATE TABLE, also with AS.
    CreateTable(Box<CreateTable>),
    /// CREATE VIEW.
    CreateView(Box<CreateView>),
    /// CREATE FUNCTION.
    CreateFunction(Box<CreateFunction>),
    /// CREATE CATALOG.
    CreateCatalog(Box<CreateCatalog>),
    /// CREATE DATABASE.
    CreateDatabase(Box<CreateDatabase>),
    /// CREATE MODEL.
    CreateModel(Box<CreateModel>),
    /// CREATE MATERIALIZED TABLE.
    CreateMaterializedTable(Box<CreateMaterializedTable>),
    /// ALTER.
    Alter(Box<Alter>),
    /// DROP.
    Drop(Box<DropObject>),
    /// UPDATE.
    Update(Box<Update>),
    /// DELETE.
    Delete(Box<Delete>),
    /// TRUNCATE TABLE.
    Truncate(ObjectName),
    /// `EXECUTE STATEMENT SET BEGIN … END`.
    StatementSet(Vec<Insert>),
    /// `BEGIN STATEMENT SET`: the statements follow until END.
    BeginStatementSet,
    /// `END` of BEGIN STATEMENT SET.
    EndStatementSet,
    /// EXPLAIN.
    Explain(Box<Explain>),
    /// SHOW.
    Show(Box<Show>),
    /// DESCRIBE, DESC.
    Describe(Describe),
    /// USE.
    Use(Use),
    /// `SET 'key' = 'value'`; None shows all settings.
    Set(Option<OptionEntry>),
    /// `RESET 'key'`; None resets all settings.
    Reset(Option<Text>),
    /// LOAD MODULE.
    LoadModule(Ident, Vec<OptionEntry>),
    /// UNLOAD MODULE.
    UnloadModule(Ident),
    /// ADD JAR.
    AddJar(Text),
    /// REMOVE JAR.
    RemoveJar(Text),
    /// ANALYZE TABLE.
    Analyze(Box<Analyze>),
    /// `COMPILE PLAN 'file' [IF NOT EXISTS] FOR …`, `COMPILE AND EXECUTE PLAN 'file' FOR …`.
    CompilePlan(Box<CompilePlan>),
    /// `EXECUTE PLAN 'file'`.
    ExecutePlan(Text),
    /// CALL.
    Call(Box<FunctionCall>),
    /// `STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN]`.
    StopJob {
        /// The job's id.
        id: Text,
        /// WITH SAVEPOINT.
        savepoint: bool,
        /// WITH DRAIN.
        drain: bool,
    },
    /// What only a client carries out.
    Client(ClientCommand),
}

/// Commands of Flink's SQL client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ClientCommand {
    Clear,
    Help,
    Quit,
}

/// `INSERT INTO | OVERWRITE table …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// INSERT OVERWRITE.
    pub overwrite: bool,
    /// The table.
    pub table: ObjectName,
    /// `/*+ OPTIONS(…) */` behind the name.
    pub hints: Vec<Hint>,
    /// PARTITION (…).
    pub partition: Option<PartitionSpec>,
    /// The target columns, or empty.
    pub columns: Vec<Ident>,
    /// What is inserted; Blink's EMIT is in it.
    pub query: Query,
    /// ON CONFLICT DO ….
    pub on_conflict: Option<OnConflict>,
    /// Its place.
    pub span: Span,
}

/// What an upsert sink does with rows of several upsert keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OnConflict {
    Nothing,
    Error,
    Deduplicate,
}

/// `UPDATE table SET column = value, … [WHERE …]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// The table.
    pub table: ObjectName,
    /// Hints behind the name.
    pub hints: Vec<Hint>,
    /// `AS alias`.
    pub alias: Option<Ident>,
    /// What is set.
    pub assignments: Vec<(Ident, Expr)>,
    /// WHERE.
    pub filter: Option<Expr>,
}

/// `DELETE FROM table [WHERE …]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// The table.
    pub table: ObjectName,
    /// Hints behind the name.
    pub hints: Vec<Hint>,
    /// `AS alias`.
    pub alias: Option<Ident>,
    /// WHERE.
    pub filter: Option<Expr>,
}

/// `EXPLAIN [PLAN FOR | details] statement`.
#[derive(Debug, Clone, PartialEq)]
pub struct Explain {
    /// ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE in order.
    pub details: Vec<ExplainDetail>,
    /// What is explained: a query, an INSERT, a statement set, or a CREATE TABLE AS.
    pub statement: SpannedStatement,
}

/// What EXPLAIN adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ExplainDetail {
    EstimatedCost,
    ChangelogMode,
    JsonExecutionPlan,
    PlanAdvice,
}

/// SHOW.
#[derive(Debug, Clone, PartialEq)]
pub struct Show {
    /// What is shown.
    pub kind: ShowKind,
    /// FROM or IN: a catalog or database, for SHOW COLUMNS the table.
    pub from: Option<ObjectName>,
    /// `[NOT] LIKE 'pattern'`.
    pub like: Option<ShowLike>,
}

/// `[NOT] LIKE | ILIKE 'pattern'`.
#[derive(Debug, Clone, PartialEq)]
pub struct ShowLike {
    /// NOT.
    pub negated: bool,
    /// ILIKE.
    pub ignore_case: bool,
    /// The pattern.
    pub pattern: Text,
}

/// What SHOW shows.
#[derive(Debug, Clone, PartialEq)]
pub enum ShowKind {
    /// SHOW CATALOGS.
    Catalogs,
    /// SHOW CURRENT CATALOG.
    CurrentCatalog,
    /// SHOW DATABASES.
    Databases,
    /// SHOW CURRENT DATABASE.
    CurrentDatabase,
    /// SHOW TABLES.
    Tables,
    /// SHOW MATERIALIZED TABLES.
    MaterializedTables,
    /// SHOW VIEWS.
    Views,
    /// SHOW COLUMNS.
    Columns,
    /// `SHOW [USER] FUNCTIONS`.
    Functions {
        /// USER.
        user: bool,
    },
    /// SHOW PROCEDURES.
    Procedures,
    /// SHOW MODELS.
    Models,
    /// `SHOW [FULL] MODULES`.
    Modules {
        /// FULL.
        full: bool,
    },
    /// SHOW JARS.
    Jars,
    /// SHOW JOBS.
    Jobs,
    /// SHOW PARTITIONS table [PARTITION (…)].
    Partitions(ObjectName, Option<PartitionSpec>),
    /// SHOW CREATE TABLE.
    CreateTable(ObjectName),
    /// SHOW CREATE MATERIALIZED TABLE.
    CreateMaterializedTable(ObjectName),
    /// SHOW CREATE VIEW.
    CreateView(ObjectName),
    /// SHOW CREATE CATALOG.
    CreateCatalog(Ident),
    /// SHOW CREATE MODEL.
    CreateModel(ObjectName),
}

/// DESCRIBE.
#[derive(Debug, Clone, PartialEq)]
pub enum Describe {
    /// `DESCRIBE [EXTENDED] table`.
    Table {
        /// EXTENDED.
        extended: bool,
        /// The table or view.
        name: ObjectName,
    },
    /// `DESCRIBE CATALOG [EXTENDED] name`.
    Catalog {
        /// EXTENDED.
        extended: bool,
        /// The catalog.
        name: Ident,
    },
    /// `DESCRIBE DATABASE [EXTENDED] name`.
    Database {
        /// EXTENDED.
        extended: bool,
        /// The database.
        name: ObjectName,
    },
    /// `DESCRIBE FUNCTION [EXTENDED] name`.
    Function {
        /// EXTENDED.
        extended: bool,
        /// The function.
        name: ObjectName,
    },
    /// `DESCRIBE MODEL [EXTENDED] name`.
    Model {
        /// EXTENDED.
        extended: bool,
        /// The model.
        name: ObjectName,
    },
    /// `DESCRIBE JOB 'id'`.
    Job(Text),
}

/// USE.
#[derive(Debug, Clone, PartialEq)]
pub enum Use {
    /// USE CATALOG.
    Catalog(Ident),
    /// USE database.
    Database(ObjectName),
    /// USE MODULES, in order.
    Modules(Vec<Ident>),
}

/// `ANALYZE TABLE table [PARTITION (…)] COMPUTE STATISTICS [FOR …]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Analyze {
    /// The table.
    pub table: ObjectName,
    /// PARTITION (…).
    pub partition: Option<PartitionSpec>,
    /// Of which columns.
    pub columns: AnalyzeColumns,
}

/// Which columns ANALYZE looks at.
#[derive(Debug, Clone, PartialEq)]
pub enum AnalyzeColumns {
    /// None: only the row count.
    None,
    /// FOR COLUMNS a, b.
    Named(Vec<Ident>),
    /// FOR ALL COLUMNS.
    All,
}

/// COMPILE PLAN.
#[derive(Debug, Clone, PartialEq)]
pub struct CompilePlan {
    /// The file.
    pub path: Text,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// COMPILE AND EXECUTE.
    pub execute: bool,
    /// One INSERT, or the INSERTs of a statement set.
    pub inserts: Vec<Insert>,
    /// Whether it was a statement set.
    pub statement_set: bool,
}
