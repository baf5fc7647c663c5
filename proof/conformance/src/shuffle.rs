//! No expression makes the process panic: the expressions of the scalar cases with their arguments in other orders, and with arguments of other cases.

use std::panic::AssertUnwindSafe;

use millstream::types::FaultKind;
use serde_json::Value as Json;

use crate::report::Report;
use crate::scalar::{Outcome, evaluate};

/// How many forms of each expression are tried.
const FORMS: u64 = 4;

/// Runs shuffled forms of every case of a file; a panic and an internal fault are failures.
pub fn run(path: &str, wanted: &dyn Fn(&str) -> bool, report: &mut Report) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    let cases: Vec<Json> = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).map_err(|e| format!("{path}: {e}")))
        .collect::<Result<_, _>>()?;
    let expressions: Vec<&str> = cases.iter().map(|c| c["expr"].as_str().unwrap_or("")).collect();
    let pool: Vec<&str> =
        expressions.iter().flat_map(|e| calls(e).into_iter().flatten()).map(|(text, _)| text).collect();
    let mut random = Random(0x5eed);
    let (mut evaluated, mut refused) = (0usize, 0usize);
    for (case, expression) in cases.iter().zip(&expressions) {
        let id = case["id"].as_str().unwrap_or("?");
        let group = case["group"].as_str().unwrap_or("?");
        for form in 0..FORMS {
            let shuffled = shuffled(expression, &pool, &mut random);
            // Every number is drawn, so that the forms of a case do not depend on what is left out.
            if !wanted(id) || is_huge(&shuffled) {
                continue;
            }
            let outcome =
                std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(evaluate(&shuffled, &[]))));
            let verdict = match outcome {
                Err(_) | Ok(Outcome::Panic) => Err(format!("{shuffled}\npanic")),
                Ok(Outcome::Plan(f) | Outcome::Run(f)) if f.kind() == FaultKind::Internal => {
                    Err(format!("{shuffled}\n{f}"))
                }
                Ok(Outcome::Plan(_)) => {
                    refused += 1;
                    Ok(())
                }
                Ok(_) => {
                    evaluated += 1;
                    Ok(())
                }
            };
            report.add(group, &format!("{id}#{form}"), verdict);
        }
    }
    report.note(format!("{evaluated} forms were evaluated, {refused} refused when planned"));
    Ok(())
}

/// A generator: xorshift, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// For each call of an expression its arguments, as text and place.
fn calls(expression: &str) -> Vec<Vec<(&str, usize)>> {
    let mut done = Vec::new();
    // The begins of the arguments of the calls that are open.
    let mut open: Vec<Vec<usize>> = Vec::new();
    let mut quote: Option<u8> = None;
    for (i, b) in expression.bytes().enumerate() {
        match (quote, b) {
            (Some(q), _) if b == q => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'`') => quote = Some(b),
            (None, b'(' | b'[') => open.push(vec![i + 1]),
            (None, b',') => open.iter_mut().last().into_iter().for_each(|begins| begins.push(i + 1)),
            (None, b')' | b']') => {
                let Some(mut begins) = open.pop() else { continue };
                begins.push(i + 1);
                let arguments =
                    begins.windows(2).filter_map(|w| Some((expression.get(w[0]..w[1] - 1)?, w[0])));
                done.push(arguments.collect());
            }
            (None, _) => {}
        }
    }
    done
}

/// The expression with the arguments of one of its calls in another order, or with one that comes from elsewhere.
fn shuffled(expression: &str, pool: &[&str], random: &mut Random) -> String {
    let calls = calls(expression);
    let Some(call) = calls.get(random.below(calls.len())).filter(|c| !c.is_empty()) else {
        // An operator: its text in another one's place.
        return format!("{expression} || {}", pool.get(random.below(pool.len())).unwrap_or(&"1"));
    };
    let mut arguments: Vec<&str> = call.iter().map(|(text, _)| *text).collect();
    if arguments.len() > 1 && random.below(2) == 0 {
        for i in (1..arguments.len()).rev() {
            arguments.swap(i, random.below(i + 1));
        }
    } else {
        let at = random.below(arguments.len());
        if let Some(argument) = arguments.get_mut(at) {
            *argument = pool.get(random.below(pool.len())).unwrap_or(&"NULL");
        }
    }
    let (first, last) = (call.first().map_or(0, |c| c.1), call.last().map_or(0, |c| c.1 + c.0.len()));
    let (before, after) = (expression.get(..first).unwrap_or(""), expression.get(last..).unwrap_or(""));
    format!("{before}{}{after}", arguments.join(","))
}

/// Whether the expression asks for texts of a fixed length of a million characters or more, which take their time and memory in Flink, too.
fn is_huge(expression: &str) -> bool {
    ["CHAR(", "BINARY("].iter().any(|name| {
        let lengths = expression.match_indices(name).filter_map(|(i, _)| expression.get(i + name.len()..));
        lengths.into_iter().any(|rest| rest.bytes().take_while(u8::is_ascii_digit).count() > 6)
    })
}
