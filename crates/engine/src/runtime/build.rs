//! From a plan to tasks: which operators run in which task, and the channels between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use millstream_expr::EvalContext;
use millstream_flow::{Committer, MemoryBudget, WriterContext};
use millstream_operators::{
    Operator, OperatorContext, filter::Filter, project::Project, table_function::TableFunction, union::Union,
    unnest::Unnest,
};
use millstream_plan::{JobPlan, Node, NodeId, Op, SinkOp, SinkTarget};
use millstream_types::{Fault, SchemaRef};
use tokio::sync::{mpsc, watch};

use super::Target;
use super::coordinator::Event;
use super::draft::{Drafts, From};
use super::job::{JobContext, scan_id};
use super::operator_task::OperatorTask;
use super::progress::Progress;
use super::sink_task::SinkTask;
use super::sinks::SinkMaker;
use super::values::ValuesSource;
use crate::checkpoint::Manifest;
use crate::exchange::{Activity, Merger, Receiver};
use crate::scan::{Command, GroupSpec, ScanRoute, ScanTask, SplitPool, SubscribedScan, Subscription};

type Located<T> = Result<T, (Option<usize>, Fault)>;

/// The tasks of a job.
pub(super) struct Built {
    pub(super) scans: Vec<BuiltScan>,
    /// With the worker that each is to run on.
    pub(super) operators: Vec<(OperatorTask, Option<usize>)>,
    /// The splits of sources that several tasks read, by the scan's id.
    pub(super) pools: Vec<(String, Arc<SplitPool>)>,
    pub(super) sinks: Vec<BuiltSink>,
    pub(super) progress: Arc<Progress>,
    pub(super) activity: Activity,
}

pub(super) struct BuiltScan {
    pub(super) task: ScanTask,
    pub(super) route: ScanRoute,
    /// The worker that it is to run on; `None`: with the coordinator.
    pub(super) worker: Option<usize>,
}

pub(super) struct BuiltSink {
    pub(super) id: String,
    pub(super) task: SinkTask,
    pub(super) committer: Option<Arc<dyn Committer>>,
    pub(super) context: WriterContext,
    pub(super) worker: Option<usize>,
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

#[allow(clippy::too_many_arguments)] // the parts of one start of a job
pub(super) async fn build(
    plan: &mut JobPlan,
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
    let mut drafts = Drafts::new(budget.clone(), activity.clone());
    // Scan groups have the first task numbers, then VALUES, then operator tasks as they come.
    let mut reads: Vec<Reading> = Vec::new();
    let indexed = plan.settings.options.boolean("table.exec.rules.index", true).map_err(|f| (None, f))?;
    let parallelism = plan.settings.parallelism.max(1);
    for group in &plan.scan_groups {
        let statement = group.scans.first().and_then(|n| plan.nodes.get(n.0)).map(|n| n.statement);
        let paths = plan.read_paths(reads.len());
        let spec = || {
            let (parts, environment) = (context.parts.as_ref(), &context.environment);
            GroupSpec::new(group, &paths, parts, environment, &plan.settings.zone)
                .map(|mut spec| {
                    spec.indexed = indexed;
                    spec
                })
                .map_err(|f| (statement, f.in_place(format!("table '{}'", group.table.name))))
        };
        let mut specs = vec![spec()?];
        while specs.len() < parallelism {
            specs.push(spec()?);
        }
        let Some(spec) = specs.first() else { continue };
        if plan.settings.batch && !spec.source.is_bounded() {
            let fault = Fault::user(
                "unbounded-in-batch",
                format!("table '{}' has no end, so it cannot be read in batch mode", group.table.name),
            )
            .hint("SET 'execution.runtime-mode' = 'streaming', or bound the source");
            return Err((statement, fault));
        }
        let task = drafts.add(specs.len());
        reads.push(Reading { id: scan_id(group), task, specs });
    }
    let bounded = reads.iter().flat_map(|r| &r.specs).all(|s| s.source.is_bounded());
    let operator_context = Arc::new(OperatorContext { eval: eval.clone() });
    let mut origin: BTreeMap<NodeId, (usize, From)> = BTreeMap::new();
    let mut operator_tasks: Vec<usize> = Vec::new();
    let mut sinks: Vec<(usize, Vec<Receiver>)> = Vec::new();
    for (i, node) in plan.nodes.iter_mut().enumerate() {
        let sink = matches!(node.op, Op::Sink(_));
        // From here on what is made of an operator stands for it: thousands of rules are not held twice. Sinks are made below.
        let op = if sink { Op::Union } else { std::mem::replace(&mut node.op, Op::Union) };
        let node = &*node;
        let at = |f: Fault| (Some(node.statement), node.span.map_or(f.clone(), |s| f.at(s)));
        let missing = || at(Fault::internal("a node's input comes after it"));
        if sink {
            let input = node.inputs.first().and_then(|n| origin.get(n)).copied().ok_or_else(missing)?;
            sinks.push((i, drafts.channels(input.0, input.1, Target::Sink)));
            continue;
        }
        let here = match op {
            Op::Scan(op) => {
                let group = op.group;
                let mut ops = std::iter::repeat_n(op, drafts.instances(group));
                let scan = || {
                    let op = ops.next().ok_or_else(|| Fault::internal("a scan task too many"))?;
                    SubscribedScan::new(op, node.schema.clone(), node.statement)
                };
                (group, From::Entry(drafts.scan(group, scan).map_err(at)?))
            }
            Op::Values(rows) => {
                let task = drafts.add(1);
                let scan = || Ok(SubscribedScan::identity(node.schema.clone(), node.statement));
                let entry = drafts.scan(task, scan).map_err(at)?;
                let id = values_id(&rows);
                let source = ValuesSource { schema: node.schema.clone(), rows };
                reads.push(Reading { id, task, specs: vec![GroupSpec::values(source)] });
                (task, From::Entry(entry))
            }
            op => {
                let inputs: Vec<(usize, From)> = node
                    .inputs
                    .iter()
                    .map(|n| origin.get(n).copied().ok_or_else(missing))
                    .collect::<Result<_, _>>()?;
                let make = || operator(&op, &node.schema);
                let first = inputs.first().copied().ok_or_else(missing)?;
                let together = inputs.iter().all(|(task, _)| *task == first.0);
                let task = if together && (runs_in_parallel(&op) || drafts.instances(first.0) == 1) {
                    let number =
                        drafts.operator(first.0, make, node.id, inputs.len(), node.statement).map_err(at)?;
                    for (input, (task, from)) in inputs.iter().enumerate() {
                        drafts.connect(*task, *from, Target::Operator { operator: number, input });
                    }
                    origin.insert(NodeId(i), (first.0, From::Operator(number)));
                    continue;
                } else {
                    // Side by side where all inputs are, else one task behind all their instances.
                    let instances = drafts.instances(first.0);
                    let level = inputs.iter().all(|(task, _)| drafts.instances(*task) == instances);
                    drafts.add(if level && runs_in_parallel(&op) { instances } else { 1 })
                };
                let number =
                    drafts.operator(task, make, node.id, inputs.len(), node.statement).map_err(at)?;
                for (input, (from_task, from)) in inputs.iter().enumerate() {
                    let receivers = drafts.channels(*from_task, *from, Target::Channel);
                    let entry = drafts.entry(task);
                    drafts.connect(task, From::Entry(entry), Target::Operator { operator: number, input });
                    let Some(draft) = drafts.tasks.get_mut(task) else { continue };
                    let count = draft.instances.len();
                    for (i, receiver) in receivers.into_iter().enumerate() {
                        if let Some(instance) = draft.instances.get_mut(i % count) {
                            instance.inputs.push((entry, receiver));
                        }
                    }
                }
                operator_tasks.push(task);
                (task, From::Operator(number))
            }
        };
        origin.insert(NodeId(i), here);
    }

    let mut built = Built {
        scans: Vec::new(),
        operators: Vec::new(),
        pools: Vec::new(),
        sinks: Vec::new(),
        progress: Arc::default(),
        activity,
    };
    let mut progress = Progress::default();
    let mut ids = sink_ids(plan).into_iter();
    let make = SinkMaker { context, plan, begin, bounded, events, cancelled };
    for (node, inputs) in sinks {
        let Some(node) = plan.nodes.get(node) else { continue };
        let Op::Sink(op) = &node.op else { continue };
        let id = ids.next().unwrap_or_default();
        let input_schema =
            node.inputs.first().and_then(|n| plan.nodes.get(n.0)).map_or(&node.schema, |n| &n.schema);
        make.sinks(&id, op, input_schema, node.statement, inputs, &mut built.sinks, &mut progress)
            .await
            .map_err(|f| (Some(node.statement), f.in_place(format!("table '{}'", op.name))))?;
    }
    // Dead letters are sinks, too.
    for (group, scan_group) in plan.scan_groups.iter().enumerate() {
        let Some(name) = scan_group.table.options.get("dead-letter.table") else { continue };
        if scan_group.table.options.get("bad-records") != Some("dead-letter") {
            continue;
        }
        let table = (context.find_table)(name).map_err(|f| (None, f))?;
        let receivers = drafts.dead_letters(group, &table.schema);
        let op = SinkOp {
            target: SinkTarget::Table(table.clone()),
            name: table.name.clone(),
            overwrite: false,
            not_null: Vec::new(),
            drop_null: false,
            materialize: false,
        };
        let statement = scan_group.scans.first().and_then(|n| plan.nodes.get(n.0)).map_or(0, |n| n.statement);
        let id = format!("dead-letters-{group}");
        make.sinks(&id, &op, &table.schema, statement, receivers, &mut built.sinks, &mut progress)
            .await
            .map_err(|f| (Some(statement), f.in_place(format!("table '{}'", table.name))))?;
    }
    built.progress = Arc::new(progress);

    let mut same: BTreeMap<String, usize> = BTreeMap::new();
    for Reading { id, task, specs } in reads {
        let Some(draft) = drafts.tasks.get_mut(task) else { continue };
        let instances = std::mem::take(&mut draft.instances);
        // Equal VALUES have one id, and are told apart by their order.
        let nth = same.entry(id.clone()).or_default();
        let from = restored.and_then(|m| m.scans.iter().filter(|s| s.id == id).nth(*nth));
        *nth += 1;
        // A checkpoint from before the splits were looked for knows of none.
        let from = from.map(|s| s.splits.as_slice()).filter(|s| !s.is_empty());
        let pool = match specs.as_slice() {
            [first, _, ..] => Some(Arc::new(SplitPool::new(first.source.clone(), specs.len(), from))),
            _ => None,
        };
        built.pools.extend(pool.iter().map(|pool| (id.clone(), pool.clone())));
        for (instance, (spec, parts)) in specs.into_iter().zip(instances).enumerate() {
            let spec = match &pool {
                Some(pool) => spec.claiming(pool.clone(), instance),
                None => spec,
            };
            let table = spec.name.clone();
            // What several tasks of a job read is not read for other jobs, too.
            let shared = context.scans.clone().filter(|_| pool.is_none());
            let spawner = context.environment.spawner.clone();
            let scan = ScanTask::new(spec, from, eval.clone(), spawner, shared).map_err(|f| (None, f))?;
            let route = scan.route();
            let subscription = Subscription {
                job,
                task: built.scans.len(),
                id: id.clone(),
                scans: parts.scans,
                chain: parts.chain,
                outputs: parts.outputs,
                context: operator_context.clone(),
                events: events.clone(),
                dead_letters: parts.dead_letters,
                stopped_at: None,
                table,
                route: route.clone(),
                progress: built.progress.clone(),
                activity: built.activity.clone(),
            };
            route.send(Command::Subscribe(Box::new(subscription)));
            built.scans.push(BuiltScan { task: scan, route, worker: pool.as_ref().map(|_| instance) });
        }
    }
    for task in operator_tasks {
        let Some(draft) = drafts.tasks.get_mut(task) else { continue };
        let instances = std::mem::take(&mut draft.instances);
        let count = instances.len();
        for (instance, parts) in instances.into_iter().enumerate() {
            let (entries, receivers): (Vec<usize>, Vec<Receiver>) = parts.inputs.into_iter().unzip();
            let task = OperatorTask {
                number: built.operators.len(),
                merger: Merger::new(receivers),
                entries,
                chain: parts.chain,
                outputs: parts.outputs,
                context: operator_context.clone(),
                events: events.clone(),
            };
            built.operators.push((task, (count > 1).then_some(instance)));
        }
    }
    Ok(built)
}

/// A source that is read: by one task for each of the specs.
struct Reading {
    id: String,
    task: usize,
    specs: Vec<GroupSpec>,
}

/// Whether instances of an operator may each see a part of the rows.
fn runs_in_parallel(op: &Op) -> bool {
    matches!(op, Op::Filter(_) | Op::Project(_) | Op::Union | Op::Unnest(_) | Op::TableFunction(_))
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
        Op::Project(items) => Box::new(Project::new(items.iter().map(|i| &i.expr), schema.clone())?),
        Op::Union => Box::new(Union::new(schema.clone())),
        Op::Unnest(u) => Box::new(Unnest::new(&u.collection, u.ordinality, u.left, schema.clone())?),
        Op::TableFunction(t) => {
            Box::new(TableFunction::new(&t.args, t.kernel.clone(), t.left, schema.clone())?)
        }
        other => return Err(Fault::internal(format!("{} reached the job graph", operator_name(other)))),
    })
}
