//! String columns in and out.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, NullBufferBuilder, StringArray};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use millstream_types::Fault;

use super::unexpected;
use crate::{Column, EvalError};

/// A CHAR or VARCHAR column that may stand for every row.
#[derive(Debug, Clone, Copy)]
pub struct Strings<'a> {
    /// The array; of one entry when it is constant.
    pub array: &'a StringArray,
    /// Whether its entry is that of every row.
    pub constant: bool,
}

impl<'a> Strings<'a> {
    /// A view of a column.
    ///
    /// # Errors
    /// Internal, when the column holds something else.
    pub fn of(column: &'a Column) -> Result<Self, Fault> {
        let array = column.array().as_string_opt::<i32>().ok_or_else(|| unexpected("STRING", column))?;
        Ok(Strings { array, constant: column.is_constant() })
    }

    /// The text at a row, or NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&'a str> {
        let i = if self.constant { 0 } else { row };
        (!self.array.is_null(i)).then(|| self.array.value(i))
    }
}

/// Where a result's text goes: behind the texts of the rows before.
#[derive(Debug)]
pub struct TextOut {
    buffer: String,
    start: usize,
    scratch: String,
}

impl TextOut {
    /// Appends text to the row's value.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.buffer.push_str(text);
    }

    /// Appends a character to the row's value.
    #[inline]
    pub fn push(&mut self, c: char) {
        self.buffer.push(c);
    }

    /// Appends what a function appends to a string.
    pub fn write(&mut self, append: impl FnOnce(&mut String)) {
        // The function gets a string of its own: it must not touch the rows before.
        self.scratch.clear();
        append(&mut self.scratch);
        self.buffer.push_str(&self.scratch);
    }

    /// The row's value so far.
    pub fn as_str(&self) -> &str {
        self.buffer.get(self.start..).unwrap_or("")
    }

    /// Takes back what was appended to the row's value.
    pub fn clear(&mut self) {
        self.buffer.truncate(self.start);
    }

    /// Cuts the row's value to its first `chars` characters.
    pub fn cut(&mut self, chars: usize) {
        if let Some((end, _)) = self.as_str().char_indices().nth(chars) {
            let end = self.start + end;
            self.buffer.truncate(end);
        }
    }
}

impl fmt::Write for TextOut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// A string array of `rows` entries: `row` appends a row's text and says whether there is one (else it is NULL).
///
/// # Errors
/// Those of `row`; User (`too-large`), when the texts of a batch exceed 2 GiB.
pub fn build(
    rows: usize,
    mut row: impl FnMut(usize, &mut TextOut) -> Result<bool, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let mut out = TextOut { buffer: String::new(), start: 0, scratch: String::new() };
    let mut offsets: Vec<i32> = Vec::with_capacity(rows + 1);
    offsets.push(0);
    let mut nulls = NullBufferBuilder::new(rows);
    for i in 0..rows {
        out.start = out.buffer.len();
        if row(i, &mut out)? {
            nulls.append_non_null();
        } else {
            out.clear();
            nulls.append_null();
        }
        let end = i32::try_from(out.buffer.len()).map_err(|_| EvalError::at_row(i, too_large()))?;
        offsets.push(end);
    }
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let values = Buffer::from_vec(out.buffer.into_bytes());
    let texts = StringArray::try_new(offsets, values, nulls.finish())
        .map_err(|e| Fault::internal(format!("texts of a batch: {e}")))?;
    Ok(Arc::new(texts))
}

fn too_large() -> Fault {
    Fault::user("too-large", "the texts of a batch are longer than 2 GiB")
        .hint("make the texts shorter, with SUBSTRING for instance")
}
