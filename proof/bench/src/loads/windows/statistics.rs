//! What the made-up rules and events look like, in the terms in which the real ones were described.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::classes::{COLUMNS, HEAVY};
use super::events::Events;
use super::literals::Form;
use super::rules::RuleSet;

/// The realised shape.
#[derive(Debug)]
pub struct Statistics {
    pub rules: usize,
    pub predicates: usize,
    pub distinct: usize,
    /// Columns that some rule tests.
    pub columns: usize,
    /// Share of predicates by form: contains, ends, starts, equals, matches.
    pub forms: [f64; 5],
    /// Share of rules that ask for the event number, for the channel, that have a NOT.
    pub numbered: f64,
    pub channelled: f64,
    pub negated: f64,
    /// Predicates a rule at the 10th, 50th, 90th, 99th percentile, and the largest.
    pub sizes: [usize; 5],
    /// Length of the longest condition in bytes.
    pub longest_condition: usize,
    /// Share of rules with 2 to 4 columns, and the most columns.
    pub two_to_four: f64,
    pub most_columns: usize,
    /// Lengths of literals: least, median, most; share of 2 or 3.
    pub lengths: [usize; 3],
    pub short: f64,
    /// Share of the tests of texts that the four most tested columns carry, without the largest rule.
    pub heavy: f64,
    /// Events: bytes, least and most keys, share that hits a rule, hits an event.
    pub bytes: f64,
    pub keys: [usize; 2],
    pub hit: f64,
    pub hits: f64,
    /// Rules that hit nothing on these events.
    pub silent: usize,
}

impl Statistics {
    /// Of the whole set, and of so many events.
    pub fn new(events: usize) -> Self {
        Statistics::of(&RuleSet::new(), events)
    }

    fn of(set: &RuleSet, events: usize) -> Self {
        let mut forms = [0usize; 5];
        let mut distinct = HashSet::new();
        let mut columns = HashSet::new();
        let (mut sizes, mut widths, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        let mut by_column: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut numbered, mut channelled, mut negated, mut longest) = (0, 0, 0, 0);
        for rule in &set.rules {
            let mut here = HashSet::new();
            let mut size = 0;
            if let Some(n) = rule.number {
                numbered += 1;
                size += 1;
                here.insert(0);
                distinct.insert((0, Form::Equals, n.to_string()));
                *forms.get_mut(3).unwrap_or(&mut 0) += 1;
            }
            channelled += usize::from(rule.channel.is_some());
            negated += usize::from(rule.filter.is_some());
            for p in rule.predicates() {
                size += 1;
                here.insert(p.column);
                distinct.insert((p.column, p.form, p.literal.clone()));
                *forms.get_mut(p.form as usize).unwrap_or(&mut 0) += 1;
                lengths.push(p.literal.chars().count());
                // The list of digests would count for a tenth of all.
                if p.column != 1 && rule.predicates().count() < 1_000 {
                    *by_column.entry(p.column).or_default() += 1;
                }
            }
            columns.extend(here.iter().copied());
            sizes.push(size);
            widths.push(here.len());
            longest = longest.max(rule.sql(&set.names).len());
        }
        sizes.sort_unstable();
        lengths.sort_unstable();
        let at = |list: &[usize], share: f64| {
            list.get(((list.len() as f64 - 1.0) * share) as usize).copied().unwrap_or(0)
        };
        let predicates: usize = sizes.iter().sum();
        let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        let tests: usize = by_column.values().sum();
        let heavy = HEAVY.iter().filter_map(|c| by_column.get(c)).sum();
        let count = set.rules.len();
        let mut out = Statistics {
            rules: count,
            predicates,
            distinct: distinct.len(),
            columns: columns.len(),
            forms: forms.map(|n| share(n, predicates)),
            numbered: share(numbered, count),
            channelled: share(channelled, count),
            negated: share(negated, count),
            sizes: [at(&sizes, 0.1), at(&sizes, 0.5), at(&sizes, 0.9), at(&sizes, 0.99), at(&sizes, 1.0)],
            longest_condition: longest,
            two_to_four: share(widths.iter().filter(|w| (2..=4).contains(*w)).count(), count),
            most_columns: widths.iter().copied().max().unwrap_or(0),
            lengths: [at(&lengths, 0.0), at(&lengths, 0.5), at(&lengths, 1.0)],
            short: share(lengths.iter().filter(|l| **l <= 3).count(), lengths.len()),
            heavy: share(heavy, tests),
            bytes: 0.0,
            keys: [usize::MAX, 0],
            hit: 0.0,
            hits: 0.0,
            silent: 0,
        };
        out.look_at_events(set, events);
        out
    }

    fn look_at_events(&mut self, set: &RuleSet, events: usize) {
        let mut made = Events::new(set);
        let mut counts = vec![0u64; set.rules.len()];
        let mut line = Vec::new();
        let (mut bytes, mut hit) = (0, 0);
        for _ in 0..events {
            line.clear();
            let Ok(event) = made.write(&mut line) else { return };
            let mut any = false;
            for (rule, count) in set.rules.iter().zip(&mut counts) {
                if rule.hits(event.number, event.texts) {
                    *count += 1;
                    any = true;
                }
            }
            hit += usize::from(any);
            bytes += line.len();
            let keys = line.windows(3).filter(|w| w.ends_with(b"\":")).count();
            self.keys = [self.keys[0].min(keys), self.keys[1].max(keys)];
        }
        let n = events.max(1) as f64;
        self.bytes = bytes as f64 / n;
        self.hit = hit as f64 / n;
        self.hits = counts.iter().sum::<u64>() as f64 / n;
        self.silent = counts.iter().filter(|c| **c == 0).count();
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = |x: f64| format!("{:.1} %", x * 100.0);
        let [contains, ends, starts, equals, matches] = self.forms;
        writeln!(f, "rules                {}", self.rules)?;
        writeln!(f, "columns              {} of {COLUMNS} tested", self.columns)?;
        writeln!(f, "predicates           {}, {} distinct", self.predicates, self.distinct)?;
        writeln!(
            f,
            "forms                contains {}, ends {}, starts {}, equals {}, matches {}",
            p(contains),
            p(ends),
            p(starts),
            p(equals),
            p(matches)
        )?;
        writeln!(
            f,
            "event number         {}, channel {}, NOT {}",
            p(self.numbered),
            p(self.channelled),
            p(self.negated)
        )?;
        writeln!(f, "predicates a rule    {:?} at 10, 50, 90, 99, 100 %", self.sizes)?;
        writeln!(f, "longest condition    {} bytes", self.longest_condition)?;
        writeln!(f, "columns a rule       2 to 4 in {}, at most {}", p(self.two_to_four), self.most_columns)?;
        writeln!(
            f,
            "literals             {:?} characters (least, median, most), {} of 2 or 3",
            self.lengths,
            p(self.short)
        )?;
        writeln!(f, "four columns carry   {}", p(self.heavy))?;
        writeln!(
            f,
            "events               {:.0} bytes, {} to {} keys",
            self.bytes, self.keys[0], self.keys[1]
        )?;
        write!(
            f,
            "hits                 {} of the events, {:.4} an event, {} rules silent",
            p(self.hit),
            self.hits,
            self.silent
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape of the 2,818 public rules, as it was described.
    #[test]
    fn rules_have_the_shape_of_real_ones() {
        let s = Statistics::new(1_000);
        println!("{s}");
        let near = |what: &str, value: f64, wanted: f64, by: f64| {
            assert!((value - wanted).abs() <= by, "{what}: {value}, wanted {wanted} within {by}");
        };
        assert_eq!(s.rules, 2_818);
        assert!((185..=200).contains(&s.columns), "{} columns", s.columns);
        near("predicates", s.predicates as f64, 43_000.0, 1_500.0);
        near("distinct", s.distinct as f64, 29_000.0, 1_500.0);
        for (form, wanted, by) in
            [(0, 0.61, 0.03), (1, 0.20, 0.03), (2, 0.02, 0.007), (3, 0.17, 0.03), (4, 0.004, 0.002)]
        {
            near("form", s.forms[form], wanted, by);
        }
        near("event number", s.numbered, 0.99, 0.01);
        near("channel", s.channelled, 0.20, 0.03);
        near("NOT", s.negated, 0.25, 0.03);
        let [tenth, half, most, nearly_all, all] = s.sizes;
        assert!(tenth <= 3 && (6..=7).contains(&half) && (20..=24).contains(&most), "{:?}", s.sizes);
        assert!((95..=130).contains(&nearly_all) && all == 4_433, "{:?}", s.sizes);
        near("longest condition", s.longest_condition as f64, 348_000.0, 15_000.0);
        assert!(
            s.two_to_four > 0.85 && (12..=16).contains(&s.most_columns),
            "{} {}",
            s.two_to_four,
            s.most_columns
        );
        let [least, median, longest] = s.lengths;
        assert!(
            least == 2 && (11..=14).contains(&median) && (215..=235).contains(&longest),
            "{:?}",
            s.lengths
        );
        near("short literals", s.short, 0.05, 0.015);
        assert!(s.heavy > 0.5, "{}", s.heavy);
        near("event bytes", s.bytes, 2_300.0, 150.0);
        assert!(s.keys[0] >= 20 && s.keys[1] <= 62, "{:?}", s.keys);
        near("events that hit", s.hit, 0.01, 0.006);
    }
}
