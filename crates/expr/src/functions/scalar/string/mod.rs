//! Text: characters, parts, positions, replacing, joining and splitting.

mod arguments;
mod case;
mod chars;
mod concat;
mod length;
mod replace;
mod search;
mod slice;
mod split;
pub(super) mod texts;
mod trim;

pub(super) use arguments::{Arg, arguments, of_kind, strict_arguments};

use crate::Function;

/// The lists of the files of this folder.
pub(super) const FUNCTIONS: &[&[Function]] = &[
    super::concatenation::FUNCTIONS,
    concat::FUNCTIONS,
    slice::FUNCTIONS,
    trim::FUNCTIONS,
    case::FUNCTIONS,
    length::FUNCTIONS,
    search::FUNCTIONS,
    replace::FUNCTIONS,
    split::FUNCTIONS,
];
