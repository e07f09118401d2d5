//! The pure part of a call as the proxy makes it: envelope → lookup → bind, and with an answer → shape → result.

use crate::AnyError;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{self, Arguments, Binder, PreparedTools, Request, Values};
use mcp_bundle::envelope::{self, Body};
use mcp_bundle::plan::Contents;
use mcp_bundle::shape::{self, Answer};
use mcp_bundle::template::Ambient;
use mcp_http1::{Field, RequestHead, read_response};
use std::hint::black_box;

/// A loaded bundle, and memory that calls leave to each other.
pub struct Calls {
    contents: Contents,
    matchers: Matchers,
    prepared: PreparedTools,
    bind_limits: bind::Limits,
    shape_limits: shape::Limits,
    bind: bind::Scratch,
    request: Request,
    shape: shape::Scratch,
    out: Vec<u8>,
    head: RequestHead,
    fields: Vec<Field>,
}

const DEPTH: usize = 64;
const BATCH: usize = 50;

impl Calls {
    pub fn new(contents: Contents) -> Calls {
        let variables: Vec<Box<str>> =
            contents.manifest.variables.iter().map(|_| Box::from("secret")).collect();
        let bind_limits = bind::Limits::default();
        Calls {
            prepared: PreparedTools::new(&contents, &variables, &bind_limits),
            matchers: Matchers::new(&contents),
            bind_limits,
            shape_limits: shape::Limits::default(),
            bind: bind::Scratch::default(),
            request: Request::default(),
            shape: shape::Scratch::default(),
            out: Vec::new(),
            head: RequestHead::default(),
            fields: Vec::new(),
            contents,
        }
    }

    /// A request's head and the answer's behind it. The request repeats `before`.
    #[inline(never)]
    pub fn heads(&mut self, heads: &[u8], before: &[u8]) -> Result<(), AnyError> {
        let request = self.head.read(heads, before).ok().flatten().ok_or("not a request")?;
        let answer = heads.get(request.length..).unwrap_or_default();
        black_box(read_response(answer, false, &mut self.fields).ok().flatten().ok_or("not an answer")?);
        Ok(())
    }

    /// From a request's body to the upstream request, and on to the result if there is an answer.
    pub fn call(&mut self, body: &[u8], answer: Option<&[u8]>) -> Result<(), AnyError> {
        let mut place = None;
        let Body::One(message) = envelope::read(body, DEPTH, BATCH, &mut place)? else {
            return Err("the body is not one message".into());
        };
        if message.is_ambiguous || !message.is_rpc || !message.is_method("tools/call") {
            return Err("the message is not a call".into());
        }
        let mut buffer = String::new();
        let name = message.params.name.ok_or("the call has no name")?.unescaped(&mut buffer);
        let Calls { contents, matchers, bind, request, .. } = self;
        let prepared = self.prepared.find(name).ok_or("no such tool")?;
        let tool = contents.tools.get(prepared.index()).ok_or("no such tool")?;
        let arguments = Arguments::of_params(&message.params).unwrap_or(Arguments::EMPTY);
        let mut binder = Binder { contents, matchers, limits: &self.bind_limits, scratch: bind };
        binder.bind(prepared, &arguments, &Values::default(), request)?;
        let Some(body) = answer else { return Ok(()) };
        let answer = Answer {
            status: 200,
            content_type: Some("application/json"),
            content_location: None,
            message: None,
            body,
        };
        let out = &mut self.out;
        out.clear();
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        out.extend_from_slice(message.id_text().unwrap_or("null").as_bytes());
        out.extend_from_slice(b",\"result\":{");
        let (ambient, limits) = (Ambient::default(), &self.shape_limits);
        let shaped =
            shape::shape(contents, matchers, tool, &answer, &ambient, limits, &mut self.shape, &mut (), out);
        out.extend_from_slice(b"}}");
        if shaped.is_error { Err("the answer cannot be used".into()) } else { Ok(()) }
    }
}
