//! Calls in function notation: what kind of function a name means.

use std::sync::Arc;

use millstream_expr::functions::aggregate::{AggregateKind, aggregate_function};
use millstream_expr::functions::scalar_function;
use millstream_expr::registered::ScalarFunction;
use millstream_expr::{Call, CallExpr, Expr, ExprKind, Keyword, Keywords};
use millstream_sql::ast::{self, JsonCall, JsonOnNull, JsonQueryBehavior, JsonValueBehavior, JsonWrapper};
use millstream_types::{DataType, Fault, Span, TypeKind, Value, nearest};

use super::expression::ExprBinder;
use super::group::auxiliary;

impl ExprBinder<'_, '_> {
    /// Binds a call.
    #[inline(never)]
    pub(super) fn function(&mut self, call: &ast::FunctionCall) -> Result<Expr, Fault> {
        if let Some(function) = self.binder.env.user_function(&call.name) {
            return Err(Fault::not_yet(format!("calls of the user function '{}'", function.path.object))
                .at(call.name.span));
        }
        let name = match call.name.parts.as_slice() {
            [only] => only.value.as_str(),
            _ => return Err(self.unknown_function(&call.name.texts().join("."), &[], call.name.span)),
        };
        if self.found.in_match
            && let Some(bound) = self.match_function(name, call)?
        {
            return Ok(bound);
        }
        if let Some(property) = auxiliary(name) {
            return self.window_property(name, property, call);
        }
        if let Some(function) = aggregate_function(name) {
            return match (&call.over, function.kind) {
                (Some(over), _) => self.over_call(function, call, over),
                (None, AggregateKind::Window) => Err(Fault::user(
                    "over-missing",
                    format!("OVER clause is necessary for window functions: {}", function.name),
                )
                .at(call.span)
                .hint(format!("write {}(...) OVER (PARTITION BY ... ORDER BY ...)", function.name))),
                (None, AggregateKind::Group | AggregateKind::Grouping) => {
                    self.aggregate(function, call, Vec::new())
                }
            };
        }
        if let Some(function) = self.binder.env.catalogs.registered().get(name) {
            self.only_scalar(name, call)?;
            let args = self.plain_args(call)?;
            return self.registered(function, &args, call.span);
        }
        if let Some(fault) = misplaced(name) {
            return Err(fault.at(call.span));
        }
        if name.eq_ignore_ascii_case("CURRENT_DATABASE") && call.args.is_empty() {
            let database = self.binder.env.namespace.database.as_str();
            return Ok(
                Expr::literal(Value::from(database), DataType::string().with_nullable(false)).at(call.span)
            );
        }
        if scalar_function(name).is_none() {
            let args = self.plain_args(call)?;
            return Err(self.unknown_function(name, &args, call.name.span));
        }
        self.only_scalar(name, call)?;
        let args = self.plain_args(call)?;
        self.call(name, args, Vec::new(), call.span)
    }

    /// A call of a function of the embedding program.
    fn registered(&self, function: &ScalarFunction, args: &[Expr], span: Span) -> Result<Expr, Fault> {
        let context = self.binder.env.context;
        let bound = function
            .bind(&Call { name: function.name(), args, keywords: &[], span, context })
            .map_err(|f| f.at(span))?;
        let kind = ExprKind::Call(Arc::new(CallExpr {
            name: function.name().into(),
            args: bound.args,
            keywords: Keywords::new(),
            volatility: bound.volatility,
            fallible: bound.fallible,
            kernel: bound.kernel,
        }));
        Ok(Expr::new(kind, bound.data_type).at(span))
    }

    /// Refuses what only aggregates take.
    fn only_scalar(&self, name: &str, call: &ast::FunctionCall) -> Result<(), Fault> {
        let wrong = if call.quantifier.is_some() {
            Some("DISTINCT or ALL")
        } else if call.filter.is_some() {
            Some("a FILTER clause")
        } else if call.over.is_some() {
            Some("an OVER clause")
        } else if !call.within_group.is_empty() || !call.order_by.is_empty() {
            Some("ORDER BY")
        } else {
            None
        };
        match wrong {
            None => Ok(()),
            Some(what) => Err(Fault::user(
                "no-aggregate",
                format!("{what} cannot be used with {name}: it is no aggregate function"),
            )
            .at(call.span)
            .hint(format!("write {name}(...) alone"))),
        }
    }

    /// The fault for a function that does not exist.
    pub(super) fn unknown_function(&self, name: &str, args: &[Expr], span: Span) -> Fault {
        let types: Vec<String> = args.iter().map(|a| format!("<{}>", a.data_type.kind)).collect();
        let fault = Fault::user(
            "unknown-function",
            format!("No match found for function signature {name}({})", types.join(", ")),
        )
        .at(span);
        let scalars = millstream_expr::functions::scalar::all()
            .flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
        let aggregates = millstream_expr::functions::aggregate::all()
            .flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
        let registered = self.binder.env.catalogs.registered().iter().map(ScalarFunction::name);
        let built_in = scalars.chain(aggregates);
        let words = built_in.chain(registered).filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic()));
        match nearest(name, words) {
            Some(near) => fault.hint(format!("did you mean {near}?")),
            None => {
                fault.hint("the manual lists the functions; user functions are made with CREATE FUNCTION")
            }
        }
    }

    /// A JSON function with clauses.
    #[inline(never)]
    pub(super) fn json(&mut self, call: &JsonCall, span: Span) -> Result<Expr, Fault> {
        let word = |w: &'static str| Keyword::Word(w.into());
        match call {
            JsonCall::Exists { input, path, on_error } => {
                let args = vec![self.bind(input)?, self.bind(path)?];
                let mut keywords = Keywords::new();
                if let Some(e) = on_error {
                    keywords.push((
                        "on-error",
                        word(match e {
                            ast::JsonExistsError::True => "TRUE",
                            ast::JsonExistsError::False => "FALSE",
                            ast::JsonExistsError::Unknown => "UNKNOWN",
                            ast::JsonExistsError::Error => "ERROR",
                        }),
                    ));
                }
                self.call("JSON_EXISTS", args, keywords, span)
            }
            JsonCall::Value { input, path, returning, on_empty, on_error } => {
                let mut args = vec![self.bind(input)?, self.bind(path)?];
                let mut keywords = Keywords::new();
                for (clause, behavior) in [("on-empty", on_empty), ("on-error", on_error)] {
                    let Some(behavior) = behavior else { continue };
                    match behavior {
                        JsonValueBehavior::Null => keywords.push((clause, word("NULL"))),
                        JsonValueBehavior::Error => keywords.push((clause, word("ERROR"))),
                        JsonValueBehavior::Default(value) => {
                            keywords.push((clause, Keyword::Argument(args.len())));
                            args.push(self.bind(value)?);
                        }
                    }
                }
                if let Some(t) = returning {
                    keywords.push(("returning", Keyword::Type(t.data_type.clone())));
                }
                self.call("JSON_VALUE", args, keywords, span)
            }
            JsonCall::Query { input, path, returning, wrapper, on_empty, on_error } => {
                let args = vec![self.bind(input)?, self.bind(path)?];
                let mut keywords = Keywords::new();
                for (clause, behavior) in [("on-empty", on_empty), ("on-error", on_error)] {
                    let Some(behavior) = behavior else { continue };
                    let w = match behavior {
                        JsonQueryBehavior::Null => "NULL",
                        JsonQueryBehavior::Error => "ERROR",
                        JsonQueryBehavior::EmptyArray => "EMPTY ARRAY",
                        JsonQueryBehavior::EmptyObject => "EMPTY OBJECT",
                    };
                    keywords.push((clause, word(w)));
                }
                if let Some(t) = returning {
                    keywords.push(("returning", Keyword::Type(t.data_type.clone())));
                }
                if let Some(w) = wrapper {
                    let w = match w {
                        JsonWrapper::Without => "WITHOUT WRAPPER",
                        JsonWrapper::Conditional => "WITH CONDITIONAL WRAPPER",
                        JsonWrapper::Unconditional => "WITH UNCONDITIONAL WRAPPER",
                    };
                    keywords.push(("wrapper", word(w)));
                }
                self.call("JSON_QUERY", args, keywords, span)
            }
            JsonCall::Object { entries, on_null } => {
                let mut args = Vec::with_capacity(entries.len() * 2);
                for (key, value) in entries {
                    args.push(self.bind(key)?);
                    args.push(self.json_item(value)?);
                }
                self.call("JSON_OBJECT", args, on_null_keyword(*on_null), span)
            }
            JsonCall::Array { items, on_null } => {
                let mut args = Vec::with_capacity(items.len());
                for item in items {
                    args.push(self.json_item(item)?);
                }
                self.call("JSON_ARRAY", args, on_null_keyword(*on_null), span)
            }
            JsonCall::ObjectAgg { key, value, on_null, filter, over } => {
                let args = [key, value].map(|e| plain_arg(e.clone())).to_vec();
                self.json_aggregate("JSON_OBJECTAGG", args, Vec::new(), filter, over, *on_null, span)
            }
            JsonCall::ArrayAgg { item, order_by, on_null, filter, over } => {
                let args = vec![plain_arg(item.clone())];
                self.json_aggregate("JSON_ARRAYAGG", args, order_by.clone(), filter, over, *on_null, span)
            }
        }
    }

    /// A value of JSON_OBJECT or JSON_ARRAY, the only place of JSON().
    fn json_item(&mut self, value: &ast::Expr) -> Result<Expr, Fault> {
        match &value.kind {
            ast::ExprKind::Function(call) if matches!(call.name.parts.as_slice(), [only] if only.value.eq_ignore_ascii_case("JSON")) =>
            {
                let args = self.plain_args(call)?;
                self.call("JSON", args, Vec::new(), call.span)
            }
            _ => self.bind(value),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn json_aggregate(
        &mut self,
        name: &str,
        args: Vec<ast::FunctionArg>,
        order_by: Vec<ast::OrderItem>,
        filter: &Option<ast::Expr>,
        over: &Option<ast::Over>,
        on_null: Option<JsonOnNull>,
        span: Span,
    ) -> Result<Expr, Fault> {
        let Some(function) = aggregate_function(name) else {
            return Err(self.unknown_function(name, &[], span));
        };
        let ident = ast::Ident { value: name.to_string(), quoted: false, span };
        let call = ast::FunctionCall {
            name: ast::ObjectName { parts: vec![ident], span },
            parens: true,
            quantifier: None,
            args,
            order_by,
            within_group: Vec::new(),
            filter: filter.clone(),
            nulls: None,
            over: None,
            span,
        };
        if let Some(over) = over {
            return self.over_call(function, &call, over);
        }
        self.aggregate(function, &call, on_null_keyword(on_null))
    }
}

/// The fault for a name of Flink's that means something in other places only.
fn misplaced(name: &str) -> Option<Fault> {
    let (code, message) = match name.to_ascii_uppercase().as_str() {
        "GROUP_ID" => ("aggregate-place", "GROUP_ID operator may only occur in an aggregate query"),
        "MATCH_ROWTIME" | "MATCH_PROCTIME" => {
            ("match-place", "MATCH_ROWTIME and MATCH_PROCTIME can only be used in MATCH_RECOGNIZE")
        }
        "JSON" => (
            "json-place",
            "The JSON() function is currently only supported inside JSON_OBJECT() and JSON_ARRAY()",
        ),
        "MAP" => ("unknown-function", "No match found for function signature MAP(...): write MAP[...]"),
        _ => return None,
    };
    Some(Fault::user(code, message))
}

fn plain_arg(expr: ast::Expr) -> ast::FunctionArg {
    let span = expr.span;
    ast::FunctionArg { name: None, value: ast::ArgValue::Expr(expr), span }
}

fn on_null_keyword(on_null: Option<JsonOnNull>) -> Keywords {
    match on_null {
        None => Keywords::new(),
        Some(JsonOnNull::Null) => vec![("on-null", Keyword::Word("NULL".into()))],
        Some(JsonOnNull::Absent) => vec![("on-null", Keyword::Word("ABSENT".into()))],
    }
}

/// The milliseconds of an interval constant.
///
/// # Errors
/// User, when it is something else.
pub(crate) fn interval_millis(expr: &Expr, what: &str, span: Span) -> Result<i64, Fault> {
    match (&expr.kind, &expr.data_type.kind) {
        (ExprKind::Literal(v), TypeKind::IntervalDayTime(..)) => {
            v.as_int().ok_or_else(|| Fault::user("interval", format!("{what} is NULL")).at(span))
        }
        (_, TypeKind::IntervalYearMonth(..)) => Err(Fault::user(
            "interval",
            format!("{what} must be an interval of days to seconds; months and years differ in length"),
        )
        .at(span)
        .hint("write days: INTERVAL '30' DAY")),
        (_, TypeKind::IntervalDayTime(..)) => {
            Err(Fault::not_yet(format!("{what} that is not a constant interval")).at(span))
        }
        (_, other) => {
            Err(Fault::user("interval", format!("{what} must be an interval, this is of type {other}"))
                .at(span)
                .hint("write it as in INTERVAL '1' MINUTE"))
        }
    }
}
