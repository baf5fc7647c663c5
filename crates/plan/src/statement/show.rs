//! SHOW.

use millstream_sql::ast::{ObjectName, Show, ShowKind, ShowLike};
use millstream_types::Fault;

use super::{Planned, SessionState, StatementRows, definition_text};
use crate::catalog::{Stored, failed};

impl SessionState {
    pub(super) fn show(&mut self, show: &Show) -> Result<Planned, Fault> {
        let like = show.like.as_ref();
        let list = |column: &str, mut names: Vec<String>| {
            names.sort();
            names.dedup();
            names.retain(|n| matches_like(n, like));
            Ok(StatementRows::list(column, names))
        };
        let one = |column: &str, text: String| Ok(StatementRows::list(column, [text]));
        match &show.kind {
            ShowKind::Catalogs => list("catalog name", self.catalogs.catalogs().keys().cloned().collect()),
            ShowKind::CurrentCatalog => one("current catalog name", self.namespace.catalog.clone()),
            ShowKind::CurrentDatabase => one("current database name", self.namespace.database.clone()),
            ShowKind::Databases => {
                let catalog = match show.from.as_ref() {
                    Some(name) => name.last(),
                    None => &self.namespace.catalog,
                };
                let Some(found) = self.catalogs.catalog(catalog) else {
                    let span = show.from.as_ref().map(|f| f.span).unwrap_or_default();
                    return Err(self.unknown_catalog(catalog).at(span));
                };
                list("database name", found.databases.keys().cloned().collect())
            }
            ShowKind::Tables => list("table name", self.objects(show.from.as_ref(), |_| true)?),
            ShowKind::Views => {
                list("view name", self.objects(show.from.as_ref(), |o| matches!(o, Stored::View(_)))?)
            }
            ShowKind::MaterializedTables => {
                list("materialized table name", self.objects(show.from.as_ref(), |_| false)?)
            }
            ShowKind::Columns => {
                let name = show.from.as_ref().ok_or_else(|| {
                    Fault::user("missing-table", "SHOW COLUMNS needs a table")
                        .hint("write SHOW COLUMNS FROM name")
                })?;
                self.describe_columns(name, like)
            }
            ShowKind::Functions { user } => {
                let (catalog, database) = match show.from.as_ref() {
                    Some(name) => self.existing_database(name)?,
                    None => (self.namespace.catalog.clone(), self.namespace.database.clone()),
                };
                let mut names = self.catalogs.user_functions(&catalog, &database);
                names.extend(self.catalogs.registered().iter().map(|f| f.name().to_lowercase()));
                if !user && self.catalogs.used_modules().iter().any(|m| m == "core") {
                    names.extend(built_in_functions());
                }
                list("function name", names)
            }
            ShowKind::Procedures => {
                Err(Fault::user("no-procedures", "catalogs in memory have no procedures")
                    .hint("SHOW FUNCTIONS lists what can be called in a query"))
            }
            ShowKind::Models => list("model name", Vec::new()),
            ShowKind::Modules { full: false } => {
                Ok(StatementRows::list("module name", self.catalogs.used_modules().to_vec()))
            }
            ShowKind::Modules { full: true } => {
                let used = self.catalogs.used_modules();
                let unused = self.catalogs.loaded_modules().iter().filter(|m| !used.contains(m));
                let rows = used
                    .iter()
                    .map(|m| (m, true))
                    .chain(unused.map(|m| (m, false)))
                    .map(|(m, u)| vec![m.as_str().into(), u.into()])
                    .collect();
                let schema = millstream_types::Schema::new(vec![
                    millstream_types::Field::new("module name", millstream_types::DataType::string()),
                    millstream_types::Field::new("used", millstream_types::DataType::boolean()),
                ]);
                Ok(Planned::Rows(StatementRows { schema: schema.into(), rows }))
            }
            ShowKind::Jars => Ok(StatementRows::list("jars", [])),
            ShowKind::Jobs => Err(Fault::user("no-jobs", "a session has no list of jobs")
                .hint("jobs are shown where they run: in their progress line, or by the server")),
            ShowKind::Partitions(name, _) => self.show_partitions(name),
            ShowKind::CreateTable(name) => {
                let path = self.namespace.complete(name);
                let context = self.settings.bind_context();
                match self.environment(&context).find(&path, name)? {
                    Stored::Table(t) => one("result", definition_text::create_table(t, &self.cards)),
                    Stored::View(_) => Err(Fault::user("not-a-table", format!("'{path}' is a view"))
                        .at(name.span)
                        .hint("write SHOW CREATE VIEW")),
                    Stored::Failed => Err(failed(&path).at(name.span)),
                }
            }
            ShowKind::CreateView(name) => {
                let path = self.namespace.complete(name);
                let context = self.settings.bind_context();
                match self.environment(&context).find(&path, name)? {
                    Stored::View(v) => one("result", definition_text::create_view(v)),
                    Stored::Table(_) => Err(Fault::user("not-a-view", format!("'{path}' is a table"))
                        .at(name.span)
                        .hint("write SHOW CREATE TABLE")),
                    Stored::Failed => Err(failed(&path).at(name.span)),
                }
            }
            ShowKind::CreateCatalog(name) => match self.catalogs.catalog(&name.value) {
                Some(catalog) if catalog.options.contains_key("type") => {
                    one("result", definition_text::create_catalog(&name.value, catalog))
                }
                Some(_) => Err(no_description(&name.value).at(name.span)),
                None => Err(self.unknown_catalog(&name.value).at(name.span)),
            },
            ShowKind::CreateMaterializedTable(name) => Err(super::unknown_materialized_table(name)),
            ShowKind::CreateModel(name) => Err(super::unknown_model(name)),
        }
    }

    /// Names of tables and views of a database.
    fn objects(
        &self,
        database: Option<&ObjectName>,
        wanted: impl Fn(&Stored) -> bool,
    ) -> Result<Vec<String>, Fault> {
        let (catalog, database) = match database {
            Some(name) => self.existing_database(name)?,
            None => (self.namespace.catalog.clone(), self.namespace.database.clone()),
        };
        let permanent = self.catalogs.database(&catalog, &database);
        let permanent = permanent.into_iter().flat_map(|d| d.objects.iter().map(|(n, o)| (n.as_str(), o)));
        let all = permanent.chain(self.catalogs.temporary_in(&catalog, &database));
        Ok(all
            .filter(|(_, o)| !matches!(o, Stored::Failed) && wanted(o))
            .map(|(n, _)| n.to_string())
            .collect())
    }

    fn show_partitions(&self, name: &ObjectName) -> Result<Planned, Fault> {
        let path = self.namespace.complete(name);
        let context = self.settings.bind_context();
        match self.environment(&context).find(&path, name)? {
            Stored::Table(table) if !table.definition.partitioned_by.is_empty() => {
                Ok(StatementRows::list("partition name", []))
            }
            Stored::Failed => Err(failed(&path).at(name.span)),
            _ => Err(Fault::user("not-partitioned", format!("'{path}' is not partitioned"))
                .at(name.span)
                .hint("declare the table with PARTITIONED BY")),
        }
    }

    pub(super) fn show_settings(&self) -> Planned {
        let rows = self
            .settings
            .changed()
            .iter()
            .map(|(k, v)| {
                let shown = if crate::catalog::is_secret_key(k) { crate::catalog::SECRET } else { v };
                vec![k.to_string(), shown.to_string()]
            })
            .collect();
        StatementRows::strings(&["key", "value"], rows)
    }
}

/// The fault for the catalog that no statement created.
pub(super) fn no_description(name: &str) -> Fault {
    Fault::user("built-in-catalog", format!("catalog '{name}' is built in: no statement created it"))
        .hint("only catalogs made by CREATE CATALOG can be shown, described and altered")
}

/// Names of the built-in functions, as Flink lists them: in lower case.
fn built_in_functions() -> Vec<String> {
    millstream_expr::functions::function_names().into_iter().map(str::to_lowercase).collect()
}

/// Whether a name matches `[NOT] LIKE | ILIKE`.
pub(super) fn matches_like(name: &str, like: Option<&ShowLike>) -> bool {
    let Some(like) = like else { return true };
    let matched = if like.ignore_case {
        matches(&name.to_lowercase(), &like.pattern.value.to_lowercase())
    } else {
        matches(name, &like.pattern.value)
    };
    matched != like.negated
}

/// `%` stands for any characters, `_` for one, `\` takes the next one as it is.
fn matches(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut items: Vec<(char, bool)> = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => items.extend(chars.next().map(|c| (c, true))),
            c => items.push((c, false)),
        }
    }
    // Greedy with one place to go back to: the last `%`.
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match (items.get(p), text.get(t)) {
            (Some(('%', false)), _) => {
                back = Some((p + 1, t));
                p += 1;
            }
            (Some(('_', false)), _) => {
                t += 1;
                p += 1;
            }
            (Some((c, _)), Some(x)) if c == x => {
                t += 1;
                p += 1;
            }
            _ => {
                let Some((pattern_at, text_at)) = back else { return false };
                back = Some((pattern_at, text_at + 1));
                p = pattern_at;
                t = text_at + 1;
            }
        }
    }
    items.iter().skip(p).all(|i| *i == ('%', false))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        assert!(matches("orders", "o%"));
        assert!(matches("orders", "%er_"));
        assert!(matches("a%b", "a\\%b"));
        assert!(!matches("axb", "a\\%b"));
        assert!(!matches("orders", "o"));
        assert!(matches("", "%"));
        assert!(matches("aXbXc", "a%X_"));
    }
}
