//! Functions of the watermark.

use std::sync::Arc;

use arrow::array::ArrayRef;
use millstream_text::temporal::DateTime;
use millstream_types::{Fault, TimeAttribute, TypeKind};

use super::moments::build_moments;
use crate::kernel::simple;
use crate::{BoundCall, Call, Column, EvalContext, EvalError, Example, Function, Kernel, Rows, Volatility};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CURRENT_WATERMARK",
        "CURRENT_WATERMARK(rowtime TIMESTAMP(3) *ROWTIME* | TIMESTAMP_LTZ(3) *ROWTIME*) -> type of rowtime",
        "The watermark that stood when the row arrived; NULL before the first one.",
        &[Example::new("CURRENT_WATERMARK(ts) IS NULL", "TRUE")],
        current_watermark,
    ),
    Function::new(
        "SOURCE_WATERMARK",
        "SOURCE_WATERMARK() -> TIMESTAMP_LTZ(3)",
        "Only in WATERMARK FOR … AS: the connector gives the watermarks.",
        &[],
        source_watermark,
    ),
];

fn current_watermark(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "CURRENT_WATERMARK(<ROWTIME>)";
    call.expect(1, 1, SIGNATURE)?;
    let argument = call.arg(0)?;
    if argument.data_type.kind.time_attribute() != TimeAttribute::Rowtime {
        let message = format!(
            "the argument of CURRENT_WATERMARK must be a rowtime attribute, but is of type {}",
            argument.data_type
        );
        return Err(Fault::user("argument-types", message)
            .at(call.span)
            .hint("declare a WATERMARK on the column in CREATE TABLE"));
    }
    let kind = argument.data_type.kind.plain();
    let kernel = Arc::new(CurrentWatermark { kind: kind.clone() });
    Ok(BoundCall::new(kind.nullable(), call.args.to_vec(), kernel).volatile(Volatility::PerRow))
}

#[derive(Debug)]
struct CurrentWatermark {
    kind: TypeKind,
}

impl Kernel for CurrentWatermark {
    fn eval(&self, _: &[Column], rows: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        let array = build_moments(rows.rows, &self.kind, |row| {
            let watermark = rows.watermarks.and_then(|w| w.get(row)).copied();
            Ok(watermark.filter(|w| *w != i64::MIN).map(DateTime::from_millis))
        })?;
        Ok(Column::Array(array))
    }

    fn needs(&self, _: usize) -> usize {
        0
    }
}

fn source_watermark(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(0, 0, "SOURCE_WATERMARK()")?;
    let kernel = simple("SOURCE_WATERMARK", |_, _| -> Result<ArrayRef, EvalError> {
        let fault = Fault::user(
            "source-watermark",
            "SOURCE_WATERMARK() is a declaration of the table, and has no value",
        )
        .hint("write it only in WATERMARK FOR … AS SOURCE_WATERMARK()");
        Err(fault.into())
    });
    let result = TypeKind::timestamp_ltz(3).nullable();
    Ok(BoundCall::new(result, Vec::new(), kernel).fallible().volatile(Volatility::PerRow))
}
