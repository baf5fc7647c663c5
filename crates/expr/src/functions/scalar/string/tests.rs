use millstream_types::{DataType, Fault, Span, TypeKind, Value};

use crate::functions::call_expr;
use crate::testing::{column, context, eval_one, eval_rows, literal, text};
use crate::{Expr, Keyword};

fn call(name: &str, args: &[Expr]) -> Result<Expr, Fault> {
    call_expr(name, args, &[], Span::default(), &context())
}

fn eval(name: &str, args: &[Expr]) -> Value {
    eval_one(&call(name, args).unwrap()).unwrap()
}

/// The values of a function of one text column, and constants behind it.
fn of_column(name: &str, texts: &[Option<&str>], rest: &[Expr]) -> Vec<Option<String>> {
    let values: Vec<Value> = texts.iter().map(|t| t.map_or(Value::Null, Value::from)).collect();
    let mut args = vec![Expr::column(0, DataType::string())];
    args.extend_from_slice(rest);
    let expr = call(name, &args).unwrap();
    let array = eval_rows(&expr, &[column(&values, &DataType::string())], values.len()).unwrap();
    (0..values.len())
        .map(|i| match Value::from_array(&array, i, &expr.data_type) {
            Value::Null => None,
            Value::String(s) => Some(s.to_string()),
            Value::Int(n) => Some(n.to_string()),
            Value::Boolean(b) => Some(b.to_string()),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn columns_with_nulls_and_all_kinds_of_characters() {
    let texts = [Some("aé日😀z"), None, Some(""), Some("abc")];
    let some = |values: [Option<&str>; 4]| values.map(|v| v.map(str::to_string)).to_vec();
    for (name, rest, wanted) in [
        ("UPPER", vec![], [Some("AÉ日😀Z"), None, Some(""), Some("ABC")]),
        ("REVERSE", vec![], [Some("z😀日éa"), None, Some(""), Some("cba")]),
        ("CHAR_LENGTH", vec![], [Some("5"), None, Some("0"), Some("3")]),
        ("SUBSTRING", vec![literal(2), literal(3)], [Some("é日😀"), None, Some(""), Some("bc")]),
        ("SUBSTRING", vec![literal(-4)], [Some("é日😀z"), None, Some(""), Some("")]),
        ("SUBSTRING", vec![literal(-4), literal(2)], [Some("é日"), None, Some(""), Some("")]),
        ("LEFT", vec![literal(2)], [Some("aé"), None, Some(""), Some("ab")]),
        ("RIGHT", vec![literal(4)], [Some("é日😀z"), None, Some(""), Some("abc")]),
        ("RIGHT", vec![literal(-1)], [Some(""), None, Some(""), Some("")]),
        // 😀 counts as two here.
        ("LPAD", vec![literal(7), text("é-")], [Some("éaé日😀z"), None, Some("é-é-é-é"), Some("é-é-abc")]),
        ("LPAD", vec![literal(4), text("😀")], [Some("aé日?"), None, Some("😀😀"), Some("?abc")]),
        ("RPAD", vec![literal(2), text("-")], [Some("aé"), None, Some("--"), Some("ab")]),
        ("RPAD", vec![literal(-1), text("-")], [None, None, None, None]),
        ("REPLACE", vec![text("é日"), text("-")], [Some("a-😀z"), None, Some(""), Some("abc")]),
        ("REPLACE", vec![text(""), text(".")], [Some(".a.é.日.😀.z."), None, Some("."), Some(".a.b.c.")]),
        ("TRANSLATE", vec![text("aa日"), text("xyz")], [Some("xéz😀z"), None, Some(""), Some("xbc")]),
        ("INSTR", vec![text("z")], [Some("5"), None, Some("0"), Some("0")]),
        ("SPLIT_INDEX", vec![text("日"), literal(1)], [Some("😀z"), None, None, None]),
        ("LTRIM", vec![text("éa")], [Some("日😀z"), None, Some(""), Some("bc")]),
        ("ENDSWITH", vec![text("😀z")], [Some("true"), None, Some("false"), Some("false")]),
        ("INITCAP", vec![], [Some("Aé日😀Z"), None, Some(""), Some("Abc")]),
        ("ASCII", vec![], [Some("97"), None, Some("0"), Some("97")]),
        ("SUBSTRINGINDEX", vec![text("日"), literal(1)], [Some("aé"), None, None, Some("abc")]),
    ] {
        assert_eq!(of_column(name, &texts, &rest), some(wanted), "{name} {rest:?}");
    }
}

#[test]
fn slices_of_ascii_columns_keep_their_places() {
    use arrow::array::Array;
    let values: Vec<Value> = vec!["Ab".into(), Value::Null, "".into(), "cD".into(), "É".into()];
    let all = column(&values, &DataType::string());
    let expr = call("LOWER", &[Expr::column(0, DataType::string())]).unwrap();
    for (from, rows) in [(0, 5), (0, 4), (1, 3), (3, 1), (2, 0), (3, 2)] {
        let out = eval_rows(&expr, &[all.slice(from, rows)], rows).unwrap();
        assert_eq!(out.len(), rows);
        for i in 0..rows {
            let wanted = values[from + i].as_str().map_or(Value::Null, |s| s.to_lowercase().as_str().into());
            assert_eq!(Value::from_array(&out, i, &expr.data_type), wanted, "{from} {rows} {i}");
        }
    }
}

#[test]
fn trim_takes_a_side() {
    let trim = |side: &str| {
        let keywords = [("side", Keyword::Word(side.into()))];
        let args = [text("xyabyx"), text("yx")];
        eval_one(&call_expr("TRIM", &args, &keywords, Span::default(), &context()).unwrap()).unwrap()
    };
    assert_eq!(trim("BOTH"), "ab".into());
    assert_eq!(trim("LEADING"), "abyx".into());
    assert_eq!(trim("TRAILING"), "xyab".into());
    assert_eq!(eval("TRIM", &[text(" \ta ")]), "\ta".into());
}

#[test]
fn searches_count_characters_from_either_end() {
    let instr = |s: &str, p: &str, start: i64, nth: i64| {
        eval("INSTR", &[text(s), text(p), literal(start), literal(nth)])
    };
    assert_eq!(instr("日本日本", "本", 1, 2), Value::Int(4));
    assert_eq!(instr("日本日本", "本", -1, 2), Value::Int(2));
    assert_eq!(instr("aaa", "aa", 1, 2), Value::Int(2));
    assert_eq!(instr("aaa", "aa", -1, 2), Value::Int(1));
    assert_eq!(instr("abc", "b", 0, 1), Value::Int(0));
    assert_eq!(instr("abc", "b", 9, 1), Value::Int(0));
    let wrong = call("INSTR", &[text("a"), text("a"), literal(1), literal(0)]).unwrap();
    assert!(wrong.fallible());
    assert_eq!(eval_one(&wrong).unwrap_err().code(), "bad-argument");
    let locate = |p: &str, s: &str, start: i64| eval("LOCATE", &[text(p), text(s), literal(start)]);
    assert_eq!(locate("本", "日本日本", 3), Value::Int(4));
    assert_eq!(locate("", "abc", 9), Value::Int(1));
    assert_eq!(locate("c", "abc", i64::from(i32::MIN)), Value::Int(3));
}

#[test]
fn what_may_be_null_is_nullable() {
    let pad = |length: i64, pad: &str| call("LPAD", &[text("a"), literal(length), text(pad)]).unwrap();
    assert!(!pad(3, "x").data_type.nullable);
    assert!(pad(-1, "x").data_type.nullable && pad(3, "").data_type.nullable);
    assert!(!pad(3, "x").fallible() && pad(i64::from(i32::MAX), "x").fallible());
    assert_eq!(eval_one(&pad(i64::from(i32::MAX), "x")).unwrap_err().code(), "too-large");
    assert_eq!(call("LEFT", &[text("abc"), literal(1)]).unwrap().data_type, TypeKind::VarChar(3).nullable());
    let repeat = call("REPEAT", &[text("abc"), literal(i64::from(i32::MAX))]).unwrap();
    assert_eq!(eval_one(&repeat).unwrap_err().code(), "too-large");
    assert_eq!(eval("REPEAT", &[text(""), literal(i64::from(i32::MAX))]), "".into());
}

#[test]
fn what_does_not_fit_is_refused() {
    for (name, args) in [
        ("UPPER", vec![literal(1)]),
        ("UPPER", vec![Expr::literal(Value::Null, TypeKind::Null.nullable())]),
        ("CONCAT", vec![]),
        ("CONCAT", vec![text("a"), literal(1)]),
        ("SUBSTRING", vec![text("a"), literal(1.5)]),
        ("STARTSWITH", vec![text("a"), Expr::literal(Value::Bytes([1].into()), TypeKind::BYTES.not_null())]),
        ("ELT", vec![literal(-1), text("a")]),
        ("STR_TO_MAP", vec![text("a"), text(",")]),
        ("KEYVALUE", vec![text("a"), text(","), text("=")]),
    ] {
        assert!(call(name, &args).is_err(), "{name} {args:?}");
    }
}

#[test]
fn keys_and_parts_as_the_manual_shows_them() {
    // rsqldb's manual, KEYVALUE; a NULL separator is white space.
    let null = || Expr::literal(Value::Null, DataType::string());
    let kv = |s: Expr, pair: Expr, key: Expr, name: Expr| eval("KEYVALUE", &[s, pair, key, name]);
    assert_eq!(kv(text("k1=v1;k2=v2"), text(";"), text("="), text("k2")), "v2".into());
    assert_eq!(kv(null(), text(";"), text("="), text("k1")), Value::Null);
    assert_eq!(kv(text("k1=v1;k2=v2"), text(";"), text("="), null()), Value::Null);
    assert_eq!(kv(text("k1=v1 k2=v2"), null(), text("="), text("k2")), "v2".into());
    assert_eq!(kv(text("k1 v1;k2 v2"), text(";"), null(), text("k2")), "v2".into());
    assert_eq!(kv(text("k1:v1;k2:v2"), text(";"), text(":"), text("k3")), Value::Null);
    assert_eq!(kv(text("k1:v1abck2:v2"), text("abc"), text(":"), text("k2")), "v2".into());
    assert_eq!(kv(text("k1:v1;k2=v2"), text(";"), text(":="), text("k2")), "v2".into());
    let part = |first: i64, last: i64| {
        eval("SPLITPART", &[text("a--b--c"), text("--"), literal(first), literal(last)])
    };
    assert_eq!(part(0, 0), "a".into());
    assert_eq!(part(1, 9), "b--c".into());
    assert_eq!(part(3, 9), "".into());
    assert_eq!(part(2, 1), "".into());
    let index = |n: i64| eval("SUBSTRINGINDEX", &[text("a.b.c"), text("."), literal(n)]);
    let found = [index(1), index(3), index(0), index(-1), index(-2), index(-5)];
    assert_eq!(found, ["a", "a.b.c", "", "c", "b.c", "a.b.c"].map(Value::from));
}

#[test]
fn bytes_and_character_sets() {
    let wrong = call("ENCODE", &[text("a"), text("nope")]).unwrap();
    assert!(wrong.fallible() && eval_one(&wrong).is_err());
    assert!(!call("ENCODE", &[text("a"), text("utf-8")]).unwrap().fallible());
    assert_eq!(eval("ENCODE", &[text("é"), text("latin1")]), Value::Bytes([0xe9].into()));
    assert_eq!(eval_one(&call("FROM_BASE64", &[text("a$")]).unwrap()).unwrap_err().code(), "bad-base64");
    assert_eq!(eval("JSON_UNQUOTE", &[text("\"a\\u65e5\\n\"")]), "a日\n".into());
    assert_eq!(eval("JSON_UNQUOTE", &[text("\"a\\q\"")]), "\"a\\q\"".into());
    assert_eq!(eval("JSON_QUOTE", &[text("😀\"")]), "\"\\ud83d\\ude00\\\"\"".into());
}

#[test]
fn uuids_differ_and_are_of_version_four() {
    let uuid = call("UUID", &[]).unwrap();
    assert_eq!(uuid.data_type, TypeKind::Char(36).not_null());
    let array = eval_rows(&uuid, &[], 3).unwrap();
    let texts: Vec<String> = (0..3)
        .map(|i| match Value::from_array(&array, i, &uuid.data_type) {
            Value::String(s) => s.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(texts[0] != texts[1] && texts[1] != texts[2]);
    for t in &texts {
        let parts: Vec<&str> = t.split('-').collect();
        assert_eq!(parts.iter().map(|p| p.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{t}");
        assert!(parts[2].starts_with('4') && parts[3].starts_with(['8', '9', 'a', 'b']), "{t}");
    }
}
