//! What a function is: its definition with documentation, and how a call of it is bound and evaluated.

use std::fmt::Debug;
use std::sync::Arc;

use millstream_types::{DataType, Fault, Span};

use crate::{Column, EvalContext, EvalError, Expr, Resources, Rows};

/// Whether a call may be folded, shared between queries, or moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Volatility {
    /// The same arguments always give the same value.
    Immutable,
    /// The same during one batch query, each row anew in a stream: CURRENT_TIMESTAMP and its kin.
    PerQuery,
    /// Each row anew: RAND, UUID, PROCTIME.
    PerRow,
}

/// Where a function comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Flink SQL 2.3.
    Flink,
    /// Apache RocketMQ Streams and rsqldb.
    Ancestor,
    /// Millstream's own.
    Millstream,
}

/// An example of the documentation, run as a test: `SELECT expr` gives `result` (its text by CAST AS STRING; `NULL` for NULL).
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The expression.
    pub expr: &'static str,
    /// The text of its value.
    pub result: &'static str,
}

/// The definition of a scalar function: documentation and binding in one place.
#[derive(Debug)]
pub struct Function {
    /// Primary name, upper case.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Signatures as the manual prints them, one a line: `LPAD(string STRING, length INT, pad STRING) -> STRING`.
    pub signature: &'static str,
    /// What it does, in one sentence; then what is special (NULL rule, errors), each in one sentence.
    pub doc: &'static str,
    /// Examples, at least one.
    pub examples: &'static [Example],
    /// Where it comes from.
    pub origin: Origin,
    /// Whether its value (of an ARRAY its elements, of a MAP its values) is NULL or a piece of the first argument's text, as it stands there.
    pub gives_pieces: bool,
    /// Checks the arguments and derives the result.
    pub bind: fn(&Call<'_>) -> Result<BoundCall, Fault>,
}

impl Function {
    /// A function of Flink without other names.
    pub const fn new(
        name: &'static str,
        signature: &'static str,
        doc: &'static str,
        examples: &'static [Example],
        bind: fn(&Call<'_>) -> Result<BoundCall, Fault>,
    ) -> Self {
        Function {
            name,
            aliases: &[],
            signature,
            doc,
            examples,
            origin: Origin::Flink,
            gives_pieces: false,
            bind,
        }
    }

    /// The same function with other names.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// The same function, known to give pieces of its first argument's text.
    #[must_use]
    pub const fn gives_pieces(mut self) -> Self {
        self.gives_pieces = true;
        self
    }

    /// The same function from elsewhere.
    #[must_use]
    pub const fn origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }
}

impl Example {
    /// An expression and the text of its value.
    pub const fn new(expr: &'static str, result: &'static str) -> Self {
        Example { expr, result }
    }
}

/// A keyword clause of a call, lowered by the binder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Keyword {
    /// A word or symbol: EXTRACT's unit, TRIM's BOTH, JSON's `NULL`, `ERROR`, `DEFAULT`, `WITH CONDITIONAL WRAPPER` …
    Word(Arc<str>),
    /// A type: JSON_VALUE's RETURNING.
    Type(DataType),
    /// Position of the argument that holds the clause's expression: JSON_VALUE's `DEFAULT expr ON EMPTY`.
    Argument(usize),
}

/// Keyword clauses of a call by clause name, sorted by it.
pub type Keywords = Vec<(&'static str, Keyword)>;

/// A call to be bound.
#[derive(Debug)]
pub struct Call<'a> {
    /// The name as the user wrote it, for messages.
    pub name: &'a str,
    /// Typed arguments; literals are `ExprKind::Literal`, so that patterns, formats and units can be compiled here.
    pub args: &'a [Expr],
    /// Keyword clauses.
    pub keywords: &'a [(&'static str, Keyword)],
    /// Place of the whole call.
    pub span: Span,
    /// The session.
    pub context: &'a BindContext,
}

/// What binding may know of the session. The default is a streaming session in UTC.
#[derive(Debug, Clone)]
pub struct BindContext {
    /// `table.local-time-zone`.
    pub zone: Arc<str>,
    /// Whether the query is planned for batch mode.
    pub batch: bool,
    /// `table.exec.legacy-cast-behaviour` = ENABLED.
    pub legacy_cast: bool,
    /// Grok patterns and files.
    pub resources: Resources,
}

impl Default for BindContext {
    fn default() -> Self {
        BindContext { zone: "UTC".into(), batch: false, legacy_cast: false, resources: Resources::default() }
    }
}

/// A bound call.
#[derive(Debug)]
pub struct BoundCall {
    /// Result type with nullability.
    pub data_type: DataType,
    /// The arguments to evaluate, with implicit casts; constants that were compiled into the kernel stay here, too (they keep
    /// calls comparable), the kernel just does not look at them.
    pub args: Vec<Expr>,
    /// Whether it may be folded, shared, moved.
    pub volatility: Volatility,
    /// Whether some value of the arguments makes it fail at run time.
    pub fallible: bool,
    /// The evaluation.
    pub kernel: KernelRef,
}

/// A shared kernel.
pub type KernelRef = Arc<dyn Kernel>;

/// The vectorized evaluation of a bound call.
pub trait Kernel: Send + Sync + Debug {
    /// Evaluates on `rows.rows` rows. `args` are the evaluated arguments. The result has the bound type's Arrow form; it may be
    /// [`Column::Constant`] only if all arguments are constant.
    ///
    /// # Errors
    /// With the first row (in `args`' numbering) whose values make it fail.
    fn eval(&self, args: &[Column], rows: &Rows<'_>, context: &EvalContext) -> Result<Column, EvalError>;

    /// How many of `count` arguments, from the first one, the kernel looks at; the rest was compiled into it and is not evaluated.
    fn needs(&self, count: usize) -> usize {
        count
    }

    /// Whether the value is that of the only argument: the call is a short form of another expression.
    fn is_short_form(&self) -> bool {
        false
    }
}
