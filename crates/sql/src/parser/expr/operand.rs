//! What an expression is built from: literals, columns, calls, constructors, subqueries.

use millstream_types::Fault;

use crate::MAX_DEPTH;
use crate::ast::{CollectKind, Expr, ExprKind, Literal};
use crate::keywords::{is_callable, is_niladic, is_reserved};
use crate::lexer::Kind;
use crate::parser::fault::{parse_fault_at, reserved_hint};
use crate::parser::{Parse, Parser};

/// The functions of `{fn …}` that Flink finds, and their names in SQL.
const JDBC_FUNCTIONS: [(&str, &str); 41] = [
    ("ABS", "ABS"),
    ("ACOS", "ACOS"),
    ("ASIN", "ASIN"),
    ("ATAN", "ATAN"),
    ("ATAN2", "ATAN2"),
    ("CEILING", "CEILING"),
    ("CONCAT", "CONCAT"),
    ("COS", "COS"),
    ("COT", "COT"),
    ("DAYOFMONTH", "DAYOFMONTH"),
    ("DAYOFWEEK", "DAYOFWEEK"),
    ("DAYOFYEAR", "DAYOFYEAR"),
    ("DEGREES", "DEGREES"),
    ("EXP", "EXP"),
    ("FLOOR", "FLOOR"),
    ("HOUR", "HOUR"),
    ("IFNULL", "IFNULL"),
    ("LCASE", "LOWER"),
    ("LENGTH", "CHAR_LENGTH"),
    ("LOCATE", "LOCATE"),
    ("LOG", "LN"),
    ("LOG10", "LOG10"),
    ("LTRIM", "LTRIM"),
    ("MINUTE", "MINUTE"),
    ("MOD", "MOD"),
    ("MONTH", "MONTH"),
    ("PI", "PI"),
    ("POWER", "POWER"),
    ("QUARTER", "QUARTER"),
    ("RADIANS", "RADIANS"),
    ("RTRIM", "RTRIM"),
    ("SECOND", "SECOND"),
    ("SIGN", "SIGN"),
    ("SIN", "SIN"),
    ("SQRT", "SQRT"),
    ("TAN", "TAN"),
    ("TIMESTAMPADD", "TIMESTAMPADD"),
    ("TIMESTAMPDIFF", "TIMESTAMPDIFF"),
    ("UCASE", "UPPER"),
    ("WEEK", "WEEK"),
    ("YEAR", "YEAR"),
];

impl Parser<'_> {
    /// One operand, without what may follow it.
    ///
    /// This and what follows it down to the next expression is the path of deep nesting: its frames are kept small by
    /// leaving the rarer cases to functions of their own.
    pub(super) fn operand(&mut self) -> Parse<Expr> {
        let start = self.here().start;
        let kind = match self.kind() {
            Kind::Word => self.word_operand(),
            Kind::Backtick => self.column_or_call(),
            _ => self.other_operand(),
        }?;
        Ok(Expr { kind, span: self.since(start) })
    }

    #[inline(never)]
    fn other_operand(&mut self) -> Parse<ExprKind> {
        match self.kind() {
            Kind::Integer | Kind::Decimal | Kind::Double => Ok(self.number()),
            Kind::Text
            | Kind::CharsetText
            | Kind::NationalText
            | Kind::UnicodeText
            | Kind::EscapedText
            | Kind::BinaryText => self.string_literal().map(ExprKind::Literal),
            Kind::LeftParen => self.subquery(),
            Kind::LeftBrace => self.braces(),
            _ => Err(self.no_operand()),
        }
    }

    fn subquery(&mut self) -> Parse<ExprKind> {
        self.advance();
        let query = self.query()?;
        self.close()?;
        Ok(ExprKind::Subquery(Box::new(query)))
    }

    /// The fault where an operand should stand.
    fn no_operand(&self) -> Fault {
        let expected = "an expression";
        match self.kind() {
            Kind::Star => self.wanted(
                expected,
                "* can stand only alone in a select list, behind a table's name, or in COUNT(*)",
            ),
            Kind::Question => {
                self.parse_fault("Flink SQL takes no parameters").hint("write the value itself")
            }
            _ => self.unexpected(expected).hint("something is missing before it"),
        }
    }

    fn word_operand(&mut self) -> Parse<ExprKind> {
        let word = self.word().to_ascii_uppercase();
        match self.token(1).kind {
            Kind::LeftParen => self.word_before_paren(&word),
            Kind::LeftBracket => self.word_before_bracket(&word),
            _ => self.word_alone(&word),
        }
    }

    /// A word before `(`: calls and constructors with a notation of their own, or an ordinary call.
    fn word_before_paren(&mut self, word: &str) -> Parse<ExprKind> {
        match word {
            "CASE" => self.case(),
            "INTERVAL" => self.interval(),
            "CAST" | "TRY_CAST" => self.cast(),
            "EXTRACT" => self.extract(),
            "POSITION" => self.position(),
            "OVERLAY" => self.overlay(),
            "SUBSTRING" => self.substring(),
            "TRIM" => self.trim(),
            "FLOOR" | "CEIL" | "CEILING" => self.floor_or_ceil(),
            "TIMESTAMPADD" | "TIMESTAMPDIFF" => self.timestamp_function(),
            "JSON_EXISTS" => self.json_exists(),
            "JSON_VALUE" => self.json_value(),
            "JSON_QUERY" => self.json_query(),
            "JSON_OBJECT" => self.json_object(),
            "JSON_ARRAY" => self.json_array(),
            "JSON_OBJECTAGG" => self.json_object_agg(),
            "JSON_ARRAYAGG" => self.json_array_agg(),
            "EXISTS" | "UNIQUE" => self.exists(),
            "ROW" => self.row_constructor(),
            "ARRAY" if self.query_begins(2) => self.collect_query(CollectKind::Array),
            "MAP" if self.query_begins(2) => self.collect_query(CollectKind::Map),
            "MULTISET" if self.query_begins(2) => self.collect_query(CollectKind::Multiset),
            "ARRAY" | "MULTISET" => {
                self.advance();
                Err(self.wanted("'['", format!("write {word}[…]")))
            }
            "DESCRIPTOR" => self.descriptor(),
            "PERIOD" => self.period(),
            "RUNNING" => self.match_scope(),
            "CURSOR" | "TREAT" | "CONVERT" => {
                Err(self.parse_fault(format!("{word}(…) is not supported by Flink")))
            }
            _ => self.other_word(word),
        }
    }

    fn word_before_bracket(&mut self, word: &str) -> Parse<ExprKind> {
        match word {
            "ARRAY" => self.array(),
            "MAP" => self.map(),
            "MULTISET" => self.multiset(),
            _ => self.word_alone(word),
        }
    }

    /// A word that no bracket follows: literals and what else begins with a keyword, or a column.
    fn word_alone(&mut self, word: &str) -> Parse<ExprKind> {
        let text = self.token(1).kind == Kind::Text;
        match word {
            "NULL" => Ok(self.constant(Literal::Null)),
            "TRUE" => Ok(self.constant(Literal::Boolean(true))),
            "FALSE" => Ok(self.constant(Literal::Boolean(false))),
            "UNKNOWN" => Ok(self.constant(Literal::Unknown)),
            "DATE" | "TIME" | "TIMESTAMP" if text => self.time_literal(),
            "TIMESTAMP" if self.word_at(1).eq_ignore_ascii_case("WITH") => self.time_literal(),
            "INTERVAL" => self.interval(),
            "CASE" => self.case(),
            "EXISTS" | "UNIQUE" => self.exists(),
            "RUNNING" => self.match_scope(),
            // FINAL is no reserved word: `final IN (…)` is about a column.
            "FINAL"
                if self.token(2).kind == Kind::LeftParen
                    && (self.ident_at(1) || is_callable(self.word_at(1))) =>
            {
                self.match_scope()
            }
            "DEFAULT" if self.at_default() => self.default_value().map(|e| e.kind),
            "SELECT" | "VALUES" | "WITH" => {
                Err(self.wanted("an expression", "put a query in an expression into parentheses: (SELECT …)"))
            }
            _ => self.other_word(word),
        }
    }

    fn other_word(&mut self, word: &str) -> Parse<ExprKind> {
        if !is_reserved(word) {
            return self.column_or_call();
        }
        let call = self.token(1).kind == Kind::LeftParen;
        if call && is_callable(word) {
            return self.reserved_call();
        }
        if is_niladic(word) {
            return Ok(self.niladic());
        }
        if call {
            let hint = match word {
                "STRING_AGG" | "GROUP_CONCAT" => "call LISTAGG(value, ',')".to_string(),
                "CONTAINS" => "compare POSITION(part IN text) > 0, or write LIKE '%part%'".to_string(),
                "DATE_TRUNC" => "write FLOOR(time TO unit)".to_string(),
                _ => format!("{}; there is no system function of that name", reserved_hint(self.word())),
            };
            return Err(self.wanted("an expression", hint));
        }
        // A clause that stands too early has another remedy than the quotes.
        Err(if self.looks_like_name() {
            self.wanted("an expression", reserved_hint(self.word()))
        } else {
            self.unexpected("an expression").hint("something is missing before it")
        })
    }

    /// Whether the reserved word at hand was meant as a column: nothing that begins a clause follows its kind.
    pub(crate) fn looks_like_name(&self) -> bool {
        !self.at_any(&[
            "FROM",
            "WHERE",
            "GROUP",
            "HAVING",
            "ORDER",
            "LIMIT",
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "JOIN",
            "ON",
            "AND",
            "OR",
            "NOT",
            "THEN",
            "ELSE",
            "WHEN",
            "AS",
            "IN",
            "IS",
            "LIKE",
            "BETWEEN",
            "BY",
            "SET",
            "INTO",
            "USING",
            "INSERT",
            "CREATE",
            "LATERAL",
            "DEFAULT",
            "LEFT",
            "RIGHT",
            "FULL",
            "INNER",
            "CROSS",
        ])
    }

    fn constant(&mut self, literal: Literal) -> ExprKind {
        self.advance();
        ExprKind::Literal(literal)
    }

    /// A path of names: a column, or a call if a parenthesis follows.
    fn column_or_call(&mut self) -> Parse<ExprKind> {
        let start = self.here().start;
        let parts = self.path("an expression")?;
        if self.is(Kind::LeftParen) {
            let span = self.since(start);
            return self.call(parts, span);
        }
        Ok(ExprKind::Column(parts))
    }

    /// `{fn f(x)}`, `{d '…'}`, `{t '…'}`, `{ts '…'}`.
    fn braces(&mut self) -> Parse<ExprKind> {
        let start = self.advance();
        let word = self.word().to_ascii_uppercase();
        let literal: fn(String) -> Literal = match word.as_str() {
            "D" => Literal::Date,
            "T" => Literal::Time,
            "TS" => Literal::Timestamp,
            "FN" if JDBC_FUNCTIONS.iter().any(|(n, _)| self.word_at(1).eq_ignore_ascii_case(n)) => {
                self.advance();
                return self.jdbc_function();
            }
            "FN" => {
                return Err(Fault::user("unsupported", "Flink finds no function in {fn …}")
                    .at(start.span())
                    .hint("write the call without {fn }"));
            }
            _ => return Err(parse_fault_at(start.span(), "'{' means nothing here")),
        };
        self.advance();
        let text = self.text("a string")?;
        self.expect(Kind::RightBrace, "'}'")?;
        Ok(ExprKind::Literal(literal(text.value)))
    }

    /// The call in `{fn call}`, by its name in Flink SQL.
    fn jdbc_function(&mut self) -> Parse<ExprKind> {
        let mut call = self.expr()?;
        self.expect(Kind::RightBrace, "'}'")?;
        if let ExprKind::Function(function) = &mut call.kind
            && let [name] = function.name.parts.as_mut_slice()
            && let Some((_, own)) = JDBC_FUNCTIONS.iter().find(|(n, _)| name.value.eq_ignore_ascii_case(n))
        {
            name.value = (*own).to_string();
        }
        Ok(call.kind)
    }

    /// Whether `(` at hand opens a query rather than an expression, a list or a join: it stands before SELECT, WITH,
    /// VALUES or TABLE, or before such a parenthesis that a set operation or a clause of a query follows.
    pub(crate) fn at_query_paren(&self) -> bool {
        if self.kind() != Kind::LeftParen {
            return false;
        }
        let mut depth = 1;
        while self.token(depth).kind == Kind::LeftParen && depth <= MAX_DEPTH {
            depth += 1;
        }
        if !self.query_begins(depth) {
            return false;
        }
        // Look behind the parentheses that stand further in, the outermost of them first.
        for open in 1..depth {
            let behind = self.matching(open) + 1;
            if self.token(behind).kind == Kind::RightParen {
                continue;
            }
            return is_query_tail(self.word_at(behind));
        }
        true
    }

    /// Whether a query begins at a token.
    pub(crate) fn query_begins(&self, ahead: usize) -> bool {
        let word = self.word_at(ahead);
        ["SELECT", "WITH", "VALUES"].iter().any(|k| word.eq_ignore_ascii_case(k))
            || (word.eq_ignore_ascii_case("TABLE") && self.ident_at(ahead + 1))
    }
}

/// Words that follow a query in parentheses and go on with it.
fn is_query_tail(word: &str) -> bool {
    ["UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH"]
        .iter()
        .any(|k| word.eq_ignore_ascii_case(k))
}
