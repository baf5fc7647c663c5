//! Random conditions of all forms.

use millstream_expr::functions::call_expr;
use millstream_expr::{BindContext, CastMode, Expr, ExprKind};
use millstream_types::{DataType, Span, TypeKind, Value};

use crate::events::{Dice, PIECES, columns, text};

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

fn text_of(dice: &mut Dice) -> Expr {
    let plain = column(dice.pick(&["a", "a", "b", "c", "k"]));
    match dice.below(14) {
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
    let t: String = (0..1 + dice.below(3)).map(|_| dice.pick(PIECES)).collect();
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

fn leaf(dice: &mut Dice) -> Expr {
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
            dice.pick(&["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS UNKNOWN"]),
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

fn typed(mut e: Expr) -> Expr {
    e.data_type = DataType::boolean();
    e
}
