//! Formats: bytes to columns and back, one room each: `json`, `csv`, `raw`. A [`Decoder`](millstream_flow::Decoder) cuts records into slices and builds
//! columns for the rows that survive; an [`Encoder`](millstream_flow::Encoder) writes rows. This crate must never know where bytes come from or go to:
//! no connector, no file, no queue, no rule, no clock.
//!
//! A further format is a folder like the others and a line in [`formats`].

mod cell;
mod column;
mod csv;
mod json;
mod raw;
#[cfg(test)]
mod testing;
mod value;

use millstream_flow::Format;
use millstream_types::{Fault, nearest};

/// All formats, sorted by name.
pub fn formats() -> &'static [&'static dyn Format] {
    &[&csv::Csv, &json::Json, &raw::Raw]
}

/// The format of a name.
///
/// # Errors
/// User, when there is none, with the nearest name.
pub fn format(name: &str) -> Result<&'static dyn Format, Fault> {
    formats().iter().find(|f| f.card().name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = formats().iter().map(|f| f.card().name).collect();
        let fault = Fault::user("unknown-format", format!("there is no format '{name}'"));
        match nearest(name, names.iter().copied()) {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => fault.hint(format!("formats are {}", names.join(", "))),
        }
    })
}
