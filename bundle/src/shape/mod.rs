//! Shaping: the upstream's answer in, the members of an MCP result out.
//!
//! A pure function of the plan and the answer. What the proxy sends is what `mcpc test` compares. Nothing of the
//! request is known here, so nothing of it can appear in a result.
//!
//! | the answer | the result |
//! |---|---|
//! | a success | its text, or what `select` keeps of it, or what `response_template` makes of that; lists cut to `max_results` |
//! | a success that is not text, of a tool that needs none | an image, audio, or an embedded resource; of `multipart/mixed` one item a part |
//! | a success that the tool cannot use | an error: why, and the raw answer |
//! | any other status | an error: what `error_template` makes of it, or the status and the start of the body |
//! | a response of an MCP server | see `mcp/mod.rs` |
//!
//! A warm [`Scratch`] makes shaping an answer free of allocations but for the result itself, unless there is an output
//! schema, something fails, or parts of a multipart message are taken apart.

mod body;
mod charset;
mod content;
mod failure;
mod item;
mod mcp;
mod media;
mod multipart;
mod project;
mod refusal;
mod results;
pub mod select;
mod status;
mod success;
#[cfg(test)]
mod tests;
mod uri;

pub use failure::ShapeFailure;
pub use mcp::{McpCode, McpFault};

use crate::bind::matchers::Matchers;
use crate::plan::{Contents, Shaping};
use crate::template::{self, Ambient, Fault, RenderError, Trace};
use content::Content;
use project::Projector;
use status::Status;

/// Text that a scratch keeps room for; an answer beyond that is rare, and its memory goes back.
const KEPT_TEXT: usize = 1 << 20;

/// What the upstream said.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    pub status: u16,
    /// The `content-type` header.
    pub content_type: Option<&'a str>,
    /// The `content-location` header: the URI of an embedded resource, if the body becomes one.
    pub content_location: Option<&'a str>,
    pub body: &'a [u8],
    /// The body is a JSON-RPC response of an MCP server to the request with this id; then nothing else counts.
    pub message: Option<u64>,
}

/// What shaping may use at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text in a result; a tool's own limit can only lower it.
    pub text: usize,
    /// Nesting of the answer.
    pub depth: usize,
    /// Whether a result may hold audio items. Protocol revision 2024-11-05 does not have them; without, audio becomes
    /// an embedded resource.
    pub audio: bool,
    /// Whether a result may link to resources. Revisions before 2025-06-18 do not have that; without, a link becomes a text.
    pub resource_links: bool,
    /// Whether a result may ask the caller for input, which revision 2026-07-28 has.
    pub input_required: bool,
    pub template: template::Limits,
}

/// Memory that one call leaves to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    template: template::Scratch,
    projector: Projector,
    /// What `select` kept.
    selection: String,
    /// The answer, if it was in another charset than UTF-8.
    decoded: String,
}

/// What became of an answer, for logs and metrics; the result itself says it in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shaped {
    /// The result is marked `isError`.
    pub is_error: bool,
    pub failure: Option<ShapeFailure>,
    pub structured: Option<Structured>,
    /// The result asks the caller for input: it has no content, and is not complete.
    pub input_required: bool,
    /// Members for the `_meta` of the result, without braces, that came from an MCP server.
    pub meta: Option<String>,
}

/// Where the result holds `structuredContent`, for callers whose revision does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structured {
    /// The length of the output before the member and its comma. It is the last one: cutting there removes it.
    pub start: usize,
    /// Before 2026-07-28 only objects are allowed.
    pub is_object: bool,
}

/// What shaping has beside the answer.
#[derive(Debug, Clone, Copy)]
struct ShapeContext<'a> {
    contents: &'a Contents,
    matchers: &'a Matchers,
    tool: Shaping<'a>,
    limits: &'a Limits,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            text: 1 << 20,
            depth: 64,
            audio: true,
            resource_links: true,
            input_required: false,
            template: template::Limits::default(),
        }
    }
}

/// Appends the members of the result, without the braces around them: `"content":[…]`, then `"structuredContent":…`
/// where the tool has an output schema, then `"isError":true` for a failure. Of a tool with a fixed answer, `answer` is
/// not looked at.
#[expect(clippy::too_many_arguments, reason = "each has an owner and a lifetime of its own")]
pub fn shape<'a>(
    contents: &Contents,
    matchers: &Matchers,
    tool: impl Into<Shaping<'a>>,
    answer: &Answer<'_>,
    ambient: &Ambient,
    limits: &Limits,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
    out: &mut Vec<u8>,
) -> Shaped {
    let tool = tool.into();
    if let Some(shaped) = respond(contents, matchers, tool, limits, out) {
        return shaped;
    }
    let call = ShapeContext { contents, matchers, tool, limits };
    let limit = contents.policies.get(tool.policy as usize).and_then(|policy| policy.max_response_bytes);
    let shaped = match limit {
        Some(limit) if answer.body.len() > limit as usize => {
            too_large(contents, tool, answer.status, limit as usize, out)
        }
        _ if let Some(id) = answer.message => mcp::write(&call, answer, id, ambient, scratch, trace, out),
        _ if Status(answer.status).is_success() => {
            success::write(&call, answer, ambient, scratch, trace, out)
        }
        _ => refusal::write(&call, answer, ambient, scratch, trace, out),
    };
    scratch.template.shrink(KEPT_TEXT);
    if scratch.selection.capacity() > KEPT_TEXT {
        scratch.selection = String::new();
    }
    if scratch.decoded.capacity() > KEPT_TEXT {
        scratch.decoded = String::new();
    }
    shaped
}

/// The result of a tool with a fixed answer, as [`shape`] appends it; `None` for other tools.
pub fn respond<'a>(
    contents: &Contents,
    matchers: &Matchers,
    tool: impl Into<Shaping<'a>>,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Option<Shaped> {
    let tool = tool.into();
    let text = contents.strings.get(tool.fixed_answer?);
    Some(success::fixed(&ShapeContext { contents, matchers, tool, limits }, text, out))
}

/// The result of an answer that was not read to its end because it has more than `limit` bytes.
pub fn too_large<'a>(
    contents: &Contents,
    tool: impl Into<Shaping<'a>>,
    status: u16,
    limit: usize,
    out: &mut Vec<u8>,
) -> Shaped {
    let failure = ShapeFailure::TooLarge { status, limit };
    let mut content = Content::new(out);
    content.text(&failure.words(contents.strings.get(tool.into().name)));
    content.end_error();
    Shaped::failed(failure)
}

impl Shaped {
    fn good(structured: Option<Structured>) -> Shaped {
        Shaped { is_error: false, failure: None, structured, input_required: false, meta: None }
    }

    fn failed(failure: ShapeFailure) -> Shaped {
        Shaped { is_error: true, failure: Some(failure), structured: None, input_required: false, meta: None }
    }
}

impl ShapeContext<'_> {
    /// Bytes of text that the result may hold.
    fn text_limit(&self) -> usize {
        let policy = self.contents.policies.get(self.tool.policy as usize);
        let own = policy.and_then(|policy| policy.max_text_bytes).map_or(usize::MAX, |limit| limit as usize);
        own.min(self.limits.text)
    }

    /// Elements that each list of the answer keeps.
    fn max_results(&self) -> Option<usize> {
        let policy = self.contents.policies.get(self.tool.policy as usize);
        policy.and_then(|policy| policy.max_results).map(|most| most as usize)
    }

    fn name(&self) -> &str {
        self.contents.strings.get(self.tool.name)
    }

    /// The words of a failure, which say which tool it is about.
    fn words(&self, failure: &ShapeFailure) -> String {
        failure.words(self.name())
    }

    /// Runs a template over a JSON text and appends its text as the inside of a JSON string.
    fn render(
        &self,
        index: u32,
        data: &str,
        ambient: &Ambient,
        scratch: &mut template::Scratch,
        trace: &mut impl Trace,
        out: &mut Vec<u8>,
    ) -> Result<(), RenderError> {
        let Some(program) = self.contents.templates.programs.get(index as usize) else {
            let fault = Fault::value("the bundle does not have the template");
            return Err(RenderError { fault, at: None, op: None });
        };
        let limits = template::Limits {
            output: self.limits.template.output.min(self.text_limit()),
            depth: self.limits.template.depth.min(self.limits.depth),
            ..self.limits.template.clone()
        };
        trace.program(index);
        template::render_text(self.contents, program, data, ambient, &limits, scratch, trace, out)
    }
}
