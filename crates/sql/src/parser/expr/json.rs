//! The JSON functions with clauses of their own.

use millstream_types::Fault;

use crate::ast::{
    Expr, ExprKind, JsonCall, JsonExistsError, JsonOnNull, JsonQueryBehavior, JsonValueBehavior, JsonWrapper,
    TypeName,
};
use crate::lexer::Kind;
use crate::parser::{Parse, Parser};

/// What a clause `… ON EMPTY` or `… ON ERROR` is about.
enum On {
    Empty,
    Error,
}

impl Parser<'_> {
    /// `(input, path`.
    fn json_input(&mut self) -> Parse<(Expr, Expr)> {
        self.advance();
        self.open()?;
        let input = self.expr()?;
        self.expect(Kind::Comma, "',' before the path")?;
        let path = self.expr()?;
        if self.at("PASSING") {
            return Err(Fault::not_yet("PASSING in a JSON function").at(self.here()));
        }
        Ok((input, path))
    }

    fn json(call: JsonCall) -> ExprKind {
        ExprKind::Json(Box::new(call))
    }

    pub(super) fn json_exists(&mut self) -> Parse<ExprKind> {
        let (input, path) = self.json_input()?;
        let on_error = match self.word().to_ascii_uppercase().as_str() {
            "TRUE" => Some(JsonExistsError::True),
            "FALSE" => Some(JsonExistsError::False),
            "UNKNOWN" => Some(JsonExistsError::Unknown),
            "ERROR" => Some(JsonExistsError::Error),
            _ => None,
        };
        if on_error.is_some() {
            self.advance();
            self.expect_words(&["ON", "ERROR"])?;
        }
        self.close()?;
        Ok(Self::json(JsonCall::Exists { input, path, on_error }))
    }

    fn json_returning(&mut self) -> Parse<Option<TypeName>> {
        if !self.eat_word("RETURNING") {
            return Ok(None);
        }
        self.cast_type().map(Some)
    }

    fn on_empty_or_error(&mut self) -> Parse<On> {
        self.expect_word("ON")?;
        if self.eat_word("EMPTY") {
            Ok(On::Empty)
        } else if self.eat_word("ERROR") {
            Ok(On::Error)
        } else {
            Err(self.unexpected("EMPTY or ERROR"))
        }
    }

    pub(super) fn json_value(&mut self) -> Parse<ExprKind> {
        let (input, path) = self.json_input()?;
        let returning = self.json_returning()?;
        let (mut on_empty, mut on_error) = (None, None);
        while !self.is(Kind::RightParen) {
            let behavior = if self.eat_word("NULL") {
                JsonValueBehavior::Null
            } else if self.eat_word("ERROR") {
                JsonValueBehavior::Error
            } else if self.eat_word("DEFAULT") {
                JsonValueBehavior::Default(Box::new(self.expr()?))
            } else {
                return Err(self.unexpected("')', RETURNING, NULL, ERROR or DEFAULT"));
            };
            match self.on_empty_or_error()? {
                On::Empty => on_empty = Some(behavior),
                On::Error => on_error = Some(behavior),
            }
        }
        self.close()?;
        Ok(Self::json(JsonCall::Value { input, path, returning, on_empty, on_error }))
    }

    pub(super) fn json_query(&mut self) -> Parse<ExprKind> {
        let (input, path) = self.json_input()?;
        let returning = self.json_returning()?;
        let wrapper = self.json_wrapper()?;
        let (mut on_empty, mut on_error) = (None, None);
        while !self.is(Kind::RightParen) {
            let behavior = if self.eat_word("NULL") {
                JsonQueryBehavior::Null
            } else if self.eat_word("ERROR") {
                JsonQueryBehavior::Error
            } else if self.eat_words(&["EMPTY", "ARRAY"]) {
                JsonQueryBehavior::EmptyArray
            } else if self.eat_words(&["EMPTY", "OBJECT"]) {
                JsonQueryBehavior::EmptyObject
            } else {
                return Err(self.unexpected("')', NULL, ERROR, EMPTY ARRAY or EMPTY OBJECT"));
            };
            match self.on_empty_or_error()? {
                On::Empty => on_empty = Some(behavior),
                On::Error => on_error = Some(behavior),
            }
        }
        self.close()?;
        Ok(Self::json(JsonCall::Query { input, path, returning, wrapper, on_empty, on_error }))
    }

    fn json_wrapper(&mut self) -> Parse<Option<JsonWrapper>> {
        let wrapper = if self.eat_word("WITHOUT") {
            JsonWrapper::Without
        } else if self.eat_words(&["WITH", "CONDITIONAL"]) {
            JsonWrapper::Conditional
        } else if self.eat_word("WITH") {
            self.eat_word("UNCONDITIONAL");
            JsonWrapper::Unconditional
        } else {
            return Ok(None);
        };
        self.eat_word("ARRAY");
        self.expect_word("WRAPPER")?;
        Ok(Some(wrapper))
    }

    /// `[KEY] name VALUE value`; a colon or comma may stand for VALUE.
    fn json_entry(&mut self) -> Parse<(Expr, Expr)> {
        // KEY is no reserved word: `KEY VALUE 1` and `KEY : 1` are about a column of that name.
        let keyword = self.at("KEY")
            && !self.word_at(1).eq_ignore_ascii_case("VALUE")
            && !matches!(self.token(1).kind, Kind::Colon | Kind::Comma | Kind::Dot | Kind::LeftParen);
        if keyword {
            self.advance();
        }
        let key = self.expr()?;
        let separated = self.eat_word("VALUE") || (!keyword && self.eat(Kind::Colon));
        if !separated {
            return Err(self.unexpected("VALUE"));
        }
        Ok((key, self.expr()?))
    }

    /// `NULL ON NULL`, `ABSENT ON NULL`.
    fn json_on_null(&mut self) -> Option<JsonOnNull> {
        if self.eat_words(&["NULL", "ON", "NULL"]) {
            Some(JsonOnNull::Null)
        } else if self.eat_words(&["ABSENT", "ON", "NULL"]) {
            Some(JsonOnNull::Absent)
        } else {
            None
        }
    }

    /// Whether the parentheses of a JSON constructor hold nothing but their end or an ON NULL.
    fn json_nothing(&self) -> bool {
        self.is(Kind::RightParen)
            || self.at_all(&["NULL", "ON", "NULL"])
            || self.at_all(&["ABSENT", "ON", "NULL"])
    }

    pub(super) fn json_object(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.open()?;
        let entries = if self.json_nothing() { Vec::new() } else { self.commas(Self::json_entry)? };
        let on_null = self.json_on_null();
        self.close()?;
        Ok(Self::json(JsonCall::Object { entries, on_null }))
    }

    pub(super) fn json_array(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.open()?;
        let items = if self.json_nothing() { Vec::new() } else { self.commas(Self::expr)? };
        let on_null = self.json_on_null();
        self.close()?;
        Ok(Self::json(JsonCall::Array { items, on_null }))
    }

    pub(super) fn json_object_agg(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.open()?;
        let (key, value) = self.json_entry()?;
        let on_null = self.json_on_null();
        self.close()?;
        let filter = self.filter_clause()?;
        let over = self.over_clause()?;
        Ok(Self::json(JsonCall::ObjectAgg { key, value, on_null, filter, over }))
    }

    pub(super) fn json_array_agg(&mut self) -> Parse<ExprKind> {
        self.advance();
        self.open()?;
        let item = self.expr()?;
        let mut order_by = if self.at("ORDER") { self.order_by()? } else { Vec::new() };
        let on_null = self.json_on_null();
        self.close()?;
        if order_by.is_empty() && self.eat_words(&["WITHIN", "GROUP"]) {
            self.open()?;
            order_by = self.order_by()?;
            self.close()?;
        }
        let filter = self.filter_clause()?;
        let over = self.over_clause()?;
        Ok(Self::json(JsonCall::ArrayAgg { item, order_by, on_null, filter, over }))
    }
}
