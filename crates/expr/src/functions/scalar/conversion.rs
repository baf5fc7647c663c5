//! TYPEOF.

use std::sync::Arc;

use arrow::array::StringArray;
use millstream_types::{DataType, Fault};

use crate::{BoundCall, Call, Column, EvalContext, EvalError, Example, Function, Kernel, Rows};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "TYPEOF",
    "TYPEOF(value ANY [, force_serializable BOOLEAN]) -> STRING",
    "The type of the value, with NOT NULL where it cannot be NULL. The value is not evaluated.",
    &[Example::new("TYPEOF(1.50)", "DECIMAL(3, 2) NOT NULL")],
    type_of,
)];

#[derive(Debug)]
struct Known(String);

impl Kernel for Known {
    fn eval(&self, _: &[Column], _: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        Ok(Column::Constant(Arc::new(StringArray::from(vec![self.0.as_str()]))))
    }

    fn needs(&self, _: usize) -> usize {
        0
    }
}

fn type_of(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(1, 2, "TYPEOF(<ANY>)\nTYPEOF(<ANY>, <BOOLEAN>)")?;
    let name = call.arg(0)?.data_type.to_string();
    Ok(BoundCall::new(DataType::string(), call.args.to_vec(), Arc::new(Known(name))))
}
