//! Queries.

use millstream_types::Span;

use super::{
    Expr, FunctionCall, Hint, Ident, MatchRecognize, ObjectName, SetQuantifier, Text, TimeUnit, WindowSpec,
};

/// `[WITH …] body [ORDER BY …] [LIMIT …] [OFFSET …]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// WITH.
    pub with: Option<With>,
    /// SELECT, VALUES, TABLE or a set operation.
    pub body: QueryBody,
    /// ORDER BY of the whole query.
    pub order_by: Vec<OrderItem>,
    /// LIMIT or FETCH FIRST.
    pub limit: Option<Limit>,
    /// OFFSET.
    pub offset: Option<Expr>,
    /// Blink's EMIT after the query.
    pub emit: Option<Emit>,
    /// Its place, without parentheses around it.
    pub span: Span,
}

/// `WITH [RECURSIVE] name [(columns)] AS (query), …`.
#[derive(Debug, Clone, PartialEq)]
pub struct With {
    /// RECURSIVE.
    pub recursive: bool,
    /// The named queries in order.
    pub tables: Vec<CommonTable>,
    /// Its place.
    pub span: Span,
}

/// One named query of a WITH.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonTable {
    /// Its name.
    pub name: Ident,
    /// Its columns' names, or empty.
    pub columns: Vec<Ident>,
    /// The query.
    pub query: Query,
}

/// What a query reads from.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryBody {
    /// The form.
    pub kind: QueryKind,
    /// Its place.
    pub span: Span,
}

/// Forms of a query's body.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryKind {
    /// SELECT.
    Select(Box<Select>),
    /// `VALUES (…), (…)`, a row's place beside its expressions. `VALUES 1, 2` has rows of one.
    Values(Vec<ValuesRow>),
    /// `TABLE t`.
    Table(ObjectName),
    /// `(query)` with clauses of its own.
    Nested(Box<Query>),
    /// `first UNION second EXCEPT third …`, from left to right. INTERSECT binds more strongly: operands of a chain of
    /// UNION and EXCEPT may be chains of INTERSECT.
    SetOperation(Box<QueryBody>, Vec<SetLink>),
}

/// A row of VALUES.
#[derive(Debug, Clone, PartialEq)]
pub struct ValuesRow {
    /// Its fields.
    pub items: Vec<Expr>,
    /// Its place.
    pub span: Span,
}

/// One further operand of set operations.
#[derive(Debug, Clone, PartialEq)]
pub struct SetLink {
    /// The operation.
    pub op: SetOp,
    /// ALL; else DISTINCT, written or not.
    pub all: bool,
    /// The operation's place.
    pub op_span: Span,
    /// The operand.
    pub operand: QueryBody,
}

/// Set operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SetOp {
    Union,
    Intersect,
    Except,
}

/// SELECT.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// `/*+ … */` behind SELECT.
    pub hints: Vec<Hint>,
    /// Calcite's SELECT STREAM; Flink's tables are streams anyway.
    pub stream: bool,
    /// DISTINCT or ALL.
    pub quantifier: Option<SetQuantifier>,
    /// The select list, never empty.
    pub items: Vec<SelectItem>,
    /// FROM: tables joined by commas; empty without FROM.
    pub from: Vec<JoinedTable>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// GROUP BY.
    pub group_by: Option<GroupBy>,
    /// HAVING.
    pub having: Option<Expr>,
    /// WINDOW.
    pub windows: Vec<NamedWindow>,
    /// QUALIFY.
    pub qualify: Option<Expr>,
    /// Its place.
    pub span: Span,
}

/// An item of the select list.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectItem {
    /// An expression, perhaps with a name.
    Expr {
        /// The expression.
        expr: Expr,
        /// `AS alias`.
        alias: Option<Ident>,
    },
    /// `*`.
    Star(Span),
    /// `t.*`, `t.r.*`.
    QualifiedStar(ObjectName, Span),
}

/// GROUP BY.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupBy {
    /// `GROUP BY DISTINCT`.
    pub distinct: bool,
    /// The elements; `GROUP BY ()` is one empty [`GroupItem::List`].
    pub items: Vec<GroupItem>,
    /// Its place.
    pub span: Span,
}

/// An element of GROUP BY.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupItem {
    /// An expression; `TUMBLE(…)`, `HOP(…)` and `SESSION(…)` are calls.
    Expr(Expr),
    /// `(a, b)` or `()`.
    List(Vec<Expr>, Span),
    /// `GROUPING SETS (…)`.
    GroupingSets(Vec<GroupItem>, Span),
    /// `ROLLUP (…)`.
    Rollup(Vec<GroupItem>, Span),
    /// `CUBE (…)`.
    Cube(Vec<GroupItem>, Span),
}

/// `WINDOW name AS (…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedWindow {
    /// Its name.
    pub name: Ident,
    /// Its window.
    pub spec: WindowSpec,
}

/// `expr [ASC | DESC] [NULLS FIRST | LAST]`.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderItem {
    /// What is ordered by.
    pub expr: Expr,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST (true) or LAST (false), if written.
    pub nulls_first: Option<bool>,
}

/// LIMIT.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// `LIMIT ALL`.
    All(Span),
    /// `LIMIT n`, `FETCH FIRST n ROWS ONLY`.
    Count(Expr),
}

/// A table with what is joined to it, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedTable {
    /// The first table.
    pub first: TableFactor,
    /// The joins in order.
    pub joins: Vec<Join>,
    /// Its place.
    pub span: Span,
}

/// One join.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// Its kind.
    pub kind: JoinKind,
    /// NATURAL.
    pub natural: bool,
    /// The right side.
    pub right: TableFactor,
    /// ON or USING.
    pub condition: JoinCondition,
    /// Place of the words before the right side (`LEFT JOIN`).
    pub op_span: Span,
}

/// Kinds of joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

/// Conditions of joins.
#[derive(Debug, Clone, PartialEq)]
pub enum JoinCondition {
    /// None was written.
    None,
    /// ON.
    On(Expr),
    /// USING (columns).
    Using(Vec<Ident>),
}

/// Something to read from, perhaps with another name.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFactor {
    /// What it is.
    pub kind: TableKind,
    /// `AS name (columns)`.
    pub alias: Option<TableAlias>,
    /// Its place, alias included.
    pub span: Span,
}

/// `AS name (columns)`.
#[derive(Debug, Clone, PartialEq)]
pub struct TableAlias {
    /// The name.
    pub name: Ident,
    /// The columns' names, or empty.
    pub columns: Vec<Ident>,
}

/// Forms of a table in FROM.
#[derive(Debug, Clone, PartialEq)]
pub enum TableKind {
    /// A table or view.
    Named {
        /// Its name.
        name: ObjectName,
        /// `/*+ OPTIONS(…) */` behind the name.
        hints: Vec<Hint>,
        /// `FOR SYSTEM_TIME AS OF expr`.
        system_time: Option<Expr>,
    },
    /// `(query)`, also `(VALUES …)`; `LATERAL (query)`.
    Derived {
        /// The query.
        query: Box<Query>,
        /// LATERAL.
        lateral: bool,
    },
    /// `TABLE(f(…))`, `LATERAL TABLE(f(…))`, `f(TABLE t, …)`.
    Function {
        /// The call; windowing functions have a [`super::ArgValue::Table`] among the arguments.
        call: Box<FunctionCall>,
        /// LATERAL.
        lateral: bool,
        /// Whether `TABLE( )` stood around it.
        wrapped: bool,
    },
    /// `UNNEST(a, b) [WITH ORDINALITY]`, perhaps after LATERAL.
    Unnest {
        /// What is unnested.
        args: Vec<Expr>,
        /// WITH ORDINALITY.
        ordinality: bool,
        /// LATERAL.
        lateral: bool,
    },
    /// `input MATCH_RECOGNIZE (…)`.
    Match {
        /// What is matched, with its own alias.
        input: Box<TableFactor>,
        /// The clause.
        clause: Box<MatchRecognize>,
    },
    /// `(a JOIN b ON …)`.
    Nested(Box<JoinedTable>),
}

/// A table as an argument of a table function.
#[derive(Debug, Clone, PartialEq)]
pub struct TableArgument {
    /// The table.
    pub source: TableSource,
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<OrderItem>,
    /// Its place.
    pub span: Span,
}

/// A table argument's table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableSource {
    /// `TABLE t`, hints behind the name.
    Named(ObjectName, Vec<Hint>),
    /// `(query)` or `TABLE (query)`.
    Query(Box<Query>),
    /// `MODEL m`.
    Model(ObjectName),
}

/// Blink's `EMIT strategy [, strategy]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Emit {
    /// One or two strategies.
    pub strategies: Vec<EmitStrategy>,
    /// Its place.
    pub span: Span,
}

/// `WITH DELAY 'n' unit | WITHOUT DELAY [BEFORE | AFTER WATERMARK]`.
#[derive(Debug, Clone, PartialEq)]
pub struct EmitStrategy {
    /// How often; None for WITHOUT DELAY.
    pub delay: Option<EmitDelay>,
    /// Which part of a window's life; None for both.
    pub when: Option<EmitWhen>,
    /// Its place.
    pub span: Span,
}

/// `'1' MINUTE`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct EmitDelay {
    pub count: Text,
    pub unit: TimeUnit,
}

/// Before or after the watermark passes the window's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EmitWhen {
    BeforeWatermark,
    AfterWatermark,
}
