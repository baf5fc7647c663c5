//! The sinks of a job: their writers, with the encoders of their tables.

use std::sync::Arc;

use millstream_flow::{
    Committer, Encoder, EncoderFactory, EncoderSpec, Format, Options, Sink, SinkSpec, WriterContext,
};
use millstream_plan::{JobPlan, SinkOp, SinkTarget, TableSpec};
use millstream_types::{Fault, SchemaRef};
use tokio::sync::{mpsc, watch};

use super::build::BuiltSink;
use super::coordinator::Event;
use super::job::JobContext;
use super::progress::{Progress, SinkProgress};
use super::sink_task::SinkTask;
use crate::checkpoint::Manifest;
use crate::exchange::{Merger, Receiver};

/// Makes the sinks of one start of a job.
pub(super) struct SinkMaker<'a> {
    pub(super) context: &'a JobContext,
    pub(super) plan: &'a JobPlan,
    pub(super) begin: &'a Manifest,
    pub(super) bounded: bool,
    pub(super) events: &'a mpsc::UnboundedSender<Event>,
    pub(super) cancelled: &'a watch::Receiver<bool>,
}

impl SinkMaker<'_> {
    /// A task for each instance of the sink's input, or one for all where there can be only one.
    #[allow(clippy::too_many_arguments)] // the parts of one sink
    pub(super) async fn sinks(
        &self,
        id: &str,
        op: &SinkOp,
        schema: &SchemaRef,
        statement: usize,
        inputs: Vec<Receiver>,
        built: &mut Vec<BuiltSink>,
        progress: &mut Progress,
    ) -> Result<(), Fault> {
        let alone = match &op.target {
            SinkTarget::Collect => true,
            SinkTarget::Table(table) => table.options.integer("sink.parallelism", 0)? == 1,
        };
        let inputs: Vec<Vec<Receiver>> =
            if alone { vec![inputs] } else { inputs.into_iter().map(|i| vec![i]).collect() };
        let counters = Arc::new(SinkProgress { name: op.name.clone(), ..SinkProgress::default() });
        progress.sinks.push(counters.clone());
        let parallelism = inputs.len();
        for (index, inputs) in inputs.into_iter().enumerate() {
            let sink: Arc<dyn Sink> = match &op.target {
                SinkTarget::Table(table) => self.table_sink(table, op, schema)?,
                SinkTarget::Collect => {
                    let rows = self
                        .context
                        .collect
                        .clone()
                        .ok_or_else(|| Fault::internal("nobody takes the rows of the SELECT"))?;
                    Arc::new(super::collect::CollectSink { rows })
                }
            };
            let number = built.len();
            let context = WriterContext {
                job: self.begin.job.clone(),
                start: self.begin.start.max(1),
                // Several sinks may write into one directory: the number tells their files apart.
                subtask: number,
                index,
                parallelism,
                checkpoints: self.context.storage.is_some(),
            };
            let writer = sink.writer(&context).await?;
            let committer: Option<Arc<dyn Committer>> = sink.committer().map(Arc::from);
            built.push(BuiltSink {
                id: id.to_string(),
                task: SinkTask {
                    number,
                    op: op.clone(),
                    statement,
                    input: Merger::new(inputs),
                    writer,
                    committer: committer.clone(),
                    progress: counters.clone(),
                    events: self.events.clone(),
                    cancelled: self.cancelled.clone(),
                    rolls: self.context.storage.is_none() && !self.bounded,
                    clock: self.context.environment.clock.clone(),
                },
                committer,
                context,
                worker: (parallelism > 1).then_some(index),
            });
        }
        Ok(())
    }

    fn table_sink(&self, table: &TableSpec, op: &SinkOp, schema: &SchemaRef) -> Result<Arc<dyn Sink>, Fault> {
        let connector = self
            .context
            .parts
            .connector(&table.connector)
            .ok_or_else(|| Fault::internal(format!("no connector '{}'", table.connector)))?;
        let zone = self.plan.settings.zone.clone();
        let encoders: Option<Arc<dyn EncoderFactory>> =
            match crate::scan::format_of(table, self.context.parts.as_ref())? {
                None => None,
                Some(format) => Some(Arc::new(TableEncoders {
                    format,
                    options: table.format_options.clone(),
                    zone: zone.clone(),
                })),
            };
        // The sink's own names: the query's columns may be called otherwise.
        let named = SchemaRef::new(millstream_types::Schema::new(
            schema
                .fields
                .iter()
                .enumerate()
                .map(|(i, f)| match table.schema.field(i) {
                    Some(own) if table.schema.len() == schema.len() => own.clone(),
                    _ => f.clone(),
                })
                .collect(),
        ));
        connector.sink(SinkSpec {
            table: table.name.clone(),
            schema: named,
            options: crate::scan::connector_options(&table.options),
            encoders,
            partition_keys: table.partition_keys.clone(),
            primary_key: table.primary_key.clone(),
            overwrite: op.overwrite,
            bounded: self.bounded,
            zone,
            environment: self.context.environment.clone(),
        })
    }
}

#[derive(Debug)]
struct TableEncoders {
    format: &'static dyn Format,
    options: Options,
    zone: Arc<str>,
}

impl EncoderFactory for TableEncoders {
    fn encoder(&self, schema: &SchemaRef) -> Result<Box<dyn Encoder>, Fault> {
        self.format.encoder(EncoderSpec {
            schema: schema.clone(),
            options: self.options.clone(),
            zone: self.zone.clone(),
        })
    }
}
