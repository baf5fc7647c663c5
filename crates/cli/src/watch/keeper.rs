//! Keeps one job of the directory: starts it, swaps it for a new version, stops it.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use millstream::types::{Clock, Fault};
use millstream::{
    Completion, JobPlan, JobPosition, JobReport, Progress, Restore, Session, SharedScans, StatementResult,
    StopMode,
};
use tokio::sync::mpsc;

/// What a keeper is told.
pub enum Order {
    /// The job's text, new or changed; the sender is dropped when it runs, or cannot.
    Text(PathBuf, String, mpsc::Sender<()>),
    /// The job's file is gone.
    Remove,
}

/// What all jobs of the directory have in common.
pub struct Setting {
    /// Options of the command line.
    pub options: Vec<String>,
    /// The sources that they read together.
    pub scans: SharedScans,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// No status lines.
    pub quiet: bool,
}

/// Keeps a job until its file is gone or the command ends.
pub struct Keeper {
    name: String,
    setting: Arc<Setting>,
    running: Option<Running>,
    /// The version that runs, or ran last.
    version: Option<Version>,
    /// Where the last version stopped.
    position: Option<JobPosition>,
}

#[derive(Clone)]
struct Version {
    path: PathBuf,
    text: String,
}

struct Running {
    done: Pin<Box<dyn Future<Output = JobReport> + Send>>,
    stop: Box<dyn Fn(StopMode) + Send + Sync>,
    progress: Arc<Progress>,
}

impl Keeper {
    /// A keeper of a job that does not run yet.
    pub fn new(name: String, setting: Arc<Setting>) -> Self {
        Keeper { name, setting, running: None, version: None, position: None }
    }

    /// Does what it is told until nobody can tell it anything any more; then the job is stopped. `false`: it failed at that.
    pub async fn keep(mut self, mut orders: mpsc::UnboundedReceiver<Order>) -> bool {
        loop {
            tokio::select! {
                biased;
                order = orders.recv() => match order {
                    Some(Order::Text(path, text, _doing)) => self.change(Version { path, text }).await,
                    Some(Order::Remove) => {
                        let rows = self.rows();
                        match self.stop().await {
                            Some(Completion::Stopped | Completion::Finished) => self.say(&format!("removed: stopped, {rows} rows written")),
                            Some(Completion::Failed { .. }) => {}
                            None => self.say("removed"),
                        }
                        return true;
                    }
                    None => {
                        return !matches!(self.stop().await, Some(Completion::Failed { .. }));
                    }
                },
                report = ended(&mut self.running) => {
                    let rows = self.rows();
                    self.running = None;
                    if matches!(report.completion, Completion::Finished) {
                        self.say(&format!("finished: {rows} rows written"));
                    }
                    self.take(report);
                }
            }
        }
    }

    /// Rows that were written so far.
    fn rows(&self) -> u64 {
        let of = |r: &Running| r.progress.sinks.iter().map(|s| Progress::get(&s.rows)).sum();
        self.running.as_ref().map_or(0, of)
    }

    fn say(&self, what: &str) {
        if !self.setting.quiet {
            eprintln!("job {}: {what}", self.name);
        }
    }

    /// Tells a fault with its place in the text.
    fn tell(&self, fault: &Fault, version: &Version) {
        eprint!("{}", fault.render(&version.path.display().to_string(), &version.text));
    }

    /// Starts a version in the place of the one that runs. One that cannot run leaves that one as it is.
    async fn change(&mut self, version: Version) {
        let began = self.setting.clock.monotonic_nanos();
        let (mut session, plan) =
            match Self::plan(self.setting.clone(), self.name.clone(), version.clone()).await {
                Ok(planned) => planned,
                Err(faults) => {
                    for fault in &faults {
                        self.tell(fault, &version);
                    }
                    let former = match &self.running {
                        Some(_) => "the former version goes on running",
                        None => "it does not run",
                    };
                    eprintln!("job {}: {} is not taken: {former}", self.name, version.path.display());
                    return;
                }
            };
        let Some(plan) = plan else {
            self.stop().await;
            self.say("nothing to run: the text holds no INSERT");
            self.version = Some(version);
            return;
        };
        let first = self.version.is_none();
        self.stop().await;
        match self.start(&mut session, plan).await {
            Ok(from) => {
                let millis = (self.setting.clock.monotonic_nanos() - began) / 1_000_000;
                let verb = if first { "started" } else { "changed" };
                self.say(&format!("{verb} in {millis} ms{from}"));
                self.version = Some(version);
            }
            Err(fault) => {
                self.tell(&fault, &version);
                eprintln!("job {}: {} cannot be started", self.name, version.path.display());
                self.go_back().await;
            }
        }
    }

    /// The former version goes on where it stopped.
    async fn go_back(&mut self) {
        let Some(former) = self.version.clone() else { return };
        if let Ok((mut session, Some(plan))) =
            Self::plan(self.setting.clone(), self.name.clone(), former.clone()).await
        {
            match self.start(&mut session, plan).await {
                Ok(_) => eprintln!("job {}: the former version goes on running", self.name),
                Err(fault) => {
                    self.tell(&fault, &former);
                    eprintln!("job {}: the former version does not start again, either", self.name);
                }
            }
        }
    }

    /// A session of the version's own, and its INSERTs as one job.
    async fn plan(
        setting: Arc<Setting>,
        name: String,
        version: Version,
    ) -> Result<(Session, Option<JobPlan>), Vec<Fault>> {
        let mut session = Session::builder().scans(setting.scans.clone()).build();
        let one = |f: Fault| vec![f];
        session.set("pipeline.name", &name).map_err(one)?;
        for option in &setting.options {
            // The command line was checked before.
            if let Some((key, value)) = option.split_once('=') {
                session.set(key.trim(), value.trim()).map_err(one)?;
            }
        }
        let text = &version.text;
        let faults = session.check(text);
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut inserts = Vec::new();
        for statement in session.statements(text).map_err(|f| f.faults)? {
            if session.is_query(&statement) {
                let fault = Fault::user(
                    "query-in-job",
                    "the rows of a SELECT have nowhere to go in a watched directory",
                );
                return Err(one(fault
                    .at(statement.span)
                    .hint("INSERT INTO a table, for example one of the print connector")));
            }
            if let StatementResult::Insert(plan) = session.statement(&statement, text).await.map_err(one)? {
                inserts.push(*plan);
            }
        }
        let plan = (!inserts.is_empty()).then(|| Session::merge(inserts));
        Ok((session, plan))
    }

    /// Starts a plan where the last version stopped, or at its last checkpoint; gives what a person should know of that.
    async fn start(&mut self, session: &mut Session, plan: JobPlan) -> Result<String, Fault> {
        let job = match self.position.take().filter(|p| !p.is_empty()) {
            Some(position) => {
                let started = session.succeed(plan, position.clone()).await;
                if started.is_err() {
                    self.position = Some(position);
                }
                started?
            }
            None => {
                if plan.settings.options.get("execution.checkpointing.dir").is_some() {
                    session.set_restore(Restore::Latest);
                }
                session.start(plan).await?
            }
        };
        let notes: String = job.notes.iter().map(|n| format!("; {n}")).collect();
        self.running = Some(Running {
            stop: Box::new(job.stopper()),
            progress: job.progress().clone(),
            done: Box::pin(job.wait()),
        });
        Ok(notes)
    }

    /// Lets the running version commit what it has read, and waits for its end.
    async fn stop(&mut self) -> Option<Completion> {
        let running = self.running.take()?;
        (running.stop)(StopMode::Drain);
        let report = running.done.await;
        let completion = report.completion.clone();
        self.take(report);
        Some(completion)
    }

    /// Remembers where a version ended, and tells why it failed.
    fn take(&mut self, report: JobReport) {
        self.position = Some(report.position);
        if let Completion::Failed { fault, .. } = &report.completion {
            match &self.version {
                Some(version) => self.tell(fault, version),
                None => eprintln!("error: {fault}"),
            }
            eprintln!("job {}: failed; it is started again when its file changes", self.name);
        }
    }
}

/// Waits for the end of what runs.
async fn ended(running: &mut Option<Running>) -> JobReport {
    match running {
        Some(running) => (&mut running.done).await,
        None => std::future::pending().await,
    }
}

/// Whether the options of the command line are ones that a session takes; tells what is wrong.
pub fn check(options: &[String], directory: &Path) -> bool {
    let mut session = Session::new();
    if !directory.is_dir() {
        eprintln!("error: {} is no directory", directory.display());
        return false;
    }
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            eprintln!("error: -D takes option=value, not '{option}'");
            return false;
        };
        if key.trim() == "pipeline.name" {
            eprintln!(
                "error: the jobs of a directory are called after their files: leave out -D pipeline.name"
            );
            return false;
        }
        match session.set(key.trim(), value.trim()) {
            Ok(Some(warning)) => eprintln!("warning: {warning}"),
            Ok(None) => {}
            Err(fault) => {
                eprint!("{}", fault.render("-D", option));
                return false;
            }
        }
    }
    true
}
