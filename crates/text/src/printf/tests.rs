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
