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
