//! Runs the rules and keeps what they find, minus what the spec or `mcpc.toml` allows.

use super::context::{SetContext, ToolContext, ToolsetContext};
use super::rules::{ALLOW_WITHOUT_REASON, INVALID_ALLOW, UNKNOWN_RULE, UNUSED_ALLOW};
use super::{Check, rules};
use crate::checked::{CheckedTool, CheckedToolset};
use crate::lint::helpers::reach::Reach;
use crate::lint::{Config, RuleLevel};
use crate::publish::tokens;
use crate::spec::Allow;
use mcp_diagnostics::{Diagnostic, Level, Severity, Sources, suggest};
use std::ops::Range;

/// Collects findings.
#[derive(Debug)]
pub struct Findings<'a> {
    config: &'a Config,
    /// The allows of the current file.
    allows: Vec<ScopedAllow<'a>>,
    /// The tool that is being checked.
    current: Option<usize>,
    diagnostics: Vec<Diagnostic>,
}

/// An `allow`, its scope, and whether it was needed.
#[derive(Debug)]
struct ScopedAllow<'a> {
    allow: &'a Allow,
    /// The tool it belongs to, with its part of the file; `None` for the whole file.
    tool: Option<(usize, Range<u32>)>,
    used: bool,
}

impl ScopedAllow<'_> {
    fn covers(&self, diagnostic: &Diagnostic, current: Option<usize>) -> bool {
        let named = &self.allow.rule.value;
        let same_rule = rules::find(named).is_some_and(|rule| diagnostic.is(rule));
        let span = diagnostic.span;
        same_rule
            && self.tool.as_ref().is_none_or(|(tool, part)| {
                // Some rules look at a whole file. Findings in a tool's part belong to the tool.
                current == Some(*tool)
                    || (current.is_none() && span.file == self.allow.span.file && part.contains(&span.start))
            })
    }
}

impl Findings<'_> {
    pub fn report(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.rule.is_some_and(|rule| rule.level != Level::HardError) {
            let current = self.current;
            // The tool's own come last, so an allow of the file is unused if each tool repeats it.
            let covering = self.allows.iter_mut().rev().find(|allow| allow.covers(&diagnostic, current));
            if let Some(allow) = covering {
                allow.used = true;
                return;
            }
        }
        match self.config.levels.get(diagnostic.name()) {
            Some(RuleLevel::Allow) => return,
            Some(RuleLevel::Warn) => diagnostic.severity = Severity::Warning,
            Some(RuleLevel::Error) => diagnostic.severity = Severity::Error,
            None => {}
        }
        self.diagnostics.push(diagnostic);
    }
}

/// Runs all rules over all files.
pub fn run(sources: &Sources, config: &Config, toolsets: &[CheckedToolset]) -> Vec<Diagnostic> {
    let mut findings = Findings { config, allows: Vec::new(), current: None, diagnostics: Vec::new() };
    let mut total = 0;
    let reach = &Reach::of(toolsets);
    for toolset in toolsets {
        findings.allows = allows(toolset);
        let context = ToolsetContext { sources, config, toolset, reach };
        // What a misshapen part seems to lack may be in it: rules would report what only follows
        // from it.
        let misshapen = toolset.misshapen || toolset.tools.iter().any(|tool| tool.misshapen);
        for lint in rules::LINTS {
            if let (Check::Toolset(check), false) = (lint.check, misshapen) {
                check(&context, &mut findings);
            }
        }
        for (index, tool) in toolset.tools.iter().enumerate().filter(|(_, tool)| !tool.misshapen) {
            findings.current = Some(index);
            total += tool_rules(sources, config, toolset, tool, &mut findings);
        }
        findings.current = None;
        if misshapen {
            findings.allows.clear();
        }
        findings.check_allows();
    }
    let context = SetContext { sources, config, toolsets, tokens: total };
    for lint in rules::LINTS {
        if let Check::Set(check) = lint.check {
            check(&context, &mut findings);
        }
    }
    findings.diagnostics
}

/// All allows of a file, those of the file itself first.
fn allows(toolset: &CheckedToolset) -> Vec<ScopedAllow<'_>> {
    let of_file = toolset.allows.iter().map(|allow| ScopedAllow { allow, tool: None, used: false });
    let starts = toolset.tools.iter().skip(1).map(|tool| tool.span.start).chain([u32::MAX]);
    let of_tools = toolset.tools.iter().zip(starts).enumerate().flat_map(|(index, (tool, end))| {
        let part = tool.span.start..end;
        tool.allows.iter().map(move |allow| ScopedAllow {
            allow,
            tool: Some((index, part.clone())),
            used: false,
        })
    });
    of_file.chain(of_tools).collect()
}

/// Runs the rules of one tool and returns its tokens.
fn tool_rules(
    sources: &Sources,
    config: &Config,
    toolset: &CheckedToolset,
    tool: &CheckedTool,
    findings: &mut Findings<'_>,
) -> usize {
    let tokens = tokens::estimate(&tool.list_entry().newest());
    let upstream =
        tool.upstream.as_ref().and_then(|name| toolset.upstreams.iter().find(|u| u.name.value == name.value));
    let context = ToolContext { sources, config, toolset, tool, upstream, tokens };
    for lint in rules::LINTS {
        if let Check::Tool(check) = lint.check {
            check(&context, findings);
        }
    }
    tokens
}

impl Findings<'_> {
    /// Reports allows with an unknown rule, without a reason, or without an effect.
    fn check_allows(&mut self) {
        for ScopedAllow { allow, used, .. } in std::mem::take(&mut self.allows) {
            let name = &allow.rule.value;
            let Some(rule) = rules::find(name) else {
                self.report(
                    Diagnostic::new(&UNKNOWN_RULE, allow.rule.span, format!("there is no rule `{name}`"))
                        .note("`mcpc rules` lists all rules")
                        .maybe_help(suggest::did_you_mean(name, rules::names())),
                );
                continue;
            };
            if let Some(reason) = allow.reason.as_ref().filter(|r| r.value.trim().is_empty()) {
                let message = format!("allowing `{name}` needs a reason");
                self.report(
                    Diagnostic::new(&ALLOW_WITHOUT_REASON, reason.span, message)
                        .help("explain why the rule does not apply here"),
                );
            }
            if rule.level == Level::HardError {
                let message = format!("`{name}` is always an error and cannot be allowed");
                self.report(Diagnostic::new(&INVALID_ALLOW, allow.rule.span, message));
            } else if !used {
                let message = format!("`{name}` finds nothing here, so there is nothing to allow");
                self.report(Diagnostic::new(&UNUSED_ALLOW, allow.span, message).help("remove it"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::{MemoryFiles, check_files};

    fn found(toolset: &str, first: &str, second: &str) -> Vec<&'static str> {
        let tool = |name: &str, extra: &str| {
            format!(
                "[[tool]]\nname = \"{name}\"\ndescription = \"Gets the time of day.\"\nmethod = \"GET\"\n\
                 endpoint = \"http://api.example.com/{name}\"\n{extra}\n[[tool.examples]]\narguments = {{}}\n"
            )
        };
        let spec = format!("{toolset}\n{}{}", tool("a", first), tool("b", second));
        check_files(&MemoryFiles::one("spec.toml", &spec)).diagnostics.iter().map(|d| d.name()).collect()
    }

    const ALLOW: &str = "allow = [{ rule = \"plaintext-http\", reason = \"a test\" }]";

    // `plaintext-http` looks at a file as a whole.
    #[test]
    fn a_tool_allows_for_itself_alone() {
        assert_eq!(found("", "", ""), ["plaintext-http", "plaintext-http"]);
        assert_eq!(found("", ALLOW, ""), ["plaintext-http"]);
        assert_eq!(found("", ALLOW, ALLOW), [""; 0]);
    }

    #[test]
    fn a_file_allows_for_all_its_tools() {
        assert_eq!(found(&format!("[toolset]\n{ALLOW}"), "", ""), [""; 0]);
    }

    #[test]
    fn a_rule_can_be_allowed_by_its_code() {
        let by_code = ALLOW.replace("plaintext-http", "MCP0212");
        assert_eq!(found("", &by_code, &by_code), [""; 0]);
    }
}
