//! Patterns of dates as arguments: compiled once where they are constant, else once for each text that comes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use millstream_text::temporal::SimplePattern;
use millstream_types::{Fault, FaultKind};

use crate::{Call, Volatility};

/// How a pattern's text is compiled.
pub(super) type Compile<P> = fn(&str) -> Result<P, Fault>;

/// A pattern that is an argument of a call, or a fixed one.
pub(super) struct Pattern<P> {
    compile: Compile<P>,
    /// The compiled constant. A wrong one fails the first row that asks for it, as in Flink, not the planning.
    constant: Option<Result<P, Fault>>,
}

impl<P> Pattern<P> {
    /// The pattern at a position, or the default where there is no such argument.
    ///
    /// # Errors
    /// NotYet, when a constant pattern asks for what is not there yet.
    pub(super) fn of(
        call: &Call<'_>,
        index: usize,
        default: &str,
        compile: Compile<P>,
    ) -> Result<Self, Fault> {
        let text = if index < call.args.len() { call.literal_text(index) } else { Some(default) };
        let constant = text.map(compile);
        match constant {
            Some(Err(fault)) if fault.kind() == FaultKind::NotYet => Err(fault.at(call.span)),
            constant => Ok(Pattern { compile, constant }),
        }
    }

    /// A view for one evaluation.
    pub(super) fn cache(&self) -> Cache<'_, P> {
        Cache { pattern: self, seen: RefCell::new(HashMap::new()) }
    }
}

impl Pattern<SimplePattern> {
    /// Whether texts that are read by it may be read once for a whole query: not if two digits of a year are, whose century follows
    /// from the current time.
    pub(super) fn volatility(&self) -> Volatility {
        match &self.constant {
            Some(Ok(pattern)) if pattern.has_short_year() => Volatility::PerQuery,
            _ => Volatility::Immutable,
        }
    }
}

/// The patterns of one evaluation.
pub(super) struct Cache<'a, P> {
    pattern: &'a Pattern<P>,
    seen: RefCell<HashMap<String, Rc<Result<P, Fault>>>>,
}

impl<P> Cache<'_, P> {
    /// Calls a function with the pattern of a row's text.
    ///
    /// # Errors
    /// When the text is no pattern, and those of the function.
    pub(super) fn with<R>(&self, text: &str, f: impl FnOnce(&P) -> Result<R, Fault>) -> Result<R, Fault> {
        if let Some(constant) = &self.pattern.constant {
            return f(constant.as_ref().map_err(Fault::clone)?);
        }
        let found = self.seen.borrow().get(text).cloned();
        let compiled = match found {
            Some(compiled) => compiled,
            None => {
                let compiled = Rc::new((self.pattern.compile)(text));
                self.seen.borrow_mut().insert(text.to_string(), compiled.clone());
                compiled
            }
        };
        f((*compiled).as_ref().map_err(Fault::clone)?)
    }
}
