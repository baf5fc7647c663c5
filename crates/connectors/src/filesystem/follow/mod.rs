//! Follows files that somebody appends to, as `tail -F` does.
//!
//! A split is a file, not a name: logs are rotated by renaming them. What is in a checkpoint for it is which file it is ([`Identity`]), how far it
//! is read, and how its content begins, so that another content in the same file (it was truncated, or removed and its number given to
//! another one) is read from its start.
//!
//! The file system is asked by polling: one call a file after a pause that is an eighth of the time since the file has grown last, between
//! 1 and 10 ms, after ten seconds 100 ms. Notifications would save little beside that and are not there on every file system.

mod identity;
mod reader;

pub(super) use identity::Identity;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millstream_flow::{BoxFuture, Framing, Offset, Read, Source, Spawner, Split, SplitReader};
use millstream_types::Fault;

use super::compression::Compression;
use super::fault::io_fault;
use super::list::Found;
use super::options::{FollowOptions, is_packed};
use super::source::FileSource;
use crate::framing::BufferPool;
use identity::{Head, Mark, read_at};
use reader::{FollowReader, Place};

/// Milliseconds between two looks for new files where no option says otherwise.
const DISCOVERY: u64 = 1000;
/// The payload of a split without content: the first start is over, files that are found from then on are new.
const STARTED: &str = "started";
/// Bytes that are read at once when the last line's start is looked for.
const BACK: usize = 64 << 10;

/// A table whose files are followed.
#[derive(Debug)]
pub(super) struct FollowSource {
    files: FileSource,
    how: FollowOptions,
    shared: Arc<Shared>,
}

/// What the readers of a source have in common.
#[derive(Debug)]
pub(super) struct Shared {
    framing: Framing,
    max_record: u64,
    rotate_wait: u64,
    pool: BufferPool,
    spawner: Arc<dyn Spawner>,
    listing: Mutex<Listing>,
    /// Readers that are open.
    readers: AtomicU64,
}

/// What the last look at the path has found.
#[derive(Debug, Default)]
struct Listing {
    /// How many looks there were.
    looks: u64,
    places: HashMap<Identity, PathBuf>,
}

impl Shared {
    fn listing(&self) -> MutexGuard<'_, Listing> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many looks at the path there were, and where the last one has found a file.
    fn place(&self, identity: &Identity) -> (u64, Option<PathBuf>) {
        let listing = self.listing();
        (listing.looks, listing.places.get(identity).cloned())
    }
}

impl FollowSource {
    pub fn new(files: FileSource, how: FollowOptions, spawner: Arc<dyn Spawner>) -> Self {
        let shared = Shared {
            framing: files.framing.clone(),
            max_record: files.options.max_record,
            rotate_wait: how.rotate_wait,
            pool: files.pool.clone(),
            spawner,
            listing: Mutex::default(),
            readers: AtomicU64::new(0),
        };
        FollowSource { files, how, shared: Arc::new(shared) }
    }

    fn find_new(&self, known: &[Split]) -> Result<Vec<Split>, Fault> {
        if !cfg!(unix) {
            return Err(Fault::not_yet("following files on this system")
                .hint("use 'source.monitor-interval' for files that come whole"));
        }
        let mut found = match self.files.find() {
            Ok(found) => found,
            // Between the renaming of a log and its successor there is none.
            Err(fault) if fault.code() == "file-not-found" && !known.is_empty() => Vec::new(),
            Err(fault) => return Err(fault),
        };
        if self.files.options.compression != Some(Compression::None) {
            found.retain(|file| !is_packed(&file.path));
        }
        {
            let mut listing = self.shared.listing();
            listing.looks += 1;
            listing.places = found.iter().map(|f| (f.identity, f.path.clone())).collect();
        }
        let mut marks: HashMap<Identity, Vec<Mark>> = HashMap::new();
        for mark in known.iter().filter_map(Mark::read) {
            marks.entry(mark.identity).or_default().push(mark);
        }
        let mut ids: HashSet<Arc<str>> = known.iter().map(|s| s.id.clone()).collect();
        let latest = self.how.latest && !known.iter().any(|s| s.payload == STARTED);
        let mut fresh = Vec::new();
        if latest {
            let id = format!("{}#{STARTED}", self.files.options.path.display());
            fresh.push(Split { id: id.into(), payload: STARTED.into() });
        }
        for file in &found {
            let head = |length| File::open(&file.path).and_then(|f| Head::of(&f, length)).ok();
            let same = marks.entry(file.identity).or_default();
            if same.iter().any(|m| m.is(head)) {
                continue;
            }
            let Some(split) = self.begin(file, latest, &ids)? else { continue };
            same.extend(Mark::read(&split));
            ids.insert(split.id.clone());
            fresh.push(split);
        }
        Ok(fresh)
    }

    /// A file that nobody knows yet; `None`: it is gone.
    fn begin(&self, found: &Found, latest: bool, taken: &HashSet<Arc<str>>) -> Result<Option<Split>, Fault> {
        let Split { id: path, mut payload } = FileSource::split(found)?;
        let Identity { inode, born, .. } = found.identity;
        let mut mark = Mark { identity: found.identity, from: 0, head: Head::EMPTY };
        if latest || born == 0 {
            let Some(file) = open(&found.path)? else { return Ok(None) };
            let read = |e| io_fault("read", &found.path, &e);
            if latest {
                mark.from = last_border(&file, &self.files.framing).map_err(read)?;
            }
            if born == 0 {
                mark.head = Head::of(&file, identity::HEAD).map_err(read)?;
            }
        }
        mark.write(&mut payload);
        let mut id: Arc<str> = format!("{path}#{inode}-{born:x}").into();
        let mut number = 1;
        while taken.contains(&id) {
            number += 1;
            id = format!("{path}#{inode}-{born:x}-{number}").into();
        }
        Ok(Some(Split { id, payload }))
    }

    fn open_split(&self, split: &Split, from: Option<&Offset>) -> Result<Box<dyn SplitReader>, Fault> {
        if split.payload == STARTED {
            return Ok(Box::new(Nothing));
        }
        let Some(mark) = Mark::read(split) else {
            return Err(Fault::internal(format!("'{}' is no split of a followed file", split.payload)));
        };
        let path = PathBuf::from(path_of(split));
        let metadata = self.files.metadata_of(&path, split)?;
        let Some((path, file)) = self.locate(path, &mark)? else {
            // What nobody has begun was never there for this job.
            return match from {
                Some(offset) if !self.how.skip_missing => Err(missing(path_of(split), offset)),
                _ => Ok(Box::new(Nothing)),
            };
        };
        let place = match from {
            Some(offset) => Place::read(offset)
                .ok_or_else(|| Fault::internal(format!("'{offset}' is no offset of a followed file")))?,
            None => {
                let head = Head::of(&file, mark.from).map_err(|e| io_fault("read", &path, &e))?;
                Place { generation: 0, bytes: mark.from, line: 1, head }
            }
        };
        Ok(Box::new(FollowReader::new(self.shared.clone(), mark.identity, path, file, metadata, place)))
    }

    /// Opens a file where it is now: under its name, where the last look has found it, or beside where it was.
    fn locate(&self, path: PathBuf, mark: &Mark) -> Result<Option<(PathBuf, File)>, Fault> {
        let (_, listed) = self.shared.place(&mark.identity);
        let beside = || {
            let entries = path.parent().and_then(|directory| fs::read_dir(directory).ok());
            entries.into_iter().flatten().flatten().map(|e| e.path())
        };
        let candidates = [path.clone()].into_iter().chain(listed).chain(beside());
        for candidate in candidates {
            if !fs::metadata(&candidate).is_ok_and(|m| m.is_file() && Identity::of(&m) == mark.identity) {
                continue;
            }
            let Some(file) = open(&candidate)? else { continue };
            // It may have been renamed in between.
            if file.metadata().is_ok_and(|m| Identity::of(&m) == mark.identity) {
                return Ok(Some((candidate, file)));
            }
        }
        Ok(None)
    }
}

/// The name under which a file was found first.
fn path_of(split: &Split) -> &str {
    split.id.rsplit_once('#').map_or(&*split.id, |(path, _)| path)
}

fn open(path: &Path) -> Result<Option<File>, Fault> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(io_fault("open", path, &e)),
    }
}

fn missing(path: &str, offset: &Offset) -> Fault {
    Fault::external(
        "file-gone",
        format!(
            "the followed file '{path}' was read to byte {} before, and is gone now: what was appended since then cannot be read",
            offset.part("bytes").unwrap_or(0)
        ),
    )
    .hint("put the file back into its directory under any name, or set 'source.follow.missing-file' = 'skip' to go on without it")
}

/// Where the last line begins that is not complete: behind the last delimiter.
fn last_border(file: &File, framing: &Framing) -> std::io::Result<u64> {
    let (Framing::Lines { delimiter }
    | Framing::QuotedLines { delimiter, .. }
    | Framing::QuotedFields { delimiter, .. }) = framing;
    let mut end = file.metadata()?.len();
    let overlap = delimiter.len().saturating_sub(1) as u64;
    let mut block = vec![0; BACK + delimiter.len()];
    while end > overlap {
        let start = end.saturating_sub(BACK as u64);
        let mut filled = 0;
        let wanted = usize::try_from(end - start).unwrap_or(0).min(block.len());
        while let Some(space) = block.get_mut(filled..wanted).filter(|s| !s.is_empty()) {
            match read_at(file, space, start + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        let data = block.get(..filled).unwrap_or_default();
        if let Some(at) = memchr::memmem::rfind(data, delimiter) {
            return Ok(start + (at + delimiter.len()) as u64);
        }
        if start == 0 {
            break;
        }
        // A delimiter may lie across the border of two blocks.
        end = start + overlap;
    }
    Ok(0)
}

impl Source for FollowSource {
    fn is_bounded(&self) -> bool {
        false
    }

    fn position_unit(&self) -> &'static str {
        "line"
    }

    fn shown<'a>(&self, split: &'a Split) -> &'a str {
        path_of(split)
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        Box::pin(async move { self.find_new(known) })
    }

    fn discovery_interval(&self) -> Option<u64> {
        Some(self.files.options.monitor_interval.unwrap_or(DISCOVERY))
    }

    fn reads_in_sequence(&self) -> bool {
        false
    }

    fn is_replayable(&self) -> bool {
        true
    }

    fn order(&self, a: &Offset, b: &Offset) -> Option<Ordering> {
        let (a, b) = (Place::read(a)?, Place::read(b)?);
        // Of contents that were replaced, which one a reader means depends on how many it has seen.
        (a.generation == b.generation).then(|| a.bytes.cmp(&b.bytes))
    }

    fn open<'a>(
        &'a self,
        split: &'a Split,
        from: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        Box::pin(async move { self.open_split(split, from) })
    }
}

/// A split without content, or whose content is gone.
struct Nothing;

impl SplitReader for Nothing {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(async { Ok(Read::End) })
    }

    fn offset(&self) -> Offset {
        Place { generation: 0, bytes: 0, line: 1, head: Head::EMPTY }.write()
    }

    fn stop_at(&mut self, _: Option<&Offset>) -> bool {
        true
    }
}
