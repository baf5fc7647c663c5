//! The options of a stdin table.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_types::Fault;

use crate::framing::{DEFAULT_MAX_RECORD, MOST_MAX_RECORD};

/// The card's options.
pub(super) const STDIN_OPTIONS: &[OptionCard] = &[OptionCard {
    key: "source.max-record-size",
    aliases: &[],
    kind: OptionKind::MemorySize,
    default: Some("64 mb"),
    required: false,
    secret: false,
    doc: "The largest record that is read; a larger one fails the job with its line. At most 1 gb.",
}];

/// Bytes of the largest record, at most.
pub(super) fn max_record(options: &Options) -> Result<u64, Fault> {
    let size = options.memory_size("source.max-record-size", DEFAULT_MAX_RECORD)?;
    if size == 0 || size > MOST_MAX_RECORD {
        return Err(Fault::user("bad-option", format!("'source.max-record-size' is {size} bytes"))
            .hint("set it to a size between '1 b' and '1 gb'"));
    }
    Ok(size)
}
