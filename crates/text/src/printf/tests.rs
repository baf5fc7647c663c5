//! Against tables that Java 17 wrote.
use super::*;

#[test]
fn one_argument_as_java() {
    let mut wrong = Vec::new();
    for line in include_str!("testdata/printf.txt").lines() {
        let p: Vec<&str> = line.split('`').collect();
        let (format, kind, value) = (p[0], p[1], p[2]);
        let argument = match kind {
            "Integer" => PrintfArg::Int(value.parse().unwrap()),
            "Long" => PrintfArg::BigInt(value.parse().unwrap()),
            "Short" => PrintfArg::SmallInt(value.parse().unwrap()),
            "Byte" => PrintfArg::TinyInt(value.parse().unwrap()),
            "Double" => PrintfArg::Double(f64::from_bits(u64::from_str_radix(value, 16).unwrap())),
            "Float" => PrintfArg::Float(f32::from_bits(u32::from_str_radix(value, 16).unwrap())),
            "Boolean" => PrintfArg::Boolean(value == "true"),
            "null" => PrintfArg::Null,
            _ => PrintfArg::String(value),
        };
        let Ok(got) = printf(format, &[argument]) else {
            assert_eq!(format, "%a");
            continue;
        };
        let got = got.map_or("ERR".to_string(), |t| format!("={t}"));
        if got != p[3] {
            wrong.push(format!("{line} not {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

#[test]
fn formats_as_java() {
    for line in include_str!("testdata/format.txt").lines() {
        let (format, expected) = line.split_once('`').unwrap();
        let Ok(got) = printf(format, &[PrintfArg::Int(5), PrintfArg::String("x")]) else {
            assert_eq!(format, "%tY");
            continue;
        };
        let got = got.map_or("ERR".to_string(), |t| format!("={}", t.replace('\n', "\\n")));
        assert_eq!(got, expected, "{format}");
    }
}

#[test]
fn no_format_breaks_anything() {
    const PIECES: [&str; 24] = [
        "%", "%", "1$", "9$", "-", "#", "+", " ", "0", ",", "(", "<", "5", "20", ".", ".3", "d", "s", "f",
        "e", "g", "x", "c", "é",
    ];
    let mut state = 3u64;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let arguments = [
        PrintfArg::BigInt(i64::MIN),
        PrintfArg::Double(-1.5e-300),
        PrintfArg::String("日本"),
        PrintfArg::Null,
    ];
    for i in 0..20_000 {
        let format: String = (0..next(8)).map(|_| PIECES[next(PIECES.len())]).collect();
        let _ = printf(&format, &arguments[i % 4..]);
    }
}
