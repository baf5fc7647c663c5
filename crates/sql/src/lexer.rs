//! Text → tokens with byte places.
//!
//! Flink's tokens (its parser's "BTID" state): names in backticks, strings in single quotes without backslash escapes,
//! `--` and `//` to the end of the line, `/* */` (not nested), hints as `/*+` and `*/`. Double quotes are no token of
//! Flink's; they are read as one here, so that a message can name the whole thing.

use millstream_types::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword or an unquoted name.
    Word,
    /// A name in backticks.
    Backtick,
    Integer,
    Decimal,
    Double,
    /// `'…'`
    Text,
    /// `_charset'…'`
    CharsetText,
    /// `N'…'`
    NationalText,
    /// `U&'…'`
    UnicodeText,
    /// `E'…'`
    EscapedText,
    /// `X'…'`
    BinaryText,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Dot,
    Colon,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Eq,
    NotEq,
    /// `!=`, which Flink refuses.
    BangEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    Bar,
    Concat,
    /// `=>`
    FatArrow,
    /// `->`
    Arrow,
    Question,
    Caret,
    Dollar,
    /// `/*+`
    HintOpen,
    /// `*/`
    CommentEnd,
    /// `"…"`
    DoubleQuoted,
    UnclosedText,
    UnclosedBacktick,
    UnclosedDoubleQuote,
    UnclosedComment,
    /// A character that starts no token.
    Stray,
    /// The end of the text.
    End,
}

/// A token: its kind and its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

/// All tokens of a text, the last one being [`Kind::End`]. Texts are shorter than 4 GB (checked by the caller).
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0 };
    let mut out = Vec::with_capacity(text.len() / 5 + 2);
    loop {
        let token = lexer.next();
        out.push(token);
        if token.kind == Kind::End {
            return out;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn token(&mut self, kind: Kind, length: usize) -> Token {
        let start = self.at;
        self.at = (self.at + length).min(self.text.len());
        Token { kind, start: start as u32, end: self.at as u32 }
    }

    fn next(&mut self) -> Token {
        if let Some(unclosed) = self.skip_blank() {
            return unclosed;
        }
        let Some(first) = self.rest().chars().next() else { return self.token(Kind::End, 0) };
        let second = self.byte(1);
        let (kind, length) = match first {
            '(' => (Kind::LeftParen, 1),
            ')' => (Kind::RightParen, 1),
            '[' => (Kind::LeftBracket, 1),
            ']' => (Kind::RightBracket, 1),
            '{' => (Kind::LeftBrace, 1),
            '}' => (Kind::RightBrace, 1),
            ',' => (Kind::Comma, 1),
            ';' => (Kind::Semicolon, 1),
            ':' => (Kind::Colon, 1),
            '+' => (Kind::Plus, 1),
            '-' if second == b'>' => (Kind::Arrow, 2),
            '-' => (Kind::Minus, 1),
            '*' if second == b'/' => (Kind::CommentEnd, 2),
            '*' => (Kind::Star, 1),
            '/' if second == b'*' => (Kind::HintOpen, 3),
            '/' => (Kind::Slash, 1),
            '%' => (Kind::Percent, 1),
            '=' if second == b'>' => (Kind::FatArrow, 2),
            '=' => (Kind::Eq, 1),
            '!' if second == b'=' => (Kind::BangEq, 2),
            '<' if second == b'>' => (Kind::NotEq, 2),
            '<' if second == b'=' => (Kind::LtEq, 2),
            '<' => (Kind::Lt, 1),
            '>' if second == b'=' => (Kind::GtEq, 2),
            '>' => (Kind::Gt, 1),
            '|' if second == b'|' => (Kind::Concat, 2),
            '|' => (Kind::Bar, 1),
            '?' => (Kind::Question, 1),
            '^' => (Kind::Caret, 1),
            '.' if !second.is_ascii_digit() => (Kind::Dot, 1),
            '.' | '0'..='9' => return self.number(),
            '\'' => return self.quoted(0, b'\'', Kind::Text, Kind::UnclosedText),
            '`' => return self.quoted(0, b'`', Kind::Backtick, Kind::UnclosedBacktick),
            '"' => return self.quoted(0, b'"', Kind::DoubleQuoted, Kind::UnclosedDoubleQuote),
            c if starts_word(c) => return self.word(),
            c => (Kind::Stray, c.len_utf8()),
        };
        self.token(kind, length)
    }

    /// Skips blanks and comments; an unclosed comment is a token.
    fn skip_blank(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            match (self.byte(0), self.byte(1)) {
                (b'-', b'-') | (b'/', b'/') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                (b'/', b'*') if self.byte(2) != b'+' => {
                    // `/*/` does not close itself.
                    match self.rest().get(2..).and_then(|body| body.find("*/")) {
                        Some(length) => self.at += length + 4,
                        None => return Some(self.token(Kind::UnclosedComment, self.rest().len())),
                    }
                }
                _ if blank == 0 => return None,
                _ => {}
            }
        }
    }

    /// A quoted thing that begins `prefix` bytes ahead; a doubled quote belongs to it.
    fn quoted(&mut self, prefix: usize, quote: u8, closed: Kind, unclosed: Kind) -> Token {
        let bytes = self.rest().as_bytes();
        let mut length = prefix + 1;
        while let Some(found) = bytes.get(length..).and_then(|b| b.iter().position(|c| *c == quote)) {
            length += found + 1;
            if bytes.get(length) != Some(&quote) {
                return self.token(closed, length);
            }
            length += 1;
        }
        self.token(unclosed, bytes.len())
    }

    /// A string in which a backslash takes the next character with it, also a quote.
    fn escaped(&mut self, prefix: usize) -> Token {
        let bytes = self.rest().as_bytes();
        let mut length = prefix + 1;
        loop {
            match (bytes.get(length), bytes.get(length + 1)) {
                (Some(b'\\'), Some(_)) | (Some(b'\''), Some(b'\'')) => length += 2,
                (Some(b'\''), _) => return self.token(Kind::EscapedText, length + 1),
                (Some(_), _) => length += 1,
                (None, _) => return self.token(Kind::UnclosedText, bytes.len()),
            }
        }
    }

    /// `1`, `1.5`, `.5`, `5.`, `1e3`.
    fn number(&mut self) -> Token {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| -> usize {
            bytes.get(from..).map_or(0, |b| b.iter().take_while(|c| c.is_ascii_digit()).count())
        };
        let mut length = digits(0);
        let mut kind = Kind::Integer;
        if bytes.get(length) == Some(&b'.') {
            kind = Kind::Decimal;
            length += 1 + digits(length + 1);
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            if exponent > 0 {
                kind = Kind::Double;
                length += 1 + sign + exponent;
            }
        }
        self.token(kind, length)
    }

    fn word(&mut self) -> Token {
        let rest = self.rest();
        let length = rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("");
        let next = self.byte(length);
        match (word, next) {
            ("$", _) => self.token(Kind::Dollar, 1),
            ("x" | "X", b'\'') => self.quoted(length, b'\'', Kind::BinaryText, Kind::UnclosedText),
            ("e" | "E", b'\'') => self.escaped(length),
            ("n" | "N", b'\'') => self.quoted(length, b'\'', Kind::NationalText, Kind::UnclosedText),
            ("u" | "U", b'&') if self.byte(length + 1) == b'\'' => {
                self.quoted(length + 1, b'\'', Kind::UnicodeText, Kind::UnclosedText)
            }
            (w, b'\'') if w.len() > 1 && w.starts_with('_') => {
                self.quoted(length, b'\'', Kind::CharsetText, Kind::UnclosedText)
            }
            // `_utf-8'x'`: the only character sets with a dash are the standard ones.
            (w, b'-') if w.len() > 1 && w.starts_with('_') => match charset_tail(rest, length) {
                Some(longer) => self.quoted(longer, b'\'', Kind::CharsetText, Kind::UnclosedText),
                None => self.token(Kind::Word, length),
            },
            _ => self.token(Kind::Word, length),
        }
    }
}

/// The length of `_utf-16be` in `_utf-16be'…'`, if a quote follows at once.
fn charset_tail(rest: &str, from: usize) -> Option<usize> {
    let tail = rest.get(from..)?;
    let length = tail.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))?;
    (tail.as_bytes().get(length) == Some(&b'\'')).then_some(from + length)
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut all: Vec<Kind> = tokens(text).iter().map(|t| t.kind).collect();
        assert_eq!(all.pop(), Some(Kind::End));
        all
    }

    #[test]
    fn numbers() {
        assert_eq!(kinds("1 1.5 .5 5. 1e3 1.5E-7"), {
            use Kind::*;
            [Integer, Decimal, Decimal, Decimal, Double, Double]
        });
        assert_eq!(kinds("1e"), [Kind::Integer, Kind::Word]);
        assert_eq!(kinds("a.b"), [Kind::Word, Kind::Dot, Kind::Word]);
    }

    #[test]
    fn quotes_and_comments() {
        use Kind::*;
        assert_eq!(kinds("'it''s' `a``b` \"c\""), [Text, Backtick, DoubleQuoted]);
        assert_eq!(kinds("a -- b\n// c\n/* d */ /**/ e"), [Word, Word]);
        assert_eq!(kinds("t /*+ OPTIONS('a'='b') */"), {
            [Word, HintOpen, Word, LeftParen, Text, Eq, Text, RightParen, CommentEnd]
        });
        assert_eq!(kinds("_UTF16'x' U&'\\00e9' X'0a' n'x' e'x'"), {
            [CharsetText, UnicodeText, BinaryText, NationalText, EscapedText]
        });
        assert_eq!(kinds(r"e'a\'b''\\' e 'x' E'a\'"), [EscapedText, Word, Text, UnclosedText]);
        assert_eq!(kinds("_a-b _utf-8'x'"), [Word, Minus, Word, CharsetText]);
    }

    #[test]
    fn what_is_not_closed() {
        assert_eq!(kinds("a 'bc"), [Kind::Word, Kind::UnclosedText]);
        assert_eq!(kinds("a '''"), [Kind::Word, Kind::UnclosedText]);
        assert_eq!(kinds("`x"), [Kind::UnclosedBacktick]);
        assert_eq!(kinds("a /*/"), [Kind::Word, Kind::UnclosedComment]);
    }

    #[test]
    fn operators() {
        use Kind::*;
        assert_eq!(kinds("a>>=b<>c=>d->e||f!=g"), {
            [Word, Gt, GtEq, Word, NotEq, Word, FatArrow, Word, Arrow, Word, Concat, Word, BangEq, Word]
        });
        assert_eq!(kinds("A B$ $"), [Word, Word, Dollar]);
        assert_eq!(kinds("# é日"), [Stray, Word]);
    }
}
