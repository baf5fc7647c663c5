//! Formats: bytes to columns and back, one room each: `json`, `csv`, `raw`, `syslog`. A [`Decoder`](millstream_flow::Decoder) cuts records into slices and builds
//! columns for the rows that survive; an [`Encoder`](millstream_flow::Encoder) writes rows. This crate must never know where bytes come from or go to:
//! no connector, no file, no queue, no rule, no clock.
//!
//! A further format is a folder like the others and a line in [`formats`].

mod cell;
mod column;
mod csv;
mod json;
mod raw;
mod syslog;
#[cfg(test)]
mod testing;
mod value;

use millstream_flow::Format;
use millstream_types::{Fault, nearest};

/// All formats, sorted by name.
pub fn formats() -> &'static [&'static dyn Format] {
    &[&csv::Csv, &json::Json, &raw::Raw, &syslog::Syslog]
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

#[cfg(test)]
mod tests {
    use super::*;
    use millstream_flow::{OptionKind, Options};
    use millstream_types::DataType;

    #[test]
    fn the_list_is_sorted_and_every_card_is_true() {
        let names: Vec<_> = formats().iter().map(|f| f.card().name).collect();
        assert!(names.is_sorted(), "{names:?}");
        for format in formats() {
            let card = format.card();
            assert!(!card.doc.is_empty());
            for option in card.options {
                assert!(!option.doc.is_empty(), "{} {}", card.name, option.key);
                // The default is what is taken when nothing is set, so setting it must be right.
                let mut options = Options::default();
                if let Some(default) = option.default {
                    options.set(option.key, default);
                }
                format.framing(&options).unwrap();
                // A name that also a format with columns of its own has.
                let mut spec = crate::testing::spec(&[("message", DataType::string())], &[]);
                spec.options = options;
                format.decoder(spec.clone()).unwrap();
                // And a wrong value is found.
                if !matches!(option.kind, OptionKind::Text) {
                    let mut wrong = spec;
                    wrong.options.set(option.key, "no such value");
                    assert!(format.decoder(wrong).is_err(), "{} {}", card.name, option.key);
                }
            }
        }
    }
}
