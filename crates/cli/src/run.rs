//! `millstream run`.

use std::sync::Arc;
use std::time::Duration;

use millstream::types::{Batch, Clock, Fault};
use millstream::{
    Completion, JobHandle, JobPlan, JobReport, OutputFormat, Restore, Rows, Session, StatementResult,
    StopMode, SystemClock,
};

use crate::arguments::RunArguments;
use crate::output;
use crate::progress::{ProgressLine, summary};
use crate::text::{self, Text};
use crate::{DONE, FAILED, INTERRUPTED, WRONG_TEXT};

/// Runs the texts.
pub async fn run(arguments: RunArguments) -> u8 {
    let restore = match restore(&arguments) {
        Ok(restore) => restore,
        Err(code) => return code,
    };
    let texts = match text::read(&arguments.text) {
        Ok(texts) => texts,
        Err(code) => return code,
    };
    // Nothing runs if anything is wrong.
    match text::session(&arguments.text, &texts, Restore::None) {
        Ok(mut session) => {
            let mut wrong = false;
            for t in &texts {
                for fault in session.check_and_keep(&t.sql) {
                    eprintln!("{}", fault.render(&t.origin, &t.sql));
                    wrong = true;
                }
            }
            if wrong {
                return WRONG_TEXT;
            }
        }
        Err(code) => return code,
    }
    let session = match text::session(&arguments.text, &texts, restore) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let mut runner = Runner {
        session,
        arguments,
        interrupted: false,
        clock: Arc::new(SystemClock::new()),
        inserts: Vec::new(),
    };
    for t in &texts {
        if let Err(code) = runner.text(t).await {
            return code;
        }
    }
    runner.job(&texts).await
}

fn restore(arguments: &RunArguments) -> Result<Restore, u8> {
    match arguments.restore.as_str() {
        "none" => Ok(Restore::None),
        "latest" => Ok(Restore::Latest),
        number => match number.parse() {
            Ok(number) => Ok(Restore::Number { number, allow_duplicates: arguments.allow_duplicates }),
            Err(_) => {
                eprintln!("error: --restore takes 'latest', 'none' or a checkpoint's number, not '{number}'");
                Err(WRONG_TEXT)
            }
        },
    }
}

struct Runner {
    session: Session,
    arguments: RunArguments,
    interrupted: bool,
    clock: Arc<dyn Clock>,
    inserts: Vec<JobPlan>,
}

impl Runner {
    async fn text(&mut self, text: &Text) -> Result<(), u8> {
        let fail = |f: Fault| {
            eprint!("{}", f.render(&text.origin, &text.sql));
            exit_code(&f)
        };
        let statements = self.session.statements(&text.sql).map_err(|f| {
            eprint!("{}", f.render(&text.origin));
            WRONG_TEXT
        })?;
        for statement in &statements {
            match self.session.statement(statement, &text.sql).await.map_err(fail)? {
                StatementResult::Done(warnings) => {
                    for w in warnings {
                        eprintln!("warning: {w}");
                    }
                }
                StatementResult::Answer(answer) => {
                    let rows: Vec<_> =
                        answer.rows.into_iter().map(|r| (millstream::types::RowKind::Insert, r)).collect();
                    let batch = Batch::from_rows(answer.schema.clone(), &rows).map_err(fail)?;
                    let mut renderer =
                        self.session.renderer(self.format(), answer.schema.clone(), false).map_err(fail)?;
                    output::print(&mut renderer, &batch).map_err(fail)?;
                    output::finish(&mut renderer).map_err(fail)?;
                }
                StatementResult::Rows(rows) => {
                    self.rows(*rows).await.map_err(fail)?;
                    if self.interrupted {
                        return Err(INTERRUPTED);
                    }
                }
                StatementResult::Insert(plan) => self.inserts.push(*plan),
            }
        }
        Ok(())
    }

    fn format(&self) -> OutputFormat {
        output::format(self.arguments.output)
    }

    /// Prints the rows of a SELECT as they come.
    async fn rows(&mut self, mut rows: Rows) -> Result<(), Fault> {
        let changes = rows.carries_changes();
        let mut renderer = self.session.renderer(self.format(), rows.schema().clone(), changes)?;
        let stop = rows.job().map(JobHandle::stopper);
        loop {
            let next = tokio::select! {
                next = rows.next() => next,
                () = interrupt(), if !self.interrupted => {
                    self.interrupted = true;
                    if let Some(stop) = &stop {
                        stop(StopMode::Now);
                    }
                    watch_for_second_interrupt();
                    continue;
                }
            };
            match next? {
                Some(batch) => {
                    if !output::print(&mut renderer, &batch)? {
                        return Ok(());
                    }
                }
                None => break,
            }
        }
        output::finish(&mut renderer)?;
        Ok(())
    }

    /// Runs all INSERTs as one job.
    async fn job(mut self, texts: &[Text]) -> u8 {
        if self.inserts.is_empty() {
            return DONE;
        }
        let plan = Session::merge(std::mem::take(&mut self.inserts));
        let job = match self.session.start(plan).await {
            Ok(job) => job,
            Err(fault) => {
                print_job_fault(&fault, texts);
                return exit_code(&fault);
            }
        };
        if !self.arguments.quiet {
            for note in &job.notes {
                eprintln!("note: {note}");
            }
        }
        let mut line = ProgressLine::new(self.clock.clone(), self.arguments.quiet);
        let report = self.wait(job, &mut line).await;
        line.clear();
        let code = match &report.completion {
            Completion::Finished => DONE,
            Completion::Stopped => INTERRUPTED,
            Completion::Failed { fault, .. } => {
                print_job_fault(fault, texts);
                FAILED
            }
        };
        if !self.arguments.quiet && code != FAILED {
            summary(&report, line.seconds());
        }
        code
    }

    async fn wait(&mut self, job: JobHandle, line: &mut ProgressLine) -> JobReport {
        let progress = job.progress().clone();
        let stop = job.stopper();
        let done = job.wait();
        tokio::pin!(done);
        let mut interrupted = false;
        loop {
            tokio::select! {
                report = &mut done => return report,
                () = interrupt(), if !interrupted => {
                    interrupted = true;
                    eprintln!("stopping: what was read is being committed (Ctrl-C again stops at once)");
                    stop(StopMode::Drain);
                    watch_for_second_interrupt();
                }
                () = tokio::time::sleep(Duration::from_millis(500)) => line.draw(&progress),
            }
        }
    }
}

/// Ctrl-C, or the request to end that a service manager sends.
async fn interrupt() {
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => if pressed.is_err() { std::future::pending::<()>().await },
        () = terminate => {}
    }
}

/// A second Ctrl-C ends the process at once: what is not committed is thrown away at the next restore.
#[allow(clippy::disallowed_methods)] // the command owns the process
fn watch_for_second_interrupt() {
    tokio::spawn(async {
        interrupt().await;
        std::process::exit(i32::from(INTERRUPTED));
    });
}

fn print_job_fault(fault: &Fault, texts: &[Text]) {
    // A job of several files has no one text that the place is in.
    match texts {
        [only] => eprint!("{}", fault.render(&only.origin, &only.sql)),
        _ => eprintln!("error: {fault}"),
    }
}

fn exit_code(fault: &Fault) -> u8 {
    use millstream::types::FaultKind;
    match fault.kind() {
        FaultKind::User | FaultKind::NotYet if fault.span().is_some() => WRONG_TEXT,
        _ => FAILED,
    }
}
