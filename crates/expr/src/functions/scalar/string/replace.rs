//! Parts of texts replaced.

use memchr::memmem;
use millstream_types::{Fault, TypeKind};

use super::arguments::{Arg, of_kind, strict_arguments};
use crate::kernel::simple;
use crate::kernel::strings::{self, TextOut};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "REPLACE",
    "REPLACE(text STRING, old STRING, new STRING) -> STRING",
    "The text with every occurrence of `old` replaced. An empty `old` stands before every character and at the end.",
    &[Example::new("REPLACE('hello world', 'world', 'there')", "hello there")],
    replace,
)];

fn replace(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "REPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)";
    let args = strict_arguments(call, FORM, 3, &[Arg::Text; 3])?;
    let kernel = simple("REPLACE", |arguments, _| {
        let (text, old, new) = (arguments.strings(0)?, arguments.strings(1)?, arguments.strings(2)?);
        let known = if old.constant { old.get(0).map(memmem::Finder::new) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(old), Some(new)) = (text.get(row), old.get(row), new.get(row)) else {
                return Ok(false);
            };
            if old.is_empty() {
                between(s, new, out);
                return Ok(true);
            }
            let mut done = 0;
            let mut copy = |at: usize| {
                out.push_str(s.get(done..at).unwrap_or(""));
                out.push_str(new);
                done = at + old.len();
            };
            match &known {
                Some(finder) => finder.find_iter(s.as_bytes()).for_each(&mut copy),
                None => memmem::find_iter(s.as_bytes(), old).for_each(&mut copy),
            }
            out.push_str(s.get(done..).unwrap_or(""));
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}

fn between(text: &str, new: &str, out: &mut TextOut) {
    out.push_str(new);
    for c in text.chars() {
        out.push(c);
        out.push_str(new);
    }
}
