//! Faults of a text.

use std::fmt;

use millstream_types::Fault;

/// What is wrong with a text: at least one fault, with the text that their places are in.
#[derive(Clone)]
pub struct ScriptFault {
    /// The faults, in the order of their places.
    pub faults: Vec<Fault>,
    text: String,
}

impl ScriptFault {
    /// Faults of a text.
    pub fn new(text: &str, faults: Vec<Fault>) -> Self {
        ScriptFault { faults, text: text.to_string() }
    }

    /// All faults for a person, with lines and carets; `origin` names the text.
    pub fn render(&self, origin: &str) -> String {
        self.faults.iter().map(|f| f.render(origin, &self.text)).collect::<Vec<_>>().join("\n")
    }

    /// The first fault.
    pub fn first(&self) -> Option<&Fault> {
        self.faults.first()
    }
}

impl fmt::Display for ScriptFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render("text").trim_end())
    }
}

impl fmt::Debug for ScriptFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.faults).finish()
    }
}

impl std::error::Error for ScriptFault {}
