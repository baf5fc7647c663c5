//! What the columns of a declaration mean: types, computed columns, watermark, primary key.
//!
//! The rules are those of Flink's schema resolution: computed columns see physical and metadata columns but not each other, the watermark
//! sees all, a primary key makes its columns NOT NULL.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_sql::ast;
use millstream_types::{DataType, Fault, Field, TimeAttribute, TypeKind, nearest};

use super::scalar::{bind_scalar, substitute};
use super::{
    BindEnvironment, BoundColumns, ColumnForm, ColumnOrigin, KeyDefinition, ResolvedColumn, TableDefinition,
    WatermarkDefinition,
};
use crate::{ColumnSource, WatermarkSpec};

/// Binds the columns of a declaration.
///
/// # Errors
/// User, at the place in the statement.
pub(crate) fn bind_columns(
    definition: &TableDefinition,
    environment: &BindEnvironment<'_>,
) -> Result<BoundColumns, Fault> {
    check_names(definition)?;
    for column in &definition.columns {
        if let ColumnForm::Physical(data_type) | ColumnForm::Metadata { data_type, .. } = &column.kind {
            check_type(data_type)?;
        }
    }
    let mut bound = BoundColumns::default();
    let key = definition.primary_key.as_ref();
    let is_key = |name: &str| key.is_some_and(|k| k.columns.iter().any(|c| c.0 == name));
    if let Some(key) = key {
        check_key(definition, key)?;
    }

    // Inputs: physical columns first, then metadata columns, each in order.
    for column in &definition.columns {
        if let ColumnForm::Physical(data_type) = &column.kind {
            let nullable = data_type.nullable && !is_key(&column.name);
            bound.inputs.push(ColumnSource::Physical(bound.physical.len()));
            bound.physical.push(Field::new(column.name.as_str(), data_type.clone().with_nullable(nullable)));
        }
    }
    let mut visible = bound.physical.clone();
    for column in &definition.columns {
        if let ColumnForm::Metadata { data_type, key, .. } = &column.kind {
            let key = key.clone().unwrap_or_else(|| column.name.clone());
            bound.inputs.push(ColumnSource::Metadata { key, data_type: data_type.clone() });
            visible.push(Field::new(column.name.as_str(), data_type.clone()));
        }
    }

    let position = |name: &str| visible.iter().position(|f| &*f.name == name);
    for column in &definition.columns {
        let (value, origin) = match &column.kind {
            ColumnForm::Computed { expr, .. } => {
                let value =
                    bind_scalar(expr, &visible, environment).map_err(|f| explain_order(f, definition))?;
                (value, ColumnOrigin::Computed)
            }
            ColumnForm::Physical(_) => (input(&visible, position(&column.name)), ColumnOrigin::Physical),
            ColumnForm::Metadata { is_virtual, .. } => {
                (input(&visible, position(&column.name)), ColumnOrigin::Metadata { is_virtual: *is_virtual })
            }
        };
        bound.columns.push(ResolvedColumn {
            name: Arc::from(column.name.as_str()),
            data_type: value.data_type.clone(),
            value,
            origin,
        });
    }
    if let Some(watermark) = &definition.watermark {
        bind_watermark(watermark, definition, &mut bound, environment)
            .map_err(|f| if watermark.inherited { without_span(f).in_place("watermark") } else { f })?;
    }
    if let Some(key) = key {
        bound.primary_key = key.columns.iter().filter_map(|(c, _)| bound.index_of(c)).collect();
    }
    Ok(bound)
}

fn input(fields: &[Field], position: Option<usize>) -> Expr {
    let position = position.unwrap_or_default();
    let data_type = fields.get(position).map_or_else(DataType::string, |f| f.data_type.clone());
    Expr::column(position, data_type)
}

fn check_names(definition: &TableDefinition) -> Result<(), Fault> {
    let mut seen = std::collections::HashSet::new();
    for column in &definition.columns {
        if !seen.insert(column.name.as_str()) {
            return Err(Fault::user(
                "duplicate-column",
                format!("column '{}' is declared twice", column.name),
            )
            .at(column.span)
            .hint("give one of them another name"));
        }
    }
    let unknown = |name: &str, what: &str| unknown_column(name, definition.column_names(), what);
    for name in &definition.partitioned_by {
        match definition.index_of(name).and_then(|i| definition.columns.get(i)) {
            None => return Err(unknown(name, "PARTITIONED BY")),
            Some(c) if !matches!(c.kind, ColumnForm::Physical(_)) => {
                return Err(Fault::user(
                    "bad-partition",
                    format!("PARTITIONED BY needs a physical column, '{name}' is none"),
                )
                .hint("use only columns that are stored in the records"));
            }
            Some(_) => {}
        }
    }
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for column in &definition.columns {
        let ColumnForm::Metadata { key, .. } = &column.kind else { continue };
        let key = key.as_deref().unwrap_or(&column.name);
        if let Some((_, first)) = keys.iter().find(|(k, _)| *k == key) {
            return Err(Fault::user(
                "duplicate-metadata",
                format!("the columns '{first}' and '{}' are both METADATA FROM '{key}'", column.name),
            )
            .at(column.span)
            .hint(format!("declare '{}' as a computed column: {} AS {first}", column.name, column.name)));
        }
        keys.push((key, &column.name));
    }
    if let Some(distribution) = &definition.distribution {
        for column in &distribution.columns {
            match definition.index_of(&column.value).and_then(|i| definition.columns.get(i)) {
                None => return Err(unknown(&column.value, "DISTRIBUTED BY").at(column.span)),
                Some(c) if !matches!(c.kind, ColumnForm::Physical(_)) => {
                    return Err(Fault::user(
                        "bad-distribution",
                        format!("DISTRIBUTED BY needs a physical column, '{}' is none", column.value),
                    )
                    .at(column.span));
                }
                Some(_) => {}
            }
        }
        if distribution.buckets == Some(0) {
            return Err(
                Fault::user("bad-distribution", "a table needs at least 1 bucket").at(distribution.span)
            );
        }
    }
    Ok(())
}

/// The fault for a column that a clause names and the table does not have.
pub(crate) fn unknown_column<'a>(name: &str, columns: impl Iterator<Item = &'a str>, what: &str) -> Fault {
    let columns: Vec<&str> = columns.collect();
    let fault = Fault::user(
        "unknown-column",
        format!("{what} names the column '{name}', which the table does not have"),
    );
    match nearest(name, columns.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean '{near}'?")),
        None => fault.hint(format!("its columns are: {}", columns.join(", "))),
    }
}

fn check_key(definition: &TableDefinition, key: &KeyDefinition) -> Result<(), Fault> {
    let mut seen = std::collections::HashSet::new();
    for (name, span) in &key.columns {
        let Some(column) = definition.columns.iter().find(|c| c.name == *name) else {
            return Err(unknown_column(name, definition.column_names(), "PRIMARY KEY").at(*span));
        };
        if !matches!(column.kind, ColumnForm::Physical(_)) {
            return Err(Fault::user(
                "bad-primary-key",
                format!("column '{name}' cannot be in the PRIMARY KEY: it is not a physical column"),
            )
            .at(*span)
            .hint("use only columns that are stored in the records"));
        }
        if !seen.insert(name) {
            return Err(Fault::user(
                "bad-primary-key",
                format!("column '{name}' is in the PRIMARY KEY twice"),
            )
            .at(*span));
        }
    }
    Ok(())
}

/// A computed column that names another one gets the reason with the fault.
fn explain_order(fault: Fault, definition: &TableDefinition) -> Fault {
    if fault.code() != "unknown-column" {
        return fault;
    }
    let named = definition.columns.iter().find(|c| {
        matches!(c.kind, ColumnForm::Computed { .. }) && fault.message().contains(&format!("'{}'", c.name))
    });
    match named {
        Some(c) => {
            let moved = Fault::user(
                fault.code(),
                format!("a computed column cannot use the computed column '{}'", c.name),
            )
            .hint("write its expression out");
            match fault.span() {
                Some(span) => moved.at(span),
                None => moved,
            }
        }
        None => fault,
    }
}

fn bind_watermark(
    watermark: &WatermarkDefinition,
    definition: &TableDefinition,
    bound: &mut BoundColumns,
    environment: &BindEnvironment<'_>,
) -> Result<(), Fault> {
    let Some(rowtime) = bound.index_of(&watermark.column) else {
        return Err(unknown_column(&watermark.column, definition.column_names(), "WATERMARK")
            .at(watermark.column_span));
    };
    let Some(column) = bound.columns.get(rowtime) else { return Err(Fault::internal("rowtime column")) };
    let wanted = |t: &DataType| match t.kind {
        TypeKind::Timestamp(p, a) | TypeKind::TimestampLtz(p, a) => p <= 3 && a != TimeAttribute::Proctime,
        _ => false,
    };
    if column.data_type.kind.time_attribute() == TimeAttribute::Proctime {
        return Err(Fault::user("bad-watermark", "a watermark cannot be declared on a processing time")
            .at(watermark.column_span)
            .hint("declare it on a TIMESTAMP(3) or TIMESTAMP_LTZ(3) column of the records"));
    }
    if !wanted(&column.data_type) {
        let hint = match column.data_type.kind {
            TypeKind::Timestamp(..) => format!("declare '{}' as TIMESTAMP(3)", watermark.column),
            TypeKind::TimestampLtz(..) => format!("declare '{}' as TIMESTAMP_LTZ(3)", watermark.column),
            TypeKind::BigInt => format!(
                "add a computed column `rowtime AS TO_TIMESTAMP_LTZ({}, 3)` and declare the watermark on it",
                watermark.column
            ),
            TypeKind::Char(_) | TypeKind::VarChar(_) => format!(
                "add a computed column `rowtime AS TO_TIMESTAMP({})` and declare the watermark on it",
                watermark.column
            ),
            _ => "a watermark needs a column of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), p from 0 to 3"
                .to_string(),
        };
        return Err(Fault::user(
            "bad-watermark",
            format!(
                "column '{}' is {}; a watermark needs TIMESTAMP(p) or TIMESTAMP_LTZ(p), p from 0 to 3",
                watermark.column, column.data_type
            ),
        )
        .at(watermark.column_span)
        .hint(hint));
    }
    let value = column.value.clone();
    if is_source_watermark(&watermark.strategy) {
        mark_rowtime(bound, rowtime);
        return Ok(());
    }
    let fields: Vec<Field> =
        bound.columns.iter().map(|c| Field::new(c.name.clone(), c.data_type.clone())).collect();
    let strategy = legacy_offset(&watermark.strategy);
    let mut expr = bind_scalar(strategy.as_ref().unwrap_or(&watermark.strategy), &fields, environment)?;
    if !wanted(&expr.data_type) {
        return Err(Fault::user(
            "bad-watermark",
            format!(
                "the watermark is {}; it must be TIMESTAMP(p) or TIMESTAMP_LTZ(p), p from 0 to 3",
                expr.data_type
            ),
        )
        .at(watermark.strategy.span)
        .hint(format!("write for example: {} - INTERVAL '5' SECOND", watermark.column)));
    }
    let same = matches!(expr.data_type.kind, TypeKind::Timestamp(..))
        == matches!(value.data_type.kind, TypeKind::Timestamp(..));
    if !same {
        return Err(Fault::user(
            "bad-watermark",
            format!(
                "the watermark is {}, the column '{}' is {}",
                expr.data_type.plain(),
                watermark.column,
                value.data_type.plain()
            ),
        )
        .at(watermark.strategy.span)
        .hint("give the watermark the type of the column"));
    }
    let values: Vec<Expr> = bound.columns.iter().map(|c| c.value.clone()).collect();
    substitute(&mut expr, &|i| values.get(i).cloned());
    bound.watermark =
        Some(WatermarkSpec { column: Arc::from(watermark.column.as_str()), rowtime: value, watermark: expr });
    mark_rowtime(bound, rowtime);
    Ok(())
}

/// A fault without its place in the text, which is one in another text.
pub(crate) fn without_span(fault: Fault) -> Fault {
    if fault.span().is_none() {
        return fault;
    }
    let mut placeless = Fault::new(fault.kind(), fault.code(), fault.message());
    if let Some(place) = fault.place() {
        placeless = placeless.in_place(place);
    }
    match fault.remedy() {
        Some(hint) => placeless.hint(hint),
        None => placeless,
    }
}

fn mark_rowtime(bound: &mut BoundColumns, rowtime: usize) {
    bound.rowtime = Some(rowtime);
    if let Some(column) = bound.columns.get_mut(rowtime) {
        set_attribute(column, TimeAttribute::Rowtime);
    }
}

/// Sets the time attribute of a column's type.
pub(crate) fn set_attribute(column: &mut ResolvedColumn, attribute: TimeAttribute) {
    let kind = match column.data_type.kind {
        TypeKind::Timestamp(p, _) => TypeKind::Timestamp(p, attribute),
        TypeKind::TimestampLtz(p, _) => TypeKind::TimestampLtz(p, attribute),
        _ => return,
    };
    column.data_type.kind = kind.clone();
    column.value.data_type.kind = kind;
}

/// `SOURCE_WATERMARK()`: the source's own watermarks.
pub(crate) fn is_source_watermark(strategy: &ast::Expr) -> bool {
    matches!(&strategy.kind, ast::ExprKind::Function(call)
        if call.name.last().eq_ignore_ascii_case("SOURCE_WATERMARK") && call.args.is_empty())
}

/// Blink's `withOffset(rowtime, milliseconds)` as `rowtime - INTERVAL …`.
fn legacy_offset(strategy: &ast::Expr) -> Option<ast::Expr> {
    let ast::ExprKind::Function(call) = &strategy.kind else { return None };
    if !call.name.last().eq_ignore_ascii_case("withOffset") {
        return None;
    }
    let [time, offset] = call.args.as_slice() else { return None };
    let (ast::ArgValue::Expr(time), ast::ArgValue::Expr(offset)) = (&time.value, &offset.value) else {
        return None;
    };
    let ast::ExprKind::Literal(ast::Literal::Integer(millis)) = &offset.kind else { return None };
    let millis: u64 = millis.parse().ok()?;
    let span = offset.span;
    let (seconds, minutes, hours) = (millis / 1000 % 60, millis / 60_000 % 60, millis / 3_600_000 % 24);
    let value = format!("{} {hours}:{minutes}:{seconds}.{:03}", millis / 86_400_000, millis % 1000);
    let interval = ast::IntervalLiteral {
        negative: false,
        text: ast::Text { value, span },
        qualifier: ast::IntervalQualifier {
            from: ast::TimeUnit::Day,
            to: Some(ast::TimeUnit::Second),
            precision: Some(3),
            fraction: Some(3),
            span,
        },
    };
    let operand =
        ast::Expr { kind: ast::ExprKind::Literal(ast::Literal::Interval(Box::new(interval))), span };
    Some(ast::Expr {
        kind: ast::ExprKind::Chain(
            Box::new(time.clone()),
            vec![ast::ChainLink { op: ast::ChainOp::Subtract, op_span: span, operand }],
        ),
        span: strategy.span,
    })
}

/// What Flink refuses of a column's type when the table is created.
fn check_type(data_type: &DataType) -> Result<(), Fault> {
    match &data_type.kind {
        TypeKind::Decimal { precision, scale } if scale > precision => Err(Fault::user(
            "type-limit",
            format!("Decimal scale must be between 0 and the precision {precision} (both inclusive)."),
        )),
        TypeKind::Array(e) | TypeKind::Multiset(e) => check_type(e),
        TypeKind::Map(k, v) => check_type(k).and_then(|()| check_type(v)),
        TypeKind::Row(fields) => {
            for (n, field) in fields.iter().enumerate() {
                if fields.iter().take(n).any(|f| f.name == field.name) {
                    let message = format!("Field names must be unique. Found duplicates: [{}]", field.name);
                    return Err(Fault::user("duplicate-field", message).hint("rename one of the fields"));
                }
                check_type(&field.data_type)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
