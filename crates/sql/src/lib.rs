//! Flink SQL text, and Blink's forms, as statements ([`ast`]). This crate must never know what a name means, a file, a
//! clock or a connector.

pub mod ast;

use millstream_types::Fault;

/// How deeply expressions, queries, types and patterns may be nested in each other.
pub const MAX_DEPTH: usize = 512;

/// All statements of a script, split at `;`, and all faults: after a fault reading goes on behind the next `;`.
pub fn parse_script(text: &str) -> (Vec<ast::SpannedStatement>, Vec<Fault>) {
    let _ = text;
    (Vec::new(), vec![Fault::not_yet("reading SQL text")])
}

/// One statement, perhaps with a `;` behind it.
pub fn parse_statement(text: &str) -> Result<ast::SpannedStatement, Fault> {
    let _ = text;
    Err(Fault::not_yet("reading SQL text"))
}

/// One expression.
pub fn parse_expression(text: &str) -> Result<ast::Expr, Fault> {
    let _ = text;
    Err(Fault::not_yet("reading SQL text"))
}

/// One type, as in a column.
pub fn parse_data_type(text: &str) -> Result<ast::TypeName, Fault> {
    let _ = text;
    Err(Fault::not_yet("reading SQL text"))
}
