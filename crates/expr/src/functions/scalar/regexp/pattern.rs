//! Regular expressions as arguments: compiled once where they are constant, else once for each text that comes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use millstream_text::regex::Pattern;
use millstream_types::Fault;

use crate::kernel::Arguments;
use crate::kernel::strings::Strings;
use crate::{Call, EvalError};

/// How many patterns of a column are kept compiled.
const KEPT: usize = 1000;

/// A pattern that is an argument of a call. A wrong pattern is no fault here: functions answer NULL or FALSE for it, as Flink's do.
#[derive(Debug)]
pub(super) struct PatternArgument {
    known: Known,
    ignore_case: bool,
}

#[derive(Debug)]
enum Known {
    /// A literal, or NULL; `None`: it is wrong.
    Constant(Option<Pattern>),
    /// Another one of every row, with the patterns seen so far.
    Varying(Mutex<HashMap<Box<str>, Option<Pattern>>>),
}

impl PatternArgument {
    /// The pattern at a position.
    ///
    /// # Errors
    /// NotYet, for a literal that is not supported.
    pub(super) fn of(call: &Call<'_>, index: usize) -> Result<Self, Fault> {
        Self::with(call, index, false)
    }

    /// The pattern at a position, with or without regard to letters' case.
    ///
    /// # Errors
    /// NotYet, for a literal that is not supported.
    pub(super) fn with(call: &Call<'_>, index: usize, ignore_case: bool) -> Result<Self, Fault> {
        let known = match call.literal_text(index) {
            Some(text) => Known::Constant(compile(text, ignore_case).map_err(|f| f.at(call.span))?),
            None => Known::Varying(Mutex::default()),
        };
        Ok(PatternArgument { known, ignore_case })
    }

    /// Whether some text makes it fail: the pattern is not known, or runs on the engine that counts its steps.
    pub(super) fn fallible(&self) -> bool {
        match &self.known {
            Known::Constant(p) => p.as_ref().is_some_and(|p| !p.is_linear()),
            Known::Varying(_) => true,
        }
    }

    /// Whether it is known to be a good pattern.
    pub(super) fn good(&self) -> bool {
        matches!(self.known, Known::Constant(Some(_)))
    }

    /// A reader for one evaluation.
    pub(super) fn reader(&self) -> Reader<'_> {
        let current = match &self.known {
            Known::Constant(p) => p.clone(),
            Known::Varying(_) => None,
        };
        Reader { argument: self, text: None, current }
    }
}

/// Gives the pattern of each row.
pub(super) struct Reader<'a> {
    argument: &'a PatternArgument,
    text: Option<&'a str>,
    current: Option<Pattern>,
}

impl<'a> Reader<'a> {
    /// The pattern of a row's text; `None` for a wrong one.
    ///
    /// # Errors
    /// NotYet, for a pattern that is not supported.
    pub(super) fn get(&mut self, text: &'a str) -> Result<Option<&Pattern>, Fault> {
        if let Known::Varying(seen) = &self.argument.known
            && self.text != Some(text)
        {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            self.current = match seen.get(text) {
                Some(known) => known.clone(),
                None => {
                    let compiled = compile(text, self.argument.ignore_case)?;
                    if seen.len() >= KEPT {
                        seen.clear();
                    }
                    seen.insert(text.into(), compiled.clone());
                    compiled
                }
            };
            self.text = Some(text);
        }
        Ok(self.current.as_ref())
    }
}

/// Text and pattern of each row, for functions that are NULL for a wrong pattern.
pub(super) struct Subjects<'a> {
    texts: Strings<'a>,
    patterns: Strings<'a>,
    reader: Reader<'a>,
}

impl<'a> Subjects<'a> {
    /// The first two arguments.
    ///
    /// # Errors
    /// Internal, when they are no texts.
    pub(super) fn of(arguments: &Arguments<'a>, pattern: &'a PatternArgument) -> Result<Self, Fault> {
        Ok(Subjects {
            texts: arguments.strings(0)?,
            patterns: arguments.strings(1)?,
            reader: pattern.reader(),
        })
    }

    /// Those of a row; `None` when one of them is NULL or the pattern is wrong.
    ///
    /// # Errors
    /// NotYet, for a pattern that is not supported.
    pub(super) fn get(&mut self, row: usize) -> Result<Option<(&'a str, &Pattern)>, EvalError> {
        let (Some(text), Some(pattern)) = (self.texts.get(row), self.patterns.get(row)) else {
            return Ok(None);
        };
        let pattern = self.reader.get(pattern).map_err(|f| EvalError::at_row(row, f))?;
        Ok(pattern.map(|p| (text, p)))
    }
}

fn compile(text: &str, ignore_case: bool) -> Result<Option<Pattern>, Fault> {
    let compiled =
        if ignore_case { Pattern::compile(&format!("(?iu){text}")) } else { Pattern::compile(text) };
    match compiled {
        Ok(pattern) => Ok(Some(pattern)),
        Err(e) if e.is_bad_pattern() => Ok(None),
        Err(e) => Err(e.into()),
    }
}
