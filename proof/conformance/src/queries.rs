//! Whole queries: folders with `query.sql`, `input/`, `meta.json`, `expected.jsonl`.

mod paced;

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use millstream::Session;
use millstream::types::{DataType, Fault};
use serde_json::Value as Json;

use crate::answer::{Refusal, same_kind};
use crate::report::Report;
use crate::value::{same, to_json};

/// The longest that one query may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a query gave.
enum Outcome {
    Rows { columns: Vec<(String, DataType)>, rows: Vec<(String, Vec<Json>)> },
    Plan(Fault),
    Run(Fault),
    Hang,
    Panic,
}

/// Runs a folder, or every folder in it.
pub fn run(
    path: &str,
    wanted: &dyn Fn(&str) -> bool,
    parallelism: Option<&str>,
    options: &[(String, String)],
    report: &mut Report,
) -> Result<(), String> {
    let path = PathBuf::from(path);
    let mut folders: Vec<PathBuf> = if path.join("query.sql").exists() {
        vec![path]
    } else {
        let entries = std::fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        entries.filter_map(Result::ok).map(|e| e.path()).filter(|p| p.join("query.sql").exists()).collect()
    };
    folders.sort();
    for folder in folders {
        let id = folder.file_name().and_then(|n| n.to_str()).unwrap_or("?").to_string();
        if !wanted(&id) {
            continue;
        }
        let mut case = Case::read(&folder)?;
        case.parallelism = parallelism.map(str::to_string);
        case.options = options.to_vec();
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| case.run())).unwrap_or(Outcome::Panic);
        report.add(&case.group, &id, case.judge(outcome));
    }
    Ok(())
}

struct Case {
    sql: String,
    meta: Json,
    expected: Vec<Json>,
    group: String,
    /// Another one than the query's own; the order of rows is then only that of each split.
    parallelism: Option<String>,
    /// Session options besides the case's own.
    options: Vec<(String, String)>,
}

impl Case {
    fn read(folder: &Path) -> Result<Self, String> {
        let text = |name: &str| {
            std::fs::read_to_string(folder.join(name))
                .map_err(|e| format!("{}/{name}: {e}", folder.display()))
        };
        let folder_full = folder.canonicalize().map_err(|e| e.to_string())?;
        let sql = text("query.sql")?.replace("${INPUT}", &folder_full.join("input").display().to_string());
        let meta: Json =
            serde_json::from_str(&text("meta.json")?).map_err(|e| format!("{}: {e}", folder.display()))?;
        let expected = text("expected.jsonl")?
            .lines()
            .filter(|l| !l.trim().is_empty())
            .map(|l| serde_json::from_str(l).map_err(|e| e.to_string()))
            .collect::<Result<_, _>>()?;
        let group = meta["tags"][0].as_str().unwrap_or("query").to_string();
        Ok(Case { sql, meta, expected, group, parallelism: None, options: Vec::new() })
    }

    fn run(&self) -> Outcome {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(e) => return Outcome::Run(Fault::internal(e.to_string())),
        };
        runtime.block_on(async {
            match tokio::time::timeout(PATIENCE, self.answer()).await {
                Ok(outcome) => outcome,
                Err(_) => Outcome::Hang,
            }
        })
    }

    async fn answer(&self) -> Outcome {
        let mut builder = Session::builder();
        if self.meta["paced"].as_bool() == Some(true) {
            builder = builder.connector(Arc::new(paced::PacedFiles::default()));
        }
        let mut session = builder.build();
        let conf = self.meta["conf"].as_object().cloned().unwrap_or_default();
        let mode = self.meta["mode"].as_str().unwrap_or("streaming");
        let defaults = [("execution.runtime-mode", mode), ("table.local-time-zone", "UTC")];
        let given = conf.iter().map(|(k, v)| (k.as_str(), v.as_str().unwrap_or("")));
        let parallelism = self.parallelism.iter().map(|p| ("parallelism.default", p.as_str()));
        let more = self.options.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        for (key, value) in defaults.into_iter().chain(given).chain(parallelism).chain(more) {
            if let Err(fault) = session.set(key, value) {
                return Outcome::Plan(fault);
            }
        }
        let rows = match session.query(&self.sql).await {
            Ok(rows) => rows,
            Err(f) => {
                return Outcome::Plan(
                    f.faults.into_iter().next().unwrap_or_else(|| Fault::internal("no fault")),
                );
            }
        };
        let columns: Vec<(String, DataType)> =
            rows.schema().fields.iter().map(|f| (f.name.to_string(), f.data_type.clone())).collect();
        match rows.collect().await {
            Err(fault) => Outcome::Run(fault),
            Ok(rows) => Outcome::Rows {
                rows: rows
                    .into_iter()
                    .map(|(kind, row)| {
                        let values = row.iter().zip(&columns).map(|(v, (_, t))| to_json(v, t)).collect();
                        (kind.symbol().to_string(), values)
                    })
                    .collect(),
                columns,
            },
        }
    }

    fn judge(&self, outcome: Outcome) -> Result<(), String> {
        let error = &self.meta["error"];
        match outcome {
            Outcome::Panic => Err("panic".into()),
            Outcome::Hang => Err(format!("no end within {PATIENCE:?}")),
            Outcome::Plan(f) if error.is_object() => same_kind(error, &Refusal::Plan(&f)),
            Outcome::Run(f) if error.is_object() => same_kind(error, &Refusal::Run(&f)),
            Outcome::Plan(f) | Outcome::Run(f) => Err(format!("{} {:?}: {f}", f.code(), f.kind())),
            Outcome::Rows { .. } if error.is_object() => {
                Err(format!("Flink: {}: {}\nhere:  rows", error["kind"], error["msg"]))
            }
            Outcome::Rows { columns, rows } => self.compare(&columns, rows),
        }
    }

    fn compare(&self, columns: &[(String, DataType)], rows: Vec<(String, Vec<Json>)>) -> Result<(), String> {
        let wanted: Vec<(String, String)> = self.meta["columns"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|c| (c[0].as_str().unwrap_or("").into(), c[1].as_str().unwrap_or("").into()))
            .collect();
        let got: Vec<(String, String)> =
            columns.iter().map(|(n, t)| (n.clone(), t.with_attribute())).collect();
        if wanted != got {
            return Err(format!("columns: Flink: {wanted:?}\nhere:           {got:?}"));
        }
        let equal = |e: &Json, (kind, values): &(String, Vec<Json>)| {
            e["op"].as_str() == Some(kind)
                && e["row"].as_array().is_some_and(|r| {
                    r.len() == values.len()
                        && r.iter().zip(values).zip(columns).all(|((a, b), (_, t))| same(a, b, t))
                })
        };
        let mut left = rows.clone();
        if self.meta["order"].as_str() == Some("exact") && self.parallelism.is_none() {
            for (i, e) in self.expected.iter().enumerate() {
                match rows.get(i) {
                    Some(row) if equal(e, row) => {}
                    other => return Err(format!("row {i}: Flink: {e}\nhere:  {}", shown(other))),
                }
            }
            left = left.split_off(self.expected.len().min(left.len()));
        } else {
            for e in &self.expected {
                match left.iter().position(|row| equal(e, row)) {
                    Some(i) => {
                        left.remove(i);
                    }
                    None => return Err(format!("missing: {e}\nleft here: {}", shown(left.first()))),
                }
            }
        }
        match left.first() {
            None => Ok(()),
            extra => Err(format!("{} rows too many, the first: {}", left.len(), shown(extra))),
        }
    }
}

fn shown(row: Option<&(String, Vec<Json>)>) -> String {
    row.map_or_else(|| "nothing".into(), |(kind, values)| format!("{kind} {}", Json::from(values.clone())))
}
