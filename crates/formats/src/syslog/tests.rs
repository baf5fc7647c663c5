use millstream_types::{DataType, Random, SeededRandom, TypeKind, Value};

use super::Syslog;
use crate::testing::{Decoded, decode};

const NULL: Value = Value::Null;

fn columns() -> Vec<(&'static str, DataType)> {
    let map = DataType::map(DataType::string(), DataType::map(DataType::string(), DataType::string()));
    vec![
        ("facility", DataType::string()),
        ("Severity", DataType::int()),
        ("timestamp", TypeKind::timestamp(3).nullable()),
        ("hostname", DataType::string()),
        ("app_name", DataType::string()),
        ("procid", DataType::string()),
        ("msgid", DataType::string()),
        ("structured_data", map),
        ("message", DataType::string()),
        ("raw", DataType::string()),
    ]
}

/// A line's columns as text, without structured data and the line itself; or why it is bad.
fn line(text: &str) -> Result<String, String> {
    line_with(&[], text)
}

fn line_with(pairs: &[(&str, &str)], text: &str) -> Result<String, String> {
    let out = decode(&Syslog, &columns(), pairs, &[text]);
    let Some(row) = out.rows.first() else { return Err(out.first_fault()) };
    let texts: Vec<String> = row
        .iter()
        .zip(columns())
        .enumerate()
        .filter(|(i, _)| !matches!(i, 7 | 9))
        .map(|(_, (v, (name, _)))| match v {
            Value::Null => "-".into(),
            Value::Int(us) if name == "timestamp" => {
                let t = millstream_text::temporal::DateTime::from_micros(*us);
                let mut text = String::new();
                let standard = millstream_text::temporal::TimestampStandard::Sql;
                millstream_text::temporal::push_json_timestamp(&mut text, t, standard);
                text
            }
            Value::Int(n) => n.to_string(),
            other => other.as_str().unwrap_or("?").to_string(),
        })
        .collect();
    Ok(texts.join("|"))
}

fn is(text: &str) -> Result<String, String> {
    Ok(text.into())
}

// The examples of RFC 3164, section 5.4, and lines as daemons and routers write them. The clock stands at 2026-03-01 12:00.
#[test]
fn the_old_form() {
    assert_eq!(
        line("<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8"),
        is("auth|2|2025-10-11 22:14:15|mymachine|su|-|-|'su root' failed for lonvick on /dev/pts/8")
    );
    assert_eq!(
        line("<13>Feb  5 17:32:18 10.0.0.99 Use the BFG!"),
        is("user|5|2026-02-05 17:32:18|10.0.0.99|-|-|-|Use the BFG!")
    );
    assert_eq!(
        line("<165>Aug 24 05:34:00 CST 1987 mymachine myproc[10]: %% It's time to make the do-nuts."),
        is(
            "local4|5|2025-08-24 05:34:00|CST|-|-|-|1987 mymachine myproc[10]: %% It's time to make the do-nuts."
        )
    );
    assert_eq!(
        line("Dec 10 06:55:46 LabSZ sshd[24200]: Invalid user webmaster from 173.234.31.186\r"),
        is("-|-|2025-12-10 06:55:46|LabSZ|sshd|24200|-|Invalid user webmaster from 173.234.31.186")
    );
    // One digit, without a host, without a space behind the tag, with fractions, in another case.
    assert_eq!(line("jun 4 00:00:01.5 su[1]:x"), is("-|-|2025-06-04 00:00:01.5|-|su|1|-|x"));
    assert_eq!(
        line("Jun  4 00:00:01 kernel: out of memory"),
        is("-|-|2025-06-04 00:00:01|-|kernel|-|-|out of memory")
    );
    assert_eq!(
        line("<30>2024-05-01T10:00:00.123456+02:00 web-1 nginx[77]: started"),
        is("daemon|6|2024-05-01 08:00:00.123|web-1|nginx|77|-|started")
    );
    assert_eq!(
        line("Jun 14 2005 15:16:01 fw : %ASA-6: x"),
        is("-|-|2005-06-14 15:16:01|fw|-|-|-|: %ASA-6: x")
    );
    assert_eq!(
        line("<189>*Mar  1 18:46:11: %SYS-5-CONFIG_I: Configured"),
        is("local7|5|2026-03-01 18:46:11|-|%SYS-5-CONFIG_I|-|-|Configured")
    );
    assert_eq!(line("Jun 14 15:16:01 2005 host app: x"), is("-|-|2005-06-14 15:16:01|host|app|-|-|x"));
    // Only a priority.
    assert_eq!(line("<0>panic: no time left"), is("kern|0|-|-|panic|-|-|no time left"));
    assert_eq!(line("<14>"), is("user|6|-|-|-|-|-|"));
    assert_eq!(line("Jun 14 15:16:01"), is("-|-|2025-06-14 15:16:01|-|-|-|-|"));
    assert_eq!(line("Jun 14 15:16:01 fe80::1 a::b[2] x"), is("-|-|2025-06-14 15:16:01|fe80::1|a::b|2|-|x"));
}

// The examples of RFC 5424, section 6.5.
#[test]
fn the_new_form() {
    assert_eq!(
        line("<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \u{feff}'su root' failed"),
        is("auth|2|2003-10-11 22:14:15.003|mymachine.example.com|su|-|ID47|'su root' failed")
    );
    assert_eq!(
        line("<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time"),
        is("local4|5|2003-08-24 12:14:15|192.0.2.1|myproc|8710|-|%% It's time")
    );
    let rich =
        r#"<165>1 2003-10-11T22:14:15.003Z h evntslog - ID47 [a@1 iut="3" src="A\"\]p\\x"][e b=""] event]"#;
    assert_eq!(line(rich), is("local4|5|2003-10-11 22:14:15.003|h|evntslog|-|ID47|event]"));
    let out = decode(&Syslog, &columns(), &[], &[rich]);
    let map = |pairs: Vec<(Value, Value)>| Value::Map(pairs.into());
    assert_eq!(
        out.rows[0][7],
        map(vec![
            ("a@1".into(), map(vec![("iut".into(), "3".into()), ("src".into(), "A\"]p\\x".into())])),
            ("e".into(), map(vec![("b".into(), "".into())]))
        ])
    );
    assert_eq!(out.rows[0][9], rich.into());
    // Nothing behind the structured data, nothing in them, no priority.
    assert_eq!(line("<34>1 - - - - - [x]"), is("auth|2|-|-|-|-|-|-"));
    assert_eq!(line("1 2003-10-11T22:14:15Z h a 1 m - x"), is("-|-|2003-10-11 22:14:15|h|a|1|m|x"));
}

#[test]
fn bad_lines() {
    let wrong = |text: &str| line(text).unwrap_err();
    assert!(wrong("").contains("neither a priority nor a time"));
    assert!(wrong("hello world").contains("neither a priority nor a time"));
    assert!(wrong("<999>x").contains("neither"));
    assert!(wrong("<34>1 yesterday h a - - - x").contains("no time at byte 7"));
    assert!(wrong("<34>1 2003-10-11T22:14:15Z h a").contains("part of the header"));
    assert!(wrong("<34>1 - h a - - [x y] z").contains("no structured data at byte 21"));
    assert!(wrong("<34>1 - h a - - nothing").contains("no structured data"));
    assert!(wrong("Feb 30 10:00:00 h a: x").contains("no such day"));
    assert!(wrong("2023-02-29 10:00:00 h a: x").contains("no such day"));
    let out = decode(&Syslog, &columns(), &[("ignore-parse-errors", "true")], &["x", "<1>a: b", "\tat java"]);
    assert_eq!((out.rows.len(), out.ignored, out.bad.len()), (1, 2, 0));
    assert_eq!(out.records, [1]);
}

#[test]
fn years() {
    let time = |text: &str| line(text).map(|t| t.split('|').nth(2).unwrap_or("").to_string());
    // Up to a day ahead of the clock is this year's.
    assert_eq!(time("Mar  2 11:59:59 h a: x"), is("2026-03-02 11:59:59"));
    assert_eq!(time("Mar  2 12:00:01 h a: x"), is("2025-03-02 12:00:01"));
    assert_eq!(time("Feb 29 00:00:00 h a: x"), is("2024-02-29 00:00:00"));
    let fixed = line_with(&[("year", "2005")], "Dec 31 23:59:59 h a: x").unwrap();
    assert!(fixed.contains("|2005-12-31 23:59:59|"), "{fixed}");
    assert!(line_with(&[("year", "2005")], "Feb 29 00:00:00 h a: x").is_err());
}

#[test]
fn instants_and_texts() {
    let columns = [
        ("LOG_TIME", TypeKind::timestamp_ltz(6).nullable()),
        ("timestamp", DataType::string()),
        ("level", DataType::string()),
        ("priority", DataType::int()),
        ("structured_data", DataType::string()),
        ("data", DataType::string()),
    ];
    let out = decode(
        &Syslog,
        &columns,
        &[],
        &["<11>1 2024-05-01T02:00:00.5+02:00 - - - - [a b=\"c\"]", "May  1 00:00:00 2024 h x: y"],
    );
    let day = 1_714_521_600_000_000;
    assert_eq!(
        out.rows,
        [
            vec![
                Value::Int(day + 500_000),
                "2024-05-01T02:00:00.5+02:00".into(),
                "err".into(),
                Value::Int(11),
                "[a b=\"c\"]".into(),
                NULL
            ],
            vec![Value::Int(day), "May  1 00:00:00 2024".into(), NULL, NULL, NULL, "y".into()],
        ]
    );
}

#[test]
fn wrong_columns_and_options() {
    let refused = |name: &str, t: DataType, pairs: &[(&str, &str)]| {
        let syslog = crate::format("syslog").unwrap();
        syslog.decoder(crate::testing::spec(&[(name, t)], pairs)).unwrap_err().to_string()
    };
    assert!(refused("hostnam", DataType::string(), &[]).contains("did you mean 'hostname'"));
    assert!(refused("message", DataType::int(), &[]).contains("no INT here"));
    assert!(refused("timestamp", DataType::int(), &[]).contains("TIMESTAMP_LTZ"));
    assert!(refused("raw", DataType::string(), &[("year", "99999")]).contains("syslog.year"));
}

/// Lines of a file that are read, with host and message.
fn read(file: &str) -> Option<(Decoded, usize)> {
    let data = std::env::var("MILLSTREAM_TEST_DATA").ok().filter(|d| !d.is_empty())?;
    let text = std::fs::read_to_string(format!("{data}/loghub/{file}")).ok()?;
    let lines: Vec<&str> = text.lines().collect();
    let out = decode(&Syslog, &columns(), &[("year", "2005"), ("ignore-parse-errors", "true")], &lines);
    Some((out, lines.len()))
}

#[test]
fn real_logs() {
    for (file, host) in [("Linux_2k.log", "combo"), ("OpenSSH_2k.log", "LabSZ")] {
        let Some((out, lines)) = read(file) else { return };
        assert!(out.rows.len() * 100 >= lines * 99, "{file}: {} of {lines}", out.rows.len());
        let whole = out.rows.iter().filter(|r| r[3] == host.into() && r[2] != NULL && r[8] != NULL).count();
        assert!(whole * 100 >= lines * 99, "{file}: {whole} of {lines} with host, time and message");
        let named = out.rows.iter().filter(|r| r[4] != NULL).count();
        assert!(named * 100 >= lines * 97, "{file}: {named} of {lines} with a program");
    }
}

#[test]
fn nothing_panics() {
    let random = SeededRandom::new(5);
    let roll = |n: usize| (random.next_u64() % n as u64) as usize;
    let pieces = [
        "<34>",
        "<",
        ">",
        "1 ",
        "2024-05-01T10:00:00Z",
        "Jun 14 15:16:01",
        "Feb 29 10:00:00",
        " ",
        "-",
        "[a b=\"c\"]",
        "[",
        "]",
        "\"",
        "\\",
        "=",
        ":",
        "host",
        "app[1]:",
        "é",
        "\u{feff}",
        "\r",
        "\0",
        "*",
        "+02:00",
        ".123",
        "9",
        "2024",
        "99999999999",
    ];
    let mut good = 0;
    for _ in 0..5_000 {
        let text: String = (0..roll(9)).map(|_| pieces[roll(pieces.len())]).collect();
        let line = decode(&Syslog, &columns(), &[], &[&text]);
        good += line.rows.len();
        if let Some(row) = line.rows.first() {
            // Whatever is said to be the message stands at the line's end.
            if let Some(message) = row[8].as_str() {
                assert!(row[9].as_str().unwrap_or("").ends_with(message), "{text:?}");
            }
        }
    }
    assert!(good > 250, "{good}");
}
