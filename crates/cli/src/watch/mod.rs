//! `millstream run --watch DIR`: each SQL file of a directory is a job.

mod directory;
mod keeper;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use millstream::flow::parse_duration;
use millstream::{SharedScans, SystemClock};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::arguments::RunArguments;
use crate::interrupt::Interrupts;
use crate::{FAILED, INTERRUPTED, WRONG_TEXT};
use directory::{Change, Directory};
use keeper::{Keeper, Order, Setting};

/// How long jobs that begin together wait for each other.
const GATHER: Duration = Duration::from_secs(5);

/// A job's keeper at work.
struct Kept {
    orders: mpsc::UnboundedSender<Order>,
    work: JoinHandle<bool>,
}

/// Runs the jobs of a directory until the command is interrupted.
pub async fn watch(arguments: &RunArguments, root: &Path) -> u8 {
    let Some(interval) = parse_duration(&arguments.watch_interval).filter(|i| *i > 0) else {
        eprintln!(
            "error: --watch-interval takes a duration such as '1 s', not '{}'",
            arguments.watch_interval
        );
        return WRONG_TEXT;
    };
    if !keeper::check(&arguments.text.options, root) {
        return WRONG_TEXT;
    }
    let setting = Arc::new(Setting {
        options: arguments.text.options.clone(),
        scans: SharedScans::default(),
        clock: Arc::new(SystemClock::new()),
        quiet: arguments.quiet,
    });
    let mut interrupts = Interrupts::new();
    let mut directory = Directory::new(root.to_path_buf());
    let mut jobs: BTreeMap<String, Kept> = BTreeMap::new();
    // Keepers of jobs whose files are gone, until those have stopped.
    let mut leaving: Vec<JoinHandle<bool>> = Vec::new();
    let mut trouble: Option<String> = None;
    loop {
        leaving.retain(|work| !work.is_finished());
        match directory.poll(setting.clock.now_millis()) {
            Ok(changes) => {
                trouble = None;
                tokio::select! {
                    biased;
                    () = interrupts.next() => break,
                    () = carry_out(changes, &setting, &mut jobs, &mut leaving) => {}
                }
            }
            Err(e) => {
                let told = format!("{} cannot be read, its jobs go on as they are: {e}", root.display());
                if trouble.as_ref() != Some(&told) {
                    eprintln!("error: {told}");
                }
                trouble = Some(told);
            }
        }
        tokio::select! {
            biased;
            () = interrupts.next() => break,
            () = tokio::time::sleep(Duration::from_millis(interval)) => {}
        }
    }
    if !arguments.quiet {
        eprintln!(
            "stopping {} jobs: what was read is being committed (Ctrl-C again stops at once)",
            jobs.len()
        );
    }
    interrupts.end_at_next();
    // Without their orders keepers stop, all at the same time.
    let works: Vec<JoinHandle<bool>> = jobs.into_values().map(|kept| kept.work).chain(leaving).collect();
    let mut clean = true;
    for work in works {
        clean &= work.await.unwrap_or(false);
    }
    if clean { INTERRUPTED } else { FAILED }
}

/// Tells the keepers what has changed. Jobs that begin with one poll begin together.
async fn carry_out(
    changes: Vec<Change>,
    setting: &Arc<Setting>,
    jobs: &mut BTreeMap<String, Kept>,
    leaving: &mut Vec<JoinHandle<bool>>,
) {
    let (doing, mut done) = mpsc::channel(1);
    let held = setting.scans.hold();
    for change in changes {
        match change {
            Change::Text { name, path, text } => {
                let kept = jobs.entry(name.clone()).or_insert_with(|| keep(name, setting.clone()));
                let _ = kept.orders.send(Order::Text(path, text, doing.clone()));
            }
            Change::Gone { name } => {
                if let Some(kept) = jobs.remove(&name) {
                    let _ = kept.orders.send(Order::Remove);
                    leaving.push(kept.work);
                }
            }
            Change::Trouble(what) => eprintln!("error: {what}"),
        }
    }
    drop(doing);
    // One whose former version does not stop must not hold up the others.
    let _ = tokio::time::timeout(GATHER, done.recv()).await;
    drop(held);
}

#[allow(clippy::disallowed_methods)] // the command owns the process
fn keep(name: String, setting: Arc<Setting>) -> Kept {
    let (orders, taken) = mpsc::unbounded_channel();
    let work = tokio::spawn(Keeper::new(name, setting).keep(taken));
    Kept { orders, work }
}
