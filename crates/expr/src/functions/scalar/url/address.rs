//! IPv4 addresses as numbers.

use std::net::{IpAddr, Ipv4Addr};

use arrow::datatypes::Int64Type;
use millstream_types::{DataType, Fault, TypeKind};

use crate::functions::scalar::string::{Arg, arguments, of_kind};
use crate::kernel::{booleans, numbers, simple, strings};
use crate::{BoundCall, Call, Example, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "INET_ATON",
        "INET_ATON(address STRING) -> BIGINT",
        "The number of an IPv4 address; in short forms such as '127.1' the last number is the last byte, a number alone is the address. NULL for what is no address.",
        &[Example::new("INET_ATON('127.0.0.1')", "2130706433")],
        to_number,
    )
    .aliases(&["IP2LONG"]),
    Function::new(
        "INET_NTOA",
        "INET_NTOA(number BIGINT) -> STRING",
        "The IPv4 address of a number. NULL for a number below 0 or above 4294967295.",
        &[Example::new("INET_NTOA(2130706433)", "127.0.0.1")],
        to_text,
    ),
    Function::new(
        "IPCONTAINS",
        "IPCONTAINS(address STRING, addresses STRING) -> BOOLEAN",
        "Whether an IP address is another one, in a range such as '10.0.0.1-10.0.0.9', or in a network such as '10.0.0.0/8'; several are separated by commas. FALSE for what is no address.",
        &[
            Example::new("IPCONTAINS('10.1.2.3', '10.0.0.0/8')", "TRUE"),
            Example::new("IPCONTAINS('10.1.2.3', '10.1.2.4-10.1.2.9')", "FALSE"),
        ],
        contains,
    )
    .origin(Origin::Ancestor),
];

/// Flink's (and MySQL's) reading: numbers are decimal, the parts in the middle may be missing.
fn number_of(address: &str) -> Option<i64> {
    let mut parts = [0u32; 4];
    let mut count = 0;
    for part in address.split('.') {
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *parts.get_mut(count)? = part
            .trim_start_matches('0')
            .parse()
            .or_else(|e| {
                // Zeros alone.
                if part.bytes().all(|b| b == b'0') { Ok(0) } else { Err(e) }
            })
            .ok()?;
        count += 1;
    }
    let bytes = |parts: &[u32]| parts.iter().all(|p| *p < 256);
    let [a, b, c, d] = parts;
    let address = match count {
        1 => a,
        2 if bytes(&parts) => a << 24 | b,
        3 if bytes(&parts) => a << 24 | b << 16 | c,
        4 if bytes(&parts) => a << 24 | b << 16 | c << 8 | d,
        _ => return None,
    };
    Some(i64::from(address))
}

fn to_number(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "INET_ATON(<CHARACTER_STRING>)", 1, &[Arg::Text])?;
    let kernel = simple("INET_ATON", |arguments, _| {
        let text = arguments.strings(0)?;
        numbers::build::<Int64Type>(arguments.rows(), |row| Ok(text.get(row).and_then(number_of)))
    });
    Ok(BoundCall::new(DataType::bigint(), args, kernel))
}

fn to_text(call: &Call<'_>) -> Result<BoundCall, Fault> {
    use std::fmt::Write;
    let args = arguments(call, "INET_NTOA(<INTEGER_NUMERIC>)", 1, &[Arg::Integer])?;
    let kernel = simple("INET_NTOA", |arguments, _| {
        let numbers = arguments.numbers::<Int64Type>(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(n) = numbers.get(row).and_then(|n| u32::try_from(n).ok()) else { return Ok(false) };
            let _ = write!(out, "{}", std::net::Ipv4Addr::from(n));
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

/// An entry of a list of addresses.
#[derive(Debug, Clone, Copy)]
enum Entry {
    V4(u32, u32),
    V6(u128, u128),
}

impl Entry {
    /// An address, a range, or a network; `None`: what is none of them, or a range that holds no address.
    fn of(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if let Some((low, high)) = entry.split_once('-') {
            return match (low.trim().parse().ok()?, high.trim().parse().ok()?) {
                (IpAddr::V4(low), IpAddr::V4(high)) => Some(Entry::V4(low.to_bits(), high.to_bits())),
                (IpAddr::V6(low), IpAddr::V6(high)) => Some(Entry::V6(low.to_bits(), high.to_bits())),
                _ => None,
            };
        }
        let (network, bits) = match entry.split_once('/') {
            Some((network, bits)) => (network.trim(), Some(bits.trim().parse::<u32>().ok()?)),
            None => (entry, None),
        };
        match network.parse().ok()? {
            IpAddr::V4(n) => {
                let bits = bits.unwrap_or(32);
                let host = u32::MAX.checked_shr(bits).unwrap_or(0);
                (bits <= 32).then_some(Entry::V4(n.to_bits() & !host, n.to_bits() | host))
            }
            IpAddr::V6(n) => {
                let bits = bits.unwrap_or(128);
                let host = u128::MAX.checked_shr(bits).unwrap_or(0);
                (bits <= 128).then_some(Entry::V6(n.to_bits() & !host, n.to_bits() | host))
            }
        }
    }

    fn holds(self, address: IpAddr) -> bool {
        match (self, address) {
            (Entry::V4(low, high), IpAddr::V4(a)) => (low..=high).contains(&a.to_bits()),
            (Entry::V6(low, high), IpAddr::V6(a)) => (low..=high).contains(&a.to_bits()),
            _ => false,
        }
    }
}

/// The address that a text is, spaces around it left out.
pub(super) fn address_of(text: &str) -> Option<IpAddr> {
    plain_v4(text.as_bytes()).map(IpAddr::V4).or_else(|| text.trim().parse().ok())
}

/// The usual case in one pass: four numbers without leading zeros.
fn plain_v4(text: &[u8]) -> Option<Ipv4Addr> {
    let (mut bits, mut part, mut digits, mut dots) = (0u32, 0u32, 0u32, 0u32);
    for b in text {
        match b {
            b'0'..=b'9' if digits < 3 && (digits == 0 || part > 0) => {
                part = part * 10 + u32::from(b - b'0');
                digits += 1;
            }
            b'.' if digits > 0 && part < 256 && dots < 3 => {
                (bits, part, digits, dots) = (bits << 8 | part, 0, 0, dots + 1);
            }
            _ => return None,
        }
    }
    (dots == 3 && digits > 0 && part < 256).then(|| Ipv4Addr::from_bits(bits << 8 | part))
}

fn contains(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "IPCONTAINS(<CHARACTER>, <CHARACTER>)", 2, &[Arg::Text; 2])?;
    let constant: Option<Vec<Entry>> =
        call.literal_text(1).map(|list| list.split(',').filter_map(Entry::of).collect());
    let kernel = simple("IPCONTAINS", move |arguments, _| {
        let (addresses, lists) = (arguments.strings(0)?, arguments.strings(1)?);
        booleans::build(arguments.rows(), |row| {
            let (Some(address), Some(list)) = (addresses.get(row), lists.get(row)) else { return Ok(None) };
            let Some(address) = address_of(address) else { return Ok(Some(false)) };
            Ok(Some(match &constant {
                Some(entries) => entries.iter().any(|e| e.holds(address)),
                None => list.split(',').filter_map(Entry::of).any(|e| e.holds(address)),
            }))
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Boolean), args, kernel))
}
