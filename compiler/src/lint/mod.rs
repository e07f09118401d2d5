//! Lint rules: what can be wrong with a spec.
//!
//! # Adding a rule
//!
//! 1. Write `rules/<name>.rs` with one `rule!`: a doc comment with the headings `What it does`,
//!    `Why is this bad`, `Fails` and `Passes`, a free code, a name that reads well after "allow" and names
//!    the bad pattern, a level, and a check.
//! 2. Add its `mod` line and its place in the table in `rules/mod.rs`.
//!
//! The TOML blocks under `Fails` and `Passes` are the rule's tests: each failing block must produce the
//! rule and no other error, each passing block no error at all. `mcpc explain`, `mcpc rules`, `docs/rules.md` and SARIF
//! read the table. A code is never reused, even when its rule is gone.

mod allowed;
mod answer;
mod context;
mod findings;
mod headers;
mod html;
pub(crate) mod insert;
pub(crate) mod locate;
mod names;
mod nested;
mod phrases;
mod placeholders;
mod published;
pub mod rules;
mod schema_shape;
mod schemas;
mod secrets;
mod templates;
#[cfg(test)]
mod testing;
mod urls;
mod values;

pub use context::{SetContext, ToolContext, ToolsetContext};
pub use findings::{Findings, run};

use crate::diagnostic::Severity;

/// A kind of finding.
#[derive(Debug)]
pub struct Rule {
    /// `MCP` and four digits; the first two name the area.
    pub code: &'static str,
    pub name: &'static str,
    pub level: Level,
    /// Markdown, with the headings that `lint` prescribes.
    pub docs: &'static str,
    pub check: Check,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// An error that no setting can lower: the spec has no meaning, or no safe one.
    HardError,
    /// An error that a tool may allow for itself, with a reason.
    Error,
    Warning,
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

impl Level {
    pub fn severity(self) -> Severity {
        match self {
            Level::HardError | Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
        }
    }
}

impl Level {
    /// As tables show it.
    pub fn word(self) -> &'static str {
        match self.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
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

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.code == other.code
    }
}

impl Rule {
    /// The docs without the blank that a doc comment leaves before each line.
    pub fn text(&self) -> String {
        self.docs.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
    }

    /// The first paragraph under `What it does`.
    pub fn summary(&self) -> String {
        let text = self.section("What it does").unwrap_or_default();
        let paragraph = text.split("\n\n").next().unwrap_or_default();
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The text under a heading.
    pub fn section(&self, heading: &str) -> Option<String> {
        let text = self.text();
        let start = text.find(&format!("## {heading}\n"))?;
        let body = text.get(start..)?.split_once('\n')?.1;
        let end = body.find("\n## ").unwrap_or(body.len());
        body.get(..end).map(|body| body.trim().to_owned())
    }
}

/// Declares a rule; its doc comment becomes the rule's docs.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ pub $name:ident = $code:literal, $rule:literal, $level:ident, $check:expr;) => {
        $(#[doc = $doc])+
        pub static $name: $crate::lint::Rule = $crate::lint::Rule {
            code: $code,
            name: $rule,
            level: $crate::lint::Level::$level,
            docs: concat!($($doc, "\n"),+),
            check: $check,
        };
    };
}
pub(crate) use rule;
