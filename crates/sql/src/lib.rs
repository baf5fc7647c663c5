//! Flink SQL text, and Blink's forms, as statements ([`ast`]): the grammar and nothing else. This crate must never know
//! what a name means, whether it exists, a file, a clock or a connector.
//!
//! # Why a parser of our own
//! Most of Flink's statements are Flink's alone, and its expressions and queries differ from every dialect that a
//! general SQL library reads: reserved words, `||` as strong as `*`, window functions over tables, MATCH_RECOGNIZE,
//! hints, JSON clauses, `EMIT`, `WITHIN`. The library's tree also nests a chain of 10,000 ORs 10,000 deep, which
//! overflows the stack when it is cloned or dropped, and its tokens have lines and columns where we need byte places,
//! and do not tell `!=` from `<>`. So text is read here from the first byte: the grammar in front is Flink 2.3's
//! (documentation, "SQL", and what it accepted and refused when it was asked).
//!
//! # Depth
//! Chains (AND, OR, arithmetic, `||`, set operations, joins) are lists of any length. What is really nested counts
//! against limits ([`MAX_DEPTH`]); beyond them there is a fault, and below them every tree can be walked, cloned and dropped by
//! recursion on a thread with a stack of 2 MB.

pub mod ast;
mod keywords;
mod lexer;
mod parser;

use millstream_types::Fault;

use crate::lexer::Kind;
use crate::parser::Parser;
pub use keywords::is_reserved;
pub use parser::{check_limits, interval_type};

/// How high a tree can be: so many parentheses or operators can be in each other. Of calls 128 can, of subqueries 36, of
/// types 256.
pub const MAX_DEPTH: usize = 512;

/// All statements of a script, split at `;`, and all faults in the order of the text: after a fault reading goes on
/// behind the next `;`. An empty script has no statements and no faults.
pub fn parse_script(text: &str) -> (Vec<ast::SpannedStatement>, Vec<Fault>) {
    match Parser::new(text) {
        Ok(mut parser) => parser.script(),
        Err(fault) => (Vec::new(), vec![fault]),
    }
}

/// One statement, perhaps with a `;` behind it.
///
/// # Errors
/// The first fault; its span counts in bytes of `text`. Grammar faults have the code `parse`.
pub fn parse_statement(text: &str) -> Result<ast::SpannedStatement, Fault> {
    Parser::new(text)?.only_statement()
}

/// One expression.
///
/// # Errors
/// The first fault.
pub fn parse_expression(text: &str) -> Result<ast::Expr, Fault> {
    let mut parser = Parser::new(text)?;
    let expr = parser.expr()?;
    at_end(&parser)?;
    Ok(expr)
}

/// One type as in a column: `ROW<id INT NOT NULL, tags ARRAY<STRING>>`.
///
/// # Errors
/// The first fault: `parse`, `unknown-type` or `type-limit`.
pub fn parse_data_type(text: &str) -> Result<ast::TypeName, Fault> {
    let mut parser = Parser::new(text)?;
    let name = parser.column_type()?;
    at_end(&parser)?;
    check_limits(&name.data_type).map_err(|f| f.at(name.span))?;
    Ok(name)
}

fn at_end(parser: &Parser<'_>) -> Result<(), Fault> {
    if parser.is(Kind::End) { Ok(()) } else { Err(parser.unexpected("the end of the text")) }
}
