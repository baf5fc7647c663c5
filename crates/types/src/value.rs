//! A single value: of a literal, an option's default, a row that is printed.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryBuilder, BooleanBuilder, Decimal128Array, DurationMillisecondArray,
    ListArray, NullArray, PrimitiveArray, StringBuilder, StructArray, new_null_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType as Arrow, Date32Type, Decimal128Type, DurationMillisecondType, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalYearMonthType, Time32MillisecondType,
    TimeUnit, TimestampMicrosecondType, TimestampNanosecondType,
};

use crate::{DataType, Fault, TypeKind};

/// A value without its type; a [`DataType`] beside it says how to read it.
#[derive(Debug, Clone)]
pub enum Value {
    /// NULL.
    Null,
    /// BOOLEAN.
    Boolean(bool),
    /// All integers; DATE as days, TIME as milliseconds of the day, timestamps as micro- or nanoseconds since the epoch
    /// (see [`TypeKind::counts_nanos`]), intervals as months or milliseconds.
    Int(i64),
    /// FLOAT and DOUBLE.
    Float(f64),
    /// DECIMAL: the digits without the point; the scale is the type's.
    Decimal(i128),
    /// CHAR, VARCHAR, VARIANT.
    String(Arc<str>),
    /// BINARY, VARBINARY, BITMAP, RAW.
    Bytes(Arc<[u8]>),
    /// ARRAY.
    Array(Arc<[Value]>),
    /// MAP, and MULTISET with counts as `Int`.
    Map(Arc<[(Value, Value)]>),
    /// ROW.
    Row(Arc<[Value]>),
}

// Floats are compared by their bits, so that values can be keys of plan caches: NaN equals itself, 0.0 differs from -0.0.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Decimal(a), Value::Decimal(b)) => a == b,
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Array(a), Value::Array(b)) | (Value::Row(a), Value::Row(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Null => {}
            Value::Boolean(b) => b.hash(state),
            Value::Int(i) => i.hash(state),
            Value::Float(f) => f.to_bits().hash(state),
            Value::Decimal(d) => d.hash(state),
            Value::String(s) => s.hash(state),
            Value::Bytes(b) => b.hash(state),
            Value::Array(v) | Value::Row(v) => v.hash(state),
            Value::Map(m) => m.hash(state),
        }
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Value::String(s.into())
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Value::Int(i)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Boolean(b)
    }
}

impl Value {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The text of a string value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    /// The number of an integer, date, time or interval value.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// The truth of a boolean value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Boolean(b) => Some(*b),
            _ => None,
        }
    }

    /// The value at a row of an array whose Arrow type is that of `data_type`. NULL when out of range.
    pub fn from_array(array: &dyn Array, row: usize, data_type: &DataType) -> Value {
        if row >= array.len() || array.is_null(row) {
            return Value::Null;
        }
        fn int<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> Value
        where
            T::Native: Into<i64>,
        {
            array.as_primitive_opt::<T>().map_or(Value::Null, |a| Value::Int(a.value(row).into()))
        }
        match array.data_type() {
            Arrow::Boolean => Value::Boolean(array.as_boolean().value(row)),
            Arrow::Int8 => int::<Int8Type>(array, row),
            Arrow::Int16 => int::<Int16Type>(array, row),
            Arrow::Int32 => int::<Int32Type>(array, row),
            Arrow::Int64 => int::<Int64Type>(array, row),
            Arrow::Float32 => Value::Float(f64::from(array.as_primitive::<Float32Type>().value(row))),
            Arrow::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(row)),
            Arrow::Decimal128(..) => Value::Decimal(array.as_primitive::<Decimal128Type>().value(row)),
            Arrow::Utf8 => Value::String(array.as_string::<i32>().value(row).into()),
            Arrow::Binary => Value::Bytes(array.as_binary::<i32>().value(row).into()),
            Arrow::Date32 => int::<Date32Type>(array, row),
            Arrow::Time32(TimeUnit::Millisecond) => int::<Time32MillisecondType>(array, row),
            Arrow::Timestamp(TimeUnit::Microsecond, _) => int::<TimestampMicrosecondType>(array, row),
            Arrow::Timestamp(TimeUnit::Nanosecond, _) => int::<TimestampNanosecondType>(array, row),
            Arrow::Interval(_) => int::<IntervalYearMonthType>(array, row),
            Arrow::Duration(_) => int::<DurationMillisecondType>(array, row),
            Arrow::List(_) => {
                let items = array.as_list::<i32>().value(row);
                let count = TypeKind::Int.not_null();
                let (k, v) = match &data_type.kind {
                    TypeKind::Array(e) => {
                        return Value::Array(
                            (0..items.len()).map(|i| Value::from_array(&items, i, e)).collect(),
                        );
                    }
                    TypeKind::Map(k, v) => (&**k, &**v),
                    TypeKind::Multiset(e) => (&**e, &count),
                    _ => return Value::Null,
                };
                let Some(entries) = items.as_struct_opt() else { return Value::Null };
                let [keys, values] = entries.columns() else { return Value::Null };
                Value::Map(
                    (0..items.len())
                        .map(|i| (Value::from_array(keys, i, k), Value::from_array(values, i, v)))
                        .collect(),
                )
            }
            Arrow::Struct(_) => {
                let s = array.as_struct();
                let Some(fields) = data_type.kind.fields() else { return Value::Null };
                Value::Row(
                    fields
                        .iter()
                        .zip(s.columns())
                        .map(|(f, c)| Value::from_array(c, row, &f.data_type))
                        .collect(),
                )
            }
            _ => Value::Null,
        }
    }

    /// An array of values of a type.
    ///
    /// # Errors
    /// Internal, when a value is not one of the type.
    pub fn array<'a>(
        values: impl IntoIterator<Item = &'a Value>,
        data_type: &DataType,
    ) -> Result<ArrayRef, Fault> {
        let values: Vec<&Value> = values.into_iter().collect();
        let wrong = |v: &Value| Fault::internal(format!("{v:?} is no {data_type}"));
        fn ints<T: ArrowPrimitiveType>(
            values: &[&Value],
            arrow: &Arrow,
            wrong: &dyn Fn(&Value) -> Fault,
        ) -> Result<ArrayRef, Fault>
        where
            T::Native: TryFrom<i64>,
        {
            let items = values
                .iter()
                .map(|v| match v {
                    Value::Null => Ok(None),
                    Value::Int(i) => T::Native::try_from(*i).map(Some).map_err(|_| wrong(v)),
                    _ => Err(wrong(v)),
                })
                .collect::<Result<Vec<_>, _>>()?;
            Ok(Arc::new(PrimitiveArray::<T>::from_iter(items).with_data_type(arrow.clone())))
        }
        let arrow = data_type.to_arrow();
        let floats = || -> Result<Vec<Option<f64>>, Fault> {
            values
                .iter()
                .map(|v| match v {
                    Value::Null => Ok(None),
                    Value::Float(f) => Ok(Some(*f)),
                    _ => Err(wrong(v)),
                })
                .collect()
        };
        Ok(match &data_type.kind {
            TypeKind::Boolean => {
                let mut b = BooleanBuilder::with_capacity(values.len());
                for v in &values {
                    match v {
                        Value::Null => b.append_null(),
                        Value::Boolean(x) => b.append_value(*x),
                        _ => return Err(wrong(v)),
                    }
                }
                Arc::new(b.finish())
            }
            TypeKind::TinyInt => ints::<Int8Type>(&values, &arrow, &wrong)?,
            TypeKind::SmallInt => ints::<Int16Type>(&values, &arrow, &wrong)?,
            TypeKind::Int => ints::<Int32Type>(&values, &arrow, &wrong)?,
            TypeKind::BigInt => ints::<Int64Type>(&values, &arrow, &wrong)?,
            TypeKind::Date => ints::<Date32Type>(&values, &arrow, &wrong)?,
            TypeKind::Time(_) => ints::<Time32MillisecondType>(&values, &arrow, &wrong)?,
            TypeKind::IntervalYearMonth(..) => ints::<IntervalYearMonthType>(&values, &arrow, &wrong)?,
            TypeKind::IntervalDayTime(..) => {
                let items = ints::<Int64Type>(&values, &Arrow::Int64, &wrong)?;
                Arc::new(items.as_primitive::<Int64Type>().reinterpret_cast::<DurationMillisecondType>())
                    as Arc<DurationMillisecondArray>
            }
            TypeKind::Timestamp(..) | TypeKind::TimestampLtz(..) if data_type.kind.counts_nanos() => {
                ints::<TimestampNanosecondType>(&values, &arrow, &wrong)?
            }
            TypeKind::Timestamp(..) | TypeKind::TimestampLtz(..) => {
                ints::<TimestampMicrosecondType>(&values, &arrow, &wrong)?
            }
            TypeKind::Float => Arc::new(
                floats()?.into_iter().map(|f| f.map(|f| f as f32)).collect::<PrimitiveArray<Float32Type>>(),
            ),
            TypeKind::Double => Arc::new(floats()?.into_iter().collect::<PrimitiveArray<Float64Type>>()),
            TypeKind::Decimal { .. } => {
                let items = values
                    .iter()
                    .map(|v| match v {
                        Value::Null => Ok(None),
                        Value::Decimal(d) => Ok(Some(*d)),
                        _ => Err(wrong(v)),
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                Arc::new(Decimal128Array::from_iter(items).with_data_type(arrow))
            }
            TypeKind::Char(_) | TypeKind::VarChar(_) | TypeKind::Variant => {
                let mut b = StringBuilder::with_capacity(values.len(), values.len() * 16);
                for v in &values {
                    match v {
                        Value::Null => b.append_null(),
                        Value::String(s) => b.append_value(s),
                        _ => return Err(wrong(v)),
                    }
                }
                Arc::new(b.finish())
            }
            TypeKind::Binary(_) | TypeKind::VarBinary(_) | TypeKind::Bitmap | TypeKind::Raw(_) => {
                let mut b = BinaryBuilder::new();
                for v in &values {
                    match v {
                        Value::Null => b.append_null(),
                        Value::Bytes(s) => b.append_value(s),
                        _ => return Err(wrong(v)),
                    }
                }
                Arc::new(b.finish())
            }
            TypeKind::Array(element) => {
                let mut items = Vec::new();
                let mut lengths = Vec::with_capacity(values.len());
                for v in &values {
                    match v {
                        Value::Null => lengths.push(0),
                        Value::Array(a) => {
                            lengths.push(a.len());
                            items.extend(a.iter());
                        }
                        _ => return Err(wrong(v)),
                    }
                }
                let child = Value::array(items, element)?;
                Arc::new(ListArray::new(
                    Arc::new(element.arrow_field("item")),
                    OffsetBuffer::from_lengths(lengths),
                    child,
                    validity(&values),
                ))
            }
            TypeKind::Map(..) | TypeKind::Multiset(_) => {
                let count = TypeKind::Int.not_null();
                let (kt, vt) = match &data_type.kind {
                    TypeKind::Map(k, v) => (&**k, &**v),
                    TypeKind::Multiset(e) => (&**e, &count),
                    _ => return Err(Fault::internal("map type")),
                };
                let (mut keys, mut items) = (Vec::new(), Vec::new());
                let mut lengths = Vec::with_capacity(values.len());
                for v in &values {
                    match v {
                        Value::Null => lengths.push(0),
                        Value::Map(m) => {
                            lengths.push(m.len());
                            keys.extend(m.iter().map(|e| &e.0));
                            items.extend(m.iter().map(|e| &e.1));
                        }
                        _ => return Err(wrong(v)),
                    }
                }
                let Arrow::List(entries_field) = &arrow else { return Err(Fault::internal("map type")) };
                let Arrow::Struct(fields) = entries_field.data_type() else {
                    return Err(Fault::internal("map type"));
                };
                let columns = vec![Value::array(keys, kt)?, Value::array(items, vt)?];
                Arc::new(ListArray::new(
                    entries_field.clone(),
                    OffsetBuffer::from_lengths(lengths),
                    Arc::new(StructArray::new(fields.clone(), columns, None)),
                    validity(&values),
                ))
            }
            TypeKind::Row(fields) | TypeKind::Structured(_, fields) => {
                let mut columns = Vec::with_capacity(fields.len());
                for (i, f) in fields.iter().enumerate() {
                    let items = values
                        .iter()
                        .map(|v| match v {
                            Value::Null => Ok(&Value::Null),
                            Value::Row(r) => Ok(r.get(i).unwrap_or(&Value::Null)),
                            _ => Err(wrong(v)),
                        })
                        .collect::<Result<Vec<_>, _>>()?;
                    columns.push(Value::array(items, &f.data_type)?);
                }
                let Arrow::Struct(arrow_fields) = arrow else { return Err(Fault::internal("row type")) };
                Arc::new(
                    StructArray::try_new_with_length(arrow_fields, columns, validity(&values), values.len())
                        .map_err(|e| Fault::internal(e.to_string()))?,
                )
            }
            TypeKind::Null | TypeKind::Descriptor => Arc::new(NullArray::new(values.len())),
        })
    }

    /// An array of `rows` times this value.
    ///
    /// # Errors
    /// Internal, when the value is not one of the type.
    pub fn repeat(&self, rows: usize, data_type: &DataType) -> Result<ArrayRef, Fault> {
        if self.is_null() {
            return Ok(new_null_array(&data_type.to_arrow(), rows));
        }
        Value::array(std::iter::repeat_n(self, rows), data_type)
    }
}

fn validity(values: &[&Value]) -> Option<NullBuffer> {
    values.iter().any(|v| v.is_null()).then(|| values.iter().map(|v| !v.is_null()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(values: &[Value], data_type: &DataType) {
        let array = Value::array(values, data_type).unwrap();
        assert_eq!(array.data_type(), &data_type.to_arrow());
        let back: Vec<Value> = (0..array.len()).map(|i| Value::from_array(&array, i, data_type)).collect();
        assert_eq!(back, values);
    }

    #[test]
    fn every_kind_comes_back() {
        let n = Value::Null;
        round_trip(&[Value::Int(1), n.clone()], &DataType::int());
        round_trip(&[Value::Int(1), n.clone()], &TypeKind::timestamp_ltz(3).nullable());
        round_trip(&[Value::Int(1), n.clone()], &TypeKind::timestamp(9).nullable());
        round_trip(&[Value::Int(1), n.clone()], &TypeKind::Time(0).nullable());
        round_trip(&[Value::Int(-1), n.clone()], &TypeKind::interval_seconds().nullable());
        round_trip(&[Value::Int(14), n.clone()], &TypeKind::interval_months().nullable());
        round_trip(&[Value::Decimal(-150), n.clone()], &DataType::decimal(10, 2));
        round_trip(&["é".into(), n.clone()], &DataType::string());
        let row = DataType::row([("x", DataType::int()), ("y", DataType::array(DataType::string()))]);
        round_trip(
            &[Value::Row([Value::Int(1), Value::Array([n.clone(), "a".into()].into())].into()), n.clone()],
            &row,
        );
        let map = DataType::map(DataType::string(), row);
        round_trip(&[Value::Map([("k".into(), n.clone())].into()), n.clone(), Value::Map([].into())], &map);
        round_trip(&[n.clone(), n], &TypeKind::Null.nullable());
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        assert!(Value::array(&[Value::Int(300)], &TypeKind::TinyInt.nullable()).is_err());
        assert!(Value::array(&[Value::Int(3)], &DataType::string()).is_err());
    }
}
