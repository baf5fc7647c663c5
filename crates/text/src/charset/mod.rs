//! Bytes and texts: character sets, hexadecimal, Base64, and the escapes and parts of URLs.

mod base64;
mod codec;
mod gb18030;
mod hex;
mod tables;
mod url;

pub use base64::{decode_base64, push_base64};
pub use codec::{Charset, decode_utf8};
pub use hex::{push_hex, unhex};
pub use tables::DoubleByte;
pub use url::{Url, UrlPart, decode_url, push_url_encoded, query_parameter};

#[cfg(test)]
mod tests;
