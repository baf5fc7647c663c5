//! The examples of the manual: `SELECT expression` gives the result that the function's definition says.

use millstream::Session;
use millstream::functions::scalar;
use millstream::types::Value;

use crate::rows;

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
    let mut session = Session::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    for function in scalar::all() {
        for example in function.examples {
            count += 1;
            match text_of(&mut session, example.expr).await {
                Ok(text) if text == example.result => {}
                other => wrong.push(format!(
                    "{}: {} is {other:?}, not {}",
                    function.name, example.expr, example.result
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} examples are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
