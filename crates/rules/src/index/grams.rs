//! Literals in texts: a table of four-byte windows says where a literal may be, then it is compared.
//!
//! Windows are folded (`byte | 0x20`), so that one table serves literals of either case; some other bytes meet as well, which the comparison
//! sorts out. Of each literal the rarest window goes into the table, by how often windows were seen in a sample; where literals are long enough,
//! two or four neighbouring ones, so that only every second or fourth position of a text is looked at. Beside its window an entry has a second
//! one from the same literal, which most chance meetings do not pass.

use super::atom::{Case, Place};
use super::filter::{Filter, Step, WINDOW, folded, hash, window};
use super::found::Slot;
use super::frequencies::Frequencies;

/// A literal to be found.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    pub(super) literal: Box<[u8]>,
    pub(super) place: Place,
    pub(super) case: Case,
    pub(super) slot: Slot,
}

impl Sought {
    /// Whether the literal stands at a position of a text.
    #[inline]
    pub(super) fn is_at(&self, text: &[u8], start: usize) -> bool {
        let Some(part) = text.get(start..start + self.literal.len()) else { return false };
        let placed = match self.place {
            Place::Anywhere => true,
            Place::Start => start == 0,
            Place::End => start + self.literal.len() == text.len(),
            Place::Whole => part.len() == text.len(),
        };
        placed
            && if self.case == Case::Exact {
                *part == *self.literal
            } else {
                part.eq_ignore_ascii_case(&self.literal)
            }
    }

    /// Whether it is in a text, without a table.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let length = self.literal.len();
        if text.len() < length {
            return false;
        }
        match self.place {
            Place::Start | Place::Whole => self.is_at(text, 0),
            Place::End => self.is_at(text, text.len() - length),
            Place::Anywhere if self.case == Case::Exact => {
                memchr::memmem::find(text, &self.literal).is_some()
            }
            Place::Anywhere => match self.literal.first() {
                Some(first) => memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text)
                    .any(|at| self.is_at(text, at)),
                None => true,
            },
        }
    }
}

/// Whether a byte is spelled as itself in every escaped text.
pub(super) fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && !matches!(byte, b'"' | b'\\' | b'/')
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    gram: u32,
    /// Another window of the literal, and how many bytes behind this one it stands. If the windows and all between them are spelled as
    /// themselves in escaped texts, so is the way from one to the other.
    other: u32,
    away: i32,
    /// Where the window is in the literal.
    offset: u32,
    sought: u32,
}

impl Entry {
    #[inline(always)]
    fn is_at(&self, text: &[u8], at: usize, gram: u32) -> bool {
        self.gram == gram
            && at
                .checked_add_signed(self.away as isize)
                .is_some_and(|other| window(text, other) == Some(self.other))
    }
}

/// The windows of a literal.
struct Windows {
    grams: Vec<u32>,
    frequencies: Vec<u32>,
    /// How many bytes from each one on are spelled as themselves in escaped texts.
    plain: Vec<usize>,
}

impl Windows {
    fn of(literal: &[u8], frequencies: Option<&Frequencies>) -> Self {
        let grams: Vec<u32> = literal.windows(WINDOW).map(folded).collect();
        let mut plain: Vec<usize> = Vec::with_capacity(literal.len());
        let mut run = 0;
        for b in literal.iter().rev() {
            run = if is_plain(*b) { run + 1 } else { 0 };
            plain.push(run);
        }
        plain.reverse();
        Windows {
            frequencies: grams.iter().map(|g| frequencies.map_or(0, |f| f.of(*g))).collect(),
            grams,
            plain,
        }
    }

    fn plain(&self, at: usize) -> usize {
        self.plain.get(at).copied().unwrap_or(0)
    }

    /// Where the best neighbouring windows for a step begin, and whether they are not all spelled as themselves in escaped texts; `None`: there
    /// are too few.
    fn best(&self, step: Step) -> Option<(bool, usize)> {
        let best = self
            .frequencies
            .windows(step.bytes())
            .enumerate()
            .map(|(at, seen)| (self.plain(at) < WINDOW + step.bytes() - 1, seen.iter().sum::<u32>(), at));
        best.min().map(|(escaped, _, at)| (escaped, at))
    }

    /// The longest step that is possible without going to windows that are not spelled as themselves.
    fn longest(&self) -> Step {
        let escaped = self.best(Step::One).is_none_or(|(escaped, _)| escaped);
        let fits = |s: &Step| self.best(*s).is_some_and(|(e, _)| e == escaped);
        Step::ALL.into_iter().find(fits).unwrap_or(Step::One)
    }

    fn entry(&self, at: usize, sought: u32) -> Entry {
        let gram = self.grams.get(at).copied().unwrap_or(0);
        let from = at.saturating_sub(2 * WINDOW);
        let others = self.grams.iter().zip(&self.frequencies).enumerate().skip(from).take(4 * WINDOW);
        let best = others
            .filter(|(other, _)| {
                let (first, last) = (at.min(*other), at.max(*other));
                last <= at + 2 * WINDOW && self.plain(first) >= last - first + WINDOW
            })
            .map(|(other, (gram, seen))| {
                let away = at.abs_diff(other);
                (away < WINDOW, *seen, away.abs_diff(WINDOW), other, *gram)
            })
            .min_by_key(|(overlaps, seen, away, other, _)| {
                // Of those that overlap the farthest.
                (*overlaps, if *overlaps { 0 } else { *seen }, *away, *other)
            });
        let (other, away) = best.map_or((gram, 0), |(.., other, gram)| (gram, other as i32 - at as i32));
        Entry { gram, other, away, offset: at as u32, sought }
    }
}

/// The table of the literals of at least [`WINDOW`] bytes of one column.
#[derive(Debug)]
pub(super) struct Grams {
    filter: Filter,
    step: Step,
    /// For each of the uppermost bits of a hash, where its entries begin; one more at the end.
    starts: Vec<u32>,
    shift: u32,
    entries: Vec<Entry>,
    /// Whether every window consists of bytes that are spelled as themselves in escaped texts.
    pub(super) plain: bool,
    hits: Vec<u32>,
}

/// What a position that is looked at costs, and one that the filter lets pass: the second is a branch that nobody foresees.
const LOOK: f64 = 1.0;
const PASS: f64 = 10.0;

/// The step that costs least: shorter ones look at more positions, longer ones have to take windows that are seen more often.
fn step(all: &[Windows], frequencies: Option<&Frequencies>) -> Step {
    let longest = all.iter().map(Windows::longest).min_by_key(|s| s.bytes()).unwrap_or(Step::One);
    let Some(f) = frequencies.filter(|f| f.texts > 0) else { return longest };
    let cost = |step: Step| {
        let mut taken: Vec<(u32, u32)> = Vec::new();
        for w in all {
            let Some((_, at)) = w.best(step) else { continue };
            let windows = w.grams.iter().zip(&w.frequencies).skip(at).take(step.bytes());
            taken.extend(windows.map(|(gram, seen)| (*gram, *seen)));
        }
        taken.sort_unstable();
        taken.dedup();
        let passed: f64 = taken.iter().map(|(_, seen)| f64::from(*seen)).sum();
        (f.bytes as f64 * LOOK + passed * PASS) / step.bytes() as f64
    };
    let possible = Step::ALL.into_iter().filter(|s| s.bytes() <= longest.bytes());
    possible.map(|s| (cost(s), s)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(longest, |(_, s)| s)
}

impl Grams {
    pub(super) fn new(sought: &[Sought], frequencies: Option<&Frequencies>) -> Self {
        let windows: Vec<Windows> = sought.iter().map(|s| Windows::of(&s.literal, frequencies)).collect();
        let step = step(&windows, frequencies);
        let mut plain = true;
        let mut entries: Vec<Entry> = Vec::with_capacity(sought.len() * step.bytes());
        for (i, w) in windows.iter().enumerate() {
            let Some((escaped, at)) = w.best(step) else { continue };
            plain &= !escaped;
            entries.extend((at..at + step.bytes()).map(|at| w.entry(at, i as u32)));
        }
        let mut filter = Filter::new(sought.len());
        entries.iter().for_each(|e| filter.insert(e.gram));
        let bits = usize::BITS - entries.len().leading_zeros();
        let shift = 32 - bits.max(1);
        entries.sort_unstable_by_key(|e| (hash(e.gram), e.sought));
        let mut starts = vec![0u32; (1usize << (32 - shift)) + 1];
        for e in &entries {
            if let Some(n) = starts.get_mut((hash(e.gram) >> shift) as usize + 1) {
                *n += 1;
            }
        }
        let mut sum = 0;
        for n in &mut starts {
            sum += *n;
            *n = sum;
        }
        Grams { filter, step, starts, shift, entries, plain, hits: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether some literal's windows are in a text that may be escaped.
    #[inline]
    pub(super) fn suspects(&mut self, text: &[u8]) -> bool {
        let mut hits = std::mem::take(&mut self.hits);
        self.filter.positions(self.step, text, &mut hits);
        let found = hits.iter().any(|at| {
            let at = *at as usize;
            window(text, at).is_some_and(|gram| self.entries_of(gram).iter().any(|e| e.is_at(text, at, gram)))
        });
        self.hits = hits;
        found
    }

    fn entries_of(&self, gram: u32) -> &[Entry] {
        let at = (hash(gram) >> self.shift) as usize;
        let start = self.starts.get(at).copied().unwrap_or(0) as usize;
        let end = self.starts.get(at + 1).copied().unwrap_or(0) as usize;
        self.entries.get(start..end).unwrap_or(&[])
    }

    /// Calls `hit` for each literal that stands somewhere in the text.
    #[inline]
    pub(super) fn find(&mut self, sought: &[Sought], text: &[u8], mut hit: impl FnMut(&Sought)) {
        let mut hits = std::mem::take(&mut self.hits);
        self.filter.positions(self.step, text, &mut hits);
        for at in &hits {
            let at = *at as usize;
            let Some(gram) = window(text, at) else { continue };
            for e in self.entries_of(gram) {
                if e.is_at(text, at, gram)
                    && let Some(start) = at.checked_sub(e.offset as usize)
                    && let Some(s) = sought.get(e.sought as usize)
                    && s.is_at(text, start)
                {
                    hit(s);
                }
            }
        }
        self.hits = hits;
    }
}
