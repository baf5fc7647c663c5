//! A column's type, prepared for reading and writing CSV.

use millstream_text::temporal::{TimestampStandard, parse_json_time};
use millstream_types::{DataType, Fault, TypeKind};

use crate::column::{Column, Datum};
use crate::value::{self, Bad, Leaf};

use super::options::CsvOptions;

/// A type, prepared.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub kind: Kind,
    /// The type in Flink's spelling, for messages.
    pub expected: Box<str>,
}

/// What a type is made of: CSV has parts one level deep.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Leaf(Simple),
    Array(Simple),
    Row(Vec<Simple>),
}

/// A type without parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Simple {
    pub leaf: Leaf,
    /// What a TIME's milliseconds are cut to.
    unit: i64,
}

impl Typed {
    /// # Errors
    /// User, for a type that CSV cannot hold.
    pub fn new(name: &str, data_type: &DataType) -> Result<Typed, Fault> {
        let kind = match &data_type.kind {
            TypeKind::Array(item) => Kind::Array(Simple::new(name, item)?),
            TypeKind::Row(fields) => {
                Kind::Row(fields.iter().map(|f| Simple::new(name, &f.data_type)).collect::<Result<_, _>>()?)
            }
            _ => Kind::Leaf(Simple::new(name, data_type)?),
        };
        Ok(Typed { kind, expected: data_type.kind.to_string().into() })
    }

    /// The leaf, if it has no parts.
    pub fn leaf(&self) -> Option<Simple> {
        match self.kind {
            Kind::Leaf(simple) => Some(simple),
            _ => None,
        }
    }

    /// Appends a field's text (`None`: NULL) to a column of the type. Bad parts become NULL where errors are ignored, and are counted.
    ///
    /// # Errors
    /// Where errors are not ignored; and where the field as a whole is bad, whatever the option.
    pub fn append(
        &self,
        column: &mut Column,
        text: Option<&str>,
        options: &CsvOptions,
        ignored: &mut u64,
    ) -> Result<(), Bad> {
        let Some(text) = text else {
            column.push_null();
            return Ok(());
        };
        let mut binary = Vec::new();
        let mut part = |simple: Simple, column: &mut Column, text: &str| -> Result<(), Bad> {
            if options.is_null(text.as_bytes()) {
                column.push_null();
                return Ok(());
            }
            match simple.read(text, &mut binary) {
                Ok(datum) => column.push(datum),
                Err(Bad) if options.ignore_errors => {
                    *ignored += 1;
                    column.push_null();
                }
                Err(Bad) => return Err(Bad),
            }
            Ok(())
        };
        match (&self.kind, &mut *column) {
            (Kind::Leaf(simple), column) => {
                let datum = simple.read(text, &mut binary)?;
                column.push(datum);
            }
            (Kind::Array(simple), Column::List(list)) => {
                let mut count = 0;
                if !text.is_empty() {
                    for item in text.split(&*options.between) {
                        part(*simple, &mut list.items, item)?;
                        count += 1;
                    }
                }
                list.end(count);
            }
            (Kind::Row(simples), Column::Row(row)) => {
                // An empty ROW is NULL; one with too few fields is bad, further fields are passed over.
                if text.is_empty() {
                    column.push_null();
                    return Ok(());
                }
                let mut parts = text.split(&*options.between);
                if parts.clone().count() < simples.len() && !options.ignore_errors {
                    return Err(Bad);
                }
                for (simple, field) in simples.iter().zip(&mut row.fields) {
                    match parts.next() {
                        Some(text) => part(*simple, field, text)?,
                        None => field.push_null(),
                    }
                }
                row.end();
            }
            _ => return Err(Bad),
        }
        Ok(())
    }
}

impl CsvOptions {
    /// Whether a text is read as NULL.
    #[inline]
    pub fn is_null(&self, text: &[u8]) -> bool {
        self.null.as_ref().is_some_and(|n| n.as_bytes() == text) || (self.empty_is_null && text.is_empty())
    }
}

impl Simple {
    fn new(name: &str, data_type: &DataType) -> Result<Simple, Fault> {
        let refused = |hint: &str| {
            let shown = &data_type.kind;
            Fault::user("bad-type", format!("column '{name}': the format 'csv' has no {shown} here"))
                .hint(hint)
        };
        let unit = match &data_type.kind {
            TypeKind::Time(p) if *p > 3 => return Err(refused("declare it as TIME(3) or STRING")),
            TypeKind::Time(p) => 10i64.pow(3 - u32::from(*p)),
            kind if kind.is_interval() => return Err(refused("declare it as INT, BIGINT or STRING")),
            _ => 1,
        };
        let leaf = Leaf::of(&data_type.kind).ok_or_else(|| refused("declare it as STRING"))?;
        Ok(Simple { leaf, unit })
    }

    /// The value of a text that is not NULL, by the rules of Flink's `CsvToRowDataConverters`.
    #[inline]
    pub fn read<'s>(&self, text: &'s str, binary: &'s mut Vec<u8>) -> Result<Datum<'s>, Bad> {
        Ok(match self.leaf {
            Leaf::Null => Datum::Null,
            Leaf::Boolean => Datum::Boolean(value::boolean(value::trim(text))),
            Leaf::Integer { min, max, .. } => Datum::Integer(value::integer(value::trim(text), min, max)?),
            Leaf::Float => Datum::Float(value::float(text)?),
            Leaf::Double => Datum::Float(value::double(text)?),
            Leaf::Decimal { precision, scale } => {
                if text.len() != value::trim(text).len() {
                    return Err(Bad);
                }
                value::decimal(text, precision, scale)?.map_or(Datum::Null, Datum::Decimal)
            }
            Leaf::Text => Datum::Text(text),
            Leaf::Bytes => {
                binary.clear();
                value::base64(text.as_bytes(), binary)?;
                Datum::Bytes(binary)
            }
            Leaf::Date => Datum::Integer(value::lenient_date(text)?),
            Leaf::Time => {
                let parsed = match text.len() {
                    5 => parse_json_time(&format!("{text}:00")),
                    _ => parse_json_time(text),
                };
                let millis = i64::from(parsed.ok_or(Bad)?);
                Datum::Integer(millis - millis % self.unit)
            }
            Leaf::Timestamp(p) => {
                Datum::Integer(value::timestamp(value::trim(text), p, TimestampStandard::Sql)?)
            }
            Leaf::Instant(p) => Datum::Integer(value::instant(value::trim(text), p, TimestampStandard::Sql)?),
        })
    }
}
