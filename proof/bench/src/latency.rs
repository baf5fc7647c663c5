//! How long a line takes from being written to its row in a sink, at a given pace: appended to a file that is followed, and written into a pipe.
//!
//! One process writes, another runs the job over that file or over its standard input; its sink looks at the clock. Lines come in bursts of a
//! millisecond, each with the time right before the call that writes it.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use millstream::flow::{
    BoxFuture, ChangelogMode, Committable, Committer, Connector, ConnectorCard, Guarantee, Sink, SinkCard,
    SinkSpec, Source, SourceSpec, Writer, WriterContext,
};
use millstream::types::{Batch, Fault};
use millstream::{Completion, Session, StatementResult, StopMode};

use crate::loads;

/// `bench latency [--rate N] [--seconds N] [--rules N]`, or (called by itself) the job.
pub fn run(words: &[&str]) -> Result<(), String> {
    match words {
        ["job", rules] => return job(crate::count(rules)?, None),
        ["job", rules, path] => return job(crate::count(rules)?, Some(path)),
        _ => {}
    }
    let (mut rate, mut seconds, mut rules) = (100_000, 10, 41);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match *word {
            "--rate" => rate = crate::count(value()?)?.max(1000),
            "--seconds" => seconds = crate::count(value()?)?,
            "--rules" => rules = crate::count(value()?)?,
            other => return Err(format!("unknown option {other}")),
        }
    }
    let mut events = Vec::new();
    loads::quiet_events(rate, &mut events).map_err(|e| e.to_string())?;
    let lines: Vec<&[u8]> = events.split_inclusive(|b| *b == b'\n').collect();
    let path = std::env::temp_dir().join(format!("millstream-latency-{}.log", std::process::id()));
    let followed = measure("a followed file", &lines, rate, seconds, rules, Some(&path));
    let _ = std::fs::remove_file(&path);
    followed?;
    measure("a pipe", &lines, rate, seconds, rules, None)
}

/// Writes lines to a job, into a file that it follows or a pipe.
fn measure(
    what: &str,
    lines: &[&[u8]],
    rate: u64,
    seconds: u64,
    rules: u64,
    file: Option<&Path>,
) -> Result<(), String> {
    let mut appended = file.map(File::create).transpose().map_err(|e| e.to_string())?;
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut child = Command::new(me)
        .args(["latency", "job", &rules.to_string()])
        .args(file)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut pipe = child.stdin.take().ok_or("no pipe")?;
    let (written, behind) = match &mut appended {
        Some(file) => write(lines, rate, seconds, file)?,
        None => write(lines, rate, seconds, &mut pipe)?,
    };
    if file.is_some() {
        // A file has no end: the end of the pipe stops the job, when it has read all.
        std::thread::sleep(Duration::from_millis(500));
    }
    drop(pipe);
    let average = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "{what}: {written} lines at {rate} a second, {rules} rules; the writer was at most {:.1} ms late; load average {}",
        behind.as_secs_f64() * 1000.0,
        average.split(' ').next().unwrap_or("?")
    );
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("the job ended with {status}")) }
}

/// Writes each millisecond's lines when it has come, each with the time of its writing. Gives how many and how late the latest were.
#[allow(clippy::disallowed_methods)] // a wall clock is what is asked for
fn write(lines: &[&[u8]], rate: u64, seconds: u64, out: &mut impl Write) -> Result<(u64, Duration), String> {
    // The job starts and compiles its rules first.
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    let (mut written, mut behind) = (0, Duration::ZERO);
    let mut burst = Vec::new();
    for tick in 1..=seconds * 1000 {
        let due = Duration::from_millis(tick);
        if let Some(early) = due.checked_sub(start.elapsed()) {
            std::thread::sleep(early);
        }
        behind = behind.max(start.elapsed().saturating_sub(due));
        let sent = now_nanos();
        burst.clear();
        while written < rate * tick / 1000 {
            let line = lines.get((written % lines.len().max(1) as u64) as usize).copied().unwrap_or_default();
            burst.extend_from_slice(format!("{{\"sent\":{sent},").as_bytes());
            burst.extend_from_slice(line.get(1..).unwrap_or_default());
            written += 1;
        }
        out.write_all(&burst).map_err(|e| format!("the job does not read any more: {e}"))?;
    }
    Ok((written, behind))
}

#[allow(clippy::disallowed_methods)] // a wall clock is what is asked for
fn now_nanos() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i64)
}

/// The job: the quiet rules, and a query that every row passes, over a file that is followed until the standard input ends, or over that.
fn job(rules: u64, file: Option<&str>) -> Result<(), String> {
    let source = match file {
        Some(path) => format!("'connector' = 'filesystem', 'source.follow' = 'true', 'path' = '{path}'"),
        None => "'connector' = 'stdin'".to_string(),
    };
    let mut sql = format!(
        "CREATE TABLE events (sent BIGINT, {}) WITH ({source}, 'format' = 'json');\n\
         CREATE TABLE timed (sent BIGINT, host STRING) WITH ('connector' = 'timed');\n\
         INSERT INTO timed SELECT sent, host FROM events;\n",
        loads::COLUMNS
    );
    let words = loads::Words::new();
    for i in 0..rules {
        sql.push_str(&format!(
            "INSERT INTO timed SELECT sent, cmdline FROM events WHERE {};\n",
            words.rule(i)
        ));
    }
    let timed = Arc::new(Timed::default());
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    runtime.block_on(async {
        let mut session = Session::builder().connector(timed.clone()).build();
        let mut inserts = Vec::new();
        for statement in session.statements(&sql).map_err(|f| f.render("bench"))? {
            if let StatementResult::Insert(plan) =
                session.statement(&statement, &sql).await.map_err(|f| f.render("bench", &sql))?
            {
                inserts.push(*plan);
            }
        }
        let job = session.start(Session::merge(inserts)).await.map_err(|f| f.render("bench", &sql))?;
        if file.is_some() {
            let stop = job.stopper();
            tokio::task::spawn_blocking(move || {
                let _ = std::io::stdin().read_to_end(&mut Vec::new());
                stop(StopMode::Drain);
            });
        }
        match job.wait().await.completion {
            Completion::Failed { fault, .. } => Err(fault.render("bench", &sql)),
            _ => Ok(()),
        }
    })?;
    let mut nanos = std::mem::take(&mut *timed.0.lock().unwrap_or_else(PoisonError::into_inner));
    nanos.sort_unstable();
    let at = |share: f64| {
        let last = nanos.len().saturating_sub(1);
        let n = nanos.get((last as f64 * share) as usize).copied().unwrap_or(0);
        n as f64 / 1e6
    };
    println!(
        "{} rows; from the line written to the row in the sink: p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms, max {:.2} ms",
        nanos.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    Ok(())
}

/// A connector whose sinks note how old each row is.
#[derive(Debug, Clone, Default)]
struct Timed(Arc<Mutex<Vec<i64>>>);

static CARD: ConnectorCard = ConnectorCard {
    name: "timed",
    aliases: &[],
    doc: "Notes how long ago the time in the first column is.",
    options: &[],
    metadata: &[],
    format: false,
    source: None,
    sink: Some(SinkCard {
        changes: ChangelogMode::Append,
        guarantee: |_, _| Guarantee::None,
        partitions: false,
        overwrite: false,
    }),
};

impl Connector for Timed {
    fn card(&self) -> &'static ConnectorCard {
        &CARD
    }

    fn source(&self, _: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        Err(Fault::user("no-source", "'timed' can only be written"))
    }

    fn sink(&self, _: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        Ok(Arc::new(self.clone()))
    }
}

impl Sink for Timed {
    fn writer<'a>(&'a self, _: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Writer>) })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        None
    }
}

impl Writer for Timed {
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async {
            let now = now_nanos();
            let Some(sent) = batch.columns.first() else { return Ok(()) };
            let ages = sent.as_primitive::<Int64Type>().values().iter().map(|s| now - s);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(ages);
            Ok(())
        })
    }

    fn prepare(&mut self, _: u64) -> BoxFuture<'_, Result<Vec<Committable>, Fault>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn abort(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}
