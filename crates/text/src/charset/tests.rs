//! Against tables that Java 17 wrote (seeded).
use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    unhex(hex).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    push_hex(&mut out, bytes);
    out.to_lowercase()
}

#[test]
fn charsets_as_java() {
    let mut wrong = Vec::new();
    for line in include_str!("testdata/decode.txt").lines() {
        let p: Vec<&str> = line.split('|').collect();
        let charset = Charset::of(p[0]).unwrap();
        let mut text = String::new();
        charset.decode(&bytes(p[1]), &mut text);
        let mut back = Vec::new();
        charset.encode(&text, &mut back);
        if hex(text.as_bytes()) != p[2] || hex(&back) != p[3] {
            wrong.push(format!("{line}: {} {}", hex(text.as_bytes()), hex(&back)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}

#[test]
fn names_of_charsets() {
    use millstream_types::FaultKind;
    for line in include_str!("testdata/names.txt").lines() {
        let (name, canonical) = line.split_once('|').unwrap();
        match Charset::of(name) {
            Ok(charset) => assert_eq!(Ok(charset), Charset::of(canonical), "{line}"),
            Err(e) if canonical == "ERR" => assert_eq!(e.kind(), FaultKind::User, "{line}"),
            Err(e) => assert_eq!(e.kind(), FaultKind::NotYet, "{line}"),
        }
    }
}

#[test]
fn urls_as_java() {
    let mut wrong = Vec::new();
    for line in include_str!("testdata/url.txt").lines() {
        let (text, expected) = line.split_once('|').unwrap();
        let got = match Url::parse(text) {
            Err(_) => continue,
            Ok(None) => "ERR".to_string(),
            Ok(Some(url)) => ["PROTOCOL", "HOST", "PATH", "QUERY", "REF", "AUTHORITY", "USERINFO", "FILE"]
                .map(|n| url.part(UrlPart::of(n).unwrap()).map_or("NULL".to_string(), |v| format!("={v}")))
                .join("|"),
        };
        if got != expected {
            wrong.push(format!("{line}\n    {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(query_parameter("k1=v1&k2=v2", "k2"), Some("v2"));
    assert_eq!(query_parameter("a=", "a"), Some(""));
    assert_eq!(query_parameter("xa=1", "a"), None);
    assert_eq!(UrlPart::of("host"), None);
}

#[test]
fn escapes_as_java() {
    for line in include_str!("testdata/urldecode.txt").lines() {
        let (text, expected) = line.split_once('|').unwrap();
        let got = decode_url(text).map_or("ERR".to_string(), |t| hex(t.as_bytes()));
        assert_eq!(got, expected, "{line}");
    }
    for text in ["a b&c=d", "日本", "", "*-._~", "https://flink.apache.org/x?y=1"] {
        let mut out = String::new();
        push_url_encoded(&mut out, text);
        assert_eq!(decode_url(&out).as_deref(), Some(text));
    }
    let mut out = String::new();
    push_url_encoded(&mut out, "a b*-._~é");
    assert_eq!(out, "a+b*-._%7E%C3%A9");
}

#[test]
fn base64_as_java() {
    for line in include_str!("testdata/base64.txt").lines() {
        let p: Vec<&str> = line.split('|').collect();
        let text = p[0].replace("\\n", "\n");
        let shown = |mime| decode_base64(text.as_bytes(), mime).map_or("ERR".to_string(), |b| hex(&b));
        assert_eq!(shown(false), p[1], "{line}");
        assert_eq!(shown(true), p[2], "{line} MIME");
    }
    for length in 0..40u8 {
        let data: Vec<u8> = (0..length).map(|i| i.wrapping_mul(73).wrapping_add(length)).collect();
        let mut out = String::new();
        push_base64(&mut out, &data);
        assert_eq!(out.len() % 4, 0);
        assert_eq!(decode_base64(out.as_bytes(), false), Some(data));
    }
}

#[test]
fn hexadecimal_as_flink() {
    assert_eq!(unhex("f"), Some(vec![0]));
    assert_eq!(unhex("0A0b"), Some(vec![10, 11]));
    assert_eq!(unhex("  41"), None);
    assert_eq!(unhex("g"), None);
    assert_eq!(unhex("é"), None);
}

#[test]
fn no_text_breaks_anything() {
    const PIECES: [&str; 22] = [
        "http", ":", "//", "/", "[", "]", "::1", "@", "?", "#", "%", "%4", "%zz", "=", "==", "aGVs", "é",
        "日", "\u{0}", "url:", "..", "-1",
    ];
    let mut state = 7u64;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..20_000 {
        let text: String = (0..next(9)).map(|_| PIECES[next(PIECES.len())]).collect();
        let _ = (Url::parse(&text), decode_url(&text), unhex(&text), Charset::of(&text));
        let _ = (decode_base64(text.as_bytes(), true), decode_base64(text.as_bytes(), false));
    }
}

/// FNV-1a.
struct Digest(u64);

impl Digest {
    fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for b in bytes.into_iter().chain([b'\n']) {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

fn units(charset: Charset, bytes: &[u8]) -> String {
    let mut text = String::new();
    charset.decode(bytes, &mut text);
    text.encode_utf16().map(|u| format!("{u:04X}")).collect()
}

/// Every byte, every pair and every character of the basic plane, against digests of what Java made of them.
#[test]
fn tables_as_java() {
    for line in include_str!("testdata/tables.txt").lines() {
        let (name, expected) = line.split_once(' ').unwrap();
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        let charset = Charset::of(if name == "gb18030-4" { "gb18030" } else { name }).unwrap();
        let mut text = String::new();
        let mut read = |bytes: &[u8], digest: &mut Digest| {
            text.clear();
            charset.decode(bytes, &mut text);
            digest.add(text.encode_utf16().flat_map(u16::to_be_bytes));
        };
        if name == "gb18030-4" {
            for number in (0..126 * 12_600u32).step_by(7) {
                let digit = |by: u32, base: u32, from: u8| from + (number / by % base) as u8;
                let sequence = [
                    digit(12_600, 126, 0x81),
                    digit(1260, 10, 0x30),
                    digit(10, 126, 0x81),
                    digit(1, 10, 0x30),
                ];
                read(&sequence, &mut digest);
            }
        } else {
            (0..=255u8).for_each(|b| read(&[b], &mut digest));
            if !matches!(charset, Charset::Single(_)) {
                (0..=0xffffu16).for_each(|p| read(&p.to_be_bytes(), &mut digest));
            }
            let mut written = Vec::new();
            for c in 0..=0xffffu32 {
                written.clear();
                char::from_u32(c).inspect(|c| charset.encode(c.encode_utf8(&mut [0; 4]), &mut written));
                digest.add(written.iter().copied());
            }
        }
        assert_eq!(format!("{:016x}", digest.0), expected, "{name}");
    }
}

#[test]
fn sequences_of_gb18030_as_java() {
    for line in include_str!("testdata/gb18030.txt").lines() {
        let (sequence, text) = line.split_once(' ').unwrap();
        assert_eq!(units(Charset::Gb18030, &bytes(sequence)), text, "{sequence}");
    }
    let all: String = (0x10000..=0x10ffffu32).filter_map(char::from_u32).collect();
    let (mut written, mut back) = (Vec::new(), String::new());
    Charset::Gb18030.encode(&all, &mut written);
    assert_eq!(
        (&written[..4], &written[written.len() - 4..]),
        (&[0x90, 0x30, 0x81, 0x30][..], &[0xe3, 0x32, 0x9a, 0x35][..])
    );
    Charset::Gb18030.decode(&written, &mut back);
    assert!(all == back);
}

#[test]
fn utf_32_as_java() {
    for (name, sequence, text) in [
        ("UTF-32", "0000FEFF0000004100", "0041FFFD"),
        ("UTF-32", "FFFE000041000000", "0041"),
        ("utf_32be", "0001F60000D800000000", "D83DDE00FFFDFFFD"),
        ("UTF-32LE", "00F60100", "D83DDE00"),
    ] {
        assert_eq!(units(Charset::of(name).unwrap(), &bytes(sequence)), text, "{name} {sequence}");
    }
    let mut written = Vec::new();
    Charset::Utf32.encode("\u{1f600}a", &mut written);
    assert_eq!(hex(&written), "0001f60000000061");
}
