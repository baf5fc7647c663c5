//! What an operator is.

use millstream_expr::EvalContext;
use millstream_flow::Watermark;
use millstream_types::{Batch, Fault};

use crate::{StateReader, StateWriter};

/// What an operator may know besides its input.
#[derive(Debug, Clone)]
pub struct OperatorContext {
    /// Time, randomness, the session's zone.
    pub eval: EvalContext,
}

/// Where an operator puts its rows.
#[derive(Debug, Default)]
pub struct Output {
    /// Batches in their order.
    pub batches: Vec<Batch>,
}

impl Output {
    /// Gives rows on; empty batches are left out.
    pub fn push(&mut self, batch: Batch) {
        if batch.rows > 0 {
            self.batches.push(batch);
        }
    }
}

/// An operator of a job. Barriers are the runtime's business: at a barrier it calls [`Operator::snapshot`].
pub trait Operator: Send {
    /// Takes rows of one of its inputs.
    ///
    /// # Errors
    /// User, when a value makes an expression fail; the fault names the row's place.
    fn process(
        &mut self,
        input: usize,
        batch: Batch,
        context: &OperatorContext,
        out: &mut Output,
    ) -> Result<(), Fault>;

    /// The combined watermark of all inputs moved forward; the runtime passes it on behind what this puts out.
    ///
    /// # Errors
    /// As [`Operator::process`].
    fn watermark(
        &mut self,
        watermark: Watermark,
        context: &OperatorContext,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let _ = (watermark, context, out);
        Ok(())
    }

    /// Whether a watermark can make it do anything. Where nothing behind a scan does, the scan sends none: hundreds of rules would pay for them.
    fn uses_watermarks(&self) -> bool {
        true
    }

    /// Writes its state, entry by entry with the key group it belongs to. Operators without state write nothing.
    ///
    /// # Errors
    /// When the state cannot be written.
    fn snapshot(&mut self, into: &mut dyn StateWriter) -> Result<(), Fault> {
        let _ = into;
        Ok(())
    }

    /// Takes over state of the key groups that this instance owns. Called before the first row.
    ///
    /// # Errors
    /// When the state cannot be read or is of another shape.
    fn restore(&mut self, from: &mut dyn StateReader) -> Result<(), Fault> {
        let _ = from;
        Ok(())
    }
}
