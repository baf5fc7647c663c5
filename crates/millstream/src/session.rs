//! Sessions: SQL text in, jobs and rows out.

use std::sync::Arc;

use millstream_connectors::filesystem::LocalFiles;
use millstream_engine::{
    CheckpointStorage, Completion, JobContext, JobHandle, JobPosition, LocalStorage, Restore, SharedScans,
    SystemClock, SystemRandom, TokioSpawner, launch, system_zone,
};
use millstream_expr::EvalContext;
use millstream_expr::registered::{RowFunction, ScalarFunction, VectorFunction};
use millstream_flow::{ChangelogMode, Connector, Environment, Options, Spawner};
use millstream_plan::statement::{Planned, SessionState, StatementRows, merge_jobs};
use millstream_plan::{JobPlan, JobSettings, SinkTarget, TableSpec};
use millstream_sql::ast::{Ident, ObjectName, SpannedStatement, Statement};
use millstream_sql::parse_script;
use millstream_types::{Batch, Clock, Fault, Files, Random, SchemaRef, Span};
use tokio::sync::mpsc;

use crate::explain::{self, Explanation};
use crate::prepared::{PlanOf, Planning, unsupported};
use crate::{OutputFormat, Prepared, ProductParts, RowRenderer, Rows, ScriptFault, Step};

/// Memory of a job where nothing is set: half of the one gigabyte that a small machine has.
const DEFAULT_MEMORY: u64 = 512 << 20;
/// Milliseconds between checkpoints where only their place is set.
const DEFAULT_INTERVAL: u64 = 10_000;
/// Batches of a result that wait for the caller.
const RESULT_BATCHES: usize = 4;

/// Gives the value of a variable by its name.
pub type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Makes a session.
pub struct SessionBuilder {
    parts: ProductParts,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    spawner: Option<Arc<dyn Spawner>>,
    variables: Arc<Lookup>,
    files: Arc<dyn Files>,
    restore: Restore,
    scans: Option<SharedScans>,
    zone: Option<String>,
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl Default for SessionBuilder {
    fn default() -> Self {
        SessionBuilder {
            parts: ProductParts::default(),
            clock: Arc::new(SystemClock::new()),
            random: Arc::new(SystemRandom::new()),
            spawner: None,
            variables: Arc::new(|name: &str| std::env::var(name).ok()),
            files: Arc::new(LocalFiles),
            restore: Restore::None,
            scans: None,
            zone: system_zone(),
        }
    }
}

impl SessionBuilder {
    /// Adds a connector.
    #[must_use]
    pub fn connector(mut self, connector: Arc<dyn Connector>) -> Self {
        self.parts.add(connector);
        self
    }

    /// Takes the time from elsewhere: a simulated clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Takes randomness from elsewhere: a seeded generator.
    #[must_use]
    pub fn random(mut self, random: Arc<dyn Random>) -> Self {
        self.random = random;
        self
    }

    /// Starts tasks elsewhere than on the current tokio runtime.
    #[must_use]
    pub fn spawner(mut self, spawner: Arc<dyn Spawner>) -> Self {
        self.spawner = Some(spawner);
        self
    }

    /// Gives the values of `${NAME}` in options; the process's environment otherwise.
    #[must_use]
    pub fn variables(mut self, variables: Arc<Lookup>) -> Self {
        self.variables = variables;
        self
    }

    /// Reads files that functions look things up in (IP2REGION, grok patterns) elsewhere than on this machine.
    #[must_use]
    pub fn files(mut self, files: Arc<dyn Files>) -> Self {
        self.files = files;
        self
    }

    /// Puts the session in a time zone where `table.local-time-zone` says none; otherwise it is in the machine's.
    #[must_use]
    pub fn zone(mut self, zone: &str) -> Self {
        self.zone = Some(zone.to_string());
        self
    }

    /// What jobs with checkpoints begin with.
    #[must_use]
    pub fn restore(mut self, restore: Restore) -> Self {
        self.restore = restore;
        self
    }

    /// Lets the jobs of this session read sources together with those of other sessions that are given the same; by itself a session shares
    /// among its own jobs.
    #[must_use]
    pub fn scans(mut self, scans: SharedScans) -> Self {
        self.scans = Some(scans);
        self
    }

    /// The session. Without [`SessionBuilder::spawner`] it must be called within a tokio runtime.
    pub fn build(self) -> Session {
        let spawner =
            self.spawner.unwrap_or_else(|| Arc::new(TokioSpawner::new(tokio::runtime::Handle::current())));
        let variables = self.variables;
        let mut state = SessionState::new(self.parts.cards(), Arc::new(move |name: &str| variables(name)))
            .with_files(self.files);
        if let Some(zone) = &self.zone {
            state.settings.set_system_zone(zone);
        }
        Session {
            state,
            parts: Arc::new(self.parts),
            environment: Environment { clock: self.clock, random: self.random, spawner },
            restore: self.restore,
            scans: self.scans.unwrap_or_default(),
        }
    }
}

/// What a statement gave.
#[derive(Debug)]
pub enum StatementResult {
    /// It was carried out; the warnings do not stop anything.
    Done(Vec<Fault>),
    /// Its answer: SHOW, DESCRIBE, EXPLAIN.
    Answer(StatementRows),
    /// The running rows of a SELECT.
    Rows(Box<Rows>),
    /// An INSERT, planned; [`Session::start`] runs it, alone or merged with others.
    Insert(Box<JobPlan>),
}

/// Runs SQL text. Tables, views, functions and options live as long as the session.
#[derive(Debug)]
pub struct Session {
    state: SessionState,
    parts: Arc<ProductParts>,
    environment: Environment,
    restore: Restore,
    scans: SharedScans,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A session with everything that this build has, on the current tokio runtime.
    pub fn new() -> Self {
        SessionBuilder::default().build()
    }

    /// Makes a session with other parts.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    /// The session's options (SET), to be read or changed without SQL.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Option<Fault>, Fault> {
        self.state.settings.set(key, value)
    }

    /// Adds a grok pattern of one's own, as `SET 'grok.pattern.NAME' = 'pattern'` does.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut session = millstream::Session::new();
    /// session.add_grok("ORDER", "o-%{INT:order:int}")?;
    /// let mut rows = session.query("SELECT GROK('paid o-17', '%{ORDER}')['order']").await?;
    /// while let Some(batch) = rows.next().await? {
    ///     assert_eq!(batch.row(0), ["17".into()]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// User (`bad-grok`): no name, or no pattern; it may use only patterns that are known already.
    pub fn add_grok(&mut self, name: &str, pattern: &str) -> Result<(), Fault> {
        self.set(&format!("grok.pattern.{name}"), pattern).map(drop)
    }

    /// What jobs with checkpoints begin with from now on.
    pub fn set_restore(&mut self, restore: Restore) {
        self.restore = restore;
    }

    /// Whether a statement is a query, whose rows come to the caller.
    pub fn is_query(&self, statement: &SpannedStatement) -> bool {
        matches!(statement.statement, Statement::Query(_))
    }

    /// Registers a Rust closure or `fn` as a scalar function. Its SQL types follow from its Rust types
    /// ([`Argument`](crate::registered::Argument), [`Returned`](crate::registered::Returned)).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut session = millstream::Session::new();
    /// session.register_scalar("shorten", |text: &str, length: i64| -> Option<String> {
    ///     let length = usize::try_from(length).ok()?;
    ///     Some(text.chars().take(length).collect())
    /// })?;
    /// let mut rows = session.query("SELECT shorten('millstream', 4)").await?;
    /// while let Some(batch) = rows.next().await? {
    ///     assert_eq!(batch.row(0), ["mill".into()]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// User: a built-in function has the name, or it is none that SQL can call.
    pub fn register_scalar<Types: 'static>(
        &mut self,
        name: &str,
        function: impl RowFunction<Types>,
    ) -> Result<(), Fault> {
        self.register(ScalarFunction::new(name, function))
    }

    /// Registers a function of whole columns.
    ///
    /// # Errors
    /// As [`Session::register_scalar`].
    pub fn register_vectorized(&mut self, name: &str, function: impl VectorFunction) -> Result<(), Fault> {
        self.register(ScalarFunction::vectorized(name, function))
    }

    /// Registers a function with its documentation.
    ///
    /// # Errors
    /// As [`Session::register_scalar`].
    pub fn register(&mut self, function: ScalarFunction) -> Result<(), Fault> {
        self.state.catalogs.register(function)
    }

    /// The names of all functions that queries can call, sorted; those that the program registered included.
    pub fn functions(&self) -> Vec<String> {
        let built_in = millstream_expr::functions::function_names().into_iter().map(str::to_string);
        let registered = self.state.catalogs.registered().iter().map(|f| f.name().to_string());
        let mut names: Vec<String> = built_in.chain(registered).collect();
        names.sort_by_key(|n| n.to_uppercase());
        names
    }

    /// What the manual says about a function, registered ones included (Markdown); `None`: there is no such function.
    pub fn function_markdown(&self, name: &str) -> Option<String> {
        let registered = self.state.catalogs.registered().get(name).map(ScalarFunction::markdown);
        registered.or_else(|| crate::manual::function_markdown(name))
    }

    /// Everything that is wrong with a text, without running it. The session is not changed.
    pub fn check(&self, text: &str) -> Vec<Fault> {
        Self::check_with(&mut self.state.clone(), text)
    }

    /// As [`Session::check`], but the session keeps what the text declares: for checking several files one after the other.
    pub fn check_and_keep(&mut self, text: &str) -> Vec<Fault> {
        Self::check_with(&mut self.state, text)
    }

    fn check_with(state: &mut SessionState, text: &str) -> Vec<Fault> {
        let (prepared, mut faults) = Planning::of(state, text).prepared();
        faults.extend(prepared.job_settings().and_then(|s| Self::check_job(s).err()));
        faults
    }

    /// Plans a text before anything of it runs: its steps, and everything that is wrong with it. The session keeps what the text declares: the
    /// steps are for another session that began as this one did. Whether the job that all INSERTs of several texts are can run is said by
    /// [`Session::check_job`].
    pub fn prepare(&mut self, text: &str) -> (Prepared, Vec<Fault>) {
        Planning::of(&mut self.state, text).prepared()
    }

    /// Whether the settings of a job fit together: those of the last of its INSERTs ([`Prepared::job_settings`]).
    ///
    /// # Errors
    /// User.
    pub fn check_job(settings: &JobSettings) -> Result<(), Fault> {
        Checkpoints::of(&settings.options).map(|_| ())
    }

    /// A renderer of rows, in the session's zone.
    ///
    /// # Errors
    /// When a type cannot be written in the format.
    pub fn renderer(
        &self,
        format: OutputFormat,
        schema: SchemaRef,
        changes: bool,
    ) -> Result<RowRenderer, Fault> {
        RowRenderer::new(format, schema, changes, self.eval_context())
    }

    /// What evaluation outside a job may know.
    pub(crate) fn eval_context(&self) -> EvalContext {
        let settings = self.state.settings.job_settings();
        EvalContext {
            clock: self.environment.clock.clone(),
            random: self.environment.random.clone(),
            zone: settings.zone.clone(),
            query_start: self.environment.clock.now_millis(),
            batch: settings.batch,
        }
    }

    pub(crate) fn parts(&self) -> &dyn millstream_engine::Parts {
        &*self.parts
    }

    /// The plans of a text: its INSERTs as one job, and each SELECT, without running anything.
    ///
    /// # Errors
    /// All faults of the text.
    pub fn explain(&self, text: &str) -> Result<Explanation, ScriptFault> {
        let planning = Planning::of(&mut self.state.clone(), text);
        let (mut inserts, mut plans) = (Vec::new(), Vec::new());
        for (_, plan) in planning.statements {
            match plan {
                Some(PlanOf::Insert(plan)) => inserts.push(*plan),
                Some(PlanOf::Query(plan)) => plans.push(*plan),
                None => {}
            }
        }
        if !inserts.is_empty() {
            plans.insert(0, merge_jobs(inserts));
        }
        let faults: Vec<Fault> = planning.faults.into_iter().filter(|f| f.code() != "not-yet").collect();
        if faults.is_empty() { Ok(Explanation::new(plans)) } else { Err(ScriptFault::new(text, faults)) }
    }

    /// Carries out what a text declares and plans the rest, also what this version cannot run; gives what is wrong with it.
    pub fn plan_only(&mut self, text: &str) -> Vec<Fault> {
        Planning::of(&mut self.state, text).faults
    }

    /// Runs a text to its end: statements in their order, all INSERTs as one job at the end; the rows of SELECTs are dropped.
    ///
    /// # Errors
    /// All faults of the text, before anything runs; then the first failure.
    pub async fn execute(&mut self, text: &str) -> Result<(), ScriptFault> {
        let steps = self.steps(text)?;
        let fail = |f: Fault| ScriptFault::new(text, vec![f]);
        let mut inserts = Vec::new();
        for step in steps {
            match self.step(step, text).await.map_err(fail)? {
                StatementResult::Insert(plan) => inserts.push(*plan),
                StatementResult::Rows(mut rows) => while rows.next().await.map_err(fail)?.is_some() {},
                StatementResult::Done(_) | StatementResult::Answer(_) => {}
            }
        }
        if !inserts.is_empty() {
            self.finish(merge_jobs(inserts)).await.map_err(fail)?;
        }
        Ok(())
    }

    /// The steps of a text that nothing is wrong with.
    fn steps(&self, text: &str) -> Result<Vec<Step>, ScriptFault> {
        let (prepared, mut faults) = Planning::of(&mut self.state.clone(), text).prepared();
        faults.extend(prepared.job_settings().and_then(|s| Self::check_job(s).err()));
        if faults.is_empty() { Ok(prepared.into_steps()) } else { Err(ScriptFault::new(text, faults)) }
    }

    /// Carries out one step of a text that was prepared: as [`Session::statement`].
    ///
    /// # Errors
    /// At their place in the text.
    pub async fn step(&mut self, step: Step, text: &str) -> Result<StatementResult, Fault> {
        match step {
            Step::Insert(plan) => {
                self.state.pass();
                Ok(StatementResult::Insert(plan))
            }
            Step::Statement(statement) => self.statement(&statement, text).await,
        }
    }

    /// Runs a job to its end.
    async fn finish(&mut self, plan: JobPlan) -> Result<(), Fault> {
        match self.start(plan).await?.wait().await.completion {
            Completion::Failed { fault, .. } => Err(fault),
            Completion::Finished | Completion::Stopped => Ok(()),
        }
    }

    /// The rows of the last statement of a text, which is a SELECT; the statements before it are run first.
    ///
    /// # Errors
    /// All faults of the text.
    pub async fn query(&mut self, text: &str) -> Result<Rows, ScriptFault> {
        let steps = self.steps(text)?;
        let fail = |f: Fault| ScriptFault::new(text, vec![f]);
        let count = steps.len();
        for (i, step) in steps.into_iter().enumerate() {
            let last = i + 1 == count;
            match self.step(step, text).await.map_err(fail)? {
                StatementResult::Rows(rows) if last => return Ok(*rows),
                StatementResult::Rows(mut rows) => while rows.next().await.map_err(fail)?.is_some() {},
                StatementResult::Insert(plan) => self.finish(*plan).await.map_err(fail)?,
                StatementResult::Done(_) | StatementResult::Answer(_) => {}
            }
        }
        Err(fail(Fault::user("no-query", "the text does not end with a SELECT")))
    }

    /// The statements of a text.
    ///
    /// # Errors
    /// Everything that cannot be parsed.
    pub fn statements(&self, text: &str) -> Result<Vec<SpannedStatement>, ScriptFault> {
        let (statements, faults) = parse_script(text);
        if faults.is_empty() { Ok(statements) } else { Err(ScriptFault::new(text, faults)) }
    }

    /// Carries out one statement of a text. A SELECT runs; an INSERT is planned.
    ///
    /// # Errors
    /// At their place in the text.
    pub async fn statement(
        &mut self,
        statement: &SpannedStatement,
        text: &str,
    ) -> Result<StatementResult, Fault> {
        let planned = self.state.execute(statement, text)?;
        if let Some(fault) = unsupported(&planned) {
            return Err(fault.at(statement.span));
        }
        Ok(match planned {
            Planned::Done(warnings) => StatementResult::Done(warnings),
            Planned::Rows(rows) => StatementResult::Answer(rows),
            Planned::Deferred => StatementResult::Done(Vec::new()),
            Planned::Insert(plan) => StatementResult::Insert(plan),
            Planned::Query(plan) => StatementResult::Rows(Box::new(self.select(*plan, text).await?)),
            Planned::Explain(plan, details) => StatementResult::Answer(explain::answer(&plan, &details)),
            Planned::Client(_)
            | Planned::Truncate(_)
            | Planned::CompilePlan { .. }
            | Planned::ExecutePlan(_) => StatementResult::Done(Vec::new()),
        })
    }

    async fn select(&mut self, plan: JobPlan, text: &str) -> Result<Rows, Fault> {
        let schema: SchemaRef = plan
            .sinks
            .first()
            .and_then(|s| plan.nodes.get(s.0))
            .map(|n| n.schema.clone())
            .ok_or_else(|| Fault::internal("a SELECT without result"))?;
        let (sender, batches) = mpsc::channel(RESULT_BATCHES);
        let sink = plan.sinks.first().and_then(|s| plan.nodes.get(s.0));
        let input = sink.and_then(|n| n.inputs.first()).and_then(|i| plan.nodes.get(i.0));
        let changes = input.is_some_and(|n| n.changes != ChangelogMode::Append);
        let job = self.launch(plan, Some(sender), None).await?;
        Ok(Rows::new(schema, changes, batches, job, text.to_string()))
    }

    /// Merges INSERTs into one job: sources that they share are read once.
    pub fn merge(plans: Vec<JobPlan>) -> JobPlan {
        merge_jobs(plans)
    }

    /// Starts a planned job.
    ///
    /// # Errors
    /// At the place in the text: an operator that this version cannot run, wrong options, a checkpoint that does not fit.
    pub async fn start(&mut self, plan: JobPlan) -> Result<JobHandle, Fault> {
        self.launch(plan, None, None).await
    }

    /// Starts a planned job where another one over the same sources has stopped ([`JobReport::position`]): each source that both read is read on
    /// from there, so nothing is lost and nothing doubled; others are read from their start. What [`SessionBuilder::restore`] says does not count.
    ///
    /// # Errors
    /// As [`Session::start`].
    ///
    /// [`JobReport::position`]: crate::JobReport::position
    pub async fn succeed(&mut self, plan: JobPlan, position: JobPosition) -> Result<JobHandle, Fault> {
        self.launch(plan, None, Some(position)).await
    }

    async fn launch(
        &mut self,
        plan: JobPlan,
        collect: Option<mpsc::Sender<Batch>>,
        successor_of: Option<JobPosition>,
    ) -> Result<JobHandle, Fault> {
        let context = JobContext { successor_of, ..self.job_context(&plan, collect)? };
        launch(plan, context).await.map_err(|(_, fault)| fault)
    }

    fn job_context(&self, plan: &JobPlan, collect: Option<mpsc::Sender<Batch>>) -> Result<JobContext, Fault> {
        let options: &Options = &plan.settings.options;
        let select = plan.sinks.iter().filter_map(|s| plan.nodes.get(s.0)).any(
            |n| matches!(&n.op, millstream_plan::Op::Sink(s) if matches!(s.target, SinkTarget::Collect)),
        );
        let name = options.get("pipeline.name").unwrap_or("job").to_string();
        // A SELECT on the terminal begins anew each time: it has nothing to commit.
        let checkpoints = if select { Checkpoints::default() } else { Checkpoints::of(options)? };
        let storage: Option<Arc<dyn CheckpointStorage>> = match checkpoints.directory {
            Some(directory) => {
                // A name with folders (`team/rule`) has its checkpoints in folders.
                let place = name.split('/').fold(directory, |d, part| d.join(file_name(part)));
                Some(Arc::new(LocalStorage::new(place)?))
            }
            None => None,
        };
        let state = self.state.clone();
        Ok(JobContext {
            parts: self.parts.clone(),
            environment: self.environment.clone(),
            memory: options.memory_size("taskmanager.memory.process.size", DEFAULT_MEMORY)? as usize,
            name,
            collect,
            storage,
            checkpoint_interval: checkpoints.interval,
            retained: checkpoints.retained,
            restore: if select { Restore::None } else { self.restore.clone() },
            find_table: Arc::new(move |table: &str| sink_table(&state, table)),
            successor_of: None,
            scans: Some(self.scans.clone()),
        })
    }
}

/// What the options say of checkpoints.
#[derive(Default)]
struct Checkpoints {
    /// Where they go, without the job's name; `None`: there are none.
    directory: Option<std::path::PathBuf>,
    /// Milliseconds between two of them; `None`: one at the end.
    interval: Option<u64>,
    /// How many are kept.
    retained: usize,
}

impl Checkpoints {
    fn of(options: &Options) -> Result<Self, Fault> {
        let directory = options.get("execution.checkpointing.dir").map(local_path).transpose()?;
        let interval = options.duration("execution.checkpointing.interval", 0)?;
        if interval > 0 && directory.is_none() {
            return Err(Fault::user(
                "bad-option",
                "'execution.checkpointing.interval' is set, but not where checkpoints go",
            )
            .hint("SET 'execution.checkpointing.dir' = 'a directory'"));
        }
        let retained = options.integer("execution.checkpointing.num-retained", 1)?;
        let retained = usize::try_from(retained).ok().filter(|r| *r > 0).ok_or_else(|| {
            Fault::user("bad-option", format!("'execution.checkpointing.num-retained' is {retained}"))
                .hint("SET 'execution.checkpointing.num-retained' = '1' or more")
        })?;
        // A place without an interval: a job without an end would never commit.
        let interval = match options.get("execution.checkpointing.interval") {
            None if directory.is_some() => Some(DEFAULT_INTERVAL),
            _ => (interval > 0).then_some(interval),
        };
        Ok(Checkpoints { directory, interval, retained })
    }
}

/// The table of a name as a sink: where bad records go.
fn sink_table(state: &SessionState, name: &str) -> Result<Arc<TableSpec>, Fault> {
    let span = Span::default();
    let parts = name
        .split('.')
        .map(|p| Ident { value: p.trim_matches('`').to_string(), quoted: true, span })
        .collect();
    let bind = state.settings.bind_context();
    let table = state.environment(&bind).sink(&ObjectName { parts, span }, &[])?;
    Ok(table.spec.clone())
}

/// The directory of a `file://` URI or a plain path.
fn local_path(uri: &str) -> Result<std::path::PathBuf, Fault> {
    match uri.split_once("://") {
        None => Ok(uri.strip_prefix("file:").unwrap_or(uri).into()),
        Some(("file", path)) => Ok(path.into()),
        Some((scheme, _)) => Err(Fault::not_yet(format!("checkpoints in '{scheme}://'"))
            .hint("SET 'execution.checkpointing.dir' = 'file:///a/directory'")),
    }
}

/// A job's name as the name of a directory.
fn file_name(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    if clean.trim_matches('.').is_empty() { "job".into() } else { clean }
}
