//! Rules in the shape of the public ones.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::OnceLock;

use regex::Regex;

use super::RULES;
use super::classes::{CHANNELS, Class, Kind, classes, column_names, key_kind};
use super::literals::{Form, Vocabulary, frequent, hex, own};
use crate::loads::generate::Rng;

/// A test of one column.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// Position of the column.
    pub column: usize,
    pub form: Form,
    /// In lower case; of [`Form::Matches`] the pattern.
    pub literal: String,
    pattern: Option<OnceLock<Option<Regex>>>,
}

impl Predicate {
    /// Whether it holds for a text in lower case.
    pub fn holds(&self, text: Option<&str>) -> bool {
        let Some(text) = text else { return false };
        match (self.form, &self.pattern) {
            (Form::Contains, _) => text.contains(&self.literal),
            (Form::Ends, _) => text.ends_with(&self.literal),
            (Form::Starts, _) => text.starts_with(&self.literal),
            (Form::Equals, _) => text == self.literal,
            (Form::Matches, pattern) => pattern
                .as_ref()
                .and_then(|p| p.get_or_init(|| Regex::new(&self.literal).ok()).as_ref())
                .is_some_and(|p| p.is_match(text)),
        }
    }

    fn sql(&self, names: &[String], out: &mut String) {
        let name = names.get(self.column).map_or("", String::as_str);
        let quoted = self.literal.replace('\'', "''");
        let like = |before: &str, after: &str, out: &mut String| {
            let escaped = quoted.replace('!', "!!").replace('%', "!%").replace('_', "!_");
            // As people write it: an escape character only where something has to be escaped.
            if self.literal.contains(['%', '_']) {
                let _ = write!(out, "LOWER(`{name}`) LIKE '{before}{escaped}{after}' ESCAPE '!'");
            } else {
                let _ = write!(out, "LOWER(`{name}`) LIKE '{before}{quoted}{after}'");
            }
        };
        match self.form {
            Form::Contains => like("%", "%", out),
            Form::Ends => like("%", "", out),
            Form::Starts => like("", "%", out),
            Form::Equals => {
                let _ = write!(out, "LOWER(`{name}`) = '{quoted}'");
            }
            Form::Matches => {
                let _ = write!(out, "REGEXP(`{name}`, '{quoted}')");
            }
        }
    }
}

/// Predicates of which all or one must hold.
#[derive(Debug, Clone)]
pub struct Group {
    pub all: bool,
    pub predicates: Vec<Predicate>,
}

impl Group {
    fn holds(&self, texts: &[Option<String>]) -> bool {
        let holds = |p: &Predicate| p.holds(texts.get(p.column).and_then(Option::as_deref));
        if self.all { self.predicates.iter().all(holds) } else { self.predicates.iter().any(holds) }
    }

    fn sql(&self, names: &[String], out: &mut String) {
        let between = if self.all { " AND " } else { " OR " };
        for (i, p) in self.predicates.iter().enumerate() {
            if i > 0 {
                out.push_str(between);
            }
            p.sql(names, out);
        }
    }
}

/// A detection rule.
#[derive(Debug)]
pub struct Rule {
    /// Position of the kind of events that it is about.
    pub class: usize,
    /// Whether it asks for the event number.
    pub number: Option<u32>,
    /// The channel that it asks for.
    pub channel: Option<Predicate>,
    /// All of these.
    pub groups: Vec<Group>,
    /// Not TRUE.
    pub filter: Option<Group>,
}

impl Rule {
    /// Whether an event (its number, and its texts in lower case by column) is a hit.
    pub fn hits(&self, number: u32, texts: &[Option<String>]) -> bool {
        self.number.is_none_or(|n| n == number)
            && self.channel.as_ref().is_none_or(|c| c.holds(texts.get(1).and_then(Option::as_deref)))
            && self.groups.iter().all(|g| g.holds(texts))
            && !self.filter.as_ref().is_some_and(|f| f.holds(texts))
    }

    /// All tests of texts.
    pub fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.channel.iter().chain(self.groups.iter().chain(&self.filter).flat_map(|g| &g.predicates))
    }

    /// The condition in SQL.
    pub fn sql(&self, names: &[String]) -> String {
        let mut out = String::new();
        let mut and = "";
        if let Some(n) = self.number {
            let _ = write!(out, "`{}` = {n}", names.first().map_or("", String::as_str));
            and = " AND ";
        }
        if let Some(c) = &self.channel {
            out.push_str(and);
            c.sql(names, &mut out);
            and = " AND ";
        }
        for g in &self.groups {
            out.push_str(and);
            out.push('(');
            g.sql(names, &mut out);
            out.push(')');
            and = " AND ";
        }
        if let Some(f) = &self.filter {
            out.push_str(and);
            out.push('(');
            f.sql(names, &mut out);
            out.push_str(") IS NOT TRUE");
        }
        out
    }
}

/// All rules, and what events need to be made for them.
pub struct RuleSet {
    pub rules: Vec<Rule>,
    pub classes: Vec<Class>,
    pub words: Vocabulary,
    pub names: Vec<String>,
}

impl RuleSet {
    /// The whole set.
    pub fn new() -> Self {
        let (words, classes) = (Vocabulary::new(), classes());
        let mut rng = Rng::new(2818);
        let mut sizes: Vec<usize> = (0..RULES).map(size).collect();
        for i in (1..RULES).rev() {
            sizes.swap(i, (rng.next() % (i as u64 + 1)) as usize);
        }
        let mut maker = Maker { words: &words, classes: &classes, rng: &mut rng, known: HashMap::new() };
        let rules = sizes.into_iter().map(|n| maker.rule(n)).collect();
        RuleSet { rules, classes, words, names: column_names() }
    }
}

/// The number of predicates of the i-th smallest rule: a tenth have up to 3, half up to 7, a tenth 23 or more, a hundredth 100 or more.
fn size(i: usize) -> usize {
    if i + 1 == RULES {
        return LARGEST;
    }
    let u = (i as f64 + 0.5) / RULES as f64;
    let between = |from: f64, to: f64, u: f64, bend: f64| (from + (to - from) * u.powf(bend)) as usize;
    match u {
        u if u < 0.1 => between(2.0, 4.0, u / 0.1, 1.0),
        u if u < 0.5 => between(4.0, 8.0, (u - 0.1) / 0.4, 1.0),
        u if u < 0.9 => between(8.0, 23.0, (u - 0.5) / 0.4, 1.75),
        u if u < 0.99 => between(23.0, 100.0, (u - 0.9) / 0.09, 2.0),
        u => between(100.0, 520.0, (u - 0.99) / 0.01, 3.0),
    }
}

/// Predicates of the largest rule.
pub const LARGEST: usize = 4_433;

struct Maker<'a> {
    words: &'a Vocabulary,
    classes: &'a [Class],
    rng: &'a mut Rng,
    /// Literals of earlier rules: some are used again.
    known: HashMap<(usize, Form), Vec<String>>,
}

impl Maker<'_> {
    fn one_in(&mut self, n: u64) -> bool {
        self.rng.next().is_multiple_of(n)
    }

    fn share(&mut self) -> f64 {
        (self.rng.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn rule(&mut self, size: usize) -> Rule {
        if size == LARGEST {
            return self.largest();
        }
        let total: u32 = self.classes.iter().map(|c| c.rules).sum();
        let mut r = (self.rng.next() % u64::from(total)) as u32;
        let mut class = 0;
        for (i, c) in self.classes.iter().enumerate() {
            class = i;
            if r < c.rules {
                break;
            }
            r -= c.rules;
        }
        let Some(of) = self.classes.get(class) else { return self.largest() };
        let number = (!self.one_in(100)).then_some(of.number);
        let asks_channel = size >= 3 && self.one_in(5) || number.is_none();
        let channel = asks_channel.then(|| self.channel(of.channel));
        let left = size.saturating_sub(usize::from(number.is_some()) + usize::from(asks_channel)).max(1);
        let filtered = if left >= 3 && self.share() < 0.32 {
            1 + (self.share() * 0.35 * left as f64) as usize
        } else {
            0
        };
        let positive = left - filtered.min(left - 1);
        let mut columns = self.columns(of, positive, usize::from(asks_channel));
        columns.sort_by_key(|c| key_kind(*c) == Kind::Value);
        // The first column's literals are this rule's own; the others share what is left.
        let mut counts = vec![1usize; columns.len()];
        for _ in 0..positive.saturating_sub(columns.len()) {
            let at = if self.share() < 0.6 { 0 } else { (self.rng.next() % columns.len() as u64) as usize };
            if let Some(n) = counts.get_mut(at) {
                *n += 1;
            }
        }
        let groups: Vec<Group> =
            columns.iter().zip(&counts).enumerate().map(|(i, (c, n))| self.group(*c, *n, i == 0)).collect();
        let filter = (filtered > 0).then(|| {
            let column = columns.get((self.rng.next() % columns.len() as u64) as usize).copied().unwrap_or(2);
            self.group(column, filtered, false)
        });
        Rule { class, number, channel, groups, filter }
    }

    fn channel(&mut self, channel: usize) -> Predicate {
        let literal = CHANNELS.get(channel).copied().unwrap_or_default().to_lowercase();
        Predicate { column: 1, form: Form::Equals, literal, pattern: None }
    }

    /// Columns of a rule: one to three beside number and channel, seldom more.
    fn columns(&mut self, class: &Class, positive: usize, taken: usize) -> Vec<usize> {
        let u = self.share();
        let wanted = match u {
            u if u < 0.22 => 1,
            u if u < 0.62 => 2,
            u if u < 0.93 => 3 - taken,
            u if u < 0.985 => 4 + (self.rng.next() % 3) as usize,
            _ => 7 + (self.rng.next() % 8) as usize,
        };
        let wanted = wanted.min(positive).min(class.tested.len()).max(1);
        let mut columns = Vec::new();
        while columns.len() < wanted {
            // The first ones of the list most of all.
            let bend = if class.number == 1 { 7.0 } else { 1.0 };
            let at = (self.share().powf(bend) * class.tested.len() as f64) as usize;
            if let Some(c) = class.tested.get(at)
                && !columns.contains(c)
            {
                columns.push(*c);
            }
        }
        columns
    }

    fn form(&mut self, kind: Kind) -> Form {
        let weights: [f64; 4] = match kind {
            // Contains, ends, starts, equals.
            Kind::Program => [0.13, 0.83, 0.03, 0.01],
            Kind::Command | Kind::Script => [0.95, 0.025, 0.02, 0.005],
            Kind::FileName => [0.0, 0.1, 0.0, 0.9],
            Kind::Path => [0.5, 0.4, 0.09, 0.01],
            Kind::Registry => [0.66, 0.3, 0.03, 0.01],
            Kind::Name => [0.62, 0.06, 0.04, 0.28],
            Kind::Value => [0.0, 0.0, 0.0, 1.0],
            Kind::Hashes => [1.0, 0.0, 0.0, 0.0],
        };
        let mut u = self.share();
        for (form, weight) in
            [Form::Contains, Form::Ends, Form::Starts, Form::Equals].into_iter().zip(weights)
        {
            if u < weight {
                return form;
            }
            u -= weight;
        }
        Form::Equals
    }

    /// Literals: a twentieth 2 or 3 characters long, half up to 13, the longest 232. Those that choose a rule's events are not short.
    fn length(&mut self, key: bool) -> usize {
        let u = self.share();
        if !key && u < 0.4 {
            return 2 + usize::from(!self.rng.next().is_multiple_of(3));
        }
        if self.share() < 0.47 {
            let from = if key { 8 } else { 4 };
            return from + self.rng.next() as usize % (14 - from);
        }
        14 + (self.share().powi(5) * 219.0) as usize
    }

    fn group(&mut self, column: usize, count: usize, key: bool) -> Group {
        let kind = key_kind(column);
        let form = self.form(kind);
        let all = count > 1 && count <= 4 && form == Form::Contains && self.share() < 0.45;
        let mut predicates: Vec<Predicate> = Vec::with_capacity(count);
        let mut tries = 0;
        while predicates.len() < count {
            tries += 1;
            // Of all that must hold, one literal of its own is enough.
            let own_needed = key && (!all || predicates.is_empty());
            let known = frequent(kind, form);
            let common = if own_needed { 0.0 } else { 0.62 };
            let literal = if self.share() < common && tries < 4 * count {
                known
                    .get((self.rng.next() % known.len().max(1) as u64) as usize)
                    .map_or(String::new(), |l| (*l).into())
            } else {
                let again = self.known.get(&(column, form)).filter(|k| k.len() > 3).and_then(|k| {
                    let r = self.rng.next();
                    (r % 100 < 31).then(|| k.get((r >> 8) as usize % k.len()).cloned()).flatten()
                });
                again.filter(|l| !own_needed || l.len() > 8).unwrap_or_else(|| {
                    let length =
                        self.length(own_needed).max(if own_needed && form == Form::Starts { 11 } else { 2 });
                    let literal = own(self.words, kind, form, length, self.rng);
                    self.known.entry((column, form)).or_default().push(literal.clone());
                    literal
                })
            };
            if literal.len() < 2 || predicates.iter().any(|p| p.literal == literal) {
                continue;
            }
            if matches!(kind, Kind::Command | Kind::Script) && !all && self.share() < 0.012 {
                predicates.push(self.pattern(column));
                continue;
            }
            predicates.push(Predicate { column, form, literal, pattern: None });
        }
        Group { all, predicates }
    }

    fn pattern(&mut self, column: usize) -> Predicate {
        let (a, b) = (self.words.of_rules(self.rng), self.words.of_rules(self.rng));
        let literal = match self.rng.next() % 3 {
            0 => format!(r"(?i){a}[0-9]{{2,4}}\s+-{b}"),
            1 => format!(r"(?i)\b{a}(\.exe)?\s.*{b}[a-z0-9+/=]{{4,}}"),
            _ => format!(r"(?i)({a}|{b})\(['`][a-z]+['`]\)"),
        };
        Predicate { column, form: Form::Matches, literal, pattern: Some(OnceLock::new()) }
    }

    /// A list of drivers by their digests.
    fn largest(&mut self) -> Rule {
        let class = self.classes.iter().position(|c| c.number == 6).unwrap_or(0);
        let mut predicates = Vec::with_capacity(LARGEST);
        for i in 0..LARGEST - 1 {
            let literal = match i % 3 {
                _ if i % 30 == 1 => format!("md5={}", hex(self.rng, 32)),
                0 => format!("md5={}", hex(self.rng, 32)),
                1 => format!("sha1={}", hex(self.rng, 40)),
                _ => format!("sha256={}", hex(self.rng, 64)),
            };
            predicates.push(Predicate { column: 7, form: Form::Contains, literal, pattern: None });
        }
        let groups = vec![Group { all: false, predicates }];
        Rule { class, number: Some(6), channel: None, groups, filter: None }
    }
}
