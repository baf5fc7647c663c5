//! What is read of the source for the subscribers there are now: their rules, their watermarks, the columns to cut.

use millstream_flow::MIN_WATERMARK;
use millstream_rules::Rule;
use millstream_rules::index::IndexedRules;
use millstream_types::Fault;

use super::group::GroupColumn;
use super::task::ScanTask;
use super::watermark::WatermarkTracker;

impl ScanTask {
    /// Rules, trackers and the columns to cut, for the subscribers there are now.
    pub(super) fn rebuild(&mut self) -> Result<(), Fault> {
        let mut rules = Vec::new();
        let mut cut: Vec<usize> = Vec::new();
        self.rule_scans.clear();
        for (number, s) in self.subscribers.iter_mut().enumerate() {
            s.trackers.clear();
            for (entry, scan) in s.subscription.scans.iter().enumerate() {
                rules.push(Rule { id: rules.len(), predicate: scan.filter.clone() });
                self.rule_scans.push((number, entry));
                if scan.filter.is_none() {
                    cut.extend(&scan.output.reads);
                }
                let tracker = match &scan.watermark {
                    None => None,
                    Some(spec) => Some(match self.trackers.iter().position(|(known, _)| known == spec) {
                        Some(known) => known,
                        None => {
                            let mut tracker = WatermarkTracker::new(spec)?;
                            for (split, state) in self.splits.states.iter().enumerate() {
                                if !state.finished && state.offset.is_some() {
                                    tracker.begin(split, None);
                                }
                            }
                            self.trackers.push((spec.clone(), tracker));
                            self.trackers.len() - 1
                        }
                    }),
                };
                s.trackers.push(tracker);
            }
            s.sent.resize(s.subscription.scans.len(), MIN_WATERMARK);
        }
        for (_, tracker) in &self.trackers {
            cut.extend(&tracker.columns);
        }
        self.always_cut = cut;
        self.rules = Box::new(IndexedRules::new(&rules)?);
        self.aim();
        Ok(())
    }

    /// The columns to cut, by what the rules want now.
    pub(super) fn aim(&mut self) {
        self.generation = self.rules.generation();
        let mut want: Vec<usize> = self
            .always_cut
            .iter()
            .copied()
            .chain(self.rules.slice_columns())
            .filter_map(|c| match self.spec.columns.get(c) {
                Some(GroupColumn::Physical(position, _)) => Some(*position),
                _ => None,
            })
            .collect();
        want.sort_unstable();
        want.dedup();
        self.want = want;
    }
}
