//! Expressions as text: SQL with the names of the input's columns.

use std::borrow::Cow;
use std::fmt::Write as _;

use millstream_expr::{CastMode, Expr, ExprKind, Keyword, temporal_literal};
use millstream_types::{DataType, TypeKind, Value};

/// Longest text of one expression in a plan for a person.
pub(super) const MAX_TEXT: usize = 4096;

/// An expression as SQL with the names of its input's columns.
pub fn expression_text(expr: &Expr, name: &dyn Fn(usize) -> String) -> String {
    Printer { name: &|c| Cow::Owned(name(c)) }.text(expr)
}

/// Prints expressions over columns with these names.
pub(super) struct Printer<'a> {
    /// The name of a column.
    pub name: &'a dyn Fn(usize) -> Cow<'a, str>,
}

impl Printer<'_> {
    /// The text of an expression.
    pub fn text(&self, expr: &Expr) -> String {
        let mut out = String::new();
        self.push(expr, &mut out);
        out
    }

    /// Adds the text of an expression.
    pub fn push(&self, expr: &Expr, out: &mut String) {
        self.write(expr, out, false);
    }

    fn list(&self, items: &[Expr], between: &str, out: &mut String, nested: bool) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.push_str(between);
            }
            self.write(item, out, nested);
        }
    }

    fn write(&self, expr: &Expr, out: &mut String, nested: bool) {
        match &expr.kind {
            ExprKind::Column(c) => out.push_str(&(self.name)(*c)),
            ExprKind::Literal(v) => push_literal(v, &expr.data_type, out),
            ExprKind::And(terms) => self.infix(terms, " AND ", out, nested),
            ExprKind::Or(terms) => self.infix(terms, " OR ", out, nested),
            ExprKind::Not(e) => {
                out.push_str("NOT ");
                self.write(e, out, true);
            }
            ExprKind::Case { branches, otherwise } => {
                out.push_str("CASE");
                for (condition, value) in branches {
                    out.push_str(" WHEN ");
                    self.write(condition, out, false);
                    out.push_str(" THEN ");
                    self.write(value, out, false);
                }
                out.push_str(" ELSE ");
                self.write(otherwise, out, false);
                out.push_str(" END");
            }
            ExprKind::Cast { input, mode } => {
                out.push_str(match mode {
                    CastMode::TryCast => "TRY_CAST(",
                    CastMode::Cast | CastMode::Implicit | CastMode::Assign => "CAST(",
                });
                self.write(input, out, false);
                let _ = write!(out, " AS {})", expr.data_type.kind.plain());
            }
            ExprKind::Field { input, index } => {
                self.write(input, out, true);
                let name = match &input.data_type.kind {
                    TypeKind::Row(fields) | TypeKind::Structured(_, fields) => {
                        fields.get(*index).map(|f| &*f.name)
                    }
                    _ => None,
                };
                out.push('.');
                match name {
                    Some(name) => out.push_str(name),
                    None => drop(write!(out, "{index}")),
                }
            }
            ExprKind::Call(call) => self.call(&call.name, &call.args, &call.keywords, out, nested),
        }
    }

    fn infix(&self, terms: &[Expr], between: &str, out: &mut String, nested: bool) {
        if nested {
            out.push('(');
        }
        self.list(terms, between, out, true);
        if nested {
            out.push(')');
        }
    }

    fn call(
        &self,
        name: &str,
        args: &[Expr],
        keywords: &[(&'static str, Keyword)],
        out: &mut String,
        nested: bool,
    ) {
        let symbol = name.chars().all(|c| !c.is_ascii_alphanumeric())
            || matches!(name, "LIKE" | "SIMILAR TO" | "IS DISTINCT FROM" | "IS NOT DISTINCT FROM");
        match args {
            [base, index] if name == "[]" => {
                self.write(base, out, true);
                out.push('[');
                self.write(index, out, false);
                out.push(']');
            }
            [a, b] if symbol => {
                if nested {
                    out.push('(');
                }
                self.write(a, out, true);
                out.push(' ');
                out.push_str(name);
                out.push(' ');
                self.write(b, out, true);
                if nested {
                    out.push(')');
                }
            }
            [a] if name.starts_with("IS ") => {
                self.write(a, out, true);
                out.push(' ');
                out.push_str(name);
            }
            [first, rest @ ..] if name == "IN" => {
                self.write(first, out, true);
                out.push_str(" IN (");
                self.list(rest, ", ", out, false);
                out.push(')');
            }
            _ => {
                out.push_str(name);
                out.push('(');
                self.list(args, ", ", out, false);
                for (clause, keyword) in keywords {
                    let value = match keyword {
                        Keyword::Word(w) => w.to_string(),
                        Keyword::Type(t) => t.to_string(),
                        Keyword::Argument(n) => format!("argument {n}"),
                    };
                    out.push_str(&format!(", {clause}: {value}"));
                }
                out.push(')');
            }
        }
    }
}

/// Cuts a long text.
pub(super) fn shortened(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let cut: String = text.chars().take(MAX_TEXT).collect();
    format!("{cut}... ({} characters)", text.chars().count())
}

/// Adds a literal; the values that nearly all are without a text of their own.
fn push_literal(value: &Value, data_type: &DataType, out: &mut String) {
    match (value, &data_type.kind) {
        (Value::String(s), _) => {
            out.push('\'');
            for (i, part) in s.split('\'').enumerate() {
                if i > 0 {
                    out.push_str("''");
                }
                out.push_str(part);
            }
            out.push('\'');
        }
        (Value::Int(i), kind) if kind.is_integer() => drop(write!(out, "{i}")),
        _ => out.push_str(&literal(value, data_type)),
    }
}

/// A literal as SQL; values of rarer types in the form of their text.
fn literal(value: &Value, data_type: &DataType) -> String {
    match (value, &data_type.kind) {
        (Value::Null, _) => "NULL".to_string(),
        (Value::Boolean(b), _) => b.to_string().to_uppercase(),
        (Value::String(s), _) => format!("'{}'", s.replace('\'', "''")),
        (Value::Int(ms), TypeKind::IntervalDayTime(..)) => interval(*ms),
        (Value::Int(months), TypeKind::IntervalYearMonth(..)) => format!("INTERVAL '{months}' MONTH"),
        (Value::Int(i), kind) if kind.is_integer() => i.to_string(),
        (Value::Int(i), kind) => temporal_literal(*i, kind).unwrap_or_else(|| format!("{kind} {i}")),
        (Value::Float(f), _) => format!("{f:?}"),
        (Value::Decimal(d), TypeKind::Decimal { scale, .. }) => decimal(*d, *scale),
        (Value::Decimal(d), _) => d.to_string(),
        (Value::Bytes(b), _) => {
            let hex: String = b.iter().map(|x| format!("{x:02X}")).collect();
            format!("X'{hex}'")
        }
        (Value::Array(items), TypeKind::Array(e)) => {
            let items: Vec<String> = items.iter().map(|v| literal(v, e)).collect();
            format!("ARRAY[{}]", items.join(", "))
        }
        (Value::Map(entries), TypeKind::Map(k, v)) => {
            let items: Vec<String> =
                entries.iter().map(|(x, y)| format!("{}, {}", literal(x, k), literal(y, v))).collect();
            format!("MAP[{}]", items.join(", "))
        }
        (Value::Row(items), TypeKind::Row(fields)) => {
            let items: Vec<String> =
                items.iter().zip(fields.iter()).map(|(v, f)| literal(v, &f.data_type)).collect();
            format!("ROW({})", items.join(", "))
        }
        (other, _) => format!("{other:?}"),
    }
}

fn interval(ms: i64) -> String {
    let units = [(86_400_000, "DAY"), (3_600_000, "HOUR"), (60_000, "MINUTE"), (1000, "SECOND")];
    for (size, name) in units {
        if ms != 0 && ms % size == 0 {
            return format!("INTERVAL '{}' {name}", ms / size);
        }
    }
    let sign = if ms < 0 { "-" } else { "" };
    format!("INTERVAL '{sign}{}.{:03}' SECOND", ms.abs() / 1000, ms.abs() % 1000)
}

fn decimal(digits: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let sign = if digits < 0 { "-" } else { "" };
    let text = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = text.split_at_checked(text.len() - scale).unwrap_or((text.as_str(), ""));
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}
