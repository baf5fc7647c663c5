//! What a message says: what was expected, what stands there, and what to write instead.

use std::fmt::Display;

use millstream_types::{Fault, Span, nearest};

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

    /// As [`Parser::unexpected`], with a remedy of its own.
    pub(crate) fn wanted(&self, expected: &str, hint: impl Display) -> Fault {
        self.bad_token().unwrap_or_else(|| {
            self.parse_fault(format!("expected {expected} but found {}", self.found())).hint(hint)
        })
    }

    /// A fault of the grammar at the token at hand.
    pub(crate) fn parse_fault(&self, message: impl Into<String>) -> Fault {
        parse_fault_at(self.here(), message)
    }

    /// The token at hand as a message names it.
    pub(crate) fn found(&self) -> String {
        let token = self.token(0);
        let text = shown(self.source(token));
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
                let inner = shown(&text.trim_matches('"').replace("\"\"", "\""));
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
        if let Some(operator) = self.remedy_of_operator(token, before) {
            return Some(operator.to_string());
        }
        if self.quote_in_string() {
            return Some("a single quote inside a string is written twice: 'it''s'".to_string());
        }
        if before.is_some_and(|b| b.kind == Kind::Comma) && self.closes() {
            return Some("remove the comma before it".to_string());
        }
        if let Some(known) = remedy_of_word(word) {
            return Some(known.to_string());
        }
        if expected.contains("name") && is_reserved(word) {
            return Some(reserved_hint(word));
        }
        if expected.contains("name") && token.kind == Kind::Text {
            return Some("names stand in backticks or without quotes".to_string());
        }
        if expected.contains("string") {
            return self.as_string().map(|text| format!("put it in single quotes: {text}"));
        }
        if expected.contains("','") && self.starts_item() && before.is_some_and(ends_item) {
            return Some(format!("is a comma missing before {}?", self.found()));
        }
        if expected.contains("')'") && (token.kind == Kind::End || is_reserved(word)) {
            return Some(format!("is a ')' missing before {}?", self.found()));
        }
        None
    }

    fn remedy_of_operator(&self, token: Token, before: Option<Token>) -> Option<&'static str> {
        let doubled = before.is_some_and(|b| b.kind == token.kind);
        Some(match token.kind {
            Kind::Eq if doubled => "write a single =",
            Kind::Colon if self.token(1).kind == Kind::Colon => "write CAST(value AS type)",
            Kind::Lt | Kind::Gt if doubled => "Flink SQL has no shift operator",
            Kind::Bar => "write || to join strings, or call BITOR(…)",
            Kind::Caret => "call BITXOR(…) or POWER(…)",
            _ => return None,
        })
    }

    /// What may be missing between two operands: `b = 'x' c = 1`.
    pub(crate) fn missing_between(&self) -> Option<String> {
        let known = self.remedy("").is_some();
        let between = self.starts_item() && self.before().is_some_and(ends_item);
        (between && !known).then(|| format!("is AND, OR or a comma missing before {}?", self.found()))
    }

    /// The remedy of a misspelt word: the nearest one that could stand here.
    pub(crate) fn meant(&self, could: &[&'static str], otherwise: &str) -> String {
        near(self.word(), could).map_or_else(|| otherwise.to_string(), |near| format!("did you mean {near}?"))
    }

    /// Whether a string ended shortly before and the text's quotes do not pair: `'it's'`.
    fn quote_in_string(&self) -> bool {
        let unclosed = self.tokens.iter().rev().nth(1).is_some_and(|t| t.kind == Kind::UnclosedText);
        let from = self.at.saturating_sub(2);
        unclosed
            && self
                .tokens
                .get(from..self.at)
                .is_some_and(|before| before.iter().any(|t| t.kind == Kind::Text))
    }

    /// What stands here as a string: a number, or names with dots between.
    fn as_string(&self) -> Option<String> {
        let first = self.token(0);
        if !matches!(first.kind, Kind::Word | Kind::Backtick | Kind::Integer | Kind::Decimal) {
            return None;
        }
        let mut last = 0;
        while self.token(last + 1).kind == Kind::Dot && self.token(last + 2).kind == Kind::Word {
            last += 2;
        }
        let all = self.text.get(first.start as usize..self.token(last).end as usize)?;
        (all.len() <= 2 * SHOWN).then(|| string(&all.replace('`', "")))
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
}

fn ends_item(before: Token) -> bool {
    matches!(
        before.kind,
        Kind::Word
            | Kind::Backtick
            | Kind::Integer
            | Kind::Decimal
            | Kind::Double
            | Kind::Text
            | Kind::RightParen
            | Kind::Gt
    )
}

/// Words of other dialects.
fn remedy_of_word(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_uppercase().as_str() {
        "REGEXP" => "call REGEXP(text, pattern)",
        "MINUS" => "write EXCEPT",
        "UNSIGNED" => "Flink has no unsigned types; use the next wider one",
        "AUTO_INCREMENT" | "IDENTITY" => "Flink has no generated keys",
        "SEMI" => "write WHERE EXISTS (SELECT … FROM …)",
        "ANTI" => "write WHERE NOT EXISTS (SELECT … FROM …)",
        "LATERAL" => "write , LATERAL TABLE(function(…)) AS t(column)",
        "ISNULL" => "write IS NULL",
        "NOTNULL" => "write IS NOT NULL",
        _ => return None,
    })
}

/// A piece of the text for a message: no longer than a person wants to read.
pub(crate) fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

/// The candidate that a misspelt word was meant to be. Long words are no misspelling.
pub(crate) fn near<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if word.is_empty() || word.len() > SHOWN { None } else { nearest(word, candidates.iter().copied()) }
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
