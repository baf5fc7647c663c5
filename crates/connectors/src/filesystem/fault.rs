//! What the operating system said, as faults that name the path.

use std::fs;
use std::io;
use std::path::Path;

use millstream_types::{Fault, nearest};

/// A failed action on a path: `action` completes "cannot …", as in "read".
pub(super) fn io_fault(action: &str, path: &Path, error: &io::Error) -> Fault {
    let message = format!("cannot {action} '{}': {}", path.display(), reason(error));
    match error.kind() {
        io::ErrorKind::NotFound => Fault::user("file-not-found", message).hint(nearby(path)),
        io::ErrorKind::PermissionDenied => Fault::external("permission-denied", message).hint(
            "give the user that runs this job access to it, or set 'path' to a place where it has access",
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Fault::external("disk-full", message)
            .retryable()
            .hint("free space on that disk; what was committed is not touched"),
        _ if out_of_handles(error) => Fault::external("too-many-open-files", message).retryable().hint(
            "raise the limit of open files (`ulimit -n`); compressed part files and followed files are open as long as they are used",
        ),
        _ => Fault::external("io", message).retryable(),
    }
}

/// Whether the process or the system has no more handles (EMFILE, ENFILE).
fn out_of_handles(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// The system's words without Rust's "(os error 2)".
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error") {
        Some(at) => text.get(..at).unwrap_or(&text).to_string(),
        None => text,
    }
}

/// What there is in place of a path that does not exist.
pub(super) fn nearby(path: &Path) -> String {
    let mut missing = path;
    let mut parent = path.parent();
    while let Some(above) = parent {
        if above.as_os_str().is_empty() || above.is_dir() {
            break;
        }
        (missing, parent) = (above, above.parent());
    }
    let Some(parent) = parent else { return "check the option 'path'".to_string() };
    let wanted = missing.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let shown = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let mut names: Vec<String> = fs::read_dir(shown)
        .map(|entries| entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    if let Some(name) = nearest(&wanted, names.iter().map(String::as_str)) {
        return format!("did you mean '{}'?", parent.join(name).display());
    }
    if names.is_empty() {
        return format!("the directory '{}' is empty; check the option 'path'", shown.display());
    }
    let more = if names.len() > 5 { ", ..." } else { "" };
    names.truncate(5);
    format!("the directory '{}' holds {}{more}; check the option 'path'", shown.display(), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use millstream_types::{FaultKind, Retry};

    #[cfg(unix)]
    #[test]
    fn the_systems_reasons() {
        let path = Path::new("/data/x");
        let fault = |errno| io_fault("write", path, &io::Error::from_raw_os_error(errno));
        let full = fault(28);
        assert_eq!(
            (full.kind(), full.code(), full.retry()),
            (FaultKind::External, "disk-full", Retry::Backoff)
        );
        assert_eq!(full.message(), "cannot write '/data/x': No space left on device");
        let denied = fault(13);
        assert_eq!(
            (denied.kind(), denied.code(), denied.retry()),
            (FaultKind::External, "permission-denied", Retry::Never)
        );
        assert!(fault(24).remedy().unwrap().contains("ulimit -n"));
        assert_eq!(fault(5).code(), "io");
    }
}
