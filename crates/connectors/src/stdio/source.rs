//! Reads the standard input.
//!
//! A read of a pipe can take for ever, so it runs as blocking work. One block is read ahead while the scan works on the one before; a
//! reader that is dropped leaves at most that one read behind it, which ends with the pipe.

use std::fmt;
use std::io::{ErrorKind, Read as Bytes};
use std::sync::{Arc, Mutex, PoisonError};

use millstream_flow::{BoxFuture, Framing, Offset, Read, Source, SourceSpec, Spawner, Split, SplitReader};
use millstream_types::Fault;

use super::options::max_record;
use crate::framing::{BufferPool, Framer};
use crate::waiting::{LONGEST_WAIT, before};

/// Bytes that are read at once at most.
const BLOCK: usize = 256 << 10;

/// What a read in the background gave.
type Block = std::io::Result<Vec<u8>>;

/// The input, and a block of it that nobody has taken yet: a reader that is opened later finds what its predecessor had asked for.
struct Input {
    bytes: Box<dyn Bytes + Send>,
    ready: Option<Block>,
}

/// A planned stdin table.
pub(super) struct StdinSource {
    framing: Framing,
    max_record: u64,
    input: Arc<Mutex<Input>>,
    spawner: Arc<dyn Spawner>,
}

impl fmt::Debug for StdinSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdinSource").field("framing", &self.framing).finish_non_exhaustive()
    }
}

impl StdinSource {
    pub fn new(spec: &SourceSpec, input: Box<dyn Bytes + Send>) -> Result<Self, Fault> {
        Ok(StdinSource {
            framing: spec.framing.clone().unwrap_or_default(),
            max_record: max_record(&spec.options)?,
            input: Arc::new(Mutex::new(Input { bytes: input, ready: None })),
            spawner: Arc::clone(&spec.environment.spawner),
        })
    }
}

impl Source for StdinSource {
    fn is_bounded(&self) -> bool {
        true
    }

    fn position_unit(&self) -> &'static str {
        "line"
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        let split = Split { id: "stdin".into(), payload: String::new() };
        Box::pin(async move { Ok(if known.is_empty() { vec![split] } else { Vec::new() }) })
    }

    fn reads_in_sequence(&self) -> bool {
        true
    }

    fn open<'a>(
        &'a self,
        _: &'a Split,
        from: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        Box::pin(async move {
            let line = from.and_then(|o| o.part("line")).unwrap_or(1);
            Ok(Box::new(StdinReader {
                framer: Framer::new(&self.framing, self.max_record, line, BufferPool::default()),
                input: Arc::clone(&self.input),
                spawner: Arc::clone(&self.spawner),
                pending: None,
                line,
                ended: false,
            }) as Box<dyn SplitReader>)
        })
    }
}

struct StdinReader {
    framer: Framer,
    input: Arc<Mutex<Input>>,
    spawner: Arc<dyn Spawner>,
    /// The read that is under way.
    pending: Option<BoxFuture<'static, ()>>,
    line: u64,
    ended: bool,
}

impl StdinReader {
    fn start_read(&self) -> BoxFuture<'static, ()> {
        let input = Arc::clone(&self.input);
        self.spawner.blocking(
            "stdin",
            Box::new(move || {
                let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
                if input.ready.is_some() {
                    return;
                }
                let mut block = vec![0; BLOCK];
                let read = loop {
                    match input.bytes.read(&mut block) {
                        Err(e) if e.kind() == ErrorKind::Interrupted => {}
                        other => break other,
                    }
                };
                input.ready = Some(read.map(|count| {
                    block.truncate(count);
                    block
                }));
            }),
        )
    }

    async fn read(&mut self) -> Result<Read, Fault> {
        let mut limit = self.spawner.sleep(LONGEST_WAIT);
        loop {
            if let Some(frame) = self.framer.take() {
                self.line = frame.next_line;
                return Ok(Read::Records(frame.chunk(Vec::new())));
            }
            if self.ended {
                return Ok(Read::End);
            }
            if self.pending.is_none() {
                self.pending = Some(self.start_read());
            }
            let Some(pending) = &mut self.pending else { return Ok(Read::Nothing) };
            if before(pending.as_mut(), limit.as_mut()).await.is_none() {
                return Ok(Read::Nothing);
            }
            let block = self.input.lock().unwrap_or_else(PoisonError::into_inner).ready.take();
            self.pending = None;
            match block {
                Some(Ok(block)) if block.is_empty() => {
                    self.ended = true;
                    let limit = self.framer.limit();
                    self.framer.finish().map_err(|o| o.fault(limit).in_place("stdin"))?;
                }
                Some(Ok(block)) => {
                    self.pending = Some(self.start_read());
                    self.take_block(&block)?;
                }
                Some(Err(e)) => {
                    return Err(Fault::external("io", format!("cannot read the standard input: {e}")));
                }
                None => return Err(Fault::internal("a read of the standard input ended without a result")),
            }
        }
    }

    fn take_block(&mut self, mut block: &[u8]) -> Result<(), Fault> {
        while !block.is_empty() {
            let space = self.framer.space();
            let count = space.len().min(block.len());
            let (now, rest) = block.split_at_checked(count).unwrap_or((block, &[]));
            if let Some(space) = space.get_mut(..count) {
                space.copy_from_slice(now);
            }
            block = rest;
            let limit = self.framer.limit();
            self.framer.advance(count).map_err(|o| o.fault(limit).in_place("stdin"))?;
        }
        Ok(())
    }
}

impl SplitReader for StdinReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(self.read())
    }

    fn offset(&self) -> Offset {
        Offset::of(&[("line", self.line)])
    }
}
