//! `millstream run`.

use std::sync::Arc;
use std::time::Duration;

use millstream::types::{Batch, Clock, Fault};
use millstream::{
    Completion, JobHandle, JobPlan, JobReport, OutputFormat, Prepared, Restore, Rows, Session,
    StatementResult, StopMode, SystemClock,
};

use crate::arguments::RunArguments;
use crate::interrupt::{self, Interrupts};
use crate::output;
use crate::progress::{ProgressLine, summary};
use crate::text::{self, Text};
use crate::watch::watch;
use crate::{DONE, FAILED, INTERRUPTED, WRONG_TEXT};

/// Runs the texts.
pub async fn run(arguments: RunArguments) -> u8 {
    if let Some(root) = &arguments.watch {
        return watch(&arguments, root).await;
    }
    let restore = match restore(&arguments) {
        Ok(restore) => restore,
        Err(code) => return code,
    };
    let texts = match text::read(&arguments.text) {
        Ok(texts) => texts,
        Err(code) => return code,
    };
    // Nothing runs if anything is wrong.
    let prepared = match text::session(&arguments.text, &texts, Restore::None) {
        Ok(mut session) => text::prepare(&mut session, &texts),
        Err(code) => return code,
    };
    let mut wrong = false;
    for (t, (_, faults)) in texts.iter().zip(&prepared) {
        for fault in faults {
            eprintln!("{}", fault.render(&t.origin, &t.sql));
            wrong = true;
        }
    }
    if wrong {
        return WRONG_TEXT;
    }
    let session = match text::session_again(&arguments.text, &texts, restore) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let mut runner = Runner {
        session,
        arguments,
        interrupts: Some(Interrupts::new()),
        clock: Arc::new(SystemClock::new()),
        inserts: Vec::new(),
    };
    for (t, (prepared, _)) in texts.iter().zip(prepared) {
        if let Err(code) = runner.text(t, prepared).await {
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
    /// Until the first one comes.
    interrupts: Option<Interrupts>,
    clock: Arc<dyn Clock>,
    inserts: Vec<JobPlan>,
}

impl Runner {
    async fn text(&mut self, text: &Text, prepared: Prepared) -> Result<(), u8> {
        let fail = |f: Fault| {
            eprint!("{}", f.render(&text.origin, &text.sql));
            exit_code(&f)
        };
        for step in prepared.into_steps() {
            match self.session.step(step, &text.sql).await.map_err(fail)? {
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
                    if self.interrupts.is_none() {
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
                // Rows that come without a pause must not hide the signal.
                biased;
                () = interrupt::first(&mut self.interrupts) => {
                    if let Some(stop) = &stop {
                        stop(StopMode::Now);
                    }
                    self.interrupts.take().into_iter().for_each(Interrupts::end_at_next);
                    continue;
                }
                next = rows.next() => next,
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
        loop {
            tokio::select! {
                report = &mut done => return report,
                () = interrupt::first(&mut self.interrupts) => {
                    eprintln!("stopping: what was read is being committed (Ctrl-C again stops at once)");
                    stop(StopMode::Drain);
                    self.interrupts.take().into_iter().for_each(Interrupts::end_at_next);
                }
                () = tokio::time::sleep(Duration::from_millis(500)) => line.draw(&progress),
            }
        }
    }
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
