use std::net::{IpAddr, Ipv4Addr};

use millstream_types::{Random, SeededRandom};

use super::Regions;
use super::samples::{Sample, database};

fn table(text: &str) -> Regions {
    Regions::read("t.csv", text.as_bytes().to_vec()).unwrap()
}

fn get(regions: &Regions, address: &str, field: &str) -> Option<String> {
    let mut out = String::new();
    let found = regions.push(address.parse().unwrap(), &regions.field(field).unwrap(), &mut out).unwrap();
    found.then_some(out)
}

fn refused(path: &str, content: &[u8]) -> String {
    let fault = Regions::read(path, content.to_vec()).unwrap_err();
    assert_eq!(fault.place(), Some(path));
    format!("{} {}", fault.message(), fault.remedy().unwrap_or_default())
}

#[test]
fn networks_and_ranges_of_both_kinds() {
    let regions = table(
        "# a comment\nnetwork,Country,city\n10.0.0.0/8,AA,\n10.1.0.0/16,AB,\"a, \"\"b\"\"\"\n\n10.1.2.3,AC,c\n\
         192.0.2.10-192.0.2.20,AD,d\n2001:db8::/32,AE,e\n2001:db8:1::-2001:db8:1::ff,AF,f\n0.0.0.0/0,ZZ,\n",
    );
    for (address, country, city) in [
        ("10.255.0.1", Some("AA"), None),
        ("10.1.2.2", Some("AB"), Some("a, \"b\"")),
        ("10.1.2.3", Some("AC"), Some("c")),
        ("10.1.2.4", Some("AB"), Some("a, \"b\"")),
        ("192.0.2.9", Some("ZZ"), None),
        ("192.0.2.10", Some("AD"), Some("d")),
        ("192.0.2.20", Some("AD"), Some("d")),
        ("192.0.2.21", Some("ZZ"), None),
        ("255.255.255.255", Some("ZZ"), None),
        ("0.0.0.0", Some("ZZ"), None),
        ("2001:db8::1", Some("AE"), Some("e")),
        ("2001:db8:1::7", Some("AF"), Some("f")),
        ("2001:db9::", None, None),
        ("::ffff:10.1.2.3", Some("AC"), Some("c")),
    ] {
        assert_eq!(get(&regions, address, "country").as_deref(), country, "{address}");
        assert_eq!(get(&regions, address, "CITY").as_deref(), city, "{address}");
    }
}

#[test]
fn two_addresses_numbers_and_the_text_of_ip2region() {
    let two = table("first;last;isp\n1.0.0.0;1.0.0.255;x\n::;::1;y\r\n");
    assert_eq!(get(&two, "1.0.0.200", "isp").as_deref(), Some("x"));
    assert_eq!(get(&two, "::1", "isp").as_deref(), Some("y"));
    let numbers = table(
        "\"16777216\",\"16777471\",\"AU\",\"Australia\"\n\"281470698520576\",\"281470698520831\",\"B\",\"b\"\n",
    );
    assert_eq!(get(&numbers, "1.0.0.7", "2").as_deref(), Some("Australia"));
    let merged = table("1.0.1.0|1.0.3.255|C|0|P|Q|I\n");
    assert_eq!(get(&merged, "1.0.2.9", "province").as_deref(), Some("P"));
    assert_eq!(get(&merged, "1.0.2.9", "isp").as_deref(), Some("I"));
    assert_eq!(get(&merged, "1.0.2.9", "region"), None);
}

#[test]
fn overlapping_ranges_against_a_loop() {
    let random = SeededRandom::new(3);
    for _ in 0..50 {
        let ranges: Vec<(u32, u32)> = (0..30)
            .map(|_| {
                let first = (random.next_u64() % 200) as u32;
                (first, first + (random.next_u64() % 40) as u32)
            })
            .collect();
        let mut text = String::from("first,last,n\n");
        for (i, (first, last)) in ranges.iter().enumerate() {
            text.push_str(&format!("{},{},{i}\n", Ipv4Addr::from(*first), Ipv4Addr::from(*last)));
        }
        let regions = table(&text);
        for address in 0..250u32 {
            // The smallest; of equal ones the last.
            let best = (0..ranges.len())
                .filter(|i| (ranges[*i].0..=ranges[*i].1).contains(&address))
                .min_by_key(|i| (ranges[*i].1 - ranges[*i].0, ranges.len() - i));
            let got = get(&regions, &Ipv4Addr::from(address).to_string(), "n");
            assert_eq!(got, best.map(|i| i.to_string()), "{address} in {text}");
        }
    }
}

#[test]
fn damaged_texts_are_refused_with_their_line() {
    assert!(refused("t.csv", b"").contains("no lines"));
    assert!(refused("t.csv", b"network,a\n").contains("no line of addresses"));
    assert!(refused("t.csv", b"one column\n").contains("only one column"));
    assert!(refused("t.csv", b"a,b\nc,d\n").contains("line 2: 'c,d' does not begin with an address"));
    assert!(refused("t.csv", b"a,b\n10.0.0.0/8,d\n10.0.0.0/33,d\n").contains("line 3: '10.0.0.0/33'"));
    assert!(
        refused("t.csv", b"a,b,c\n1.0.0.9,1.0.0.1,x\n").contains("line 2: the range ends (1.0.0.1) before")
    );
    assert!(refused("t.csv", b"a,b,c\n1.0.0.9,1.0.0.9,x\n1.0.0.9,::1,x\n").contains("not of one kind"));
    assert!(refused("t.csv", b"\xff\xfe").contains("neither a MaxMind DB nor a text"));
    let fault = table("network,country\n10.0.0.0/8,A\n").field("contry").unwrap_err();
    assert!(fault.to_string().contains("'t.csv' has no column 'contry'"), "{fault}");
    assert_eq!(fault.remedy(), Some("did you mean 'country'?"));
}

fn cities() -> Vec<u8> {
    let named = |name| {
        Sample::Map(vec![("names", Sample::Map(vec![("de", Sample::Text("x")), ("en", Sample::Text(name))]))])
    };
    database(&[
        (
            "81.2.0.0/16",
            Sample::Map(vec![
                ("city", named("London")),
                ("country", Sample::Map(vec![("iso_code", Sample::Text("GB"))])),
                ("subdivisions", Sample::List(vec![named("England")])),
                (
                    "location",
                    Sample::Map(vec![("latitude", Sample::Double(51.5)), ("ok", Sample::Truth(true))]),
                ),
                ("asn", Sample::Number(64_500)),
            ]),
        ),
        ("81.2.69.0/24", Sample::Map(vec![("city", named("Ely"))])),
        ("2001:db8::/32", Sample::Map(vec![("country", Sample::Text("ZZ"))])),
    ])
}

#[test]
fn a_maxmind_db() {
    // By its content, whatever its name.
    let regions = Regions::read("cities", cities()).unwrap();
    for (address, field, wanted) in [
        ("81.2.0.1", "city", Some("London")),
        ("81.2.0.1", "city.names.de", Some("x")),
        ("81.2.0.1", "country.iso_code", Some("GB")),
        ("81.2.0.1", "country", Some(r#"{"iso_code":"GB"}"#)),
        ("81.2.0.1", "subdivisions.0", Some("England")),
        ("81.2.0.1", "province", Some("England")),
        ("81.2.0.1", "location.latitude", Some("51.5")),
        ("81.2.0.1", "location.ok", Some("true")),
        ("81.2.0.1", "asn", Some("64500")),
        ("81.2.0.1", "asn.x", None),
        ("81.2.0.1", "nothing", None),
        ("81.2.69.255", "city", Some("Ely")),
        ("81.2.69.255", "asn", None),
        ("::ffff:81.2.69.255", "city", Some("Ely")),
        ("81.3.0.0", "city", None),
        ("2001:db8::9", "country", Some("ZZ")),
        ("2001:db9::9", "country", None),
    ] {
        assert_eq!(get(&regions, address, field).as_deref(), wanted, "{address} {field}");
    }
}

#[test]
fn a_damaged_database_is_refused_and_never_panics() {
    let whole = cities();
    assert!(refused("x.mmdb", b"network,country\n").contains("damaged"));
    assert!(refused("x.mmdb", &whole[200..]).contains("damaged"));
    let random = SeededRandom::new(9);
    for _ in 0..2_000 {
        let mut content = whole.clone();
        for _ in 0..1 + random.next_u64() % 4 {
            let at = (random.next_u64() % content.len() as u64) as usize;
            content[at] = random.next_u64() as u8;
        }
        let Ok(regions) = Regions::read("x.mmdb", content) else { continue };
        for address in ["81.2.69.7", "2001:db8::9"] {
            let address: IpAddr = address.parse().unwrap();
            for field in ["city", "subdivisions.0", "location"] {
                let _ = regions.push(address, &regions.field(field).unwrap(), &mut String::new());
            }
        }
    }
}
