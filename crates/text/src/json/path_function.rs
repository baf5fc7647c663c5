//! The functions at the end of a path, as Jayway computes them.

use std::borrow::Cow;

use super::path::Function;
use super::tree::Json;
use crate::number::push_f64;

impl Function {
    /// What the function makes of a value; `None` where it finds nothing.
    ///
    /// # Errors
    /// An aggregate of no numbers, the message for ERROR ON ERROR.
    pub(super) fn apply<'a>(self, json: &'a Json) -> Result<Option<Cow<'a, Json>>, String> {
        let items = match json {
            Json::Array(items) => Some(items),
            _ => None,
        };
        let value = match self {
            Function::Length => match json {
                Json::Array(items) => Json::Number(items.len().to_string()),
                Json::Object(fields) => Json::Number(fields.len().to_string()),
                _ => Json::Null,
            },
            Function::First => return items.map(|i| i.first().map(Cow::Borrowed)).ok_or_else(empty),
            Function::Last => return items.map(|i| i.last().map(Cow::Borrowed)).ok_or_else(empty),
            Function::Min | Function::Max | Function::Avg | Function::Sum | Function::Stddev => {
                let numbers: Vec<f64> =
                    items.map(|i| i.iter().filter_map(number).collect()).unwrap_or_default();
                let mut text = String::new();
                push_f64(&mut text, self.aggregate(&numbers).ok_or_else(empty)?);
                Json::Number(text)
            }
            Function::Concat => {
                let texts =
                    items.map(Vec::as_slice).unwrap_or_default().iter().filter_map(|item| match item {
                        Json::String(text) => Some(text.as_str()),
                        _ => None,
                    });
                Json::String(texts.collect())
            }
            Function::Keys => match json {
                Json::Object(fields) => {
                    Json::Array(fields.iter().map(|(name, _)| Json::String(name.clone())).collect())
                }
                _ => Json::Null,
            },
        };
        Ok(Some(Cow::Owned(value)))
    }

    fn aggregate(self, numbers: &[f64]) -> Option<f64> {
        let count = numbers.len() as f64;
        let sum: f64 = numbers.iter().sum();
        if numbers.is_empty() {
            return None;
        }
        Some(match self {
            Function::Min => numbers.iter().copied().fold(f64::MAX, f64::min),
            // Jayway starts from Java's Double.MIN_VALUE, the smallest number above zero.
            Function::Max => numbers.iter().copied().fold(f64::from_bits(1), f64::max),
            Function::Avg => sum / count,
            Function::Sum => sum,
            _ => {
                let squares: f64 = numbers.iter().map(|n| n * n).sum();
                (squares / count - sum * sum / count / count).sqrt()
            }
        })
    }
}

fn empty() -> String {
    "Aggregation function attempted to calculate value using empty array".to_string()
}

fn number(json: &Json) -> Option<f64> {
    match json {
        Json::Number(text) => text.parse().ok(),
        _ => None,
    }
}
