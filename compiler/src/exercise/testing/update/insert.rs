//! Keys that an example gets.

use super::Editor;
use crate::exercise::testing::ActualRequest;
use crate::language::json::Json;
use crate::language::toml::{self, Style};
use crate::lint::helpers::insert;
use mcp_diagnostics::Span;

impl Editor<'_> {
    /// Method, URL and body. Headers are left out: most of them are the upstream's and the same for
    /// each call.
    pub(super) fn insert_request(&mut self, actual: &ActualRequest) {
        let line = |text: &str| toml::string(text, Style::Line, "\n");
        let parts =
            [("method", actual.method), ("url", actual.url.as_deref()), ("body", actual.body.as_deref())];
        let parts = parts.into_iter().filter_map(|(key, text)| Some(format!("{key} = {}", line(text?))));
        let value = format!("{{ {} }}", parts.collect::<Vec<_>>().join(", "));
        let example = self.example;
        let before = [example.arguments.as_ref().map(|a| a.span), example.title.as_ref().map(|t| t.span)];
        self.insert("request", &before, &value);
    }

    pub(super) fn insert_text(&mut self, text: &str) {
        let inline = self.is_inline();
        let style = if inline { Style::Line } else { Style::Lines };
        let value = toml::string(text, style, self.newline());
        self.insert_result("text", &value);
    }

    /// As a string of JSON: a list of tables is more than a line.
    pub(super) fn insert_content(&mut self, content: &Json) {
        let value = toml::string(&content.to_text(), Style::Line, "\n");
        self.insert_result("content", &value);
    }

    fn insert_result(&mut self, key: &str, value: &str) {
        let example = self.example;
        let before = [
            example.response.as_ref().map(|r| r.span),
            example.request.as_ref().map(|r| r.span),
            example.arguments.as_ref().map(|a| a.span),
            example.title.as_ref().map(|t| t.span),
        ];
        self.insert(key, &before, value);
    }

    /// Adds a key after the first of `before` that is written as one, or else where the example
    /// begins.
    fn insert(&mut self, key: &str, before: &[Option<Span>], value: &str) {
        let sources = &self.report.sources;
        let after = before.iter().flatten().find(|span| self.is_value(**span));
        let edit = match after {
            Some(after) => insert::after(sources, self.example.span, *after, key, value),
            None if self.is_inline() => {
                let span = Span {
                    start: self.example.span.start + 1,
                    end: self.example.span.start + 1,
                    ..self.example.span
                };
                Some((span, format!(" {key} = {value},")))
            }
            None => self.below_header(key, value),
        };
        match edit {
            Some((span, text)) => self.edit(key, span, text),
            None => self.stuck.push((key.to_owned(), "there is no place for it; add it by hand")),
        }
    }

    fn below_header(&self, key: &str, value: &str) -> Option<(Span, String)> {
        let header = self.example.span;
        let text = &self.report.sources.file(header.file).text;
        let rest = text.get(header.end as usize..)?.split('\n').next()?.trim_end_matches('\r');
        let end = header.end as usize + rest.len();
        let before = text.get(..header.start as usize)?;
        let indent = before.rsplit('\n').next().filter(|indent| indent.trim().is_empty()).unwrap_or_default();
        Some((Span::new(header.file, end..end), format!("{}{indent}{key} = {value}", self.newline())))
    }

    fn is_inline(&self) -> bool {
        self.report.sources.text(self.example.span).starts_with('{')
    }
}
