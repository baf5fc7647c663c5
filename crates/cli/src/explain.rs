//! `millstream explain`.

use std::path::PathBuf;

use millstream::types::{Fault, Span};
use millstream::{Restore, Session};

use crate::arguments::ExplainArguments;
use crate::output;
use crate::text::{self, Text};
use crate::{DONE, FAILED, WRONG_TEXT};

/// What stands between two texts that are planned as one.
pub const BETWEEN: &str = "\n;\n";

/// Prints the plans of the texts, or what their rules cost.
pub async fn explain(mut arguments: ExplainArguments) -> u8 {
    if arguments.rules && arguments.sample.is_none() {
        arguments.sample = sample_behind(&mut arguments.text.text.files);
    }
    let arguments = &arguments;
    let texts = match text::read(&arguments.text.text) {
        Ok(texts) => texts,
        Err(code) => return code,
    };
    let session = match text::session(&arguments.text.text, &texts, Restore::None) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let sql: Vec<&str> = texts.iter().map(|t| t.sql.as_str()).collect();
    let sql = sql.join(BETWEEN);
    let explanation = match session.explain(&sql) {
        Ok(explanation) => explanation,
        Err(faults) => {
            for fault in &faults.faults {
                eprintln!("{}", in_its_text(fault, &texts, &sql));
            }
            return WRONG_TEXT;
        }
    };
    if arguments.rules {
        return rules(session, explanation.plans(), arguments).await;
    }
    let answer = if arguments.text.json {
        explanation.to_json().to_string()
    } else {
        explanation.to_text().to_string()
    };
    output::answer(&answer, DONE)
}

/// A sample that stands behind the SQL files.
fn sample_behind(files: &mut Vec<PathBuf>) -> Option<PathBuf> {
    let is_sql = |p: &PathBuf| p.as_os_str() == "-" || p.extension().is_some_and(|e| e == "sql");
    if files.len() < 2 {
        return None;
    }
    files.pop_if(|last| !is_sql(last))
}

/// A fault of the joined texts, with the file and the line of the text that it is in.
pub fn in_its_text(fault: &Fault, texts: &[Text], joined: &str) -> String {
    let Some(span) = fault.span() else { return fault.render("", joined) };
    let mut start = 0;
    for text in texts {
        let end = start + text.sql.len();
        // What is wrong at the end of a text is behind its last byte.
        if (start..=end).contains(&(span.start as usize)) {
            let from_start = |at: u32| (at as usize).saturating_sub(start);
            let mut own = Fault::new(fault.kind(), fault.code(), fault.message())
                .at(Span::new(from_start(span.start), from_start(span.end)));
            if let Some(place) = fault.place() {
                own = own.in_place(place);
            }
            if let Some(remedy) = fault.remedy() {
                own = own.hint(remedy);
            }
            return own.render(&text.origin, &text.sql);
        }
        start = end + BETWEEN.len();
    }
    fault.render("", joined)
}

async fn rules(mut session: Session, plans: &[millstream::JobPlan], arguments: &ExplainArguments) -> u8 {
    for plan in plans {
        match session.explain_rules(plan.clone(), arguments.sample.as_deref()).await {
            Ok(table) => match output::answer(&table.to_string(), DONE) {
                DONE => {}
                code => return code,
            },
            Err(fault) => {
                eprintln!("error: {fault}");
                return FAILED;
            }
        }
    }
    DONE
}
