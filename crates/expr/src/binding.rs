//! Pieces for `bind`: checks of arguments and the refusals that follow, in Flink's words.

use millstream_types::{DataType, Fault, TypeKind};

use crate::coerce;
use crate::{BoundCall, Call, CastMode, Expr, KernelRef, Volatility};

impl Call<'_> {
    /// The refusal of the arguments: names the types found and the forms that exist.
    pub fn refuse(&self, signature: &str) -> Fault {
        let found: Vec<String> = self.args.iter().map(|a| format!("<{}>", a.data_type.kind)).collect();
        let form = match (self.is_symbol(), found.as_slice()) {
            (true, [a, b]) => format!("{a} {} {b}", self.name),
            _ => format!("{}({})", self.name, found.join(", ")),
        };
        Fault::user("argument-types", format!("Cannot apply '{}' to arguments of type '{form}'", self.name))
            .at(self.span)
            .hint(format!("supported form(s): {}", signature.replace('\n', "; ")))
    }

    fn is_symbol(&self) -> bool {
        !self.name.starts_with(|c: char| c.is_ascii_alphabetic()) || self.name.contains(' ')
    }

    /// Checks the number of arguments.
    ///
    /// # Errors
    /// User (`argument-count`).
    pub fn expect(&self, least: usize, most: usize, signature: &str) -> Result<(), Fault> {
        let n = self.args.len();
        if (least..=most).contains(&n) {
            return Ok(());
        }
        let wanted = match (least, most) {
            (a, usize::MAX) => format!("at least {a}"),
            (a, b) if a == b => a.to_string(),
            (a, b) => format!("{a} to {b}"),
        };
        let plural = if wanted == "1" { "argument" } else { "arguments" };
        Err(Fault::user(
            "argument-count",
            format!(
                "Invalid number of arguments to function '{}': {wanted} {plural} wanted, {n} given",
                self.name
            ),
        )
        .at(self.span)
        .hint(format!("supported form(s): {}", signature.replace('\n', "; "))))
    }

    /// Refuses a bare NULL among the arguments, as Flink's validator does (`Illegal use of 'NULL'`).
    ///
    /// # Errors
    /// User (`illegal-null`).
    pub fn no_bare_null(&self) -> Result<(), Fault> {
        match self.args.iter().find(|a| matches!(a.data_type.kind, TypeKind::Null)) {
            None => Ok(()),
            Some(a) => Err(Fault::user("illegal-null", "Illegal use of 'NULL'")
                .at(a.span.unwrap_or(self.span))
                .hint("give the NULL a type: CAST(NULL AS INT)")),
        }
    }

    /// The argument at a position; the signature's count must have been checked.
    ///
    /// # Errors
    /// Internal, when there is none.
    pub fn arg(&self, index: usize) -> Result<&Expr, Fault> {
        self.args.get(index).ok_or_else(|| Fault::internal(format!("{}: no argument {index}", self.name)))
    }

    /// Whether any argument is nullable: the nullability of most functions' results.
    pub fn any_nullable(&self) -> bool {
        self.args.iter().any(|a| a.data_type.nullable || matches!(a.data_type.kind, TypeKind::Null))
    }

    /// The argument as a string: CHAR and VARCHAR as they are, a bare NULL as STRING.
    ///
    /// # Errors
    /// User, for other types.
    pub fn string(&self, index: usize, signature: &str) -> Result<Expr, Fault> {
        let a = self.arg(index)?;
        match &a.data_type.kind {
            k if k.is_string() => Ok(a.clone()),
            TypeKind::Null => Ok(null_of(TypeKind::STRING)),
            _ => Err(self.refuse(signature)),
        }
    }

    /// The argument as a number of a kind: implicit casts between numbers, narrowing ones too where `to` is INT or BIGINT and the
    /// argument an integer; a bare NULL as NULL.
    ///
    /// # Errors
    /// User, for other types.
    pub fn number(&self, index: usize, to: TypeKind, signature: &str) -> Result<Expr, Fault> {
        let a = self.arg(index)?;
        let from = &a.data_type.kind;
        if matches!(from, TypeKind::Null) {
            return Ok(null_of(to));
        }
        let fits = if to.is_integer() { from.is_integer() } else { from.is_numeric() };
        if !fits {
            return Err(self.refuse(signature));
        }
        Ok(convert(a.clone(), to))
    }

    /// The text of a literal argument; `None` when it is not a literal or NULL.
    pub fn literal_text(&self, index: usize) -> Option<&str> {
        self.args.get(index)?.as_literal()?.as_str()
    }
}

/// A NULL of a type.
pub fn null_of(kind: TypeKind) -> Expr {
    Expr::literal(millstream_types::Value::Null, kind.nullable())
}

/// An implicit cast that is known to exist; the expression itself when it has the type already.
pub fn convert(expr: Expr, to: TypeKind) -> Expr {
    if expr.data_type.kind.same_as(&to) {
        return expr;
    }
    let nullable = expr.data_type.nullable || matches!(expr.data_type.kind, TypeKind::Null);
    let span = expr.span;
    let kind = crate::ExprKind::Cast { input: Box::new(expr), mode: CastMode::Implicit };
    Expr { kind, data_type: DataType { kind: to, nullable }, span }
}

/// The arguments, each converted to the type in which they meet.
pub fn unify(args: &[Expr]) -> Option<(Vec<Expr>, DataType)> {
    let types: Vec<DataType> = args.iter().map(|a| a.data_type.clone()).collect();
    let common = coerce::common_type(&types)?;
    Some((args.iter().map(|a| convert(a.clone(), common.kind.clone())).collect(), common))
}

impl BoundCall {
    /// A call that is immutable and cannot fail.
    pub fn new(data_type: DataType, mut args: Vec<Expr>, kernel: KernelRef) -> Self {
        // Calls live as long as their plan.
        args.shrink_to_fit();
        BoundCall { data_type, args, volatility: Volatility::Immutable, fallible: false, kernel }
    }

    /// The same call, known to fail on some values.
    #[must_use]
    pub fn fallible(mut self) -> Self {
        self.fallible = true;
        self
    }

    /// The same call with another volatility.
    #[must_use]
    pub fn volatile(mut self, volatility: Volatility) -> Self {
        self.volatility = volatility;
        self
    }
}
