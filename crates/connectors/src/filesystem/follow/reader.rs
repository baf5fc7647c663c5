//! Reads one followed file.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use millstream_flow::{BoxFuture, Offset, Read, SplitReader};
use millstream_types::{Fault, Value};

use super::Shared;
use super::identity::{Head, Identity, read_at};
use crate::filesystem::fault::io_fault;
use crate::framing::Framer;
use crate::waiting::LONGEST_WAIT;

/// Longest pause between two looks at a file, in milliseconds.
const LONGEST_NAP: u64 = 100;
/// The same for a file that has grown within the last seconds: logs that come in bursts are not to wait.
const LIGHT_NAP: u64 = 10;
const LIGHT: u64 = 10_000;
/// After this silence, in milliseconds, a file is looked at only every tenth time, and has no buffer.
const ASLEEP: u64 = 10 * 60_000;
/// How often the name of a quiet file is looked at, in milliseconds.
const NAME: u64 = 100;

/// Where reading stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// How often the content was replaced.
    pub generation: u64,
    /// Content before this was returned.
    pub bytes: u64,
    /// The line behind it.
    pub line: u64,
    /// How that content begins.
    pub head: Head,
}

impl Place {
    pub fn read(offset: &Offset) -> Option<Self> {
        Some(Place {
            generation: offset.part("generation")?,
            bytes: offset.part("bytes")?,
            line: offset.part("line")?,
            head: Head { length: offset.part("length")?, hash: offset.part("head")? },
        })
    }

    pub fn write(&self) -> Offset {
        let Place { generation, bytes, line, head } = self;
        Offset::of(&[
            ("generation", *generation),
            ("bytes", *bytes),
            ("line", *line),
            ("length", head.length),
            ("head", head.hash),
        ])
    }
}

/// A reader of one file.
pub(super) struct FollowReader {
    shared: Arc<Shared>,
    identity: Identity,
    /// Its name at last.
    path: PathBuf,
    file: File,
    metadata: Vec<(&'static str, Vec<Value>)>,
    /// `None`: nothing is waiting in it.
    framer: Option<Framer>,
    place: Place,
    /// Generation and bytes from where on content is not to be returned.
    end: Option<(u64, u64)>,
    /// The pause before the next look; kept when a read is given up.
    nap: Option<(u64, BoxFuture<'static, ()>)>,
    /// Milliseconds since it has grown, as far as they were slept through; the same since its name was looked at.
    quiet: u64,
    unnamed: u64,
    /// Since the last look that was not left out.
    unlooked: u64,
    /// Since something was returned.
    waited: u64,
    /// When it was last written, at the last look.
    written: Option<SystemTime>,
    /// Its name is another file's or nobody's: for how long, and how many looks at the path there were before.
    moved: Option<(u64, u64)>,
    ended: bool,
}

impl FollowReader {
    pub fn new(
        shared: Arc<Shared>,
        identity: Identity,
        path: PathBuf,
        file: File,
        metadata: Vec<(&'static str, Vec<Value>)>,
        place: Place,
    ) -> Self {
        shared.readers.fetch_add(1, Ordering::Relaxed);
        FollowReader {
            shared,
            identity,
            path,
            file,
            metadata,
            framer: None,
            place,
            end: None,
            nap: None,
            quiet: 0,
            unnamed: 0,
            unlooked: 0,
            waited: 0,
            written: None,
            moved: None,
            ended: false,
        }
    }

    async fn read(&mut self) -> Result<Read, Fault> {
        loop {
            if let Some((millis, nap)) = &mut self.nap {
                nap.as_mut().await;
                let millis = *millis;
                self.nap = None;
                self.slept(millis);
                // One of the readers answers in time for the scan; hundreds that do would only keep it busy.
                if self.waited >= LONGEST_WAIT * self.shared.readers.load(Ordering::Relaxed).max(1) {
                    self.waited = 0;
                    return Ok(Read::Nothing);
                }
            }
            if self.quiet < ASLEEP || self.unlooked >= 10 * LONGEST_NAP {
                self.unlooked = 0;
                if let Some(read) = self.look()? {
                    self.waited = 0;
                    return Ok(read);
                }
            }
            let longest = if self.quiet < LIGHT { LIGHT_NAP } else { LONGEST_NAP };
            let millis = (self.quiet / 8).clamp(1, longest);
            self.nap = Some((millis, self.shared.spawner.sleep(millis)));
        }
    }

    fn slept(&mut self, millis: u64) {
        self.quiet += millis;
        self.unnamed += millis;
        self.unlooked += millis;
        self.waited += millis;
        if let Some((since, _)) = &mut self.moved {
            *since += millis;
        }
    }

    /// Reads what is there. `None`: nothing.
    fn look(&mut self) -> Result<Option<Read>, Fault> {
        if self.ended {
            return Ok(Some(Read::End));
        }
        let meta = self.file.metadata().map_err(|e| io_fault("read", &self.path, &e))?;
        let (size, written) = (meta.len(), meta.modified().ok());
        let mut taken = self.taken();
        // It may have been replaced by as much as there was.
        let replaced = size == taken && written != self.written && !self.begins_as_before()?;
        self.written = written;
        if size < taken || replaced {
            self.begin_anew();
            taken = 0;
        }
        let most = match self.end {
            None => u64::MAX,
            Some((generation, bytes)) if generation == self.place.generation => bytes.saturating_sub(taken),
            Some(_) => 0,
        };
        if most == 0 {
            // What stands behind the last delimiter at the place that another reader has come to is the last line of a file that has ended.
            let there = self.end == Some((self.place.generation, taken));
            let rest = self.framer.as_ref().is_some_and(Framer::has_rest);
            return if there && rest { self.finish() } else { Ok(None) };
        }
        if size == taken {
            return self.look_at_name();
        }
        if !self.fill(most)? {
            return Ok(None);
        }
        self.quiet = 0;
        if let Some((since, _)) = &mut self.moved {
            *since = 0;
        }
        Ok(self.take())
    }

    /// Reads up to a chunk. `false`: it was another content, and what was read is forgotten.
    fn fill(&mut self, most: u64) -> Result<bool, Fault> {
        let Shared { framing, max_record, pool, .. } = &*self.shared;
        let line = self.place.line;
        let framer = self.framer.get_or_insert_with(|| Framer::new(framing, *max_record, line, pool.clone()));
        let mut left = most;
        let mut oversized = None;
        while !framer.is_full() && left > 0 && oversized.is_none() {
            let position = self.place.bytes + framer.filled() as u64;
            let space = framer.space();
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(space.len());
            let count = read_at(&self.file, space.get_mut(..wanted).unwrap_or_default(), position)
                .map_err(|e| io_fault("read", &self.path, &e))?;
            left -= count as u64;
            oversized = framer.advance(count).err();
            if count < wanted {
                break;
            }
        }
        let limit = framer.limit();
        // Looked at behind the reading, so that what was read is of the content that it is taken for.
        let head =
            Head::of(&self.file, self.place.head.length).map_err(|e| io_fault("read", &self.path, &e))?;
        if head != self.place.head {
            self.begin_anew();
            return Ok(false);
        }
        match oversized {
            Some(oversized) => Err(oversized.fault(limit).in_place(self.path.display())),
            None => Ok(true),
        }
    }

    fn begins_as_before(&self) -> Result<bool, Fault> {
        let head =
            Head::of(&self.file, self.place.head.length).map_err(|e| io_fault("read", &self.path, &e))?;
        Ok(head == self.place.head)
    }

    /// The content was replaced: what is there now is read from its start.
    fn begin_anew(&mut self) {
        let generation = self.place.generation + 1;
        self.place = Place { generation, bytes: 0, line: 1, head: Head::EMPTY };
        self.framer = None;
    }

    /// The bytes that were read.
    fn taken(&self) -> u64 {
        self.place.bytes + self.framer.as_ref().map_or(0, |f| f.filled() as u64)
    }

    /// The records that were found.
    fn take(&mut self) -> Option<Read> {
        let frame = self.framer.as_mut()?.take()?;
        self.place.head.extend(&frame.data);
        self.place.bytes += frame.data.len() as u64;
        self.place.line = frame.next_line;
        Some(Read::Records(frame.chunk(self.metadata.clone())))
    }

    /// Nothing is left for now. A file that is not the path's any more ends when it has been quiet for long enough.
    fn look_at_name(&mut self) -> Result<Option<Read>, Fault> {
        if self.quiet >= ASLEEP && !self.framer.as_ref().is_some_and(Framer::has_rest) {
            self.framer = None;
        }
        if self.unnamed < NAME {
            return Ok(None);
        }
        self.unnamed = 0;
        if self.is_at(&self.path) {
            self.moved = None;
            return Ok(None);
        }
        let (looks, place) = self.shared.place(&self.identity);
        if let Some(path) = place.filter(|p| self.is_at(p)) {
            self.path = path;
            self.moved = None;
            return Ok(None);
        }
        let (since, before) = *self.moved.get_or_insert((0, looks));
        // Of two looks one began behind the renaming, and has not found it, either.
        if since < self.shared.rotate_wait || looks < before + 2 {
            return Ok(None);
        }
        self.ended = true;
        Ok(Some(self.finish()?.unwrap_or(Read::End)))
    }

    /// What stands behind the last delimiter is a record.
    fn finish(&mut self) -> Result<Option<Read>, Fault> {
        if let Some(framer) = &mut self.framer {
            let limit = framer.limit();
            framer.finish().map_err(|o| o.fault(limit).in_place(self.path.display()))?;
        }
        Ok(self.take())
    }

    fn is_at(&self, path: &std::path::Path) -> bool {
        fs::metadata(path).is_ok_and(|m| Identity::of(&m) == self.identity)
    }
}

impl SplitReader for FollowReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(self.read())
    }

    fn offset(&self) -> Offset {
        self.place.write()
    }

    fn stop_at(&mut self, end: Option<&Offset>) -> bool {
        let Some(end) = end else {
            self.end = None;
            return true;
        };
        let Some(end) = Place::read(end) else { return false };
        // A reader that has returned nothing reads whatever content there is now, which is the one that the other has come to.
        let begun = self.place.head.length > 0 || self.framer.is_some();
        if end.generation > self.place.generation && !begun {
            self.place.generation = end.generation;
        }
        self.end = Some((end.generation, end.bytes));
        end.generation == self.place.generation && end.bytes >= self.place.bytes
    }
}

impl Drop for FollowReader {
    fn drop(&mut self) {
        self.shared.readers.fetch_sub(1, Ordering::Relaxed);
    }
}
