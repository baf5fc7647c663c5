//! The options of a stepping table.

use millstream_flow::{OptionCard, OptionKind, Options, parse_boolean};

/// The card's options.
pub(super) const OPTIONS: &[OptionCard] = &[
    OptionCard {
        key: "bounded",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("true"),
        required: false,
        secret: false,
        doc: "Whether the table is planned as one that ends. It ends when the test says so.",
    },
    OptionCard {
        key: "path",
        aliases: &[],
        kind: OptionKind::Text,
        default: None,
        required: false,
        secret: false,
        doc: "Not looked at: a table of files can be stepped by changing its connector alone.",
    },
];

/// Whether the table is planned as one that ends.
pub(super) fn is_bounded(options: &Options) -> bool {
    options.get("bounded").and_then(parse_boolean).unwrap_or(true)
}
