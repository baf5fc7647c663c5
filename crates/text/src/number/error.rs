//! Why a text is no number.

use millstream_types::Fault;

/// Why a text is no number. Small and free to make, so that TRY_CAST and tolerant readers pay nothing for a bad
/// value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberError {
    /// Nothing but spaces.
    Empty,
    /// A character that does not belong there.
    Invalid,
    /// A number, but too large for the type.
    Overflow,
}

impl NumberError {
    /// The fault a CAST of `text` to a type (by Flink's name, `DECIMAL(5, 2)`) ends with.
    pub fn fault(self, text: &str, type_name: &str) -> Fault {
        let shown: String = text.chars().take(100).collect();
        let message = match self {
            NumberError::Empty => format!("cannot read '{shown}' as {type_name}: the text is empty"),
            NumberError::Invalid => format!("cannot read '{shown}' as {type_name}"),
            NumberError::Overflow => format!("'{shown}' is too large for {type_name}"),
        };
        Fault::user("bad-cast", message).hint(format!("TRY_CAST(… AS {type_name}) gives NULL instead"))
    }
}
