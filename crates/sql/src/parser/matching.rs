//! MATCH_RECOGNIZE.

use millstream_types::Span;

use super::fault::parse_fault_at;
use super::{Parse, Parser, cost};
use crate::MAX_DEPTH;
use crate::ast::{AfterMatch, MatchRecognize, Pattern, PatternKind, RowsPerMatch};
use crate::lexer::Kind;

impl Parser<'_> {
    pub(crate) fn match_recognize(&mut self) -> Parse<MatchRecognize> {
        let outer = self.enter(cost::EXPRESSION)?;
        let start = self.advance().start;
        self.open()?;
        let mut partition_by = Vec::new();
        if self.eat_words(&["PARTITION", "BY"]) {
            partition_by = self.commas(Self::expr)?;
        }
        let order_by = if self.at("ORDER") { self.order_by()? } else { Vec::new() };
        let mut measures = Vec::new();
        if self.eat_word("MEASURES") {
            measures = self.commas(|p| {
                let expr = p.expr()?;
                p.expect_word("AS")?;
                Ok((expr, p.ident("a measure's name")?))
            })?;
        }
        let rows = self.rows_per_match()?;
        let after = self.after_match()?;
        self.expect_word("PATTERN")?;
        self.open()?;
        let anchored_start = self.eat(Kind::Caret);
        let (pattern, _) = self.pattern()?;
        let anchored_end = self.eat(Kind::Dollar);
        self.close()?;
        let within = if self.at("WITHIN") { Some(self.within()?) } else { None };
        let mut subsets = Vec::new();
        if self.eat_word("SUBSET") {
            subsets = self.commas(|p| {
                let name = p.ident("a subset's name")?;
                p.expect(Kind::Eq, "'='")?;
                Ok((name, p.ident_list("a pattern variable")?))
            })?;
        }
        self.expect_word("DEFINE")?;
        let defines = self.commas(|p| {
            let name = p.ident("a pattern variable")?;
            p.expect_word("AS")?;
            Ok((name, p.expr()?))
        })?;
        if !self.is(Kind::RightParen) {
            return Err(self.unexpected("',' or ')'"));
        }
        self.advance();
        self.leave(cost::EXPRESSION, outer);
        let span = self.since(start);
        Ok(MatchRecognize {
            partition_by,
            order_by,
            measures,
            rows,
            after,
            anchored_start,
            anchored_end,
            pattern,
            within,
            subsets,
            defines,
            span,
        })
    }

    fn rows_per_match(&mut self) -> Parse<Option<RowsPerMatch>> {
        let rows = if self.eat_words(&["ONE", "ROW"]) {
            RowsPerMatch::One
        } else if self.eat_words(&["ALL", "ROWS"]) {
            RowsPerMatch::All
        } else {
            return Ok(None);
        };
        self.expect_words(&["PER", "MATCH"])?;
        Ok(Some(rows))
    }

    fn after_match(&mut self) -> Parse<Option<AfterMatch>> {
        if !self.eat_word("AFTER") {
            return Ok(None);
        }
        self.expect_words(&["MATCH", "SKIP"])?;
        if self.eat_word("PAST") {
            self.expect_words(&["LAST", "ROW"])?;
            return Ok(Some(AfterMatch::PastLastRow));
        }
        self.expect_word("TO")?;
        if self.eat_words(&["NEXT", "ROW"]) {
            return Ok(Some(AfterMatch::NextRow));
        }
        // FIRST and LAST are names too: they are keywords only before another name.
        if self.at("FIRST") && self.ident_at(1) {
            self.advance();
            return Ok(Some(AfterMatch::First(self.ident("a pattern variable")?)));
        }
        if self.at("LAST") && self.ident_at(1) {
            self.advance();
        }
        Ok(Some(AfterMatch::Last(self.ident("a pattern variable")?)))
    }

    fn within(&mut self) -> Parse<crate::ast::Expr> {
        self.advance();
        let start = self.here().start;
        let literal = self.interval_literal()?;
        let kind = crate::ast::ExprKind::Literal(crate::ast::Literal::Interval(Box::new(literal)));
        Ok(crate::ast::Expr { kind, span: self.since(start) })
    }

    /// `a b | c d`, and how high its tree is.
    fn pattern(&mut self) -> Parse<(Pattern, usize)> {
        let outer = self.enter(cost::PATTERN)?;
        let start = self.here().start;
        let mut height = 0;
        let mut choices = Vec::new();
        loop {
            let sequence_start = self.here().start;
            let mut sequence = Vec::new();
            while self.at_ident()
                || self.at("PERMUTE")
                || matches!(self.kind(), Kind::LeftParen | Kind::LeftBrace)
            {
                let (factor, high) = self.pattern_factor()?;
                height = height.max(high);
                sequence.push(factor);
            }
            if sequence.is_empty() {
                return Err(self.unexpected("a pattern variable"));
            }
            let span = self.since(sequence_start);
            choices.push(only_or(sequence, span, PatternKind::Sequence));
            if !self.eat(Kind::Bar) {
                break;
            }
        }
        self.leave(cost::PATTERN, outer);
        let span = self.since(start);
        height += 2;
        if height > MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok((only_or(choices, span, PatternKind::Alternation), height))
    }

    fn pattern_factor(&mut self) -> Parse<(Pattern, usize)> {
        let start = self.here().start;
        let (pattern, height) = self.pattern_primary()?;
        let Some((min, max)) = self.quantifier()? else { return Ok((pattern, height)) };
        let reluctant = self.eat(Kind::Question);
        let span = self.since(start);
        if max.is_some_and(|m| m < min) {
            return Err(parse_fault_at(
                span,
                "a pattern cannot be repeated at most less often than at least",
            ));
        }
        let kind = PatternKind::Repeat { pattern: Box::new(pattern), min, max, reluctant };
        Ok((Pattern { kind, span }, height + 1))
    }

    /// `*`, `+`, `?`, `{n}`, `{n,}`, `{,m}`, `{n,m}`.
    fn quantifier(&mut self) -> Parse<Option<(u32, Option<u32>)>> {
        Ok(Some(match self.kind() {
            Kind::Star => {
                self.advance();
                (0, None)
            }
            Kind::Plus => {
                self.advance();
                (1, None)
            }
            Kind::Question => {
                self.advance();
                (0, Some(1))
            }
            Kind::LeftBrace if self.token(1).kind != Kind::Minus => {
                self.advance();
                let range = self.range()?;
                self.expect(Kind::RightBrace, "'}'")?;
                range
            }
            _ => return Ok(None),
        }))
    }

    fn range(&mut self) -> Parse<(u32, Option<u32>)> {
        if self.eat(Kind::Comma) {
            return Ok((0, Some(self.unsigned("a number")?)));
        }
        let min = self.unsigned("a number")?;
        if !self.eat(Kind::Comma) {
            return Ok((min, Some(min)));
        }
        if self.is(Kind::RightBrace) {
            return Ok((min, None));
        }
        Ok((min, Some(self.unsigned("a number")?)))
    }

    fn pattern_primary(&mut self) -> Parse<(Pattern, usize)> {
        let start = self.here().start;
        if self.eat(Kind::LeftParen) {
            let (pattern, height) = self.pattern()?;
            self.close()?;
            return Ok((pattern, height));
        }
        if self.eat(Kind::LeftBrace) {
            self.expect(Kind::Minus, "'-'")?;
            let (pattern, height) = self.pattern()?;
            self.expect(Kind::Minus, "'-'")?;
            self.expect(Kind::RightBrace, "'}'")?;
            let kind = PatternKind::Exclude(Box::new(pattern));
            return Ok((Pattern { kind, span: self.since(start) }, height + 1));
        }
        if self.eat_word("PERMUTE") {
            let mut height = 0;
            let items = self.in_parens(|p| {
                let (pattern, high) = p.pattern()?;
                height = height.max(high);
                Ok(pattern)
            })?;
            return Ok((Pattern { kind: PatternKind::Permute(items), span: self.since(start) }, height + 1));
        }
        let name = self.ident("a pattern variable")?;
        let span: Span = name.span;
        Ok((Pattern { kind: PatternKind::Variable(name), span }, 1))
    }
}

/// The only one of a list, or all of it as a node.
fn only_or(mut all: Vec<Pattern>, span: Span, make: fn(Vec<Pattern>) -> PatternKind) -> Pattern {
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            all.push(last);
            Pattern { kind: make(all), span }
        }
        (None, _) => Pattern { kind: make(all), span },
    }
}
