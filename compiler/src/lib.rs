//! Compiles tool specs into bundles.
//!
//! ```text
//! text ─parse→ TOML ─lower→ ToolsetSpec ─check→ findings
//!                                     └─plan→ ToolPlan ─emit→ bundle bytes
//! ```

pub mod check;
pub mod cli;
pub mod clients;
#[cfg(feature = "dev")]
pub mod dev;
pub mod disk;
pub mod editor_schema;
pub mod examples;
pub mod fix;
pub mod input_schema;
pub mod inspect;
pub mod json;
pub mod keys;
pub mod keys_file;
mod language;
pub mod lint;
pub mod list_entry;
pub mod plan;
pub mod render;
pub mod schema_walk;
pub mod spec;
pub mod stand_ins;
pub mod template;
pub mod testing;
pub mod tokens;
mod toml_write;
pub mod trial;
