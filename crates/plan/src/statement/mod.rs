//! Statements: what is not a query is carried out on the session's catalog and settings here; queries and INSERTs become plans.
//!
//! [`SessionState`] is a value without I/O. It changes only when a statement succeeds, but for one thing: what a failed CREATE would have
//! made is remembered as failed, so that later statements of a script do not add faults that follow from the first.

mod alter;
mod alter_table;
mod binding;
mod create_table;
mod ctas;
mod databases;
mod definition_text;
mod describe;
mod drop;
mod expression_text;
mod functions;
mod like;
mod modify;
mod script;
mod show;
mod views;

use std::sync::Arc;

use millstream_expr::{BindContext, Resources};
use millstream_sql::ast::{self, ObjectName, SpannedStatement, Statement};
use millstream_types::{DataType, Fault, Field, Files, Schema, SchemaRef, Span, Value};

use crate::JobPlan;
use crate::catalog::{
    BindEnvironment, Cards, Catalogs, DEFAULT_CATALOG, DEFAULT_DATABASE, Namespace, Stored, Variables,
};
use crate::session::Settings;

pub use modify::merge_jobs;
pub use script::{CheckedScript, check_script};

/// What a session knows: catalogs, settings, what the product can do.
#[derive(Clone)]
pub struct SessionState {
    /// Catalogs, with everything in them.
    pub catalogs: Catalogs,
    /// The current catalog and database.
    pub namespace: Namespace,
    /// SET and RESET.
    pub settings: Settings,
    /// Connectors and formats.
    pub cards: Cards,
    variables: Arc<dyn Variables + Send + Sync>,
    /// INSERTs since BEGIN STATEMENT SET.
    statement_set: Option<Vec<JobPlan>>,
    /// How many statements were executed.
    position: usize,
}

impl std::fmt::Debug for SessionState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionState").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

/// What a statement comes to.
#[derive(Debug, Clone)]
pub enum Planned {
    /// It was carried out. The warnings do not stop anything (an unknown option of SET).
    Done(Vec<Fault>),
    /// Its answer: SHOW, DESCRIBE, SET without arguments.
    Rows(StatementRows),
    /// A SELECT: the plan ends in a sink that collects.
    Query(Box<JobPlan>),
    /// INSERT, CREATE TABLE AS, statement set: the plan ends in sinks. Several of them can be one job: [`merge_jobs`].
    Insert(Box<JobPlan>),
    /// EXPLAIN: the plan, and what is to be added to it.
    Explain(Box<JobPlan>, Vec<ast::ExplainDetail>),
    /// INSERT between BEGIN STATEMENT SET and END: its job starts at END.
    Deferred,
    /// TRUNCATE TABLE, checked.
    Truncate(Arc<crate::catalog::ResolvedTable>),
    /// COMPILE PLAN: the plan that is to be written to a file (and then run).
    CompilePlan {
        /// The plan.
        plan: Box<JobPlan>,
        /// The file.
        path: String,
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// COMPILE AND EXECUTE.
        execute: bool,
    },
    /// EXECUTE PLAN: the file that holds one.
    ExecutePlan(String),
    /// Only for a client: HELP, CLEAR, QUIT.
    Client(ast::ClientCommand),
}

impl Planned {
    /// Carried out, without warnings.
    fn done() -> Self {
        Planned::Done(Vec::new())
    }
}

/// A small table as an answer.
#[derive(Debug, Clone)]
pub struct StatementRows {
    /// Names and types of its columns, Flink's.
    pub schema: SchemaRef,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
}

impl StatementRows {
    /// Rows of strings.
    fn strings(columns: &[&str], rows: Vec<Vec<String>>) -> Planned {
        let rows =
            rows.into_iter().map(|r| r.into_iter().map(|t| Value::String(t.into())).collect()).collect();
        Planned::Rows(StatementRows { schema: string_schema(columns), rows })
    }

    /// One column of strings.
    fn list(column: &str, items: impl IntoIterator<Item = String>) -> Planned {
        Self::strings(&[column], items.into_iter().map(|i| vec![i]).collect())
    }
}

fn string_schema(columns: &[&str]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|c| Field::new(*c, DataType::string())).collect()))
}

/// Executes a statement: as [`SessionState::execute`].
///
/// # Errors
/// User and NotYet faults, at their place in `text`.
pub fn execute_statement(
    state: &mut SessionState,
    statement: &SpannedStatement,
    text: &str,
) -> Result<Planned, Fault> {
    state.execute(statement, text)
}

impl SessionState {
    /// A new session. `variables` gives the values of `${NAME}` in options.
    pub fn new(cards: Cards, variables: Arc<dyn Variables + Send + Sync>) -> Self {
        SessionState {
            catalogs: Catalogs::default(),
            namespace: Namespace {
                catalog: DEFAULT_CATALOG.to_string(),
                database: DEFAULT_DATABASE.to_string(),
            },
            settings: Settings::default(),
            cards,
            variables,
            statement_set: None,
            position: 0,
        }
    }

    /// Says where files are read that functions look things up in; without it there are none.
    #[must_use]
    pub fn with_files(mut self, files: Arc<dyn Files>) -> Self {
        self.settings.lend(Resources::new(files));
        self
    }

    /// What the binder may look at.
    pub fn environment<'a>(&'a self, context: &'a BindContext) -> BindEnvironment<'a> {
        BindEnvironment {
            catalogs: &self.catalogs,
            namespace: &self.namespace,
            cards: &self.cards,
            context,
            variables: &*self.variables,
            trail: None,
        }
    }

    /// How many statements were executed: the position of the next one, which its plan's nodes carry.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes past a statement that needs no executing here: an INSERT whose plan is there already.
    pub fn pass(&mut self) {
        self.position += 1;
    }

    /// Executes a statement: changes the catalog and settings, or plans. `text` is the text that the statement's spans are places in.
    ///
    /// # Errors
    /// User and NotYet faults, at their place in `text`. After a failed CREATE TABLE or CREATE VIEW the name stands for something failed, whose
    /// use gives a fault with the code [`crate::catalog::FOLLOW_UP`].
    pub fn execute(&mut self, statement: &SpannedStatement, text: &str) -> Result<Planned, Fault> {
        let result = self.dispatch(&statement.statement, text);
        self.position += 1;
        if result.is_err() {
            self.remember_failed(&statement.statement);
        }
        result.map_err(|f| f.at(statement.span))
    }

    fn dispatch(&mut self, statement: &Statement, text: &str) -> Result<Planned, Fault> {
        if self.statement_set.is_some() && !belongs_to_set(statement) {
            return Err(Fault::user("statement-set", "only INSERT INTO may stand in a statement set")
                .hint("end the set first: END"));
        }
        match statement {
            Statement::Query(query) => self.query(query),
            Statement::Insert(insert) => self.insert(insert),
            Statement::CreateTable(create) if create.query.is_some() => self.create_table_as(create, text),
            Statement::CreateTable(create) => self.create_table(create, text),
            Statement::CreateView(create) => self.create_view(create, text),
            Statement::CreateFunction(create) => self.create_function(create),
            Statement::CreateCatalog(create) => self.create_catalog(create),
            Statement::CreateDatabase(create) => self.create_database(create),
            Statement::CreateModel(_) => Err(Fault::not_yet("CREATE MODEL")),
            Statement::CreateMaterializedTable(_) => Err(Fault::not_yet("CREATE MATERIALIZED TABLE")
                .hint("write CREATE TABLE and INSERT INTO … SELECT: the job keeps the table up to date")),
            Statement::Alter(alter) => self.alter(alter, text),
            Statement::Drop(drop) => self.drop_object(drop),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Truncate(name) => self.truncate(name),
            Statement::StatementSet(inserts) => self.statement_set(inserts),
            Statement::BeginStatementSet => self.begin_statement_set(),
            Statement::EndStatementSet => self.end_statement_set(),
            Statement::Explain(explain) => self.explain(explain, text),
            Statement::Show(show) => self.show(show),
            Statement::Describe(describe) => self.describe(describe),
            Statement::Use(target) => self.use_target(target),
            Statement::Set(None) => Ok(self.show_settings()),
            Statement::Set(Some(option)) => {
                let warning = self
                    .settings
                    .set(&option.key.value, &option.value.value)
                    .map_err(|f| f.at(option.value.span))?;
                Ok(Planned::Done(warning.into_iter().map(|w| w.at(option.key.span)).collect()))
            }
            Statement::Reset(None) => {
                self.settings.reset_all();
                Ok(Planned::done())
            }
            Statement::Reset(Some(key)) => {
                let warning = self.settings.reset(&key.value);
                Ok(Planned::Done(warning.into_iter().map(|w| w.at(key.span)).collect()))
            }
            Statement::LoadModule(name, options) => self.load_module(name, options),
            Statement::UnloadModule(name) => self.unload_module(name),
            Statement::AddJar(path) => Err(Fault::not_yet("ADD JAR").at(path.span)),
            Statement::RemoveJar(path) => {
                Err(Fault::user("unknown-jar", format!("jar '{}' was not added", path.value)).at(path.span))
            }
            Statement::Analyze(analyze) => self.analyze(analyze),
            Statement::CompilePlan(compile) => self.compile_plan(compile),
            Statement::ExecutePlan(path) => Ok(Planned::ExecutePlan(path.value.clone())),
            Statement::Call(call) => Err(Fault::user(
                "unknown-procedure",
                format!("there is no procedure '{}'", call.name.texts().join(".")),
            )
            .at(call.name.span)
            .hint("catalogs in memory have no procedures; a function is called in a SELECT")),
            Statement::StopJob { id, .. } => {
                Err(Fault::user("unknown-job", format!("this session has no job '{}'", id.value))
                    .at(id.span)
                    .hint("a job is stopped where it runs: Ctrl-C, or the server"))
            }
            Statement::Client(command) => Ok(Planned::Client(*command)),
        }
    }

    /// Keeps the name of what a failed CREATE would have made.
    fn remember_failed(&mut self, statement: &Statement) {
        let (name, temporary) = match statement {
            Statement::CreateTable(c) => (&c.name, c.temporary),
            Statement::CreateView(c) => (&c.name, c.temporary),
            Statement::CreateMaterializedTable(c) => (&c.name, false),
            _ => return,
        };
        self.put_failed(name, temporary);
    }

    fn put_failed(&mut self, name: &ObjectName, temporary: bool) {
        let path = self.namespace.complete(name);
        if self.catalogs.object(&path).is_none() {
            // A database that does not exist cannot hold it; the fault says that already.
            let _ = self.catalogs.put(&path, Stored::Failed, temporary);
        }
    }
}

/// What may stand between BEGIN STATEMENT SET and END.
fn belongs_to_set(statement: &Statement) -> bool {
    match statement {
        Statement::Insert(_)
        | Statement::BeginStatementSet
        | Statement::EndStatementSet
        | Statement::Client(_) => true,
        Statement::CreateTable(create) => create.query.is_some(),
        _ => false,
    }
}

/// The part of the text that a span is a place of.
fn source(text: &str, span: Span) -> String {
    text.get(span.start as usize..span.end as usize).unwrap_or("").to_string()
}

fn unknown_model(name: &ObjectName) -> Fault {
    Fault::user("unknown-model", format!("there is no model '{}'", name.texts().join("."))).at(name.span)
}

fn unknown_materialized_table(name: &ObjectName) -> Fault {
    let message = format!("there is no materialized table '{}'", name.texts().join("."));
    Fault::user("unknown-table", message).at(name.span)
}
