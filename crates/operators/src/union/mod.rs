//! `Union`: all rows of all inputs, as they come.

use millstream_types::{Batch, Fault, SchemaRef};

use crate::{Operator, OperatorContext, Output};

/// UNION ALL. The binder has given all inputs the same types; only names may differ.
#[derive(Debug)]
pub struct Union {
    schema: SchemaRef,
}

impl Union {
    /// A union whose rows have this schema.
    pub fn new(schema: SchemaRef) -> Self {
        Union { schema }
    }
}

impl Operator for Union {
    fn process(
        &mut self,
        _: usize,
        mut batch: Batch,
        _: &OperatorContext,
        out: &mut Output,
    ) -> Result<(), Fault> {
        batch.schema = self.schema.clone();
        out.push(batch);
        Ok(())
    }

    fn uses_watermarks(&self) -> bool {
        false
    }
}
