use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use millstream_flow::{Committable, Connector, Sink, SinkSpec, Writer, WriterContext};
use millstream_types::{DataType, FaultKind, ManualClock, Random, SchemaRef, SeededRandom, Value};

use crate::filesystem::Filesystem;
use crate::testing::{TempDir, batch, environment, only_writer, run, schema, sink_spec};
use std::sync::Arc;

const JOB: &str = "0f1e2d3c-0000-4000-8000-000000000001";

fn context(start: u64) -> WriterContext {
    WriterContext { job: JOB.into(), start, ..only_writer() }
}

fn columns() -> SchemaRef {
    schema(&[("id", DataType::bigint()), ("p", DataType::string())])
}

fn spec(options: &[(&str, &str)]) -> SinkSpec {
    sink_spec(columns(), options)
}

fn rows(ids: std::ops::Range<i64>) -> millstream_types::Batch {
    let rows: Vec<Vec<Value>> =
        ids.map(|i| vec![Value::Int(i), format!("p{}", i % 3).as_str().into()]).collect();
    batch(&columns(), &rows)
}

/// Visible files below a directory, by their path below it.
fn visible(root: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_string();
            if path.is_dir() {
                open.push(path);
            } else if !path.file_name().unwrap().to_str().unwrap().starts_with('.') {
                out.insert(name, fs::read_to_string(&path).unwrap_or_else(|_| "?".into()));
            }
        }
    }
    out
}

fn hidden(root: &Path) -> usize {
    fs::read_dir(root)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_str().unwrap().starts_with('.'))
        .count()
}

fn all_lines(root: &Path) -> Vec<String> {
    let mut lines: Vec<String> =
        visible(root).values().flat_map(|t| t.lines().map(str::to_string).collect::<Vec<_>>()).collect();
    lines.sort();
    lines
}

#[test]
fn rows_appear_at_the_commit_and_once() {
    let dir = TempDir::new();
    let sink = Filesystem.sink(spec(&[("path", &dir.text())])).unwrap();
    run(async {
        let mut writer = sink.writer(&context(1)).await.unwrap();
        let committer = sink.committer().unwrap();
        writer.write(&rows(0..2)).await.unwrap();
        writer.write(&rows(2..3)).await.unwrap();
        let prepared = writer.prepare(1).await.unwrap();
        assert_eq!(prepared.len(), 1);
        assert!(visible(dir.path()).is_empty());
        assert!(!committer.is_committed(&prepared[0]).await.unwrap());
        committer.commit(&prepared[0]).await.unwrap();
        committer.commit(&prepared[0]).await.unwrap();
        assert!(committer.is_committed(&prepared[0]).await.unwrap());
        let files = visible(dir.path());
        assert_eq!(files.len(), 1);
        assert_eq!(files["part-0f1e2d3c-1-0-0"], "0|p0\n1|p1\n2|p2\n");
        // A file that its consumer took away is still a committed one.
        fs::remove_file(dir.path().join("part-0f1e2d3c-1-0-0")).unwrap();
        assert!(committer.is_committed(&prepared[0]).await.unwrap());
        assert!(writer.prepare(2).await.unwrap().is_empty());
        writer.write(&rows(3..4)).await.unwrap();
        let next = writer.prepare(3).await.unwrap();
        committer.commit(&next[0]).await.unwrap();
        assert_eq!(visible(dir.path())["part-0f1e2d3c-1-0-1"], "3|p0\n");
    });
}

#[test]
fn partitions_have_directories() {
    let dir = TempDir::new();
    let mut spec = spec(&[("path", &dir.text())]);
    spec.partition_keys = vec!["p".into()];
    let sink = Filesystem.sink(spec).unwrap();
    let data = batch(
        &columns(),
        &[
            vec![Value::Int(1), "a/b".into()],
            vec![Value::Int(2), Value::Null],
            vec![Value::Int(3), "a/b".into()],
            vec![Value::Int(4), "".into()],
        ],
    );
    run(async {
        let mut writer = sink.writer(&context(1)).await.unwrap();
        writer.write(&data).await.unwrap();
        for c in writer.prepare(1).await.unwrap() {
            sink.committer().unwrap().commit(&c).await.unwrap();
        }
    });
    let files: Vec<(String, String)> = visible(dir.path()).into_iter().collect();
    assert_eq!(files.len(), 2);
    assert!(files[0].0.starts_with("p=__DEFAULT_PARTITION__/part-") && files[0].1 == "2\n4\n", "{files:?}");
    assert!(files[1].0.starts_with("p=a%2Fb/part-") && files[1].1 == "1\n3\n", "{files:?}");
}

#[test]
fn more_partitions_than_open_files() {
    let dir = TempDir::new();
    let mut spec = spec(&[("path", &dir.text())]);
    spec.partition_keys = vec!["p".into()];
    let sink = Filesystem.sink(spec).unwrap();
    let data: Vec<Vec<Value>> =
        (0..600).map(|i| vec![Value::Int(i), format!("{}", i % 300).as_str().into()]).collect();
    run(async {
        let mut writer = sink.writer(&context(1)).await.unwrap();
        writer.write(&batch(&columns(), &data)).await.unwrap();
        writer.write(&batch(&columns(), &data)).await.unwrap();
        for c in writer.prepare(1).await.unwrap() {
            sink.committer().unwrap().commit(&c).await.unwrap();
        }
    });
    assert_eq!(all_lines(dir.path()).len(), 1200);
}

#[test]
fn files_roll_by_size_and_without_checkpoints_by_age() {
    let dir = TempDir::new();
    let clock = Arc::new(ManualClock::new(1000));
    let mut spec = spec(&[
        ("path", &dir.text()),
        ("sink.rolling-policy.file-size", "10 b"),
        ("sink.rolling-policy.rollover-interval", "5 s"),
    ]);
    spec.bounded = false;
    spec.environment = environment(&clock);
    let sink = Filesystem.sink(spec).unwrap();
    run(async {
        let mut writer = sink.writer(&WriterContext { checkpoints: false, ..context(1) }).await.unwrap();
        writer.write(&rows(0..1)).await.unwrap();
        assert!(!writer.wants_prepare(5999));
        assert!(writer.wants_prepare(6000));
        writer.write(&rows(1..3)).await.unwrap();
        assert!(writer.wants_prepare(1000));
        writer.write(&rows(3..4)).await.unwrap();
        let prepared = writer.prepare(1).await.unwrap();
        assert_eq!(prepared.len(), 2);
        let mut with_checkpoints = sink.writer(&context(2)).await.unwrap();
        with_checkpoints.write(&rows(0..9)).await.unwrap();
        assert!(!with_checkpoints.wants_prepare(1_000_000));
    });
}

#[test]
fn compressed_parts_can_be_read_back() {
    for (compression, ending) in [("gzip", ".gz"), ("zstd", ".zst"), ("deflate", ".deflate")] {
        let dir = TempDir::new();
        let sink =
            Filesystem.sink(spec(&[("path", &dir.text()), ("sink.compression", compression)])).unwrap();
        run(async {
            let mut writer = sink.writer(&context(1)).await.unwrap();
            writer.write(&rows(0..20_000)).await.unwrap();
            for c in writer.prepare(1).await.unwrap() {
                sink.committer().unwrap().commit(&c).await.unwrap();
            }
        });
        let name = visible(dir.path()).into_keys().next().unwrap();
        assert!(name.ends_with(ending), "{name}");
        let file = fs::File::open(dir.path().join(name)).unwrap();
        let mut text = String::new();
        let mut reader: Box<dyn std::io::Read> = match compression {
            "gzip" => Box::new(flate2::read::MultiGzDecoder::new(file)),
            "deflate" => Box::new(flate2::read::ZlibDecoder::new(file)),
            _ => Box::new(zstd::stream::read::Decoder::new(file).unwrap()),
        };
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text.lines().count(), 20_000);
    }
}

#[test]
fn overwriting_replaces_what_was_there() {
    let dir = TempDir::new();
    dir.file("old.txt", "x\n");
    dir.file("sub/old.txt", "x\n");
    dir.file(".kept", "x");
    let overwriting = |partitions: &[&str]| {
        let mut spec = spec(&[("path", &dir.text())]);
        spec.overwrite = true;
        spec.partition_keys = partitions.iter().map(|p| (*p).to_string()).collect();
        Filesystem.sink(spec).unwrap()
    };
    let write = |sink: Arc<dyn Sink>, job: &str, ids: std::ops::Range<i64>| {
        let context = WriterContext { job: job.into(), checkpoints: false, ..context(1) };
        run(async {
            let mut writer = sink.writer(&context).await.unwrap();
            writer.write(&rows(ids)).await.unwrap();
            let prepared = writer.prepare(1).await.unwrap();
            let committer = sink.committer().unwrap();
            // Twice, as after a crash between the two.
            for c in prepared.iter().chain(&prepared) {
                committer.commit(c).await.unwrap();
                assert!(committer.is_committed(c).await.unwrap());
            }
        });
    };
    write(overwriting(&[]), "aaaaaaaa", 0..2);
    assert_eq!(visible(dir.path()).into_values().collect::<Vec<_>>(), ["0|p0\n1|p1\n"]);
    write(overwriting(&[]), "bbbbbbbb", 7..8);
    assert_eq!(visible(dir.path()).into_values().collect::<Vec<_>>(), ["7|p1\n"]);
    write(overwriting(&[]), "cccccccc", 0..0);
    assert!(visible(dir.path()).is_empty());
    assert_eq!(hidden(dir.path()), 1);
    // Of a partitioned table only the partitions that are written.
    dir.file("p=p0/old", "old0\n");
    dir.file("p=p2/old", "old2\n");
    write(overwriting(&["p"]), "dddddddd", 0..2);
    assert_eq!(all_lines(dir.path()), ["0", "1", "old2"]);
    let mut unbounded = spec(&[("path", &dir.text())]);
    (unbounded.overwrite, unbounded.bounded) = (true, false);
    assert_eq!(Filesystem.sink(unbounded).unwrap_err().code(), "overwrite-unbounded");
}

#[test]
fn cleaning_touches_only_this_jobs_earlier_starts() {
    let dir = TempDir::new();
    let sink = Filesystem.sink(spec(&[("path", &dir.text())])).unwrap();
    run(async {
        let committer = sink.committer().unwrap();
        let mut other =
            sink.writer(&WriterContext { job: "another job".into(), ..context(1) }).await.unwrap();
        other.write(&rows(0..1)).await.unwrap();
        let other_prepared = other.prepare(1).await.unwrap();
        let mut first = sink.writer(&context(1)).await.unwrap();
        first.write(&rows(0..1)).await.unwrap();
        let kept = first.prepare(1).await.unwrap();
        first.write(&rows(1..2)).await.unwrap();
        drop(first);
        let mut second = sink.writer(&context(2)).await.unwrap();
        second.write(&rows(1..2)).await.unwrap();
        dir.file("sub/.part-0f1e2d3c-1-9-9.inprogress", "x");
        dir.file(".part-0f1e2d3c-x.inprogress", "x");
        assert_eq!(hidden(dir.path()), 5);
        committer.clean(&context(2), &kept).await.unwrap();
        assert_eq!(hidden(dir.path()), 4);
        assert!(!dir.path().join("sub/.part-0f1e2d3c-1-9-9.inprogress").exists());
        committer.commit(&kept[0]).await.unwrap();
        committer.commit(&other_prepared[0]).await.unwrap();
        for c in second.prepare(2).await.unwrap() {
            committer.commit(&c).await.unwrap();
        }
        assert_eq!(all_lines(dir.path()), ["0|p0", "0|p0", "1|p1"]);
    });
}

#[test]
fn what_a_crash_without_checkpoints_left_goes_with_the_next_start() {
    let dir = TempDir::new();
    let sink = |_: &str| Filesystem.sink(spec(&[("path", &dir.text())])).unwrap();
    let context = |job: &str, checkpoints| WriterContext { job: job.into(), checkpoints, ..context(1) };
    run(async {
        let (with, alive) = (sink("with"), sink("alive"));
        let mut prepared = with.writer(&context("aaaaaaaa-1", true)).await.unwrap();
        prepared.write(&rows(0..1)).await.unwrap();
        let prepared = prepared.prepare(1).await.unwrap();
        let committer = alive.committer().unwrap();
        let mut writer = alive.writer(&context("bbbbbbbb-1", false)).await.unwrap();
        writer.write(&rows(1..2)).await.unwrap();
        dir.file(".part-cccccccc-1-0.lock", "");
        let left = dir.file(".part-cccccccc-1-0-0.inprogress", "x");
        let below = dir.file("sub/.part-cccccccc-1-0-7.gz.inprogress", "x");
        let others = dir.file(".part-cccccccc-1-01-0.inprogress", "x");
        let new = context("eeeeeeee-1", false);
        sink("next").committer().unwrap().clean(&new, &[]).await.unwrap();
        assert!(!left.exists() && !below.exists() && others.exists());
        fs::remove_file(others).unwrap();
        // Also what is prepared and not committed is still its own.
        let mine = writer.prepare(1).await.unwrap();
        drop(writer);
        sink("next").committer().unwrap().clean(&new, &[]).await.unwrap();
        for c in prepared.into_iter().chain(mine) {
            committer.commit(&c).await.unwrap();
        }
        assert_eq!(all_lines(dir.path()), ["0|p0", "1|p1"]);
        drop((alive, committer));
        assert_eq!(hidden(dir.path()), 0, "the lock goes with the run");
    });
}

#[test]
fn aborting_removes_what_is_not_prepared() {
    let dir = TempDir::new();
    let sink = Filesystem.sink(spec(&[("path", &dir.text())])).unwrap();
    run(async {
        let mut writer = sink.writer(&context(1)).await.unwrap();
        writer.write(&rows(0..1)).await.unwrap();
        let prepared = writer.prepare(1).await.unwrap();
        writer.write(&rows(1..2)).await.unwrap();
        writer.abort().await.unwrap();
        assert_eq!(hidden(dir.path()), 1);
        sink.committer().unwrap().commit(&prepared[0]).await.unwrap();
        assert_eq!(all_lines(dir.path()), ["0|p0"]);
    });
}

#[test]
fn two_sinks_of_one_job_share_a_directory() {
    let dir = TempDir::new();
    let sink = Filesystem.sink(spec(&[("path", &dir.text())])).unwrap();
    run(async {
        let committer = sink.committer().unwrap();
        let mut a = sink.writer(&context(1)).await.unwrap();
        let mut b = sink.writer(&context(1)).await.unwrap();
        for round in 0..3 {
            a.write(&rows(round..round + 1)).await.unwrap();
            for c in a.prepare(1).await.unwrap() {
                committer.commit(&c).await.unwrap();
            }
            b.write(&rows(10 + round..11 + round)).await.unwrap();
            a.write(&rows(20 + round..21 + round)).await.unwrap();
            for c in b.prepare(1).await.unwrap().iter().chain(&a.prepare(1).await.unwrap()) {
                committer.commit(c).await.unwrap();
            }
        }
        assert_eq!(all_lines(dir.path()).len(), 9);
    });
}

#[test]
fn what_cannot_be_written_says_so() {
    let dir = TempDir::new();
    dir.file("file", "x");
    let under = format!("{}/file", dir.text());
    let sink = Filesystem.sink(spec(&[("path", &under)])).unwrap();
    let fault = run(async { sink.writer(&context(1)).await.err().unwrap() });
    assert_eq!((fault.kind(), fault.code()), (FaultKind::User, "not-a-directory"), "{fault}");
    let sink = Filesystem.sink(spec(&[("path", &dir.text())])).unwrap();
    run(async {
        let committer = sink.committer().unwrap();
        let mut writer = sink.writer(&context(1)).await.unwrap();
        writer.write(&rows(0..1)).await.unwrap();
        let prepared = writer.prepare(1).await.unwrap();
        // Cut short, or in the way of somebody else's file: never published, never written over.
        let temporary = dir.path().join(".part-0f1e2d3c-1-0-0.inprogress");
        let content = fs::read(&temporary).unwrap();
        fs::write(&temporary, &content[..2]).unwrap();
        assert_eq!(committer.commit(&prepared[0]).await.unwrap_err().code(), "output-damaged");
        fs::write(&temporary, &content).unwrap();
        dir.file("part-0f1e2d3c-1-0-0", "mine");
        assert_eq!(committer.commit(&prepared[0]).await.unwrap_err().code(), "output-exists");
        fs::remove_dir_all(dir.path()).unwrap();
        assert_eq!(committer.is_committed(&prepared[0]).await.unwrap_err().code(), "output-missing");
    });
    for options in [("auto-compaction", "true"), ("sink.partition-commit.policy.kind", "success-file")] {
        assert_eq!(Filesystem.sink(spec(&[("path", "/x"), options])).unwrap_err().kind(), FaultKind::NotYet);
    }
}

#[test]
fn strange_job_ids_and_paths() {
    let dir = TempDir::new();
    let odd = format!("{}/a\tb\\n c\nd", dir.text());
    let sink = Filesystem.sink(spec(&[("path", &odd)])).unwrap();
    run(async {
        let mut writer = sink.writer(&WriterContext { job: "../../etc".into(), ..context(1) }).await.unwrap();
        writer.write(&rows(0..1)).await.unwrap();
        let prepared = writer.prepare(1).await.unwrap();
        sink.committer().unwrap().commit(&prepared[0]).await.unwrap();
    });
    assert_eq!(all_lines(Path::new(&odd)), ["0|p0"]);
}

/// What survives a crash: the manifest. Rows are numbers from 0, the source's offset is the next number.
#[derive(Clone, Default)]
struct Manifest {
    next: i64,
    committables: Vec<Committable>,
}

/// Where a run is killed: after this many steps.
struct Fuse(u64);

impl Fuse {
    fn burns(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

/// One start of the job, until it is done or killed. A kill leaves everything as it is: the writer is forgotten, not closed.
async fn start(
    sink: &dyn Sink,
    number: u64,
    durable: &mut Manifest,
    last: i64,
    random: &SeededRandom,
    mut fuse: Fuse,
) -> bool {
    let committer = sink.committer().unwrap();
    for c in &durable.committables {
        if fuse.burns() {
            return false;
        }
        if !committer.is_committed(c).await.unwrap() {
            committer.commit(c).await.unwrap();
        }
    }
    if fuse.burns() {
        return false;
    }
    committer.clean(&context(number), &durable.committables).await.unwrap();
    let mut writer: Box<dyn Writer> = sink.writer(&context(number)).await.unwrap();
    let mut next = durable.next;
    let mut checkpoint = 0;
    loop {
        let kill = fuse.burns();
        let at_end = next == last;
        if !at_end && !random.next_u64().is_multiple_of(4) {
            let to = (next + 1 + (random.next_u64() % 5) as i64).min(last);
            writer.write(&rows(next..to)).await.unwrap();
            next = to;
            if kill {
                std::mem::forget(writer);
                return false;
            }
            continue;
        }
        checkpoint += 1;
        let committables = writer.prepare(checkpoint).await.unwrap();
        if kill {
            std::mem::forget(writer);
            return false;
        }
        *durable = Manifest { next, committables };
        for c in &durable.committables {
            if fuse.burns() {
                std::mem::forget(writer);
                return false;
            }
            committer.commit(c).await.unwrap();
        }
        if at_end {
            return true;
        }
    }
}

#[test]
fn killed_at_any_step_every_row_is_there_once() {
    let mut kills = BTreeSet::new();
    for seed in 0..120 {
        let dir = TempDir::new();
        let random = SeededRandom::new(seed);
        let mut spec = spec(&[("path", &dir.text()), ("sink.rolling-policy.file-size", "20 b")]);
        if seed % 2 == 0 {
            spec.partition_keys = vec!["p".into()];
        }
        let sink = Filesystem.sink(spec).unwrap();
        let mut durable = Manifest::default();
        run(async {
            for number in 1.. {
                // The first start is killed at each step once, later ones at random, the tenth runs to its end.
                let fuse = match number {
                    1 => 1 + seed / 2,
                    2..10 => 1 + random.next_u64() % 20,
                    _ => u64::MAX,
                };
                kills.insert(fuse.min(100));
                if start(&*sink, number, &mut durable, 60, &random, Fuse(fuse)).await {
                    break;
                }
            }
        });
        let mut ids: Vec<i64> =
            all_lines(dir.path()).iter().map(|l| l.split('|').next().unwrap().parse().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (0..60).collect::<Vec<_>>(), "seed {seed}");
        assert_eq!(hidden(dir.path()), 0, "seed {seed}");
    }
    assert!(kills.len() > 50, "{kills:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn hundreds_of_writers_of_a_directory_hold_no_handle_each() {
    let dir = TempDir::new();
    let handles = || {
        let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
        open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.starts_with(dir.path()))).count()
    };
    run(async {
        for checkpoints in [false, true] {
            let mut writers = Vec::new();
            for i in 0..300 {
                let sink = Filesystem.sink(spec(&[("path", &dir.text())])).unwrap();
                let context =
                    WriterContext { checkpoints, subtask: i, ..context(1 + u64::from(checkpoints)) };
                let mut writer = sink.writer(&context).await.unwrap();
                writer.write(&rows(i64::from(i as u32)..i64::from(i as u32) + 1)).await.unwrap();
                writers.push((sink, writer));
            }
            assert_eq!(handles(), usize::from(!checkpoints), "one lock for the run");
            for (sink, mut writer) in writers {
                for committable in writer.prepare(1).await.unwrap() {
                    sink.committer().unwrap().commit(&committable).await.unwrap();
                }
            }
        }
    });
    assert_eq!((all_lines(dir.path()).len(), hidden(dir.path()), handles()), (600, 0, 0));
}
