//! Following a path through a text in one pass: what the path does not touch is checked and skipped, not built.

use super::path::{JsonPath, Step};
use super::scan::{Scan, TOO_DEEP};
use super::tree::read;
use super::{Json, JsonError, MAX_DEPTH, unescape};

/// Where a value stands in a text.
type Place = Option<(usize, usize)>;

impl JsonPath {
    /// The value at a path of single names and indexes from the start in the first value of a text, as [`Json::parse`] and
    /// [`JsonPath::evaluate`] find it: `Ok(None)` where they find none. `None`: the path is none of this kind.
    ///
    /// # Errors
    /// Where the text is no JSON, wherever in its first value.
    pub fn locate(&self, text: &str) -> Option<Result<Option<Json>, JsonError>> {
        if !self.is_plain() {
            return None;
        }
        let mut scan = Scan { text: text.as_bytes(), at: 0, seen: 0 };
        Some(scan.find(self.steps(), 0).and_then(|place| {
            let Some((from, to)) = place else { return Ok(None) };
            let text = text.as_bytes().get(..to).unwrap_or_default();
            read(Scan { text, at: from, seen: 0 }).map(Some)
        }))
    }
}

impl Scan<'_> {
    /// Goes over a value that is `depth` containers deep; gives where the steps lead in it. Nests as deep as the path is long.
    fn find(&mut self, steps: &[Step], depth: usize) -> Result<Place, JsonError> {
        let first = self.token();
        let Some((step, rest)) = steps.split_first() else {
            let from = self.at;
            self.skip(depth)?;
            return Ok(Some((from, self.at)));
        };
        match (first, step) {
            (b'{', Step::Names(names)) => self.field(names.first().map_or("", String::as_str), rest, depth),
            (b'[', Step::Indexes(indexes)) => {
                let wanted = indexes.first().and_then(|i| usize::try_from(*i).ok());
                self.item(wanted.unwrap_or(usize::MAX), rest, depth)
            }
            _ => self.skip(depth).map(|()| None),
        }
    }

    /// Of equal names the last one counts.
    fn field(&mut self, name: &str, rest: &[Step], depth: usize) -> Result<Place, JsonError> {
        let mut found = None;
        self.fields(depth, |scan, raw| {
            if is_name(raw, name) {
                found = scan.find(rest, depth + 1)?;
                return Ok(());
            }
            scan.token();
            scan.skip(depth + 1)
        })?;
        Ok(found)
    }

    fn item(&mut self, wanted: usize, rest: &[Step], depth: usize) -> Result<Place, JsonError> {
        let mut found = None;
        self.items(depth, |scan, index| {
            if index == wanted {
                found = scan.find(rest, depth + 1)?;
                return Ok(());
            }
            scan.token();
            scan.skip(depth + 1)
        })?;
        Ok(found)
    }

    /// Goes over the object that begins here, `depth` containers deep. `value` is called before each value, with its name as it is written, and
    /// has to go over the value.
    #[inline]
    pub(super) fn fields(
        &mut self,
        depth: usize,
        mut value: impl FnMut(&mut Self, &[u8]) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.deeper(depth)?;
        match self.token() {
            b'"' => {}
            b'}' => {
                self.at += 1;
                return Ok(());
            }
            _ => return self.unexpected("expected a field name or '}'"),
        }
        loop {
            let from = self.at + 1;
            self.string()?;
            let text = self.text;
            let raw = text.get(from..self.at - 1).unwrap_or_default();
            if self.token() != b':' {
                return self.unexpected("expected ':'");
            }
            self.at += 1;
            value(self, raw)?;
            match self.token() {
                b',' => {
                    self.at += 1;
                    if self.token() != b'"' {
                        return self.unexpected("expected a field name");
                    }
                }
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.unexpected("expected ',' or '}'"),
            }
        }
    }

    /// Goes over the array that begins here, as [`Scan::fields`] over an object; `value` is told the item's number, from 0.
    #[inline]
    pub(super) fn items(
        &mut self,
        depth: usize,
        mut value: impl FnMut(&mut Self, usize) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.deeper(depth)?;
        if self.token() == b']' {
            self.at += 1;
            return Ok(());
        }
        for index in 0.. {
            value(self, index)?;
            match self.token() {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    break;
                }
                _ => return self.unexpected("expected ',' or ']'"),
            }
        }
        Ok(())
    }

    /// Enters a container.
    fn deeper(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth >= MAX_DEPTH {
            return self.error(TOO_DEEP);
        }
        self.at += 1;
        Ok(())
    }

    /// Goes over a value that begins here.
    #[inline]
    pub(super) fn skip(&mut self, depth: usize) -> Result<(), JsonError> {
        match self.peek() {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(depth == 0),
            _ => self.value(depth).map(|_| ()),
        }
    }
}

/// Whether a name, as it is written, is a name.
pub(super) fn is_name(raw: &[u8], name: &str) -> bool {
    // An escape is never shorter than what it stands for.
    if raw.len() < name.len() {
        return false;
    }
    if raw.contains(&b'\\') { unescape(raw) == name } else { raw == name.as_bytes() }
}
