//! `millstream explain`.

use millstream::{Restore, Session};

use crate::arguments::ExplainArguments;
use crate::text;
use crate::{DONE, FAILED, WRONG_TEXT};

/// Prints the plans of the texts, or what their rules cost.
pub async fn explain(arguments: &ExplainArguments) -> u8 {
    let texts = match text::read(&arguments.text.text) {
        Ok(texts) => texts,
        Err(code) => return code,
    };
    let session = match text::session(&arguments.text.text, &texts, Restore::None) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let sql: Vec<&str> = texts.iter().map(|t| t.sql.as_str()).collect();
    let sql = sql.join("\n;\n");
    let origin = texts.first().map_or("", |t| t.origin.as_str());
    let explanation = match session.explain(&sql) {
        Ok(explanation) => explanation,
        Err(faults) => {
            eprint!("{}", faults.render(origin));
            return WRONG_TEXT;
        }
    };
    if arguments.rules {
        return rules(session, explanation.plans(), arguments).await;
    }
    if arguments.text.json {
        println!("{}", explanation.to_json());
    } else {
        println!("{}", explanation.to_text());
    }
    DONE
}

async fn rules(mut session: Session, plans: &[millstream::JobPlan], arguments: &ExplainArguments) -> u8 {
    for plan in plans {
        match session.explain_rules(plan.clone(), arguments.sample.as_deref()).await {
            Ok(table) => println!("{table}"),
            Err(fault) => {
                eprintln!("error: {fault}");
                return FAILED;
            }
        }
    }
    DONE
}
