//! What a person reads when a text is wrong. Each remedy, when followed, makes the text pass.

// A test that stops at once says best what is wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use millstream_sql::{parse_script, parse_statement};

/// The wrong text, `message / remedy`, and the text that follows the remedy.
const FAULTS: &[(&str, &str, &str)] = &[
    // Missing and superfluous signs
    (
        "CREATE TABLE t (a INT b STRING)",
        "expected ',' or ')' but found 'b' / is a comma missing before 'b'?",
        "CREATE TABLE t (a INT, b STRING)",
    ),
    (
        "CREATE TABLE t (a INT WITH ('k'='v')",
        "expected ',' or ')' but found 'WITH' / is a ')' missing before 'WITH'?",
        "CREATE TABLE t (a INT) WITH ('k'='v')",
    ),
    (
        "SELECT a, FROM t",
        "expected an expression but found 'FROM' / remove the comma before it",
        "SELECT a FROM t",
    ),
    (
        "SELECT a FROM t WHERE a IN (1, 2,)",
        "expected an expression but found ')' / remove the comma before it",
        "SELECT a FROM t WHERE a IN (1, 2)",
    ),
    (
        "SELECT a b c FROM t",
        "expected ',' or FROM but found 'c' / is a comma missing before 'c'?",
        "SELECT a b, c FROM t",
    ),
    (
        "SELECT (a + 1 FROM t",
        "expected ')' but found 'FROM' / the '(' at line 1, column 8 is not closed",
        "SELECT (a + 1) FROM t",
    ),
    (
        "SELECT a FROM t WHERE b = 'x' c = 1",
        "expected the end of the statement but found 'c' / is AND, OR or a comma missing before 'c'?",
        "SELECT a FROM t WHERE b = 'x' AND c = 1",
    ),
    (
        "INSERT INTO a SELECT 1\nINSERT INTO b SELECT 2",
        "expected the end of the statement but found 'INSERT' / put a ';' before 'INSERT'",
        "INSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2",
    ),
    // Quotes
    (
        "SELECT 'abc FROM t",
        "this string is not closed / put a single quote (') at its end",
        "SELECT 'abc' FROM t",
    ),
    ("SELECT `abc FROM t", "this name is not closed / put a backtick (`) at its end", "SELECT `abc` FROM t"),
    ("SELECT a /* b FROM t", "this comment is not closed / put */ at its end", "SELECT a /* b */ FROM t"),
    (
        "SELECT 'it's fine' FROM t",
        "expected ',' or FROM but found 'fine' / a single quote inside a string is written twice: 'it''s'",
        "SELECT 'it''s fine' FROM t",
    ),
    (
        "SELECT a FROM t WHERE b = \"x\"",
        "'\"x\"' is neither a string nor a name in Flink SQL / use single quotes for a string: 'x'; backticks for a \
         name: `x`",
        "SELECT a FROM t WHERE b = 'x'",
    ),
    (
        "SELECT ‘a’ FROM t",
        "the character '‘' means nothing here / use the straight single quote: '",
        "SELECT 'a' FROM t",
    ),
    (
        "CREATE TABLE t (a INT) WITH (connector='print')",
        "expected an option's key as a string but found 'connector' / put it in single quotes: 'connector'",
        "CREATE TABLE t (a INT) WITH ('connector'='print')",
    ),
    (
        "CREATE TABLE t (a INT) WITH ('connector'=print)",
        "expected the option's value as a string but found 'print' / put it in single quotes: 'print'",
        "CREATE TABLE t (a INT) WITH ('connector'='print')",
    ),
    (
        "CREATE FUNCTION f AS com.acme.F",
        "expected a class as a string but found 'com' / put it in single quotes: 'com.acme.F'",
        "CREATE FUNCTION f AS 'com.acme.F'",
    ),
    (
        "SELECT a AS 'x' FROM t",
        "expected a column's name behind AS but found the string 'x' / names stand in backticks or without quotes",
        "SELECT a AS `x` FROM t",
    ),
    (
        "SELECT 'a' 'b' FROM t",
        "two strings stand side by side on one line / join them with ||, or double the quote inside a string: ''",
        "SELECT 'a' || 'b' FROM t",
    ),
    // Reserved words
    (
        "CREATE TABLE t (date STRING)",
        "expected a column's name but found 'date' / DATE is a reserved word; quote it with backticks: `date`",
        "CREATE TABLE t (`date` STRING)",
    ),
    (
        "SELECT t.value FROM t",
        "expected a name behind '.' but found 'value' / VALUE is a reserved word; quote it with backticks: `value`",
        "SELECT t.`value` FROM t",
    ),
    (
        "SELECT id count FROM t",
        "expected ',' or FROM but found 'count' / COUNT is a reserved word; quote it with backticks: `count`",
        "SELECT id `count` FROM t",
    ),
    (
        "SELECT timestamp FROM t",
        "expected an expression but found 'timestamp' / TIMESTAMP is a reserved word; quote it with backticks: \
         `timestamp`",
        "SELECT `timestamp` FROM t",
    ),
    (
        "SELECT array, position FROM t",
        "expected an expression but found 'array' / ARRAY is a reserved word; quote it with backticks: `array`",
        "SELECT `array`, `position` FROM t",
    ),
    (
        "SELECT a FROM order",
        "expected a table's name but found 'order' / ORDER is a reserved word; quote it with backticks: `order`",
        "SELECT a FROM `order`",
    ),
    // Other dialects
    (
        "SELECT a FROM t WHERE a == 1",
        "expected an expression but found '=' / write a single =",
        "SELECT a FROM t WHERE a = 1",
    ),
    ("SELECT a FROM t WHERE a != 1", "Flink SQL has no '!=' / write <>", "SELECT a FROM t WHERE a <> 1"),
    (
        "SELECT a FROM t LIMIT 10, 5",
        "Flink SQL has no 'LIMIT start, count' / write LIMIT 5 OFFSET 10",
        "SELECT a FROM t LIMIT 5 OFFSET 10",
    ),
    (
        "SELECT a::INT FROM t",
        "expected the end of the statement but found ':' / write CAST(value AS type)",
        "SELECT CAST(a AS INT) FROM t",
    ),
    (
        "SELECT a # b\nFROM t",
        "the character '#' means nothing here / comments begin with --",
        "SELECT a -- b\nFROM t",
    ),
    (
        "SELECT a FROM t WHERE a REGEXP 'x'",
        "expected the end of the statement but found 'REGEXP' / call REGEXP(text, pattern)",
        "SELECT a FROM t WHERE REGEXP(a, 'x')",
    ),
    (
        "SELECT a FROM t LEFT SEMI JOIN u ON t.a = u.a",
        "expected JOIN but found 'SEMI' / write WHERE EXISTS (SELECT … FROM …)",
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.a = u.a)",
    ),
    (
        "SELECT a FROM t MINUS SELECT a FROM u",
        "Flink SQL has no MINUS between queries / write EXCEPT",
        "SELECT a FROM t EXCEPT SELECT a FROM u",
    ),
    (
        "SELECT TOP 1 a FROM t",
        "expected ',' or FROM but found the number 1 / put LIMIT and the number at the end of the query",
        "SELECT a FROM t LIMIT 1",
    ),
    (
        "SELECT GROUP_CONCAT(a) FROM t",
        "expected an expression but found 'GROUP_CONCAT' / call LISTAGG(value, ',')",
        "SELECT LISTAGG(a, ',') FROM t",
    ),
    (
        "SELECT a FROM t, LATERAL f(b) AS u(c)",
        "expected TABLE(…), UNNEST(…) or a query in parentheses but found 'f' / write LATERAL TABLE(f(…))",
        "SELECT a FROM t, LATERAL TABLE(f(b)) AS u(c)",
    ),
    (
        "INSERT INTO TABLE t SELECT 1",
        "expected a table's name but found 'TABLE' / leave out TABLE",
        "INSERT INTO t SELECT 1",
    ),
    (
        "WITH q AS (SELECT 1 AS a) INSERT INTO t SELECT * FROM q",
        "expected ',', SELECT, VALUES or '(' but found 'INSERT' / put WITH behind it: INSERT INTO table WITH … SELECT …",
        "INSERT INTO t WITH q AS (SELECT 1 AS a) SELECT * FROM q",
    ),
    (
        "ALTER TABLE t ADD COLUMN x INT",
        "expected a column's name but found 'COLUMN' / leave out COLUMN: ADD name …",
        "ALTER TABLE t ADD x INT",
    ),
    (
        "CREATE SCHEMA d",
        "expected what to create but found 'SCHEMA' / write CREATE DATABASE",
        "CREATE DATABASE d",
    ),
    (
        "CREATE TABLE t (a INT, b INT AS (a + 1))",
        "expected ',' or ')' but found 'AS' / a computed column has no type: name AS expression",
        "CREATE TABLE t (a INT, b AS a + 1)",
    ),
    (
        "CREATE TABLE t (r ROW<x INT COMMENT 'c'>)",
        "expected ',' or '>' but found 'COMMENT' / a field's comment stands without COMMENT: ROW<x INT 'comment'>",
        "CREATE TABLE t (r ROW<x INT 'c'>)",
    ),
    (
        "CREATE TABLE t (a STRING(10))",
        "STRING has no length / write STRING, or VARCHAR(n)",
        "CREATE TABLE t (a VARCHAR(10))",
    ),
    (
        "CREATE TABLE t (a BIGINT UNSIGNED)",
        "expected ',' or ')' but found 'UNSIGNED' / Flink has no unsigned types; use the next wider one",
        "CREATE TABLE t (a DECIMAL(20, 0))",
    ),
    ("CREATE TABLE t (a TEXT)", "unknown type 'TEXT' / write STRING", "CREATE TABLE t (a STRING)"),
    ("CREATE TABLE t (a STRNG)", "unknown type 'STRNG' / write STRING", "CREATE TABLE t (a STRING)"),
    (
        "SELECT * FROM t AS s /*+ OPTIONS('a'='b') */",
        "a hint can stand only behind SELECT or a table's name / put /*+ … */ directly behind SELECT or the table's \
         name, before AS",
        "SELECT * FROM t /*+ OPTIONS('a'='b') */ AS s",
    ),
    (
        "SELECT * FROM t JOIN u AS d FOR SYSTEM_TIME AS OF t.ts ON TRUE",
        "expected a join, WHERE or the end of FROM but found 'FOR' / put the alias behind it: table FOR SYSTEM_TIME AS \
         OF time AS alias",
        "SELECT * FROM t JOIN u FOR SYSTEM_TIME AS OF t.ts AS d ON TRUE",
    ),
    (
        "SELECT /*+ BROADCAST(a) BROADCAST(b) */ * FROM a",
        "expected ',' or '*/' behind a hint but found 'BROADCAST' / is a comma missing before 'BROADCAST'?",
        "SELECT /*+ BROADCAST(a), BROADCAST(b) */ * FROM a",
    ),
    // Misspelt and left out
    ("SELEC a FROM t", "no statement begins with 'SELEC' / did you mean SELECT?", "SELECT a FROM t"),
    (
        "CREATE TABL t (a INT)",
        "expected what to create but found 'TABL' / did you mean TABLE?",
        "CREATE TABLE t (a INT)",
    ),
    ("SHOW TABLE", "expected what to show but found 'TABLE' / did you mean SHOW TABLES?", "SHOW TABLES"),
    (
        "SELECT INTERVAL '1' DAYZ",
        "expected a unit such as SECOND, MINUTE, HOUR, DAY, MONTH or YEAR but found 'DAYZ' / did you mean DAY?",
        "SELECT INTERVAL '1' DAY",
    ),
    (
        "SELECT CASE WHEN a THEN b FROM t",
        "expected END but found 'FROM' / the CASE at line 1, column 8 needs an END",
        "SELECT CASE WHEN a THEN b END FROM t",
    ),
    (
        "SELECT a BETWEEN 1 OR 2 FROM t",
        "expected AND but found 'OR' / write BETWEEN low AND high",
        "SELECT a BETWEEN 1 AND 2 FROM t",
    ),
    (
        "STATEMENT SET BEGIN INSERT INTO a SELECT 1; END",
        "no statement begins with 'STATEMENT' / write EXECUTE STATEMENT SET BEGIN … END",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END",
    ),
    (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2;",
        "expected INSERT or END but found the end of the text / the BEGIN at line 1, column 23 needs an END",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;",
    ),
    (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; CREATE VIEW v AS SELECT 1; CREATE VIEW w AS SELECT 1",
        "expected INSERT or END but found 'CREATE' / the BEGIN at line 1, column 23 needs an END",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END; CREATE VIEW v AS SELECT 1; CREATE VIEW w AS SELECT 1",
    ),
    (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1 FROM t END",
        "expected ';' but found 'END' / every INSERT of a statement set ends with ';'",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1 FROM t; END",
    ),
    (
        "SET 'a' = 1",
        "expected the value as a string but found the number 1 / put it in single quotes: '1'",
        "SET 'a' = '1'",
    ),
    (
        "SELECT CAST(a AS INT NOT NULL) FROM t",
        "a CAST has no NOT NULL: its result can be NULL if its argument can / remove NOT NULL",
        "SELECT CAST(a AS INT) FROM t",
    ),
];

#[test]
fn messages_and_remedies() {
    let mut wrong = Vec::new();
    for (text, expected, fixed) in FAULTS {
        let (_, faults) = parse_script(text);
        let got: Vec<String> =
            faults.iter().map(|f| format!("{} / {}", f.message(), f.remedy().unwrap_or("-"))).collect();
        if got.len() != 1 || got[0] != *expected {
            wrong.push(format!("{text}\n  expected {expected}\n  got      {}", got.join("\n           ")));
        }
        let (_, faults) = parse_script(fixed);
        if !faults.is_empty() {
            wrong.push(format!("the remedy does not help: {fixed}: {faults:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each fault stands at the offending token, and later statements are read.
#[test]
fn a_script_gives_all_faults() {
    let text = "SELECT a FROM t;\nSELEC b FROM u;\n-- a comment; no statement\nSELECT 'x;y', c, FROM v;\nSELECT d FROM w";
    let (statements, faults) = parse_script(text);
    assert_eq!(statements.len(), 2);
    let places: Vec<_> = faults.iter().map(|f| f.span().unwrap().line_column(text)).collect();
    assert_eq!(places, [(2, 1), (4, 18)]);
    let last = statements[1].span;
    assert_eq!(&text[last.start as usize..last.end as usize], "SELECT d FROM w");
}

#[test]
fn a_statement_set_gives_all_its_faults() {
    let text = "EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT x, FROM t;\nINSERT INTO b SELECT 1;\nSELECT 2;\nEND;\nSELECT 3";
    let (statements, faults) = parse_script(text);
    let places: Vec<_> = faults.iter().map(|f| f.span().unwrap().line_column(text).0).collect();
    assert_eq!(places, [2, 4]);
    // The set is left out as a whole; what follows it is read.
    assert_eq!(statements.len(), 1);
    assert!(parse_statement(text).is_err());
}

#[test]
fn a_rendered_fault() {
    let text = "SELECT host, COUNT(*) AS n\nFROM events\nWHERE level = \"warn\"\nGROUP BY host";
    let (_, faults) = parse_script(text);
    assert_eq!(
        faults[0].render("rules.sql", text),
        "error: '\"warn\"' is neither a string nor a name in Flink SQL\n --> rules.sql:3:15\n  |\n3 | WHERE level = \
         \"warn\"\n  |               ^^^^^^\nhelp: use single quotes for a string: 'warn'; backticks for a name: `warn`\n"
    );
}

#[test]
fn what_flink_has_and_we_have_not_is_named() {
    for (text, what) in [
        ("SELECT a MULTISET UNION b FROM t", "No match found for function signature MULTISET"),
        ("SELECT f(x -> x + 1) FROM t", "not supported yet: lambda expressions"),
        ("CREATE TABLE t (a STRUCTURED<'c', x INT>)", "not supported yet: STRUCTURED types"),
    ] {
        let (_, faults) = parse_script(text);
        assert_eq!(faults[0].message(), what);
        assert!(faults[0].span().is_some());
    }
}
