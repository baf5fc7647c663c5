//! MATCH_RECOGNIZE: checked and typed; the pattern is kept as text.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_sql::ast::{self, MatchRecognize, Pattern, PatternKind, RowsPerMatch};
use millstream_types::{DataType, Fault, Field, Schema, TimeAttribute, TypeKind};

use super::aggregate::sort_key;
use super::expression::{Collected, ExprBinder};
use super::from::BoundTable;
use super::is_time_attribute;
use super::scope::{Scope, ScopeTable};
use super::select::plain_column;
use super::{Binder, unique_names};
use crate::{MatchOp, NodeId, Op};

impl Binder<'_> {
    /// Binds the clause over its input.
    pub(super) fn bind_match(&mut self, input: BoundTable, clause: &MatchRecognize) -> Result<NodeId, Fault> {
        let unsupported = |what: &str| Fault::user("match", what.to_string());
        if clause.rows == Some(RowsPerMatch::All) {
            return Err(unsupported("All rows per match mode is not supported")
                .at(clause.span)
                .hint("write ONE ROW PER MATCH"));
        }
        if clause.anchored_start || clause.anchored_end {
            return Err(unsupported("Anchors ^ and $ of a pattern are not supported")
                .at(clause.pattern.span)
                .hint("remove them"));
        }
        check_pattern(&clause.pattern, true)?;
        let schema = self.schema(input.node);
        let mut scope = Scope { tables: vec![input.scope.clone()], merged: Vec::new() };
        let mut found = Collected { clause: "PARTITION BY", ..Collected::default() };
        let mut partition_by: Vec<Expr> = Vec::new();
        let mut names: Vec<Arc<str>> = Vec::new();
        for e in &clause.partition_by {
            let bound = ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(e)?;
            let Some(c) = plain_column(&bound) else {
                return Err(unsupported("PARTITION BY of MATCH_RECOGNIZE wants columns").at(e.span));
            };
            names.push(schema.field(c).map(|f| f.name.clone()).unwrap_or_default());
            partition_by.push(bound);
        }
        found.clause = "ORDER BY";
        let mut order_by = Vec::new();
        for item in &clause.order_by {
            let bound = ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(&item.expr)?;
            order_by.push(sort_key(bound, item));
        }
        let timed = order_by.first().is_some_and(|k| {
            plain_column(&k.expr).is_some_and(|c| is_time_attribute(&self.plan, input.node, c))
                || !self.streaming()
        });
        let place = clause.order_by.first().map_or(clause.span, |o| o.expr.span);
        if !timed {
            return Err(unsupported("You must specify either rowtime or proctime for order by")
                .at(place)
                .hint("order by the column that has a watermark first"));
        }
        if order_by.first().is_some_and(|k| k.descending) {
            return Err(unsupported("Primary sort order of a streaming table must be ascending on time")
                .at(place)
                .hint("remove DESC"));
        }
        let mut variables = Vec::new();
        pattern_variables(&clause.pattern, &mut variables);
        for (name, members) in &clause.subsets {
            for m in members {
                if !variables.contains(&m.value) {
                    return Err(
                        Fault::user("unknown-variable", format!("Unknown pattern '{}'", m.value)).at(m.span)
                    );
                }
            }
            variables.push(name.value.clone());
        }
        let unnamed = ScopeTable { qualified_only: false, ..input.scope.clone() };
        scope.tables = vec![unnamed];
        for v in &variables {
            scope.tables.push(ScopeTable {
                name: Some(Arc::from(v.as_str())),
                path: None,
                columns: input.scope.columns.clone(),
                qualified_only: true,
            });
        }
        for (name, condition) in &clause.defines {
            if !variables.contains(&name.value) {
                let fault = Fault::user("unknown-variable", format!("Unknown pattern '{}'", name.value))
                    .at(name.span);
                return Err(super::scope::suggest(fault, &name.value, variables.iter().map(String::as_str)));
            }
            let mut found = match_clause("DEFINE");
            ExprBinder { binder: self, scope: &scope, found: &mut found }.condition(condition)?;
        }
        let mut fields: Vec<Field> =
            partition_by.iter().zip(names).map(|(e, n)| Field::new(n, e.data_type.clone())).collect();
        let rowtime = order_by.first().map(|k| k.expr.data_type.clone());
        for (expr, name) in &clause.measures {
            let mut found = match_clause("MEASURES");
            found.match_time = rowtime.clone();
            let bound = ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(expr)?;
            fields.push(Field::new(name.value.as_str(), bound.data_type));
        }
        if let Some(within) = &clause.within {
            let mut found = Collected { clause: "WITHIN", ..Collected::default() };
            let bound =
                ExprBinder { binder: self, scope: &Scope::default(), found: &mut found }.bind(within)?;
            super::call::interval_millis(&bound, "WITHIN", within.span)?;
        }
        let unique = unique_names(fields.iter().map(|f| f.name.clone()).collect());
        for (field, name) in fields.iter_mut().zip(unique) {
            field.name = name;
        }
        let op = MatchOp {
            partition_by,
            order_by,
            pattern: pattern_text(&clause.pattern),
            span: Some(clause.span),
        };
        Ok(self.add(Op::Match(op), vec![input.node], Schema::new(fields), clause.span))
    }
}

fn match_clause(clause: &'static str) -> Collected {
    Collected { clause, aggregates_allowed: true, in_match: true, ..Collected::default() }
}

impl ExprBinder<'_, '_> {
    /// Functions that only MATCH_RECOGNIZE has.
    #[inline(never)]
    pub(super) fn match_function(
        &mut self,
        name: &str,
        call: &ast::FunctionCall,
    ) -> Result<Option<Expr>, Fault> {
        let upper = name.to_uppercase();
        match upper.as_str() {
            "FIRST" | "LAST" | "PREV" | "NEXT" => {
                let args = self.plain_args(call)?;
                match args.into_iter().next() {
                    Some(first) => Ok(Some(first)),
                    None => {
                        Err(Fault::user("argument-count", format!("{upper} wants a column")).at(call.span))
                    }
                }
            }
            "MATCH_ROWTIME" => {
                let given = self.plain_args(call)?.into_iter().next().map(|e| e.data_type);
                let data_type = match given.or_else(|| self.found.match_time.clone()).map(|t| t.kind) {
                    Some(TypeKind::TimestampLtz(..)) => TypeKind::TimestampLtz(3, TimeAttribute::Rowtime),
                    _ => TypeKind::Timestamp(3, TimeAttribute::Rowtime),
                };
                Ok(Some(Expr::column(0, data_type.not_null())))
            }
            "MATCH_PROCTIME" => {
                let data_type: DataType = TypeKind::TimestampLtz(3, TimeAttribute::Proctime).not_null();
                Ok(Some(Expr::column(0, data_type)))
            }
            _ => Ok(None),
        }
    }
}

/// Patterns that Flink refuses.
fn check_pattern(pattern: &Pattern, last: bool) -> Result<(), Fault> {
    let refuse = |what: &str, hint: &str| Err(Fault::user("match-pattern", what).at(pattern.span).hint(hint));
    match &pattern.kind {
        PatternKind::Variable(_) => Ok(()),
        PatternKind::Sequence(items) => {
            for (i, item) in items.iter().enumerate() {
                check_pattern(item, last && i + 1 == items.len())?;
            }
            Ok(())
        }
        PatternKind::Alternation(_) => refuse(
            "Currently, CEP doesn't support branching patterns",
            "write one MATCH_RECOGNIZE for each branch",
        ),
        PatternKind::Permute(_) => refuse("PERMUTE of a pattern is not supported", "write the sequences out"),
        PatternKind::Exclude(_) => {
            refuse("Exclusions {- -} of a pattern are not supported", "remove the braces")
        }
        PatternKind::Repeat { pattern: inner, min, max, reluctant } => {
            if last && !reluctant && *max != Some(*min) {
                return refuse(
                    "Greedy quantifiers are not allowed as the last element of a Pattern yet. Finish your pattern with either a simple variable or reluctant quantifier",
                    "write ? behind the quantifier, or add a variable behind it",
                );
            }
            match &inner.kind {
                PatternKind::Variable(_) => Ok(()),
                _ => refuse("Quantifiers of groups are not supported", "put the quantifier on a variable"),
            }
        }
    }
}

fn pattern_variables(pattern: &Pattern, into: &mut Vec<String>) {
    match &pattern.kind {
        PatternKind::Variable(name) => {
            if !into.contains(&name.value) {
                into.push(name.value.clone());
            }
        }
        PatternKind::Sequence(items) | PatternKind::Alternation(items) | PatternKind::Permute(items) => {
            items.iter().for_each(|p| pattern_variables(p, into));
        }
        PatternKind::Repeat { pattern, .. } | PatternKind::Exclude(pattern) => {
            pattern_variables(pattern, into)
        }
    }
}

/// The pattern in a normal form.
fn pattern_text(pattern: &Pattern) -> String {
    let all =
        |items: &[Pattern], between: &str| items.iter().map(pattern_text).collect::<Vec<_>>().join(between);
    match &pattern.kind {
        PatternKind::Variable(name) => name.value.clone(),
        PatternKind::Sequence(items) => all(items, " "),
        PatternKind::Alternation(items) => format!("({})", all(items, " | ")),
        PatternKind::Permute(items) => format!("PERMUTE({})", all(items, ", ")),
        PatternKind::Exclude(inner) => format!("{{- {} -}}", pattern_text(inner)),
        PatternKind::Repeat { pattern, min, max, reluctant } => {
            let quantifier = match (min, max) {
                (0, None) => "*".to_string(),
                (1, None) => "+".to_string(),
                (0, Some(1)) => "?".to_string(),
                (n, Some(m)) if n == m => format!("{{{n}}}"),
                (n, Some(m)) => format!("{{{n},{m}}}"),
                (n, None) => format!("{{{n},}}"),
            };
            format!("{}{quantifier}{}", pattern_text(pattern), if *reluctant { "?" } else { "" })
        }
    }
}
