//! UNNEST of arrays, maps and multisets.

use std::sync::Arc;

use millstream_sql::ast::{self, JoinCondition, TableFactor};
use millstream_types::{DataType, Fault, Field, Schema, TypeKind};

use super::Binder;
use super::expression::{Collected, ExprBinder};
use super::from::{apply_alias, is_true};
use super::scope::{Scope, ScopeTable};
use crate::{NodeId, Op, UnnestOp};

impl Binder<'_> {
    /// Joins each row to the elements of its collection.
    pub(super) fn join_unnest(
        &mut self,
        (left, scope): (NodeId, Scope),
        factor: &TableFactor,
        args: &[ast::Expr],
        ordinality: bool,
        kind: ast::JoinKind,
        condition: &JoinCondition,
    ) -> Result<(NodeId, Scope), Fault> {
        let [arg] = args else {
            return Err(Fault::not_yet("UNNEST of several collections at once").at(factor.span));
        };
        let outer = lateral_kind(kind, condition, "UNNEST", factor)?;
        let mut found = Collected { clause: "UNNEST", ..Collected::default() };
        let collection = ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(arg)?;
        let columns = element_columns(&collection.data_type).ok_or_else(|| {
            Fault::user(
                "unnest-type",
                format!("UNNEST wants an ARRAY, MAP or MULTISET, this is of type {}", collection.data_type),
            )
            .at(arg.span)
            .hint("for a string use a table function, or SPLIT(...) which gives an ARRAY")
        })?;
        let input = self.schema(left);
        let mut fields = input.fields.clone();
        let element_count = columns.len();
        for (name, data_type) in columns {
            let nullable = data_type.nullable || outer;
            fields.push(Field::new(name, data_type.with_nullable(nullable)));
        }
        if ordinality {
            fields.push(Field::new("ORDINALITY", TypeKind::Int.not_null().with_nullable(outer)));
        }
        let schema = Schema::new(fields);
        let mut table = ScopeTable::of(None, &schema, input.len());
        if let Some(alias) = &factor.alias {
            apply_alias(&mut table, alias, 0)?;
        }
        let op = UnnestOp { collection, element_columns: element_count, ordinality, left: outer };
        let node = self.add(Op::Unnest(op), vec![left], schema, factor.span);
        self.behind_lateral(node, scope, table, condition, factor)
    }

    /// The scope behind a lateral table, with the join's condition as a filter (an outer one has none).
    pub(super) fn behind_lateral(
        &mut self,
        mut node: NodeId,
        mut scope: Scope,
        table: ScopeTable,
        condition: &JoinCondition,
        factor: &TableFactor,
    ) -> Result<(NodeId, Scope), Fault> {
        scope.tables.push(table);
        if let JoinCondition::On(e) = condition
            && !is_true(condition)
        {
            let mut found = Collected { clause: "ON", ..Collected::default() };
            let on = ExprBinder { binder: self, scope: &scope, found: &mut found }.condition(e)?;
            node = self.filter(node, vec![on], factor.span);
        }
        Ok((node, scope))
    }
}

/// Whether a join with a lateral table keeps rows without partners.
pub(super) fn lateral_kind(
    kind: ast::JoinKind,
    condition: &JoinCondition,
    what: &str,
    factor: &TableFactor,
) -> Result<bool, Fault> {
    if matches!(condition, JoinCondition::Using(_)) {
        return Err(Fault::not_yet(format!("USING with {what}")).at(factor.span));
    }
    match kind {
        ast::JoinKind::Inner | ast::JoinKind::Cross => Ok(false),
        ast::JoinKind::Left if is_true(condition) => Ok(true),
        ast::JoinKind::Left => Err(Fault::user(
            "lateral-condition",
            format!("LEFT JOIN with {what} can only have the condition TRUE"),
        )
        .at(factor.span)
        .hint("write ON TRUE, and put the condition into WHERE if rows without partners may go")),
        ast::JoinKind::Right | ast::JoinKind::Full => {
            Err(Fault::user("lateral", format!("RIGHT and FULL joins with {what} do not exist"))
                .at(factor.span)
                .hint("use CROSS JOIN or LEFT JOIN ... ON TRUE"))
        }
    }
}

/// The columns that elements of a collection give: the fields of a ROW, key and value of a map, else the element.
fn element_columns(collection: &DataType) -> Option<Vec<(Arc<str>, DataType)>> {
    Some(match &collection.kind {
        TypeKind::Array(e) | TypeKind::Multiset(e) => match &e.kind {
            TypeKind::Row(fields) => fields
                .iter()
                .map(|f| {
                    (f.name.clone(), f.data_type.clone().with_nullable(f.data_type.nullable || e.nullable))
                })
                .collect(),
            _ => vec![(Arc::from("EXPR$0"), (**e).clone())],
        },
        TypeKind::Map(k, v) => {
            vec![(Arc::from("KEY"), (**k).clone()), (Arc::from("VALUE"), (**v).clone())]
        }
        _ => return None,
    })
}
