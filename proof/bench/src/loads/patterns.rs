//! Patterns of the dense rules.

/// Regular expressions.
pub const REGEX: [(&str, &str); 12] = [
    ("cmdline", "(?i)powershell(\\.exe)?\\s.*-e(nc|ncodedcommand)?\\s+[A-Za-z0-9+/=]{16,}"),
    ("cmdline", "(curl|wget)\\s+-[a-zA-Z]+\\s+https?://\\d{1,3}(\\.\\d{1,3}){3}/"),
    ("cmdline", "nc\\s+-[a-z]*l[a-z]*p?\\s+\\d+"),
    ("url", "(?i)('|%27)\\s*(or|and)\\s+'?\\d+'?\\s*=\\s*'?\\d+"),
    ("url", "(\\.\\./){2,}"),
    ("url", "/wp-(login|admin)"),
    ("user_agent", "(?i)(sqlmap|nikto|nmap|masscan)"),
    ("proc_path", "(?i)\\\\(temp|public)\\\\[^\\\\]+\\.exe$"),
    ("cmdline", "wmic\\s+process\\s+call\\s+create"),
    ("cmdline", "rundll32(\\.exe)?\\s+[^,]+\\.dll,\\w+"),
    ("url", "file-[0-9]*[13579]\\.zip$"),
    ("dst_ip", "^(?!10\\.|192\\.168\\.)\\d+\\.\\d+\\.\\d+\\.\\d+$"),
];
/// LIKE patterns.
pub const LIKES: [(&str, &str); 12] = [
    ("cmdline", "%whoami%"),
    ("cmdline", "%/etc/passwd%"),
    ("proc_path", "%\\cmd.exe"),
    ("proc_path", "/tmp/%"),
    ("url", "https://pool.%"),
    ("url", "%/admin/%"),
    ("user_agent", "%curl/%"),
    ("cmdline", "%--bind 0.0.0.0%"),
    ("proc_path", "C:\\Windows\\%rundll32.exe"),
    ("src_ip", "192.168.%"),
    ("cmdline", "%pool.example.net:%"),
    ("url", "%.js"),
];
/// Equalities.
pub const EQS: [(&str, &str); 6] = [
    ("event_type", "login"),
    ("user", "root"),
    ("method", "POST"),
    ("user", "SYSTEM"),
    ("event_type", "net_conn"),
    ("user", "svc_backup"),
];
