//! Kinds of Windows events: the number, the channel, which columns rules test and which keys events have.

use crate::loads::generate::Rng;

/// Columns of the table: the event number and texts.
pub const COLUMNS: usize = 200;
/// Keys that events may have.
pub const KEYS: usize = 300;

/// What the texts of a column look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The path of a program.
    Program,
    /// A command line.
    Command,
    /// A file's name without a path.
    FileName,
    /// A path of any file.
    Path,
    /// A path in the registry.
    Registry,
    /// A name of an account, a host, a product.
    Name,
    /// Digests of a program, one after the other.
    Hashes,
    /// Some lines of a script.
    Script,
    /// A number or a GUID, which only equality is asked of.
    Value,
}

/// Columns known by name, with what their texts look like. The first is the event number, the second the channel.
const KNOWN: [(&str, Kind); 38] = [
    ("EventID", Kind::Value),
    ("Channel", Kind::Name),
    ("Image", Kind::Program),
    ("CommandLine", Kind::Command),
    ("OriginalFileName", Kind::FileName),
    ("ParentImage", Kind::Program),
    ("ParentCommandLine", Kind::Command),
    ("Hashes", Kind::Hashes),
    ("User", Kind::Name),
    ("CurrentDirectory", Kind::Path),
    ("Product", Kind::Name),
    ("Description", Kind::Name),
    ("Company", Kind::Name),
    ("IntegrityLevel", Kind::Value),
    ("TargetFilename", Kind::Path),
    ("TargetObject", Kind::Registry),
    ("Details", Kind::Command),
    ("ImageLoaded", Kind::Program),
    ("Signed", Kind::Value),
    ("Signature", Kind::Name),
    ("SourceImage", Kind::Program),
    ("TargetImage", Kind::Program),
    ("CallTrace", Kind::Path),
    ("GrantedAccess", Kind::Value),
    ("DestinationHostname", Kind::Name),
    ("DestinationIp", Kind::Value),
    ("DestinationPort", Kind::Value),
    ("Initiated", Kind::Value),
    ("QueryName", Kind::Name),
    ("PipeName", Kind::Name),
    ("ScriptBlockText", Kind::Script),
    ("Path", Kind::Path),
    ("Payload", Kind::Script),
    ("ContextInfo", Kind::Script),
    ("ServiceName", Kind::Name),
    ("ServiceFileName", Kind::Program),
    ("TaskName", Kind::Path),
    ("ProviderName", Kind::Name),
];

/// The four columns that carry most predicates.
pub const HEAVY: [usize; 4] = [2, 3, 4, 5];

/// Channels of the event logs.
pub const CHANNELS: [&str; 8] = [
    "Microsoft-Windows-Sysmon/Operational",
    "Security",
    "System",
    "Application",
    "Microsoft-Windows-PowerShell/Operational",
    "Windows PowerShell",
    "Microsoft-Windows-TaskScheduler/Operational",
    "Microsoft-Windows-Windows Defender/Operational",
];

/// A kind of events.
#[derive(Debug)]
pub struct Class {
    /// The event number.
    pub number: u32,
    /// Position in [`CHANNELS`].
    pub channel: usize,
    /// How many of 1,000 rules are about it.
    pub rules: u32,
    /// How many of 1,000 events are of it.
    pub events: u32,
    /// The columns that rules test, the most tested first.
    pub tested: Vec<usize>,
    /// The keys of its events, columns first.
    pub keys: Vec<usize>,
}

/// Number, channel, rules and events of 1,000, tested columns.
const SYSMON: [(u32, u32, u32, &[usize]); 13] = [
    (1, 650, 200, &[3, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 7, 37, 19]),
    (3, 20, 120, &[2, 24, 25, 26, 27, 8]),
    (6, 5, 5, &[17, 7, 18, 19]),
    (7, 35, 120, &[17, 2, 4, 18, 19, 7]),
    (8, 6, 20, &[20, 21, 22]),
    (10, 14, 90, &[20, 21, 22, 23]),
    (11, 70, 90, &[14, 2, 8]),
    (12, 8, 40, &[15, 2]),
    (13, 75, 70, &[15, 16, 2]),
    (17, 8, 10, &[29, 2]),
    (22, 8, 30, &[28, 2]),
    (23, 3, 15, &[14, 2]),
    (25, 2, 5, &[2, 8]),
];
/// Likewise, with a channel.
const POWERSHELL: [(u32, usize, u32, u32, &[usize]); 3] =
    [(4104, 4, 55, 15, &[30, 31]), (4103, 4, 10, 10, &[32, 33]), (7045, 2, 8, 2, &[34, 35, 37])];
/// Numbers of events whose columns have made-up names; the last ones no rule is about.
const OTHERS: [u32; 30] = [
    4624, 4625, 4648, 4656, 4657, 4663, 4672, 4688, 4697, 4698, 4720, 4732, 4738, 4768, 4769, 4776, 5136,
    5140, 5145, 1102, 104, 1116, 5001, 400, 4634, 5156, 5158, 4799, 7036, 1000,
];
/// So many of them no rule is about.
const UNRULED: usize = 6;

const OBJECTS: [&str; 16] = [
    "Subject", "Target", "Source", "Object", "Share", "Service", "Task", "Driver", "Network", "Logon",
    "Account", "Group", "Policy", "Session", "Device", "Client",
];
const PROPERTIES: [&str; 18] = [
    "UserName",
    "DomainName",
    "Type",
    "Location",
    "Id",
    "Sid",
    "Status",
    "Address",
    "Process",
    "Setting",
    "Reason",
    "Handle",
    "Mask",
    "Guid",
    "Server",
    "Port",
    "Key",
    "Flags",
];

/// The name of a key; the first [`COLUMNS`] of the [`KEYS`] are the table's columns.
pub fn key_name(key: usize) -> String {
    match KNOWN.get(key) {
        Some((name, _)) => (*name).to_string(),
        None => {
            let n = key - KNOWN.len();
            let object = OBJECTS.get(n % OBJECTS.len()).copied().unwrap_or_default();
            let property = PROPERTIES.get(n / OBJECTS.len()).copied().unwrap_or_default();
            format!("{object}{property}")
        }
    }
}

/// What the texts of a key look like.
pub fn key_kind(key: usize) -> Kind {
    const MADE_UP: [Kind; 8] = [
        Kind::Name,
        Kind::Path,
        Kind::Value,
        Kind::Program,
        Kind::Command,
        Kind::Registry,
        Kind::Path,
        Kind::Name,
    ];
    match KNOWN.get(key) {
        Some((_, kind)) => *kind,
        None => MADE_UP.get(key % MADE_UP.len()).copied().unwrap_or(Kind::Name),
    }
}

/// The names of the table's columns; the first is the event number.
pub fn column_names() -> Vec<String> {
    (0..COLUMNS).map(key_name).collect()
}

/// All kinds of events.
pub fn classes() -> Vec<Class> {
    let mut rng = Rng::new(77);
    let mut all: Vec<Class> = Vec::new();
    let mut add = |number, channel, rules, events, tested: Vec<usize>, rng: &mut Rng| {
        // 20 to 60 keys: what rules test, then what everything has, then what nobody asks for.
        let wanted = if number == 1 { 50 } else { 24 + (rng.next() % 32) as usize };
        let mut keys: Vec<usize> = vec![0, 1, 37];
        keys.extend(tested.iter().filter(|k| **k != 37));
        let mut filler = COLUMNS + (rng.next() % 20) as usize;
        while keys.len() < wanted {
            // Mostly keys that are no columns; a few columns that no rule tests on this event.
            let key = if rng.next().is_multiple_of(4) { 38 + (rng.next() % 162) as usize } else { filler };
            if key == filler {
                filler = COLUMNS + (filler + 1 - COLUMNS) % (KEYS - COLUMNS);
            }
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        all.push(Class { number, channel, rules, events, tested, keys });
    };
    for (number, rules, events, tested) in SYSMON {
        add(number, 0, rules, events, tested.to_vec(), &mut rng);
    }
    for (number, channel, rules, events, tested) in POWERSHELL {
        add(number, channel, rules, events, tested.to_vec(), &mut rng);
    }
    let mut next = KNOWN.len();
    for (i, number) in OTHERS.into_iter().enumerate() {
        let ruled = i < OTHERS.len() - UNRULED;
        let tested: Vec<usize> = if ruled {
            let own = if i % 4 == 0 { 6 } else { 7 };
            let from = next;
            next = (next + own).min(COLUMNS);
            (from..next).collect()
        } else {
            Vec::new()
        };
        let channel = 1 + i % 7;
        add(number, channel, if ruled { 4 } else { 0 }, 5 + (i as u32 % 2), tested, &mut rng);
    }
    all
}
