//! Path patterns: `*`, `?`, `[a-z]`, `[!a-z]`, `{a,b}` within a name, `**` for any number of directories.

use millstream_types::Fault;

/// Alternatives of braces that a pattern may have; `{a,b}{a,b}…` doubles them with each brace.
const MOST_ALTERNATIVES: usize = 1024;

/// Whether a path has a character that makes it a pattern.
pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// A pattern, ready to be matched.
#[derive(Debug)]
pub(super) struct Glob {
    /// The pattern without braces, one for each alternative; names between slashes.
    alternatives: Vec<Vec<Vec<char>>>,
}

impl Glob {
    pub fn new(pattern: &str) -> Result<Self, Fault> {
        let wrong = |what: &str| {
            Fault::user("bad-option", format!("the pattern '{pattern}' {what}")).in_place("option 'path'")
        };
        let mut done = Vec::new();
        let mut open = vec![pattern.to_string()];
        while let Some(text) = open.pop() {
            if done.len() + open.len() >= MOST_ALTERNATIVES {
                return Err(wrong("has more than 1,024 alternatives").hint("use '*' in place of some braces"));
            }
            match braces(&text) {
                None => done.push(text),
                Some(None) => {
                    return Err(wrong("has a '{' without its '}'").hint("write '[{]' for a literal brace"));
                }
                Some(Some(alternatives)) => open.extend(alternatives),
            }
        }
        let alternatives =
            done.iter().map(|t| t.split('/').map(|name| name.chars().collect()).collect()).collect();
        Ok(Glob { alternatives })
    }

    /// Whether the whole path fits.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        self.alternatives.iter().any(|pattern| path_fits(pattern, &names))
    }
}

/// The first brace expression taken apart: `None`: there is none; `Some(None)`: it has no end.
fn braces(text: &str) -> Option<Option<Vec<String>>> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut in_class = false;
    let open = chars.iter().position(|(_, c)| match c {
        '[' => {
            in_class = true;
            false
        }
        ']' => {
            in_class = false;
            false
        }
        '{' => !in_class,
        _ => false,
    })?;
    let start = chars.get(open).map_or(0, |c| c.0);
    let (mut depth, mut cuts) = (0usize, vec![start]);
    for (at, c) in chars.iter().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    cuts.push(*at);
                    let (before, after) = (text.get(..start).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
                    let parts = cuts.iter().zip(cuts.iter().skip(1));
                    return Some(Some(
                        parts
                            .map(|(from, to)| {
                                format!("{before}{}{after}", text.get(from + 1..*to).unwrap_or(""))
                            })
                            .collect(),
                    ));
                }
            }
            ',' if depth == 1 => cuts.push(*at),
            _ => {}
        }
    }
    Some(None)
}

/// Matches names of a path; like `name_fits` with `**` in the place of `*`, so that both take time of length times length at most.
fn path_fits(pattern: &[Vec<char>], names: &[&str]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < names.len() {
        let here = pattern.get(p);
        if here.is_some_and(|x| x.as_slice() == ['*', '*']) {
            back = Some((p, n));
            p += 1;
        } else if here.zip(names.get(n)).is_some_and(|(x, name)| name_fits(x, name)) {
            p += 1;
            n += 1;
        } else if let Some((bp, bn)) = back {
            back = Some((bp, bn + 1));
            p = bp + 1;
            n = bn + 1;
        } else {
            return false;
        }
    }
    pattern.iter().skip(p).all(|x| x.as_slice() == ['*', '*'])
}

fn name_fits(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while let Some(c) = name.get(n) {
        if pattern.get(p) == Some(&'*') {
            back = Some((p, n));
            p += 1;
        } else if let Some(length) = pattern.get(p..).and_then(|rest| one_fits(rest, *c)) {
            p += length;
            n += 1;
        } else if let Some((bp, bn)) = back {
            back = Some((bp, bn + 1));
            p = bp + 1;
            n = bn + 1;
        } else {
            return false;
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

/// If the pattern's first item fits a character, how long the item is.
fn one_fits(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            let negated = matches!(rest.first(), Some('!' | '^'));
            let body = rest.get(usize::from(negated)..)?;
            // A `]` in the first place is a member.
            let Some(end) = body.iter().skip(1).position(|x| *x == ']').map(|i| i + 1) else {
                return (c == '[').then_some(1);
            };
            let members = body.get(..end)?;
            let (mut at, mut found) = (0, false);
            while let Some(low) = members.get(at) {
                match (members.get(at + 1), members.get(at + 2)) {
                    (Some('-'), Some(high)) => {
                        found |= (*low..=*high).contains(&c);
                        at += 3;
                    }
                    _ => {
                        found |= *low == c;
                        at += 1;
                    }
                }
            }
            (found != negated).then_some(2 + usize::from(negated) + end)
        }
        [x, ..] => (*x == c).then_some(1),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    fn fits(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).unwrap().matches(path)
    }

    #[test]
    fn patterns() {
        for (pattern, yes, no) in [
            ("/a/*.csv", "/a/x.csv", "/a/b/x.csv"),
            ("/a/**/*.csv", "/a/x.csv", "/b/x.csv"),
            ("/a/**/*.csv", "/a/b/c/x.csv", "/a/b/c/x.json"),
            ("/a/?.csv", "/a/é.csv", "/a/ab.csv"),
            ("/a/[a-c]*", "/a/bx", "/a/dx"),
            ("/a/[!a-c]*", "/a/dx", "/a/bx"),
            ("/a/[]]", "/a/]", "/a/["),
            ("/a/{x,y{1,2}}.gz", "/a/y2.gz", "/a/y3.gz"),
            ("/a/[{]b", "/a/{b", "/a/b"),
            ("/a/x*y*z", "/a/x1y2y3z", "/a/x1z"),
            ("**", "/a/b", ""),
        ] {
            assert!(fits(pattern, yes), "{pattern} {yes}");
            assert!(!fits(pattern, no) || no.is_empty(), "{pattern} {no}");
        }
        assert!(Glob::new("/a/{b").is_err());
        assert!(Glob::new(&"{a,b}".repeat(30)).is_err());
        // No exponential time.
        assert!(!fits(&format!("{}c", "a*".repeat(40)), &format!("{}b", "a".repeat(5000))));
    }
}
