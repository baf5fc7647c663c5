use millstream_types::{DataType, Span, TypeKind as K};

use super::*;

fn result(name: &str, args: &[DataType], can_be_empty: bool) -> Result<DataType, Fault> {
    let args: Vec<Expr> = args.iter().enumerate().map(|(i, t)| Expr::column(i, t.clone())).collect();
    let context = BindContext { batch: true, ..BindContext::default() };
    let f = aggregate_function(name).unwrap();
    let call = AggregateCall {
        name,
        args: &args,
        star: args.is_empty() && name == "COUNT",
        distinct: false,
        can_be_empty,
        keywords: &[],
        span: Span::default(),
        context: &context,
    };
    f.bind(&call).map(|b| b.data_type)
}

#[test]
fn result_types_are_flinks() {
    let not_null = |k: K| k.not_null();
    assert_eq!(result("COUNT", &[], true).unwrap(), not_null(K::BigInt));
    assert_eq!(result("SUM", &[not_null(K::BigInt)], false).unwrap(), not_null(K::BigInt));
    assert_eq!(result("SUM", &[not_null(K::BigInt)], true).unwrap(), DataType::bigint());
    assert_eq!(result("SUM", &[DataType::decimal(8, 2)], false).unwrap(), DataType::decimal(38, 2));
    assert_eq!(result("AVG", &[DataType::decimal(8, 2)], false).unwrap(), DataType::decimal(38, 6));
    assert_eq!(result("AVG", &[K::TinyInt.nullable()], false).unwrap(), K::TinyInt.nullable());
    assert_eq!(result("STDDEV", &[DataType::int()], false).unwrap(), DataType::int());
    assert_eq!(
        result("PERCENTILE", &[DataType::int(), DataType::decimal(2, 1)], true).unwrap(),
        DataType::double()
    );
    assert_eq!(result("ROW_NUMBER", &[], false).unwrap(), not_null(K::BigInt));
    assert_eq!(
        result("LAG", &[DataType::int(), not_null(K::Int), not_null(K::Int)], false).unwrap(),
        not_null(K::Int)
    );
    assert_eq!(result("JSON_ARRAYAGG", &[DataType::int()], false).unwrap(), not_null(K::VarChar(2000)));
    assert_eq!(
        result("COLLECT", &[DataType::string()], true).unwrap(),
        K::Multiset(Box::new(DataType::string())).not_null()
    );
}

#[test]
fn sum_of_a_string_is_refused() {
    let fault = result("SUM", &[DataType::string()], true).unwrap_err();
    assert_eq!(fault.message(), "Cannot apply 'SUM' to arguments of type 'SUM(<STRING>)'");
}

#[test]
fn unknown_names_have_a_neighbour() {
    assert_eq!(nearest_name("LISTAG"), Some("LISTAGG"));
}
