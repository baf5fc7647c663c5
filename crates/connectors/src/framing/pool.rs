//! Read buffers that come back.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::CHUNK_BYTES;

/// Buffers kept for the next read; more would only hold memory.
const KEPT: usize = 4;

/// A store of read buffers. They are kept with their content, since clearing a megabyte for every megabyte read would cost a tenth of
/// the scan.
#[derive(Debug, Clone, Default)]
pub(crate) struct BufferPool(Arc<Mutex<Vec<Vec<u8>>>>);

impl BufferPool {
    /// A buffer of at least `length` initialised bytes, whatever they are.
    pub fn get(&self, length: usize) -> Vec<u8> {
        if length <= CHUNK_BYTES {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
            return kept.unwrap_or_else(|| vec![0; CHUNK_BYTES]);
        }
        vec![0; length]
    }

    /// The buffer as shared bytes; it comes back when the last of them is dropped.
    pub fn lend(&self, buffer: Vec<u8>) -> Bytes {
        Bytes::from_owner(Lent { buffer, pool: self.clone() })
    }
}

struct Lent {
    buffer: Vec<u8>,
    pool: BufferPool,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // One that grew for a huge record is not kept.
        if self.buffer.len() == CHUNK_BYTES {
            let mut kept = self.pool.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < KEPT {
                kept.push(std::mem::take(&mut self.buffer));
            }
        }
    }
}
