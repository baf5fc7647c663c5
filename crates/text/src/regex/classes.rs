//! Named sets of code points and letter case, as `java.util.regex.CharPredicates` and `java.lang.Character` define them.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, HirKind};

use super::blocks::{BLOCKS, SCRIPTS};
use super::tree::Set;

/// A set by its text in `regex` syntax (a property), if it exists.
pub(super) fn syntax(text: &str) -> Option<Set> {
    let hir = regex_syntax::Parser::new().parse(text).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(c)) => Some(Set { class: c.clone(), short: Some(text.to_string()) }),
        HirKind::Class(Class::Bytes(c)) => {
            Some(Set::ranges(c.ranges().iter().map(|r| (u32::from(r.start()), u32::from(r.end())))))
        }
        HirKind::Literal(l) => {
            let c = std::str::from_utf8(&l.0).ok()?.chars().next()?;
            Some(Set::one(c as u32))
        }
        _ => None,
    }
}

/// The union of `regex` classes.
fn union(texts: &[&str]) -> Set {
    texts.iter().filter_map(|t| syntax(t)).fold(Set::empty(), |a, b| a.or(&b))
}

fn ascii(ranges: &[(u8, u8)]) -> Set {
    Set::ranges(ranges.iter().map(|(a, b)| (u32::from(*a), u32::from(*b))))
}

pub(super) fn digit(unicode: bool) -> Set {
    if unicode { union(&["\\p{Nd}"]) } else { ascii(&[(b'0', b'9')]) }
}

pub(super) fn word(unicode: bool) -> Set {
    if unicode {
        let mut set = union(&["\\w"]);
        set.short = Some("\\w".to_string());
        set
    } else {
        ascii(&[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')])
    }
}

pub(super) fn space(unicode: bool) -> Set {
    if unicode { union(&["\\p{White_Space}"]) } else { ascii(&[(9, 13), (b' ', b' ')]) }
}

/// `\h`.
pub(super) fn horizontal() -> Set {
    Set::ranges([
        (9, 9),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x180E, 0x180E),
        (0x2000, 0x200A),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
    ])
}

/// `\v`.
pub(super) fn vertical() -> Set {
    Set::ranges([(0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029)])
}

/// `.`.
pub(super) fn dot(all: bool, unix: bool) -> Set {
    if all {
        Set::ranges([(0, 0x10_FFFF)])
    } else if unix {
        Set::one(0x0A).negated()
    } else {
        Set::ranges([(0x0A, 0x0A), (0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029)]).negated()
    }
}

/// What `\b` takes for a part of a word without flag `U`: `_`, letters, decimal digits.
pub(super) fn boundary_word() -> &'static Set {
    static SET: OnceLock<Set> = OnceLock::new();
    SET.get_or_init(|| union(&["\\p{L}", "\\p{Nd}"]).or(&Set::one(u32::from(b'_'))))
}

/// Marks that `\b` counts to the letter before them.
pub(super) fn marks() -> &'static Set {
    static SET: OnceLock<Set> = OnceLock::new();
    SET.get_or_init(|| union(&["\\p{Mn}"]))
}

/// `\w` of flag `U`, kept.
pub(super) fn unicode_word() -> &'static Set {
    static SET: OnceLock<Set> = OnceLock::new();
    SET.get_or_init(|| word(true))
}

/// `\p{name}`, with the flags that change it; `None` if Java does not know it.
pub(super) fn property(name: &str, ignore_case: bool, unicode: bool) -> Option<Set> {
    if let Some((key, value)) = name.split_once('=') {
        return match key.to_lowercase().as_str() {
            "sc" | "script" => script(value),
            "blk" | "block" => block(value),
            "gc" | "general_category" => named(value, ignore_case),
            _ => None,
        };
    }
    if let Some(name) = name.strip_prefix("In") {
        block(name)
    } else if let Some(name) = name.strip_prefix("Is") {
        binary(name, ignore_case).or_else(|| named(name, ignore_case)).or_else(|| script(name))
    } else if unicode {
        posix_unicode(name, ignore_case).or_else(|| named(name, ignore_case))
    } else {
        named(name, ignore_case)
    }
}

fn block(name: &str) -> Option<Set> {
    let name = name.to_uppercase();
    let (from, to, _) = BLOCKS.iter().find(|(_, _, names)| names.contains(&name.as_str()))?;
    Some(Set::ranges([(*from, *to)]))
}

fn script(name: &str) -> Option<Set> {
    // Java knows one form of each name (`OLD_ITALIC`) and the four-letter code; the look-up below is looser.
    let upper = name.to_uppercase();
    if !SCRIPTS.split_ascii_whitespace().any(|s| s == upper) {
        return None;
    }
    syntax(&format!("\\p{{Script={name}}}"))
}

const CATEGORIES: &[&str] = &[
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc", "Cf",
    "Co", "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf", "L", "M", "N", "Z", "C", "P",
    "S", "LC",
];

fn cased() -> Set {
    union(&["\\p{Lu}", "\\p{Ll}", "\\p{Lt}"])
}

/// The names without prefix: general categories, POSIX in ASCII, `java…` methods.
fn named(name: &str, ignore_case: bool) -> Option<Set> {
    if ignore_case {
        match name {
            "Lu" | "Ll" | "Lt" => return Some(cased()),
            "Lower" | "Upper" => return Some(ascii(&[(b'A', b'Z'), (b'a', b'z')])),
            "javaLowerCase" | "javaUpperCase" | "javaTitleCase" => {
                return Some(union(&["\\p{Lowercase}", "\\p{Uppercase}", "\\p{Lt}"]));
            }
            _ => {}
        }
    }
    if CATEGORIES.contains(&name) {
        return Some(if name == "LC" { cased() } else { union(&[&format!("\\p{{{name}}}")]) });
    }
    let set = match name {
        "Cs" => Set::empty(),
        "LD" => union(&["\\p{L}", "\\p{Nd}"]),
        "L1" => Set::ranges([(0, 0xFF)]),
        "all" => Set::ranges([(0, 0x10_FFFF)]),
        "ASCII" => ascii(&[(0, 0x7F)]),
        "Alnum" => ascii(&[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
        "Alpha" => ascii(&[(b'A', b'Z'), (b'a', b'z')]),
        "Blank" => ascii(&[(9, 9), (b' ', b' ')]),
        "Cntrl" => ascii(&[(0, 0x1F), (0x7F, 0x7F)]),
        "Digit" => ascii(&[(b'0', b'9')]),
        "Graph" => ascii(&[(b'!', b'~')]),
        "Lower" => ascii(&[(b'a', b'z')]),
        "Print" => ascii(&[(b' ', b'~')]),
        "Punct" => ascii(&[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')]),
        "Space" => space(false),
        "Upper" => ascii(&[(b'A', b'Z')]),
        "XDigit" => ascii(&[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
        "javaLowerCase" => union(&["\\p{Lowercase}"]),
        "javaUpperCase" => union(&["\\p{Uppercase}"]),
        "javaAlphabetic" => union(&["\\p{Alphabetic}"]),
        "javaIdeographic" => union(&["\\p{Ideographic}"]),
        "javaTitleCase" => union(&["\\p{Lt}"]),
        "javaDigit" => union(&["\\p{Nd}"]),
        "javaDefined" => union(&["\\p{Cn}"]).negated(),
        "javaLetter" => union(&["\\p{L}"]),
        "javaLetterOrDigit" => union(&["\\p{L}", "\\p{Nd}"]),
        "javaJavaIdentifierStart" => union(&["\\p{L}", "\\p{Nl}", "\\p{Sc}", "\\p{Pc}"]),
        "javaJavaIdentifierPart" => {
            union(&["\\p{L}", "\\p{Nl}", "\\p{Sc}", "\\p{Pc}", "\\p{Nd}", "\\p{Mc}", "\\p{Mn}"])
                .or(&ignorable())
        }
        "javaUnicodeIdentifierStart" => union(&["\\p{ID_Start}"]),
        "javaUnicodeIdentifierPart" => union(&["\\p{ID_Continue}"]).or(&ignorable()),
        "javaIdentifierIgnorable" => ignorable(),
        "javaSpaceChar" => union(&["\\p{Z}"]),
        "javaWhitespace" => union(&["\\p{Z}"])
            .and(&Set::ranges([(0xA0, 0xA0), (0x2007, 0x2007), (0x202F, 0x202F)]).negated())
            .or(&Set::ranges([(9, 13), (0x1C, 0x1F)])),
        "javaISOControl" => Set::ranges([(0, 0x1F), (0x7F, 0x9F)]),
        "javaMirrored" => union(&["\\p{Bidi_Mirrored}"]),
        _ => return None,
    };
    (name == "Cs" || !set.class.ranges().is_empty()).then_some(set)
}

fn ignorable() -> Set {
    union(&["\\p{Cf}"]).or(&Set::ranges([(0, 8), (0x0E, 0x1B), (0x7F, 0x9F)]))
}

/// `\p{IsName}`: the binary properties.
fn binary(name: &str, ignore_case: bool) -> Option<Set> {
    Some(match name.to_uppercase().as_str() {
        "ALPHABETIC" => union(&["\\p{Alphabetic}"]),
        "ASSIGNED" => union(&["\\p{Cn}"]).negated(),
        "CONTROL" => union(&["\\p{Cc}"]),
        "HEXDIGIT" | "HEX_DIGIT" => hex_digit(),
        "IDEOGRAPHIC" => union(&["\\p{Ideographic}"]),
        "JOINCONTROL" | "JOIN_CONTROL" => Set::ranges([(0x200C, 0x200D)]),
        "LETTER" => union(&["\\p{L}"]),
        "LOWERCASE" | "UPPERCASE" | "TITLECASE" if ignore_case => {
            union(&["\\p{Lowercase}", "\\p{Uppercase}", "\\p{Lt}"])
        }
        "LOWERCASE" => union(&["\\p{Lowercase}"]),
        "UPPERCASE" => union(&["\\p{Uppercase}"]),
        "TITLECASE" => union(&["\\p{Lt}"]),
        "NONCHARACTERCODEPOINT" | "NONCHARACTER_CODE_POINT" => union(&["\\p{Noncharacter_Code_Point}"]),
        "PUNCTUATION" => union(&["\\p{P}"]),
        "WHITESPACE" | "WHITE_SPACE" => space(true),
        "WORD" => word(true),
        _ => return posix_unicode(name, ignore_case),
    })
}

/// `\p{Name}` under flag `U`.
fn posix_unicode(name: &str, ignore_case: bool) -> Option<Set> {
    Some(match name.to_uppercase().as_str() {
        "ALPHA" => union(&["\\p{Alphabetic}"]),
        "LOWER" | "UPPER" if ignore_case => union(&["\\p{Lowercase}", "\\p{Uppercase}", "\\p{Lt}"]),
        "LOWER" => union(&["\\p{Lowercase}"]),
        "UPPER" => union(&["\\p{Uppercase}"]),
        "SPACE" => space(true),
        "PUNCT" => union(&["\\p{P}"]),
        "XDIGIT" => hex_digit(),
        "ALNUM" => union(&["\\p{Alphabetic}", "\\p{Nd}"]),
        "CNTRL" => union(&["\\p{Cc}"]),
        "DIGIT" => digit(true),
        "BLANK" => blank(),
        "GRAPH" => graph(),
        "PRINT" => print(),
        _ => return None,
    })
}

fn hex_digit() -> Set {
    union(&["\\p{Nd}"]).or(&Set::ranges([(0x41, 0x46), (0x61, 0x66), (0xFF21, 0xFF26), (0xFF41, 0xFF46)]))
}

fn blank() -> Set {
    union(&["\\p{Zs}"]).or(&Set::one(9))
}

fn graph() -> Set {
    union(&["\\p{Z}", "\\p{Cc}", "\\p{Cn}"]).or(&Set::ranges([(9, 13), (0x85, 0x85)])).negated()
}

fn print() -> Set {
    graph().or(&blank()).and(&union(&["\\p{Cc}"]).negated())
}

/// Java's one-to-one upper case (`ß` stays).
fn upper(c: char) -> char {
    let mut it = c.to_uppercase();
    match (it.next(), it.next()) {
        (Some(u), None) => u,
        // The Greek letters with a subscript have a one-to-one title case, eight further or by name.
        _ => match c as u32 {
            0x1F80..=0x1F87 | 0x1F90..=0x1F97 | 0x1FA0..=0x1FA7 => char::from_u32(c as u32 + 8).unwrap_or(c),
            0x1FB3 | 0x1FC3 | 0x1FF3 => char::from_u32(c as u32 + 9).unwrap_or(c),
            _ => c,
        },
    }
}

/// Java's one-to-one lower case.
fn lower(c: char) -> char {
    let mut it = c.to_lowercase();
    match (it.next(), it.next()) {
        (Some(l), None) => l,
        _ if c == '\u{130}' => 'i',
        _ => c,
    }
}

/// The form in which letters are compared under `(?iu)`.
pub(super) fn fold(c: char) -> char {
    lower(upper(c))
}

/// Letters whose case matters: the letter, its upper case, and the lower case of that.
fn cases() -> &'static [(char, char, char)] {
    static CASES: OnceLock<Vec<(char, char, char)>> = OnceLock::new();
    CASES.get_or_init(|| {
        ('\0'..='\u{1FFFF}').map(|c| (c, upper(c), fold(c))).filter(|(c, u, f)| c != u || c != f).collect()
    })
}

/// What a single character matches under the case flags.
pub(super) fn single(c: u32, ignore_case: bool, unicode: bool) -> Set {
    let Some(c) = char::from_u32(c) else { return Set::empty() };
    let mut set = Set::one(c as u32);
    if ignore_case && unicode {
        let folded = fold(c);
        let same = cases().iter().filter(|(_, _, f)| *f == folded).map(|(x, _, _)| *x as u32);
        set = set.or(&Set::ranges(same.map(|x| (x, x)))).or(&Set::one(folded as u32));
    } else if ignore_case && c.is_ascii_alphabetic() {
        return Set::ranges([c.to_ascii_uppercase(), c.to_ascii_lowercase()].map(|c| (c as u32, c as u32)));
    }
    set
}

/// What a range in a class matches under the case flags.
pub(super) fn range(from: u32, to: u32, ignore_case: bool, unicode: bool) -> Set {
    let set = Set::ranges([(from, to)]);
    if !ignore_case {
        return set;
    }
    let inside = |c: char| (from..=to).contains(&(c as u32));
    let more: Vec<(u32, u32)> = if unicode {
        cases()
            .iter()
            .filter(|(_, u, f)| inside(*u) || inside(*f))
            .map(|(c, _, _)| (*c as u32, *c as u32))
            .collect()
    } else {
        ('\0'..='\x7F')
            .filter(|c| inside(c.to_ascii_uppercase()) || inside(c.to_ascii_lowercase()))
            .map(|c| (c as u32, c as u32))
            .collect()
    };
    set.or(&Set::ranges(more))
}
