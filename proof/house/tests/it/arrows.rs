//! Which crate may use which (ARCHITECTURE.md, "The tree"). Everything may use `types`; crates of `proof/` may use everything.

use std::collections::BTreeMap;

use crate::metadata;

/// The arrows, from the user to what it uses.
const ALLOWED: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("text", &[]),
    ("expr", &["text"]),
    ("sql", &[]),
    ("flow", &[]),
    ("plan", &["expr", "sql", "flow"]),
    ("rules", &["text", "expr"]),
    ("formats", &["text", "flow"]),
    ("operators", &["expr", "flow"]),
    ("engine", &["plan", "expr", "rules", "formats", "operators", "flow"]),
    ("connectors", &["text", "flow"]),
    ("millstream", &["engine", "plan", "sql", "expr", "formats", "flow", "connectors"]),
    ("cli", &["millstream"]),
];

#[test]
fn no_other_arrow_appears() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let short = |name: &str| name.strip_prefix("millstream-").unwrap_or(name).to_string();
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        if package.manifest_path.as_str().contains("/proof/") {
            continue;
        }
        let user = short(&package.name);
        let Some(may) = allowed.get(user.as_str()) else {
            wrong.push(format!("crate '{user}' is not in the list of arrows"));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|d| d.path.is_some()) {
            let used = short(&dependency.name);
            let dev = dependency.kind == cargo_metadata::DependencyKind::Development;
            if used != "types" && !may.contains(&used.as_str()) && !dev {
                wrong.push(format!("{user} -> {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that ARCHITECTURE.md does not have: {wrong:?}");
}
