//! Escapes of URLs, and their parts as `java.net.URL` finds them, which is what PARSE_URL gives.

use millstream_types::Fault;

use super::codec::decode_utf8;

/// Appends a text as `java.net.URLEncoder` escapes it: letters, digits and `.-*_` stay, a space is `+`, other bytes
/// of its UTF-8 are `%XX`.
pub fn push_url_encoded(out: &mut String, text: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for b in text.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(char::from(b)),
            b' ' => out.push('+'),
            _ => {
                out.push('%');
                for nibble in [b >> 4, b & 15] {
                    out.push(DIGITS.get(usize::from(nibble)).map_or('0', |d| char::from(*d)));
                }
            }
        }
    }
}

/// The text that `java.net.URLDecoder` makes of an escaped one; `None` for an escape that is none.
pub fn decode_url(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['%', '+']) {
        out.push_str(rest.get(..at)?);
        rest = rest.get(at..)?;
        if let Some(behind) = rest.strip_prefix('+') {
            out.push(' ');
            rest = behind;
            continue;
        }
        // Escapes in a row are decoded together.
        let mut bytes = Vec::new();
        while let Some(behind) = rest.strip_prefix('%') {
            let digits = behind.get(..2)?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = behind.get(2..)?;
        }
        decode_utf8(&bytes, &mut out);
    }
    out.push_str(rest);
    Some(out)
}

/// The parts that PARSE_URL names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are PARSE_URL's
pub enum UrlPart {
    Protocol,
    Host,
    Path,
    Query,
    Ref,
    Authority,
    UserInfo,
    File,
}

impl UrlPart {
    /// The part of a name, in upper case only.
    pub fn of(name: &str) -> Option<UrlPart> {
        Some(match name {
            "PROTOCOL" => UrlPart::Protocol,
            "HOST" => UrlPart::Host,
            "PATH" => UrlPart::Path,
            "QUERY" => UrlPart::Query,
            "REF" => UrlPart::Ref,
            "AUTHORITY" => UrlPart::Authority,
            "USERINFO" => UrlPart::UserInfo,
            "FILE" => UrlPart::File,
            _ => return None,
        })
    }
}

/// A URL taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url<'a> {
    protocol: String,
    authority: Option<&'a str>,
    user_info: Option<&'a str>,
    host: &'a str,
    path: String,
    query: Option<&'a str>,
    reference: Option<&'a str>,
}

impl<'a> Url<'a> {
    /// Takes a URL apart; `None` when `java.net.URL` refuses it: no protocol or an unknown one, a bad port or IPv6
    /// address.
    ///
    /// # Errors
    /// NotYet for the protocols `jar`, `jmod`, `jrt` and `mailto`.
    pub fn parse(text: &'a str) -> Result<Option<Url<'a>>, Fault> {
        let text = text.trim_matches(|c: char| c <= ' ');
        let text = match text.get(..4) {
            Some(start) if start.eq_ignore_ascii_case("url:") => text.get(4..).unwrap_or(""),
            _ => text,
        };
        let Some((protocol, rest)) = text.split_once(':').filter(|(p, _)| !p.contains('/')) else {
            return Ok(None);
        };
        let protocol = protocol.to_ascii_lowercase();
        match protocol.as_str() {
            "http" | "https" | "ftp" | "file" => Ok(Self::parts(protocol, rest)),
            "jar" | "jmod" | "jrt" | "mailto" => {
                Err(Fault::not_yet(format!("PARSE_URL of a URL with the protocol '{protocol}'")))
            }
            _ => Ok(None),
        }
    }

    fn parts(protocol: String, text: &'a str) -> Option<Url<'a>> {
        let (text, reference) = split(text, '#');
        let (mut rest, query) = split(text, '?');
        let mut url = Url {
            protocol,
            authority: None,
            user_info: None,
            host: "",
            path: String::new(),
            query,
            reference,
        };
        if !rest.starts_with("////")
            && let Some(behind) = rest.strip_prefix("//")
        {
            let end = behind.find('/').unwrap_or(behind.len());
            let (authority, path) = behind.split_at_checked(end)?;
            rest = path;
            url.authority = Some(authority);
            let host = match authority.split_once('@') {
                None => Some(authority),
                // Two of them: not a host at all.
                Some((_, host)) if host.contains('@') => None,
                Some((user, host)) => {
                    url.user_info = Some(user);
                    Some(host)
                }
            };
            url.host = host.map_or(Some(""), host_without_port)?;
        }
        let relative = !rest.is_empty() && !rest.starts_with('/') && url.authority.is_some();
        url.path = if relative { format!("/{rest}") } else { rest.to_string() };
        Some(url)
    }

    /// One of its parts; `None` where it has none.
    pub fn part(&self, part: UrlPart) -> Option<String> {
        match part {
            UrlPart::Protocol => Some(self.protocol.clone()),
            UrlPart::Host => Some(self.host.to_string()),
            UrlPart::Path => Some(self.path.clone()),
            UrlPart::Query => self.query.map(str::to_string),
            UrlPart::Ref => self.reference.map(str::to_string),
            UrlPart::Authority => self.authority.map(str::to_string),
            UrlPart::UserInfo => self.user_info.map(str::to_string),
            UrlPart::File => Some(match self.query {
                Some(query) => format!("{}?{query}", self.path),
                None => self.path.clone(),
            }),
        }
    }

    /// Its query.
    pub fn query(&self) -> Option<&'a str> {
        self.query
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

/// The host of `host:port`; `None` when one of them is wrong.
fn host_without_port(text: &str) -> Option<&str> {
    let (host, port) = if text.starts_with('[') {
        let end = text.find(']')?;
        text.get(1..end)?.split('%').next()?.parse::<std::net::Ipv6Addr>().ok()?;
        let (host, behind) = text.split_at_checked(end + 1)?;
        (host, if behind.is_empty() { "" } else { behind.strip_prefix(':')? })
    } else {
        text.split_once(':').unwrap_or((text, ""))
    };
    // -1 means none.
    let fine = port.is_empty() || port.parse::<i32>().is_ok_and(|p| p >= -1);
    fine.then_some(host)
}

/// The value of a query's first parameter of a name, not decoded: PARSE_URL(url, 'QUERY', name).
pub fn query_parameter<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query.split('&').find_map(|p| p.strip_prefix(name)?.strip_prefix('='))
}
