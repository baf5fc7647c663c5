//! What names mean at a place of a query: the tables of FROM with their columns.

use std::sync::Arc;

use millstream_expr::{Expr, ExprKind};
use millstream_sql::ast::Ident;
use millstream_types::{DataType, Fault, Schema, Span, TypeKind, nearest};

use crate::catalog::ObjectPath;

/// A column that a name can mean.
#[derive(Debug, Clone)]
pub(crate) struct ScopeColumn {
    /// Its name.
    pub name: Arc<str>,
    /// Its value over the current node's output.
    pub expr: Expr,
}

/// A table of FROM.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScopeTable {
    /// The alias, or the table's own name; `None`: a derived table without alias.
    pub name: Option<Arc<str>>,
    /// The full name, where no alias hides it.
    pub path: Option<ObjectPath>,
    /// Its columns.
    pub columns: Vec<ScopeColumn>,
    /// Only qualified names mean its columns: a variable of MATCH_RECOGNIZE.
    pub qualified_only: bool,
}

/// The tables of FROM, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// The tables.
    pub tables: Vec<ScopeTable>,
    /// Columns joined by USING or NATURAL: unqualified names mean them, `*` gives them first.
    pub merged: Vec<ScopeColumn>,
}

impl ScopeTable {
    /// A table whose columns are a node's output from position `from` on.
    pub fn of(name: Option<Arc<str>>, schema: &Schema, from: usize) -> Self {
        let columns = schema
            .fields
            .iter()
            .enumerate()
            .skip(from)
            .map(|(i, f)| ScopeColumn { name: f.name.clone(), expr: Expr::column(i, f.data_type.clone()) })
            .collect();
        ScopeTable { name, path: None, columns, qualified_only: false }
    }

    /// Whether a qualifier (`t`, `db.t`, `cat.db.t`) names this table.
    fn is_named(&self, qualifier: &[Ident]) -> bool {
        match (qualifier, &self.path) {
            ([only], _) => self.name.as_deref() == Some(only.value.as_str()),
            ([d, o], Some(p)) => p.database == d.value && p.object == o.value,
            ([c, d, o], Some(p)) => p.catalog == c.value && p.database == d.value && p.object == o.value,
            _ => false,
        }
    }

    fn column(&self, name: &str) -> Option<&ScopeColumn> {
        self.columns.iter().find(|c| &*c.name == name)
    }
}

impl Scope {
    /// A scope of one unnamed table.
    pub fn of_fields(schema: &Schema) -> Self {
        Scope { tables: vec![ScopeTable::of(None, schema, 0)], merged: Vec::new() }
    }

    /// The columns of `*`, in order.
    pub fn star(&self) -> Vec<ScopeColumn> {
        let mut all = self.merged.clone();
        let merged = |name: &str| self.merged.iter().any(|m| &*m.name == name);
        for t in &self.tables {
            all.extend(t.columns.iter().filter(|c| !merged(&c.name)).cloned());
        }
        all
    }

    /// The table of a qualifier.
    pub fn table(&self, qualifier: &[Ident]) -> Option<&ScopeTable> {
        self.tables.iter().find(|t| t.is_named(qualifier))
    }

    /// All columns, for suggestions.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().flat_map(|t| t.columns.iter().map(|c| &*c.name))
    }

    /// Changes the value of every column.
    pub fn map(&mut self, change: &impl Fn(&mut Expr)) {
        let columns = self.tables.iter_mut().flat_map(|t| t.columns.iter_mut());
        for c in columns.chain(self.merged.iter_mut()) {
            change(&mut c.expr);
        }
    }

    /// The value of `a`, `t.a`, `t.a.b`; `None`: nothing here has such a name.
    ///
    /// # Errors
    /// User: ambiguous, or a field that the column does not have.
    pub fn resolve(&self, path: &[Ident]) -> Result<Option<Expr>, Fault> {
        // A qualifier binds more strongly than a column of the same name.
        for length in (1..path.len().min(4)).rev() {
            let Some((qualifier, rest)) = path.split_at_checked(length) else { continue };
            let Some(table) = self.table(qualifier) else { continue };
            let Some((first, fields)) = rest.split_first() else { continue };
            if let Some(column) = table.column(&first.value) {
                return self.descend(column.expr.clone(), fields, Some(table)).map(Some);
            }
            if self.unqualified(path)?.is_none() {
                let name = qualifier.iter().map(|q| q.value.as_str()).collect::<Vec<_>>().join(".");
                let fault = Fault::user(
                    "unknown-column",
                    format!("column '{}' not found in table '{name}'", first.value),
                )
                .at(first.span);
                return Err(suggest(fault, &first.value, table.columns.iter().map(|c| &*c.name)));
            }
        }
        match self.unqualified(path)? {
            Some((column, fields)) => self.descend(column, fields, None).map(Some),
            None => Ok(None),
        }
    }

    fn unqualified<'p>(&self, path: &'p [Ident]) -> Result<Option<(Expr, &'p [Ident])>, Fault> {
        let Some((first, fields)) = path.split_first() else { return Ok(None) };
        if let Some(m) = self.merged.iter().find(|m| *m.name == first.value) {
            return Ok(Some((m.expr.clone(), fields)));
        }
        let mut found: Option<(&ScopeTable, &ScopeColumn)> = None;
        for table in self.tables.iter().filter(|t| !t.qualified_only) {
            let Some(column) = table.column(&first.value) else { continue };
            if let Some((other, _)) = found {
                let name = |t: &ScopeTable| t.name.as_deref().map(|n| format!("'{n}.{}'", first.value));
                let fault = Fault::user("ambiguous-column", format!("column '{}' is ambiguous", first.value))
                    .at(first.span);
                let hint = match (name(other), name(table)) {
                    (Some(a), Some(b)) => format!("write {a} or {b}"),
                    _ => "give the tables aliases and write alias.column".to_string(),
                };
                return Err(fault.hint(hint));
            }
            found = Some((table, column));
        }
        Ok(found.map(|(_, c)| (c.expr.clone(), fields)))
    }

    fn descend(&self, mut expr: Expr, fields: &[Ident], table: Option<&ScopeTable>) -> Result<Expr, Fault> {
        for field in fields {
            expr = field_access(expr, field).map_err(|f| match table.and_then(|t| t.name.as_deref()) {
                Some(t) => f.in_place(format!("table '{t}'")),
                None => f,
            })?;
        }
        Ok(expr)
    }

    /// The fault for a name that nothing has.
    pub fn unknown(&self, path: &[Ident], span: Span) -> Fault {
        match path {
            [only] => {
                let fault =
                    Fault::user("unknown-column", format!("column '{}' not found in any table", only.value))
                        .at(span);
                suggest(fault, &only.value, self.names())
            }
            _ => {
                let qualifier: Vec<&str> =
                    path.iter().take(path.len().saturating_sub(1)).map(|p| p.value.as_str()).collect();
                let fault =
                    Fault::user("unknown-table", format!("table '{}' not found", qualifier.join(".")))
                        .at(span);
                let tables = self.tables.iter().filter_map(|t| t.name.as_deref());
                suggest(fault, &qualifier.join("."), tables)
            }
        }
    }
}

/// `expr.field` of a ROW.
///
/// # Errors
/// User, when the expression is no ROW or has no such field.
pub(crate) fn field_access(expr: Expr, field: &Ident) -> Result<Expr, Fault> {
    let Some(fields) = expr.data_type.kind.fields() else {
        return Err(Fault::user(
            "no-row",
            format!(
                "'{}' cannot be taken from a value of type {}: it is no ROW",
                field.value, expr.data_type
            ),
        )
        .at(field.span)
        .hint("only values of a ROW type have fields"));
    };
    // Names of columns tell cases apart, those of fields only where two differ in nothing else.
    let exact = fields.iter().position(|f| *f.name == field.value);
    let index = exact.or_else(|| fields.iter().position(|f| f.name.eq_ignore_ascii_case(&field.value)));
    let Some(index) = index else {
        let fault = Fault::user("unknown-field", format!("unknown field '{}'", field.value)).at(field.span);
        return Err(suggest(fault, &field.value, fields.iter().map(|f| &*f.name)));
    };
    Ok(row_field(expr, index).at(field.span))
}

/// A field of a ROW by position; the expression must have a ROW type.
pub(crate) fn row_field(expr: Expr, index: usize) -> Expr {
    let data_type = match &expr.data_type.kind {
        TypeKind::Row(fields) | TypeKind::Structured(_, fields) => fields
            .get(index)
            .map(|f| f.data_type.clone().with_nullable(f.data_type.nullable || expr.data_type.nullable)),
        _ => None,
    };
    let data_type = data_type.unwrap_or_else(DataType::string);
    Expr::new(ExprKind::Field { input: Box::new(expr), index }, data_type)
}

/// Adds the nearest name, or all of them, as the remedy.
pub(crate) fn suggest<'a>(fault: Fault, name: &str, candidates: impl Iterator<Item = &'a str>) -> Fault {
    let all: Vec<&str> = candidates.collect();
    match nearest(name, all.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean '{near}'?")),
        None if all.is_empty() => fault,
        None => {
            let shown: Vec<&str> = all.iter().take(10).copied().collect();
            let more = if all.len() > shown.len() { ", ..." } else { "" };
            fault.hint(format!("there are: {}{more}", shown.join(", ")))
        }
    }
}
