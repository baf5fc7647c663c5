//! Java 17's regular expressions (`java.util.regex`), which are Flink's, translated and never passed through.
//!
//! A pattern is read by Java's rules into a tree of our own. What crate `regex` can mean exactly runs there, in linear time.
//! Some things it can mean only for some texts: `\b` is the same for ASCII, `$` is the end of a text that does not end in a
//! line terminator. Such a pattern looks at the text first, and other texts go to a backtracking engine that knows Java's
//! rules: look-around, back-references, possessive quantifiers, atomic groups, `\G`. Whether there is a match behind look-ahead at
//! the start of a text (`^(?!10\.)…`) is told in linear parts. The engine is asked only about texts that pass a linear screen,
//! counts its steps and gives up at a limit with a [`Fault`].
//!
//! Differences from Java: tables are of a newer Unicode version than 13; positions are code points and bytes, never halves of
//! surrogate pairs (an empty pattern finds no match inside an emoji); canonical equivalence (flag `c`), `\b{g}` and `\N{…}` are
//! refused as not supported.

mod ahead;
mod blocks;
mod classes;
mod emit;
mod engine;
mod error;
mod literals;
mod live;
mod parse;
mod parse_class;
mod parse_escape;
mod program;
mod replace;
mod tree;

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use millstream_types::Fault;

use ahead::Ahead;
use emit::Needs;
use program::Program;
use tree::Node;

pub use error::PatternError;
pub use literals::{Literal, Literals};

/// A match: start and end in bytes.
pub type Found = (usize, usize);

/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;
/// Memory of one compiled linear program, in bytes; larger ones run on the backtracking engine.
const LINEAR_SIZE: usize = 8 << 20;
/// Groups and repetitions inside each other, as crate `regex` counts them.
const NEST_LIMIT: u32 = 1500;
/// Patterns up to this weight ([`Node::weight`]) are sure to fit into the linear engine: it is built when the first text comes. A job has
/// thousands of patterns, and most of them never see a text.
const SURELY_LINEAR: usize = 4 << 20;
/// Longest translation of such a pattern: it cannot nest more deeply than [`NEST_LIMIT`].
const SURELY_SHALLOW: usize = NEST_LIMIT as usize;

/// A compiled pattern. Cheap to clone.
#[derive(Clone)]
pub struct Pattern(Arc<Inner>);

struct Inner {
    java: String,
    node: Node,
    groups: usize,
    names: Vec<(String, usize)>,
    /// The linear program, the same as a text for whole matches, and the texts they hold for.
    linear: Option<Linear>,
    whole: OnceLock<Option<regex::Regex>>,
    /// Of the backtracking engine; there whenever `linear` cannot answer everything.
    program: Option<Program>,
    /// The same, where `linear` was thought to answer everything and could not be built.
    spare: OnceLock<Option<Program>>,
    screen: OnceLock<Option<regex::Regex>>,
    /// Where `linear` is not there: look-ahead at the start, in linear parts.
    ahead: Option<Ahead>,
    literals: OnceLock<Literals>,
    /// `linear` tells whether there is a match, but not always where (empty rounds of a loop).
    yes_or_no: bool,
}

struct Linear {
    built: OnceLock<Option<regex::Regex>>,
    syntax: String,
    needs: Needs,
}

impl Linear {
    /// `None`: the linear engine cannot hold it. A pattern that surely fits is not built yet.
    fn of(node: &Node) -> Option<Self> {
        let (syntax, needs) = emit::exact(node)?;
        let linear = Linear { built: OnceLock::new(), syntax, needs };
        let surely = linear.syntax.len() < SURELY_SHALLOW && node.weight() < SURELY_LINEAR;
        (surely || linear.regex().is_some()).then_some(linear)
    }

    fn regex(&self) -> Option<&regex::Regex> {
        self.built.get_or_init(|| build(&self.syntax)).as_ref()
    }
}

/// Where groups matched, reusable from text to text. Made by [`Pattern::locations`].
#[derive(Debug, Clone)]
pub struct Locations {
    slots: Vec<Option<Found>>,
    linear: Option<regex::CaptureLocations>,
}

impl Locations {
    /// Where group `i` matched (0 is the whole match); `None` if it took no part or does not exist.
    pub fn get(&self, i: usize) -> Option<Found> {
        self.slots.get(i).copied().flatten()
    }

    /// Number of groups, the whole match counted.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Never: there is always the whole match.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

fn build(syntax: &str) -> Option<regex::Regex> {
    regex::RegexBuilder::new(syntax).size_limit(LINEAR_SIZE).nest_limit(NEST_LIMIT).build().ok()
}

impl Pattern {
    /// Compiles a pattern in Java's syntax, or gives the same one again while somebody has it. Fails where `java.util.regex.Pattern.compile` does, and for the few things that
    /// are not supported (see the module's text).
    pub fn compile(java: &str) -> Result<Self, PatternError> {
        if let Some(known) = live::find(java) {
            return Ok(Self(known));
        }
        if java.len() > MAX_PATTERN {
            let message = format!("a pattern of {} bytes is longer than {MAX_PATTERN}", java.len());
            return Err(PatternError::new(message, 0));
        }
        let parse::Parsed { node, groups, names } = parse::parse(java)?;
        let linear = Linear::of(&node);
        let yes_or_no = node.repeats_empty();
        let program = if yes_or_no || linear.as_ref().is_none_or(|l| l.needs.any()) {
            Some(program::compile(&node, groups).ok_or_else(|| {
                PatternError::new("the pattern is too large: make its alternatives or counts smaller", 0)
            })?)
        } else {
            None
        };
        let ahead = if linear.is_none() { Ahead::of(&node) } else { None };
        let inner = Arc::new(Inner {
            java: java.to_string(),
            ahead,
            node,
            groups,
            names,
            linear,
            whole: OnceLock::new(),
            program,
            spare: OnceLock::new(),
            screen: OnceLock::new(),
            literals: OnceLock::new(),
            yes_or_no,
        });
        live::keep(&inner);
        Ok(Self(inner))
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0.java
    }

    /// Number of capturing groups, the whole match not counted (`Matcher.groupCount`).
    pub fn group_count(&self) -> usize {
        self.0.groups
    }

    /// Names and numbers of the named groups.
    pub fn group_names(&self) -> &[(String, usize)] {
        &self.0.names
    }

    /// Whether a linear engine answers for every text.
    pub fn is_linear(&self) -> bool {
        self.0.program.is_none()
    }

    /// The translation in the syntax of crate `regex`, for people: exact, or (`None`) there is none.
    pub fn translated(&self) -> Option<&str> {
        self.0.linear.as_ref().map(|l| l.syntax.as_str())
    }

    /// What every text with a match contains.
    pub fn required_literals(&self) -> &Literals {
        self.0.literals.get_or_init(|| literals::required(&self.0.node))
    }

    /// Whether there is a match anywhere (`Matcher.find`). Fails if the backtracking engine gives up.
    pub fn is_match(&self, text: &str) -> Result<bool, Fault> {
        match self.linear_for(text) {
            Some(linear) => Ok(linear.is_match(text)),
            None => match self.0.ahead.as_ref().and_then(|ahead| ahead.is_match(text)) {
                Some(matches) => Ok(matches),
                None => Ok(self.backtrack(text, 0, 0)?.is_some()),
            },
        }
    }

    /// Whether the whole text matches (`Matcher.matches`).
    pub fn full_match(&self, text: &str) -> Result<bool, Fault> {
        if self.linear_for(text).is_some() {
            let whole = self.0.whole.get_or_init(|| {
                let linear = self.0.linear.as_ref()?;
                build(&format!("\\A(?:{})\\z", linear.syntax))
            });
            if let Some(regex) = whole {
                return Ok(regex.is_match(text));
            }
        }
        // Without a program of its own only where the anchored one is a little too large for the linear engine.
        let program = self.program()?;
        let found = engine::run(program, text, 0, 0, true).map_err(|e| self.gave_up(e, text))?;
        Ok(found.is_some())
    }

    /// The first match that starts at byte `start` or later. `start` must be at a character; what is before it is seen by
    /// `^`, `\b` and look-behind.
    pub fn find_at(&self, text: &str, start: usize) -> Result<Option<Found>, Fault> {
        self.find_from(text, start, start)
    }

    /// As `find_at`; `last` is where the match before ended, for `\G`.
    fn find_from(&self, text: &str, start: usize, last: usize) -> Result<Option<Found>, Fault> {
        if start > text.len() {
            return Ok(None);
        }
        match self.linear_for(text).filter(|_| !self.0.yes_or_no) {
            Some(linear) => Ok(linear.find_at(text, start).map(|m| (m.start(), m.end()))),
            None => Ok(self.backtrack(text, start, last)?.and_then(|g| g.first().copied().flatten())),
        }
    }

    /// Room for the groups of a match.
    pub fn locations(&self) -> Locations {
        Locations {
            slots: vec![None; self.0.groups + 1],
            linear: self.0.linear.as_ref().and_then(Linear::regex).map(regex::Regex::capture_locations),
        }
    }

    /// Finds as [`Pattern::find_at`] does and says where the groups matched. `false`: no match, `into` is then empty.
    pub fn captures_at(&self, text: &str, start: usize, into: &mut Locations) -> Result<bool, Fault> {
        self.captures_from(text, start, start, into)
    }

    fn captures_from(
        &self,
        text: &str,
        start: usize,
        last: usize,
        into: &mut Locations,
    ) -> Result<bool, Fault> {
        into.slots.clear();
        into.slots.resize(self.0.groups + 1, None);
        if start > text.len() {
            return Ok(false);
        }
        let linear = self.linear_for(text).filter(|_| !self.0.yes_or_no);
        if let (Some(linear), Some(locations)) = (linear, into.linear.as_mut()) {
            if linear.captures_read_at(locations, text, start).is_none() {
                return Ok(false);
            }
            for (i, slot) in into.slots.iter_mut().enumerate() {
                *slot = locations.get(i);
            }
            return Ok(true);
        }
        match self.backtrack(text, start, last)? {
            Some(groups) => {
                into.slots = groups;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn linear_for(&self, text: &str) -> Option<&regex::Regex> {
        self.0.linear.as_ref().filter(|l| l.needs.met(text))?.regex()
    }

    /// The program of the backtracking engine.
    fn program(&self) -> Result<&Program, Fault> {
        let spare = || self.0.spare.get_or_init(|| program::compile(&self.0.node, self.0.groups)).as_ref();
        self.0
            .program
            .as_ref()
            .or_else(spare)
            .ok_or_else(|| Fault::internal("a pattern's program is too large"))
    }

    fn backtrack(&self, text: &str, start: usize, last: usize) -> Result<Option<engine::Groups>, Fault> {
        let program = self.program()?;
        let screen = self.0.screen.get_or_init(|| build(&emit::screen(&self.0.node)));
        let first = match screen {
            Some(screen) => match screen.find_at(text, start) {
                Some(m) => m.start(),
                None => return Ok(None),
            },
            None => start,
        };
        engine::run(program, text, last, first, false).map_err(|e| self.gave_up(e, text))
    }

    fn gave_up(&self, _: engine::GaveUp, text: &str) -> Fault {
        Fault::user(
            "pattern-steps",
            format!(
                "pattern '{}' gave up after {} steps on a text of {} bytes",
                self.0.java,
                engine::MAX_STEPS,
                text.len()
            ),
        )
        .hint(
            "rewrite nested or neighbouring repetitions so that a text can be split among them in one way only, or \
             remove look-around, back-references and possessive quantifiers: without them the pattern runs in linear time",
        )
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pattern").field(&self.0.java).finish()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.java == other.0.java
    }
}

impl Eq for Pattern {}
