//! What clients see of a tool: its entry in `tools/list`, the schema of its arguments, and what
//! both cost.

pub mod bundle_view;
pub mod clients;
pub mod exact_tokens;
pub mod input_schema;
pub mod limits_view;
pub mod list_entry;
pub mod output_schema;
pub mod pinned;
pub mod result_size;
pub mod secrets_view;
pub mod tokens;
