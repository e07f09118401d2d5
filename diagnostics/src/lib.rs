//! Files that people write: reads them, and says what is wrong with them and how to fix it.
//!
//! Tool specs, `mcpc.toml` and `edge.toml` are TOML in different [languages](Language). A language is a few tables of
//! [keys]; [`Reading`] reads a file by them. It never fails: it returns what could be understood, and a [`Diagnostic`]
//! for the rest, which [`human`] shows with its source. Nothing there knows what a key means. Two small files of others are
//! read here too, because both programs take them: [`env_file`]s and [`mcp_servers`] files.

pub mod diagnostic;
pub mod env_file;
pub mod human;
pub mod keys;
pub mod literal;
pub mod mcp_servers;
pub mod problems;
pub mod reading;
pub mod rule;
pub mod size;
pub mod source;
pub mod stamp;
pub mod suggest;
pub mod toml_tree;
pub mod visible;

pub use diagnostic::{Applicability, Diagnostic, Edit, Fix};
pub use env_file::EnvFile;
pub use keys::{Key, Shape, Table};
pub use problems::Problems;
pub use reading::{Fields, Language, Reading, ReadingRules};
pub use rule::{Level, Rule, Severity};
pub use source::{FileId, Location, SourceFile, Sources, Span, Spanned};
pub use stamp::Stamp;
