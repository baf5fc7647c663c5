//! Syslog: lines as BSD's syslog writes them (RFC 3164, with the forms that are met in the wild) and as RFC 5424 has them, taken apart into columns
//! by name.
//!
//! # What slices hold
//! The part of the line itself; names and numbers of facilities and severities, which are not in the line, are in `Side`.

mod columns;
mod cut;
mod line;
mod options;
mod time;

use millstream_flow::{
    ChangelogMode, Decoder, DecoderSpec, Encoder, EncoderSpec, Format, FormatCard, Framing, Options,
};
use millstream_types::Fault;

#[cfg(test)]
mod tests;

/// The format `syslog`.
#[derive(Debug)]
pub struct Syslog;

const CARD: FormatCard = FormatCard {
    name: "syslog",
    doc: "Lines of RFC 5424 and RFC 3164, each told by itself; of the latter also without priority or host, with a year, fractions of seconds or an ISO \
          time. Columns are found by their names, whatever their case: `facility` and `severity` (STRING: the name, `auth`, `err`; INT: the number), \
          `priority` INT, `timestamp` (TIMESTAMP, TIMESTAMP_LTZ, or STRING as it is written; also `log_time`), `hostname`, `app_name` (also `tag`), \
          `procid` (also `pid`), `msgid`, `structured_data` (STRING, or MAP<STRING, MAP<STRING, STRING>> by element and parameter), `message` (also `msg`, \
          `data`) and `raw`, the whole line. What a line does not have is NULL. A line without priority and without time is a bad record, and so is one \
          whose time or structured data are none. Times without a zone are those of `table.local-time-zone`.",
    options: options::CARDS,
    metadata: &[],
    decodes: Some(ChangelogMode::Append),
    encodes: None,
    by_position: false,
};

impl Format for Syslog {
    fn card(&self) -> &'static FormatCard {
        &CARD
    }

    fn framing(&self, options: &Options) -> Result<Framing, Fault> {
        options::SyslogOptions::read(options)?;
        Ok(Framing::default())
    }

    fn decoder(&self, spec: DecoderSpec) -> Result<Box<dyn Decoder>, Fault> {
        Ok(Box::new(cut::SyslogDecoder::new(&spec)?))
    }

    fn encoder(&self, _: EncoderSpec) -> Result<Box<dyn Encoder>, Fault> {
        Err(Fault::user("not-a-sink", "the format 'syslog' can only be read")
            .hint("write lines with the format 'raw' and a column that CONCAT puts together"))
    }
}
