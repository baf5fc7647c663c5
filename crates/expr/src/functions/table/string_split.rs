//! STRING_SPLIT: the parts of a text as rows.

use std::sync::Arc;

use arrow::array::{Array, AsArray, StringBuilder};
use millstream_types::{DataType, Fault, Field, Schema, TypeKind};

use super::{BoundTableCall, TableFunction, TableKernel, TableRows};
use crate::{Call, Column, EvalContext, EvalError, Example, Origin, Rows};

/// The definition.
pub(super) static STRING_SPLIT: TableFunction = TableFunction {
    name: "STRING_SPLIT",
    aliases: &[],
    signature: "STRING_SPLIT(text STRING, separator STRING) -> ROW<word STRING>",
    doc: "Gives one row for each part of `text` between occurrences of `separator`. A text without the separator, or an empty separator, \
          gives the whole text as one row. NULL for either argument gives no row.",
    examples: &[Example { expr: "STRING_SPLIT('a,b', ',')", result: "a; b" }],
    origin: Origin::Ancestor,
    bind,
};

fn bind(call: &Call<'_>) -> Result<BoundTableCall, Fault> {
    call.expect(2, 2, STRING_SPLIT.signature)?;
    let string = |i: usize| {
        let e = call.arg(i)?;
        match e.data_type.kind {
            TypeKind::Char(_) | TypeKind::VarChar(_) | TypeKind::Null => {
                crate::coerce::implicit_cast(e.clone(), &DataType::string())
            }
            _ => Err(call.refuse(STRING_SPLIT.signature)),
        }
    };
    Ok(BoundTableCall {
        schema: Schema::new(vec![Field::new("word", DataType::string())]),
        args: vec![string(0)?, string(1)?],
        kernel: Arc::new(Split),
    })
}

#[derive(Debug)]
struct Split;

impl TableKernel for Split {
    fn eval(&self, args: &[Column], rows: &Rows<'_>, _: &EvalContext) -> Result<TableRows, EvalError> {
        let [text, separator] = args else {
            return Err(Fault::internal("STRING_SPLIT takes two arguments").into());
        };
        let (Some(texts), Some(separators)) =
            (text.array().as_string_opt::<i32>(), separator.array().as_string_opt::<i32>())
        else {
            return Err(Fault::internal("STRING_SPLIT takes strings").into());
        };
        let mut parents = Vec::new();
        let mut words = StringBuilder::new();
        for row in 0..rows.rows {
            let (t, s) = (text.index(row), separator.index(row));
            if texts.is_null(t) || separators.is_null(s) {
                continue;
            }
            let (text, separator) = (texts.value(t), separators.value(s));
            if separator.is_empty() {
                parents.push(row as u32);
                words.append_value(text);
                continue;
            }
            for word in text.split(separator) {
                parents.push(row as u32);
                words.append_value(word);
            }
        }
        Ok(TableRows { parents, columns: vec![Arc::new(words.finish())] })
    }

    fn pieces(&self) -> Option<Vec<bool>> {
        Some(vec![true])
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, StringArray};
    use millstream_types::{ManualClock, SeededRandom};

    use super::*;

    #[test]
    fn one_row_a_part_and_none_for_null() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a,b,"), None, Some("c"), Some("")]));
        let comma: ArrayRef = Arc::new(StringArray::from(vec![","]));
        let context = EvalContext {
            clock: Arc::new(ManualClock::new(0)),
            random: Arc::new(SeededRandom::new(1)),
            zone: "UTC".into(),
            query_start: 0,
            batch: true,
        };
        let rows = Rows { columns: &[], rows: 4, watermarks: None };
        let given = Split.eval(&[Column::Array(texts), Column::Constant(comma)], &rows, &context).unwrap();
        assert_eq!(given.parents, [0, 0, 0, 2, 3]);
        let words: Vec<_> =
            given.columns[0].as_string::<i32>().iter().map(|w| w.unwrap().to_string()).collect();
        assert_eq!(words, ["a", "b", "", "c", ""]);
    }
}
