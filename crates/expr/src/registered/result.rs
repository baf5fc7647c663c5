//! Rust types as results.

use std::fmt::Display;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder};
use arrow::datatypes::{Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use millstream_types::TypeKind;

use crate::EvalError;
use crate::kernel::{booleans, numbers, strings};

/// A Rust type that a registered function's values may have: `bool`, `i8` … `i64`, `f32`, `f64`, `&'static str`, `String`, `Vec<u8>`.
pub trait Output: Sized {
    /// The SQL type.
    fn kind() -> TypeKind;

    /// A column of `rows` values.
    ///
    /// # Errors
    /// Those of `row`.
    fn column(
        rows: usize,
        row: &mut dyn FnMut(usize) -> Result<Option<Self>, EvalError>,
    ) -> Result<ArrayRef, EvalError>;
}

/// What a registered function may return: an [`Output`], an `Option` of one (`None` is NULL), or a `Result` of these, whose error fails the row.
pub trait Returned {
    /// The type of the values.
    type Value: Output;
    /// Whether it may be NULL.
    const NULLABLE: bool = false;
    /// Whether it may be an error.
    const FALLIBLE: bool = false;

    /// The value, or why there is none.
    ///
    /// # Errors
    /// The function's own.
    fn returned(self) -> Result<Option<Self::Value>, String>;
}

macro_rules! number {
    ($rust:ty, $arrow:ty, $kind:ident) => {
        impl Output for $rust {
            fn kind() -> TypeKind {
                TypeKind::$kind
            }

            fn column(
                rows: usize,
                row: &mut dyn FnMut(usize) -> Result<Option<Self>, EvalError>,
            ) -> Result<ArrayRef, EvalError> {
                numbers::build::<$arrow>(rows, row)
            }
        }
    };
}

number!(i8, Int8Type, TinyInt);
number!(i16, Int16Type, SmallInt);
number!(i32, Int32Type, Int);
number!(i64, Int64Type, BigInt);
number!(f32, Float32Type, Float);
number!(f64, Float64Type, Double);

impl Output for bool {
    fn kind() -> TypeKind {
        TypeKind::Boolean
    }

    fn column(
        rows: usize,
        row: &mut dyn FnMut(usize) -> Result<Option<Self>, EvalError>,
    ) -> Result<ArrayRef, EvalError> {
        booleans::build(rows, row)
    }
}

macro_rules! text {
    ($rust:ty) => {
        impl Output for $rust {
            fn kind() -> TypeKind {
                TypeKind::STRING
            }

            fn column(
                rows: usize,
                row: &mut dyn FnMut(usize) -> Result<Option<Self>, EvalError>,
            ) -> Result<ArrayRef, EvalError> {
                strings::build(rows, |i, out| {
                    let text = row(i)?;
                    text.iter().for_each(|t| out.push_str(t));
                    Ok(text.is_some())
                })
            }
        }
    };
}

text!(String);
text!(&'static str);

impl Output for Vec<u8> {
    fn kind() -> TypeKind {
        TypeKind::BYTES
    }

    fn column(
        rows: usize,
        row: &mut dyn FnMut(usize) -> Result<Option<Self>, EvalError>,
    ) -> Result<ArrayRef, EvalError> {
        let mut out = BinaryBuilder::new();
        for i in 0..rows {
            out.append_option(row(i)?);
        }
        Ok(Arc::new(out.finish()))
    }
}

macro_rules! plain {
    ($($rust:ty),*) => {$(
        impl Returned for $rust {
            type Value = $rust;

            fn returned(self) -> Result<Option<Self>, String> {
                Ok(Some(self))
            }
        }
    )*};
}

plain!(bool, i8, i16, i32, i64, f32, f64, String, &'static str, Vec<u8>);

impl<T: Output> Returned for Option<T> {
    type Value = T;
    const NULLABLE: bool = true;

    fn returned(self) -> Result<Option<T>, String> {
        Ok(self)
    }
}

impl<T: Returned, E: Display> Returned for Result<T, E> {
    type Value = T::Value;
    const NULLABLE: bool = T::NULLABLE;
    const FALLIBLE: bool = true;

    fn returned(self) -> Result<Option<T::Value>, String> {
        self.map_err(|e| e.to_string())?.returned()
    }
}
