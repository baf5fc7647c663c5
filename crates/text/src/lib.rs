//! Values as text, once for expressions and formats: numbers, dates and zones, LIKE, Java's regular expressions, JSON. Everything here
//! works on `&str`, `&[u8]` and single values; it must never know columns, SQL or connectors.

pub mod charset;
pub mod grok;
pub mod json;
pub mod like;
pub mod number;
pub mod printf;
pub mod regex;
pub mod temporal;
