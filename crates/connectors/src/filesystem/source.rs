//! Reads files. One file is one split; the files of a table are read one after the other, in the order of their paths.
//!
//! Files are read in the task itself: a read from a local disk's cache is shorter than a change of threads.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use millstream_flow::{BoxFuture, Framing, Offset, Read, Source, SourceSpec, Split, SplitReader};
use millstream_text::regex::Pattern;
use millstream_types::{DataType, Fault, Value};

use super::compression::{Compression, is_damage};
use super::fault::io_fault;
use super::list::{Found, list};
use super::options::SourceOptions;
use super::partition;
use crate::framing::{BufferPool, Framer, Oversized};

/// Decompressed bytes that are skipped in one read when going on inside a compressed file.
const SKIPPED_AT_ONCE: u64 = 16 << 20;

#[derive(Debug)]
pub(super) struct FileSource {
    pub(super) options: SourceOptions,
    pub(super) framing: Framing,
    metadata: Vec<&'static str>,
    partitions: Vec<(&'static str, DataType)>,
    /// What whole paths must match.
    regex: Option<Pattern>,
    pub(super) pool: BufferPool,
}

impl FileSource {
    pub fn new(spec: &SourceSpec) -> Result<Self, Fault> {
        let options = SourceOptions::read(&spec.options)?;
        let framing = spec.framing.clone().unwrap_or_default();
        let (Framing::Lines { delimiter }
        | Framing::QuotedLines { delimiter, .. }
        | Framing::QuotedFields { delimiter, .. }) = &framing;
        if delimiter.is_empty() {
            return Err(Fault::user("bad-option", "the line delimiter is empty")
                .hint("set the format's line delimiter to at least one character"));
        }
        let metadata = spec
            .metadata
            .iter()
            .map(|key| {
                super::METADATA.iter().map(|m| m.key).find(|k| k == key).ok_or_else(|| {
                    Fault::user("unknown-metadata", format!("files have no metadata column '{key}'"))
                        .hint("use file.path, file.name, file.size or file.modification-time")
                })
            })
            .collect::<Result<_, _>>()?;
        let mut partitions = Vec::new();
        for key in &spec.partition_keys {
            let field = spec.schema.fields.iter().find(|f| &*f.name == key).ok_or_else(|| {
                Fault::user("unknown-column", format!("the partition column '{key}' is not declared"))
                    .hint("declare it among the table's columns")
            })?;
            partition::check(key, &field.data_type)?;
            partitions.push((partition::metadata_key(key), field.data_type.clone()));
        }
        let compile = |java: &String| {
            Pattern::compile(java).map_err(|e| Fault::from(e).in_place("option 'source.path.regex-pattern'"))
        };
        let regex = options.regex.as_ref().map(compile).transpose()?;
        Ok(FileSource { options, framing, metadata, partitions, regex, pool: BufferPool::default() })
    }

    /// A split by its path.
    pub(super) fn split(found: &Found) -> Result<Split, Fault> {
        let Some(text) = found.path.to_str() else {
            return Err(Fault::user("bad-path", format!("the path '{}' is no UTF-8", found.path.display()))
                .hint("rename it, or choose files by a pattern in 'path'"));
        };
        Ok(Split {
            id: text.into(),
            payload: format!("size={},modified={}", found.size, found.modified_millis),
        })
    }

    /// The files that there are now.
    pub(super) fn find(&self) -> Result<Vec<Found>, Fault> {
        let found = list(&self.options.path)?;
        let Some(regex) = &self.regex else { return Ok(found) };
        let mut matching = Vec::with_capacity(found.len());
        for file in found {
            if regex.full_match(&file.path.to_string_lossy())? {
                matching.push(file);
            }
        }
        Ok(matching)
    }

    /// The metadata and partition columns of a file.
    pub(super) fn metadata_of(
        &self,
        path: &Path,
        split: &Split,
    ) -> Result<Vec<(&'static str, Vec<Value>)>, Fault> {
        let number = |name: &str| {
            let of = |p: &str| p.strip_prefix(name)?.strip_prefix('=')?.parse::<i64>().ok();
            split.payload.split(',').find_map(of).unwrap_or(0)
        };
        let mut out = Vec::with_capacity(self.metadata.len() + self.partitions.len());
        for key in &self.metadata {
            let value = match *key {
                "file.path" => Value::String(path.to_string_lossy().into()),
                "file.name" => Value::String(path.file_name().unwrap_or_default().to_string_lossy().into()),
                "file.size" => Value::Int(number("size")),
                // TIMESTAMP_LTZ(3) counts microseconds.
                _ => Value::Int(number("modified").saturating_mul(1000)),
            };
            out.push((*key, vec![value]));
        }
        for (column, data_type) in &self.partitions {
            let text = partition::find(path, column).ok_or_else(|| {
                Fault::user("bad-partition", format!("the file is in no directory '{column}=...'"))
                    .in_place(path.display())
                    .hint(format!("move it to a directory such as '{column}=value', or drop PARTITIONED BY"))
            })?;
            let value = if text == self.options.default_partition {
                Value::Null
            } else {
                partition::value_of(&text, column, data_type).map_err(|f| f.in_place(path.display()))?
            };
            out.push((*column, vec![value]));
        }
        Ok(out)
    }

    fn open_file(&self, split: &Split, from: Option<&Offset>) -> Result<FileReader, Fault> {
        let path = PathBuf::from(&*split.id);
        let compression = match self.options.compression {
            Some(compression) => compression,
            None => Compression::of(&path)?,
        };
        let mut file = File::open(&path).map_err(|e| io_fault("open", &path, &e))?;
        let (bytes, line) = match from {
            None => (0, 1),
            Some(offset) => match (offset.part("bytes"), offset.part("line")) {
                (Some(bytes), Some(line)) => (bytes, line),
                _ => return Err(Fault::internal(format!("'{offset}' is no offset of a file"))),
            },
        };
        let mut skip = bytes;
        if compression == Compression::None && bytes > 0 {
            let size = file.metadata().map_err(|e| io_fault("read", &path, &e))?.len();
            if size < bytes {
                return Err(shrunk(&path, bytes, size));
            }
            file.seek(SeekFrom::Start(bytes)).map_err(|e| io_fault("read", &path, &e))?;
            skip = 0;
        }
        Ok(FileReader {
            input: compression.reader(file, &path)?,
            framer: Framer::new(&self.framing, self.options.max_record, line, self.pool.clone()),
            metadata: self.metadata_of(&path, split)?,
            compression,
            path,
            bytes,
            line,
            skip,
            end: None,
            ended: false,
        })
    }
}

fn shrunk(path: &Path, wanted: u64, size: u64) -> Fault {
    Fault::external(
        "file-changed",
        format!("'{}' was read to byte {wanted} before, but has only {size} bytes now", path.display()),
    )
    .hint("put the file back as it was, or start the job without its checkpoint")
}

impl Source for FileSource {
    fn is_bounded(&self) -> bool {
        self.options.monitor_interval.is_none()
    }

    fn position_unit(&self) -> &'static str {
        "line"
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        Box::pin(async move {
            let known: HashSet<&str> = known.iter().map(|s| &*s.id).collect();
            let found = self.find()?;
            let fresh = found.iter().filter(|f| f.path.to_str().is_none_or(|p| !known.contains(p)));
            fresh.map(FileSource::split).collect()
        })
    }

    fn discovery_interval(&self) -> Option<u64> {
        self.options.monitor_interval
    }

    fn reads_in_sequence(&self) -> bool {
        true
    }

    fn is_replayable(&self) -> bool {
        true
    }

    fn order(&self, a: &Offset, b: &Offset) -> Option<Ordering> {
        Some(a.part("bytes")?.cmp(&b.part("bytes")?))
    }

    fn open<'a>(
        &'a self,
        split: &'a Split,
        from: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        Box::pin(async move { Ok(Box::new(self.open_file(split, from)?) as Box<dyn SplitReader>) })
    }
}

struct FileReader {
    input: Box<dyn std::io::Read + Send>,
    framer: Framer,
    metadata: Vec<(&'static str, Vec<Value>)>,
    compression: Compression,
    path: PathBuf,
    /// Content before this, decompressed, was returned.
    bytes: u64,
    /// The line behind it.
    line: u64,
    /// Decompressed bytes still to be skipped.
    skip: u64,
    /// Content from here on is not to be returned.
    end: Option<u64>,
    ended: bool,
}

impl FileReader {
    fn read(&mut self) -> Result<Read, Fault> {
        if self.skip > 0 && !self.skip_some()? {
            return Ok(Read::Nothing);
        }
        while !self.ended && !self.framer.is_full() {
            // An end is a border of records, so nothing of a record is left over at it.
            let taken = self.bytes + self.framer.filled() as u64;
            let most = self
                .end
                .map_or(usize::MAX, |end| usize::try_from(end.saturating_sub(taken)).unwrap_or(usize::MAX));
            if most == 0 {
                // What is left over at a border of records is the last one of the file, without a delimiter.
                if self.framer.has_rest() {
                    self.framer.finish().map_err(|o| self.oversized(o))?;
                }
                break;
            }
            let space = self.framer.space();
            let most = most.min(space.len());
            let count = match self.input.read(space.get_mut(..most).unwrap_or_default()) {
                Ok(count) => count,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(self.failed(&e)),
            };
            if count == 0 {
                self.ended = true;
                self.framer.finish().map_err(|o| self.oversized(o))?;
            } else {
                self.framer.advance(count).map_err(|o| self.oversized(o))?;
            }
        }
        let Some(frame) = self.framer.take() else {
            return Ok(if self.ended { Read::End } else { Read::Nothing });
        };
        self.bytes += frame.data.len() as u64;
        self.line = frame.next_line;
        Ok(Read::Records(frame.chunk(self.metadata.clone())))
    }

    /// Skips what a restored reader has behind it; says whether that is done.
    fn skip_some(&mut self) -> Result<bool, Fault> {
        let mut left = self.skip.min(SKIPPED_AT_ONCE);
        while left > 0 {
            let space = self.framer.space();
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(space.len());
            let count = match self.input.read(space.get_mut(..most).unwrap_or_default()) {
                Ok(0) => return Err(shrunk(&self.path, self.bytes, self.bytes - self.skip)),
                Ok(count) => count as u64,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(self.failed(&e)),
            };
            left -= count;
            self.skip -= count;
        }
        Ok(self.skip == 0)
    }

    fn failed(&self, error: &std::io::Error) -> Fault {
        if self.compression == Compression::None || !is_damage(error) {
            return io_fault("read", &self.path, error);
        }
        let words = if error.kind() == ErrorKind::UnexpectedEof {
            "it ends too early".to_string()
        } else {
            error.to_string()
        };
        Fault::user(
            "bad-compression",
            format!("'{}' is no complete {:?} file: {words}", self.path.display(), self.compression)
                .to_string(),
        )
        .in_place(format!("{} line {}", self.path.display(), self.line))
        .hint("compress it again, or set 'source.compression' = 'none' if it is not compressed at all")
    }

    fn oversized(&self, oversized: Oversized) -> Fault {
        oversized.fault(self.framer.limit()).in_place(self.path.display())
    }
}

impl SplitReader for FileReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(async move { self.read() })
    }

    fn offset(&self) -> Offset {
        Offset::of(&[("bytes", self.bytes), ("line", self.line)])
    }

    fn stop_at(&mut self, end: Option<&Offset>) -> bool {
        let bytes = end.map(|e| e.part("bytes").filter(|b| *b >= self.bytes));
        match bytes {
            Some(None) => return false,
            Some(Some(bytes)) => self.end = Some(bytes),
            None => self.end = None,
        }
        true
    }
}
