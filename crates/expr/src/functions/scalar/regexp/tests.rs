use millstream_types::{DataType, Fault, Span, Value};

use crate::Expr;
use crate::functions::call_expr;
use crate::testing::{column, context, eval_one, eval_rows, literal, text};

fn call(name: &str, args: &[Expr]) -> Result<Expr, Fault> {
    call_expr(name, args, &[], Span::default(), &context())
}

fn eval(name: &str, args: &[Expr]) -> Value {
    eval_one(&call(name, args).unwrap()).unwrap()
}

#[test]
fn patterns_of_columns_give_what_constants_give() {
    let texts = ["user=bob;id=7", "aab", "é日", "", "x"];
    let patterns = ["id=(\\d+)", "(a)\\1", "(", "", "(.)$", "id=(\\d+)"];
    let t = DataType::string();
    let pairs: Vec<(&str, &str)> =
        texts.iter().flat_map(|s| patterns.iter().map(move |p| (*s, *p))).collect();
    let array = |values: Vec<&str>| {
        let values: Vec<Value> = values.into_iter().map(Value::from).collect();
        column(&values, &t)
    };
    let columns = [array(pairs.iter().map(|p| p.0).collect()), array(pairs.iter().map(|p| p.1).collect())];
    for name in [
        "REGEXP",
        "REGEXP_EXTRACT",
        "REGEXP_COUNT",
        "REGEXP_INSTR",
        "REGEXP_SUBSTR",
        "REGEXP_EXTRACT_ALL",
        "REGEXGROUP",
    ] {
        let varying = call(name, &[Expr::column(0, t.clone()), Expr::column(1, t.clone())]).unwrap();
        assert!(varying.fallible(), "{name}");
        let out = eval_rows(&varying, &columns, pairs.len()).unwrap();
        for (i, (s, p)) in pairs.iter().enumerate() {
            let wanted = eval(name, &[text(s), text(p)]);
            assert_eq!(Value::from_array(&out, i, &varying.data_type), wanted, "{name} {s:?} {p:?}");
        }
    }
}

#[test]
fn a_pattern_tells_whether_it_can_fail() {
    assert!(!call("REGEXP", &[text("a"), text("a+b")]).unwrap().fallible());
    assert!(call("REGEXP", &[text("a"), text("(a)\\1")]).unwrap().fallible());
    assert!(!call("REGEXP", &[text("a"), text("(")]).unwrap().fallible());
    let replace = |p: &str| call("REGEXP_REPLACE", &[text("a"), text(p), text("")]).unwrap();
    assert!(!replace("a").data_type.nullable && replace("(").data_type.nullable);
    assert_eq!(eval_one(&replace("(")).unwrap(), Value::Null);
    let slow = call("REGEXP", &[text(&"a".repeat(60)), text("(a|aa)+\\1(?!a)b")]).unwrap();
    assert!(eval_one(&slow).is_ok_and(|v| v == Value::Boolean(false)) || slow.fallible());
}

#[test]
fn groups_of_every_match() {
    let all = |s: &str, p: &str, group: i64| eval("REGEXP_EXTRACT_ALL", &[text(s), text(p), literal(group)]);
    let list = |items: &[Option<&str>]| {
        Value::Array(items.iter().map(|i| i.map_or(Value::Null, Value::from)).collect())
    };
    assert_eq!(all("a1b", "([a-z])(\\d)?", 2), list(&[Some("1"), None]));
    assert_eq!(all("xyz", "q", 0), list(&[]));
    assert_eq!(all("xyz", "(x)", 2), Value::Null);
    assert_eq!(all("xyz", "(x)", -1), Value::Null);
}

#[test]
fn cases_and_negations() {
    let ask = |name: &str, s: &str, p: &str| eval(name, &[text(s), text(p)]);
    for (s, p, plain, insensitive) in [
        ("ABC", "b", false, true),
        ("É", "é", false, true),
        ("abc", "b", true, true),
        ("a", "", false, false),
        ("a", "(", false, false),
    ] {
        assert_eq!(ask("REGEX", s, p), plain.into(), "{s} {p}");
        assert_eq!(ask("NOTREGEX", s, p), (!plain).into(), "{s} {p}");
        assert_eq!(ask("REGEXCASEINSENSITIVE", s, p), insensitive.into(), "{s} {p}");
        assert_eq!(ask("NOTREGEXCASEINSENSITIVE", s, p), (!insensitive).into(), "{s} {p}");
    }
}

#[test]
fn searches_from_a_position() {
    let instr = |start: i64, nth: i64, end: i64| {
        eval("REGEXINSTR", &[text("日1b22"), text("\\d+"), literal(start), literal(nth), literal(end)])
    };
    assert_eq!(instr(1, 1, 0), Value::Int(2));
    assert_eq!(instr(1, 2, 1), Value::Int(6));
    assert_eq!(instr(3, 1, 0), Value::Int(4));
    assert_eq!(instr(9, 1, 0), Value::Int(0));
    assert_eq!(eval("REGEXCOUNT", &[text("1b2"), text("\\d"), literal(2)]), Value::Int(1));
    assert_eq!(eval("REGEXSUBSTR", &[text("1b22"), text("\\d+"), literal(1), literal(3)]), Value::Null);
    assert_eq!(eval("REGEXREPLACE", &[text("ab"), text("(a)(b)"), text("$2$1")]), "ba".into());
    assert!(eval_one(&call("REGEXREPLACE", &[text("ab"), text("a"), text("$9")]).unwrap()).is_err());
}
