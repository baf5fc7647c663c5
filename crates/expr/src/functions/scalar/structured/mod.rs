//! Structured types: rows with the name of a class.

use std::sync::Arc;

use arrow::array::{Array, AsArray, StructArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType as Arrow;
use millstream_types::{Fault, RowField, TypeKind};

use crate::kernel::numbers::nulls_of;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, Example, Expr, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "OBJECT_OF",
        "OBJECT_OF(class STRING literal [, name STRING literal, value ANY, ...]) -> STRUCTURED",
        "A value of a structured type with the class's name and these fields. The class need not exist; the name only tells types apart.",
        &[Example::new("OBJECT_OF('com.example.User', 'name', 'Bob', 'age', 42).age", "42")],
        object_of,
    ),
    Function::new(
        "OBJECT_UPDATE",
        "OBJECT_UPDATE(object STRUCTURED, name STRING literal, value ANY, ...) -> STRUCTURED",
        "The object with other values of these fields. NULL for NULL.",
        &[Example::new("OBJECT_UPDATE(OBJECT_OF('com.example.User', 'age', 42), 'age', 43).age", "43")],
        object_update,
    ),
];

/// The names at the positions `from`, `from + 2`, …
fn names(call: &Call<'_>, from: usize, form: &str) -> Result<Vec<Arc<str>>, Fault> {
    let mut names: Vec<Arc<str>> = Vec::new();
    for i in (from..call.args.len()).step_by(2) {
        let place = call.arg(i)?.span.unwrap_or(call.span);
        let Some(name) = call.literal_text(i) else {
            return Err(Fault::user(
                "constant-argument",
                format!("argument {} of {} must be a field's name", i + 1, call.name),
            )
            .at(place)
            .hint(format!("write the name as a text: {form}")));
        };
        if names.iter().any(|n| **n == *name) {
            return Err(Fault::user("duplicate-field", format!("the field '{name}' is given twice"))
                .at(place)
                .hint("give each field one value"));
        }
        names.push(name.into());
    }
    Ok(names)
}

fn object_of(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "OBJECT_OF(<CHARACTER literal>, <CHARACTER literal>, <ANY>, ...)";
    call.expect(1, usize::MAX, FORM)?;
    let (Some(class), false) = (call.literal_text(0), call.args.len().is_multiple_of(2)) else {
        return Err(call.refuse(FORM));
    };
    call.no_bare_null()?;
    let identifier = |part: &str| {
        !part.starts_with(|c: char| c.is_numeric())
            && !part.is_empty()
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    if !class.split('.').all(identifier) {
        return Err(Fault::user("class-name", format!("'{class}' is no name of a class"))
            .at(call.span)
            .hint("names are like com.example.User"));
    }
    let names = names(call, 1, FORM)?;
    let values: Vec<Expr> = call.args.iter().skip(2).step_by(2).cloned().collect();
    let fields: Vec<RowField> = names
        .into_iter()
        .zip(&values)
        .map(|(name, v)| RowField { name, data_type: v.data_type.plain(), comment: None })
        .collect();
    let kind = TypeKind::Structured(class.into(), fields.into());
    let Arrow::Struct(arrow) = kind.to_arrow() else { return Err(Fault::internal("no STRUCTURED")) };
    let kernel = simple("OBJECT_OF", move |arguments, _| {
        let rows = arguments.rows();
        let columns =
            arguments.columns().iter().map(|c| c.clone().into_array(rows)).collect::<Result<Vec<_>, _>>()?;
        let object = StructArray::try_new_with_length(arrow.clone(), columns, None, rows).map_err(broken)?;
        Ok(Arc::new(object))
    });
    Ok(BoundCall::new(kind.nullable(), values, kernel))
}

fn object_update(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "OBJECT_UPDATE(<STRUCTURED>, <CHARACTER literal>, <ANY>, ...)";
    call.expect(3, usize::MAX, FORM)?;
    let object = call.arg(0)?;
    let (TypeKind::Structured(class, old), false) =
        (&object.data_type.kind, call.args.len().is_multiple_of(2))
    else {
        return Err(call.refuse(FORM));
    };
    call.no_bare_null()?;
    let mut fields: Vec<RowField> = old.to_vec();
    let mut args = vec![object.clone()];
    // For each field the argument that holds its new value.
    let mut from: Vec<Option<usize>> = vec![None; fields.len()];
    for (n, name) in names(call, 1, FORM)?.into_iter().enumerate() {
        let known = fields.iter_mut().zip(&mut from).find(|(f, _)| f.name == name);
        let Some((field, place)) = known else {
            let all: Vec<_> = old.iter().map(|f| format!("'{}'", f.name)).collect();
            return Err(Fault::user("unknown-field", format!("unknown field '{name}'"))
                .at(call.span)
                .hint(format!("the fields are {}", all.join(", "))));
        };
        let value = call.arg(2 * n + 2)?;
        field.data_type = value.data_type.plain();
        *place = Some(args.len());
        args.push(value.clone());
    }
    let kind = TypeKind::Structured(class.clone(), fields.into());
    let Arrow::Struct(arrow) = kind.to_arrow() else { return Err(Fault::internal("no STRUCTURED")) };
    let kernel = simple("OBJECT_UPDATE", move |arguments, _| {
        let rows = arguments.rows();
        let object = arguments.column(0)?.clone();
        let nulls: Option<NullBuffer> = nulls_of(&object, rows);
        let array = object.into_array(rows)?;
        let old = array.as_struct_opt().ok_or_else(|| Fault::internal("no STRUCTURED"))?;
        let mut columns = Vec::with_capacity(from.len());
        for (column, from) in old.columns().iter().zip(&from) {
            columns.push(match from {
                None => column.clone(),
                Some(n) => arguments.column(*n)?.clone().into_array(rows)?,
            });
        }
        let object = StructArray::try_new_with_length(arrow.clone(), columns, nulls, array.len());
        Ok(Arc::new(object.map_err(broken)?))
    });
    Ok(BoundCall::new(kind.nullable(), args, kernel))
}

#[cfg(test)]
mod tests {
    use millstream_types::{Span, Value};

    use super::*;
    use crate::functions::call_expr;
    use crate::testing::{context, eval_one, literal, text};

    #[test]
    fn objects_and_their_updates() {
        let call = |name: &str, args: &[Expr]| call_expr(name, args, &[], Span::default(), &context());
        let object = call("OBJECT_OF", &[text("a.B"), text("x"), literal(1), text("y"), text("z")]).unwrap();
        assert_eq!(object.data_type.to_string(), "STRUCTURED<'a.B', `x` INT NOT NULL, `y` CHAR(1) NOT NULL>");
        let update = call("OBJECT_UPDATE", &[object.clone(), text("y"), literal(2)]).unwrap();
        assert_eq!(update.data_type.to_string(), "STRUCTURED<'a.B', `x` INT NOT NULL, `y` INT NOT NULL>");
        assert_eq!(eval_one(&update).unwrap(), Value::Row([1.into(), 2.into()].into()));
        let null = Expr::literal(Value::Null, object.data_type.clone());
        let update = call("OBJECT_UPDATE", &[null, text("y"), literal(2)]).unwrap();
        assert_eq!(eval_one(&update).unwrap(), Value::Null);
        assert!(call("OBJECT_UPDATE", &[object, text("w"), literal(2)]).is_err());
        assert!(call("OBJECT_OF", &[text("a.B"), text("x"), literal(1), text("x"), literal(1)]).is_err());
        assert!(call("OBJECT_OF", &[text("a.B"), text("x")]).is_err());
    }
}
