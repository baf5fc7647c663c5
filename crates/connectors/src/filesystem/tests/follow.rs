use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use millstream_flow::{Connector, Framing, Offset, Read, Source, Split, SplitReader};
use millstream_types::{DataType, Fault, FaultKind};

use crate::filesystem::Filesystem;
use crate::testing::{TempDir, run, schema, source_spec};

fn made(options: &[(&str, &str)]) -> Result<Arc<dyn Source>, Fault> {
    let mut all = vec![("source.follow", "true"), ("source.follow.rotate-wait", "150 ms")];
    all.retain(|(key, _)| options.iter().all(|(k, _)| k != key));
    all.extend_from_slice(options);
    Filesystem.source(source_spec(schema(&[("a", DataType::string())]), &all))
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// A small scan: splits with their readers, and what they gave.
struct Scan {
    source: Arc<dyn Source>,
    splits: Vec<Followed>,
}

/// A split, where reading it stands, whether it has ended.
type Followed = (Split, Option<Offset>, bool, Option<Box<dyn SplitReader>>);

impl Scan {
    fn new(options: &[(&str, &str)]) -> Self {
        Scan { source: made(options).unwrap(), splits: Vec::new() }
    }

    /// What a checkpoint has, taken up by a new process.
    fn restart(&self, options: &[(&str, &str)]) -> Self {
        let splits =
            self.splits.iter().map(|(split, offset, ended, _)| (split.clone(), offset.clone(), *ended, None));
        Scan { source: made(options).unwrap(), splits: splits.collect() }
    }

    async fn discover(&mut self) -> Result<usize, Fault> {
        let known: Vec<Split> = self.splits.iter().map(|s| s.0.clone()).collect();
        let fresh = self.source.discover(&known).await?;
        let count = fresh.len();
        self.splits.extend(fresh.into_iter().map(|split| (split, None, false, None)));
        for (split, offset, ended, reader) in &mut self.splits {
            if !*ended && reader.is_none() {
                *reader = Some(self.source.open(split, offset.as_ref()).await?);
            }
        }
        Ok(count)
    }

    /// Reads until nothing came for about `quiet` milliseconds.
    async fn read(&mut self, quiet: u64) -> Result<Vec<String>, Fault> {
        let mut lines = Vec::new();
        for (_, offset, ended, reader) in &mut self.splits {
            let mut nothing = 0;
            while let Some(open) = reader {
                let limit = tokio::time::sleep(std::time::Duration::from_millis(10));
                let read = tokio::select! {
                    read = open.next() => read?,
                    () = limit => Read::Nothing,
                };
                *offset = Some(open.offset());
                match read {
                    Read::Records(chunk) => {
                        nothing = 0;
                        lines.extend((0..chunk.records.len()).map(|i| {
                            format!("{} {}", chunk.position(i), String::from_utf8_lossy(chunk.record(i)))
                        }));
                    }
                    Read::Nothing => nothing += 10,
                    Read::End => {
                        *ended = true;
                        *reader = None;
                    }
                    Read::Rows(_) => panic!("rows"),
                }
                if nothing >= quiet {
                    break;
                }
            }
        }
        Ok(lines)
    }

    /// Looks at the path and reads until so many files have ended.
    async fn end(&mut self, count: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for _ in 0..100 {
            self.discover().await.unwrap();
            lines.extend(self.read(100).await.unwrap());
            if self.ended() >= count {
                return lines;
            }
        }
        panic!("{} files have ended, not {count}", self.ended());
    }

    fn ended(&self) -> usize {
        self.splits.iter().filter(|s| s.2).count()
    }
}

#[test]
fn lines_are_read_as_they_are_completed() {
    let dir = TempDir::new();
    let path = dir.file("a.log", "one\ntw");
    run(async {
        let mut scan = Scan::new(&[("path", &dir.text())]);
        assert!(!scan.source.is_bounded() && !scan.source.reads_in_sequence());
        assert_eq!(scan.source.discovery_interval(), Some(1000));
        assert_eq!(scan.discover().await.unwrap(), 1);
        assert_eq!(scan.source.shown(&scan.splits[0].0), path.to_str().unwrap());
        assert_eq!(scan.read(30).await.unwrap(), ["1 one"]);
        append(&path, "o");
        assert!(scan.read(30).await.unwrap().is_empty());
        append(&path, "\nthree\r\nfour");
        assert_eq!(scan.read(30).await.unwrap(), ["2 two", "3 three"]);
        // A checkpoint holds the half-written line back, too.
        let mut again = scan.restart(&[("path", &dir.text())]);
        append(&path, "\n");
        assert_eq!(again.discover().await.unwrap(), 0);
        assert_eq!(again.read(30).await.unwrap(), ["4 four"]);
        dir.file("b/new.log", "x\n");
        assert_eq!(again.discover().await.unwrap(), 1);
        assert_eq!(again.read(30).await.unwrap(), ["1 x"]);
    });
}

#[test]
fn a_renamed_file_is_read_to_its_end_and_its_successor_from_the_beginning() {
    let dir = TempDir::new();
    let path = dir.file("a.log", "1\n");
    let pattern = format!("{}/*.log", dir.text());
    run(async {
        let mut scan = Scan::new(&[("path", &pattern)]);
        scan.discover().await.unwrap();
        assert_eq!(scan.read(30).await.unwrap(), ["1 1"]);
        let aside = dir.path().join("a.log.1");
        fs::rename(&path, &aside).unwrap();
        assert_eq!(scan.discover().await.unwrap(), 0, "nothing is there for a moment");
        append(&path, "new\n");
        append(&aside, "2\nthe last");
        assert_eq!(scan.discover().await.unwrap(), 1);
        assert_eq!(scan.read(30).await.unwrap(), ["2 2", "1 new"]);
        assert_eq!(scan.ended(), 0);
        // Not before two looks at the path have not found it, and the wait is over; then what stands there is its last line.
        assert_eq!(scan.read(250).await.unwrap(), Vec::<String>::new());
        assert_eq!(scan.end(1).await, ["3 the last"]);
        append(&aside, "too late\n");
        append(&path, "newer\n");
        assert_eq!(scan.discover().await.unwrap(), 0);
        assert_eq!(scan.read(30).await.unwrap(), ["2 newer"]);
    });
}

#[test]
fn a_file_that_is_renamed_within_the_directory_is_the_same() {
    let dir = TempDir::new();
    let path = dir.file("a.log", "1\n");
    run(async {
        let mut scan = Scan::new(&[("path", &dir.text())]);
        scan.discover().await.unwrap();
        scan.read(30).await.unwrap();
        let aside = dir.path().join("a.log.1");
        fs::rename(&path, &aside).unwrap();
        append(&path, "new\n");
        for _ in 0..3 {
            scan.discover().await.unwrap();
            scan.read(200).await.unwrap();
        }
        assert_eq!((scan.splits.len(), scan.ended()), (2, 0));
        append(&aside, "2\n");
        assert_eq!(scan.read(150).await.unwrap(), ["2 2"]);
        fs::remove_file(&aside).unwrap();
        assert!(scan.end(1).await.is_empty());
    });
}

#[test]
fn a_truncated_file_is_read_from_its_start() {
    let dir = TempDir::new();
    let path = dir.file("a.log", "first 1\nfirst 2\nhalf");
    run(async {
        let options: &[(&str, &str)] = &[("path", path.to_str().unwrap())];
        let mut scan = Scan::new(options);
        scan.discover().await.unwrap();
        scan.read(30).await.unwrap();
        let copied = scan.restart(options);
        // In place, as logrotate's copytruncate does it.
        fs::write(&path, "x\n").unwrap();
        assert_eq!(scan.read(150).await.unwrap(), ["1 x"]);
        // It has become longer than it was before anybody looked.
        fs::write(&path, "a longer content than before\nand another\n").unwrap();
        assert_eq!(scan.read(150).await.unwrap(), ["1 a longer content than before", "2 and another"]);
        assert_eq!(scan.discover().await.unwrap(), 0);
        // The same for a job that was not there.
        let mut restored = copied;
        assert_eq!(restored.discover().await.unwrap(), 0);
        assert_eq!(restored.read(30).await.unwrap(), ["1 a longer content than before", "2 and another"]);
        let (ours, theirs) = (scan.splits[0].1.clone().unwrap(), restored.splits[0].1.clone().unwrap());
        assert_eq!(scan.source.order(&ours, &theirs), None, "one has seen more contents than the other");
    });
}

#[test]
fn rotation_while_no_job_runs() {
    let dir = TempDir::new();
    let path = dir.file("a.log", "1\n2\n");
    let pattern = format!("{}/*.log", dir.text());
    run(async {
        let mut scan = Scan::new(&[("path", &pattern)]);
        scan.discover().await.unwrap();
        scan.read(30).await.unwrap();
        append(&path, "3\n");
        let aside = dir.path().join("old-2024");
        fs::rename(&path, &aside).unwrap();
        append(&path, "new\n");
        let mut restored = scan.restart(&[("path", &pattern)]);
        assert_eq!(restored.discover().await.unwrap(), 1);
        assert_eq!(restored.read(30).await.unwrap(), ["3 3", "1 new"]);
        // Gone, with lines in it that nobody has read.
        fs::remove_file(&aside).unwrap();
        let mut restored = scan.restart(&[("path", &pattern)]);
        let fault = restored.discover().await.unwrap_err();
        assert_eq!((fault.kind(), fault.code()), (FaultKind::External, "file-gone"));
        assert!(fault.remedy().unwrap().contains("source.follow.missing-file"), "{fault}");
        let mut restored = scan.restart(&[("path", &pattern), ("source.follow.missing-file", "skip")]);
        assert_eq!(restored.discover().await.unwrap(), 1);
        assert_eq!(restored.read(30).await.unwrap(), ["1 new"]);
        assert_eq!(restored.ended(), 1);
    });
}

#[test]
fn a_number_of_a_removed_file_that_is_used_again() {
    let dir = TempDir::new();
    let path = dir.path().join("a.log");
    run(async {
        let mut scan = Scan::new(&[("path", &dir.text()), ("source.follow.rotate-wait", "0")]);
        // File systems give the number of a removed file to the next one, often at once.
        for i in 0..5 {
            append(&path, &format!("{i}\n"));
            scan.discover().await.unwrap();
            assert_eq!(scan.read(20).await.unwrap(), [format!("1 {i}")]);
            fs::remove_file(&path).unwrap();
            assert!(scan.end(i + 1).await.is_empty());
        }
    });
}

#[test]
fn latest_begins_behind_the_last_complete_line() {
    let dir = TempDir::new();
    let path = dir.file("a.log", "1\n2\nhal");
    let long = dir.file("b.log", format!("1\n{}", "x".repeat(200_000)));
    let options = [("path", &*dir.text()), ("source.follow.start", "latest")];
    run(async {
        let mut scan = Scan::new(&options);
        assert_eq!(scan.discover().await.unwrap(), 3);
        assert!(scan.read(30).await.unwrap().is_empty());
        append(&path, "f\n4\n");
        append(&long, "\ny\n");
        let lines = scan.read(30).await.unwrap();
        assert_eq!(
            (&lines[..2], lines[2].len(), &lines[3..]),
            (&["1 half".into(), "2 4".into()][..], 200_002, &["2 y".into()][..])
        );
        // What comes later is new, also for a job that goes on.
        dir.file("c.log", "all of it\n");
        let mut scan = scan.restart(&options);
        scan.discover().await.unwrap();
        assert_eq!(scan.read(30).await.unwrap(), ["1 all of it"]);
    });
    let empty = TempDir::new();
    let options = [("path", &*empty.text()), ("source.follow.start", "latest")];
    run(async {
        let mut scan = Scan::new(&options);
        scan.discover().await.unwrap();
        scan.read(10).await.unwrap();
        empty.file("a.log", "since then\n");
        let mut scan = scan.restart(&options);
        scan.discover().await.unwrap();
        assert_eq!(scan.read(30).await.unwrap(), ["1 since then"]);
    });
}

#[test]
fn compressed_copies_are_left_out() {
    let dir = TempDir::new();
    dir.file("a.log", "1\n");
    dir.file("a.log.2.gz", "this is not read");
    dir.file("a.log.3.bz2", "nor this");
    run(async {
        let mut scan = Scan::new(&[("path", &dir.text())]);
        assert_eq!(scan.discover().await.unwrap(), 1);
        let mut scan = Scan::new(&[("path", &dir.text()), ("source.compression", "none")]);
        assert_eq!(scan.discover().await.unwrap(), 3);
    });
}

#[test]
fn a_reader_comes_to_where_another_one_is() {
    let dir = TempDir::new();
    let path = dir.file("a.log", "1\n2\n3\n");
    run(async {
        let mut first = Scan::new(&[("path", &dir.text())]);
        first.discover().await.unwrap();
        first.read(30).await.unwrap();
        let (split, there, ..) = &first.splits[0];
        append(&path, "4\n");
        let mut second = Scan::new(&[("path", &dir.text())]);
        second.discover().await.unwrap();
        assert_eq!(second.splits[0].0.id, split.id);
        assert!(second.splits[0].3.as_mut().unwrap().stop_at(there.as_ref()));
        assert_eq!(second.read(50).await.unwrap(), ["1 1", "2 2", "3 3"]);
        assert!(second.splits[0].3.as_mut().unwrap().stop_at(None));
        assert_eq!(second.read(50).await.unwrap(), ["4 4"]);
        assert!(!second.splits[0].3.as_mut().unwrap().stop_at(there.as_ref()), "it is behind that already");
        // A new reader of a content that has been replaced is in the same one as the others.
        fs::write(&path, "other\n").unwrap();
        first.read(150).await.unwrap();
        let mut third = Scan::new(&[("path", &dir.text())]);
        third.discover().await.unwrap();
        let there = first.splits[0].1.clone();
        assert!(third.splits[0].3.as_mut().unwrap().stop_at(there.as_ref()));
        assert_eq!(third.read(50).await.unwrap(), ["1 other"]);
        assert_eq!(third.splits[0].1, there);
    });
}

#[test]
fn quoted_records_wait_for_their_end() {
    let dir = TempDir::new();
    let path = dir.file("a.csv", "1,\"x\n");
    let mut spec = source_spec(
        schema(&[("a", DataType::string())]),
        &[("path", &dir.text()), ("source.follow", "true")],
    );
    spec.framing = Some(Framing::QuotedLines { delimiter: b"\n".to_vec(), quote: b'"', escape: None });
    run(async {
        let mut scan = Scan { source: Filesystem.source(spec).unwrap(), splits: Vec::new() };
        scan.discover().await.unwrap();
        assert!(scan.read(30).await.unwrap().is_empty());
        append(&path, "y\"\n2,z\n");
        assert_eq!(scan.read(30).await.unwrap(), ["1 1,\"x\ny\"", "3 2,z"]);
    });
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let refused = |options: &[(&str, &str)]| made(options).unwrap_err();
    for (key, value) in [
        ("source.follow", "yes"),
        ("source.follow.start", "end"),
        ("source.follow.rotate-wait", "soon"),
        ("source.follow.missing-file", "ignore"),
        ("source.monitor-interval", "0"),
        ("source.compression", "gzip"),
    ] {
        let fault = refused(&[("path", "/x"), (key, value)]);
        assert_eq!(fault.code(), "bad-option", "{key}: {fault}");
        assert!(fault.to_string().contains(key) || key == "source.compression", "{fault}");
    }
    assert_eq!(refused(&[("path", "/x/a.gz")]).code(), "bad-option");
    let fault = refused(&[("path", "/x"), ("source.follow", "false"), ("source.follow.start", "latest")]);
    assert!(fault.remedy().unwrap().contains("'source.follow' = 'true'"), "{fault}");
    // A name that is written wrong is noticed at the start.
    let dir = TempDir::new();
    dir.file("auth.log", "");
    let path = format!("{}/atuh.log", dir.text());
    let fault = run(made(&[("path", &path)]).unwrap().discover(&[])).unwrap_err();
    assert!(fault.remedy().unwrap().contains("auth.log"), "{fault}");
}
