//! Functions that the program registers, in SQL.

use std::sync::Arc;

use millstream::arrow::array::{ArrayRef, StringArray};
use millstream::kernel::Arguments;
use millstream::registered::{ScalarFunction, VectorFunction};
use millstream::types::{DataType, TypeKind, Value};
use millstream::{EvalContext, EvalError, Session};

/// The first characters, for whole columns.
struct Initial;

impl VectorFunction for Initial {
    fn parameters(&self) -> Vec<TypeKind> {
        vec![TypeKind::STRING]
    }

    fn result(&self, arguments: &[DataType]) -> DataType {
        DataType::string().with_nullable(arguments.iter().any(|a| a.nullable))
    }

    fn eval(&self, arguments: &Arguments<'_>, _: &EvalContext) -> Result<ArrayRef, EvalError> {
        let text = arguments.strings(0)?;
        let initial = |row| text.get(row).and_then(|t| t.chars().next()).map(String::from);
        Ok(Arc::new((0..arguments.rows()).map(initial).collect::<StringArray>()))
    }
}

async fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    let mut rows = session.query(sql).await.unwrap();
    let mut all = Vec::new();
    while let Some(batch) = rows.next().await.unwrap() {
        all.extend((0..batch.rows).map(|row| batch.row(row)));
    }
    all
}

fn session() -> Session {
    let mut session = Session::new();
    session
        .register_scalar("shorten", |text: &str, length: i64| -> Option<String> {
            let length = usize::try_from(length).ok()?;
            Some(text.chars().take(length).collect())
        })
        .unwrap();
    session.register_vectorized("first_letter", Initial).unwrap();
    let strict = ScalarFunction::new("even_half", |n: i32| -> Result<i32, String> {
        if n % 2 == 0 { Ok(n / 2) } else { Err(format!("{n} is odd")) }
    });
    session.register(strict.doc("Half of an even number.").example("even_half(4)", "2")).unwrap();
    session
}

#[tokio::test]
async fn registered_functions_are_called_by_sql() {
    let mut session = session();
    let sql = "SELECT SHORTEN(t, n), first_letter(UPPER(t)) FROM (VALUES ('stream', 3), ('mill', -1), (CAST(NULL AS STRING), 1)) AS v(t, n) \
               WHERE shorten('ab', 1) = 'a' AND (t IS NULL OR first_letter(t) IN ('s', 'm'))";
    let got = rows(&mut session, sql).await;
    let text = |t: &str| Value::from(t);
    let wanted =
        [[text("str"), text("S")], [Value::Null, text("M")], [Value::Null, Value::Null]].map(|r| r.to_vec());
    assert_eq!(got, wanted);
    // In a view, and as an argument of a built-in function and of themselves.
    let sql = "CREATE TEMPORARY VIEW v AS SELECT CONCAT(first_letter(t), first_letter(shorten(t, 1))) AS i FROM (VALUES ('ab'), ('ac')) AS v(t); \
               SELECT i FROM v WHERE even_half(CHAR_LENGTH(i)) = 1";
    assert_eq!(rows(&mut session, sql).await, [[text("aa")], [text("aa")]].map(|r| r.to_vec()));
}

#[tokio::test]
async fn wrong_uses_are_told() {
    let mut session = session();
    let told = |sql: &str| session.check(sql).iter().map(|f| format!("{f:?}")).collect::<String>();
    assert!(
        told("SELECT shorten(1, 1)").contains("shorten(STRING, BIGINT) -> STRING"),
        "{}",
        told("SELECT shorten(1, 1)")
    );
    assert!(told("SELECT shorten('a')").contains("argument-count"));
    assert!(told("SELECT shortn('a', 1)").contains("did you mean shorten?"));
    assert!(told("SELECT shorten(DISTINCT 'a', 1)").contains("no-aggregate"));
    let mut rows = session.query("SELECT even_half(n) FROM (VALUES (4), (3)) AS v(n)").await.unwrap();
    let failed = loop {
        match rows.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the odd row has no result"),
            Err(f) => break f,
        }
    };
    assert!(failed.message().contains("function 'even_half' failed: 3 is odd"), "{failed:?}");
    let hidden = session.register_scalar("UPPER", |t: &str| t.to_string()).unwrap_err();
    assert_eq!(hidden.code(), "function-exists");
}

#[tokio::test]
async fn they_are_documented() {
    let session = session();
    assert!(session.functions().iter().any(|n| n == "even_half"));
    assert!(session.function_markdown("EVEN_HALF").unwrap().contains("Half of an even number."));
    assert!(session.function_markdown("upper").is_some());
    assert!(session.check("DESCRIBE FUNCTION even_half; SHOW FUNCTIONS").is_empty());
}
