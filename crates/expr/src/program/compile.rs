//! From expressions to nodes.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use millstream_types::{DataType, Fault, Span, TypeKind};

use super::node::{Key, Node, NodeId, Op};
use crate::cast::cast_is_fallible;
use crate::kernel::hash::QuickHasher;
use crate::{BindContext, CallExpr, Column, Expr, ExprKind, Volatility, functions};

/// Deepest nesting of expressions. The binder's own limit is lower.
const MAX_DEPTH: usize = 800;

/// Shorter runs of `x = a OR x = b` are left as they are.
const LEAST_FOR_SET: usize = 4;

#[derive(Default)]
pub(super) struct Compiler {
    pub(super) nodes: Vec<Node>,
    known: HashMap<Key, NodeId, BuildHasherDefault<QuickHasher>>,
}

impl Compiler {
    pub(super) fn add(&mut self, expr: &Expr, depth: usize) -> Result<NodeId, Fault> {
        if depth > MAX_DEPTH {
            let fault = Fault::user(
                "too-deep",
                format!("the expression is nested more than {MAX_DEPTH} levels deep"),
            )
            .hint("split it, or write chains of AND and OR without parentheses");
            return Err(match expr.span {
                Some(s) => fault.at(s),
                None => fault,
            });
        }
        match &expr.kind {
            ExprKind::Column(i) => Ok(self.column(*i, &expr.data_type)),
            ExprKind::Literal(_) => self.literal(expr),
            ExprKind::And(terms) => self.chain(expr, terms, true, depth),
            ExprKind::Or(terms) => self.chain(expr, terms, false, depth),
            ExprKind::Not(input) => {
                let input = self.add(input, depth + 1)?;
                Ok(self.push(Key::Not(input), Op::Not(input), &expr.data_type, &[input], false, false))
            }
            ExprKind::Case { branches, otherwise } => self.case(expr, branches, otherwise, depth),
            ExprKind::Cast { input, mode } => {
                let from = input.data_type.clone();
                let input = self.add(input, depth + 1)?;
                let key = Key::Cast(input, *mode, expr.data_type.clone());
                let fallible = cast_is_fallible(&from.kind, &expr.data_type.kind, *mode);
                let op = Op::Cast { input, from, mode: *mode };
                Ok(self.push(key, op, &expr.data_type, &[input], fallible, false))
            }
            ExprKind::Field { input, index } => {
                let input = self.add(input, depth + 1)?;
                let op = Op::Field { input, index: *index };
                Ok(self.push(Key::Field(input, *index), op, &expr.data_type, &[input], false, false))
            }
            ExprKind::Call(call) => self.call(expr, call, depth),
        }
    }

    fn column(&mut self, index: usize, data_type: &DataType) -> NodeId {
        self.push(Key::Column(index), Op::Column(index), data_type, &[], false, false)
    }

    fn literal(&mut self, expr: &Expr) -> Result<NodeId, Fault> {
        let ExprKind::Literal(value) = &expr.kind else { return Err(Fault::internal("no literal")) };
        let key = Key::Literal(value.clone(), expr.data_type.clone());
        if let Some(id) = self.known.get(&key) {
            return Ok(*id);
        }
        let column = Column::constant(value, &expr.data_type)?;
        Ok(self.push(key, Op::Literal(column), &expr.data_type, &[], false, false))
    }

    fn chain(&mut self, expr: &Expr, terms: &[Expr], and: bool, depth: usize) -> Result<NodeId, Fault> {
        // `a AND (b AND c)` is `a AND b AND c`, in the same order.
        let mut flat = Vec::with_capacity(terms.len());
        flatten(terms, and, &mut flat);
        let mut ids = Vec::with_capacity(flat.len());
        for term in Runs::new(&flat, and) {
            let id = match term {
                Run::Single(term) => self.add(term, depth + 1)?,
                Run::Set(set) => self.add(&set?, depth + 1)?,
            };
            ids.push(id);
        }
        let (key, op) = if and {
            (Key::And(ids.clone()), Op::And(ids.clone()))
        } else {
            (Key::Or(ids.clone()), Op::Or(ids.clone()))
        };
        Ok(self.push(key, op, &expr.data_type, &ids, false, true))
    }

    fn case(
        &mut self,
        expr: &Expr,
        branches: &[(Expr, Expr)],
        otherwise: &Expr,
        depth: usize,
    ) -> Result<NodeId, Fault> {
        // A CASE in the ELSE is more branches, in the same order.
        let mut all: Vec<&(Expr, Expr)> = branches.iter().collect();
        let mut otherwise = otherwise;
        while let ExprKind::Case { branches, otherwise: inner } = &otherwise.kind {
            all.extend(branches);
            otherwise = inner;
        }
        let mut ids = Vec::with_capacity(all.len());
        let mut inputs = Vec::with_capacity(all.len() * 2 + 1);
        for (condition, value) in all {
            let pair = (self.add(condition, depth + 1)?, self.add(value, depth + 1)?);
            inputs.extend([pair.0, pair.1]);
            ids.push(pair);
        }
        let otherwise = self.add(otherwise, depth + 1)?;
        inputs.push(otherwise);
        let key = Key::Case(ids.clone(), otherwise, expr.data_type.clone());
        Ok(self.push(key, Op::Case { branches: ids, otherwise }, &expr.data_type, &inputs, false, true))
    }

    fn call(&mut self, expr: &Expr, call: &CallExpr, depth: usize) -> Result<NodeId, Fault> {
        let needed = call.kernel.needs(call.args.len());
        // A constant argument that the kernel does not look at need not become a column, but tells calls apart.
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.add(arg, depth + 1)?);
        }
        match (&*call.name, args.as_slice()) {
            ("IF", [condition, value, otherwise]) => {
                let key = Key::Case(vec![(*condition, *value)], *otherwise, expr.data_type.clone());
                let op = Op::Case { branches: vec![(*condition, *value)], otherwise: *otherwise };
                return Ok(self.push(key, op, &expr.data_type, &args, false, true));
            }
            ("COALESCE" | "IFNULL" | "NVL", [_, ..]) => {
                let key = Key::Coalesce(args.clone(), expr.data_type.clone());
                let op = Op::Coalesce(args.clone());
                return Ok(self.push(key, op, &expr.data_type, &args, false, true));
            }
            _ => {}
        }
        let inputs = args.clone();
        let dear = !matches!(
            &*call.name,
            "=" | "<>" | "<" | "<=" | ">" | ">=" | "IS NULL" | "IS NOT NULL" | "+" | "-"
        );
        let op = Op::Call { kernel: call.kernel.clone(), args: args.iter().take(needed).copied().collect() };
        let key = Key::Call(call.name.clone(), call.keywords.clone(), args, expr.data_type.clone());
        // CURRENT_TIMESTAMP and its kin are the same wherever they stand in a row's expressions; RAND is not.
        if call.volatility == Volatility::PerRow {
            return Ok(self.append(op, &expr.data_type, &inputs, call.fallible, dear));
        }
        Ok(self.push(key, op, &expr.data_type, &inputs, call.fallible, dear))
    }

    /// The node of a key: the known one or a new one. Nodes that read something volatile differ by their inputs' positions.
    fn push(
        &mut self,
        key: Key,
        op: Op,
        data_type: &DataType,
        inputs: &[NodeId],
        fallible: bool,
        dear: bool,
    ) -> NodeId {
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.append(op, data_type, inputs, fallible, dear);
        self.known.insert(key, id);
        id
    }

    fn append(
        &mut self,
        op: Op,
        data_type: &DataType,
        inputs: &[NodeId],
        fallible: bool,
        dear: bool,
    ) -> NodeId {
        let of = |f: fn(&Node) -> bool| inputs.iter().filter_map(|i| self.nodes.get(*i)).any(f);
        let fallible = fallible || of(|n| n.fallible);
        let dear = dear || of(|n| n.dear);
        self.nodes.push(Node { op, data_type: data_type.clone(), fallible, dear });
        self.nodes.len() - 1
    }
}

fn flatten<'a>(terms: &'a [Expr], and: bool, out: &mut Vec<&'a Expr>) {
    let mut waiting: Vec<&Expr> = terms.iter().rev().collect();
    while let Some(term) = waiting.pop() {
        match &term.kind {
            ExprKind::And(inner) if and => waiting.extend(inner.iter().rev()),
            ExprKind::Or(inner) if !and => waiting.extend(inner.iter().rev()),
            _ => out.push(term),
        }
    }
}

/// The terms of a chain, where runs of `x = a OR x = b …` (`x <> a AND x <> b …`) over the same `x` become one `x [NOT] IN (a, b, …)`.
/// Only neighbouring infallible terms are joined, so that what a fallible term sees does not change.
struct Runs<'a, 't> {
    terms: &'t [&'a Expr],
    operator: &'static str,
}

enum Run<'a> {
    Single(&'a Expr),
    Set(Result<Expr, Fault>),
}

impl<'a, 't> Runs<'a, 't> {
    fn new(terms: &'t [&'a Expr], and: bool) -> Self {
        Runs { terms, operator: if and { "<>" } else { "=" } }
    }
}

impl<'a> Iterator for Runs<'a, '_> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let (first, rest) = self.terms.split_first()?;
        if let Some((subject, _)) = equality(first, self.operator) {
            let same = |t: &&&Expr| equality(t, self.operator).is_some_and(|(s, _)| s == subject);
            let length = 1 + rest.iter().take_while(same).count();
            if length >= LEAST_FOR_SET {
                let (run, rest) = self.terms.split_at_checked(length)?;
                self.terms = rest;
                return Some(Run::Set(set(subject, run, self.operator)));
            }
        }
        self.terms = rest;
        Some(Run::Single(first))
    }
}

/// The two sides of `x = literal` of a type that has sets, where x is steady and cannot fail.
fn equality<'a>(term: &'a Expr, operator: &str) -> Option<(&'a Expr, &'a Expr)> {
    let ExprKind::Call(call) = &term.kind else { return None };
    if &*call.name != operator {
        return None;
    }
    let [a, b] = call.args.as_slice() else { return None };
    let (subject, constant) = if b.as_literal().is_some() { (a, b) } else { (b, a) };
    let kind = &subject.data_type.kind;
    let fits = constant.as_literal().is_some()
        && (kind.is_string() || kind.is_integer() || matches!(kind, TypeKind::Date))
        && (matches!(subject.kind, ExprKind::Column(_) | ExprKind::Field { .. })
            || !subject.fallible() && subject.volatility() == Volatility::Immutable);
    fits.then_some((subject, constant))
}

fn set(subject: &Expr, run: &[&Expr], operator: &str) -> Result<Expr, Fault> {
    let items = run.iter().filter_map(|t| equality(t, operator)).map(|(_, c)| c.clone());
    let args: Vec<Expr> = std::iter::once(subject.clone()).chain(items).collect();
    let context = BindContext::default();
    let within = functions::call_expr("IN", &args, &[], Span::default(), &context)?;
    if operator == "=" {
        return Ok(within);
    }
    let data_type = within.data_type.clone();
    Ok(Expr::new(ExprKind::Not(Box::new(within)), data_type))
}
