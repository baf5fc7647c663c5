//! JSON_VALUE.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Float64Type, Int32Type};
use millstream_text::json::{Json, PathMode};
use millstream_types::{DataType, Fault, TypeKind};

use super::lookup::{Found, Lookup, PathOf};
use super::{clause, no_returning, push_scalar, push_sorted, text_and_path};
use crate::binding::convert;
use crate::kernel::strings::Strings;
use crate::kernel::{Arguments, booleans, numbers, simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function, Keyword};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "JSON_VALUE",
    "JSON_VALUE(json STRING, path STRING [RETURNING {STRING|BOOLEAN|INTEGER|DOUBLE}] [{NULL|ERROR|DEFAULT value} ON EMPTY] \
     [{NULL|ERROR|DEFAULT value} ON ERROR]) -> STRING",
    "The number, string or truth value at the path of the JSON text. NULL ON EMPTY (nothing is there, in lax mode) and NULL ON ERROR \
     (in strict mode, which a path has unless it begins with `lax`: no JSON, or nothing there, or an array or object) unless \
     written otherwise. A value of another type than RETURNING names fails.",
    &[
        Example::new("JSON_VALUE('{\"a\": {\"b\": [1, 2.50]}}', '$.a.b[1]')", "2.50"),
        Example::new("JSON_VALUE('{\"a\": 5}', 'lax $.b' RETURNING INTEGER DEFAULT -1 ON EMPTY)", "-1"),
    ],
    bind,
)];

/// What stands in for a value.
#[derive(Debug, Clone, Copy)]
enum Instead {
    Null,
    Error,
    /// The argument at this position.
    Default(usize),
}

/// The answer for a row.
enum Answer<T> {
    Value(T),
    Null,
    Default(usize),
}

#[derive(Debug)]
struct Rules {
    path: PathOf,
    on_empty: Instead,
    on_error: Instead,
}

fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "JSON_VALUE(<CHARACTER>, <CHARACTER>)";
    call.expect(2, 4, FORM)?;
    let mut args = text_and_path(call, FORM)?;
    args.extend(call.args.iter().skip(2).cloned());
    let instead = |name: &str| match clause(call, name) {
        Some(Keyword::Argument(n)) => Instead::Default(*n),
        Some(Keyword::Word(w)) if &**w == "ERROR" => Instead::Error,
        _ => Instead::Null,
    };
    let rules =
        Rules { path: PathOf::of(call)?, on_empty: instead("on-empty"), on_error: instead("on-error") };
    let plain = rules.never_fails();
    let returning = match clause(call, "returning") {
        Some(Keyword::Type(t)) => t.kind.clone(),
        _ => TypeKind::STRING,
    };
    for arg in args.iter_mut().skip(2) {
        *arg = default_of(call, arg, &returning)?;
    }
    let kernel = match &returning {
        TypeKind::VarChar(_) => simple("JSON_VALUE", move |arguments, _| texts(arguments, &rules)),
        TypeKind::Boolean => simple("JSON_VALUE", move |arguments, _| {
            let mut lookup = Lookup::new(arguments, &rules.path)?.quiet(rules.quiet());
            booleans::build(arguments.rows(), |row| {
                let found = lookup.row(row, |found, mode| {
                    rules.answer(found, mode, |v| match v {
                        Json::Bool(b) => Ok(*b),
                        _ => Err(mismatch(v, "BOOLEAN")),
                    })
                })?;
                Ok(match found {
                    Some(Answer::Value(b)) => Some(b),
                    Some(Answer::Default(n)) => arguments.booleans(n)?.get(row),
                    _ => None,
                })
            })
        }),
        TypeKind::Int => simple("JSON_VALUE", move |arguments, _| {
            let mut lookup = Lookup::new(arguments, &rules.path)?.quiet(rules.quiet());
            numbers::build::<Int32Type>(arguments.rows(), |row| {
                let found = lookup.row(row, |found, mode| {
                    rules.answer(found, mode, |v| match v {
                        Json::Number(n) => n.parse::<i32>().map_err(|_| mismatch(v, "INT")),
                        _ => Err(mismatch(v, "INT")),
                    })
                })?;
                Ok(match found {
                    Some(Answer::Value(b)) => Some(b),
                    Some(Answer::Default(n)) => arguments.numbers::<Int32Type>(n)?.get(row),
                    _ => None,
                })
            })
        }),
        TypeKind::Double => simple("JSON_VALUE", move |arguments, _| {
            let mut lookup = Lookup::new(arguments, &rules.path)?.quiet(rules.quiet());
            numbers::build::<Float64Type>(arguments.rows(), |row| {
                let found = lookup.row(row, |found, mode| {
                    rules.answer(found, mode, |v| match v {
                        Json::Number(n) => n.parse::<f64>().map_err(|_| mismatch(v, "DOUBLE")),
                        _ => Err(mismatch(v, "DOUBLE")),
                    })
                })?;
                Ok(match found {
                    Some(Answer::Value(b)) => Some(b),
                    Some(Answer::Default(n)) => arguments.numbers::<Float64Type>(n)?.get(row),
                    _ => None,
                })
            })
        }),
        other => return Err(no_returning(call, other, "STRING, BOOLEAN, INTEGER and DOUBLE")),
    };
    let is_text = matches!(returning, TypeKind::VarChar(_));
    let bound = BoundCall::new(returning.nullable(), args, kernel);
    Ok(if is_text && plain { bound } else { bound.fallible() })
}

/// A DEFAULT value in the type of the result.
fn default_of(call: &Call<'_>, arg: &Expr, to: &TypeKind) -> Result<Expr, Fault> {
    let from = &arg.data_type.kind;
    match to {
        TypeKind::VarChar(_) if from.is_string() || matches!(from, TypeKind::Boolean) => Ok(arg.clone()),
        TypeKind::VarChar(_) => crate::coerce::explicit_cast(
            arg.clone(),
            &DataType::string(),
            crate::CastMode::Cast,
            call.context,
        ),
        _ if from.same_as(to) || matches!(from, TypeKind::Null) => Ok(convert(arg.clone(), to.clone())),
        TypeKind::Int if from.is_integer() && !matches!(from, TypeKind::BigInt) => {
            Ok(convert(arg.clone(), to.clone()))
        }
        TypeKind::Double if from.is_numeric() => Ok(convert(arg.clone(), to.clone())),
        _ => Err(Fault::user(
            "json-default",
            format!("the DEFAULT value is of type {from}, the result of {to}"),
        )
        .at(arg.span.unwrap_or(call.span))
        .hint(format!("write DEFAULT CAST(... AS {to})"))),
    }
}

fn mismatch(json: &Json, to: &str) -> Fault {
    let mut shown = String::new();
    push_sorted(json, &mut shown);
    let shown: String = shown.chars().take(100).collect();
    Fault::user("json-type", format!("JSON_VALUE found {shown}, which is no {to}"))
        .hint(format!("leave RETURNING out and cast: TRY_CAST(JSON_VALUE(...) AS {to})"))
}

impl Rules {
    /// Whether every text has an answer that is text.
    fn never_fails(&self) -> bool {
        let error = |i: Instead| matches!(i, Instead::Error);
        self.path.never_fails() && !error(self.on_empty) && !error(self.on_error)
    }

    /// Whether no message of what is not found is shown.
    fn quiet(&self) -> bool {
        !matches!(self.on_error, Instead::Error)
    }

    fn answer<T>(
        &self,
        found: Found<'_>,
        mode: PathMode,
        convert: impl FnOnce(&Json) -> Result<T, Fault>,
    ) -> Result<Answer<T>, Fault> {
        let (instead, fault) = match found {
            Found::Value(v) if v.is_scalar() => return convert(&v).map(Answer::Value),
            Found::Value(v) if mode == PathMode::Strict => {
                let mut shown = String::new();
                push_sorted(&v, &mut shown);
                let shown: String = shown.chars().take(100).collect();
                let what = "Strict jsonpath mode requires scalar value, and the actual value is";
                let fault = Fault::user("json-scalar", format!("{what}: '{shown}'"))
                    .hint("JSON_QUERY gives arrays and objects");
                (self.on_error, fault)
            }
            Found::Value(_) | Found::Missing => {
                let fault = Fault::user("json-empty", "Empty result of JSON_VALUE function is not allowed")
                    .hint("NULL ON EMPTY or DEFAULT value ON EMPTY allow it");
                (self.on_empty, fault)
            }
            Found::Error(fault) => (self.on_error, fault),
        };
        match instead {
            Instead::Null => Ok(Answer::Null),
            Instead::Error => Err(fault),
            Instead::Default(n) => Ok(Answer::Default(n)),
        }
    }
}

fn texts(arguments: &Arguments<'_>, rules: &Rules) -> Result<arrow::array::ArrayRef, EvalError> {
    let mut lookup = Lookup::new(arguments, &rules.path)?.quiet(rules.quiet());
    strings::build(arguments.rows(), |row, out| {
        let found = lookup.row(row, |found, mode| {
            rules.answer(found, mode, |v| {
                out.write(|s| push_scalar(v, s));
                Ok(())
            })
        })?;
        Ok(match found {
            Some(Answer::Value(())) => true,
            Some(Answer::Default(n)) => {
                let column = arguments.column(n)?;
                let i = column.index(row);
                if let Some(b) = column.array().as_boolean_opt() {
                    // Java's spelling, not that of CAST.
                    out.push_str(if b.is_valid(i) && b.value(i) { "true" } else { "false" });
                    b.is_valid(i)
                } else if let Some(text) = Strings::of(column)?.get(row) {
                    out.push_str(text);
                    true
                } else {
                    false
                }
            }
            _ => false,
        })
    })
}
