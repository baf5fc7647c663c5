//! Raw records are cut into slices; what is bad among them goes where the table's option says.

use std::sync::Arc;

use millstream_flow::{BadRecord, Element, RawChunk};
use millstream_types::{Fault, RowKind};

use super::bad::{BadPolicy, dead_letters, located};
use super::deliver::Source;
use super::group::GroupSpec;
use super::task::ScanTask;
use crate::runtime::Progress;

impl ScanTask {
    pub(super) async fn records(&mut self, split: usize, chunk: &RawChunk) -> Result<(), Fault> {
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
        Progress::add(&self.progress.ignored, ignored - self.ignored);
        self.ignored = ignored;
        if let Some(first) = bad.first() {
            let (id, unit) = self.place(split);
            if self.spec.bad == BadPolicy::Fail {
                return Err(located(first, chunk, &id, unit).hint(
                    "correct the record, or let the table skip such records: 'bad-records' = 'skip' or 'dead-letter' (or the format's own ignore-parse-errors)",
                ));
            }
            Progress::add(&self.progress.bad_records, bad.len() as u64);
            if self.spec.bad == BadPolicy::DeadLetter {
                self.send_dead_letters(&bad, chunk, &id).await?;
            }
        }
        let kinds = decoder_kinds(&self.spec);
        let rows = slices.rows;
        let failures = self.deliver(split, Source::Records(chunk, &slices), rows, kinds.as_deref()).await?;
        self.drop_failed(failures);
        self.slices = slices;
        self.bad = bad;
        Ok(())
    }

    pub(super) async fn send_dead_letters(
        &mut self,
        bad: &[BadRecord],
        chunk: &RawChunk,
        split: &str,
    ) -> Result<(), Fault> {
        let mut letters = Vec::new();
        for s in self.subscribers.iter().filter(|s| s.subscription.stopped_at.is_none()) {
            if let Some((schema, channel)) = &s.subscription.dead_letters
                && let Some(output) = s.subscription.outputs.get(*channel)
            {
                letters.push((output.clone(), dead_letters(bad, chunk, split, schema)?));
            }
        }
        for (output, batch) in letters {
            output.send(Element::Batch(batch)).await;
        }
        Ok(())
    }
}

fn decoder_kinds(spec: &GroupSpec) -> Option<Arc<[RowKind]>> {
    spec.decoder.as_ref().and_then(|d| d.kinds()).map(Arc::from)
}
