//! What the tests of all rooms use: a directory that goes away, a spawner, an encoder of lines.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use millstream_flow::{
    BoxFuture, Encoded, Encoder, EncoderFactory, Environment, Options, RecordSpan, SinkSpec, SourceSpec,
    Spawner, WriterContext,
};
use millstream_types::{
    Batch, DataType, Fault, Field, ManualClock, RowKind, Schema, SchemaRef, SeededRandom, Value,
};

/// A sink's only writer, in a job's first start with checkpoints.
pub fn only_writer() -> WriterContext {
    WriterContext { job: "j".into(), start: 1, subtask: 0, index: 0, parallelism: 1, checkpoints: true }
}

/// A directory that is removed at the end of the test.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        // In memory where there is such a place: hundreds of syncs of a busy disk take minutes.
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let path = root.join(format!("millstream-connectors-{}-{n}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        TempDir(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn text(&self) -> String {
        self.0.to_str().unwrap().to_string()
    }

    /// Writes a file below it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug)]
struct TestSpawner;

impl Spawner for TestSpawner {
    #[allow(clippy::disallowed_methods)] // this is the Spawner
    fn spawn(&self, _: &str, task: BoxFuture<'static, ()>) {
        tokio::task::spawn(task);
    }

    fn blocking(&self, _: &str, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        let work = tokio::task::spawn_blocking(work);
        Box::pin(async move { work.await.unwrap() })
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(std::time::Duration::from_millis(millis)))
    }
}

/// An environment whose clock stands at `clock`.
pub fn environment(clock: &Arc<ManualClock>) -> Environment {
    Environment {
        clock: clock.clone(),
        random: Arc::new(SeededRandom::new(7)),
        spawner: Arc::new(TestSpawner),
    }
}

/// Runs a future to its end.
pub fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// A schema of named columns.
pub fn schema(columns: &[(&str, DataType)]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|(n, t)| Field::new(*n, t.clone())).collect()))
}

/// A source's spec with these options.
pub fn source_spec(schema: SchemaRef, options: &[(&str, &str)]) -> SourceSpec {
    SourceSpec {
        table: "t".into(),
        schema,
        options: options.iter().copied().collect::<Options>(),
        framing: None,
        metadata: Vec::new(),
        partition_keys: Vec::new(),
        environment: environment(&Arc::new(ManualClock::new(0))),
    }
}

/// A sink's spec with these options.
pub fn sink_spec(schema: SchemaRef, options: &[(&str, &str)]) -> SinkSpec {
    SinkSpec {
        table: "t".into(),
        schema,
        options: options.iter().copied().collect::<Options>(),
        encoders: Some(Arc::new(PipedLines)),
        partition_keys: Vec::new(),
        primary_key: Vec::new(),
        overwrite: false,
        bounded: true,
        zone: "UTC".into(),
        environment: environment(&Arc::new(ManualClock::new(0))),
    }
}

/// A batch of inserts.
pub fn batch(schema: &SchemaRef, rows: &[Vec<Value>]) -> Batch {
    let rows: Vec<_> = rows.iter().map(|r| (RowKind::Insert, r.clone())).collect();
    Batch::from_rows(schema.clone(), &rows).unwrap()
}

/// Encodes rows as `a|b` lines.
#[derive(Debug)]
pub struct PipedLines;

impl EncoderFactory for PipedLines {
    fn encoder(&self, _: &SchemaRef) -> Result<Box<dyn Encoder>, Fault> {
        Ok(Box::new(PipedLines))
    }
}

impl Encoder for PipedLines {
    fn encode(&mut self, batch: &Batch, out: &mut Encoded) -> Result<(), Fault> {
        for row in 0..batch.rows {
            let start = out.data.len() as u32;
            let text: Vec<String> = batch
                .row(row)
                .iter()
                .map(|v| match v {
                    Value::String(s) => s.to_string(),
                    Value::Int(i) => i.to_string(),
                    other => format!("{other:?}"),
                })
                .collect();
            out.data.extend_from_slice(text.join("|").as_bytes());
            out.records.push(RecordSpan { start, end: out.data.len() as u32 });
            out.data.push(b'\n');
        }
        Ok(())
    }
}
