//! Patterns of `java.time.format.DateTimeFormatter`, as DATE_FORMAT of a TIMESTAMP and TO_TIMESTAMP take them.

mod compile;
mod print;
mod read;
mod resolve;

pub use read::Parsed;

/// A compiled pattern of `DateTimeFormatter.ofPattern` (locale en-US, resolver SMART).
#[derive(Debug, Clone)]
pub struct DatePattern {
    items: Vec<Item>,
}

/// What a number of the pattern says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Era,
    Year,
    YearOfEra,
    WeekYear,
    Quarter,
    Month,
    Week,
    WeekOfMonth,
    DayOfYear,
    DayOfMonth,
    /// How often its weekday has come in the month.
    WeekdayInMonth,
    /// 1 is Monday.
    Weekday,
    /// 1 is Sunday.
    LocalWeekday,
    AmPm,
    Hour,
    /// 1 to 24.
    ClockHour,
    /// 0 to 11.
    HourOfHalf,
    /// 1 to 12.
    ClockHourOfHalf,
    Minute,
    Second,
    Nano,
    MilliOfDay,
    NanoOfDay,
    JulianDay,
}

/// When a number bears a sign (`java.time.format.SignStyle`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Only minus.
    Normal,
    /// Plus where it has more digits than its width.
    ExceedsPad,
    /// None at all.
    Never,
}

/// How long a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Short,
    Full,
    Narrow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    field: Field,
    least: usize,
    most: usize,
    sign: Sign,
    /// Digits of numbers that follow at once and have a fixed width; -1: is of fixed width itself, behind another
    /// number.
    following: i32,
    /// The last two digits of a year from 2000 to 2099.
    reduced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Literal(String),
    Number(Number),
    /// Digits of the fraction of the second.
    Fraction(usize),
    Text(Field, Style),
    Optional(Vec<Item>),
    /// The next item, filled with spaces to a width.
    Pad(usize, Box<Item>),
    /// An offset from UTC.
    Offset(OffsetStyle),
    /// A zone's id.
    ZoneId,
    /// A zone's name; only to be printed, which no value has a zone for.
    ZoneName,
    /// The part of the day, such as `in the morning`; narrow ones are shorter where there are shorter ones. Only to be printed.
    DayPeriod(bool),
}

/// How an offset is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OffsetStyle {
    /// What stands for 0: `Z`, `+00`, `GMT` …
    zero: &'static str,
    prefix: &'static str,
    colon: bool,
    minutes: Minutes,
    seconds: bool,
    /// One digit of the hour is enough, minutes are left out where they are 0.
    short: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Minutes {
    Always,
    IfNotZero,
}
