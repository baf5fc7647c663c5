//! Against tables that Java 17 wrote (seeded), and Flink's recorded casts.
use super::*;

fn f64_text(v: f64) -> String {
    let mut s = String::new();
    push_f64(&mut s, v);
    s
}

fn f32_text(v: f32) -> String {
    let mut s = String::new();
    push_f32(&mut s, v);
    s
}

#[test]
fn doubles_as_java_writes_them() {
    let mut wrong = Vec::new();
    for line in include_str!("testdata/double.txt").lines() {
        let (bits, text) = line.split_once(' ').unwrap();
        let v = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        if f64_text(v) != text {
            wrong.push(format!("{bits} {} instead of {text}", f64_text(v)));
        }
        if !v.is_nan() {
            assert_eq!(parse_f64(text).unwrap().to_bits(), v.to_bits(), "{text}");
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

#[test]
fn floats_as_java_writes_them() {
    let mut wrong = Vec::new();
    for line in include_str!("testdata/float.txt").lines() {
        let (bits, text) = line.split_once(' ').unwrap();
        let v = f32::from_bits(u32::from_str_radix(bits, 16).unwrap());
        if f32_text(v) != text {
            wrong.push(format!("{bits} {} instead of {text}", f32_text(v)));
        }
        if !v.is_nan() {
            assert_eq!(parse_f32(text).unwrap().to_bits(), v.to_bits(), "{text}");
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

#[test]
fn doubles_as_java_reads_them() {
    for line in include_str!("testdata/parse_double.txt").lines() {
        let mut parts = line.split('|');
        let (text, double, float) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        let expected = u64::from_str_radix(double, 16).ok();
        assert_eq!(parse_f64(&text).ok().map(f64::to_bits), expected, "{text}");
        let expected = u32::from_str_radix(float, 16).ok();
        assert_eq!(parse_f32(&text).ok().map(f32::to_bits), expected, "{text} as FLOAT");
    }
}

#[test]
fn decimals_as_java_scales_them() {
    for line in include_str!("testdata/decimal.txt").lines() {
        let p: Vec<&str> = line.split('|').collect();
        let [text, precision, scale, plain, scientific, double] = p[..] else { panic!("{line}") };
        let (precision, scale) = (precision.parse().unwrap(), scale.parse().unwrap());
        let got = parse_decimal(text, precision, scale);
        let shown = got.map(|v| {
            let (mut a, mut b) = (String::new(), String::new());
            push_decimal(&mut a, v, scale);
            push_decimal_scientific(&mut b, v, scale);
            (a, b, format!("{:x}", decimal_to_f64(v, scale).to_bits()))
        });
        let expected = match plain {
            "OVERFLOW" => Err(NumberError::Overflow),
            "INVALID" => Err(NumberError::Invalid),
            "EMPTY" => Err(NumberError::Empty),
            _ => Ok((plain.to_string(), scientific.to_string(), double.to_string())),
        };
        assert_eq!(shown, expected, "{line}");
    }
}

#[test]
fn integers_as_flink_casts_them() {
    use NumberError::*;
    assert_eq!(parse_i64(" 42 "), Ok(42));
    assert_eq!(parse_i64("+5"), Ok(5));
    assert_eq!(parse_i64("1.9"), Ok(1));
    assert_eq!(parse_i64("1."), Ok(1));
    assert_eq!(parse_i64("-9223372036854775808"), Ok(i64::MIN));
    for (text, error) in [
        ("", Empty),
        ("  ", Empty),
        ("-", Invalid),
        ("1_000", Invalid),
        ("1e3", Invalid),
        ("１", Invalid),
        ("1.x", Invalid),
        ("9223372036854775808", Overflow),
    ] {
        assert_eq!(parse_i64(text), Err(error), "{text}");
    }
    assert_eq!(parse_i8("300"), Err(Overflow));
    assert_eq!(parse_i8("-128"), Ok(-128));
    assert_eq!(parse_i32("2147483648"), Err(Overflow));
    assert_eq!(parse_i16("-32768"), Ok(i16::MIN));
}

#[test]
fn integers_come_back() {
    let mut x = 1i128;
    let mut values = vec![0, i128::from(i64::MIN), i128::from(i64::MAX), i128::MIN, i128::MAX];
    for i in 0..120 {
        x = x.wrapping_mul(3).wrapping_add(i);
        values.extend([x, -x]);
    }
    for v in values {
        let mut s = String::new();
        push_i128(&mut s, v);
        assert_eq!(s, v.to_string());
    }
    let mut s = String::new();
    push_padded(&mut s, 7, 3);
    push_padded(&mut s, 1234, 3);
    assert_eq!(s, "0071234");
}

#[test]
fn rescaling_rounds_half_up_and_checks() {
    assert_eq!(rescale(123455, 3, 5, 2), Some(12346));
    assert_eq!(rescale(-5, 1, 5, 0), Some(-1));
    assert_eq!(rescale(-4, 1, 5, 0), Some(0));
    assert_eq!(rescale(12345, 1, 5, 2), None);
    assert_eq!(rescale(99995, 3, 4, 2), None);
    assert_eq!(rescale(i128::MAX, 0, 38, 38), None);
    assert_eq!(decimal_from_f64(1.005, 5, 2), Some(101));
    assert_eq!(decimal_from_f64(1e20, 10, 2), None);
    assert_eq!(decimal_from_f64(f64::NAN, 10, 2), None);
    assert_eq!(decimal_from_f64(1e-7, 5, 2), Some(0));
    assert_eq!(decimal_to_i64(-25, 1), -2);
}

#[test]
fn no_text_breaks_anything() {
    const PIECES: [&str; 18] = [
        "0x",
        "1",
        "9999999999999999999",
        ".",
        "e",
        "E",
        "-",
        "+",
        "p",
        "f",
        "d",
        "NaN",
        "Infinity",
        "é",
        " ",
        "0",
        "00000000",
        "\t",
    ];
    let mut state = 5u64;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..40_000 {
        let text: String = (0..next(8)).map(|_| PIECES[next(PIECES.len())]).collect();
        let _ = (parse_i64(&text), parse_f64(&text), parse_f32(&text));
        let scale = next(39) as u8;
        if let Ok(v) = parse_decimal(&text, 38, scale) {
            let mut shown = String::new();
            push_decimal(&mut shown, v, scale);
            assert_eq!(parse_decimal(&shown, 38, scale), Ok(v), "{text}");
        }
    }
}
