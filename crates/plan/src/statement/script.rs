//! Checking a whole script: every fault, not only the first one, and none that only follows from another.

use millstream_sql::parse_script;
use millstream_types::Fault;

use super::{Planned, SessionState};
use crate::JobPlan;
use crate::catalog::{FOLLOW_UP, ObjectPath, Stored};

/// What checking a script found.
#[derive(Debug, Default)]
pub struct CheckedScript {
    /// What is wrong, in order of the text.
    pub faults: Vec<Fault>,
    /// What is doubtful (an unknown option of SET).
    pub warnings: Vec<Fault>,
    /// The plans of queries and INSERTs that are right so far, not optimized yet.
    pub plans: Vec<JobPlan>,
    /// How many statements were read.
    pub statements: usize,
}

/// Checks all statements of a script. Those that change the catalog or settings do so in `state`; nothing else happens.
pub fn check_script(state: &mut SessionState, text: &str) -> CheckedScript {
    let (statements, mut faults) = parse_script(text);
    state.remember_unread(text, &faults);
    let mut checked = CheckedScript { statements: statements.len(), ..CheckedScript::default() };
    for statement in &statements {
        match state.execute(statement, text) {
            Ok(Planned::Done(warnings)) => checked.warnings.extend(warnings),
            Ok(Planned::Query(plan) | Planned::Insert(plan) | Planned::Explain(plan, _)) => {
                checked.plans.push(*plan)
            }
            Ok(_) => {}
            Err(fault) if fault.code() == FOLLOW_UP => {}
            Err(fault) => faults.push(fault),
        }
    }
    faults.sort_by_key(|f| f.span().map(|s| s.start));
    checked.faults = faults;
    checked
}

impl SessionState {
    /// Keeps the names of tables and views whose CREATE could not be read, as failed, so that their uses are not faults of their own.
    /// `faults` are those of reading `text`.
    pub fn remember_unread(&mut self, text: &str, faults: &[Fault]) {
        for fault in faults {
            let Some(object) = fault.span().and_then(|s| created_before(text, s.start as usize)) else {
                continue;
            };
            let path = ObjectPath {
                catalog: self.namespace.catalog.clone(),
                database: self.namespace.database.clone(),
                object,
            };
            if self.catalogs.object(&path).is_none() {
                // A database that is not there cannot hold the name, and needs no such care.
                let _ = self.catalogs.put(&path, Stored::Failed, false);
            }
        }
    }
}

/// The name that the statement around a place creates, read without a parser: the statement is not one.
fn created_before(text: &str, place: usize) -> Option<String> {
    let mut end = place.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text.get(..end)?;
    let statement = before.rsplit(';').next()?;
    let upper = statement.to_ascii_uppercase();
    let create = upper.find("CREATE")?;
    let words: Vec<&str> = statement.get(create..)?.split_whitespace().collect();
    let kind =
        words.iter().position(|w| w.eq_ignore_ascii_case("TABLE") || w.eq_ignore_ascii_case("VIEW"))?;
    let skip = |w: &&&str| !["IF", "NOT", "EXISTS"].iter().any(|k| w.eq_ignore_ascii_case(k));
    let name = words.get(kind + 1..)?.iter().find(skip)?;
    let name = name.split(['(', ' ']).next()?;
    let last = name.rsplit('.').next()?.trim_matches('`');
    (!last.is_empty()).then(|| last.to_string())
}

#[cfg(test)]
mod tests {
    use super::created_before;

    #[test]
    fn names_of_broken_statements() {
        let text = "SET 'a' = 'b'; CREATE TABLE IF NOT EXISTS db.`t`(a INT,, b INT)";
        assert_eq!(created_before(text, text.find(",,").unwrap()).as_deref(), Some("t"));
        assert_eq!(created_before("SELECT 1 FROM", 10), None);
    }
}
