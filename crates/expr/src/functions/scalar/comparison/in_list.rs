//! IN with a list of items. Constants become a hash set once per plan.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::or_kleene;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType as Arrow, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, TimestampMicrosecondType,
};
use millstream_types::{DataType, Fault, TypeKind, Value};

use super::{Comparison, compare, operands};
use crate::binding::convert;
use crate::coerce::common_type;
use crate::kernel::hash::{IntSet, TextSet};
use crate::kernel::{Arguments, broken};
use crate::{BoundCall, Call, Column, EvalContext, EvalError, Expr, ExprKind, Kernel, Rows};

const FORM: &str = "<ANY> IN (<ANY>, ...)";

/// Fewer items are compared one by one.
const LEAST_FOR_SET: usize = 4;

pub(super) fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(2, usize::MAX, FORM)?;
    let (value, items) = call.args.split_first().ok_or_else(|| Fault::internal("IN without items"))?;
    let nullable = call.any_nullable();
    let data_type = TypeKind::Boolean.nullable().with_nullable(nullable);
    let (value, items) = meet_all(call, value, items)?;
    let set = if items.len() < LEAST_FOR_SET { None } else { Set::of(&value.data_type, &items) };
    let kernel: Arc<dyn Kernel> = match set {
        Some(set) => Arc::new(set),
        None => Arc::new(OneByOne),
    };
    let args = std::iter::once(value).chain(items).collect();
    Ok(BoundCall::new(data_type, args, kernel))
}

/// The value and the items in one type.
fn meet_all(call: &Call<'_>, value: &Expr, items: &[Expr]) -> Result<(Expr, Vec<Expr>), Fault> {
    let mut value = value.clone();
    // Items of one kind first, so that the value is converted once: `1 IN (1.0, 2)`.
    let types: Vec<DataType> = items.iter().map(|i| i.data_type.clone()).collect();
    let items: Vec<Expr> = match common_type(&types) {
        Some(t) if !matches!(t.kind, TypeKind::Null) => {
            // A text is looked for among the texts of the items.
            let texts = t.kind.is_string() || value.data_type.kind.is_string();
            let kind = if texts { TypeKind::STRING } else { t.kind };
            items.iter().map(|i| constant(convert(i.clone(), kind.clone()))).collect()
        }
        Some(_) => items.to_vec(),
        None => {
            return Err(Fault::user(
                "argument-types",
                "Values in expression list must have compatible types",
            )
            .at(call.span)
            .hint("cast them to one type"));
        }
    };
    let mut met = Vec::with_capacity(items.len());
    for item in &items {
        let (v, i) = operands::meet(call, &value, item, Comparison::Equal, true)?;
        value = v;
        met.push(constant(i));
    }
    // A later item may have widened the value: the earlier ones follow.
    for item in &mut met {
        let (_, i) = operands::meet(call, &value, item, Comparison::Equal, true)?;
        *item = constant(i);
    }
    Ok((value, met))
}

/// A string or NULL literal below a cast that does not change it, without the cast.
fn constant(expr: Expr) -> Expr {
    if let ExprKind::Cast { input, .. } = &expr.kind
        && let Some(v) = input.as_literal()
    {
        let same = v.is_null()
            || expr.data_type.kind.is_string() && input.data_type.kind.is_string()
            || expr.data_type.kind.is_integer() && input.data_type.kind.is_integer();
        if same {
            return Expr { kind: ExprKind::Literal(v.clone()), data_type: expr.data_type, span: expr.span };
        }
    }
    expr
}

/// The items as a set.
#[derive(Debug)]
struct Set {
    has_null: bool,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Ints(IntSet),
    Texts(TextSet),
}

impl Set {
    fn of(data_type: &DataType, items: &[Expr]) -> Option<Set> {
        let values: Vec<&Value> = items.iter().map(Expr::as_literal).collect::<Option<_>>()?;
        let has_null = values.iter().any(|v| v.is_null());
        let present = values.into_iter().filter(|v| !v.is_null());
        let values = match &data_type.kind {
            k if k.is_string() => Values::Texts(TextSet::new(present.filter_map(Value::as_str))),
            k if k.is_integer() || matches!(k, TypeKind::Date | TypeKind::Time(_)) => {
                Values::Ints(IntSet::new(present.filter_map(Value::as_int)))
            }
            _ => return None,
        };
        Some(Set { has_null, values })
    }

    fn hits(&self, array: &ArrayRef) -> Result<BooleanBuffer, EvalError> {
        fn ints<T: ArrowPrimitiveType>(set: &IntSet, array: &ArrayRef) -> BooleanBuffer
        where
            T::Native: Into<i64>,
        {
            let a = array.as_primitive::<T>();
            BooleanBuffer::collect_bool(a.len(), |i| set.contains(a.value(i).into()))
        }
        Ok(match (&self.values, array.data_type()) {
            (Values::Texts(set), Arrow::Utf8) => {
                let a = array.as_string::<i32>();
                BooleanBuffer::collect_bool(a.len(), |i| set.contains(a.value(i).as_bytes()))
            }
            (Values::Ints(set), Arrow::Int8) => ints::<Int8Type>(set, array),
            (Values::Ints(set), Arrow::Int16) => ints::<Int16Type>(set, array),
            (Values::Ints(set), Arrow::Int32) => ints::<Int32Type>(set, array),
            (Values::Ints(set), Arrow::Int64) => ints::<Int64Type>(set, array),
            (Values::Ints(set), Arrow::Date32) => ints::<Date32Type>(set, array),
            (Values::Ints(set), Arrow::Time32(_)) => ints::<Time32MillisecondType>(set, array),
            (Values::Ints(set), Arrow::Timestamp(..)) => ints::<TimestampMicrosecondType>(set, array),
            (_, other) => return Err(Fault::internal(format!("IN set over {other}")).into()),
        })
    }
}

impl Kernel for Set {
    fn eval(&self, args: &[Column], _: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        let value = args.first().ok_or_else(|| Fault::internal("IN without a value"))?;
        let hits = self.hits(value.array())?;
        let mut nulls = value.array().nulls().cloned();
        if self.has_null {
            // What is not found could be the NULL.
            let found = arrow::buffer::NullBuffer::new(hits.clone());
            nulls = arrow::buffer::NullBuffer::union(nulls.as_ref(), Some(&found));
        }
        let array: ArrayRef = Arc::new(BooleanArray::new(hits, nulls));
        Ok(if value.is_constant() { Column::Constant(array) } else { Column::Array(array) })
    }

    fn needs(&self, _: usize) -> usize {
        1
    }
}

/// Items that are not constant, of types without a set, or few.
#[derive(Debug)]
struct OneByOne;

impl Kernel for OneByOne {
    fn eval(&self, args: &[Column], rows: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        let arguments = Arguments::new(args, rows);
        let (value, items) = args.split_first().ok_or_else(|| Fault::internal("IN without a value"))?;
        let mut found = BooleanArray::new(BooleanBuffer::new_unset(arguments.rows()), None);
        for item in items {
            let hit = compare(Comparison::Equal, value, item, arguments.rows())?;
            found = or_kleene(&found, &hit).map_err(broken)?;
        }
        let array: ArrayRef = Arc::new(found);
        Ok(if args.iter().all(Column::is_constant) { Column::Constant(array) } else { Column::Array(array) })
    }
}
