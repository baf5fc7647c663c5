//! Deterministic made-up events: the same arguments give the same bytes on every machine.

/// SplitMix64.
#[derive(Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait)] // an endless generator is no iterator that anybody would chain
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut s = self.0;
        s = (s ^ (s >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        s = (s ^ (s >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        s ^ (s >> 31)
    }
}

/// An entry of a list, by a number that is taken modulo its length.
pub fn pick<T: Copy>(list: &[T], number: u64) -> T {
    // The remainder is below the length, and no list here is empty.
    #[allow(clippy::indexing_slicing)]
    list[(number % list.len() as u64) as usize]
}

/// Milliseconds since 2024-05-01 00:00:00 as a SQL timestamp.
pub fn timestamp(ms: i64) -> String {
    let (s, ms) = (ms / 1000, ms % 1000);
    let (d, s) = (s / 86_400, s % 86_400);
    format!("2024-05-{:02} {:02}:{:02}:{:02}.{ms:03}", d + 1, s / 3600, s / 60 % 60, s % 60)
}

/// An IP address, mostly of private networks.
pub fn ip(r: u64) -> String {
    match r & 15 {
        0..=8 => format!("10.{}.{}.{}", (r >> 4) & 31, (r >> 9) & 255, ((r >> 17) & 127) + 1),
        9..=11 => format!("192.168.{}.{}", (r >> 4) & 15, ((r >> 9) & 127) + 1),
        _ => format!(
            "{}.{}.{}.{}",
            ((r >> 4) & 127) + 64,
            (r >> 11) & 255,
            (r >> 19) & 255,
            ((r >> 27) & 127) + 1
        ),
    }
}

/// Event time of the next event: 1 to 5 ms later, one in 64 up to 2 s out of order.
pub fn event_time(ms: &mut i64, a: u64) -> i64 {
    *ms += 1 + (a & 3) as i64 + i64::from(a & 7 == 5);
    let late = if (a >> 3) & 63 == 0 { ((a >> 40) & 2047) as i64 } else { 0 };
    (*ms - late).max(0)
}

/// `null`, or a text in quotes.
pub fn quoted(present: bool, text: &str) -> String {
    if present { format!("\"{text}\"") } else { "null".into() }
}

/// `null`, or a number.
pub fn number(present: bool, n: u32) -> String {
    if present { n.to_string() } else { "null".into() }
}
