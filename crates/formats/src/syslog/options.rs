//! The options of `syslog`, read once.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_types::Fault;

/// Options, for the manual and for the planner's checks.
pub(super) const CARDS: &[OptionCard] = &[
    OptionCard {
        key: "ignore-parse-errors",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("false"),
        required: false,
        secret: false,
        doc: "Whether lines that are no syslog are left out and counted; otherwise they are bad records, as `bad-records` has it.",
    },
    OptionCard {
        key: "year",
        aliases: &[],
        kind: OptionKind::Integer,
        default: None,
        required: false,
        secret: false,
        doc: "The year of times that do not say it (RFC 3164). Not set: the latest year in which the time is at most a day ahead of the clock, so that \
              lines of December that are read in January are last year's.",
    },
];

/// The options, read.
#[derive(Debug, Clone)]
pub(super) struct SyslogOptions {
    pub ignore_errors: bool,
    pub year: Option<i64>,
}

impl SyslogOptions {
    /// # Errors
    /// User, for a wrong value.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let year = match options.get("year") {
            None => None,
            Some(_) => Some(options.integer("year", 0)?),
        };
        if let Some(year) = year
            && !(1..=9999).contains(&year)
        {
            return Err(Fault::user("bad-option", format!("option 'syslog.year' has the value '{year}'"))
                .hint("write a year from 1 to 9999"));
        }
        Ok(SyslogOptions { ignore_errors: options.boolean("ignore-parse-errors", false)?, year })
    }
}
