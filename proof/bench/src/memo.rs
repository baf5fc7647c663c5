//! What remembering costs and spares: conditions that have no literal, over values that repeat and values that do not, beside plain evaluation.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, UInt32Array};
use arrow::compute::take;
use millstream::types::{DataType, Fault, FieldSlices, SeededRandom, Slices, Span, TypeKind};
use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, EvalContext, Expr};
use millstream_rules::{Rule, RuleInput, rule_set};

const ROWS: usize = 8192;
const CHUNKS: usize = 200;
const BEST_OF: usize = 3;

/// A chunk of one text column.
struct Chunk(ArrayRef);

impl RuleInput for Chunk {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn field(&self, _: usize) -> Option<(&Slices, &FieldSlices)> {
        None
    }

    fn column(&mut self, _: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault> {
        match rows {
            None => Ok(self.0.clone()),
            Some(rows) => take(&self.0, rows, None).map_err(|e| Fault::internal(e.to_string())),
        }
    }

    fn watermarks(&self) -> Option<&[i64]> {
        None
    }
}

fn rules(pattern: &str) -> Result<Vec<Rule>, Fault> {
    let text = Expr::literal(pattern, TypeKind::Char(pattern.len() as u32).not_null());
    let args = [Expr::column(0, DataType::string()), text];
    let context = BindContext::default();
    let call = call_expr("REGEXP", &args, &[], Span::default(), &context);
    Ok(vec![Rule { id: 0, predicate: Some(Arc::new(call?)) }])
}

fn chunks(distinct: Option<usize>) -> Vec<Chunk> {
    let mut number = 0;
    (0..CHUNKS)
        .map(|_| {
            let texts = (0..ROWS).map(|_| {
                number += 1;
                // Scattered, as hosts and paths are.
                let id = distinct.map_or(number, |d| number * 7919 % d);
                format!("C:\\Program Files\\Vendor {id}\\Common\\bin\\service{}.exe", id % 13)
            });
            Chunk(Arc::new(StringArray::from_iter_values(texts)))
        })
        .collect()
}

/// Nanoseconds a row.
fn measure(rules: &[Rule], chunks: &mut [Chunk], indexed: bool) -> Result<(f64, u64), Fault> {
    let context = EvalContext {
        clock: Arc::new(millstream::SystemClock::new()),
        random: Arc::new(SeededRandom::new(1)),
        zone: "UTC".into(),
        query_start: 0,
        batch: false,
    };
    let mut best = (f64::MAX, 0);
    for _ in 0..BEST_OF {
        let mut set = rule_set(rules, indexed)?;
        let mut outcomes = Vec::new();
        let start = context.clock.monotonic_nanos();
        for chunk in chunks.iter_mut() {
            set.evaluate(chunk, &context, &mut outcomes)?;
        }
        let nanos = (context.clock.monotonic_nanos() - start) as f64 / (ROWS * CHUNKS) as f64;
        if nanos < best.0 {
            best = (nanos, set.report().iter().map(|r| r.remembered).sum());
        }
    }
    Ok(best)
}

/// Prints the table.
///
/// # Errors
/// When a condition cannot be evaluated.
pub fn run() -> Result<(), String> {
    table().map_err(|f| f.to_string())
}

fn table() -> Result<(), Fault> {
    println!(
        "{:<34} {:>12} {:>12} {:>10} {:>12}",
        "condition, values", "plain ns", "with ns", "ratio", "spared rows"
    );
    for (name, pattern) in [("dear", "(a|e|i)+x*[0-9]{1,3}\\\\[A-Z][a-z]+\\\\b"), ("cheap", "^C")] {
        for (values, distinct) in
            [("200 values", Some(200)), ("5,000 values", Some(5000)), ("all different", None)]
        {
            let rules = rules(pattern)?;
            let mut chunks = chunks(distinct);
            let (plain, _) = measure(&rules, &mut chunks, false)?;
            let (with, spared) = measure(&rules, &mut chunks, true)?;
            let name = format!("{name}, {values}");
            println!("{name:<34} {plain:>12.1} {with:>12.1} {:>10.3} {spared:>12}", with / plain);
        }
    }
    Ok(())
}
