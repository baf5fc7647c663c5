//! From a plan to tasks: which operators run in which task, and the channels between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use millstream_expr::{EvalContext, Expr};
use millstream_flow::{
    Committer, Encoder, EncoderFactory, EncoderSpec, Format, MemoryBudget, Options, Sink, SinkSpec,
    WriterContext,
};
use millstream_operators::{
    Operator, OperatorContext, filter::Filter, project::Project, table_function::TableFunction, union::Union,
    unnest::Unnest,
};
use millstream_plan::{JobPlan, Node, NodeId, Op, SinkOp, SinkTarget, TableSpec};
use millstream_types::{Fault, SchemaRef};
use tokio::sync::{mpsc, watch};

use super::coordinator::Event;
use super::job::{JobContext, scan_id};
use super::operator_task::OperatorTask;
use super::progress::{Progress, SinkProgress};
use super::sink_task::SinkTask;
use super::values::ValuesSource;
use super::{Chain, Target};
use crate::checkpoint::Manifest;
use crate::exchange::{Activity, Merger, Receiver, Sender, channel};
use crate::scan::{Command, GroupSpec, ScanRoute, ScanTask, SubscribedScan, Subscription};

/// Bytes that a channel between two tasks holds.
const CHANNEL_BYTES: usize = 4 << 20;

type Located<T> = Result<T, (Option<usize>, Fault)>;

/// The tasks of a job.
pub(super) struct Built {
    pub(super) scans: Vec<(ScanTask, ScanRoute)>,
    pub(super) operators: Vec<OperatorTask>,
    pub(super) sinks: Vec<BuiltSink>,
    pub(super) progress: Arc<Progress>,
    pub(super) activity: Activity,
}

pub(super) struct BuiltSink {
    pub(super) id: String,
    pub(super) task: SinkTask,
    pub(super) committer: Option<Arc<dyn Committer>>,
    pub(super) context: WriterContext,
}

/// The name of an operator, as EXPLAIN has it.
pub(super) fn operator_name(op: &Op) -> &'static str {
    match op {
        Op::Scan(_) => "Scan",
        Op::Filter(_) => "Filter",
        Op::Project(_) => "Project",
        Op::Union => "Union",
        Op::Values(_) => "Values",
        Op::Unnest(_) => "Unnest",
        Op::TableFunction(_) => "TableFunction",
        Op::Window(_) => "Window",
        Op::Aggregate(_) => "Aggregate",
        Op::Join(_) => "Join",
        Op::Over(_) => "Over",
        Op::TopN(_) => "TopN",
        Op::Sort(_) => "Sort",
        Op::Limit { .. } => "Limit",
        Op::Match(_) => "Match",
        Op::SetOperation { .. } => "SetOperation",
        Op::Sink(_) => "Sink",
    }
}

/// The first operator that this version cannot run: the statement's position and a fault at its place.
pub fn not_runnable(plan: &JobPlan) -> Option<(usize, Fault)> {
    let refuse = |n: &Node, what: &str| {
        let fault = Fault::not_yet(what);
        (n.statement, n.span.map_or(fault.clone(), |s| fault.at(s)))
    };
    if plan.settings.parallelism > 1 {
        return Some((
            0,
            Fault::not_yet("parallelism.default above 1").hint("SET 'parallelism.default' = '1'"),
        ));
    }
    plan.nodes.iter().find_map(|n| {
        Some(match &n.op {
            Op::Scan(_)
            | Op::Filter(_)
            | Op::Project(_)
            | Op::Union
            | Op::Values(_)
            | Op::Unnest(_)
            | Op::TableFunction(_) => {
                return None;
            }
            Op::Sink(s) if s.materialize => {
                refuse(n, "upserts into a sink with another key than the query's")
            }
            Op::Sink(_) => return None,
            Op::Window(_) => refuse(n, "running window table functions"),
            Op::Aggregate(_) => refuse(n, "running GROUP BY and aggregates"),
            Op::Join(_) => refuse(n, "running joins"),
            Op::Over(_) => refuse(n, "running OVER windows"),
            Op::TopN(_) => refuse(n, "running Top-N, deduplication and ORDER BY with LIMIT"),
            Op::Sort(_) => refuse(n, "running ORDER BY"),
            Op::Limit { .. } => refuse(n, "running LIMIT"),
            Op::Match(_) => refuse(n, "running MATCH_RECOGNIZE"),
            Op::SetOperation { .. } => refuse(n, "running INTERSECT and EXCEPT"),
        })
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Entry(usize),
    Operator(usize),
}

/// A task that is being put together.
#[derive(Default)]
struct Draft {
    chain: Chain,
    outputs: Vec<Sender>,
    /// Scan tasks: the scans in the order of the chain's entries.
    scans: Vec<SubscribedScan>,
    dead_letters: Option<(SchemaRef, usize)>,
    /// Operator tasks: the inputs in the order of the chain's entries.
    inputs: Vec<Receiver>,
}

struct Drafts {
    tasks: Vec<Draft>,
    budget: MemoryBudget,
    activity: Activity,
}

impl Drafts {
    fn connect(&mut self, task: usize, from: From, target: Target) {
        if let Some(draft) = self.tasks.get_mut(task) {
            match from {
                From::Entry(e) => draft.chain.connect_entry(e, target),
                From::Operator(o) => draft.chain.connect_operator(o, target),
            }
        }
    }

    /// A channel from an operator of a task to another task.
    fn channel(&mut self, task: usize, from: From, target: fn(usize) -> Target) -> Receiver {
        let (sender, receiver) = channel(CHANNEL_BYTES, self.budget.clone(), self.activity.clone());
        let number = match self.tasks.get_mut(task) {
            Some(draft) => {
                draft.outputs.push(sender);
                draft.outputs.len() - 1
            }
            None => 0,
        };
        self.connect(task, from, target(number));
        receiver
    }
}

#[allow(clippy::too_many_arguments)] // the parts of one start of a job
pub(super) async fn build(
    plan: &JobPlan,
    context: &JobContext,
    begin: &Manifest,
    restored: Option<&Manifest>,
    eval: &EvalContext,
    budget: &MemoryBudget,
    job: u64,
    events: &mpsc::UnboundedSender<Event>,
    cancelled: &watch::Receiver<bool>,
) -> Located<Built> {
    if let Some((statement, fault)) = not_runnable(plan) {
        return Err((Some(statement), fault));
    }
    let activity = Activity::default();
    let mut drafts = Drafts { tasks: Vec::new(), budget: budget.clone(), activity: activity.clone() };
    // Scan groups have the first task numbers, then VALUES, then operator tasks as they come.
    let mut specs: Vec<(String, GroupSpec)> = Vec::new();
    for group in &plan.scan_groups {
        let statement = group.scans.first().and_then(|n| plan.nodes.get(n.0)).map(|n| n.statement);
        let spec = GroupSpec::new(
            group,
            &plan.read_paths(specs.len()),
            context.parts.as_ref(),
            &context.environment,
            &plan.settings.zone,
        )
        .map_err(|f| (statement, f.in_place(format!("table '{}'", group.table.name))))?;
        if plan.settings.batch && !spec.source.is_bounded() {
            let fault = Fault::user(
                "unbounded-in-batch",
                format!("table '{}' has no end, so it cannot be read in batch mode", group.table.name),
            )
            .hint("SET 'execution.runtime-mode' = 'streaming', or bound the source");
            return Err((statement, fault));
        }
        specs.push((scan_id(group), spec));
        drafts.tasks.push(Draft::default());
    }
    let mut bounded = specs.iter().all(|(_, s)| s.source.is_bounded());
    if specs.is_empty() {
        bounded = true;
    }
    let operator_context = Arc::new(OperatorContext { eval: eval.clone() });
    let mut origin: BTreeMap<NodeId, (usize, From)> = BTreeMap::new();
    let mut operator_tasks: Vec<usize> = Vec::new();
    let mut values_tasks: Vec<(String, usize, GroupSpec)> = Vec::new();
    let mut sinks: Vec<(usize, Receiver)> = Vec::new();
    for (i, node) in plan.nodes.iter().enumerate() {
        let at = |f: Fault| (Some(node.statement), node.span.map_or(f.clone(), |s| f.at(s)));
        let missing = || at(Fault::internal("a node's input comes after it"));
        let here = match &node.op {
            Op::Scan(op) => {
                let draft = drafts.tasks.get_mut(op.group).ok_or_else(missing)?;
                draft.scans.push(SubscribedScan::new(op, node.schema.clone(), node.statement).map_err(at)?);
                (op.group, From::Entry(draft.chain.add_entry()))
            }
            Op::Values(rows) => {
                let task = drafts.tasks.len();
                let mut draft = Draft::default();
                draft.scans.push(SubscribedScan::identity(node.schema.clone(), node.statement));
                let entry = draft.chain.add_entry();
                drafts.tasks.push(draft);
                values_tasks.push((
                    values_id(rows),
                    task,
                    GroupSpec::values(ValuesSource { schema: node.schema.clone(), rows: rows.clone() }),
                ));
                (task, From::Entry(entry))
            }
            Op::Sink(_) => {
                let input = node.inputs.first().and_then(|n| origin.get(n)).copied().ok_or_else(missing)?;
                sinks.push((i, drafts.channel(input.0, input.1, Target::Sink)));
                continue;
            }
            op => {
                let inputs: Vec<(usize, From)> = node
                    .inputs
                    .iter()
                    .map(|n| origin.get(n).copied().ok_or_else(missing))
                    .collect::<Result<_, _>>()?;
                let operator = operator(op, &node.schema).map_err(at)?;
                let first = inputs.first().copied().ok_or_else(missing)?;
                if inputs.iter().all(|(task, _)| *task == first.0) {
                    let draft = drafts.tasks.get_mut(first.0).ok_or_else(missing)?;
                    let number = draft.chain.add_operator(operator, node.id, inputs.len(), node.statement);
                    for (input, (task, from)) in inputs.iter().enumerate() {
                        drafts.connect(*task, *from, Target::Operator { operator: number, input });
                    }
                    (first.0, From::Operator(number))
                } else {
                    let receivers: Vec<Receiver> = inputs
                        .iter()
                        .map(|(task, from)| drafts.channel(*task, *from, Target::Channel))
                        .collect();
                    let mut draft = Draft { inputs: receivers, ..Draft::default() };
                    let number = draft.chain.add_operator(operator, node.id, inputs.len(), node.statement);
                    for input in 0..inputs.len() {
                        let entry = draft.chain.add_entry();
                        draft.chain.connect_entry(entry, Target::Operator { operator: number, input });
                    }
                    drafts.tasks.push(draft);
                    operator_tasks.push(drafts.tasks.len() - 1);
                    (drafts.tasks.len() - 1, From::Operator(number))
                }
            }
        };
        origin.insert(NodeId(i), here);
    }

    let mut built = Built {
        scans: Vec::new(),
        operators: Vec::new(),
        sinks: Vec::new(),
        progress: Arc::default(),
        activity,
    };
    let mut progress = Progress::default();
    let writer_context = |subtask| WriterContext {
        job: begin.job.clone(),
        start: begin.start.max(1),
        subtask,
        checkpoints: context.storage.is_some(),
    };
    let mut ids = sink_ids(plan).into_iter();
    let make = SinkMaker { context, plan, bounded, events, cancelled };
    for (node, input) in sinks {
        let Some(node) = plan.nodes.get(node) else { continue };
        let Op::Sink(op) = &node.op else { continue };
        let id = ids.next().unwrap_or_default();
        let number = built.sinks.len();
        let input_schema =
            node.inputs.first().and_then(|n| plan.nodes.get(n.0)).map_or(&node.schema, |n| &n.schema);
        // Several sinks may write into one directory: the subtask tells their files apart.
        let subtask = number;
        let made = make
            .sink(number, id, op, input_schema, node.statement, input, writer_context(subtask), &mut progress)
            .await
            .map_err(|f| (Some(node.statement), f.in_place(format!("table '{}'", op.name))))?;
        built.sinks.push(made);
    }
    // Dead letters are sinks, too.
    for (group, scan_group) in plan.scan_groups.iter().enumerate() {
        let Some(name) = scan_group.table.options.get("dead-letter.table") else { continue };
        if scan_group.table.options.get("bad-records") != Some("dead-letter") {
            continue;
        }
        let table = (context.find_table)(name).map_err(|f| (None, f))?;
        let (sender, receiver) = channel(CHANNEL_BYTES, budget.clone(), built.activity.clone());
        if let Some(draft) = drafts.tasks.get_mut(group) {
            draft.outputs.push(sender);
            draft.dead_letters = Some((table.schema.clone(), draft.outputs.len() - 1));
        }
        let op = SinkOp {
            target: SinkTarget::Table(table.clone()),
            name: table.name.clone(),
            overwrite: false,
            not_null: Vec::new(),
            drop_null: false,
            materialize: false,
        };
        let statement = scan_group.scans.first().and_then(|n| plan.nodes.get(n.0)).map_or(0, |n| n.statement);
        let number = built.sinks.len();
        let made = make
            .sink(
                number,
                format!("dead-letters-{group}"),
                &op,
                &table.schema,
                statement,
                receiver,
                writer_context(number),
                &mut progress,
            )
            .await
            .map_err(|f| (Some(statement), f.in_place(format!("table '{}'", table.name))))?;
        built.sinks.push(made);
    }
    built.progress = Arc::new(progress);

    let scans = specs.into_iter().enumerate().map(|(task, (id, spec))| (task, id, spec));
    let values = values_tasks.into_iter().map(|(id, task, spec)| (task, id, spec));
    let mut same: BTreeMap<String, usize> = BTreeMap::new();
    for (number, (task, id, spec)) in scans.chain(values).enumerate() {
        let Some(draft) = drafts.tasks.get_mut(task).map(std::mem::take) else { continue };
        // Equal VALUES have one id, and are told apart by their order.
        let nth = same.entry(id.clone()).or_default();
        let from = restored.and_then(|m| m.scans.iter().filter(|s| s.id == id).nth(*nth));
        *nth += 1;
        // A checkpoint from before the splits were looked for knows of none.
        let from = from.filter(|s| !s.splits.is_empty());
        let table = spec.name.clone();
        let scan = ScanTask::new(
            spec,
            from.map(|s| s.splits.as_slice()),
            eval.clone(),
            context.environment.spawner.clone(),
            context.scans.clone(),
        )
        .map_err(|f| (None, f))?;
        let route = scan.route();
        let subscription = Subscription {
            job,
            task: number,
            id,
            scans: draft.scans,
            chain: draft.chain,
            outputs: draft.outputs,
            context: operator_context.clone(),
            events: events.clone(),
            dead_letters: draft.dead_letters,
            stopped_at: None,
            table,
            route: route.clone(),
            progress: built.progress.clone(),
            activity: built.activity.clone(),
        };
        route.send(Command::Subscribe(Box::new(subscription)));
        built.scans.push((scan, route));
    }
    for task in operator_tasks {
        let Some(draft) = drafts.tasks.get_mut(task).map(std::mem::take) else { continue };
        built.operators.push(OperatorTask {
            number: task,
            merger: Merger::new(draft.inputs),
            chain: draft.chain,
            outputs: draft.outputs,
            context: operator_context.clone(),
            events: events.clone(),
        });
    }
    Ok(built)
}

/// What the ids of VALUES begin with in manifests.
pub(super) const VALUES: &str = "values-";

/// Identity of constant rows in manifests: what they are, so that an edited text does not take one for another.
fn values_id(rows: &[Vec<millstream_types::Value>]) -> String {
    let text = format!("{rows:?}");
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    format!("{VALUES}{hash:016x}")
}

/// Identities of the sinks in manifests, in the plan's order: equal operator ids are told apart by their order.
pub(super) fn sink_ids(plan: &JobPlan) -> Vec<String> {
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    let sinks = plan.nodes.iter().filter(|n| matches!(n.op, Op::Sink(_)));
    let mut ids: Vec<String> = sinks
        .map(|n| {
            let same = seen.entry(n.id.0).or_default();
            *same += 1;
            format!("{:016x}-{}", n.id.0, *same - 1)
        })
        .collect();
    ids.extend((0..plan.scan_groups.len()).map(|g| format!("dead-letters-{g}")));
    ids
}

fn operator(op: &Op, schema: &SchemaRef) -> Result<Box<dyn Operator>, Fault> {
    Ok(match op {
        Op::Filter(predicate) => Box::new(Filter::new(predicate)?),
        Op::Project(items) => {
            let exprs: Vec<Expr> = items.iter().map(|i| i.expr.clone()).collect();
            Box::new(Project::new(&exprs, schema.clone())?)
        }
        Op::Union => Box::new(Union::new(schema.clone())),
        Op::Unnest(u) => Box::new(Unnest::new(&u.collection, u.ordinality, u.left, schema.clone())?),
        Op::TableFunction(t) => {
            Box::new(TableFunction::new(&t.args, t.kernel.clone(), t.left, schema.clone())?)
        }
        other => return Err(Fault::internal(format!("{} reached the job graph", operator_name(other)))),
    })
}

struct SinkMaker<'a> {
    context: &'a JobContext,
    plan: &'a JobPlan,
    bounded: bool,
    events: &'a mpsc::UnboundedSender<Event>,
    cancelled: &'a watch::Receiver<bool>,
}

impl SinkMaker<'_> {
    #[allow(clippy::too_many_arguments)] // the parts of one sink
    async fn sink(
        &self,
        number: usize,
        id: String,
        op: &SinkOp,
        schema: &SchemaRef,
        statement: usize,
        input: Receiver,
        context: WriterContext,
        progress: &mut Progress,
    ) -> Result<BuiltSink, Fault> {
        let sink: Arc<dyn Sink> = match &op.target {
            SinkTarget::Table(table) => self.table_sink(table, op, schema)?,
            SinkTarget::Collect => {
                let rows = self
                    .context
                    .collect
                    .clone()
                    .ok_or_else(|| Fault::internal("nobody takes the rows of the SELECT"))?;
                Arc::new(super::collect::CollectSink { rows })
            }
        };
        let writer = sink.writer(&context).await?;
        let committer: Option<Arc<dyn Committer>> = sink.committer().map(Arc::from);
        let counters = Arc::new(SinkProgress { name: op.name.clone(), ..SinkProgress::default() });
        progress.sinks.push(counters.clone());
        Ok(BuiltSink {
            id,
            task: SinkTask {
                number,
                op: op.clone(),
                statement,
                input,
                writer,
                committer: committer.clone(),
                progress: counters,
                events: self.events.clone(),
                cancelled: self.cancelled.clone(),
                rolls: self.context.storage.is_none() && !self.bounded,
                clock: self.context.environment.clock.clone(),
            },
            committer,
            context,
        })
    }

    fn table_sink(&self, table: &TableSpec, op: &SinkOp, schema: &SchemaRef) -> Result<Arc<dyn Sink>, Fault> {
        let connector = self
            .context
            .parts
            .connector(&table.connector)
            .ok_or_else(|| Fault::internal(format!("no connector '{}'", table.connector)))?;
        let zone = self.plan.settings.zone.clone();
        let encoders: Option<Arc<dyn EncoderFactory>> =
            match crate::scan::format_of(table, self.context.parts.as_ref())? {
                None => None,
                Some(format) => Some(Arc::new(TableEncoders {
                    format,
                    options: table.format_options.clone(),
                    zone: zone.clone(),
                })),
            };
        // The sink's own names: the query's columns may be called otherwise.
        let named = SchemaRef::new(millstream_types::Schema::new(
            schema
                .fields
                .iter()
                .enumerate()
                .map(|(i, f)| match table.schema.field(i) {
                    Some(own) if table.schema.len() == schema.len() => own.clone(),
                    _ => f.clone(),
                })
                .collect(),
        ));
        connector.sink(SinkSpec {
            table: table.name.clone(),
            schema: named,
            options: crate::scan::connector_options(&table.options),
            encoders,
            partition_keys: table.partition_keys.clone(),
            primary_key: table.primary_key.clone(),
            overwrite: op.overwrite,
            bounded: self.bounded,
            zone,
            environment: self.context.environment.clone(),
        })
    }
}

#[derive(Debug)]
struct TableEncoders {
    format: &'static dyn Format,
    options: Options,
    zone: Arc<str>,
}

impl EncoderFactory for TableEncoders {
    fn encoder(&self, schema: &SchemaRef) -> Result<Box<dyn Encoder>, Fault> {
        self.format.encoder(EncoderSpec {
            schema: schema.clone(),
            options: self.options.clone(),
            zone: self.zone.clone(),
        })
    }
}
