//! Lint rules: the problems of a spec.
//!
//! # Adding a rule
//!
//! 1. Write `rules/<name>.rs` with one `rule!`: a doc comment with the headings `What it does`,
//!    `Why is this bad`, `Fails` and `Passes`, a free code, a name that reads well after "allow" and names
//!    the bad pattern, a level, and a check.
//! 2. Add its `mod` line and its place in the table in `rules/mod.rs`.
//!
//! The TOML blocks under `Fails` and `Passes` are the rule's tests: each failing block must produce
//! the rule and no other error, each passing block no error at all. `mcpc explain`, `mcpc rules`,
//! `docs/rules.md` and SARIF read the table. A code is never reused, even when its rule is gone.

mod config;
mod context;
mod findings;
pub(crate) mod helpers;
pub mod rules;
#[cfg(test)]
mod testing;

pub use config::{Budget, Config, Limit, RuleLevel, read_config};
pub use context::{SetContext, ToolContext, ToolsetContext};
pub use findings::{Findings, run};

use mcp_diagnostics::Rule;

/// A rule, and how it is checked.
#[derive(Debug, Clone, Copy)]
pub struct Lint {
    /// Its code is `MCP` and four digits; the first two name the area.
    pub rule: &'static Rule,
    pub check: Check,
}

/// When a rule runs.
#[derive(Clone, Copy)]
pub enum Check {
    /// Found while reading the files; the code there reports it.
    Reading,
    Tool(fn(&ToolContext<'_>, &mut Findings<'_>)),
    Toolset(fn(&ToolsetContext<'_>, &mut Findings<'_>)),
    /// Looks at all files together.
    Set(fn(&SetContext<'_>, &mut Findings<'_>)),
}

impl Lint {
    /// A rule of [`crate::language::rules`].
    const fn of_reading(rule: &'static Rule) -> Lint {
        Lint { rule, check: Check::Reading }
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Check::Reading => "Reading",
            Check::Tool(_) => "Tool",
            Check::Toolset(_) => "Toolset",
            Check::Set(_) => "Set",
        })
    }
}

/// Declares a rule; its doc comment becomes the rule's docs.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ pub $name:ident = $code:literal, $rule:literal, $level:ident, $check:expr;) => {
        $crate::language::rules::rule! {
            $(#[doc = $doc])+
            pub $name = $code, $rule, $level;
        }

        pub(super) const LINT: $crate::lint::Lint = $crate::lint::Lint { rule: &$name, check: $check };
    };
}
pub(crate) use rule;
