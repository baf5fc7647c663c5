//! Expressions: operators, CASE, CAST, names.

use std::sync::Arc;

use millstream_expr::coerce::{common_type, explicit_cast};
use millstream_expr::functions::scalar_function;
use millstream_expr::{Call, CallExpr, CastMode, Expr, ExprKind, Keyword, Keywords};
use millstream_sql::ast::{self, ArgValue, ChainOp, CompareOp, PeriodOp, Sign, TimeUnit};
use millstream_types::{DataType, Fault, Field, Schema, Span, TypeKind, Value};

use super::group::GroupWindow;
use super::literal::bind_literal;
use super::over::OverCall;
use super::scope::{Scope, field_access, row_field};
use super::subquery::PendingSubquery;
use super::{Binder, OUTER};
use crate::catalog::BindEnvironment;
use crate::{AggregateCall, JobSettings};

/// How deeply an expression may be nested, chains counted by their length.
const MAX_LEVELS: usize = 700;

fn too_deep(span: Span) -> Fault {
    Fault::user("too-deep", format!("the expression is nested more than {MAX_LEVELS} levels deep"))
        .at(span)
        .hint("compute parts of it in a subquery; CONCAT_WS joins many strings on one level")
}

/// What an expression may hold and what was found in it.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// Name of the clause, for messages (`WHERE`).
    pub clause: &'static str,
    /// Aggregates may stand here.
    pub aggregates_allowed: bool,
    /// OVER calls may stand here.
    pub over_allowed: bool,
    /// Scalar subqueries may stand here.
    pub subqueries_allowed: bool,
    /// The group can be empty: no GROUP BY key.
    pub can_be_empty: bool,
    /// Aggregates found; their markers count from [`super::AGGREGATE`].
    pub aggregates: Vec<AggregateCall>,
    /// OVER calls found; their markers count from [`super::OVER`].
    pub overs: Vec<OverCall>,
    /// Scalar subqueries found; their markers count from [`super::SUBQUERY`].
    pub subqueries: Vec<PendingSubquery>,
    /// Windows of the WINDOW clause.
    pub windows: Vec<(String, ast::WindowSpec)>,
    /// The window of GROUP BY TUMBLE(…), and the properties that were asked for (their markers count from
    /// [`super::WINDOW_PROPERTY`]).
    pub group_window: Option<GroupWindow>,
    /// See above.
    pub window_properties: Vec<&'static str>,
    /// MATCH_RECOGNIZE: names are pattern variables.
    pub in_match: bool,
    /// GROUP BY's keys.
    pub group_keys: Vec<Expr>,
    /// How many levels are around.
    pub level: usize,
    /// Type of the column that MATCH_RECOGNIZE orders by.
    pub match_time: Option<DataType>,
}

/// Binds expressions over one scope.
pub(crate) struct ExprBinder<'b, 'a> {
    /// The query's binder.
    pub binder: &'b mut Binder<'a>,
    /// The names.
    pub scope: &'b Scope,
    /// What may be and was found.
    pub found: &'b mut Collected,
}

/// Binds an expression over some columns: neither subqueries nor aggregates.
///
/// # Errors
/// User, at the place in the text.
pub(crate) fn bind_expression(
    expr: &ast::Expr,
    columns: &[Field],
    environment: &BindEnvironment<'_>,
) -> Result<Expr, Fault> {
    let settings = JobSettings { batch: environment.context.batch, ..JobSettings::default() };
    let mut binder = Binder::new(*environment, settings);
    let scope = Scope::of_fields(&Schema::new(columns.to_vec()));
    let mut found = Collected { clause: "this expression", ..Collected::default() };
    ExprBinder { binder: &mut binder, scope: &scope, found: &mut found }.bind(expr)
}

impl ExprBinder<'_, '_> {
    /// Binds an expression.
    ///
    /// # Errors
    /// User or NotYet, at the place in the text.
    pub fn bind(&mut self, expr: &ast::Expr) -> Result<Expr, Fault> {
        let span = expr.span;
        self.found.level += 1;
        if self.found.level > MAX_LEVELS {
            return Err(too_deep(span));
        }
        let bound = self.bind_form(expr);
        self.found.level -= 1;
        bound.map(|b| b.at(span)).map_err(|f| f.at(span))
    }

    /// One small frame a level: the forms with locals of their own are functions of their own.
    fn bind_form(&mut self, expr: &ast::Expr) -> Result<Expr, Fault> {
        use ast::ExprKind as E;
        let span = expr.span;
        match &expr.kind {
            E::Literal(l) => bind_literal(l, false, span),
            E::Interval(interval) => self.interval(interval, span),
            E::Difference(left, right, qualifier) => self.difference(left, right, qualifier.from, span),
            E::Column(path) => self.column(path, span),
            E::Field(base, field) => self.field(base, field),
            E::Index(base, index) => self.index(base, index, span),
            E::Sign(sign, operand) => self.sign(*sign, operand, span),
            E::Not(operand) => self.not(operand, span),
            E::And(terms) => self.logical(terms, true, span),
            E::Or(terms) => self.logical(terms, false, span),
            E::Chain(first, links) => self.chain(first, links),
            E::Compare(left, op, right) => self.compare(left, *op, right, span),
            E::Quantified(q) => self.quantified(q, span),
            E::Is { expr: operand, test, negated } => self.is(operand, *test, *negated, span),
            E::IsDistinctFrom { left, right, negated } => {
                let name = if *negated { "IS NOT DISTINCT FROM" } else { "IS DISTINCT FROM" };
                self.operator(name, &[left, right], span)
            }
            E::Between(b) => self.between(b, span),
            E::InList { expr: operand, list, negated } => self.in_list(operand, list, *negated, span),
            E::InQuery { expr: operand, query, negated } => self.in_subquery(operand, query, *negated, span),
            E::Exists(query) => self.exists_subquery(query, span),
            E::Unique(_) => Err(Fault::not_yet("UNIQUE with a subquery").at(span)),
            E::Like(like) => self.like(like, span),
            E::Case(case) => self.case(case, span),
            E::Cast(cast) => self.cast(cast),
            E::Function(call) => self.function(call),
            E::Trim(trim) => self.trim(trim, span),
            E::Extract(unit, operand) => self.with_unit("EXTRACT", unit.unit, &[operand], span),
            E::Round(to, unit, operand) => {
                let name = match to {
                    ast::RoundTo::Floor => "FLOOR",
                    ast::RoundTo::Ceil => "CEIL",
                };
                self.with_unit(name, unit.unit, &[operand], span)
            }
            E::TimestampAdd(unit, count, point) => {
                self.with_unit("TIMESTAMPADD", unit.unit, &[count, point], span)
            }
            E::TimestampDiff(unit, from, to) => self.with_unit("TIMESTAMPDIFF", unit.unit, &[from, to], span),
            E::Json(call) => self.json(call, span),
            E::Row { items, .. } => self.all_of("ROW", items.iter(), span),
            E::Array(items) => self.all_of("ARRAY", items.iter(), span),
            E::Map(entries) => self.all_of("MAP", entries.iter().flat_map(|(k, v)| [k, v]), span),
            E::Multiset(_) | E::CollectQuery(..) => {
                let what = "Flink runs no MULTISET[...], and no ARRAY, MAP or MULTISET of a subquery";
                Err(Fault::user("unsupported", what)
                    .at(span)
                    .hint("COLLECT makes a multiset, ARRAY_AGG an array"))
            }
            E::Subquery(query) => self.scalar_subquery(query, span),
            E::Period(left, op, right) => self.period(left, *op, right, span),
            E::Descriptor(_) => {
                Err(Fault::user("descriptor", "DESCRIPTOR can only be an argument of a window function")
                    .at(span))
            }
            E::Default => Err(Fault::user("default", "DEFAULT cannot be used here").at(span)),
            E::MatchScope(_, operand) if self.found.in_match => self.bind(operand),
            E::MatchScope(..) => {
                Err(Fault::user("match-scope", "FINAL and RUNNING belong to MATCH_RECOGNIZE").at(span))
            }
        }
    }

    /// Binds a condition.
    ///
    /// # Errors
    /// User, when it is no BOOLEAN.
    pub fn condition(&mut self, expr: &ast::Expr) -> Result<Expr, Fault> {
        let bound = self.bind(expr)?;
        match bound.data_type.kind {
            TypeKind::Boolean => Ok(bound),
            TypeKind::Null => Ok(Expr::literal(Value::Null, DataType::boolean()).at(expr.span)),
            _ => Err(Fault::user(
                "no-condition",
                format!(
                    "{} clause must be a condition, this is of type {}",
                    self.found.clause, bound.data_type
                ),
            )
            .at(expr.span)
            .hint("write a comparison, or a function that gives BOOLEAN")),
        }
    }

    #[inline(never)]
    fn column(&mut self, path: &[ast::Ident], span: Span) -> Result<Expr, Fault> {
        if let Some(expr) = self.scope.resolve(path)? {
            return Ok(expr);
        }
        if let Some(outer) = self.binder.outers.last()
            && let Some(mut expr) = outer.resolve(path)?
        {
            expr.map_columns(&|i| if i < OUTER { i + OUTER } else { i });
            return Ok(expr);
        }
        for scope in self.binder.outers.iter().rev().skip(1) {
            if scope.resolve(path)?.is_some() {
                return Err(Fault::not_yet("columns of a query more than one level further out").at(span));
            }
        }
        match path {
            // The one function without parentheses that is no word of the grammar.
            [only] if !only.quoted && only.value.eq_ignore_ascii_case("PI") => {
                self.call("PI", Vec::new(), Vec::new(), span)
            }
            _ => Err(self.scope.unknown(path, span)),
        }
    }

    /// `array[i]`, `map[key]`, `row[i]`, `row['name']`.
    #[inline(never)]
    fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Result<Expr, Fault> {
        let container = self.bind(base)?;
        let place = self.bind(index)?;
        if let TypeKind::Row(fields) = &container.data_type.kind {
            let found = match place.as_literal() {
                Some(Value::Int(i)) => i.checked_sub(1).and_then(|i| usize::try_from(i).ok()),
                Some(Value::String(name)) => fields.iter().position(|f| *f.name == **name),
                _ => None,
            };
            if let Some(found) = found.filter(|i| *i < fields.len()) {
                return Ok(row_field(container, found).at(span));
            }
            let fault =
                Fault::user("unknown-field", "a ROW has no such field").at(place.span.unwrap_or(span));
            return Err(fault.hint("fields are counted from 1; write row.name"));
        }
        self.call("[]", vec![container, place], Vec::new(), span)
    }

    #[inline(never)]
    fn field(&mut self, base: &ast::Expr, field: &ast::Ident) -> Result<Expr, Fault> {
        let base = self.bind(base)?;
        field_access(base, field)
    }

    #[inline(never)]
    fn sign(&mut self, sign: Sign, operand: &ast::Expr, span: Span) -> Result<Expr, Fault> {
        if let ast::ExprKind::Literal(l) = &operand.kind
            && matches!(
                l,
                ast::Literal::Integer(_)
                    | ast::Literal::Decimal(_)
                    | ast::Literal::Double(_)
                    | ast::Literal::Interval(_)
            )
        {
            return bind_literal(l, sign == Sign::Minus, span);
        }
        // `-(-5)` is the literal 5, typed by its value: of -2147483648 that is a BIGINT.
        if sign == Sign::Minus
            && let ast::ExprKind::Sign(Sign::Minus, inner) = &operand.kind
            && let ast::ExprKind::Literal(
                l @ (ast::Literal::Integer(_) | ast::Literal::Decimal(_) | ast::Literal::Double(_)),
            ) = &inner.kind
        {
            return bind_literal(l, false, span);
        }
        self.operator(if sign == Sign::Minus { "-" } else { "+" }, &[operand], span)
    }

    /// `INTERVAL n DAY`: so many times the unit.
    #[inline(never)]
    fn interval(&mut self, interval: &ast::IntervalExpr, span: Span) -> Result<Expr, Fault> {
        if interval.qualifier.to.is_some() {
            return Err(Fault::user("interval", "an interval whose length is computed has one unit")
                .at(interval.qualifier.span)
                .hint("write INTERVAL n DAY"));
        }
        let one = ast::IntervalLiteral {
            negative: interval.negative,
            text: ast::Text { value: "1".to_string(), span },
            qualifier: interval.qualifier,
        };
        let unit = bind_literal(&ast::Literal::Interval(Box::new(one)), false, span)?;
        let length = self.bind(&interval.expr)?;
        self.call("*", vec![length, unit], Vec::new(), span)
    }

    /// `(a - b) DAY`.
    #[inline(never)]
    fn difference(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        unit: TimeUnit,
        span: Span,
    ) -> Result<Expr, Fault> {
        self.with_unit("-", unit, &[left, right], span)
    }

    #[inline(never)]
    fn not(&mut self, operand: &ast::Expr, span: Span) -> Result<Expr, Fault> {
        let bound = self.bind(operand)?;
        no_bare_null(&bound, operand.span)?;
        let bound = boolean_operand(bound, "NOT", span)?;
        Ok(negate(bound))
    }

    #[inline(never)]
    fn logical(&mut self, terms: &[ast::Expr], and: bool, span: Span) -> Result<Expr, Fault> {
        let name = if and { "AND" } else { "OR" };
        let mut bound = Vec::with_capacity(terms.len());
        for term in terms {
            let operand = self.bind(term)?;
            no_bare_null(&operand, term.span)?;
            bound.push(boolean_operand(operand, name, span)?);
        }
        Ok(if and { conjunction(bound) } else { disjunction(bound) })
    }

    /// A chain is bound to a tree as deep as it is long.
    #[inline(never)]
    fn chain(&mut self, first: &ast::Expr, links: &[ast::ChainLink]) -> Result<Expr, Fault> {
        self.found.level += links.len();
        if self.found.level > MAX_LEVELS {
            let place = links.last().map_or(first.span, |l| l.op_span);
            return Err(too_deep(place));
        }
        let bound = self.chain_links(first, links);
        self.found.level -= links.len();
        bound
    }

    fn chain_links(&mut self, first: &ast::Expr, links: &[ast::ChainLink]) -> Result<Expr, Fault> {
        let mut left = self.bind(first)?;
        let start = first.span;
        for link in links {
            let right = self.bind(&link.operand)?;
            let name = match link.op {
                ChainOp::Add => "+",
                ChainOp::Subtract => "-",
                ChainOp::Multiply => "*",
                ChainOp::Divide => "/",
                ChainOp::Modulo => "%",
                ChainOp::Concat => "||",
            };
            let span = start.to(link.operand.span);
            left = self.call(name, vec![left, right], Vec::new(), span)?.at(span);
        }
        Ok(left)
    }

    #[inline(never)]
    fn case(&mut self, case: &ast::Case, span: Span) -> Result<Expr, Fault> {
        let operand = case.operand.as_ref().map(|o| self.bind(o)).transpose()?;
        let mut branches = Vec::with_capacity(case.branches.len());
        for (when, then) in &case.branches {
            let condition = match &operand {
                None => {
                    let bound = self.bind(when)?;
                    boolean_operand(bound, "CASE", when.span)?
                }
                Some(operand) => {
                    let values: Vec<&ast::Expr> = match &when.kind {
                        ast::ExprKind::Row { items, explicit: false } => items.iter().collect(),
                        _ => vec![when],
                    };
                    let mut terms = Vec::with_capacity(values.len());
                    for value in values {
                        let value = typed_null(self.bind(value)?, &operand.data_type);
                        terms.push(
                            self.call("=", vec![operand.clone(), value], Vec::new(), when.span)?
                                .at(when.span),
                        );
                    }
                    disjunction(terms)
                }
            };
            branches.push((condition, self.bind(then)?));
        }
        let otherwise = match &case.otherwise {
            Some(e) => self.bind(e)?,
            None => Expr::literal(Value::Null, TypeKind::Null.nullable()),
        };
        let types: Vec<DataType> =
            branches.iter().map(|(_, v)| &v.data_type).chain([&otherwise.data_type]).cloned().collect();
        let common = common_type(&types).ok_or_else(|| {
            let kinds: Vec<String> = types.iter().map(|t| t.kind.to_string()).collect();
            Fault::user(
                "mixed-types",
                format!("Illegal mixing of types in CASE or COALESCE statement: {}", kinds.join(", ")),
            )
            .at(span)
            .hint("cast the values to one type")
        })?;
        if common.kind == TypeKind::Null {
            return Err(Fault::user(
                "mixed-types",
                "ELSE clause or at least one THEN clause must be non-NULL",
            )
            .at(span)
            .hint("cast one of the NULLs to a type: CAST(NULL AS INT)"));
        }
        let common = common.plain();
        let branches = branches.into_iter().map(|(c, v)| (c, converted(v, &common))).collect();
        let otherwise = Box::new(converted(otherwise, &common));
        Ok(Expr::new(ExprKind::Case { branches, otherwise }, common))
    }

    #[inline(never)]
    fn cast(&mut self, cast: &ast::Cast) -> Result<Expr, Fault> {
        let input = self.bind(&cast.expr)?;
        let mode = if cast.safe { CastMode::TryCast } else { CastMode::Cast };
        let target = &cast.target.data_type;
        if !cast.safe && input.data_type.kind == TypeKind::Null {
            let kind = match &target.kind {
                TypeKind::IntervalYearMonth(..) => TypeKind::interval_months(),
                TypeKind::IntervalDayTime(..) => TypeKind::interval_seconds(),
                kind => kind.clone(),
            };
            return Ok(Expr::literal(Value::Null, kind.nullable()));
        }
        // A cast knows two types of intervals, whatever their fields are; numbers become those of one field.
        let (target, fields) = match &target.kind {
            TypeKind::IntervalYearMonth(from, to, _) => (TypeKind::interval_months().nullable(), from != to),
            TypeKind::IntervalDayTime(from, to, ..) => (TypeKind::interval_seconds().nullable(), from != to),
            _ => (target.clone(), false),
        };
        if fields && input.data_type.kind.is_numeric() {
            let what = format!(
                "Cast function cannot convert value of type {} to an interval of several fields",
                input.data_type.kind
            );
            return Err(Fault::user("cast", what)
                .at(cast.target.span)
                .hint("cast it to INTERVAL SECOND or INTERVAL MONTH"));
        }
        explicit_cast(input, &target, mode, self.binder.env.context)
    }

    #[inline(never)]
    fn trim(&mut self, trim: &ast::Trim, span: Span) -> Result<Expr, Fault> {
        let side = match trim.side {
            ast::TrimSide::Both => "BOTH",
            ast::TrimSide::Leading => "LEADING",
            ast::TrimSide::Trailing => "TRAILING",
        };
        let mut args = vec![self.bind(&trim.text)?];
        if let Some(characters) = &trim.characters {
            args.push(self.bind(characters)?);
        }
        self.call("TRIM", args, vec![("side", Keyword::Word(side.into()))], span)
    }

    #[inline(never)]
    fn with_unit(
        &mut self,
        name: &str,
        unit: TimeUnit,
        operands: &[&ast::Expr],
        span: Span,
    ) -> Result<Expr, Fault> {
        let args = operands.iter().map(|o| self.bind(o)).collect::<Result<Vec<_>, _>>()?;
        self.call(name, args, vec![("unit", Keyword::Word(unit_word(unit).into()))], span)
    }

    #[inline(never)]
    fn all_of<'e>(
        &mut self,
        name: &str,
        items: impl Iterator<Item = &'e ast::Expr>,
        span: Span,
    ) -> Result<Expr, Fault> {
        let args = items.map(|i| self.bind(i)).collect::<Result<Vec<_>, _>>()?;
        self.call(name, args, Vec::new(), span)
    }

    #[inline(never)]
    fn period(
        &mut self,
        left: &ast::Expr,
        op: PeriodOp,
        right: &ast::Expr,
        span: Span,
    ) -> Result<Expr, Fault> {
        let name = match op {
            PeriodOp::Overlaps => "OVERLAPS",
            PeriodOp::Contains => "CONTAINS",
            PeriodOp::Equals => "EQUALS",
            PeriodOp::Precedes => "PRECEDES",
            PeriodOp::Succeeds => "SUCCEEDS",
            PeriodOp::ImmediatelyPrecedes => "IMMEDIATELY PRECEDES",
            PeriodOp::ImmediatelySucceeds => "IMMEDIATELY SUCCEEDS",
        };
        if op != PeriodOp::Overlaps {
            let fault =
                Fault::user("unknown-function", format!("No match found for function signature {name}"));
            return Err(fault.at(span).hint("compare the ends of the periods"));
        }
        let mut args = Vec::new();
        for side in [left, right] {
            match &side.kind {
                ast::ExprKind::Row { items, .. } if items.len() == 2 => {
                    for item in items {
                        args.push(self.bind(item)?);
                    }
                }
                _ => {
                    return Err(
                        Fault::user("period", format!("{name} wants a period: (start, end)")).at(side.span)
                    );
                }
            }
        }
        self.call(name, args, Vec::new(), span)
    }

    /// A function or operator on operands.
    pub(super) fn operator(
        &mut self,
        name: &str,
        operands: &[&ast::Expr],
        span: Span,
    ) -> Result<Expr, Fault> {
        let args = operands.iter().map(|o| self.bind(o)).collect::<Result<Vec<_>, _>>()?;
        self.call(name, args, Vec::new(), span)
    }

    /// A call of a built-in scalar function or operator by name.
    ///
    /// # Errors
    /// User, when there is none or the arguments do not fit.
    #[inline(never)]
    pub fn call(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        keywords: Keywords,
        span: Span,
    ) -> Result<Expr, Fault> {
        let Some(function) = scalar_function(name) else {
            return Err(self.unknown_function(name, &args, span));
        };
        let context = self.binder.env.context;
        let bound = (function.bind)(&Call { name, args: &args, keywords: &keywords, span, context })
            .map_err(|f| f.at(span))?;
        let kind = ExprKind::Call(Arc::new(CallExpr {
            name: Arc::from(function.name),
            args: bound.args,
            keywords,
            volatility: bound.volatility,
            fallible: bound.fallible,
            kernel: bound.kernel,
        }));
        Ok(Expr::new(kind, bound.data_type).at(span))
    }

    /// Binds the arguments of a call that takes only expressions.
    pub(super) fn plain_args(&mut self, call: &ast::FunctionCall) -> Result<Vec<Expr>, Fault> {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            if let Some(name) = &arg.name {
                return Err(Fault::user(
                    "named-argument",
                    format!("function '{}' does not have named arguments", call.name.last()),
                )
                .at(name.span)
                .hint("write the arguments without names, in order"));
            }
            match &arg.value {
                ArgValue::Expr(e) => args.push(self.bind(e)?),
                ArgValue::Star => {
                    return Err(Fault::user("star", format!("{}(*) does not exist", call.name.last()))
                        .at(arg.span)
                        .hint("only COUNT takes *"));
                }
                ArgValue::Table(_) => {
                    return Err(Fault::user(
                        "table-argument",
                        format!("function '{}' does not take a table", call.name.last()),
                    )
                    .at(arg.span));
                }
            }
        }
        Ok(args)
    }
}

/// The name of a comparison.
pub(crate) fn compare_name(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "=",
        CompareOp::NotEq => "<>",
        CompareOp::Lt => "<",
        CompareOp::LtEq => "<=",
        CompareOp::Gt => ">",
        CompareOp::GtEq => ">=",
    }
}

/// Calcite's name of a unit.
fn unit_word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Millennium => "MILLENNIUM",
        TimeUnit::Century => "CENTURY",
        TimeUnit::Decade => "DECADE",
        TimeUnit::Year => "YEAR",
        TimeUnit::IsoYear => "ISOYEAR",
        TimeUnit::Quarter => "QUARTER",
        TimeUnit::Month => "MONTH",
        TimeUnit::Week => "WEEK",
        TimeUnit::Day => "DAY",
        TimeUnit::Doy => "DOY",
        TimeUnit::Dow => "DOW",
        TimeUnit::IsoDow => "ISODOW",
        TimeUnit::Hour => "HOUR",
        TimeUnit::Minute => "MINUTE",
        TimeUnit::Second => "SECOND",
        TimeUnit::Millisecond => "MILLISECOND",
        TimeUnit::Microsecond => "MICROSECOND",
        TimeUnit::Nanosecond => "NANOSECOND",
        TimeUnit::Epoch => "EPOCH",
    }
}

/// A logical operator refuses a NULL without a type, as Flink's validator does.
pub(super) fn no_bare_null(operand: &Expr, span: Span) -> Result<(), Fault> {
    if operand.data_type.kind != TypeKind::Null {
        return Ok(());
    }
    Err(Fault::user("illegal-null", "Illegal use of 'NULL'")
        .at(span)
        .hint("give the NULL a type: CAST(NULL AS BOOLEAN)"))
}

/// The operand of a logical operator.
fn boolean_operand(expr: Expr, name: &str, span: Span) -> Result<Expr, Fault> {
    match expr.data_type.kind {
        TypeKind::Boolean => Ok(expr),
        TypeKind::Null => Ok(Expr::literal(Value::Null, DataType::boolean()).at(expr.span.unwrap_or(span))),
        _ => Err(Fault::user(
            "argument-types",
            format!("Cannot apply '{name}' to an argument of type {}", expr.data_type.kind),
        )
        .at(expr.span.unwrap_or(span))
        .hint(format!("the operands of {name} are conditions (BOOLEAN)"))),
    }
}

/// All of these; ANDs among them are taken apart, so that a chain stays one level.
pub(crate) fn conjunction(terms: Vec<Expr>) -> Expr {
    let mut flat = Vec::with_capacity(terms.len());
    for term in terms {
        match term.kind {
            ExprKind::And(inner) => flat.extend(inner),
            _ => flat.push(term),
        }
    }
    Expr::and(flat)
}

/// Any of these; ORs among them are taken apart.
pub(crate) fn disjunction(terms: Vec<Expr>) -> Expr {
    let mut flat = Vec::with_capacity(terms.len());
    for term in terms {
        match term.kind {
            ExprKind::Or(inner) => flat.extend(inner),
            _ => flat.push(term),
        }
    }
    match flat.len() {
        1 => flat.remove(0),
        _ => {
            let nullable = flat.iter().any(|t| t.data_type.nullable);
            Expr::new(ExprKind::Or(flat), DataType::boolean().with_nullable(nullable))
        }
    }
}

/// `NOT expr`.
pub(crate) fn negate(expr: Expr) -> Expr {
    let data_type = DataType::boolean().with_nullable(expr.data_type.nullable);
    let span = expr.span;
    Expr { kind: ExprKind::Not(Box::new(expr)), data_type, span }
}

/// A bare NULL as NULL of a type.
pub(crate) fn typed_null(expr: Expr, to: &DataType) -> Expr {
    if expr.data_type.kind != TypeKind::Null {
        return expr;
    }
    Expr { kind: ExprKind::Literal(Value::Null), data_type: to.plain().with_nullable(true), span: expr.span }
}

/// An expression as a value of a common type, which some rule has found to fit.
pub(crate) fn converted(expr: Expr, to: &DataType) -> Expr {
    let expr = typed_null(expr, to);
    if expr.data_type.kind.same_as(&to.kind) {
        return expr;
    }
    let (nullable, span) = (expr.data_type.nullable, expr.span);
    let kind = ExprKind::Cast { input: Box::new(expr), mode: CastMode::Implicit };
    Expr { kind, data_type: to.kind.plain().nullable().with_nullable(nullable), span }
}
