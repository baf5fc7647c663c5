use super::*;

/// The meaning in twenty lines.
fn plain(pattern: &[Token], text: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((Token::Many, rest)), None) => plain(rest, text),
        (Some((Token::Many, rest)), Some((_, more))) => plain(rest, text) || plain(pattern, more),
        (Some(_), None) => false,
        (Some((Token::One, rest)), Some((c, more))) => {
            !['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'].contains(c) && plain(rest, more)
        }
        (Some((Token::Char(p), rest)), Some((c, more))) => p == c && plain(rest, more),
    }
}

struct Seed(u64);

impl Seed {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn text(&mut self, alphabet: &[char], most: usize) -> String {
        let length = self.below(most + 1);
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

#[test]
fn agrees_with_a_plain_matcher() {
    let mut seed = Seed(0x5EED_1234);
    let mut hits = 0;
    for _ in 0..60_000 {
        let pattern = seed.text(&['a', 'b', 'é', '%', '%', '_', '!', 'a', '\n'], 8);
        let text = seed.text(&['a', 'b', 'a', 'b', 'é', '%', '\n', '\u{2028}', '😀'], 10);
        let escape = [None, Some('!')][seed.below(2)];
        let Ok(compiled) = LikePattern::compile(&pattern, escape) else {
            assert!(tokens(&pattern, escape).is_err());
            continue;
        };
        let chars: Vec<char> = text.chars().collect();
        let expected = plain(&tokens(&pattern, escape).unwrap(), &chars);
        assert_eq!(compiled.matches(&text), expected, "{text:?} LIKE {pattern:?} {escape:?}");
        hits += usize::from(expected);
        if let (true, Shape::General(parts)) = (expected, compiled.shape()) {
            let mut from = 0;
            for part in parts {
                from += text[from..].find(part.as_str()).unwrap() + part.len();
            }
        }
    }
    assert!(hits > 3000, "{hits}");
}

#[test]
fn shapes() {
    let shape = |p: &str| LikePattern::compile(p, Some('!')).unwrap().shape().clone();
    assert_eq!(shape("%"), Shape::All);
    assert_eq!(shape("%%"), Shape::All);
    assert_eq!(shape(""), Shape::Exact(String::new()));
    assert_eq!(shape("a!%b"), Shape::Exact("a%b".into()));
    assert_eq!(shape("ab%"), Shape::Prefix("ab".into()));
    assert_eq!(shape("%%ab"), Shape::Suffix("ab".into()));
    assert_eq!(shape("%ab%%"), Shape::Contains("ab".into()));
    assert_eq!(shape("a%b_c%"), Shape::General(vec!["a".into(), "b".into(), "c".into()]));
    assert_eq!(shape("_"), Shape::General(vec![]));
}

#[test]
fn escape_characters() {
    assert_eq!(escape_char("!"), Ok('!'));
    assert_eq!(escape_char("xx").unwrap_err().message, "Invalid escape character 'xx'");
    assert!(escape_char("").is_err());
    assert!(escape_char("😀").is_err());
    let message = |p| LikePattern::compile(p, Some('!')).unwrap_err().message;
    assert_eq!(message("a!bc"), "Invalid escape sequence 'a!bc', 1");
    assert_eq!(message("abc!"), "Invalid escape sequence 'abc!', 3");
}

/// Recorded answers: text, operator, pattern, escape or nothing, answer.
#[test]
fn answers_as_flink() {
    let mut count = 0;
    for line in include_str!("../../tests/data/flink_like.tsv").lines() {
        let fields: Vec<String> = line.split('\t').map(unescape).collect();
        let [text, operator, pattern, escape, expected] = fields.as_slice() else { panic!("{line}") };
        let escape = match escape.as_str() {
            "" => Ok(None),
            e => escape_char(e).map(Some),
        };
        let got = match (operator.as_str(), escape) {
            (_, Err(e)) => Err(e.message),
            ("LIKE", Ok(e)) => {
                LikePattern::compile(pattern, e).map(|p| p.matches(text)).map_err(|e| e.message)
            }
            (_, Ok(e)) => SimilarPattern::compile(pattern, e)
                .and_then(|p| p.matches(text))
                .map_err(|e| e.message().to_string()),
        };
        match got {
            Ok(got) => assert_eq!(got.to_string(), *expected, "{line}"),
            Err(message) => {
                assert!(expected.strip_prefix("E ").is_some_and(|e| message.contains(e)), "{line}: {message}")
            }
        }
        count += 1;
    }
    assert!(count > 50);
}

fn unescape(s: &str) -> String {
    s.replace("\\n", "\n").replace("\\s", "\\")
}

#[test]
fn similar_is_rewritten() {
    let java = |p: &str, e| SimilarPattern::compile(p, e).map(|p| p.pattern().as_str().to_string());
    assert_eq!(java("a_%[[:digit:]x-z]$\\", None).unwrap(), "a.(?s:.*)[\\dx-z]\\$\\\\");
    assert_eq!(java("a!%![!!", Some('!')).unwrap(), "a%\\[!");
    assert!(java("a!b", Some('!')).is_err());
    assert!(java("[a%]", None).is_err());
    assert!(java("a]", None).unwrap_err().message().contains("Invalid regular expression 'a]', index 1"));
    assert!(java("[a", None).is_err());
    assert!(java("[[:foo:]]", None).is_err());
}
