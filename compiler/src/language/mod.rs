//! The language of specs and `mcpc.toml`: its keys, and the texts and values that it is made of.

pub mod editor_schema;
pub mod json;
pub mod keys;
pub mod kinds;
pub mod names;
pub mod rules;
pub mod schema_walk;
pub mod selection;
pub(crate) mod toml;
pub mod variables;

use mcp_diagnostics::{Key, Language, ReadingRules, Table};
use rules::{INVALID_VALUE, KEY_GIVEN_TWICE, MISSING_KEY, TOML_SYNTAX, UNKNOWN_KEY, WRONG_TYPE};

pub static LANGUAGE: Language = Language {
    rules: ReadingRules {
        syntax: Some(&TOML_SYNTAX),
        unknown_key: Some(&UNKNOWN_KEY),
        missing_key: Some(&MISSING_KEY),
        key_given_twice: Some(&KEY_GIVEN_TWICE),
        wrong_type: Some(&WRONG_TYPE),
        invalid_value: Some(&INVALID_VALUE),
    },
    header,
    home,
    how_to_begin: "write the spec in TOML; `mcpc init` shows how one looks",
};

fn header(key: &Key) -> String {
    if key.name == "tool" { "tool".to_owned() } else { format!("tool.{}", key.name) }
}

fn home(name: &str, table: &'static Table) -> Option<String> {
    let owners = [&keys::TOOL, &keys::UPSTREAM, &keys::PARAMETER];
    let owner = owners.into_iter().find(|owner| owner.find(name).is_some())?;
    (!std::ptr::eq(owner, table)).then(|| {
        format!("`{name}` is a key of {}: move it up, before the first header of another table", owner.name)
    })
}
