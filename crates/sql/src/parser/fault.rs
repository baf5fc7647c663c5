//! What a message says: what was expected, what stands there, and what to write instead.

use millstream_types::{Fault, Span};

use super::Parser;
use crate::keywords::is_reserved;
use crate::lexer::{Kind, Token};

/// Longest piece of the text that a message repeats, in characters.
const SHOWN: usize = 40;

impl Parser<'_> {
    /// "expected … but found …" at the token at hand, with a remedy where one is known.
    pub(crate) fn unexpected(&self, expected: &str) -> Fault {
        if let Some(fault) = self.bad_token() {
            return fault;
        }
        let fault = self.parse_fault(format!("expected {expected} but found {}", self.found()));
        match self.remedy(expected) {
            Some(hint) => fault.hint(hint),
            None => fault,
        }
    }

    /// A fault of the grammar at the token at hand.
    pub(crate) fn parse_fault(&self, message: impl Into<String>) -> Fault {
        parse_fault_at(self.here(), message)
    }

    /// The token at hand as a message names it.
    pub(crate) fn found(&self) -> String {
        let token = self.token(0);
        let text: String = self.source(token).chars().take(SHOWN).collect();
        let text = if text.len() < self.source(token).len() { format!("{text}…") } else { text };
        match token.kind {
            Kind::End => "the end of the text".to_string(),
            Kind::Text => format!("the string {text}"),
            Kind::Integer | Kind::Decimal | Kind::Double => format!("the number {text}"),
            _ => format!("'{text}'"),
        }
    }

    /// The fault of a token that Flink has not: something unclosed, double quotes, a stray character.
    fn bad_token(&self) -> Option<Fault> {
        let token = self.token(0);
        let opening = Span { start: token.start, end: token.start + 1 };
        let text = self.source(token);
        let unclosed = |what: &str, end: &str| {
            parse_fault_at(opening, format!("this {what} is not closed"))
                .hint(format!("put {end} at its end"))
        };
        Some(match token.kind {
            Kind::UnclosedText => unclosed("string", "a single quote (')"),
            Kind::UnclosedBacktick => unclosed("name", "a backtick (`)"),
            Kind::UnclosedDoubleQuote => {
                parse_fault_at(opening, "this double quote is not closed, and Flink SQL has no double quotes")
                    .hint("use single quotes for a string and backticks for a name")
            }
            Kind::UnclosedComment => parse_fault_at(
                Span { start: token.start, end: token.start + 2 },
                "this comment is not closed",
            )
            .hint("put */ at its end"),
            Kind::DoubleQuoted => {
                let inner = text.trim_matches('"').replace("\"\"", "\"");
                parse_fault_at(
                    token.span(),
                    format!("{} is neither a string nor a name in Flink SQL", self.found()),
                )
                .hint(format!(
                    "use single quotes for a string: {}; backticks for a name: {}",
                    string(&inner),
                    name(&inner)
                ))
            }
            Kind::BangEq => parse_fault_at(token.span(), "Flink SQL has no '!='").hint("write <>"),
            Kind::Stray => {
                let hint = match text {
                    "#" => "comments begin with --",
                    "“" | "”" | "‘" | "’" | "´" => "use the straight single quote: '",
                    "，" => "use the plain comma: ,",
                    "；" => "use the plain semicolon: ;",
                    "（" | "）" => "use the plain parentheses: ( )",
                    "~" | "!" => "write NOT, or call BITNOT(…)",
                    "&" => "write AND, or call BITAND(…)",
                    _ => "remove it, or put the name in backticks: `…`",
                };
                parse_fault_at(token.span(), format!("the character '{text}' means nothing here")).hint(hint)
            }
            Kind::HintOpen => {
                parse_fault_at(token.span(), "a hint can stand only behind SELECT or a table's name")
                    .hint("put /*+ … */ directly behind SELECT or the table's name, before AS")
            }
            _ => return None,
        })
    }

    /// What to write instead, as far as it can be told from the tokens around.
    fn remedy(&self, expected: &str) -> Option<String> {
        let token = self.token(0);
        let before = self.before();
        let word = self.word();
        if token.kind == Kind::Eq && before.is_some_and(|b| b.kind == Kind::Eq && b.end == token.start) {
            return Some("write a single =".to_string());
        }
        if token.kind == Kind::Colon && self.token(1).kind == Kind::Colon {
            return Some("write CAST(value AS type)".to_string());
        }
        if (token.kind == Kind::Lt || token.kind == Kind::Gt) && before.is_some_and(|b| b.kind == token.kind)
        {
            return Some("Flink SQL has no shift operator".to_string());
        }
        match token.kind {
            Kind::Bar => return Some("write || to join strings, or call BITOR(…)".to_string()),
            Kind::Caret => return Some("call BITXOR(…) or POWER(…)".to_string()),
            _ => {}
        }
        if before.is_some_and(|b| b.kind == Kind::Comma) && self.closes() {
            return Some("remove the comma before it".to_string());
        }
        if expected.starts_with("a ") || expected.starts_with("an ") {
            if !word.is_empty() && is_reserved(word) && expected.contains("name") {
                return Some(reserved_hint(word));
            }
            if token.kind == Kind::Text && expected.contains("name") {
                return Some("names stand in backticks or without quotes".to_string());
            }
            if token.kind == Kind::End && before.is_some() {
                return None;
            }
        }
        if expected.contains("string") && matches!(token.kind, Kind::Word | Kind::Backtick | Kind::Integer) {
            return Some(format!(
                "put it in single quotes: {}",
                string(self.source(token).trim_matches('`'))
            ));
        }
        if expected.contains("','") && self.starts_item() {
            return Some(if before.is_some_and(|b| self.ends_item(b)) {
                format!("is a comma missing before {}?", self.found())
            } else {
                return None;
            });
        }
        self.remedy_of_word(word)
    }

    fn remedy_of_word(&self, word: &str) -> Option<String> {
        let hint = match word.to_ascii_uppercase().as_str() {
            "REGEXP" => "call REGEXP(text, pattern)",
            "MINUS" => "write EXCEPT",
            "UNSIGNED" => "Flink has no unsigned types; use the next wider one",
            "AUTO_INCREMENT" | "IDENTITY" => "Flink has no generated keys",
            "SEMI" => "write WHERE EXISTS (SELECT … FROM …)",
            "ANTI" => "write WHERE NOT EXISTS (SELECT … FROM …)",
            "LATERAL" => "write , LATERAL TABLE(function(…)) AS t(column)",
            "ISNULL" => "write IS NULL",
            "NOTNULL" => "write IS NOT NULL",
            "ILIKE" => "call LOWER(…) LIKE LOWER(…)",
            _ => return None,
        };
        Some(hint.to_string())
    }

    fn before(&self) -> Option<Token> {
        self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).copied()
    }

    /// Whether the token at hand ends a list: a comma before it is one too many.
    fn closes(&self) -> bool {
        matches!(self.kind(), Kind::RightParen | Kind::RightBracket | Kind::End | Kind::Semicolon)
            || self
                .at_any(&["FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "AS", "WITH", "THEN", "END"])
    }

    fn starts_item(&self) -> bool {
        match self.kind() {
            Kind::Word => !is_reserved(self.word()) || self.at_any(&["WATERMARK", "PRIMARY", "CAST", "CASE"]),
            Kind::Backtick | Kind::Integer | Kind::Decimal | Kind::Double | Kind::Text => true,
            _ => false,
        }
    }

    fn ends_item(&self, before: Token) -> bool {
        matches!(
            before.kind,
            Kind::Word
                | Kind::Backtick
                | Kind::Integer
                | Kind::Decimal
                | Kind::Double
                | Kind::Text
                | Kind::RightParen
        )
    }
}

/// A fault of the grammar.
pub(crate) fn parse_fault_at(at: Span, message: impl Into<String>) -> Fault {
    Fault::user("parse", message).at(at)
}

/// The remedy for a reserved word where a name belongs.
pub(crate) fn reserved_hint(word: &str) -> String {
    format!("{} is a reserved word; quote it with backticks: `{word}`", word.to_uppercase())
}

/// A string literal of a text.
pub(crate) fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A quoted name.
pub(crate) fn name(text: &str) -> String {
    format!("`{}`", text.replace('`', "``"))
}
