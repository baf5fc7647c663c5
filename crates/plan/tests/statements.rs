//! What statements do to the catalog and answer.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test fails by panicking

mod cards;

use millstream_plan::statement::{Planned, SessionState};
use millstream_types::{Fault, Value};

fn try_run(state: &mut SessionState, text: &str) -> Result<Planned, Fault> {
    let (statements, faults) = millstream_sql::parse_script(text);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    let mut last = Planned::Done(Vec::new());
    for statement in &statements {
        last = state.execute(statement, text)?;
    }
    Ok(last)
}

fn run(state: &mut SessionState, text: &str) -> Planned {
    try_run(state, text).unwrap_or_else(|f| panic!("{}", f.render("test", text)))
}

/// The rows of an answer, columns separated by `|`.
fn rows(state: &mut SessionState, text: &str) -> Vec<String> {
    let Planned::Rows(answer) = run(state, text) else { panic!("{text} gives no rows") };
    let show = |v: &Value| match v {
        Value::Null => "<NULL>".to_string(),
        Value::Boolean(b) => b.to_string(),
        Value::String(s) => s.to_string(),
        other => format!("{other:?}"),
    };
    answer.rows.iter().map(|r| r.iter().map(show).collect::<Vec<_>>().join("|")).collect()
}

fn code(state: &mut SessionState, text: &str) -> &'static str {
    try_run(state, text).map(|_| "none").unwrap_or_else(|f| f.code())
}

const ORDERS: &str = "CREATE TABLE orders (
  id INT NOT NULL COMMENT 'the key',
  name STRING,
  `at` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
  doubled AS id * 2,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND,
  PRIMARY KEY (id) NOT ENFORCED
) COMMENT 'it''s orders' WITH (
  'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = '${BROKERS}',
  'sasl.credentials' = 'hush', 'format' = 'json')";

#[test]
fn describe_has_flinks_columns() {
    let mut s = cards::session();
    run(&mut s, ORDERS);
    assert_eq!(
        rows(&mut s, "DESCRIBE orders"),
        [
            "id|INT|false|PRI(id)|<NULL>|<NULL>|the key",
            "name|STRING|true|<NULL>|<NULL>|<NULL>|<NULL>",
            "at|TIMESTAMP_LTZ(3)|true|<NULL>|METADATA FROM 'timestamp'|<NULL>|<NULL>",
            "doubled|INT|false|<NULL>|AS `id` * 2|<NULL>|<NULL>",
            "ts|TIMESTAMP(3) *ROWTIME*|true|<NULL>|<NULL>|`ts` - INTERVAL '5' SECOND|<NULL>",
        ]
    );
    assert_eq!(rows(&mut s, "SHOW COLUMNS FROM orders LIKE 'n%'"), ["name|STRING|true|<NULL>|<NULL>|<NULL>"]);
}

#[test]
fn show_create_table_can_be_read_again_and_keeps_secrets() {
    let mut s = cards::session();
    run(&mut s, ORDERS);
    let first = rows(&mut s, "SHOW CREATE TABLE orders").remove(0);
    assert!(!first.contains("hush") && first.contains("'sasl.credentials' = '******'"), "{first}");
    assert!(first.contains("'${BROKERS}'"), "{first}");
    run(&mut s, "DROP TABLE orders");
    run(&mut s, &first);
    assert_eq!(rows(&mut s, "SHOW CREATE TABLE orders").remove(0), first);
}

#[test]
fn temporary_objects_stand_before_permanent_ones() {
    let mut s = cards::session();
    run(&mut s, "CREATE TABLE t (a INT) WITH ('connector' = 'datagen')");
    run(&mut s, "CREATE TEMPORARY TABLE t (b INT) WITH ('connector' = 'datagen')");
    assert_eq!(rows(&mut s, "SHOW TABLES"), ["t"]);
    assert!(rows(&mut s, "DESCRIBE t")[0].starts_with("b|"));
    assert_eq!(code(&mut s, "DROP TABLE t"), "is-temporary");
    run(&mut s, "DROP TEMPORARY TABLE t");
    assert!(rows(&mut s, "DESCRIBE t")[0].starts_with("a|"));
    assert_eq!(code(&mut s, "DROP TEMPORARY TABLE t"), "not-temporary");
}

#[test]
fn databases_and_catalogs() {
    let mut s = cards::session();
    run(
        &mut s,
        "CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'd'); USE CATALOG c",
    );
    assert_eq!(rows(&mut s, "SHOW CURRENT DATABASE"), ["d"]);
    run(&mut s, "CREATE DATABASE e; CREATE TABLE e.t (a INT) WITH ('connector' = 'datagen')");
    assert_eq!(rows(&mut s, "SHOW TABLES IN e"), ["t"]);
    assert_eq!(rows(&mut s, "SHOW TABLES"), Vec::<String>::new());
    assert_eq!(code(&mut s, "DROP DATABASE e"), "database-not-empty");
    run(&mut s, "DROP DATABASE e CASCADE; USE CATALOG default_catalog; DROP CATALOG c");
    assert_eq!(rows(&mut s, "SHOW CATALOGS"), ["default_catalog"]);
    assert!(rows(&mut s, "SHOW FULL MODULES") == ["core|true"]);
    run(&mut s, "UNLOAD MODULE core");
    assert_eq!(rows(&mut s, "SHOW FUNCTIONS"), Vec::<String>::new());
}

#[test]
fn alter_table_changes_columns() {
    let mut s = cards::session();
    run(&mut s, ORDERS);
    run(&mut s, "ALTER TABLE orders ADD (x INT FIRST, y STRING AFTER id)");
    run(&mut s, "ALTER TABLE orders MODIFY x BIGINT AFTER name");
    run(&mut s, "ALTER TABLE orders RENAME y TO z");
    let names = |s: &mut SessionState| -> Vec<String> {
        rows(s, "DESCRIBE orders").iter().map(|r| r.split('|').next().unwrap().to_string()).collect()
    };
    assert_eq!(names(&mut s), ["id", "z", "name", "x", "at", "doubled", "ts"]);
    assert_eq!(code(&mut s, "ALTER TABLE orders RENAME id TO key_id"), "column-in-use");
    run(&mut s, "ALTER TABLE orders DROP doubled; ALTER TABLE orders RENAME id TO key_id");
    assert!(rows(&mut s, "DESCRIBE orders")[0].contains("PRI(key_id)"));
    assert_eq!(code(&mut s, "ALTER TABLE orders DROP key_id"), "column-in-use");
    run(&mut s, "ALTER TABLE orders DROP PRIMARY KEY; ALTER TABLE orders DROP key_id");
    run(&mut s, "ALTER TABLE orders SET ('topic' = 'other'); ALTER TABLE orders RESET ('sasl.credentials')");
    let text = rows(&mut s, "SHOW CREATE TABLE orders").remove(0);
    assert!(text.contains("'topic' = 'other'") && !text.contains("sasl"), "{text}");
    run(&mut s, "ALTER TABLE orders RENAME TO sales");
    assert_eq!(rows(&mut s, "SHOW TABLES"), ["sales"]);
}

#[test]
fn like_takes_over_what_it_is_told() {
    let mut s = cards::session();
    run(&mut s, ORDERS);
    run(&mut s, "CREATE TABLE a LIKE orders (EXCLUDING ALL)");
    assert_eq!(rows(&mut s, "SHOW COLUMNS FROM a").len(), 3);
    run(&mut s, "CREATE TABLE b (extra INT) WITH ('topic' = 'u') LIKE orders (EXCLUDING GENERATED)");
    let text = rows(&mut s, "SHOW CREATE TABLE b").remove(0);
    assert!(
        text.contains("'topic' = 'u'") && text.contains("`extra` INT") && !text.contains("doubled"),
        "{text}"
    );
    assert_eq!(
        code(&mut s, "CREATE TABLE c WITH ('topic' = 'u') LIKE orders (INCLUDING OPTIONS)"),
        "bad-like"
    );
    assert_eq!(code(&mut s, "CREATE TABLE c (name STRING) LIKE orders"), "bad-like");
    // Within a base table that lost what its expressions use, the fault names the column.
    let fault = try_run(&mut s, "CREATE TABLE c LIKE orders (EXCLUDING METADATA INCLUDING GENERATED)");
    assert!(fault.is_ok());
}

#[test]
fn settings_are_checked_and_shown() {
    let mut s = cards::session();
    run(&mut s, "SET 'state.checkpoints.dir' = 'file:///tmp/c'; SET 'parallelism.default' = '2'");
    assert_eq!(rows(&mut s, "SET"), ["execution.checkpointing.dir|file:///tmp/c", "parallelism.default|2"]);
    assert_eq!(s.settings.job_settings().parallelism, 2);
    assert_eq!(s.settings.job_settings().options.get("execution.checkpointing.dir"), Some("file:///tmp/c"));
    assert_eq!(code(&mut s, "SET 'parallelism.default' = '0'"), "bad-option");
    let Planned::Done(warnings) = run(&mut s, "SET 'a' = 'b'") else { panic!() };
    assert_eq!(warnings[0].code(), "unknown-setting");
    run(&mut s, "RESET 'parallelism.default'; RESET 'a'");
    assert_eq!(rows(&mut s, "SET"), ["execution.checkpointing.dir|file:///tmp/c"]);
    run(&mut s, "RESET");
    assert!(rows(&mut s, "SET").is_empty());
}

#[test]
fn functions_are_kept() {
    let mut s = cards::session();
    run(
        &mut s,
        "CREATE FUNCTION Double_It AS 'm.f' LANGUAGE PYTHON; CREATE TEMPORARY SYSTEM FUNCTION g AS 'a.B'",
    );
    assert_eq!(rows(&mut s, "SHOW USER FUNCTIONS"), ["double_it", "g"]);
    assert_eq!(rows(&mut s, "SHOW USER FUNCTIONS LIKE 'd%'"), ["double_it"]);
    assert_eq!(code(&mut s, "CREATE FUNCTION DOUBLE_IT AS 'm.g' LANGUAGE PYTHON"), "already-exists");
    run(&mut s, "CREATE FUNCTION IF NOT EXISTS double_it AS 'm.g'; DROP FUNCTION double_it");
    assert_eq!(rows(&mut s, "SHOW USER FUNCTIONS"), ["g"]);
}

#[test]
fn a_failed_statement_changes_nothing_but_its_name() {
    let mut s = cards::session();
    assert_eq!(
        code(&mut s, "CREATE TABLE t (a INT, a INT) WITH ('connector' = 'datagen')"),
        "duplicate-column"
    );
    assert_eq!(rows(&mut s, "SHOW TABLES"), Vec::<String>::new());
    assert_eq!(code(&mut s, "SELECT * FROM t"), millstream_plan::catalog::FOLLOW_UP);
    run(&mut s, "CREATE TABLE t (a INT) WITH ('connector' = 'datagen')");
    assert_eq!(rows(&mut s, "SHOW TABLES"), ["t"]);
}

#[test]
fn no_view_reads_itself() {
    let mut s = cards::session();
    run(&mut s, "CREATE TABLE t (a INT) WITH ('connector' = 'datagen')");
    run(
        &mut s,
        "CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT a FROM v; CREATE VIEW x AS SELECT a FROM w",
    );
    assert_eq!(code(&mut s, "ALTER VIEW v AS SELECT a FROM x"), "recursive-view");
    assert_eq!(code(&mut s, "ALTER VIEW v AS SELECT a FROM v"), "recursive-view");
    assert_eq!(code(&mut s, "CREATE TEMPORARY VIEW v AS SELECT a FROM x"), "recursive-view");
    run(&mut s, "DROP TABLE t");
    assert_eq!(code(&mut s, "ALTER VIEW x RENAME TO t"), "recursive-view");
    assert_eq!(code(&mut s, "CREATE VIEW t AS SELECT a FROM x"), "unknown-table");
}

#[test]
fn blinks_tables_are_understood() {
    use millstream_plan::{Op, SinkTarget};
    let mut s = cards::session();
    run(
        &mut s,
        "CREATE TABLE k (a VARCHAR, b VARCHAR HEADER, ts TIMESTAMP(3), WATERMARK wk FOR ts AS withOffset(ts, 1500))
         WITH (type = 'KAFKA010', topic = 't', 'bootstrap.servers' = '${BROKERS}', 'ignore-parse-errors' = 'true');
         CREATE TABLE r (a VARCHAR, PRIMARY KEY (a)) WITH (type = 'rds', url = 'jdbc:x', tableName = 'x')",
    );
    // A HEADER column is read by the connector's metadata of that name, which this one does not have.
    assert_eq!(code(&mut s, "SELECT * FROM k"), "bad-metadata");
    run(&mut s, "ALTER TABLE k DROP b");
    let Planned::Query(plan) = run(&mut s, "SELECT a, ts FROM k") else { panic!() };
    let scan =
        plan.nodes.iter().find_map(|n| if let Op::Scan(scan) = &n.op { Some(scan) } else { None }).unwrap();
    assert_eq!(scan.table.connector, "kafka");
    assert_eq!(scan.table.options.get("properties.bootstrap.servers"), Some("one:9092"));
    assert_eq!(scan.table.format.as_deref(), Some("json"));
    assert_eq!(scan.table.format_options.get("ignore-parse-errors"), Some("true"));
    assert!(scan.watermark.is_some());
    let Planned::Insert(plan) = run(&mut s, "INSERT INTO r SELECT a FROM k") else { panic!() };
    let sink =
        plan.nodes.iter().find_map(|n| if let Op::Sink(sink) = &n.op { Some(sink) } else { None }).unwrap();
    let SinkTarget::Table(table) = &sink.target else { panic!() };
    assert_eq!(table.connector, "upsert-db");
    assert_eq!(table.options.get("table-name"), Some("x"));
    assert_eq!(table.primary_key, [0]);
}

#[test]
fn hints_and_formats_reach_the_plan() {
    use millstream_plan::Op;
    let mut s = cards::session();
    run(
        &mut s,
        "CREATE TABLE f (a INT, p STRING METADATA FROM 'file.path', q AS UPPER(p)) PARTITIONED BY (a)
         WITH ('connector' = 'filesystem', 'path' = 'x', 'format' = 'json', 'json.ignore-parse-errors' = 'true',
               'bad-records' = 'SKIP')",
    );
    let Planned::Query(plan) = run(&mut s, "SELECT a, q FROM f /*+ OPTIONS('path' = 'y') */") else {
        panic!()
    };
    let table = &plan.scan_groups[0].table;
    assert_eq!(table.options.get("path"), Some("y"));
    assert_eq!(table.options.get("bad-records"), Some("skip"));
    assert_eq!(table.format_options.get("ignore-parse-errors"), Some("true"));
    assert_eq!(table.partition_keys, ["a"]);
    assert!(table.bounded);
    assert!(plan.nodes.iter().any(|n| matches!(&n.op, Op::Scan(s) if !s.hints.is_empty())));
    // Virtual columns are no columns of INSERT, and metadata that cannot be written must be virtual.
    assert_eq!(code(&mut s, "INSERT INTO f SELECT 1, 'x'"), "bad-metadata");
    run(&mut s, "ALTER TABLE f MODIFY p STRING METADATA FROM 'file.path' VIRTUAL");
    run(&mut s, "INSERT INTO f SELECT 1");
}

#[test]
fn built_in_functions_stand_before_those_of_catalogs() {
    let mut s = cards::session();
    run(&mut s, "CREATE FUNCTION substr AS 'a.Part'; CREATE FUNCTION mine AS 'a.Mine'");
    run(&mut s, "SELECT SUBSTR('a', 1)");
    assert_eq!(code(&mut s, "SELECT mine('a')"), "not-yet");
    assert_eq!(code(&mut s, "SELECT default_database.substr('a')"), "not-yet");
    run(&mut s, "CREATE TEMPORARY SYSTEM FUNCTION reverse AS 'a.Back'");
    assert_eq!(code(&mut s, "SELECT REVERSE('a')"), "not-yet");
}
