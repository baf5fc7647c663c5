//! Parts of columns that are columns to the index: fields of ROWs, and what JSON_VALUE reads out of a text.
//!
//! A part has a number of its own, beside those of the columns: it is searched, decided and told like one. Its values are found by going once over the
//! JSON that spells its column, for all parts at once (`walks`); where that leaves a value open, and where there is no JSON, by its expression.

use std::collections::HashMap;
use std::sync::OnceLock;

use arrow::array::{ArrayRef, new_empty_array};
use arrow::datatypes::DataType as Arrow;
use millstream_expr::{EvalContext, Expr, ExprKind, Program, Rows};
use millstream_text::json::{JsonPath, JsonStep};
use millstream_types::{Fault, TypeKind};

use super::constants::constant_text;

/// Added to a part's number among the parts to tell it from a column.
const PART: usize = 1 << 30;

/// How the JSON at a part's place is its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spells {
    /// The field of a ROW that is text.
    Text,
    /// The field of a ROW that is a whole number, which has at least so many digits to itself.
    Whole(usize),
    /// What JSON_VALUE gives.
    Json,
}

/// A part of a column.
#[derive(Debug)]
pub(super) struct Part {
    expr: Expr,
    /// The column that it is in.
    pub(super) base: usize,
    pub(super) steps: Vec<JsonStep>,
    pub(super) spells: Spells,
    /// How it is called behind its column.
    name: String,
    program: OnceLock<Result<Program, Fault>>,
}

/// The parts that rules have asked for.
#[derive(Debug, Default)]
pub(super) struct Parts {
    list: Vec<Part>,
    known: HashMap<Expr, usize>,
}

/// The position of a part among the parts; `None`: it is a column.
pub(super) fn number(column: usize) -> Option<usize> {
    (column >= PART).then(|| column - PART)
}

/// Where a column, or a part, stands in a list that has the parts behind so many columns.
pub(super) fn place(column: usize, columns: usize) -> usize {
    number(column).map_or(column, |part| columns + part)
}

/// The column, or part, that stands there.
pub(super) fn at_place(place: usize, columns: usize) -> usize {
    if place < columns { place } else { PART + place - columns }
}

impl Parts {
    /// The column that an expression is, or the part of one.
    pub(super) fn column(&mut self, expr: &Expr) -> Option<usize> {
        if let ExprKind::Column(column) = &expr.kind {
            return Some(*column);
        }
        if !matches!(&expr.kind, ExprKind::Field { .. })
            && !matches!(&expr.kind, ExprKind::Call(call) if &*call.name == "JSON_VALUE")
        {
            return None;
        }
        if let Some(known) = self.known.get(expr) {
            return Some(PART + known);
        }
        let part = Part::read(expr)?;
        let number = self.list.len();
        self.list.push(part);
        self.known.insert(expr.clone(), number);
        Some(PART + number)
    }

    pub(super) fn get(&self, column: usize) -> Option<&Part> {
        self.list.get(number(column)?)
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The column that a column is cut as: a part's is that which it is in.
    pub(super) fn base(&self, column: usize) -> usize {
        self.get(column).map_or(column, |p| p.base)
    }

    /// A column for people.
    pub(super) fn show(&self, column: usize) -> String {
        match self.get(column) {
            Some(part) => format!("#{}{}", part.base, part.name),
            None => format!("#{column}"),
        }
    }
}

impl Part {
    fn read(expr: &Expr) -> Option<Part> {
        let (base, steps, spells, name) = match &expr.kind {
            ExprKind::Field { .. } => {
                let spells = match &expr.data_type.kind {
                    TypeKind::TinyInt => Spells::Whole(2),
                    TypeKind::SmallInt => Spells::Whole(4),
                    TypeKind::Int => Spells::Whole(9),
                    TypeKind::BigInt => Spells::Whole(18),
                    kind if kind.is_string() => Spells::Text,
                    _ => return None,
                };
                let mut names = Vec::new();
                let base = field(expr, &mut names)?;
                let name = names.iter().map(|n| format!(".{n}")).collect();
                (base, names.into_iter().map(JsonStep::Name).collect(), spells, name)
            }
            ExprKind::Call(call) => match call.args.as_slice() {
                [text, path] if call.keywords.is_empty() && !expr.fallible() && is_text(expr) => {
                    let ExprKind::Column(base) = &text.kind else { return None };
                    let path = constant_text(path).filter(|_| is_text(text))?;
                    let steps = JsonPath::compile(path).ok()?.plain_steps()?;
                    (*base, steps, Spells::Json, format!(" at '{path}'"))
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(Part { expr: expr.clone(), base, steps, spells, name, program: OnceLock::new() })
    }

    /// The part of its column's values.
    ///
    /// # Errors
    /// Internal: what is a part does not fail.
    pub(super) fn of(&self, column: ArrayRef, context: &EvalContext) -> Result<ArrayRef, Fault> {
        let program = self
            .program
            .get_or_init(|| Program::compile(std::slice::from_ref(&self.expr)))
            .as_ref()
            .map_err(Clone::clone)?;
        let rows = column.len();
        let mut columns = vec![new_empty_array(&Arrow::Null); self.base];
        columns.push(column);
        let arrays = program.eval(&Rows { columns: &columns, rows, watermarks: None }, context);
        let array = arrays.map_err(|e| e.fault)?.into_iter().next();
        array.ok_or_else(|| Fault::internal("a part without values"))
    }
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr.data_type.kind, TypeKind::VarChar(_))
}

/// The column of a field, and the names that lead to it.
fn field(expr: &Expr, names: &mut Vec<String>) -> Option<usize> {
    match &expr.kind {
        ExprKind::Column(column) => Some(*column),
        ExprKind::Field { input, index } => {
            let TypeKind::Row(fields) = &input.data_type.kind else { return None };
            let base = field(input, names)?;
            names.push(fields.get(*index)?.name.to_string());
            Some(base)
        }
        _ => None,
    }
}
