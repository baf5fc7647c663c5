//! English names of months, days and the rest, as Java's root of all locales (en-US) has them.

/// January to December.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Monday to Sunday.
pub(crate) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Halves of a day.
pub(crate) const HALVES: [&str; 2] = ["AM", "PM"];

/// Eras: short, full.
pub(crate) const ERAS: [(&str, &str); 2] = [("BC", "Before Christ"), ("AD", "Anno Domini")];

/// Quarters in full.
pub(crate) const QUARTERS: [&str; 4] = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"];

/// The first letters of a name.
pub(crate) fn cut(name: &'static str, letters: usize) -> &'static str {
    name.get(..letters).unwrap_or(name)
}

/// A name of a table by its number, which counts from 1.
pub(crate) fn nth(table: &[&'static str], number: i64) -> &'static str {
    usize::try_from(number - 1).ok().and_then(|i| table.get(i)).copied().unwrap_or("")
}
