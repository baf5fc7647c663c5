//! Paths into JSON, as JSON_VALUE, JSON_QUERY and JSON_EXISTS take them: the SQL standard's `lax` and `strict` in front of a path
//! that Jayway JsonPath reads, because that is what Calcite and Flink do. Strict is the default; it makes a missing step an
//! error, lax makes it no value.
//!
//! Steps: `.name`, `['name']`, `['a','b']`, `[0]`, `[-1]`, `[0,1]`, `[1:3]`, `[*]`, `.*`, `..`, and `length()`, `size()`, `first()`,
//! `last()`, `min()`, `max()`, `avg()`, `sum()`, `stddev()`, `concat()`, `keys()` at the end. Filters (`[?(…)]`) are refused: in Flink 2.3 most fail the job, whatever ON ERROR says.

use std::borrow::Cow;
use std::fmt;

use millstream_types::{Fault, FaultKind};

use super::path_parse;
use super::tree::Json;

/// What a missing step means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathMode {
    /// It is no value.
    Lax,
    /// It is an error.
    Strict,
}

/// A path that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// What is wrong.
    pub message: String,
    /// `User`: a path that Jayway refuses, which is an error for ON ERROR (see [`PathError::is_for_on_error`]). `NotYet`: a path that Flink takes.
    pub kind: FaultKind,
    fatal: bool,
}

impl PathError {
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: FaultKind::User, fatal: false }
    }

    pub(super) fn not_yet(what: String) -> Self {
        Self { message: format!("not supported yet: {what}"), kind: FaultKind::NotYet, fatal: true }
    }

    pub(super) fn filter() -> Self {
        Self {
            message:
                "filter expressions ([?(...)]) in a JSON path are not supported; in Flink they fail the job where an element is an object or array"
                    .to_string(),
            kind: FaultKind::User,
            fatal: true,
        }
    }

    /// Whether the functions treat the path as an error at run time, which ON ERROR answers. Otherwise the query fails.
    pub fn is_for_on_error(&self) -> bool {
        !self.fatal
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PathError {}

impl From<PathError> for Fault {
    fn from(e: PathError) -> Self {
        Fault::new(e.kind, "bad-json-path", format!("JSON path: {e}"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Length,
    First,
    Last,
    Min,
    Max,
    Avg,
    Sum,
    Stddev,
    Concat,
    Keys,
}

impl Function {
    pub(super) const ALL: [(&'static str, Function); 11] = [
        ("length", Function::Length),
        ("size", Function::Length),
        ("first", Function::First),
        ("last", Function::Last),
        ("min", Function::Min),
        ("max", Function::Max),
        ("avg", Function::Avg),
        ("sum", Function::Sum),
        ("stddev", Function::Stddev),
        ("concat", Function::Concat),
        ("keys", Function::Keys),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, f)| *f == self).map_or("", |(name, _)| name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Names(Vec<String>),
    Indexes(Vec<i32>),
    Slice(Option<i32>, Option<i32>),
    Wildcard,
    Scan,
    Function(Function),
}

impl Step {
    /// Whether the step gives one value at most. Several names do where they end the path: an object of the fields.
    fn is_definite(&self, last: bool) -> bool {
        match self {
            Step::Names(names) => names.len() == 1 || last,
            Step::Indexes(indexes) => indexes.len() == 1,
            Step::Function(_) => true,
            Step::Slice(..) | Step::Wildcard | Step::Scan => false,
        }
    }
}

/// A compiled path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath {
    mode: PathMode,
    steps: Vec<Step>,
    definite: bool,
}

/// What a path found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// A value; an array of values if the path can find several. JSON `null` is a value here, which the functions
    /// take for an empty result.
    Value(Cow<'a, Json>),
    /// A lax path found nothing.
    Missing,
    /// A strict path found nothing, with the message for ERROR ON ERROR.
    Error(String),
}

/// What a path found, and in which mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathResult<'a> {
    /// The path's mode: in strict mode a value of the wrong kind is an error, in lax mode it is empty.
    pub mode: PathMode,
    /// What was found.
    pub outcome: Outcome<'a>,
}

impl JsonPath {
    /// Compiles a path with or without its mode.
    pub fn compile(path: &str) -> Result<Self, PathError> {
        let (mode, path) = path_parse::mode(path);
        let steps = path_parse::steps(path)?;
        let last = steps.len().wrapping_sub(1);
        let definite = steps.iter().enumerate().all(|(i, s)| s.is_definite(i == last));
        Ok(Self { mode, steps, definite })
    }

    /// Whether it is made of single names and indexes from the start.
    pub(super) fn is_plain(&self) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Names(names) => names.len() == 1,
            Step::Indexes(indexes) => matches!(indexes.as_slice(), [index] if *index >= 0),
            _ => false,
        })
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether a path, even a bad one, is strict.
    pub fn mode_of(path: &str) -> PathMode {
        path_parse::mode(path).0
    }

    /// The mode.
    pub fn mode(&self) -> PathMode {
        self.mode
    }

    /// Whether the path finds one value at most.
    pub fn is_definite(&self) -> bool {
        self.definite
    }

    /// Follows the path.
    pub fn evaluate<'a>(&self, json: &'a Json) -> PathResult<'a> {
        let mut walk = Walk { strict: self.mode == PathMode::Strict, found: Vec::new() };
        let outcome = match walk.steps(&self.steps, json, true, "$") {
            Err(message) => Outcome::Error(message),
            Ok(()) if self.definite => match walk.found.pop() {
                Some(value) => Outcome::Value(value),
                None if walk.strict => Outcome::Error(format!("No results for path: {self}")),
                None => Outcome::Missing,
            },
            Ok(()) => {
                let all = walk.found.into_iter().map(Cow::into_owned).collect();
                Outcome::Value(Cow::Owned(Json::Array(all)))
            }
        };
        PathResult { mode: self.mode, outcome }
    }
}

impl fmt::Display for JsonPath {
    /// The path as Jayway shows it: `$['a'][0]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        for step in &self.steps {
            match step {
                Step::Names(names) => {
                    let names: Vec<_> = names.iter().map(|n| format!("'{n}'")).collect();
                    write!(f, "[{}]", names.join(","))?;
                }
                Step::Indexes(indexes) => {
                    let indexes: Vec<_> = indexes.iter().map(i32::to_string).collect();
                    write!(f, "[{}]", indexes.join(","))?;
                }
                Step::Slice(from, to) => {
                    let bound = |b: &Option<i32>| b.map(|n| n.to_string()).unwrap_or_default();
                    write!(f, "[{}:{}]", bound(from), bound(to))?;
                }
                Step::Wildcard => f.write_str("[*]")?,
                Step::Scan => f.write_str("..")?,
                Step::Function(function) => write!(f, ".{}()", function.name())?,
            }
        }
        Ok(())
    }
}

struct Walk<'a> {
    strict: bool,
    found: Vec<Cow<'a, Json>>,
}

type Walked = Result<(), String>;

impl<'a> Walk<'a> {
    /// Goes on from a value. `sure`: every step before gives one value at most, so that in strict mode a missing step is an
    /// error; after a wildcard it is just not there. Steps nest as deep as the path is long.
    fn steps(&mut self, steps: &[Step], json: &'a Json, sure: bool, place: &str) -> Walked {
        let Some((step, rest)) = steps.split_first() else {
            self.found.push(Cow::Borrowed(json));
            return Ok(());
        };
        let complain = self.strict && sure;
        match step {
            Step::Names(names) => self.names(names, rest, json, sure, place),
            Step::Indexes(_) | Step::Slice(..) => {
                let Json::Array(items) = json else {
                    return match json {
                        _ if !complain => Ok(()),
                        Json::Null => Err(format!("The path {place} is null")),
                        _ => Err(format!(
                            "Filter: {} can only be applied to arrays. Current context is: {place}",
                            fragment(step)
                        )),
                    };
                };
                let sure = sure && step.is_definite(rest.is_empty());
                for i in selected(step, items.len()) {
                    if let Some(item) = items.get(i) {
                        self.steps(rest, item, sure, &format!("{place}[{i}]"))?;
                    }
                }
                Ok(())
            }
            Step::Wildcard => {
                match json {
                    Json::Array(items) => {
                        for (i, item) in items.iter().enumerate() {
                            self.steps(rest, item, false, &format!("{place}[{i}]"))?;
                        }
                    }
                    Json::Object(fields) => {
                        for (name, field) in fields {
                            self.steps(rest, field, false, &format!("{place}['{name}']"))?;
                        }
                    }
                    _ => {}
                }
                Ok(())
            }
            Step::Scan => self.scan(rest, json, place),
            Step::Function(function) => {
                self.found.extend(function.apply(json)?);
                Ok(())
            }
        }
    }

    fn names(&mut self, names: &[String], rest: &[Step], json: &'a Json, sure: bool, place: &str) -> Walked {
        let complain = self.strict && sure;
        if !matches!(json, Json::Object(_)) {
            if !complain {
                return Ok(());
            }
            let list: Vec<_> = names.iter().map(|n| format!("'{n}'")).collect();
            return Err(format!(
                "Expected to find an object with property [{}] in path {place} but found '{}'",
                list.join(","),
                kind(json)
            ));
        }
        match names {
            [name] => match json.get(name) {
                Some(field) => self.steps(rest, field, sure, &format!("{place}['{name}']")),
                None if rest.is_empty() || !complain => Ok(()),
                None => Err(format!("Missing property in path {place}['{name}']")),
            },
            _ if rest.is_empty() => {
                let field = |n: &String| json.get(n).map(|v| (n.clone(), v.clone()));
                self.found.push(Cow::Owned(Json::Object(names.iter().filter_map(field).collect())));
                Ok(())
            }
            _ => {
                for name in names {
                    if let Some(field) = json.get(name) {
                        self.steps(rest, field, false, &format!("{place}['{name}']"))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// `..`: the next step on this value and on everything inside it, the outer first.
    fn scan(&mut self, rest: &[Step], json: &'a Json, place: &str) -> Walked {
        let Some((next, after)) = rest.split_first() else { return Ok(()) };
        let mut left = vec![json];
        while let Some(value) = left.pop() {
            match value {
                Json::Object(fields) => {
                    let fits = match next {
                        Step::Names(names) if names.len() == 1 || after.is_empty() => {
                            names.iter().all(|n| value.get(n).is_some())
                        }
                        Step::Indexes(_) | Step::Slice(..) => false,
                        _ => true,
                    };
                    if fits {
                        self.steps(rest, value, false, place)?;
                    }
                    left.extend(fields.iter().rev().map(|(_, v)| v));
                }
                Json::Array(items) => {
                    // Jayway goes on behind the step with every element where more steps follow.
                    match next {
                        Step::Names(_) => {}
                        _ if after.is_empty() => self.steps(rest, value, false, place)?,
                        _ => {
                            for item in items {
                                self.steps(after, item, false, place)?;
                            }
                        }
                    }
                    left.extend(items.iter().rev());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn fragment(step: &Step) -> String {
    let path = JsonPath { mode: PathMode::Strict, steps: vec![step.clone()], definite: false };
    path.to_string().trim_start_matches('$').to_string()
}

/// Jackson's Java classes, as Jayway's messages show them.
fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "java.lang.Boolean",
        Json::String(_) => "java.lang.String",
        Json::Number(n) if n.contains(['.', 'e', 'E']) => "java.math.BigDecimal",
        Json::Number(_) => "java.lang.Integer",
        Json::Array(_) => "java.util.ArrayList",
        Json::Object(_) => "java.util.LinkedHashMap",
    }
}

/// The places of a list that a step selects, those outside it left out.
fn selected(step: &Step, length: usize) -> Vec<usize> {
    let length = length as i64;
    let from_end = |i: i64| if i < 0 { length + i } else { i };
    let inside = |i: i64| usize::try_from(i).ok().filter(|_| i < length);
    match step {
        Step::Indexes(indexes) => indexes.iter().filter_map(|i| inside(from_end(i64::from(*i)))).collect(),
        Step::Slice(from, to) => {
            let from = from.map_or(0, |i| from_end(i64::from(i))).max(0);
            let to = to.map_or(length, |i| from_end(i64::from(i))).min(length);
            (from..to).filter_map(inside).collect()
        }
        _ => Vec::new(),
    }
}
