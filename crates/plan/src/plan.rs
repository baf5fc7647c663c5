//! The plan of a job: what the optimizer gives and the engine runs.
//!
//! A graph of [`Node`]s in one list, inputs before their users. Operators that the engine of this version cannot run are planned all the
//! same (types, changelog modes and errors are Flink's); the engine says `not supported yet` at their place in the text before it starts.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_flow::{ChangelogMode, Options};
use millstream_types::{DataType, SchemaRef, Span, Value};

/// Position of a node in [`JobPlan::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// Identity of an operator over restarts and edits of the text: a hash of what the operator means by itself (keys, aggregates, schema), not of
/// its upstream or its place. Equal ones are told apart by [`Node::upstream`] and order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorId(pub u64);

/// A whole job.
#[derive(Debug, Clone, Default)]
pub struct JobPlan {
    /// The operators, inputs before users.
    pub nodes: Vec<Node>,
    /// Sources that are read once each: the scans that share them.
    pub scan_groups: Vec<ScanGroup>,
    /// The sinks.
    pub sinks: Vec<NodeId>,
    /// Session options that matter while it runs.
    pub settings: JobSettings,
}

/// Session options that matter while a job runs, resolved.
#[derive(Debug, Clone, Default)]
pub struct JobSettings {
    /// `execution.runtime-mode` is batch.
    pub batch: bool,
    /// `table.local-time-zone`.
    pub zone: Arc<str>,
    /// `parallelism.default`.
    pub parallelism: usize,
    /// All session options, for what the engine looks up by name (checkpoints, idle timeout).
    pub options: Options,
}

/// An operator of the plan.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Where its rows come from.
    pub inputs: Vec<NodeId>,
    /// Its output columns.
    pub schema: SchemaRef,
    /// Which changes its output carries.
    pub changes: ChangelogMode,
    /// Column sets that identify a row of the output for its whole life; empty: none is known.
    pub upsert_keys: Vec<Vec<usize>>,
    /// Identity over restarts.
    pub id: OperatorId,
    /// Fingerprint of everything above it, for pairing operators of an edited text.
    pub upstream: u64,
    /// Place in the statement that it comes from.
    pub span: Option<Span>,
    /// Position of the statement (in order of execution) that it comes from; with `span` the place for messages.
    pub statement: usize,
}

/// A source that is read once: same connector and same options that decide the data.
#[derive(Debug, Clone)]
pub struct ScanGroup {
    /// The table as one of the scans declares it; its physical columns are the union of what the scans declare.
    pub table: Arc<TableSpec>,
    /// What is read of each record, the union over its scans. [`ScanOp::columns`] are positions in this list.
    pub columns: Vec<ColumnSource>,
    /// The scans.
    pub scans: Vec<NodeId>,
}

/// A table as the engine and the connectors see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpec {
    /// Full name, for messages.
    pub name: String,
    /// The connector's primary name.
    pub connector: String,
    /// The connector's options (aliases resolved, format's options taken out, environment variables put in).
    pub options: Options,
    /// The format's name, for connectors of raw records.
    pub format: Option<String>,
    /// The format's options without prefix.
    pub format_options: Options,
    /// Whether the format finds columns by their position: tables of other columns then read other data.
    pub by_position: bool,
    /// Physical columns in order of declaration.
    pub schema: SchemaRef,
    /// Positions of the primary key's columns; empty: none.
    pub primary_key: Vec<usize>,
    /// PARTITIONED BY columns.
    pub partition_keys: Vec<String>,
    /// Whether its data end by themselves.
    pub bounded: bool,
}

/// Where a column of a scan's input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ColumnSource {
    /// A physical column of the table, by position in [`TableSpec::schema`].
    Physical(usize),
    /// A metadata column of the connector or format.
    Metadata {
        /// Its key.
        key: String,
        /// The type that the connector gives.
        data_type: DataType,
    },
}

/// The operators.
// One a node and some hundred nodes a job: boxes would only make it harder to read.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone)]
pub enum Op {
    /// Reads a table.
    Scan(ScanOp),
    /// Keeps the rows for which the predicate is TRUE.
    Filter(Expr),
    /// Computes columns.
    Project(Vec<ProjectItem>),
    /// All rows of all inputs.
    Union,
    /// Constant rows.
    Values(Vec<Vec<Value>>),
    /// One row for each element of an array, map or multiset.
    Unnest(UnnestOp),
    /// One row for each row that a table function gives.
    TableFunction(TableFunctionOp),
    /// Window table-valued function: adds window_start, window_end, window_time.
    Window(WindowOp),
    /// GROUP BY, also of windows.
    Aggregate(AggregateOp),
    /// Two inputs.
    Join(JoinOp),
    /// OVER windows.
    Over(OverOp),
    /// The first N rows of each partition; also deduplication and LIMIT with ORDER BY.
    TopN(TopNOp),
    /// ORDER BY without LIMIT.
    Sort(Vec<SortKey>),
    /// LIMIT and OFFSET without ORDER BY.
    Limit {
        /// Rows to leave out first.
        offset: u64,
        /// Rows to give; `None`: all.
        fetch: Option<u64>,
    },
    /// MATCH_RECOGNIZE.
    Match(MatchOp),
    /// INTERSECT and EXCEPT.
    SetOperation {
        /// EXCEPT rather than INTERSECT.
        except: bool,
        /// Duplicates count.
        all: bool,
    },
    /// Writes.
    Sink(SinkOp),
}

impl Op {
    /// Calls for every expression in it, in a fixed order. Those of a scan are over the scan's input, those of a join's `equal` pairs over one
    /// side.
    pub fn each_expression<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        fn keys<'a>(keys: &'a [SortKey], visit: &mut impl FnMut(&'a Expr)) {
            keys.iter().for_each(|k| visit(&k.expr));
        }
        fn calls<'a>(calls: &'a [AggregateCall], visit: &mut impl FnMut(&'a Expr)) {
            for c in calls {
                c.args.iter().for_each(&mut *visit);
                c.filter.iter().for_each(&mut *visit);
                keys(&c.order_by, visit);
            }
        }
        let visit = &mut visit;
        match self {
            Op::Scan(s) => {
                s.filter.iter().chain(&s.screen).for_each(&mut *visit);
                s.output.iter().for_each(|o| visit(&o.expr));
                if let Some(w) = &s.watermark {
                    visit(&w.rowtime);
                    visit(&w.watermark);
                }
            }
            Op::Filter(e) => visit(e),
            Op::Project(items) => items.iter().for_each(|i| visit(&i.expr)),
            Op::Unnest(u) => visit(&u.collection),
            Op::TableFunction(t) => t.args.iter().for_each(visit),
            Op::Aggregate(a) => {
                a.keys.iter().for_each(&mut *visit);
                calls(&a.calls, visit);
            }
            Op::Join(j) => {
                for (l, r) in &j.equal {
                    visit(l);
                    visit(r);
                }
                j.condition.iter().for_each(visit);
            }
            Op::Over(o) => {
                o.partition_by.iter().for_each(&mut *visit);
                keys(&o.order_by, visit);
                calls(&o.calls, visit);
            }
            Op::TopN(t) => {
                t.partition_by.iter().for_each(&mut *visit);
                keys(&t.order_by, visit);
            }
            Op::Sort(k) => keys(k, visit),
            Op::Match(m) => {
                m.partition_by.iter().for_each(&mut *visit);
                keys(&m.order_by, visit);
            }
            Op::Union
            | Op::Values(_)
            | Op::Window(_)
            | Op::Limit { .. }
            | Op::SetOperation { .. }
            | Op::Sink(_) => {}
        }
    }

    /// Calls for every expression in it, in the order of [`Op::each_expression`], to be changed in place.
    pub fn each_expression_mut<'a>(&'a mut self, mut visit: impl FnMut(&'a mut Expr)) {
        fn keys<'a>(keys: &'a mut [SortKey], visit: &mut impl FnMut(&'a mut Expr)) {
            keys.iter_mut().for_each(|k| visit(&mut k.expr));
        }
        fn calls<'a>(calls: &'a mut [AggregateCall], visit: &mut impl FnMut(&'a mut Expr)) {
            for c in calls {
                c.args.iter_mut().for_each(&mut *visit);
                c.filter.iter_mut().for_each(&mut *visit);
                keys(&mut c.order_by, visit);
            }
        }
        let visit = &mut visit;
        match self {
            Op::Scan(s) => {
                s.filter.iter_mut().chain(&mut s.screen).for_each(&mut *visit);
                Arc::make_mut(&mut s.output).iter_mut().for_each(|o| visit(&mut o.expr));
                if let Some(w) = &mut s.watermark {
                    visit(&mut w.rowtime);
                    visit(&mut w.watermark);
                }
            }
            Op::Filter(e) => visit(e),
            Op::Project(items) => items.iter_mut().for_each(|i| visit(&mut i.expr)),
            Op::Unnest(u) => visit(&mut u.collection),
            Op::TableFunction(t) => t.args.iter_mut().for_each(visit),
            Op::Aggregate(a) => {
                a.keys.iter_mut().for_each(&mut *visit);
                calls(&mut a.calls, visit);
            }
            Op::Join(j) => {
                for (l, r) in &mut j.equal {
                    visit(l);
                    visit(r);
                }
                j.condition.iter_mut().for_each(visit);
            }
            Op::Over(o) => {
                o.partition_by.iter_mut().for_each(&mut *visit);
                keys(&mut o.order_by, visit);
                calls(&mut o.calls, visit);
            }
            Op::TopN(t) => {
                t.partition_by.iter_mut().for_each(&mut *visit);
                keys(&mut t.order_by, visit);
            }
            Op::Sort(k) => keys(k, visit),
            Op::Match(m) => {
                m.partition_by.iter_mut().for_each(&mut *visit);
                keys(&mut m.order_by, visit);
            }
            Op::Union
            | Op::Values(_)
            | Op::Window(_)
            | Op::Limit { .. }
            | Op::SetOperation { .. }
            | Op::Sink(_) => {}
        }
    }

    /// Every expression in it, in the order of [`Op::each_expression_mut`].
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        let mut all = Vec::new();
        self.each_expression_mut(|e| all.push(e));
        all
    }

    /// Every expression in it, in the order of [`Op::each_expression`].
    pub fn expressions(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_expression(|e| all.push(e));
        all
    }
}

/// A column of a projection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProjectItem {
    /// Its name.
    pub name: Arc<str>,
    /// Its value.
    pub expr: Expr,
}

/// Reads a table. Expressions refer to the scan's input: [`ScanGroup::columns`] picked by `columns`.
#[derive(Debug, Clone)]
pub struct ScanOp {
    /// The table as this query's declaration has it.
    pub table: Arc<TableSpec>,
    /// Position in [`JobPlan::scan_groups`].
    pub group: usize,
    /// Positions in [`ScanGroup::columns`] that form the input of the expressions below.
    pub columns: Vec<usize>,
    /// The pushed filter: only rows for which it is TRUE are built. Computed columns are written out in it.
    pub filter: Option<Expr>,
    /// What the filter and operators above imply of text columns, evaluated behind the filter: it changes no result, it spares work.
    pub screen: Option<Expr>,
    /// The output columns: physical, metadata (with its cast) and computed ones. Shared by the scans of a job that give the same.
    pub output: Arc<Vec<ProjectItem>>,
    /// The declared watermark.
    pub watermark: Option<Box<WatermarkSpec>>,
    /// Hints given at the table, already merged into the table's options.
    pub hints: Vec<(String, String)>,
}

/// WATERMARK FOR rowtime AS expression. A NULL rowtime fails the job, before any filter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WatermarkSpec {
    /// Name of the rowtime column, for messages.
    pub column: Arc<str>,
    /// Its value, over the scan's input.
    pub rowtime: Expr,
    /// The watermark's value, over the scan's input.
    pub watermark: Expr,
}

/// UNNEST.
#[derive(Debug, Clone)]
pub struct UnnestOp {
    /// The collection, over the input.
    pub collection: Expr,
    /// Output columns after the input's: the element (or its ROW's fields, or key and value), then the ordinality if wanted.
    pub element_columns: usize,
    /// WITH ORDINALITY.
    pub ordinality: bool,
    /// LEFT JOIN … ON TRUE: a row without elements is kept with NULLs.
    pub left: bool,
}

/// LATERAL TABLE(f(…)).
#[derive(Debug, Clone)]
pub struct TableFunctionOp {
    /// The function's primary name.
    pub function: Arc<str>,
    /// Its arguments, over the input.
    pub args: Vec<Expr>,
    /// The evaluation.
    pub kernel: Arc<dyn millstream_expr::functions::table::TableKernel>,
    /// LEFT JOIN … ON TRUE.
    pub left: bool,
}

/// The kinds of windows. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum WindowKind {
    Tumble { size: i64, offset: i64 },
    Hop { slide: i64, size: i64, offset: i64 },
    Cumulate { step: i64, size: i64, offset: i64 },
    Session { gap: i64, partition_keys: Vec<usize> },
}

/// A window function over a time attribute.
#[derive(Debug, Clone)]
pub struct WindowOp {
    /// The kind.
    pub kind: WindowKind,
    /// Position of the time attribute in the input.
    pub time: usize,
}

/// A call of an aggregate or window function.
#[derive(Debug, Clone)]
pub struct AggregateCall {
    /// Primary name.
    pub function: Arc<str>,
    /// Arguments, over the input.
    pub args: Vec<Expr>,
    /// DISTINCT.
    pub distinct: bool,
    /// FILTER (WHERE …).
    pub filter: Option<Expr>,
    /// WITHIN GROUP or ORDER BY inside the call.
    pub order_by: Vec<SortKey>,
    /// Keyword clauses (NULL ON NULL …).
    pub keywords: millstream_expr::Keywords,
    /// Result type.
    pub data_type: DataType,
    /// Place in the statement.
    pub span: Option<Span>,
}

/// GROUP BY.
#[derive(Debug, Clone)]
pub struct AggregateOp {
    /// Grouping expressions, over the input.
    pub keys: Vec<Expr>,
    /// GROUPING SETS as positions in `keys`; one set with all of them: a plain GROUP BY.
    pub grouping_sets: Vec<Vec<usize>>,
    /// The calls.
    pub calls: Vec<AggregateCall>,
    /// Groups by windows of the time attribute (GROUP BY TUMBLE(…)): its kind and the time attribute's position.
    pub group_window: Option<WindowOp>,
    /// Output columns behind keys and calls: properties of the group window (`window_start`, …).
    pub window_properties: Vec<&'static str>,
    /// Grouped by window_start and window_end of a window table-valued function: the positions in `keys`.
    pub window_keys: Option<(usize, usize)>,
}

/// How rows of two inputs meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Semi,
    Anti,
    /// FOR SYSTEM_TIME AS OF a rowtime, on a versioned table.
    TemporalInner,
    TemporalLeft,
    /// FOR SYSTEM_TIME AS OF a processing time: a lookup.
    LookupInner,
    LookupLeft,
}

/// A join. Columns of the right input follow the left's.
#[derive(Debug, Clone)]
pub struct JoinOp {
    /// The kind.
    pub kind: JoinKind,
    /// Equal pairs: expressions over the left and over the right input.
    pub equal: Vec<(Expr, Expr)>,
    /// Positions of `equal` whose NULLs match each other (IS NOT DISTINCT FROM).
    pub null_safe: Vec<usize>,
    /// What else must be TRUE, over both inputs.
    pub condition: Option<Expr>,
    /// Interval join: left time minus right time within these milliseconds, and the positions of the time attributes in the left and in
    /// the right input.
    pub interval: Option<(i64, i64, usize, usize)>,
    /// Window join: both sides come from the same windows.
    pub window: bool,
    /// Temporal and lookup joins: position of the left time attribute.
    pub time: Option<usize>,
    /// Temporal joins: position in the right input of its time attribute.
    pub right_time: Option<usize>,
    /// Hints (`LOOKUP`, `STATE_TTL`, `BROADCAST`).
    pub hints: Vec<(String, Vec<(String, String)>)>,
}

/// ORDER BY of one expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SortKey {
    /// The expression, over the input.
    pub expr: Expr,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
}

/// OVER windows with one partitioning and order.
#[derive(Debug, Clone)]
pub struct OverOp {
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<SortKey>,
    /// ROWS rather than RANGE.
    pub rows: bool,
    /// How far back the frame goes: rows, or milliseconds; `None`: unbounded.
    pub preceding: Option<i64>,
    /// How far ahead (batch only): `Some(0)` is the current row.
    pub following: Option<i64>,
    /// The calls; their columns follow the input's.
    pub calls: Vec<AggregateCall>,
}

/// Top-N and its special cases.
#[derive(Debug, Clone)]
pub struct TopNOp {
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<SortKey>,
    /// First rank to give, from 1.
    pub from: u64,
    /// Last rank to give.
    pub to: u64,
    /// Whether the rank is the last output column.
    pub with_rank: bool,
    /// ROW_NUMBER, RANK or DENSE_RANK.
    pub function: Arc<str>,
}

/// MATCH_RECOGNIZE, as the binder checked it.
#[derive(Debug, Clone)]
pub struct MatchOp {
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<SortKey>,
    /// The pattern as text in a normal form.
    pub pattern: String,
    /// Place of the clause.
    pub span: Option<Span>,
}

/// Where a sink writes.
#[derive(Debug, Clone)]
pub enum SinkTarget {
    /// A table.
    Table(Arc<TableSpec>),
    /// The caller (a SELECT).
    Collect,
}

/// Writes rows that already have the sink's columns and types.
#[derive(Debug, Clone)]
pub struct SinkOp {
    /// Where.
    pub target: SinkTarget,
    /// A name for progress and counts: the table's name.
    pub name: String,
    /// INSERT OVERWRITE.
    pub overwrite: bool,
    /// Positions of columns that must not be NULL (`table.exec.sink.not-null-enforcer`), with whether such rows are dropped rather than failing.
    pub not_null: Vec<usize>,
    /// Drop rows with NULL in `not_null` columns instead of failing.
    pub drop_null: bool,
    /// Upsert sinks with another key than the input's upsert key: rows are put in order by a materializer.
    pub materialize: bool,
}
