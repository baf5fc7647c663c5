//! Where two readers of one source stand to each other.

use std::cmp::Ordering;

use millstream_flow::{Offset, Source};

use super::splits::Splits;
use crate::checkpoint::ManifestSplit;

/// Where a reader stands, seen from another one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Both have read the same.
    Level,
    /// It has these splits to read up to where the other one is, each by its number.
    Behind(Vec<Target>),
    /// The other one has to read first.
    Ahead,
    /// Neither will come to stand where the other one does.
    Apart,
}

/// Where reading a split has to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) split: usize,
    /// `None`: to its end.
    pub(super) offset: Option<Offset>,
}

/// How a reader stands to `other`. Splits that only one of them knows are no matter as long as nobody has begun them; `other`'s may also be
/// gone from the source by now. Jobs over a bounded source keep to the splits that they found first, so theirs must be the same.
pub(super) fn standing(own: &Splits, other: &[ManifestSplit], source: &dyn Source) -> Standing {
    let mut targets = Vec::new();
    let mut ahead = false;
    for state in own.states.iter() {
        if !other.iter().any(|o| *o.id == *state.split.id) {
            if source.is_bounded() {
                return Standing::Apart;
            }
            ahead |= state.finished || state.offset.is_some();
        }
    }
    for o in other {
        let Some(split) = own.states.iter().position(|s| *s.split.id == *o.id) else {
            if source.is_bounded() {
                return Standing::Apart;
            }
            continue;
        };
        let Some(state) = own.states.get(split) else { continue };
        let theirs = o.offset.clone().map(Offset);
        match (state.finished, o.finished) {
            (true, true) => {}
            (true, false) => ahead = true,
            (false, true) => targets.push(Target { split, offset: None }),
            (false, false) => match (&state.offset, theirs) {
                (None, None) => {}
                (Some(_), None) => ahead = true,
                (None, Some(theirs)) => targets.push(Target { split, offset: Some(theirs) }),
                (Some(own), Some(theirs)) => match source.order(own, &theirs) {
                    Some(Ordering::Equal) => {}
                    Some(Ordering::Less) => targets.push(Target { split, offset: Some(theirs) }),
                    Some(Ordering::Greater) => ahead = true,
                    None => return Standing::Apart,
                },
            },
        }
    }
    match (targets.is_empty(), ahead) {
        (true, false) => Standing::Level,
        (true, true) => Standing::Ahead,
        (false, false) => Standing::Behind(targets),
        (false, true) => Standing::Apart,
    }
}
