//! Tools for writing kernels: typed views of argument columns and builders of result columns.
//!
//! A kernel made by [`simple`] sees its arguments as [`Arguments`] and gives one array: of `arguments.rows()` entries, which is 1
//! when every argument is constant (the result is then constant, too).
//!
//! ```
//! use millstream_expr::kernel::{simple, strings};
//! let upper = simple("UPPER", |arguments, _| {
//!     let text = arguments.strings(0)?;
//!     strings::build(arguments.rows(), |row, out| {
//!         let Some(s) = text.get(row) else { return Ok(false) };
//!         out.push_str(&s.to_uppercase());
//!         Ok(true)
//!     })
//! });
//! ```

pub mod booleans;
pub mod hash;
pub mod numbers;
pub mod strings;

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryArray, BooleanArray};
use millstream_types::Fault;

use crate::{Column, EvalContext, EvalError, Kernel, KernelRef, Rows};

/// The arguments of a call and the number of rows of its result.
#[derive(Debug, Clone, Copy)]
pub struct Arguments<'a> {
    columns: &'a [Column],
    rows: usize,
}

impl<'a> Arguments<'a> {
    /// Arguments of an evaluation: one row when all are constant.
    pub fn new(columns: &'a [Column], rows: &Rows<'_>) -> Self {
        let rows = if columns.iter().all(Column::is_constant) { 1 } else { rows.rows };
        Arguments { columns, rows }
    }

    /// How many rows the result has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many arguments there are.
    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// All columns.
    pub fn columns(&self) -> &'a [Column] {
        self.columns
    }

    /// An argument.
    ///
    /// # Errors
    /// Internal, when there is none.
    pub fn column(&self, index: usize) -> Result<&'a Column, Fault> {
        self.columns.get(index).ok_or_else(|| Fault::internal(format!("no argument {index}")))
    }

    /// A CHAR, VARCHAR or VARIANT argument.
    ///
    /// # Errors
    /// Internal, when it is of another type.
    pub fn strings(&self, index: usize) -> Result<strings::Strings<'a>, Fault> {
        strings::Strings::of(self.column(index)?)
    }

    /// An argument held in an Arrow primitive array.
    ///
    /// # Errors
    /// Internal, when it is of another type.
    pub fn numbers<T: ArrowPrimitiveType>(&self, index: usize) -> Result<numbers::Numbers<'a, T>, Fault> {
        numbers::Numbers::of(self.column(index)?)
    }

    /// A BOOLEAN argument.
    ///
    /// # Errors
    /// Internal, when it is of another type.
    pub fn booleans(&self, index: usize) -> Result<View<'a, BooleanArray>, Fault> {
        let column = self.column(index)?;
        let array = column.array().as_boolean_opt().ok_or_else(|| unexpected("BOOLEAN", column))?;
        Ok(View { array, constant: column.is_constant() })
    }

    /// A BINARY or VARBINARY argument.
    ///
    /// # Errors
    /// Internal, when it is of another type.
    pub fn binaries(&self, index: usize) -> Result<View<'a, BinaryArray>, Fault> {
        let column = self.column(index)?;
        let array = column.array().as_binary_opt::<i32>().ok_or_else(|| unexpected("VARBINARY", column))?;
        Ok(View { array, constant: column.is_constant() })
    }
}

/// An array of a type that may stand for every row.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, A> {
    /// The array; of one entry when it is constant.
    pub array: &'a A,
    /// Whether its entry is that of every row.
    pub constant: bool,
}

impl<'a, A: Array> View<'a, A> {
    /// Position of a row's entry in the array.
    #[inline]
    pub fn index(&self, row: usize) -> usize {
        if self.constant { 0 } else { row }
    }

    /// Whether a row's entry is NULL.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.array.is_null(self.index(row))
    }
}

impl<'a> View<'a, BooleanArray> {
    /// The truth at a row, or NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<bool> {
        let i = self.index(row);
        (!self.array.is_null(i)).then(|| self.array.value(i))
    }
}

impl<'a> View<'a, BinaryArray> {
    /// The bytes at a row, or NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        let i = self.index(row);
        (!self.array.is_null(i)).then(|| self.array.value(i))
    }
}

/// A column is not of the type that binding promised.
pub fn unexpected(wanted: &str, column: &Column) -> Fault {
    Fault::internal(format!("a {wanted} was expected, but the column is {}", column.array().data_type()))
}

struct Simple<F> {
    name: &'static str,
    per_row: bool,
    evaluate: F,
}

impl<F> fmt::Debug for Simple<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<F> Kernel for Simple<F>
where
    F: Fn(&Arguments<'_>, &EvalContext) -> Result<ArrayRef, EvalError> + Send + Sync,
{
    fn eval(&self, args: &[Column], rows: &Rows<'_>, context: &EvalContext) -> Result<Column, EvalError> {
        if self.per_row {
            let arguments = Arguments { columns: args, rows: rows.rows };
            return (self.evaluate)(&arguments, context).map(Column::Array);
        }
        let arguments = Arguments::new(args, rows);
        let array = (self.evaluate)(&arguments, context)?;
        let constant = args.iter().all(Column::is_constant);
        Ok(if constant { Column::Constant(array) } else { Column::Array(array) })
    }
}

/// A kernel from a closure: arguments in, one array of `arguments.rows()` entries out.
pub fn simple<F>(name: &'static str, evaluate: F) -> KernelRef
where
    F: Fn(&Arguments<'_>, &EvalContext) -> Result<ArrayRef, EvalError> + Send + Sync + 'static,
{
    Arc::new(Simple { name, per_row: false, evaluate })
}

/// As [`simple`], for functions whose every row is anew (RAND): the result has an entry a row even if all arguments are constant.
pub fn per_row<F>(name: &'static str, evaluate: F) -> KernelRef
where
    F: Fn(&Arguments<'_>, &EvalContext) -> Result<ArrayRef, EvalError> + Send + Sync + 'static,
{
    Arc::new(Simple { name, per_row: true, evaluate })
}

/// A failure of Arrow that binding should have made impossible.
pub fn broken(error: arrow::error::ArrowError) -> EvalError {
    Fault::internal(format!("evaluation: {error}")).into()
}
