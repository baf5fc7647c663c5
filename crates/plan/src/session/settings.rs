//! SET and RESET: the options of a session and what is derived from them.

use std::sync::{Arc, OnceLock};

use millstream_expr::{BindContext, Resources, check_grok_pattern};
use millstream_flow::{OptionCard, Options};
use millstream_types::{Fault, nearest};

use super::options::{SESSION_OPTIONS, session_option};
use crate::JobSettings;
use crate::catalog::check_value;

/// The options of a session.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What was set, by primary key.
    values: Options,
    /// What functions are lent beside their arguments.
    resources: Resources,
    /// The zone where none is set; empty: UTC.
    system_zone: Arc<str>,
    /// What follows from the others: thousands of statements ask for it between two changes.
    job: OnceLock<JobSettings>,
    bind: OnceLock<BindContext>,
}

/// The value of `table.local-time-zone` that means the machine's zone.
const SYSTEM_ZONE: &str = "default";

/// `grok.pattern.NAME` sets the pattern of a name.
const GROK_PATTERN: &str = "grok.pattern.";

impl Settings {
    /// Sets an option. An unknown one is kept, as Flink does; the warning then says so.
    ///
    /// # Errors
    /// User, when the value is not one of the option's.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Option<Fault>, Fault> {
        self.changes();
        let Some(card) = session_option(key) else {
            self.values.set(key, value);
            return Ok(Some(unknown(key)));
        };
        check_value(card, key, value)?;
        match card.key {
            "table.local-time-zone" if value.trim() != SYSTEM_ZONE => {
                millstream_expr::check_time_zone(value.trim())?;
            }
            "table.optimizer.non-deterministic-update.strategy"
                if value.trim().eq_ignore_ascii_case("TRY_RESOLVE") =>
            {
                return Err(Fault::not_yet("looking for non-deterministic values under updates")
                    .hint("leave it at IGNORE, Flink's default"));
            }
            "parallelism.default" => check_parallelism(key, value)?,
            "table.sql-dialect" if value.trim().eq_ignore_ascii_case("hive") => {
                return Err(
                    Fault::not_yet("the Hive dialect").hint("write statements in the default dialect")
                );
            }
            _ => {}
        }
        if let Some(name) = key.strip_prefix(GROK_PATTERN) {
            // As it is: spaces at its ends are part of a pattern.
            let file = self.get("grok.patterns-file").map(Arc::from);
            let known = self.resources.with(self.grok_patterns(), file, None);
            check_grok_pattern(name, value, &known.grok_definitions()?)?;
            self.values.set(key, value);
        } else {
            self.values.set(card.key, value.trim());
        }
        Ok(None)
    }

    /// Takes an option back to its default; the warning says that the key is not known.
    pub fn reset(&mut self, key: &str) -> Option<Fault> {
        self.changes();
        match session_option(key) {
            Some(card) => {
                self.values.remove(primary(card, key));
                None
            }
            None if self.values.remove(key).is_some() => None,
            None => Some(unknown(key)),
        }
    }

    /// Takes all options back to their defaults.
    pub fn reset_all(&mut self) {
        self.changes();
        self.values = Options::default();
    }

    /// The value of an option: as set, else its default.
    pub fn get(&self, key: &str) -> Option<&str> {
        let card = session_option(key);
        self.values.get(card.map_or(key, |c| primary(c, key))).or_else(|| card.and_then(|c| c.default))
    }

    /// What was set, sorted by key.
    pub fn changed(&self) -> &Options {
        &self.values
    }

    /// Whether queries run in batch mode.
    pub fn batch(&self) -> bool {
        self.is("execution.runtime-mode", "BATCH")
    }

    /// `table.local-time-zone`: as set, else the machine's ([`Settings::set_system_zone`]).
    pub fn zone(&self) -> Arc<str> {
        match self.get("table.local-time-zone").filter(|z| *z != SYSTEM_ZONE) {
            Some(zone) => Arc::from(zone),
            None if self.system_zone.is_empty() => Arc::from("UTC"),
            None => self.system_zone.clone(),
        }
    }

    /// Says which zone the machine is in, which holds where none is set; one that is not known is passed over.
    pub fn set_system_zone(&mut self, zone: &str) {
        if millstream_expr::check_time_zone(zone).is_ok() {
            self.changes();
            self.system_zone = Arc::from(zone);
        }
    }

    /// Whether an option has a value; case does not count.
    pub fn is(&self, key: &str, value: &str) -> bool {
        self.get(key).is_some_and(|v| v.trim().eq_ignore_ascii_case(value))
    }

    /// What functions see of the session.
    pub fn bind_context(&self) -> BindContext {
        self.bind.get_or_init(|| self.derived_context()).clone()
    }

    fn derived_context(&self) -> BindContext {
        let job = self.job();
        BindContext {
            zone: job.zone.clone(),
            batch: job.batch,
            legacy_cast: self.is("table.exec.legacy-cast-behaviour", "ENABLED"),
            resources: self.resources.with(
                self.grok_patterns(),
                self.get("grok.patterns-file").map(Arc::from),
                self.get("ip2region.file").map(Arc::from),
            ),
        }
    }

    /// What follows from the settings is no longer true.
    fn changes(&mut self) {
        self.job.take();
        self.bind.take();
    }

    /// Says where files are read that functions look things up in.
    pub fn lend(&mut self, resources: Resources) {
        self.changes();
        self.resources = resources;
    }

    /// The grok patterns that were set, one a line.
    fn grok_patterns(&self) -> Arc<str> {
        let mut lines = String::new();
        for (key, pattern) in self.values.iter() {
            if let Some(name) = key.strip_prefix(GROK_PATTERN) {
                lines.push_str(&format!("{name} {pattern}\n"));
            }
        }
        lines.into()
    }

    /// What a job needs of the session. Options with a default that were not set are in it, too.
    pub fn job_settings(&self) -> JobSettings {
        self.job().clone()
    }

    fn job(&self) -> &JobSettings {
        self.job.get_or_init(|| self.derived())
    }

    fn derived(&self) -> JobSettings {
        let number =
            |key: &str| self.get(key).and_then(|v| v.trim().parse::<usize>().ok()).filter(|n| *n > 0);
        let own = number("table.exec.resource.default-parallelism");
        let parallelism = own.or_else(|| number("parallelism.default")).unwrap_or(1);
        let mut options: Options = SESSION_OPTIONS.iter().filter_map(|o| Some((o.key, o.default?))).collect();
        for (key, value) in self.values.iter() {
            options.set(key, value);
        }
        JobSettings { batch: self.batch(), zone: self.zone(), parallelism, options }
    }
}

/// The key that a value is kept under.
fn primary<'k>(card: &'k OptionCard, key: &'k str) -> &'k str {
    if card.key.contains('#') { key } else { card.key }
}

fn unknown(key: &str) -> Fault {
    let known = SESSION_OPTIONS.iter().flat_map(|o| o.aliases.iter().copied().chain([o.key]));
    let fault = Fault::user(
        "unknown-setting",
        format!("'{key}' is not a known option; it is kept, but does nothing"),
    );
    match nearest(key, known) {
        Some(near) => fault.hint(format!("did you mean '{near}'?")),
        None => fault.hint("see the list of session options in the manual"),
    }
}

fn check_parallelism(key: &str, value: &str) -> Result<(), Fault> {
    match value.trim().parse::<i64>() {
        Ok(n) if (1..=1024).contains(&n) => Ok(()),
        _ => Err(Fault::user(
            "bad-option",
            format!("option '{key}' has the value '{value}', which is not from 1 to 1024"),
        )
        .hint("set it to the number of cores, or to 1")),
    }
}
