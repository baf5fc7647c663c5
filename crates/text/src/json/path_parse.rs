//! The syntax of paths: Jayway JsonPath's, under the SQL standard's `lax` and `strict`.

use super::path::{Function, PathError, PathMode, Step};

/// Longest chain of steps.
const MAX_STEPS: usize = 1000;

/// Splits the mode off. Without one a path is strict, as in Calcite.
pub(super) fn mode(spec: &str) -> (PathMode, &str) {
    let java_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\u{B}' | '\u{C}' | '\r');
    let text = spec.trim_start_matches(java_space);
    for (word, mode) in [("strict", PathMode::Strict), ("lax", PathMode::Lax)] {
        if let (Some(head), Some(rest)) = (text.get(..word.len()), text.get(word.len()..)) {
            let path = rest.trim_start_matches(java_space);
            if head.eq_ignore_ascii_case(word) && path.len() < rest.len() && !path.is_empty() {
                return (mode, path);
            }
        }
    }
    (PathMode::Strict, spec)
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    steps: Vec<Step>,
}

/// The steps of a path without its mode.
pub(super) fn steps(path: &str) -> Result<Vec<Step>, PathError> {
    if path.is_empty() {
        return Err(PathError::bad("path can not be null or empty"));
    }
    // Java's trim.
    let path = path.trim_matches(|c| c <= ' ');
    let mut chars: Vec<char> = path.chars().collect();
    if !matches!(chars.first(), Some('$' | '@')) {
        chars.splice(0..0, ['$', '.']);
    }
    if chars.last() == Some(&'.') {
        return Err(PathError::bad("Path must not end with a '.' or '..'"));
    }
    let mut parser = Parser { chars, at: 1, steps: Vec::new() };
    if !matches!(parser.peek(), None | Some('.' | '[')) {
        return Err(PathError::bad("Illegal character at position 1 expected '.' or '['"));
    }
    while parser.peek().is_some() {
        parser.step()?;
        if parser.steps.len() > MAX_STEPS {
            return Err(PathError::bad("the path has more than 1000 steps"));
        }
        if matches!(parser.steps.last(), Some(Step::Function(_))) && parser.peek().is_some() {
            return Err(PathError::bad("a function must be the last step of a path"));
        }
        // Jayway does not look at one last character behind a step.
        if parser.at + 1 >= parser.chars.len() {
            break;
        }
    }
    if matches!(parser.steps.last(), Some(Step::Scan)) {
        return Err(PathError::bad("Path must not end with a '.' or '..'"));
    }
    Ok(parser.steps)
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek() == Some(' ') {
            self.at += 1;
        }
    }

    fn step(&mut self) -> Result<(), PathError> {
        match self.peek() {
            Some('[') => self.bracket(),
            Some('.') => {
                self.at += 1;
                if self.peek() == Some('.') {
                    self.at += 1;
                    self.steps.push(Step::Scan);
                }
                match self.peek() {
                    Some('.') => {
                        Err(PathError::bad(format!("Character '.' on position {} is not valid.", self.at)))
                    }
                    Some('[') => self.bracket(),
                    _ => self.name(),
                }
            }
            _ => self.name(),
        }
    }

    /// A name, a function or `*` after a dot.
    fn name(&mut self) -> Result<(), PathError> {
        if self.peek() == Some('*') {
            self.at += 1;
            self.steps.push(Step::Wildcard);
            return Ok(());
        }
        let from = self.at;
        loop {
            match self.peek() {
                Some(' ') => {
                    return Err(PathError::bad(format!(
                        "Use bracket notion ['my prop'] if your property contains blank characters. position: {}",
                        self.at
                    )));
                }
                None | Some('.' | '[') => break,
                Some('(') => return self.function(from),
                Some(_) => self.at += 1,
            }
        }
        let name: String = self.chars.get(from..self.at).unwrap_or_default().iter().collect();
        if name.is_empty() {
            return Err(PathError::bad(format!("Could not parse token starting at position {from}")));
        }
        self.steps.push(Step::Names(vec![name]));
        Ok(())
    }

    fn function(&mut self, from: usize) -> Result<(), PathError> {
        let name: String = self.chars.get(from..self.at).unwrap_or_default().iter().collect();
        let function = match Function::ALL.iter().find(|(known, _)| *known == name) {
            Some((_, function)) => *function,
            None if matches!(name.as_str(), "append" | "index") => {
                return Err(PathError::not_yet(format!("the function {name}() in a JSON path")));
            }
            None => return Err(PathError::bad(format!("Function with name: {name} does not exist."))),
        };
        self.at += 1;
        self.skip_blanks();
        if self.peek() != Some(')') {
            if matches!(function, Function::Length | Function::First | Function::Last) {
                return Err(PathError::bad(format!("Arguments to function: '{name}' are not expected")));
            }
            return Err(PathError::not_yet(format!("arguments of the function {name}() in a JSON path")));
        }
        self.at += 1;
        self.steps.push(Step::Function(function));
        Ok(())
    }

    fn bracket(&mut self) -> Result<(), PathError> {
        let from = self.at;
        let bad = || {
            Err(PathError::bad(format!(
                "Could not parse token starting at position {from}. Expected ?, ', 0-9, * "
            )))
        };
        self.at += 1;
        self.skip_blanks();
        match self.peek() {
            Some(quote @ ('\'' | '"')) => self.names(quote),
            Some('*') => {
                self.at += 1;
                self.skip_blanks();
                if self.peek() != Some(']') {
                    return bad();
                }
                self.at += 1;
                self.steps.push(Step::Wildcard);
                Ok(())
            }
            Some('?') => Err(PathError::filter()),
            _ => {
                let end = self.chars.iter().skip(self.at).position(|c| *c == ']');
                let Some(end) = end.map(|n| self.at + n) else { return bad() };
                let text: String = self.chars.get(self.at..end).unwrap_or_default().iter().collect();
                self.at = end + 1;
                match elements(text.trim()) {
                    Some(step) => {
                        self.steps.push(step);
                        Ok(())
                    }
                    None => bad(),
                }
            }
        }
    }

    /// `'a'`, or `'a','b'`; the reader is on the first quote.
    fn names(&mut self, quote: char) -> Result<(), PathError> {
        let mut names = Vec::new();
        loop {
            if self.peek() != Some(quote) {
                return Err(PathError::bad(format!("Found empty property at index {}", self.at)));
            }
            self.at += 1;
            let mut name = String::new();
            loop {
                match self.peek() {
                    None => {
                        return Err(PathError::bad(format!(
                            "Property has not been closed - missing closing {quote}"
                        )));
                    }
                    Some('\\') => {
                        self.at += 1;
                        name.extend(self.peek());
                    }
                    Some(c) if c == quote => break,
                    Some(c) => name.push(c),
                }
                self.at += 1;
            }
            self.at += 1;
            names.push(name);
            self.skip_blanks();
            match self.peek() {
                Some(']') => break,
                Some(',') => {
                    self.at += 1;
                    self.skip_blanks();
                }
                _ => return Err(PathError::bad("Property must be separated by comma or Property must be terminated close square bracket at index ".to_string() + &self.at.to_string())),
            }
        }
        self.at += 1;
        self.steps.push(Step::Names(names));
        Ok(())
    }
}

/// `0`, `0,1`, `-1`, `1:`, `:2`, `1:2`.
fn elements(text: &str) -> Option<Step> {
    let number = |s: &str| s.trim().parse::<i32>().ok().filter(|_| !s.contains('+'));
    if let Some((from, to)) = text.split_once(':') {
        let bound = |s: &str| match s.trim() {
            "" => Some(None),
            s => number(s).map(Some),
        };
        return match (bound(from)?, bound(to)?) {
            (None, None) => None,
            (from, to) => Some(Step::Slice(from, to)),
        };
    }
    text.split(',').map(number).collect::<Option<Vec<_>>>().map(Step::Indexes)
}
