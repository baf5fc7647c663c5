//! A writer of small MaxMind DBs for tests, by MaxMind's specification of the format (version 2.0).

/// A value of a record.
pub enum Sample {
    Text(&'static str),
    Small(u16),
    Number(u32),
    Large(u64),
    Double(f64),
    Truth(bool),
    List(Vec<Sample>),
    Map(Vec<(&'static str, Sample)>),
}

impl Sample {
    fn head(kind: u8, size: usize, out: &mut Vec<u8>) {
        let size = u8::try_from(size).unwrap();
        assert!(size < 29, "larger sizes are not needed here");
        if kind < 8 {
            out.push(kind << 5 | size);
        } else {
            out.extend([size, kind - 7]);
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Sample::Text(t) => {
                Self::head(2, t.len(), out);
                out.extend(t.as_bytes());
            }
            Sample::Small(n) => {
                Self::head(5, 2, out);
                out.extend(n.to_be_bytes());
            }
            Sample::Large(n) => {
                Self::head(9, 8, out);
                out.extend(n.to_be_bytes());
            }
            Sample::Number(n) => {
                Self::head(6, 4, out);
                out.extend(n.to_be_bytes());
            }
            Sample::Double(d) => {
                Self::head(3, 8, out);
                out.extend(d.to_be_bytes());
            }
            Sample::Truth(t) => Self::head(14, usize::from(*t), out),
            Sample::List(items) => {
                Self::head(11, items.len(), out);
                items.iter().for_each(|i| i.write(out));
            }
            Sample::Map(entries) => {
                Self::head(7, entries.len(), out);
                for (key, value) in entries {
                    Sample::Text(key).write(out);
                    value.write(out);
                }
            }
        }
    }
}

/// A database of networks (IPv6, or IPv4 with its bits counted from 0) and their records.
pub fn database(networks: &[(&str, Sample)]) -> Vec<u8> {
    // Nodes of two records each: 0 nothing, n > 0 node n, n < 0 the record of network -n - 1.
    let mut nodes: Vec<[i64; 2]> = vec![[0, 0]];
    for (i, (network, _)) in networks.iter().enumerate() {
        let (address, bits) = network.split_once('/').unwrap();
        let bits: u32 = bits.parse().unwrap();
        let (address, bits) = match address.parse().unwrap() {
            std::net::IpAddr::V4(a) => (u128::from(a.to_bits()), bits + 96),
            std::net::IpAddr::V6(a) => (a.to_bits(), bits),
        };
        let mut node = 0;
        for bit in 0..bits {
            let side = (address >> (127 - bit) & 1) as usize;
            if bit + 1 == bits {
                nodes[node][side] = -(i as i64) - 1;
            } else if nodes[node][side] > 0 {
                node = nodes[node][side] as usize;
            } else {
                let next = nodes.len();
                // A network within one that was written before has the rest of it beside it.
                let rest = nodes[node][side];
                nodes.push([rest, rest]);
                nodes[node][side] = next as i64;
                node = next;
            }
        }
    }
    let mut data = Vec::new();
    let places: Vec<usize> = networks
        .iter()
        .map(|(_, record)| {
            let place = data.len();
            record.write(&mut data);
            place
        })
        .collect();
    let count = nodes.len();
    let mut out = Vec::new();
    for record in nodes.iter().flatten() {
        let number = match *record {
            0 => count,
            n if n > 0 => n as usize,
            n => count + 16 + places[(-n - 1) as usize],
        };
        out.extend(&(number as u32).to_be_bytes()[1..]);
    }
    out.extend([0; 16]);
    out.extend(data);
    out.extend(b"\xab\xcd\xefMaxMind.com");
    Sample::Map(vec![
        ("node_count", Sample::Number(count as u32)),
        ("record_size", Sample::Small(24)),
        ("ip_version", Sample::Small(6)),
        ("database_type", Sample::Text("Test")),
        ("languages", Sample::List(vec![Sample::Text("en")])),
        ("binary_format_major_version", Sample::Small(2)),
        ("binary_format_minor_version", Sample::Small(0)),
        ("build_epoch", Sample::Large(1_600_000_000)),
        ("description", Sample::Map(vec![("en", Sample::Text("a test"))])),
    ])
    .write(&mut out);
    out
}
