//! What stands on the left side of a test: a column below functions that keep its text, or a part of it.

use millstream_expr::{CastMode, Expr, ExprKind, Keyword};
use millstream_types::TypeKind;

use super::atom::{Case, Condition, Place, Test};
use super::condition::Reading;
use super::constants::{constant_int, constant_text};
use super::nested::numeric;
use super::ordinal::Ordinal;
use super::parts::Parts;

/// Which part of a column's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// It begins with it.
    Start,
    /// It ends with it.
    End,
    Inner,
}

impl Part {
    /// A part of this part.
    fn cut(self, part: Part) -> Part {
        match (self, part) {
            (Part::Whole, p) | (p, Part::Whole) => p,
            (Part::Start, Part::Start) => Part::Start,
            (Part::End, Part::End) => Part::End,
            _ => Part::Inner,
        }
    }

    /// Where a literal stands in the column's text that stands there in the part.
    fn place(self, place: Place) -> Place {
        match (self, place) {
            (Part::Whole, place) => place,
            (Part::Start, Place::Start | Place::Whole) => Place::Start,
            (Part::End, Place::End | Place::Whole) => Place::End,
            _ => Place::Anywhere,
        }
    }
}

/// A text that is made of a column's text. It is NULL where the column is.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) column: usize,
    /// The case that the column's text was put in, before or after it was cut.
    pub(super) case: Case,
    pub(super) part: Part,
    /// It stands in a column with parts.
    pub(super) raw: bool,
    /// It was read out of JSON, where numbers may be spelled in another way.
    pub(super) json: bool,
    /// It may be NULL where the column is not.
    pub(super) more_nulls: bool,
    /// What holds wherever it is not NULL.
    pub(super) also: Vec<Condition>,
    /// Where one of these holds, it may be any text.
    pub(super) open: Vec<Condition>,
}

impl Subject {
    /// The text of a column itself.
    pub(super) fn of(column: usize, case: Case) -> Self {
        Subject {
            column,
            case,
            part: Part::Whole,
            raw: false,
            json: false,
            more_nulls: false,
            also: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Whether it is the column's text (in another case, perhaps) and nothing else.
    pub(super) fn is_whole(&self) -> bool {
        let plain = !self.raw && !self.json && !self.more_nulls;
        self.part == Part::Whole && plain && self.also.is_empty() && self.open.is_empty()
    }
}

impl Reading<'_> {
    /// The text column behind an expression.
    pub(super) fn subject(&mut self, expr: &Expr) -> Option<Subject> {
        if !expr.data_type.kind.is_string() {
            return None;
        }
        if let Some(column) = self.parts.column(expr) {
            return Some(Subject::of(column, Case::Exact));
        }
        match &expr.kind {
            // Between strings; a shorter type may cut the end off, CHAR may append spaces.
            ExprKind::Cast { input, mode } if *mode != CastMode::Assign => {
                match (&input.data_type.kind, &expr.data_type.kind) {
                    (TypeKind::VarChar(n), TypeKind::VarChar(m)) => {
                        self.cut(input, if n <= m { Part::Whole } else { Part::Start })
                    }
                    _ => None,
                }
            }
            ExprKind::Field { .. } => self.part(expr),
            ExprKind::Call(call) => {
                let constant = |i: usize| call.args.get(i).and_then(constant_text);
                match (&*call.name, call.args.as_slice()) {
                    ("[]", _) => self.part(expr),
                    ("LOWER", [inner]) => self.cased(inner, Case::Lower),
                    ("UPPER", [inner]) => self.cased(inner, Case::Upper),
                    // A set that is not constant could be NULL.
                    ("TRIM" | "LTRIM" | "RTRIM" | "BTRIM", [_, rest @ ..])
                        if rest.iter().any(|r| constant_text(r).is_none()) =>
                    {
                        None
                    }
                    ("LTRIM", [inner, ..]) => self.cut(inner, Part::End),
                    ("RTRIM", [inner, ..]) => self.cut(inner, Part::Start),
                    ("BTRIM", [inner, ..]) => self.cut(inner, Part::Inner),
                    ("TRIM", [inner, ..]) => {
                        let side = call.keywords.iter().find(|(k, _)| *k == "side").map(|(_, w)| w);
                        let part = match side {
                            Some(Keyword::Word(w)) if **w == *"LEADING" => Part::End,
                            Some(Keyword::Word(w)) if **w == *"TRAILING" => Part::Start,
                            _ => Part::Inner,
                        };
                        self.cut(inner, part)
                    }
                    ("LEFT", [inner, n]) => {
                        constant_int(n)?;
                        self.cut(inner, Part::Start)
                    }
                    ("RIGHT", [inner, n]) => {
                        constant_int(n)?;
                        self.cut(inner, Part::End)
                    }
                    ("SUBSTRING", [inner, start]) => {
                        constant_int(start)?;
                        self.cut(inner, Part::End)
                    }
                    ("SUBSTRING", [inner, start, length]) => {
                        let (start, length) = (constant_int(start)?, constant_int(length)?);
                        let part = if (0..=1).contains(&start) { Part::Start } else { Part::Inner };
                        if length < 0 {
                            return None;
                        }
                        self.cut(inner, part)
                    }
                    // The text itself, unless what is replaced is in it.
                    ("REPLACE", [inner, _, _]) => {
                        let old = constant(1).filter(|old| !old.is_empty())?;
                        constant(2)?;
                        let mut subject = self.subject(inner)?;
                        let replaced = self.text(&subject, old, Place::Anywhere, Case::Exact).0;
                        subject.open.push(replaced);
                        Some(subject)
                    }
                    ("REGEXP_REPLACE", [inner, pattern, _]) => {
                        constant(2)?;
                        let pattern = self.pattern(pattern)?;
                        let mut subject = self.subject(inner)?;
                        let replaced = self.required(&subject, pattern.required_literals());
                        subject.open.push(replaced);
                        Some(subject)
                    }
                    ("REGEXP_EXTRACT" | "REGEXP_SUBSTR", [inner, pattern, rest @ ..]) => {
                        if rest.iter().any(|r| !r.columns().is_empty()) {
                            return None;
                        }
                        let pattern = self.pattern(pattern)?;
                        let mut subject = self.cut(inner, Part::Inner)?;
                        let found = self.required(&subject, pattern.required_literals());
                        subject.also.push(found);
                        Some(Subject { more_nulls: true, ..subject })
                    }
                    ("SPLIT_INDEX", [inner, rest @ ..]) => {
                        if rest.iter().any(|r| !r.columns().is_empty()) {
                            return None;
                        }
                        let subject = self.cut(inner, Part::Inner)?;
                        Some(Subject { more_nulls: true, ..subject })
                    }
                    ("NULLIF", [inner, ..]) => {
                        let subject = self.subject(inner)?;
                        Some(Subject { more_nulls: true, ..subject })
                    }
                    ("JSON_VALUE", _) => self.json_value(call),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn cut(&mut self, inner: &Expr, part: Part) -> Option<Subject> {
        let subject = self.subject(inner)?;
        Some(Subject { part: subject.part.cut(part), ..subject })
    }

    fn cased(&mut self, inner: &Expr, case: Case) -> Option<Subject> {
        let subject = self.subject(inner)?;
        // Letters beyond ASCII may change twice.
        (subject.case == Case::Exact).then_some(Subject { case, ..subject })
    }

    /// A literal in a text, and whether that is all that is asked. `case` is how the literal is compared with the subject's value.
    pub(super) fn text(
        &mut self,
        subject: &Subject,
        text: &str,
        place: Place,
        case: Case,
    ) -> (Condition, bool) {
        if text.contains('\u{FFFD}') || subject.json && numeric(text) {
            // Bytes that are no text are shown as this character.
            return (Condition::Always, false);
        }
        let (literal, case) = match (subject.case, case) {
            (Case::Exact, Case::Fold) => (text.to_ascii_lowercase(), Case::Fold),
            (Case::Exact, _) => (text.to_string(), Case::Exact),
            // Outside ASCII, cases are not pairs.
            _ if !text.is_ascii() => return (Condition::Always, false),
            (wrapped, compared) => {
                let other_case =
                    if wrapped == Case::Upper { u8::is_ascii_lowercase } else { u8::is_ascii_uppercase };
                if compared == Case::Exact && text.bytes().any(|b| other_case(&b)) {
                    return (Condition::Never, subject.is_whole());
                }
                (text.to_ascii_lowercase(), wrapped)
            }
        };
        if subject.raw {
            return (self.raw(subject.column, &literal, case), false);
        }
        let place = subject.part.place(place);
        if literal.is_empty() && place != Place::Whole {
            return (self.atom(subject.column, Test::Present), subject.is_whole());
        }
        let test = Test::Text { literal: literal.into_bytes().into(), place, case };
        (self.atom(subject.column, test), subject.is_whole())
    }
}

/// The column behind an expression that has ordinals, below casts that keep the value.
pub(super) fn ordinal_subject(expr: &Expr, parts: &mut Parts) -> Option<(usize, Ordinal)> {
    match &expr.kind {
        ExprKind::Column(_) | ExprKind::Field { .. } => {
            let of = Ordinal::of(&expr.data_type.kind)?;
            Some((parts.column(expr)?, of))
        }
        ExprKind::Cast { input, .. } => match (&input.data_type.kind, &expr.data_type.kind) {
            (from, to) if keeps_integer(from, to) => ordinal_subject(input, parts),
            // Whole numbers meet constants below 2^53, where both are exact.
            (from, TypeKind::Double) if from.is_integer() || *from == TypeKind::Float => {
                ordinal_subject(input, parts)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The text column whose order an expression has, and the case it is in: the column itself, or LOWER or UPPER of it.
pub(super) fn order_subject(expr: &Expr, parts: &mut Parts) -> Option<(usize, Case)> {
    if !expr.data_type.kind.is_string() {
        return None;
    }
    if let Some(column) = parts.column(expr) {
        return Some((column, Case::Exact));
    }
    match &expr.kind {
        ExprKind::Cast { input, mode } if *mode != CastMode::Assign => {
            match (&input.data_type.kind, &expr.data_type.kind) {
                (TypeKind::VarChar(n), TypeKind::VarChar(m)) if n <= m => order_subject(input, parts),
                _ => None,
            }
        }
        ExprKind::Call(call) => {
            let case = match &*call.name {
                "LOWER" => Case::Lower,
                "UPPER" => Case::Upper,
                _ => return None,
            };
            match call.args.as_slice() {
                [inner] => {
                    order_subject(inner, parts).filter(|(_, c)| *c == Case::Exact).map(|(at, _)| (at, case))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn width(kind: &TypeKind) -> Option<u8> {
    Some(match kind {
        TypeKind::TinyInt => 3,
        TypeKind::SmallInt => 5,
        TypeKind::Int => 10,
        TypeKind::BigInt => 19,
        _ => return None,
    })
}

fn keeps_integer(from: &TypeKind, to: &TypeKind) -> bool {
    let Some(digits) = width(from) else { return false };
    match to {
        TypeKind::Decimal { precision, scale } => precision.saturating_sub(*scale) >= digits,
        other => width(other).is_some_and(|w| w >= digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_parts() {
        assert_eq!(Part::Start.cut(Part::Start), Part::Start);
        assert_eq!(Part::Start.cut(Part::End), Part::Inner);
        assert_eq!(Part::End.place(Place::Whole), Place::End);
        assert_eq!(Part::Start.place(Place::End), Place::Anywhere);
        assert_eq!(Part::Whole.place(Place::End), Place::End);
    }
}
