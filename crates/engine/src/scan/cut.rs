//! Raw records are cut into slices; what is bad among them goes where the table's option says.

use std::sync::Arc;

use millstream_flow::{BadRecord, Element, RawChunk};
use millstream_types::{Fault, RowKind};

use super::bad::{BadPolicy, dead_letters, located};
use super::deliver::Source;
use super::group::GroupSpec;
use super::task::{Failure, ScanTask};
use crate::runtime::Progress;

impl ScanTask {
    pub(super) fn records(&mut self, split: usize, chunk: &RawChunk) -> Result<(), Fault> {
        if self.generation != self.rules.generation() {
            self.aim();
        }
        let Some(decoder) = &mut self.spec.decoder else {
            return Err(Fault::internal("raw records of a source without format"));
        };
        let mut slices = std::mem::take(&mut self.slices);
        let mut bad = std::mem::take(&mut self.bad);
        slices.clear();
        bad.clear();
        decoder.cut(chunk, &self.want, &mut slices, &mut bad)?;
        let ignored = decoder.ignored();
        let more = ignored.saturating_sub(self.ignored);
        self.ignored = ignored;
        if (more > 0 || !bad.is_empty()) && !self.alike(chunk, &slices, &bad)? {
            (self.slices, self.bad) = (slices, bad);
            return self.separately(split, chunk);
        }
        if more > 0 {
            self.count(|p| Progress::add(&p.ignored, more));
        }
        if let Some(first) = bad.first() {
            let (id, unit) = self.place(split);
            if self.spec.bad == BadPolicy::Fail {
                return Err(located(first, chunk, &id, unit).hint(
                    "correct the record, or let the table skip such records: 'bad-records' = 'skip' or 'dead-letter' (or the format's own ignore-parse-errors)",
                ));
            }
            self.count(|p| Progress::add(&p.bad_records, bad.len() as u64));
            if self.spec.bad == BadPolicy::DeadLetter {
                self.send_dead_letters(&bad, chunk, &id);
            }
        }
        let kinds = decoder_kinds(&self.spec);
        let rows = slices.rows;
        let marks: Vec<_> = self.trackers.iter().map(|(_, t)| t.mark(split)).collect();
        let delivered = self.deliver(split, Source::Records(chunk, &slices), rows, kinds.as_deref());
        if delivered.is_err() && self.subscribers.len() > 1 {
            // Nothing of it was handed on. The error is some jobs' alone: a column that others do not read, a rowtime that others do not have.
            for ((_, tracker), mark) in self.trackers.iter_mut().zip(marks) {
                tracker.go_back(split, mark);
            }
            (self.slices, self.bad) = (slices, bad);
            return self.separately(split, chunk);
        }
        let failures = delivered?;
        self.drop_failed(failures);
        self.slices = slices;
        self.bad = bad;
        Ok(())
    }

    /// Every job has a dead-letter table of its own; one whose columns do not fit fails only its job.
    fn send_dead_letters(&mut self, bad: &[BadRecord], chunk: &RawChunk, split: &str) {
        let mut failures = Vec::new();
        for (subscriber, s) in self.subscribers.iter_mut().enumerate() {
            let Some((schema, channel)) = &s.subscription.dead_letters else { continue };
            if s.subscription.stopped_at.is_some() {
                continue;
            }
            match dead_letters(bad, chunk, split, schema) {
                Ok(batch) => {
                    let channel = *channel;
                    s.send(vec![(channel, Element::Batch(batch))]);
                }
                Err(fault) => failures.push(Failure { subscriber, statement: None, fault }),
            }
        }
        self.drop_failed(failures);
    }
}

fn decoder_kinds(spec: &GroupSpec) -> Option<Arc<[RowKind]>> {
    spec.decoder.as_ref().and_then(|d| d.kinds()).map(Arc::from)
}
