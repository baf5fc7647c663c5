//! The rows of a SELECT as a stream.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use millstream_engine::{Completion, JobHandle, JobReport};
use millstream_types::{Batch, Fault, SchemaRef};
use tokio::sync::mpsc;

/// The rows of a query, batch by batch, with their kinds. Dropping it stops the query.
pub struct Rows {
    schema: SchemaRef,
    changes: bool,
    batches: mpsc::Receiver<Batch>,
    job: Option<JobHandle>,
    /// The text, for the places of faults.
    text: String,
    ending: Option<Pin<Box<dyn Future<Output = JobReport> + Send + Sync>>>,
    ended: bool,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Rows {
    pub(crate) fn new(
        schema: SchemaRef,
        changes: bool,
        batches: mpsc::Receiver<Batch>,
        job: JobHandle,
        text: String,
    ) -> Self {
        Rows { schema, changes, batches, job: Some(job), text, ending: None, ended: false }
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Whether rows may be updates and deletions, not only inserts.
    pub fn carries_changes(&self) -> bool {
        self.changes
    }

    /// The query's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The running query.
    pub fn job(&self) -> Option<&JobHandle> {
        self.job.as_ref()
    }

    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// When the query failed; its rows so far were given before.
    pub async fn next(&mut self) -> Result<Option<Batch>, Fault> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await.transpose()
    }

    /// All rows that are left, each with its kind, for tests and small results.
    ///
    /// # Errors
    /// When the query failed.
    pub async fn collect(
        mut self,
    ) -> Result<Vec<(millstream_types::RowKind, Vec<millstream_types::Value>)>, Fault> {
        let mut rows = Vec::new();
        while let Some(batch) = self.next().await? {
            rows.extend((0..batch.rows).map(|i| (batch.kind(i), batch.row(i))));
        }
        Ok(rows)
    }
}

impl Stream for Rows {
    type Item = Result<Batch, Fault>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if self.ending.is_none() {
            match self.batches.poll_recv(context) {
                Poll::Ready(Some(batch)) => return Poll::Ready(Some(Ok(batch))),
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => match self.job.take() {
                    Some(job) => self.ending = Some(Box::pin(job.wait())),
                    None => {
                        self.ended = true;
                        return Poll::Ready(None);
                    }
                },
            }
        }
        let Some(ending) = &mut self.ending else { return Poll::Ready(None) };
        match ending.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(report) => {
                self.ended = true;
                Poll::Ready(match report.completion {
                    Completion::Failed { fault, .. } => Some(Err(fault)),
                    Completion::Finished | Completion::Stopped => None,
                })
            }
        }
    }
}
