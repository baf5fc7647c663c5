//! Casts between every pair of types that Flink casts, column by column.

use millstream_types::{DataType, Fault};

use crate::{Column, EvalContext, EvalError, Kernel, Rows};

/// CAST under `table.exec.legacy-cast-behaviour` = ENABLED: NULL for what cannot be converted, no padding.
#[derive(Debug)]
pub(crate) struct LegacyCast {
    pub(crate) from: DataType,
    pub(crate) to: DataType,
}

impl Kernel for LegacyCast {
    fn eval(&self, _: &[Column], _: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        Err(Fault::not_yet(format!("legacy cast from {} to {}", self.from, self.to)).into())
    }
}
