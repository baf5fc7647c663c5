//! Parts of values that have parts: fields of rows, values of maps, items of arrays, values in JSON texts.
//!
//! A column of such a type is looked at as the JSON that spells it: what a part contains, its JSON contains too, unless a backslash hides it or the
//! part is a number, which may be spelled in another way than it is shown.

use millstream_expr::{CallExpr, Expr, ExprKind};
use millstream_types::TypeKind;

use super::atom::{Case, Condition, Place, Test};
use super::condition::Reading;
use super::constants::constant_text;
use super::subject::{Part, Subject};

/// A column with parts, and the names that lead to one of them.
pub(super) struct Within {
    pub(super) column: usize,
    names: Vec<String>,
}

/// The part of a column that an expression is.
pub(super) fn within(expr: &Expr) -> Option<Within> {
    match &expr.kind {
        ExprKind::Field { input, index } => {
            let TypeKind::Row(fields) = &input.data_type.kind else { return None };
            let name = fields.get(*index)?.name.to_string();
            deeper(input, Some(name))
        }
        ExprKind::Call(call) if &*call.name == "[]" => match call.args.as_slice() {
            [map, key] if matches!(map.data_type.kind, TypeKind::Map(..)) => {
                // Keys that are no texts are spelled in other ways.
                let name = match &map.data_type.kind {
                    TypeKind::Map(k, _) if k.kind.is_string() => constant_text(key).map(str::to_string),
                    _ => None,
                };
                key.columns().is_empty().then(|| deeper(map, name))?
            }
            [array, index] if matches!(array.data_type.kind, TypeKind::Array(_)) => {
                index.columns().is_empty().then(|| deeper(array, None))?
            }
            _ => None,
        },
        _ => None,
    }
}

fn deeper(input: &Expr, name: Option<String>) -> Option<Within> {
    let mut within = match (&input.kind, &input.data_type.kind) {
        (ExprKind::Column(column), TypeKind::Row(_) | TypeKind::Map(..) | TypeKind::Array(_)) => {
            Within { column: *column, names: Vec::new() }
        }
        _ => within(input)?,
    };
    within.names.extend(name);
    Some(within)
}

/// The longest piece of a text that JSON spells as it is, whatever value it is a part of: without its punctuation, and no number.
fn spelled_alike(text: &str) -> Option<&str> {
    let punctuation = |c: char| c.is_control() || matches!(c, '{' | '}' | '[' | ']' | ':' | ',' | '"' | '\\');
    text.split(punctuation).filter(|run| !numeric(run)).max_by_key(|run| run.len())
}

/// Whether a text may be a part of a number.
pub(super) fn numeric(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'))
}

/// The names of a path into JSON that all must be there; none for paths that are more than names and positions.
fn names_of(path: &str) -> Vec<String> {
    let path = path.trim();
    let path = path.strip_prefix("lax ").or_else(|| path.strip_prefix("strict ")).unwrap_or(path).trim();
    let Some(steps) = path.strip_prefix('$') else { return Vec::new() };
    let mut names = Vec::new();
    let mut rest = steps;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
            let (name, next) = after.split_at(end);
            if name.is_empty() || !(next.is_empty() || next.starts_with(['.', '['])) {
                return Vec::new();
            }
            names.push(name.to_string());
            rest = next;
        } else {
            let position = rest.strip_prefix('[').and_then(|r| r.split_once(']'));
            match position {
                Some((digits, next)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                    rest = next;
                }
                _ => return Vec::new(),
            }
        }
    }
    names
}

impl Reading<'_> {
    /// A part of a column with parts that is text.
    pub(super) fn part(&mut self, expr: &Expr) -> Option<Subject> {
        let within = within(expr)?;
        let also = self.names(&within);
        Some(Subject {
            part: Part::Inner,
            raw: true,
            more_nulls: true,
            also,
            ..Subject::of(within.column, Case::Exact)
        })
    }

    /// What holds where a part is not NULL: the column is there, and the names are in it.
    pub(super) fn names(&mut self, within: &Within) -> Vec<Condition> {
        let mut all = vec![self.atom(within.column, Test::Present)];
        for name in within.names.iter().filter(|n| n.chars().all(|c| !c.is_control() && c != '"')) {
            let literal = format!("\"{name}\"").into_bytes().into();
            all.push(self.atom(within.column, Test::Raw { literal, case: Case::Exact }));
        }
        all
    }

    /// The literal of a text within JSON with parts.
    pub(super) fn raw(&mut self, column: usize, text: &str, case: Case) -> Condition {
        let Some(run) = spelled_alike(text).filter(|r| !r.is_empty()) else {
            return self.atom(column, Test::Present);
        };
        self.atom(column, Test::Raw { literal: run.as_bytes().into(), case })
    }

    /// JSON_VALUE(text, path), if what it gives is in the text.
    pub(super) fn json_value(&mut self, call: &CallExpr) -> Option<Subject> {
        let [text, path] = call.args.as_slice() else { return None };
        let subject = self.subject(text).filter(|s| !s.raw && !s.json)?;
        let path = constant_text(path)?;
        let mut also = subject.also.clone();
        let backslash = self.text(&subject, "\\", Place::Anywhere, Case::Exact).0;
        // The backslash, which is open anyway, counts against names: a value is rarer than the name that all records have.
        for name in names_of(path) {
            let name = self.text(&subject, &format!("\"{name}\""), Place::Anywhere, Case::Exact).0;
            also.push(Condition::any(vec![name, backslash.clone()]));
        }
        let mut open = subject.open.clone();
        open.push(backslash);
        // In another case the JSON is another one, but it is still one text.
        Some(Subject { part: Part::Inner, json: true, more_nulls: true, also, open, ..subject })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_names() {
        let names = |path| names_of(path).join(" ");
        assert_eq!(names("$.a.b[0].c_1"), "a b c_1");
        assert_eq!(names("lax $.user"), "user");
        for other in ["$.a.length()", "$..a", "$.a[*]", "$['a']", "$.a.*", "a", "$.a-b"] {
            assert_eq!(names(other), "", "{other}");
        }
    }

    #[test]
    fn pieces_that_json_spells_alike() {
        assert_eq!(spelled_alike("C:\\Users\\bob"), Some("Users"));
        assert_eq!(spelled_alike("404"), None);
        assert_eq!(spelled_alike("1,2e5"), None);
        assert_eq!(spelled_alike("a\"bc"), Some("bc"));
    }
}
