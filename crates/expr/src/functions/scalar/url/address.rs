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
        "The number of an IPv4 address; in short forms such as '127.1' the last number is the last byte, a number alone counts up to 255. NULL for what is no address.",
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
        1 if bytes(&parts) => a,
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

/// IP addresses that IPCONTAINS looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    /// Closed ranges of one family each, in ascending order of their lower ends.
    ranges: Vec<(IpAddr, IpAddr)>,
    /// The highest upper end of each range and those before it.
    highest: Vec<IpAddr>,
}

impl Addresses {
    /// Reads a list of addresses, ranges and networks with commas between them; what is none of these holds no address.
    pub fn read(list: &str) -> Self {
        let mut ranges: Vec<(IpAddr, IpAddr)> = list.split(',').filter_map(range_of).collect();
        ranges.sort_unstable();
        let highest = ranges
            .iter()
            .scan(None, |highest: &mut Option<IpAddr>, (_, high)| {
                *highest = Some(highest.map_or(*high, |h| h.max(*high)));
                *highest
            })
            .collect();
        Addresses { ranges, highest }
    }

    /// The address that a text is, as IPCONTAINS reads it.
    pub fn address(text: &str) -> Option<IpAddr> {
        address_of(text)
    }

    /// The ranges, closed and of one family each.
    pub fn ranges(&self) -> &[(IpAddr, IpAddr)] {
        &self.ranges
    }

    /// Whether one of them is this address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let mut before = self.ranges.partition_point(|(low, _)| *low <= address);
        while let Some(last) = before.checked_sub(1) {
            match (self.ranges.get(last), self.highest.get(last)) {
                (Some((_, high)), _) if *high >= address => return true,
                (_, Some(highest)) if *highest >= address => before = last,
                _ => return false,
            }
        }
        false
    }
}

/// The addresses of one entry: an address, a range, or a network.
fn range_of(entry: &str) -> Option<(IpAddr, IpAddr)> {
    let entry = entry.trim();
    if let Some((low, high)) = entry.split_once('-') {
        let (low, high): (IpAddr, IpAddr) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        return (low.is_ipv4() == high.is_ipv4() && low <= high).then_some((low, high));
    }
    let Some((network, bits)) = entry.split_once('/') else {
        return entry.parse().ok().map(|address| (address, address));
    };
    let bits: u32 = bits.trim().parse().ok()?;
    match network.trim().parse().ok()? {
        IpAddr::V4(network) => {
            // All bits are shifted out for a network of 32 bits.
            let rest = u32::MAX.checked_shr(bits).unwrap_or(0);
            let low = network.to_bits() & !rest;
            (bits <= 32).then(|| (IpAddr::V4(low.into()), IpAddr::V4((low | rest).into())))
        }
        IpAddr::V6(network) => {
            let rest = u128::MAX.checked_shr(bits).unwrap_or(0);
            let low = network.to_bits() & !rest;
            (bits <= 128).then(|| (IpAddr::V6(low.into()), IpAddr::V6((low | rest).into())))
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
    let known = call.literal_text(1).map(Addresses::read);
    let kernel = simple("IPCONTAINS", move |arguments, _| {
        let (addresses, lists) = (arguments.strings(0)?, arguments.strings(1)?);
        let mut last: Option<(&str, Addresses)> = None;
        booleans::build(arguments.rows(), |row| {
            let (Some(address), Some(list)) = (addresses.get(row), lists.get(row)) else { return Ok(None) };
            let Some(address) = Addresses::address(address) else { return Ok(Some(false)) };
            if let Some(known) = &known {
                return Ok(Some(known.contains(address)));
            }
            if last.as_ref().is_none_or(|(text, _)| *text != list) {
                last = Some((list, Addresses::read(list)));
            }
            Ok(last.as_ref().map(|(_, addresses)| addresses.contains(address)))
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Boolean), args, kernel))
}
