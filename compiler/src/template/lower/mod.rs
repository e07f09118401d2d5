//! From the trees of both dialects to programs.
//!
//! [`go`] and [`handlebars`] walk their trees and drive [`code`]. On the way, [`shape`] records
//! what is read by name. [`finish`] then makes the flat tables. The parsers limit how deep blocks
//! and parentheses nest, so the walks may recurse; everything else that can be long is a loop.

mod code;
mod finish;
mod go;
mod go_pipe;
mod go_variables;
mod handlebars;
pub(crate) mod listing;
mod number;
mod reach;
mod shape;
#[cfg(test)]
#[expect(clippy::string_slice, reason = "a span that cuts a character fails the test")]
mod table_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod verify;

use super::{Compiled, Dialect, TemplateError, go as go_dialect, handlebars as handlebars_dialect};

pub(super) fn go(source: &str, template: &go_dialect::ast::Template) -> Result<Compiled, Vec<TemplateError>> {
    finish::finish(go::lower(template), Dialect::Go, source, template.reads_data())
}

pub(super) fn handlebars(
    source: &str,
    template: &handlebars_dialect::ast::Template,
) -> Result<Compiled, Vec<TemplateError>> {
    finish::finish(handlebars::lower(template), Dialect::Handlebars, source, template.reads_data())
}
