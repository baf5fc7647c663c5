//! Types.
//!
//! Source: Flink 2.3 documentation, "Data Types", and what its grammar takes (conformance `ddl.jsonl`, create-table/074
//! to 091).

use std::sync::Arc;

use millstream_types::{DataType, Fault, IntervalField, MAX_LENGTH, RowField, TypeKind};

use super::fault::{near, parse_fault_at, shown};
use super::{Parse, Parser, cost};
use crate::MAX_DEPTH;
use crate::ast::{IntervalQualifier, TimeUnit, TypeName};
use crate::lexer::Kind;

/// Names of types that Flink has, for "did you mean".
const KNOWN: &[&str] = &[
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL",
    "CHAR",
    "VARCHAR",
    "STRING",
    "BINARY",
    "VARBINARY",
    "BYTES",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP_LTZ",
    "ARRAY",
    "MAP",
    "MULTISET",
    "ROW",
    "VARIANT",
];

/// A type, how high its tree is, and where nullability was written.
struct Typed {
    data_type: DataType,
    height: usize,
}

impl Parser<'_> {
    /// A column's type, `NULL` or `NOT NULL` behind it.
    pub(crate) fn column_type(&mut self) -> Parse<TypeName> {
        let start = self.here().start;
        let typed = self.nullable_type()?;
        Ok(TypeName { data_type: typed.data_type, span: self.since(start) })
    }

    /// The type of a CAST: nullability cannot be written, intervals can.
    pub(crate) fn cast_type(&mut self) -> Parse<TypeName> {
        let start = self.here().start;
        if self.eat_word("INTERVAL") {
            let qualifier = self.interval_qualifier()?;
            let span = self.since(start);
            return Ok(TypeName { data_type: interval_type(&qualifier).nullable(), span });
        }
        let typed = self.type_with_collections()?;
        let name = TypeName { data_type: capped(&typed.data_type), span: self.since(start) };
        if self.at_all(&["NOT", "NULL"]) {
            return Err(self
                .parse_fault("a CAST has no NOT NULL: its result can be NULL if its argument can")
                .hint("remove NOT NULL"));
        }
        check_decimals(&name.data_type).map_err(|f| f.at(name.span))?;
        Ok(name)
    }

    fn nullable_type(&mut self) -> Parse<Typed> {
        let mut typed = self.type_with_collections()?;
        if let Some(nullable) = self.nullability() {
            typed.data_type.nullable = nullable;
        }
        Ok(typed)
    }

    /// `NULL` or `NOT NULL`.
    fn nullability(&mut self) -> Option<bool> {
        if self.eat_words(&["NOT", "NULL"]) {
            Some(false)
        } else if self.eat_word("NULL") {
            Some(true)
        } else {
            None
        }
    }

    /// A type and the `ARRAY`s and `MULTISET`s behind it (`INT NOT NULL ARRAY`).
    fn type_with_collections(&mut self) -> Parse<Typed> {
        let outer = self.enter(cost::TYPE)?;
        let mut typed = self.type_name()?;
        loop {
            let ahead = match (self.at("NULL"), self.at_all(&["NOT", "NULL"])) {
                (true, _) => 1,
                (_, true) => 2,
                _ => 0,
            };
            let word = self.word_at(ahead);
            let array = word.eq_ignore_ascii_case("ARRAY");
            if !array && !word.eq_ignore_ascii_case("MULTISET") {
                break;
            }
            if let Some(nullable) = self.nullability() {
                typed.data_type.nullable = nullable;
            }
            self.advance();
            let element = Box::new(typed.data_type);
            let kind = if array { TypeKind::Array(element) } else { TypeKind::Multiset(element) };
            typed = Typed { data_type: kind.nullable(), height: typed.height + 1 };
            if typed.height > MAX_DEPTH {
                return Err(self.too_deep(self.here()));
            }
        }
        self.leave(cost::TYPE, outer);
        Ok(typed)
    }

    fn type_name(&mut self) -> Parse<Typed> {
        let start = self.here().start;
        let word = self.word().to_ascii_uppercase();
        if let Some(kind) = simple(&word) {
            self.advance();
            return self.after_simple(&word, kind);
        }
        match word.as_str() {
            "CHAR" | "CHARACTER" | "VARCHAR" | "BINARY" | "VARBINARY" | "BYTES" | "STRING" => {
                self.lengthy(&word)
            }
            "DECIMAL" | "DEC" | "NUMERIC" => self.decimal(),
            "TIME" | "TIMESTAMP" | "TIMESTAMP_LTZ" => self.time(&word),
            "ARRAY" | "MULTISET" | "MAP" => self.collection(&word),
            "ROW" => self.row(),
            "RAW" => self.raw(),
            "STRUCTURED" => Err(Fault::not_yet("STRUCTURED types").at(self.here())),
            "INTERVAL" => Err(self
                .parse_fault("a column cannot be an INTERVAL in Flink SQL")
                .hint("store a BIGINT and compute with it")),
            "DATETIME" => {
                Err(self.parse_fault("'DATETIME' is no type of Flink's").hint("write TIMESTAMP(3)"))
            }
            "REAL" => Err(self.unknown_type("'REAL' is not supported by Flink", "write FLOAT")),
            _ if self.at_ident() => self.user_type(start),
            _ => Err(self.unexpected("a type")),
        }
    }

    fn after_simple(&mut self, word: &str, kind: TypeKind) -> Parse<Typed> {
        if word == "DOUBLE" {
            self.eat_word("PRECISION");
        }
        if self.is(Kind::LeftParen) {
            let hint = match word {
                "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" => {
                    format!("write {word} without a length, or DECIMAL(p, 0)")
                }
                _ => format!("write {word} without a length"),
            };
            return Err(self.parse_fault(format!("{word} has no length")).hint(hint));
        }
        Ok(leaf(kind))
    }

    /// A name that is no type's: Flink reads it as a user's type and then does not find it.
    fn user_type(&mut self, start: u32) -> Parse<Typed> {
        let name = self.object_name("a type")?;
        if matches!(self.kind(), Kind::Lt | Kind::LeftParen) {
            let hint = match name.last().to_ascii_uppercase().as_str() {
                "STRUCT" => "write ROW<…>".to_string(),
                _ => format!("'{}' is no type of Flink's", shown(name.last())),
            };
            return Err(self.wanted("',' or ')'", hint));
        }
        let written = name.last();
        let fault =
            Fault::user("unknown-type", format!("unknown type '{}'", shown(written))).at(self.since(start));
        let hint = match written.to_ascii_uppercase().as_str() {
            "TEXT" | "CLOB" | "NVARCHAR" => Some("STRING"),
            "LONG" | "INT8" | "BIGSERIAL" => Some("BIGINT"),
            "BOOL" => Some("BOOLEAN"),
            "BLOB" => Some("BYTES"),
            "INT4" | "INT32" => Some("INT"),
            "INT64" => Some("BIGINT"),
            "FLOAT8" | "FLOAT64" => Some("DOUBLE"),
            "TIMESTAMPTZ" => Some("TIMESTAMP_LTZ(3)"),
            "JSON" => Some("STRING"),
            _ => near(written, KNOWN),
        };
        Err(match hint {
            Some(other) => fault.hint(format!("write {other}")),
            None => fault,
        })
    }

    fn unknown_type(&self, message: &str, hint: &str) -> Fault {
        Fault::user("unknown-type", message).at(self.here()).hint(hint)
    }

    /// CHAR, VARCHAR, BINARY and VARBINARY with their lengths; STRING and BYTES without.
    fn lengthy(&mut self, word: &str) -> Parse<Typed> {
        self.advance();
        if matches!(word, "STRING" | "BYTES") {
            if self.is(Kind::LeftParen) {
                let with_length = if word == "STRING" { "VARCHAR" } else { "VARBINARY" };
                return Err(self
                    .parse_fault(format!("{word} has no length"))
                    .hint(format!("write {word}, or {with_length}(n)")));
            }
            return Ok(leaf(if word == "STRING" { TypeKind::STRING } else { TypeKind::BYTES }));
        }
        let varying = word.starts_with("VAR") || self.eat_word("VARYING");
        let length = match self.length()? {
            Some(length) => length,
            None if varying => MAX_LENGTH,
            None => 1,
        };
        let binary = word.ends_with("BINARY");
        Ok(leaf(match (binary, varying) {
            (false, false) => TypeKind::Char(length),
            (false, true) => TypeKind::VarChar(length),
            (true, false) => TypeKind::Binary(length),
            (true, true) => TypeKind::VarBinary(length),
        }))
    }

    /// `(n)`, if it is there.
    fn length(&mut self) -> Parse<Option<u32>> {
        if !self.eat(Kind::LeftParen) {
            return Ok(None);
        }
        let at = self.here();
        let length = self.unsigned("a length")?;
        self.close()?;
        if length > MAX_LENGTH {
            return Err(Fault::user("type-limit", format!("the length must be at most {MAX_LENGTH}")).at(at));
        }
        Ok(Some(length))
    }

    fn decimal(&mut self) -> Parse<Typed> {
        self.advance();
        let (mut precision, mut scale) = (10, 0);
        if self.eat(Kind::LeftParen) {
            precision = self.small("a precision")?;
            if self.eat(Kind::Comma) {
                scale = self.small("a scale")?;
            }
            self.close()?;
        }
        Ok(leaf(TypeKind::Decimal { precision, scale }))
    }

    fn small(&mut self, what: &str) -> Parse<u8> {
        let at = self.here();
        let value = self.unsigned(what)?;
        u8::try_from(value)
            .map_err(|_| Fault::user("type-limit", format!("{value} is too large for {what}")).at(at))
    }

    /// TIME, TIMESTAMP and TIMESTAMP_LTZ with their fraction digits and zones.
    fn time(&mut self, word: &str) -> Parse<Typed> {
        self.advance();
        let mut digits = None;
        if self.eat(Kind::LeftParen) {
            digits = Some(self.small("the number of fraction digits")?);
            self.close()?;
        }
        let local = match word {
            "TIMESTAMP_LTZ" => true,
            "TIMESTAMP" if self.eat_words(&["WITH", "LOCAL"]) => {
                self.expect_words(&["TIME", "ZONE"])?;
                true
            }
            _ if self.at_all(&["WITH", "TIME", "ZONE"]) => {
                self.advance();
                return Err(self.wanted(
                    "LOCAL",
                    "Flink keeps no zone in a value: write TIMESTAMP_LTZ(3) for an instant",
                ));
            }
            _ => {
                self.eat_words(&["WITHOUT", "TIME", "ZONE"]);
                false
            }
        };
        Ok(leaf(match word {
            "TIME" => TypeKind::Time(digits.unwrap_or(0)),
            _ if local => TypeKind::timestamp_ltz(digits.unwrap_or(6)),
            _ => TypeKind::timestamp(digits.unwrap_or(6)),
        }))
    }

    /// `ARRAY<t>`, `MULTISET<t>`, `MAP<k, v>`.
    fn collection(&mut self, word: &str) -> Parse<Typed> {
        self.advance();
        if !self.is(Kind::Lt) {
            let example = if word == "MAP" { "MAP<STRING, INT>" } else { "ARRAY<INT>" };
            return Err(self.wanted("'<'", format!("write the types of what is in it: {example}")));
        }
        self.advance();
        let first = self.nullable_type()?;
        let mut height = first.height;
        let kind = if word == "MAP" {
            self.expect(Kind::Comma, "',' between the types of key and value")?;
            let value = self.nullable_type()?;
            height = height.max(value.height);
            TypeKind::Map(Box::new(first.data_type), Box::new(value.data_type))
        } else if word == "ARRAY" {
            TypeKind::Array(Box::new(first.data_type))
        } else {
            TypeKind::Multiset(Box::new(first.data_type))
        };
        self.close_angle()?;
        Ok(Typed { data_type: kind.nullable(), height: height + 1 })
    }

    fn close_angle(&mut self) -> Parse<()> {
        if self.eat(Kind::Gt) { Ok(()) } else { Err(self.unexpected("'>'")) }
    }

    /// `ROW<name type 'comment', …>` or `ROW(…)`.
    fn row(&mut self) -> Parse<Typed> {
        self.advance();
        if self.eat(Kind::NotEq) {
            // `ROW<>`
            return Ok(leaf(TypeKind::Row(Arc::from(Vec::new()))));
        }
        let angle = self.eat(Kind::Lt);
        if !angle && !self.eat(Kind::LeftParen) {
            return Err(self.wanted("'<' or '('", "write the fields: ROW<id INT, name STRING>"));
        }
        let mut height = 0;
        let mut fields = Vec::new();
        if !self.is(if angle { Kind::Gt } else { Kind::RightParen }) {
            fields = self.commas(|p| {
                let (field, high) = p.row_field(angle)?;
                height = height.max(high);
                Ok(field)
            })?;
        }
        if angle {
            if !self.is(Kind::Gt) {
                return Err(self.unexpected("',' or '>'"));
            }
            self.advance();
        } else if !self.eat(Kind::RightParen) {
            return Err(self.unexpected("',' or ')'"));
        }
        Ok(Typed { data_type: TypeKind::Row(fields.into()).nullable(), height: height + 1 })
    }

    /// `name type ['comment']`, and the height of the type.
    fn row_field(&mut self, angle: bool) -> Parse<(RowField, usize)> {
        let name = self.ident("a field's name")?;
        let typed = self.nullable_type()?;
        if self.at("COMMENT") {
            return Err(self.wanted(
                if angle { "',' or '>'" } else { "',' or ')'" },
                "a field's comment stands without COMMENT: ROW<x INT 'comment'>",
            ));
        }
        let mut comment = None;
        if self.is(Kind::Text) {
            comment = Some(Arc::from(self.text("a comment")?.value));
        }
        Ok((RowField { name: Arc::from(name.value), data_type: typed.data_type, comment }, typed.height))
    }

    /// `RAW('class', 'serializer snapshot')`.
    fn raw(&mut self) -> Parse<Typed> {
        self.advance();
        self.open()?;
        let class = self.text("a class as a string")?;
        self.expect(Kind::Comma, "','")?;
        self.text("a serializer as a string")?;
        self.close()?;
        Ok(leaf(TypeKind::Raw(Arc::from(class.value))))
    }

    /// `DAY(2) TO SECOND(3)`.
    pub(crate) fn interval_qualifier(&mut self) -> Parse<IntervalQualifier> {
        let start = self.here().start;
        let from = self.interval_unit()?;
        let (mut precision, mut fraction, mut to) = (None, None, None);
        if self.eat(Kind::LeftParen) {
            precision = Some(self.unsigned("a precision")?);
            if from == TimeUnit::Second && self.eat(Kind::Comma) {
                fraction = Some(self.unsigned("the number of fraction digits")?);
            }
            self.close()?;
        }
        if self.at("TO") && !last_units(from).is_empty() {
            self.advance();
            let at = self.here();
            let unit = self.interval_unit()?;
            if !last_units(from).contains(&unit) {
                return Err(parse_fault_at(at, "an interval cannot go from its first field to this one")
                    .hint("YEAR TO MONTH, or from DAY, HOUR or MINUTE to a smaller one down to SECOND"));
            }
            to = Some(unit);
            if unit == TimeUnit::Second && self.eat(Kind::LeftParen) {
                fraction = Some(self.unsigned("the number of fraction digits")?);
                self.close()?;
            }
        }
        Ok(IntervalQualifier { from, to, precision, fraction, span: self.since(start) })
    }

    /// A unit of an interval, in singular or plural.
    pub(crate) fn interval_unit(&mut self) -> Parse<TimeUnit> {
        match interval_unit(self.word()) {
            Some(unit) => {
                self.advance();
                Ok(unit)
            }
            None => {
                let units = ["SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"];
                let hint = self.meant(&units, "write the unit behind the number: INTERVAL '1' DAY");
                Err(self.wanted("a unit such as SECOND, MINUTE, HOUR, DAY, MONTH or YEAR", hint))
            }
        }
    }
}

fn leaf(kind: TypeKind) -> Typed {
    Typed { data_type: kind.nullable(), height: 1 }
}

fn simple(word: &str) -> Option<TypeKind> {
    Some(match word {
        "BOOLEAN" => TypeKind::Boolean,
        "TINYINT" => TypeKind::TinyInt,
        "SMALLINT" => TypeKind::SmallInt,
        "INT" | "INTEGER" => TypeKind::Int,
        "BIGINT" => TypeKind::BigInt,
        "FLOAT" => TypeKind::Float,
        "DOUBLE" => TypeKind::Double,
        "DATE" => TypeKind::Date,
        "VARIANT" => TypeKind::Variant,
        "BITMAP" => TypeKind::Bitmap,
        _ => return None,
    })
}

/// The unit that a word names in an interval.
pub(crate) fn interval_unit(word: &str) -> Option<TimeUnit> {
    Some(match word.to_ascii_uppercase().as_str() {
        "YEAR" | "YEARS" => TimeUnit::Year,
        "QUARTER" => TimeUnit::Quarter,
        "MONTH" | "MONTHS" => TimeUnit::Month,
        "WEEK" => TimeUnit::Week,
        "DAY" | "DAYS" => TimeUnit::Day,
        "HOUR" | "HOURS" => TimeUnit::Hour,
        "MINUTE" | "MINUTES" => TimeUnit::Minute,
        "SECOND" | "SECONDS" => TimeUnit::Second,
        _ => return None,
    })
}

/// What may follow TO.
fn last_units(from: TimeUnit) -> &'static [TimeUnit] {
    match from {
        TimeUnit::Year => &[TimeUnit::Month],
        TimeUnit::Day => &[TimeUnit::Hour, TimeUnit::Minute, TimeUnit::Second],
        TimeUnit::Hour => &[TimeUnit::Minute, TimeUnit::Second],
        TimeUnit::Minute => &[TimeUnit::Second],
        _ => &[],
    }
}

/// The type of an interval with these fields. Weeks are days, quarters are months.
pub fn interval_type(qualifier: &IntervalQualifier) -> TypeKind {
    let field = |unit: TimeUnit| match unit {
        TimeUnit::Year => IntervalField::Year,
        TimeUnit::Quarter | TimeUnit::Month => IntervalField::Month,
        TimeUnit::Hour => IntervalField::Hour,
        TimeUnit::Minute => IntervalField::Minute,
        TimeUnit::Second => IntervalField::Second,
        _ => IntervalField::Day,
    };
    let from = field(qualifier.from);
    let to = qualifier.to.map_or(from, field);
    let precision = qualifier.precision.map_or(2, |p| p.min(255) as u8);
    if matches!(from, IntervalField::Year | IntervalField::Month) {
        return TypeKind::IntervalYearMonth(from, to, precision);
    }
    let fraction = qualifier.fraction.map_or(6, |p| p.min(255) as u8);
    TypeKind::IntervalDayTime(from, to, precision, fraction)
}

/// A type as a cast takes it: digits beyond what there is are cut off.
fn capped(data_type: &DataType) -> DataType {
    let kind = match &data_type.kind {
        TypeKind::Decimal { precision, scale } => {
            TypeKind::Decimal { precision: (*precision).min(38), scale: *scale }
        }
        TypeKind::Time(p) => TypeKind::Time((*p).min(3)),
        TypeKind::Timestamp(p, _) => TypeKind::timestamp((*p).min(9)),
        TypeKind::TimestampLtz(p, _) => TypeKind::timestamp_ltz((*p).min(9)),
        TypeKind::Array(e) => TypeKind::Array(Box::new(capped(e))),
        TypeKind::Multiset(e) => TypeKind::Multiset(Box::new(capped(e))),
        TypeKind::Map(k, v) => TypeKind::Map(Box::new(capped(k)), Box::new(capped(v))),
        other => other.clone(),
    };
    DataType { kind, nullable: data_type.nullable }
}

/// The limits that a cast keeps.
fn check_decimals(data_type: &DataType) -> Result<(), Fault> {
    match &data_type.kind {
        TypeKind::Char(0) | TypeKind::Binary(0) => Ok(()),
        _ => check_limits(data_type),
    }
}

/// Checks the limits of a type and of the types in it: DECIMAL up to 38 digits, its scale up to its precision, up to 9
/// fraction digits of times, lengths from 1 (VARCHAR and VARBINARY from 0).
///
/// Flink checks them where a type is used, not where a column is declared: `CREATE TABLE t (a DECIMAL(39, 0))` is carried
/// out, a CAST to it is refused.
///
/// # Errors
/// A user fault `type-limit` without a place.
pub fn check_limits(data_type: &DataType) -> Result<(), Fault> {
    let fault = |message: String| Err(Fault::user("type-limit", message));
    match &data_type.kind {
        TypeKind::Decimal { precision, .. } if !(1..=38).contains(precision) => {
            fault("Decimal precision must be between 1 and 38 (both inclusive).".to_string())
        }
        TypeKind::Decimal { precision, scale } if scale > precision => {
            fault(format!("Decimal scale must be between 0 and the precision {precision} (both inclusive)."))
        }
        TypeKind::Time(p) if *p > 9 => {
            fault("Time precision must be between 0 and 9 (both inclusive).".to_string())
        }
        TypeKind::Timestamp(p, _) | TypeKind::TimestampLtz(p, _) if *p > 9 => {
            fault("Timestamp precision must be between 0 and 9 (both inclusive).".to_string())
        }
        TypeKind::Char(0) | TypeKind::Binary(0) => {
            fault("The length of CHAR and BINARY must be at least 1.".to_string())
        }
        TypeKind::Array(e) | TypeKind::Multiset(e) => check_limits(e),
        TypeKind::Map(k, v) => {
            check_limits(k)?;
            check_limits(v)
        }
        TypeKind::Row(fields) => fields.iter().try_for_each(|f| check_limits(&f.data_type)),
        _ => Ok(()),
    }
}
