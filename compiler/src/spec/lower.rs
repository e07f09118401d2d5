//! From TOML to [`ToolsetSpec`].

use super::other::{NotASpec, other_kind};
use super::value::{JsonFields, table_to_json};
use super::{
    Allow, BodySpec, ExampleRequest, ExampleResponse, ExampleSpec, Header, Icon, ParameterSpec, ToolSpec,
    ToolsetSpec, Type, UpstreamSpec, parse_endpoint,
};
use super::{TemplateSpec, schema, templates};
use crate::language::LANGUAGE;
use crate::language::json::Json;
use crate::language::keys;
use crate::language::rules::{
    EMPTY_SPEC, INVALID_VALUE, MISSING_KEY, UNKNOWN_METHOD, UNKNOWN_POSITION, UNKNOWN_TYPE,
};
use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine};
use mcp_bundle::template::Destination;
use mcp_bundle::wire_enums::{Method, Position, Style};
use mcp_diagnostics::toml_tree::{self, TomlTable, Value};
use mcp_diagnostics::{Diagnostic, Fields, FileId, Key, Reading, Span, Spanned, suggest};
use std::path::Path;

pub use super::template::ReadFile;

/// The keywords of a parameter that are JSON Schema's own.
const KEYWORDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "items",
    "properties",
    "required_properties",
    "additionalProperties",
];

/// A spec file on its way from TOML.
#[derive(Debug)]
pub(super) struct Lowering<'d> {
    pub(super) toml: Reading<'d>,
}

/// Reads one spec file; findings about its form go to `diagnostics`.
pub fn read_spec(
    name: &str,
    text: &str,
    file: FileId,
    files: &mut dyn ReadFile,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<ToolsetSpec, NotASpec> {
    let whole = Span::whole_file(file);
    let mut lowering = Lowering { toml: Reading { language: &LANGUAGE, file, text, diagnostics } };
    let root = lowering.toml.parse().ok_or(NotASpec::Syntax)?;
    if let Some(kind) = other_kind(&root) {
        return Err(kind);
    }
    let before = lowering.toml.diagnostics.len();
    let fields = lowering.toml.fields(&keys::ROOT, &root, whole);
    let mut toolset = lowering.toolset(&fields, name);
    for (name, value) in fields.table("upstream").iter().flat_map(|(table, _)| table.iter()) {
        let name = Spanned::new(name.get_ref().clone().into_owned(), lowering.toml.span(name.span()));
        match value.get_ref().as_table() {
            Some(table) => toolset.upstreams.push(lowering.upstream(name, table)),
            None => lowering.toml.report(
                Diagnostic::new(&INVALID_VALUE, name.span, "an upstream needs a name")
                    .help("write `[upstream.NAME]` and below it `url = \"https://…\"`"),
            ),
        }
    }
    let tools = fields.tables("tool").into_iter();
    toolset.tools = tools.map(|(table, span)| lowering.tool(table, span, &toolset, files)).collect();
    toolset.misshapen = fields.misshapen;
    let silent = lowering.toml.diagnostics.len() == before;
    // The tools of an MCP server may be chosen later.
    let has_server = toolset.upstreams.iter().any(|upstream| upstream.server.is_some());
    if toolset.tools.is_empty()
        && !has_server
        && silent
        && !lowering.toml.diagnostics.iter().any(|d| d.span.file == file)
    {
        lowering.toml.report(
            Diagnostic::new(&EMPTY_SPEC, whole, format!("`{}` declares no tool", name))
                .help("add a `[[tool]]`, or remove the file; `mcpc init` writes a spec to start from"),
        );
    }
    Ok(toolset)
}

/// A whole TOML file as JSON; `None` if it is not TOML or holds what JSON lacks.
pub fn toml_to_json(text: &str) -> Option<Json> {
    let (table, errors) = toml_tree::read(text);
    errors.is_empty().then(|| table_to_json(&table, text))?
}

impl Lowering<'_> {
    fn toolset(&mut self, root: &Fields<'_, '_>, file_name: &str) -> ToolsetSpec {
        // `<stdin>` is not a file, but has a usable name.
        let file_name = file_name.trim_matches(['<', '>']);
        let stem = Path::new(file_name).file_stem().map(|s| s.to_string_lossy().into_owned());
        let mut toolset = ToolsetSpec {
            file: self.toml.file,
            misshapen: false,
            name: Spanned::new(stem.unwrap_or_default(), Span::whole_file(self.toml.file)),
            title: None,
            instructions: None,
            lenient: false,
            allows: Vec::new(),
            upstreams: Vec::new(),
            tools: Vec::new(),
        };
        if let Some((table, span)) = root.table("toolset") {
            let fields = self.toml.fields(&keys::TOOLSET, table, span);
            if let Some(name) = fields.text("name") {
                toolset.name = name;
            }
            toolset.title = fields.text("title");
            toolset.instructions = fields.text("instructions");
            toolset.lenient = fields.boolean("lenient").is_some_and(|lenient| lenient.value);
            toolset.allows = self.allows(&fields);
        }
        toolset
    }

    fn upstream(&mut self, name: Spanned<String>, table: &TomlTable<'_>) -> UpstreamSpec {
        let fields = self.toml.fields(&keys::UPSTREAM, table, name.span);
        let server = self.server(&fields, &name);
        UpstreamSpec {
            server,
            url: fields.text("url").map(|text| Spanned::new(parse_endpoint(&text.value), text.span)),
            headers: headers(&fields),
            timeout_ms: fields.millis("timeout_seconds"),
            connect_timeout_ms: fields.millis("connect_timeout_seconds"),
            attempt_timeout_ms: fields.millis("attempt_timeout_seconds"),
            is_database: fields.text("error_type").is_some_and(|kind| kind.value == "database"),
            retry_count: fields.integer("retry_count"),
            auth: self.auth(&fields),
            places: self.places(&fields),
            breaker: self.breaker(&fields),
            name,
        }
    }

    fn tool(
        &mut self,
        table: &TomlTable<'_>,
        span: Span,
        toolset: &ToolsetSpec,
        files: &mut dyn ReadFile,
    ) -> ToolSpec {
        let fields = self.toml.fields(&keys::TOOL, table, span);
        let tables = fields.tables("parameters");
        let mut parameters = Vec::with_capacity(tables.len());
        parameters.extend(tables.into_iter().filter_map(|(table, span)| self.parameter(table, span)));
        let mcp = self.mcp_tool(&fields, &toolset.upstreams, &parameters, files);
        if mcp.is_none() {
            self.request_keys(&fields, table);
        }
        let template = if mcp.is_some() { "arguments_template" } else { "body_template" };
        let is_mcp = mcp.is_some();
        let body = self.body(&fields);
        let is_form = body.as_ref().is_some_and(|body| body.value == BodySpec::Form);
        let body_place = if is_form { Destination::Form } else { Destination::Json };
        let endpoint = fields.text("endpoint");
        let parsed = endpoint.as_ref().map(|text| Spanned::new(parse_endpoint(&text.value), text.span));
        let endpoint_template = endpoint
            .zip(parsed.as_ref())
            .and_then(|(text, parsed)| templates::of_endpoint(&text, &parsed.value));
        let input_schema = self.schema(&fields, "input_schema", files);
        let output_schema = self.schema(&fields, "output_schema", files);
        let answer_schema = self.schema(&fields, "answer_schema", files);
        let is_missing = |schema: &schema::Read| schema.as_ref().is_some_and(Option::is_none);
        let (cache_seconds, cache) = self.cache(&fields);
        let answers_with_arguments = is_template(&fields, "respond");
        let response_template = self.response_template(&fields, answers_with_arguments, files);
        ToolSpec {
            span,
            misshapen: fields.misshapen
                || is_missing(&input_schema)
                || is_missing(&output_schema)
                || is_missing(&answer_schema)
                || mcp.as_ref().is_some_and(|mcp| mcp.misshapen),
            name: fields.text("name"),
            title: fields.text("title"),
            description: fields.text("description"),
            upstream: fields.text("upstream"),
            method: self.method(&fields),
            endpoint: parsed,
            endpoint_template,
            headers: templates::of_headers(headers(&fields)),
            parameters,
            body,
            body_template: self.template(fields.value(template), body_place, files),
            mcp: mcp.map(Box::new),
            input_schema: input_schema.flatten(),
            lenient: fields.boolean("lenient").map_or(toolset.lenient, |lenient| lenient.value),
            output_schema: output_schema.flatten(),
            answer_schema: answer_schema.flatten(),
            select: fields.texts("select"),
            // An empty one is none: the raw response is the result.
            response_template,
            error_template: self.template(fields.value("error_template"), Destination::Text, files),
            timeout_ms: fields.millis("timeout_seconds"),
            retry_count: fields.integer("retry_count"),
            attempt_timeout_ms: fields.millis("attempt_timeout_seconds"),
            idempotent: fields.boolean("idempotent"),
            cache_seconds,
            cache,
            rate: self.rate(&fields),
            max_response_bytes: fields.integer("max_response_bytes").map(|b| b.value),
            max_text_bytes: fields.integer("max_text_bytes").map(|b| b.value),
            max_results: fields.integer("max_results").map(|n| n.value),
            scopes: fields.texts("scopes"),
            annotations: self.annotations(&fields),
            icons: self.icons(&fields),
            tags: fields.texts("tags"),
            respond: if answers_with_arguments { None } else { fields.text("respond") },
            answers_with_arguments,
            examples: self.examples(&fields, is_mcp),
            allows: self.allows(&fields),
        }
    }

    /// The template that makes the result. An empty `response_template` is none: the raw response is the result.
    fn response_template(
        &mut self,
        fields: &Fields<'_, '_>,
        answers_with_arguments: bool,
        files: &mut dyn ReadFile,
    ) -> Option<TemplateSpec> {
        if !answers_with_arguments {
            return self
                .template(fields.value("response_template"), Destination::Text, files)
                .filter(|template| !template.is_empty());
        }
        if let Some(other) = fields.value("response_template") {
            let message =
                "`respond` is the template of this tool, so `response_template` has no response to read";
            let span = self.toml.span(other.span());
            self.toml.report(
                Diagnostic::new(&INVALID_VALUE, span, message)
                    .help("remove `response_template`, or `respond`"),
            );
        }
        self.template(fields.value("respond"), Destination::Text, files)
    }

    /// A tool needs a request unless it answers by itself.
    fn request_keys(&mut self, fields: &Fields<'_, '_>, table: &TomlTable<'_>) {
        if fields.is_written("respond") {
            return;
        }
        for name in ["method", "endpoint"] {
            // A key after the header of another table belongs to that one, which is reported there.
            let strayed = table.values().any(|value| has_key(value.get_ref(), name));
            if !fields.is_written(name) && !strayed {
                let message = format!("a tool needs `{name}`, or `respond` to answer without a request");
                self.toml.report(Diagnostic::new(&MISSING_KEY, fields.span, message));
            }
        }
    }

    fn parameter(&mut self, table: &TomlTable<'_>, span: Span) -> Option<ParameterSpec> {
        let fields = self.toml.fields(&keys::PARAMETER, table, span);
        if let Some(name) = fields.text("name").filter(|name| name.value.is_empty()) {
            self.toml.report(Diagnostic::new(&INVALID_VALUE, name.span, "a parameter's name is not empty"));
            return None;
        }
        let keywords: Vec<_> = KEYWORDS.iter().filter_map(|&name| Some((name, fields.json(name)?))).collect();
        self.required_properties(&fields);
        Some(ParameterSpec {
            span,
            complete: fields.complete,
            kind: self.parameter_type(&fields, span),
            description: fields.text("description"),
            required: fields.boolean("required"),
            default: fields.json("default"),
            enumeration: fields.list("enum"),
            position: self.toml.word(&fields, "position", Position::from_word, Some(&UNKNOWN_POSITION)),
            wire_name: fields.text("wire_name"),
            style: self.toml.word(&fields, "style", Style::from_word, Some(&INVALID_VALUE)),
            encoding: self
                .toml
                .word(&fields, "encoding", |word| (word == "base64").then_some(()), Some(&INVALID_VALUE))
                .map(|encoding| encoding.span),
            file_name: fields.text("file_name"),
            content_type: fields.text("content_type"),
            value: fields.json("value"),
            mcp_header: fields.text("mcp_header"),
            sensitive: fields.boolean("sensitive").is_some_and(|s| s.value),
            keywords,
            name: fields.text("name")?,
        })
    }

    /// A caller can only know members that are declared.
    fn required_properties(&mut self, fields: &Fields<'_, '_>) {
        let properties = fields.table("properties").map(|(table, _)| table);
        for name in fields.texts("required_properties") {
            if properties.is_some_and(|table| table.get(name.value.as_str()).is_some()) {
                continue;
            }
            let known =
                properties.into_iter().flat_map(|table| table.iter()).map(|(key, _)| key.get_ref().as_ref());
            let message = format!("`properties` does not declare `{}`", name.value);
            self.toml.report(
                Diagnostic::new(&INVALID_VALUE, name.span, message)
                    .help("declare it in `properties`, so that callers know what to supply")
                    .maybe_help(suggest::did_you_mean(&name.value, known)),
            );
        }
    }

    fn parameter_type(&mut self, fields: &Fields<'_, '_>, span: Span) -> Spanned<Type> {
        // Configurations that this language grew out of write the types with a capital.
        let from_word = |word: &str| {
            let lower = word.to_ascii_lowercase();
            let first = word.chars().next().filter(|c| c.is_ascii_uppercase());
            let known = Type::ALL.into_iter().find(|t| t.as_str() == lower)?;
            let capitalised = first.is_some() && word.get(1..) == known.as_str().get(1..);
            (word == known.as_str() || capitalised).then_some(known)
        };
        let found = self.toml.word(fields, "type", from_word, Some(&UNKNOWN_TYPE));
        found.unwrap_or(Spanned::new(Type::String, span))
    }

    fn method(&mut self, fields: &Fields<'_, '_>) -> Option<Spanned<Method>> {
        self.toml.word(fields, "method", Method::from_word, Some(&UNKNOWN_METHOD))
    }

    fn body(&mut self, fields: &Fields<'_, '_>) -> Option<Spanned<BodySpec>> {
        let text = fields.text("body")?;
        let body = match text.value.as_str() {
            "json" => BodySpec::Json,
            "form" => BodySpec::Form,
            "multipart" => BodySpec::Multipart,
            other => match other.split_once(':') {
                Some(("whole", parameter)) if !parameter.is_empty() => BodySpec::Whole(parameter.to_owned()),
                Some(("bytes", parameter)) if !parameter.is_empty() => BodySpec::Bytes(parameter.to_owned()),
                _ => {
                    let message = format!("`{other}` is not a kind of body");
                    let help = "write `json`, `form`, `multipart`, or `whole:` or `bytes:` and the name of a parameter";
                    self.toml.report(Diagnostic::new(&INVALID_VALUE, text.span, message).help(help));
                    return None;
                }
            },
        };
        if !matches!(body, BodySpec::Json | BodySpec::Form) && fields.is_written("body_template") {
            let message = match body {
                BodySpec::Multipart => "`body_template` writes JSON or a form, not a multipart body",
                _ => "the body is either one argument as a whole or what `body_template` writes",
            };
            let help = "remove `body` or `body_template`";
            self.toml.report(Diagnostic::new(&INVALID_VALUE, text.span, message).help(help));
            return None;
        }
        Some(Spanned::new(body, text.span))
    }

    fn annotations(&mut self, fields: &Fields<'_, '_>) -> Vec<(String, Json)> {
        let Some((table, span)) = fields.table("annotations") else {
            return Vec::new();
        };
        let fields = self.toml.fields(&keys::ANNOTATIONS, table, span);
        let value = |key: &Key| Some((key.name.to_owned(), fields.json(key.name)?.value));
        keys::ANNOTATIONS.keys.iter().filter_map(value).collect()
    }

    fn icons(&mut self, fields: &Fields<'_, '_>) -> Vec<Icon> {
        let icons = fields.tables("icons").into_iter().map(|(table, span)| {
            let fields = self.toml.fields(&keys::ICON, table, span);
            Icon {
                span,
                src: fields.text("src"),
                mime_type: fields.text("mimeType"),
                sizes: fields.texts("sizes"),
                theme: self.toml.word(
                    &fields,
                    "theme",
                    |w| matches!(w, "light" | "dark").then(|| w.to_owned()),
                    Some(&INVALID_VALUE),
                ),
            }
        });
        icons.collect()
    }

    fn examples(&mut self, fields: &Fields<'_, '_>, is_mcp: bool) -> Vec<ExampleSpec> {
        let examples = fields.tables("examples").into_iter().map(|(table, span)| {
            let fields = self.toml.fields(&keys::EXAMPLE, table, span);
            let request = fields.table("request").map(|(table, span)| {
                let fields = self.toml.fields(&keys::EXAMPLE_REQUEST, table, span);
                if is_mcp {
                    self.mcp_example(&fields, &["method", "url", "headers"]);
                }
                ExampleRequest {
                    span,
                    method: self.method(&fields),
                    url: fields.text("url"),
                    headers: headers(&fields),
                    body: fields.json("body"),
                }
            });
            let response = fields.table("response").map(|(table, span)| {
                let fields = self.toml.fields(&keys::EXAMPLE_RESPONSE, table, span);
                if is_mcp {
                    self.mcp_example(&fields, &["status", "headers", "body_base64"]);
                }
                ExampleResponse {
                    span,
                    status: fields.integer("status"),
                    headers: headers(&fields),
                    body: fields.json("body"),
                    bytes: self.body_base64(&fields),
                }
            });
            ExampleSpec {
                span,
                title: fields.text("title"),
                arguments: fields.json("arguments"),
                request,
                response,
                text: fields.text("text"),
                content: fields.json("content"),
                structured_content: fields.json("structured_content"),
            }
        });
        examples.collect()
    }

    /// The bytes of an example's body. White space in it is for people.
    fn body_base64(&mut self, fields: &Fields<'_, '_>) -> Option<Vec<u8>> {
        let text = fields.text("body_base64")?;
        if fields.is_written("body") {
            let message = "an example's response has one body";
            let help = "remove `body` or `body_base64`";
            self.toml.report(Diagnostic::new(&INVALID_VALUE, text.span, message).help(help));
            return None;
        }
        let code: String = text.value.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let bytes = STANDARD.decode(code);
        if let Err(error) = &bytes {
            let message = format!("`body_base64` is not base64: {}", base64_problem(error));
            let help = "write what `base64` prints: letters, digits, `+` and `/`, filled up with `=`";
            self.toml.report(Diagnostic::new(&INVALID_VALUE, text.span, message).help(help));
        }
        bytes.ok()
    }

    fn allows(&mut self, fields: &Fields<'_, '_>) -> Vec<Allow> {
        let allows = fields.tables("allow").into_iter().filter_map(|(table, span)| {
            let fields = self.toml.fields(&keys::ALLOW, table, span);
            Some(Allow { span, rule: fields.text("rule")?, reason: fields.text("reason") })
        });
        allows.collect()
    }
}

/// Whether a table, or one of a list of tables, has a key.
fn has_key(value: &Value<'_>, name: &str) -> bool {
    let tables = match value {
        Value::Table(table) => return table.get(name).is_some(),
        Value::Array(items) => items.iter().filter_map(|item| item.get_ref().as_table()),
        _ => return false,
    };
    tables.into_iter().any(|table| table.get(name).is_some())
}

fn base64_problem(error: &DecodeError) -> String {
    match error {
        DecodeError::InvalidByte(_, byte) => format!("`{}` is not allowed there", byte.escape_ascii()),
        DecodeError::InvalidLength(_) => "it is cut somewhere".to_owned(),
        DecodeError::InvalidLastSymbol { .. } => "its last character does not encode a whole byte".to_owned(),
        DecodeError::InvalidPadding => "it is not filled up with `=`".to_owned(),
    }
}

fn headers(fields: &Fields<'_, '_>) -> Vec<Header> {
    let header = |(name, value)| Header { name, value, template: None };
    fields.text_map("headers").into_iter().map(header).collect()
}

/// Whether a key has a template in its long form, which says what it is.
fn is_template(fields: &Fields<'_, '_>, key: &str) -> bool {
    fields.value(key).is_some_and(|value| value.get_ref().as_table().is_some())
}
