//! A hash that is the same on every machine and in every version.

use std::hash::Hasher;

/// FNV-1a, 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The hash of a text.
pub(crate) fn of_text(text: &str) -> u64 {
    let mut h = Fnv::default();
    h.write(text.as_bytes());
    h.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(of_text(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(of_text("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(of_text("foobar"), 0x8594_4171_f739_67e8);
    }
}
