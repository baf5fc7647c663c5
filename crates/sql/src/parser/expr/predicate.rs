//! Operators that are words: AND, OR, IS, IN, BETWEEN, LIKE and the predicates on periods.

use millstream_types::{Fault, Span};

use super::{ADD, COMPARE, Climb, IS, LIKE, Op, Operand, Pending};
use crate::ast::{CompareOp, Expr, ExprKind, IsTest, LikeOp, PeriodOp, Quantified, QuantifiedSet, Query};
use crate::lexer::Kind;
use crate::parser::{Parse, Parser};

/// What stands in the parentheses behind IN, ANY and ALL.
enum Members {
    Query(Box<Query>),
    List(Vec<Expr>),
}

/// What Flink's grammar reads, but finds no operator for.
fn no_such_operator(name: &str) -> Fault {
    Fault::user("unknown-function", format!("No match found for function signature {name}"))
        .hint("compare CARDINALITY(...), or unnest the collection")
}

impl Parser<'_> {
    /// An operator that begins with the word at hand: Some(true) if another operand must follow, Some(false) if the word
    /// is no operator, None if the operand on the stack was completed.
    pub(super) fn word_operator(&mut self, climb: &mut Climb) -> Parse<Option<bool>> {
        let span = self.here();
        match self.word().to_ascii_uppercase().as_str() {
            "AND" => {
                self.advance();
                self.push_and(climb, span)?;
            }
            "OR" => {
                self.push_or(climb, span)?;
                self.advance();
            }
            "IS" => {
                self.advance();
                return self.is_test(climb, span);
            }
            "NOT" if self.negatable(1) => {
                self.advance();
                return self.negatable_predicate(climb, span, true);
            }
            "IN" | "BETWEEN" | "LIKE" | "ILIKE" | "RLIKE" | "SIMILAR" => {
                return self.negatable_predicate(climb, span, false);
            }
            "ESCAPE" => {
                self.advance();
                self.escape(climb)?;
                return Ok(None);
            }
            "OVERLAPS" | "CONTAINS" | "EQUALS" | "PRECEDES" | "SUCCEEDS" => {
                let op = period_op(self.word());
                self.advance();
                self.push_period(climb, op, span)?;
            }
            "IMMEDIATELY" if self.word_at(1).eq_ignore_ascii_case("PRECEDES") => {
                self.eat_words(&["IMMEDIATELY", "PRECEDES"]);
                self.push_period(climb, PeriodOp::ImmediatelyPrecedes, span)?;
            }
            "IMMEDIATELY" if self.word_at(1).eq_ignore_ascii_case("SUCCEEDS") => {
                self.eat_words(&["IMMEDIATELY", "SUCCEEDS"]);
                self.push_period(climb, PeriodOp::ImmediatelySucceeds, span)?;
            }
            "MULTISET" | "SUBMULTISET" => {
                return Err(no_such_operator("MULTISET").at(span));
            }
            "MEMBER" => return Err(no_such_operator("MEMBER OF").at(span)),
            _ => return Ok(Some(false)),
        }
        Ok(Some(true))
    }

    fn negatable(&self, ahead: usize) -> bool {
        ["IN", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "SIMILAR"]
            .iter()
            .any(|k| self.word_at(ahead).eq_ignore_ascii_case(k))
    }

    fn push_period(&mut self, climb: &mut Climb, op: PeriodOp, span: Span) -> Parse<()> {
        self.reduce(climb, COMPARE)?;
        climb.ops.push(Pending { op: Op::Period(op), span });
        Ok(())
    }

    fn negatable_predicate(&mut self, climb: &mut Climb, span: Span, negated: bool) -> Parse<Option<bool>> {
        let word = self.word().to_ascii_uppercase();
        self.advance();
        self.reduce(climb, LIKE)?;
        let op = match word.as_str() {
            "IN" => {
                self.is_in(climb, negated)?;
                return Ok(None);
            }
            "BETWEEN" => {
                let symmetric = self.eat_word("SYMMETRIC");
                if !symmetric {
                    self.eat_word("ASYMMETRIC");
                }
                climb.ops.push(Pending { op: Op::BetweenLow { negated, symmetric }, span });
                return Ok(Some(true));
            }
            "LIKE" => LikeOp::Like,
            "ILIKE" => LikeOp::ILike,
            "RLIKE" => LikeOp::RLike,
            _ => {
                self.expect_word("TO")?;
                LikeOp::SimilarTo
            }
        };
        climb.ops.push(Pending { op: Op::Like { op, negated }, span });
        Ok(Some(true))
    }

    /// `ESCAPE x` belongs to the LIKE before it.
    fn escape(&mut self, climb: &mut Climb) -> Parse<()> {
        self.reduce(climb, LIKE)?;
        let outer = std::mem::take(&mut self.tall);
        let escape = self.operand()?;
        let height = self.tall + 2;
        self.tall = outer;
        let span = escape.span;
        match climb.operands.last_mut() {
            Some(Operand { expr: Expr { kind: ExprKind::Like(like), span: whole }, height: have })
                if like.escape.is_none() =>
            {
                like.escape = Some(escape);
                *whole = whole.to(span);
                *have = height.max(*have);
                Ok(())
            }
            _ => Err(super::super::fault::parse_fault_at(
                span,
                "ESCAPE can stand only behind a LIKE or SIMILAR TO",
            )),
        }
    }

    /// `IN (…)` for the operand on the stack.
    fn is_in(&mut self, climb: &mut Climb, negated: bool) -> Parse<()> {
        let outer = std::mem::take(&mut self.tall);
        let members = self.members()?;
        let inner = std::mem::replace(&mut self.tall, outer);
        self.wrap(climb, inner, |expr| match members {
            Members::Query(query) => ExprKind::InQuery { expr, query, negated },
            Members::List(list) => ExprKind::InList { expr, list, negated },
        })
    }

    /// `ANY (…)`, `ALL (…)` for the operand on the stack.
    pub(super) fn quantified(&mut self, climb: &mut Climb, op: CompareOp) -> Parse<()> {
        let all = self.at("ALL");
        self.advance();
        let outer = std::mem::take(&mut self.tall);
        let members = self.members()?;
        let inner = std::mem::replace(&mut self.tall, outer);
        let right = match members {
            Members::Query(query) => QuantifiedSet::Query(query),
            Members::List(list) => QuantifiedSet::List(list),
        };
        self.wrap(climb, inner, |left| {
            ExprKind::Quantified(Box::new(Quantified { left: *left, op, all, right }))
        })
    }

    /// `(query)` or `(a, b, …)`.
    fn members(&mut self) -> Parse<Members> {
        if self.at_query_paren() {
            self.advance();
            let query = self.query()?;
            if self.is(Kind::RightParen) {
                self.advance();
                return Ok(Members::Query(Box::new(query)));
            }
            // `(SELECT …), 2`: the list's first member would need parentheses of its own.
            return Err(self.unexpected("')'"));
        }
        if self.is(Kind::LeftParen) && self.token(1).kind == Kind::RightParen {
            self.advance();
            return Err(self.wanted("a value or a query", "IN needs one value at least"));
        }
        self.in_parens(Self::expr).map(Members::List)
    }

    fn is_test(&mut self, climb: &mut Climb, span: Span) -> Parse<Option<bool>> {
        let negated = self.eat_word("NOT");
        if self.eat_words(&["DISTINCT", "FROM"]) {
            self.reduce(climb, ADD)?;
            climb.ops.push(Pending { op: Op::Distinct { negated }, span });
            return Ok(Some(true));
        }
        let word = self.word().to_ascii_uppercase();
        let test = match word.as_str() {
            "NULL" => IsTest::Null,
            "TRUE" => IsTest::True,
            "FALSE" => IsTest::False,
            "UNKNOWN" => IsTest::Unknown,
            "JSON" => match self.word_at(1).to_ascii_uppercase().as_str() {
                "VALUE" => IsTest::JsonValue,
                "OBJECT" => IsTest::JsonObject,
                "ARRAY" => IsTest::JsonArray,
                "SCALAR" => IsTest::JsonScalar,
                _ => IsTest::JsonValue,
            },
            "A" | "EMPTY" => return Err(no_such_operator("IS A SET, IS EMPTY").at(self.here())),
            _ => {
                let hint =
                    "IS asks for NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM; compare values with =";
                return Err(self.wanted("NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM", hint));
            }
        };
        self.advance();
        if word == "JSON" && (self.at_any(&["VALUE", "OBJECT", "ARRAY", "SCALAR"])) {
            self.advance();
        }
        self.reduce(climb, IS)?;
        self.wrap(climb, 0, |expr| ExprKind::Is { expr, test, negated })?;
        Ok(None)
    }

    /// Puts a node around the operand on the stack; `inner` is the height of what else is in it.
    fn wrap(
        &mut self,
        climb: &mut Climb,
        inner: usize,
        make: impl FnOnce(Box<Expr>) -> ExprKind,
    ) -> Parse<()> {
        let Some(Operand { expr, height }) = climb.operands.pop() else {
            return Err(self.unexpected("an expression"));
        };
        let span = self.since(expr.span.start);
        let operand =
            Operand { expr: Expr { kind: make(Box::new(expr)), span }, height: height.max(inner) + 1 };
        self.check_height(&operand)?;
        climb.operands.push(operand);
        Ok(())
    }
}

fn period_op(word: &str) -> PeriodOp {
    match word.to_ascii_uppercase().as_str() {
        "CONTAINS" => PeriodOp::Contains,
        "EQUALS" => PeriodOp::Equals,
        "PRECEDES" => PeriodOp::Precedes,
        "SUCCEEDS" => PeriodOp::Succeeds,
        _ => PeriodOp::Overlaps,
    }
}
