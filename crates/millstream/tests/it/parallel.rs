//! Jobs whose sources are read by several tasks.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use millstream::{Completion, Restore, Session, StopMode};

use crate::folder::Folder;
use crate::{planned, rows};

impl Folder {
    /// Files of unequal length whose rows are numbered through.
    fn events(&self, lengths: &[u64]) -> u64 {
        let mut id = 0;
        for (file, length) in lengths.iter().enumerate() {
            let lines: String = (id..id + length)
                .map(|i| {
                    format!("{{\"id\":{i},\"file\":{file},\"at\":\"2026-01-01 00:00:{:02}\"}}\n", i % 60)
                })
                .collect();
            fs::write(self.0.join(format!("in/{file}.jsonl")), lines).unwrap();
            id += length;
        }
        id
    }
}

fn script(at: &Path, parallelism: usize) -> String {
    let at = at.display();
    format!(
        "SET 'parallelism.default' = '{parallelism}';\n\
         SET 'execution.checkpointing.dir' = '{at}/checkpoints';\n\
         SET 'execution.checkpointing.interval' = '5 ms';\n\
         CREATE TABLE events (id BIGINT, file INT) WITH ('connector' = 'filesystem', 'path' = '{at}/in', 'format' = 'json');\n\
         CREATE TABLE even (id BIGINT, file INT) WITH ('connector' = 'filesystem', 'path' = '{at}/out', 'format' = 'json');\n\
         CREATE TABLE odd (id BIGINT, file INT) WITH ('connector' = 'filesystem', 'path' = '{at}/out', 'format' = 'json');\n\
         INSERT INTO even SELECT id, file FROM events WHERE id % 2 = 0;\n\
         INSERT INTO odd SELECT id, file FROM events WHERE id % 2 = 1;\n"
    )
}

/// How often each id stands in the files that a reader sees; within a file the rows of one input file must be in order.
fn committed(at: &Path) -> BTreeMap<u64, u64> {
    let mut ids = BTreeMap::new();
    for entry in fs::read_dir(at.join("out")).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        for line in fs::read_to_string(entry.path()).unwrap().lines() {
            let row: Vec<u64> =
                line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
            let (id, file) = (row[0], row[1]);
            assert!(
                last.insert(file, id).is_none_or(|before| before < id),
                "rows of a file keep their order"
            );
            *ids.entry(id).or_default() += 1;
        }
    }
    ids
}

#[tokio::test]
async fn every_row_comes_once_at_any_parallelism() {
    for parallelism in [2, 3, 7] {
        let folder = Folder::new(&format!("parallel-once-{parallelism}"), "in");
        let count = folder.events(&[3000, 1, 0, 7000, 500]);
        let mut session = Session::new();
        let plan = planned(&mut session, &script(&folder.0, parallelism)).await;
        let report = session.start(plan).await.unwrap().wait().await;
        assert!(matches!(report.completion, Completion::Finished), "{:?}", report.completion);
        assert_eq!(report.progress.sinks.len(), 2, "one count for each INSERT");
        let written: u64 = report.progress.sinks.iter().map(|s| millstream::Progress::get(&s.rows)).sum();
        assert_eq!(written, count);
        let ids = committed(&folder.0);
        assert_eq!(ids.len() as u64, count);
        assert!(ids.values().all(|n| *n == 1));
    }
}

#[tokio::test]
async fn a_checkpoint_goes_on_at_another_parallelism() {
    let folder = Folder::new("parallel-restore", "in");
    let count = folder.events(&[60_000, 20_000, 40_000, 20_000, 1000, 30_000]);
    let mut stopped = 0;
    let mut parallelism = [2, 1, 3, 2, 4, 1].into_iter().cycle();
    for start in 0..=10 {
        let restore = if start == 0 { Restore::None } else { Restore::Latest };
        let mut session = Session::builder().restore(restore).build();
        let plan = planned(&mut session, &script(&folder.0, parallelism.next().unwrap())).await;
        let job = session.start(plan).await.unwrap();
        let mode = if start % 2 == 0 { StopMode::Drain } else { StopMode::Now };
        let stop = job.stopper();
        if start < 10 {
            tokio::time::sleep(std::time::Duration::from_millis(15)).await;
            stop(mode);
        }
        match job.wait().await.completion {
            Completion::Stopped => stopped += 1,
            Completion::Finished => break,
            Completion::Failed { fault, .. } => panic!("{fault}"),
        }
    }
    assert!(stopped > 1, "the job was stopped on the way");
    let ids = committed(&folder.0);
    assert_eq!(ids.len() as u64, count);
    assert!(ids.values().all(|n| *n == 1), "nothing twice");
}

#[tokio::test]
async fn queries_of_several_sources_give_the_same_rows() {
    let folder = Folder::new("parallel-union", "in");
    folder.events(&[300, 200, 100]);
    let at = folder.0.display();
    let mut answers = Vec::new();
    for parallelism in [1, 2, 3] {
        let mut session = Session::new();
        session.set("table.exec.resource.default-parallelism", &parallelism.to_string()).unwrap();
        let ddl = |name: &str, file: &str| {
            format!(
                "CREATE TABLE {name} (id BIGINT, file INT, `at` TIMESTAMP(3), WATERMARK FOR `at` AS `at` - INTERVAL '1' SECOND) \
                 WITH ('connector' = 'filesystem', 'path' = '{at}/in{file}', 'format' = 'json')"
            )
        };
        session.execute(&ddl("many", "")).await.unwrap();
        session.execute(&ddl("single", "/1.jsonl")).await.unwrap();
        let sql = "SELECT id * 2 AS n, file FROM many WHERE id < 400 UNION ALL SELECT id, file FROM single UNION ALL \
                   SELECT * FROM (VALUES (1, 2), (3, 4)) AS v (a, b)";
        let mut answer: Vec<String> =
            rows(&mut session, sql).await.into_iter().map(|r| format!("{r:?}")).collect();
        answer.sort();
        answers.push(answer);
    }
    assert_eq!(answers[0].len(), 400 + 200 + 2);
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[tokio::test]
async fn a_fault_of_one_task_ends_the_job() {
    let folder = Folder::new("parallel-fault", "in");
    folder.events(&[5000, 5000]);
    fs::write(folder.0.join("in/9.jsonl"), "{\"id\":1}\nno json\n").unwrap();
    let mut session = Session::new();
    let plan = planned(&mut session, &script(&folder.0, 2)).await;
    let report = session.start(plan).await.unwrap().wait().await;
    let Completion::Failed { fault, .. } = report.completion else { panic!("{:?}", report.completion) };
    assert!(fault.to_string().contains("9.jsonl, line 2"), "{fault}");
}
