//! Literals of rules, and the texts of events around them.

use super::classes::Kind;
use crate::loads::generate::{Rng, pick};

/// Made-up words of 4 to 10 letters; rules and events have different ones, of the same syllables.
pub struct Vocabulary {
    events: Vec<String>,
    rules: Vec<String>,
}

const WORDS: usize = 6_000;

impl Vocabulary {
    /// The words.
    pub fn new() -> Self {
        const SYLLABLES: [&str; 48] = [
            "ad", "min", "ser", "vice", "con", "fig", "net", "work", "pro", "cess", "sys", "tem", "user",
            "data", "log", "on", "sec", "ure", "up", "date", "man", "ager", "cli", "ent", "re", "mote", "ac",
            "cess", "ker", "nel", "dri", "ver", "scr", "ipt", "run", "time", "win", "dow", "pol", "icy",
            "tas", "ko", "mi", "zu", "ra", "vel", "dax", "quo",
        ];
        let mut rng = Rng::new(11);
        let mut seen = std::collections::HashSet::new();
        let mut make = |of_rules: bool| {
            let mut words = Vec::with_capacity(WORDS);
            while words.len() < WORDS {
                let r = rng.next();
                let count = 2 + u32::from(r & 3 == 3);
                let syllable = |k: u32| {
                    let x = r >> (4 + 20 * k);
                    // Two of three syllables of rules are none of the ordinary ones: what rules look for is rare.
                    if of_rules && !(x + u64::from(k)).is_multiple_of(3) {
                        let odd = [
                            pick(b"bcdfghjklmnpqrstvwxz", x),
                            pick(b"aeiouy", x >> 6),
                            pick(b"bcdgkmpxz", x >> 12),
                        ];
                        odd.map(char::from).iter().collect::<String>()
                    } else {
                        pick(&SYLLABLES, x >> 3).to_string()
                    }
                };
                let word: String = (0..count).map(syllable).collect();
                if word.len() >= 4 && seen.insert(word.clone()) {
                    words.push(word);
                }
            }
            words
        };
        Vocabulary { events: make(false), rules: make(true) }
    }

    /// A word that rules have.
    pub fn of_rules(&self, rng: &mut Rng) -> &str {
        self.rules.get((rng.next() % WORDS as u64) as usize).map_or("", String::as_str)
    }

    /// A word that events have.
    pub fn of_events(&self, rng: &mut Rng) -> &str {
        self.events.get((rng.next() % WORDS as u64) as usize).map_or("", String::as_str)
    }
}

/// Where a literal must be in the text in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    Contains,
    Ends,
    Starts,
    Equals,
    Matches,
}

/// Literals that many rules have, and ordinary events too.
pub fn frequent(kind: Kind, form: Form) -> &'static [&'static str] {
    match (kind, form) {
        (Kind::Program, Form::Ends) => &[
            r"\powershell.exe",
            r"\cmd.exe",
            r"\pwsh.exe",
            r"\rundll32.exe",
            r"\regsvr32.exe",
            r"\mshta.exe",
            r"\wscript.exe",
            r"\cscript.exe",
            r"\wmic.exe",
            r"\certutil.exe",
            r"\bitsadmin.exe",
            r"\schtasks.exe",
            r"\net.exe",
            r"\net1.exe",
            r"\reg.exe",
            r"\svchost.exe",
            r"\explorer.exe",
            r"\winword.exe",
            r"\excel.exe",
            r"\outlook.exe",
            r"\msiexec.exe",
            r"\python.exe",
            r"\bash.exe",
            r"\curl.exe",
            r"\services.exe",
            r"\lsass.exe",
            r"\sc.exe",
            r"\whoami.exe",
            r"\findstr.exe",
            r"\w3wp.exe",
        ],
        (Kind::Program, _) => &[
            r"\windows\system32\",
            r"\windows\syswow64\",
            r"\program files\",
            r"\program files (x86)\",
            r"\appdata\local\",
            r"\temp\",
            r"\users\public\",
            r"\programdata\",
            r"\windows\winsxs\",
            r"\microsoft\",
        ],
        (Kind::FileName, _) => &[
            "powershell.exe",
            "pwsh.dll",
            "cmd.exe",
            "rundll32.exe",
            "regsvr32.exe",
            "mshta.exe",
            "wscript.exe",
            "cscript.exe",
            "wmic.exe",
            "certutil.exe",
            "schtasks.exe",
            "net.exe",
            "net1.exe",
            "reg.exe",
            "sc.exe",
            "msiexec.exe",
            "curl.exe",
            "findstr.exe",
        ],
        (Kind::Command | Kind::Script, Form::Ends) => &[".exe", ".ps1", " -", ".dll", ".bat"],
        (Kind::Command | Kind::Script, _) => &[
            " -enc ",
            " /c ",
            " -w ",
            "http",
            "https://",
            ".dll",
            ".ps1",
            ".exe",
            "-nop",
            "hidden",
            "bypass",
            " create ",
            " add ",
            " delete ",
            " query ",
            "/add",
            " -k ",
            "invoke-",
            "download",
            "iex",
            "new-object",
            "frombase64string",
            "shadowcopy",
            r"\appdata\",
            r"\temp\",
            "javascript:",
            " -e",
            "/i:",
            " -p ",
            "rundll32",
            "/create",
            "powershell",
            "user",
            " stop ",
            "lsass",
            "admin$",
            "process",
            "sekurlsa",
            "/transfer",
            "url",
            "export",
            "hklm",
            "vssadmin",
            "execute",
            "start",
            "get-",
            "set-",
            "policy",
            "service",
            "net ",
        ],
        (Kind::Path, _) => &[
            r"\appdata\roaming\",
            r"\temp\",
            r"\startup\",
            ".exe",
            ".dll",
            ".ps1",
            ".lnk",
            r"\windows\",
            r"\system32\",
            r"\users\",
            ".tmp",
            ".iso",
        ],
        (Kind::Registry, _) => &[
            r"\software\microsoft\windows\currentversion\run",
            r"\control\lsa\",
            r"\services\",
            r"\image file execution options\",
            r"\policies\",
            "imagepath",
            r"\classes\clsid\",
            r"\windows defender\",
            r"\terminal server\",
            "dword (0x00000001)",
        ],
        (Kind::Name, _) => &[
            "system",
            "microsoft",
            "administrator",
            "authority",
            "local service",
            "windows",
            "network service",
        ],
        (Kind::Value, _) => &["true", "false", "-1", "10", "high", "medium", "0x1410", "443", "80", "system"],
        (Kind::Hashes, _) => &["md5="],
    }
}

/// Hexadecimal digits.
pub fn hex(rng: &mut Rng, digits: usize) -> String {
    let mut out = String::with_capacity(digits);
    while out.len() < digits {
        out.push_str(&format!("{:016x}", rng.next()));
    }
    out.truncate(digits);
    out
}

/// A literal of a rule's own, of so many characters.
pub fn own(words: &Vocabulary, kind: Kind, form: Form, length: usize, rng: &mut Rng) -> String {
    let length = length.max(2);
    if length <= 3 {
        // Short ones are flags and extensions.
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        let lead = pick(b"-/ .@~", rng.next());
        let mut out = String::from(char::from(lead));
        while out.len() < length {
            out.push(char::from(pick(LETTERS, rng.next())));
        }
        return out;
    }
    let (lead, between, end): (&str, &[&str], &str) = match (kind, form) {
        (Kind::Program | Kind::Path, Form::Ends) => {
            (r"\", &["", "-", "\\"], pick(&[".exe", ".dll", ".tmp", ".ps1"], rng.next()))
        }
        (Kind::Program | Kind::Path, Form::Starts) => (r"c:\", &[r"\"], ""),
        (Kind::Program | Kind::Path, _) => (r"\", &[r"\", r"\", " ", "_"], ""),
        (Kind::FileName, _) => ("", &["", "-", "_"], pick(&[".exe", ".dll", ""], rng.next())),
        (Kind::Registry, _) => (r"\", &[r"\"], ""),
        (Kind::Command | Kind::Script, _) => {
            (pick(&["-", " -", "", "/", " "], rng.next()), &[" ", " -", "=", "\\", "'", "%", ":"], "")
        }
        _ => ("", &[" ", "-", ""], ""),
    };
    let mut out = String::from(lead);
    while out.len() + end.len() < length {
        if out.len() > lead.len() {
            out.push_str(pick(between, rng.next()));
        }
        out.push_str(words.of_rules(rng));
    }
    out.truncate(length.saturating_sub(end.len()).max(1));
    out.push_str(end);
    // A blank at an end would be lost nowhere, but looks like an accident.
    if form != Form::Contains { out.trim().to_string() } else { out }
}

/// A text as ordinary events have it.
pub fn ordinary(words: &Vocabulary, kind: Kind, rng: &mut Rng) -> String {
    const PLACES: [&str; 6] = [
        r"C:\Windows\System32\",
        r"C:\Windows\SysWOW64\",
        r"C:\Program Files\",
        r"C:\Program Files (x86)\",
        r"C:\ProgramData\",
        r"C:\Users\",
    ];
    let r = rng.next();
    match kind {
        Kind::Program => {
            let place = pick(&PLACES, r);
            if r >> 8 & 3 != 0 {
                let program = pick(frequent(Kind::Program, Form::Ends), r >> 16);
                format!("{}{}", place.trim_end_matches('\\'), program)
            } else {
                format!("{place}{}\\{}.exe", words.of_events(rng), words.of_events(rng))
            }
        }
        Kind::Command => {
            let mut out = format!("\"{}\"", ordinary(words, Kind::Program, rng));
            for k in 0..2 + (r >> 20) % 6 {
                match (r >> (24 + 3 * k)) & 7 {
                    0 => out.push_str(pick(frequent(Kind::Command, Form::Contains), rng.next())),
                    1 => out.push_str(&format!(" --{}={}", words.of_events(rng), rng.next() & 0xFFFF)),
                    2 => {
                        out.push_str(&format!(" C:\\{}\\{}.dat", words.of_events(rng), words.of_events(rng)))
                    }
                    3 | 4 => out.push_str(&format!(" /{}", words.of_events(rng))),
                    _ => out.push_str(&format!(" {}", words.of_events(rng))),
                }
            }
            out
        }
        Kind::FileName => match r & 3 {
            0 => format!("{}.exe", words.of_events(rng)),
            _ => pick(frequent(Kind::FileName, Form::Equals), r >> 8).to_string(),
        },
        Kind::Path => format!(
            "{}{}\\{}{}",
            pick(&PLACES, r),
            words.of_events(rng),
            words.of_events(rng),
            pick(&[".log", ".tmp", ".dat", ".xml", ".dll", ".exe", ".etl", ".json"], r >> 8)
        ),
        Kind::Registry => format!(
            "HKLM\\{}\\{}\\{}",
            pick(
                &[
                    "SOFTWARE\\Microsoft\\Windows\\CurrentVersion",
                    "System\\CurrentControlSet\\Services",
                    "SOFTWARE\\Classes\\CLSID",
                    "SOFTWARE\\Policies"
                ],
                r
            ),
            words.of_events(rng),
            words.of_events(rng)
        ),
        Kind::Name => match r & 3 {
            0 => r"NT AUTHORITY\SYSTEM".to_string(),
            1 => format!("Microsoft {} {}", words.of_events(rng), words.of_events(rng)),
            _ => format!("CORP\\{}", words.of_events(rng)),
        },
        Kind::Hashes => format!(
            "MD5={},SHA256={},IMPHASH={}",
            hex(rng, 32).to_uppercase(),
            hex(rng, 64).to_uppercase(),
            hex(rng, 32).to_uppercase()
        ),
        Kind::Script => {
            let mut out = String::from("function ");
            for _ in 0..8 + r % 24 {
                out.push_str(words.of_events(rng));
                out.push_str(pick(&[" ", " = ", "(", ") ", "; ", " -", "\n", " $"], rng.next()));
            }
            out
        }
        Kind::Value => match r & 3 {
            0 => format!("0x{:x}", r >> 40),
            1 => format!("{{{}-{}-{}-{}}}", hex(rng, 8), hex(rng, 4), hex(rng, 4), hex(rng, 12)),
            2 => pick(frequent(Kind::Value, Form::Equals), r >> 8).to_string(),
            _ => (r >> 44).to_string(),
        },
    }
}
