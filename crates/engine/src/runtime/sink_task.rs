//! A task that writes: batches in, `prepare` at barriers.

use std::sync::Arc;

use arrow::array::{Array, BooleanArray};
use millstream_flow::{Barrier, Committer, Writer};
use millstream_plan::SinkOp;
use millstream_types::{Batch, Clock, Fault};
use tokio::sync::{mpsc, watch};

use super::{Event, Progress, SinkProgress};
use crate::exchange::{Merged, Merger};

/// Milliseconds between two looks at whether a writer wants to roll by time.
const ROLL_CHECK: u64 = 1000;

/// Everything a sink task needs.
pub(super) struct SinkTask {
    pub(super) number: usize,
    pub(super) op: SinkOp,
    pub(super) statement: usize,
    pub(super) input: Merger,
    pub(super) writer: Box<dyn Writer>,
    pub(super) committer: Option<Arc<dyn Committer>>,
    pub(super) progress: Arc<SinkProgress>,
    pub(super) events: mpsc::UnboundedSender<Event>,
    /// Turns true when the job is given up: what is not prepared is thrown away.
    pub(super) cancelled: watch::Receiver<bool>,
    /// Without checkpoints and without an end, output is committed by time and size.
    pub(super) rolls: bool,
    pub(super) clock: Arc<dyn Clock>,
}

impl SinkTask {
    pub(super) async fn run(mut self) {
        let outcome = self.work().await;
        if let Err(fault) = outcome {
            let _ = self.events.send(Event::Failed { statement: Some(self.statement), fault });
        }
        // Harmless when everything has been prepared.
        if let Err(fault) = self.writer.abort().await {
            let _ = self.events.send(Event::Failed { statement: Some(self.statement), fault });
        }
        let _ = self.events.send(Event::SinkEnded);
    }

    async fn work(&mut self) -> Result<(), Fault> {
        let mut rolled = 0;
        loop {
            let next = tokio::select! {
                biased;
                _ = self.cancelled.wait_for(|c| *c) => return Ok(()),
                element = self.input.next() => Some(element),
                () = tokio::time::sleep(std::time::Duration::from_millis(ROLL_CHECK)), if self.rolls => None,
            };
            let Some(element) = next else {
                self.roll(&mut rolled).await?;
                continue;
            };
            match element {
                Merged::Batch(_, batch) => {
                    self.write(batch).await?;
                    if self.rolls {
                        self.roll(&mut rolled).await?;
                    }
                }
                Merged::Barrier(barrier) => self.prepare(barrier).await?,
                Merged::Watermark(_) | Merged::Idle => {}
                // Without an end, the task before failed; the coordinator knows.
                Merged::End | Merged::Gone => return Ok(()),
            }
        }
    }

    async fn write(&mut self, batch: Batch) -> Result<(), Fault> {
        let batch = enforce_not_null(batch, &self.op)?;
        if batch.rows > 0 {
            self.writer.write(&batch).await?;
            Progress::add(&self.progress.rows, batch.rows as u64);
        }
        Ok(())
    }

    async fn prepare(&mut self, barrier: Barrier) -> Result<(), Fault> {
        let committables = self.writer.prepare(barrier.checkpoint).await?;
        let _ = self.events.send(Event::SinkAck {
            sink: self.number,
            checkpoint: barrier.checkpoint,
            committables,
        });
        Ok(())
    }

    async fn roll(&mut self, rolled: &mut u64) -> Result<(), Fault> {
        if self.writer.wants_prepare(self.clock.now_millis()) {
            *rolled += 1;
            let committables = self.writer.prepare(*rolled).await?;
            if let Some(committer) = &self.committer {
                for committable in &committables {
                    committer.commit(committable).await?;
                }
            }
        }
        Ok(())
    }
}

/// `table.exec.sink.not-null-enforcer`: rows with NULL in a NOT NULL column fail the job or are dropped.
fn enforce_not_null(batch: Batch, op: &SinkOp) -> Result<Batch, Fault> {
    let null_in = |column: &usize| batch.columns.get(*column).is_some_and(|c| c.null_count() > 0);
    let Some(column) = op.not_null.iter().copied().find(|c| null_in(c)) else { return Ok(batch) };
    if !op.drop_null {
        let name = batch.schema.field(column).map_or("?", |f| &*f.name);
        return Err(Fault::user(
            "null-in-not-null",
            format!(
                "column '{name}' of table '{}' is NOT NULL, but a row with NULL is to be written",
                op.name
            ),
        )
        .hint("SET 'table.exec.sink.not-null-enforcer' = 'DROP' drops such rows; or use COALESCE"));
    }
    let keep: BooleanArray = (0..batch.rows)
        .map(|row| Some(op.not_null.iter().all(|c| batch.columns.get(*c).is_none_or(|a| a.is_valid(row)))))
        .collect();
    batch.filter(&keep)
}
