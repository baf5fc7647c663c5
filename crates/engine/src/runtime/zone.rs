//! Which time zone the machine is in.

use std::path::{Path, PathBuf};

/// The id of the machine's time zone: by the variable `TZ`, else by what `/etc/localtime` leads to. `None`: neither names one.
pub fn system_zone() -> Option<String> {
    zone_name(std::env::var("TZ").ok().as_deref(), std::fs::read_link("/etc/localtime").ok())
}

fn zone_name(tz: Option<&str>, localtime: Option<PathBuf>) -> Option<String> {
    // A colon stands before the name of a file; POSIX rules such as CET-1CEST name no zone that the tz database has.
    let tz = tz.map(|t| t.trim().trim_start_matches(':')).filter(|t| !t.is_empty());
    match tz {
        Some(tz) if tz.starts_with('/') => below_zoneinfo(Path::new(tz)),
        Some(tz) => Some(tz.to_string()),
        None => below_zoneinfo(&localtime?),
    }
}

/// What stands behind `zoneinfo/` in a path.
fn below_zoneinfo(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let (_, name) = text.rsplit_once("zoneinfo/")?;
    Some(name.trim_start_matches("posix/").to_string()).filter(|n| !n.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let link = || Some(PathBuf::from("../usr/share/zoneinfo/Europe/Berlin"));
        assert_eq!(zone_name(None, link()).as_deref(), Some("Europe/Berlin"));
        assert_eq!(zone_name(Some("Asia/Shanghai"), link()).as_deref(), Some("Asia/Shanghai"));
        assert_eq!(zone_name(Some(":Asia/Tokyo"), None).as_deref(), Some("Asia/Tokyo"));
        assert_eq!(zone_name(Some(":/usr/share/zoneinfo/Etc/UTC"), None).as_deref(), Some("Etc/UTC"));
        assert_eq!(zone_name(Some(""), link()).as_deref(), Some("Europe/Berlin"));
        assert_eq!(zone_name(None, Some(PathBuf::from("/etc/zone"))), None);
        assert_eq!(zone_name(None, None), None);
    }
}
