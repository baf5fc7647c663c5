//! Lists of cases with a reason each: `id  reason`, `#` begins a comment line.

use std::collections::BTreeMap;

/// Reads a list.
pub fn read(path: &str) -> Result<BTreeMap<String, String>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let mut list = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (id, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if reason.trim().is_empty() {
            return Err(format!("{path}: '{id}' has no reason"));
        }
        list.insert(id.to_string(), reason.trim().to_string());
    }
    Ok(list)
}
