//! The product's own parts, one step at a time.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use millstream::flow::{
    Connector, Decoder, DecoderSpec, Environment, FieldSpec, Options, RawChunk, Read, Source, SourceSpec,
};
use millstream::types::{Fault, FieldSlices, Slices};
use millstream::{EvalContext, Session, StatementResult, SystemClock, SystemRandom, TokioSpawner};
use millstream_plan::{ColumnSource, Op};
use millstream_rules::index::IndexedRules;
use millstream_rules::{Hits, Outcome, Rule, RuleInput, RuleSet};

/// The parts of a scan, and what they made of the file so far.
pub struct Product {
    source: Arc<dyn Source>,
    decoder: Box<dyn Decoder>,
    rules: IndexedRules,
    eval: EvalContext,
    /// For each column of the scan group its position in the table.
    positions: Vec<usize>,
    /// Positions in the table of the rowtime, and of what alerts hold.
    rowtime: usize,
    alert: Vec<usize>,
    chunks: Vec<RawChunk>,
    slices: Vec<Slices>,
    outcomes: Vec<Vec<(usize, Outcome)>>,
    evaluations: u64,
    watched: u64,
    runtime: tokio::runtime::Runtime,
}

impl Product {
    /// The parts of a job's only source.
    pub async fn new(sql: &str, path: &str) -> Result<Self, String> {
        let plain = |f: Fault| f.to_string();
        let mut session = Session::new();
        let mut inserts = Vec::new();
        for statement in session.statements(sql).map_err(|f| f.render("bench"))? {
            if let StatementResult::Insert(plan) = session.statement(&statement, sql).await.map_err(plain)? {
                inserts.push(*plan);
            }
        }
        let plan = Session::merge(inserts);
        let [group] = plan.scan_groups.as_slice() else { return Err("the job has not one source".into()) };
        let positions: Vec<usize> = group
            .columns
            .iter()
            .map(|c| match c {
                ColumnSource::Physical(p) => *p,
                ColumnSource::Metadata { .. } => usize::MAX,
            })
            .collect();
        let mut rules = Vec::new();
        for scan in group.scans.iter().filter_map(|s| plan.nodes.get(s.0)) {
            let Op::Scan(scan) = &scan.op else { continue };
            let mut predicate = scan.filter.clone();
            if let Some(p) = &mut predicate {
                p.map_columns(&|c| scan.columns.get(c).copied().unwrap_or(c));
            }
            rules.push(Rule { id: rules.len(), predicate: predicate.map(Arc::new) });
        }
        let clock = Arc::new(SystemClock::new());
        let environment = Environment {
            clock: clock.clone(),
            random: Arc::new(SystemRandom::new()),
            spawner: Arc::new(TokioSpawner::new(tokio::runtime::Handle::current())),
        };
        let format = millstream_formats::format("json").map_err(plain)?;
        let options = Options::default();
        let schema = group.table.schema.clone();
        let source = millstream_connectors::filesystem::Filesystem
            .source(SourceSpec {
                table: "events".into(),
                schema: schema.clone(),
                options: [("path", path)].into_iter().collect(),
                framing: Some(format.framing(&options).map_err(plain)?),
                metadata: Vec::new(),
                partition_keys: Vec::new(),
                environment: environment.clone(),
            })
            .map_err(plain)?;
        let mut read = positions.clone();
        read.sort_unstable();
        let zone: Arc<str> = Arc::from("UTC");
        let decoder = format
            .decoder(DecoderSpec {
                columns: schema
                    .fields
                    .iter()
                    .map(|f| FieldSpec {
                        name: f.name.clone(),
                        data_type: f.data_type.clone(),
                        paths: Vec::new(),
                    })
                    .collect(),
                read,
                options,
                zone: zone.clone(),
                clock: clock.clone(),
            })
            .map_err(plain)?;
        let position = |name: &str| schema.index_of(name).ok_or_else(|| format!("no column {name}"));
        let alert = ["ts", "host", "user", "cmdline", "url"];
        let mut product = Product {
            source,
            decoder,
            rules: IndexedRules::new(&rules).map_err(plain)?,
            eval: EvalContext {
                clock,
                random: environment.random.clone(),
                zone,
                query_start: 0,
                batch: false,
            },
            positions,
            rowtime: position("ts")?,
            alert: alert.iter().map(|n| position(n)).collect::<Result<_, _>>()?,
            chunks: Vec::new(),
            slices: Vec::new(),
            outcomes: Vec::new(),
            evaluations: 0,
            watched: 0,
            runtime: tokio::runtime::Builder::new_current_thread().build().map_err(|e| e.to_string())?,
        };
        product.chunks = product.all_chunks().await?;
        // The index chooses its anchors on the first chunks; then it is as it is for the rest of a job.
        for _ in 0..2 {
            product.cut(true)?;
            product.evaluate()?;
        }
        product.cut(true)?;
        Ok(product)
    }

    async fn all_chunks(&self) -> Result<Vec<RawChunk>, String> {
        let plain = |f: Fault| f.to_string();
        let mut chunks = Vec::new();
        for split in self.source.discover(&[]).await.map_err(plain)? {
            let mut reader = self.source.open(&split, None).await.map_err(plain)?;
            loop {
                match reader.next().await.map_err(plain)? {
                    Read::Records(chunk) => chunks.push(chunk),
                    Read::End => break,
                    Read::Nothing | Read::Rows(_) => {}
                }
            }
        }
        Ok(chunks)
    }

    /// Reads the file; chunks are dropped as they are in a job, so that their memory is used again.
    pub fn read(&mut self) -> Result<usize, String> {
        let plain = |f: Fault| f.to_string();
        let source = self.source.clone();
        self.runtime.block_on(async {
            let mut records = 0;
            for split in source.discover(&[]).await.map_err(plain)? {
                let mut reader = source.open(&split, None).await.map_err(plain)?;
                loop {
                    match reader.next().await.map_err(plain)? {
                        Read::Records(chunk) => records += chunk.records.len(),
                        Read::End => break,
                        Read::Nothing | Read::Rows(_) => {}
                    }
                }
            }
            Ok(records)
        })
    }

    /// Cuts what the rules want and the rowtime, or nothing: then records are validated only.
    pub fn cut(&mut self, fields: bool) -> Result<(), String> {
        let mut want: Vec<usize> = Vec::new();
        if fields {
            want.extend(self.rules.slice_columns().iter().filter_map(|c| self.positions.get(*c)));
            want.push(self.rowtime);
            want.sort_unstable();
            want.dedup();
        }
        let mut kept = std::mem::take(&mut self.slices);
        kept.resize_with(self.chunks.len(), Slices::default);
        let mut bad = Vec::new();
        for (chunk, slices) in self.chunks.iter().zip(&mut kept) {
            slices.clear();
            self.decoder.cut(chunk, &want, slices, &mut bad).map_err(|f| f.to_string())?;
        }
        if fields {
            self.slices = kept;
        }
        if bad.is_empty() { Ok(()) } else { Err("there are bad records".into()) }
    }

    /// Builds the rowtimes of all rows.
    pub fn rowtimes(&mut self) -> Result<usize, String> {
        let mut rows = 0;
        for (chunk, slices) in self.chunks.iter().zip(&self.slices) {
            let all = UInt32Array::from_iter_values(0..slices.rows as u32);
            rows += built(&mut *self.decoder, chunk, slices, self.rowtime, &all)
                .map_err(|f| f.to_string())?
                .len();
        }
        Ok(rows)
    }

    /// Evaluates all rules.
    pub fn evaluate(&mut self) -> Result<(), String> {
        let start = self.eval.clock.monotonic_nanos();
        self.outcomes.resize_with(self.chunks.len(), Vec::new);
        for ((chunk, slices), outcomes) in self.chunks.iter().zip(&self.slices).zip(&mut self.outcomes) {
            let mut input = Chunk { chunk, slices, decoder: &mut *self.decoder, positions: &self.positions };
            self.rules.evaluate(&mut input, &self.eval, outcomes).map_err(|f| f.to_string())?;
        }
        self.evaluations += 1;
        self.watched += self.eval.clock.monotonic_nanos().saturating_sub(start);
        Ok(())
    }

    /// Nanoseconds of the rules' own evaluation so far, and of all evaluation.
    pub fn clocks(&self) -> (u64, u64) {
        (self.rules.report().iter().filter_map(|r| r.nanos).sum(), self.watched)
    }

    /// Pairs of rule and event that were verified in one evaluation: those of rules that their anchors do not decide.
    pub fn candidates(&self) -> Vec<usize> {
        let reports = self.rules.report();
        let open = reports.iter().filter(|r| !r.decided);
        open.flat_map(|r| {
            let once = r.candidates / self.evaluations.max(1);
            std::iter::repeat_n(r.rule, once as usize)
        })
        .collect()
    }

    /// For each chunk the rows that some rule hits.
    pub fn survivors(&self) -> Vec<Vec<u32>> {
        self.outcomes
            .iter()
            .zip(&self.slices)
            .map(|(outcomes, slices)| {
                let mut rows: Vec<u32> = Vec::new();
                for (_, outcome) in outcomes {
                    match outcome {
                        Ok(Hits::Rows(hits)) => rows.extend(hits),
                        Ok(Hits::All) => rows.extend(0..slices.rows as u32),
                        Err(_) => {}
                    }
                }
                rows.sort_unstable();
                rows.dedup();
                rows
            })
            .collect()
    }

    /// Builds the columns of alerts for these rows of each chunk.
    pub fn build(&mut self, survivors: &[Vec<u32>]) -> Result<usize, String> {
        let mut values = 0;
        for ((chunk, slices), rows) in self.chunks.iter().zip(&self.slices).zip(survivors) {
            let rows = UInt32Array::from(rows.clone());
            for column in &self.alert {
                let array = built(&mut *self.decoder, chunk, slices, *column, &rows);
                values += array.map_err(|f| f.to_string())?.len();
            }
        }
        Ok(values)
    }
}

fn built(
    decoder: &mut dyn Decoder,
    chunk: &RawChunk,
    slices: &Slices,
    column: usize,
    rows: &UInt32Array,
) -> Result<ArrayRef, Fault> {
    decoder.build(chunk, slices, column, rows).map_err(|bad| bad.fault)
}

/// A chunk as rules see it.
struct Chunk<'a> {
    chunk: &'a RawChunk,
    slices: &'a Slices,
    decoder: &'a mut dyn Decoder,
    positions: &'a [usize],
}

impl RuleInput for Chunk<'_> {
    fn rows(&self) -> usize {
        self.slices.rows
    }

    fn field(&self, column: usize) -> Option<(&Slices, &FieldSlices)> {
        let cut = self.slices.column(*self.positions.get(column)?)?;
        Some((self.slices, cut))
    }

    fn column(&mut self, column: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault> {
        let position = self.positions.get(column).copied().unwrap_or(usize::MAX);
        match rows {
            Some(rows) => built(self.decoder, self.chunk, self.slices, position, rows),
            None => {
                let all = UInt32Array::from_iter_values(0..self.slices.rows as u32);
                built(self.decoder, self.chunk, self.slices, position, &all)
            }
        }
    }

    fn watermarks(&self) -> Option<&[i64]> {
        None
    }
}
