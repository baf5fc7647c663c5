//! How a stream of bytes falls into records: lines by a delimiter, and lines in which quotes protect the delimiter.
//!
//! Bytes are read straight into a large buffer, delimiters are searched in place, and the buffer itself becomes the chunk's data: no
//! record is copied. Only what stands behind the last delimiter moves to the front of the next buffer. Buffers come back to a pool when
//! the last reader of a chunk is done with it, so that a long scan neither allocates nor clears memory.

mod pool;
mod scan;

pub(crate) use pool::BufferPool;
use scan::Scanner;

use bytes::Bytes;
use millstream_flow::{Framing, RawChunk, RecordSpan};
use millstream_types::{Fault, Value};

/// Bytes of data in a chunk once reading is under way.
pub(crate) const CHUNK_BYTES: usize = 1 << 20;
/// Bytes of data in the first chunk: less, so that the first rows are there soon.
const FIRST_CHUNK_BYTES: usize = 64 << 10;
/// The largest record that is allowed if no option says otherwise.
pub(crate) const DEFAULT_MAX_RECORD: u64 = 64 << 20;
/// The largest record that can be allowed: spans are 32 bits wide, a chunk may be twice as large as a record.
pub(crate) const MOST_MAX_RECORD: u64 = 1 << 30;

/// Records that were found, with the bytes that they are ranges of.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The bytes from the start of the first record to the end of the last delimiter.
    pub data: Bytes,
    /// The records in them.
    pub records: Vec<RecordSpan>,
    /// The line of each record; empty: consecutive from `first_line`.
    pub lines: Vec<u64>,
    /// The line of the first record.
    pub first_line: u64,
    /// The line behind the last record.
    pub next_line: u64,
}

impl Frame {
    /// The records with the metadata that all of them have, as a source gives them.
    pub fn chunk(self, metadata: Vec<(&'static str, Vec<Value>)>) -> RawChunk {
        RawChunk {
            data: self.data,
            records: self.records,
            keys: Vec::new(),
            positions: self.lines,
            first_position: self.first_line,
            metadata,
        }
    }
}

/// A record is larger than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Oversized {
    /// The line where it begins.
    pub line: u64,
}

impl Oversized {
    /// As a fault; `limit` is the limit in bytes.
    pub fn fault(self, limit: usize) -> Fault {
        Fault::user("record-too-large", format!("a record is larger than {limit} bytes"))
            .in_place(format!("line {}", self.line))
            .hint("check that the delimiter is the right one, or raise 'source.max-record-size'")
    }
}

/// Cuts a byte stream into records.
pub(crate) struct Framer {
    scanner: Scanner,
    limit: usize,
    pool: BufferPool,
    /// All of it is initialised; only the first `filled` bytes are data.
    buffer: Vec<u8>,
    filled: usize,
    /// Bytes of data that the next chunk should have.
    target: usize,
    records: Vec<RecordSpan>,
    /// Lines of the records, kept only where a record spans several.
    lines: Vec<u64>,
    first_line: u64,
    line: u64,
    ended: bool,
}

impl Framer {
    /// A framer whose next record is on line `line` (from 1) and at most `limit` bytes long.
    pub fn new(framing: &Framing, limit: u64, line: u64, pool: BufferPool) -> Self {
        let buffer = pool.get(FIRST_CHUNK_BYTES);
        Framer {
            scanner: Scanner::new(framing),
            limit: usize::try_from(limit.min(MOST_MAX_RECORD)).unwrap_or(usize::MAX),
            pool,
            buffer,
            filled: 0,
            target: FIRST_CHUNK_BYTES,
            records: Vec::new(),
            lines: Vec::new(),
            first_line: line,
            line,
            ended: false,
        }
    }

    /// The limit of a record in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that were put in and are no part of a frame yet.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Whether something stands behind the last delimiter.
    pub fn has_rest(&self) -> bool {
        self.filled > self.scanner.start()
    }

    /// Where the next bytes are to be put; never empty.
    pub fn space(&mut self) -> &mut [u8] {
        if self.filled >= self.buffer.len() {
            let longer = self.buffer.len().saturating_mul(2).max(CHUNK_BYTES);
            self.buffer.resize(longer, 0);
        }
        let end =
            if self.filled < self.target { self.target.min(self.buffer.len()) } else { self.buffer.len() };
        self.buffer.get_mut(self.filled..end).unwrap_or_default()
    }

    /// Says that `count` bytes were put into [`Framer::space`].
    ///
    /// # Errors
    /// When a record is too large.
    pub fn advance(&mut self, count: usize) -> Result<(), Oversized> {
        self.filled = (self.filled + count).min(self.buffer.len());
        let data = self.buffer.get(..self.filled).unwrap_or_default();
        while let Some(found) = self.scanner.next(data) {
            Self::keep(&mut self.records, &mut self.lines, self.first_line, self.line, found.span);
            if found.span.end as usize - found.span.start as usize > self.limit {
                return Err(Oversized { line: self.line });
            }
            self.line += found.lines;
        }
        // A delimiter may already be in part behind a record of the full size.
        if self.filled - self.scanner.start() > self.limit + self.scanner.delimiter_length() {
            return Err(Oversized { line: self.line });
        }
        Ok(())
    }

    /// Says that the stream has ended: what stands behind the last delimiter is a record.
    ///
    /// # Errors
    /// When it is too large.
    pub fn finish(&mut self) -> Result<(), Oversized> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        let data = self.buffer.get(..self.filled).unwrap_or_default();
        if let Some(found) = self.scanner.last(data) {
            Self::keep(&mut self.records, &mut self.lines, self.first_line, self.line, found.span);
            if found.span.end as usize - found.span.start as usize > self.limit {
                return Err(Oversized { line: self.line });
            }
            self.line += found.lines;
        }
        Ok(())
    }

    fn keep(records: &mut Vec<RecordSpan>, lines: &mut Vec<u64>, first: u64, line: u64, span: RecordSpan) {
        if lines.is_empty() {
            if line != first + records.len() as u64 {
                lines.extend((0..records.len() as u64).map(|i| first + i));
                lines.push(line);
            }
        } else {
            lines.push(line);
        }
        records.push(span);
    }

    /// Whether enough records are there for a chunk.
    pub fn is_full(&self) -> bool {
        !self.records.is_empty() && self.filled >= self.target
    }

    /// The records found so far; `None`: there is none.
    pub fn take(&mut self) -> Option<Frame> {
        if self.records.is_empty() {
            return None;
        }
        let used = self.scanner.start();
        self.target = (self.target * 4).min(CHUNK_BYTES);
        let rest = self.buffer.get(used..self.filled).unwrap_or_default();
        let mut next = self.pool.get((rest.len() * 2).max(self.target));
        if let Some(front) = next.get_mut(..rest.len()) {
            front.copy_from_slice(rest);
        }
        self.filled = rest.len();
        self.scanner.moved(used);
        let full = std::mem::replace(&mut self.buffer, next);
        let capacity = self.records.len();
        let first_line = std::mem::replace(&mut self.first_line, self.line);
        Some(Frame {
            data: self.pool.lend(full).slice(..used),
            records: std::mem::replace(&mut self.records, Vec::with_capacity(capacity)),
            lines: std::mem::take(&mut self.lines),
            first_line,
            next_line: self.line,
        })
    }
}

#[cfg(test)]
mod tests;
