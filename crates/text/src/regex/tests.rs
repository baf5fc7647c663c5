use super::*;

/// Backslash escapes of the test data.
fn unescape(s: &str) -> String {
    let mut out = String::new();
    let mut chars = s.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next().unwrap() {
            't' => out.push('\t'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            'u' => {
                let hex: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                out.push(char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap());
            }
            c => out.push(c),
        }
    }
    out
}

fn place(text: &str, bytes: usize) -> usize {
    text[..bytes].chars().count()
}

/// The answer in the form of the test data: whether the whole text matches, then the matches with their groups.
fn answer(pattern: &str, text: &str) -> String {
    let pattern = match Pattern::compile(pattern) {
        Ok(p) => p,
        Err(e) => return format!("E {}", e.message),
    };
    let mut out = String::from(if pattern.full_match(text).unwrap() { "1" } else { "0" });
    let mut locations = pattern.locations();
    let mut most = 8;
    pattern
        .captures_all(text, &mut locations, |l| {
            let groups: Vec<String> = (0..l.len())
                .map(|i| {
                    l.get(i).map_or("-".into(), |(s, e)| format!("{}:{}", place(text, s), place(text, e)))
                })
                .collect();
            out.push_str(&format!(" {}", groups.join(",")));
            most -= 1;
            most > 0
        })
        .unwrap();
    // The other ways of asking must agree.
    let found = out.contains(' ');
    assert_eq!(pattern.is_match(text).unwrap(), found, "is_match: {pattern:?} on {text:?}");
    let first = pattern.find_at(text, 0).unwrap();
    let said = out.split_whitespace().nth(1).map(|m| m.split(',').next().unwrap().to_string());
    assert_eq!(first.map(|(s, e)| format!("{}:{}", place(text, s), place(text, e))), said);
    if found {
        assert!(pattern.required_literals().admit(text.as_bytes()), "literals: {pattern:?} on {text:?}");
    }
    out
}

/// What Java 17 answered: pattern, text, and `E` with its message, or whether the whole text matches (`1`, `0`) and the
/// first matches with their groups, in characters.
const JAVA: &str = include_str!("../../tests/data/java_regex.tsv");
/// The same where Java shows groups of branches that it had given up (an accident of its engine, which undoes captures in
/// some nodes only). Matches are the same; groups here hold only what took part in the match.
const LEAKS: &str = include_str!("../../tests/data/java_regex_leaks.tsv");
/// What Java takes and we say "not supported yet" to.
const NOT_YET: &[&str] = &["\\b{g}", "\\N{LATIN SMALL LETTER A}", "[\\N{X}]", "(?c)a"];
/// Java finds a look-behind of one grapheme cluster short enough; here it has no length.
const REFUSED: &[&str] = &["(?<=\\X)a"];

fn cases(data: &str) -> impl Iterator<Item = (String, String, &str, &str)> {
    data.lines().map(|line| {
        let mut fields = line.split('\t');
        let (pattern, text) = (unescape(fields.next().unwrap()), unescape(fields.next().unwrap()));
        (pattern, text, fields.next().unwrap(), line)
    })
}

#[test]
fn answers_as_java() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (pattern, text, expected, line) in cases(JAVA) {
        if NOT_YET.contains(&pattern.as_str()) {
            let error = Pattern::compile(&pattern).unwrap_err();
            assert!(!error.is_bad_pattern() || expected.starts_with('E'), "{error}");
            continue;
        }
        if REFUSED.contains(&pattern.as_str()) {
            assert!(Pattern::compile(&pattern).is_err());
            continue;
        }
        let got = answer(&pattern, &text);
        count += 1;
        let same = match expected.strip_prefix("E ") {
            Some(_) => got.starts_with("E "),
            None => got == expected,
        };
        if !same {
            wrong.push(format!("{line}\n    got {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1500);
}

/// Messages are Java's own, but for a few that speak of its parser's state.
#[test]
fn errors_as_java() {
    let mut wrong = Vec::new();
    for (pattern, _, expected, line) in cases(JAVA) {
        let (Some(expected), Err(got)) = (expected.strip_prefix("E "), Pattern::compile(&pattern)) else {
            continue;
        };
        if got.is_bad_pattern() && got.message != unescape(expected) {
            wrong.push(format!("{line}\n    got {}", got.message));
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn groups_hold_only_what_took_part() {
    for (pattern, text, expected, line) in cases(LEAKS) {
        let got = answer(&pattern, &text);
        let whole = |s: &str| -> Vec<String> {
            s.split(' ').map(|m| m.split(',').next().unwrap().to_string()).collect()
        };
        assert_eq!(whole(&got), whole(expected), "{line}");
        assert_ne!(got, expected, "no longer a difference: {line}");
    }
}

/// Flink's functions over a pattern, as far as they show what a pattern means.
fn flink(function: &str, args: &[Option<String>]) -> Option<String> {
    let text = args.first()?.as_deref()?;
    let compiled = Pattern::compile(args.get(1)?.as_deref()?);
    if function == "REGEXP" {
        let empty = args[1].as_deref() == Some("");
        return Some((!empty && compiled.is_ok_and(|p| p.is_match(text).unwrap())).to_string());
    }
    let pattern = compiled.ok()?;
    let group = |default: usize| match args.get(2) {
        None => Some(default),
        Some(n) => n.as_deref()?.parse().ok().filter(|n| *n <= pattern.group_count()),
    };
    let cut = |at: Found| text[at.0..at.1].to_string();
    let mut locations = pattern.locations();
    match function {
        "REGEXP_COUNT" => Some(format!("={}", pattern.count(text).unwrap())),
        "REGEXP_INSTR" => {
            let at = pattern.find_at(text, 0).unwrap().map_or(0, |m| place(text, m.0) + 1);
            Some(format!("={at}"))
        }
        "REGEXP_SUBSTR" => pattern.find_at(text, 0).unwrap().map(|m| format!("={}", cut(m))),
        "REGEXP_EXTRACT" => {
            let group = group(0)?;
            pattern.captures_at(text, 0, &mut locations).unwrap().then_some(())?;
            locations.get(group).map(|m| format!("={}", cut(m)))
        }
        "REGEXP_EXTRACT_ALL" => {
            let group = group(1)?;
            let mut all = Vec::new();
            let each = |l: &Locations| {
                all.push(l.get(group).map(cut).unwrap_or_default());
                true
            };
            pattern.captures_all(text, &mut locations, each).unwrap();
            Some(format!("[{}", all.join(",")))
        }
        "REGEXP_REPLACE" => {
            let with = args.get(2)?.as_deref()?;
            Some(format!("={}", pattern.replace_all(text, with).unwrap()))
        }
        _ => panic!("{function}"),
    }
}

#[test]
fn answers_as_flink() {
    let mut wrong = Vec::new();
    for line in include_str!("../../tests/data/flink_regex.tsv").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let (expected, head) = fields.split_last().unwrap();
        let args: Vec<Option<String>> =
            head[2..].iter().map(|f| f.strip_prefix(['=', '#']).map(unescape)).collect();
        let got = flink(head[1], &args);
        let expected = Some(unescape(expected)).filter(|e| e != "NULL");
        if got != expected {
            wrong.push(format!("{line}\n    got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn catastrophic_patterns_stop() {
    let text = "a".repeat(40) + "!";
    for pattern in ["(?=x?)(a+)+$", "(?:a|aa)+(?!.)b?c?$", "(a*)*\\1b|(?>x)"] {
        let fault = match Pattern::compile(pattern).unwrap().is_match(&text) {
            Err(fault) => fault,
            Ok(found) => {
                assert!(!found, "{pattern}");
                continue;
            }
        };
        assert!(fault.message().contains("gave up after 5000000 steps on a text of 41 bytes"), "{fault}");
    }
    let hard = Pattern::compile("(x+x+)+(?=y)y").unwrap();
    assert!(!hard.is_match(&"x".repeat(50)).unwrap(), "the screen sees that there is no y");
    let harder = Pattern::compile("(x+x+)+(?=y)").unwrap();
    assert!(harder.is_match(&("x".repeat(50) + "z y")).is_err());
    // The same without look-ahead is linear.
    assert!(!Pattern::compile("(x+x+)+y").unwrap().is_match(&("x".repeat(5000) + "z y")).unwrap());
}

#[test]
fn look_ahead_at_the_start_is_told_in_linear_parts() {
    let texts = [
        "",
        "10.1.2.3",
        "11.1.2.3",
        "192.168.0.1",
        "8.8.8.8\n",
        "8.8.8.8",
        "a1",
        "ab",
        "ba",
        "\n",
        "a\nb",
        "é8.8.8.8",
        "aab",
        "10.",
        "x 11.1.1.1",
        "aB1",
        "b\u{2028}",
        "a b",
        "ab c",
    ];
    for java in [
        "^(?!10\\.|192\\.168\\.)\\d+\\.\\d+\\.\\d+\\.\\d+$",
        "^(?!a)",
        "^(?=.*\\d)(?=.*[a-z])(?!.*[A-Z]).{2,}",
        "^(?!a$)(?!(b)a)[ab]+\\b",
        "\\A(?=a)(a|b)*c?$",
        "^(?!.*\\bc\\b)\\w+",
        "^(?=(a+))(?!x)a*b",
    ] {
        let pattern = Pattern::compile(java).unwrap();
        let ahead = pattern.0.ahead.as_ref().unwrap_or_else(|| panic!("{java} has parts"));
        let mut told = 0;
        for text in texts {
            let matches = pattern.backtrack(text, 0, 0).unwrap().is_some();
            assert_eq!(pattern.is_match(text).unwrap(), matches, "{java} on {text:?}");
            if let Some(linear) = ahead.is_match(text) {
                assert_eq!(linear, matches, "{java} on {text:?}");
                told += 1;
            }
        }
        assert!(told > texts.len() / 2, "{java}");
    }
    for java in [
        "(?!a)b",
        "^b(?!a)",
        "^(?<!a)b",
        "^(?!(a)\\1)b",
        "^(?!a)b(?=c)",
        "^(?!a)b++",
        "^(?!a)b|c",
        "(?m)^(?!a)b",
    ] {
        assert!(Pattern::compile(java).unwrap().0.ahead.is_none(), "{java} has no such parts");
    }
}

#[test]
fn what_surely_fits_the_linear_engine_fits() {
    let parts = [
        "a",
        "é",
        "(?iu)k",
        "[^\\\\]",
        ".",
        "\\p{L}",
        "\\P{L}",
        "(?U)\\w",
        "(?U)\\W",
        "\\p{IsHan}",
        "[a-zß-ÿ]",
        "\\p{Lu}",
        "\\P{Lu}",
        "\\p{javaLowerCase}",
        "(?:ab|c.)",
        "\\b",
        "^",
    ];
    for part in parts {
        for pattern in [
            part.to_string(),
            format!("(?:{part}){{20}}"),
            format!("(?:{part}){{3,9}}"),
            format!("(?:{part}x)*"),
        ] {
            let node = parse::parse(&pattern).unwrap().node;
            let (syntax, _) = emit::exact(&node).unwrap();
            let fits = regex::RegexBuilder::new(&syntax).size_limit(node.weight()).build();
            assert!(fits.is_ok(), "{pattern}: {}", node.weight());
        }
    }
}

#[test]
fn large_and_deep_patterns() {
    let deep = "(".repeat(5000) + &")".repeat(5000);
    assert!(Pattern::compile(&deep).unwrap_err().message.contains("nested deeper than 200"));
    let classes = "[".repeat(5000) + "a" + &"]".repeat(5000);
    assert!(Pattern::compile(&classes).is_err());
    let fits = "(?:".repeat(199) + "a" + &")+".repeat(199);
    assert!(Pattern::compile(&fits).unwrap().is_match("a").unwrap());
    // Too large for the linear engine, not for the other.
    let counted = Pattern::compile("(?:\\w{1,1000}x){1,1000}").unwrap();
    assert!(!counted.is_linear());
    assert!(counted.is_match("aax").unwrap());
    let many = (0..3000).map(|i| format!("word{i}")).collect::<Vec<_>>().join("|");
    assert!(Pattern::compile(&many).unwrap().is_match("a word2999 b").unwrap());
    assert!(Pattern::compile(&"a".repeat(2 << 20)).is_err());
    let long = "é".repeat(200_000) + "b";
    assert!(Pattern::compile("(?>.*?)b\\b|(?!)").is_ok());
    assert!(Pattern::compile("\\bé*b$").unwrap().is_match(&long).unwrap());
}

#[test]
fn replaces_splits_and_counts_as_java() {
    let p = |s: &str| Pattern::compile(s).unwrap();
    assert_eq!(p("a*").replace_all("baaac", "x").unwrap(), "xbxxcx");
    assert_eq!(p("(\\w+) (\\w+)").replace_all_groups("foo bar!", "$2-$1\\$").unwrap(), "bar-foo$!");
    assert_eq!(p("(?<n>b)").replace_all_groups("abc", "${n}${n}$1$0").unwrap(), "abbbbc");
    assert_eq!(p("(b)").replace_all_groups("abc", "$11").unwrap(), "ab1c");
    assert_eq!(p("(x)?b").replace_all_groups("abc", "[$1]").unwrap(), "a[]c");
    let message = |s: &str| p("(b)").replace_all_groups("abc", s).unwrap_err().message().to_string();
    assert_eq!(message("$2"), "No group 2");
    assert_eq!(message("$x"), "Illegal group reference");
    assert_eq!(message("${x}"), "No group with name {x}");
    assert_eq!(message("\\"), "character to be escaped is missing");
    assert_eq!(p("(b)").replace_all_groups("xyz", "$2").unwrap(), "xyz", "no match, no error");
    let split = |r: &str, s: &str| p(r).split(s).unwrap().join("/");
    assert_eq!(split(",", "a,b,,c,,"), "a/b//c");
    assert_eq!(split(",", ",a"), "/a");
    assert_eq!(split("", "abc"), "a/b/c");
    assert_eq!(split("(?=b)", "bab"), "ba/b");
    assert_eq!(split(",", ""), "");
    assert_eq!(p(",").split("").unwrap().len(), 1);
    assert_eq!(p(",").split(",,").unwrap().len(), 0);
    assert_eq!(p("\\G\\w").count("ab c").unwrap(), 2);
    assert_eq!(p("").count("a😀b").unwrap(), 4);
}

#[test]
fn required_literals_are_read_off_the_tree() {
    let of = |s: &str| {
        let sets = &Pattern::compile(s).unwrap().required_literals().clone().all;
        let text = |l: &Literal| {
            String::from_utf8(l.bytes.clone()).unwrap() + if l.ignore_ascii_case { "*" } else { "" }
        };
        sets.iter()
            .map(|any| any.iter().map(text).collect::<Vec<_>>().join("|"))
            .collect::<Vec<_>>()
            .join(" & ")
    };
    assert_eq!(of("powershell.*-enc"), "powershell & -enc");
    assert_eq!(of("(?i)cmd\\.exe"), "cmd.exe*");
    assert_eq!(of("(curl|wget)\\s+http"), "curl|wget & http");
    assert_eq!(of("(?i:nc|ncat) -e"), "nc -e*|ncat -e*");
    assert_eq!(of("\\d+"), "");
    assert_eq!(of("a?b"), "ab|b");
    assert_eq!(of("(foo)+x*bar"), "foo & bar");
    assert_eq!(of("foo|\\d"), "");
    assert_eq!(of("(?!foo)bar(?=baz)"), "baz & bar");
    assert_eq!(of("(?iu)k"), "k*|\u{212a}");
    assert_eq!(of("[ab]c[^x]d"), "ac|bc & d");
    assert_eq!(of("^\\bfoo$"), "foo");
    assert_eq!(of("(?:foo.*bar|baz)qux"), "bar|baz & qux");
}
