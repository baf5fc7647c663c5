//! Predicates: comparisons, IS, BETWEEN, IN with a list, LIKE and its kin.

use millstream_expr::Expr;
use millstream_expr::functions::scalar_function;
use millstream_sql::ast::{self, CompareOp, IsTest, LikeOp, QuantifiedSet};
use millstream_types::{DataType, Fault, Span, Value};

use super::expression::{ExprBinder, compare_name, conjunction, disjunction, negate, no_bare_null};

impl ExprBinder<'_, '_> {
    #[inline(never)]
    pub(super) fn compare(
        &mut self,
        left: &ast::Expr,
        op: CompareOp,
        right: &ast::Expr,
        span: Span,
    ) -> Result<Expr, Fault> {
        if let ast::ExprKind::Row { items, .. } = &left.kind
            && matches!(op, CompareOp::Eq | CompareOp::NotEq)
            && let Some(others) = same_row(right, items.len())
        {
            let mut fields = Vec::with_capacity(items.len());
            for (a, b) in items.iter().zip(others) {
                fields.push(self.compare(a, CompareOp::Eq, b, span)?);
            }
            let equal = conjunction(fields);
            return Ok(if op == CompareOp::NotEq { negate(equal) } else { equal });
        }
        self.operator(compare_name(op), &[left, right], span)
    }

    #[inline(never)]
    pub(super) fn quantified(&mut self, q: &ast::Quantified, span: Span) -> Result<Expr, Fault> {
        let QuantifiedSet::List(items) = &q.right else {
            return Err(Fault::not_yet("comparisons with ANY or ALL of a subquery").at(span));
        };
        let left = self.bind(&q.left)?;
        let mut terms = Vec::with_capacity(items.len());
        for item in items {
            let right = self.bind(item)?;
            terms.push(self.call(compare_name(q.op), vec![left.clone(), right], Vec::new(), item.span)?);
        }
        Ok(if q.all { conjunction(terms) } else { disjunction(terms) })
    }

    #[inline(never)]
    pub(super) fn is(
        &mut self,
        operand: &ast::Expr,
        test: IsTest,
        negated: bool,
        span: Span,
    ) -> Result<Expr, Fault> {
        let name = match (test, negated) {
            (IsTest::Null, false) => "IS NULL",
            (IsTest::Null, true) => "IS NOT NULL",
            (IsTest::True, false) => "IS TRUE",
            (IsTest::True, true) => "IS NOT TRUE",
            (IsTest::False, false) => "IS FALSE",
            (IsTest::False, true) => "IS NOT FALSE",
            (IsTest::Unknown, false) => "IS UNKNOWN",
            (IsTest::Unknown, true) => "IS NOT UNKNOWN",
            (IsTest::JsonValue, false) => "IS JSON VALUE",
            (IsTest::JsonValue, true) => "IS NOT JSON VALUE",
            (IsTest::JsonObject, false) => "IS JSON OBJECT",
            (IsTest::JsonObject, true) => "IS NOT JSON OBJECT",
            (IsTest::JsonArray, false) => "IS JSON ARRAY",
            (IsTest::JsonArray, true) => "IS NOT JSON ARRAY",
            (IsTest::JsonScalar, false) => "IS JSON SCALAR",
            (IsTest::JsonScalar, true) => "IS NOT JSON SCALAR",
        };
        if let (IsTest::Null, ast::ExprKind::Row { items, .. }) = (test, &operand.kind) {
            // A row that is written out is none, whatever its fields are.
            items.iter().try_for_each(|i| self.bind(i).map(drop))?;
            return Ok(Expr::boolean(negated).at(span));
        }
        let bound = self.bind(operand)?;
        if matches!(test, IsTest::True | IsTest::False | IsTest::Unknown) {
            no_bare_null(&bound, operand.span)?;
        }
        self.call(name, vec![bound], Vec::new(), span)
    }

    #[inline(never)]
    pub(super) fn between(&mut self, b: &ast::Between, span: Span) -> Result<Expr, Fault> {
        let value = self.bind(&b.expr)?;
        let low = self.bind(&b.low)?;
        let high = self.bind(&b.high)?;
        let mut within = |low: &Expr, high: &Expr, negated: bool| -> Result<Expr, Fault> {
            let (lower, upper) = if negated { ("<", ">") } else { (">=", "<=") };
            let a = self.call(lower, vec![value.clone(), low.clone()], Vec::new(), span)?.at(span);
            let b = self.call(upper, vec![value.clone(), high.clone()], Vec::new(), span)?.at(span);
            Ok(if negated { disjunction(vec![a, b]) } else { conjunction(vec![a, b]) })
        };
        let straight = within(&low, &high, b.negated)?;
        if !b.symmetric {
            return Ok(straight);
        }
        let crossed = within(&high, &low, b.negated)?;
        Ok(if b.negated {
            conjunction(vec![straight, crossed])
        } else {
            disjunction(vec![straight, crossed])
        })
    }

    #[inline(never)]
    pub(super) fn in_list(
        &mut self,
        operand: &ast::Expr,
        list: &[ast::Expr],
        negated: bool,
        span: Span,
    ) -> Result<Expr, Fault> {
        if let ast::ExprKind::Row { items, .. } = &operand.kind
            && let Some(rows) = list.iter().map(|i| same_row(i, items.len())).collect::<Option<Vec<_>>>()
        {
            // Field by field, so that a NULL field is unknown and not different.
            let left = items.iter().map(|i| self.bind(i)).collect::<Result<Vec<_>, _>>()?;
            let mut rows_found = Vec::with_capacity(rows.len());
            for row in rows {
                let mut fields = Vec::with_capacity(left.len());
                for (value, item) in left.iter().zip(row) {
                    let args = vec![value.clone(), self.bind(item)?];
                    fields.push(self.call("IN", args, Vec::new(), span)?.at(span));
                }
                rows_found.push(conjunction(fields));
            }
            let found = disjunction(rows_found);
            return Ok(if negated { negate(found) } else { found });
        }
        let mut args = Vec::with_capacity(list.len() + 1);
        args.push(self.bind(operand)?);
        for item in list {
            args.push(self.bind(item)?);
        }
        let bound = self.call("IN", args, Vec::new(), span)?.at(span);
        Ok(if negated { negate(bound) } else { bound })
    }

    #[inline(never)]
    pub(super) fn like(&mut self, like: &ast::Like, span: Span) -> Result<Expr, Fault> {
        let name = match like.op {
            LikeOp::Like => "LIKE",
            LikeOp::SimilarTo => "SIMILAR TO",
            LikeOp::ILike => "ILIKE",
            LikeOp::RLike => "RLIKE",
        };
        let mut args = vec![self.bind(&like.expr)?, self.bind(&like.pattern)?];
        if let Some(escape) = &like.escape {
            let escape = self.bind(escape)?;
            if escape.as_literal().is_some_and(Value::is_null) && escape.data_type.kind.is_string() {
                return Ok(Expr::literal(Value::Null, DataType::boolean()).at(span));
            }
            args.push(escape);
        }
        if matches!(like.op, LikeOp::ILike | LikeOp::RLike) && scalar_function(name).is_none() {
            let instead =
                if like.op == LikeOp::ILike { "LOWER(x) LIKE LOWER(pattern)" } else { "REGEXP(x, pattern)" };
            return Err(Fault::user(
                "unknown-function",
                format!("No match found for function signature {name}"),
            )
            .at(span)
            .hint(format!("write {instead}")));
        }
        let bound = self.call(name, args, Vec::new(), span)?.at(span);
        Ok(if like.negated { negate(bound) } else { bound })
    }
}

/// The fields of a row that is written out, if it has so many.
fn same_row(expr: &ast::Expr, width: usize) -> Option<&[ast::Expr]> {
    match &expr.kind {
        ast::ExprKind::Row { items, .. } if items.len() == width => Some(items),
        _ => None,
    }
}
