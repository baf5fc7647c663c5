//! The examples of the manual: `SELECT expression` gives the result that the function's definition says.

use std::sync::Arc;

use millstream::Session;
use millstream::functions::scalar;
use millstream::types::{Fault, Files, Value};

use crate::rows;

/// The file that IP2REGION's documentation tells of.
#[derive(Debug)]
struct Page;

impl Files for Page {
    fn read(&self, path: &str) -> Result<Vec<u8>, Fault> {
        assert_eq!(path, "regions.csv");
        Ok(b"network,country\n1.0.1.0/24,CN\n".to_vec())
    }

    fn version(&self, _: &str) -> Result<u64, Fault> {
        Ok(1)
    }
}

/// The text of an expression's value.
async fn text_of(session: &mut Session, expression: &str) -> Result<String, String> {
    let sql = format!("SELECT CAST({expression} AS STRING)");
    let faults = session.check(&sql);
    if let Some(fault) = faults.first() {
        return Err(format!("{fault:?}"));
    }
    match rows(session, &sql).await.first().and_then(|(_, row)| row.first().cloned()) {
        Some(Value::Null) => Ok("NULL".into()),
        Some(value) => Ok(value.as_str().unwrap_or("no text").to_string()),
        None => Err("no row".into()),
    }
}

#[tokio::test]
async fn examples_of_the_manual_are_true() {
    let mut session = Session::builder().files(Arc::new(Page)).zone("UTC").build();
    let mut wrong = Vec::new();
    let mut count = 0;
    for function in scalar::all() {
        for example in function.examples {
            if function.name == "CURRENT_WATERMARK" {
                // Needs a table with a watermark.
                continue;
            }
            // Under each of its names, where the example calls it by the first one.
            let called = format!("{}(", function.name);
            // (A FROM inside the parentheses belongs to the one name.)
            let plain = example.expr.contains(&called) && !example.expr.contains(" FROM ");
            let renamed = function.aliases.iter().filter(|_| plain);
            let expressions = renamed.map(|a| example.expr.replace(&called, &format!("`{a}`(")));
            for expression in std::iter::once(example.expr.to_string()).chain(expressions) {
                count += 1;
                match text_of(&mut session, &expression).await {
                    Ok(text) if text == example.result => {}
                    other => wrong.push(format!("{expression} is {other:?}, not {}", example.result)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} examples are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
