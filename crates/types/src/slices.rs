//! Fields cut out of raw records, not built yet.

use bytes::Bytes;

/// How the bytes of a slice spell their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum SliceForm {
    /// The record has no such field.
    #[default]
    Absent,
    /// An explicit NULL.
    Null,
    /// The bytes are the text itself.
    Plain,
    /// The inside of a JSON string with backslash escapes.
    JsonEscaped,
    /// A JSON token that is not a string: number, `true`, `false`, array or object.
    JsonRaw,
    /// The inside of a quoted CSV field whose quotes are doubled or escaped.
    Quoted,
    /// The text is in [`FieldSlices::side`], not in the chunk: a format that had to rewrite it puts it there.
    Side,
}

/// One field of one row: where it is in the chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slice {
    /// Byte offset in the chunk (or in the side buffer).
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
    /// How the bytes are to be read.
    pub form: SliceForm,
}

/// One column of slices.
#[derive(Debug, Clone, Default)]
pub struct FieldSlices {
    /// Position of the column in the decoder's schema.
    pub column: usize,
    /// One slice a row.
    pub slices: Vec<Slice>,
    /// Text that is not in the chunk, for [`SliceForm::Side`].
    pub side: Vec<u8>,
}

/// Some columns of a chunk of records as slices of its bytes.
#[derive(Debug, Clone, Default)]
pub struct Slices {
    /// The bytes that slices point into.
    pub data: Bytes,
    /// Number of rows: records that turned out bad or empty are no rows, one record may be several.
    pub rows: usize,
    /// The record that each row comes from; `None` if row i is record i.
    pub records: Option<Vec<u32>>,
    /// The columns that were cut.
    pub fields: Vec<FieldSlices>,
}

impl Slices {
    /// The record of a row.
    pub fn record_of(&self, row: usize) -> usize {
        match &self.records {
            Some(r) => r.get(row).map_or(row, |x| *x as usize),
            None => row,
        }
    }

    /// The slices of a column, if it was cut.
    pub fn column(&self, column: usize) -> Option<&FieldSlices> {
        // Nearly always they are in order; a chance find is right, too.
        match self.fields.binary_search_by_key(&column, |f| f.column) {
            Ok(at) => self.fields.get(at),
            Err(_) => self.fields.iter().find(|f| f.column == column),
        }
    }

    /// The bytes of a slice of a column; empty for absent and NULL.
    pub fn bytes<'a>(&'a self, field: &'a FieldSlices, slice: Slice) -> &'a [u8] {
        let from: &[u8] = if slice.form == SliceForm::Side { &field.side } else { &self.data };
        let start = slice.start as usize;
        from.get(start..start + slice.len as usize).unwrap_or(&[])
    }

    /// The next row comes from this record.
    #[inline]
    pub fn keep(&mut self, record: usize) {
        if let Some(records) = &mut self.records {
            records.push(record as u32);
        }
        self.rows += 1;
    }

    /// A record gives no row: from here on rows are numbered apart from records.
    pub fn leave_out(&mut self) {
        if self.records.is_none() {
            self.records = Some((0..self.rows as u32).collect());
        }
    }

    /// Forgets rows and fields, keeping their memory.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.records = None;
        self.data = Bytes::new();
        for f in &mut self.fields {
            f.slices.clear();
            f.side.clear();
        }
    }
}
