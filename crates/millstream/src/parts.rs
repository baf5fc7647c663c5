//! The product's lists of connectors and formats.

use std::sync::Arc;

use millstream_engine::Parts;
use millstream_flow::{Connector, Format};
use millstream_plan::catalog::Cards;

/// Every connector and format of this build, and those that the caller adds.
#[derive(Debug, Clone, Default)]
pub struct ProductParts {
    added: Vec<Arc<dyn Connector>>,
}

impl ProductParts {
    /// Adds a connector of the caller; its name hides a built-in one.
    pub fn add(&mut self, connector: Arc<dyn Connector>) {
        self.added.push(connector);
    }

    /// What the planner knows of them.
    pub fn cards(&self) -> Cards {
        let added = self.added.iter().map(|c| c.card());
        let built_in = millstream_connectors::connectors().iter().map(|c| c.card());
        Cards {
            connectors: added.chain(built_in).collect(),
            formats: millstream_formats::formats().iter().map(|f| f.card()).collect(),
        }
    }
}

impl Parts for ProductParts {
    fn connector(&self, name: &str) -> Option<&dyn Connector> {
        let added = self.added.iter().map(|c| &**c);
        added.chain(millstream_connectors::connectors().iter().copied()).find(|c| c.card().name == name)
    }

    fn format(&self, name: &str) -> Option<&'static dyn Format> {
        millstream_formats::formats().iter().copied().find(|f| f.card().name == name)
    }
}
