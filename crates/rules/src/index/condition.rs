//! From a predicate to a necessary condition over atoms.
//!
//! The condition of an expression is sound in this sense: on a row where it does not hold, evaluating the expression raises no error and gives
//! what was asked: "not TRUE", or (where a later term that can fail must be kept from the row) "FALSE". AND looks at later terms unless an earlier
//! one is FALSE, NULL does not stop it; so a term counts only if nothing before it can fail, and must be FALSE if something behind it can.
//! NOT is pushed down on the way (De Morgan keeps the order in which terms are looked at). What is not understood is "may be".

use std::collections::HashMap;

use millstream_expr::{CallExpr, Expr, ExprKind, Volatility};
use millstream_text::like::{LikePattern, Shape, SimilarPattern, escape_char};
use millstream_text::regex::{Literal, Literals, Pattern};
use millstream_types::Value;

use super::atom::{Atom, Atoms, Case, Condition, Place, Test};
use super::subject::{Subject, constant_number, constant_text, integer_subject, text_subject};

/// What is shown of a row where the condition does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// The expression is FALSE or NULL.
    NotTrue,
    /// The expression is FALSE.
    False,
}

/// What is known of an expression.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) condition: Condition,
    /// Whether the condition is not only necessary: the expression is TRUE where it holds.
    pub(super) exact: bool,
}

impl Known {
    fn nothing() -> Self {
        Known { condition: Condition::Always, exact: false }
    }

    fn loose(condition: Condition) -> Self {
        Known { condition, exact: false }
    }
}

/// Whether some row makes an expression fail in Flink. A constant pattern that counts steps does so only here, by a limit of our own: where Flink gives
/// an answer, looking at fewer rows never hides an error, it only spares some rows the limit.
pub(super) fn can_fail(expr: &Expr) -> bool {
    if !expr.fallible() {
        return false;
    }
    match &expr.kind {
        ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_) | ExprKind::Case { .. } => {
            expr.children().into_iter().any(can_fail)
        }
        ExprKind::Call(call)
            if matches!(&*call.name, "REGEXP" | "SIMILAR TO")
                && call.args.get(1).is_some_and(|p| p.as_literal().is_some()) =>
        {
            call.args.iter().any(can_fail)
        }
        _ => true,
    }
}

/// Reads conditions, collecting their atoms.
pub(super) struct Reading<'a> {
    pub(super) atoms: &'a mut Atoms,
    pub(super) patterns: &'a mut Patterns,
}

/// Patterns by their text: rules use the same ones again and again. `None`: a wrong one.
pub(super) type Patterns = HashMap<String, Option<Pattern>>;

impl Reading<'_> {
    /// The condition of an expression.
    pub(super) fn of(&mut self, expr: &Expr, shows: Shows) -> Known {
        if expr.volatility() == Volatility::PerRow {
            return Known::nothing();
        }
        self.read(expr, false, shows)
    }

    /// The condition of `expr`, or of `NOT expr`.
    fn read(&mut self, expr: &Expr, negated: bool, shows: Shows) -> Known {
        match &expr.kind {
            ExprKind::Not(inner) => self.read(inner, !negated, shows),
            ExprKind::And(terms) if !negated => self.chain(terms, false, shows),
            ExprKind::Or(terms) if negated => self.chain(terms, true, shows),
            ExprKind::And(terms) | ExprKind::Or(terms) => {
                let parts: Vec<Known> = terms.iter().map(|t| self.read(t, negated, shows)).collect();
                let exact = parts.iter().all(|p| p.exact);
                Known { condition: Condition::any(parts.into_iter().map(|p| p.condition).collect()), exact }
            }
            ExprKind::Literal(value) => literal(value, negated, shows),
            ExprKind::Case { branches, otherwise } => {
                let branches: Vec<(&Expr, &Expr)> = branches.iter().map(|(c, v)| (c, v)).collect();
                self.case(&branches, otherwise, negated, shows)
            }
            ExprKind::Call(call) => match (&*call.name, call.args.as_slice()) {
                ("IF", [condition, value, otherwise]) => {
                    self.case(&[(condition, value)], otherwise, negated, shows)
                }
                // Never NULL: what is not TRUE is FALSE.
                ("IS TRUE", [inner]) if !negated => self.read(inner, false, Shows::NotTrue),
                ("IS FALSE", [inner]) if !negated => self.read(inner, true, Shows::NotTrue),
                ("IS NOT TRUE", [inner]) if negated => self.read(inner, false, Shows::NotTrue),
                ("IS NOT FALSE", [inner]) if negated => self.read(inner, true, Shows::NotTrue),
                ("COALESCE" | "IFNULL" | "NVL", [inner, default])
                    if !negated && default.as_literal() == Some(&Value::Boolean(false)) =>
                {
                    self.read(inner, false, Shows::NotTrue)
                }
                _ if can_fail(expr) && !self.fails_only_with_literals(call) => Known::nothing(),
                _ => self.leaf(call, negated, shows),
            },
            _ => Known::nothing(),
        }
    }

    /// Whether a REGEXP that can fail only does so on texts that contain the literals of its pattern. A pattern that has a linear form runs on
    /// the engine that counts its steps only for texts on which that form may not be asked, and only behind a linear screen that keeps every
    /// literal.
    fn fails_only_with_literals(&mut self, call: &CallExpr) -> bool {
        match (&*call.name, call.args.as_slice()) {
            ("REGEXP", [text, pattern]) if !can_fail(text) => {
                self.pattern(pattern).is_some_and(|p| p.translated().is_some())
            }
            _ => false,
        }
    }

    fn pattern(&mut self, expr: &Expr) -> Option<Pattern> {
        let text = constant_text(expr)?;
        if let Some(known) = self.patterns.get(text) {
            return known.clone();
        }
        let pattern = Pattern::compile(text).ok();
        self.patterns.insert(text.to_string(), pattern.clone());
        pattern
    }

    /// AND of terms, or (`negated`) of their negations.
    fn chain(&mut self, terms: &[Expr], negated: bool, shows: Shows) -> Known {
        let fails: Vec<bool> = terms.iter().map(can_fail).collect();
        let last_failing = fails.iter().rposition(|f| *f);
        let mut parts = Vec::with_capacity(terms.len());
        let mut exact = true;
        for (i, term) in terms.iter().enumerate() {
            let shows = if last_failing.is_some_and(|l| l > i) { Shows::False } else { shows };
            let known = self.read(term, negated, shows);
            exact &= known.exact;
            parts.push(known.condition);
            if fails.get(i) == Some(&true) {
                exact &= i + 1 == terms.len();
                break;
            }
        }
        Known { condition: Condition::all(parts), exact: exact && last_failing.is_none() }
    }

    fn case(&mut self, branches: &[(&Expr, &Expr)], otherwise: &Expr, negated: bool, shows: Shows) -> Known {
        let mut any = Vec::with_capacity(branches.len() + 1);
        for (condition, value) in branches {
            let mut all = vec![self.read(condition, false, Shows::NotTrue).condition];
            if !can_fail(condition) {
                all.push(self.read(value, negated, shows).condition);
            }
            any.push(Condition::all(all));
        }
        any.push(self.read(otherwise, negated, shows).condition);
        Known::loose(Condition::any(any))
    }

    fn atom(&mut self, column: usize, test: Test) -> Condition {
        Condition::Atom(self.atoms.intern(Atom { column, test }))
    }

    /// A test that is NULL for NULL: where FALSE is to be shown, NULL is open.
    fn strict(&mut self, column: usize, condition: Condition, exact: bool, shows: Shows) -> Known {
        match shows {
            Shows::NotTrue => Known { condition, exact },
            Shows::False => {
                let missing = self.atom(column, Test::Missing);
                Known::loose(Condition::any(vec![condition, missing]))
            }
        }
    }

    fn leaf(&mut self, call: &CallExpr, negated: bool, shows: Shows) -> Known {
        let args = call.args.as_slice();
        match (&*call.name, args) {
            ("IS NULL", [a]) | ("IS NOT NULL", [a]) => {
                let ExprKind::Column(column) = a.kind else { return Known::nothing() };
                let null = (&*call.name == "IS NULL") != negated;
                let condition = self.atom(column, if null { Test::Missing } else { Test::Present });
                return Known { condition, exact: true };
            }
            ("=", [a, b]) if !negated => return self.equal(a, &[b], shows),
            ("<>", [a, b]) if negated => return self.equal(a, &[b], shows),
            ("IN", [a, items @ ..]) if !negated => {
                return self.equal(a, &items.iter().collect::<Vec<_>>(), shows);
            }
            ("<" | "<=" | ">" | ">=", [a, b]) => {
                if let Some(known) = self.order(&call.name, a, b, negated, shows) {
                    return known;
                }
            }
            ("LIKE", [a, ..]) if !negated => {
                if let Some(pattern) = like(call) {
                    return self.shape(a, pattern.shape(), shows);
                }
            }
            ("STARTSWITH", [a, b]) | ("ENDSWITH", [a, b]) if !negated => {
                if let Some(text) = constant_text(b) {
                    let start = &*call.name == "STARTSWITH";
                    let shape = match (text.is_empty(), start) {
                        (true, _) => Shape::All,
                        (false, true) => Shape::Prefix(text.to_string()),
                        (false, false) => Shape::Suffix(text.to_string()),
                    };
                    return self.shape(a, &shape, shows);
                }
            }
            ("REGEXP", [a, b]) if !negated => {
                // An empty pattern and a wrong one are FALSE.
                if let Some(pattern) = self.pattern(b) {
                    return self.literals(a, pattern.required_literals(), shows);
                }
            }
            ("SIMILAR TO", [a, ..]) if !negated => {
                if let Some(pattern) = similar(call) {
                    return self.literals(a, pattern.pattern().required_literals(), shows);
                }
            }
            _ => {}
        }
        self.present(call, shows)
    }

    /// For what is known only to be NULL for NULL.
    fn present(&mut self, call: &CallExpr, shows: Shows) -> Known {
        let strict = matches!(
            &*call.name,
            "=" | "<>"
                | "<"
                | "<="
                | ">"
                | ">="
                | "LIKE"
                | "REGEXP"
                | "SIMILAR TO"
                | "STARTSWITH"
                | "ENDSWITH"
        );
        if !strict || shows == Shows::False {
            return Known::nothing();
        }
        let columns = call.args.iter().filter_map(|a| match &a.kind {
            ExprKind::Column(c) => Some(*c),
            _ => integer_subject(a)
                .or_else(|| text_subject(a).filter(|(_, nulls)| !nulls).map(|(s, _)| s.column)),
        });
        let columns: Vec<usize> = columns.collect();
        let parts = columns.into_iter().map(|c| self.atom(c, Test::Present)).collect();
        Known::loose(Condition::all(parts))
    }

    /// Equality with one of some constants.
    fn equal(&mut self, a: &Expr, items: &[&Expr], shows: Shows) -> Known {
        let (a, items) = match items {
            [b] if constant_text(a).is_some() || constant_number(a).is_some() => (*b, vec![a]),
            _ => (a, items.to_vec()),
        };
        if let Some((subject, nulls)) = text_subject(a) {
            let mut any = Vec::with_capacity(items.len());
            let mut exact = true;
            for item in items {
                if item.as_literal().is_some_and(Value::is_null) {
                    // Never TRUE, and a value that is not found is NULL.
                    if shows == Shows::False {
                        return Known::nothing();
                    }
                    continue;
                }
                let Some(text) = constant_text(item) else { return Known::nothing() };
                if nulls && text.is_empty() {
                    return Known::nothing();
                }
                let (condition, e) = self.text(subject, text, Place::Whole, Case::Exact);
                exact &= e;
                any.push(condition);
            }
            return self.strict(subject.column, Condition::any(any), exact, shows);
        }
        if let Some(column) = integer_subject(a) {
            let mut any = Vec::with_capacity(items.len());
            for item in items {
                if item.as_literal().is_some_and(Value::is_null) {
                    if shows == Shows::False {
                        return Known::nothing();
                    }
                    continue;
                }
                let Some((digits, scale)) = constant_number(item) else { return Known::nothing() };
                if let Some(n) = whole(digits, scale) {
                    any.push(self.atom(column, Test::Range { low: n, high: n }));
                }
            }
            return self.strict(column, Condition::any(any), true, shows);
        }
        if shows == Shows::NotTrue
            && let ExprKind::Column(column) = a.kind
        {
            return Known::loose(self.atom(column, Test::Present));
        }
        Known::nothing()
    }

    /// A comparison of a whole number with a constant.
    fn order(&mut self, name: &str, a: &Expr, b: &Expr, negated: bool, shows: Shows) -> Option<Known> {
        let (column, constant, turned) = match (integer_subject(a), integer_subject(b)) {
            (Some(column), None) => (column, constant_number(b)?, false),
            (None, Some(column)) => (column, constant_number(a)?, true),
            _ => return None,
        };
        let (mut less, mut or_equal) = (name.starts_with('<'), name.ends_with('='));
        if turned {
            less = !less;
        }
        if negated {
            (less, or_equal) = (!less, !or_equal);
        }
        let (low, high) = bounds(constant, less, or_equal);
        let condition =
            if low > high { Condition::Never } else { self.atom(column, Test::Range { low, high }) };
        Some(self.strict(column, condition, true, shows))
    }

    fn shape(&mut self, a: &Expr, shape: &Shape, shows: Shows) -> Known {
        let Some((subject, nulls)) = text_subject(a) else { return Known::nothing() };
        let (condition, exact) = match shape {
            Shape::All if nulls => return Known::nothing(),
            Shape::All => (self.atom(subject.column, Test::Present), true),
            Shape::Exact(t) if t.is_empty() && nulls => return Known::nothing(),
            Shape::Exact(t) => self.text(subject, t, Place::Whole, Case::Exact),
            Shape::Prefix(t) => self.text(subject, t, Place::Start, Case::Exact),
            Shape::Suffix(t) => self.text(subject, t, Place::End, Case::Exact),
            Shape::Contains(t) => self.text(subject, t, Place::Anywhere, Case::Exact),
            Shape::General(parts) => {
                let mut all = vec![];
                if !nulls {
                    all.push(self.atom(subject.column, Test::Present));
                }
                for part in parts.iter().filter(|p| !p.is_empty()) {
                    all.push(self.text(subject, part, Place::Anywhere, Case::Exact).0);
                }
                (Condition::all(all), false)
            }
        };
        self.strict(subject.column, condition, exact, shows)
    }

    fn literals(&mut self, a: &Expr, literals: &Literals, shows: Shows) -> Known {
        let Some((subject, nulls)) = text_subject(a) else { return Known::nothing() };
        let mut all = Vec::with_capacity(literals.all.len());
        for any in &literals.all {
            let any = any.iter().map(|Literal { bytes, ignore_ascii_case }| {
                let case = if *ignore_ascii_case { Case::Fold } else { Case::Exact };
                match std::str::from_utf8(bytes) {
                    Ok(text) => self.text(subject, text, Place::Anywhere, case).0,
                    Err(_) => Condition::Always,
                }
            });
            all.push(Condition::any(any.collect()));
        }
        let mut condition = Condition::all(all);
        if condition == Condition::Always {
            if nulls {
                return Known::nothing();
            }
            condition = self.atom(subject.column, Test::Present);
        }
        self.strict(subject.column, condition, false, shows)
    }

    /// A literal in a text, and whether that is all that is asked. `case` is how the literal is compared with the subject's value.
    fn text(&mut self, subject: Subject, text: &str, place: Place, case: Case) -> (Condition, bool) {
        if text.contains('\u{FFFD}') {
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
                    return (Condition::Never, true);
                }
                (text.to_ascii_lowercase(), wrapped)
            }
        };
        let place = if subject.whole { place } else { Place::Anywhere };
        if literal.is_empty() && !(place == Place::Whole && subject.whole) {
            return (self.atom(subject.column, Test::Present), subject.whole);
        }
        let test = Test::Text { literal: literal.into_bytes().into(), place, case };
        (self.atom(subject.column, test), subject.whole)
    }
}

fn literal(value: &Value, negated: bool, shows: Shows) -> Known {
    match (value.as_bool(), shows) {
        (Some(value), _) if value == negated => Known { condition: Condition::Never, exact: true },
        (Some(_), _) => Known { condition: Condition::Always, exact: true },
        (None, Shows::NotTrue) => Known { condition: Condition::Never, exact: true },
        (None, Shows::False) => Known::nothing(),
    }
}

/// The whole number that a decimal is.
fn whole(digits: i128, scale: u32) -> Option<i64> {
    let unit = 10i128.checked_pow(scale)?;
    if digits % unit != 0 {
        return None;
    }
    i64::try_from(digits / unit).ok()
}

/// The whole numbers that are less (or greater) than a decimal, perhaps equal.
fn bounds((digits, scale): (i128, u32), less: bool, or_equal: bool) -> (i64, i64) {
    let unit = 10i128.checked_pow(scale).unwrap_or(i128::MAX);
    let (floor, is_whole) = (digits.div_euclid(unit), digits.rem_euclid(unit) == 0);
    let clamp = |n: i128| i64::try_from(n).unwrap_or(if n < 0 { i64::MIN } else { i64::MAX });
    let beyond = |n: i128| i64::try_from(n).is_err();
    if less {
        let top = if is_whole && !or_equal { floor - 1 } else { floor };
        if beyond(top) && top < 0 { (1, 0) } else { (i64::MIN, clamp(top)) }
    } else {
        let bottom = if is_whole && or_equal { floor } else { floor + 1 };
        if beyond(bottom) && bottom > 0 { (1, 0) } else { (clamp(bottom), i64::MAX) }
    }
}

/// The escape character of a call; `Err`: it is none that is known here.
fn escape(call: &CallExpr) -> Result<Option<char>, ()> {
    if call.keywords.iter().any(|(k, _)| *k == "ESCAPE") {
        return Err(());
    }
    match call.args.get(2) {
        None => Ok(None),
        Some(e) => constant_text(e).and_then(|t| escape_char(t).ok()).map(Some).ok_or(()),
    }
}

fn like(call: &CallExpr) -> Option<LikePattern> {
    LikePattern::compile(constant_text(call.args.get(1)?)?, escape(call).ok()?).ok()
}

fn similar(call: &CallExpr) -> Option<SimilarPattern> {
    if &*call.name != "SIMILAR TO" {
        return None;
    }
    SimilarPattern::compile(constant_text(call.args.get(1)?)?, escape(call).ok()?).ok()
}
