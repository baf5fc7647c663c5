//! LATERAL TABLE(f(…)).

use millstream_expr::functions::table;
use millstream_expr::{Call, Expr};
use millstream_sql::ast::{self, JoinCondition, TableFactor};
use millstream_types::{Fault, Field, Schema, nearest};

use super::Binder;
use super::expression::{Collected, ExprBinder};
use super::from::apply_alias;
use super::scope::{Scope, ScopeTable};
use super::unnest::lateral_kind;
use crate::{NodeId, Op, TableFunctionOp};

impl Binder<'_> {
    /// Joins each row to the rows that a table function gives for it.
    pub(super) fn join_table_function(
        &mut self,
        (left, scope): (NodeId, Scope),
        factor: &TableFactor,
        call: &ast::FunctionCall,
        kind: ast::JoinKind,
        condition: &JoinCondition,
    ) -> Result<(NodeId, Scope), Fault> {
        let outer = lateral_kind(kind, condition, "a table function", factor)?;
        if let Some(function) = self.env.user_function(&call.name) {
            return Err(Fault::not_yet(format!("calls of the user function '{}'", function.path.object))
                .at(call.name.span));
        }
        let mut found = Collected { clause: "a table function", ..Collected::default() };
        let args: Vec<Expr> =
            ExprBinder { binder: self, scope: &scope, found: &mut found }.plain_args(call)?;
        let name = call.name.last();
        let function = if call.name.parts.len() == 1 { self.table_function(name) } else { None };
        let Some(function) = function else {
            let types: Vec<String> = args.iter().map(|a| format!("<{}>", a.data_type.kind)).collect();
            let fault = Fault::user(
                "unknown-function",
                format!("No match found for function signature {name}({})", types.join(", ")),
            )
            .at(call.name.span);
            let names = table::all().flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
            return Err(match nearest(name, names) {
                Some(near) => fault.hint(format!("did you mean {near}?")),
                None if millstream_expr::functions::scalar_function(name).is_some() => {
                    fault.hint(format!("{name} is no table function; a function that gives an ARRAY can be used in UNNEST({name}(...))"))
                }
                None => fault.hint("the manual lists the table functions"),
            });
        };
        let context = self.env.context;
        let bound = (function.bind)(&Call { name, args: &args, keywords: &[], span: call.span, context })
            .map_err(|f| f.at(call.span))?;
        let input = self.schema(left);
        let mut fields = input.fields.clone();
        for f in &bound.schema.fields {
            fields.push(Field::new(
                f.name.clone(),
                f.data_type.clone().with_nullable(f.data_type.nullable || outer),
            ));
        }
        let schema = Schema::new(fields);
        let mut scope_table = ScopeTable::of(None, &schema, input.len());
        if let Some(alias) = &factor.alias {
            apply_alias(&mut scope_table, alias, 0)?;
        }
        let op = TableFunctionOp {
            function: function.name.into(),
            args: bound.args,
            kernel: bound.kernel,
            left: outer,
        };
        let node = self.add(Op::TableFunction(op), vec![left], schema, factor.span);
        self.behind_lateral(node, scope, scope_table, condition, factor)
    }

    /// The table function of a name.
    fn table_function(&self, name: &str) -> Option<&'static table::TableFunction> {
        table::table_function(name)
    }
}
