//! Random conditions of all forms.

use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, CastMode, Expr, ExprKind, fold};
use millstream_types::{DataType, Span, TypeKind, Value};

use crate::events::{Dice, NAMES, columns, text};
use crate::soundness::context;

fn call(name: &str, args: Vec<Expr>) -> Expr {
    let context = BindContext::default();
    call_expr(name, &args, &[], Span::default(), &context)
        .unwrap_or_else(|f| panic!("{name}: {f:?} {args:?}"))
}

fn column(name: &str) -> Expr {
    let at = columns().iter().position(|(n, _)| *n == name).unwrap();
    Expr::column(at, columns()[at].1.clone())
}

fn literal(s: &str) -> Expr {
    // As the binder types them: CHAR of their length.
    Expr::literal(s, TypeKind::Char(s.chars().count() as u32).not_null())
}

fn int(i: i64) -> Expr {
    Expr::literal(i, TypeKind::Int.not_null())
}

fn boolean(kind: ExprKind) -> Expr {
    Expr::new(kind, DataType::boolean())
}

/// A condition as the planner hands it on: what is constant in it is evaluated.
pub fn planned(dice: &mut Dice, depth: usize) -> Expr {
    fold(condition(dice, depth), &context())
}

/// The texts that a condition names.
pub fn literals(expr: &Expr) -> Vec<String> {
    let mut found = Vec::new();
    expr.walk(&mut |e| {
        if let Some(text) = e.as_literal().and_then(Value::as_str) {
            let plain = text.trim_matches('%').replace(['!', '_'], "");
            found.extend(plain.split('%').filter(|t| !t.is_empty()).map(str::to_string));
        }
    });
    found
}

/// A text within something that has parts.
fn part_of(dice: &mut Dice) -> Expr {
    match dice.below(3) {
        0 => Expr::new(ExprKind::Field { input: Box::new(column("r")), index: 0 }, DataType::string()),
        1 => call("[]", vec![column("mp"), literal(dice.pick(NAMES))]),
        _ => call("[]", vec![column("ar"), int(1 + dice.below(2) as i64)]),
    }
}

fn json(dice: &mut Dice) -> Expr {
    let path = dice.pick(&[
        "$.user",
        "lax $.user",
        "$.p.q",
        "$.n",
        "$.p",
        "lax $.p.user",
        "$['a b']",
        "$[1]",
        "$..q",
        "$.user.length()",
        "$.x[",
    ]);
    let subject = if dice.one_in(5) { call("LOWER", vec![column("j")]) } else { column("j") };
    call("JSON_VALUE", vec![subject, literal(path)])
}

fn cut(dice: &mut Dice, plain: Expr) -> Expr {
    let n = |dice: &mut Dice| int(dice.below(7) as i64 - 1);
    match dice.below(12) {
        0 => call("LTRIM", vec![plain]),
        1 => call("RTRIM", vec![plain]),
        2 => call("BTRIM", vec![plain, literal(" a")]),
        3 => call("LEFT", vec![plain, n(dice)]),
        4 => call("RIGHT", vec![plain, n(dice)]),
        5 => call("SUBSTRING", vec![plain, n(dice)]),
        6 => call("SUBSTRING", vec![plain, n(dice), n(dice)]),
        7 => {
            let new = if dice.one_in(2) { "" } else { dice.piece() };
            call("REPLACE", vec![plain, literal(dice.piece()), literal(new)])
        }
        8 => call(
            "REGEXP_REPLACE",
            vec![plain, literal(dice.pick(PATTERNS)), literal(dice.pick(&["", "abc"]))],
        ),
        9 => {
            let pattern = dice.pick(&["(cmd|user)(.*)", "a(b*)", "([a-z]+)\\.exe", "(?i)k(.)", "(", "x"]);
            call("REGEXP_EXTRACT", vec![plain, literal(pattern), int(dice.below(3) as i64)])
        }
        10 => {
            call("SPLIT_INDEX", vec![plain, literal(dice.pick(&[" ", "\\", "a"])), int(dice.below(2) as i64)])
        }
        _ => call("NULLIF", vec![plain, literal(&piece(dice))]),
    }
}

fn joined(dice: &mut Dice) -> Expr {
    let mut parts = vec![text_column(dice), text_column(dice)];
    if dice.one_in(2) {
        let middle = if dice.one_in(2) { piece(dice) } else { " ".into() };
        parts.insert(1, literal(&middle));
    }
    if dice.one_in(2) {
        return call("CONCAT", parts);
    }
    parts.into_iter().reduce(|a, b| call("||", vec![a, b])).unwrap()
}

fn chosen(dice: &mut Dice) -> Expr {
    let (a, b) = (text_column(dice), if dice.one_in(2) { text_column(dice) } else { literal(&piece(dice)) });
    match dice.below(4) {
        0 => call("COALESCE", vec![a, b, literal("user")]),
        1 => call("LOWER", vec![call("COALESCE", vec![a, b])]),
        2 => call("IF", vec![typed(leaf(dice)), a, b]),
        _ => {
            let (a, b) = (strings(a), strings(b));
            let branches = [(leaf(dice), a), (leaf(dice), b)].into();
            let otherwise = Box::new(strings(literal("cmd")));
            Expr::new(ExprKind::Case { branches, otherwise }, DataType::string())
        }
    }
}

/// The value as STRING, as the binder makes the branches of a CASE.
fn strings(e: Expr) -> Expr {
    let kind = ExprKind::Cast { input: Box::new(e), mode: CastMode::Implicit };
    Expr::new(kind, DataType::string())
}

fn text_column(dice: &mut Dice) -> Expr {
    column(dice.pick(&["a", "a", "b", "c", "k"]))
}

fn text_of(dice: &mut Dice) -> Expr {
    let plain = text_column(dice);
    match dice.below(26) {
        14 => part_of(dice),
        15 => json(dice),
        16..=18 => cut(dice, plain),
        19 => {
            let inner = cut(dice, plain);
            cut(dice, inner)
        }
        20 => {
            let inner = cut(dice, plain);
            call(dice.pick(&["LOWER", "UPPER"]), vec![inner])
        }
        21 => joined(dice),
        22 => chosen(dice),
        23 => {
            let inner = call("LOWER", vec![plain]);
            cut(dice, inner)
        }
        24 => {
            let inner = part_of(dice);
            cut(dice, inner)
        }
        0 => call("LOWER", vec![plain]),
        1 => call("UPPER", vec![plain]),
        2 => call("TRIM", vec![plain]),
        3 => call("COALESCE", vec![plain, literal("")]),
        4 => call("COALESCE", vec![plain, literal("cmd")]),
        5 => call("LOWER", vec![call("TRIM", vec![plain])]),
        6 => call("TRIM", vec![call("UPPER", vec![plain])]),
        7 => Expr::new(ExprKind::Field { input: Box::new(column("r")), index: 0 }, DataType::string()),
        8 => {
            let kind = ExprKind::Cast { input: Box::new(plain), mode: CastMode::Cast };
            Expr::new(kind, TypeKind::VarChar(1 + dice.below(6) as u32).nullable())
        }
        9 => call("LOWER", vec![call("UPPER", vec![plain])]),
        _ => plain,
    }
}

fn piece(dice: &mut Dice) -> String {
    let t: String = (0..1 + dice.below(3)).map(|_| dice.piece()).collect();
    if dice.one_in(3) { t.to_lowercase() } else { t }
}

fn like(dice: &mut Dice) -> Expr {
    let (subject, p) = (text_of(dice), piece(dice));
    let escaped = dice.one_in(4);
    let p = if escaped { p.replace('!', "!!").replace('%', "!%").replace('_', "!_") } else { p };
    let q = if escaped { String::new() } else { piece(dice) };
    let pattern = match dice.below(8) {
        0 => p,
        1 => format!("{p}%"),
        2 => format!("%{p}"),
        3 => format!("%{p}%{q}%"),
        4 => format!("_{p}%"),
        5 if !escaped => "%".into(),
        _ => format!("%{p}%"),
    };
    let mut args = vec![subject, literal(&pattern)];
    if escaped {
        args.push(literal("!"));
    }
    call("LIKE", args)
}

const PATTERNS: &[&str] = &[
    "cmd",
    "(?i)cmd",
    "a+b",
    "(?i)powershell.*-enc",
    "cmd|abcd",
    "(?i)(cmd|user)\\.exe",
    "\\\\",
    "[ab]c?",
    ".*",
    "^a",
    "exe$",
    "k",
    "(?i)k",
    "nc\\s+-e",
    "",
    "(",
    "\\d+",
    "(?<=c)md",
    "a(?=b)",
    "(a)\\1",
    "(?i)\u{e4}",
    "ab{2,3}c",
    "x*",
    "abcdefgh",
    "\"",
    "\\bcmd\\b",
    "(a|b|A|B|cmd).exe",
];

const SIMILAR: &[&str] = &["%cmd%", "cmd(.exe)?%", "%(abcd|user)%", "[a-c]+", "%\\\\%", "_%", "%\u{e4}%"];

fn dates(dice: &mut Dice) -> Expr {
    let name = dice.pick(&["=", "<>", "<", "<=", ">", ">="]);
    let day = [-1, 0, 19_723, 19_781, 19_782][dice.below(5)];
    let (which, value, kind) = match dice.below(5) {
        0 => ("dt", day, TypeKind::Date),
        1 => ("tm", [0, 45_000_500, 45_000_000, 86_399_000][dice.below(4)], TypeKind::Time(0)),
        2 => ("ts", day * 86_400_000_000 + [0, 45_000_500_000][dice.below(2)], TypeKind::timestamp(6)),
        3 => ("ts", day * 86_400_000_000_000 + [0, 1][dice.below(2)], TypeKind::timestamp(9)),
        _ => ("tz", day * 86_400_000_000 + [0, 45_000_500_000][dice.below(2)], TypeKind::timestamp_ltz(3)),
    };
    let constant = Expr::literal(value, kind.not_null());
    if dice.one_in(4) {
        call(name, vec![constant, column(which)])
    } else {
        call(name, vec![column(which), constant])
    }
}

/// Comparisons of a text with texts, in the order of bytes.
fn text_range(dice: &mut Dice) -> Expr {
    let plain = text_column(dice);
    let subject = match dice.below(6) {
        0 => call("LOWER", vec![plain]),
        1 => call("UPPER", vec![plain]),
        2 => text_of(dice),
        _ => plain,
    };
    let compared = |dice: &mut Dice| {
        let end = match dice.below(8) {
            0 => String::new(),
            1 => piece(dice) + "\0",
            2 => text(dice),
            _ => piece(dice),
        };
        let op = dice.pick(&["<", "<=", ">", ">=", ">="]);
        if dice.one_in(4) {
            call(op, vec![literal(&end), subject.clone()])
        } else {
            call(op, vec![subject.clone(), literal(&end)])
        }
    };
    let one = compared(dice);
    let two = match dice.below(4) {
        0 => return one,
        1 => vec![one, leaf(dice), compared(dice)],
        _ => vec![one, compared(dice)],
    };
    let both = boolean(ExprKind::And(two));
    if dice.one_in(6) { boolean(ExprKind::Not(Box::new(both))) } else { both }
}

fn more(dice: &mut Dice) -> Expr {
    match dice.below(21) {
        18 | 19 => text_range(dice),
        0 => call(
            "IPCONTAINS",
            vec![
                if dice.one_in(5) { text_of(dice) } else { column("ip") },
                literal(dice.pick(&[
                    "10.0.0.0/8",
                    "10.1.2.3",
                    "fe80::/10,::1",
                    "0.0.0.0/0",
                    "10.0.0.0-10.1.2.2, 192.168.0.0/16",
                    "::/0",
                    "nonsense",
                    "",
                    "2001:db8::-2001:db8::ffff",
                ])),
            ],
        ),
        1 | 2 => dates(dice),
        3 => {
            let (t, p) = (text_of(dice), literal(&piece(dice)));
            let mut args = if dice.one_in(2) { vec![p, t] } else { vec![t, p] };
            let name =
                if args[0].as_literal().is_some() { dice.pick(&["POSITION", "LOCATE"]) } else { "INSTR" };
            if dice.one_in(4) {
                args.push(int(dice.below(4) as i64 - 1));
            }
            let found = call(name, args);
            let op = dice.pick(&["=", "<>", "<", "<=", ">", ">="]);
            let at = int(dice.below(3) as i64);
            if dice.one_in(4) { call(op, vec![at, found]) } else { call(op, vec![found, at]) }
        }
        4 => call("CONTAINS", vec![text_of(dice), literal(&piece(dice))]),
        5 => {
            let name = dice.pick(&["IS DISTINCT FROM", "IS NOT DISTINCT FROM"]);
            match dice.below(3) {
                0 => call(name, vec![column("n"), int(dice.below(4) as i64)]),
                1 => call(name, vec![text_of(dice), Expr::literal(Value::Null, DataType::string())]),
                _ => call(name, vec![text_of(dice), literal(&piece(dice))]),
            }
        }
        6 => call(dice.pick(&["IS NULL", "IS NOT NULL"]), vec![text_of(dice)]),
        7 => {
            let number =
                Expr::new(ExprKind::Field { input: Box::new(column("r")), index: 1 }, DataType::int());
            call(dice.pick(&["=", "<", ">="]), vec![number, int(dice.below(4) as i64)])
        }
        17 => {
            let text = if dice.one_in(2) { part_of(dice) } else { json(dice) };
            let wanted =
                dice.pick(&["404", "4.0e2", "400.0", "400", "1.50", "1.5", "true", "0", "1000", "1E+3"]);
            call(dice.pick(&["=", "LIKE", "STARTSWITH"]), vec![text, literal(wanted)])
        }
        8 => call("ARRAY_CONTAINS", vec![column("ar"), strings(literal(&piece(dice)))]),
        9 => {
            let (low, high) = (dice.below(8) as i64 - 4, dice.below(8) as i64);
            let number = column(dice.pick(&["n", "m", "s", "d", "e", "f"]));
            let within =
                vec![call(">=", vec![number.clone(), int(low)]), call("<=", vec![number, int(high)])];
            boolean(ExprKind::And(within))
        }
        10 => {
            let kind =
                ExprKind::Cast { input: Box::new(column(dice.pick(&["n", "m"]))), mode: CastMode::Cast };
            let text = Expr::new(kind, DataType::string());
            let wanted = literal(dice.pick(&["12", "-7", "012", "", "4", "x"]));
            call(dice.pick(&["=", "LIKE"]), vec![text, wanted])
        }
        11 => {
            let number = column(dice.pick(&["n", "m", "f", "d", "s"]));
            let bound = [0.5, -7.0, 12.0, 0.1, 1e17, 16_777_216.0, f64::NAN][dice.below(7)];
            let bound = Expr::literal(Value::Float(bound), TypeKind::Double.not_null());
            call(dice.pick(&["=", "<>", "<", "<=", ">", ">="]), vec![number, bound])
        }
        12 => {
            let truth = call(dice.pick(&["=", "<>"]), vec![column("t"), Expr::boolean(dice.one_in(2))]);
            if dice.one_in(2) { truth } else { boolean(ExprKind::Not(Box::new(column("t")))) }
        }
        13 => call(
            dice.pick(&["EQUAL", "NOTCONTAINS", "CONTAIN", "NOTLIKE"]),
            vec![text_of(dice), literal(&piece(dice))],
        ),
        14 => call("ISFIELDEMPTY", vec![text_of(dice)]),
        15 => {
            let name = dice.pick(&["REGEXP_INSTR", "REGEXP_COUNT"]);
            call(">", vec![call(name, vec![text_of(dice), literal(dice.pick(PATTERNS))]), int(0)])
        }
        16 => {
            let json = json(dice);
            match dice.below(3) {
                0 => call("IS NOT NULL", vec![json]),
                1 => call("LIKE", vec![json, literal(&format!("%{}%", piece(dice)))]),
                _ => call("=", vec![json, literal(dice.pick(&["cmd", "404", "400", "true", "1.50"]))]),
            }
        }
        _ => {
            let number = call("CHAR_LENGTH", vec![text_of(dice)]);
            call(">", vec![number, int(3)])
        }
    }
}

fn leaf(dice: &mut Dice) -> Expr {
    if dice.one_in(3) {
        return more(dice);
    }
    match dice.below(22) {
        0..=5 => like(dice),
        6 | 7 => call("REGEXP", vec![text_of(dice), literal(dice.pick(PATTERNS))]),
        8 => call("SIMILAR TO", vec![text_of(dice), literal(dice.pick(SIMILAR))]),
        9 | 10 => {
            let (t, p) = (text_of(dice), if dice.one_in(3) { text(dice) } else { piece(dice) });
            let name = dice.pick(&["=", "=", "<>", "<", ">="]);
            if dice.one_in(4) { call(name, vec![literal(&p), t]) } else { call(name, vec![t, literal(&p)]) }
        }
        11 => {
            let mut args = vec![text_of(dice)];
            args.extend((0..1 + dice.below(6)).map(|_| literal(&piece(dice))));
            if dice.one_in(5) {
                args.push(Expr::literal(Value::Null, DataType::string()));
            }
            call("IN", args)
        }
        12 => {
            let number = column(dice.pick(&["n", "m", "s"]));
            let mut args = vec![number];
            args.extend((0..1 + dice.below(6)).map(|_| int(dice.below(6) as i64)));
            call("IN", args)
        }
        13..=15 => {
            let number = column(dice.pick(&["n", "m", "s", "d", "e"]));
            let bound = match dice.below(6) {
                0 => {
                    Expr::literal(Value::Decimal(5), TypeKind::Decimal { precision: 2, scale: 1 }.not_null())
                }
                1 => Expr::literal(Value::Int(4_000_000_000), TypeKind::BigInt.not_null()),
                2 => Expr::literal(Value::Float(0.5), TypeKind::Double.not_null()),
                _ => int(dice.below(16) as i64 - 8),
            };
            let name = dice.pick(&["=", "<>", "<", "<=", ">", ">="]);
            if dice.one_in(4) { call(name, vec![bound, number]) } else { call(name, vec![number, bound]) }
        }
        16 => {
            let c = &columns()[dice.below(columns().len())];
            call(dice.pick(&["IS NULL", "IS NOT NULL"]), vec![column(c.0)])
        }
        // What can fail.
        17 if dice.one_in(2) => {
            let number = column(dice.pick(&["n", "m", "s"]));
            let by = int(dice.below(6) as i64 - 1);
            let part = call(dice.pick(&["%", "/"]), vec![number, by]);
            call(dice.pick(&["=", "<>", "<"]), vec![part, int(dice.below(3) as i64)])
        }
        17 | 18 => {
            let kind =
                ExprKind::Cast { input: Box::new(column(dice.pick(&["a", "b"]))), mode: CastMode::Cast };
            call(">", vec![Expr::new(kind, DataType::int()), int(3)])
        }
        19 => column("t"),
        20 => call(dice.pick(&["STARTSWITH", "ENDSWITH"]), vec![text_of(dice), literal(&piece(dice))]),
        _ => match dice.below(4) {
            0 => Expr::boolean(true),
            1 => Expr::boolean(false),
            2 => Expr::literal(Value::Null, DataType::boolean()),
            _ => call("=", vec![column("a"), column("b")]),
        },
    }
}

/// A condition.
pub fn condition(dice: &mut Dice, depth: usize) -> Expr {
    if depth == 0 || dice.one_in(4) {
        return leaf(dice);
    }
    let terms =
        |dice: &mut Dice| (0..2 + dice.below(3)).map(|_| condition(dice, depth - 1)).collect::<Vec<_>>();
    match dice.below(14) {
        0..=4 => boolean(ExprKind::And(terms(dice))),
        5..=7 => boolean(ExprKind::Or(terms(dice))),
        8 | 9 => boolean(ExprKind::Not(Box::new(condition(dice, depth - 1)))),
        10 => call(
            dice.pick(&[
                "IS TRUE",
                "IS NOT TRUE",
                "IS FALSE",
                "IS NOT FALSE",
                "IS UNKNOWN",
                "IS NOT UNKNOWN",
                "IS NULL",
            ]),
            vec![condition(dice, depth - 1)],
        ),
        11 => boolean(ExprKind::Case {
            branches: (0..1 + dice.below(2))
                .map(|_| (condition(dice, depth - 1), condition(dice, depth - 1)))
                .collect(),
            otherwise: Box::new(condition(dice, depth - 1)),
        }),
        12 => call("IF", vec![condition(dice, depth - 1), typed(leaf(dice)), typed(leaf(dice))]),
        _ => call("COALESCE", vec![condition(dice, depth - 1), Expr::boolean(dice.one_in(3))]),
    }
}

/// Many literals of all lengths that are looked for in one text.
fn of_many_parts(dice: &mut Dice) -> Expr {
    let parts = (0..5 + dice.below(5)).map(|_| {
        let word: Vec<char> = dice.word().chars().collect();
        let from = dice.below(word.len() - 1);
        let to = (from + 2 + dice.below(6)).min(word.len());
        let mut part: String = word[from..to].iter().collect();
        if dice.one_in(3) {
            part.push_str(dice.word());
        }
        let found = call("CONTAINS", vec![column("b"), literal(&part)]);
        if dice.one_in(3) { boolean(ExprKind::Not(Box::new(found))) } else { found }
    });
    let parts: Vec<Expr> = parts.collect();
    let word = dice.word();
    let first = call("CONTAINS", vec![column(dice.pick(&["a", "b"])), literal(word)]);
    let (some, others) = parts.split_at(parts.len() / 2);
    let all = [some, others].map(|p| boolean(ExprKind::Or(p.to_vec())));
    boolean(ExprKind::And([first].into_iter().chain(all).collect()))
}

/// A condition over few texts and words, so that many rules meet on many rows. In the column `a` only long literals are looked for.
pub fn focused(dice: &mut Dice, depth: usize) -> Expr {
    if depth > 0 && !dice.one_in(3) {
        let terms = (0..2).map(|_| focused(dice, depth - 1)).collect();
        return match dice.below(6) {
            0 => boolean(ExprKind::Or(terms)),
            1 => boolean(ExprKind::Not(Box::new(focused(dice, depth - 1)))),
            2 => {
                let asked = dice.pick(&["IS NOT TRUE", "IS NOT FALSE", "IS UNKNOWN", "IS NULL"]);
                let both =
                    if dice.one_in(2) { boolean(ExprKind::And(terms)) } else { boolean(ExprKind::Or(terms)) };
                boolean(ExprKind::And(vec![focused(dice, 0), call(asked, vec![both])]))
            }
            3 => {
                // What is no IN may be NULL.
                let (word, other) = (dice.word(), dice.word());
                let mut args = vec![column("b"), literal(word)];
                if dice.one_in(2) {
                    args.push(Expr::literal(Value::Null, DataType::string()));
                }
                let none = boolean(ExprKind::Not(Box::new(call("IN", args))));
                boolean(ExprKind::And(vec![call("CONTAINS", vec![column("a"), literal(other)]), none]))
            }
            _ => boolean(ExprKind::And(terms)),
        };
    }
    if dice.one_in(8) {
        // What can fail, before or behind a condition that other rules have as well.
        let kind = ExprKind::Cast { input: Box::new(column("b")), mode: CastMode::Cast };
        let fails = call(">", vec![Expr::new(kind, DataType::int()), int(dice.below(50) as i64)]);
        let word = dice.words[0];
        let shared = call("LIKE", vec![column("a"), literal(&format!("%{word}%"))]);
        return boolean(ExprKind::And(if dice.one_in(4) {
            vec![shared, fails]
        } else {
            vec![fails, shared]
        }));
    }
    if dice.one_in(8) {
        return of_many_parts(dice);
    }
    let word = dice.word();
    let name = dice.pick(&["a", "a", "b", "j", "x"]);
    let plain = match name {
        "x" => Expr::new(ExprKind::Field { input: Box::new(column("r")), index: 0 }, DataType::string()),
        "j" => {
            // In another case the JSON is searched as a text.
            let text = if dice.one_in(3) { call("LOWER", vec![column("j")]) } else { column("j") };
            call("JSON_VALUE", vec![text, literal(dice.pick(&["$.user", "$.p.q", "$.n"]))])
        }
        name => column(name),
    };
    let (subject, word) = match dice.below(8) {
        0 => (call("LOWER", vec![plain]), word.to_lowercase()),
        1 => (call("UPPER", vec![plain]), word.to_uppercase()),
        2 => (call("LOWER", vec![call("UPPER", vec![plain])]), word.to_lowercase()),
        3 => (call("UPPER", vec![call("LOWER", vec![plain])]), word.to_uppercase()),
        _ => (plain, word.to_string()),
    };
    match dice.below(if name == "a" { 5 } else { 9 }) {
        0 => call("STARTSWITH", vec![subject, literal(&word)]),
        1 => call("ENDSWITH", vec![subject, literal(&word)]),
        2 | 3 => call("CONTAINS", vec![subject, literal(&word)]),
        4 => call("LIKE", vec![subject, literal(&format!("%{}%", word.replace(['%', '_'], "")))]),
        5 => call("IN", vec![subject, literal(&word), literal(dice.words[0])]),
        6 => call(dice.pick(&["<", "<=", ">", ">="]), vec![subject, literal(&word)]),
        _ => call(dice.pick(&["=", "=", "<>"]), vec![subject, literal(&word)]),
    }
}

/// The condition for rows with a certain number.
pub fn numbered(dice: &mut Dice, inner: Expr) -> Expr {
    let number = column(dice.pick(&["n", "n", "n", "m"]));
    let equal = |dice: &mut Dice| call("=", vec![number.clone(), int(dice.below(5) as i64)]);
    let null = call("IS NULL", vec![number.clone()]);
    let first = match dice.below(8) {
        0 => boolean(ExprKind::Or(vec![equal(dice), equal(dice)])),
        2 => null,
        3 => boolean(ExprKind::Or(vec![equal(dice), null])),
        1 => call("IN", vec![number.clone(), int(dice.below(5) as i64), int(dice.below(5) as i64)]),
        _ => equal(dice),
    };
    boolean(ExprKind::And(if dice.one_in(5) { vec![inner, first] } else { vec![first, inner] }))
}

fn typed(mut e: Expr) -> Expr {
    e.data_type = DataType::boolean();
    e
}
