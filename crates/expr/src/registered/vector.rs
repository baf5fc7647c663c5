//! Functions of whole columns.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use millstream_types::{DataType, Fault, TypeKind};

use super::{Body, kernel};
use crate::coerce::implicit_cast;
use crate::kernel::Arguments;
use crate::{BoundCall, Call, EvalContext, EvalError};

/// A function of whole columns. Typed views of them come from [`Arguments`], columns of results from [`crate::kernel`]'s builders or Arrow.
pub trait VectorFunction: Send + Sync + 'static {
    /// The types of the arguments; what is given is converted to them where Flink does so implicitly.
    fn parameters(&self) -> Vec<TypeKind>;

    /// The type of the result for arguments of these types (which are [`VectorFunction::parameters`], with their nullability).
    fn result(&self, arguments: &[DataType]) -> DataType;

    /// The results: `arguments.rows()` entries, in the Arrow form of the result's type (`DataType::to_arrow`).
    ///
    /// # Errors
    /// [`EvalError::at_row`] with the row that fails.
    fn eval(&self, arguments: &Arguments<'_>, context: &EvalContext) -> Result<ArrayRef, EvalError>;
}

pub(super) struct VectorBody {
    name: Arc<str>,
    function: Arc<dyn VectorFunction>,
}

impl VectorBody {
    pub(super) fn new(name: &str, function: impl VectorFunction) -> Self {
        VectorBody { name: name.into(), function: Arc::new(function) }
    }
}

impl Body for VectorBody {
    fn signature(&self) -> String {
        let parameters = self.function.parameters();
        let types: Vec<DataType> = parameters.into_iter().map(TypeKind::nullable).collect();
        let result = self.function.result(&types);
        signature(types.iter().map(|t| &t.kind), &result.kind)
    }

    fn bind(&self, call: &Call<'_>, form: &str, per_row: bool) -> Result<BoundCall, Fault> {
        let args = converted(call, form, self.function.parameters())?;
        let types: Vec<DataType> = args.iter().map(|a| a.data_type.clone()).collect();
        let result = self.function.result(&types);
        let (arrow, name, function) = (result.to_arrow(), self.name.clone(), self.function.clone());
        let evaluate = move |arguments: &Arguments<'_>, context: &EvalContext| {
            let array = function.eval(arguments, context)?;
            if array.len() == arguments.rows() && array.data_type() == &arrow {
                return Ok(array);
            }
            Err(Fault::user(
                "registered-function",
                format!(
                    "function '{name}' gave {} values of {} for {} rows of {arrow}",
                    array.len(),
                    array.data_type(),
                    arguments.rows()
                ),
            )
            .into())
        };
        Ok(BoundCall::new(result, args, kernel(per_row, Box::new(evaluate))).fallible())
    }
}

/// `(STRING, BIGINT) -> STRING`.
pub(super) fn signature<'t>(parameters: impl Iterator<Item = &'t TypeKind>, result: &TypeKind) -> String {
    let parameters: Vec<String> = parameters.map(TypeKind::to_string).collect();
    format!("({}) -> {result}", parameters.join(", "))
}

/// The arguments, converted where Flink does so implicitly.
pub(super) fn converted(
    call: &Call<'_>,
    form: &str,
    parameters: Vec<TypeKind>,
) -> Result<Vec<crate::Expr>, Fault> {
    call.expect(parameters.len(), parameters.len(), form)?;
    let typed = call.args.iter().zip(parameters);
    typed
        .map(|(arg, kind)| {
            // Texts and bytes of any length are held alike.
            let same = kind.is_string() && arg.data_type.kind.is_string()
                || kind.is_binary() && arg.data_type.kind.is_binary();
            if same {
                return Ok(arg.clone());
            }
            implicit_cast(arg.clone(), &kind.nullable()).map_err(|_| call.refuse(form))
        })
        .collect()
}
