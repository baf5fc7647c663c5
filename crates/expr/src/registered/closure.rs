//! Closures as functions.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow::array::ArrayRef;
use millstream_types::{DataType, Fault, TypeKind};

use super::vector::{converted, signature};
use super::{Argument, Body, Output, Returned, kernel};
use crate::kernel::Arguments;
use crate::{BoundCall, Call, EvalContext, EvalError};

/// Closures and `fn`s whose arguments are [`Argument`]s and that return what is [`Returned`]. `Types` are those of its signature, which the compiler finds.
pub trait RowFunction<Types>: Send + Sync + 'static {
    /// The types of the arguments, and whether NULL is handed to the function.
    fn parameters() -> Vec<(TypeKind, bool)>;

    /// The result's type, whether it may be NULL and whether it may be an error.
    fn result() -> (TypeKind, bool, bool);

    /// The results of the rows.
    ///
    /// # Errors
    /// The first row's whose result is an error.
    fn eval(&self, arguments: &Arguments<'_>) -> Result<ArrayRef, EvalError>;
}

macro_rules! row_function {
    ($($argument:ident $index:tt),*) => {
        // The two bounds of the function are one and the same to the caller: the first lets the compiler read the argument types off the closure, the second
        // calls it with values of any life.
        impl<Function, Result_, $($argument),*> RowFunction<(Result_, $($argument,)*)> for Function
        where
            Function: Send + Sync + 'static,
            for<'f> &'f Function: Fn($($argument),*) -> Result_ + Fn($($argument::Of<'_>),*) -> Result_,
            Result_: Returned,
            $($argument: Argument),*
        {
            fn parameters() -> Vec<(TypeKind, bool)> {
                vec![$(($argument::kind(), $argument::TAKES_NULL)),*]
            }

            fn result() -> (TypeKind, bool, bool) {
                (Result_::Value::kind(), Result_::NULLABLE, Result_::FALLIBLE)
            }

            #[allow(non_snake_case, unused_variables)]
            fn eval(&self, arguments: &Arguments<'_>) -> Result<ArrayRef, EvalError> {
                // The closure is seen with the values' types, not with those of its signature.
                #[allow(clippy::too_many_arguments)] // as many as the closure has
                fn call<Result_, $($argument),*>(
                    function: impl Fn($($argument),*) -> Result_,
                    $($argument: $argument),*
                ) -> Result_ {
                    function($($argument),*)
                }
                let views = ($($argument::view(arguments, $index)?,)*);
                Result_::Value::column(arguments.rows(), &mut |row| {
                    $(let Some($argument) = $argument::get(&views.$index, row) else { return Ok(None) };)*
                    call(self, $($argument),*)
                        .returned()
                        .map_err(|message| EvalError::at_row(row, Fault::user("function-failed", message)))
                })
            }
        }
    };
}

row_function!();
row_function!(A 0);
row_function!(A 0, B 1);
row_function!(A 0, B 1, C 2);
row_function!(A 0, B 1, C 2, D 3);
row_function!(A 0, B 1, C 2, D 3, E 4);
row_function!(A 0, B 1, C 2, D 3, E 4, F 5);
row_function!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
row_function!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

struct RowBody<F, Types> {
    function: Arc<F>,
    types: PhantomData<fn() -> Types>,
}

pub(super) fn body<Types: 'static, F: RowFunction<Types>>(function: F) -> Arc<dyn Body> {
    Arc::new(RowBody { function: Arc::new(function), types: PhantomData })
}

impl<Types: 'static, F: RowFunction<Types>> Body for RowBody<F, Types> {
    fn signature(&self) -> String {
        let parameters = F::parameters();
        signature(parameters.iter().map(|(kind, _)| kind), &F::result().0)
    }

    fn bind(&self, call: &Call<'_>, form: &str, per_row: bool) -> Result<BoundCall, Fault> {
        let parameters = F::parameters();
        let (kind, nullable, fallible) = F::result();
        let args = converted(call, form, parameters.iter().map(|(kind, _)| kind.clone()).collect())?;
        let strict_null =
            args.iter().zip(&parameters).any(|(arg, (_, takes_null))| !takes_null && arg.data_type.nullable);
        let function = self.function.clone();
        let name: Arc<str> = call.name.into();
        let evaluate = move |arguments: &Arguments<'_>, _: &EvalContext| {
            function.eval(arguments).map_err(|e| {
                let fault = match e.fault.code() {
                    "function-failed" => Fault::user(
                        "function-failed",
                        format!("function '{name}' failed: {}", e.fault.message()),
                    ),
                    _ => e.fault,
                };
                EvalError { row: e.row, fault }
            })
        };
        let kernel = kernel(per_row, Box::new(evaluate));
        let bound = BoundCall::new(DataType { kind, nullable: nullable || strict_null }, args, kernel);
        Ok(if fallible { bound.fallible() } else { bound })
    }
}
