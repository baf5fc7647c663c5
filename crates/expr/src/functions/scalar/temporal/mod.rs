//! Dates, times, timestamps and intervals. (Sums with intervals are operators of the arithmetic family.)

mod adding;
mod current;
mod difference;
mod extract;
mod formats;
mod moments;
mod patterns;
mod reading;
mod rounding;
#[cfg(test)]
mod tests;
mod watermark;

pub(super) use difference::difference;
pub(super) use rounding::round;

use millstream_text::temporal::TimeUnit;
use millstream_types::Fault;

use crate::{Call, Function, Keyword};

pub(super) const FUNCTIONS: &[&[Function]] = &[
    current::FUNCTIONS,
    extract::FUNCTIONS,
    adding::FUNCTIONS,
    difference::FUNCTIONS,
    formats::FUNCTIONS,
    reading::FUNCTIONS,
    watermark::FUNCTIONS,
];

/// The pattern that texts of timestamps have unless one is given.
const DEFAULT_PATTERN: &str = "yyyy-MM-dd HH:mm:ss";

/// The unit that a call names (`unit`, for FLOOR and CEIL also `TO`).
fn unit_of(call: &Call<'_>) -> Result<TimeUnit, Fault> {
    let word = call.keywords.iter().find_map(|(name, keyword)| match keyword {
        Keyword::Word(word) if matches!(*name, "unit" | "TO") => Some(word),
        _ => None,
    });
    let word = word.ok_or_else(|| Fault::internal(format!("{}: no unit", call.name)))?;
    TimeUnit::of(word).ok_or_else(|| {
        Fault::user("argument-types", format!("'{word}' is no unit of time"))
            .at(call.span)
            .hint("units are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND")
    })
}
