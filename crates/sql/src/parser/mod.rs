//! Tokens → statements: recursive descent for statements and queries, two explicit stacks for expressions.
//!
//! What keeps deep texts off the thread's stack: parentheses and operators of an expression live on the stacks of
//! [`expr`], chains become lists, and what does recurse (calls, CASE, subqueries, types, patterns, joins in parentheses)
//! counts against [`STACK`]. The height of every tree is counted too ([`crate::MAX_DEPTH`]), so that it can be dropped.

mod alter;
mod create;
mod dml;
mod expr;
mod fault;
mod from;
mod matching;
mod name;
mod query;
mod script;
mod select;
mod show;
mod statement;
mod table;
mod types;

use millstream_types::{Fault, Span};

use crate::MAX_DEPTH;
use crate::lexer::{Kind, Token, tokens};
pub use types::{check_limits, interval_type};

pub(crate) type Parse<T> = Result<T, Fault>;

/// How much of the thread's stack the recursion may take, in units of [`cost`].
const STACK: usize = 512;

/// What a level of the recursion costs of [`STACK`]: one for about 3 kB of frames of a debug build.
pub(crate) mod cost {
    /// An expression inside a call, CASE, constructor or clause.
    pub const EXPRESSION: usize = 4;
    /// A query inside a query or expression.
    pub const QUERY: usize = 10;
    /// A join in parentheses.
    pub const JOIN: usize = 8;
    /// A type inside a type.
    pub const TYPE: usize = 2;
    /// A pattern in parentheses.
    pub const PATTERN: usize = 2;
}

/// A place in the tokens of a text.
pub(crate) struct Parser<'a> {
    pub(crate) text: &'a str,
    tokens: Vec<Token>,
    /// For every `(` the index of its `)`, or of the end.
    closers: Vec<u32>,
    at: usize,
    /// How deep the recursion is, in units of [`cost`].
    depth: usize,
    /// Height of the highest tree that was finished in the level at hand.
    tall: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Parse<Self> {
        if text.len() >= u32::MAX as usize {
            return Err(Fault::user("too-long", "the text is longer than 4 GB"));
        }
        let tokens = tokens(text);
        Ok(Parser { text, closers: closers(&tokens), tokens, at: 0, depth: 0, tall: 0 })
    }

    // Looking

    /// The token `ahead` of the one at hand; behind the last one it is the end again.
    pub(crate) fn token(&self, ahead: usize) -> Token {
        let end = Token { kind: Kind::End, start: self.text.len() as u32, end: self.text.len() as u32 };
        self.tokens.get(self.at + ahead).copied().unwrap_or(end)
    }

    pub(crate) fn kind(&self) -> Kind {
        self.token(0).kind
    }

    pub(crate) fn is(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    pub(crate) fn source(&self, token: Token) -> &'a str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// How far ahead the parenthesis is closed that stands `open` tokens ahead; the end's place if it is not.
    pub(crate) fn matching(&self, open: usize) -> usize {
        let closer = self.closers.get(self.at + open).map_or(self.tokens.len(), |c| *c as usize);
        closer.saturating_sub(self.at)
    }

    /// The unquoted word at hand, or "".
    pub(crate) fn word(&self) -> &'a str {
        self.word_at(0)
    }

    pub(crate) fn word_at(&self, ahead: usize) -> &'a str {
        let token = self.token(ahead);
        if token.kind == Kind::Word { self.source(token) } else { "" }
    }

    /// Whether a keyword is at hand.
    pub(crate) fn at(&self, keyword: &str) -> bool {
        self.word().eq_ignore_ascii_case(keyword)
    }

    /// Whether keywords are at hand, in order.
    pub(crate) fn at_all(&self, keywords: &[&str]) -> bool {
        keywords.iter().enumerate().all(|(i, k)| self.word_at(i).eq_ignore_ascii_case(k))
    }

    pub(crate) fn at_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|k| self.at(k))
    }

    // Moving

    pub(crate) fn advance(&mut self) -> Token {
        let token = self.token(0);
        if self.at < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(crate) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.is(kind);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, keyword: &str) -> bool {
        let found = self.at(keyword);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_words(&mut self, keywords: &[&str]) -> bool {
        let found = self.at_all(keywords);
        if found {
            self.at += keywords.len();
        }
        found
    }

    pub(crate) fn expect(&mut self, kind: Kind, name: &str) -> Parse<Token> {
        if self.is(kind) { Ok(self.advance()) } else { Err(self.unexpected(name)) }
    }

    pub(crate) fn expect_word(&mut self, keyword: &str) -> Parse<()> {
        if self.eat_word(keyword) { Ok(()) } else { Err(self.unexpected(keyword)) }
    }

    pub(crate) fn expect_words(&mut self, keywords: &[&str]) -> Parse<()> {
        keywords.iter().try_for_each(|k| self.expect_word(k))
    }

    pub(crate) fn open(&mut self) -> Parse<Token> {
        self.expect(Kind::LeftParen, "'('")
    }

    pub(crate) fn close(&mut self) -> Parse<Token> {
        self.expect(Kind::RightParen, "')'")
    }

    /// Things with commas between, one at least.
    pub(crate) fn commas<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat(Kind::Comma) {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// Things with commas between in parentheses, one at least.
    pub(crate) fn in_parens<T>(&mut self, one: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        self.open()?;
        let all = self.commas(one)?;
        if !self.is(Kind::RightParen) {
            return Err(self.unexpected("',' or ')'"));
        }
        self.advance();
        Ok(all)
    }

    // Places

    /// The place of the token at hand.
    pub(crate) fn here(&self) -> Span {
        self.token(0).span()
    }

    /// From a start to the end of the last token taken.
    pub(crate) fn since(&self, start: u32) -> Span {
        let end = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(start, |t| t.end);
        Span { start, end: end.max(start) }
    }

    // Depth

    /// Goes one level deeper; [`Parser::leave`] ends it, unless a fault ends everything.
    pub(crate) fn enter(&mut self, cost: usize) -> Parse<usize> {
        self.depth += cost;
        if self.depth > STACK {
            let fault = self.too_deep(self.here());
            self.depth -= cost;
            return Err(fault);
        }
        Ok(std::mem::take(&mut self.tall))
    }

    /// Ends a level: its tree is one higher than the highest one in it.
    pub(crate) fn leave(&mut self, cost: usize, outer: usize) {
        self.depth -= cost;
        self.tall = outer.max(self.tall + 1);
    }

    pub(crate) fn too_deep(&self, at: Span) -> Fault {
        Fault::user("too-deep", "this is nested too deeply")
            .at(at)
            .hint(format!(
                "at most {MAX_DEPTH} parentheses, 128 calls and 36 subqueries can be in each other; give the inner part a \
                 name with WITH or CREATE VIEW"
            ))
    }

    // Recovery

    /// Forgets the depth after a fault and goes behind the next `;`.
    pub(crate) fn recover(&mut self) {
        self.depth = 0;
        self.tall = 0;
        while !matches!(self.kind(), Kind::Semicolon | Kind::End) {
            self.advance();
        }
        self.eat(Kind::Semicolon);
    }
}

/// For every `(` the index of its `)`; a `;` closes all that are open.
fn closers(tokens: &[Token]) -> Vec<u32> {
    let mut closers = vec![tokens.len() as u32; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::LeftParen => open.push(at),
            Kind::RightParen => {
                if let Some(closer) = open.pop().and_then(|o| closers.get_mut(o)) {
                    *closer = at as u32;
                }
            }
            Kind::Semicolon => open.clear(),
            _ => {}
        }
    }
    closers
}
