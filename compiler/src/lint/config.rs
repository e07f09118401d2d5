//! `mcpc.toml`: settings of a folder of specs.

use super::rules::{self, INVALID_RULE_LEVEL, UNKNOWN_CLIENT, UNKNOWN_RULE};
use crate::diff::semver::{NotAVersion, Version};
use crate::files::glob;
use crate::language::LANGUAGE;
use crate::language::keys;
use crate::language::rules::INVALID_VALUE;
use mcp_diagnostics::{Diagnostic, FileId, Level, Reading, Severity, Sources, Span, Spanned, suggest};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct Config {
    pub version: Option<Version>,
    pub bundle_name: Option<String>,
    pub budget: Budget,
    /// By rule name.
    pub levels: BTreeMap<&'static str, RuleLevel>,
    /// Names of client profiles; empty means all.
    pub clients: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLevel {
    Allow,
    Warn,
    Error,
}

/// What tools may cost.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub tool_tokens: Limit,
    pub list_tokens: Limit,
    /// None unless it is set.
    pub toolset_tokens: Option<Limit>,
    pub result_bytes: Option<Limit>,
}

/// A budget. One that somebody set is a promise, so breaking it is an error; a default only warns.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub most: usize,
    pub is_set: bool,
}

impl Default for Budget {
    fn default() -> Self {
        let limit = |most| Limit { most, is_set: false };
        Budget {
            tool_tokens: limit(1_000),
            list_tokens: limit(20_000),
            toolset_tokens: None,
            result_bytes: None,
        }
    }
}

impl Limit {
    /// A finding about it, as grave as it is meant.
    pub fn broken(self, diagnostic: Diagnostic) -> Diagnostic {
        let severity = if self.is_set { Severity::Error } else { diagnostic.severity };
        Diagnostic { severity, ..diagnostic }
    }
}

/// Reads `mcpc.toml`. Whatever is wrong with it is reported and left out.
pub fn read_config(sources: &Sources, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Config {
    let text = &sources.file(file).text;
    let mut reading = Reading { language: &LANGUAGE, file, text, diagnostics };
    let Some(root) = reading.parse() else {
        return Config::default();
    };
    let fields = reading.fields(&keys::CONFIG, &root, Span::whole_file(file));
    let mut config = Config::default();
    if let Some(version) = fields.text("version") {
        match version.value.parse() {
            Ok(version) => config.version = Some(version),
            Err(NotAVersion) => {
                let message = format!("`{}` is not a version", version.value);
                reading.report(
                    Diagnostic::new(&INVALID_VALUE, version.span, message)
                        .help("write three numbers without leading zeros, such as `1.4.0`"),
                );
            }
        }
    }
    if let Some((table, span)) = fields.table("bundle") {
        let bundle = reading.fields(&keys::CONFIG_BUNDLE, table, span);
        config.bundle_name = bundle.text("name").map(|name| name.value);
    }
    if let Some((table, span)) = fields.table("budget") {
        let budget = reading.fields(&keys::CONFIG_BUDGET, table, span);
        let limit = |key| budget.integer::<usize>(key).map(|most| Limit { most: most.value, is_set: true });
        let default = Budget::default();
        config.budget = Budget {
            tool_tokens: limit("tool_tokens").unwrap_or(default.tool_tokens),
            list_tokens: limit("list_tokens").unwrap_or(default.list_tokens),
            toolset_tokens: limit("toolset_tokens"),
            result_bytes: limit("result_bytes"),
        };
    }
    for (name, level) in fields.text_map("rules") {
        if let Some((rule, level)) = rule_level(&mut reading, &name, &level) {
            config.levels.insert(rule, level);
        }
    }
    // The search for specs has read them already.
    for pattern in fields.texts("exclude") {
        if let Some(why) = glob::problem(&pattern.value) {
            let message = format!("`{}` is not a pattern: {why}", pattern.value);
            reading.report(Diagnostic::new(&INVALID_VALUE, pattern.span, message));
        }
    }
    for client in fields.texts("clients") {
        let known = crate::publish::clients::PROFILES.iter().map(|profile| profile.name);
        if known.clone().any(|name| name == client.value) {
            config.clients.push(client.value);
        } else {
            reading.report(
                Diagnostic::new(
                    &UNKNOWN_CLIENT,
                    client.span,
                    format!("there is no client profile `{}`", client.value),
                )
                .note(format!("the profiles are {}", suggest::one_of(known.clone())))
                .maybe_help(suggest::did_you_mean(&client.value, known)),
            );
        }
    }
    config
}

fn rule_level(
    reading: &mut Reading<'_>,
    name: &Spanned<String>,
    level: &Spanned<String>,
) -> Option<(&'static str, RuleLevel)> {
    let Some(rule) = rules::find(&name.value) else {
        reading.report(
            Diagnostic::new(&UNKNOWN_RULE, name.span, format!("there is no rule `{}`", name.value))
                .note("`mcpc rules` lists all rules")
                .maybe_help(suggest::did_you_mean(&name.value, rules::names())),
        );
        return None;
    };
    let wanted = match level.value.as_str() {
        "allow" => RuleLevel::Allow,
        "warn" => RuleLevel::Warn,
        "error" => RuleLevel::Error,
        other => {
            let message =
                format!("`{other}` is not a level; write {}", suggest::one_of(keys::LEVELS.iter().copied()));
            reading.report(Diagnostic::new(&INVALID_RULE_LEVEL, level.span, message));
            return None;
        }
    };
    if rule.level == Level::HardError && wanted != RuleLevel::Error {
        let message = format!("`{}` is always an error", rule.name);
        reading.report(
            Diagnostic::new(&INVALID_RULE_LEVEL, level.span, message)
                .note("a spec with this mistake has no meaning that could be built"),
        );
        return None;
    }
    Some((rule.name, wanted))
}
