//! BITMAP: sets of 32-bit integers. A column holds them in the portable Roaring format, which BITMAP_TO_BYTES gives.

mod functions;
mod set;
#[cfg(test)]
mod tests;

pub use set::Bitmap;

pub(super) use functions::FUNCTIONS;
