//! Characters taken from the ends of texts.

use millstream_types::{Fault, TypeKind};

use super::arguments::{Arg, arguments, length_of, of_kind, strict_arguments};
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Function, KernelRef, Keyword};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "TRIM",
        "TRIM([BOTH | LEADING | TRAILING] [characters STRING] FROM text STRING) -> STRING\nTRIM(text STRING) -> STRING",
        "The text without the characters (spaces, when none are given) at its ends.",
        &[Example::new("TRIM(' a ')", "a"), Example::new("TRIM(LEADING 'xy' FROM 'xyabxy')", "abxy")],
        trim,
    ).gives_pieces(),
    Function::new(
        "LTRIM",
        "LTRIM(text STRING [, characters STRING]) -> STRING",
        "The text without the characters (spaces, when none are given) at its start.",
        &[Example::new("LTRIM('  a')", "a"), Example::new("LTRIM('abcabc', 'ba')", "cabc")],
        |c| one_side(c, "LTRIM", Sides::START),
    ).gives_pieces(),
    Function::new(
        "RTRIM",
        "RTRIM(text STRING [, characters STRING]) -> STRING",
        "The text without the characters (spaces, when none are given) at its end.",
        &[Example::new("RTRIM('a  ')", "a"), Example::new("RTRIM('abcabc', 'cb')", "abca")],
        |c| one_side(c, "RTRIM", Sides::END),
    ).gives_pieces(),
    Function::new(
        "BTRIM",
        "BTRIM(text STRING [, characters STRING]) -> STRING",
        "The text without the characters (spaces, when none are given) at its ends.",
        &[Example::new("BTRIM('xyabcyx', 'xy')", "abc")],
        btrim,
    ).gives_pieces(),
];

#[derive(Debug, Clone, Copy)]
struct Sides {
    start: bool,
    end: bool,
}

impl Sides {
    const START: Sides = Sides { start: true, end: false };
    const END: Sides = Sides { start: false, end: true };
    const BOTH: Sides = Sides { start: true, end: true };
}

fn trim(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let sides = match call.keywords.iter().find(|(name, _)| *name == "side") {
        Some((_, Keyword::Word(w))) if **w == *"LEADING" => Sides::START,
        Some((_, Keyword::Word(w))) if **w == *"TRAILING" => Sides::END,
        _ => Sides::BOTH,
    };
    call.no_bare_null()?;
    of_text(call, "TRIM", "TRIM([BOTH|LEADING|TRAILING] <CHARACTER> FROM <CHARACTER>)", sides)
}

fn one_side(call: &Call<'_>, name: &'static str, sides: Sides) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<CHARACTER>)\n{name}(<CHARACTER>, <CHARACTER>)");
    of_text(call, name, &form, sides)
}

fn of_text(call: &Call<'_>, name: &'static str, form: &str, sides: Sides) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, form, 1, &[Arg::Text, Arg::Text])?;
    let kind = TypeKind::VarChar(args.first().map_or(millstream_types::MAX_LENGTH, length_of));
    let kernel = kernel(name, sides, args.len() > 1);
    Ok(BoundCall::new(of_kind(call, kind), args, kernel))
}

fn btrim(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let form = "BTRIM(<CHARACTER_STRING>)\nBTRIM(<CHARACTER_STRING>, <CHARACTER_STRING>)";
    let args = arguments(call, form, 1, &[Arg::Text, Arg::Text])?;
    let kernel = kernel("BTRIM", Sides::BOTH, args.len() > 1);
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}

fn kernel(name: &'static str, sides: Sides, with_characters: bool) -> KernelRef {
    simple(name, move |arguments, _| {
        let text = arguments.strings(0)?;
        let characters = if with_characters { Some(arguments.strings(1)?) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let Some(mut s) = text.get(row) else { return Ok(false) };
            let Some(set) = characters.map_or(Some(" "), |c| c.get(row)) else { return Ok(false) };
            if sides.start {
                s = s.trim_start_matches(|c| set.contains(c));
            }
            if sides.end {
                s = s.trim_end_matches(|c| set.contains(c));
            }
            out.push_str(s);
            Ok(true)
        })
    })
}
