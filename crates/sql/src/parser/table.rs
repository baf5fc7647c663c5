//! What a table is made of: columns, watermark, keys, distribution, LIKE.

use super::fault::parse_fault_at;
use super::{Parse, Parser};
use crate::ast::{
    ColumnDef, ColumnKind, ConstraintDef, Distribution, DistributionKind, Ident, IndexDef, LikeFeature,
    LikeStrategy, LikeWhat, ObjectName, TableLike, TableSchema, WatermarkDef,
};
use crate::keywords::is_reserved;
use crate::lexer::Kind;

impl Parser<'_> {
    /// `(columns, WATERMARK …, PRIMARY KEY …)`.
    pub(crate) fn table_schema(&mut self) -> Parse<TableSchema> {
        let start = self.here().start;
        self.open()?;
        let mut schema = TableSchema::default();
        if self.is(Kind::RightParen) {
            return Err(self.wanted("a column", "leave out the empty parentheses"));
        }
        loop {
            self.table_element(&mut schema)?;
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if !self.is(Kind::RightParen) {
            return Err(self.behind_column());
        }
        self.advance();
        schema.span = self.since(start);
        Ok(schema)
    }

    /// The fault for what stands behind a column where a comma belongs.
    fn behind_column(&self) -> millstream_types::Fault {
        let hint = match self.word().to_ascii_uppercase().as_str() {
            "AS" => "a computed column has no type: name AS expression",
            "DEFAULT" => "Flink SQL has no default values",
            "GENERATED" => "write name AS expression",
            "COMMENT" => "a comment stands behind everything else of its column",
            _ => return self.unexpected("',' or ')'"),
        };
        self.wanted("',' or ')'", hint)
    }

    fn table_element(&mut self, schema: &mut TableSchema) -> Parse<()> {
        match self.word().to_ascii_uppercase().as_str() {
            "WATERMARK" => {
                let at = self.here();
                let watermark = self.watermark()?;
                if schema.watermark.is_some() {
                    return Err(parse_fault_at(at, "a table can have one WATERMARK only"));
                }
                schema.watermark = Some(watermark);
            }
            "UNIQUE" if self.word_at(1).eq_ignore_ascii_case("INDEX") => schema.indexes.push(self.index()?),
            "INDEX" if self.at_index() => schema.indexes.push(self.index()?),
            "PRIMARY" | "UNIQUE" | "CONSTRAINT" => schema.constraints.push(self.table_constraint()?),
            "PERIOD" if self.at_all(&["PERIOD", "FOR", "SYSTEM_TIME"]) => {
                let start = self.here().start;
                self.expect_words(&["PERIOD", "FOR", "SYSTEM_TIME"])?;
                schema.period = Some(self.since(start));
            }
            _ => {
                let (column, constraint) = self.column()?;
                schema.columns.push(column);
                schema.constraints.extend(constraint);
            }
        }
        Ok(())
    }

    /// `INDEX (a)` or `INDEX name (a)`, which no column looks like.
    fn at_index(&self) -> bool {
        self.token(1).kind == Kind::LeftParen || (self.ident_at(1) && self.token(2).kind == Kind::LeftParen)
    }

    fn index(&mut self) -> Parse<IndexDef> {
        let start = self.here().start;
        let unique = self.eat_word("UNIQUE");
        self.expect_word("INDEX")?;
        let name = if self.at_ident() { Some(self.ident("an index's name")?) } else { None };
        let columns = self.ident_list("a column's name")?;
        Ok(IndexDef { unique, name, columns, span: self.since(start) })
    }

    /// `WATERMARK [name] FOR column AS expr`; the name is Blink's.
    pub(crate) fn watermark(&mut self) -> Parse<WatermarkDef> {
        let start = self.here().start;
        self.expect_word("WATERMARK")?;
        let name = if self.at_ident() { Some(self.ident("a watermark's name")?) } else { None };
        self.expect_word("FOR")?;
        let column_start = self.here().start;
        let parts = self.path("a column's name")?;
        let column = ObjectName { parts, span: self.since(column_start) };
        self.expect_word("AS")?;
        let strategy = self.expr()?;
        Ok(WatermarkDef { name, column, strategy, span: self.since(start) })
    }

    /// A column, and the key that may be declared with it.
    pub(crate) fn column(&mut self) -> Parse<(ColumnDef, Option<ConstraintDef>)> {
        let start = self.here().start;
        if self.at_leading_expression() {
            // Blink's order: the expression first.
            let expr = self.expr()?;
            if !self.at("AS") {
                return Err(self.unexpected("AS and the column's name"));
            }
            self.advance();
            let name = self.ident("a column's name")?;
            let comment = self.comment()?;
            let span = self.since(start);
            return Ok((ColumnDef { name, kind: ColumnKind::Computed(expr), comment, span }, None));
        }
        let name = self.ident("a column's name")?;
        let mut constraint = None;
        let kind = if self.eat_word("AS") {
            ColumnKind::Computed(self.expr()?)
        } else if matches!(self.kind(), Kind::Comma | Kind::RightParen) {
            ColumnKind::NameOnly
        } else {
            let data_type = self.column_type()?;
            if self.eat_word("METADATA") {
                let key = if self.eat_word("FROM") {
                    Some(self.text("the metadata's key as a string")?)
                } else {
                    None
                };
                ColumnKind::Metadata { data_type, key, is_virtual: self.eat_word("VIRTUAL") }
            } else if self.eat_word("HEADER") {
                ColumnKind::Header(data_type)
            } else {
                if self.at_any(&["CONSTRAINT", "PRIMARY", "UNIQUE"]) {
                    constraint = Some(self.column_constraint(&name)?);
                }
                ColumnKind::Physical(data_type)
            }
        };
        let comment = self.comment()?;
        Ok((ColumnDef { name, kind, comment, span: self.since(start) }, constraint))
    }

    /// Whether a column begins with an expression rather than its name.
    fn at_leading_expression(&self) -> bool {
        let next = self.token(1).kind;
        match self.kind() {
            Kind::Word if is_reserved(self.word()) => next == Kind::LeftParen || self.at("CASE"),
            Kind::Word | Kind::Backtick => matches!(
                next,
                Kind::LeftParen
                    | Kind::Dot
                    | Kind::LeftBracket
                    | Kind::Plus
                    | Kind::Minus
                    | Kind::Star
                    | Kind::Slash
                    | Kind::Percent
                    | Kind::Concat
            ),
            Kind::Text | Kind::Integer | Kind::Decimal | Kind::Double | Kind::Minus => true,
            _ => false,
        }
    }

    fn constraint_name(&mut self) -> Parse<Option<Ident>> {
        if !self.eat_word("CONSTRAINT") {
            return Ok(None);
        }
        self.ident("a constraint's name").map(Some)
    }

    /// PRIMARY KEY (false) or UNIQUE (true).
    fn unique(&mut self) -> Parse<bool> {
        if self.eat_word("UNIQUE") {
            return Ok(true);
        }
        self.expect_words(&["PRIMARY", "KEY"])?;
        Ok(false)
    }

    fn enforced(&mut self) -> Option<bool> {
        if self.eat_words(&["NOT", "ENFORCED"]) {
            Some(false)
        } else if self.eat_word("ENFORCED") {
            Some(true)
        } else {
            None
        }
    }

    fn column_constraint(&mut self, column: &Ident) -> Parse<ConstraintDef> {
        let start = self.here().start;
        let name = self.constraint_name()?;
        let unique = self.unique()?;
        let enforced = self.enforced();
        Ok(ConstraintDef { name, unique, columns: vec![column.clone()], enforced, span: self.since(start) })
    }

    pub(crate) fn table_constraint(&mut self) -> Parse<ConstraintDef> {
        let start = self.here().start;
        let name = self.constraint_name()?;
        let unique = self.unique()?;
        let columns = self.ident_list("a column's name")?;
        let enforced = self.enforced();
        Ok(ConstraintDef { name, unique, columns, enforced, span: self.since(start) })
    }

    /// `DISTRIBUTED …`, if it is there.
    pub(crate) fn distribution(&mut self) -> Parse<Option<Distribution>> {
        if !self.at("DISTRIBUTED") {
            return Ok(None);
        }
        let start = self.advance().start;
        self.distribution_body(start).map(Some)
    }

    /// `[BY [HASH | RANGE] (columns)] [INTO n BUCKETS]`.
    pub(crate) fn distribution_body(&mut self, start: u32) -> Parse<Distribution> {
        let mut distribution =
            Distribution { kind: None, columns: Vec::new(), buckets: None, span: self.here() };
        if self.eat_word("BY") {
            if self.eat_word("HASH") {
                distribution.kind = Some(DistributionKind::Hash);
            } else if self.eat_word("RANGE") {
                distribution.kind = Some(DistributionKind::Range);
            }
            distribution.columns = self.ident_list("a column's name")?;
        } else if !self.at("INTO") {
            return Err(self.unexpected("BY or INTO"));
        }
        if self.eat_word("INTO") {
            distribution.buckets = Some(self.unsigned("a number of buckets")?);
            self.expect_word("BUCKETS")?;
        }
        distribution.span = self.since(start);
        Ok(distribution)
    }

    /// `PARTITIONED BY (a, b)`, if it is there.
    pub(crate) fn partitioned_by(&mut self) -> Parse<Vec<Ident>> {
        if !self.eat_word("PARTITIONED") {
            return Ok(Vec::new());
        }
        self.expect_word("BY")?;
        if self.is(Kind::LeftParen) && self.ident_at(1) && self.token(2).kind == Kind::Word {
            self.advance();
            self.advance();
            return Err(
                self.wanted("',' or ')'", "declare the column among the others and only name it here")
            );
        }
        self.ident_list("a column's name")
    }

    /// `LIKE table [(INCLUDING ALL …)]`.
    pub(crate) fn table_like(&mut self) -> Parse<TableLike> {
        let start = self.advance().start;
        let source = self.object_name("a table's name")?;
        let mut features = Vec::new();
        if self.eat(Kind::LeftParen) {
            while !self.is(Kind::RightParen) {
                features.push(self.like_feature()?);
            }
            self.advance();
        }
        Ok(TableLike { source, features, span: self.since(start) })
    }

    fn like_feature(&mut self) -> Parse<LikeFeature> {
        let start = self.here().start;
        let strategy = if self.eat_word("INCLUDING") {
            LikeStrategy::Including
        } else if self.eat_word("EXCLUDING") {
            LikeStrategy::Excluding
        } else if self.eat_word("OVERWRITING") {
            LikeStrategy::Overwriting
        } else {
            return Err(self.unexpected("INCLUDING, EXCLUDING, OVERWRITING or ')'"));
        };
        let overwriting = strategy == LikeStrategy::Overwriting;
        let feature = match self.word().to_ascii_uppercase().as_str() {
            "ALL" if !overwriting => LikeWhat::All,
            "CONSTRAINTS" if !overwriting => LikeWhat::Constraints,
            "DISTRIBUTION" if !overwriting => LikeWhat::Distribution,
            "PARTITIONS" if !overwriting => LikeWhat::Partitions,
            "GENERATED" => LikeWhat::Generated,
            "METADATA" => LikeWhat::Metadata,
            "OPTIONS" => LikeWhat::Options,
            "WATERMARKS" => LikeWhat::Watermarks,
            _ if overwriting => return Err(self.unexpected("GENERATED, METADATA, OPTIONS or WATERMARKS")),
            _ => {
                let all =
                    "ALL, CONSTRAINTS, DISTRIBUTION, GENERATED, METADATA, OPTIONS, PARTITIONS or WATERMARKS";
                return Err(self.unexpected(all));
            }
        };
        self.advance();
        Ok(LikeFeature { strategy, feature, span: self.since(start) })
    }
}
