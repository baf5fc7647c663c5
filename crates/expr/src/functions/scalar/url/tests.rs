use millstream_types::{Span, Value};

use crate::Expr;
use crate::functions::call_expr;
use crate::testing::{context, eval_one, literal, text};

fn eval(name: &str, args: &[Expr]) -> Value {
    eval_one(&call_expr(name, args, &[], Span::default(), &context()).unwrap()).unwrap()
}

#[test]
fn addresses_of_networks_and_ranges() {
    for (address, list, wanted) in [
        ("10.1.2.3", "10.1.2.3", true),
        ("10.1.2.3", "10.1.2.4", false),
        ("10.1.2.3", "10.0.0.0/8", true),
        ("11.1.2.3", "10.0.0.0/8", false),
        ("11.1.2.3", "0.0.0.0/0", true),
        ("10.1.2.3", "10.1.2.1-10.1.2.9", true),
        ("10.1.2.10", "10.1.2.1 - 10.1.2.9", false),
        ("10.1.2.3", "192.168.0.0/16, 10.1.0.0/16", true),
        ("::1", "::/0", true),
        ("::1", "10.0.0.0/8", false),
        ("fe80::1", "fe80::/10", true),
        ("nonsense", "0.0.0.0/0", false),
        ("10.1.2.3", "10.0.0.0/33,x-y,", false),
    ] {
        assert_eq!(eval("IPCONTAINS", &[text(address), text(list)]), wanted.into(), "{address} {list}");
    }
}

#[test]
fn addresses_as_numbers() {
    for (address, wanted) in [
        ("1", Some(1)),
        ("127.1", Some(2_130_706_433)),
        ("127.0.1", Some(2_130_706_433)),
        ("0010.000.0.01", Some(167_772_161)),
        ("255", Some(255)),
        ("256", None),
        ("4294967296", None),
        ("1.2.3.4.5", None),
        ("1..2", None),
        ("1.2.3.", None),
        ("+1.2.3.4", None),
        ("256.1", None),
    ] {
        let wanted = wanted.map_or(Value::Null, Value::Int);
        assert_eq!(eval("INET_ATON", &[text(address)]), wanted, "{address}");
    }
}

#[test]
fn escapes_of_escapes() {
    let decode = |s: &str| eval("URL_DECODE_RECURSIVE", &[text(s)]);
    assert_eq!(decode("a%25252Bb"), "a b".into());
    assert_eq!(decode("%25zz"), "%zz".into());
    assert_eq!(decode("%zz"), Value::Null);
    assert_eq!(eval("URL_DECODE_RECURSIVE", &[text("%252541"), literal(1)]), "%2541".into());
    let wrong = call_expr("URL_DECODE_RECURSIVE", &[text("a"), literal(0)], &[], Span::default(), &context());
    assert!(wrong.is_err());
}
