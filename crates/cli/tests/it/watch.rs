//! `millstream run --watch DIR`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use crate::signals::{signal, wait_until};
use crate::{Dir, Ran};

/// A command that watches `jobs`, with what it has said so far.
struct Watch {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Watch {
    #[allow(clippy::disallowed_methods)] // a test is its own spawner
    fn new(dir: &Dir, options: &[&str]) -> Self {
        let mut arguments = vec!["run", "--watch", "jobs", "--watch-interval", "50 ms"];
        arguments.extend(options);
        let mut child =
            dir.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let (lines, into) = (BufReader::new(child.stderr.take().unwrap()), said.clone());
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let mut said = into.lock().unwrap();
                said.push_str(&line);
                said.push('\n');
            }
        });
        Watch { child, said }
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    fn until_said(&self, what: &str) {
        wait_until(&format!("'{what}' in:\n{}", self.said()), || self.said().contains(what));
    }

    fn interrupt(self) -> (Ran, String) {
        signal(self.child.id(), "INT");
        let ran = Ran::of(self.child.wait_with_output().unwrap());
        std::thread::sleep(std::time::Duration::from_millis(50));
        let said = self.said.lock().unwrap().clone();
        (ran, said)
    }
}

/// A job that writes the numbers of the files in `in` for which a condition holds to `out/NAME`.
fn job(dir: &Dir, name: &str, condition: &str) {
    let out = name.replace('/', "-");
    dir.sql(
        &format!("jobs/{name}.sql"),
        &format!(
            "CREATE TABLE events (n INT, host STRING) WITH ('connector' = 'filesystem', 'path' = '{{dir}}/in', 'format' = 'json', 'source.monitor-interval' = '50 ms');\n\
             CREATE TABLE o (n INT) WITH ('connector' = 'filesystem', 'path' = '{{dir}}/out/{out}', 'format' = 'csv', 'sink.rolling-policy.rollover-interval' = '100 ms', 'sink.rolling-policy.check-interval' = '50 ms');\n\
             INSERT INTO o SELECT n FROM events WHERE {condition};\n"
        ),
    );
}

/// A file of events whose numbers begin at `from`; it appears at once.
fn events(dir: &Dir, name: &str, from: u64, count: u64) {
    let text: String =
        (from..from + count).map(|n| format!("{{\"n\":{n},\"host\":\"h{}\"}}\n", n % 10)).collect();
    let aside = dir.write(&format!("aside/{name}"), text);
    std::fs::create_dir_all(dir.path("in")).unwrap();
    std::fs::rename(aside, dir.path(&format!("in/{name}"))).unwrap();
}

fn numbers(dir: &Dir, name: &str) -> Vec<u64> {
    let mut numbers: Vec<u64> =
        dir.lines(&format!("out/{name}")).iter().map(|l| l.parse().unwrap()).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn jobs_start_swap_and_stop_with_their_files() {
    let dir = Dir::new();
    events(&dir, "a.json", 0, 100);
    job(&dir, "all", "n >= 0");
    job(&dir, "team/even", "MOD(n, 2) = 0");
    dir.write("jobs/notes.txt", "no job");
    let watch = Watch::new(&dir, &[]);
    wait_until("rows of both", || {
        numbers(&dir, "all").len() == 100 && numbers(&dir, "team-even").len() == 50
    });
    assert!(watch.said().contains("job all: started in"), "{}", watch.said());
    assert!(watch.said().contains("job team/even: started in"), "{}", watch.said());
    // Another version: from here on other rows.
    job(&dir, "team/even", "MOD(n, 2) = 1");
    watch.until_said("job team/even: changed in");
    events(&dir, "b.json", 100, 100);
    wait_until("the rows of the new version", || numbers(&dir, "team-even").len() == 100);
    // One that comes later reads from the start.
    job(&dir, "late", "host = 'h7'");
    wait_until("its rows", || numbers(&dir, "late").len() == 20);
    // A wrong one is told with its place; what ran goes on.
    job(&dir, "team/even", "MOD(m, 2) = 1");
    watch.until_said("the former version goes on running");
    let said = watch.said();
    assert!(said.contains("jobs/team/even.sql:3") && said.contains("'m'") && said.contains('^'), "{said}");
    std::fs::remove_file(dir.path("jobs/all.sql")).unwrap();
    watch.until_said("job all: removed: stopped, 200 rows written");
    events(&dir, "c.json", 200, 100);
    wait_until("its rows", || numbers(&dir, "team-even").len() == 150 && numbers(&dir, "late").len() == 30);
    let (ran, said) = watch.interrupt();
    assert_eq!(ran.code, Some(130), "{said}");
    assert_eq!(numbers(&dir, "all"), (0..200).collect::<Vec<_>>());
    assert_eq!(numbers(&dir, "late"), (0..300).filter(|n| n % 10 == 7).collect::<Vec<_>>());
    let even = (0..100).filter(|n| n % 2 == 0).chain((100..300).filter(|n| n % 2 == 1));
    assert_eq!(numbers(&dir, "team-even"), even.collect::<Vec<_>>());
}

#[test]
fn killed_and_started_again_every_job_goes_on_from_its_checkpoint() {
    let dir = Dir::new();
    let names: Vec<String> = (0..6).map(|i| format!("team{}/rule{i}", i % 2)).collect();
    for (i, name) in names.iter().enumerate() {
        job(&dir, name, &format!("MOD(n, 6) = {i}"));
    }
    let place = format!("execution.checkpointing.dir={}", dir.path("cp").display());
    let options = ["-D", &place, "-D", "execution.checkpointing.interval=100 ms"];
    for round in 0..4 {
        let watch = Watch::new(&dir, &options);
        let mut child = watch.child;
        events(&dir, &format!("{round}.json"), round * 3000, 3000);
        wait_until("commits", || numbers(&dir, "team0-rule0").len() as u64 >= (round * 3000 + 1500) / 6);
        // Rows that are read and not committed yet are read again.
        events(&dir, &format!("{round}x.json"), 100_000 + round * 3000, 3000);
        std::thread::sleep(std::time::Duration::from_millis(40 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        if round == 1 {
            // Changed while nobody looks.
            job(&dir, "team1/rule5", "MOD(n, 6) = 5 AND n >= 0");
        }
    }
    assert!(dir.path("cp/team0/rule0").is_dir() && dir.path("cp/team1/rule5").is_dir());
    let watch = Watch::new(&dir, &options);
    let all = |i: u64| (0..12_000).chain(100_000..112_000).filter(|n| n % 6 == i).collect::<Vec<u64>>();
    wait_until("all rows", || {
        (0..6).all(|i| numbers(&dir, &names[i].replace('/', "-")).len() >= all(i as u64).len())
    });
    let (ran, said) = watch.interrupt();
    assert_eq!(ran.code, Some(130), "{said}");
    for (i, name) in names.iter().enumerate() {
        assert_eq!(numbers(&dir, &name.replace('/', "-")), all(i as u64), "{name}");
    }
}

#[test]
fn what_is_no_job_is_told() {
    let dir = Dir::new();
    dir.write("jobs/select.sql", "SELECT 1;");
    dir.write("jobs/empty.sql", "CREATE TABLE t (n INT) WITH ('connector' = 'blackhole');");
    dir.write("jobs/broken.sql", "INSERT INTO");
    dir.sql(
        "jobs/good.sql",
        "CREATE TABLE o (n INT) WITH ('connector' = 'filesystem', 'path' = '{dir}/out/good', 'format' = 'csv');\nINSERT INTO o VALUES (1), (2);",
    );
    let watch = Watch::new(&dir, &[]);
    watch.until_said("job good: finished: 2 rows written");
    watch.until_said("job empty: nothing to run");
    watch.until_said("a SELECT have nowhere to go");
    watch.until_said("jobs/broken.sql:1");
    watch.until_said("job broken: jobs/broken.sql is not taken: it does not run");
    let (ran, said) = watch.interrupt();
    assert_eq!(ran.code, Some(130), "{said}");
    assert_eq!(numbers(&dir, "good"), [1, 2]);
    for wrong in
        [&["run", "--watch", "missing"][..], &["run", "--watch", "jobs", "--restore", "latest"], &["run"]]
    {
        let ran = dir.run(wrong);
        assert_eq!(ran.code, Some(2), "{ran:?}");
    }
}
