//! SHOW and DESCRIBE.

use super::fault::near;
use super::{Parse, Parser};
use crate::ast::{Describe, Show, ShowKind, ShowLike, Statement};
use crate::lexer::Kind;

/// What can follow a SHOW.
#[derive(Clone, Copy)]
struct Filters {
    from: bool,
    like: bool,
    ilike: bool,
}

const NONE: Filters = Filters { from: false, like: false, ilike: false };
const LIKE: Filters = Filters { from: false, like: true, ilike: true };
const TABLES: Filters = Filters { from: true, like: true, ilike: false };
const ALL: Filters = Filters { from: true, like: true, ilike: true };

const SHOWN: &[&str] = &[
    "CATALOGS",
    "DATABASES",
    "TABLES",
    "VIEWS",
    "COLUMNS",
    "FUNCTIONS",
    "PROCEDURES",
    "MODELS",
    "MODULES",
    "JARS",
    "JOBS",
    "PARTITIONS",
    "CREATE",
    "CURRENT",
    "MATERIALIZED",
];

impl Parser<'_> {
    pub(crate) fn show(&mut self) -> Parse<Statement> {
        self.advance();
        let at = self.at;
        let (kind, filters) = self.show_kind()?;
        if at == self.at {
            return Err(self.unexpected("what to show"));
        }
        let mut show = Show { kind, from: None, like: None };
        if matches!(show.kind, ShowKind::Columns) && !self.at_any(&["FROM", "IN"]) {
            return Err(self.unexpected("FROM or IN"));
        }
        if filters.from && self.at_any(&["FROM", "IN"]) {
            self.advance();
            show.from = Some(self.object_name("a name")?);
        }
        if filters.like {
            show.like = self.show_like(filters.ilike)?;
        }
        Ok(Statement::Show(Box::new(show)))
    }

    fn show_like(&mut self, ilike: bool) -> Parse<Option<ShowLike>> {
        let negated = self.at("NOT");
        let word = self.word_at(usize::from(negated));
        let ignore_case = word.eq_ignore_ascii_case("ILIKE");
        if ignore_case && !ilike {
            return Err(self.wanted("LIKE", "this SHOW takes LIKE only"));
        }
        if !ignore_case && !word.eq_ignore_ascii_case("LIKE") {
            return Ok(None);
        }
        if negated {
            self.advance();
        }
        self.advance();
        let pattern = self.text("a pattern as a string")?;
        Ok(Some(ShowLike { negated, ignore_case, pattern }))
    }

    fn show_kind(&mut self) -> Parse<(ShowKind, Filters)> {
        let word = self.word().to_ascii_uppercase();
        let (kind, filters) = match word.as_str() {
            "CATALOGS" => (ShowKind::Catalogs, LIKE),
            "DATABASES" => (ShowKind::Databases, ALL),
            "TABLES" => (ShowKind::Tables, TABLES),
            "VIEWS" => (ShowKind::Views, TABLES),
            "COLUMNS" => (ShowKind::Columns, TABLES),
            "FUNCTIONS" => (ShowKind::Functions { user: false }, ALL),
            "PROCEDURES" => (ShowKind::Procedures, ALL),
            "MODELS" => (ShowKind::Models, TABLES),
            "MODULES" => (ShowKind::Modules { full: false }, NONE),
            "JARS" => (ShowKind::Jars, NONE),
            "JOBS" => (ShowKind::Jobs, NONE),
            "USER" if self.eat_words(&["USER", "FUNCTIONS"]) => {
                return Ok((ShowKind::Functions { user: true }, ALL));
            }
            "FULL" if self.eat_words(&["FULL", "MODULES"]) => {
                return Ok((ShowKind::Modules { full: true }, NONE));
            }
            "MATERIALIZED" if self.eat_words(&["MATERIALIZED", "TABLES"]) => {
                return Ok((ShowKind::MaterializedTables, TABLES));
            }
            "CURRENT" if self.eat_words(&["CURRENT", "CATALOG"]) => {
                return Ok((ShowKind::CurrentCatalog, NONE));
            }
            "CURRENT" if self.eat_words(&["CURRENT", "DATABASE"]) => {
                return Ok((ShowKind::CurrentDatabase, NONE));
            }
            "CURRENT" => {
                self.advance();
                return Err(self.unexpected("CATALOG or DATABASE"));
            }
            "PARTITIONS" => {
                self.advance();
                let table = self.object_name("a table's name")?;
                let partition = if self.at("PARTITION") { Some(self.partition()?) } else { None };
                return Ok((ShowKind::Partitions(table, partition), NONE));
            }
            "CREATE" => {
                self.advance();
                return Ok((self.show_create()?, NONE));
            }
            _ => {
                let hint = match near(&word, SHOWN) {
                    Some(near) => format!("did you mean SHOW {near}?"),
                    None => format!("it can be {}", SHOWN.join(", ")),
                };
                return Err(self.wanted("what to show", hint));
            }
        };
        self.advance();
        Ok((kind, filters))
    }

    fn show_create(&mut self) -> Parse<ShowKind> {
        if self.eat_words(&["MATERIALIZED", "TABLE"]) {
            return self.object_name("a table's name").map(ShowKind::CreateMaterializedTable);
        }
        if self.eat_word("TABLE") {
            return self.object_name("a table's name").map(ShowKind::CreateTable);
        }
        if self.eat_word("VIEW") {
            return self.object_name("a view's name").map(ShowKind::CreateView);
        }
        if self.eat_word("CATALOG") {
            return self.ident("a catalog's name").map(ShowKind::CreateCatalog);
        }
        if self.eat_word("MODEL") {
            return self.object_name("a model's name").map(ShowKind::CreateModel);
        }
        Err(self.unexpected("TABLE, VIEW, CATALOG, MODEL or MATERIALIZED TABLE"))
    }

    pub(crate) fn describe(&mut self) -> Parse<Statement> {
        self.advance();
        // CATALOG, DATABASE, MODEL and JOB are no reserved words: before the end they are a table's name.
        let named = !matches!(self.token(1).kind, Kind::End | Kind::Semicolon | Kind::Dot);
        if named {
            match self.word().to_ascii_uppercase().as_str() {
                "CATALOG" => {
                    let extended = self.describe_extended();
                    return Ok(Statement::Describe(Describe::Catalog {
                        extended,
                        name: self.ident("a catalog's name")?,
                    }));
                }
                "DATABASE" => {
                    let extended = self.describe_extended();
                    let name = self.object_name("a database's name")?;
                    return Ok(Statement::Describe(Describe::Database { extended, name }));
                }
                "FUNCTION" => {
                    let extended = self.describe_extended();
                    let name = self.object_name("a function's name")?;
                    return Ok(Statement::Describe(Describe::Function { extended, name }));
                }
                "MODEL" => {
                    let extended = self.describe_extended();
                    let name = self.object_name("a model's name")?;
                    return Ok(Statement::Describe(Describe::Model { extended, name }));
                }
                "JOB" => {
                    self.advance();
                    return Ok(Statement::Describe(Describe::Job(self.text("the job's id as a string")?)));
                }
                "TABLE" => {
                    return Err(self
                        .unsupported("DESCRIBE TABLE")
                        .hint("write DESCRIBE and the table's name"));
                }
                "PLAN" if self.word_at(1).eq_ignore_ascii_case("FOR") => {
                    self.advance();
                    return Err(self.wanted("the end of the statement", "write EXPLAIN PLAN FOR"));
                }
                _ => {}
            }
        }
        let extended = self.eat_word("EXTENDED");
        Ok(Statement::Describe(Describe::Table { extended, name: self.object_name("a table's name")? }))
    }

    fn describe_extended(&mut self) -> bool {
        self.advance();
        self.eat_word("EXTENDED")
    }
}
