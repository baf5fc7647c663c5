//! BITMAP_… functions.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, Int32Builder, ListBuilder};
use arrow::datatypes::{Int32Type, Int64Type};
use millstream_types::{DataType, Fault, TypeKind};

use super::Bitmap;
use crate::binding::{convert, null_of};
use crate::kernel::{View, numbers, simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[
    Function::new(
        "BITMAP_BUILD",
        "BITMAP_BUILD(array ARRAY<INT>) -> BITMAP",
        "The bitmap of the array's integers; NULLs are left out.",
        &[Example::new("BITMAP_TO_STRING(BITMAP_BUILD(ARRAY[3, 1, 3]))", "{1,3}")],
        build,
    ),
    Function::new(
        "BITMAP_AND",
        "BITMAP_AND(first BITMAP, second BITMAP) -> BITMAP",
        "The integers in both bitmaps.",
        &[Example::new(
            "BITMAP_TO_ARRAY(BITMAP_AND(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3])))",
            "[2]",
        )],
        |call| two(call, "BITMAP_AND(<BITMAP>, <BITMAP>)", Bitmap::and),
    ),
    Function::new(
        "BITMAP_OR",
        "BITMAP_OR(first BITMAP, second BITMAP) -> BITMAP",
        "The integers in either bitmap.",
        &[Example::new(
            "BITMAP_TO_ARRAY(BITMAP_OR(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3])))",
            "[1, 2, 3]",
        )],
        |call| two(call, "BITMAP_OR(<BITMAP>, <BITMAP>)", Bitmap::or),
    ),
    Function::new(
        "BITMAP_XOR",
        "BITMAP_XOR(first BITMAP, second BITMAP) -> BITMAP",
        "The integers in exactly one of the bitmaps.",
        &[Example::new(
            "BITMAP_TO_ARRAY(BITMAP_XOR(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3])))",
            "[1, 3]",
        )],
        |call| two(call, "BITMAP_XOR(<BITMAP>, <BITMAP>)", Bitmap::xor),
    ),
    Function::new(
        "BITMAP_ANDNOT",
        "BITMAP_ANDNOT(first BITMAP, second BITMAP) -> BITMAP",
        "The integers in the first bitmap that are not in the second.",
        &[Example::new(
            "BITMAP_TO_ARRAY(BITMAP_ANDNOT(BITMAP_BUILD(ARRAY[1, 2]), BITMAP_BUILD(ARRAY[2, 3])))",
            "[1]",
        )],
        |call| two(call, "BITMAP_ANDNOT(<BITMAP>, <BITMAP>)", Bitmap::and_not),
    ),
    Function::new(
        "BITMAP_CARDINALITY",
        "BITMAP_CARDINALITY(bitmap BITMAP) -> BIGINT",
        "The number of integers in the bitmap.",
        &[Example::new("BITMAP_CARDINALITY(BITMAP_BUILD(ARRAY[3, 1, 3]))", "2")],
        cardinality,
    ),
    Function::new(
        "BITMAP_FROM_BYTES",
        "BITMAP_FROM_BYTES(bytes BYTES) -> BITMAP",
        "The bitmap of bytes in the portable Roaring format for 32-bit integers. Other bytes fail.",
        &[Example::new(
            "BITMAP_TO_STRING(BITMAP_FROM_BYTES(BITMAP_TO_BYTES(BITMAP_BUILD(ARRAY[5, 7]))))",
            "{5,7}",
        )],
        from_bytes,
    ),
    Function::new(
        "BITMAP_TO_BYTES",
        "BITMAP_TO_BYTES(bitmap BITMAP) -> BYTES",
        "The bitmap in the portable Roaring format for 32-bit integers.",
        &[Example::new(
            "BITMAP_TO_BYTES(BITMAP_BUILD(ARRAY[1])) = X'3A3000000100000000000000100000000100'",
            "TRUE",
        )],
        to_bytes,
    ),
    Function::new(
        "BITMAP_TO_ARRAY",
        "BITMAP_TO_ARRAY(bitmap BITMAP) -> ARRAY<INT>",
        "The integers of the bitmap, in unsigned order: negative ones come last.",
        &[Example::new("BITMAP_TO_ARRAY(BITMAP_BUILD(ARRAY[3, -1, 2]))", "[2, 3, -1]")],
        to_array,
    ),
    Function::new(
        "BITMAP_TO_STRING",
        "BITMAP_TO_STRING(bitmap BITMAP) -> STRING",
        "The integers of the bitmap as text, unsigned and in order.",
        &[Example::new("BITMAP_TO_STRING(BITMAP_BUILD(ARRAY[3, 1, 2]))", "{1,2,3}")],
        to_string,
    ),
];

fn bitmap_argument(call: &Call<'_>, index: usize, form: &str) -> Result<Expr, Fault> {
    let arg = call.arg(index)?;
    match arg.data_type.kind {
        TypeKind::Bitmap => Ok(arg.clone()),
        TypeKind::Null => Ok(null_of(TypeKind::Bitmap)),
        _ => Err(call.refuse(form)),
    }
}

fn like_arguments(call: &Call<'_>, kind: TypeKind) -> DataType {
    kind.nullable().with_nullable(call.any_nullable())
}

/// The bitmap at a row.
fn at(view: &View<'_, arrow::array::BinaryArray>, row: usize) -> Result<Option<Bitmap>, EvalError> {
    let Some(bytes) = view.get(row) else { return Ok(None) };
    Bitmap::from_bytes(bytes).map(Some).map_err(|f| EvalError::at_row(row, f))
}

/// An array of bitmaps, or of their bytes.
fn bitmaps(
    rows: usize,
    mut row: impl FnMut(usize) -> Result<Option<Bitmap>, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let mut out = BinaryBuilder::new();
    for i in 0..rows {
        match row(i)? {
            Some(bitmap) => out.append_value(bitmap.to_bytes()),
            None => out.append_null(),
        }
    }
    Ok(Arc::new(out.finish()))
}

fn build(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BITMAP_BUILD(<ARRAY<INTEGER>>)";
    call.expect(1, 1, FORM)?;
    let array = call.arg(0)?;
    let ints = match &array.data_type.kind {
        TypeKind::Array(e) if matches!(e.kind, TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int) => {
            let element = TypeKind::Int.nullable().with_nullable(e.nullable);
            convert(array.clone(), TypeKind::Array(Box::new(element)))
        }
        TypeKind::Null => null_of(TypeKind::Array(Box::new(DataType::int()))),
        _ => return Err(call.refuse(FORM)),
    };
    let kernel = simple("BITMAP_BUILD", |arguments, _| {
        let column = arguments.column(0)?;
        let wrong = || Fault::internal("no ARRAY<INT>");
        let list = column.array().as_list_opt::<i32>().ok_or_else(wrong)?;
        let items = list.values().as_primitive_opt::<Int32Type>().ok_or_else(wrong)?;
        bitmaps(arguments.rows(), |row| {
            let i = column.index(row);
            let offsets = list.value_offsets();
            let (Some(from), Some(to), true) = (offsets.get(i), offsets.get(i + 1), list.is_valid(i)) else {
                return Ok(None);
            };
            let range = *from as usize..*to as usize;
            Ok(Some(Bitmap::of(range.filter(|i| items.is_valid(*i)).map(|i| items.value(i)))))
        })
    });
    Ok(BoundCall::new(like_arguments(call, TypeKind::Bitmap), vec![ints], kernel))
}

fn two(
    call: &Call<'_>,
    form: &'static str,
    merge: fn(&Bitmap, &Bitmap) -> Bitmap,
) -> Result<BoundCall, Fault> {
    call.expect(2, 2, form)?;
    let args = vec![bitmap_argument(call, 0, form)?, bitmap_argument(call, 1, form)?];
    let kernel = simple("BITMAP_AND", move |arguments, _| {
        let (a, b) = (arguments.binaries(0)?, arguments.binaries(1)?);
        bitmaps(arguments.rows(), |row| match (at(&a, row)?, at(&b, row)?) {
            (Some(a), Some(b)) => Ok(Some(merge(&a, &b))),
            _ => Ok(None),
        })
    });
    Ok(BoundCall::new(like_arguments(call, TypeKind::Bitmap), args, kernel))
}

fn cardinality(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BITMAP_CARDINALITY(<BITMAP>)";
    call.expect(1, 1, FORM)?;
    let args = vec![bitmap_argument(call, 0, FORM)?];
    let kernel = simple("BITMAP_CARDINALITY", |arguments, _| {
        let view = arguments.binaries(0)?;
        numbers::build::<Int64Type>(arguments.rows(), |row| Ok(at(&view, row)?.map(|b| b.len() as i64)))
    });
    Ok(BoundCall::new(like_arguments(call, TypeKind::BigInt), args, kernel))
}

fn from_bytes(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BITMAP_FROM_BYTES(<BINARY>)";
    call.expect(1, 1, FORM)?;
    let arg = call.arg(0)?;
    let bytes = match &arg.data_type.kind {
        k if k.is_binary() => arg.clone(),
        TypeKind::Null => null_of(TypeKind::BYTES),
        _ => return Err(call.refuse(FORM)),
    };
    // Read and written again, so that equal bitmaps have equal bytes.
    let kernel = simple("BITMAP_FROM_BYTES", |arguments, _| {
        let view = arguments.binaries(0)?;
        bitmaps(arguments.rows(), |row| at(&view, row))
    });
    Ok(BoundCall::new(like_arguments(call, TypeKind::Bitmap), vec![bytes], kernel).fallible())
}

fn to_bytes(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BITMAP_TO_BYTES(<BITMAP>)";
    call.expect(1, 1, FORM)?;
    let args = vec![bitmap_argument(call, 0, FORM)?];
    let kernel = simple("BITMAP_TO_BYTES", |arguments, _| Ok(arguments.column(0)?.array().clone()));
    Ok(BoundCall::new(like_arguments(call, TypeKind::BYTES), args, kernel))
}

fn to_array(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BITMAP_TO_ARRAY(<BITMAP>)";
    call.expect(1, 1, FORM)?;
    let args = vec![bitmap_argument(call, 0, FORM)?];
    let kernel = simple("BITMAP_TO_ARRAY", |arguments, _| {
        let view = arguments.binaries(0)?;
        let field = DataType::int().arrow_field("item");
        let mut out = ListBuilder::new(Int32Builder::new()).with_field(Arc::new(field));
        for row in 0..arguments.rows() {
            let bitmap = at(&view, row)?;
            if let Some(b) = &bitmap {
                b.iter().for_each(|v| out.values().append_value(v));
            }
            out.append(bitmap.is_some());
        }
        Ok(Arc::new(out.finish()))
    });
    let kind = TypeKind::Array(Box::new(DataType::int()));
    Ok(BoundCall::new(like_arguments(call, kind), args, kernel))
}

fn to_string(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BITMAP_TO_STRING(<BITMAP>)";
    call.expect(1, 1, FORM)?;
    let args = vec![bitmap_argument(call, 0, FORM)?];
    let kernel = simple("BITMAP_TO_STRING", |arguments, _| {
        let view = arguments.binaries(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(bitmap) = at(&view, row)? else { return Ok(false) };
            out.write(|s| bitmap.push_text(s));
            Ok(true)
        })
    });
    Ok(BoundCall::new(like_arguments(call, TypeKind::STRING), args, kernel))
}
