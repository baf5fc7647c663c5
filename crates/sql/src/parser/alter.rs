//! ALTER.

use super::fault::parse_fault_at;
use super::{Parse, Parser};
use crate::ast::{
    Alter, AlterCatalog, AlterMaterializedTable, AlterModel, AlterSchema, AlterTable, ColumnPosition,
    CreateFunction, CreateMode, FunctionScope, Ident, ObjectName, Statement,
};
use crate::lexer::Kind;

impl Parser<'_> {
    pub(crate) fn alter(&mut self) -> Parse<Statement> {
        self.advance();
        let temporary = self.eat_word("TEMPORARY");
        let system = temporary && self.eat_word("SYSTEM");
        if temporary && !self.at("FUNCTION") {
            return Err(self.unexpected("FUNCTION"));
        }
        if self.eat_words(&["MATERIALIZED", "TABLE"]) {
            let name = self.object_name("a table's name")?;
            let action = self.alter_materialized_table()?;
            return Ok(Statement::Alter(Box::new(Alter::MaterializedTable(name, action))));
        }
        let alter = match self.word().to_ascii_uppercase().as_str() {
            "TABLE" => {
                self.advance();
                let if_exists = self.if_exists();
                let name = self.object_name("a table's name")?;
                Alter::Table { if_exists, name, action: self.alter_table()? }
            }
            "VIEW" => self.alter_view()?,
            "DATABASE" => {
                self.advance();
                let name = self.object_name("a database's name")?;
                self.expect_word("SET")?;
                Alter::Database(name, self.options()?)
            }
            "CATALOG" => {
                self.advance();
                let name = self.ident("a catalog's name")?;
                Alter::Catalog(name, self.alter_catalog()?)
            }
            "MODEL" => {
                self.advance();
                let if_exists = self.if_exists();
                let name = self.object_name("a model's name")?;
                Alter::Model { if_exists, name, action: self.alter_model()? }
            }
            "FUNCTION" => {
                let scope = match (temporary, system) {
                    (_, true) => FunctionScope::TemporarySystem,
                    (true, _) => FunctionScope::Temporary,
                    _ => FunctionScope::Catalog,
                };
                self.alter_function(scope)?
            }
            _ => return Err(self.unexpected("TABLE, VIEW, DATABASE, CATALOG, MODEL or FUNCTION")),
        };
        Ok(Statement::Alter(Box::new(alter)))
    }

    fn alter_function(&mut self, scope: FunctionScope) -> Parse<Alter> {
        self.advance();
        let if_exists = self.if_exists();
        let name = self.object_name("a function's name")?;
        self.expect_word("AS")?;
        let class = self.text("a class as a string")?;
        let function = self.function_clauses(CreateFunction {
            mode: CreateMode::Replace,
            scope,
            name,
            class,
            language: None,
            resources: Vec::new(),
            options: Vec::new(),
        })?;
        Ok(Alter::Function { if_exists, function: Box::new(function) })
    }

    fn alter_view(&mut self) -> Parse<Alter> {
        self.advance();
        let name = self.object_name("a view's name")?;
        if self.eat_words(&["RENAME", "TO"]) {
            return Ok(Alter::ViewRename(name, self.object_name("a view's name")?));
        }
        if !self.at("AS") {
            return Err(self.unexpected("RENAME TO or AS"));
        }
        self.advance();
        if !self.at_query() {
            return Err(self.unexpected("a query"));
        }
        Ok(Alter::ViewAs(name, Box::new(self.query()?)))
    }

    fn alter_catalog(&mut self) -> Parse<AlterCatalog> {
        if self.eat_word("SET") {
            return Ok(AlterCatalog::Set(self.options()?));
        }
        if self.eat_word("RESET") {
            return Ok(AlterCatalog::Reset(self.keys()?));
        }
        if self.eat_word("COMMENT") {
            return Ok(AlterCatalog::Comment(self.comment_text()?));
        }
        Err(self.unexpected("SET, RESET or COMMENT"))
    }

    fn alter_model(&mut self) -> Parse<AlterModel> {
        if self.eat_word("SET") {
            return Ok(AlterModel::Set(self.options()?));
        }
        if self.eat_word("RESET") {
            return Ok(AlterModel::Reset(self.keys()?));
        }
        if self.eat_words(&["RENAME", "TO"]) {
            return Ok(AlterModel::Rename(self.object_name("a model's name")?));
        }
        Err(self.unexpected("SET, RESET or RENAME TO"))
    }

    fn alter_materialized_table(&mut self) -> Parse<AlterMaterializedTable> {
        if self.eat_word("SUSPEND") {
            return Ok(AlterMaterializedTable::Suspend);
        }
        if self.eat_word("RESUME") {
            return Ok(AlterMaterializedTable::Resume(self.with_options()?));
        }
        if self.eat_word("REFRESH") {
            let partition = if self.at("PARTITION") { Some(self.partition()?) } else { None };
            return Ok(AlterMaterializedTable::Refresh(partition));
        }
        if self.eat_word("RESET") {
            return Ok(AlterMaterializedTable::Reset(self.keys()?));
        }
        if self.eat_word("AS") {
            return Ok(AlterMaterializedTable::As(Box::new(self.query()?)));
        }
        if !self.at("SET") {
            return Err(self.unexpected("SUSPEND, RESUME, REFRESH, SET, RESET or AS"));
        }
        self.advance();
        if self.eat_word("FRESHNESS") {
            self.expect(Kind::Eq, "'='")?;
            return Ok(AlterMaterializedTable::SetFreshness(self.interval_literal()?));
        }
        if self.eat_word("REFRESH_MODE") {
            self.expect(Kind::Eq, "'='")?;
            return Ok(AlterMaterializedTable::SetRefreshMode { full: self.refresh_mode()? });
        }
        Ok(AlterMaterializedTable::Set(self.options()?))
    }

    fn alter_table(&mut self) -> Parse<AlterTable> {
        match self.word().to_ascii_uppercase().as_str() {
            "RENAME" => self.alter_rename(),
            "SET" => {
                self.advance();
                Ok(AlterTable::Set(self.options()?))
            }
            "RESET" => {
                self.advance();
                Ok(AlterTable::Reset(self.keys()?))
            }
            "ADD" => self.alter_add(),
            "MODIFY" => {
                self.advance();
                self.no_column_word("MODIFY")?;
                Ok(AlterTable::Modify(self.alter_schema()?))
            }
            "DROP" => self.alter_drop(),
            _ => Err(self.unexpected("RENAME, SET, RESET, ADD, MODIFY or DROP")),
        }
    }

    fn alter_rename(&mut self) -> Parse<AlterTable> {
        self.advance();
        if self.eat_word("TO") {
            return Ok(AlterTable::Rename(self.object_name("a table's name")?));
        }
        self.no_column_word("RENAME")?;
        let column = self.column_path()?;
        self.expect_word("TO")?;
        Ok(AlterTable::RenameColumn(column, self.ident("a column's name")?))
    }

    /// `ALTER TABLE t ADD COLUMN x` is another product's.
    fn no_column_word(&self, action: &str) -> Parse<()> {
        if self.at("COLUMN") || (self.at("COLUMNS") && self.token(1).kind == Kind::LeftParen) {
            return Err(self.wanted("a column's name", format!("leave out {}: {action} name …", self.word())));
        }
        Ok(())
    }

    /// A column, perhaps a nested field.
    fn column_path(&mut self) -> Parse<ObjectName> {
        let start = self.here().start;
        let parts: Vec<Ident> = self.path("a column's name")?;
        Ok(ObjectName { parts, span: self.since(start) })
    }

    fn alter_add(&mut self) -> Parse<AlterTable> {
        self.advance();
        let if_not_exists = self.at_all(&["IF", "NOT", "EXISTS"]) && self.if_not_exists();
        if if_not_exists || self.at("PARTITION") {
            let mut partitions = Vec::new();
            loop {
                let spec = self.partition()?;
                partitions.push((spec, self.with_options()?));
                if !self.at("PARTITION") {
                    break;
                }
            }
            return Ok(AlterTable::AddPartitions { if_not_exists, partitions });
        }
        self.no_column_word("ADD")?;
        Ok(AlterTable::Add(self.alter_schema()?))
    }

    /// One element, or several in parentheses.
    fn alter_schema(&mut self) -> Parse<AlterSchema> {
        let mut schema = AlterSchema::default();
        if self.at("DISTRIBUTION") {
            let start = self.advance().start;
            schema.distribution = Some(self.distribution_body(start)?);
            return Ok(schema);
        }
        if !self.eat(Kind::LeftParen) {
            self.alter_element(&mut schema)?;
            return Ok(schema);
        }
        loop {
            self.alter_element(&mut schema)?;
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if !self.is(Kind::RightParen) {
            return Err(self.unexpected("',' or ')'"));
        }
        self.advance();
        Ok(schema)
    }

    fn alter_element(&mut self, schema: &mut AlterSchema) -> Parse<()> {
        if self.at("WATERMARK") {
            let at = self.here();
            let watermark = self.watermark()?;
            if schema.watermark.is_some() {
                return Err(parse_fault_at(at, "a table can have one WATERMARK only"));
            }
            schema.watermark = Some(watermark);
            return Ok(());
        }
        if self.at_any(&["PRIMARY", "UNIQUE", "CONSTRAINT"]) {
            schema.constraints.push(self.table_constraint()?);
            return Ok(());
        }
        let (column, constraint) = self.column()?;
        schema.constraints.extend(constraint);
        let position = if self.eat_word("FIRST") {
            Some(ColumnPosition::First)
        } else if self.eat_word("AFTER") {
            Some(ColumnPosition::After(self.column_path()?))
        } else {
            None
        };
        schema.columns.push((column, position));
        Ok(())
    }

    fn alter_drop(&mut self) -> Parse<AlterTable> {
        self.advance();
        if self.eat_words(&["PRIMARY", "KEY"]) {
            return Ok(AlterTable::DropPrimaryKey);
        }
        if self.eat_word("CONSTRAINT") {
            return Ok(AlterTable::DropConstraint(self.ident("a constraint's name")?));
        }
        if self.eat_word("WATERMARK") {
            return Ok(AlterTable::DropWatermark);
        }
        if self.eat_word("DISTRIBUTION") {
            return Ok(AlterTable::DropDistribution);
        }
        let if_exists = self.at_all(&["IF", "EXISTS", "PARTITION"]) && self.if_exists();
        if if_exists || self.at("PARTITION") {
            let partitions = self.commas(Self::partition)?;
            return Ok(AlterTable::DropPartitions { if_exists, partitions });
        }
        self.no_column_word("DROP")?;
        if self.is(Kind::LeftParen) {
            return Ok(AlterTable::DropColumns(self.in_parens(Self::column_path)?));
        }
        Ok(AlterTable::DropColumns(vec![self.column_path()?]))
    }
}
