//! The built-in functions. Each family is a file or folder below [`scalar`], `aggregate` or `table`; the lists in this file are the
//! only place where they are named. To add a function: its definition in its family's file, one line in the family's list.

pub mod aggregate;
pub mod scalar;

pub use aggregate::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate, aggregate_function};
pub mod table;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, LazyLock};

use millstream_types::{Fault, nearest};

use crate::kernel::hash::QuickHasher;
use crate::{BindContext, Call, CallExpr, Expr, ExprKind, Function, Keyword};
use millstream_types::Span;

/// The functions by their names and aliases, in upper case.
static BY_NAME: LazyLock<ByName> = LazyLock::new(|| {
    let mut map = HashMap::default();
    for f in scalar::all() {
        for name in std::iter::once(&f.name).chain(f.aliases) {
            map.entry(name.to_uppercase()).or_insert(f);
        }
    }
    map
});

type ByName = HashMap<String, &'static Function, BuildHasherDefault<QuickHasher>>;

/// The scalar function or operator of a name or alias; case does not count. Operators are found by their symbols (`+`, `LIKE`,
/// `IS NOT NULL`).
pub fn scalar_function(name: &str) -> Option<&'static Function> {
    // Thousands of rules call what they call in upper case.
    BY_NAME.get(name).or_else(|| BY_NAME.get(name.to_uppercase().as_str())).copied()
}

/// Names of all scalar and aggregate functions (not of operators), sorted, aliases included.
pub fn function_names() -> Vec<&'static str> {
    let scalars = scalar::all().flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
    let aggregates = aggregate::all().flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
    let mut names: Vec<_> = scalars
        .chain(aggregates)
        .filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic()) && !n.contains(' '))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The fault for a function that does not exist, with the nearest name.
pub fn unknown_function(name: &str) -> Fault {
    let fault = Fault::user("unknown-function", format!("No match found for function '{name}'"));
    match nearest(name, function_names()) {
        Some(near) => fault.hint(format!("did you mean {near}?")),
        None => fault.hint("see the list of functions in docs/functions.md"),
    }
}

/// Finds, binds and builds a call.
///
/// # Errors
/// User, when there is no such function or the arguments do not fit.
pub fn call_expr(
    name: &str,
    args: &[Expr],
    keywords: &[(&'static str, Keyword)],
    span: Span,
    context: &BindContext,
) -> Result<Expr, Fault> {
    let function = scalar_function(name).ok_or_else(|| unknown_function(name).at(span))?;
    let bound = (function.bind)(&Call { name, args, keywords, span, context })?;
    let call = CallExpr {
        name: function.name.into(),
        args: bound.args,
        keywords: keywords.to_vec(),
        volatility: bound.volatility,
        fallible: bound.fallible,
        kernel: bound.kernel,
    };
    Ok(Expr { kind: ExprKind::Call(Arc::new(call)), data_type: bound.data_type, span: Some(span) })
}
