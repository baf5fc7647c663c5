//! Statements that create, change and drop things.

use millstream_types::Span;

use super::{Expr, Ident, IntervalLiteral, ObjectName, OptionEntry, Query, Text, TypeName};

/// `CREATE [OR REPLACE] [TEMPORARY] TABLE …`, with AS also CTAS and RTAS.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// What becomes of a table of that name.
    pub mode: CreateMode,
    /// TEMPORARY.
    pub temporary: bool,
    /// The name.
    pub name: ObjectName,
    /// Columns, watermarks, keys.
    pub schema: TableSchema,
    /// COMMENT.
    pub comment: Option<Text>,
    /// DISTRIBUTED BY … INTO … BUCKETS.
    pub distribution: Option<Distribution>,
    /// PARTITIONED BY.
    pub partitioned_by: Vec<Ident>,
    /// WITH.
    pub options: Vec<OptionEntry>,
    /// LIKE.
    pub like: Option<TableLike>,
    /// AS query.
    pub query: Option<Query>,
}

/// What becomes of a thing that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateMode {
    /// Plain CREATE: an error.
    New,
    /// IF NOT EXISTS: it stays.
    IfNotExists,
    /// CREATE OR REPLACE: it is replaced.
    OrReplace,
    /// REPLACE TABLE: it must be there and is replaced.
    Replace,
}

/// What stands in the parentheses of a CREATE TABLE.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableSchema {
    /// The columns in order.
    pub columns: Vec<ColumnDef>,
    /// WATERMARK; Flink allows one.
    pub watermark: Option<WatermarkDef>,
    /// PRIMARY KEY and UNIQUE, of the table or of a column, in order of appearance.
    pub constraints: Vec<ConstraintDef>,
    /// Blink's INDEX; nothing uses it.
    pub indexes: Vec<IndexDef>,
    /// Blink's PERIOD FOR SYSTEM_TIME.
    pub period: Option<Span>,
    /// Its place, parentheses included; empty if there are none.
    pub span: Span,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDef {
    /// Its name.
    pub name: Ident,
    /// Where its values come from.
    pub kind: ColumnKind,
    /// COMMENT.
    pub comment: Option<Text>,
    /// Its place.
    pub span: Span,
}

/// Kinds of columns.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnKind {
    /// From the record.
    Physical(TypeName),
    /// `name AS expr`; Blink's `expr AS name` too.
    Computed(Expr),
    /// `name TYPE METADATA [FROM 'key'] [VIRTUAL]`.
    Metadata {
        /// Its type.
        data_type: TypeName,
        /// FROM; the column's name if missing.
        key: Option<Text>,
        /// VIRTUAL: not written.
        is_virtual: bool,
    },
    /// Blink's `name TYPE HEADER`: a property of the message.
    Header(TypeName),
    /// Only a name, where a query follows (CTAS).
    NameOnly,
}

/// `WATERMARK FOR column AS expr`.
#[derive(Debug, Clone, PartialEq)]
pub struct WatermarkDef {
    /// Blink's name of the watermark.
    pub name: Option<Ident>,
    /// The column, perhaps a nested field.
    pub column: ObjectName,
    /// The strategy; Blink's `withOffset(ts, ms)` is a call here.
    pub strategy: Expr,
    /// Its place.
    pub span: Span,
}

/// PRIMARY KEY or UNIQUE.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintDef {
    /// CONSTRAINT name.
    pub name: Option<Ident>,
    /// UNIQUE instead of PRIMARY KEY.
    pub unique: bool,
    /// The columns.
    pub columns: Vec<Ident>,
    /// ENFORCED (true), NOT ENFORCED (false); Flink wants the latter, Blink wrote neither.
    pub enforced: Option<bool>,
    /// Its place.
    pub span: Span,
}

/// Blink's `INDEX name (columns)`.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexDef {
    /// UNIQUE INDEX.
    pub unique: bool,
    /// Its name.
    pub name: Option<Ident>,
    /// The columns.
    pub columns: Vec<Ident>,
    /// Its place.
    pub span: Span,
}

/// `DISTRIBUTED [BY [HASH | RANGE] (columns)] [INTO n BUCKETS]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// HASH or RANGE, if written.
    pub kind: Option<DistributionKind>,
    /// The columns.
    pub columns: Vec<Ident>,
    /// Number of buckets.
    pub buckets: Option<u32>,
    /// Its place.
    pub span: Span,
}

/// How rows find their bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DistributionKind {
    Hash,
    Range,
}

/// `LIKE table (features)`.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLike {
    /// The table.
    pub source: ObjectName,
    /// What is taken over, in order.
    pub features: Vec<LikeFeature>,
    /// Its place.
    pub span: Span,
}

/// `INCLUDING OPTIONS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LikeFeature {
    /// INCLUDING, EXCLUDING or OVERWRITING.
    pub strategy: LikeStrategy,
    /// What.
    pub feature: LikeWhat,
    /// Its place.
    pub span: Span,
}

/// What happens to a feature of the base table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LikeStrategy {
    Including,
    Excluding,
    Overwriting,
}

/// Features of the base table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LikeWhat {
    All,
    Constraints,
    Distribution,
    Generated,
    Metadata,
    Options,
    Partitions,
    Watermarks,
}

/// `CREATE [TEMPORARY] VIEW name [(columns)] [COMMENT …] AS query`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateView {
    /// What becomes of a view of that name.
    pub mode: CreateMode,
    /// TEMPORARY.
    pub temporary: bool,
    /// The name.
    pub name: ObjectName,
    /// The columns' names, or empty.
    pub columns: Vec<Ident>,
    /// COMMENT.
    pub comment: Option<Text>,
    /// The query; its span is what SHOW CREATE VIEW prints.
    pub query: Query,
}

/// `CREATE [TEMPORARY [SYSTEM]] FUNCTION name AS 'class' [LANGUAGE …] [USING JAR …]`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateFunction {
    /// What becomes of a function of that name.
    pub mode: CreateMode,
    /// Whose function it is.
    pub scope: FunctionScope,
    /// The name.
    pub name: ObjectName,
    /// The class, or what the language takes for one.
    pub class: Text,
    /// LANGUAGE.
    pub language: Option<Ident>,
    /// USING JAR 'uri', ….
    pub resources: Vec<FunctionResource>,
    /// WITH.
    pub options: Vec<OptionEntry>,
}

/// `JAR 'uri'`.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionResource {
    /// JAR, FILE, ARTIFACT….
    pub kind: Ident,
    /// Where it is.
    pub uri: Text,
}

/// Where a function lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FunctionScope {
    Catalog,
    Temporary,
    TemporarySystem,
}

/// `CREATE CATALOG name [COMMENT …] [WITH (…)]`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct CreateCatalog {
    pub mode: CreateMode,
    pub name: Ident,
    pub comment: Option<Text>,
    pub options: Vec<OptionEntry>,
}

/// `CREATE DATABASE name [COMMENT …] [WITH (…)]`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct CreateDatabase {
    pub mode: CreateMode,
    pub name: ObjectName,
    pub comment: Option<Text>,
    pub options: Vec<OptionEntry>,
}

/// `CREATE MODEL name [INPUT (…)] [OUTPUT (…)] [COMMENT …] [WITH (…)]`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct CreateModel {
    pub mode: CreateMode,
    pub temporary: bool,
    pub name: ObjectName,
    pub input: Vec<ColumnDef>,
    pub output: Vec<ColumnDef>,
    pub comment: Option<Text>,
    pub options: Vec<OptionEntry>,
    pub query: Option<Query>,
}

/// `CREATE MATERIALIZED TABLE name … AS query`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct CreateMaterializedTable {
    pub mode: CreateMode,
    pub name: ObjectName,
    pub schema: TableSchema,
    pub comment: Option<Text>,
    pub distribution: Option<Distribution>,
    pub partitioned_by: Vec<Ident>,
    pub options: Vec<OptionEntry>,
    /// FRESHNESS = INTERVAL ….
    pub freshness: Option<IntervalLiteral>,
    /// REFRESH_MODE = FULL (true) or CONTINUOUS (false).
    pub full_refresh: Option<bool>,
    pub query: Query,
}

/// ALTER.
#[derive(Debug, Clone, PartialEq)]
pub enum Alter {
    /// ALTER TABLE.
    Table {
        /// IF EXISTS.
        if_exists: bool,
        /// The table.
        name: ObjectName,
        /// What is changed.
        action: AlterTable,
    },
    /// ALTER VIEW … RENAME TO.
    ViewRename(ObjectName, ObjectName),
    /// ALTER VIEW … AS.
    ViewAs(ObjectName, Box<Query>),
    /// ALTER DATABASE … SET.
    Database(ObjectName, Vec<OptionEntry>),
    /// ALTER CATALOG.
    Catalog(Ident, AlterCatalog),
    /// ALTER MODEL.
    Model {
        /// IF EXISTS.
        if_exists: bool,
        /// The model.
        name: ObjectName,
        /// What is changed.
        action: AlterModel,
    },
    /// `ALTER [TEMPORARY [SYSTEM]] FUNCTION [IF EXISTS] name AS 'class' [LANGUAGE …]`.
    Function {
        /// IF EXISTS.
        if_exists: bool,
        /// The function as it shall be.
        function: Box<CreateFunction>,
    },
    /// ALTER MATERIALIZED TABLE.
    MaterializedTable(ObjectName, AlterMaterializedTable),
}

/// What ALTER TABLE changes.
#[derive(Debug, Clone, PartialEq)]
pub enum AlterTable {
    /// RENAME TO.
    Rename(ObjectName),
    /// SET (…).
    Set(Vec<OptionEntry>),
    /// RESET (…): the keys, perhaps none.
    Reset(Vec<Text>),
    /// ADD.
    Add(AlterSchema),
    /// MODIFY.
    Modify(AlterSchema),
    /// RENAME column TO column.
    RenameColumn(ObjectName, Ident),
    /// DROP column or DROP (columns).
    DropColumns(Vec<ObjectName>),
    /// DROP PRIMARY KEY.
    DropPrimaryKey,
    /// DROP CONSTRAINT name.
    DropConstraint(Ident),
    /// DROP WATERMARK.
    DropWatermark,
    /// DROP DISTRIBUTION.
    DropDistribution,
    /// ADD [IF NOT EXISTS] PARTITION (…) [WITH (…)] ….
    AddPartitions {
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// The partitions with their options.
        partitions: Vec<(PartitionSpec, Vec<OptionEntry>)>,
    },
    /// DROP [IF EXISTS] PARTITION (…), ….
    DropPartitions {
        /// IF EXISTS.
        if_exists: bool,
        /// The partitions.
        partitions: Vec<PartitionSpec>,
    },
}

/// What ADD and MODIFY list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AlterSchema {
    /// Columns with the place they go to.
    pub columns: Vec<(ColumnDef, Option<ColumnPosition>)>,
    /// A watermark.
    pub watermark: Option<WatermarkDef>,
    /// Keys.
    pub constraints: Vec<ConstraintDef>,
    /// A distribution.
    pub distribution: Option<Distribution>,
}

/// Where a column goes.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnPosition {
    /// FIRST.
    First,
    /// AFTER column.
    After(ObjectName),
}

/// What ALTER CATALOG changes.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum AlterCatalog {
    Set(Vec<OptionEntry>),
    Reset(Vec<Text>),
    Comment(Text),
}

/// What ALTER MODEL changes.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum AlterModel {
    Rename(ObjectName),
    Set(Vec<OptionEntry>),
    Reset(Vec<Text>),
}

/// What ALTER MATERIALIZED TABLE changes.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum AlterMaterializedTable {
    Suspend,
    Resume(Vec<OptionEntry>),
    Refresh(Option<PartitionSpec>),
    SetFreshness(IntervalLiteral),
    SetRefreshMode { full: bool },
    Set(Vec<OptionEntry>),
    Reset(Vec<Text>),
    As(Box<Query>),
}

/// `PARTITION (a = 'x', b)`: a value where one is given.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionSpec {
    /// Columns with their fixed values.
    pub entries: Vec<(Ident, Option<Expr>)>,
    /// Its place.
    pub span: Span,
}

/// DROP.
#[derive(Debug, Clone, PartialEq)]
pub struct DropObject {
    /// What kind of thing.
    pub kind: DropKind,
    /// TEMPORARY.
    pub temporary: bool,
    /// IF EXISTS.
    pub if_exists: bool,
    /// Its name.
    pub name: ObjectName,
    /// CASCADE (true) or RESTRICT (false) of DROP DATABASE, if written.
    pub cascade: Option<bool>,
}

/// What can be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DropKind {
    Table,
    View,
    Function,
    /// DROP TEMPORARY SYSTEM FUNCTION.
    SystemFunction,
    Catalog,
    Database,
    Model,
    MaterializedTable,
}
