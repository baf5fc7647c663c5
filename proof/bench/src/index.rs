//! What the index of rules costs by itself: milliseconds of CPU to build it, to meet its first events, to add, change and take away one rule.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use bytes::Bytes;
use millstream::{JobPlan, Session};
use millstream_expr::EvalContext;
use millstream_flow::{Decoder, DecoderSpec, FieldSpec, Options, RawChunk, RecordSpan};
use millstream_plan::{ColumnSource, Op};
use millstream_rules::index::IndexedRules;
use millstream_rules::{Rule, RuleInput, RuleSet};
use millstream_types::{Fault, FieldSlices, ManualClock, SeededRandom, Slices};

use crate::cost::{peak_megabytes, thread_nanos};
use crate::loads::load;

/// Events of a chunk.
const EVENTS: u64 = 400;

/// Bytes of a chunk of the search.
const CHUNK_BYTES: usize = 1 << 20;

/// The plan of a load's job with so many rules.
fn plan(name: &str, rules: u64) -> Result<(JobPlan, String), String> {
    let load = load(name)?;
    let sql = (load.job)("/dev/null", rules);
    let fault = |f: Fault| f.render("bench", &sql);
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|e| e.to_string())?;
    let plan = runtime.block_on(async {
        let mut session = Session::new();
        let mut inserts = Vec::new();
        for statement in session.statements(&sql).map_err(|f| f.render("bench"))? {
            if let millstream::StatementResult::Insert(plan) =
                session.statement(&statement, &sql).await.map_err(fault)?
            {
                inserts.push(*plan);
            }
        }
        Ok::<JobPlan, String>(Session::merge(inserts))
    })?;
    Ok((plan, sql))
}

fn context() -> EvalContext {
    EvalContext {
        clock: Arc::new(ManualClock::new(0)),
        random: Arc::new(SeededRandom::new(1)),
        zone: "UTC".into(),
        query_start: 0,
        batch: false,
    }
}

/// Prints what an event costs in the index, when everything is chosen. Each chunk is searched so many times.
pub fn search(name: &str, rules: u64, events: u64, rounds: u64) -> Result<(), String> {
    let mut data = Vec::new();
    (load(name)?.generate)(events, &mut data).map_err(|e| e.to_string())?;
    let (plan, sql) = plan(name, rules)?;
    let fault = |f: Fault| f.render("bench", &sql);
    let rules = filters(&plan);
    let mut index = IndexedRules::new(&rules).map_err(fault)?;
    let (context, mut outcomes) = (context(), Vec::new());
    let mut chunks = Vec::new();
    let mut rest = data.as_slice();
    while !rest.is_empty() {
        let end = rest
            .iter()
            .skip(CHUNK_BYTES)
            .position(|b| *b == b'\n')
            .map_or(rest.len(), |at| CHUNK_BYTES + at + 1);
        let (chunk, more) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        rest = more;
        let mut events = Events::new(&plan, chunk, &index.slice_columns()).map_err(fault)?;
        index.evaluate(&mut events, &context, &mut outcomes).map_err(fault)?;
        chunks.push(chunk);
    }
    let columns = index.slice_columns();
    let mut chunks: Vec<Events> = chunks
        .into_iter()
        .map(|c| Events::new(&plan, c, &columns))
        .collect::<Result<_, _>>()
        .map_err(fault)?;
    let candidates = |index: &IndexedRules| index.report().iter().map(|r| r.candidates).sum::<u64>() as f64;
    let before = candidates(&index);
    let mut hits = 0;
    let start = thread_seconds();
    for events in &mut chunks {
        for _ in 0..rounds {
            index.evaluate(events, &context, &mut outcomes).map_err(fault)?;
            hits += outcomes.len();
        }
    }
    let took = thread_seconds() - start;
    let searched = (events * rounds) as f64;
    println!("{:<40} {:>9.0} ns", "an event", took * 1e9 / searched);
    println!("{:<40} {:>9}", "columns cut", columns.len());
    println!("{:<40} {:>9.3}", "candidates an event", (candidates(&index) - before) / searched);
    println!(
        "{:<40} {:>9.1}",
        "rules with hits, a chunk",
        hits as f64 / (rounds as f64 * chunks.len() as f64)
    );
    Ok(())
}

/// Prints the figures for a load with so many rules.
pub fn run(name: &str, rules: u64) -> Result<(), String> {
    let mut data = Vec::new();
    (load(name)?.generate)(2 * EVENTS, &mut data).map_err(|e| e.to_string())?;
    let (plan, sql) = plan(name, rules)?;
    let fault = |f: Fault| f.render("bench", &sql);
    let rules = filters(&plan);
    let all: Vec<usize> = (0..plan.scan_groups.first().map_or(0, |g| g.columns.len())).collect();
    let mut events = Events::new(&plan, &data, &all).map_err(fault)?;
    let context = context();
    let before = peak_megabytes();
    let mut index = None;
    timed("build the index", || IndexedRules::new(&rules).map(|i| index = Some(i))).map_err(fault)?;
    let Some(mut index) = index else { return Ok(()) };
    let mut outcomes = Vec::new();
    timed("choose literals by the first events", || index.evaluate(&mut events, &context, &mut outcomes))
        .map_err(fault)?;
    timed("the same events again", || index.evaluate(&mut events, &context, &mut outcomes)).map_err(fault)?;
    println!("{:<40} {:>9.1} MB", "peak memory on top of the plan", peak_megabytes() - before);
    let (mut add, mut remove, mut worst) = (0.0, 0.0, 0.0f64);
    const CHANGES: usize = 100;
    for i in 0..CHANGES {
        let Some(old) = rules.get(i * rules.len() / CHANGES) else { continue };
        let fresh = Rule { id: rules.len() + i, ..old.clone() };
        let start = thread_seconds();
        index.remove(&[old.id]).map_err(fault)?;
        let between = thread_seconds();
        index.add(&[fresh]).map_err(fault)?;
        let end = thread_seconds();
        remove += between - start;
        add += end - between;
        worst = worst.max(end - start);
    }
    let milliseconds = |s: f64| s * 1000.0 / CHANGES as f64;
    println!("{:<40} {:>9.2} ms", "take one rule away", milliseconds(remove));
    println!("{:<40} {:>9.2} ms", "add one rule", milliseconds(add));
    println!("{:<40} {:>9.2} ms", "change one rule, at worst", worst * 1000.0);
    Ok(())
}

fn timed(what: &str, work: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    let start = thread_seconds();
    work()?;
    println!("{what:<40} {:>9.1} ms", (thread_seconds() - start) * 1000.0);
    Ok(())
}

fn thread_seconds() -> f64 {
    thread_nanos() as f64 / 1e9
}

/// The rules of a plan, over the columns of its scan group.
fn filters(plan: &JobPlan) -> Vec<Rule> {
    let scans = plan.nodes.iter().filter_map(|n| match &n.op {
        Op::Scan(scan) => Some(scan),
        _ => None,
    });
    scans
        .enumerate()
        .map(|(id, scan)| {
            let mut predicate = scan.filter.clone();
            if let Some(p) = &mut predicate {
                p.map_columns(&|c| scan.columns.get(c).copied().unwrap_or(c));
            }
            Rule { id, predicate: predicate.map(Arc::new) }
        })
        .collect()
}

/// Events as a scan cuts them.
struct Events {
    chunk: RawChunk,
    decoder: Box<dyn Decoder>,
    slices: Slices,
}

impl Events {
    fn new(plan: &JobPlan, data: &[u8], cut: &[usize]) -> Result<Self, Fault> {
        let group = plan.scan_groups.first().ok_or_else(|| Fault::internal("no source"))?;
        let fields = &group.table.schema.fields;
        let columns: Vec<FieldSpec> = group
            .columns
            .iter()
            .filter_map(|c| match c {
                ColumnSource::Physical(at) => fields.get(*at),
                ColumnSource::Metadata { .. } => None,
            })
            .map(|f| FieldSpec { name: f.name.clone(), data_type: f.data_type.clone(), paths: Vec::new() })
            .collect();
        let all: Vec<usize> = (0..columns.len()).collect();
        let spec = DecoderSpec {
            read: all,
            columns,
            options: Options::default(),
            zone: "UTC".into(),
            clock: Arc::new(ManualClock::new(0)),
        };
        let format = millstream_formats::format("json")?;
        let mut decoder = format.decoder(spec)?;
        let mut records = Vec::new();
        let mut start = 0;
        for line in data.split_inclusive(|b| *b == b'\n') {
            let end = start + line.len() as u32;
            records.push(RecordSpan { start, end: end - 1 });
            start = end;
        }
        let chunk = RawChunk { data: Bytes::copy_from_slice(data), records, ..RawChunk::default() };
        let (mut slices, mut bad) = (Slices::default(), Vec::new());
        decoder.cut(&chunk, cut, &mut slices, &mut bad)?;
        Ok(Events { chunk, decoder, slices })
    }
}

impl RuleInput for Events {
    fn rows(&self) -> usize {
        self.slices.rows
    }

    fn field(&self, column: usize) -> Option<(&Slices, &FieldSlices)> {
        self.slices.column(column).map(|f| (&self.slices, f))
    }

    fn column(&mut self, column: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault> {
        let all = UInt32Array::from_iter_values(0..self.slices.rows as u32);
        self.decoder.build(&self.chunk, &self.slices, column, rows.unwrap_or(&all)).map_err(|b| b.fault)
    }

    fn watermarks(&self) -> Option<&[i64]> {
        None
    }
}
