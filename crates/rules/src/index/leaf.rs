//! Tests of one value: what each of them asks of the value's column.

use std::net::IpAddr;

use millstream_expr::functions::scalar::url::Addresses;
use millstream_expr::{CallExpr, Expr, ExprKind};
use millstream_text::like::{LikePattern, Shape, SimilarPattern, escape_char};
use millstream_text::regex::{Literal, Literals};
use millstream_types::{TypeKind, Value};

use super::atom::{Case, Condition, Place, Test};
use super::condition::{Known, Reading, Shows};
use super::constants::{constant, constant_int, constant_text};
use super::orders::behind;
use super::ordinal::{Ordinal, bounds};
use super::subject::{Subject, order_subject, ordinal_subject};

impl Reading<'_> {
    pub(super) fn leaf(&mut self, call: &CallExpr, negated: bool, shows: Shows) -> Known {
        let known = match (&*call.name, call.args.as_slice()) {
            ("IS NULL" | "IS NOT NULL", [a]) => {
                let null = (&*call.name == "IS NULL") != negated;
                return match self.parts.column(a) {
                    Some(column) => {
                        let test = if null { Test::Missing } else { Test::Present };
                        Known { condition: self.atom(column, test), exact: true }
                    }
                    _ if null => Known::nothing(),
                    _ => Known::loose(Condition::all(self.needed(a))),
                };
            }
            ("IS DISTINCT FROM", [a, b]) if negated => return self.same(a, b),
            ("IS NOT DISTINCT FROM", [a, b]) if !negated => return self.same(a, b),
            ("IS DISTINCT FROM" | "IS NOT DISTINCT FROM", _) => return Known::nothing(),
            ("=", [a, b]) if !negated => self.equal(a, &[b], shows),
            ("<>", [a, b]) if negated => self.equal(a, &[b], shows),
            ("IN", [a, items @ ..]) if !negated => self.equal(a, &items.iter().collect::<Vec<_>>(), shows),
            ("<" | "<=" | ">" | ">=", [a, b]) => self.order(&call.name, a, b, negated, shows),
            ("LIKE", [a, ..]) if !negated => like(call).and_then(|p| self.shape(a, p.shape(), shows)),
            ("STARTSWITH" | "ENDSWITH" | "CONTAINS", [a, b]) if !negated => {
                constant_text(b).and_then(|text| {
                    let shape = match (text, &*call.name) {
                        ("", _) => Shape::All,
                        (text, "STARTSWITH") => Shape::Prefix(text.to_string()),
                        (text, "ENDSWITH") => Shape::Suffix(text.to_string()),
                        (text, _) => Shape::Contains(text.to_string()),
                    };
                    self.shape(a, &shape, shows)
                })
            }
            // An empty pattern and a wrong one are FALSE.
            ("REGEXP", [a, b]) if !negated => {
                self.pattern(b).and_then(|p| self.literals(a, p.required_literals(), shows))
            }
            ("SIMILAR TO", [a, ..]) if !negated => {
                similar(call).and_then(|p| self.literals(a, p.pattern().required_literals(), shows))
            }
            ("IPCONTAINS", [a, b]) if !negated => constant_text(b).and_then(|l| self.address(a, l, shows)),
            ("ARRAY_CONTAINS", [a, b]) if !negated && shows == Shows::NotTrue => self.item(a, b),
            _ => None,
        };
        let found = known.or_else(|| self.found(call, negated, shows));
        found.unwrap_or_else(|| {
            if shows == Shows::False {
                return Known::nothing();
            }
            // Whatever it asks: it is not NULL.
            Known::loose(Condition::all(self.needed_by(call)))
        })
    }

    /// `a IS NOT DISTINCT FROM b`.
    fn same(&mut self, a: &Expr, b: &Expr) -> Known {
        let (a, b) = if a.as_literal().is_some() { (b, a) } else { (a, b) };
        match (b.as_literal(), self.parts.column(a)) {
            (Some(Value::Null), Some(column)) => {
                Known { condition: self.atom(column, Test::Missing), exact: true }
            }
            (Some(value), _) if !value.is_null() => {
                self.equal(a, &[b], Shows::NotTrue).unwrap_or_else(Known::nothing)
            }
            _ => Known::nothing(),
        }
    }

    /// A condition on a text: what is open is open, what must hold besides is asked, too.
    fn of_subject(&mut self, subject: &Subject, condition: Condition, exact: bool, shows: Shows) -> Known {
        if shows == Shows::False && subject.more_nulls {
            return Known::nothing();
        }
        let mut all = vec![condition];
        all.extend(subject.also.iter().cloned());
        let mut any = vec![Condition::all(all)];
        any.extend(subject.open.iter().cloned());
        self.strict(subject.column, Condition::any(any), exact && subject.is_whole(), shows)
    }

    /// Equality with one of some constants.
    fn equal(&mut self, a: &Expr, items: &[&Expr], shows: Shows) -> Option<Known> {
        let (a, items) = match items {
            [b] if a.columns().is_empty() => (*b, vec![a]),
            _ => (a, items.to_vec()),
        };
        let is_null = |e: &Expr| constant(e).is_some_and(|(value, _)| value.is_null());
        // Never TRUE, and a value that is not found is NULL.
        if shows == Shows::False && items.iter().any(|i| is_null(i)) {
            return Some(Known::nothing());
        }
        let items: Vec<&Expr> = items.into_iter().filter(|i| !is_null(i)).collect();
        if let Some(column) = integer_text(a) {
            let mut any = Vec::with_capacity(items.len());
            for item in items {
                let text = constant_text(item)?;
                // Others are no spellings of a number.
                if let Some(n) = text.parse::<i64>().ok().filter(|n| n.to_string() == text) {
                    any.push(self.atom(column, Test::Range { low: n, high: n, of: Ordinal::Whole }));
                }
            }
            return Some(self.strict(column, Condition::any(any), true, shows));
        }
        if let Some(subject) = self.subject(a) {
            let mut any = Vec::with_capacity(items.len());
            let mut exact = true;
            for item in items {
                let (condition, e) = self.text(&subject, constant_text(item)?, Place::Whole, Case::Exact);
                exact &= e;
                any.push(condition);
            }
            return Some(self.of_subject(&subject, Condition::any(any), exact, shows));
        }
        let (column, of) = ordinal_subject(a, self.parts)?;
        let mut any = Vec::with_capacity(items.len());
        for item in items {
            let (value, kind) = constant(item)?;
            let (low, _) = of.bounds(&value, &kind, false, true)?;
            let (_, high) = of.bounds(&value, &kind, true, true)?;
            if low <= high {
                any.push(self.atom(column, Test::Range { low, high, of }));
            }
        }
        Some(self.strict(column, Condition::any(any), true, shows))
    }

    /// A comparison with a constant.
    fn order(&mut self, name: &str, a: &Expr, b: &Expr, negated: bool, shows: Shows) -> Option<Known> {
        let (subject, constant_side, turned) =
            if a.columns().is_empty() { (b, a, true) } else { (a, b, false) };
        if let (Some((column, case)), Some(text)) =
            (order_subject(subject, self.parts), constant_text(constant_side))
        {
            let (less, or_equal) = direction(name, turned, negated);
            // What follows a text at once is the text with a zero.
            let end = if less == or_equal { behind(text) } else { text.as_bytes().into() };
            let (low, high) = if less { (Box::default(), Some(end)) } else { (end, None) };
            let never = high.as_ref().is_some_and(|high| high.is_empty());
            let order = Test::Order { low, high, case };
            let condition = if never { Condition::Never } else { self.atom(column, order) };
            return Some(self.strict(column, condition, true, shows));
        }
        let (column, of) = ordinal_subject(subject, self.parts)?;
        let (value, kind) = constant(constant_side)?;
        let (less, or_equal) = direction(name, turned, negated);
        let (low, high) = of.bounds(&value, &kind, less, or_equal)?;
        let condition =
            if low > high { Condition::Never } else { self.atom(column, Test::Range { low, high, of }) };
        Some(self.strict(column, condition, true, shows))
    }

    fn shape(&mut self, a: &Expr, shape: &Shape, shows: Shows) -> Option<Known> {
        let Some(subject) = self.subject(a) else { return self.joined(a, shape, shows) };
        let (condition, exact) = match shape {
            Shape::All => (self.atom(subject.column, Test::Present), true),
            Shape::Exact(t) => self.text(&subject, t, Place::Whole, Case::Exact),
            Shape::Prefix(t) => self.text(&subject, t, Place::Start, Case::Exact),
            Shape::Suffix(t) => self.text(&subject, t, Place::End, Case::Exact),
            Shape::Contains(t) => self.text(&subject, t, Place::Anywhere, Case::Exact),
            Shape::General(parts) => {
                let mut all = vec![self.atom(subject.column, Test::Present)];
                for part in parts.iter().filter(|p| !p.is_empty()) {
                    all.push(self.text(&subject, part, Place::Anywhere, Case::Exact).0);
                }
                (Condition::all(all), false)
            }
        };
        Some(self.of_subject(&subject, condition, exact, shows))
    }

    /// A literal in texts that are put together. Cut into as many blocks as there are texts, one block at least lies in one text.
    fn joined(&mut self, a: &Expr, shape: &Shape, shows: Shows) -> Option<Known> {
        /// A shorter block is in too many texts.
        const SHORTEST: usize = 3;
        let (Shape::Exact(text) | Shape::Prefix(text) | Shape::Suffix(text) | Shape::Contains(text)) = shape
        else {
            return None;
        };
        let mut pieces = Vec::new();
        flatten(a, &mut pieces);
        let count = pieces.len();
        let characters: Vec<char> = text.chars().collect();
        if shows == Shows::False || count < 2 || characters.len() < count * SHORTEST {
            return None;
        }
        let size = characters.len() / count;
        let (equal, last) = characters.split_at((count - 1) * size);
        let blocks: Vec<String> = equal.chunks(size).chain([last]).map(|c| c.iter().collect()).collect();
        let mut any = Vec::new();
        for piece in pieces {
            if let Some(constant) = constant_text(piece) {
                if blocks.iter().any(|b| constant.contains(b)) {
                    return None;
                }
                continue;
            }
            let subject = self.subject(piece)?;
            for block in &blocks {
                any.push(self.text(&subject, block, Place::Anywhere, Case::Exact).0);
            }
            any.extend(subject.open);
        }
        Some(Known::loose(Condition::any(any)))
    }

    fn literals(&mut self, a: &Expr, literals: &Literals, shows: Shows) -> Option<Known> {
        let subject = self.subject(a)?;
        let required = self.required(&subject, literals);
        let condition = match required {
            Condition::Always => self.atom(subject.column, Test::Present),
            other => other,
        };
        Some(self.of_subject(&subject, condition, false, shows))
    }

    /// The literals of a pattern in a text.
    pub(super) fn required(&mut self, subject: &Subject, literals: &Literals) -> Condition {
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
        Condition::all(all)
    }

    fn address(&mut self, a: &Expr, list: &str, shows: Shows) -> Option<Known> {
        let subject = self.subject(a).filter(|s| s.is_whole() && s.case == Case::Exact)?;
        let addresses = Addresses::read(list);
        let range = |(low, high): &(IpAddr, IpAddr)| Test::Address { low: *low, high: *high };
        let any = addresses.ranges().iter().map(|r| self.atom(subject.column, range(r))).collect();
        Some(self.strict(subject.column, Condition::any(any), true, shows))
    }

    /// ARRAY_CONTAINS of a text.
    fn item(&mut self, array: &Expr, item: &Expr) -> Option<Known> {
        let mut all = self.needed(array);
        if let (Some(text), TypeKind::Array(_), ExprKind::Column(column)) =
            (constant_text(item), &array.data_type.kind, &array.kind)
        {
            all.push(self.raw(*column, text, Case::Exact));
        }
        Some(Known::loose(Condition::all(all)))
    }

    /// A comparison with the place of a text in another one (`POSITION('x' IN c) > 0`), if it says that there is one.
    fn found(&mut self, call: &CallExpr, negated: bool, shows: Shows) -> Option<Known> {
        let [a, b] = call.args.as_slice() else { return None };
        let (search, constant_side, turned) =
            if a.columns().is_empty() { (b, a, true) } else { (a, b, false) };
        let ExprKind::Call(search) = &search.kind else { return None };
        let at = constant_int(constant_side)?;
        let (low, high) = match (&*call.name, negated) {
            ("=", false) | ("<>", true) => (at, at),
            // It is never below 0.
            ("<>", false) | ("=", true) if at == 0 => (1, i64::MAX),
            ("<" | "<=" | ">" | ">=", _) => {
                let (less, or_equal) = direction(&call.name, turned, negated);
                bounds((at.into(), 0), less, or_equal)
            }
            _ => return None,
        };
        if low < 1 || low > high {
            return None;
        }
        let (text, part, rest) = match (&*search.name, search.args.as_slice()) {
            ("POSITION" | "LOCATE", [part, text, rest @ ..]) => (text, part, rest),
            ("INSTR", [text, part, rest @ ..]) => (text, part, rest),
            ("REGEXP_INSTR" | "REGEXP_COUNT", [text, pattern]) if shows == Shows::NotTrue => {
                let pattern = self.pattern(pattern)?;
                return self.literals(text, pattern.required_literals(), shows);
            }
            _ => return None,
        };
        // Where to begin, and which one, make it NULL or another place: no matter where it is only sought.
        if rest.iter().any(|r| constant_int(r).is_none()) {
            return None;
        }
        let part = constant_text(part).filter(|p| !p.is_empty())?;
        let plain = rest.is_empty();
        let shape = if plain && (low, high) == (1, 1) {
            Shape::Prefix(part.to_string())
        } else {
            Shape::Contains(part.to_string())
        };
        let known = self.shape(text, &shape, shows)?;
        let exact = known.exact && plain && (low, high == 1 || high == i64::MAX) == (1, true);
        Some(Known { exact, ..known })
    }
}

/// Below or above, and with equality: of a comparison that may be turned and negated.
fn direction(name: &str, turned: bool, negated: bool) -> (bool, bool) {
    let (mut less, mut or_equal) = (name.starts_with('<'), name.ends_with('='));
    if turned {
        less = !less;
    }
    if negated {
        (less, or_equal) = (!less, !or_equal);
    }
    (less, or_equal)
}

/// The column of whole numbers whose text an expression is.
fn integer_text(expr: &Expr) -> Option<usize> {
    let ExprKind::Cast { input, .. } = &expr.kind else { return None };
    match (&input.kind, input.data_type.kind.is_integer()) {
        (ExprKind::Column(column), true) if expr.data_type.kind == TypeKind::STRING => Some(*column),
        _ => None,
    }
}

/// The texts that `||` and CONCAT put together.
fn flatten<'a>(expr: &'a Expr, out: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Call(call) if matches!(&*call.name, "||" | "CONCAT") => {
            call.args.iter().for_each(|a| flatten(a, out));
        }
        ExprKind::Cast { input, .. }
            if expr.data_type.kind == TypeKind::STRING
                && matches!(input.data_type.kind, TypeKind::VarChar(_))
                && matches!(&input.kind, ExprKind::Call(_)) =>
        {
            flatten(input, out);
        }
        _ => out.push(expr),
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
