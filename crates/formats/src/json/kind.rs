//! A column's type, prepared for reading: which JSON it takes, and how it is called in messages.

use std::sync::Arc;

use millstream_types::{DataType, Fault, TypeKind};

use crate::value::Leaf;

/// A type, prepared.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub kind: Kind,
    /// The type in Flink's spelling, for messages.
    pub expected: Box<str>,
}

/// What a type is made of.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Leaf(Leaf),
    Array(Box<Typed>),
    /// MAP and MULTISET: names are keys; the type of the values.
    Map(Box<Typed>),
    Row(Vec<Part>),
}

/// A field of a ROW.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub name: Arc<str>,
    pub typed: Typed,
    /// Whether the job reads it; others are NULL and not looked at.
    pub read: bool,
}

impl Typed {
    /// Prepares a type. `paths`: for a ROW, the fields that are read, by position; empty: all.
    ///
    /// # Errors
    /// User, for a type that JSON cannot hold; NotYet for VARIANT.
    pub fn new(name: &str, data_type: &DataType, paths: &[Vec<usize>]) -> Result<Typed, Fault> {
        let kind = match &data_type.kind {
            TypeKind::Array(item) => Kind::Array(Box::new(Self::new(name, item, &[])?)),
            TypeKind::Map(key, value) => {
                text_key(name, key, data_type)?;
                Kind::Map(Box::new(Self::new(name, value, &[])?))
            }
            TypeKind::Multiset(item) => {
                text_key(name, item, data_type)?;
                Kind::Map(Box::new(Self::new(name, &TypeKind::Int.not_null(), &[])?))
            }
            TypeKind::Row(fields) => Kind::Row(
                fields
                    .iter()
                    .enumerate()
                    .map(|(i, field)| {
                        let below: Vec<&[usize]> = paths
                            .iter()
                            .filter_map(|p| p.split_first())
                            .filter_map(|(first, rest)| (*first == i).then_some(rest))
                            .collect();
                        let read = paths.is_empty() || !below.is_empty();
                        // One path that ends here asks for the whole field.
                        let inner: Vec<Vec<usize>> = if below.iter().any(|p| p.is_empty()) {
                            Vec::new()
                        } else {
                            below.iter().map(|p| p.to_vec()).collect()
                        };
                        Ok(Part {
                            name: field.name.clone(),
                            typed: Self::new(name, &field.data_type, &inner)?,
                            read,
                        })
                    })
                    .collect::<Result<_, Fault>>()?,
            ),
            TypeKind::Variant => {
                return Err(Fault::not_yet(format!("column '{name}': {data_type} in the format 'json'")));
            }
            kind => Kind::Leaf(Leaf::of(kind).ok_or_else(|| {
                Fault::user(
                    "bad-type",
                    format!("column '{name}': the format 'json' has no {}", data_type.kind),
                )
                .hint("declare it as STRING or BYTES, or leave it out")
            })?),
        };
        Ok(Typed { kind, expected: data_type.kind.to_string().into() })
    }

    /// The leaf, if it has no parts.
    pub fn leaf(&self) -> Option<Leaf> {
        match self.kind {
            Kind::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }
}

fn text_key(name: &str, key: &DataType, whole: &DataType) -> Result<(), Fault> {
    if key.kind.is_string() {
        return Ok(());
    }
    Err(Fault::user(
        "bad-type",
        format!("column '{name}': the format 'json' has no {} whose keys are no strings", whole.kind),
    )
    .hint("declare the keys as STRING"))
}

/// Whether a type is or holds a DECIMAL.
pub(super) fn has_decimal(data_type: &DataType) -> bool {
    match &data_type.kind {
        TypeKind::Decimal { .. } => true,
        TypeKind::Array(item) | TypeKind::Multiset(item) => has_decimal(item),
        TypeKind::Map(key, value) => has_decimal(key) || has_decimal(value),
        TypeKind::Row(fields) => fields.iter().any(|f| has_decimal(&f.data_type)),
        _ => false,
    }
}
