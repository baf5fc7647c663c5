//! Screens: what a condition on pieces of a text says of the text itself.
//!
//! Log lines are taken apart by GROK, SPLIT_INDEX, REGEXP_EXTRACT and their kin, and what they give is a piece of the line as it stands there. So
//! `g.request LIKE '%/admin%'` can only be TRUE of a line that is `LIKE '%/admin%'`. Such conditions on a column of the source are added to the scan,
//! where the rule index finds the few lines that have to be taken apart.
//!
//! A screen changes no result: it is TRUE wherever the condition is. It hides no error either: nothing between the scan and the condition may be able
//! to fail, the condition included, and within the scan's own filter it stands last. Fields that are read as numbers give no screen: `0404` is 404, too.

use std::sync::Arc;

use millstream_expr::functions::scalar_function;
use millstream_expr::{BindContext, Call, CallExpr, CastMode, Expr, ExprKind};
use millstream_flow::ChangelogMode;
use millstream_types::{Span, TypeKind, Value};

use super::graph;
use super::terms::{is_fallible, is_steady};
use crate::binder::replace_columns;
use crate::{JobPlan, NodeId, Op, ScanOp, TableFunctionOp};

/// The session option that turns screens off.
pub(crate) const OPTION: &str = "table.optimizer.text-screens";

/// A screen has a literal of this many bytes: shorter ones are in too many lines.
const SHORTEST: usize = 3;

/// What must hold of texts.
#[derive(Debug, Clone)]
enum Screen {
    /// A text (a column, perhaps below LOWER or UPPER) is LIKE a pattern.
    Like {
        text: Expr,
        pattern: String,
        escape: Option<char>,
    },
    All(Vec<Screen>),
    Any(Vec<Screen>),
}

/// Adds screens to scans.
pub(super) fn screen_texts(plan: &mut JobPlan) {
    let on = plan.settings.options.get(OPTION);
    if on.is_some_and(|v| v.eq_ignore_ascii_case("false")) {
        return;
    }
    let mut changed = false;
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        match &node.op {
            Op::Filter(condition) if !is_fallible(condition) && is_steady(condition) => {
                if let Some(screen) = implied(condition)
                    && let Some(input) = node.inputs.first().copied()
                    && let Some(below) = descend(plan, input, screen, false)
                    && let Some(node) = plan.nodes.get_mut(i)
                {
                    node.inputs = vec![below];
                    changed = true;
                }
            }
            Op::Scan(ScanOp { filter: Some(filter), .. }) => {
                // Terms that read columns themselves are found by the index as they are.
                let terms = match &filter.kind {
                    ExprKind::And(terms) => terms.as_slice(),
                    _ => std::slice::from_ref(filter),
                };
                let of_pieces = terms.iter().filter(|t| has_piece(t) && is_steady(t)).filter_map(implied);
                let screen = Screen::All(of_pieces.collect());
                if let Some(expr) = expression(&screen)
                    && let Some(Op::Scan(scan)) = plan.nodes.get_mut(i).map(|n| &mut n.op)
                {
                    scan.screen = Some(expr);
                }
            }
            _ => {}
        }
    }
    if changed {
        graph::compact(plan);
    }
}

/// Brings a screen over a node's output down to the scan, through copies of the nodes between; gives the copy of the node. `through`: a table function
/// was passed, without which the condition would stand at the scan itself.
fn descend(plan: &mut JobPlan, id: NodeId, screen: Screen, through: bool) -> Option<NodeId> {
    let node = plan.nodes.get(id.0).cloned()?;
    if node.changes != ChangelogMode::Append {
        return None;
    }
    let op = match node.op.clone() {
        Op::Scan(mut scan) if through => {
            if scan.output.iter().any(|o| is_fallible(&o.expr)) {
                return None;
            }
            let at_source = screen.over(&|c| scan.output.get(c).map(|o| o.expr.clone()))?;
            let mut all: Vec<Expr> = scan.screen.take().into_iter().collect();
            all.push(expression(&at_source)?);
            scan.screen = Some(Expr::and(all));
            return Some(graph::add(plan, node.place(), Op::Scan(scan), Vec::new(), node.schema));
        }
        op => op,
    };
    let input = node.inputs.first().copied()?;
    let below = match &op {
        Op::Filter(condition) if !is_fallible(condition) => descend(plan, input, screen, through)?,
        Op::Project(items) if items.iter().all(|i| !is_fallible(&i.expr)) => {
            let moved = screen.over(&|c| items.get(c).map(|i| i.expr.clone()))?;
            descend(plan, input, moved, through)?
        }
        Op::TableFunction(call) => {
            let width = plan.nodes.get(input.0)?.schema.len();
            let moved = behind_call(&screen, call, width)?;
            descend(plan, input, moved, true)?
        }
        _ => return None,
    };
    Some(graph::add(plan, node.place(), op, vec![below], node.schema))
}

/// A screen over a table function's output as one over its input.
fn behind_call(screen: &Screen, call: &TableFunctionOp, width: usize) -> Option<Screen> {
    let pieces = call.kernel.pieces()?;
    if call.args.iter().any(|a| is_fallible(a) || !is_steady(a)) {
        return None;
    }
    let text = call.args.first()?;
    screen.over(&|c| match c.checked_sub(width) {
        None => Some(Expr::column(c, millstream_types::DataType::string())),
        Some(given) => pieces.get(given).copied().unwrap_or(false).then(|| text.clone()),
    })
}

impl Screen {
    /// The screen with other expressions in the place of columns; what then reads no text that is known is left out.
    fn over(&self, with: &impl Fn(usize) -> Option<Expr>) -> Option<Screen> {
        match self {
            Screen::Like { text, pattern, escape } => {
                let columns = text.columns();
                if columns.iter().any(|c| with(*c).is_none()) {
                    return None;
                }
                let mut text = text.clone();
                replace_columns(&mut text, &|c| with(c));
                let (text, cased) = whole(&text)?;
                if cased && !pattern.is_ascii() {
                    return None;
                }
                Some(Screen::Like { text, pattern: pattern.clone(), escape: *escape })
            }
            Screen::All(parts) => {
                let kept: Vec<Screen> = parts.iter().filter_map(|p| p.over(with)).collect();
                (!kept.is_empty()).then_some(Screen::All(kept))
            }
            Screen::Any(parts) => parts.iter().map(|p| p.over(with)).collect::<Option<_>>().map(Screen::Any),
        }
    }

    /// Bytes of the longest literal that is needed in any case.
    fn strength(&self) -> usize {
        match self {
            Screen::Like { pattern, escape, .. } => longest_literal(pattern, *escape),
            Screen::All(parts) => parts.iter().map(Screen::strength).max().unwrap_or(0),
            Screen::Any(parts) => parts.iter().map(Screen::strength).min().unwrap_or(0),
        }
    }
}

fn longest_literal(pattern: &str, escape: Option<char>) -> usize {
    let (mut longest, mut here) = (0, 0);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let literal = match c {
            c if Some(c) == escape => chars.next(),
            '%' | '_' => None,
            c => Some(c),
        };
        here = literal.map_or(0, |c| here + c.len_utf8());
        longest = longest.max(here);
    }
    longest
}

/// The text that an expression is a piece of: a column, perhaps below LOWER or UPPER (then `true`).
fn whole(expr: &Expr) -> Option<(Expr, bool)> {
    if !expr.data_type.kind.is_string() {
        return None;
    }
    match &expr.kind {
        ExprKind::Column(_) if matches!(expr.data_type.kind, TypeKind::VarChar(_)) => {
            Some((expr.clone(), false))
        }
        // Between VARCHARs a cast cuts the end off at most.
        ExprKind::Cast { input, mode } if *mode != CastMode::Assign => {
            let varchar = |e: &Expr| matches!(e.data_type.kind, TypeKind::VarChar(_));
            if varchar(expr) && varchar(input) { whole(input) } else { None }
        }
        ExprKind::Call(call) => match (&*call.name, call.args.as_slice()) {
            ("LOWER" | "UPPER", [inner]) => {
                let (text, false) = whole(inner)? else { return None };
                let data_type = text.data_type.clone();
                let call = CallExpr { args: vec![text], ..(**call).clone() };
                Some((Expr::new(ExprKind::Call(Arc::new(call)), data_type), true))
            }
            _ => piece_of(expr).and_then(whole),
        },
        _ => None,
    }
}

/// The text that a call gives a piece of.
fn piece_of(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    if !expr.data_type.kind.is_string() {
        return None;
    }
    let gives = |call: &CallExpr| scalar_function(&call.name).is_some_and(|f| f.gives_pieces);
    match (&*call.name, call.args.as_slice()) {
        // An item of an ARRAY or MAP of pieces.
        ("[]", [collection, _]) => match &collection.kind {
            ExprKind::Call(inner) if gives(inner) => inner.args.first(),
            _ => None,
        },
        _ if gives(call) => call.args.first(),
        _ => None,
    }
}

fn has_piece(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= piece_of(e).is_some());
    found
}

/// What must hold for a condition to be TRUE.
fn implied(condition: &Expr) -> Option<Screen> {
    match &condition.kind {
        ExprKind::And(terms) => {
            let parts: Vec<Screen> = terms.iter().filter_map(implied).collect();
            (!parts.is_empty()).then_some(Screen::All(parts))
        }
        ExprKind::Or(terms) => terms.iter().map(implied).collect::<Option<_>>().map(Screen::Any),
        ExprKind::Call(call) => match (&*call.name, call.args.as_slice()) {
            ("IS TRUE", [inner]) => implied(inner),
            ("=", [a, b]) => match (constant_text(a), constant_text(b)) {
                (None, Some(text)) => containing(a, text),
                (Some(text), None) => containing(b, text),
                _ => None,
            },
            ("IN", [a, items @ ..]) => {
                let any = items.iter().map(|i| constant_text(i).and_then(|t| containing(a, t)));
                any.collect::<Option<_>>().map(Screen::Any)
            }
            ("STARTSWITH" | "ENDSWITH", [a, b]) => constant_text(b).and_then(|t| containing(a, t)),
            ("LIKE", [a, pattern, escape @ ..]) if call.keywords.is_empty() => {
                let escape = match escape.first() {
                    None => None,
                    Some(e) => Some(constant_text(e)?.chars().next().filter(|c| !matches!(c, '%' | '_'))?),
                };
                let pattern = constant_text(pattern)?;
                // A per cent sign more than needed means the same.
                let before = if pattern.starts_with('%') { "" } else { "%" };
                let after = if pattern.ends_with('%') && escape.is_none() { "" } else { "%" };
                like(a, format!("{before}{pattern}{after}"), escape)
            }
            _ => None,
        },
        _ => None,
    }
}

/// `text` is a piece of another one that contains the literal.
fn containing(text: &Expr, literal: &str) -> Option<Screen> {
    if literal.is_empty() {
        return None;
    }
    if !literal.contains(['%', '_']) {
        return like(text, format!("%{literal}%"), None);
    }
    let mut pattern = String::from("%");
    for c in literal.chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    like(text, pattern, Some('!'))
}

fn like(text: &Expr, pattern: String, escape: Option<char>) -> Option<Screen> {
    let (text, cased) = whole(text)?;
    // Letters beyond ASCII may change otherwise within another text.
    (!cased || pattern.is_ascii()).then_some(Screen::Like { text, pattern, escape })
}

/// The text of a constant, also below a cast between strings that keeps it.
fn constant_text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(v) if expr.data_type.kind.is_string() => v.as_str(),
        ExprKind::Cast { input, .. } if expr.data_type.kind == TypeKind::STRING => constant_text(input),
        _ => None,
    }
}

/// The screen as a condition; `None` where it would keep too much.
fn expression(screen: &Screen) -> Option<Expr> {
    if screen.strength() < SHORTEST { None } else { condition(screen) }
}

fn condition(screen: &Screen) -> Option<Expr> {
    match screen {
        Screen::Like { text, pattern, escape } => {
            let literal = |text: &str| {
                let kind = TypeKind::Char(u32::try_from(text.chars().count()).unwrap_or(u32::MAX));
                Expr::literal(Value::String(text.into()), kind.not_null())
            };
            let mut args = vec![text.clone(), literal(pattern)];
            args.extend(escape.map(|e| literal(&e.to_string())));
            let context = BindContext::default();
            let call =
                Call { name: "LIKE", args: &args, keywords: &[], span: Span::default(), context: &context };
            let bound = (scalar_function("LIKE")?.bind)(&call).ok()?;
            let call = CallExpr {
                name: "LIKE".into(),
                args: bound.args,
                keywords: Vec::new(),
                volatility: bound.volatility,
                fallible: bound.fallible,
                kernel: bound.kernel,
            };
            Some(Expr::new(ExprKind::Call(Arc::new(call)), bound.data_type))
        }
        Screen::All(parts) => {
            let mut terms: Vec<Expr> = Vec::new();
            for term in parts.iter().filter_map(condition) {
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
            (!terms.is_empty()).then(|| Expr::and(terms))
        }
        Screen::Any(parts) => {
            let terms: Vec<Expr> = parts.iter().map(condition).collect::<Option<_>>()?;
            let nullable = terms.iter().any(|t| t.data_type.nullable);
            let data_type = millstream_types::DataType::boolean().with_nullable(nullable);
            match <[Expr; 1]>::try_from(terms) {
                Ok([one]) => Some(one),
                Err(terms) => Some(Expr::new(ExprKind::Or(terms), data_type)),
            }
        }
    }
}
