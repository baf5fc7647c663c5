//! What a rule makes of one event: which part of its condition was TRUE, which was not, and on what values.

use std::fmt;

use arrow::array::{Array, ArrayRef, UInt32Array, new_null_array};
use arrow::datatypes::DataType as Arrow;
use millstream_expr::coerce::explicit_cast;
use millstream_expr::{BindContext, CastMode, EvalContext, Expr, ExprKind, Program, Rows};
use millstream_flow::{DecoderSpec, FieldSpec, RawChunk, RecordSpan};
use millstream_plan::{ColumnSource, JobPlan, Op, ScanGroup, ScanOp, expression_text};
use millstream_types::{DataType, Fault, Slices, TypeKind, Value};

use crate::Session;
use crate::rules::{names_of, rule_names, short};

/// What a condition, or a part of one, is on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// TRUE.
    True,
    /// FALSE.
    False,
    /// NULL.
    Null,
    /// Its evaluation fails, with this message.
    Failed(String),
}

/// A part of a condition on an event.
#[derive(Debug, Clone)]
pub struct VerdictPart {
    /// The part as SQL; `AND`, `OR` or `NOT` for what is made of other parts.
    pub text: String,
    /// What it is.
    pub truth: Truth,
    /// The columns that it reads, with their values as text; none for what is made of other parts.
    pub values: Vec<(String, String)>,
    /// The parts that it is made of.
    pub parts: Vec<VerdictPart>,
    /// Whether it is the first part that keeps the rule from being TRUE.
    pub decisive: bool,
}

/// What a rule makes of an event.
#[derive(Debug, Clone)]
pub struct EventVerdict {
    /// The rule's name.
    pub rule: String,
    /// The condition; `None`: the rule takes every event.
    pub condition: Option<VerdictPart>,
}

impl Session {
    /// What a rule of a job makes of events: records as the rule's source has them (one record, or one a line). Nothing is read or written.
    ///
    /// # Errors
    /// User, when there is no such rule, when its source has no records (it makes rows), or when an event cannot be decoded.
    pub fn explain_event(
        &self,
        plan: &JobPlan,
        rule: &str,
        events: &[u8],
    ) -> Result<Vec<EventVerdict>, Fault> {
        let rules = rule_names(plan);
        let Some(named) = rules.iter().find(|r| r.is_called(rule)) else {
            let known: Vec<String> = rules.iter().map(|r| short(&r.name).to_string()).collect();
            return Err(Fault::user("no-rule", format!("there is no rule '{rule}'"))
                .hint(format!("the rules are: {}", known.join(", "))));
        };
        let Some(Op::Scan(scan)) = plan.nodes.get(named.scan.0).map(|n| &n.op) else {
            return Err(Fault::internal("a rule without its scan"));
        };
        let group =
            plan.scan_groups.get(scan.group).ok_or_else(|| Fault::internal("a scan without its group"))?;
        let context = self.eval_context();
        let (columns, rows) = self.decoded(group, scan, events, &context)?;
        let names = names_of(group);
        let name = |c: usize| {
            let known = scan.columns.get(c).and_then(|c| names.get(*c));
            known.cloned().unwrap_or_else(|| format!("#{c}"))
        };
        (0..rows)
            .map(|row| {
                let one: Vec<ArrayRef> = columns.iter().map(|c| c.slice(row, 1)).collect();
                let judge = Judge { columns: &one, name: &name, context: &context };
                let condition = scan.filter.as_ref().map(|filter| {
                    let mut part = judge.part(filter);
                    mark(&mut part);
                    part
                });
                Ok(EventVerdict { rule: short(&named.name).to_string(), condition })
            })
            .collect()
    }

    /// The columns of a scan's input, for the events.
    fn decoded(
        &self,
        group: &ScanGroup,
        scan: &ScanOp,
        events: &[u8],
        context: &EvalContext,
    ) -> Result<(Vec<ArrayRef>, usize), Fault> {
        let table = &group.table;
        let format = table.format.as_ref().and_then(|name| self.parts().format(name)).ok_or_else(|| {
            Fault::user("no-records", format!("table {} makes rows, it has no records", table.name))
                .hint("explain --rules works for every source")
        })?;
        let fields: Vec<FieldSpec> = table
            .schema
            .fields
            .iter()
            .map(|f| FieldSpec { name: f.name.clone(), data_type: f.data_type.clone(), paths: Vec::new() })
            .collect();
        let of_path = |i: usize| {
            let name = fields.get(i).map(|f| f.name.clone());
            name.is_none_or(|n| table.partition_keys.iter().any(|k| **k == *n))
        };
        let mut read: Vec<usize> = scan
            .columns
            .iter()
            .filter_map(|c| match group.columns.get(*c) {
                Some(ColumnSource::Physical(i)) if !of_path(*i) => Some(*i),
                _ => None,
            })
            .collect();
        read.sort_unstable();
        read.dedup();
        let mut decoder = format.decoder(DecoderSpec {
            columns: fields.clone(),
            read: read.clone(),
            options: table.format_options.clone(),
            zone: context.zone.clone(),
            clock: context.clock.clone(),
        })?;
        let (mut slices, mut bad) = (Slices::default(), Vec::new());
        let mut chunk = lines_of(events);
        decoder.cut(&chunk, &read, &mut slices, &mut bad)?;
        if table.format.as_deref() == Some("json") && (slices.rows == 0 || !bad.is_empty()) {
            // A JSON value over several lines is one record: a line break in it is only layout.
            let whole = one_record(events);
            let (mut of_whole, mut none_bad) = (Slices::default(), Vec::new());
            decoder.cut(&whole, &read, &mut of_whole, &mut none_bad)?;
            if of_whole.rows > 0 && none_bad.is_empty() {
                (chunk, slices) = (whole, of_whole);
                bad.clear();
            }
        }
        if let Some(bad) = bad.into_iter().next() {
            return Err(bad.fault.in_place(format!("event {}", bad.record + 1)));
        }
        let rows = UInt32Array::from_iter_values(0..slices.rows as u32);
        let columns = scan
            .columns
            .iter()
            .map(|c| match group.columns.get(*c) {
                Some(ColumnSource::Physical(i)) if read.contains(i) => decoder
                    .build(&chunk, &slices, *i, &rows)
                    .map_err(|bad| bad.fault.in_place(format!("event {}", bad.record + 1))),
                // Not part of a record.
                Some(ColumnSource::Physical(i)) => {
                    let of = fields.get(*i).map(|f| f.data_type.to_arrow()).unwrap_or(Arrow::Null);
                    Ok(new_null_array(&of, slices.rows))
                }
                Some(ColumnSource::Metadata { data_type, .. }) => {
                    Ok(new_null_array(&data_type.to_arrow(), slices.rows))
                }
                None => Err(Fault::internal("column out of range")),
            })
            .collect::<Result<_, _>>()?;
        Ok((columns, slices.rows))
    }
}

fn one_record(events: &[u8]) -> RawChunk {
    let data: Vec<u8> = events.iter().map(|b| if matches!(b, b'\n' | b'\r') { b' ' } else { *b }).collect();
    let records = vec![RecordSpan { start: 0, end: data.len() as u32 }];
    RawChunk { data: data.into(), records, ..RawChunk::default() }
}

/// A record a line; empty ones are none.
fn lines_of(events: &[u8]) -> RawChunk {
    let mut records = Vec::new();
    let mut start = 0;
    for line in events.split(|b| *b == b'\n') {
        let kept = line.strip_suffix(b"\r").unwrap_or(line).len();
        if !line.trim_ascii().is_empty() {
            records.push(RecordSpan { start: start as u32, end: (start + kept) as u32 });
        }
        start += line.len() + 1;
    }
    RawChunk { data: events.to_vec().into(), records, ..RawChunk::default() }
}

/// Evaluates the parts of a condition, each by itself, on one row.
struct Judge<'a> {
    columns: &'a [ArrayRef],
    name: &'a dyn Fn(usize) -> String,
    context: &'a EvalContext,
}

impl Judge<'_> {
    fn part(&self, expr: &Expr) -> VerdictPart {
        let truth = match self.value(expr) {
            Ok(Value::Boolean(true)) => Truth::True,
            Ok(Value::Boolean(false)) => Truth::False,
            Ok(_) => Truth::Null,
            Err(fault) => Truth::Failed(fault.message().to_string()),
        };
        let boolean =
            |e: &&Expr| e.data_type.kind == TypeKind::Boolean && !matches!(e.kind, ExprKind::Literal(_));
        let (text, inner): (String, Vec<&Expr>) = match &expr.kind {
            ExprKind::And(terms) => ("AND".into(), terms.iter().collect()),
            ExprKind::Or(terms) => ("OR".into(), terms.iter().collect()),
            ExprKind::Not(inner) => ("NOT".into(), vec![&**inner]),
            ExprKind::Call(call) if matches!(call.args.as_slice(), [a] if boolean(&a)) => {
                (call.name.to_string(), call.args.iter().collect())
            }
            ExprKind::Case { .. } => {
                (expression_text(expr, self.name), expr.children().into_iter().filter(boolean).collect())
            }
            _ => (expression_text(expr, self.name), Vec::new()),
        };
        let values = if inner.is_empty() {
            expr.columns().into_iter().map(|c| ((self.name)(c), self.shown(c, expr))).collect()
        } else {
            Vec::new()
        };
        let parts = inner.into_iter().map(|e| self.part(e)).collect();
        VerdictPart { text, truth, values, parts, decisive: false }
    }

    fn value(&self, expr: &Expr) -> Result<Value, Fault> {
        let program = Program::compile(std::slice::from_ref(expr))?;
        let rows = Rows { columns: self.columns, rows: 1, watermarks: None };
        let arrays = program.eval(&rows, self.context).map_err(|e| e.fault)?;
        Ok(arrays.first().map_or(Value::Null, |a| Value::from_array(a.as_ref(), 0, &expr.data_type)))
    }

    /// A column's value as text.
    fn shown(&self, column: usize, of: &Expr) -> String {
        let mut data_type = DataType::string();
        of.walk(&mut |e| {
            if e.kind == ExprKind::Column(column) {
                data_type = e.data_type.clone();
            }
        });
        let is_text = data_type.kind.is_string();
        let bind = BindContext {
            zone: self.context.zone.clone(),
            batch: self.context.batch,
            ..BindContext::default()
        };
        let read = Expr::column(column, data_type);
        let text = match is_text {
            true => Ok(read),
            false => explicit_cast(read, &DataType::string(), CastMode::Cast, &bind),
        };
        match text.and_then(|t| self.value(&t)) {
            Ok(Value::String(s)) if is_text => format!("'{}'", s.replace('\'', "''")),
            Ok(Value::String(s)) => s.to_string(),
            Ok(_) => "NULL".into(),
            Err(fault) => fault.message().to_string(),
        }
    }
}

/// Marks the first part that keeps a condition from being TRUE: in AND the first one that is not, down to what is no AND.
fn mark(part: &mut VerdictPart) {
    if part.truth == Truth::True {
        return;
    }
    if part.text == "AND"
        && let Some(first) = part.parts.iter_mut().find(|p| p.truth != Truth::True)
    {
        mark(first);
        return;
    }
    part.decisive = true;
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Truth::True => "TRUE",
            Truth::False => "FALSE",
            Truth::Null => "NULL",
            Truth::Failed(_) => "fails",
        })
    }
}

impl fmt::Display for EventVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(condition) = &self.condition else {
            return write!(f, "{}: TRUE (it takes every event)", self.rule);
        };
        write!(f, "{}: {}", self.rule, condition.truth)?;
        tree(condition, 1, f)
    }
}

fn tree(part: &VerdictPart, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    /// Characters of a text or value that are shown.
    const WIDTH: usize = 200;
    let printable = |text: &str| -> String {
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let mut out: String = plain.take(WIDTH).collect();
        if text.chars().nth(WIDTH).is_some() {
            out.push('…');
        }
        out
    };
    let mark = if part.decisive { ">" } else { " " };
    write!(f, "\n{mark} {:<5} {:indent$}{}", part.truth, "", printable(&part.text), indent = depth * 2 - 2)?;
    if let Truth::Failed(message) = &part.truth
        && part.parts.is_empty()
    {
        write!(f, "    [{}]", printable(message))?;
    }
    for (i, (name, value)) in part.values.iter().enumerate() {
        f.write_str(if i == 0 { "    where " } else { ", " })?;
        write!(f, "{name} is {}", printable(value))?;
    }
    part.parts.iter().try_for_each(|p| tree(p, depth + 1, f))
}
