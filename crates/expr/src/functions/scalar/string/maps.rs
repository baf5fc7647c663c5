//! STR_TO_MAP.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ListArray, NullBufferBuilder, StringBuilder, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType as Arrow;
use millstream_text::regex::Pattern;
use millstream_types::{DataType, Fault};

use super::arguments::{Arg, strict_arguments};
use super::texts;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "STR_TO_MAP",
    "STR_TO_MAP(text STRING [, pair_separator STRING, key_separator STRING]) -> MAP<STRING, STRING>",
    "The pairs of a text such as 'k1=v1,k2=v2'. The separators are regular expressions, `,` and `=` when none are given. A pair without a key separator is a key whose value is NULL; the last \
     value of a key counts. An empty map for an empty text.",
    &[Example::new("STR_TO_MAP('a=1,b=2')", "{a=1, b=2}")],
    str_to_map,
).gives_pieces()
.aliases(&["STRTOMAP"])];

fn str_to_map(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "STR_TO_MAP(<CHARACTER>)\nSTR_TO_MAP(<CHARACTER>, <CHARACTER>, <CHARACTER>)";
    let args = strict_arguments(call, FORM, 1, &[Arg::Text; 3])?;
    if args.len() == 2 {
        call.expect(3, 3, FORM)?;
    }
    let data_type = DataType::map(DataType::string(), DataType::string());
    let Arrow::List(entries) = data_type.to_arrow() else { return Err(Fault::internal("no MAP")) };
    let Arrow::Struct(fields) = entries.data_type().clone() else { return Err(Fault::internal("no MAP")) };
    let with_separators = args.len() > 1;
    let kernel = simple("STR_TO_MAP", move |arguments, _| {
        let text = arguments.strings(0)?;
        let separators =
            if with_separators { Some((arguments.strings(1)?, arguments.strings(2)?)) } else { None };
        let (mut keys, mut values) = (StringBuilder::new(), StringBuilder::new());
        let mut lengths = Vec::with_capacity(arguments.rows());
        let mut nulls = NullBufferBuilder::new(arguments.rows());
        let (mut pair_separator, mut key_separator) = (Separator::default(), Separator::default());
        for row in 0..arguments.rows() {
            let given = match &separators {
                None => Some((",", "=")),
                Some((pair, key)) => pair.get(row).zip(key.get(row)),
            };
            let (Some(s), Some((pair, key))) = (text.get(row), given) else {
                nulls.append_null();
                lengths.push(0);
                continue;
            };
            nulls.append_non_null();
            let at_row = |f| EvalError::at_row(row, f);
            let pairs = if s.is_empty() {
                Vec::new()
            } else {
                read(s, pair_separator.of(pair).map_err(at_row)?, key_separator.of(key).map_err(at_row)?)
                    .map_err(at_row)?
            };
            lengths.push(pairs.len());
            for (key, value) in pairs {
                keys.append_value(key);
                values.append_option(value);
            }
            texts::check(keys.values_slice().len() + values.values_slice().len(), row)?;
        }
        let columns: Vec<arrow::array::ArrayRef> = vec![Arc::new(keys.finish()), Arc::new(values.finish())];
        let pairs = StructArray::try_new(fields.clone(), columns, None).map_err(broken)?;
        let offsets = OffsetBuffer::from_lengths(lengths);
        let list = ListArray::try_new(entries.clone(), offsets, Arc::new(pairs), nulls.finish());
        Ok(Arc::new(list.map_err(broken)?))
    });
    let bound = BoundCall::new(data_type, args, kernel);
    Ok(if with_separators { bound.fallible() } else { bound })
}

/// The separator of the rows so far.
#[derive(Default)]
struct Separator<'a>(Option<(&'a str, Pattern)>);

impl<'a> Separator<'a> {
    /// The pattern of a text.
    ///
    /// # Errors
    /// User, for a wrong one; it fails the row, as in Flink.
    fn of(&mut self, text: &'a str) -> Result<Pattern, Fault> {
        if let Some((known, pattern)) = &self.0
            && *known == text
        {
            return Ok(pattern.clone());
        }
        let pattern = Pattern::compile(text).map_err(|e| {
            Fault::from(e).hint("quote signs that mean something in regular expressions: '\\|' for |")
        })?;
        self.0 = Some((text, pattern.clone()));
        Ok(pattern)
    }
}

type Pair<'t> = (&'t str, Option<&'t str>);

/// The pairs in the order of their keys' first places.
fn read<'t>(text: &'t str, pair: Pattern, key: Pattern) -> Result<Vec<Pair<'t>>, Fault> {
    let mut pairs: Vec<Pair<'t>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for part in pair.split(text)? {
        let (name, value) = cut(part, &key)?;
        match places.get(name).and_then(|i| pairs.get_mut(*i)) {
            Some(known) => known.1 = value,
            None => {
                places.insert(name, pairs.len());
                pairs.push((name, value));
            }
        }
    }
    Ok(pairs)
}

/// `String.split(regex, 2)`: an empty match at the start does not count.
fn cut<'t>(part: &'t str, separator: &Pattern) -> Result<Pair<'t>, Fault> {
    for found in separator.find_all(part) {
        let (start, end) = found?;
        if end > 0 {
            return Ok((part.get(..start).unwrap_or(part), part.get(end..)));
        }
    }
    Ok((part, None))
}
