//! How the index finds the rows of each form of condition.

use millstream::Session;

const EVENTS: &str = "CREATE TABLE e (cmdline STRING, image STRING, parent STRING, usr STRING, host STRING, eid INT, port BIGINT, \
    score DOUBLE, price DECIMAL(10, 2), f FLOAT, ok BOOLEAN, d DATE, t TIME(0), ts TIMESTAMP(3), tz TIMESTAMP_LTZ(3), ip STRING, msg STRING, \
    win ROW<eventdata ROW<target STRING, pid INT>, channel STRING>, tags MAP<STRING, STRING>, list ARRAY<STRING>) \
    WITH ('connector' = 'filesystem', 'path' = 'in', 'format' = 'json'); \
    CREATE TABLE hits (cmdline STRING) WITH ('connector' = 'blackhole');";

/// How the rows of each condition are found, told before anything is known of the stream.
async fn told(conditions: &[&str]) -> Vec<String> {
    let mut text = EVENTS.to_string();
    for condition in conditions {
        text.push_str(&format!("INSERT INTO hits SELECT cmdline FROM e WHERE {condition};\n"));
    }
    let mut session = Session::new();
    let explanation = session.explain(&text).unwrap_or_else(|f| panic!("{f}"));
    let table = session.explain_rules(explanation.plans()[0].clone(), None).await.unwrap();
    let mut told = vec![String::new(); conditions.len()];
    for row in table.rows {
        let number = row.name.split_once('#').map_or(1, |(_, n)| n.parse().unwrap());
        told[number - 1] = row.report.anchoring.to_string();
    }
    told
}

#[tokio::test]
async fn each_form_of_condition_says_how_it_is_found() {
    let forms: Vec<(&str, &str)> = include_str!("anchors.txt")
        .split("\n\n")
        .filter(|block| !block.starts_with('#'))
        .map(|block| block.trim().split_once('\n').unwrap())
        .collect();
    let conditions: Vec<&str> = forms.iter().map(|(c, _)| *c).collect();
    let told = told(&conditions).await;
    let differ: Vec<String> = forms
        .iter()
        .zip(&told)
        .filter(|((_, wanted), told)| told != wanted)
        .map(|((condition, _), told)| format!("{condition}\n{told}"))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
}
