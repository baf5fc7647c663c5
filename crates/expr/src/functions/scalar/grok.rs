//! GROK: the named parts of a log line.

use std::sync::Arc;

use arrow::array::{ListArray, StringBuilder, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::DataType as Arrow;
use millstream_text::grok::Grok;
use millstream_types::{DataType, Fault};

use crate::binding::null_of;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "GROK",
    "GROK(line STRING, pattern STRING [, definitions STRING literal]) -> MAP<STRING, STRING>",
    "The named parts that the grok pattern (`%{NAME:field}`, with the usual library, or Java's `(?<field>...)`) finds in the line; parts \
     that took no part are left out. NULL when the pattern is not in the line. `definitions` are further patterns, one a line: name, space, \
     pattern. The table function GROK gives the parts as columns.",
    &[Example::new("GROK('10.0.0.1 GET', '%{IP:client} %{WORD:verb}')['client']", "10.0.0.1")],
    bind,
).gives_pieces()
.origin(Origin::Ancestor)];

const FORM: &str = "GROK(<CHARACTER>, <CHARACTER> [, <CHARACTER literal>])";

/// The arguments, and the pattern where it is constant.
///
/// # Errors
/// User, for arguments of other types and for bad patterns.
pub(in crate::functions) fn arguments(call: &Call<'_>) -> Result<(Vec<Expr>, Option<Grok>, String), Fault> {
    call.expect(2, 3, FORM)?;
    let mut args = vec![call.string(0, FORM)?, call.string(1, FORM)?];
    let session = call.context.resources.grok_definitions().map_err(|f| f.at(call.span))?;
    let definitions = match call.args.get(2) {
        // As an argument of the call: calls with other patterns are other calls.
        None if !session.is_empty() => {
            args.push(Expr::literal(session.as_str(), DataType::string().with_nullable(false)));
            session
        }
        None => String::new(),
        Some(_) => {
            args.push(call.string(2, FORM)?);
            let own = call.literal_text(2).ok_or_else(|| {
                Fault::user("constant-argument", "the definitions of GROK must be a constant text")
                    .at(call.span)
                    .hint("write them into the statement: 'NAME pattern'")
            })?;
            let all = format!("{session}\n{own}");
            if let Some(definitions) = args.last_mut().filter(|_| !session.is_empty()) {
                *definitions = Expr::literal(all.as_str(), DataType::string().with_nullable(false));
            }
            all
        }
    };
    let grok = match call.literal_text(1) {
        None => None,
        Some(pattern) => {
            let place = call.arg(1)?.span.unwrap_or(call.span);
            Some(Grok::compile(pattern, &definitions).map_err(|f| f.at(place))?)
        }
    };
    Ok((args, grok, definitions))
}

fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (args, constant, definitions) = arguments(call)?;
    let text = DataType::string();
    let data_type = DataType::map(text.clone().with_nullable(false), text);
    if call.arg(1)?.as_literal().is_some_and(|v| v.is_null()) {
        return Ok(BoundCall::new(
            data_type.clone(),
            vec![null_of(data_type.kind)],
            simple("GROK", |a, _| Ok(a.column(0)?.array().clone())),
        ));
    }
    let arrow = data_type.to_arrow();
    let fallible = constant.as_ref().is_none_or(|g| !g.regex().is_linear());
    let kernel = simple("GROK", move |arguments, _| {
        let Arrow::List(entries) = &arrow else { return Err(Fault::internal("no MAP").into()) };
        let Arrow::Struct(fields) = entries.data_type() else { return Err(Fault::internal("no MAP").into()) };
        let lines = arguments.strings(0)?;
        let patterns = if constant.is_some() { None } else { Some(arguments.strings(1)?) };
        let (mut keys, mut values) = (StringBuilder::new(), StringBuilder::new());
        let mut lengths = Vec::with_capacity(arguments.rows());
        let mut valid = Vec::with_capacity(arguments.rows());
        let mut last: Option<(&str, Grok)> = None;
        let mut locations = constant.as_ref().map(Grok::locations);
        for row in 0..arguments.rows() {
            let at_row = |f: Fault| EvalError::at_row(row, f);
            let pattern = patterns.and_then(|p| p.get(row));
            if let Some(pattern) = pattern
                && last.as_ref().is_none_or(|(p, _)| *p != pattern)
            {
                let grok = Grok::compile(pattern, &definitions).map_err(at_row)?;
                locations = Some(grok.locations());
                last = Some((pattern, grok));
            }
            let grok = match (&constant, pattern) {
                (Some(g), _) => Some(g),
                (None, Some(_)) => last.as_ref().map(|(_, g)| g),
                (None, None) => None,
            };
            let (mut length, mut found) = (0, false);
            if let (Some(line), Some(grok), Some(at)) = (lines.get(row), grok, locations.as_mut()) {
                found = grok.read(line, at).map_err(at_row)?;
                for field in grok.fields().iter().filter(|_| found) {
                    if let Some(text) = field.of(line, at) {
                        keys.append_value(&field.name);
                        values.append_value(text);
                        length += 1;
                    }
                }
            }
            lengths.push(length);
            valid.push(found);
        }
        let columns = vec![Arc::new(keys.finish()) as _, Arc::new(values.finish()) as _];
        let pairs = StructArray::try_new(fields.clone(), columns, None).map_err(broken)?;
        let offsets = OffsetBuffer::from_lengths(lengths);
        let nulls = Some(NullBuffer::from(valid));
        let list = ListArray::try_new(entries.clone(), offsets, Arc::new(pairs), nulls).map_err(broken)?;
        Ok(Arc::new(list))
    });
    let bound = BoundCall::new(data_type, args, kernel);
    Ok(if fallible { bound.fallible() } else { bound })
}
