//! What matches replaced.

use millstream_types::{Fault, TypeKind};

use super::pattern::{PatternArgument, Subjects};
use crate::functions::scalar::string::{Arg, strict_arguments};
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "REGEXP_REPLACE",
    "REGEXP_REPLACE(text STRING, pattern STRING, replacement STRING) -> STRING",
    "The text with every match replaced. The replacement is taken literally: `$1` is no group. NULL for a wrong pattern.",
    &[Example::new("REGEXP_REPLACE('a1b22', '[0-9]+', '#')", "a#b#")],
    replace,
)];

fn replace(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "REGEXP_REPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)";
    let args = strict_arguments(call, FORM, 3, &[Arg::Text; 3])?;
    let pattern = PatternArgument::of(call, 1)?;
    let (fallible, good) = (pattern.fallible(), pattern.good());
    let kernel = simple("REGEXP_REPLACE", move |arguments, _| {
        let replacements = arguments.strings(2)?;
        let mut subjects = Subjects::of(arguments, &pattern)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(replacement) = replacements.get(row) else { return Ok(false) };
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(false) };
            let mut copied = 0;
            for found in pattern.find_all(s) {
                let (start, end) = found.map_err(|f| EvalError::at_row(row, f))?;
                out.push_str(s.get(copied..start).unwrap_or(""));
                out.push_str(replacement);
                copied = end;
            }
            out.push_str(s.get(copied..).unwrap_or(""));
            Ok(true)
        })
    });
    // Flink calls it NOT NULL whenever its arguments are, although a wrong pattern gives NULL.
    let data_type = TypeKind::STRING.nullable().with_nullable(call.any_nullable() || !good);
    let bound = BoundCall::new(data_type, args, kernel);
    Ok(if fallible { bound.fallible() } else { bound })
}
