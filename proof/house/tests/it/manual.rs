//! Generated pages of the manual are those in `docs/`; `UPDATE_DOCS=1` writes them.

use crate::root;

fn compare(name: &str, page: &str) {
    let path = root().join("docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).expect("writing a page");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/{name} is not what the definitions say: run UPDATE_DOCS=1 cargo test -p house"
    );
}

#[test]
fn generated_pages_are_up_to_date() {
    compare("functions.md", &millstream::manual::functions_markdown());
    compare("connectors.md", &millstream::manual::connectors_markdown());
    compare("options.md", &millstream::manual::options_markdown());
    compare("differences.md", &differences());
}

/// The known differences from Flink, from the lists that the conformance program holds itself to.
fn differences() -> String {
    let data = root().join("proof/conformance/data");
    let list = |name: &str| {
        let text = std::fs::read_to_string(data.join(name)).expect("a list of cases");
        let mut rows = String::new();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let (id, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            rows.push_str(&format!("| {id} | {} |\n", reason.trim().replace('|', "\\|")));
        }
        rows
    };
    format!(
        "# Known differences from Flink\n\nThis page is generated from the lists that the conformance suite holds itself to; a test compares it. \
         A case is a statement, expression or query that real Flink 2.3 answered, in `proof/conformance/data`.\n\n\
         ## Statements\n\n| case | reason |\n|---|---|\n{}\n## Expressions\n\n| case | reason |\n|---|---|\n{}\n\
         ## Queries\n\n| case | reason |\n|---|---|\n{}\n## Accepted on purpose although Flink refuses it\n\n| case | form |\n|---|---|\n{}",
        list("known-ddl.txt"),
        list("known-scalar.txt") + &list("known-scalar-more.txt"),
        list("known-queries.txt"),
        list("extensions.txt")
    )
}
