//! Dates, times and zones as text, and the calendar's arithmetic, as Flink has them from java.time,
//! `SimpleDateFormat` and its own `DateTimeUtils`.
//!
//! A DATE is days since 1970-01-01, a TIME milliseconds of the day; a TIMESTAMP is read and written by way of
//! [`DateTime`], which converts to and from the micro- or nanoseconds of a column. An instant is counted from
//! 1970-01-01T00:00:00Z.

mod arithmetic;
mod civil;
mod interval;
mod json;
mod names;
mod pattern;
mod simple;
mod sql;
mod unit;
mod zone;

pub use arithmetic::{
    add_months, add_months_to_date, ceil_date, ceil_millis, extract, extract_from_date, floor_date,
    floor_millis, months_between, months_between_dates, timestamp_to_date, timestamp_to_time,
};
pub use civil::{DateTime, civil_from_days, day_of_year, days_from_civil, iso_week, weekday};
pub use interval::{push_interval_millis, push_interval_months};
pub use json::{
    TimestampStandard, parse_json_date, parse_json_instant, parse_json_time, parse_json_timestamp,
    push_json_date, push_json_instant, push_json_time, push_json_timestamp,
};
pub use pattern::{DatePattern, Parsed};
pub use simple::SimplePattern;
pub use sql::{
    parse_date, parse_date_literal, parse_time, parse_time_literal, parse_timestamp, parse_timestamp_literal,
    push_date, push_time, push_timestamp, timestamp_value_of,
};
pub use unit::TimeUnit;
pub use zone::{Overlap, Zone, ZoneCursor};

#[cfg(test)]
mod tests;
