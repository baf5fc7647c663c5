//! Sizes and names of source files.

use std::path::{Path, PathBuf};

use crate::root;

/// Lines of a source file without its tests, at the most.
const MOST_LINES: usize = 800;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn all() -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(&root().join("crates"), &mut found);
    sources(&root().join("proof"), &mut found);
    found
}

#[test]
fn files_are_short() {
    let mut long = Vec::new();
    for path in all() {
        let shown = path.display().to_string();
        if shown.ends_with("tests.rs") || shown.contains("/tests/") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let lines = text.lines().take_while(|l| *l != "#[cfg(test)]").count();
        if lines > MOST_LINES {
            long.push(format!("{shown}: {lines}"));
        }
    }
    assert!(long.is_empty(), "files of more than {MOST_LINES} lines: {long:#?}");
}

#[test]
fn nothing_is_named_after_nothing() {
    const SACKS: [&str; 8] = ["common", "util", "utils", "misc", "helper", "helpers", "manager", "shared"];
    let wrong: Vec<PathBuf> = all()
        .into_iter()
        .filter(|p| {
            p.strip_prefix(root()).is_ok_and(|p| {
                p.components()
                    .any(|c| SACKS.contains(&c.as_os_str().to_string_lossy().trim_end_matches(".rs")))
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
