//! The rows of a chunk on their way to the subscribers: watermarks, rules, columns for the rows that any of them wants, each one's output.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use millstream_expr::EvalError;
use millstream_flow::{Element, MIN_WATERMARK, RawChunk, Watermark};
use millstream_plan::WatermarkSpec;
use millstream_rules::Hits;
use millstream_types::{Batch, Fault, Origin, RowKind, Slices};

use super::aim::scan_of;
use super::group::GroupColumn;
use super::input::{ChunkInput, Content};
use super::survivors::{Survivors, mark, output, rank_marked};
use super::task::{Failure, ScanTask, Subscriber};
use super::watermark::WatermarkTracker;
use crate::runtime::TaskState;

impl ScanTask {
    /// Watermarks, rules, and the output of every subscriber for the rows of a chunk.
    pub(super) fn deliver(
        &mut self,
        split: usize,
        source: Source<'_>,
        rows: usize,
        kinds: Option<&[RowKind]>,
    ) -> Result<Vec<Failure>, Fault> {
        let mut failures = Vec::new();
        if rows == 0 {
            return Ok(failures);
        }
        let (id, unit) = self.place(split);
        let content = match (source, &mut self.spec.decoder) {
            (Source::Records(chunk, slices), Some(decoder)) => {
                Content::Records { chunk, slices, decoder: &mut **decoder }
            }
            (Source::Rows(batch), _) => Content::Rows(batch),
            (Source::Records(..), None) => {
                return Err(Fault::internal("raw records of a source without format"));
            }
        };
        let columns: &[GroupColumn] = &self.spec.columns;
        let mut input = ChunkInput {
            content,
            rows,
            columns,
            built: vec![None; columns.len()],
            split: (&id, unit),
            watermarks: None,
        };
        let position = |row: usize| match source {
            Source::Records(chunk, slices) => chunk.position(slices.record_of(row)),
            Source::Rows(batch) => {
                batch.origin.as_ref().and_then(|o| o.positions.get(row).copied()).unwrap_or(row as u64)
            }
        };
        let located = |e: EvalError| match e.row {
            Some(row) => e.fault.in_place(format!("{id}, {unit} {}", position(row))),
            None => e.fault,
        };
        let mut before: Vec<Arc<[i64]>> = Vec::with_capacity(self.trackers.len());
        for (_, tracker) in &mut self.trackers {
            let read = build(&mut input, &tracker.columns, columns.len())?;
            before.push(tracker.advance(split, &read, rows, &self.eval).map_err(located)?);
        }
        input.watermarks = before.first().cloned();
        self.rules.evaluate(&mut input, &self.eval, &mut self.outcomes)?;

        // One building of each column for the rows that any subscriber wants.
        let mut all = false;
        let mut rank: Vec<u32> = vec![0; rows];
        let mut needed = vec![false; columns.len()];
        for (rule, outcome) in &self.outcomes {
            // Not through `scan_of`: the decoder is borrowed.
            let Some((number, entry)) = scan_of(&self.subscribers, *rule) else { continue };
            let Some(subscription) = self.subscribers.get(number).map(|s| &s.subscription) else { continue };
            let Some(scan) = subscription.scans.get(entry) else { continue };
            if subscription.stopped_at.is_some() {
                continue;
            }
            match outcome {
                Ok(Hits::Rows(r)) => r.iter().for_each(|r| mark(&mut rank, *r)),
                Ok(Hits::All) => all = true,
                Err(_) => continue,
            }
            for c in &scan.output.reads {
                if let Some(n) = needed.get_mut(*c) {
                    *n = true;
                }
            }
        }
        let wanted = rank_marked(&mut rank);
        let survivors =
            (!all && wanted.len() < rows).then(|| Survivors { rows: UInt32Array::from(wanted), rank });
        let mut built: Vec<Option<ArrayRef>> = vec![None; columns.len()];
        if survivors.as_ref().is_none_or(|s| arrow::array::Array::len(&s.rows) > 0) {
            for (c, slot) in built.iter_mut().enumerate().filter(|(c, _)| needed.get(*c) == Some(&true)) {
                *slot = Some(millstream_rules::RuleInput::column(
                    &mut input,
                    c,
                    survivors.as_ref().map(|s| &s.rows),
                )?);
            }
        }
        drop(input);

        let mut outcomes = self.outcomes.drain(..).peekable();
        for (number, subscriber) in self.subscribers.iter_mut().enumerate() {
            let mut emitted = Vec::new();
            let mut state = TaskState::default();
            let mut failed = None;
            let context = subscriber.subscription.context.clone();
            let of_this = |rule: usize| {
                let entry = rule.checked_sub(subscriber.first_rule)?;
                (entry < subscriber.subscription.scans.len()).then_some(entry)
            };
            // Nobody's, any more.
            while outcomes.next_if(|(rule, _)| *rule < subscriber.first_rule).is_some() {}
            while let Some((rule, outcome)) = outcomes.next_if(|(rule, _)| of_this(*rule).is_some()) {
                let (Some(entry), false, None) =
                    (of_this(rule), subscriber.subscription.stopped_at.is_some(), &failed)
                else {
                    continue;
                };
                let Some(scan) = subscriber.subscription.scans.get(entry) else { continue };
                let hits = match outcome {
                    Ok(hits) => hits,
                    Err(e) => {
                        failed = Some((scan.statement, located(e)));
                        continue;
                    }
                };
                let watermarks =
                    subscriber.trackers.get(entry).copied().flatten().and_then(|t| before.get(t));
                let made =
                    output(scan, &hits, rows, survivors.as_ref(), &built, watermarks, kinds, &context.eval);
                let mut batch = match made {
                    Ok(Some(batch)) => batch,
                    Ok(None) => continue,
                    Err(e) => {
                        failed = Some((scan.statement, located(e)));
                        continue;
                    }
                };
                batch.origin = Some(Arc::new(Origin {
                    split: id.clone(),
                    unit,
                    positions: match &hits {
                        Hits::All => (0..rows).map(position).collect(),
                        Hits::Rows(r) => r.iter().map(|r| position(*r as usize)).collect(),
                    },
                }));
                let pushed = subscriber.subscription.chain.push(
                    entry,
                    Element::Batch(batch),
                    &context,
                    &mut emitted,
                    &mut state,
                );
                failed = pushed.err();
            }
            if failed.is_none() && subscriber.subscription.stopped_at.is_none() {
                failed = advance(subscriber, &self.trackers, &mut emitted, &mut state).err();
            }
            subscriber.send(emitted);
            if let Some((statement, fault)) = failed {
                failures.push(Failure { subscriber: number, statement: Some(statement), fault });
            }
        }
        Ok(failures)
    }
}

/// Tells a subscriber's scans how far their watermarks have come.
fn advance(
    subscriber: &mut Subscriber,
    trackers: &[(Arc<WatermarkSpec>, WatermarkTracker)],
    emitted: &mut Vec<(usize, Element)>,
    state: &mut TaskState,
) -> Result<(), (usize, Fault)> {
    if subscriber.watched.is_empty() {
        return Ok(());
    }
    let reached: Vec<i64> = trackers.iter().map(|(_, t)| t.combined()).collect();
    let Subscriber { subscription, trackers, sent, watched, .. } = subscriber;
    for entry in watched.iter().copied() {
        let (Some(tracker), Some(sent)) = (trackers.get(entry), sent.get_mut(entry)) else { continue };
        let reached = tracker.and_then(|t| reached.get(t)).copied().unwrap_or(MIN_WATERMARK);
        if reached > *sent {
            *sent = reached;
            let element = Element::Watermark(Watermark(reached));
            subscription.chain.push(entry, element, &subscription.context, emitted, state)?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Records(&'a RawChunk, &'a Slices),
    Rows(&'a Batch),
}

/// Columns by position for all rows; positions that are not asked for hold an empty array.
fn build(input: &mut ChunkInput<'_>, wanted: &[usize], width: usize) -> Result<Vec<ArrayRef>, Fault> {
    let empty = arrow::array::new_empty_array(&arrow::datatypes::DataType::Null);
    let mut columns = vec![empty; width];
    for c in wanted {
        let array = millstream_rules::RuleInput::column(input, *c, None)?;
        if let Some(slot) = columns.get_mut(*c) {
            *slot = array;
        }
    }
    Ok(columns)
}
