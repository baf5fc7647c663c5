use arrow::array::{Array, ArrayRef, AsArray};
use millstream_types::{DataType, Span, Value};

use super::*;
use crate::functions::call_expr;
use crate::testing::{column, context, eval_context, literal, text};
use crate::{CastMode, ExprKind};

fn call(name: &str, args: &[Expr]) -> Expr {
    call_expr(name, args, &[], Span::default(), &context()).unwrap()
}

fn port() -> Expr {
    Expr::column(0, DataType::string())
}

fn to_int(e: Expr) -> Expr {
    Expr::new(ExprKind::Cast { input: Box::new(e), mode: CastMode::Cast }, DataType::int())
}

fn input() -> Vec<ArrayRef> {
    let ports = ["80", "x", "443", "9"].map(Value::from);
    let hosts = ["a", "b", "c", "a"].map(Value::from);
    vec![column(&ports, &DataType::string()), column(&hosts, &DataType::string())]
}

fn truths(condition: &Expr) -> Result<Vec<bool>, EvalError> {
    let columns = input();
    let rows = Rows { columns: &columns, rows: 4, watermarks: None };
    let mask = Predicate::compile(condition).unwrap().eval(&rows, &eval_context())?;
    assert_eq!(mask.null_count(), 0);
    Ok(mask.values().iter().collect())
}

#[test]
fn later_terms_see_only_rows_that_reach_them() {
    let host = |h: &str| call("=", &[Expr::column(1, DataType::string()), text(h)]);
    let high = call(">", &[to_int(port()), literal(50)]);
    // The row with port 'x' is kept from the cast by the first term.
    let guarded =
        Expr::and(vec![Expr::new(ExprKind::Not(Box::new(host("b"))), DataType::boolean()), high.clone()]);
    assert_eq!(truths(&guarded).unwrap(), [true, false, true, false]);
    let either = Expr::new(ExprKind::Or(vec![host("b"), high.clone()]), DataType::boolean());
    assert_eq!(truths(&either).unwrap(), [true, true, true, false]);
    // The other way round it fails, at the right row.
    let error = truths(&Expr::and(vec![high, host("a")])).unwrap_err();
    assert_eq!(error.row, Some(1));
}

#[test]
fn case_evaluates_what_it_takes() {
    let is_b = call("=", &[Expr::column(1, DataType::string()), text("b")]);
    let case = Expr::new(
        ExprKind::Case {
            branches: [(is_b, Expr::literal(-1, DataType::int()))].into(),
            otherwise: Box::new(to_int(port())),
        },
        DataType::int(),
    );
    let columns = input();
    let rows = Rows { columns: &columns, rows: 4, watermarks: None };
    let program = Program::compile(&[case.clone(), to_int(port())]).unwrap();
    let error = program.eval(&rows, &eval_context()).unwrap_err();
    assert_eq!(error.row, Some(1), "the second expression is not guarded");
    let program = Program::compile(&[case]).unwrap();
    let out = program.eval(&rows, &eval_context()).unwrap();
    let values: Vec<_> = (0..4).map(|i| Value::from_array(out[0].as_ref(), i, &DataType::int())).collect();
    assert_eq!(values, [80, -1, 443, 9].map(|v: i64| Value::Int(v)));
    let some = program.eval_selected(&rows, &[1, 3], &eval_context()).unwrap();
    assert_eq!(some[0].len(), 2);
    assert_eq!(Value::from_array(some[0].as_ref(), 1, &DataType::int()), Value::Int(9));
}

#[test]
fn an_error_in_a_selection_names_the_row_of_the_input() {
    let columns = input();
    let rows = Rows { columns: &columns, rows: 4, watermarks: None };
    let program = Program::compile(&[to_int(port())]).unwrap();
    assert!(program.eval_selected(&rows, &[0, 2], &eval_context()).is_ok());
    let error = program.eval_selected(&rows, &[0, 1, 2], &eval_context()).unwrap_err();
    assert_eq!(error.row, Some(1));
    let out = program.eval_selected(&rows, &[], &eval_context()).unwrap();
    assert_eq!(out[0].len(), 0);
}

#[test]
fn equal_expressions_are_one_node() {
    let a = call("=", &[port(), text("80")]);
    let program = Program::compile(&[a.clone(), a.clone(), Expr::and(vec![a.clone(), a])]).unwrap();
    assert_eq!(program.len(), 4); // the column, the literal, the comparison, the AND
}

#[test]
fn unknown_is_not_true() {
    let null = Expr::literal(Value::Null, DataType::boolean());
    let t = Expr::boolean(true);
    let f = Expr::boolean(false);
    let or = |t: Vec<Expr>| Expr::new(ExprKind::Or(t), DataType::boolean());
    let not = |e: Expr| Expr::new(ExprKind::Not(Box::new(e)), DataType::boolean());
    assert_eq!(truths(&Expr::and(vec![null.clone(), t.clone()])).unwrap(), [false; 4]);
    assert_eq!(truths(&not(Expr::and(vec![null.clone(), f.clone()]))).unwrap(), [true; 4]);
    assert_eq!(truths(&or(vec![null.clone(), t])).unwrap(), [true; 4]);
    assert_eq!(truths(&not(or(vec![null, f]))).unwrap(), [false; 4]);
}

#[test]
fn deep_trees_do_not_overflow() {
    let leaf = |i: usize| call("=", &[port(), text(&i.to_string())]);
    for left in [true, false] {
        let mut deep = leaf(80);
        for i in 0..500 {
            let pair = if left { vec![deep, leaf(i)] } else { vec![leaf(i), deep] };
            deep = match i % 4 {
                0 => Expr::and(pair),
                1 => Expr::new(ExprKind::Not(Box::new(Expr::and(pair))), DataType::boolean()),
                _ => Expr::new(ExprKind::Or(pair), DataType::boolean()),
            };
        }
        assert_eq!(truths(&deep).unwrap().len(), 4);
        assert_eq!(truths(&crate::fold(deep, &eval_context())).unwrap().len(), 4);
    }
    let mut case = Expr::literal(0, DataType::int());
    for i in 0..500 {
        let kind = ExprKind::Case { branches: [(leaf(i), literal(1))].into(), otherwise: Box::new(case) };
        case = Expr::new(kind, DataType::int());
    }
    assert_eq!(truths(&call("=", &[case, literal(1)])).unwrap(), [true, false, true, true]);
    let mut tail = text("x");
    for _ in 0..500 {
        tail = call("||", &[text("a"), tail]);
    }
    assert_eq!(truths(&call("LIKE", &[tail, text("%ax")])).unwrap(), [true; 4]);
}

#[test]
fn wide_chains_become_sets() {
    let terms: Vec<Expr> = (0..10_000).map(|i| call("=", &[port(), text(&i.to_string())])).collect();
    let or = Expr::new(ExprKind::Or(terms), DataType::boolean());
    let program = Program::compile(std::slice::from_ref(&or)).unwrap();
    assert!(program.len() > 10_000, "the constants tell calls apart");
    assert_eq!(truths(&or).unwrap(), [true, false, true, true]);
    let joined: Vec<Expr> =
        (0..10).map(|i| call("=", &[call("||", &[port(), text("!")]), text(&format!("{i}!"))])).collect();
    assert_eq!(
        truths(&Expr::new(ExprKind::Or(joined), DataType::boolean())).unwrap(),
        [false, false, false, true]
    );
    let others: Vec<Expr> = (0..6).map(|i| call("<>", &[port(), text(&(78 + i).to_string())])).collect();
    assert_eq!(truths(&Expr::and(others)).unwrap(), [false, true, true, true]);
}

#[test]
fn fields_of_absent_rows_are_null() {
    let row = DataType::row([("x", DataType::int())]);
    let values = [Value::Row([Value::Int(7)].into()), Value::Null];
    let columns = vec![column(&values, &row)];
    let field =
        Expr::new(ExprKind::Field { input: Box::new(Expr::column(0, row)), index: 0 }, DataType::int());
    let rows = Rows { columns: &columns, rows: 2, watermarks: None };
    let out = Program::compile(&[field]).unwrap().eval(&rows, &eval_context()).unwrap();
    assert_eq!(out[0].as_primitive::<arrow::datatypes::Int32Type>().value(0), 7);
    assert!(out[0].is_null(1));
}
