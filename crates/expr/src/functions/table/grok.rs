//! GROK: the named parts of a log line as columns.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanBuilder, Float32Builder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
};
use millstream_text::grok::{Field as GrokField, FieldType, Grok};
use millstream_text::number::{parse_f32, parse_f64, parse_i32, parse_i64};
use millstream_types::{DataType, Fault, Field, Schema, TypeKind};

use super::{BoundTableCall, TableFunction, TableKernel, TableRows};
use crate::functions::scalar::grok_arguments;
use crate::kernel::strings::Strings;
use crate::{Call, Column, EvalContext, EvalError, Example, Origin, Rows};

/// The definition.
pub(super) static GROK: TableFunction = TableFunction {
    name: "GROK",
    aliases: &[],
    signature: "GROK(line STRING, pattern STRING literal [, definitions STRING literal]) -> ROW<field STRING, ...>",
    doc: "Gives one row for a line in which the grok pattern (`%{NAME:field}`, with the usual library, or Java's `(?<field>...)`) is found, \
          and none for other lines; a LEFT JOIN keeps these. Its columns are the fields of the pattern, of type STRING, or as \
          `%{NAME:field:type}` says: int, long, float, double or boolean; text that is not of the type gives NULL, and so does a field that took \
          no part. `definitions` are further patterns, one a line: name, space, pattern.",
    examples: &[Example {
        expr: "GROK('10.0.0.1 GET 200', '%{IP:client} %{WORD:verb} %{INT:status:int}')",
        result: "10.0.0.1, GET, 200",
    }],
    origin: Origin::Ancestor,
    bind,
};

fn bind(call: &Call<'_>) -> Result<BoundTableCall, Fault> {
    let (args, grok, _) = grok_arguments(call)?;
    let Some(grok) = grok else {
        return Err(Fault::user(
            "constant-argument",
            "the pattern of the table function GROK must be a constant text",
        )
        .at(call.span)
        .hint("the function GROK(line, pattern) takes any pattern and gives a map"));
    };
    let fields = grok.fields().iter().map(|f| Field::new(f.name.as_str(), kind(f.kind).nullable())).collect();
    Ok(BoundTableCall { schema: Schema::new(fields), args, kernel: Arc::new(Parts(grok)) })
}

fn kind(kind: FieldType) -> TypeKind {
    match kind {
        FieldType::Text => DataType::string().kind,
        FieldType::Int => TypeKind::Int,
        FieldType::Long => TypeKind::BigInt,
        FieldType::Float => TypeKind::Float,
        FieldType::Double => TypeKind::Double,
        FieldType::Boolean => TypeKind::Boolean,
    }
}

#[derive(Debug)]
struct Parts(Grok);

/// A column that is being built.
enum Builder {
    Text(StringBuilder),
    Int(Int32Builder),
    Long(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Boolean(BooleanBuilder),
}

impl Builder {
    fn of(field: &GrokField) -> Self {
        match field.kind {
            FieldType::Text => Builder::Text(StringBuilder::new()),
            FieldType::Int => Builder::Int(Int32Builder::new()),
            FieldType::Long => Builder::Long(Int64Builder::new()),
            FieldType::Float => Builder::Float(Float32Builder::new()),
            FieldType::Double => Builder::Double(Float64Builder::new()),
            FieldType::Boolean => Builder::Boolean(BooleanBuilder::new()),
        }
    }

    fn push(&mut self, text: Option<&str>) {
        match self {
            Builder::Text(b) => b.append_option(text),
            Builder::Int(b) => b.append_option(text.and_then(|t| parse_i32(t).ok())),
            Builder::Long(b) => b.append_option(text.and_then(|t| parse_i64(t).ok())),
            Builder::Float(b) => b.append_option(text.and_then(|t| parse_f32(t).ok())),
            Builder::Double(b) => b.append_option(text.and_then(|t| parse_f64(t).ok())),
            Builder::Boolean(b) => b.append_option(text.and_then(|t| match t {
                t if t.eq_ignore_ascii_case("true") => Some(true),
                t if t.eq_ignore_ascii_case("false") => Some(false),
                _ => None,
            })),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Builder::Text(mut b) => Arc::new(b.finish()),
            Builder::Int(mut b) => Arc::new(b.finish()),
            Builder::Long(mut b) => Arc::new(b.finish()),
            Builder::Float(mut b) => Arc::new(b.finish()),
            Builder::Double(mut b) => Arc::new(b.finish()),
            Builder::Boolean(mut b) => Arc::new(b.finish()),
        }
    }
}

impl TableKernel for Parts {
    fn eval(&self, args: &[Column], rows: &Rows<'_>, _: &EvalContext) -> Result<TableRows, EvalError> {
        let lines = args.first().ok_or_else(|| Fault::internal("GROK without a line"))?;
        let lines = Strings::of(lines)?;
        let mut parents = Vec::with_capacity(rows.rows);
        let mut columns: Vec<Builder> = self.0.fields().iter().map(Builder::of).collect();
        let mut at = self.0.locations();
        for row in 0..rows.rows {
            let Some(line) = lines.get(row) else { continue };
            if !self.0.read(line, &mut at).map_err(|f| EvalError::at_row(row, f))? {
                continue;
            }
            parents.push(row as u32);
            for (field, column) in self.0.fields().iter().zip(&mut columns) {
                column.push(field.of(line, &at));
            }
        }
        Ok(TableRows { parents, columns: columns.into_iter().map(Builder::finish).collect() })
    }

    fn pieces(&self) -> Option<Vec<bool>> {
        // Numbers are read: the text of 404 may be 0404. A pattern that counts its steps fails only by that limit.
        Some(self.0.fields().iter().map(|f| f.kind == FieldType::Text).collect())
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Int32Type;
    use millstream_types::Span;

    use super::*;
    use crate::Expr;
    use crate::testing::{column, context, eval_context, text};

    #[test]
    fn fields_are_columns_with_their_types() {
        let context = context();
        let args = [Expr::column(0, DataType::string()), text("%{IP:client} (?:-|%{INT:status:int})")];
        let call =
            Call { name: "GROK", args: &args, keywords: &[], span: Span::default(), context: &context };
        let bound = bind(&call).unwrap();
        let types: Vec<_> =
            bound.schema.fields.iter().map(|f| format!("{} {}", f.name, f.data_type)).collect();
        assert_eq!(types, ["client STRING", "status INT"]);
        let lines = ["10.0.0.1 200", "nothing", "10.0.0.2 -", "10.0.0.3 99999999999"].map(|l| l.into());
        let lines = Column::Array(column(&lines, &DataType::string()));
        let rows = Rows { columns: &[], rows: 4, watermarks: None };
        let given = bound.kernel.eval(&[lines], &rows, &eval_context()).unwrap();
        assert_eq!(given.parents, [0, 2, 3]);
        let status: Vec<_> = given.columns[1].as_primitive::<Int32Type>().iter().collect();
        assert_eq!(status, [Some(200), None, None]);
    }

    #[test]
    fn the_pattern_must_be_constant() {
        let context = context();
        let args = [text("x"), Expr::column(0, DataType::string())];
        let call =
            Call { name: "GROK", args: &args, keywords: &[], span: Span::default(), context: &context };
        assert!(bind(&call).is_err());
    }
}
