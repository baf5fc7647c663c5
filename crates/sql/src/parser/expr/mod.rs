//! Expressions: operator precedence on two explicit stacks, so that parentheses and operators cost no thread stack.
//!
//! Precedences are those of Flink's grammar (Calcite's operator table), from loose to tight: OR, AND, NOT, IS, the
//! comparisons, IN / BETWEEN / LIKE, then `+ -` together with IS DISTINCT FROM, then `* / %` together with `||`, then
//! signs, then `.` and `[]`. So `a || b + c` is `(a || b) + c`, and `a = b IS NULL` is `(a = b) IS NULL`.

pub(crate) mod call;
mod json;
mod literal;
mod operand;
mod predicate;
mod special;

use millstream_types::Span;

use super::types::interval_unit;
use super::{Parse, Parser, cost};
use crate::MAX_DEPTH;
use crate::ast::{Between, ChainLink, ChainOp, CompareOp, Expr, ExprKind, Like, LikeOp, PeriodOp, Sign};
use crate::lexer::Kind;

const OR: u8 = 22;
const AND: u8 = 24;
const NOT: u8 = 26;
const IS: u8 = 28;
const COMPARE: u8 = 30;
const LIKE: u8 = 32;
const ADD: u8 = 40;
const MULTIPLY: u8 = 60;
const SIGN: u8 = 80;

/// A finished operand and how high its tree is.
struct Operand {
    expr: Expr,
    height: usize,
}

/// An operator that waits for its right side.
enum Op {
    Not,
    Sign(Sign),
    /// So many terms have been read behind the first one, or are to come.
    And(usize),
    Or(usize),
    Chain(u8, Vec<(ChainOp, Span)>),
    Compare(CompareOp),
    Distinct {
        negated: bool,
    },
    Like {
        op: LikeOp,
        negated: bool,
    },
    /// Before its AND.
    BetweenLow {
        negated: bool,
        symmetric: bool,
    },
    /// Behind its AND.
    BetweenHigh {
        negated: bool,
        symmetric: bool,
    },
    Period(PeriodOp),
    /// An open parenthesis, and what stands before the commas in it.
    Paren(Vec<Operand>),
}

impl Op {
    /// How tightly it holds its operands; None for what only its own end closes.
    fn precedence(&self) -> Option<u8> {
        Some(match self {
            Op::Or(_) => OR,
            Op::And(_) => AND,
            Op::Not => NOT,
            Op::Compare(_) | Op::Period(_) => COMPARE,
            Op::Like { .. } | Op::BetweenHigh { .. } => LIKE,
            Op::Distinct { .. } => ADD,
            Op::Chain(precedence, _) => *precedence,
            Op::Sign(_) => SIGN,
            Op::BetweenLow { .. } | Op::Paren(_) => return None,
        })
    }
}

struct Pending {
    op: Op,
    span: Span,
}

/// The two stacks.
#[derive(Default)]
struct Climb {
    operands: Vec<Operand>,
    ops: Vec<Pending>,
    /// How many of `ops` are parentheses.
    parens: usize,
}

impl Parser<'_> {
    /// An expression.
    pub(crate) fn expr(&mut self) -> Parse<Expr> {
        let outer = self.enter(cost::EXPRESSION)?;
        let mut climb = Climb::default();
        let done = self.climb(&mut climb)?;
        self.depth -= cost::EXPRESSION;
        self.tall = outer.max(done.height);
        Ok(done.expr)
    }

    fn climb(&mut self, climb: &mut Climb) -> Parse<Operand> {
        loop {
            self.prefixes(climb)?;
            if !self.infixes(climb)? {
                break;
            }
        }
        if let Some(open) = climb.ops.iter().rev().find(|p| matches!(p.op, Op::Paren(_))) {
            let (line, column) = open.span.line_column(self.text);
            let hint = format!("the '(' at line {line}, column {column} is not closed");
            return Err(self.wanted("')'", hint));
        }
        self.reduce(climb, 0)?;
        self.no_open_between(climb)?;
        climb.operands.pop().ok_or_else(|| self.unexpected("an expression"))
    }

    /// Signs, NOT and open parentheses up to an operand, which is put on its stack.
    fn prefixes(&mut self, climb: &mut Climb) -> Parse<()> {
        loop {
            let span = self.here();
            let op = match self.kind() {
                Kind::Plus => Op::Sign(Sign::Plus),
                Kind::Minus => Op::Sign(Sign::Minus),
                Kind::LeftParen if !self.at_query_paren() => {
                    climb.parens += 1;
                    if climb.parens > MAX_DEPTH {
                        return Err(self.too_deep(span));
                    }
                    Op::Paren(Vec::new())
                }
                Kind::Word if self.at("NOT") => Op::Not,
                _ => break,
            };
            self.advance();
            climb.ops.push(Pending { op, span });
        }
        let outer = std::mem::take(&mut self.tall);
        let expr = self.operand()?;
        let height = self.tall + 1;
        self.tall = outer;
        let operand = self.postfixes(Operand { expr, height })?;
        climb.operands.push(operand);
        Ok(())
    }

    /// `.name` and `[index]` behind an operand.
    fn postfixes(&mut self, mut operand: Operand) -> Parse<Operand> {
        loop {
            let start = operand.expr.span.start;
            let kind = match self.kind() {
                Kind::Dot => {
                    self.advance();
                    let field = self.ident("a field's name behind '.'")?;
                    operand.height += 1;
                    ExprKind::Field(Box::new(operand.expr), field)
                }
                Kind::LeftBracket => {
                    self.advance();
                    let outer = std::mem::take(&mut self.tall);
                    let index = self.expr()?;
                    operand.height = operand.height.max(self.tall) + 1;
                    self.tall = outer;
                    self.expect(Kind::RightBracket, "']'")?;
                    ExprKind::Index(Box::new(operand.expr), Box::new(index))
                }
                _ => return Ok(operand),
            };
            operand.expr = Expr { kind, span: self.since(start) };
            self.check_height(&operand)?;
        }
    }

    /// Operators behind an operand. True if one wants another operand.
    fn infixes(&mut self, climb: &mut Climb) -> Parse<bool> {
        loop {
            let span = self.here();
            match self.kind() {
                Kind::RightParen if climb.parens > 0 => {
                    self.close_paren(climb)?;
                    continue;
                }
                Kind::Comma if climb.parens > 0 => {
                    self.reduce(climb, 0)?;
                    self.no_open_between(climb)?;
                    let Some(item) = climb.operands.pop() else {
                        return Err(self.unexpected("an expression"));
                    };
                    if let Some(Pending { op: Op::Paren(items), .. }) = climb.ops.last_mut() {
                        items.push(item);
                    }
                    self.advance();
                    return Ok(true);
                }
                _ => {}
            }
            if let Some(op) = compare_op(self.kind()) {
                self.advance();
                self.reduce(climb, COMPARE)?;
                if self.at_any(&["ANY", "SOME", "ALL"]) && self.token(1).kind == Kind::LeftParen {
                    self.quantified(climb, op)?;
                    continue;
                }
                climb.ops.push(Pending { op: Op::Compare(op), span });
                return Ok(true);
            }
            if let Some((precedence, op)) = chain_op(self.kind()) {
                self.advance();
                self.push_chain(climb, precedence, op, span)?;
                return Ok(true);
            }
            if self.kind() != Kind::Word {
                return Ok(false);
            }
            match self.word_operator(climb)? {
                Some(more) => return Ok(more),
                None => continue,
            }
        }
    }

    fn push_chain(&mut self, climb: &mut Climb, precedence: u8, op: ChainOp, span: Span) -> Parse<()> {
        self.reduce(climb, precedence + 1)?;
        if let Some(Pending { op: Op::Distinct { .. }, .. }) = climb.ops.last() {
            self.reduce(climb, precedence)?;
        }
        match climb.ops.last_mut() {
            Some(Pending { op: Op::Chain(have, ops), .. }) if *have == precedence => ops.push((op, span)),
            _ => climb.ops.push(Pending { op: Op::Chain(precedence, vec![(op, span)]), span }),
        }
        Ok(())
    }

    fn push_and(&mut self, climb: &mut Climb, span: Span) -> Parse<()> {
        self.reduce(climb, AND + 1)?;
        match climb.ops.last_mut() {
            Some(Pending { op: Op::And(terms), .. }) => *terms += 1,
            Some(pending) => match pending.op {
                Op::BetweenLow { negated, symmetric } => pending.op = Op::BetweenHigh { negated, symmetric },
                _ => climb.ops.push(Pending { op: Op::And(1), span }),
            },
            None => climb.ops.push(Pending { op: Op::And(1), span }),
        }
        Ok(())
    }

    fn push_or(&mut self, climb: &mut Climb, span: Span) -> Parse<()> {
        self.reduce(climb, OR + 1)?;
        self.no_open_between(climb)?;
        match climb.ops.last_mut() {
            Some(Pending { op: Op::Or(terms), .. }) => *terms += 1,
            _ => climb.ops.push(Pending { op: Op::Or(1), span }),
        }
        Ok(())
    }

    /// Closes the innermost parenthesis: its content becomes an operand, alone or as a row.
    fn close_paren(&mut self, climb: &mut Climb) -> Parse<()> {
        self.reduce(climb, 0)?;
        self.no_open_between(climb)?;
        let (Some(last), Some(Pending { op: Op::Paren(mut items), span })) =
            (climb.operands.pop(), climb.ops.pop())
        else {
            return Err(self.unexpected("an expression"));
        };
        self.advance();
        climb.parens -= 1;
        let whole = self.since(span.start);
        let operand = if items.is_empty() {
            Operand { expr: Expr { span: whole, ..last.expr }, height: last.height }
        } else {
            items.push(last);
            let height = items.iter().map(|i| i.height).max().unwrap_or(0) + 1;
            let items = items.into_iter().map(|i| i.expr).collect();
            Operand { expr: Expr { kind: ExprKind::Row { items, explicit: false }, span: whole }, height }
        };
        self.check_height(&operand)?;
        let operand = if interval_unit(self.word()).is_some() { self.difference(operand)? } else { operand };
        let operand = self.postfixes(operand)?;
        climb.operands.push(operand);
        Ok(())
    }

    /// `(a - b) DAY`; anything else before a unit is left as it is.
    fn difference(&mut self, operand: Operand) -> Parse<Operand> {
        let Operand { expr: Expr { kind, span }, height } = operand;
        let kind = match kind {
            ExprKind::Chain(first, mut links) if links.len() == 1 => match links.pop() {
                Some(ChainLink { op: ChainOp::Subtract, operand, .. }) => {
                    ExprKind::Difference(first, Box::new(operand), self.interval_qualifier()?)
                }
                other => ExprKind::Chain(first, other.into_iter().collect()),
            },
            other => other,
        };
        Ok(Operand { expr: Expr { kind, span: self.since(span.start) }, height })
    }

    /// Applies the operators on top of the stack that hold at least as tightly as `precedence`.
    fn reduce(&mut self, climb: &mut Climb, precedence: u8) -> Parse<()> {
        while climb.ops.last().and_then(|p| p.op.precedence()).is_some_and(|have| have >= precedence) {
            let Some(pending) = climb.ops.pop() else { break };
            let operand = self.apply(climb, pending)?;
            self.check_height(&operand)?;
            climb.operands.push(operand);
        }
        Ok(())
    }

    fn apply(&mut self, climb: &mut Climb, pending: Pending) -> Parse<Operand> {
        let count = match &pending.op {
            Op::And(terms) | Op::Or(terms) => terms + 1,
            Op::Chain(_, ops) => ops.len() + 1,
            Op::Not | Op::Sign(_) => 1,
            Op::BetweenHigh { .. } => 3,
            _ => 2,
        };
        let Some(from) = climb.operands.len().checked_sub(count) else {
            return Err(self.unexpected("an expression"));
        };
        let operands: Vec<Operand> = climb.operands.drain(from..).collect();
        let height = operands.iter().map(|o| o.height).max().unwrap_or(0) + 1;
        let span = operands.iter().fold(pending.span, |s, o| s.to(o.expr.span));
        let mut exprs = operands.into_iter().map(|o| o.expr);
        let mut next = || exprs.next().map(Box::new).ok_or_else(|| self.unexpected("an expression"));
        let kind = match pending.op {
            Op::Not => ExprKind::Not(next()?),
            Op::Sign(sign) => ExprKind::Sign(sign, next()?),
            Op::And(_) => ExprKind::And(exprs.collect()),
            Op::Or(_) => ExprKind::Or(exprs.collect()),
            Op::Chain(_, ops) => {
                let first = next()?;
                let links = ops.into_iter().zip(exprs);
                ExprKind::Chain(
                    first,
                    links.map(|((op, op_span), operand)| ChainLink { op, op_span, operand }).collect(),
                )
            }
            Op::Compare(op) => ExprKind::Compare(next()?, op, next()?),
            Op::Period(op) => ExprKind::Period(next()?, op, next()?),
            Op::Distinct { negated } => ExprKind::IsDistinctFrom { left: next()?, right: next()?, negated },
            Op::Like { op, negated } => {
                let (expr, pattern) = (*next()?, *next()?);
                ExprKind::Like(Box::new(Like { expr, op, negated, pattern, escape: None }))
            }
            Op::BetweenHigh { negated, symmetric } | Op::BetweenLow { negated, symmetric } => {
                let (expr, low, high) = (*next()?, *next()?, *next()?);
                ExprKind::Between(Box::new(Between { expr, low, high, negated, symmetric }))
            }
            Op::Paren(_) => return Err(self.unexpected("')'")),
        };
        Ok(Operand { expr: Expr { kind, span }, height })
    }

    fn no_open_between(&self, climb: &Climb) -> Parse<()> {
        match climb.ops.last() {
            Some(Pending { op: Op::BetweenLow { .. }, .. }) => {
                Err(self.wanted("AND", "write BETWEEN low AND high"))
            }
            _ => Ok(()),
        }
    }

    fn check_height(&self, operand: &Operand) -> Parse<()> {
        if operand.height > MAX_DEPTH { Err(self.too_deep(operand.expr.span)) } else { Ok(()) }
    }
}

fn compare_op(kind: Kind) -> Option<CompareOp> {
    Some(match kind {
        Kind::Eq => CompareOp::Eq,
        Kind::NotEq => CompareOp::NotEq,
        Kind::Lt => CompareOp::Lt,
        Kind::LtEq => CompareOp::LtEq,
        Kind::Gt => CompareOp::Gt,
        Kind::GtEq => CompareOp::GtEq,
        _ => return None,
    })
}

fn chain_op(kind: Kind) -> Option<(u8, ChainOp)> {
    Some(match kind {
        Kind::Plus => (ADD, ChainOp::Add),
        Kind::Minus => (ADD, ChainOp::Subtract),
        Kind::Star => (MULTIPLY, ChainOp::Multiply),
        Kind::Slash => (MULTIPLY, ChainOp::Divide),
        Kind::Percent => (MULTIPLY, ChainOp::Modulo),
        Kind::Concat => (MULTIPLY, ChainOp::Concat),
        _ => return None,
    })
}
