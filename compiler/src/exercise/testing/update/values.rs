//! Values that are there and become others.

use super::Editor;
use crate::exercise::testing::compare;
use crate::language::json::Json;
use crate::language::toml;
use crate::lint::helpers::locate;
use mcp_diagnostics::{Span, Spanned};

const NOT_IN_TOML: &str = "TOML cannot say it there; write the value as a string of JSON";

impl Editor<'_> {
    pub(super) fn replace_text(&mut self, key: &str, span: Span, text: &str) {
        let old = self.report.sources.text(span);
        let style = toml::style_after(old, self.is_in_line(span));
        let literal = toml::string(text, style, self.newline());
        self.edit(key, span, literal);
    }

    pub(super) fn body(&mut self, expected: &Spanned<Json>, actual: Option<&str>) {
        let key = "request.body";
        match (&expected.value, actual) {
            (Json::String(old), None) if old.is_empty() => {}
            (_, None) => self.stuck.push((key.into(), "the request has no body; remove it from the example")),
            (Json::String(old), Some(actual)) if old == actual => {}
            (Json::String(_), Some(actual)) => self.replace_text(key, expected.span, actual),
            (old, Some(actual)) => match Json::parse(actual) {
                Some(json) => self.json(key, expected.span, old, &json, actual),
                None if self.is_value(expected.span) => self.replace_text(key, expected.span, actual),
                None => self.stuck.push((key.into(), NOT_IN_TOML)),
            },
        }
    }

    pub(super) fn content(&mut self, expected: &Spanned<Json>, actual: Option<&Json>) {
        if compare::content_differs(&expected.value, actual).is_some() {
            self.value("content", expected, actual);
        }
    }

    pub(super) fn structured(&mut self, expected: &Spanned<Json>, actual: Option<&Json>) {
        if compare::structured_differs(&expected.value, actual).is_some() {
            self.value("structured_content", expected, actual);
        }
    }

    fn value(&mut self, key: &str, expected: &Spanned<Json>, actual: Option<&Json>) {
        match (&expected.value, actual) {
            (_, None) => {
                self.stuck.push((key.into(), "the result has none; remove it from the example"));
            }
            (Json::String(_), Some(actual)) => self.replace_text(key, expected.span, &actual.to_text()),
            (old, Some(actual)) => self.json(key, expected.span, old, actual, &actual.to_text()),
        }
    }

    /// Replaces what differs and nothing else, as far down as both have the same members. What TOML
    /// cannot say becomes the string `text`.
    fn json(&mut self, key: &str, span: Span, old: &Json, new: &Json, text: &str) {
        let mut edits = Vec::new();
        if self.members(span, span, &mut Vec::new(), old, new, &mut edits) {
            for (span, value) in edits {
                self.edits.push(mcp_diagnostics::Edit { span, text: value });
                if self.keys.last().is_none_or(|last| last != key) {
                    self.keys.push(key.to_owned());
                }
            }
        } else if self.is_value(span) {
            let style = toml::Style::Line;
            self.edit(key, span, toml::string(text, style, self.newline()));
        } else {
            self.stuck.push((key.into(), NOT_IN_TOML));
        }
    }

    /// `false` if the difference cannot be written in place.
    fn members(
        &self,
        whole: Span,
        span: Span,
        steps: &mut Vec<String>,
        old: &Json,
        new: &Json,
        edits: &mut Vec<(Span, String)>,
    ) -> bool {
        if old.same(new) {
            return true;
        }
        if let (Json::Object(olds), Json::Object(news)) = (old, new)
            && olds.len() == news.len()
            && news.iter().all(|(key, _)| old.get(key).is_some())
        {
            let before = edits.len();
            let all = olds.iter().all(|(key, value)| {
                steps.push(key.clone());
                let (sources, toolset, tool) = (&self.report.sources, self.toolset, self.tool);
                let place = locate::part(sources, toolset, tool, whole, steps);
                let new = new.get(key).unwrap_or(value);
                let done = self.members(whole, place, steps, value, new, edits);
                steps.pop();
                done
            });
            if all {
                return true;
            }
            edits.truncate(before);
        }
        if !self.is_value(span) {
            return false;
        }
        match toml::value(new) {
            Some(value) => {
                edits.push((span, value));
                true
            }
            None => false,
        }
    }

    /// Written after a `=`, and not as a table with a header or as dotted keys.
    pub(super) fn is_value(&self, span: Span) -> bool {
        let text = &self.report.sources.file(span.file).text;
        text.get(..span.start as usize).unwrap_or_default().trim_end().ends_with('=')
    }

    /// Inside an inline table, where people keep a value on one line.
    fn is_in_line(&self, span: Span) -> bool {
        let is_around = |table: Span| {
            table.start < span.start
                && span.end < table.end
                && self.report.sources.text(table).starts_with('{')
        };
        is_around(self.example.span) || self.example.request.as_ref().is_some_and(|r| is_around(r.span))
    }
}
