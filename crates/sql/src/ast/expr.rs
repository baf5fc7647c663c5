//! Expressions.

use millstream_types::Span;

use super::{Ident, ObjectName, OrderItem, Query, TableArgument, Text, TypeName};

/// An expression and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place; parentheses around it belong to it.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// An interval whose length is computed.
    Interval(Box<IntervalExpr>),
    /// `a`, `t.a`, `t.a.b.c`: which part is a table, a column or a field is not known yet.
    Column(Vec<Ident>),
    /// `(expr).name`, `f(x).name`, `a[1].name`.
    Field(Box<Expr>, Ident),
    /// `base[index]`: an element of an ARRAY, MAP or ROW.
    Index(Box<Expr>, Box<Expr>),
    /// `- x` or `+ x`. A negative number is a sign before a literal, so the literal of `-9223372036854775808` would be too
    /// large for a BIGINT alone.
    Sign(Sign, Box<Expr>),
    /// `NOT x`.
    Not(Box<Expr>),
    /// Two or more terms joined by AND, none of which is an unparenthesized AND itself.
    And(Vec<Expr>),
    /// Two or more terms joined by OR.
    Or(Vec<Expr>),
    /// `(a - b) DAY`: the difference of two points in time as an interval.
    Difference(Box<Expr>, Box<Expr>, IntervalQualifier),
    /// Operators of one precedence from left to right: `a + b - c`, `a * b || c`.
    Chain(Box<Expr>, Vec<ChainLink>),
    /// `a = b` and the like; `a = b = c` is `(a = b) = c`.
    Compare(Box<Expr>, CompareOp, Box<Expr>),
    /// `a > ALL (…)`, `a = ANY (…)`.
    Quantified(Box<Quantified>),
    /// `x IS [NOT] NULL` and the like.
    Is {
        /// What is tested.
        expr: Box<Expr>,
        /// For what.
        test: IsTest,
        /// IS NOT.
        negated: bool,
    },
    /// `a IS [NOT] DISTINCT FROM b`.
    IsDistinctFrom {
        /// Left side.
        left: Box<Expr>,
        /// Right side.
        right: Box<Expr>,
        /// IS NOT DISTINCT FROM.
        negated: bool,
    },
    /// `x [NOT] BETWEEN [SYMMETRIC] low AND high`.
    Between(Box<Between>),
    /// `x [NOT] IN (a, b)`.
    InList {
        /// What is sought.
        expr: Box<Expr>,
        /// The list, never empty.
        list: Vec<Expr>,
        /// NOT IN.
        negated: bool,
    },
    /// `x [NOT] IN (SELECT …)`.
    InQuery {
        /// What is sought.
        expr: Box<Expr>,
        /// Where.
        query: Box<Query>,
        /// NOT IN.
        negated: bool,
    },
    /// `EXISTS (SELECT …)`.
    Exists(Box<Query>),
    /// `UNIQUE (SELECT …)`.
    Unique(Box<Query>),
    /// LIKE, ILIKE, RLIKE and SIMILAR TO.
    Like(Box<Like>),
    /// CASE.
    Case(Box<Case>),
    /// `CAST(x AS t)`, `TRY_CAST(x AS t)`.
    Cast(Box<Cast>),
    /// A call in ordinary notation. `SUBSTRING(x FROM a FOR b)`, `POSITION(a IN b)` and `OVERLAY(x PLACING y FROM a)`
    /// are here too, their operands in the order of the comma form.
    Function(Box<FunctionCall>),
    /// `TRIM([BOTH | LEADING | TRAILING] [characters] FROM text)`; `TRIM(text)` is an ordinary call.
    Trim(Box<Trim>),
    /// `EXTRACT(unit FROM x)`.
    Extract(UnitName, Box<Expr>),
    /// `FLOOR(x TO unit)`, `CEIL(x TO unit)`; without TO they are ordinary calls.
    Round(RoundTo, UnitName, Box<Expr>),
    /// `TIMESTAMPADD(unit, count, point)`.
    TimestampAdd(UnitName, Box<Expr>, Box<Expr>),
    /// `TIMESTAMPDIFF(unit, from, to)`.
    TimestampDiff(UnitName, Box<Expr>, Box<Expr>),
    /// A JSON function with clauses of its own.
    Json(Box<JsonCall>),
    /// `ROW(a, b)` (explicit) or `(a, b)`.
    Row {
        /// The fields.
        items: Vec<Expr>,
        /// Whether ROW was written.
        explicit: bool,
    },
    /// `ARRAY[a, b]`.
    Array(Vec<Expr>),
    /// `MAP[k, v, k, v]`, as pairs.
    Map(Vec<(Expr, Expr)>),
    /// `MULTISET[a, b]`.
    Multiset(Vec<Expr>),
    /// `ARRAY(SELECT …)`, `MAP(SELECT …)`, `MULTISET(SELECT …)`.
    CollectQuery(CollectKind, Box<Query>),
    /// `(SELECT …)` as a value.
    Subquery(Box<Query>),
    /// `(a, b) OVERLAPS (c, d)` and the other predicates on periods.
    Period(Box<Expr>, PeriodOp, Box<Expr>),
    /// `DESCRIPTOR(a, b)`.
    Descriptor(Vec<Ident>),
    /// DEFAULT as an argument or as an inserted value.
    Default,
    /// `FINAL x` or `RUNNING x` in MEASURES and DEFINE.
    MatchScope(MatchScope, Box<Expr>),
}

/// Signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Sign {
    Plus,
    Minus,
}

/// A literal: its exact text where a number or time is yet to be read.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// NULL.
    Null,
    /// TRUE or FALSE.
    Boolean(bool),
    /// UNKNOWN: a BOOLEAN that is NULL.
    Unknown,
    /// Digits without a point: `42`, of any size, without a sign.
    Integer(String),
    /// Digits with a point: `1.50`, `.5`, `5.`.
    Decimal(String),
    /// With an exponent: `1e3`, `1.5E-7`.
    Double(String),
    /// `'text'`, `U&'\00e9'` (escapes undone), `_UTF8'text'`, `'a' 'b'` over lines (joined).
    String {
        /// The characters.
        value: String,
        /// The character set of `_charset'…'`.
        charset: Option<String>,
    },
    /// `X'0aFF'`.
    Binary(Vec<u8>),
    /// `DATE '2020-02-29'`, the text.
    Date(String),
    /// `TIME '10:20:30'`.
    Time(String),
    /// `TIMESTAMP '2020-02-29 10:20:30'`.
    Timestamp(String),
    /// `TIMESTAMP WITH LOCAL TIME ZONE '…'`.
    TimestampLtz(String),
    /// `INTERVAL [-] '1-2' YEAR TO MONTH`.
    Interval(Box<IntervalLiteral>),
}

/// `INTERVAL [-] 'text' unit[(precision)] [TO unit[(fraction)]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalLiteral {
    /// A minus before the quotes.
    pub negative: bool,
    /// What stands in the quotes.
    pub text: Text,
    /// The fields.
    pub qualifier: IntervalQualifier,
}

/// `INTERVAL [-] expr unit`, where the length is no string: `INTERVAL n MINUTE`, `INTERVAL 3 DAYS`.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalExpr {
    /// A minus before the length.
    pub negative: bool,
    /// The length.
    pub expr: Expr,
    /// The unit.
    pub qualifier: IntervalQualifier,
}

/// `DAY(2) TO SECOND(3)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntervalQualifier {
    /// The first field: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND.
    pub from: TimeUnit,
    /// The last field, if TO was written.
    pub to: Option<TimeUnit>,
    /// Digits of the first field.
    pub precision: Option<u32>,
    /// Fraction digits of SECOND.
    pub fraction: Option<u32>,
    /// Its place.
    pub span: Span,
}

/// One further operand of a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainLink {
    /// The operator before it.
    pub op: ChainOp,
    /// The operator's place.
    pub op_span: Span,
    /// The operand.
    pub operand: Expr,
}

/// Operators that chain to the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ChainOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    /// `||`; in Flink it binds as strongly as `*`.
    Concat,
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
}

/// `left op ANY|ALL (list or query)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantified {
    /// Left side.
    pub left: Expr,
    /// The comparison.
    pub op: CompareOp,
    /// ALL, else ANY (which is also SOME).
    pub all: bool,
    /// Right side.
    pub right: QuantifiedSet,
}

/// The right side of ANY or ALL.
#[derive(Debug, Clone, PartialEq)]
pub enum QuantifiedSet {
    /// A subquery.
    Query(Box<Query>),
    /// A list of expressions.
    List(Vec<Expr>),
}

/// What IS asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IsTest {
    Null,
    True,
    False,
    Unknown,
    /// IS JSON or IS JSON VALUE.
    JsonValue,
    JsonObject,
    JsonArray,
    JsonScalar,
}

/// `expr [NOT] BETWEEN [SYMMETRIC] low AND high`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Between {
    pub expr: Expr,
    pub low: Expr,
    pub high: Expr,
    pub negated: bool,
    pub symmetric: bool,
}

/// `expr [NOT] LIKE pattern [ESCAPE escape]`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Like {
    pub expr: Expr,
    pub op: LikeOp,
    pub negated: bool,
    pub pattern: Expr,
    pub escape: Option<Expr>,
}

/// The pattern predicates. Flink's grammar has ILIKE and RLIKE, its function catalog has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LikeOp {
    Like,
    ILike,
    RLike,
    SimilarTo,
}

/// CASE in both forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// `CASE operand WHEN value THEN …`.
    pub operand: Option<Expr>,
    /// WHEN and THEN, never empty. With an operand, a WHEN may list several values (`WHEN 1, 2 THEN`): then it is a
    /// [`ExprKind::Row`] that is not explicit.
    pub branches: Vec<(Expr, Expr)>,
    /// ELSE.
    pub otherwise: Option<Expr>,
}

/// CAST or TRY_CAST.
#[derive(Debug, Clone, PartialEq)]
pub struct Cast {
    /// What is cast.
    pub expr: Expr,
    /// The target type.
    pub target: TypeName,
    /// TRY_CAST: NULL instead of a failure.
    pub safe: bool,
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// The function's name as written; system functions do not depend on case.
    pub name: ObjectName,
    /// False for `CURRENT_DATE` and its kin, which have no parentheses.
    pub parens: bool,
    /// DISTINCT or ALL before the arguments.
    pub quantifier: Option<SetQuantifier>,
    /// The arguments.
    pub args: Vec<FunctionArg>,
    /// `ORDER BY` inside the parentheses.
    pub order_by: Vec<OrderItem>,
    /// `WITHIN GROUP (ORDER BY …)`.
    pub within_group: Vec<OrderItem>,
    /// `FILTER (WHERE …)`.
    pub filter: Option<Expr>,
    /// `IGNORE NULLS` or `RESPECT NULLS`.
    pub nulls: Option<NullTreatment>,
    /// `OVER …`.
    pub over: Option<Over>,
    /// Its place.
    pub span: Span,
}

/// DISTINCT or ALL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SetQuantifier {
    Distinct,
    All,
}

/// What a window function does with NULLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NullTreatment {
    Ignore,
    Respect,
}

/// An argument, perhaps with a name (`name => value`).
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionArg {
    /// Its name.
    pub name: Option<Ident>,
    /// Its value.
    pub value: ArgValue,
    /// Its place.
    pub span: Span,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgValue {
    /// An expression.
    Expr(Expr),
    /// `*` of COUNT(*).
    Star,
    /// A table: `TABLE t PARTITION BY k`, `(SELECT …)`.
    Table(Box<TableArgument>),
}

/// What follows OVER.
#[derive(Debug, Clone, PartialEq)]
pub enum Over {
    /// A window of the WINDOW clause.
    Named(Ident),
    /// A window of its own.
    Inline(WindowSpec),
}

/// `([base] [PARTITION BY …] [ORDER BY …] [frame])`.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSpec {
    /// A named window that this one refines.
    pub base: Option<Ident>,
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<OrderItem>,
    /// ROWS or RANGE.
    pub frame: Option<WindowFrame>,
    /// Its place, parentheses included.
    pub span: Span,
}

/// `ROWS | RANGE [BETWEEN] start [AND end]`.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowFrame {
    /// ROWS, else RANGE.
    pub rows: bool,
    /// Where it begins.
    pub start: FrameBound,
    /// Where it ends, if BETWEEN was written.
    pub end: Option<FrameBound>,
    /// Its place.
    pub span: Span,
}

/// A bound of a frame.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(Box<Expr>),
    CurrentRow,
    Following(Box<Expr>),
    UnboundedFollowing,
}

/// TRIM with FROM.
#[derive(Debug, Clone, PartialEq)]
pub struct Trim {
    /// BOTH (the default), LEADING or TRAILING.
    pub side: TrimSide,
    /// What is cut off; a blank if missing.
    pub characters: Option<Expr>,
    /// What it is cut from.
    pub text: Expr,
}

/// Where TRIM cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TrimSide {
    Both,
    Leading,
    Trailing,
}

/// FLOOR or CEIL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RoundTo {
    Floor,
    Ceil,
}

/// A unit of time with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitName {
    /// The unit.
    pub unit: TimeUnit,
    /// Its place.
    pub span: Span,
}

/// Units of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TimeUnit {
    Millennium,
    Century,
    Decade,
    Year,
    IsoYear,
    Quarter,
    Month,
    Week,
    Day,
    /// Day of the year.
    Doy,
    /// Day of the week, 1 for Sunday.
    Dow,
    /// Day of the week, 1 for Monday.
    IsoDow,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Epoch,
}

/// JSON functions with clauses.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonCall {
    /// `JSON_EXISTS(input, path [TRUE|FALSE|UNKNOWN|ERROR ON ERROR])`.
    Exists {
        /// The document.
        input: Expr,
        /// The path.
        path: Expr,
        /// What a failure gives.
        on_error: Option<JsonExistsError>,
    },
    /// `JSON_VALUE(input, path [RETURNING t] [… ON EMPTY] [… ON ERROR])`.
    Value {
        /// The document.
        input: Expr,
        /// The path.
        path: Expr,
        /// The type of the result.
        returning: Option<TypeName>,
        /// What a missing value gives.
        on_empty: Option<JsonValueBehavior>,
        /// What a failure gives.
        on_error: Option<JsonValueBehavior>,
    },
    /// `JSON_QUERY(input, path [RETURNING t] [… WRAPPER] [… ON EMPTY] [… ON ERROR])`.
    Query {
        /// The document.
        input: Expr,
        /// The path.
        path: Expr,
        /// The type of the result.
        returning: Option<TypeName>,
        /// Whether results are wrapped into an array.
        wrapper: Option<JsonWrapper>,
        /// What a missing value gives.
        on_empty: Option<JsonQueryBehavior>,
        /// What a failure gives.
        on_error: Option<JsonQueryBehavior>,
    },
    /// `JSON_OBJECT([KEY] k VALUE v, … [NULL|ABSENT ON NULL])`.
    Object {
        /// Keys and values.
        entries: Vec<(Expr, Expr)>,
        /// What NULL values do.
        on_null: Option<JsonOnNull>,
    },
    /// `JSON_ARRAY(a, b, … [NULL|ABSENT ON NULL])`.
    Array {
        /// The elements.
        items: Vec<Expr>,
        /// What NULL elements do.
        on_null: Option<JsonOnNull>,
    },
    /// `JSON_OBJECTAGG([KEY] k VALUE v [NULL|ABSENT ON NULL]) [FILTER (WHERE …)]`.
    ObjectAgg {
        /// The key.
        key: Expr,
        /// The value.
        value: Expr,
        /// What NULL values do.
        on_null: Option<JsonOnNull>,
        /// FILTER.
        filter: Option<Expr>,
        /// OVER.
        over: Option<Over>,
    },
    /// `JSON_ARRAYAGG(x [NULL|ABSENT ON NULL]) [FILTER (WHERE …)]`.
    ArrayAgg {
        /// The element.
        item: Expr,
        /// ORDER BY inside the parentheses or WITHIN GROUP.
        order_by: Vec<OrderItem>,
        /// What NULL elements do.
        on_null: Option<JsonOnNull>,
        /// FILTER.
        filter: Option<Expr>,
        /// OVER.
        over: Option<Over>,
    },
}

/// What JSON_EXISTS gives on an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JsonExistsError {
    True,
    False,
    Unknown,
    Error,
}

/// What JSON_VALUE gives instead.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum JsonValueBehavior {
    Null,
    Error,
    Default(Box<Expr>),
}

/// What JSON_QUERY gives instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JsonQueryBehavior {
    Null,
    Error,
    EmptyArray,
    EmptyObject,
}

/// `WITHOUT | WITH [CONDITIONAL | UNCONDITIONAL] [ARRAY] WRAPPER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JsonWrapper {
    Without,
    Conditional,
    Unconditional,
}

/// `NULL ON NULL` or `ABSENT ON NULL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JsonOnNull {
    Null,
    Absent,
}

/// What a query is collected into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CollectKind {
    Array,
    Map,
    Multiset,
}

/// Predicates on periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PeriodOp {
    Overlaps,
    Contains,
    Equals,
    Precedes,
    Succeeds,
    ImmediatelyPrecedes,
    ImmediatelySucceeds,
}

/// Which rows of a match a measure sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum MatchScope {
    Running,
    Final,
}
