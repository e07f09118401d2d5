//! The Go dialect: the grammar, scoping and trimming of Go's `text/template`, over JSON values.
//!
//! The lexer and the parser refuse what Go refuses when it parses. They also refuse what Go would only find while
//! rendering and could never render: a wrong number of arguments, an assignment to an undeclared variable, `nil`
//! as a command, arguments to something that is not a function, a definition that uses itself.

pub mod ast;
mod binding;
#[cfg(test)]
mod corpus;
mod cursor;
mod definitions;
pub mod functions;
pub mod gjson;
mod lexer;
mod literal;
mod parser;
mod pipeline;
mod reads;
mod scope;
mod token;

pub use literal::Number;
pub use parser::parse;
