//! `millstream explain-event`.

use millstream::Restore;

use crate::arguments::{ExplainEventArguments, SqlArguments};
use crate::explain::{BETWEEN, in_its_text};
use crate::output;
use crate::text;
use crate::{DONE, FAILED, WRONG_TEXT};

/// Prints what a rule makes of each record of a file.
pub fn explain_event(mut arguments: ExplainEventArguments) -> u8 {
    let Some(file) = arguments.files.pop() else { return WRONG_TEXT };
    let sql = SqlArguments { files: arguments.files, sql: None, options: arguments.options };
    let texts = match text::read(&sql) {
        Ok(texts) => texts,
        Err(code) => return code,
    };
    let session = match text::session(&sql, &texts, Restore::None) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let events = match std::fs::read(&file) {
        Ok(events) => events,
        Err(e) => {
            eprintln!("error: {} cannot be read: {e}", file.display());
            return FAILED;
        }
    };
    let joined = texts.iter().map(|t| t.sql.as_str()).collect::<Vec<_>>().join(BETWEEN);
    let explanation = match session.explain(&joined) {
        Ok(explanation) => explanation,
        Err(faults) => {
            for fault in &faults.faults {
                eprintln!("{}", in_its_text(fault, &texts, &joined));
            }
            return WRONG_TEXT;
        }
    };
    let mut unknown = None;
    for plan in explanation.plans() {
        match session.explain_event(plan, &arguments.rule, &events) {
            Ok(verdicts) => {
                let shown: Vec<String> = verdicts.iter().map(ToString::to_string).collect();
                return output::answer(&shown.join("\n\n"), DONE);
            }
            Err(fault) if fault.code() == "no-rule" => unknown = unknown.or(Some(fault)),
            Err(fault) => {
                eprintln!("error: {fault}");
                return FAILED;
            }
        }
    }
    match unknown {
        Some(fault) => eprintln!("error: {fault}"),
        None => eprintln!("error: the text has no INSERT and no SELECT"),
    }
    WRONG_TEXT
}
