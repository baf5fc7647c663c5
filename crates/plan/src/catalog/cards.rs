//! The cards of the connectors and formats that the product has.

use millstream_flow::{ConnectorCard, FormatCard};

/// What is known of connectors and formats. The product fills it from its lists.
#[derive(Debug, Clone, Default)]
pub struct Cards {
    /// Connectors.
    pub connectors: Vec<&'static ConnectorCard>,
    /// Formats.
    pub formats: Vec<&'static FormatCard>,
}

impl Cards {
    /// The connector of a name or alias. Flink's names count case; aliases, which are Blink's types, do not.
    pub fn connector(&self, name: &str) -> Option<&'static ConnectorCard> {
        let exact = self.connectors.iter().find(|c| c.name == name);
        exact
            .or_else(|| {
                self.connectors.iter().find(|c| c.aliases.iter().any(|a| a.eq_ignore_ascii_case(name)))
            })
            .copied()
    }

    /// The format of a name.
    pub fn format(&self, name: &str) -> Option<&'static FormatCard> {
        self.formats.iter().find(|f| f.name == name).copied()
    }
}
