//! Screens of texts change no result: the same queries with and without them, on random lines.

use std::path::PathBuf;

use millstream::Session;
use millstream::types::{Random, SeededRandom};

use crate::rows;

const VERBS: [&str; 5] = ["GET", "POST", "DELETE", "get", "PATCH"];
const WORDS: [&str; 10] =
    ["/admin", "/Admin", "/login", "root", "ROOT", "100%_x!", "four", "404", "0404", "é/admin"];

/// A file of lines that patterns fit more or less.
struct Lines(PathBuf);

impl Lines {
    fn new(random: &SeededRandom, name: &str) -> Self {
        let roll = |n: usize| (random.next_u64() % n as u64) as usize;
        let mut text = String::new();
        for _ in 0..400 {
            let word = || WORDS[roll(WORDS.len())];
            let line = match roll(8) {
                0 => String::new(),
                1 => format!("{} {}", word(), word()),
                2 => format!("{}{}{}", word(), VERBS[roll(5)], word()),
                3 => format!("user={} {}", word(), word()),
                _ => format!(
                    "10.0.0.{} {} {}{} {} user={}",
                    roll(9),
                    VERBS[roll(5)],
                    word(),
                    word(),
                    [404, 200, 4040][roll(3)],
                    word()
                ),
            };
            text.push_str(&line);
            text.push('\n');
        }
        let path = std::env::temp_dir().join(format!("millstream-screens-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Lines(path)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A condition on the text `of`.
fn condition(random: &SeededRandom, of: &str, depth: u32) -> String {
    let roll = |n: usize| (random.next_u64() % n as u64) as usize;
    let word = WORDS[roll(WORDS.len())];
    let part = word.get(1..).unwrap_or(word);
    match roll(if depth > 0 { 13 } else { 10 }) {
        0 => format!("{of} = '{word}'"),
        1 => format!("{of} LIKE '%{part}%'"),
        2 => format!("{of} LIKE '{word}%'"),
        3 => format!("{of} IN ('{word}', '{}')", WORDS[roll(WORDS.len())]),
        4 => format!("LOWER({of}) LIKE '%{}'", part.to_lowercase()),
        5 => format!("UPPER(TRIM({of})) = '{}'", word.to_uppercase()),
        6 => format!("STARTSWITH({of}, '{word}')"),
        7 => format!("{of} IS NULL"),
        8 => format!("NOT ({of} = '{word}')"),
        9 => format!("{of} LIKE '%100!%!_x%' ESCAPE '!'"),
        10 => format!("({} AND {})", condition(random, of, depth - 1), condition(random, of, depth - 1)),
        11 => format!("({} OR {})", condition(random, of, depth - 1), condition(random, of, depth - 1)),
        _ => format!("({}) IS TRUE", condition(random, of, depth - 1)),
    }
}

fn query(random: &SeededRandom) -> String {
    let roll = |n: usize| (random.next_u64() % n as u64) as usize;
    let functions = [
        "SPLIT_INDEX(line, ' ', 2)",
        "SPLIT(line, ' ')[2]",
        "REGEXP_EXTRACT(line, 'user=(\\S+)', 1)",
        "SUBSTRING(line, 3, 12)",
        "RIGHT(line, 5)",
        "KEYVALUE(line, ' ', '=', 'user')",
        "STR_TO_MAP(line, ' ', '=')['user']",
        "GROK(line, '%{WORD:verb} %{NOTSPACE:path}')['path']",
        "SUBSTRING(LOWER(line), 2)",
        "REGEXP_SUBSTR(line, '/\\w+')",
    ];
    if roll(2) == 0 {
        let of = functions[roll(functions.len())];
        return format!(
            "SELECT line FROM logs WHERE {} AND {}",
            condition(random, of, 2),
            condition(random, of, 1)
        );
    }
    let field = ["verb", "path", "status"][roll(3)];
    let terms =
        format!("{} AND {}", condition(random, &format!("g.{field}"), 2), condition(random, "g.path", 1));
    let number = ["", " AND g.n = 404", " AND (g.n > 400 OR g.path LIKE '%/admin%')"][roll(3)];
    let pattern =
        "%{IP:client} %{WORD:verb} %{NOTSPACE:path} %{INT:status}(?: user=%{GREEDYDATA:who})?(?<n>)";
    let pattern = pattern.replace("(?<n>)", "|user=%{INT:n:int} %{NOTSPACE:path}");
    let (join, on) = [(",", ""), ("LEFT JOIN", "ON TRUE")][roll(2)];
    format!(
        "SELECT line, g.client, g.path, g.n FROM logs {join} LATERAL TABLE(GROK(line, '{pattern}')) AS g {on} WHERE {terms}{number}"
    )
}

#[tokio::test]
async fn screens_change_no_result() {
    let random = SeededRandom::new(404);
    let (mut screened, mut found) = (0, 0);
    for round in 0..4 {
        let file = Lines::new(&random, &round.to_string());
        let table = format!(
            "CREATE TABLE logs (line STRING) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'raw')",
            file.0.display()
        );
        let (mut with, mut without) = (Session::new(), Session::new());
        with.execute(&table).await.unwrap();
        without.execute(&table).await.unwrap();
        without.execute("SET 'table.optimizer.text-screens' = 'false'").await.unwrap();
        for _ in 0..40 {
            let sql = query(&random);
            let plan = with.explain(&sql).unwrap().to_text();
            screened += usize::from(plan.contains("screen=["));
            assert!(!without.explain(&sql).unwrap().to_text().contains("screen=["));
            let (a, b) = (rows(&mut with, &sql).await, rows(&mut without, &sql).await);
            assert_eq!(a, b, "{sql}");
            found += a.len();
        }
    }
    assert!(screened > 40 && found > 1000, "{screened} queries with screens, {found} rows");
}
