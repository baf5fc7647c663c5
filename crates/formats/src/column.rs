//! Columns that grow value by value: from typed values to Arrow arrays.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, ListArray, NullArray, NullBufferBuilder, PrimitiveBuilder,
    StringBuilder, StructArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{
    DataType as Arrow, Date32Type, Decimal128Type, DurationMillisecondType, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, IntervalYearMonthType, Time32MillisecondType, TimeUnit,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_types::{DataType, Fault};

/// A value as a reader gives it to a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Datum<'a> {
    Null,
    Boolean(bool),
    /// Integers, dates, times, timestamps (in the column's unit), intervals.
    Integer(i64),
    Float(f64),
    Decimal(i128),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// A column that grows.
#[derive(Debug)]
pub(crate) enum Column {
    Null(usize),
    Boolean(BooleanBuilder),
    Int8(PrimitiveBuilder<Int8Type>),
    Int16(PrimitiveBuilder<Int16Type>),
    Int32(PrimitiveBuilder<Int32Type>),
    Int64(PrimitiveBuilder<Int64Type>),
    Float32(PrimitiveBuilder<Float32Type>),
    Float64(PrimitiveBuilder<Float64Type>),
    Decimal(PrimitiveBuilder<Decimal128Type>),
    Date(PrimitiveBuilder<Date32Type>),
    Time(PrimitiveBuilder<Time32MillisecondType>),
    Micros(PrimitiveBuilder<TimestampMicrosecondType>),
    Nanos(PrimitiveBuilder<TimestampNanosecondType>),
    Months(PrimitiveBuilder<IntervalYearMonthType>),
    Millis(PrimitiveBuilder<DurationMillisecondType>),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
    List(Box<List>),
    Row(Row),
}

/// An ARRAY, MAP or MULTISET: the items of a map are rows of key and value.
#[derive(Debug)]
pub(crate) struct List {
    pub items: Column,
    lengths: Vec<usize>,
    valid: NullBufferBuilder,
}

/// A ROW.
#[derive(Debug)]
pub(crate) struct Row {
    pub fields: Vec<Column>,
    valid: NullBufferBuilder,
    len: usize,
}

impl List {
    /// Ends a list of `len` items, which were pushed.
    pub fn end(&mut self, len: usize) {
        self.lengths.push(len);
        self.valid.append_non_null();
    }
}

impl Row {
    /// Ends a row whose fields were pushed.
    pub fn end(&mut self) {
        self.len += 1;
        self.valid.append_non_null();
    }
}

impl Column {
    /// An empty column for values of a type.
    ///
    /// # Errors
    /// Internal, for an Arrow type that no logical type has.
    pub fn new(data_type: &DataType) -> Result<Column, Fault> {
        Self::of(&data_type.to_arrow())
    }

    fn of(arrow: &Arrow) -> Result<Column, Fault> {
        Ok(match arrow {
            Arrow::Null => Column::Null(0),
            Arrow::Boolean => Column::Boolean(BooleanBuilder::new()),
            Arrow::Int8 => Column::Int8(PrimitiveBuilder::new()),
            Arrow::Int16 => Column::Int16(PrimitiveBuilder::new()),
            Arrow::Int32 => Column::Int32(PrimitiveBuilder::new()),
            Arrow::Int64 => Column::Int64(PrimitiveBuilder::new()),
            Arrow::Float32 => Column::Float32(PrimitiveBuilder::new()),
            Arrow::Float64 => Column::Float64(PrimitiveBuilder::new()),
            Arrow::Decimal128(..) => Column::Decimal(PrimitiveBuilder::new().with_data_type(arrow.clone())),
            Arrow::Date32 => Column::Date(PrimitiveBuilder::new()),
            Arrow::Time32(_) => Column::Time(PrimitiveBuilder::new()),
            Arrow::Timestamp(TimeUnit::Microsecond, _) => {
                Column::Micros(PrimitiveBuilder::new().with_data_type(arrow.clone()))
            }
            Arrow::Timestamp(TimeUnit::Nanosecond, _) => {
                Column::Nanos(PrimitiveBuilder::new().with_data_type(arrow.clone()))
            }
            Arrow::Interval(_) => Column::Months(PrimitiveBuilder::new()),
            Arrow::Duration(_) => Column::Millis(PrimitiveBuilder::new()),
            Arrow::Utf8 => Column::Text(StringBuilder::new()),
            Arrow::Binary => Column::Bytes(BinaryBuilder::new()),
            Arrow::List(item) => Column::List(Box::new(List {
                items: Self::of(item.data_type())?,
                lengths: Vec::new(),
                valid: NullBufferBuilder::new(0),
            })),
            Arrow::Struct(fields) => Column::Row(Row {
                fields: fields.iter().map(|f| Self::of(f.data_type())).collect::<Result<_, _>>()?,
                valid: NullBufferBuilder::new(0),
                len: 0,
            }),
            other => return Err(Fault::internal(format!("no column of the Arrow type {other}"))),
        })
    }

    /// Appends a NULL.
    pub fn push_null(&mut self) {
        match self {
            Column::Null(n) => *n += 1,
            Column::Boolean(b) => b.append_null(),
            Column::Int8(b) => b.append_null(),
            Column::Int16(b) => b.append_null(),
            Column::Int32(b) => b.append_null(),
            Column::Int64(b) => b.append_null(),
            Column::Float32(b) => b.append_null(),
            Column::Float64(b) => b.append_null(),
            Column::Decimal(b) => b.append_null(),
            Column::Date(b) => b.append_null(),
            Column::Time(b) => b.append_null(),
            Column::Micros(b) => b.append_null(),
            Column::Nanos(b) => b.append_null(),
            Column::Months(b) => b.append_null(),
            Column::Millis(b) => b.append_null(),
            Column::Text(b) => b.append_null(),
            Column::Bytes(b) => b.append_null(),
            Column::List(list) => {
                list.lengths.push(0);
                list.valid.append_null();
            }
            Column::Row(row) => {
                row.fields.iter_mut().for_each(Column::push_null);
                row.len += 1;
                row.valid.append_null();
            }
        }
    }

    /// Appends a value. A reader and its column are made from the same type, so that they agree; a value of another kind is NULL in
    /// release builds.
    pub fn push(&mut self, datum: Datum<'_>) {
        match (self, datum) {
            (column, Datum::Null) => column.push_null(),
            (Column::Boolean(b), Datum::Boolean(v)) => b.append_value(v),
            (Column::Int8(b), Datum::Integer(v)) => b.append_value(v as i8),
            (Column::Int16(b), Datum::Integer(v)) => b.append_value(v as i16),
            (Column::Int32(b), Datum::Integer(v)) => b.append_value(v as i32),
            (Column::Int64(b), Datum::Integer(v)) => b.append_value(v),
            (Column::Float32(b), Datum::Float(v)) => b.append_value(v as f32),
            (Column::Float64(b), Datum::Float(v)) => b.append_value(v),
            (Column::Decimal(b), Datum::Decimal(v)) => b.append_value(v),
            (Column::Date(b), Datum::Integer(v)) => b.append_value(v as i32),
            (Column::Time(b), Datum::Integer(v)) => b.append_value(v as i32),
            (Column::Micros(b), Datum::Integer(v)) => b.append_value(v),
            (Column::Nanos(b), Datum::Integer(v)) => b.append_value(v),
            (Column::Months(b), Datum::Integer(v)) => b.append_value(v as i32),
            (Column::Millis(b), Datum::Integer(v)) => b.append_value(v),
            (Column::Text(b), Datum::Text(v)) => b.append_value(v),
            (Column::Bytes(b), Datum::Bytes(v)) => b.append_value(v),
            (column, other) => {
                debug_assert!(false, "{other:?} for {column:?}");
                column.push_null();
            }
        }
    }

    /// The array, and an empty column again.
    ///
    /// # Errors
    /// Internal, when the parts do not fit together; External, when the values of one column are more than 2 GB.
    pub fn finish(&mut self, data_type: &DataType) -> Result<ArrayRef, Fault> {
        self.finish_as(&data_type.to_arrow())
    }

    fn finish_as(&mut self, arrow: &Arrow) -> Result<ArrayRef, Fault> {
        let broken = |e: arrow::error::ArrowError| Fault::internal(format!("building a column: {e}"));
        Ok(match self {
            Column::Null(n) => Arc::new(NullArray::new(std::mem::take(n))),
            Column::Boolean(b) => Arc::new(b.finish()),
            Column::Int8(b) => Arc::new(b.finish()),
            Column::Int16(b) => Arc::new(b.finish()),
            Column::Int32(b) => Arc::new(b.finish()),
            Column::Int64(b) => Arc::new(b.finish()),
            Column::Float32(b) => Arc::new(b.finish()),
            Column::Float64(b) => Arc::new(b.finish()),
            Column::Decimal(b) => Arc::new(b.finish()),
            Column::Date(b) => Arc::new(b.finish()),
            Column::Time(b) => Arc::new(b.finish()),
            Column::Micros(b) => Arc::new(b.finish()),
            Column::Nanos(b) => Arc::new(b.finish()),
            Column::Months(b) => Arc::new(b.finish()),
            Column::Millis(b) => Arc::new(b.finish()),
            Column::Text(b) => Arc::new(b.finish()),
            Column::Bytes(b) => Arc::new(b.finish()),
            Column::List(list) => {
                let Arrow::List(item) = arrow else { return Err(Fault::internal("list type")) };
                let items = list.items.finish_as(item.data_type())?;
                let offsets = OffsetBuffer::from_lengths(list.lengths.drain(..));
                Arc::new(
                    ListArray::try_new(item.clone(), offsets, items, list.valid.finish()).map_err(broken)?,
                )
            }
            Column::Row(row) => {
                let Arrow::Struct(fields) = arrow else { return Err(Fault::internal("row type")) };
                let columns = row
                    .fields
                    .iter_mut()
                    .zip(fields)
                    .map(|(c, f)| c.finish_as(f.data_type()))
                    .collect::<Result<Vec<_>, _>>()?;
                let len = std::mem::take(&mut row.len);
                Arc::new(
                    StructArray::try_new_with_length(fields.clone(), columns, row.valid.finish(), len)
                        .map_err(broken)?,
                )
            }
        })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        use arrow::array::ArrayBuilder;
        match self {
            Column::Null(n) => *n,
            Column::Boolean(b) => b.len(),
            Column::Int8(b) => b.len(),
            Column::Int16(b) => b.len(),
            Column::Int32(b) => b.len(),
            Column::Int64(b) => b.len(),
            Column::Float32(b) => b.len(),
            Column::Float64(b) => b.len(),
            Column::Decimal(b) => b.len(),
            Column::Date(b) => b.len(),
            Column::Time(b) => b.len(),
            Column::Micros(b) => b.len(),
            Column::Nanos(b) => b.len(),
            Column::Months(b) => b.len(),
            Column::Millis(b) => b.len(),
            Column::Text(b) => b.len(),
            Column::Bytes(b) => b.len(),
            Column::List(list) => list.lengths.len(),
            Column::Row(row) => row.len,
        }
    }
}
