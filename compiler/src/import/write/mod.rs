//! Writes a draft as the TOML that a person would have written.
//!
//! Whatever the source says stays inside its string or its comment. The same draft gives the same bytes.

use super::draft::{
    DraftAllow, DraftAuth, DraftContent, DraftExample, DraftParameter, DraftSpec, DraftTemplate, DraftTool,
    DraftUpstream,
};
use crate::language::json::Json;
use crate::language::toml::{self, Style};
use std::fmt::Write;
use std::ops::Range;

/// JSON that is longer than this is written as text with a line for each value.
const MAX_INLINE: usize = 100;

/// A spec as text, and where its parts are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecText {
    pub text: String,
    /// Where each upstream is.
    pub upstreams: Vec<Range<usize>>,
    /// Where each tool is.
    pub tools: Vec<ToolText>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolText {
    pub range: Range<usize>,
    pub examples: Vec<Range<usize>>,
    /// Keys whose values TOML cannot write, such as a `default` of `null`. They are not in the text.
    pub unwritable: Vec<String>,
    /// Examples of which that is true.
    pub unwritable_examples: Vec<usize>,
}

pub fn write(spec: &DraftSpec) -> SpecText {
    let mut writer = Writer::default();
    writer.comments(&spec.comments);
    if !spec.comments.is_empty() {
        writer.out.push('\n');
    }
    writer.header("[toolset]");
    writer.line("name", &spec.name);
    writer.maybe_line("title", spec.title.as_deref());
    writer.maybe_lines("instructions", spec.instructions.as_deref());
    writer.flag("lenient", spec.lenient);
    writer.allows(&spec.allow);
    let mut upstreams = Vec::new();
    for upstream in &spec.upstreams {
        writer.out.push('\n');
        let start = writer.out.len();
        writer.upstream(upstream);
        upstreams.push(start..writer.out.len());
    }
    let mut tools = Vec::new();
    for tool in &spec.tools {
        writer.out.push('\n');
        tools.push(writer.tool(tool));
    }
    SpecText { text: writer.out, upstreams, tools }
}

#[derive(Default)]
struct Writer {
    out: String,
    unwritable: Vec<String>,
}

impl Writer {
    fn comments(&mut self, lines: &[String]) {
        for line in lines {
            self.out.push_str(&toml::comment(line));
        }
    }

    fn header(&mut self, header: &str) {
        self.out.push_str(header);
        self.out.push('\n');
    }

    /// Writing to a string cannot fail.
    fn raw(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.out, "{key} = {value}");
    }

    fn line(&mut self, key: &str, text: &str) {
        self.raw(key, &toml::string(text, Style::Line, "\n"));
    }

    fn maybe_line(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.line(key, text);
        }
    }

    fn maybe_lines(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.raw(key, &toml::string(text, Style::Lines, "\n"));
        }
    }

    fn flag(&mut self, key: &str, is_set: bool) {
        if is_set {
            self.raw(key, "true");
        }
    }

    fn number(&mut self, key: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.raw(key, &number.to_string());
        }
    }

    fn seconds(&mut self, key: &str, milliseconds: Option<u64>) {
        if let Some(milliseconds) = milliseconds {
            let (whole, rest) = (milliseconds / 1000, milliseconds % 1000);
            let fraction = if rest == 0 { String::new() } else { format!(".{rest:03}") };
            self.raw(key, &format!("{whole}{}", fraction.trim_end_matches('0')));
        }
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        let each: Vec<String> = texts.iter().map(|text| toml::string(text, Style::Line, "\n")).collect();
        let inline = each.join(", ");
        let long = inline.len() > MAX_INLINE;
        self.raw(key, &if long { format!("[\n  {},\n]", each.join(",\n  ")) } else { format!("[{inline}]") });
    }

    fn map(&mut self, key: &str, pairs: &[(String, String)]) {
        if !pairs.is_empty() {
            self.raw(key, &inline_map(pairs));
        }
    }

    /// A value of any kind, on one line.
    fn value(&mut self, key: &str, value: Option<&Json>) {
        let Some(value) = value else { return };
        match toml::value(value) {
            Some(text) => self.raw(key, &text),
            None => self.unwritable.push(key.to_owned()),
        }
    }

    fn schema(&mut self, key: &str, schema: Option<&Json>) {
        if let Some(schema) = schema {
            self.raw(key, &toml::json_text(schema, "\n"));
        }
    }

    fn template(&mut self, key: &str, template: Option<&DraftTemplate>) {
        let (dialect, text) = match template {
            None => return,
            Some(DraftTemplate::Go(text)) => ("go", text),
            Some(DraftTemplate::Handlebars(text)) => ("handlebars", text),
        };
        self.raw(key, &format!("{{ {dialect} = {} }}", toml::string(text, Style::Lines, "\n")));
    }

    fn allows(&mut self, allows: &[DraftAllow]) {
        if allows.is_empty() {
            return;
        }
        let line = |text: &str| toml::string(text, Style::Line, "\n");
        let each = allows.iter().map(|DraftAllow { rule, reason }| {
            format!("  {{ rule = {}, reason = {} }},\n", line(rule), line(reason))
        });
        let each: String = each.collect();
        self.raw("allow", &format!("[\n{each}]"));
    }

    fn upstream(&mut self, upstream: &DraftUpstream) {
        self.comments(&upstream.comments);
        let key = toml::key(&upstream.name);
        self.header(&format!("[upstream.{key}]"));
        self.line("url", &upstream.url);
        self.map("headers", &upstream.headers);
        self.seconds("timeout_seconds", upstream.timeout_ms);
        self.seconds("connect_timeout_seconds", upstream.connect_timeout_ms);
        self.seconds("attempt_timeout_seconds", upstream.attempt_timeout_ms);
        self.number("retry_count", upstream.retry_count);
        let Some(auth) = &upstream.auth else { return };
        self.out.push('\n');
        self.header(&format!("[upstream.{key}.auth]"));
        match auth {
            DraftAuth::Basic { username, password } => {
                self.line("kind", "basic");
                self.line("username", username);
                self.line("password", password);
            }
            DraftAuth::Bearer { token } => {
                self.line("kind", "bearer");
                self.line("token", token);
            }
            DraftAuth::ApiKey { name, value, in_query } => {
                self.line("kind", "api_key");
                self.line("name", name);
                self.line("value", value);
                self.maybe_line("in", in_query.then_some("query"));
            }
            DraftAuth::OAuth2 { token_url, client_id, client_secret, scopes } => {
                self.line("kind", "oauth2");
                self.line("token_url", token_url);
                self.line("client_id", client_id);
                self.line("client_secret", client_secret);
                self.texts("scopes", scopes);
            }
        }
    }

    fn tool(&mut self, tool: &DraftTool) -> ToolText {
        let start = self.out.len();
        self.comments(&tool.comments);
        self.header("[[tool]]");
        self.line("name", &tool.name);
        self.maybe_line("title", tool.title.as_deref());
        self.maybe_lines("description", tool.description.as_deref());
        self.texts("tags", &tool.tags);
        if !tool.annotations.is_empty() {
            let hint = |(name, value): &(String, bool)| format!("{} = {value}", toml::key(name));
            let hints: Vec<String> = tool.annotations.iter().map(hint).collect();
            self.raw("annotations", &format!("{{ {} }}", hints.join(", ")));
        }
        self.maybe_line("respond", tool.respond.as_deref());
        self.template("respond", tool.respond_template.as_ref());
        self.maybe_line("upstream", tool.upstream.as_deref());
        self.maybe_line("method", tool.method.as_deref());
        self.maybe_line("endpoint", tool.endpoint.as_deref());
        self.map("headers", &tool.headers);
        self.maybe_line("body", tool.body.as_deref());
        self.template("body_template", tool.body_template.as_ref());
        self.flag("lenient", tool.lenient);
        self.schema("input_schema", tool.input_schema.as_ref());
        self.texts("select", &tool.select);
        self.schema("output_schema", tool.output_schema.as_ref());
        self.template("response_template", tool.response_template.as_ref());
        self.template("error_template", tool.error_template.as_ref());
        self.seconds("timeout_seconds", tool.timeout_ms);
        self.seconds("attempt_timeout_seconds", tool.attempt_timeout_ms);
        self.number("retry_count", tool.retry_count);
        if let Some(idempotent) = tool.idempotent {
            self.raw("idempotent", &idempotent.to_string());
        }
        self.number("cache_seconds", tool.cache_seconds);
        self.number("max_response_bytes", tool.max_response_bytes);
        self.number("max_text_bytes", tool.max_text_bytes);
        self.number("max_results", tool.max_results);
        self.texts("scopes", &tool.scopes);
        self.allows(&tool.allow);
        for parameter in &tool.parameters {
            self.out.push('\n');
            self.parameter(parameter);
        }
        let (mut examples, mut unwritable_examples) = (Vec::new(), Vec::new());
        for example in &tool.examples {
            self.out.push('\n');
            let start = self.out.len();
            let before = self.unwritable.len();
            self.example(example);
            if self.unwritable.len() > before {
                self.unwritable.truncate(before);
                unwritable_examples.push(examples.len());
            }
            examples.push(start..self.out.len());
        }
        ToolText {
            range: start..self.out.len(),
            examples,
            unwritable: std::mem::take(&mut self.unwritable),
            unwritable_examples,
        }
    }

    fn parameter(&mut self, parameter: &DraftParameter) {
        self.header("[[tool.parameters]]");
        self.line("name", &parameter.name);
        self.maybe_line("type", parameter.kind.as_deref());
        self.maybe_lines("description", parameter.description.as_deref());
        self.flag("required", parameter.required);
        self.maybe_line("position", parameter.position);
        self.maybe_line("wire_name", parameter.wire_name.as_deref());
        self.maybe_line("style", parameter.style);
        self.maybe_line("encoding", parameter.is_base64.then_some("base64"));
        self.maybe_line("file_name", parameter.file_name.as_deref());
        self.maybe_line("content_type", parameter.content_type.as_deref());
        self.value("value", parameter.value.as_ref());
        self.flag("sensitive", parameter.sensitive);
        self.value("default", parameter.default.as_ref());
        if !parameter.enumeration.is_empty() {
            self.value("enum", Some(&Json::Array(parameter.enumeration.clone())));
        }
        for (keyword, value) in &parameter.keywords {
            self.value(keyword, Some(value));
        }
    }

    fn example(&mut self, example: &DraftExample) {
        self.header("[[tool.examples]]");
        self.maybe_line("title", example.title.as_deref());
        self.value("arguments", Some(&Json::Object(example.arguments.clone())));
        if let Some(request) = &example.request {
            let mut members = Vec::new();
            let line = |text: &String| toml::string(text, Style::Line, "\n");
            members.extend(request.method.as_ref().map(|method| ("method", line(method))));
            members.extend(request.url.as_ref().map(|url| ("url", line(url))));
            if !request.headers.is_empty() {
                members.push(("headers", inline_map(&request.headers)));
            }
            members.extend(request.body.as_ref().map(|body| ("body", content(body))));
            self.raw("request", &inline(&members));
        }
        if let Some(response) = &example.response {
            let mut members = Vec::new();
            members.extend(response.status.map(|status| ("status", status.to_string())));
            if !response.headers.is_empty() {
                members.push(("headers", inline_map(&response.headers)));
            }
            members.extend(response.body.as_ref().map(|body| ("body", content(body))));
            self.raw("response", &inline(&members));
        }
        self.maybe_lines("text", example.text.as_deref());
        if let Some(structured) = &example.structured_content {
            self.raw("structured_content", &content(&DraftContent::Json(structured.clone())));
        }
    }
}

fn inline(members: &[(&str, String)]) -> String {
    let each: Vec<String> = members.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    if each.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", each.join(", ")) }
}

fn inline_map(pairs: &[(String, String)]) -> String {
    let line = |text: &str| toml::string(text, Style::Line, "\n");
    let each: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{} = {}", toml::key(name), line(value))).collect();
    format!("{{ {} }}", each.join(", "))
}

/// A body: a short one as a value, a long one as its JSON text. A string is always JSON text, so that its quotes stay.
fn content(content: &DraftContent) -> String {
    match content {
        DraftContent::Text(text) => toml::string(text, Style::Lines, "\n"),
        DraftContent::Json(json @ (Json::Array(_) | Json::Object(_))) => match toml::value(json) {
            Some(text) if text.len() <= MAX_INLINE => text,
            _ => toml::json_text(json, "\n"),
        },
        DraftContent::Json(json) => toml::string(&json.to_text(), Style::Line, "\n"),
    }
}

#[cfg(test)]
mod tests;
