//! The state of operators as checkpoints see it: named entries of bytes in key groups.

use millstream_types::Fault;

/// Number of key groups of a job, fixed for its life: keyed state is split and moved in these.
pub const KEY_GROUPS: u16 = 128;

/// The key group of a key's bytes (FNV-1a with a final mix, so that it is the same on every machine and in every version).
pub fn key_group(key: &[u8]) -> u16 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in key {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 32;
    (hash % u64::from(KEY_GROUPS)) as u16
}

/// Takes the entries of a snapshot.
pub trait StateWriter {
    /// An entry of a state (`name` is the state's name within the operator).
    ///
    /// # Errors
    /// When it cannot be written.
    fn put(&mut self, group: u16, name: &str, key: &[u8], value: &[u8]) -> Result<(), Fault>;
}

/// Takes an entry that is read: name of the state, key, value.
pub type ReadEntry<'a> = dyn FnMut(&str, &[u8], &[u8]) -> Result<(), Fault> + 'a;

/// Gives the entries of a snapshot back, group by group.
pub trait StateReader {
    /// The key groups that this instance owns.
    fn groups(&self) -> std::ops::Range<u16>;

    /// Calls `each(name, key, value)` for the entries of a group.
    ///
    /// # Errors
    /// When they cannot be read, or what `each` returns.
    fn read(&mut self, group: u16, each: &mut ReadEntry<'_>) -> Result<(), Fault>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_fixed() {
        // Checkpoints depend on these numbers: they must never change.
        // FNV-1a of nothing is its basis: 0x84222325 ^ 0xcbf29ce4 ends in 0x41.
        assert_eq!(key_group(b""), 0x41);
        assert_eq!(key_group(b"host-1"), key_group(b"host-1"));
        let used: std::collections::BTreeSet<u16> =
            (0..10_000u32).map(|i| key_group(&i.to_le_bytes())).collect();
        assert_eq!(used.len(), usize::from(KEY_GROUPS));
    }
}
