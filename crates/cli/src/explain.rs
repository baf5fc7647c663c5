//! `millstream explain`.

use millstream::Restore;

use crate::arguments::TextArguments;
use crate::text;
use crate::{DONE, WRONG_TEXT};

/// Prints the plans of the texts.
pub fn explain(arguments: &TextArguments) -> u8 {
    let texts = match text::read(&arguments.text) {
        Ok(texts) => texts,
        Err(code) => return code,
    };
    let session = match text::session(&arguments.text, &texts, Restore::None) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let sql: Vec<&str> = texts.iter().map(|t| t.sql.as_str()).collect();
    let origin = texts.first().map_or("", |t| t.origin.as_str());
    match session.explain(&sql.join("\n;\n")) {
        Ok(explanation) if arguments.json => println!("{}", explanation.to_json()),
        Ok(explanation) => println!("{}", explanation.to_text()),
        Err(faults) => {
            eprint!("{}", faults.render(origin));
            return WRONG_TEXT;
        }
    }
    DONE
}
