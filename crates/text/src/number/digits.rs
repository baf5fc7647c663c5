//! The hundred two-digit numbers, so that digits are written two at a time.

/// `00`, `01`, … `99`.
#[allow(clippy::indexing_slicing)] // constant: the compiler checks the bounds
pub(crate) const PAIRS: &[u8; 200] = &{
    let mut pairs = [b'0'; 200];
    let mut i = 0;
    while i < 100 {
        pairs[2 * i] = b'0' + (i / 10) as u8;
        pairs[2 * i + 1] = b'0' + (i % 10) as u8;
        i += 1;
    }
    pairs
};
