//! Flink's logical types.
//!
//! Source: Flink 2.3 documentation, "Data Types"; spelling in messages is that of `LogicalType#asSummaryString`.

use std::fmt;
use std::sync::Arc;

/// Length of STRING (`VARCHAR(2147483647)`) and BYTES (`VARBINARY(2147483647)`).
pub const MAX_LENGTH: u32 = i32::MAX as u32;

/// A logical type and whether its values can be NULL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DataType {
    /// The type without nullability.
    pub kind: TypeKind,
    /// Whether NULL is a value.
    pub nullable: bool,
}

/// A logical type without its nullability.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are Flink's
pub enum TypeKind {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    /// Precision 1 to 38, scale 0 to precision.
    Decimal {
        precision: u8,
        scale: u8,
    },
    /// Fixed number of characters; the literal `''` has length 0.
    Char(u32),
    /// At most this many characters; [`MAX_LENGTH`] is STRING.
    VarChar(u32),
    Binary(u32),
    /// At most this many bytes; [`MAX_LENGTH`] is BYTES.
    VarBinary(u32),
    Date,
    /// Fraction digits 0 to 9; values keep milliseconds, as in Flink.
    Time(u8),
    /// A date and time without a zone. Fraction digits 0 to 9.
    Timestamp(u8, TimeAttribute),
    /// An instant, shown in the session zone. Fraction digits 0 to 9.
    TimestampLtz(u8, TimeAttribute),
    /// Months. The fields and precision only matter for the spelling.
    IntervalYearMonth(IntervalField, IntervalField, u8),
    /// Milliseconds. Leading precision and fraction digits only matter for the spelling.
    IntervalDayTime(IntervalField, IntervalField, u8, u8),
    Array(Box<DataType>),
    Map(Box<DataType>, Box<DataType>),
    Multiset(Box<DataType>),
    Row(Arc<[RowField]>),
    /// A row with the name of a class, which tells types apart.
    Structured(Arc<str>, Arc<[RowField]>),
    /// The type of a bare NULL.
    Null,
    Variant,
    Bitmap,
    /// DESCRIPTOR(…), only as an argument.
    Descriptor,
    /// A value of a foreign class: name and serializer's name, kept as bytes.
    Raw(Arc<str>),
}

/// A field of a ROW.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RowField {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub data_type: DataType,
    /// Its comment, shown by DESCRIBE.
    pub comment: Option<Arc<str>>,
}

/// Whether a timestamp column carries time in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TimeAttribute {
    /// An ordinary timestamp.
    #[default]
    None,
    /// Event time: a watermark is declared on it.
    Rowtime,
    /// Processing time.
    Proctime,
}

/// A field of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum IntervalField {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

impl TypeKind {
    /// The nullable type of this kind.
    pub fn nullable(self) -> DataType {
        DataType { kind: self, nullable: true }
    }

    /// The NOT NULL type of this kind.
    pub fn not_null(self) -> DataType {
        DataType { kind: self, nullable: false }
    }

    /// STRING.
    pub const STRING: TypeKind = TypeKind::VarChar(MAX_LENGTH);
    /// BYTES.
    pub const BYTES: TypeKind = TypeKind::VarBinary(MAX_LENGTH);

    /// A plain TIMESTAMP(p).
    pub fn timestamp(precision: u8) -> TypeKind {
        TypeKind::Timestamp(precision, TimeAttribute::None)
    }

    /// A plain TIMESTAMP_LTZ(p).
    pub fn timestamp_ltz(precision: u8) -> TypeKind {
        TypeKind::TimestampLtz(precision, TimeAttribute::None)
    }

    /// The interval that day-time arithmetic gives: `INTERVAL SECOND(3)`.
    pub fn interval_seconds() -> TypeKind {
        TypeKind::IntervalDayTime(IntervalField::Second, IntervalField::Second, 2, 3)
    }

    /// The interval that month arithmetic gives: `INTERVAL MONTH`.
    pub fn interval_months() -> TypeKind {
        TypeKind::IntervalYearMonth(IntervalField::Month, IntervalField::Month, 2)
    }

    /// CHAR or VARCHAR.
    pub fn is_string(&self) -> bool {
        matches!(self, TypeKind::Char(_) | TypeKind::VarChar(_))
    }

    /// BINARY or VARBINARY.
    pub fn is_binary(&self) -> bool {
        matches!(self, TypeKind::Binary(_) | TypeKind::VarBinary(_))
    }

    /// TINYINT, SMALLINT, INT or BIGINT.
    pub fn is_integer(&self) -> bool {
        matches!(self, TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt)
    }

    /// FLOAT or DOUBLE.
    pub fn is_approximate(&self) -> bool {
        matches!(self, TypeKind::Float | TypeKind::Double)
    }

    /// An integer, DECIMAL, FLOAT or DOUBLE.
    pub fn is_numeric(&self) -> bool {
        self.is_integer() || self.is_approximate() || matches!(self, TypeKind::Decimal { .. })
    }

    /// TIMESTAMP or TIMESTAMP_LTZ.
    pub fn is_timestamp(&self) -> bool {
        matches!(self, TypeKind::Timestamp(..) | TypeKind::TimestampLtz(..))
    }

    /// DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ.
    pub fn is_datetime(&self) -> bool {
        self.is_timestamp() || matches!(self, TypeKind::Date | TypeKind::Time(_))
    }

    /// An interval of months or of milliseconds.
    pub fn is_interval(&self) -> bool {
        matches!(self, TypeKind::IntervalYearMonth(..) | TypeKind::IntervalDayTime(..))
    }

    /// The fields of a ROW or of a structured type.
    pub fn fields(&self) -> Option<&Arc<[RowField]>> {
        match self {
            TypeKind::Row(fields) | TypeKind::Structured(_, fields) => Some(fields),
            _ => None,
        }
    }

    /// The time attribute of a timestamp.
    pub fn time_attribute(&self) -> TimeAttribute {
        match self {
            TypeKind::Timestamp(_, a) | TypeKind::TimestampLtz(_, a) => *a,
            _ => TimeAttribute::None,
        }
    }

    /// Whether two kinds are the same but for time attributes (at any depth) and field comments; nullability of nested
    /// types counts.
    pub fn same_as(&self, other: &TypeKind) -> bool {
        self.plain() == other.plain()
    }

    /// The kind without time attributes and comments.
    #[must_use]
    pub fn plain(&self) -> TypeKind {
        match self {
            TypeKind::Timestamp(p, _) => TypeKind::Timestamp(*p, TimeAttribute::None),
            TypeKind::TimestampLtz(p, _) => TypeKind::TimestampLtz(*p, TimeAttribute::None),
            TypeKind::Array(e) => TypeKind::Array(Box::new(e.plain())),
            TypeKind::Multiset(e) => TypeKind::Multiset(Box::new(e.plain())),
            TypeKind::Map(k, v) => TypeKind::Map(Box::new(k.plain()), Box::new(v.plain())),
            TypeKind::Row(fields) => TypeKind::Row(plain_fields(fields)),
            TypeKind::Structured(class, fields) => TypeKind::Structured(class.clone(), plain_fields(fields)),
            other => other.clone(),
        }
    }
}

impl DataType {
    /// Nullable STRING.
    pub fn string() -> Self {
        TypeKind::STRING.nullable()
    }

    /// Nullable BOOLEAN.
    pub fn boolean() -> Self {
        TypeKind::Boolean.nullable()
    }

    /// Nullable INT.
    pub fn int() -> Self {
        TypeKind::Int.nullable()
    }

    /// Nullable BIGINT.
    pub fn bigint() -> Self {
        TypeKind::BigInt.nullable()
    }

    /// Nullable DOUBLE.
    pub fn double() -> Self {
        TypeKind::Double.nullable()
    }

    /// Nullable DECIMAL(p, s).
    pub fn decimal(precision: u8, scale: u8) -> Self {
        TypeKind::Decimal { precision, scale }.nullable()
    }

    /// Nullable ARRAY of an element type.
    pub fn array(element: DataType) -> Self {
        TypeKind::Array(Box::new(element)).nullable()
    }

    /// Nullable MAP.
    pub fn map(key: DataType, value: DataType) -> Self {
        TypeKind::Map(Box::new(key), Box::new(value)).nullable()
    }

    /// Nullable ROW of named fields.
    pub fn row<N: Into<Arc<str>>>(fields: impl IntoIterator<Item = (N, DataType)>) -> Self {
        let fields: Vec<RowField> = fields
            .into_iter()
            .map(|(name, data_type)| RowField { name: name.into(), data_type, comment: None })
            .collect();
        TypeKind::Row(fields.into()).nullable()
    }

    /// The same type with another nullability.
    #[must_use]
    pub fn with_nullable(mut self, nullable: bool) -> Self {
        self.nullable = nullable;
        self
    }

    /// The type without time attributes and comments.
    #[must_use]
    pub fn plain(&self) -> DataType {
        DataType { kind: self.kind.plain(), nullable: self.nullable }
    }

    /// The spelling that `TYPEOF` and DESCRIBE use: as [`fmt::Display`], but time attributes are marked
    /// (`TIMESTAMP(3) *ROWTIME*`).
    pub fn with_attribute(&self) -> String {
        match self.kind.time_attribute() {
            TimeAttribute::None => self.to_string(),
            TimeAttribute::Rowtime => self.marked("*ROWTIME*"),
            TimeAttribute::Proctime => self.marked("*PROCTIME*"),
        }
    }

    fn marked(&self, mark: &str) -> String {
        let plain = DataType { kind: self.kind.clone(), nullable: true };
        let end = if self.nullable { "" } else { " NOT NULL" };
        format!("{plain} {mark}{end}")
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        if !self.nullable && self.kind != TypeKind::Null {
            f.write_str(" NOT NULL")?;
        }
        Ok(())
    }
}

impl fmt::Display for TypeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeKind::Boolean => f.write_str("BOOLEAN"),
            TypeKind::TinyInt => f.write_str("TINYINT"),
            TypeKind::SmallInt => f.write_str("SMALLINT"),
            TypeKind::Int => f.write_str("INT"),
            TypeKind::BigInt => f.write_str("BIGINT"),
            TypeKind::Float => f.write_str("FLOAT"),
            TypeKind::Double => f.write_str("DOUBLE"),
            TypeKind::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            TypeKind::Char(n) => write!(f, "CHAR({n})"),
            TypeKind::VarChar(MAX_LENGTH) => f.write_str("STRING"),
            TypeKind::VarChar(n) => write!(f, "VARCHAR({n})"),
            TypeKind::Binary(n) => write!(f, "BINARY({n})"),
            TypeKind::VarBinary(MAX_LENGTH) => f.write_str("BYTES"),
            TypeKind::VarBinary(n) => write!(f, "VARBINARY({n})"),
            TypeKind::Date => f.write_str("DATE"),
            TypeKind::Time(p) => write!(f, "TIME({p})"),
            TypeKind::Timestamp(p, _) => write!(f, "TIMESTAMP({p})"),
            TypeKind::TimestampLtz(p, _) => write!(f, "TIMESTAMP_LTZ({p})"),
            TypeKind::IntervalYearMonth(from, to, p) => match (from, to) {
                (IntervalField::Month, _) => write!(f, "INTERVAL MONTH"),
                (_, IntervalField::Month) => write!(f, "INTERVAL YEAR({p}) TO MONTH"),
                _ => write!(f, "INTERVAL YEAR({p})"),
            },
            TypeKind::IntervalDayTime(from, to, p, s) => {
                use IntervalField as I;
                match (from, to) {
                    (I::Second, _) => write!(f, "INTERVAL SECOND({s})"),
                    (I::Minute, I::Minute) => write!(f, "INTERVAL MINUTE"),
                    (I::Minute, _) => write!(f, "INTERVAL MINUTE TO SECOND({s})"),
                    (I::Hour, I::Hour) => write!(f, "INTERVAL HOUR"),
                    (I::Hour, I::Minute) => write!(f, "INTERVAL HOUR TO MINUTE"),
                    (I::Hour, _) => write!(f, "INTERVAL HOUR TO SECOND({s})"),
                    (_, I::Hour) => write!(f, "INTERVAL DAY({p}) TO HOUR"),
                    (_, I::Minute) => write!(f, "INTERVAL DAY({p}) TO MINUTE"),
                    (_, I::Second) => write!(f, "INTERVAL DAY({p}) TO SECOND({s})"),
                    _ => write!(f, "INTERVAL DAY({p})"),
                }
            }
            TypeKind::Array(e) => write!(f, "ARRAY<{e}>"),
            TypeKind::Map(k, v) => write!(f, "MAP<{k}, {v}>"),
            TypeKind::Multiset(e) => write!(f, "MULTISET<{e}>"),
            TypeKind::Row(fields) => {
                f.write_str("ROW<")?;
                write_fields(f, fields)?;
                f.write_str(">")
            }
            TypeKind::Structured(class, fields) => {
                write!(f, "STRUCTURED<'{}'", class.replace('\'', "''"))?;
                if !fields.is_empty() {
                    f.write_str(", ")?;
                }
                write_fields(f, fields)?;
                f.write_str(">")
            }
            TypeKind::Null => f.write_str("NULL"),
            TypeKind::Variant => f.write_str("VARIANT"),
            TypeKind::Bitmap => f.write_str("BITMAP"),
            TypeKind::Descriptor => f.write_str("DESCRIPTOR"),
            TypeKind::Raw(class) => write!(f, "RAW('{class}', '...')"),
        }
    }
}

fn plain_fields(fields: &[RowField]) -> Arc<[RowField]> {
    fields
        .iter()
        .map(|f| RowField { name: f.name.clone(), data_type: f.data_type.plain(), comment: None })
        .collect()
}

fn write_fields(f: &mut fmt::Formatter<'_>, fields: &[RowField]) -> fmt::Result {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "`{}` {}", field.name.replace('`', "``"), field.data_type)?;
        if let Some(c) = &field.comment {
            write!(f, " '{}'", c.replace('\'', "''"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flinks_spelling() {
        assert_eq!(DataType::string().to_string(), "STRING");
        assert_eq!(TypeKind::Char(3).not_null().to_string(), "CHAR(3) NOT NULL");
        assert_eq!(
            DataType::row([("x", DataType::int()), ("y", DataType::string())]).to_string(),
            "ROW<`x` INT, `y` STRING>"
        );
        assert_eq!(TypeKind::Null.not_null().to_string(), "NULL");
        assert_eq!(TypeKind::interval_seconds().nullable().to_string(), "INTERVAL SECOND(3)");
        let rowtime = TypeKind::Timestamp(3, TimeAttribute::Rowtime).not_null();
        assert_eq!(rowtime.with_attribute(), "TIMESTAMP(3) *ROWTIME* NOT NULL");
    }
}
