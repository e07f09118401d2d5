//! Edits of specs. Each is a patch: what it is not about stays as it was, byte for byte.
//!
//! Nothing here writes: an [`Edit`] holds the texts before and after.

mod example;
mod fix;
mod hidden;
mod line_ends;
mod text;
mod tree;

pub use example::{NewExample, NewResponse, example};
pub use fix::{fix, fix_all};
pub use line_ends::with_line_ends;
pub use text::{text, with_server_value, with_value};
pub use tree::{extent, line_end};

use super::changes::Edit;
use super::error::ApiError;
use mcp_diagnostics::toml_tree;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// A text in place of a part of another one.
pub type Patch = (Range<usize>, String);

/// The text with its patches; `None` if they overlap or lie outside it.
pub fn patched(text: &str, mut patches: Vec<Patch>) -> Option<String> {
    patches.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (range, new) in &patches {
        out.push_str(text.get(at..range.start)?);
        out.push_str(new);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// The same for a file of TOML that must stay one.
pub fn patched_toml(path: &str, text: &str, patches: Vec<Patch>) -> Result<String, ApiError> {
    let new = patched(text, patches);
    let new = new.filter(|new| toml_tree::is_toml(new) || !toml_tree::is_toml(text));
    new.ok_or_else(|| {
        ApiError::not_possible(format!("`{path}` would no longer be readable; change it by hand"))
    })
}
