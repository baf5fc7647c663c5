//! The specifiers of a format: `%[index$][flags][width][.precision]conversion`.

/// The widest field and the highest precision: a text of rules must not ask for gigabytes of spaces.
const WIDEST: usize = 1_000_000;

/// A part of a format.
pub(super) enum Piece<'a> {
    Text(&'a str),
    Spec(Spec),
}

/// Which argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Index {
    /// The next one.
    Next,
    /// The one before once more (`%<s`).
    Last,
    /// By its number, from 1.
    At(usize),
}

/// A specifier.
#[derive(Debug, Clone)]
pub(super) struct Spec {
    pub(super) index: Index,
    pub(super) left: bool,
    pub(super) alternate: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    pub(super) group: bool,
    pub(super) parentheses: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    /// In lower case; `t` for all dates.
    pub(super) conversion: char,
    /// Whether it was in upper case.
    pub(super) upper: bool,
}

/// Takes a format apart; `None` when a `%` begins no specifier.
pub(super) fn scan(format: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (text, behind) = rest.split_at_checked(at)?;
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        let (spec, length) = specifier(behind.get(1..)?)?;
        pieces.push(Piece::Spec(spec));
        rest = behind.get(1 + length..)?;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Some(pieces)
}

fn specifier(text: &str) -> Option<(Spec, usize)> {
    let mut spec = Spec {
        index: Index::Next,
        left: false,
        alternate: false,
        plus: false,
        space: false,
        zero: false,
        group: false,
        parentheses: false,
        width: None,
        precision: None,
        conversion: 's',
        upper: false,
    };
    let mut rest = text;
    let digits = |t: &str| t.bytes().take_while(u8::is_ascii_digit).count();
    let count = digits(rest);
    if count > 0 && rest.as_bytes().get(count) == Some(&b'$') {
        spec.index = Index::At(rest.get(..count)?.parse().ok()?);
        rest = rest.get(count + 1..)?;
    }
    loop {
        let flag = match rest.as_bytes().first() {
            Some(b'-') => &mut spec.left,
            Some(b'#') => &mut spec.alternate,
            Some(b'+') => &mut spec.plus,
            Some(b' ') => &mut spec.space,
            Some(b'0') => &mut spec.zero,
            Some(b',') => &mut spec.group,
            Some(b'(') => &mut spec.parentheses,
            Some(b'<') => {
                spec.index = Index::Last;
                rest = rest.get(1..)?;
                continue;
            }
            _ => break,
        };
        // The same flag twice is refused.
        if std::mem::replace(flag, true) {
            return None;
        }
        rest = rest.get(1..)?;
    }
    let count = digits(rest);
    if count > 0 {
        spec.width = Some(rest.get(..count)?.parse().ok().filter(|w| *w <= WIDEST)?);
        rest = rest.get(count..)?;
    }
    if let Some(behind) = rest.strip_prefix('.') {
        let count = digits(behind);
        spec.precision = Some(behind.get(..count)?.parse().ok().filter(|p| *p <= WIDEST)?);
        rest = behind.get(count..)?;
    }
    let conversion = rest.chars().next()?;
    rest = rest.get(conversion.len_utf8()..)?;
    match conversion {
        't' | 'T' => {
            rest.chars().next().filter(char::is_ascii_alphabetic)?;
            rest = rest.get(1..)?;
            spec.conversion = 't';
        }
        'B' | 'H' | 'S' | 'C' | 'X' | 'E' | 'G' | 'A' => {
            spec.upper = true;
            spec.conversion = conversion.to_ascii_lowercase();
        }
        'b' | 'h' | 's' | 'c' | 'd' | 'o' | 'x' | 'e' | 'f' | 'g' | 'a' | '%' | 'n' => {
            spec.conversion = conversion
        }
        _ => return None,
    }
    Some((spec, text.len() - rest.len()))
}

impl Spec {
    /// Itself, if its flags, width and precision go with the conversion.
    pub(super) fn checked(self) -> Option<Spec> {
        let signs = self.plus || self.space || self.parentheses;
        let padded = self.left || self.zero;
        let fine = match self.conversion {
            'n' => {
                let flags = signs || padded || self.alternate || self.group;
                !flags && self.width.is_none() && self.precision.is_none()
            }
            '%' | 'c' => !(signs || self.zero || self.alternate || self.group) && self.precision.is_none(),
            // # asks for an object that formats itself.
            's' | 'b' | 'h' => !(signs || self.zero || self.group || self.alternate),
            'd' => !self.alternate && self.precision.is_none(),
            'o' | 'x' => !(signs || self.group) && self.precision.is_none(),
            'e' => !self.group,
            'g' => !self.alternate,
            _ => true,
        };
        let torn = (self.plus && self.space) || (self.left && self.zero);
        let placed = !padded || self.width.is_some();
        (fine && placed && !torn).then_some(self)
    }
}
