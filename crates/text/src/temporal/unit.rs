//! Units of time that EXTRACT, FLOOR, CEIL, TIMESTAMPADD and TIMESTAMPDIFF name.

use std::fmt;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are SQL's
pub enum TimeUnit {
    Millennium,
    Century,
    Decade,
    Year,
    IsoYear,
    Quarter,
    Month,
    Week,
    Day,
    Dow,
    IsoDow,
    Doy,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Epoch,
}

impl TimeUnit {
    /// Every unit with its name.
    pub const ALL: [(TimeUnit, &'static str); 19] = [
        (TimeUnit::Millennium, "MILLENNIUM"),
        (TimeUnit::Century, "CENTURY"),
        (TimeUnit::Decade, "DECADE"),
        (TimeUnit::Year, "YEAR"),
        (TimeUnit::IsoYear, "ISOYEAR"),
        (TimeUnit::Quarter, "QUARTER"),
        (TimeUnit::Month, "MONTH"),
        (TimeUnit::Week, "WEEK"),
        (TimeUnit::Day, "DAY"),
        (TimeUnit::Dow, "DOW"),
        (TimeUnit::IsoDow, "ISODOW"),
        (TimeUnit::Doy, "DOY"),
        (TimeUnit::Hour, "HOUR"),
        (TimeUnit::Minute, "MINUTE"),
        (TimeUnit::Second, "SECOND"),
        (TimeUnit::Millisecond, "MILLISECOND"),
        (TimeUnit::Microsecond, "MICROSECOND"),
        (TimeUnit::Nanosecond, "NANOSECOND"),
        (TimeUnit::Epoch, "EPOCH"),
    ];

    /// The unit of a name, in any case; also the forms `SQL_TSI_DAY` and `FRAC_SECOND` that TIMESTAMPADD takes.
    pub fn of(name: &str) -> Option<TimeUnit> {
        let upper = name.to_ascii_uppercase();
        let name = upper.strip_prefix("SQL_TSI_").unwrap_or(&upper);
        if matches!(name, "FRAC_SECOND" | "MICROSECONDS") {
            return Some(TimeUnit::Microsecond);
        }
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(u, _)| *u)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(u, _)| *u == self).map_or("", |(_, n)| n)
    }

    /// Months of a unit that counts months.
    pub fn months(self) -> Option<i64> {
        Some(match self {
            TimeUnit::Millennium => 12_000,
            TimeUnit::Century => 1200,
            TimeUnit::Decade => 120,
            TimeUnit::Year | TimeUnit::IsoYear => 12,
            TimeUnit::Quarter => 3,
            TimeUnit::Month => 1,
            _ => return None,
        })
    }

    /// Milliseconds of a unit from milliseconds to weeks.
    pub fn millis(self) -> Option<i64> {
        Some(match self {
            TimeUnit::Week => 7 * 86_400_000,
            TimeUnit::Day => 86_400_000,
            TimeUnit::Hour => 3_600_000,
            TimeUnit::Minute => 60_000,
            TimeUnit::Second => 1000,
            TimeUnit::Millisecond => 1,
            _ => return None,
        })
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
