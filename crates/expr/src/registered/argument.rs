//! Rust types as arguments.

use arrow::array::{BinaryArray, BooleanArray};
use arrow::datatypes::{Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use millstream_types::{Fault, TypeKind};

use crate::kernel::numbers::Numbers;
use crate::kernel::strings::Strings;
use crate::kernel::{Arguments, View};

/// A Rust type that a registered function may take:
///
/// | Rust | SQL |
/// |---|---|
/// | `bool` | BOOLEAN |
/// | `i8`, `i16`, `i32`, `i64` | TINYINT, SMALLINT, INT, BIGINT |
/// | `f32`, `f64` | FLOAT, DOUBLE |
/// | `&str`, `String` | STRING |
/// | `&[u8]`, `Vec<u8>` | BYTES |
/// | `Option<T>` | as `T`; NULL is `None` |
pub trait Argument {
    /// The type in the life of a row.
    type Of<'a>;
    /// The typed column.
    type View<'a>;
    /// Whether NULL is handed to the function.
    const TAKES_NULL: bool = false;

    /// The SQL type.
    fn kind() -> TypeKind;

    /// The column of an argument.
    ///
    /// # Errors
    /// Internal, when it is of another type.
    fn view<'a>(arguments: &Arguments<'a>, index: usize) -> Result<Self::View<'a>, Fault>;

    /// The value of a row; `None`: the function is not called, the result is NULL.
    fn get<'a>(view: &Self::View<'a>, row: usize) -> Option<Self::Of<'a>>;
}

macro_rules! number {
    ($rust:ty, $arrow:ty, $kind:ident) => {
        impl Argument for $rust {
            type Of<'a> = $rust;
            type View<'a> = Numbers<'a, $arrow>;

            fn kind() -> TypeKind {
                TypeKind::$kind
            }

            fn view<'a>(arguments: &Arguments<'a>, index: usize) -> Result<Self::View<'a>, Fault> {
                arguments.numbers(index)
            }

            fn get<'a>(view: &Self::View<'a>, row: usize) -> Option<Self::Of<'a>> {
                view.get(row)
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

macro_rules! viewed {
    ($rust:ty, $of:ty, $view:ty, $kind:expr, $method:ident, $convert:expr) => {
        impl Argument for $rust {
            type Of<'a> = $of;
            type View<'a> = $view;

            fn kind() -> TypeKind {
                $kind
            }

            fn view<'a>(arguments: &Arguments<'a>, index: usize) -> Result<Self::View<'a>, Fault> {
                arguments.$method(index)
            }

            fn get<'a>(view: &Self::View<'a>, row: usize) -> Option<Self::Of<'a>> {
                view.get(row).map($convert)
            }
        }
    };
}

viewed!(bool, bool, View<'a, BooleanArray>, TypeKind::Boolean, booleans, |v| v);
viewed!(&str, &'a str, Strings<'a>, TypeKind::STRING, strings, |v| v);
viewed!(String, String, Strings<'a>, TypeKind::STRING, strings, str::to_string);
viewed!(&[u8], &'a [u8], View<'a, BinaryArray>, TypeKind::BYTES, binaries, |v| v);
viewed!(Vec<u8>, Vec<u8>, View<'a, BinaryArray>, TypeKind::BYTES, binaries, <[u8]>::to_vec);

impl<T: Argument> Argument for Option<T> {
    type Of<'a> = Option<T::Of<'a>>;
    type View<'a> = T::View<'a>;
    const TAKES_NULL: bool = true;

    fn kind() -> TypeKind {
        T::kind()
    }

    fn view<'a>(arguments: &Arguments<'a>, index: usize) -> Result<Self::View<'a>, Fault> {
        T::view(arguments, index)
    }

    fn get<'a>(view: &Self::View<'a>, row: usize) -> Option<Self::Of<'a>> {
        Some(T::get(view, row))
    }
}
