//! Columns as writers see them: the array behind a type is looked up once a batch, not once a value.

use arrow::array::{
    Array, AsArray, BinaryArray, BooleanArray, ListArray, PrimitiveArray, StringArray, StructArray,
};
use arrow::datatypes::{
    DataType as Arrow, Date32Type, Decimal128Type, DurationMillisecondType, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, IntervalYearMonthType, Time32MillisecondType, TimeUnit,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_text::temporal::DateTime;
use millstream_types::{DataType, Fault, TypeKind};

/// A column of a batch, or a part of one.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Null,
    Boolean(&'a BooleanArray),
    Int8(&'a PrimitiveArray<Int8Type>),
    Int16(&'a PrimitiveArray<Int16Type>),
    Int32(&'a PrimitiveArray<Int32Type>),
    Int64(&'a PrimitiveArray<Int64Type>),
    Months(&'a PrimitiveArray<IntervalYearMonthType>),
    Millis(&'a PrimitiveArray<DurationMillisecondType>),
    Float32(&'a PrimitiveArray<Float32Type>),
    Float64(&'a PrimitiveArray<Float64Type>),
    Decimal(&'a PrimitiveArray<Decimal128Type>, u8),
    Date(&'a PrimitiveArray<Date32Type>),
    Time(&'a PrimitiveArray<Time32MillisecondType>),
    /// A timestamp, and whether it is an instant.
    Micros(&'a PrimitiveArray<TimestampMicrosecondType>, bool),
    Nanos(&'a PrimitiveArray<TimestampNanosecondType>, bool),
    Text(&'a StringArray),
    Bytes(&'a BinaryArray),
    Array(&'a ListArray, Box<Cell<'a>>),
    /// MAP or MULTISET: keys and values.
    Map(&'a ListArray, Box<Cell<'a>>, Box<Cell<'a>>),
    Row(&'a StructArray, Vec<Cell<'a>>),
}

/// A value as it stands in a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plain<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f32),
    Double(f64),
    Decimal(i128, u8),
    Date(i32),
    Time(i32),
    Timestamp(DateTime),
    Instant(DateTime),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// A value with parts.
    Nested,
}

impl<'a> Cell<'a> {
    /// The cell of an array.
    ///
    /// # Errors
    /// Internal, when the array does not have the type's Arrow form.
    pub fn new(array: &'a dyn Array, data_type: &DataType) -> Result<Cell<'a>, Fault> {
        let instant = matches!(data_type.kind, TypeKind::TimestampLtz(..));
        Ok(match array.data_type() {
            Arrow::Null => Cell::Null,
            Arrow::Boolean => Cell::Boolean(array.as_boolean()),
            Arrow::Int8 => Cell::Int8(array.as_primitive()),
            Arrow::Int16 => Cell::Int16(array.as_primitive()),
            Arrow::Int32 => Cell::Int32(array.as_primitive()),
            Arrow::Int64 => Cell::Int64(array.as_primitive()),
            Arrow::Float32 => Cell::Float32(array.as_primitive()),
            Arrow::Float64 => Cell::Float64(array.as_primitive()),
            Arrow::Decimal128(_, scale) => {
                Cell::Decimal(array.as_primitive(), u8::try_from(*scale).unwrap_or(0))
            }
            Arrow::Date32 => Cell::Date(array.as_primitive()),
            Arrow::Time32(TimeUnit::Millisecond) => Cell::Time(array.as_primitive()),
            Arrow::Timestamp(TimeUnit::Microsecond, _) => Cell::Micros(array.as_primitive(), instant),
            Arrow::Timestamp(TimeUnit::Nanosecond, _) => Cell::Nanos(array.as_primitive(), instant),
            Arrow::Interval(_) => match array.as_primitive_opt() {
                Some(months) => Cell::Months(months),
                None => return Err(wrong(array, data_type)),
            },
            Arrow::Duration(TimeUnit::Millisecond) => Cell::Millis(array.as_primitive()),
            Arrow::Utf8 => Cell::Text(array.as_string()),
            Arrow::Binary => Cell::Bytes(array.as_binary()),
            Arrow::List(_) => {
                let list = array.as_list::<i32>();
                match &data_type.kind {
                    TypeKind::Array(item) => {
                        Cell::Array(list, Box::new(Cell::new(list.values().as_ref(), item)?))
                    }
                    TypeKind::Map(key, value) => Self::map(list, key, value)?,
                    TypeKind::Multiset(item) => Self::map(list, item, &TypeKind::Int.not_null())?,
                    _ => return Err(wrong(array, data_type)),
                }
            }
            Arrow::Struct(_) => {
                let TypeKind::Row(fields) = &data_type.kind else { return Err(wrong(array, data_type)) };
                let row = array.as_struct();
                let cells = row
                    .columns()
                    .iter()
                    .zip(fields.iter())
                    .map(|(c, f)| Cell::new(c.as_ref(), &f.data_type))
                    .collect::<Result<_, _>>()?;
                Cell::Row(row, cells)
            }
            _ => return Err(wrong(array, data_type)),
        })
    }

    fn map(list: &'a ListArray, key: &DataType, value: &DataType) -> Result<Cell<'a>, Fault> {
        let entries = list.values().as_struct_opt().map(StructArray::columns);
        let Some([keys, values]) = entries else {
            return Err(Fault::internal("a map's entries are no pairs"));
        };
        Ok(Cell::Map(
            list,
            Box::new(Cell::new(keys.as_ref(), key)?),
            Box::new(Cell::new(values.as_ref(), value)?),
        ))
    }

    /// The value of a row.
    #[inline]
    pub fn get(&self, row: usize) -> Plain<'a> {
        macro_rules! value {
            ($array:expr, $make:expr) => {
                if row >= $array.len() || $array.is_null(row) {
                    Plain::Null
                } else {
                    $make($array.value(row))
                }
            };
        }
        let when = |instant: bool, t: DateTime| if instant { Plain::Instant(t) } else { Plain::Timestamp(t) };
        match self {
            Cell::Null => Plain::Null,
            Cell::Boolean(a) => value!(a, Plain::Boolean),
            Cell::Int8(a) => value!(a, |v: i8| Plain::Integer(v.into())),
            Cell::Int16(a) => value!(a, |v: i16| Plain::Integer(v.into())),
            Cell::Int32(a) => value!(a, |v: i32| Plain::Integer(v.into())),
            Cell::Int64(a) => value!(a, Plain::Integer),
            Cell::Months(a) => value!(a, |v: i32| Plain::Integer(v.into())),
            Cell::Millis(a) => value!(a, Plain::Integer),
            Cell::Float32(a) => value!(a, Plain::Float),
            Cell::Float64(a) => value!(a, Plain::Double),
            Cell::Decimal(a, scale) => value!(a, |v| Plain::Decimal(v, *scale)),
            Cell::Date(a) => value!(a, Plain::Date),
            Cell::Time(a) => value!(a, Plain::Time),
            Cell::Micros(a, instant) => value!(a, |v| when(*instant, DateTime::from_micros(v))),
            Cell::Nanos(a, instant) => value!(a, |v| when(*instant, DateTime::from_nanos(v))),
            Cell::Text(a) => value!(a, Plain::Text),
            Cell::Bytes(a) => value!(a, Plain::Bytes),
            Cell::Array(a, _) | Cell::Map(a, ..) => {
                if row >= a.len() || a.is_null(row) {
                    Plain::Null
                } else {
                    Plain::Nested
                }
            }
            Cell::Row(a, _) => {
                if row >= a.len() || a.is_null(row) {
                    Plain::Null
                } else {
                    Plain::Nested
                }
            }
        }
    }
}

/// The rows of a list's items that belong to one of its rows.
pub(crate) fn items(list: &ListArray, row: usize) -> std::ops::Range<usize> {
    match list.value_offsets() {
        offsets if row + 1 < offsets.len() => {
            let at = |i: usize| offsets.get(i).map_or(0, |o| *o as usize);
            at(row)..at(row + 1)
        }
        _ => 0..0,
    }
}

fn wrong(array: &dyn Array, data_type: &DataType) -> Fault {
    Fault::internal(format!("a column of {data_type} is {} in memory", array.data_type()))
}
