use super::{FieldType, Grok, PATTERNS};

fn fields(pattern: &str, line: &str) -> Vec<(String, String)> {
    let grok = Grok::compile(pattern, "").unwrap();
    let mut at = grok.locations();
    if !grok.read(line, &mut at).unwrap() {
        return Vec::new();
    }
    let of = |f: &super::Field| f.of(line, &at).map(|t| (f.name.clone(), t.to_string()));
    grok.fields().iter().filter_map(of).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

#[test]
fn every_pattern_of_the_library_runs_in_linear_time() {
    for (name, _) in PATTERNS {
        let grok = Grok::compile(&format!("%{{{name}:field}}"), "").unwrap();
        let linear = grok.regex().translated().is_some();
        assert!(linear, "{name}: {}", grok.regex().as_str());
    }
}

#[test]
fn a_combined_log_line() {
    let line = r#"83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a.png HTTP/1.1" 200 203023 "http://x/" "Mozilla/5.0 (\"x\")""#;
    assert_eq!(
        fields("%{COMBINEDAPACHELOG}", line),
        pairs(&[
            ("clientip", "83.149.9.216"),
            ("ident", "-"),
            ("auth", "-"),
            ("timestamp", "17/May/2015:10:05:03 +0000"),
            ("verb", "GET"),
            ("request", "/a.png"),
            ("httpversion", "1.1"),
            ("response", "200"),
            ("bytes", "203023"),
            ("referrer", "http://x/"),
            ("agent", r#"Mozilla/5.0 (\"x\")"#),
        ])
    );
}

#[test]
fn an_agent_that_is_cut_off() {
    let line = r#"::1 - me [01/Jan/2020:00:00:00 +0100] "\x16\x03" 400 - "-" "Mozilla/5.0 (compat"#;
    let got = fields("%{COMBINEDAPACHELOG}", line);
    let of = |name: &str| got.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
    assert_eq!(of("agent"), Some("Mozilla/5.0 (compat"));
    assert_eq!((of("clientip"), of("auth"), of("verb")), (Some("::1"), Some("me"), None));
    assert_eq!((of("rawrequest"), of("bytes")), (Some(r"\x16\x03"), None));
}

#[test]
fn each_pattern_on_an_example() {
    for (name, text) in [
        ("IP", "2001:db8::8a2e:370:7334"),
        ("IP", "::1"),
        ("IP", "fe80::1%eth0"),
        ("IP", "::ffff:10.0.0.255"),
        ("IP", "255.10.0.9"),
        ("HOSTPORT", "db-1.example.com:5432"),
        ("URI", "https://me:pw@example.com:8080/a/b?c=d&e=%20"),
        ("PATH", "/var/log/syslog.1"),
        ("PATH", r"C:\Program Files\x"),
        ("UUID", "123e4567-e89b-12d3-a456-426614174000"),
        ("TIMESTAMP_ISO8601", "2020-02-29T13:14:15.678+01:00"),
        ("HTTPDATE", "17/May/2015:10:05:03 +0000"),
        ("SYSLOGTIMESTAMP", "Jan  2 03:04:05"),
        ("DATESTAMP_RFC2822", "Mon, 02 Jan 2006 15:04:05 -0700"),
        ("NUMBER", "-12.50"),
        ("EMAILADDRESS", "a.b+c@example.org"),
        ("QS", r#""a \" b""#),
        ("MAC", "00:1A:2b:3C:4d:5E"),
        ("LOGLEVEL", "WARNING"),
        ("JAVACLASS", "org.example.Main$Inner"),
        ("HTTPDERROR_DATE", "Mon Jan 02 15:04:05 2006"),
        ("HTTPDERROR_DATE", "Mon Jan 02 15:04:05.123456 2006"),
        ("CATALINA_DATESTAMP", "Jan 2, 2006 3:04:05 PM"),
        ("NGINXERROR_DATE", "2006/01/02 15:04:05"),
        ("SYSLOG5424SD", r#"[a@1 x="1" y="a \] b"][b@2]"#),
    ] {
        let got = fields(&format!("^%{{{name}:f}}$"), text);
        assert_eq!(got, pairs(&[("f", text)]), "{name}");
    }
    assert!(fields("^%{IPV4:f}$", "256.1.1.1").is_empty());
}

#[test]
fn own_definitions_types_and_groups() {
    let grok =
        Grok::compile("%{DURATION:took:int}ms %{WORD:[a][b]} (?<rest_of.it>x+)", "# own\nDURATION [0-9]+\n")
            .unwrap();
    let names: Vec<_> = grok.fields().iter().map(|f| (f.name.as_str(), f.kind)).collect();
    assert_eq!(
        names,
        [("took", FieldType::Int), ("[a][b]", FieldType::Text), ("rest_of.it", FieldType::Text)]
    );
    // One name in two places: the one that took part.
    assert_eq!(fields("(?:a=%{INT:v}|b=%{WORD:v})", "b=z"), pairs(&[("v", "z")]));
}

#[test]
fn faults_say_what_to_write() {
    let hint = |p: &str, d: &str| Grok::compile(p, d).unwrap_err().to_string();
    assert!(hint("%{IPORHOTS:x}", "").contains("IPORHOST"), "{}", hint("%{IPORHOTS:x}", ""));
    assert!(hint("%{A:x}", "A %{B}\nB %{A}").contains("leads to itself"));
    assert!(hint("%{WORD}", "").contains("names no field"));
    assert!(hint("%{WORD:x} (", "").contains("no regular expression"));
    // Each line doubles: the size is bounded.
    let mut doubling = String::from("A0 x\n");
    (1..40).for_each(|i| doubling.push_str(&format!("A{i} %{{A{p}}}%{{A{p}}}\n", p = i - 1)));
    assert!(hint("%{A39:x}", &doubling).contains("bytes"));
}

#[test]
fn log_lines_of_the_library() {
    let line = "[Mon Jan 02 15:04:05 2006] [error] [client 10.0.0.1] no such file";
    assert_eq!(
        fields("^%{HTTPD_ERRORLOG}$", line),
        pairs(&[
            ("timestamp", "Mon Jan 02 15:04:05 2006"),
            ("loglevel", "error"),
            ("clientip", "10.0.0.1"),
            ("message", "no such file"),
        ])
    );
    let line =
        "[Mon Jan 02 15:04:05.123456 2006] [core:notice] [pid 7:tid 140] AH00094: Command line: 'httpd'";
    assert_eq!(
        fields("^%{HTTPD_ERRORLOG}$", line),
        pairs(&[
            ("timestamp", "Mon Jan 02 15:04:05.123456 2006"),
            ("loglevel", "notice"),
            ("message", "Command line: 'httpd'"),
            ("module", "core"),
            ("pid", "7"),
            ("tid", "140"),
            ("errorcode", "AH00094"),
        ])
    );
    let line = "2006/01/02 15:04:05 [warn] 31#0: *7 upstream timed out";
    assert_eq!(
        fields("^%{NGINXERROR}$", line),
        pairs(&[
            ("timestamp", "2006/01/02 15:04:05"),
            ("loglevel", "warn"),
            ("pid", "31"),
            ("tid", "0"),
            ("connection", "7"),
            ("message", "upstream timed out"),
        ])
    );
    let line = "Jan  2 03:04:05 gate cron[77]: (root) CMD (run-parts /etc)";
    assert_eq!(
        fields("^%{CRONLOG}$", line),
        pairs(&[
            ("timestamp", "Jan  2 03:04:05"),
            ("logsource", "gate"),
            ("program", "cron"),
            ("pid", "77"),
            ("user", "root"),
            ("action", "CMD"),
            ("message", "run-parts /etc"),
        ])
    );
    let line = r#"<34>1 2006-01-02T15:04:05.003Z gate su - ID47 [a@1 x="1"] it failed"#;
    assert_eq!(
        fields("^%{SYSLOG5424LINE}$", line),
        pairs(&[
            ("syslog5424_pri", "34"),
            ("syslog5424_ver", "1"),
            ("syslog5424_ts", "2006-01-02T15:04:05.003Z"),
            ("syslog5424_host", "gate"),
            ("syslog5424_app", "su"),
            ("syslog5424_msgid", "ID47"),
            ("syslog5424_sd", r#"[a@1 x="1"]"#),
            ("syslog5424_msg", "it failed"),
        ])
    );
}
