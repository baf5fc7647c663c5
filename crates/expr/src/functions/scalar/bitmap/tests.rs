use super::Bitmap;

/// Integers in a few shapes: sparse, dense, at the borders of containers.
fn samples() -> Vec<Bitmap> {
    vec![
        Bitmap::default(),
        Bitmap::of([1, 2, 3]),
        Bitmap::of([-1, i32::MIN, 0, 65535, 65536]),
        Bitmap::of((0..5000).map(|i| i * 3)),
        Bitmap::of(0..4096),
        Bitmap::of(0..4097),
        Bitmap::of((0..200_000).filter(|i| i % 7 != 0)),
    ]
}

#[test]
fn the_portable_form_comes_back() {
    for b in samples() {
        assert_eq!(Bitmap::from_bytes(&b.to_bytes()).unwrap(), b);
    }
}

#[test]
fn sets_against_the_definition() {
    for a in samples() {
        for b in samples() {
            let (x, y) = (
                a.iter().collect::<std::collections::BTreeSet<_>>(),
                b.iter().collect::<std::collections::BTreeSet<_>>(),
            );
            assert_eq!(a.and(&b), Bitmap::of(x.intersection(&y).copied()));
            assert_eq!(a.or(&b), Bitmap::of(x.union(&y).copied()));
            assert_eq!(a.xor(&b), Bitmap::of(x.symmetric_difference(&y).copied()));
            assert_eq!(a.and_not(&b), Bitmap::of(x.difference(&y).copied()));
        }
    }
}

#[test]
fn runs_are_read() {
    // One container of one run, 10 to 14.
    let bytes = [0x3B, 0x30, 0, 0, 1, 0, 0, 4, 0, 1, 0, 10, 0, 4, 0];
    assert_eq!(Bitmap::from_bytes(&bytes).unwrap(), Bitmap::of(10..15));
}

#[test]
fn broken_bytes_are_refused() {
    let whole = Bitmap::of([1, 70_000, -5]).to_bytes();
    for end in 0..whole.len() {
        assert!(Bitmap::from_bytes(&whole[..end]).is_err(), "{end}");
    }
    assert!(Bitmap::from_bytes(&[0xFF; 64]).is_err());
    assert!(Bitmap::from_bytes(&[0x3A, 0x30, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]).is_err());
}
