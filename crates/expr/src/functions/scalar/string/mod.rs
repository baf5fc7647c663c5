//! Text: characters, parts, positions, replacing, joining and splitting.

mod ancestor;
mod arguments;
mod case;
mod chars;
mod choose;
mod concat;
mod encoding;
mod format;
mod length;
mod maps;
mod pad;
mod parts;
mod predicates;
mod quote;
mod replace;
mod search;
mod slice;
mod split;
#[cfg(test)]
mod tests;
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
    pad::FUNCTIONS,
    length::FUNCTIONS,
    search::FUNCTIONS,
    replace::FUNCTIONS,
    split::FUNCTIONS,
    parts::FUNCTIONS,
    maps::FUNCTIONS,
    choose::FUNCTIONS,
    predicates::FUNCTIONS,
    encoding::FUNCTIONS,
    quote::FUNCTIONS,
    format::FUNCTIONS,
    ancestor::FUNCTIONS,
];
