//! Names, strings, options and hints.

use millstream_types::Span;

use super::fault::{parse_fault_at, reserved_hint, shown, string};
use super::{Parse, Parser};
use crate::ast::{Hint, HintArg, Ident, ObjectName, OptionEntry, Text};
use crate::keywords::is_reserved;
use crate::lexer::{Kind, Token};

impl Parser<'_> {
    /// Whether a name is at hand: a word that is not reserved, or something in backticks.
    pub(crate) fn at_ident(&self) -> bool {
        self.ident_at(0)
    }

    pub(crate) fn ident_at(&self, ahead: usize) -> bool {
        match self.token(ahead).kind {
            Kind::Word => !is_reserved(self.word_at(ahead)),
            Kind::Backtick => true,
            _ => false,
        }
    }

    /// A name. `what` is what the message calls it: "a column name".
    pub(crate) fn ident(&mut self, what: &str) -> Parse<Ident> {
        if !self.at_ident() {
            return Err(self.unexpected(what));
        }
        let token = self.advance();
        let span = token.span();
        let text = self.source(token);
        if token.kind == Kind::Word {
            return Ok(Ident { value: text.to_string(), quoted: false, span });
        }
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if inner.is_empty() {
            return Err(parse_fault_at(span, "a name cannot be empty"));
        }
        Ok(Ident { value: inner.replace("``", "`"), quoted: true, span })
    }

    /// A word that may be reserved, as a name; for words that the grammar names itself.
    pub(crate) fn any_word(&mut self) -> Ident {
        let token = self.advance();
        Ident { value: self.source(token).to_string(), quoted: false, span: token.span() }
    }

    /// A name of parts with dots between.
    pub(crate) fn path(&mut self, what: &str) -> Parse<Vec<Ident>> {
        let mut parts = vec![self.ident(what)?];
        while self.is(Kind::Dot) && !matches!(self.token(1).kind, Kind::Star) {
            self.advance();
            if !self.word().is_empty() && is_reserved(self.word()) {
                let fault =
                    self.parse_fault(format!("expected a name behind '.' but found {}", self.found()));
                return Err(fault.hint(reserved_hint(self.word())));
            }
            parts.push(self.ident("a name behind '.'")?);
        }
        Ok(parts)
    }

    /// A name of 1 to 3 parts.
    pub(crate) fn object_name(&mut self, what: &str) -> Parse<ObjectName> {
        let start = self.here().start;
        let parts = self.path(what)?;
        let span = self.since(start);
        if parts.len() > 3 {
            return Err(parse_fault_at(span, "a name has at most three parts: catalog.database.object")
                .hint("put a part that holds a dot in backticks"));
        }
        Ok(ObjectName { parts, span })
    }

    /// `(a, b, c)`.
    pub(crate) fn ident_list(&mut self, what: &str) -> Parse<Vec<Ident>> {
        self.in_parens(|p| p.ident(what))
    }

    /// `'…'`.
    pub(crate) fn text(&mut self, what: &str) -> Parse<Text> {
        if !self.is(Kind::Text) {
            return Err(self.unexpected(what));
        }
        let token = self.advance();
        Ok(Text { value: self.unquoted(token), span: token.span() })
    }

    /// The characters of a string token, prefix and quotes off, doubled quotes undone.
    pub(crate) fn unquoted(&self, token: Token) -> String {
        let source = self.source(token);
        let body = source.split_once('\'').map_or("", |(_, body)| body);
        body.strip_suffix('\'').unwrap_or(body).replace("''", "'")
    }

    /// `COMMENT '…'`, if it is there.
    pub(crate) fn comment(&mut self) -> Parse<Option<Text>> {
        if !self.eat_word("COMMENT") {
            return Ok(None);
        }
        self.text("a string behind COMMENT").map(Some)
    }

    /// `WITH (…)`, if it is there.
    pub(crate) fn with_options(&mut self) -> Parse<Vec<OptionEntry>> {
        if !self.eat_word("WITH") {
            return Ok(Vec::new());
        }
        self.options()
    }

    /// `('key' = 'value', …)`, perhaps empty. Blink's keys have no quotes; its options are known by their `type`.
    pub(crate) fn options(&mut self) -> Parse<Vec<OptionEntry>> {
        self.open()?;
        if self.eat(Kind::RightParen) {
            return Ok(Vec::new());
        }
        let all = self.commas(Self::option)?;
        if !self.is(Kind::RightParen) {
            return Err(self.unexpected("',' or ')'"));
        }
        self.advance();
        let bare = all.iter().find(|o| self.byte(o.key.span.start) != Some(b'\''));
        match bare {
            Some(entry) if !all.iter().any(|o| o.key.value.eq_ignore_ascii_case("type")) => {
                let key = &entry.key;
                let shown = shown(&key.value);
                let message = format!("expected an option's key as a string but found '{shown}'");
                Err(parse_fault_at(key.span, message)
                    .hint(format!("put it in single quotes: {}", string(&shown))))
            }
            _ => Ok(all),
        }
    }

    fn byte(&self, at: u32) -> Option<u8> {
        self.text.as_bytes().get(at as usize).copied()
    }

    fn option(&mut self) -> Parse<OptionEntry> {
        let key = self.option_key()?;
        self.expect(Kind::Eq, "'=' behind the option's key")?;
        let value = self.text("the option's value as a string")?;
        Ok(OptionEntry { key, value })
    }

    /// A key: a string, or in Blink's way words with dots and dashes between.
    fn option_key(&mut self) -> Parse<Text> {
        if self.is(Kind::Text) {
            return self.text("the option's key as a string");
        }
        if !matches!(self.kind(), Kind::Word | Kind::Backtick) {
            return Err(self.unexpected("an option's key as a string"));
        }
        let start = self.advance();
        while matches!(self.kind(), Kind::Dot | Kind::Minus)
            && self.token(0).start == self.since(start.start).end
            && self.token(1).kind == Kind::Word
        {
            self.advance();
            self.advance();
        }
        let span = self.since(start.start);
        let source = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        Ok(Text { value: source.replace('`', ""), span })
    }

    /// `('key', …)`, perhaps empty.
    pub(crate) fn keys(&mut self) -> Parse<Vec<Text>> {
        self.open()?;
        if self.eat(Kind::RightParen) {
            return Ok(Vec::new());
        }
        let all = self.commas(|p| p.text("an option's key as a string"))?;
        self.close()?;
        Ok(all)
    }

    /// `/*+ NAME(…), NAME(…) */`, if it is there.
    pub(crate) fn hints(&mut self) -> Parse<Vec<Hint>> {
        let Kind::HintOpen = self.kind() else { return Ok(Vec::new()) };
        let opening = self.advance();
        let mut all = Vec::new();
        loop {
            if self.is(Kind::End) {
                return Err(
                    parse_fault_at(opening.span(), "this hint is not closed").hint("put */ at its end")
                );
            }
            all.push(self.hint()?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::CommentEnd, "',' or '*/' behind a hint")?;
        Ok(all)
    }

    fn hint(&mut self) -> Parse<Hint> {
        let start = self.here().start;
        let name = self.ident("a hint's name")?;
        let mut args = Vec::new();
        if self.eat(Kind::LeftParen) && !self.eat(Kind::RightParen) {
            args = self.commas(Self::hint_arg)?;
            self.close()?;
        }
        Ok(Hint { name, args, span: self.since(start) })
    }

    fn hint_arg(&mut self) -> Parse<HintArg> {
        match self.kind() {
            Kind::Text if self.token(1).kind == Kind::Eq => self.option().map(HintArg::Option),
            Kind::Word if self.token(1).kind == Kind::Eq => self.option().map(HintArg::Option),
            Kind::Text => self.text("a string").map(HintArg::Literal),
            Kind::Integer | Kind::Decimal => {
                let token = self.advance();
                Ok(HintArg::Literal(Text { value: self.source(token).to_string(), span: token.span() }))
            }
            _ => self.object_name("a table name or an option").map(HintArg::Name),
        }
    }

    /// Digits that fit 32 bits.
    pub(crate) fn unsigned(&mut self, what: &str) -> Parse<u32> {
        if !self.is(Kind::Integer) {
            return Err(self.unexpected(what));
        }
        let token = self.token(0);
        let Ok(value) = self.source(token).parse::<u32>() else {
            return Err(self.parse_fault(format!("{} is too large", self.found())));
        };
        self.advance();
        Ok(value)
    }

    /// The place of an empty thing at hand.
    pub(crate) fn nothing_here(&self) -> Span {
        let at = self.here().start;
        Span { start: at, end: at }
    }
}
