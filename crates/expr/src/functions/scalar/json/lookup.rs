//! A text, a path into it, and what is there.

use std::borrow::Cow;

use millstream_text::json::{Json, JsonPath, Outcome, PathError, PathMode};
use millstream_types::Fault;

use crate::kernel::Arguments;
use crate::kernel::strings::Strings;
use crate::{Call, EvalError};

type Compiled = Result<JsonPath, PathError>;

/// The path of a call, compiled when it is a constant.
#[derive(Debug)]
pub(super) struct PathOf {
    constant: Option<Compiled>,
}

/// What a path found in a text.
pub(super) enum Found<'a> {
    /// A value, but not JSON's `null`.
    Value(Cow<'a, Json>),
    /// Nothing, in lax mode.
    Missing,
    /// What ON ERROR answers.
    Error(Fault),
}

impl PathOf {
    /// The path that is the call's second argument.
    ///
    /// # Errors
    /// NotYet, for paths that Flink takes and Millstream does not.
    pub fn of(call: &Call<'_>) -> Result<Self, Fault> {
        let constant = call.literal_text(1).map(JsonPath::compile);
        match &constant {
            Some(Err(e)) if e.kind == millstream_types::FaultKind::NotYet => {
                Err(Fault::from(e.clone()).at(call.span))
            }
            _ => Ok(PathOf { constant }),
        }
    }

    /// Whether it is known, and no text makes it fail without asking ON ERROR.
    pub fn never_fails(&self) -> bool {
        match &self.constant {
            Some(Ok(_)) => true,
            Some(Err(e)) => e.is_for_on_error(),
            None => false,
        }
    }
}

/// Goes over the rows of a call with a text and a path.
pub(super) struct Lookup<'a> {
    texts: Strings<'a>,
    paths: Option<Strings<'a>>,
    constant: Option<&'a Compiled>,
    /// The path seen last: neighbouring rows mostly have the same one.
    last: Option<(&'a str, Compiled)>,
    /// Nobody reads why a path found nothing.
    quiet: bool,
}

impl<'a> Lookup<'a> {
    pub fn new(arguments: &Arguments<'a>, path: &'a PathOf) -> Result<Self, Fault> {
        let paths = if path.constant.is_some() { None } else { Some(arguments.strings(1)?) };
        Ok(Lookup {
            texts: arguments.strings(0)?,
            paths,
            constant: path.constant.as_ref(),
            last: None,
            quiet: false,
        })
    }

    /// The same, where no message of [`Found::Error`] is shown: finding nothing then costs no more than finding something.
    #[must_use]
    pub fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// What `then` makes of a row; `None` when the text or the path is NULL.
    ///
    /// # Errors
    /// Those of `then`; User, for paths that fail whatever ON ERROR says.
    pub fn row<R>(
        &mut self,
        row: usize,
        then: impl FnOnce(Found<'_>, PathMode) -> Result<R, Fault>,
    ) -> Result<Option<R>, EvalError> {
        let Some(text) = self.texts.get(row) else { return Ok(None) };
        let compiled = match (self.constant, &self.paths) {
            (Some(c), _) => c,
            (None, Some(paths)) => {
                let Some(path) = paths.get(row) else { return Ok(None) };
                if self.last.as_ref().is_none_or(|(p, _)| *p != path) {
                    self.last = Some((path, JsonPath::compile(path)));
                }
                match &self.last {
                    Some((_, c)) => c,
                    None => return Ok(None),
                }
            }
            (None, None) => return Err(Fault::internal("no JSON path").into()),
        };
        look(text, compiled, self.quiet, then).map(Some).map_err(|f| EvalError::at_row(row, f))
    }
}

/// A value that a path found. JSON's null is no result, and an error to a strict path.
fn found(value: Cow<'_, Json>, mode: PathMode) -> Found<'_> {
    match (&*value, mode) {
        (Json::Null, PathMode::Strict) => {
            let what = "Strict jsonpath mode requires a non empty returned value, but is null";
            Found::Error(Fault::user("json-empty", what).hint("NULL ON ERROR allows it"))
        }
        (Json::Null, PathMode::Lax) => Found::Missing,
        _ => Found::Value(value),
    }
}

fn look<R>(
    text: &str,
    compiled: &Compiled,
    quiet: bool,
    then: impl FnOnce(Found<'_>, PathMode) -> Result<R, Fault>,
) -> Result<R, Fault> {
    let path = match compiled {
        Ok(path) => path,
        Err(e) if e.is_for_on_error() => return then(Found::Error(e.clone().into()), PathMode::Strict),
        Err(e) => return Err(e.clone().into()),
    };
    // What is found in one pass is what the tree has; where there is nothing the tree says why.
    match path.locate(text) {
        Some(Ok(Some(value))) => return then(found(Cow::Owned(value), path.mode()), path.mode()),
        Some(Ok(None)) if path.mode() == PathMode::Lax => return then(Found::Missing, PathMode::Lax),
        Some(Ok(None)) if quiet => {
            return then(Found::Error(Fault::user("json-path", String::new())), path.mode());
        }
        _ => {}
    }
    let json = match Json::parse(text) {
        Ok(json) => json,
        // To a lax path, a text that is no JSON has nothing in it.
        Err(_) if path.mode() == PathMode::Lax => return then(Found::Missing, PathMode::Lax),
        Err(e) => return then(Found::Error(e.into()), path.mode()),
    };
    let outcome = match path.evaluate(&json).outcome {
        Outcome::Value(v) => found(v, path.mode()),
        Outcome::Missing => Found::Missing,
        Outcome::Error(message) => Found::Error(Fault::user("json-path", message)),
    };
    then(outcome, path.mode())
}
