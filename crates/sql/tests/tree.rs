//! What the trees look like: precedences, spans, and the clauses of each statement.

// A test that stops at once says best what is wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use millstream_sql::ast::*;
use millstream_sql::{parse_data_type, parse_expression, parse_script, parse_statement};

/// An expression in full parentheses.
fn shape(e: &Expr) -> String {
    let op = |o: &CompareOp| match o {
        CompareOp::Eq => "=",
        CompareOp::NotEq => "<>",
        CompareOp::Lt => "<",
        CompareOp::LtEq => "<=",
        CompareOp::Gt => ">",
        CompareOp::GtEq => ">=",
    };
    let list = |es: &[Expr], with: &str| es.iter().map(shape).collect::<Vec<_>>().join(with);
    match &e.kind {
        ExprKind::Literal(Literal::Integer(t) | Literal::Decimal(t) | Literal::Double(t)) => t.clone(),
        ExprKind::Literal(Literal::String { value, .. }) => format!("'{value}'"),
        ExprKind::Literal(Literal::Null) => "NULL".into(),
        ExprKind::Literal(Literal::Boolean(b)) => b.to_string(),
        ExprKind::Literal(Literal::Interval(i)) => {
            format!("{}'{}'", if i.negative { "-" } else { "" }, i.text.value)
        }
        ExprKind::Column(parts) => parts.iter().map(|p| p.value.as_str()).collect::<Vec<_>>().join("."),
        ExprKind::Field(base, field) => format!("{}->{}", shape(base), field.value),
        ExprKind::Index(base, index) => format!("{}[{}]", shape(base), shape(index)),
        ExprKind::Sign(Sign::Minus, x) => format!("(- {})", shape(x)),
        ExprKind::Sign(Sign::Plus, x) => format!("(+ {})", shape(x)),
        ExprKind::Not(x) => format!("(NOT {})", shape(x)),
        ExprKind::And(es) => format!("({})", list(es, " AND ")),
        ExprKind::Or(es) => format!("({})", list(es, " OR ")),
        ExprKind::Chain(first, links) => {
            let mut out = format!("({}", shape(first));
            for link in links {
                let sign = match link.op {
                    ChainOp::Add => "+",
                    ChainOp::Subtract => "-",
                    ChainOp::Multiply => "*",
                    ChainOp::Divide => "/",
                    ChainOp::Modulo => "%",
                    ChainOp::Concat => "||",
                };
                out.push_str(&format!(" {sign} {}", shape(&link.operand)));
            }
            out + ")"
        }
        ExprKind::Compare(l, o, r) => format!("({} {} {})", shape(l), op(o), shape(r)),
        ExprKind::Is { expr, test, negated } => {
            format!("({} IS {}{test:?})", shape(expr), if *negated { "NOT " } else { "" })
        }
        ExprKind::IsDistinctFrom { left, right, negated } => {
            format!("({} {} {})", shape(left), if *negated { "<=>" } else { "<!>" }, shape(right))
        }
        ExprKind::Between(b) => format!(
            "({} {}BETWEEN{} {} TO {})",
            shape(&b.expr),
            if b.negated { "NOT " } else { "" },
            if b.symmetric { " SYMMETRIC" } else { "" },
            shape(&b.low),
            shape(&b.high)
        ),
        ExprKind::InList { expr, list: es, negated } => {
            format!("({} {}IN [{}])", shape(expr), if *negated { "NOT " } else { "" }, list(es, ", "))
        }
        ExprKind::InQuery { expr, .. } => format!("({} IN query)", shape(expr)),
        ExprKind::Like(l) => format!(
            "({} {}{:?} {}{})",
            shape(&l.expr),
            if l.negated { "NOT " } else { "" },
            l.op,
            shape(&l.pattern),
            l.escape.as_ref().map_or(String::new(), |e| format!(" ESCAPE {}", shape(e)))
        ),
        ExprKind::Function(c) => {
            let args: Vec<_> = c
                .args
                .iter()
                .map(|a| match &a.value {
                    ArgValue::Expr(e) => shape(e),
                    ArgValue::Star => "*".into(),
                    ArgValue::Table(_) => "table".into(),
                })
                .collect();
            format!("{}({})", c.name.last(), args.join(", "))
        }
        ExprKind::Row { items, .. } => format!("ROW({})", list(items, ", ")),
        ExprKind::Subquery(_) => "query".into(),
        ExprKind::Period(l, o, r) => format!("({} {o:?} {})", shape(l), shape(r)),
        ExprKind::Difference(l, r, q) => format!("({} - {} {:?})", shape(l), shape(r), q.from),
        other => format!("{other:?}").split(['(', ' ']).next().unwrap_or("").to_string(),
    }
}

#[test]
fn operators_bind_as_in_flink() {
    for (text, expected) in [
        ("a OR b AND c OR d", "(a OR (b AND c) OR d)"),
        ("(a OR b) OR c", "((a OR b) OR c)"),
        ("NOT a = b AND c", "((NOT (a = b)) AND c)"),
        ("NOT a IS NULL", "(NOT (a IS Null))"),
        ("a = b IS NULL", "((a = b) IS Null)"),
        ("a + b - c * d / e % f", "(a + b - (c * d / e % f))"),
        ("a || b + c", "((a || b) + c)"),
        ("a + b || c", "(a + (b || c))"),
        ("a || b || c = d", "((a || b || c) = d)"),
        ("- a + b", "((- a) + b)"),
        ("1 - - 1", "(1 - (- 1))"),
        ("- a.b[1]", "(- a.b[1])"),
        ("a = b = c", "((a = b) = c)"),
        ("a BETWEEN b AND c AND d", "((a BETWEEN b TO c) AND d)"),
        ("a NOT BETWEEN SYMMETRIC b + 1 AND c OR d", "((a NOT BETWEEN SYMMETRIC (b + 1) TO c) OR d)"),
        ("a AND b BETWEEN c AND d AND e", "(a AND (b BETWEEN c TO d) AND e)"),
        ("(a BETWEEN b AND c) AND (d BETWEEN e AND f)", "((a BETWEEN b TO c) AND (d BETWEEN e TO f))"),
        ("a LIKE b || '%' AND c", "((a Like (b || '%')) AND c)"),
        ("a NOT LIKE b ESCAPE '!' OR c", "((a NOT Like b ESCAPE '!') OR c)"),
        ("a SIMILAR TO b", "(a SimilarTo b)"),
        ("a IN (1, 2) OR b NOT IN (3)", "((a IN [1, 2]) OR (b NOT IN [3]))"),
        ("a IN ((1, 2), (3, 4))", "(a IN [ROW(1, 2), ROW(3, 4)])"),
        ("a IN ((SELECT 1), 2)", "(a IN [query, 2])"),
        ("a IN ((SELECT 1) UNION (SELECT 2))", "(a IN query)"),
        ("a IS DISTINCT FROM b + 1", "((a <!> b) + 1)"),
        ("a + 1 IS NOT DISTINCT FROM b", "((a + 1) <=> b)"),
        ("a IS NOT JSON OBJECT", "(a IS NOT JsonObject)"),
        ("a = 1 AND b = 2 IS TRUE", "((a = 1) AND ((b = 2) IS True))"),
        ("(a, b) = (1, 2)", "(ROW(a, b) = ROW(1, 2))"),
        ("((a))", "a"),
        ("((SELECT 1) + 2)", "(query + 2)"),
        ("((SELECT 1) UNION SELECT 2)", "query"),
        ("(a).b.c[1].d", "a->b->c[1]->d"),
        ("f(a).b", "f(a)->b"),
        ("COUNT(*) > 1", "(COUNT(*) > 1)"),
        ("POSITION(a IN b)", "POSITION(a, b)"),
        ("SUBSTRING(a FROM 2 FOR 3)", "SUBSTRING(a, 2, 3)"),
        ("OVERLAY(a PLACING b FROM 2)", "OVERLAY(a, b, 2)"),
        ("CEIL(a)", "CEIL(a)"),
        ("(ts1 - ts2) DAY", "(ts1 - ts2 Day)"),
        ("ts - INTERVAL -'5' SECOND", "(ts - -'5')"),
        ("(a, b) OVERLAPS (c, d)", "(ROW(a, b) Overlaps ROW(c, d))"),
        ("a > 1 /* c */ -- d\n AND b", "((a > 1) AND b)"),
        ("final IN (1) AND final + (2) > map", "((final IN [1]) AND ((final + 2) > map))"),
        ("TUMBLE(ts, INTERVAL '1' MINUTE)", "TUMBLE(ts, '1')"),
    ] {
        let expr = parse_expression(text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
        assert_eq!(shape(&expr), expected, "{text}");
        assert_eq!((expr.span.start, expr.span.end as usize), (0, text.len()), "{text}");
    }
}

#[test]
fn literals_keep_their_text() {
    let kind = |text: &str| match parse_expression(text).unwrap().kind {
        ExprKind::Literal(literal) => literal,
        other => panic!("{text}: {other:?}"),
    };
    let plain = |value: &str| Literal::String { value: value.into(), charset: None };
    assert_eq!(kind("99999999999999999999999999999999999999999"), {
        Literal::Integer("99999999999999999999999999999999999999999".into())
    });
    assert_eq!(kind("1.50"), Literal::Decimal("1.50".into()));
    assert_eq!(kind(".5"), Literal::Decimal(".5".into()));
    assert_eq!(kind("1.5E-3"), Literal::Double("1.5E-3".into()));
    assert_eq!(kind("'it''s \\n'"), plain("it's \\n"));
    assert_eq!(kind("'a'\n  'b'"), plain("ab"));
    assert_eq!(kind("U&'\\4e2d\\6587 \\\\ \\+01F600'"), plain("中文 \\ 😀"));
    assert_eq!(kind("U&'\\d83d\\de00'"), plain("😀"));
    assert_eq!(kind("U&'!00e9' UESCAPE '!'"), plain("é"));
    assert_eq!(kind("_UTF16'x'"), Literal::String { value: "x".into(), charset: Some("UTF16".into()) });
    assert_eq!(kind("x'0aFF'"), Literal::Binary(vec![0x0a, 0xff]));
    assert_eq!(kind("DATE '2020-1-5'"), Literal::Date("2020-1-5".into()));
    assert_eq!(kind("{ts '2020-01-01 00:00:00'}"), Literal::Timestamp("2020-01-01 00:00:00".into()));
    assert_eq!(kind("TIMESTAMP WITH LOCAL TIME ZONE '2020-01-01 00:00:00'"), {
        Literal::TimestampLtz("2020-01-01 00:00:00".into())
    });
    let Literal::Interval(interval) = kind("INTERVAL '1 02:03:04.005' DAY(3) TO SECOND(3)") else { panic!() };
    let q = interval.qualifier;
    assert_eq!(
        (q.from, q.to, q.precision, q.fraction),
        (TimeUnit::Day, Some(TimeUnit::Second), Some(3), Some(3))
    );
    assert!(matches!(parse_expression("INTERVAL n MINUTE").unwrap().kind, ExprKind::Interval(_)));
}

#[test]
fn types_are_read() {
    for (text, expected) in [
        ("int", "INT"),
        ("INTEGER NOT NULL", "INT NOT NULL"),
        ("VARCHAR", "STRING"),
        ("VARCHAR(10) NULL", "VARCHAR(10)"),
        ("CHARACTER VARYING(3)", "VARCHAR(3)"),
        ("CHAR", "CHAR(1)"),
        ("VARBINARY", "BYTES"),
        ("DEC(5)", "DECIMAL(5, 0)"),
        ("NUMERIC(5,1)", "DECIMAL(5, 1)"),
        ("DECIMAL", "DECIMAL(10, 0)"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("TIME", "TIME(0)"),
        ("TIMESTAMP", "TIMESTAMP(6)"),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", "TIMESTAMP(3)"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP_LTZ(9)", "TIMESTAMP_LTZ(9)"),
        ("INT ARRAY", "ARRAY<INT>"),
        ("INT NOT NULL ARRAY NOT NULL MULTISET", "MULTISET<ARRAY<INT NOT NULL> NOT NULL>"),
        ("MAP<STRING, ARRAY<MAP<INT, INT>>>", "MAP<STRING, ARRAY<MAP<INT, INT>>>"),
        (
            "ROW<a INT NOT NULL 'it''s', `b c` ROW(d DATE)>",
            "ROW<`a` INT NOT NULL 'it''s', `b c` ROW<`d` DATE>>",
        ),
        ("ROW<>", "ROW<>"),
    ] {
        assert_eq!(parse_data_type(text).unwrap().data_type.to_string(), expected, "{text}");
    }
    for (text, code) in [
        ("DECIMAL(39, 0)", "type-limit"),
        ("DECIMAL(5, 6)", "type-limit"),
        ("ROW<a ARRAY<TIMESTAMP(10)>>", "type-limit"),
        ("CHAR(99999999999)", "parse"),
        ("LONG", "unknown-type"),
        ("REAL", "unknown-type"),
        ("INT INT", "parse"),
        ("", "parse"),
    ] {
        assert_eq!(parse_data_type(text).unwrap_err().code(), code, "{text}");
    }
}

fn query(text: &str) -> Query {
    match parse_statement(text).unwrap_or_else(|f| panic!("{text}: {f:?}")).statement {
        Statement::Query(query) => *query,
        other => panic!("{other:?}"),
    }
}

fn select(text: &str) -> Select {
    match query(text).body.kind {
        QueryKind::Select(select) => *select,
        other => panic!("{other:?}"),
    }
}

#[test]
fn clauses_of_a_select() {
    let s = select(
        "SELECT /*+ STATE_TTL('a'='1d', 'b'='12h'), BROADCAST(b) */ DISTINCT a.*, a.x AS y, COUNT(DISTINCT z) FILTER \
         (WHERE z > 0) n FROM a /*+ OPTIONS('k'='v') */ AS a LEFT OUTER JOIN b FOR SYSTEM_TIME AS OF a.p AS d ON a.i = \
         d.i, LATERAL TABLE(f(a.x)) AS t (u, v) WHERE a.x > 0 GROUP BY GROUPING SETS ((a, b), a, ()), ROLLUP (c) HAVING \
         COUNT(*) > 1 WINDOW w AS (PARTITION BY a ORDER BY b ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) QUALIFY \
         ROW_NUMBER() OVER w = 1",
    );
    assert!(s.hints[0].is("state_ttl") && s.hints[1].is("BROADCAST"));
    assert!(
        matches!(&s.hints[0].args[1], HintArg::Option(o) if o.key.value == "b" && o.value.value == "12h")
    );
    assert_eq!(s.quantifier, Some(SetQuantifier::Distinct));
    assert!(matches!(&s.items[0], SelectItem::QualifiedStar(name, _) if name.last() == "a"));
    assert!(matches!(&s.items[1], SelectItem::Expr { alias: Some(a), .. } if a.value == "y"));
    assert_eq!(s.from.len(), 2);
    let join = &s.from[0].joins[0];
    assert_eq!(join.kind, JoinKind::Left);
    assert!(matches!(&join.right.kind, TableKind::Named { system_time: Some(_), .. }));
    assert_eq!(join.right.alias.as_ref().unwrap().name.value, "d");
    assert!(matches!(&s.from[1].first.kind, TableKind::Function { lateral: true, wrapped: true, .. }));
    assert_eq!(s.from[1].first.alias.as_ref().unwrap().columns.len(), 2);
    let group = s.group_by.unwrap();
    assert!(matches!(&group.items[0], GroupItem::GroupingSets(sets, _) if sets.len() == 3));
    assert!(matches!(&group.items[1], GroupItem::Rollup(..)));
    assert!(s.windows[0].spec.frame.as_ref().unwrap().rows);
    assert!(s.qualify.is_some());
}

#[test]
fn window_functions_over_tables() {
    for text in [
        "SELECT * FROM TABLE(TUMBLE(TABLE a.b.c PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS t",
        "SELECT * FROM TABLE(TUMBLE(DATA => TABLE c PARTITION BY (k, l), TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' MINUTE))",
        "SELECT * FROM HOP(TABLE c, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)",
        "SELECT * FROM TABLE(SESSION((SELECT * FROM c), DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
    ] {
        let TableKind::Function { call, .. } = select(text).from.remove(0).first.kind else {
            panic!("{text}")
        };
        assert!(matches!(&call.args[0].value, ArgValue::Table(_)), "{text}");
        assert!(
            matches!(&call.args[1].value, ArgValue::Expr(e) if matches!(e.kind, ExprKind::Descriptor(_))),
            "{text}"
        );
    }
    assert!(matches!(
        select("SELECT * FROM t CROSS JOIN UNNEST(t.a) WITH ORDINALITY AS u (x, i)").from[0].joins[0]
            .right
            .kind,
        TableKind::Unnest { ordinality: true, .. }
    ));
}

#[test]
fn set_operations_and_limits() {
    let q = query(
        "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT (SELECT 4 ORDER BY 1 LIMIT 2) ORDER BY 1 DESC NULLS LAST LIMIT 5 OFFSET 6",
    );
    let QueryKind::SetOperation(_, links) = &q.body.kind else { panic!() };
    assert_eq!(links.len(), 2);
    assert!(links[0].all && matches!(links[0].operand.kind, QueryKind::SetOperation(..)));
    assert!(matches!(&links[1].operand.kind, QueryKind::Nested(inner) if inner.limit.is_some()));
    assert_eq!((q.order_by[0].descending, q.order_by[0].nulls_first), (true, Some(false)));
    assert!(matches!(q.limit, Some(Limit::Count(_))) && q.offset.is_some());
    let q = query("((SELECT 1))");
    assert!(matches!(q.body.kind, QueryKind::Select(_)));
    assert!(matches!(query("SELECT a FROM t FETCH FIRST 3 ROWS ONLY").limit, Some(Limit::Count(_))));
    let QueryKind::Values(rows) = query("VALUES (1, 'a'), ROW(2, 'b'), (3), 4, ((5, 6))").body.kind else {
        panic!()
    };
    assert_eq!(rows.iter().map(|r| r.items.len()).collect::<Vec<_>>(), [2, 2, 1, 1, 1]);
}

#[test]
fn match_recognize() {
    let s = select(
        "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FINAL LAST(A.x) AS x, B.y AS y ALL ROWS PER \
         MATCH AFTER MATCH SKIP TO FIRST B PATTERN (^ A{2,3}? (B | C+)* {- D -} PERMUTE(E, F) G $) WITHIN INTERVAL '1' \
         HOUR SUBSET S = (A, B) DEFINE A AS A.x > 1, B AS PREV(B.y, 1) < 2) AS m",
    );
    let factor = &s.from[0].first;
    assert_eq!(factor.alias.as_ref().unwrap().name.value, "m");
    let TableKind::Match { clause, .. } = &factor.kind else { panic!() };
    assert_eq!(clause.rows, Some(RowsPerMatch::All));
    assert!(matches!(&clause.after, Some(AfterMatch::First(b)) if b.value == "B"));
    assert!(clause.anchored_start && clause.anchored_end);
    let PatternKind::Sequence(parts) = &clause.pattern.kind else { panic!() };
    assert!(matches!(&parts[0].kind, PatternKind::Repeat { min: 2, max: Some(3), reluctant: true, .. }));
    assert!(matches!(&parts[1].kind, PatternKind::Repeat { min: 0, max: None, .. }));
    assert!(matches!(&parts[2].kind, PatternKind::Exclude(_)));
    assert!(matches!(&parts[3].kind, PatternKind::Permute(p) if p.len() == 2));
    assert_eq!((clause.subsets.len(), clause.defines.len(), clause.measures.len()), (1, 2, 2));
    assert!(clause.within.is_some());
}

#[test]
fn create_table_in_full() {
    let text = "CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (id INT NOT NULL COMMENT 'key', r ROW<x INT>, m TIMESTAMP_LTZ(3) \
                METADATA FROM 'timestamp' VIRTUAL, ts AS TO_TIMESTAMP(s) COMMENT 'time', WATERMARK FOR ts AS ts - \
                INTERVAL '5' SECOND, CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED) COMMENT 'a table' DISTRIBUTED BY \
                HASH(id) INTO 4 BUCKETS PARTITIONED BY (id) WITH ('connector' = 'x', 'it''s' = '') LIKE base (EXCLUDING \
                ALL OVERWRITING OPTIONS)";
    let Statement::CreateTable(t) = parse_statement(text).unwrap().statement else { panic!() };
    assert_eq!((t.mode, t.temporary), (CreateMode::IfNotExists, true));
    assert_eq!(t.name.texts(), ["c", "d", "t"]);
    assert_eq!(t.schema.columns.len(), 4);
    assert!(
        matches!(&t.schema.columns[2].kind, ColumnKind::Metadata { key: Some(k), is_virtual: true, .. } if k.value == "timestamp")
    );
    assert!(matches!(t.schema.columns[3].kind, ColumnKind::Computed(_)));
    assert_eq!(t.schema.columns[3].comment.as_ref().unwrap().value, "time");
    assert_eq!(t.schema.constraints[0].enforced, Some(false));
    assert_eq!(t.distribution.as_ref().unwrap().buckets, Some(4));
    assert_eq!(t.options[1].key.value, "it's");
    assert_eq!(t.like.as_ref().unwrap().features.len(), 2);
}

/// The forms that Blink has and Flink has not.
#[test]
fn blinks_forms() {
    let text = "CREATE TABLE src (a VARCHAR, `b` BIGINT HEADER, a || 'x' AS c, TO_TIMESTAMP(b) AS ts, CAST(b AS INT) AS d, \
                p AS PROCTIME(), WATERMARK wk FOR ts AS withOffset(ts, 1000), PRIMARY KEY (a), INDEX idx (a), UNIQUE \
                INDEX (a), PERIOD FOR SYSTEM_TIME) WITH (type='rocketmq', consumerGroup='g', batch.size='1', \
                'x-y'='z')";
    let Statement::CreateTable(t) = parse_statement(text).unwrap().statement else { panic!() };
    let kinds: Vec<_> = t
        .schema
        .columns
        .iter()
        .map(|c| match &c.kind {
            ColumnKind::Physical(_) => format!("{} physical", c.name.value),
            ColumnKind::Header(_) => format!("{} header", c.name.value),
            ColumnKind::Computed(e) => format!("{} {}", c.name.value, shape(e)),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        ["a physical", "b header", "c (a || 'x')", "ts TO_TIMESTAMP(b)", "d Cast", "p PROCTIME()"]
    );
    assert_eq!(t.schema.watermark.as_ref().unwrap().name.as_ref().unwrap().value, "wk");
    assert_eq!((t.schema.constraints[0].enforced, t.schema.indexes.len()), (None, 2));
    assert!(t.schema.period.is_some());
    assert_eq!(t.options[2].key.value, "batch.size");

    let text = "INSERT INTO snk SELECT a, COUNT(*) FROM src GROUP BY a, TUMBLE(ts, INTERVAL n MINUTE) EMIT WITH DELAY '1' \
                MINUTE BEFORE WATERMARK, WITHOUT DELAY AFTER WATERMARK";
    let Statement::Insert(insert) = parse_statement(text).unwrap().statement else { panic!() };
    let emit = insert.query.emit.unwrap();
    assert_eq!(emit.strategies[0].when, Some(EmitWhen::BeforeWatermark));
    assert_eq!(emit.strategies[0].delay.as_ref().unwrap().unit, TimeUnit::Minute);
    assert!(emit.strategies[1].delay.is_none());
    assert!(parse_statement("SELECT a FROM t EMIT WITHOUT DELAY, WITH DELAY '1' SECOND").is_err());
    assert!(select("SELECT STREAM a FROM t").stream);
    // `emit` is a name everywhere else.
    assert!(parse_statement("SELECT emit.a emit FROM t emit").is_ok());

    for text in [
        "CREATE FUNCTION f AS 'com.acme.F'",
        "CREATE VIEW v AS SELECT a FROM t",
        "SELECT * FROM t JOIN d FOR SYSTEM_TIME AS OF PROCTIME() AS x ON t.a = x.a",
        "SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY p) AS rownum FROM t) WHERE rownum <= 1",
    ] {
        assert!(parse_statement(text).is_ok(), "{text}");
    }
}

#[test]
fn a_views_query_can_be_cut_out_of_the_text() {
    let text = "-- views\nCREATE VIEW v AS\n  SELECT 'é' AS a -- c\n  FROM t;\nSELECT 1;";
    let (statements, faults) = parse_script(text);
    assert!(faults.is_empty());
    let Statement::CreateView(view) = &statements[0].statement else { panic!() };
    let cut = |s: millstream_types::Span| &text[s.start as usize..s.end as usize];
    assert_eq!(cut(view.query.span), "SELECT 'é' AS a -- c\n  FROM t");
    assert!(
        cut(statements[0].span).starts_with("CREATE VIEW v") && cut(statements[0].span).ends_with("FROM t")
    );
    assert_eq!(cut(statements[1].span), "SELECT 1");
}

#[test]
fn sets_in_all_spellings() {
    for (text, key, value) in [
        ("SET 'a.b' = 'c d'", "a.b", "c d"),
        ("SET table.local-time-zone=UTC", "table.local-time-zone", "UTC"),
        ("SET a.b = 5;", "a.b", "5"),
        ("SET `a` = 'b'", "a", "b"),
        ("SET \"a\" = \"b\"", "a", "b"),
    ] {
        let Statement::Set(Some(entry)) = parse_statement(text).unwrap().statement else { panic!("{text}") };
        assert_eq!((entry.key.value.as_str(), entry.value.value.as_str()), (key, value), "{text}");
    }
    assert!(
        matches!(parse_statement("RESET a.b").unwrap().statement, Statement::Reset(Some(k)) if k.value == "a.b")
    );
}

#[test]
fn empty_scripts() {
    for text in ["", "  ", "-- only a comment", ";", ";;\n;"] {
        let (statements, faults) = parse_script(text);
        assert!(statements.is_empty() && faults.is_empty(), "{text}");
        assert!(parse_statement(text).is_err(), "{text}");
    }
}
