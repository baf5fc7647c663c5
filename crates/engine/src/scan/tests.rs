//! A scan with subscribers that come, go and fail, over a source that is fed by hand.

use std::sync::{Arc, Mutex};

use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, CastMode, EvalContext, Expr};
use millstream_flow::{
    Barrier, BoxFuture, Element, MemoryBudget, Offset, Read, Source, Split, SplitReader, Watermark,
};
use millstream_operators::OperatorContext;
use millstream_plan::{ProjectItem, ScanOp, TableSpec, WatermarkSpec};
use millstream_types::{
    Batch, DataType, Fault, Field, ManualClock, RowKind, Schema, SchemaRef, SeededRandom, Span, TypeKind,
    Value,
};
use tokio::sync::mpsc;

use super::bad::BadPolicy;
use super::group::GroupColumn;
use super::{Command, GroupSpec, ScanRoute, ScanTask, SubscribedScan, Subscription};
use crate::exchange::{Activity, Receiver, channel};
use crate::runtime::{Chain, Event, Target, TokioSpawner};

/// Rows that the test gives, batch by batch.
#[derive(Debug)]
struct Fed {
    batches: Arc<Mutex<mpsc::UnboundedReceiver<Batch>>>,
}

struct FedReader {
    batches: Arc<Mutex<mpsc::UnboundedReceiver<Batch>>>,
    read: u64,
}

impl Source for Fed {
    fn is_bounded(&self) -> bool {
        true
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        let new = known.is_empty().then(|| Split { id: "fed".into(), payload: String::new() });
        Box::pin(async move { Ok(new.into_iter().collect()) })
    }

    fn reads_in_sequence(&self) -> bool {
        true
    }

    fn open<'a>(
        &'a self,
        _: &'a Split,
        _: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        let batches = self.batches.clone();
        Box::pin(async move { Ok(Box::new(FedReader { batches, read: 0 }) as Box<dyn SplitReader>) })
    }
}

impl SplitReader for FedReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(async move {
            let batches = self.batches.clone();
            let next = std::future::poll_fn(|c| batches.lock().unwrap().poll_recv(c)).await;
            Ok(match next {
                Some(batch) => {
                    self.read += batch.rows as u64;
                    Read::Rows(batch)
                }
                None => Read::End,
            })
        })
    }

    fn offset(&self) -> Offset {
        Offset::of(&[("rows", self.read)])
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("n", DataType::bigint()),
        Field::new("s", DataType::string()),
        Field::new("ts", TypeKind::timestamp(3).nullable()),
    ]))
}

fn eval() -> EvalContext {
    EvalContext {
        clock: Arc::new(ManualClock::new(0)),
        random: Arc::new(SeededRandom::new(1)),
        zone: "UTC".into(),
        query_start: 0,
        batch: false,
    }
}

fn bind() -> BindContext {
    BindContext::default()
}

/// `CAST(s AS BIGINT) > 0`: fails on text that is no number.
fn fallible() -> Expr {
    let s = Expr::column(1, DataType::string());
    let number =
        millstream_expr::coerce::explicit_cast(s, &DataType::bigint(), CastMode::Cast, &bind()).unwrap();
    let zero = Expr::literal(0i64, TypeKind::BigInt.not_null());
    call_expr(">", &[number, zero], &[], Span::default(), &bind()).unwrap()
}

struct Job {
    rows: Receiver,
    events: mpsc::UnboundedReceiver<Event>,
}

impl Job {
    fn new(route: &ScanRoute, job: u64, filter: Option<Expr>, watermark: bool) -> (Self, Command) {
        let schema = schema();
        let output: Vec<ProjectItem> = schema
            .fields
            .iter()
            .enumerate()
            .map(|(i, f)| ProjectItem { name: f.name.clone(), expr: Expr::column(i, f.data_type.clone()) })
            .collect();
        let ts = Expr::column(2, TypeKind::timestamp(3).nullable());
        let spec = TableSpec {
            name: "t".into(),
            connector: "fed".into(),
            options: Default::default(),
            format: None,
            format_options: Default::default(),
            by_position: false,
            schema: schema.clone(),
            primary_key: Vec::new(),
            partition_keys: Vec::new(),
            bounded: true,
        };
        let op = ScanOp {
            table: Arc::new(spec),
            group: 0,
            columns: vec![0, 1, 2],
            filter,
            screen: None,
            output: Arc::new(output),
            watermark: watermark
                .then(|| Box::new(WatermarkSpec { column: "ts".into(), rowtime: ts.clone(), watermark: ts })),
            hints: Vec::new(),
        };
        let (sender, rows) = channel(1 << 20, MemoryBudget::new(1 << 30), Activity::default());
        let (events_in, events) = mpsc::unbounded_channel();
        let mut chain = Chain::default();
        let entry = chain.add_entry();
        chain.connect_entry(entry, Target::Channel(0));
        let subscription = Subscription {
            job,
            task: 0,
            id: "source".into(),
            scans: vec![SubscribedScan::new(op, schema, 0).unwrap()],
            chain,
            outputs: vec![sender],
            context: Arc::new(OperatorContext { eval: eval() }),
            events: events_in,
            dead_letters: None,
            stopped_at: None,
            table: "t".into(),
            route: route.clone(),
            progress: Arc::default(),
            activity: Activity::default(),
        };
        (Job { rows, events }, Command::Subscribe(Box::new(subscription)))
    }

    /// Numbers of the rows that have come so far.
    async fn numbers(&mut self) -> Vec<i64> {
        let mut numbers = Vec::new();
        settle().await;
        while let Some(element) = self.try_next() {
            if let Element::Batch(batch) = element {
                numbers.extend((0..batch.rows).map(|r| batch.row(r)[0].as_int().unwrap()));
            }
        }
        numbers
    }

    fn try_next(&mut self) -> Option<Element> {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match self.rows.poll_recv(&mut context) {
            std::task::Poll::Ready(element) => element,
            std::task::Poll::Pending => None,
        }
    }
}

/// Lets everything that can run run.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

fn batch(rows: &[(i64, &str, i64)]) -> Batch {
    let rows: Vec<_> = rows
        .iter()
        .map(|(n, s, ms)| (RowKind::Insert, vec![Value::Int(*n), Value::from(*s), Value::Int(ms * 1000)]))
        .collect();
    Batch::from_rows(schema(), &rows).unwrap()
}

struct Scan {
    feed: Option<mpsc::UnboundedSender<Batch>>,
    commands: ScanRoute,
}

#[allow(clippy::disallowed_methods)] // a test is its own spawner
fn scan() -> Scan {
    let (feed, fed) = mpsc::unbounded_channel();
    let columns = schema()
        .fields
        .iter()
        .enumerate()
        .map(|(i, f)| GroupColumn::Physical(i, f.data_type.clone()))
        .collect();
    let spec = GroupSpec {
        name: "t".into(),
        source: Arc::new(Fed { batches: Arc::new(Mutex::new(fed)) }),
        decoder: None,
        columns,
        bad: BadPolicy::Fail,
        indexed: true,
        making: None,
        claims: None,
    };
    let spawner = Arc::new(TokioSpawner::new(tokio::runtime::Handle::current()));
    let task = ScanTask::new(spec, None, eval(), spawner, None).unwrap();
    let commands = task.route();
    tokio::spawn(task.run());
    Scan { feed: Some(feed), commands }
}

impl Scan {
    fn feed(&self, rows: &[(i64, &str, i64)]) {
        self.feed.as_ref().unwrap().send(batch(rows)).unwrap();
    }

    fn tell(&self, command: Command) {
        self.commands.send(command);
    }
}

#[tokio::test]
async fn subscribers_join_and_leave_at_batch_boundaries() {
    let scan = scan();
    let (mut first, subscribe) = Job::new(&scan.commands, 1, None, false);
    scan.tell(subscribe);
    scan.feed(&[(1, "a", 0), (2, "b", 0)]);
    assert_eq!(first.numbers().await, [1, 2]);
    let (mut second, subscribe) = Job::new(&scan.commands, 2, None, false);
    scan.tell(subscribe);
    settle().await;
    scan.feed(&[(3, "c", 0)]);
    assert_eq!((first.numbers().await, second.numbers().await), (vec![3], vec![3]));
    scan.tell(Command::Unsubscribe { job: 1 });
    settle().await;
    scan.feed(&[(4, "d", 0)]);
    assert_eq!((first.numbers().await, second.numbers().await), (vec![], vec![4]));
}

#[tokio::test]
async fn an_error_fails_only_the_job_that_needs_the_value() {
    let scan = scan();
    let (mut strict, subscribe) = Job::new(&scan.commands, 1, Some(fallible()), false);
    scan.tell(subscribe);
    let (mut easy, subscribe) = Job::new(&scan.commands, 2, None, false);
    scan.tell(subscribe);
    scan.feed(&[(1, "7", 0)]);
    assert_eq!((strict.numbers().await, easy.numbers().await), (vec![1], vec![1]));
    scan.feed(&[(2, "x", 0)]);
    settle().await;
    let Some(Event::Failed { fault, .. }) = strict.events.recv().await else { panic!("the job must fail") };
    assert!(fault.to_string().contains("fed, record"), "{fault}");
    scan.feed(&[(3, "8", 0)]);
    assert_eq!((strict.numbers().await, easy.numbers().await), (vec![], vec![2, 3]));
}

#[tokio::test]
async fn barriers_and_offsets_are_per_job() {
    let mut scan = scan();
    let (mut first, subscribe) = Job::new(&scan.commands, 1, None, false);
    scan.tell(subscribe);
    let (mut second, subscribe) = Job::new(&scan.commands, 2, None, false);
    scan.tell(subscribe);
    scan.feed(&[(1, "a", 0)]);
    settle().await;
    scan.tell(Command::Barrier { job: 1, barrier: Barrier { checkpoint: 5, last: false } });
    settle().await;
    scan.feed(&[(2, "b", 0)]);
    settle().await;
    let Some(Event::ScanAck { checkpoint: 5, scan: position, .. }) = first.events.recv().await else {
        panic!("no answer")
    };
    assert_eq!(position.splits[0].offset.as_deref(), Some("rows=1"));
    let kinds: Vec<&str> = std::iter::from_fn(|| first.try_next())
        .map(|e| match e {
            Element::Batch(_) => "rows",
            Element::Barrier(b) if b.checkpoint == 5 => "barrier",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["rows", "barrier", "rows"]);
    assert!(std::iter::from_fn(|| second.try_next()).all(|e| matches!(e, Element::Batch(_))));
    scan.feed = None;
    settle().await;
    assert!(matches!(first.events.recv().await, Some(Event::ScanFinished { .. })));
}

#[tokio::test]
async fn each_row_knows_the_watermark_before_it() {
    let scan = scan();
    let (mut job, subscribe) = Job::new(&scan.commands, 1, None, true);
    scan.tell(subscribe);
    scan.feed(&[(1, "a", 10), (2, "b", 30), (3, "c", 20)]);
    scan.feed(&[(4, "d", 40)]);
    settle().await;
    let Some(Element::Batch(one)) = job.try_next() else { panic!("rows") };
    assert_eq!(one.watermarks.as_deref(), Some([i64::MIN, 10, 30].as_slice()));
    assert!(matches!(job.try_next(), Some(Element::Watermark(Watermark(30)))));
    let Some(Element::Batch(two)) = job.try_next() else { panic!("rows") };
    assert_eq!(two.watermarks.as_deref(), Some([30].as_slice()), "lateness does not depend on batches");
}

#[tokio::test]
async fn a_null_rowtime_fails_the_job_before_any_filter() {
    let scan = scan();
    let (mut job, subscribe) = Job::new(&scan.commands, 1, Some(Expr::boolean(false)), true);
    scan.tell(subscribe);
    let rows = vec![(RowKind::Insert, vec![Value::Int(1), Value::from("a"), Value::Null])];
    scan.feed.as_ref().unwrap().send(Batch::from_rows(schema(), &rows).unwrap()).unwrap();
    settle().await;
    let Some(Event::Failed { fault, .. }) = job.events.recv().await else { panic!("the job must fail") };
    assert_eq!(fault.code(), "null-rowtime");
}
