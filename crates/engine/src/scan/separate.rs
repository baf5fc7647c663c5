//! A chunk that does not mean the same for all jobs of a scan: each one's columns are cut and its rules evaluated by themselves, as if it read
//! alone. An error belongs to the job that needs the value.

use millstream_flow::{BadRecord, RawChunk};
use millstream_rules::{Rule, rule_set};
use millstream_types::{Fault, Slices};

use super::task::{ScanTask, Subscriber};

impl ScanTask {
    /// Whether the same records of a chunk are rows for every subscriber, although some are bad or left out. The more columns a decoder reads, the
    /// more records are bad for it: so all agree if the one that reads all columns agrees with one that reads none.
    pub(super) fn alike(
        &mut self,
        chunk: &RawChunk,
        slices: &Slices,
        bad: &[BadRecord],
    ) -> Result<bool, Fault> {
        let Some(making) = &self.spec.making else { return Ok(true) };
        let mut reads = self.subscribers.iter().map(|s| s.subscription.reads());
        let first = reads.next();
        if reads.all(|r| Some(r) == first) {
            return Ok(true);
        }
        let mut decoder = making.decoder(&self.spec.columns, &[])?;
        let (mut rows, mut none) = (Slices::default(), Vec::new());
        decoder.cut(chunk, &[], &mut rows, &mut none)?;
        Ok(rows.rows == slices.rows && none.iter().map(|b| b.record).eq(bad.iter().map(|b| b.record)))
    }

    /// A chunk for each subscriber by itself.
    pub(super) fn separately(&mut self, split: usize, chunk: &RawChunk) -> Result<(), Fault> {
        let Some(making) = self.spec.making.clone() else {
            return Err(Fault::internal("a source that cannot be shared is shared"));
        };
        let subscribers = std::mem::take(&mut self.subscribers);
        let mut trackers: Vec<_> = std::mem::take(&mut self.trackers).into_iter().map(Some).collect();
        let marks: Vec<_> = trackers.iter().flatten().map(|(_, t)| t.mark(split)).collect();
        let mut reached = marks.clone();
        let rules = std::mem::replace(&mut self.rules, rule_set(&[], self.spec.indexed)?);
        let (decoder, ignored) = (self.spec.decoder.take(), self.ignored);
        let mut left: Vec<Subscriber> = Vec::with_capacity(subscribers.len());
        for mut s in subscribers {
            // A tracker that another one follows may fail on what is no matter to this one.
            let numbers = s.trackers.clone();
            let mut own: Vec<usize> = Vec::new();
            for t in s.trackers.iter_mut().flatten() {
                let place = own.iter().position(|o| o == t);
                let place = place.unwrap_or_else(|| {
                    own.push(*t);
                    own.len() - 1
                });
                *t = place;
            }
            self.trackers = own.iter().filter_map(|t| trackers.get_mut(*t)?.take()).collect();
            let made = self.alone(&s, &making);
            self.subscribers = vec![s];
            self.aim();
            let done = made.and_then(|()| self.records(split, chunk));
            if let Err(fault) = done {
                self.fail_all(&fault);
            }
            for (t, (spec, mut tracker)) in own.iter().zip(std::mem::take(&mut self.trackers)) {
                if let (Some(place), Some(reached), Some(mark)) =
                    (trackers.get_mut(*t), reached.get_mut(*t), marks.get(*t))
                {
                    *reached = tracker.mark(split);
                    tracker.go_back(split, *mark);
                    *place = Some((spec, tracker));
                }
            }
            for mut s in self.subscribers.drain(..) {
                s.trackers.clone_from(&numbers);
                left.push(s);
            }
        }
        self.subscribers = left;
        self.trackers = trackers.into_iter().flatten().collect();
        for ((_, tracker), reached) in self.trackers.iter_mut().zip(reached) {
            tracker.go_back(split, reached);
        }
        self.rules = rules;
        self.spec.decoder = decoder;
        self.ignored = ignored;
        self.aim();
        Ok(())
    }

    /// A decoder and rules for one subscriber.
    fn alone(&mut self, s: &Subscriber, making: &super::group::Making) -> Result<(), Fault> {
        let rules: Vec<Rule> = (s.first_rule..)
            .zip(&s.subscription.scans)
            .map(|(id, scan)| Rule { id, predicate: scan.filter.clone() })
            .collect();
        self.rules = rule_set(&rules, self.spec.indexed)?;
        self.spec.decoder = Some(making.decoder(&self.spec.columns, &s.subscription.reads())?);
        self.ignored = 0;
        Ok(())
    }
}
