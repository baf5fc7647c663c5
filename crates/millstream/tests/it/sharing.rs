//! Jobs that are started separately over one source: they share its reader, and each gets what it would get alone.

use std::sync::Arc;
use std::time::Duration;

use millstream::flow::{
    BoxFuture, Committable, Committer, Connector, ConnectorCard, Sink, SinkSpec, Source, SourceSpec, Writer,
    WriterContext,
};
use millstream::types::{Batch, Fault, Value};
use millstream::{Completion, JobHandle, Session, SharedScans, StatementResult, StopMode};
use millstream_connectors::stepping::{Record, SteppingHandle};
use tokio::sync::watch;

/// A sink that takes nothing until it is let.
#[derive(Debug)]
struct Gate {
    handle: SteppingHandle,
    open: watch::Receiver<bool>,
}

#[derive(Debug)]
struct GateSink {
    inner: Arc<dyn Sink>,
    open: watch::Receiver<bool>,
}

struct GateWriter {
    inner: Box<dyn Writer>,
    open: watch::Receiver<bool>,
}

impl Connector for Gate {
    fn card(&self) -> &'static ConnectorCard {
        static CARD: std::sync::OnceLock<ConnectorCard> = std::sync::OnceLock::new();
        CARD.get_or_init(|| {
            let handle = SteppingHandle::new();
            let [_, rows] = handle.connectors();
            ConnectorCard { name: "gate", ..*rows.card() }
        })
    }

    fn source(&self, spec: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        self.handle.connectors()[1].source(spec)
    }

    fn sink(&self, spec: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        let inner = self.handle.connectors()[1].sink(spec)?;
        Ok(Arc::new(GateSink { inner, open: self.open.clone() }))
    }
}

impl Sink for GateSink {
    fn writer<'a>(&'a self, context: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        Box::pin(async move {
            let inner = self.inner.writer(context).await?;
            Ok(Box::new(GateWriter { inner, open: self.open.clone() }) as Box<dyn Writer>)
        })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        self.inner.committer()
    }
}

impl Writer for GateWriter {
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            let _ = self.open.wait_for(|open| *open).await;
            self.inner.write(batch).await
        })
    }

    fn prepare(&mut self, n: u64) -> BoxFuture<'_, Result<Vec<Committable>, Fault>> {
        self.inner.prepare(n)
    }

    fn abort(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        self.inner.abort()
    }
}

struct World {
    handle: SteppingHandle,
    scans: SharedScans,
    gate: watch::Sender<bool>,
}

impl World {
    fn new() -> Self {
        World { handle: SteppingHandle::new(), scans: SharedScans::default(), gate: watch::channel(false).0 }
    }

    fn session(&self) -> Session {
        let [raw, rows] = self.handle.connectors();
        let gate = Arc::new(Gate { handle: self.handle.clone(), open: self.gate.subscribe() });
        Session::builder().connector(raw).connector(rows).connector(gate).scans(self.scans.clone()).build()
    }

    /// Starts the INSERT of a text in a session of its own.
    async fn start(&self, text: &str) -> JobHandle {
        let mut session = self.session();
        let plan = plan(&mut session, text).await;
        session.start(plan).await.unwrap()
    }

    fn push(&self, numbers: std::ops::Range<i64>) {
        self.push_padded(numbers, 0);
    }

    fn push_padded(&self, numbers: std::ops::Range<i64>, padding: usize) {
        for n in numbers {
            let text = format!("{{\"n\":{n},\"host\":\"h{}\",\"text\":\"{}\"}}", n % 10, "x".repeat(padding));
            self.handle.push(&full("events"), Record::Raw(text.into_bytes()));
        }
    }

    fn raw(&self, text: &str) {
        self.handle.push(&full("events"), Record::Raw(text.as_bytes().to_vec()));
    }

    fn written(&self, table: &str) -> Vec<i64> {
        let number = |row: Vec<Value>| row[0].as_int().unwrap();
        self.handle.rows(&full(table)).into_iter().map(|(_, row)| number(row)).collect()
    }

    /// Waits until as many rows were written.
    async fn until(&self, table: &str, rows: usize) {
        for _ in 0..20_000 {
            if self.handle.rows(&full(table)).len() >= rows {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{table} has {} rows instead of {rows}", self.handle.rows(&full(table)).len());
    }

    async fn until_readers(&self, readers: usize) {
        for _ in 0..20_000 {
            if self.handle.readers(&full("events")) == readers {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{} readers instead of {readers}", self.handle.readers(&full("events")));
    }
}

fn full(table: &str) -> String {
    format!("default_catalog.default_database.{table}")
}

async fn plan(session: &mut Session, text: &str) -> millstream::JobPlan {
    let mut inserts = Vec::new();
    for statement in session.statements(text).unwrap() {
        if let StatementResult::Insert(p) = session.statement(&statement, text).await.unwrap() {
            inserts.push(*p);
        }
    }
    Session::merge(inserts)
}

const EVENTS: &str = "CREATE TABLE events (n INT, host STRING, text STRING) WITH ('connector' = 'stepping', 'format' = 'json');\n";

/// A job that writes the numbers of the events for which a condition holds.
fn job(sink: &str, connector: &str, condition: &str) -> String {
    format!(
        "{EVENTS}CREATE TABLE {sink} (n INT) WITH ('connector' = '{connector}');\n\
         INSERT INTO {sink} SELECT n FROM events WHERE {condition}"
    )
}

async fn ended(job: JobHandle) -> millstream::JobReport {
    tokio::time::timeout(Duration::from_secs(20), job.wait()).await.expect("the job must end")
}

async fn finished(job: JobHandle) {
    let report = ended(job).await;
    assert!(matches!(report.completion, Completion::Finished), "{:?}", report.completion);
}

#[tokio::test]
async fn a_job_that_comes_later_reads_from_the_start_and_then_with_the_others() {
    let world = World::new();
    let a = world.start(&job("a", "stepping-rows", "n >= 0")).await;
    world.push(0..50);
    world.until("a", 50).await;
    let b = world.start(&job("b", "stepping-rows", "MOD(n, 2) = 0")).await;
    world.until("b", 25).await;
    world.until_readers(1).await;
    // Columns that nobody has read so far, in another order, under another name of the columns' table.
    let c = world
        .start(
            "CREATE TABLE events (host STRING, n INT) WITH ('connector' = 'stepping', 'format' = 'json');\n\
             CREATE TABLE c (n INT) WITH ('connector' = 'stepping-rows');\n\
             INSERT INTO c SELECT n FROM events WHERE host = 'h3'",
        )
        .await;
    world.until("c", 5).await;
    world.until_readers(1).await;
    world.push(50..100);
    world.handle.end(&full("events"));
    for job in [a, b, c] {
        finished(job).await;
    }
    assert_eq!(world.written("a"), (0..100).collect::<Vec<_>>());
    assert_eq!(world.written("b"), (0..100).filter(|n| n % 2 == 0).collect::<Vec<_>>());
    assert_eq!(world.written("c"), (0..100).filter(|n| n % 10 == 3).collect::<Vec<_>>());
}

#[tokio::test]
async fn jobs_that_begin_together_share_from_the_first_record() {
    let world = World::new();
    world.push(0..20);
    let held = world.scans.hold();
    let mut jobs = Vec::new();
    for i in 0..10 {
        jobs.push(world.start(&job(&format!("t{i}"), "stepping-rows", &format!("host = 'h{i}'"))).await);
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(world.handle.readers(&full("events")), 0, "they wait");
    drop(held);
    world.until("t9", 2).await;
    assert_eq!(world.handle.readers(&full("events")), 1);
    world.handle.end(&full("events"));
    for job in jobs {
        finished(job).await;
    }
    for i in 0..10 {
        assert_eq!(world.written(&format!("t{i}")), [i, 10 + i]);
    }
}

#[tokio::test]
async fn jobs_leave_and_the_others_go_on() {
    let world = World::new();
    let a = world.start(&job("a", "stepping-rows", "n >= 0")).await;
    let b = world.start(&job("b", "stepping-rows", "n >= 0")).await;
    world.push(0..10);
    world.until("a", 10).await;
    world.until("b", 10).await;
    world.until_readers(1).await;
    // The one that the other has come to goes first.
    a.stop(StopMode::Drain);
    assert!(matches!(ended(a).await.completion, Completion::Stopped));
    world.push(10..20);
    world.until("b", 20).await;
    let c = world.start(&job("c", "stepping-rows", "n >= 15")).await;
    world.until("c", 5).await;
    world.until_readers(1).await;
    b.stop(StopMode::Now);
    assert!(matches!(ended(b).await.completion, Completion::Stopped));
    world.push(20..30);
    world.handle.end(&full("events"));
    finished(c).await;
    assert_eq!(world.written("a"), (0..10).collect::<Vec<_>>());
    assert_eq!(world.written("c"), (15..30).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_job_whose_sink_hangs_stalls_nobody() {
    let world = World::new();
    let hung = world
        .start(
            &job("hung", "gate", "text <> ''")
                .replace("SELECT n", "SELECT n, text")
                .replace("hung (n INT)", "hung (n INT, text STRING)"),
        )
        .await;
    let good = world.start(&job("good", "stepping-rows", "n >= 0")).await;
    world.push_padded(0..10, 10);
    world.until("good", 10).await;
    world.until_readers(1).await;
    // Far more than its channel holds.
    world.push_padded(10..300, 100_000);
    world.until("good", 300).await;
    assert_eq!(world.written("hung").len(), 0);
    assert_eq!(world.handle.readers(&full("events")), 2, "it has a reader of its own");
    world.push(300..310);
    world.until("good", 310).await;
    world.gate.send(true).unwrap();
    world.until("hung", 310 - 10).await;
    world.handle.end(&full("events"));
    finished(good).await;
    finished(hung).await;
    assert_eq!(world.written("good"), (0..310).collect::<Vec<_>>());
    assert_eq!(world.written("hung"), (0..300).collect::<Vec<_>>(), "nothing lost, nothing doubled");
}

#[tokio::test]
async fn an_error_belongs_to_the_jobs_that_need_the_value() {
    let world = World::new();
    let numbers = world.start(&job("numbers", "stepping-rows", "n >= 0")).await;
    let hosts = "CREATE TABLE events (n INT, host STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'stepping', 'format' = 'json');\n\
        CREATE TABLE hosts (host STRING) WITH ('connector' = 'stepping-rows');\n\
        INSERT INTO hosts SELECT host FROM events";
    let timed = world.start(hosts).await;
    world.raw(r#"{"n": 1, "host": "a", "ts": "2024-01-01 00:00:00"}"#);
    world.until("hosts", 1).await;
    world.until_readers(1).await;
    // No rowtime: only for the one that has one.
    world.raw(r#"{"n": 2, "host": "b"}"#);
    let failed = ended(timed).await;
    let Completion::Failed { fault, .. } = failed.completion else { panic!("{:?}", failed.completion) };
    assert_eq!(fault.code(), "null-rowtime");
    world.until("numbers", 2).await;
    let only_hosts = hosts.replace(", ts TIMESTAMP(3), WATERMARK FOR ts AS ts", "").replace("hosts", "h2");
    let texts = world.start(&only_hosts).await;
    world.until("h2", 2).await;
    world.until_readers(1).await;
    // No number: only for the one that reads it.
    world.raw(r#"{"n": "x", "host": "c"}"#);
    assert!(matches!(ended(numbers).await.completion, Completion::Failed { .. }));
    world.raw(r#"{"n": 4, "host": "d"}"#);
    world.handle.end(&full("events"));
    finished(texts).await;
    assert_eq!(world.written("numbers"), [1, 2]);
    let hosts: Vec<Value> = world.handle.rows(&full("h2")).into_iter().map(|(_, r)| r[0].clone()).collect();
    assert_eq!(hosts, ["a", "b", "c", "d"].map(Value::from));
}

#[tokio::test]
async fn each_job_has_dead_letters_of_its_own() {
    let world = World::new();
    let text = |name: &str, dead: &str| {
        let events = EVENTS.replace(
            "'format' = 'json'",
            "'format' = 'json', 'bad-records' = 'dead-letter', 'dead-letter.table' = 'dead'",
        );
        job(name, "stepping-rows", "n >= 0").replace(
            EVENTS,
            &format!("{events}CREATE TABLE dead ({dead}) WITH ('connector' = 'stepping-rows');\n"),
        )
    };
    let a = world.start(&text("a", "record STRING")).await;
    let b = world.start(&text("b", "record STRING")).await;
    world.push(0..2);
    world.until("a", 2).await;
    world.until("b", 2).await;
    world.until_readers(1).await;
    world.raw("no json");
    world.push(2..4);
    world.until("dead", 2).await;
    world.handle.end(&full("events"));
    finished(a).await;
    finished(b).await;
    let letters: Vec<Value> =
        world.handle.rows(&full("dead")).into_iter().map(|(_, r)| r[0].clone()).collect();
    assert_eq!(letters, ["no json", "no json"].map(Value::from));
    assert_eq!((world.written("a"), world.written("b")), (vec![0, 1, 2, 3], vec![0, 1, 2, 3]));
}

#[tokio::test]
async fn a_successor_goes_on_where_its_predecessor_stopped() {
    let world = World::new();
    let other = world.start(&job("other", "stepping-rows", "n >= 0")).await;
    let mut version = world.start(&job("v0", "stepping-rows", "n >= 0")).await;
    world.push(0..10);
    world.until("v0", 10).await;
    for i in 1..5 {
        version.stop(StopMode::Drain);
        // What comes in between belongs to the next one.
        world.push(10 * i..10 * i + 5);
        let report = ended(version).await;
        assert!(!report.position.is_empty());
        let mut session = world.session();
        let next = plan(&mut session, &job(&format!("v{i}"), "stepping-rows", "n >= 0")).await;
        version = session.succeed(next, report.position).await.unwrap();
        world.push(10 * i + 5..10 * i + 10);
        world.until("other", 10 * i as usize + 10).await;
        world.until(&format!("v{i}"), 5).await;
    }
    world.until_readers(1).await;
    world.handle.end(&full("events"));
    finished(other).await;
    finished(version).await;
    let all: Vec<i64> = (0..5).flat_map(|i| world.written(&format!("v{i}"))).collect();
    assert_eq!(all, (0..50).collect::<Vec<_>>());
    assert_eq!(world.written("other"), (0..50).collect::<Vec<_>>());
}

#[tokio::test]
async fn jobs_that_go_on_at_different_places_are_taken_along_by_the_one_furthest_behind() {
    let world = World::new();
    let mut stopped = Vec::new();
    for i in 0..5i64 {
        let job = world.start(&job(&format!("a{i}"), "stepping-rows", "n >= 0")).await;
        world.push(10 * i..10 * i + 10);
        world.until(&format!("a{i}"), 10 * (i as usize + 1)).await;
        job.stop(StopMode::Drain);
        stopped.push(ended(job).await.position);
    }
    world.push(50..60);
    let held = world.scans.hold();
    let mut jobs = Vec::new();
    for (i, position) in stopped.into_iter().enumerate().rev() {
        let mut session = world.session();
        let next = plan(&mut session, &job(&format!("b{i}"), "stepping-rows", "n >= 0")).await;
        jobs.push(session.succeed(next, position).await.unwrap());
    }
    drop(held);
    for _ in 0..10 {
        assert!(world.handle.readers(&full("events")) <= 3, "each one reads alone");
        tokio::task::yield_now().await;
    }
    world.until("b0", 50).await;
    world.until("b4", 10).await;
    world.until_readers(1).await;
    world.push(60..70);
    world.handle.end(&full("events"));
    for job in jobs {
        finished(job).await;
    }
    for i in 0..5 {
        let all: Vec<i64> =
            [format!("a{i}"), format!("b{i}")].iter().flat_map(|t| world.written(t)).collect();
        assert_eq!(all, (0..70).collect::<Vec<_>>());
    }
}

/// One of 500 rules is replaced while events flow: how long it takes, and what the others see of it.
#[tokio::test]
#[allow(clippy::disallowed_methods)] // a test is its own spawner, and measures real time
async fn one_of_500_rules_is_replaced_while_events_flow() {
    const RULES: i64 = 500;
    let world = World::new();
    let held = world.scans.hold();
    let mut jobs = Vec::new();
    let began = std::time::Instant::now();
    for i in 0..RULES {
        // Each rule has a literal of its own, as rules have.
        let text = job(&format!("r{i}"), "stepping-rows", &format!("text LIKE '%rule-{i}-%'"));
        jobs.push(Some(world.start(&text).await));
    }
    drop(held);
    let started = began.elapsed();
    let push = |handle: &SteppingHandle, n: i64| {
        let text = format!("{{\"n\":{n},\"host\":\"h\",\"text\":\"a rule-{}- b\"}}", n % RULES);
        handle.push(&full("events"), Record::Raw(text.into_bytes()));
    };
    println!("launched after {} ms", started.as_millis());
    (0..RULES).for_each(|n| push(&world.handle, n));
    world.until("r499", 1).await;
    world.until_readers(1).await;
    println!(
        "{RULES} jobs started in {} ms, one reader after {} ms",
        started.as_millis(),
        began.elapsed().as_millis()
    );
    let flowing = Arc::new(std::sync::atomic::AtomicI64::new(RULES));
    let feeding = {
        let (handle, flowing) = (world.handle.clone(), flowing.clone());
        tokio::spawn(async move {
            loop {
                let n = flowing.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                push(&handle, n);
                tokio::time::sleep(Duration::from_micros(500)).await;
            }
        })
    };
    let (mut fastest, mut slowest) = (Duration::MAX, Duration::ZERO);
    for round in 0..10 {
        let i = 37 * round % RULES;
        let old = jobs[i as usize].take().unwrap();
        let mut session = world.session();
        let next = plan(
            &mut session,
            &job(&format!("next{i}"), "stepping-rows", &format!("text LIKE '%rule-{i}-%' AND n >= 0")),
        )
        .await;
        let command = std::time::Instant::now();
        old.stop(StopMode::Drain);
        let report = ended(old).await;
        let stopped = command.elapsed();
        jobs[i as usize] = Some(session.succeed(next, report.position).await.unwrap());
        let took = command.elapsed();
        println!(
            "rule {i}: stopped at the boundary after {} ms, its successor started after {} ms",
            stopped.as_millis(),
            took.as_millis()
        );
        (fastest, slowest) = (fastest.min(took), slowest.max(took));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!("of 10: {} to {} ms", fastest.as_millis(), slowest.as_millis());
    tokio::time::sleep(Duration::from_millis(300)).await;
    feeding.abort();
    let _ = feeding.await;
    world.handle.end(&full("events"));
    for job in jobs.into_iter().flatten() {
        finished(job).await;
    }
    let last = flowing.load(std::sync::atomic::Ordering::SeqCst);
    for i in 0..RULES {
        let mut seen = world.written(&format!("r{i}"));
        seen.extend(world.written(&format!("next{i}")));
        let expected: Vec<i64> = (0..last).filter(|n| n % RULES == i).collect();
        assert_eq!(seen, expected, "rule {i}");
    }
    // Also in a build for tests; on a busy machine not each of them.
    assert!(fastest < Duration::from_millis(100), "{fastest:?}");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}
