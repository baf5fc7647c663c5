//! Functions of the program that embeds Millstream: closures whose types are read off their signature, and functions of whole columns.
//!
//! ```
//! use millstream_expr::registered::{Registry, ScalarFunction};
//! let mut registry = Registry::default();
//! let shorten = |text: &str, length: i64| -> Option<String> {
//!     let length = usize::try_from(length).ok()?;
//!     Some(text.chars().take(length).collect())
//! };
//! registry.add(ScalarFunction::new("shorten", shorten).doc("The first characters of a text."))?;
//! assert_eq!(registry.get("SHORTEN").map(|f| f.signature()), Some("shorten(STRING, BIGINT) -> STRING"));
//! # Ok::<(), millstream_types::Fault>(())
//! ```

mod argument;
mod closure;
mod result;
#[cfg(test)]
mod tests;
mod vector;

pub use argument::Argument;
pub use closure::RowFunction;
pub use result::{Output, Returned};
pub use vector::VectorFunction;

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

use arrow::array::ArrayRef;
use millstream_types::Fault;

use crate::functions::{aggregate_function, scalar_function, table};
use crate::kernel::{self, Arguments};
use crate::{BoundCall, Call, EvalContext, EvalError, KernelRef, Volatility};

/// How a function checks its arguments and is evaluated.
pub(crate) trait Body: Send + Sync {
    /// The types as the manual writes them: `(STRING, BIGINT) -> STRING`.
    fn signature(&self) -> String;

    /// As [`crate::Function::bind`]; `form` is what messages say exists. With `per_row` the kernel gives an entry a row even if all arguments are
    /// constant.
    fn bind(&self, call: &Call<'_>, form: &str, per_row: bool) -> Result<BoundCall, Fault>;
}

type Evaluation = dyn Fn(&Arguments<'_>, &EvalContext) -> Result<ArrayRef, EvalError> + Send + Sync;

fn kernel(per_row: bool, evaluate: Box<Evaluation>) -> KernelRef {
    const NAME: &str = "registered function";
    if per_row { kernel::per_row(NAME, evaluate) } else { kernel::simple(NAME, evaluate) }
}

/// A scalar function of the embedding program.
#[derive(Clone)]
pub struct ScalarFunction {
    name: Arc<str>,
    signature: Arc<str>,
    doc: Arc<str>,
    examples: Vec<(String, String)>,
    volatility: Volatility,
    body: Arc<dyn Body>,
}

impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.signature)
    }
}

impl ScalarFunction {
    /// A function that is called for each row: a closure or `fn` with up to eight arguments. Its SQL types follow from its Rust types ([`Argument`],
    /// [`Output`]). Where an argument that is no `Option` is NULL, the result is NULL and the closure is not called.
    pub fn new<Types: 'static>(name: &str, function: impl RowFunction<Types>) -> Self {
        Self::with_body(name, closure::body(function))
    }

    /// A function of whole columns.
    pub fn vectorized(name: &str, function: impl VectorFunction) -> Self {
        Self::with_body(name, Arc::new(vector::VectorBody::new(name, function)))
    }

    fn with_body(name: &str, body: Arc<dyn Body>) -> Self {
        ScalarFunction {
            name: name.into(),
            signature: format!("{name}{}", body.signature()).into(),
            doc: "".into(),
            examples: Vec::new(),
            volatility: Volatility::Immutable,
            body,
        }
    }

    /// Says what it does, for the manual.
    #[must_use]
    pub fn doc(mut self, doc: &str) -> Self {
        self.doc = doc.into();
        self
    }

    /// Adds an example for the manual: an expression and the text of its value.
    #[must_use]
    pub fn example(mut self, expression: &str, result: &str) -> Self {
        self.examples.push((expression.to_string(), result.to_string()));
        self
    }

    /// Says that it may give another value for the same arguments: it is evaluated anew for each row and never shared between queries.
    #[must_use]
    pub fn non_deterministic(mut self) -> Self {
        self.volatility = Volatility::PerRow;
        self
    }

    /// Its name, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name and types.
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// What it does; empty if nothing was said.
    pub fn description(&self) -> &str {
        &self.doc
    }

    /// Checks the arguments of a call and derives the result.
    ///
    /// # Errors
    /// User, when the arguments do not fit.
    pub fn bind(&self, call: &Call<'_>) -> Result<BoundCall, Fault> {
        let per_row = self.volatility == Volatility::PerRow;
        Ok(self.body.bind(call, &self.signature, per_row)?.volatile(self.volatility))
    }

    /// Its section of the manual, in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("\n### {}\n\n```\n{}\n```\n", self.name, self.signature);
        if !self.doc.is_empty() {
            let _ = write!(out, "\n{} Registered by the program.\n", self.doc);
        }
        if !self.examples.is_empty() {
            out.push_str("\n| expression | result |\n|---|---|\n");
            for (expression, result) in &self.examples {
                let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
                let _ = writeln!(out, "| `{}` | `{}` |", cell(expression), cell(result));
            }
        }
        out
    }
}

/// The registered functions by name; case does not count. Cheap enough to copy with a session.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    functions: BTreeMap<String, ScalarFunction>,
}

impl Registry {
    /// Adds a function. A registered function of the same name is replaced.
    ///
    /// # Errors
    /// User: a built-in function has the name (`function-exists`), or it is none that SQL can call (`function-name`).
    pub fn add(&mut self, function: ScalarFunction) -> Result<(), Fault> {
        let name = function.name();
        let mut chars = name.chars();
        let named = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && chars.all(|c| c.is_alphanumeric() || c == '_');
        if !named {
            return Err(Fault::user("function-name", format!("'{name}' is no name of a function"))
                .hint("use letters, digits and _, and begin with a letter"));
        }
        if let Some(built_in) = built_in(name) {
            return Err(Fault::user(
                "function-exists",
                format!("'{name}' cannot be registered: the built-in function {built_in} has this name"),
            )
            .hint(format!("choose another name, for example my_{}", name.to_lowercase())));
        }
        self.functions.insert(name.to_uppercase(), function);
        Ok(())
    }

    /// The function of a name.
    pub fn get(&self, name: &str) -> Option<&ScalarFunction> {
        if self.functions.is_empty() {
            return None;
        }
        self.functions.get(&name.to_uppercase())
    }

    /// All functions, by name.
    pub fn iter(&self) -> impl Iterator<Item = &ScalarFunction> {
        self.functions.values()
    }
}

/// The built-in function that a name means.
fn built_in(name: &str) -> Option<&'static str> {
    scalar_function(name)
        .map(|f| f.name)
        .or_else(|| aggregate_function(name).map(|f| f.name))
        .or_else(|| table::table_function(name).map(|f| f.name))
}
