//! What a check says: a value with a rule, a place and advice. Rendering is elsewhere.

use crate::rule::{Rule, Severity};
use crate::source::{Location, Sources, Span};

#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// What kind of finding it is, where kinds have codes.
    pub rule: Option<&'static Rule>,
    pub severity: Severity,
    /// One line, lower case, literals in backticks.
    pub message: String,
    pub span: Span,
    /// Stands beside the underline.
    pub label: Option<String>,
    /// Other places that explain this one.
    pub related: Vec<(Span, String)>,
    /// Why it matters.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Option<String>,
    pub fix: Option<Fix>,
    /// The source holds what nobody should see: its place is said, its text is not shown.
    pub hide_source: bool,
}

/// An edit of the file that fixes the finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub applicability: Applicability,
    pub edits: Vec<Edit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicability {
    /// `--fix` applies it: the meaning of the file stays, or was plainly meant so.
    Safe,
    /// Shown as a patch, for a person to decide.
    DisplayOnly,
}

/// Replaces the text of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

impl Diagnostic {
    /// A finding with the rule's own severity.
    pub fn new(rule: &'static Rule, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::of(Some(rule), span, message)
    }

    /// An error where kinds of findings have no codes.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::of(None, span, message)
    }

    pub fn of(rule: Option<&'static Rule>, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            rule,
            severity: rule.map_or(Severity::Error, |rule| rule.level.severity()),
            message: message.into(),
            span,
            label: None,
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
            hide_source: false,
        }
    }

    /// Whether it is a finding of this kind.
    pub fn is(&self, rule: &Rule) -> bool {
        self.rule.is_some_and(|own| own == rule)
    }

    /// Empty where kinds of findings have no codes.
    pub fn code(&self) -> &'static str {
        self.rule.map_or("", |rule| rule.code)
    }

    /// The name of its rule; empty where kinds of findings have no codes.
    pub fn name(&self) -> &'static str {
        self.rule.map_or("", |rule| rule.name)
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A help if there is one, such as a "did you mean".
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    pub fn fix(mut self, applicability: Applicability, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { applicability, edits });
        self
    }

    /// A safe fix that replaces one span.
    pub fn replace(self, span: Span, text: impl Into<String>) -> Self {
        self.fix(Applicability::Safe, vec![Edit { span, text: text.into() }])
    }

    pub fn hide_source(mut self) -> Self {
        self.hide_source = true;
        self
    }

    pub fn start(&self, sources: &Sources) -> Location {
        sources.file(self.span.file).location(self.span.start as usize)
    }

    pub fn end(&self, sources: &Sources) -> Location {
        sources.file(self.span.file).location(self.span.end as usize)
    }
}

impl Fix {
    /// The line above a patch.
    pub fn title<'d>(&self, diagnostic: &'d Diagnostic) -> &'d str {
        match (&diagnostic.help, self.applicability) {
            (Some(help), _) => help,
            (None, Applicability::Safe) => "`--fix` writes it so",
            (None, Applicability::DisplayOnly) => "it may be meant so",
        }
    }
}
