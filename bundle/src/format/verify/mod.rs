//! The check after decoding, so that the server of a bundle can trust its plans.
//!
//! Decoding proves only that the bytes have the right shape. This proves that every index is in
//! range, everything sorted is sorted, and no literal can break out of its place. It does not
//! compile any pattern, schema or template: the compiler already has, and the proxy does when one
//! is first needed.
//!
//! One pass, and nothing in it is quadratic, whatever a bundle repeats (see [`scan`]). A rule is a few lines in the file of its subject; each has
//! a failing case in `tests/format/rules.rs` or `requests.rs`.

mod body;
mod checks;
mod credentials;
mod limits;
mod list;
mod mcp;
mod request;
mod scan;
mod shared;
mod template;
mod text;
mod tool;

use crate::plan::{Contents, ToolPlan};
use crate::strings::Strings;
pub(super) use shared::quote;
use std::fmt;
use thiserror::Error;

/// Something in a bundle that a proxy could not trust.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{subject}: {problem}")]
pub struct Invalid {
    pub subject: Subject,
    /// On one line, without a final period.
    pub problem: String,
}

/// What an [`Invalid`] is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Bundle,
    Manifest,
    /// By index.
    Upstream(usize),
    /// By index.
    Policy(usize),
    /// By index.
    Template(usize),
    /// By index.
    Credential(usize),
    /// By index.
    Server(usize),
    /// By name; by index, as `#7`, where the name itself is missing.
    Tool(String),
    /// By the name of its tool.
    ListEntry(String),
}

/// Checks the tools of a bundle one by one, in their order, against what they share.
///
/// Apart from [`verify`] so that a reader can check a plan while it is still in the cache.
pub(super) struct ToolVerifier<'a> {
    tools: tool::Verifier<'a>,
    strings: &'a Strings,
    next: usize,
}

/// Checks what decoding cannot.
pub fn verify(contents: &Contents) -> Result<(), Box<Invalid>> {
    verify_shared(contents)?;
    let mut verifier = ToolVerifier::new(contents);
    contents.tools.iter().try_for_each(|tool| verifier.check(tool))?;
    verify_lists_of_tools(contents)?;
    verify_list(contents)
}

/// Checks what all tools share.
pub(super) fn verify_shared(contents: &Contents) -> Result<(), Box<Invalid>> {
    let strings = &contents.strings;
    shared::manifest(contents).map_err(at(Subject::Manifest))?;
    for (index, upstream) in contents.upstreams.iter().enumerate() {
        shared::upstream(contents, upstream).map_err(at(Subject::Upstream(index)))?;
    }
    for (index, policy) in contents.policies.iter().enumerate() {
        shared::policy(strings, policy).map_err(at(Subject::Policy(index)))?;
    }
    limits::upstreams(contents).map_err(at(Subject::Bundle))?;
    template::programs(contents)?;
    credentials::credentials(contents)?;
    mcp::servers(contents)
}

/// Checks what is listed by the index of a tool, for which all of them are needed.
pub(super) fn verify_lists_of_tools(contents: &Contents) -> Result<(), Box<Invalid>> {
    limits::tools(contents).map_err(at(Subject::Bundle))?;
    lenient(contents).map_err(at(Subject::Bundle))
}

fn lenient(contents: &Contents) -> shared::Checked {
    limits::ascending(contents.lenient.iter().copied(), "lenient tool")?;
    contents.lenient.iter().try_for_each(|tool| shared::index(*tool, contents.tools.len(), "lenient tool"))
}

/// Checks that the list fits the tools.
pub(super) fn verify_list(contents: &Contents) -> Result<(), Box<Invalid>> {
    list::counts(contents).map_err(at(Subject::Bundle))?;
    let mut scanner = scan::Scanner::new(&contents.strings);
    for (entry, tool) in contents.list.iter().zip(&contents.tools) {
        list::entry(&mut scanner, entry)
            .map_err(|problem| at(Subject::ListEntry(contents.strings.get(tool.name).to_owned()))(problem))?;
    }
    Ok(())
}

impl<'a> ToolVerifier<'a> {
    /// `contents` need not hold the tools yet.
    pub(super) fn new(contents: &'a Contents) -> ToolVerifier<'a> {
        ToolVerifier { tools: tool::Verifier::new(contents), strings: &contents.strings, next: 0 }
    }

    /// Checks the next tool.
    pub(super) fn check(&mut self, tool: &ToolPlan) -> Result<(), Box<Invalid>> {
        let index = self.next;
        self.next += 1;
        self.tools.tool(tool).map_err(|problem| {
            let name = self.strings.find(tool.name).map_or_else(|| format!("#{index}"), str::to_owned);
            at(Subject::Tool(name))(problem)
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Bundle => f.write_str("bundle"),
            Subject::Manifest => f.write_str("manifest"),
            Subject::Upstream(index) => write!(f, "upstream {index}"),
            Subject::Policy(index) => write!(f, "policy {index}"),
            Subject::Template(index) => write!(f, "template {index}"),
            Subject::Credential(index) => write!(f, "credential {index}"),
            Subject::Server(index) => write!(f, "MCP server {index}"),
            Subject::Tool(name) => write!(f, "tool {}", quote(name)),
            Subject::ListEntry(name) => write!(f, "list entry of tool {}", quote(name)),
        }
    }
}

fn at(subject: Subject) -> impl FnOnce(String) -> Box<Invalid> {
    move |problem| Box::new(Invalid { subject, problem })
}
