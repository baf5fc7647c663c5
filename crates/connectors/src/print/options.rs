//! The options of a print table.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_types::Fault;

/// The card's options.
pub(super) const OPTIONS: &[OptionCard] = &[
    OptionCard {
        key: "print-identifier",
        aliases: &[],
        kind: OptionKind::Text,
        default: None,
        required: false,
        secret: false,
        doc: "A text that is printed before each row.",
    },
    OptionCard {
        key: "standard-error",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("false"),
        required: false,
        secret: false,
        doc: "Prints on the standard error instead.",
    },
    OptionCard {
        key: "sink.parallelism",
        aliases: &[],
        kind: OptionKind::Integer,
        default: None,
        required: false,
        secret: false,
        doc: "Number of writers. With more than one, each row has its writer's number before it.",
    },
];

/// Options of a sink.
#[derive(Debug)]
pub(super) struct PrintOptions {
    pub identifier: String,
    pub standard_error: bool,
    /// Number of writers, where it is set.
    pub parallelism: i64,
}

impl PrintOptions {
    pub fn read(options: &Options) -> Result<Self, Fault> {
        Ok(PrintOptions {
            identifier: options.get("print-identifier").unwrap_or("").to_string(),
            standard_error: options.boolean("standard-error", false)?,
            parallelism: options.integer("sink.parallelism", 1)?,
        })
    }
}
