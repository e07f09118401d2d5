//! What importers make: specs as data, before they are text.
//!
//! An importer fills these and knows nothing of TOML; [`super::write`] writes them, and [`super::judge`] asks the check.

use crate::language::json::Json;

/// A spec file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftSpec {
    /// Name of the toolset, and of its file without `.toml`.
    pub name: String,
    /// The first lines of the file: where it comes from.
    pub comments: Vec<String>,
    pub title: Option<String>,
    pub instructions: Option<String>,
    /// All tools accept arguments that convert without loss.
    pub lenient: bool,
    pub allow: Vec<DraftAllow>,
    pub upstreams: Vec<DraftUpstream>,
    pub tools: Vec<DraftTool>,
}

/// A rule that is off, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftAllow {
    pub rule: String,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftUpstream {
    pub name: String,
    pub comments: Vec<String>,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub auth: Option<DraftAuth>,
    pub timeout_ms: Option<u64>,
    pub connect_timeout_ms: Option<u64>,
    pub attempt_timeout_ms: Option<u64>,
    pub retry_count: Option<u64>,
}

/// Credentials. Secrets in it are `${NAME}`, never what the source has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftAuth {
    Basic { username: String, password: String },
    Bearer { token: String },
    ApiKey { name: String, value: String, in_query: bool },
    OAuth2 { token_url: String, client_id: String, client_secret: String, scopes: Vec<String> },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftTool {
    /// Where the source has it, as a JSON pointer: what refuses the tool is reported there.
    pub place: String,
    /// Lines above the tool: what it was in the source, and what a person should know of the change.
    pub comments: Vec<String>,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub tags: Vec<String>,
    /// `readOnlyHint` and the like, where they are not those of the method.
    pub annotations: Vec<(String, bool)>,
    pub upstream: Option<String>,
    pub method: Option<String>,
    pub endpoint: Option<String>,
    pub headers: Vec<(String, String)>,
    /// Such as `form`, `multipart` or `whole:PARAMETER`.
    pub body: Option<String>,
    pub body_template: Option<DraftTemplate>,
    pub lenient: bool,
    pub input_schema: Option<Json>,
    pub output_schema: Option<Json>,
    pub select: Vec<String>,
    pub response_template: Option<DraftTemplate>,
    pub error_template: Option<DraftTemplate>,
    /// A fixed response, instead of a request.
    pub respond: Option<String>,
    /// A response that a template makes of the arguments, instead of a request.
    pub respond_template: Option<DraftTemplate>,
    pub timeout_ms: Option<u64>,
    pub attempt_timeout_ms: Option<u64>,
    pub retry_count: Option<u64>,
    pub idempotent: Option<bool>,
    pub cache_seconds: Option<u64>,
    pub max_response_bytes: Option<u64>,
    pub max_text_bytes: Option<u64>,
    pub max_results: Option<u64>,
    pub scopes: Vec<String>,
    pub allow: Vec<DraftAllow>,
    pub parameters: Vec<DraftParameter>,
    pub examples: Vec<DraftExample>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftTemplate {
    Go(String),
    Handlebars(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftParameter {
    pub name: String,
    /// `None` where an `input_schema` says it.
    pub kind: Option<String>,
    pub description: Option<String>,
    pub required: bool,
    pub default: Option<Json>,
    pub enumeration: Vec<Json>,
    pub position: Option<&'static str>,
    pub wire_name: Option<String>,
    pub style: Option<&'static str>,
    /// Bytes in base64, for a multipart body.
    pub is_base64: bool,
    pub file_name: Option<String>,
    pub content_type: Option<String>,
    /// A constant, or text with `${NAME}`.
    pub value: Option<Json>,
    pub sensitive: bool,
    /// Keywords of JSON Schema, such as `minimum` and `items`.
    pub keywords: Vec<(String, Json)>,
}

/// A call, and maybe the request and the response that belong to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftExample {
    /// Where the source has it, as a JSON pointer; empty if the importer made it up.
    pub place: String,
    pub title: Option<String>,
    /// The members of the arguments.
    pub arguments: Vec<(String, Json)>,
    pub request: Option<DraftRequest>,
    pub response: Option<DraftResponse>,
    pub text: Option<String>,
    pub structured_content: Option<Json>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftRequest {
    pub method: Option<String>,
    pub url: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<DraftContent>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftResponse {
    pub status: Option<u64>,
    pub headers: Vec<(String, String)>,
    pub body: Option<DraftContent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftContent {
    Json(Json),
    Text(String),
}

impl DraftTool {
    pub fn hint(&mut self, name: &str, value: bool) {
        self.annotations.push((name.to_owned(), value));
    }
}
