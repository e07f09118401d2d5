//! A spec file as its author meant it: every value with its place, nothing checked beyond its shape.
//!
//! Reading never fails: it returns what could be understood, and findings for the rest.

mod auth;
mod endpoint;
mod limits;
mod lower;
mod mcp;
mod other;
mod schema;
mod template;
mod templates;
mod value;

pub use auth::{AuthKind, AuthSpec, AuthText};
pub use endpoint::{Endpoint, EndpointProblem, Origin, PathPiece, Placeholder, parse_endpoint, parse_origin};
pub use limits::{BreakerSpec, CacheSpec, PlacesSpec, RateSpec};
pub use lower::{ReadFile, read_spec, toml_to_json};
pub use mcp::{McpToolSpec, ServerSpec};
pub use other::NotASpec;
pub use template::{TemplateDialect, TemplateSource, TemplateSpec};

use crate::language::json::Json;
use mcp_bundle::wire_enums::{Method, Position, Style};
use mcp_diagnostics::{FileId, Span, Spanned};

/// One file. `T` is how far its tools have come.
#[derive(Debug, Clone)]
pub struct ToolsetSpec<T = ToolSpec> {
    pub file: FileId,
    /// Something at its top has the wrong shape and is left out.
    pub misshapen: bool,
    /// From the file's stem if the file does not say.
    pub name: Spanned<String>,
    pub title: Option<Spanned<String>>,
    pub instructions: Option<Spanned<String>>,
    /// What its tools are that do not say.
    pub lenient: bool,
    pub allows: Vec<Allow>,
    pub upstreams: Vec<UpstreamSpec>,
    pub tools: Vec<T>,
}

#[derive(Debug, Clone)]
pub struct UpstreamSpec {
    pub name: Spanned<String>,
    /// What it is beyond an HTTP API: an MCP server.
    pub server: Option<ServerSpec>,
    /// `None` for an MCP server over `stdio`.
    pub url: Option<Spanned<Endpoint>>,
    pub headers: Vec<Header>,
    pub timeout_ms: Option<u32>,
    pub connect_timeout_ms: Option<u32>,
    pub attempt_timeout_ms: Option<u32>,
    /// `error_type = "database"`.
    pub is_database: bool,
    pub retry_count: Option<Spanned<u8>>,
    pub auth: Option<AuthSpec>,
    pub places: Option<PlacesSpec>,
    pub breaker: Option<BreakerSpec>,
}

/// A header that is fixed, or that a template of a tool writes.
#[derive(Debug, Clone)]
pub struct Header {
    pub name: Spanned<String>,
    pub value: Spanned<String>,
    pub template: Option<TemplateSpec>,
}

#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// Its `[[tool]]` line.
    pub span: Span,
    /// A value that rules would miss has the wrong shape and is left out.
    pub misshapen: bool,
    pub name: Option<Spanned<String>>,
    pub title: Option<Spanned<String>>,
    pub description: Option<Spanned<String>>,
    pub upstream: Option<Spanned<String>>,
    pub method: Option<Spanned<Method>>,
    pub endpoint: Option<Spanned<Endpoint>>,
    /// Of the end of the endpoint.
    pub endpoint_template: Option<TemplateSpec>,
    pub headers: Vec<Header>,
    pub parameters: Vec<ParameterSpec>,
    pub body: Option<Spanned<BodySpec>>,
    /// Of a tool of an MCP server: its `arguments_template`.
    pub body_template: Option<TemplateSpec>,
    /// For a tool of an MCP server.
    pub mcp: Option<Box<McpToolSpec>>,
    pub input_schema: Option<Spanned<Json>>,
    /// It also takes arguments that can be converted without loss.
    pub lenient: bool,
    pub output_schema: Option<Spanned<Json>>,
    /// Of the whole response, before `select`.
    pub answer_schema: Option<Spanned<Json>>,
    pub select: Vec<Spanned<String>>,
    pub response_template: Option<TemplateSpec>,
    pub error_template: Option<TemplateSpec>,
    pub timeout_ms: Option<u32>,
    pub retry_count: Option<Spanned<u8>>,
    pub attempt_timeout_ms: Option<u32>,
    pub idempotent: Option<Spanned<bool>>,
    /// From `cache_seconds` or `cache`.
    pub cache_seconds: Option<Spanned<u32>>,
    pub cache: Option<CacheSpec>,
    pub rate: Option<RateSpec>,
    pub max_response_bytes: Option<u32>,
    pub max_text_bytes: Option<u32>,
    pub max_results: Option<u32>,
    pub scopes: Vec<Spanned<String>>,
    /// As published, in the order of the table of keys.
    pub annotations: Vec<(String, Json)>,
    pub icons: Vec<Icon>,
    pub tags: Vec<Spanned<String>>,
    /// A fixed answer.
    pub respond: Option<Spanned<String>>,
    /// `response_template` reads the arguments: that is what a template in `respond` does.
    pub answers_with_arguments: bool,
    pub examples: Vec<ExampleSpec>,
    pub allows: Vec<Allow>,
}

#[derive(Debug, Clone)]
pub struct ParameterSpec {
    pub span: Span,
    /// Every key of it was known and well-shaped; otherwise what is missing may only be misspelt.
    pub complete: bool,
    pub name: Spanned<String>,
    pub kind: Spanned<Type>,
    pub description: Option<Spanned<String>>,
    pub required: Option<Spanned<bool>>,
    pub default: Option<Spanned<Json>>,
    pub enumeration: Option<Spanned<Vec<Spanned<Json>>>>,
    /// `None`: not written, so `body`, or wherever a template of the request puts it.
    pub position: Option<Spanned<Position>>,
    pub wire_name: Option<Spanned<String>>,
    pub style: Option<Spanned<Style>>,
    /// `encoding = "base64"`.
    pub encoding: Option<Span>,
    pub file_name: Option<Spanned<String>>,
    pub content_type: Option<Spanned<String>>,
    pub value: Option<Spanned<Json>>,
    pub mcp_header: Option<Spanned<String>>,
    pub sensitive: bool,
    /// JSON Schema keywords as written, with their canonical names, in the order of the table of keys.
    pub keywords: Vec<(&'static str, Spanned<Json>)>,
}

/// JSON types of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodySpec {
    Json,
    Form,
    Multipart,
    /// The parameter that is the whole body.
    Whole(String),
    /// Likewise, with bytes in base64.
    Bytes(String),
}

#[derive(Debug, Clone)]
pub struct Icon {
    pub span: Span,
    pub src: Option<Spanned<String>>,
    pub mime_type: Option<Spanned<String>>,
    pub sizes: Vec<Spanned<String>>,
    pub theme: Option<Spanned<String>>,
}

#[derive(Debug, Clone)]
pub struct ExampleSpec {
    pub span: Span,
    pub title: Option<Spanned<String>>,
    pub arguments: Option<Spanned<Json>>,
    pub request: Option<ExampleRequest>,
    pub response: Option<ExampleResponse>,
    pub text: Option<Spanned<String>>,
    /// All items of the result.
    pub content: Option<Spanned<Json>>,
    pub structured_content: Option<Spanned<Json>>,
}

#[derive(Debug, Clone)]
pub struct ExampleRequest {
    /// Its header, or the inline table with its braces.
    pub span: Span,
    pub method: Option<Spanned<Method>>,
    pub url: Option<Spanned<String>>,
    pub headers: Vec<Header>,
    pub body: Option<Spanned<Json>>,
}

#[derive(Debug, Clone)]
pub struct ExampleResponse {
    pub span: Span,
    pub status: Option<Spanned<u16>>,
    pub headers: Vec<Header>,
    pub body: Option<Spanned<Json>>,
    /// A body that TOML cannot write, without its base64; then there is no `body`.
    pub bytes: Option<Vec<u8>>,
}

/// A rule switched off, with the reason.
#[derive(Debug, Clone)]
pub struct Allow {
    pub span: Span,
    pub rule: Spanned<String>,
    pub reason: Option<Spanned<String>>,
}

impl ToolsetSpec {
    /// The same file with its tools one stage further.
    pub fn map_tools<T>(self, next: impl FnMut(ToolSpec) -> T) -> ToolsetSpec<T> {
        let ToolsetSpec { file, misshapen, name, title, instructions, lenient, allows, upstreams, tools } =
            self;
        let tools = tools.into_iter().map(next).collect();
        ToolsetSpec { file, misshapen, name, title, instructions, lenient, allows, upstreams, tools }
    }
}

impl ToolSpec {
    /// Nothing is sent: the answer is fixed, or made of the arguments.
    pub fn answers_itself(&self) -> bool {
        self.respond.is_some() || self.answers_with_arguments
    }

    /// The name for messages.
    pub fn label(&self) -> &str {
        self.name.as_ref().map_or("?", |name| &name.value)
    }

    /// Where to point when the tool as a whole is meant.
    pub fn label_span(&self) -> Span {
        self.name.as_ref().map_or(self.span, |name| name.span)
    }

    /// Whether the server of the tool may get a call of it twice.
    pub fn is_idempotent(&self) -> bool {
        match &self.idempotent {
            Some(said) => said.value,
            None if self.mcp.is_some() => self.has_hint("readOnlyHint") || self.has_hint("idempotentHint"),
            None => self.method.as_ref().is_none_or(|method| method.value.is_idempotent()),
        }
    }

    /// Whether `annotations` say so in as many words.
    pub fn has_hint(&self, hint: &str) -> bool {
        self.annotations.iter().any(|(name, value)| name == hint && value.as_bool() == Some(true))
    }

    pub fn parameter(&self, name: &str) -> Option<&ParameterSpec> {
        self.parameters.iter().find(|p| p.name.value == name)
    }

    /// Whether the argument of that name is the body as a whole.
    pub fn is_whole_body(&self, name: &str) -> bool {
        matches!(self.body_kind(), BodySpec::Whole(whole) | BodySpec::Bytes(whole) if whole == name)
    }

    /// How its body is written if it has one.
    pub fn body_kind(&self) -> &BodySpec {
        self.body.as_ref().map_or(&BodySpec::Json, |body| &body.value)
    }

    /// Whether callers give bytes in base64 as this argument.
    pub fn is_base64(&self, parameter: &ParameterSpec) -> bool {
        let is_body = matches!(self.body_kind(), BodySpec::Bytes(name) if *name == parameter.name.value);
        is_body || parameter.encoding.is_some()
    }
}

impl ParameterSpec {
    pub fn is_required(&self) -> bool {
        self.required.as_ref().is_some_and(|r| r.value)
    }

    /// The caller never sees it.
    pub fn is_hidden(&self) -> bool {
        self.value.is_some()
    }

    /// Its name upstream.
    pub fn wire_name(&self) -> &Spanned<String> {
        self.wire_name.as_ref().unwrap_or(&self.name)
    }

    pub fn keyword(&self, name: &str) -> Option<&Spanned<Json>> {
        self.keywords.iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }
}

impl Type {
    pub const ALL: [Type; 6] =
        [Type::String, Type::Integer, Type::Number, Type::Boolean, Type::Array, Type::Object];

    pub fn as_str(self) -> &'static str {
        match self {
            Type::String => "string",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::Boolean => "boolean",
            Type::Array => "array",
            Type::Object => "object",
        }
    }

    pub fn is_composite(self) -> bool {
        matches!(self, Type::Array | Type::Object)
    }

    /// Whether a value is of this type, in JSON Schema's sense.
    pub fn admits(self, value: &Json) -> bool {
        let actual = value.type_name();
        actual == self.as_str() || (self == Type::Number && actual == "integer")
    }
}
