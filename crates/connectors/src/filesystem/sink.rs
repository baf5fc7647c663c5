//! Writes part files.
//!
//! Rows go to files with hidden names, `.part-<job>-<start>-<subtask>-<n>.inprogress`. At a checkpoint all of them are closed and synced;
//! when its manifest is durable they are renamed to `part-<job>-<start>-<subtask>-<n>`. With PARTITIONED BY columns each combination of
//! their values has a directory, `dt=2024-01-01/hour=5`, and the columns are not in the files, as in Hive and Flink.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use arrow::array::UInt32Array;
use millstream_flow::{
    BoxFuture, Committable, Committer, Encoded, Encoder, EncoderFactory, Environment, Sink, SinkSpec, Writer,
    WriterContext,
};
use millstream_types::{Batch, DataType, Fault, SchemaRef, Value};

use super::committer::{Commit, FileCommitter, HeldLock};
use super::options::SinkOptions;
use super::part::{Closed, Part, PartNames, job_prefix, sync_directory};
use super::partition;
use super::run_lock::RunLock;
use crate::waiting::blocking;

/// Files that a writer holds open; the one that was not written to for longest is closed for another.
const MOST_OPEN: usize = 128;

/// A planned sink of files.
#[derive(Debug)]
pub(super) struct FileSink {
    settings: Arc<Settings>,
    /// Held until everything is committed.
    lock: HeldLock,
}

#[derive(Debug)]
struct Settings {
    directory: PathBuf,
    options: SinkOptions,
    encoders: Arc<dyn EncoderFactory>,
    /// The columns that are in the files.
    columns: Vec<usize>,
    schema: SchemaRef,
    partitions: Vec<PartitionColumn>,
    overwrite: bool,
    bounded: bool,
    environment: Environment,
}

#[derive(Debug)]
struct PartitionColumn {
    position: usize,
    name: String,
    data_type: DataType,
}

impl FileSink {
    pub fn new(spec: SinkSpec) -> Result<Self, Fault> {
        let options = SinkOptions::read(&spec.options)?;
        let encoders = spec.encoders.ok_or_else(|| Fault::internal("a file sink without an encoder"))?;
        if spec.overwrite && !spec.bounded {
            return Err(Fault::user("overwrite-unbounded", "INSERT OVERWRITE needs a bounded input")
                .hint("write INSERT INTO, or run the statement on bounded tables"));
        }
        let mut partitions = Vec::new();
        for key in &spec.partition_keys {
            let position = spec.schema.index_of(key).ok_or_else(|| {
                Fault::user("unknown-column", format!("the partition column '{key}' is not declared"))
                    .hint("declare it among the table's columns")
            })?;
            let field = spec.schema.field(position).ok_or_else(|| Fault::internal("partition column"))?;
            partition::check(key, &field.data_type)?;
            partitions.push(PartitionColumn {
                position,
                name: key.clone(),
                data_type: field.data_type.clone(),
            });
        }
        let columns: Vec<usize> =
            (0..spec.schema.len()).filter(|i| partitions.iter().all(|p| p.position != *i)).collect();
        if columns.is_empty() {
            return Err(Fault::user("no-columns", "all columns of the table are partition columns")
                .hint("leave a column out of PARTITIONED BY"));
        }
        let directory = std::path::absolute(&options.path)
            .map_err(|e| super::fault::io_fault("find", &options.path, &e))?;
        Ok(FileSink {
            settings: Arc::new(Settings {
                directory,
                options,
                encoders,
                schema: Arc::new(spec.schema.project(&columns)),
                columns,
                partitions,
                overwrite: spec.overwrite,
                bounded: spec.bounded,
                environment: spec.environment,
            }),
            lock: HeldLock::default(),
        })
    }
}

impl Sink for FileSink {
    fn writer<'a>(&'a self, context: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        Box::pin(async move {
            let settings = Arc::clone(&self.settings);
            super::part::make_directory(&settings.directory)?;
            let names = PartNames::new(context);
            if !context.checkpoints {
                let lock = RunLock::take(&settings.directory, &names);
                self.lock.lock().unwrap_or_else(PoisonError::into_inner).extend(lock);
            }
            Ok(Box::new(FileSinkWriter {
                encoder: settings.encoders.encoder(&settings.schema)?,
                settings,
                names,
                job_prefix: job_prefix(&context.job),
                rolls_by_itself: !context.checkpoints,
                encoded: Encoded::default(),
                number: 0,
                writes: 0,
                open: BTreeMap::new(),
                closed: Vec::new(),
                unprepared: BTreeSet::new(),
                replaced: BTreeSet::new(),
            }) as Box<dyn Writer>)
        })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        Some(Box::new(FileCommitter {
            directory: self.settings.directory.clone(),
            spawner: Arc::clone(&self.settings.environment.spawner),
            _lock: Arc::clone(&self.lock),
        }))
    }
}

struct FileSinkWriter {
    settings: Arc<Settings>,
    names: PartNames,
    job_prefix: String,
    /// Without checkpoints files are published by age and size.
    rolls_by_itself: bool,
    encoder: Box<dyn Encoder>,
    encoded: Encoded,
    number: u64,
    writes: u64,
    /// By directory below the table's.
    open: BTreeMap<String, Part>,
    closed: Vec<Closed>,
    /// Temporary names that no manifest knows yet.
    unprepared: BTreeSet<PathBuf>,
    /// Directories that INSERT OVERWRITE was announced for.
    replaced: BTreeSet<PathBuf>,
}

impl FileSinkWriter {
    /// The rows of a batch by their directory, each in the batch's order.
    fn by_directory(&self, batch: &Batch) -> Vec<(String, Vec<u32>)> {
        let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
        let mut found: HashMap<Vec<Option<String>>, usize> = HashMap::new();
        for row in 0..batch.rows {
            let key: Vec<Option<String>> = self
                .settings
                .partitions
                .iter()
                .map(|p| {
                    let column = batch.columns.get(p.position)?;
                    partition::text_of(&Value::from_array(column.as_ref(), row, &p.data_type), &p.data_type)
                })
                .collect();
            let group = *found.entry(key).or_insert_with_key(|key| {
                let names = self.settings.partitions.iter().zip(key).map(|(p, value)| {
                    let value = value.as_deref().unwrap_or(&self.settings.options.default_partition);
                    format!("{}={}", partition::escape(&p.name), partition::escape(value))
                });
                groups.push((names.collect::<Vec<_>>().join("/"), Vec::new()));
                groups.len() - 1
            });
            if let Some((_, rows)) = groups.get_mut(group) {
                rows.push(row as u32);
            }
        }
        groups
    }

    async fn append(&mut self, directory: String, batch: &Batch) -> Result<(), Fault> {
        let columns = self.settings.columns.iter().filter_map(|i| batch.columns.get(*i).cloned()).collect();
        let batch = batch.with_columns(self.settings.schema.clone(), columns);
        self.encoded.clear();
        self.encoder.encode(&batch, &mut self.encoded)?;
        self.writes += 1;
        if !self.open.contains_key(&directory) {
            if self.open.len() >= MOST_OPEN
                && let Some(oldest) =
                    self.open.iter().min_by_key(|(_, p)| p.last_write).map(|(d, _)| d.clone())
            {
                self.close(&oldest).await?;
            }
            let part = Part::create(
                &self.settings.directory.join(&directory),
                &self.names,
                &mut self.number,
                self.settings.options.compression,
                self.settings.environment.clock.now_millis(),
            )?;
            self.unprepared.insert(part.temporary.clone());
            self.open.insert(directory.clone(), part);
        }
        let Some(part) = self.open.get_mut(&directory) else { return Err(Fault::internal("open part")) };
        part.last_write = self.writes;
        part.append(&self.encoded.data)?;
        if part.bytes >= self.settings.options.file_size {
            self.close(&directory).await?;
        }
        Ok(())
    }

    async fn close(&mut self, directory: &str) -> Result<(), Fault> {
        if let Some(part) = self.open.remove(directory) {
            let spawner = Arc::clone(&self.settings.environment.spawner);
            self.closed.push(blocking(&*spawner, "close file", move || part.close()).await?);
        }
        Ok(())
    }

    async fn prepare(&mut self) -> Result<Vec<Committable>, Fault> {
        let open = std::mem::take(&mut self.open);
        let mut closed = self.closed.clone();
        let spawner = Arc::clone(&self.settings.environment.spawner);
        let closed = blocking(&*spawner, "close files", move || {
            for part in open.into_values() {
                closed.push(part.close()?);
            }
            let directories: BTreeSet<_> = closed.iter().filter_map(|c| c.temporary.parent()).collect();
            directories.into_iter().try_for_each(sync_directory)?;
            Ok(closed)
        })
        .await?;
        let mut out = Vec::new();
        if self.settings.overwrite {
            let mut directories: BTreeSet<PathBuf> =
                closed.iter().filter_map(|c| c.visible.parent().map(PathBuf::from)).collect();
            if self.settings.partitions.is_empty() {
                // Also when there is no row: the table is empty then.
                directories.insert(self.settings.directory.clone());
            }
            for directory in directories {
                if self.replaced.insert(directory.clone()) {
                    out.push(Commit::Replace { directory, keep: self.job_prefix.clone() }.to_committable());
                }
            }
        }
        out.extend(closed.into_iter().map(|c| Commit::Publish(c).to_committable()));
        self.closed.clear();
        self.unprepared.clear();
        Ok(out)
    }
}

impl Writer for FileSinkWriter {
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            if batch.rows == 0 {
                return Ok(());
            }
            if self.settings.partitions.is_empty() {
                return self.append(String::new(), batch).await;
            }
            let mut groups = self.by_directory(batch);
            if groups.len() == 1
                && let Some((directory, _)) = groups.pop()
            {
                return self.append(directory, batch).await;
            }
            for (directory, rows) in groups {
                let rows = batch.take(&UInt32Array::from(rows))?;
                self.append(directory, &rows).await?;
            }
            Ok(())
        })
    }

    fn prepare(&mut self, _checkpoint: u64) -> BoxFuture<'_, Result<Vec<Committable>, Fault>> {
        Box::pin(FileSinkWriter::prepare(self))
    }

    fn wants_prepare(&self, now_millis: i64) -> bool {
        // A clock that was set back makes nothing overdue.
        let age = |p: &Part| u64::try_from(now_millis.saturating_sub(p.opened_millis)).unwrap_or(0);
        let overdue = |p: &Part| age(p) >= self.settings.options.rollover_millis;
        self.rolls_by_itself
            && !self.settings.bounded
            && (!self.closed.is_empty() || self.open.values().any(overdue))
    }

    fn abort(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            self.open.clear();
            self.closed.clear();
            for path in std::mem::take(&mut self.unprepared) {
                // One that cannot be removed now is removed by the next start.
                let _ = fs::remove_file(path);
            }
            Ok(())
        })
    }
}
