//! Who listens to a scan.

use std::sync::Arc;

use millstream_expr::{EvalContext, Expr, ExprKind, Program};
use millstream_flow::Barrier;
use millstream_operators::OperatorContext;
use millstream_plan::{ScanOp, WatermarkSpec};
use millstream_types::{Fault, SchemaRef};
use tokio::sync::mpsc;

use super::meeting::Meet;
use super::route::ScanRoute;
use crate::checkpoint::ManifestSplit;
use crate::exchange::{Activity, Sender};
use crate::runtime::{Chain, Event, Progress};

/// What a scan is told at a batch boundary.
pub enum Command {
    /// A job begins to listen.
    Subscribe(Box<Subscription>),
    /// A job's checkpoint begins, or ends it.
    Barrier {
        /// The job.
        job: u64,
        /// The barrier.
        barrier: Barrier,
    },
    /// A job reads no further; it still takes barriers.
    Stop {
        /// The job.
        job: u64,
    },
    /// A job has gone.
    Unsubscribe {
        /// The job.
        job: u64,
    },
    /// Another task of the source asks where this one is.
    Meet(Meet),
}

impl Command {
    /// The job that it is about.
    pub(super) fn job(&self) -> Option<u64> {
        match self {
            Command::Subscribe(s) => Some(s.job),
            Command::Barrier { job, .. } | Command::Stop { job } | Command::Unsubscribe { job } => Some(*job),
            Command::Meet(_) => None,
        }
    }
}

/// The scans of one job over one source.
pub struct Subscription {
    /// The job, in this process.
    pub job: u64,
    /// Number of the scan task within the job, for its acknowledgements.
    pub task: usize,
    /// Identity of the source in manifests.
    pub id: String,
    /// The table's name, for messages.
    pub table: String,
    /// The scans.
    pub scans: Vec<SubscribedScan>,
    /// The operators that run in the scan's task; entry i is scan i.
    pub chain: Chain,
    /// Channels to other tasks.
    pub outputs: Vec<Sender>,
    /// Time, randomness, the session's zone.
    pub context: Arc<OperatorContext>,
    /// The job's coordinator.
    pub events: mpsc::UnboundedSender<Event>,
    /// Columns of the dead-letter table and the channel to its sink.
    pub dead_letters: Option<(SchemaRef, usize)>,
    /// Where the job stopped reading; `None`: it reads.
    pub stopped_at: Option<Vec<ManifestSplit>>,
    /// How the coordinator reaches the task that reads for the job.
    pub route: ScanRoute,
    /// The job's counters.
    pub progress: Arc<Progress>,
    /// What of the job is under way.
    pub activity: Activity,
}

impl Subscription {
    /// The columns of the scan group that its scans read, ascending.
    pub(super) fn reads(&self) -> Vec<usize> {
        let mut reads = Vec::new();
        for scan in &self.scans {
            reads.extend(scan.filter.iter().flat_map(|f| f.columns()));
            reads.extend(&scan.output.reads);
            if let Some(w) = &scan.watermark {
                reads.extend(w.rowtime.columns());
                reads.extend(w.watermark.columns());
            }
        }
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// Its columns stand elsewhere in another scan group: column i at `to[i]`.
    pub(super) fn moved(&mut self, to: &[usize]) {
        let at = |c: usize| to.get(c).copied().unwrap_or(c);
        for scan in &mut self.scans {
            if let Some(filter) = &mut scan.filter {
                Arc::make_mut(filter).map_columns(&at);
            }
            if let Some(w) = &mut scan.watermark {
                moved(Arc::make_mut(w), to);
            }
            for c in &mut scan.output.reads {
                *c = at(*c);
            }
        }
    }
}

/// A watermark's columns stand elsewhere.
pub(super) fn moved(watermark: &mut WatermarkSpec, to: &[usize]) {
    let at = |c: usize| to.get(c).copied().unwrap_or(c);
    watermark.rowtime.map_columns(&at);
    watermark.watermark.map_columns(&at);
}

/// One scan of a plan.
#[derive(Debug)]
pub struct SubscribedScan {
    /// The filter, over the scan group's columns. The rule that it is shares it.
    pub filter: Option<Arc<Expr>>,
    /// The declared watermark, over the scan group's columns.
    pub watermark: Option<Arc<WatermarkSpec>>,
    /// The output columns.
    pub output: ScanOutput,
    /// The statement it belongs to.
    pub statement: usize,
}

/// How a scan's output is made from the columns it reads.
#[derive(Debug)]
pub struct ScanOutput {
    /// The output's columns.
    pub schema: SchemaRef,
    /// Columns of the scan group that it reads.
    pub reads: Vec<usize>,
    kind: OutputKind,
}

#[derive(Debug)]
enum OutputKind {
    /// Only columns, as positions in `reads`.
    Columns(Vec<usize>),
    /// Expressions over `reads`.
    Program(Program),
}

impl SubscribedScan {
    /// The scan of a plan's node.
    ///
    /// # Errors
    /// When an expression cannot be compiled.
    pub fn new(op: ScanOp, schema: SchemaRef, statement: usize) -> Result<Self, Fault> {
        let ScanOp { columns: group, filter, screen, output, watermark, .. } = op;
        let in_group = |mut e: Expr| {
            e.map_columns(&|c| group.get(c).copied().unwrap_or(c));
            e
        };
        let mut exprs: Vec<Expr> = output.iter().map(|p| in_group(p.expr.clone())).collect();
        let mut reads: Vec<usize> = exprs.iter().flat_map(|e| e.columns()).collect();
        reads.sort_unstable();
        reads.dedup();
        for e in &mut exprs {
            e.map_columns(&|c| reads.binary_search(&c).unwrap_or(c));
        }
        let columns: Option<Vec<usize>> = exprs
            .iter()
            .map(|e| match e.kind {
                ExprKind::Column(c) => Some(c),
                _ => None,
            })
            .collect();
        let kind = match columns {
            Some(columns) => OutputKind::Columns(columns),
            None => OutputKind::Program(Program::compile(&exprs)?),
        };
        Ok(SubscribedScan {
            filter: screened(filter, screen).map(|f| Arc::new(in_group(f))),
            watermark: watermark.map(|w| {
                let WatermarkSpec { column, rowtime, watermark } = *w;
                Arc::new(WatermarkSpec { column, rowtime: in_group(rowtime), watermark: in_group(watermark) })
            }),
            output: ScanOutput { schema, reads, kind },
            statement,
        })
    }
}

/// A scan's filter with its screen behind it.
fn screened(filter: Option<Expr>, screen: Option<Expr>) -> Option<Expr> {
    match (filter, screen) {
        (Some(filter), Some(screen)) => {
            let mut terms = match filter.kind {
                ExprKind::And(terms) => terms,
                _ => vec![filter],
            };
            terms.push(screen);
            Some(Expr::and(terms))
        }
        (filter, screen) => filter.or(screen),
    }
}

impl SubscribedScan {
    /// All columns of a source of rows, unfiltered.
    pub fn identity(schema: SchemaRef, statement: usize) -> Self {
        let all: Vec<usize> = (0..schema.len()).collect();
        let output = ScanOutput { schema, reads: all.clone(), kind: OutputKind::Columns(all) };
        SubscribedScan { filter: None, watermark: None, output, statement }
    }
}

impl ScanOutput {
    /// The output columns from the columns that it reads.
    ///
    /// # Errors
    /// When an expression fails.
    pub fn columns(
        &self,
        read: &[arrow::array::ArrayRef],
        rows: usize,
        watermarks: Option<&[i64]>,
        context: &EvalContext,
    ) -> Result<Vec<arrow::array::ArrayRef>, millstream_expr::EvalError> {
        match &self.kind {
            OutputKind::Columns(columns) => columns
                .iter()
                .map(|c| read.get(*c).cloned().ok_or_else(|| Fault::internal("column out of range").into()))
                .collect(),
            OutputKind::Program(program) => {
                program.eval(&millstream_expr::Rows { columns: read, rows, watermarks }, context)
            }
        }
    }
}
