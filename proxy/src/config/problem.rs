//! What is wrong with a configuration, and how people are told.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fmt::Write;
use std::ops::Range;

/// One mistake, with its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the file; `None` is the file as a whole.
    pub span: Option<Range<usize>>,
    pub message: String,
    pub help: Option<String>,
    /// The line holds what nobody should see, so it is not shown.
    pub hide_line: bool,
}

/// All mistakes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    /// As people wrote it.
    pub file: String,
    pub text: String,
    /// In the order of the file.
    pub list: Vec<Problem>,
}

impl Problem {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem { span: Some(span), message: message.into(), help: None, hide_line: false }
    }

    pub fn of_file(message: impl Into<String>) -> Problem {
        Problem { span: None, message: message.into(), help: None, hide_line: false }
    }

    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    pub fn maybe_help(mut self, help: Option<String>) -> Problem {
        self.help = help;
        self
    }

    pub fn hide_line(mut self) -> Problem {
        self.hide_line = true;
        self
    }
}

/// All of them on one line, for logs and answers.
impl std::fmt::Display for Problems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{}", shown(&self.file))?;
            if let Some(span) = &problem.span {
                let (line, column) = self.place(span.start);
                write!(f, ":{line}:{column}")?;
            }
            write!(f, ": {}", shown(&problem.message))?;
            if let Some(help) = &problem.help {
                write!(f, " ({})", shown(help))?;
            }
        }
        Ok(())
    }
}

impl Problems {
    /// Line and column, as people count.
    fn place(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or_default();
        (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1)
    }

    /// The way `rustc` shows them.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let source = shown(&self.text);
        let mut out = String::new();
        for problem in &self.list {
            let group = self.group(problem, &source);
            let _ = writeln!(out, "{}\n", renderer.render(&[group]));
        }
        let count = self.list.len();
        let noun = if count == 1 { "error" } else { "errors" };
        let summary = format!("`{}` has {count} {noun}", shown(&self.file));
        let title = Level::ERROR.primary_title(summary);
        let _ = writeln!(out, "{}", renderer.render(&[Group::with_title(title)]));
        out
    }

    fn group<'a>(&self, problem: &Problem, source: &'a str) -> Group<'a> {
        let mut group = Group::with_title(Level::ERROR.primary_title(shown(&problem.message)));
        let name = shown(&self.file);
        group = match &problem.span {
            Some(span) if problem.hide_line => {
                let (line, column) = self.place(span.start);
                group.element(Origin::path(name).line(line).char_column(column))
            }
            Some(span) => {
                let end = span.end.min(source.len());
                let start = span.start.min(end);
                let annotation = AnnotationKind::Primary.span(start..end);
                group.element(Snippet::source(source).path(name).annotation(annotation))
            }
            None => group.element(Origin::path(name)),
        };
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(shown(help)));
        }
        group
    }
}

/// The text without anything that steers a terminal. Each character keeps its length in bytes, so that spans stay right.
fn shown(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        '\0'..='\u{1f}' | '\u{7f}' => '?',
        '\u{80}'..='\u{9f}' | '\u{61c}' => '\u{b7}',
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
            char::REPLACEMENT_CHARACTER
        }
        '\u{e0000}'..='\u{e007f}' => '\u{10ffff}',
        c => c,
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_file_steers_the_terminal_and_spans_stay() {
        let hostile = "a = \"\u{1b}[31m\u{9b}\u{202e}\u{e0041}\"\r\n";
        let safe = shown(hostile);
        assert_eq!(safe.len(), hostile.len());
        assert!(!safe.contains('\u{1b}') && !safe.contains('\u{202e}'));
    }

    #[test]
    fn a_line_with_something_secret_is_not_shown() {
        let problem = Problem::new(6..12, "it is a secret").hide_line();
        let problems =
            Problems { file: "edge.toml".into(), text: "key = secret".into(), list: vec![problem] };
        let text = problems.render(false);
        assert!(text.contains("edge.toml:1:7") && !text.contains("key = secret"), "{text}");
    }
}
