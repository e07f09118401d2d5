//! Updates examples to match actual results.
//!
//! Text that no edit touches stays as it was, byte for byte. The caller writes the files.

mod insert;
mod values;

use super::{ActualRequest, ActualResult, Results, Test, compare};
use crate::check::Report;
use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::json::Json;
use crate::spec::ExampleSpec;
use mcp_diagnostics::{Edit, FileId, Span, toml_tree};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Updates {
    pub files: Vec<FileUpdate>,
    /// What a person has to do.
    pub stuck: Vec<Stuck>,
}

/// The new text of a file.
#[derive(Debug)]
pub struct FileUpdate {
    pub name: String,
    pub text: String,
    pub changes: Vec<Change>,
}

/// The keys of one example that get another value.
#[derive(Debug)]
pub struct Change {
    pub label: String,
    pub span: Span,
    /// Where the example begins in the new text.
    pub line: usize,
    pub keys: Vec<String>,
}

#[derive(Debug)]
pub struct Stuck {
    pub label: String,
    pub span: Span,
    pub what: String,
    pub why: &'static str,
}

/// All edits that make the examples match.
pub fn updates(report: &Report, results: &Results) -> Updates {
    let mut updates = Updates::default();
    let mut files: BTreeMap<FileId, (Vec<Edit>, Vec<Change>)> = BTreeMap::new();
    for test in &results.tests {
        let Some((toolset, tool, example)) = spec_of(report, test) else { continue };
        let mut editor =
            Editor { report, toolset, tool, example, edits: Vec::new(), keys: Vec::new(), stuck: Vec::new() };
        if let Some(request) = &test.actual.request {
            editor.request(request);
        }
        if let Some(result) = &test.actual.result {
            editor.result(result);
        }
        let Editor { edits, keys, stuck, .. } = editor;
        updates.stuck.extend(stuck.into_iter().map(|(what, why)| Stuck {
            label: test.label(),
            span: test.span,
            what,
            why,
        }));
        if !edits.is_empty() {
            let file = files.entry(test.span.file).or_default();
            file.0.extend(edits);
            file.1.push(Change { label: test.label(), span: test.span, line: 0, keys });
        }
    }
    for (file, (edits, mut changes)) in files {
        let source = report.sources.file(file);
        for change in &mut changes {
            change.line = new_line(report, &edits, change.span);
        }
        match edited(&source.text, edits) {
            Some(text) => updates.files.push(FileUpdate { name: source.name.clone(), text, changes }),
            None => updates.stuck.extend(changes.into_iter().map(|change| Stuck {
                label: change.label,
                span: change.span,
                what: change.keys.join(", "),
                why: "the file would no longer be readable",
            })),
        }
    }
    updates
}

fn is_all_text(content: &Json) -> bool {
    content.as_array().unwrap_or_default().iter().all(compare::is_text)
}

fn spec_of<'r>(
    report: &'r Report,
    test: &Test,
) -> Option<(&'r CheckedToolset, &'r CheckedTool, &'r ExampleSpec)> {
    let toolset = report.toolsets.iter().find(|toolset| toolset.file == test.span.file)?;
    let tool = toolset.tools.iter().find(|tool| tool.label() == test.tool)?;
    Some((toolset, tool, tool.examples.get(test.number.checked_sub(1)?)?))
}

/// The line of a place after the edits before it.
fn new_line(report: &Report, edits: &[Edit], span: Span) -> usize {
    let lines = |text: &str| text.matches('\n').count();
    let before = || edits.iter().filter(|edit| edit.span.start < span.start);
    let added: usize = before().map(|edit| lines(&edit.text)).sum();
    let removed: usize = before().map(|edit| lines(report.sources.text(edit.span))).sum();
    let line = report.sources.file(span.file).location(span.start as usize).line;
    (line + added).saturating_sub(removed)
}

/// Applies edits that do not overlap; those of one place in their order. `None` if the result is
/// not TOML.
fn edited(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in &edits {
        out.push_str(text.get(at..edit.span.start as usize)?);
        out.push_str(&edit.text);
        at = edit.span.end as usize;
    }
    out.push_str(text.get(at..)?);
    toml_tree::is_toml(&out).then_some(out)
}

/// Collects the edits of one example.
struct Editor<'r> {
    report: &'r Report,
    toolset: &'r CheckedToolset,
    tool: &'r CheckedTool,
    example: &'r ExampleSpec,
    edits: Vec<Edit>,
    keys: Vec<String>,
    stuck: Vec<(String, &'static str)>,
}

impl Editor<'_> {
    fn request(&mut self, actual: &ActualRequest) {
        let Some(expected) = &self.example.request else {
            if self.example.arguments.is_some() || self.example.response.is_some() {
                self.insert_request(actual);
            }
            return;
        };
        if let (Some(expected), Some(method)) = (&expected.method, actual.method)
            && expected.value.as_str() != method
        {
            self.replace_text("request.method", expected.span, method);
        }
        if let (Some(expected), Some(url)) = (&expected.url, &actual.url)
            && expected.value != *url
        {
            self.replace_text("request.url", expected.span, url);
        }
        for header in &expected.headers {
            let name = header.name.value.to_ascii_lowercase();
            let mut values = actual.headers.iter().filter(|(n, _)| *n == name).map(|(_, value)| value);
            let key = format!("request.headers.{name}");
            match values.clone().next() {
                None => self.stuck.push((key, "the request has no such header; remove it from the example")),
                Some(_) if values.any(|value| *value == header.value.value) => {}
                Some(first) => self.replace_text(&key, header.value.span, first),
            }
        }
        if let Some(body) = &expected.body {
            self.body(body, actual.body.as_deref());
        }
    }

    fn result(&mut self, actual: &ActualResult) {
        if actual.broken {
            let is_stated = self.example.text.as_ref().is_some_and(|text| text.value == actual.text)
                || self.example.content.as_ref().is_some_and(|content| {
                    compare::content_differs(&content.value, actual.content.as_ref()).is_none()
                });
            if !is_stated {
                self.stuck.push(("text".into(), "the tool fails; a failure is not written into an example"));
            }
            return;
        }
        let states_more = self.example.structured_content.is_some() || self.example.content.is_some();
        match &self.example.text {
            Some(text) if text.value == actual.text => {}
            Some(text) => self.replace_text("text", text.span, &actual.text),
            None if states_more => {}
            None => match actual.content.as_ref().filter(|content| !is_all_text(content)) {
                Some(content) => self.insert_content(content),
                None => self.insert_text(&actual.text),
            },
        }
        if let Some(expected) = &self.example.content {
            self.content(expected, actual.content.as_ref());
        }
        if let Some(expected) = &self.example.structured_content {
            self.structured(expected, actual.structured.as_ref());
        }
    }

    fn edit(&mut self, key: &str, span: Span, text: String) {
        self.edits.push(Edit { span, text });
        self.keys.push(key.to_owned());
    }

    /// How the file ends its lines.
    fn newline(&self) -> &'static str {
        let text = &self.report.sources.file(self.example.span.file).text;
        if text.split('\n').next().is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
    }
}
