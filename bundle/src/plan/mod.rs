//! What a bundle holds: for each tool, everything that answering a call needs, already decided.
//!
//! Plain data, written by the compiler and only read here. Texts are [`StrId`]s of the bundle's
//! pool. A literal is stored in the encoding of its place, so that writing it is a copy.

mod backend;
mod credentials;
mod limits;
mod mcp;
pub mod program;
mod shaping;
mod variables;

pub use backend::{Backend, BackendKind, HttpPlan};
pub use credentials::{Credential, TokenServer};
pub use limits::{
    BreakerPlan, CachePlan, LimitsPlan, PlacesPlan, RatePlan, SharedLimit, SharedLimits, ToolLimits,
    UpstreamLimits,
};
pub use mcp::{McpPlan, McpServer};
pub use shaping::Shaping;
pub use variables::{VariableSite, VariableUse};

use crate::origin::{self, Origin, Piece};
use crate::strings::{StrId, Strings};
use crate::wire_enums::{
    BodyKind, BodyOpKind, PartKind, Position, ProtocolVersion, Scheme, Style, ValueFormat,
};
use program::Programs;
use serde::{Deserialize, Serialize};

/// All sections of a bundle, decoded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    pub strings: Strings,
    pub manifest: Manifest,
    pub upstreams: Vec<Upstream>,
    /// Sorted by name, names unique.
    pub tools: Vec<ToolPlan>,
    /// What `tools/list` shows, one for each tool, in the order of `tools`.
    pub list: Vec<ListEntry>,
    pub policies: Vec<Policy>,
    pub templates: Programs,
    /// Sorted by upstream, one at most for each.
    pub credentials: Vec<Credential>,
    pub limits: LimitsPlan,
    /// MCP servers, sorted by upstream, each once.
    pub servers: Vec<McpServer>,
    /// Tools that also take arguments which can be converted without loss, by index and ascending.
    pub lenient: Vec<u32>,
    /// What people call this state of the tools.
    pub release: Option<Release>,
    /// Limits that edges share.
    pub shared: SharedLimits,
}

/// What the bundle is, and what it needs from the place it runs in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub name: StrId,
    /// Sorted by name.
    pub toolsets: Vec<Toolset>,
    /// Names of the `${NAME}` variables, sorted; resolved when the bundle is activated.
    pub variables: Vec<StrId>,
    /// Regular expressions that [`StringCheck::pattern`] refers to.
    pub patterns: Vec<StrId>,
    /// JSON Schemas (as JSON texts) that need the full validator.
    pub schemas: Vec<StrId>,
}

/// What the people who made the bundle say of it. Nothing depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// `MAJOR.MINOR.PATCH`.
    pub version: StrId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolset {
    pub name: StrId,
    pub title: Option<StrId>,
    pub instructions: Option<StrId>,
}

/// An origin that requests are sent to. Its base path and headers are already part of the tools' plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upstream {
    /// The name in the spec; the origin itself for a tool with an absolute endpoint.
    pub name: StrId,
    pub scheme: Scheme,
    /// Lower case; an IPv6 address without brackets.
    pub host: StrId,
    pub port: u16,
    /// The `Host` header: host, and the port unless it is the scheme's default.
    pub authority: StrId,
    pub connect_timeout_ms: u32,
    /// An origin with `${NAME}` or `${NAME:-default}` in it (see [`crate::origin`]). Then host and
    /// authority are empty and the port is 0 until [`Contents::locate`] fills them in.
    pub url: Option<StrId>,
    /// It is the API of a database: its failures have a type of their own in the REST forms.
    pub is_database: bool,
}

/// One tool: how its arguments are checked, what answers it, and what becomes of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPlan {
    pub name: StrId,
    /// Index in [`Manifest::toolsets`].
    pub toolset: u32,
    pub backend: Backend,
    /// Sorted by name, names unique.
    pub parameters: Vec<Parameter>,
    /// The check of an argument that no parameter names, which then goes into the JSON body or is data for the
    /// templates; `None` refuses such arguments.
    pub additional: Option<u32>,
    /// Nodes of the argument checks; a node refers only to nodes before it.
    pub checks: Vec<Check>,
    /// Index in [`Manifest::schemas`]: the arguments as a whole are validated against it too.
    pub schema: Option<u32>,
    /// Index in [`Contents::policies`].
    pub policy: u32,
    pub response: ResponsePlan,
}

/// A named value in a query, header list, cookie list or form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Placed {
    /// Encoded for its place.
    pub name: StrId,
    /// Either one [`PartKind::Parameter`] alone, left out when the argument is absent, or fixed parts. In a header
    /// also one [`PartKind::Template`] alone, left out when it writes nothing.
    pub value: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    pub kind: PartKind,
    pub id: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: StrId,
    pub position: Position,
    /// For arrays and objects outside a JSON body.
    pub style: Style,
    pub required: bool,
    /// JSON text, used when the caller leaves the argument out.
    pub default: Option<StrId>,
    /// Index in [`ToolPlan::checks`].
    pub check: u32,
    /// Its value never appears in a message.
    pub sensitive: bool,
    /// Name of the `Mcp-Param-` header that mirrors it.
    pub mcp_header: Option<StrId>,
}

/// The content type of a multipart body; the boundary follows.
pub const MULTIPART_TYPE: &str = "multipart/form-data; boundary=";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyPlan {
    pub kind: BodyKind,
    /// Sent with the body unless a `content-type` header is written for the call anyway. That of a multipart body ends where
    /// its boundary begins.
    pub content_type: Option<StrId>,
    /// For JSON, form and multipart bodies. A body that a template writes has one field without a name, and the template in it.
    pub ops: Vec<BodyOp>,
    /// The parameter that is the whole body, for [`BodyKind::Whole`] and [`BodyKind::Bytes`].
    pub whole: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyOp {
    pub kind: BodyOpKind,
    /// `"name":` with quotes, escapes and colon in a JSON body, percent-encoded in a form, the header lines of the part in a
    /// multipart body; empty for `Close`.
    pub name: StrId,
    /// As in [`Placed::value`]. Fixed parts of a JSON body form one JSON value together. Variables
    /// are only inside its strings.
    pub value: Vec<Part>,
}

/// One node of the compiled argument check: the common subset of JSON Schema.
///
/// A keyword constrains only values of its own type, as in JSON Schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub types: TypeSet,
    /// JSON texts of the allowed scalars; empty allows any.
    pub enumeration: Vec<StrId>,
    pub number: Option<NumberCheck>,
    pub string: Option<StringCheck>,
    pub array: Option<ArrayCheck>,
    pub object: Option<ObjectCheck>,
}

/// Bounds as JSON numbers in their original digits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberCheck {
    pub minimum: Option<StrId>,
    pub exclusive_minimum: Option<StrId>,
    pub maximum: Option<StrId>,
    pub exclusive_maximum: Option<StrId>,
}

/// Lengths count characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StringCheck {
    pub min_length: Option<u32>,
    pub max_length: Option<u32>,
    /// Index in [`Manifest::patterns`].
    pub pattern: Option<u32>,
    pub format: Option<ValueFormat>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayCheck {
    pub min_items: Option<u32>,
    pub max_items: Option<u32>,
    /// Index of the elements' node.
    pub items: Option<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectCheck {
    /// Sorted by name, names unique.
    pub properties: Vec<Property>,
    /// No member beyond `properties` is allowed.
    pub closed: bool,
    /// Index of the node of members beyond `properties`.
    pub additional: Option<u32>,
    pub min_properties: Option<u32>,
    pub max_properties: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Property {
    pub name: StrId,
    pub required: bool,
    pub check: u32,
}

/// A set of JSON types; `INTEGER` also stands for numbers such as `1.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeSet(pub u8);

impl TypeSet {
    pub const STRING: TypeSet = TypeSet(1);
    pub const INTEGER: TypeSet = TypeSet(2);
    pub const NUMBER: TypeSet = TypeSet(4);
    pub const BOOLEAN: TypeSet = TypeSet(8);
    pub const ARRAY: TypeSet = TypeSet(16);
    pub const OBJECT: TypeSet = TypeSet(32);
    pub const NULL: TypeSet = TypeSet(64);
    pub const ANY: TypeSet = TypeSet(127);

    /// The types with their JSON Schema names.
    pub const NAMES: [(TypeSet, &str); 7] = [
        (TypeSet::STRING, "string"),
        (TypeSet::INTEGER, "integer"),
        (TypeSet::NUMBER, "number"),
        (TypeSet::BOOLEAN, "boolean"),
        (TypeSet::ARRAY, "array"),
        (TypeSet::OBJECT, "object"),
        (TypeSet::NULL, "null"),
    ];

    pub const fn contains(self, other: TypeSet) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn union(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    pub fn from_name(name: &str) -> Option<TypeSet> {
        TypeSet::NAMES.iter().find(|(_, n)| *n == name).map(|(t, _)| *t)
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        TypeSet::NAMES.into_iter().filter(move |(t, _)| self.contains(*t)).map(|(_, n)| n)
    }
}

impl Default for TypeSet {
    fn default() -> Self {
        TypeSet::ANY
    }
}

/// What the edge enforces around a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Policy {
    /// The whole call, retries included.
    pub timeout_ms: u32,
    /// One attempt, if the spec says so; otherwise attempts share the time of the call.
    pub attempt_timeout_ms: Option<u32>,
    pub retry_count: u8,
    /// Retries are allowed: the method is idempotent, or the spec says so.
    pub idempotent: bool,
    pub cache_seconds: u32,
    /// `None`: the edge's own limit.
    pub max_response_bytes: Option<u32>,
    pub max_text_bytes: Option<u32>,
    /// Elements that a list of the answer keeps.
    pub max_results: Option<u32>,
    /// What a caller must hold, sorted.
    pub scopes: Vec<StrId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ResponsePlan {
    /// Index in [`Programs::programs`] of [`Contents::templates`].
    pub template: Option<u32>,
    pub error_template: Option<u32>,
    /// Paths of the answer to keep, as the spec writes them.
    pub select: Vec<StrId>,
    /// Index in [`Manifest::schemas`].
    pub output_schema: Option<u32>,
}

/// A tool as `tools/list` shows it, serialised once for all protocol revisions.
///
/// Newer revisions only add members, so they are written in the order of the revisions and an older
/// form is a prefix: `text[..ends[era]]` and a closing brace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListEntry {
    pub text: StrId,
    /// One for each [`ProtocolVersion`], ascending.
    pub ends: [u32; 5],
    /// The form of the newest revision where it is not an extension of the older ones.
    pub modern: Option<StrId>,
}

impl Contents {
    /// The tool with this name, and its index.
    pub fn tool(&self, name: &str) -> Option<(usize, &ToolPlan)> {
        let index = self.tools.binary_search_by(|tool| self.strings.get(tool.name).cmp(name)).ok()?;
        Some((index, self.tools.get(index)?))
    }

    /// Puts an upstream at an origin, instead of the one it has or the variables it is written with.
    pub fn locate(&mut self, upstream: usize, origin: &Origin) {
        let Contents { strings, upstreams, .. } = self;
        let Some(upstream) = upstreams.get_mut(upstream) else { return };
        upstream.scheme = origin.scheme;
        upstream.port = origin.port;
        upstream.host = strings.push(&origin.host);
        upstream.authority = strings.push(&origin.authority);
        upstream.url = None;
    }

    /// The name of an upstream.
    pub fn upstream_name(&self, index: usize) -> Option<&str> {
        self.upstreams.get(index).map(|upstream| self.strings.get(upstream.name))
    }

    /// All variables in the URLs of upstreams, those with a default included.
    pub fn origin_variable_names(&self) -> Vec<String> {
        let urls = self.upstreams.iter().filter_map(|upstream| upstream.url);
        let pieces = urls.flat_map(|url| origin::pieces(self.strings.get(url)).unwrap_or_default());
        let names = pieces.filter_map(|piece| match piece {
            Piece::Variable { name, .. } => Some(name.to_owned()),
            Piece::Literal(_) => None,
        });
        names.collect()
    }

    /// The origin of an upstream for people: with its variables, as long as they have no values.
    pub fn origin_text(&self, upstream: &Upstream) -> String {
        match upstream.url {
            Some(url) => self.strings.get(url).to_owned(),
            None => format!("{}://{}", upstream.scheme, self.strings.get(upstream.authority)),
        }
    }

    /// The version that its makers gave it.
    pub fn version(&self) -> Option<&str> {
        self.release.map(|release| self.strings.get(release.version))
    }

    /// Names of the variables, in the order of their indexes.
    pub fn variable_names(&self) -> impl Iterator<Item = &str> {
        self.manifest.variables.iter().map(|name| self.strings.get(*name))
    }
}

impl ToolPlan {
    /// The request that it sends, if an HTTP API answers it.
    pub const fn http(&self) -> Option<&HttpPlan> {
        match &self.backend {
            Backend::Http(plan) => Some(plan),
            Backend::Fixed(_) | Backend::Mcp(_) | Backend::Arguments(_) => None,
        }
    }

    /// The request that its arguments become, for an HTTP API or an MCP server; `None` for a fixed answer.
    pub fn request(&self) -> Option<&HttpPlan> {
        match &self.backend {
            Backend::Http(plan) => Some(plan),
            Backend::Mcp(plan) => Some(&plan.request),
            Backend::Fixed(_) | Backend::Arguments(_) => None,
        }
    }

    /// What its arguments are bound to: its request, or the object that its answer is made of.
    pub fn bound(&self) -> Option<&HttpPlan> {
        match &self.backend {
            Backend::Arguments(plan) => Some(plan),
            _ => self.request(),
        }
    }

    /// Whether its answer is made of the arguments, and nothing is sent.
    pub const fn answers_with_arguments(&self) -> bool {
        matches!(self.backend, Backend::Arguments(_))
    }

    /// Its answer, if that is fixed.
    pub const fn fixed_answer(&self) -> Option<StrId> {
        match &self.backend {
            Backend::Fixed(text) => Some(*text),
            Backend::Http(_) | Backend::Mcp(_) | Backend::Arguments(_) => None,
        }
    }

    /// The templates of its request, by index.
    pub fn request_templates(&self) -> impl Iterator<Item = u32> {
        let parts = self.request().into_iter().flat_map(HttpPlan::parts);
        parts.filter(|part| part.kind == PartKind::Template).map(|part| part.id)
    }
}

impl HttpPlan {
    /// All that the request is made of, in the order in which specs name them.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        let placed = self.query.iter().chain(&self.headers).chain(&self.cookies);
        let body = self.body.ops.iter().flat_map(|op| &op.value);
        self.path.iter().chain(placed.flat_map(|placed| &placed.value)).chain(body)
    }
}

impl ListEntry {
    /// The entry for a revision, without its closing brace.
    pub fn open_form<'a>(&self, strings: &'a Strings, era: ProtocolVersion) -> &'a str {
        if let (ProtocolVersion::V20260728, Some(modern)) = (era, self.modern) {
            let text = strings.get(modern);
            return text.strip_suffix('}').unwrap_or(text);
        }
        let end = match era {
            ProtocolVersion::V20241105 => self.ends[0],
            ProtocolVersion::V20250326 => self.ends[1],
            ProtocolVersion::V20250618 => self.ends[2],
            ProtocolVersion::V20251125 => self.ends[3],
            ProtocolVersion::V20260728 => self.ends[4],
        };
        strings.get(self.text).get(..end as usize).unwrap_or_default()
    }
}

impl Part {
    pub const fn literal(text: StrId) -> Part {
        Part { kind: PartKind::Literal, id: text.0 }
    }

    pub const fn parameter(index: u32) -> Part {
        Part { kind: PartKind::Parameter, id: index }
    }

    pub const fn template(index: u32) -> Part {
        Part { kind: PartKind::Template, id: index }
    }

    pub const fn variable(index: u32) -> Part {
        Part { kind: PartKind::Variable, id: index }
    }
}
