//! What is read of the source for the subscribers there are now: their rules, their watermarks, the columns to cut.

use std::sync::Arc;

use millstream_flow::{MIN_WATERMARK, Split};
use millstream_rules::Rule;
use millstream_types::Fault;

use super::group::GroupColumn;
use super::meeting::{Arrival, Role};
use super::subscription::moved;
use super::task::{Failure, ScanTask, Subscriber};
use super::watermark::WatermarkTracker;
use crate::runtime::Event;

/// How many rules join the set at a time.
const AT_ONCE: usize = 256;

impl ScanTask {
    /// Rules and trackers for the subscriber that came last.
    pub(super) fn listen(&mut self) -> Result<(), Fault> {
        let Some(s) = self.subscribers.last_mut() else { return Ok(()) };
        s.first_rule = self.next_rule;
        s.trackers.clear();
        for scan in &s.subscription.scans {
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
        let scans = s.subscription.scans.len();
        s.sent.resize(scans, MIN_WATERMARK);
        s.watched = (0..scans).filter(|entry| s.subscription.chain.takes_watermarks(*entry)).collect();
        self.add_rules();
        Ok(())
    }

    /// Goes on with a job that another task has read for until now.
    pub(super) fn take_over(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
        self.served = true;
        self.add_rules();
    }

    /// The rules of the subscriber that came last join the set before the next read.
    fn add_rules(&mut self) {
        let Some(s) = self.subscribers.last_mut() else { return };
        s.first_rule = self.next_rule;
        let next = s.first_rule + s.subscription.scans.len();
        self.fresh.extend(self.next_rule..next);
        self.next_rule = next;
    }

    /// Brings the rules up to the subscribers there are now.
    pub(super) fn renew(&mut self) {
        if self.fresh.is_empty() && self.gone.is_empty() {
            return;
        }
        let mut gone = std::mem::take(&mut self.gone);
        let mut fresh = std::mem::take(&mut self.fresh);
        if !gone.is_empty() {
            self.forget_trackers();
        }
        gone.sort_unstable();
        // Those that have gone before they came.
        fresh.retain(|id| gone.binary_search(id).is_err());
        let mut renewed = if gone.is_empty() { Ok(()) } else { self.rules.remove(&gone) };
        // The set has copies of the conditions, which are large: not of all rules at once.
        for ids in fresh.chunks(AT_ONCE) {
            if renewed.is_err() {
                break;
            }
            let rules = self.rules_of(ids);
            if self.rules.add(&rules).is_err() {
                // One of them is to blame, and only its job.
                renewed = self.add_one_by_one(&rules);
            }
        }
        match renewed.and_then(|()| self.redecode()) {
            Ok(()) => self.aim(),
            Err(fault) => self.fail_all(&fault),
        }
    }

    /// The rules of these ids, of the subscribers that are still there.
    fn rules_of(&self, ids: &[usize]) -> Vec<Rule> {
        let rule = |id: &usize| {
            let (subscriber, entry) = scan_of(&self.subscribers, *id)?;
            let scan = self.subscribers.get(subscriber)?.subscription.scans.get(entry)?;
            Some(Rule { id: *id, predicate: scan.filter.clone() })
        };
        ids.iter().filter_map(rule).collect()
    }

    fn add_one_by_one(&mut self, fresh: &[Rule]) -> Result<(), Fault> {
        let mut failures = Vec::new();
        for rule in fresh {
            if let Err(fault) = self.rules.add(std::slice::from_ref(rule)) {
                let Some((subscriber, entry)) = scan_of(&self.subscribers, rule.id) else { continue };
                let scan = self.subscribers.get(subscriber).and_then(|s| s.subscription.scans.get(entry));
                failures.push(Failure { subscriber, statement: scan.map(|s| s.statement), fault });
            }
        }
        failures.dedup_by_key(|f| f.subscriber);
        self.drop_failed(failures);
        let mut gone = std::mem::take(&mut self.gone);
        gone.sort_unstable();
        self.rules.remove(&gone)
    }

    /// The columns to cut, by what the rules want now.
    pub(super) fn aim(&mut self) {
        self.generation = self.rules.generation();
        self.always_cut.clear();
        for scan in self.subscribers.iter().flat_map(|s| &s.subscription.scans) {
            if scan.filter.is_none() {
                self.always_cut.extend(&scan.output.reads);
            }
        }
        for (_, tracker) in &self.trackers {
            self.always_cut.extend(&tracker.columns);
        }
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

    /// Leaves out trackers that nobody follows any more.
    fn forget_trackers(&mut self) {
        let mut kept = vec![false; self.trackers.len()];
        for t in self.subscribers.iter().flat_map(|s| s.trackers.iter().flatten()) {
            if let Some(kept) = kept.get_mut(*t) {
                *kept = true;
            }
        }
        let mut next = 0;
        let to: Vec<usize> = kept
            .iter()
            .map(|kept| {
                next += usize::from(*kept);
                next.saturating_sub(1)
            })
            .collect();
        let mut number = 0;
        self.trackers.retain(|_| {
            number += 1;
            kept.get(number - 1) == Some(&true)
        });
        for t in self.subscribers.iter_mut().flat_map(|s| s.trackers.iter_mut().flatten()) {
            *t = to.get(*t).copied().unwrap_or(*t);
        }
    }

    /// A job comes that stands where this task stands.
    pub(super) fn admit(&mut self, mut arrival: Arrival) {
        self.backlog.append(&mut arrival.pending);
        let events = arrival.subscriber.subscription.events.clone();
        if let Err(fault) = self.take_in(arrival) {
            let _ = events.send(Event::Failed { statement: None, fault });
        }
    }

    fn take_in(&mut self, arrival: Arrival) -> Result<(), Fault> {
        let Arrival { mut subscriber, trackers, columns, making, position, .. } = arrival;
        let to = self.widen(&columns, &making, &subscriber.subscription.reads())?;
        subscriber.subscription.moved(&to);
        // Splits that only the job knows nobody has begun; those that only this task knows it has not read.
        let mine = |id: &str, t: &Self| t.splits.states.iter().position(|s| *s.split.id == *id);
        let strange: Vec<Split> = position
            .iter()
            .filter(|p| mine(&p.id, self).is_none())
            .map(|p| Split { id: p.id.as_str().into(), payload: p.payload.clone() })
            .collect();
        self.splits.adopt(strange.into_iter());
        let splits: Vec<usize> = position.iter().filter_map(|p| mine(&p.id, self)).collect();
        let begun = |s: &super::splits::SplitState| s.finished || s.offset.is_some();
        subscriber.unknown = (0..self.splits.states.len())
            .filter(|i| !splits.contains(i) && self.splits.states.get(*i).is_some_and(begun))
            .collect();
        let mut numbers = Vec::with_capacity(trackers.len());
        for (mut spec, tracker) in trackers {
            moved(Arc::make_mut(&mut spec), &to);
            let mut own = WatermarkTracker::new(&spec)?;
            own.follow(&tracker, &splits);
            let same = self.trackers.iter().position(|(known, t)| *known == spec && t.agrees(&own));
            numbers.push(match same {
                Some(same) => same,
                None => {
                    self.trackers.push((spec, own));
                    self.trackers.len() - 1
                }
            });
        }
        for t in subscriber.trackers.iter_mut().flatten() {
            *t = numbers.get(*t).copied().unwrap_or(*t);
        }
        self.take_over(subscriber);
        Ok(())
    }

    /// The decoder reads what the subscribers read, and nothing else: what nobody needs must not be bad.
    fn redecode(&mut self) -> Result<(), Fault> {
        let Some(making) = &self.spec.making else { return Ok(()) };
        let mut reads: Vec<usize> = self.subscribers.iter().flat_map(|s| s.subscription.reads()).collect();
        reads.sort_unstable();
        reads.dedup();
        if reads != self.decoded {
            self.spec.decoder = Some(making.decoder(&self.spec.columns, &reads)?);
            self.decoded = reads;
            self.ignored = 0;
        }
        Ok(())
    }

    /// Gives a job's columns a place among those of this task; gives where they stand here.
    fn widen(
        &mut self,
        columns: &[GroupColumn],
        theirs: &super::group::Making,
        read: &[usize],
    ) -> Result<Vec<usize>, Fault> {
        let Some(mut making) = self.spec.making.clone() else {
            return Err(Fault::internal("a source that cannot be shared is shared"));
        };
        let table = millstream_plan::merged(&making.table, &theirs.table);
        let mut all = self.spec.columns.clone();
        let mut to = Vec::with_capacity(columns.len());
        for (number, column) in columns.iter().enumerate() {
            let here = match column {
                GroupColumn::Physical(position, data_type) => {
                    let name = theirs.table.schema.field(*position).map(|f| f.name.clone());
                    let here = name.and_then(|n| table.schema.index_of(&n));
                    let here = here.ok_or_else(|| Fault::internal("column out of range"))?;
                    GroupColumn::Physical(here, data_type.clone())
                }
                metadata => metadata.clone(),
            };
            let paths = theirs.paths.get(number).cloned().unwrap_or_default();
            let known = all.iter().position(|c| *c == here);
            to.push(match known {
                Some(known) if read.contains(&number) => {
                    if let Some(own) = making.paths.get_mut(known) {
                        if own.is_empty() || paths.is_empty() {
                            own.clear();
                        } else {
                            own.extend(paths);
                            own.sort();
                            own.dedup();
                        }
                    }
                    known
                }
                Some(known) => known,
                None => {
                    all.push(here);
                    making.paths.push(paths);
                    all.len() - 1
                }
            });
        }
        making.table = table;
        let wider = all.len() != self.spec.columns.len()
            || self.spec.making.as_ref().is_none_or(|m| m.paths != making.paths);
        if wider {
            if let Role::Leads(lead) = &self.role {
                lead.widened(&making);
            }
            self.spec.columns = all;
            self.spec.making = Some(making);
            // What the decoder reads may be the same columns, but not the same of them.
            self.decoded.clear();
        }
        Ok(to)
    }
}

/// The subscriber of a rule, and its scan there.
pub(super) fn scan_of(subscribers: &[Subscriber], rule: usize) -> Option<(usize, usize)> {
    let number = subscribers.partition_point(|s| s.first_rule <= rule).checked_sub(1)?;
    let s = subscribers.get(number)?;
    let entry = rule - s.first_rule;
    (entry < s.subscription.scans.len()).then_some((number, entry))
}

impl Subscriber {
    /// Sends what there is room for, and keeps the rest.
    pub(super) fn send(&mut self, elements: Vec<(usize, millstream_flow::Element)>) {
        self.unsent.extend(elements);
        while let Some((channel, element)) = self.unsent.pop_front() {
            let Some(output) = self.subscription.outputs.get(channel) else { continue };
            if let Err(element) = output.try_send(element) {
                self.unsent.push_front((channel, element));
                return;
            }
        }
    }
}
