use super::*;
use millstream_types::{DataType, TypeKind as K};

fn decimal(precision: u8, scale: u8) -> K {
    K::Decimal { precision, scale }
}

fn met(a: K, b: K) -> Option<K> {
    common_type(&[a.not_null(), b.not_null()]).map(|t| t.kind)
}

#[test]
fn types_meet_as_in_flink() {
    assert_eq!(met(K::Char(1), K::Char(1)), Some(K::Char(1)));
    assert_eq!(met(K::Char(1), K::Char(3)), Some(K::VarChar(3)));
    assert_eq!(met(K::Char(7), K::STRING), Some(K::STRING));
    assert_eq!(met(K::Int, decimal(2, 1)), Some(decimal(11, 1)));
    assert_eq!(met(K::TinyInt, K::Int), Some(K::Int));
    assert_eq!(met(K::Int, K::Float), Some(K::Float));
    assert_eq!(met(decimal(3, 1), K::Float), Some(K::Double));
    assert_eq!(met(K::Float, K::Double), Some(K::Float));
    assert_eq!(argument_type(&[K::Float.not_null(), K::Double.not_null()]), Some(K::Double.not_null()));
    assert_eq!(met(K::Int, K::Char(1)), None);
    assert_eq!(met(K::Date, K::timestamp(0)), None);
    assert_eq!(met(K::timestamp(0), K::timestamp(3)), Some(K::timestamp(3)));
    assert_eq!(met(decimal(38, 0), decimal(38, 10)), Some(decimal(38, 0)));
    assert_eq!(met(decimal(38, 18), decimal(30, 2)), Some(decimal(38, 10)));
}

#[test]
fn null_makes_nullable() {
    let t = common_type(&[K::Int.not_null(), K::Null.nullable()]);
    assert_eq!(t, Some(DataType::int()));
}

#[test]
fn decimal_digits() {
    let d = |p, s| Digits { precision: p, scale: s };
    assert_eq!(d(38, 10).plus(d(38, 10)), d(38, 9));
    assert_eq!(d(38, 10).times(d(38, 10)), d(38, 6));
    assert_eq!(d(38, 10).over(d(38, 10)), d(38, 6));
    assert_eq!(d(2, 1).over(d(10, 0)), d(13, 12));
    assert_eq!(d(20, 0).over(d(10, 0)), d(31, 11));
    assert_eq!(d(10, 3).modulo(d(5, 1)), d(7, 3));
    assert_eq!(d(4, 3).rounded(2), d(4, 2));
    assert_eq!(d(2, 1).rounded(10), d(2, 1));
}

#[test]
fn sinks_take_implicit_casts_only() {
    let a = |f: K, t: K| assignable(&f.nullable(), &t.nullable());
    assert!(a(K::Int, K::BigInt));
    assert!(!a(K::BigInt, K::Int));
    assert!(a(K::Double, decimal(10, 2)));
    assert!(!a(K::Int, K::STRING));
    assert!(!a(K::STRING, K::Int));
    assert!(a(K::Char(1), K::STRING));
}
