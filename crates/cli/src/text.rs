//! The SQL texts of a command, and a session with the options of the command line.

use std::io::Read;

use millstream::types::Fault;
use millstream::{Prepared, Restore, Session};

use crate::arguments::SqlArguments;
use crate::{FAILED, WRONG_TEXT};

/// A text and what it is called in messages.
pub struct Text {
    /// A file's path, `<stdin>` or `<execute>`.
    pub origin: String,
    /// The SQL.
    pub sql: String,
}

/// Reads the texts; prints why not.
pub fn read(arguments: &SqlArguments) -> Result<Vec<Text>, u8> {
    if let Some(sql) = &arguments.sql {
        return Ok(vec![Text { origin: "<execute>".into(), sql: sql.clone() }]);
    }
    let mut texts = Vec::new();
    for path in &arguments.files {
        let mut bytes = Vec::new();
        let (origin, read) = if path.as_os_str() == "-" {
            ("<stdin>".to_string(), std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ()))
        } else {
            (path.display().to_string(), std::fs::read(path).map(|b| bytes = b))
        };
        if let Err(e) = read {
            eprintln!("error: {origin} cannot be read: {e}");
            return Err(FAILED);
        }
        match String::from_utf8(bytes) {
            Ok(sql) => texts.push(Text { origin, sql }),
            Err(e) => {
                eprintln!("error: {origin} is not UTF-8 (byte {})", e.utf8_error().valid_up_to());
                return Err(WRONG_TEXT);
            }
        }
    }
    Ok(texts)
}

/// Plans the texts one after the other: their steps and everything that is wrong with them. All their INSERTs are one job; what is wrong with
/// its settings stands with the last text that has one.
pub fn prepare(session: &mut Session, texts: &[Text]) -> Vec<(Prepared, Vec<Fault>)> {
    let mut all: Vec<_> = texts.iter().map(|t| session.prepare(&t.sql)).collect();
    let last = all.iter_mut().rev().find(|(prepared, _)| prepared.job_settings().is_some());
    if let Some((prepared, faults)) = last {
        faults.extend(prepared.job_settings().and_then(|s| Session::check_job(s).err()));
    }
    all
}

/// A session with the options of the command line; prints what is wrong with them.
pub fn session(arguments: &SqlArguments, texts: &[Text], restore: Restore) -> Result<Session, u8> {
    make(arguments, texts, restore, true)
}

/// Another session of the same command: its warnings were printed before.
pub fn session_again(arguments: &SqlArguments, texts: &[Text], restore: Restore) -> Result<Session, u8> {
    make(arguments, texts, restore, false)
}

fn make(arguments: &SqlArguments, texts: &[Text], restore: Restore, warn: bool) -> Result<Session, u8> {
    let mut session = Session::builder().restore(restore).build();
    // A job is called after its file, so that its checkpoints are found again.
    let stem = arguments.files.first().and_then(|f| f.file_stem()).and_then(|s| s.to_str());
    let name = stem.filter(|s| *s != "-" && texts.len() == 1);
    let named = name.map(|n| format!("pipeline.name={n}"));
    for option in named.iter().chain(&arguments.options) {
        let Some((key, value)) = option.split_once('=') else {
            eprintln!("error: -D takes option=value, not '{option}'");
            return Err(WRONG_TEXT);
        };
        match session.set(key.trim(), value.trim()) {
            Ok(Some(warning)) if warn => eprintln!("warning: {warning}"),
            Ok(_) => {}
            Err(fault) => {
                eprint!("{}", fault.render("-D", option));
                return Err(WRONG_TEXT);
            }
        }
    }
    Ok(session)
}
