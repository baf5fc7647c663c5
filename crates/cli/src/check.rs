//! `millstream check`.

use millstream::Restore;
use millstream_types::Fault;
use serde_json::json;

use crate::arguments::TextArguments;
use crate::output;
use crate::text::{self, Text};
use crate::{DONE, WRONG_TEXT};

/// Prints every fault of the texts.
pub fn check(arguments: &TextArguments) -> u8 {
    let texts = match text::read(&arguments.text) {
        Ok(texts) => texts,
        Err(code) => return code,
    };
    let mut session = match text::session(&arguments.text, &texts, Restore::None) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let all: Vec<_> =
        texts.iter().zip(text::prepare(&mut session, &texts).into_iter().map(|p| p.1)).collect();
    let count: usize = all.iter().map(|(_, f)| f.len()).sum();
    let text = if arguments.json {
        let list: Vec<_> = all.iter().flat_map(|(t, faults)| faults.iter().map(|f| as_json(t, f))).collect();
        json!({ "faults": list }).to_string()
    } else {
        let mut lines: Vec<String> = Vec::new();
        for (t, faults) in &all {
            lines.extend(faults.iter().map(|f| f.render(&t.origin, &t.sql)));
        }
        lines.push(match count {
            0 => "no faults".to_string(),
            1 => "1 fault".to_string(),
            n => format!("{n} faults"),
        });
        lines.join("\n")
    };
    output::answer(&text, if count == 0 { DONE } else { WRONG_TEXT })
}

fn as_json(text: &Text, fault: &Fault) -> serde_json::Value {
    let place = fault.span().map(|s| {
        let (line, column) = s.line_column(&text.sql);
        json!({ "file": text.origin, "line": line, "column": column, "start": s.start, "end": s.end })
    });
    json!({
        "kind": format!("{:?}", fault.kind()),
        "code": fault.code(),
        "message": fault.message(),
        "in": fault.place(),
        "at": place,
        "help": fault.remedy(),
    })
}
