//! Licences and number of dependencies.

use std::collections::{BTreeSet, VecDeque};

use cargo_metadata::DependencyKind;

use crate::{metadata, root};

/// Crates of the slim build's closure, at the most.
const BUDGET: usize = 250;

/// Licences that a crate may offer (one of them is enough where it offers several).
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unlicense",
    "Unicode-3.0",
    "CC0-1.0",
    "0BSD",
    "BSL-1.0",
    "MIT-0",
    "Apache-2.0 WITH LLVM-exception",
];

#[test]
fn licences_are_permissive() {
    let mut wrong = Vec::new();
    for package in metadata().packages.iter().filter(|p| p.source.is_some()) {
        let licence = package.license.clone().unwrap_or_default();
        // "A OR B AND C", "A/B": every AND part needs one permitted OR part; brackets only group such parts here.
        let fine = licence
            .replace('/', " OR ")
            .replace(['(', ')'], "")
            .split(" AND ")
            .all(|part| part.split(" OR ").any(|l| LICENCES.contains(&l.trim())));
        if !fine {
            wrong.push(format!("{} {}: {licence:?}", package.name, package.version));
        }
    }
    assert!(wrong.is_empty(), "licences: {wrong:#?}");
}

#[test]
fn the_slim_build_stays_within_its_budget() {
    let metadata = metadata();
    let resolve = metadata.resolve.as_ref().expect("resolved dependencies");
    let start = metadata.packages.iter().find(|p| p.name.as_str() == "millstream-cli").expect("the command");
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([start.id.clone()]);
    while let Some(id) = queue.pop_front() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let node = resolve.nodes.iter().find(|n| n.id == id).expect("a node of the graph");
        for dep in &node.deps {
            if dep.dep_kinds.iter().any(|k| k.kind != DependencyKind::Development) {
                queue.push_back(dep.pkg.clone());
            }
        }
    }
    println!("{} crates", seen.len());
    assert!(seen.len() <= BUDGET, "{} crates, {BUDGET} are allowed", seen.len());
}

#[test]
fn no_dependency_comes_from_git_and_each_direct_one_has_its_reason() {
    let metadata = metadata();
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut missing = BTreeSet::new();
    for package in metadata.workspace_packages() {
        for dependency in &package.dependencies {
            if let Some(source) = &dependency.source {
                assert!(!source.to_string().starts_with("git"), "{} comes from git", dependency.name);
            }
            if dependency.path.is_none() && !architecture.contains(&format!("`{}`", dependency.name)) {
                missing.insert(dependency.name.clone());
            }
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md says no reason for {missing:?}");
}
