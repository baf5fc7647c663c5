//! Literals.

use millstream_types::{Fault, Span};

use crate::ast::{ExprKind, IntervalExpr, IntervalLiteral, Literal, Text};
use crate::lexer::{Kind, Token};
use crate::parser::fault::parse_fault_at;
use crate::parser::{Parse, Parser};

impl Parser<'_> {
    pub(crate) fn number(&mut self) -> ExprKind {
        let token = self.advance();
        let text = self.source(token).to_string();
        ExprKind::Literal(match token.kind {
            Kind::Integer => Literal::Integer(text),
            Kind::Double => Literal::Double(text),
            _ => Literal::Decimal(text),
        })
    }

    /// A string with its prefix, and the strings on the following lines that continue it.
    pub(super) fn string_literal(&mut self) -> Parse<Literal> {
        let first = self.advance();
        if first.kind == Kind::EscapedText {
            let value = c_style(&self.unquoted(first)).ok_or_else(|| {
                parse_fault_at(first.span(), "a Unicode escape of this string is malformed")
                    .hint("write \\u and four hexadecimal digits, or \\U and eight")
            })?;
            return Ok(Literal::String { value, charset: None });
        }
        let mut pieces = vec![self.unquoted(first)];
        let mut last = first;
        while self.is(Kind::Text) {
            let next = self.token(0);
            let gap = self.text.get(last.end as usize..next.start as usize).unwrap_or("");
            if !gap.contains('\n') {
                return Err(Fault::user("string-continuation", "two strings stand side by side on one line")
                    .at(next.span())
                    .hint("join them with ||, or double the quote inside a string: ''"));
            }
            self.advance();
            pieces.push(self.unquoted(next));
            last = next;
        }
        match first.kind {
            Kind::BinaryText => binary(&pieces.concat(), first.span()).map(Literal::Binary),
            Kind::UnicodeText => {
                let escape = self.unicode_escape()?;
                let span = Span { start: first.start, end: last.end };
                let value = unescape(&pieces.concat(), escape).ok_or_else(|| {
                    parse_fault_at(span, "a Unicode escape of this string is malformed")
                        .hint(format!("write {escape}XXXX or {escape}+XXXXXX with hexadecimal digits, {escape}{escape} for itself"))
                })?;
                Ok(Literal::String { value, charset: None })
            }
            _ => Ok(Literal::String { value: pieces.concat(), charset: self.charset(first) }),
        }
    }

    fn charset(&self, token: Token) -> Option<String> {
        match token.kind {
            Kind::CharsetText => {
                let (prefix, _) = self.source(token).split_once('\'')?;
                Some(prefix.trim_start_matches('_').to_uppercase())
            }
            Kind::NationalText => Some("ISO-8859-1".to_string()),
            _ => None,
        }
    }

    /// `UESCAPE 'c'`, or the backslash.
    fn unicode_escape(&mut self) -> Parse<char> {
        if !self.eat_word("UESCAPE") {
            return Ok('\\');
        }
        let text = self.text("the escape character as a string")?;
        let mut chars = text.value.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None)
                if !c.is_ascii_hexdigit() && !matches!(c, '+' | '"' | '\'') && !c.is_whitespace() =>
            {
                Ok(c)
            }
            _ => Err(parse_fault_at(
                text.span,
                "UESCAPE wants one character that is no digit, letter A to F, sign or blank",
            )),
        }
    }

    /// `DATE '…'`, `TIME '…'`, `TIMESTAMP '…'`, `TIMESTAMP WITH LOCAL TIME ZONE '…'`.
    pub(super) fn time_literal(&mut self) -> Parse<ExprKind> {
        let word = self.word().to_ascii_uppercase();
        self.advance();
        let local = self.eat_words(&["WITH", "LOCAL"]);
        if local {
            self.expect_words(&["TIME", "ZONE"])?;
        }
        let text = self.text("a string")?.value;
        Ok(ExprKind::Literal(match word.as_str() {
            "DATE" => Literal::Date(text),
            "TIME" => Literal::Time(text),
            _ if local => Literal::TimestampLtz(text),
            _ => Literal::Timestamp(text),
        }))
    }

    /// `INTERVAL [-] '1-2' YEAR TO MONTH`, or `INTERVAL expr unit`.
    pub(super) fn interval(&mut self) -> Parse<ExprKind> {
        self.advance();
        let negative = self.eat(Kind::Minus);
        if !negative {
            self.eat(Kind::Plus);
        }
        if self.is(Kind::Text) {
            let text = self.text("a string")?;
            let qualifier = self.interval_qualifier()?;
            let literal = IntervalLiteral { negative, text, qualifier };
            return Ok(ExprKind::Literal(Literal::Interval(Box::new(literal))));
        }
        let start = self.here().start;
        let kind = match self.kind() {
            Kind::LeftParen => {
                self.advance();
                let inner = self.expr()?;
                self.close()?;
                inner.kind
            }
            Kind::Integer | Kind::Decimal | Kind::Double => self.number(),
            _ if self.at_ident() => ExprKind::Column(self.path("a column")?),
            _ => {
                return Err(self.wanted("the interval's length as a string", "write INTERVAL '1' DAY"));
            }
        };
        let expr = crate::ast::Expr { kind, span: self.since(start) };
        let qualifier = self.interval_qualifier()?;
        Ok(ExprKind::Interval(Box::new(IntervalExpr { negative, expr, qualifier })))
    }

    /// `INTERVAL '…' …` where only a literal can stand.
    pub(crate) fn interval_literal(&mut self) -> Parse<IntervalLiteral> {
        self.expect_word("INTERVAL")?;
        let negative = self.eat(Kind::Minus);
        if !negative {
            self.eat(Kind::Plus);
        }
        let text: Text = self.text("the interval's length as a string")?;
        let qualifier = self.interval_qualifier()?;
        Ok(IntervalLiteral { negative, text, qualifier })
    }
}

/// The bytes of hexadecimal digits.
fn binary(digits: &str, at: Span) -> Parse<Vec<u8>> {
    let fault = || parse_fault_at(at, "a binary string holds an even number of hexadecimal digits");
    let digits = digits.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return Err(fault());
    }
    digits
        .chunks(2)
        .map(|pair| {
            let text = std::str::from_utf8(pair).map_err(|_| fault())?;
            if !pair.iter().all(u8::is_ascii_hexdigit) {
                return Err(fault());
            }
            u8::from_str_radix(text, 16).map_err(|_| fault())
        })
        .collect()
}

/// Undoes `\XXXX`, `\+XXXXXX` and `\\`. UTF-16 surrogates may stand in pairs.
fn unescape(text: &str, escape: char) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut units: Vec<u16> = Vec::new();
    let mut chars = text.chars();
    let flush = |units: &mut Vec<u16>, out: &mut String| -> Option<()> {
        out.push_str(&String::from_utf16(units).ok()?);
        units.clear();
        Some(())
    };
    while let Some(c) = chars.next() {
        if c != escape {
            flush(&mut units, &mut out)?;
            out.push(c);
            continue;
        }
        let rest = chars.as_str();
        if let Some(tail) = rest.strip_prefix(escape) {
            flush(&mut units, &mut out)?;
            out.push(escape);
            chars = tail.chars();
        } else if let Some(tail) = rest.strip_prefix('+') {
            flush(&mut units, &mut out)?;
            out.push(char::from_u32(hex(tail.get(..6)?)?)?);
            chars = tail.get(6..)?.chars();
        } else {
            units.push(hex(rest.get(..4)?)? as u16);
            chars = rest.get(4..)?.chars();
        }
    }
    flush(&mut units, &mut out)?;
    Some(out)
}

/// Undoes the escapes of C as Flink's parser does: `\n` and its kin, `\xH` and `\xHH`, octal numbers that begin with 0 to 3, `\uXXXX`,
/// `\UXXXXXXXX`. Before any other character a backslash stands for itself.
fn c_style(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..)?;
        let escaped = if c == '\\' { behind.chars().next() } else { None };
        if let Some('u') = escaped {
            units.push(u16::try_from(hex(behind.get(1..5)?)?).ok()?);
            rest = behind.get(5..)?;
            continue;
        }
        out.push_str(&String::from_utf16(&units).ok()?);
        units.clear();
        // How many of the characters behind the backslash are taken, and what they stand for.
        let (taken, meaning) = match escaped {
            Some('b') => (1, '\u{8}'),
            Some('f') => (1, '\u{c}'),
            Some('n') => (1, '\n'),
            Some('r') => (1, '\r'),
            Some('t') => (1, '\t'),
            Some(same @ ('\\' | '\'')) => (1, same),
            Some('U') => (9, char::from_u32(hex(behind.get(1..9)?)?)?),
            Some('x') => match leading(behind.get(1..)?, 2, 16) {
                (0, _) => (1, 'x'),
                (digits, number) => (1 + digits, char::from_u32(number)?),
            },
            Some('0'..='3') => {
                let (digits, number) = leading(behind, 3, 8);
                (digits, char::from_u32(number)?)
            }
            _ => (0, c),
        };
        out.push(meaning);
        rest = behind.get(taken..)?;
    }
    out.push_str(&String::from_utf16(&units).ok()?);
    Some(out)
}

/// How many digits a text begins with, at most `most`, and their number.
fn leading(text: &str, most: usize, base: u32) -> (usize, u32) {
    let digits = text.chars().map_while(|c| c.to_digit(base)).take(most);
    digits.fold((0, 0), |(count, number), digit| (count + 1, number * base + digit))
}

fn hex(digits: &str) -> Option<u32> {
    if digits.bytes().all(|b| b.is_ascii_hexdigit()) { u32::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::c_style;

    #[test]
    fn escapes_of_c() {
        for (text, meaning) in [
            (r"a\\nb\tc\'d\101\x41\u00e9\U0001F600\q", "a\\nb\tc'dAAé😀\\q"),
            (r"\b\f\r\v\a", "\u{8}\u{c}\r\\v\\a"),
            (r"\x4", "\u{4}"),
            (r"\xzz", "xzz"),
            (r"\777\18\400\4\0", "\\777\u{1}8\\400\\4\0"),
            (r"\uD83D\uDE00\u0001x", "😀\u{1}x"),
            ("é", "é"),
            ("\\", "\\"),
        ] {
            assert_eq!(c_style(text).as_deref(), Some(meaning), "{text}");
        }
        for text in [r"\u12", r"\U0001F60", r"\U00110000", r"\uD83D", r"\u+123"] {
            assert_eq!(c_style(text), None, "{text}");
        }
    }
}
