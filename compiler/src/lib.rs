//! Compiles tool specs into bundles.
//!
//! ```text
//! text ─parse→ TOML ─lower→ ToolSpec ─compile→ CheckedTool ─lint→ findings
//!                                                   └─plan→ ToolPlan ─write→ bundle bytes
//! ```

pub mod check;
pub mod checked;
pub mod cli;
#[cfg(feature = "dev")]
pub mod dev;
pub mod diff;
pub mod exercise;
pub mod files;
pub mod fix;
pub mod import;
pub mod language;
pub mod lint;
pub mod plan;
pub mod publish;
pub mod render;
#[cfg(feature = "dev")]
pub mod servers;
pub mod spec;
pub mod stats;
#[cfg(feature = "dev")]
pub mod studio;
pub mod template;
