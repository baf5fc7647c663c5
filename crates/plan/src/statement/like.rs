//! CREATE TABLE … LIKE: what is taken over from the base table. The rules are Flink's (`MergeTableLikeUtil`).

use millstream_sql::ast::{LikeStrategy, LikeWhat, TableLike};
use millstream_types::Fault;

use super::SessionState;
use crate::catalog::{ColumnForm, Stored, TableDefinition, failed};

type Strategies = Vec<(LikeWhat, LikeStrategy)>;

const FEATURES: [LikeWhat; 7] = [
    LikeWhat::Constraints,
    LikeWhat::Distribution,
    LikeWhat::Generated,
    LikeWhat::Metadata,
    LikeWhat::Options,
    LikeWhat::Partitions,
    LikeWhat::Watermarks,
];

impl SessionState {
    /// The declaration with what LIKE adds to it.
    pub(super) fn merge_like(
        &self,
        derived: TableDefinition,
        like: &TableLike,
    ) -> Result<TableDefinition, Fault> {
        let path = self.namespace.complete(&like.source);
        let context = self.settings.bind_context();
        let base = match self.environment(&context).find(&path, &like.source)? {
            Stored::Table(table) => table.definition.inherited(),
            Stored::View(_) => {
                return Err(Fault::user("not-a-table", format!("'{path}' is a view; LIKE needs a table"))
                    .at(like.source.span)
                    .hint("name the table that the view reads"));
            }
            Stored::Failed => return Err(failed(&path).at(like.source.span)),
        };
        let strategies = strategies(like)?;
        merge(&base, derived, &strategies).map_err(|f| f.at(like.span))
    }
}

fn strategies(like: &TableLike) -> Result<Strategies, Fault> {
    let mut found: Strategies = FEATURES.iter().map(|f| (*f, LikeStrategy::Including)).collect();
    found.push((LikeWhat::Options, LikeStrategy::Overwriting));
    let mut seen = Vec::new();
    for feature in &like.features {
        if seen.contains(&feature.feature) {
            return Err(Fault::user("bad-like", "the same feature is named twice").at(feature.span));
        }
        seen.push(feature.feature);
        let overwritable = !matches!(
            feature.feature,
            LikeWhat::All | LikeWhat::Constraints | LikeWhat::Partitions | LikeWhat::Distribution
        );
        if feature.strategy == LikeStrategy::Overwriting && !overwritable {
            return Err(Fault::user("bad-like", "OVERWRITING is not possible for this")
                .at(feature.span)
                .hint(
                    "OVERWRITING is for GENERATED, METADATA, OPTIONS and WATERMARKS; write EXCLUDING instead",
                ));
        }
    }
    if let Some(all) = like.features.iter().find(|f| f.feature == LikeWhat::All) {
        for feature in FEATURES {
            found.push((feature, all.strategy));
        }
    }
    for feature in like.features.iter().filter(|f| f.feature != LikeWhat::All) {
        found.push((feature.feature, feature.strategy));
    }
    Ok(found)
}

fn clash(what: &str, hint: &str) -> Fault {
    Fault::user("bad-like", format!("the base table has {what} already")).hint(hint)
}

fn merge(
    base: &TableDefinition,
    derived: TableDefinition,
    strategies: &Strategies,
) -> Result<TableDefinition, Fault> {
    // The last entry of a feature counts.
    let strategy = |what: LikeWhat| {
        strategies.iter().rev().find(|(w, _)| *w == what).map_or(LikeStrategy::Including, |(_, s)| *s)
    };
    let includes = |what: LikeWhat| strategy(what) != LikeStrategy::Excluding;
    let overwrites = |what: LikeWhat| strategy(what) == LikeStrategy::Overwriting;

    let mut merged = TableDefinition {
        comment: derived.comment.clone(),
        legacy_options: derived.legacy_options || base.legacy_options,
        ..TableDefinition::default()
    };
    let what = |form: &ColumnForm| match form {
        ColumnForm::Physical(_) => None,
        ColumnForm::Computed { .. } => Some(LikeWhat::Generated),
        ColumnForm::Metadata { .. } => Some(LikeWhat::Metadata),
    };
    merged.columns = base.columns.iter().filter(|c| what(&c.kind).is_none_or(includes)).cloned().collect();
    for column in derived.columns {
        let Some(at) = merged.index_of(&column.name) else {
            merged.columns.push(column);
            continue;
        };
        let Some(existing) = merged.columns.get_mut(at) else { continue };
        match (what(&existing.kind), what(&column.kind)) {
            (Some(a), Some(b)) if a == b && overwrites(a) => *existing = column,
            (Some(a), Some(b)) if a == b => {
                let word = if a == LikeWhat::Generated { "GENERATED" } else { "METADATA" };
                return Err(clash(
                    &format!("a column '{}'", column.name),
                    &format!("write EXCLUDING {word} or OVERWRITING {word}"),
                )
                .at(column.span));
            }
            _ => {
                return Err(clash(
                    &format!("a column '{}'", column.name),
                    "take it away here: LIKE takes it over",
                )
                .at(column.span));
            }
        }
    }

    merged.watermark = match (derived.watermark, &base.watermark) {
        (Some(_), Some(w)) if includes(LikeWhat::Watermarks) && !overwrites(LikeWhat::Watermarks) => {
            return Err(clash(
                &format!("a watermark on '{}'", w.column),
                "write EXCLUDING WATERMARKS or OVERWRITING WATERMARKS",
            ));
        }
        (Some(own), _) => Some(own),
        (None, other) => other.clone().filter(|_| includes(LikeWhat::Watermarks)),
    };
    merged.primary_key = match (derived.primary_key, &base.primary_key) {
        (Some(_), Some(_)) if includes(LikeWhat::Constraints) => {
            return Err(clash("a primary key", "write EXCLUDING CONSTRAINTS"));
        }
        (Some(own), _) => Some(own),
        (None, other) => other.clone().filter(|_| includes(LikeWhat::Constraints)),
    };
    merged.partitioned_by = if derived.partitioned_by.is_empty() {
        if includes(LikeWhat::Partitions) { base.partitioned_by.clone() } else { Vec::new() }
    } else if includes(LikeWhat::Partitions) && !base.partitioned_by.is_empty() {
        return Err(clash("partitions", "write EXCLUDING PARTITIONS"));
    } else {
        derived.partitioned_by
    };
    merged.distribution = match (derived.distribution, &base.distribution) {
        (Some(_), Some(_)) if includes(LikeWhat::Distribution) => {
            return Err(clash("a distribution", "write EXCLUDING DISTRIBUTION"));
        }
        (Some(own), _) => Some(own),
        (None, other) => other.clone().filter(|_| includes(LikeWhat::Distribution)),
    };
    if includes(LikeWhat::Options) {
        merged.options.clone_from(&base.options);
    }
    for (key, value) in derived.options {
        if merged.option(&key).is_some() && !overwrites(LikeWhat::Options) {
            return Err(clash(
                &format!("the option '{key}'"),
                "write EXCLUDING OPTIONS or OVERWRITING OPTIONS",
            ));
        }
        merged.set_option(&key, &value);
    }
    Ok(merged)
}
