//! From a predicate to a necessary condition over atoms.
//!
//! The condition of an expression is sound in this sense: on a row where it does not hold, evaluating the expression raises no error and gives
//! what was asked: "not TRUE", or (where a later term that can fail must be kept from the row) "FALSE". AND looks at later terms unless an earlier
//! one is FALSE, NULL does not stop it; so a term counts only if nothing before it can fail, and must be FALSE if something behind it can.
//! NOT is pushed down on the way (De Morgan keeps the order in which terms are looked at). What is not understood is "may be".

use std::collections::HashMap;

use millstream_expr::{CallExpr, Expr, ExprKind, Volatility};
use millstream_text::regex::Pattern;
use millstream_types::{TypeKind, Value};

use super::atom::{Atom, Atoms, Case, Condition, Test};
use super::constants::{constant_int, constant_text};
use super::nested::within;
use super::ordinal::Ordinal;
use super::parts::Parts;

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
    pub(super) fn nothing() -> Self {
        Known { condition: Condition::Always, exact: false }
    }

    pub(super) fn loose(condition: Condition) -> Self {
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
        // IS NOT TRUE, say: only what stands in it fails.
        ExprKind::Call(call) if !call.fallible => call.args.iter().any(can_fail),
        ExprKind::Call(call) if call.kernel.is_short_form() => call.args.iter().any(can_fail),
        ExprKind::Call(call)
            if matches!(
                &*call.name,
                "REGEXP" | "SIMILAR TO" | "REGEXP_EXTRACT" | "REGEXP_SUBSTR" | "GROK"
            ) && call.args.get(1).is_some_and(|p| p.as_literal().is_some()) =>
        {
            call.args.iter().any(can_fail)
        }
        // Whole numbers wrap: only a division by 0 fails.
        ExprKind::Call(call) if matches!(&*call.name, "/" | "%") && divides_by_constant(&call.args) => {
            call.args.iter().any(can_fail)
        }
        _ => true,
    }
}

/// Whether whole numbers are divided by a constant that is not 0.
fn divides_by_constant(args: &[Expr]) -> bool {
    args.iter().all(|a| a.data_type.kind.is_integer())
        && matches!(args, [_, by] if constant_int(by).is_some_and(|by| by != 0))
}

/// Reads conditions, collecting their atoms.
pub(super) struct Reading<'a> {
    pub(super) atoms: &'a mut Atoms,
    pub(super) patterns: &'a mut Patterns,
    pub(super) parts: &'a mut Parts,
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
    pub(super) fn read(&mut self, expr: &Expr, negated: bool, shows: Shows) -> Known {
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
            ExprKind::Column(column) => {
                let truth = i64::from(!negated);
                let test = Test::Range { low: truth, high: truth, of: Ordinal::Boolean };
                let condition = self.atom(*column, test);
                self.strict(*column, condition, true, shows)
            }
            ExprKind::Case { branches, otherwise } => {
                let branches: Vec<(&Expr, &Expr)> = branches.iter().map(|(c, v)| (c, v)).collect();
                self.case(&branches, otherwise, negated, shows)
            }
            ExprKind::Call(call) => self.call(expr, call, negated, shows),
            _ => Known::nothing(),
        }
    }

    fn call(&mut self, expr: &Expr, call: &CallExpr, negated: bool, shows: Shows) -> Known {
        let boolean =
            |e: &Expr| e.data_type.kind == TypeKind::Boolean && !matches!(e.kind, ExprKind::Column(_));
        match (&*call.name, call.args.as_slice()) {
            (_, [inner]) if call.kernel.is_short_form() => self.read(inner, negated, shows),
            ("IF", [condition, value, otherwise]) => {
                self.case(&[(condition, value)], otherwise, negated, shows)
            }
            // Never NULL: what is not TRUE is FALSE.
            ("IS TRUE", [inner]) if !negated => self.read(inner, false, Shows::NotTrue),
            ("IS FALSE", [inner]) if !negated => self.read(inner, true, Shows::NotTrue),
            ("IS NOT TRUE", [inner]) if negated => self.read(inner, false, Shows::NotTrue),
            ("IS NOT FALSE", [inner]) if negated => self.read(inner, true, Shows::NotTrue),
            ("IS TRUE" | "IS NOT TRUE", [inner]) => self.or_null(inner, true),
            ("IS FALSE" | "IS NOT FALSE", [inner]) => self.or_null(inner, false),
            ("IS UNKNOWN", [inner]) if !negated => self.nulls(inner),
            ("IS NOT UNKNOWN", [inner]) if negated => self.nulls(inner),
            ("IS UNKNOWN" | "IS NOT UNKNOWN", [inner]) => self.known(inner),
            ("IS NULL", [inner]) if boolean(inner) && !negated => self.nulls(inner),
            ("IS NOT NULL", [inner]) if boolean(inner) && negated => self.nulls(inner),
            ("COALESCE" | "IFNULL" | "NVL", [inner, default]) if boolean(inner) => {
                match default.as_literal().and_then(Value::as_bool) {
                    // TRUE (or, negated, FALSE) only where the first one is.
                    Some(value) if value == negated => self.read(inner, negated, Shows::NotTrue),
                    Some(_) => self.or_null(inner, negated),
                    None => Known::nothing(),
                }
            }
            _ if can_fail(expr) && !self.fails_only_with_literals(call) => Known::nothing(),
            _ => match self.choices(expr, negated, shows) {
                Some(known) => known,
                None => self.leaf(call, negated, shows),
            },
        }
    }

    /// Where an expression is NULL, or has not the value that `not` says.
    fn or_null(&mut self, inner: &Expr, not: bool) -> Known {
        let null = self.nulls(inner).condition;
        if null == Condition::Always {
            return Known::nothing();
        }
        let other = self.read(inner, not, Shows::NotTrue).condition;
        Known::loose(Condition::any(vec![other, null]))
    }

    /// Where an expression is NULL.
    fn nulls(&mut self, expr: &Expr) -> Known {
        if can_fail(expr) {
            return Known::nothing();
        }
        Known::loose(self.null(expr))
    }

    /// What holds wherever an expression, which cannot fail, is NULL.
    pub(super) fn null(&mut self, expr: &Expr) -> Condition {
        let any = |reading: &mut Self, terms: &[Expr]| {
            Condition::any(terms.iter().map(|t| reading.null(t)).collect())
        };
        if let Some(column) = self.parts.column(expr) {
            return self.atom(column, Test::Missing);
        }
        match &expr.kind {
            ExprKind::Literal(value) if value.is_null() => Condition::Always,
            ExprKind::Literal(_) => Condition::Never,
            ExprKind::Not(inner) => self.null(inner),
            // Between strings nothing is lost.
            ExprKind::Cast { input, .. }
                if expr.data_type.kind.is_string() && input.data_type.kind.is_string() =>
            {
                self.null(input)
            }
            ExprKind::And(terms) | ExprKind::Or(terms) => any(self, terms),
            ExprKind::Call(call) if !expr.data_type.nullable && call.kernel.is_short_form() => {
                Condition::Never
            }
            ExprKind::Call(call) if call.name.starts_with("IS ") => Condition::Never,
            ExprKind::Call(call) if call.kernel.is_short_form() => any(self, &call.args),
            // Values with parts may be neither equal nor different.
            ExprKind::Call(call)
                if NULL_BY_ARGUMENTS.contains(&&*call.name)
                    && call.args.iter().all(|a| has_no_parts(&a.data_type.kind)) =>
            {
                any(self, &call.args)
            }
            _ => Condition::Always,
        }
    }

    /// Where an expression is not NULL.
    fn known(&mut self, expr: &Expr) -> Known {
        if can_fail(expr) {
            return Known::nothing();
        }
        Known::loose(Condition::all(self.needed(expr)))
    }

    /// What holds wherever an expression is not NULL.
    pub(super) fn needed(&mut self, expr: &Expr) -> Vec<Condition> {
        if let Some(column) = self.parts.column(expr) {
            return vec![self.atom(column, Test::Present)];
        }
        if let Some(within) = within(expr) {
            return self.names(&within);
        }
        match &expr.kind {
            ExprKind::Not(inner) => self.needed(inner),
            ExprKind::Cast { input, .. } => self.needed(input),
            ExprKind::Call(call) => self.needed_by(call),
            _ => Vec::new(),
        }
    }

    /// What holds wherever a call is not NULL.
    pub(super) fn needed_by(&mut self, call: &CallExpr) -> Vec<Condition> {
        match (&*call.name, call.args.as_slice()) {
            ("JSON_VALUE", [_, _]) => match self.json_value(call) {
                Some(subject) => {
                    let known = Condition::all(subject.also);
                    let found = Condition::any(subject.open.into_iter().chain([known]).collect());
                    vec![self.atom(subject.column, Test::Present), found]
                }
                None => Vec::new(),
            },
            ("IN", [first, ..]) => self.needed(first),
            (name, args) if NULL_BY_ARGUMENTS.contains(&name) || NULL_FOR_NULL.contains(&name) => {
                args.iter().flat_map(|a| self.needed(a)).collect()
            }
            (_, [inner]) if call.kernel.is_short_form() => self.needed(inner),
            _ => Vec::new(),
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

    /// A constant pattern; `None`: it is none, or a wrong one.
    pub(super) fn pattern(&mut self, expr: &Expr) -> Option<Pattern> {
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
        let condition = Condition::all(self.together(parts));
        Known { condition, exact: exact && last_failing.is_none() }
    }

    /// Ranges of one column that must all hold are one range.
    fn together(&mut self, parts: Vec<Condition>) -> Vec<Condition> {
        let mut orders: Vec<TextRange> = Vec::new();
        let mut ranges: Vec<(usize, Ordinal, i64, i64)> = Vec::new();
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            let atom = if let Condition::Atom(id) = part { self.atoms.get(id) } else { None };
            if let Some(Atom { column, test: Test::Order { low, high, case } }) = atom {
                match orders.iter_mut().find(|(c, of, ..)| c == column && of == case) {
                    Some((.., known_low, known_high)) => {
                        if low > known_low {
                            known_low.clone_from(low);
                        }
                        if high.is_some()
                            && known_high.as_ref().is_none_or(|known| high.as_ref() < Some(known))
                        {
                            known_high.clone_from(high);
                        }
                    }
                    None => orders.push((*column, *case, low.clone(), high.clone())),
                }
                continue;
            }
            let Some(Atom { column, test: Test::Range { low, high, of } }) = atom else {
                kept.push(part);
                continue;
            };
            match ranges.iter_mut().find(|(c, ..)| c == column) {
                Some((.., known_low, known_high)) => {
                    (*known_low, *known_high) = ((*known_low).max(*low), (*known_high).min(*high));
                }
                None => ranges.push((*column, *of, *low, *high)),
            }
        }
        for (column, case, low, high) in orders {
            let never = high.as_ref().is_some_and(|high| *high <= low);
            let test = Test::Order { low, high, case };
            kept.push(if never { Condition::Never } else { self.atom(column, test) });
        }
        for (column, of, low, high) in ranges {
            let test = Test::Range { low, high, of };
            kept.push(if low > high { Condition::Never } else { self.atom(column, test) });
        }
        kept
    }

    pub(super) fn case(
        &mut self,
        branches: &[(&Expr, &Expr)],
        otherwise: &Expr,
        negated: bool,
        shows: Shows,
    ) -> Known {
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

    pub(super) fn atom(&mut self, column: usize, test: Test) -> Condition {
        Condition::Atom(self.atoms.intern(Atom { column, test }))
    }

    /// A test that is NULL for NULL: where FALSE is to be shown, NULL is open.
    pub(super) fn strict(&mut self, column: usize, condition: Condition, exact: bool, shows: Shows) -> Known {
        match shows {
            Shows::NotTrue => Known { condition, exact },
            Shows::False => {
                let missing = self.atom(column, Test::Missing);
                Known::loose(Condition::any(vec![condition, missing]))
            }
        }
    }
}

/// A column, the case it is in, and the range of its texts.
type TextRange = (usize, Case, Box<[u8]>, Option<Box<[u8]>>);

/// Calls that are NULL if, and only if, one of their arguments is.
const NULL_BY_ARGUMENTS: &[&str] = &[
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "LIKE",
    "SIMILAR TO",
    "REGEXP",
    "STARTSWITH",
    "ENDSWITH",
    "CONTAINS",
    "IPCONTAINS",
    "LOWER",
    "UPPER",
    "CHAR_LENGTH",
    "||",
    "CONCAT",
    "POSITION",
    "LOCATE",
];

fn has_no_parts(kind: &TypeKind) -> bool {
    kind.is_string() || kind.is_numeric() || kind.is_datetime() || *kind == TypeKind::Boolean
}

/// Whether a call is NULL if its varying argument is.
pub(super) fn is_strict(call: &CallExpr) -> bool {
    let name = &*call.name;
    name == "IN" || NULL_BY_ARGUMENTS.contains(&name) || NULL_FOR_NULL.contains(&name)
}

/// Calls that are NULL if one of their arguments is, and for other values.
const NULL_FOR_NULL: &[&str] = &[
    "TRIM",
    "LTRIM",
    "RTRIM",
    "BTRIM",
    "SUBSTRING",
    "LEFT",
    "RIGHT",
    "REPLACE",
    "INSTR",
    "REGEXP_EXTRACT",
    "REGEXP_SUBSTR",
    "REGEXP_REPLACE",
    "REGEXP_INSTR",
    "REGEXP_COUNT",
    "SPLIT_INDEX",
    "+",
    "-",
    "*",
    "/",
    "%",
    "NEGATE",
];

fn literal(value: &Value, negated: bool, shows: Shows) -> Known {
    match (value.as_bool(), shows) {
        (Some(value), _) if value == negated => Known { condition: Condition::Never, exact: true },
        (Some(_), _) => Known { condition: Condition::Always, exact: true },
        (None, Shows::NotTrue) => Known { condition: Condition::Never, exact: true },
        (None, Shows::False) => Known::nothing(),
    }
}
