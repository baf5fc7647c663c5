//! Functions that were created by statements.

use super::ObjectPath;

/// A user function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogFunction {
    /// Its full name; of a system function only the last part counts.
    pub path: ObjectPath,
    /// The class, or what the language takes for one.
    pub class: String,
    /// Its language.
    pub language: FunctionLanguage,
    /// USING: kind and address.
    pub resources: Vec<(String, String)>,
    /// WITH.
    pub options: Vec<(String, String)>,
}

/// Languages of user functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FunctionLanguage {
    Java,
    Scala,
    Python,
}

impl FunctionLanguage {
    /// The language of a LANGUAGE clause.
    pub fn of(name: &str) -> Option<Self> {
        match name.to_ascii_uppercase().as_str() {
            "JAVA" => Some(FunctionLanguage::Java),
            "SCALA" => Some(FunctionLanguage::Scala),
            "PYTHON" => Some(FunctionLanguage::Python),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            FunctionLanguage::Java => "JAVA",
            FunctionLanguage::Scala => "SCALA",
            FunctionLanguage::Python => "PYTHON",
        }
    }
}
