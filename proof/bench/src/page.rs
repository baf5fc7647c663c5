//! The table of the manual's page on performance: rows that were measured replace those that stand there.

use std::path::Path;

use crate::loads::LOADS;

const BEGIN: &str = "<!-- bench run: begin -->";
const END: &str = "<!-- bench run: end -->";

/// A measured row.
#[derive(Debug)]
pub struct Row {
    /// Load and number of rules.
    pub name: String,
    /// Events per CPU-second.
    pub rate: f64,
    /// The same of Flink's task manager.
    pub flink: Option<f64>,
    /// Megabytes.
    pub peak: f64,
}

/// Writes the rows into `docs/performance.md`; those of other loads stay as they are.
///
/// # Errors
/// When the page cannot be read or written, or has lost its marks.
pub fn write(rows: &[Row]) -> Result<(), String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance.md");
    let wrong = |e: std::io::Error| format!("{}: {e}", page.display());
    let text = std::fs::read_to_string(&page).map_err(wrong)?;
    std::fs::write(&page, replaced(&text, rows)?).map_err(wrong)
}

/// The page with the rows in it.
fn replaced(text: &str, rows: &[Row]) -> Result<String, String> {
    let marks = || format!("the page has no lines '{BEGIN}' and '{END}'");
    let (before, rest) = text.split_once(BEGIN).ok_or_else(marks)?;
    let (old, after) = rest.split_once(END).ok_or_else(marks)?;
    let mut table = String::from(
        "\n| load, rules | events per CPU-second | Flink 2.3 | ratio | peak memory |\n|---|---|---|---|---|\n",
    );
    let mut notes = String::from("\n");
    for load in LOADS {
        for rules in load.rules {
            let name = format!("{} {rules}", load.name);
            let line = match rows.iter().find(|r| r.name == name) {
                Some(row) => Some(line(row)),
                None => old.lines().find(|l| l.starts_with(&format!("| {name} |"))).map(str::to_string),
            };
            if let Some(line) = line {
                table.push_str(&line);
                table.push('\n');
            }
        }
        notes.push_str(&format!("- *{}*: {}\n", load.name, load.doc));
    }
    Ok(format!("{before}{BEGIN}{table}{notes}{END}{after}"))
}

fn line(row: &Row) -> String {
    let (flink, ratio) = match row.flink {
        Some(f) => (thousands(f), format!("{:.1}x", row.rate / f)),
        None => ("-".into(), "-".into()),
    };
    format!("| {} | {} | {flink} | {ratio} | {:.0} MB |", row.name, thousands(row.rate), row.peak)
}

fn thousands(n: f64) -> String {
    let digits = format!("{n:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_not_measured_stay() {
        let page = format!("a\n{BEGIN}\n| quiet 1 | 5 | 6 | 7 | 8 MB |\n| gone 1 | 1 |\n{END}\nz\n");
        let row = Row { name: "quiet 41".into(), rate: 1_234_567.0, flink: Some(1_000.0), peak: 20.4 };
        let page = replaced(&page, &[row]).unwrap();
        assert!(page.starts_with(&format!("a\n{BEGIN}\n| load")) && page.ends_with(&format!("{END}\nz\n")));
        assert!(page.contains(
            "\n| quiet 1 | 5 | 6 | 7 | 8 MB |\n| quiet 41 | 1,234,567 | 1,000 | 1234.6x | 20 MB |\n"
        ));
        assert!(!page.contains("gone"));
        assert!(replaced("no marks", &[]).is_err());
    }
}
