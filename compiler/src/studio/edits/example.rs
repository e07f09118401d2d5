//! New examples: a call that was tried becomes one of the tool's tests.

use super::hidden::without_sensitive;
use super::text::newline;
use super::{Edit, Patch, patched_toml, tree};
use crate::check::{Report, check};
use crate::exercise::testing::{self, ExampleFilter, Selection};
use crate::files::Input;
use crate::language::json::Json;
use crate::language::toml::{self, Style};
use crate::studio::changes::Change;
use crate::studio::error::ApiError;
use crate::studio::workspace::{Found, Snapshot};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_diagnostics::toml_tree::{self, Value};
use mcp_diagnostics::visible::one_line;

/// Bytes of a JSON body that is written as a value on one line. A longer one is a text.
const MAX_INLINE: usize = 400;

#[derive(Debug)]
pub struct NewExample {
    pub title: Option<String>,
    pub arguments: Json,
    pub response: Option<NewResponse>,
}

#[derive(Debug)]
pub struct NewResponse {
    pub status: u16,
    pub content_type: Option<String>,
    /// Text, or what is none.
    pub body: Result<String, Vec<u8>>,
}

/// Adds an example behind the others of a tool, with the request and the result that the tool makes of it.
/// It holds no value of a sensitive parameter.
pub fn example(snapshot: &Snapshot, name: &str, new: NewExample) -> Result<Edit, ApiError> {
    let Found { report, toolset, tool } = snapshot.tool(name)?;
    let new = &without_sensitive(snapshot, tool, new)?;
    let number = tool.examples.len() + 1;
    let spec = report.sources.file(toolset.file);
    let (path, text) = (spec.name.as_str(), spec.text.as_str());
    let (root, _) = toml_tree::read(text);
    let table = tree::find(&root, tool)
        .ok_or_else(|| ApiError::not_possible("the tool is not where it was; is the file being edited?"))?;
    let newline = newline(text);
    let patch: Patch = match table.get("examples").map(|examples| (examples, examples.get_ref())) {
        Some((examples, Value::Array(items))) if is_inline(text, examples.span().start, items.first()) => {
            let entries = entries(new, newline)?.join(", ");
            match items.last() {
                Some(last) => (last.span().end..last.span().end, format!(", {{ {entries} }}")),
                None => (examples.span(), format!("[{{ {entries} }}]")),
            }
        }
        _ => {
            let end = table.values().map(tree::end_of).max().unwrap_or(text.len());
            let at = tree::line_end(text, end);
            let entries = entries(new, newline)?.join(newline);
            let tail = if text.get(at..).is_some_and(str::is_empty) { newline } else { "" };
            (at..at, format!("{newline}{newline}[[tool.examples]]{newline}{entries}{tail}"))
        }
    };
    let added = patched_toml(path, text, vec![patch])?;
    let after = completed(snapshot, path, name, number, added);
    let title = format!("add example {number} to {name}");
    Ok(Edit { title, changes: vec![Change::new(path, text, after)] })
}

/// Whether examples are written as an array of inline tables.
fn is_inline(text: &str, array: usize, first: Option<&toml_tree::TomlValue<'_>>) -> bool {
    let at = first.map_or(array, |first| first.span().start);
    let is = |at: usize, sign: char| text.get(at..).is_some_and(|rest| rest.starts_with(sign));
    match first {
        Some(_) => is(at, '{'),
        None => is(at, '[') && !is(at + 1, '['),
    }
}

/// The keys of the example, each on one line unless a text has several.
fn entries(new: &NewExample, newline: &str) -> Result<Vec<String>, ApiError> {
    let mut entries = Vec::new();
    let line = |text: &str| toml::string(text, Style::Line, newline);
    if let Some(title) = new.title.as_ref().filter(|title| !title.trim().is_empty()) {
        entries.push(format!("title = {}", line(&one_line(title))));
    }
    let arguments = toml::value(&new.arguments).ok_or_else(|| {
        ApiError::not_possible(
            "TOML has no `null`, no integers beyond 64 bits and no key twice, and these arguments do",
        )
    })?;
    entries.push(format!("arguments = {arguments}"));
    if let Some(response) = &new.response {
        let mut keys = Vec::new();
        if response.status != 200 {
            keys.push(format!("status = {}", response.status));
        }
        let json = response.body.as_ref().ok().and_then(|text| Json::read(text).ok());
        let is_usual = json.is_some() && response.content_type.as_deref() == Some("application/json");
        if let Some(content_type) = response.content_type.as_ref().filter(|_| !is_usual) {
            keys.push(format!("headers = {{ content-type = {} }}", line(content_type)));
        }
        match &response.body {
            Err(bytes) => keys.push(format!("body_base64 = \"{}\"", STANDARD.encode(bytes))),
            Ok(text) => {
                // A scalar would be taken for the text of the body, and what is no JSON by its type stays as it is.
                let json = json.filter(|json| is_usual && !json.is_scalar());
                let value = json.as_ref().and_then(toml::value);
                let value = value.filter(|value| value.len() <= MAX_INLINE);
                let value = value.unwrap_or_else(|| toml::string(text, Style::Lines, newline));
                keys.push(format!("body = {value}"));
            }
        }
        entries.push(format!("response = {{ {} }}", keys.join(", ")));
    }
    Ok(entries)
}

/// The text with the request and the result of the new example; as it is if they cannot be had.
fn completed(snapshot: &Snapshot, path: &str, name: &str, number: usize, added: String) -> String {
    let mut files = snapshot.files();
    files.replace(path, Ok(added.clone()));
    let input =
        Input { specs: vec![path.to_owned()], config: snapshot.input.config.clone(), ..Input::default() };
    let report: Report = check(&input, &files);
    let Some(contents) = &report.contents else { return added };
    let selection = Selection { tools: vec![name.to_owned()], example: Some(ExampleFilter::Number(number)) };
    let results = testing::run(&report, contents, &selection);
    let mut updates = testing::updates(&report, &results).files.into_iter();
    updates.find(|file| file.name == path).map_or(added, |file| file.text)
}
