//! Writing a tree in Jackson's compact form.

use super::string::escape_into;
use super::tree::{Json, java_number};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// As they were read.
    AsRead,
    /// As `java.math.BigDecimal` prints them: Flink's JSON functions.
    BigDecimal,
}

/// What is left to write.
enum Rest<'a> {
    Items(std::slice::Iter<'a, Json>, bool),
    Fields(Vec<&'a (String, Json)>, bool),
}

impl Json {
    /// Appends the value. `sorted`: fields in the order of their names as Java compares them (UTF-16), which is how
    /// Flink's JSON functions write objects.
    pub fn write_into(&self, out: &mut String, sorted: bool, numbers: Numbers) {
        self.write_with(out, sorted, &mut |text, out| match numbers {
            Numbers::AsRead => out.push_str(text),
            Numbers::BigDecimal => out.push_str(&java_number(text)),
        });
    }

    /// As [`Json::write_into`], with the caller's own form of numbers.
    pub fn write_with(&self, out: &mut String, sorted: bool, number: &mut dyn FnMut(&str, &mut String)) {
        let mut open: Vec<Rest<'_>> = Vec::new();
        let mut value = Some(self);
        loop {
            match value.take() {
                Some(Json::Null) => out.push_str("null"),
                Some(Json::Bool(b)) => out.push_str(if *b { "true" } else { "false" }),
                Some(Json::Number(text)) => number(text, out),
                Some(Json::String(text)) => quote(text, out),
                Some(Json::Array(items)) => {
                    out.push('[');
                    open.push(Rest::Items(items.iter(), true));
                }
                Some(Json::Object(fields)) => {
                    out.push('{');
                    let mut fields: Vec<_> = fields.iter().collect();
                    if sorted {
                        fields.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
                    }
                    fields.reverse();
                    open.push(Rest::Fields(fields, true));
                }
                None => {}
            }
            match open.last_mut() {
                None => return,
                Some(Rest::Items(items, first)) => match items.next() {
                    Some(item) => {
                        if !std::mem::take(first) {
                            out.push(',');
                        }
                        value = Some(item);
                    }
                    None => {
                        out.push(']');
                        open.pop();
                    }
                },
                Some(Rest::Fields(fields, first)) => match fields.pop() {
                    Some((name, field)) => {
                        if !std::mem::take(first) {
                            out.push(',');
                        }
                        quote(name, out);
                        out.push(':');
                        value = Some(field);
                    }
                    None => {
                        out.push('}');
                        open.pop();
                    }
                },
            }
        }
    }
}

impl std::fmt::Display for Json {
    /// The compact form, fields in their order, numbers as they were read.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        self.write_into(&mut out, false, Numbers::AsRead);
        f.write_str(&out)
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    escape_into(text, out);
    out.push('"');
}
