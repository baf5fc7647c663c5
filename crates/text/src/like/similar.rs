//! SIMILAR TO: the SQL standard's regular expressions, rewritten to Java's as Calcite rewrites them.

use millstream_types::Fault;

use super::LikeError;
use crate::regex::Pattern;

/// What an escape may stand before, beside itself.
const SPECIAL: &str = "[]()|^-+*_%?{}";
/// What Java must see behind a backslash.
const JAVA_SPECIAL: &str = "[]()|^-+*?{}$\\.";
/// Character classes by name.
const CLASSES: [(&str, &str); 7] = [
    ("ALPHA", "\\p{Alpha}"),
    ("UPPER", "\\p{Upper}"),
    ("LOWER", "\\p{Lower}"),
    ("DIGIT", "\\d"),
    ("SPACE", " "),
    ("WHITESPACE", "\\s"),
    ("ALNUM", "\\p{Alnum}"),
];

/// A compiled SIMILAR TO pattern.
#[derive(Debug, Clone)]
pub struct SimilarPattern(Pattern);

impl SimilarPattern {
    /// Compiles a pattern. What the rewriting leaves (quantifiers, groups, alternatives) must be a regular expression in Java.
    pub fn compile(pattern: &str, escape: Option<char>) -> Result<Self, Fault> {
        Ok(Self(Pattern::compile(&to_java(pattern, escape)?)?))
    }

    /// Whether a text matches as a whole. Fails if the pattern gives up.
    pub fn matches(&self, text: &str) -> Result<bool, Fault> {
        self.0.full_match(text)
    }

    /// The regular expression that must match the whole text.
    pub fn pattern(&self) -> &Pattern {
        &self.0
    }
}

fn invalid(pattern: &str, at: usize) -> LikeError {
    LikeError { message: format!("Invalid regular expression '{pattern}', index {at}") }
}

fn push_escaped(out: &mut String, c: char) {
    if JAVA_SPECIAL.contains(c) {
        out.push('\\');
    }
    out.push(c);
}

/// The regular expression in Java's syntax.
fn to_java(pattern: &str, escape: Option<char>) -> Result<String, LikeError> {
    let chars: Vec<char> = pattern.chars().collect();
    let at = |i: usize| chars.get(i).copied();
    if let Some(e) = escape.filter(|e| SPECIAL.contains(*e)) {
        for (i, c) in chars.iter().enumerate().filter(|(_, c)| **c == e) {
            if !at(i + 1).is_some_and(|next| SPECIAL.contains(next) || next == *c) {
                return Err(LikeError::sequence(pattern, i));
            }
        }
    }
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut open = false;
    let mut i = 0;
    while let Some(c) = at(i) {
        if Some(c) == escape {
            match at(i + 1) {
                Some(next) if SPECIAL.contains(next) => push_escaped(&mut out, next),
                Some(next) if next == c => out.push(next),
                _ => return Err(LikeError::sequence(pattern, i)),
            }
            i += 1;
        } else {
            match c {
                '_' => out.push('.'),
                '%' => out.push_str("(?s:.*)"),
                '[' => {
                    out.push('[');
                    open = true;
                    i = enumeration(pattern, &chars, &mut out, i + 1, escape)?;
                    continue;
                }
                ']' if !open => return Err(invalid(pattern, i)),
                ']' => {
                    open = false;
                    out.push(']');
                }
                '\\' => out.push_str("\\\\"),
                '$' => out.push_str("\\$"),
                c => out.push(c),
            }
        }
        i += 1;
    }
    if open { Err(invalid(pattern, chars.len())) } else { Ok(out) }
}

/// What stands in brackets; gives where the closing one is.
fn enumeration(
    pattern: &str,
    chars: &[char],
    out: &mut String,
    from: usize,
    escape: Option<char>,
) -> Result<usize, LikeError> {
    let at = |i: usize| chars.get(i).copied();
    let mut i = from;
    while let Some(c) = at(i) {
        if c == ']' {
            break;
        } else if Some(c) == escape {
            i += 1;
            match at(i) {
                Some(next) if SPECIAL.contains(next) => push_escaped(out, next),
                Some(next) if next == c => out.push(next),
                _ => return Err(LikeError::sequence(pattern, i)),
            }
        } else if c == '-' || c == '^' {
            out.push(c);
        } else if c == '[' && at(i + 1) == Some(':') {
            let rest: String = chars.iter().skip(i + 2).take(12).collect();
            let class = CLASSES.iter().find(|(name, _)| {
                let closed = |n: &str| rest.strip_prefix(n).is_some_and(|r| r.starts_with(":]"));
                closed(name) || closed(&name.to_lowercase())
            });
            let Some((name, java)) = class else { return Err(invalid(pattern, i)) };
            out.push_str(java);
            i += name.len() + 3;
        } else if SPECIAL.contains(c) {
            return Err(invalid(pattern, i));
        } else {
            out.push(c);
        }
        i += 1;
    }
    Ok(i)
}
