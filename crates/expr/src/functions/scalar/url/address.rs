//! IPv4 addresses as numbers.

use std::net::IpAddr;

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

/// Whether an address is in one entry of a list: an address, a range, or a network.
fn within(address: IpAddr, entry: &str) -> bool {
    let entry = entry.trim();
    if let Some((low, high)) = entry.split_once('-') {
        let (Ok(low), Ok(high)) = (low.trim().parse::<IpAddr>(), high.trim().parse::<IpAddr>()) else {
            return false;
        };
        return low.is_ipv4() == address.is_ipv4()
            && high.is_ipv4() == address.is_ipv4()
            && (low..=high).contains(&address);
    }
    let Some((network, bits)) = entry.split_once('/') else {
        return entry.parse::<IpAddr>().is_ok_and(|e| e == address);
    };
    let Ok(bits) = bits.trim().parse::<u32>() else { return false };
    match (network.trim().parse(), address) {
        (Ok(IpAddr::V4(n)), IpAddr::V4(a)) if bits <= 32 => {
            // All bits are shifted out for a network of 0 bits.
            (n.to_bits() ^ a.to_bits()).checked_shr(32 - bits).unwrap_or(0) == 0
        }
        (Ok(IpAddr::V6(n)), IpAddr::V6(a)) if bits <= 128 => {
            (n.to_bits() ^ a.to_bits()).checked_shr(128 - bits).unwrap_or(0) == 0
        }
        _ => false,
    }
}

fn contains(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "IPCONTAINS(<CHARACTER>, <CHARACTER>)", 2, &[Arg::Text; 2])?;
    let kernel = simple("IPCONTAINS", |arguments, _| {
        let (addresses, lists) = (arguments.strings(0)?, arguments.strings(1)?);
        booleans::build(arguments.rows(), |row| {
            let (Some(address), Some(list)) = (addresses.get(row), lists.get(row)) else { return Ok(None) };
            let Ok(address) = address.trim().parse::<IpAddr>() else { return Ok(Some(false)) };
            Ok(Some(list.split(',').any(|entry| within(address, entry))))
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Boolean), args, kernel))
}
