//! A call of one tool: arguments in, the members of a result out. Every interface calls tools through here.
//!
//! ```text
//! admit    rates and a place among the calls in flight, or a refusal (`admission`)
//! prepare  arguments → the upstream's request, or a ready-made answer
//! execute  the request → an answer that is kept (`crate::cache`), or the upstream's; the only step that waits
//! finish   the answer → the members of the result, and one record for the observers
//! ```
//!
//! A result is whole when it is written. An upstream that also sends events while it works will hand them to the reply's
//! [`EventStream`](crate::serving::events::EventStream), between `execute` and `finish`, and the result at its end.

mod admission;
mod buffers;
mod caching;
mod failure;
mod mcp;
mod meta;
mod redact;

pub(crate) use admission::{admit_message, admit_request, admit_stranger, counted};
pub(crate) use mcp::Beside;
pub(crate) use meta::ERROR_KEY;

use crate::cache::{Flight, KeptAnswer};
use crate::catalog::Catalog;
use crate::limits::Limit;
use crate::observe::Observer;
use crate::observe::record::{CallRecord, CallStart, Outcome};
use crate::protocol::{self, MODERN};
use crate::runtime::{clock, random};
use crate::serving::context::Context;
use crate::upstream::credentials::Ask;
use crate::upstream::mcp::McpCode;
use crate::upstream::mcp::tool::McpTool;
use crate::upstream::{Exchange, UpstreamError};
use admission::Places;
use buffers::{Buffers, Scratch};
use failure::CallFailure;
use mcp_bundle::bind::{Arguments, Binder, PreparedTool, Problem, Request, Values};
use mcp_bundle::plan::BackendKind;
use mcp_bundle::shape::{self, Answer};
use mcp_bundle::template::Ambient;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolCall<'a, 'm> {
    pub tool: PreparedTool<'a>,
    /// A JSON object; `None` means an empty one.
    pub arguments: Option<Arguments<'m>>,
    /// `None` for the REST forms.
    pub protocol: Option<ProtocolVersion>,
    /// For a tool at an MCP server.
    pub beside: Beside<'m>,
}

/// How a call ended; the members of the result say it in words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    pub outcome: Outcome,
    /// What failed exactly, if anything did.
    pub reason: Option<&'static str>,
    pub upstream_status: Option<u16>,
    /// When it is worth trying again, if a limit was met.
    pub retry_after_seconds: Option<u32>,
    /// Whether the result has `structuredContent`.
    pub has_structured: bool,
    /// What failed, of a tool at an MCP server.
    pub mcp: Option<McpCode>,
    /// The caller is asked for something, so the call goes on.
    pub input_required: bool,
}

/// A call on its way. Nothing of the message that it came in is needed any more: what waits for an upstream is small. One that
/// is dropped before its end was cancelled, and is observed as that.
#[derive(Debug)]
pub(crate) struct PendingCall<'a> {
    context: Context<'a>,
    tool: PreparedTool<'a>,
    protocol: Option<ProtocolVersion>,
    started: Instant,
    ambient: Ambient,
    /// Held until the end.
    _places: Option<Places<'a>>,
    work: Work,
    beside: Option<Box<mcp::Kept>>,
    /// Others wait for its answer. Rare, so boxed.
    flight: Option<Box<Flight<'a>>>,
    request_bytes: usize,
    upstream: Duration,
    attempts: u8,
    /// Nanoseconds that binding took, if the call is one of those that are measured.
    bind: Option<NonZeroU32>,
}

/// What there is to be done.
#[derive(Debug)]
enum Work {
    /// A request to send.
    Send(Box<Buffers>),
    /// The answer is there: the upstream's, or one that needs none.
    Shape(Box<Buffers>),
    /// An answer that was kept, and whether it is older than it should be. The buffers only hold the arguments.
    Reuse(Arc<KeptAnswer>, bool, Box<Buffers>),
    /// The call failed without a response. The buffers only hold the arguments, if someone wants them.
    Explain(CallFailure, Option<Box<Buffers>>),
    /// The result is written and the call observed.
    Nothing,
}

/// For a plan without a policy, which the bundle's reader does not let pass.
const DEFAULT_TIMEOUT_MS: u64 = 30_000;

/// One of so many calls is looked at more closely: reading the clock costs as much as binding a small call does.
const MEASURED: u64 = 16;

/// Calls the tool and appends the members of its result, without braces.
pub(crate) async fn perform(context: &Context<'_>, call: &ToolCall<'_, '_>, out: &mut Vec<u8>) -> Done {
    let mut pending = begin(context, call);
    pending.execute().await;
    pending.finish(out)
}

/// All of a call that comes before the wait.
pub(crate) fn begin<'a>(context: &Context<'a>, call: &ToolCall<'a, '_>) -> PendingCall<'a> {
    let started = Instant::now();
    let now_ms = i64::try_from(clock::since_epoch(started).as_millis()).unwrap_or(i64::MAX);
    let ambient = Ambient { now_ms, seed: random::next() };
    context.shared.observers.calling(&CallStart {
        index: call.tool.index(),
        contents: &context.view.catalog().contents,
        arguments: call.arguments.as_ref().map(Arguments::text),
    });
    let (places, mut work) = match admission::admit(context, call, started) {
        Ok(places) => (Some(places), prepare(context, call, ambient)),
        Err(failure) => (None, Work::Explain(failure, None)),
    };
    let bind = (places.is_some() && is_measured(ambient)).then(|| nanoseconds(started)).flatten();
    if context.shared.observers.keeps_arguments() {
        work.keep(call.arguments.as_ref().map_or(Arguments::EMPTY.text(), Arguments::text));
    }
    PendingCall {
        context: *context,
        tool: call.tool,
        protocol: call.protocol,
        started,
        ambient,
        _places: places,
        work,
        beside: context.view.catalog().mcp_tool(&call.tool).and_then(|_| mcp::Kept::of(&call.beside)),
        flight: None,
        request_bytes: call.arguments.map_or(0, |arguments| arguments.text().len()),
        upstream: Duration::ZERO,
        attempts: 0,
        bind,
    }
}

/// Chance decides, so that no pattern of calls hides from it.
fn is_measured(ambient: Ambient) -> bool {
    ambient.seed.is_multiple_of(MEASURED)
}

fn nanoseconds(since: Instant) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(since.elapsed().as_nanos()).unwrap_or(u32::MAX))
}

/// Makes the request, or finds that none is needed.
fn prepare(context: &Context<'_>, call: &ToolCall<'_, '_>, ambient: Ambient) -> Work {
    let mut buffers = buffers::take();
    // Nothing of an earlier call can show, whatever the plan says.
    buffers.received.clear();
    if let Err(failure) = bind(context, call, ambient, &mut buffers.request) {
        buffers::give(buffers);
        return Work::Explain(failure, None);
    }
    match call.tool.kind() {
        BackendKind::Http | BackendKind::Mcp => Work::Send(buffers),
        // The answer is in the plan.
        BackendKind::Fixed => Work::Shape(buffers),
        // The answer is what the arguments were bound to.
        BackendKind::Arguments => {
            let Buffers { request, received, .. } = &mut *buffers;
            received.status = 200;
            received.body.extend_from_slice(request.body().unwrap_or_default());
            Work::Shape(buffers)
        }
    }
}

impl Work {
    /// Keeps a copy of the arguments to the end of the call: what they are part of is gone by then.
    fn keep(&mut self, arguments: &str) {
        let buffers = match self {
            Work::Send(buffers) | Work::Shape(buffers) | Work::Reuse(.., buffers) => buffers,
            Work::Explain(_, buffers) => buffers.get_or_insert_with(buffers::take),
            Work::Nothing => return,
        };
        buffers.arguments.clear();
        buffers.arguments.push_str(arguments);
    }

    fn kept(&self) -> Option<&Buffers> {
        match self {
            Work::Send(buffers) | Work::Shape(buffers) | Work::Reuse(.., buffers) => Some(buffers),
            Work::Explain(_, buffers) => buffers.as_deref(),
            Work::Nothing => None,
        }
    }
}

fn bind(
    context: &Context<'_>,
    call: &ToolCall<'_, '_>,
    ambient: Ambient,
    request: &mut Request,
) -> Result<(), CallFailure> {
    let caller = &context.request.caller;
    let Catalog { contents, matchers, .. } = context.view.catalog();
    let values = Values {
        variables: context.view.variables(),
        tenant_id: caller.tenant(),
        principal_sub: caller.principal(),
        ambient,
    };
    let arguments = &call.arguments.unwrap_or(Arguments::EMPTY);
    let limits = &context.settings.limits.bind;
    let bound = buffers::with_scratch(|Scratch { bind: scratch, .. }| {
        let bound =
            Binder { contents, matchers, limits, scratch }.bind(call.tool, arguments, &values, request);
        // What binding needs grows with the arguments and the request.
        (bound, arguments.text().len().max(request.held()))
    });
    bound.map_err(CallFailure::InvalidArguments)
}

impl<'a> PendingCall<'a> {
    /// Gets the answer, if there is a request. Dropping the future cancels the call.
    pub(crate) async fn execute(&mut self) {
        if !matches!(self.work, Work::Send(_)) {
            return;
        }
        match self.context.view.catalog().cache_rules(&self.tool) {
            None => self.send().await,
            // Its answer is for this caller alone.
            Some(_) if self.beside.as_deref().is_some_and(mcp::Kept::has_answers) => self.send().await,
            // Boxed, as all that is rare: it would be part of every call's future.
            Some(rules) => Box::pin(self.find_or_send(rules)).await,
        }
    }

    /// How long the call may take, and when that is over.
    fn time(&self) -> (Duration, Instant) {
        let policy = self.context.view.catalog().contents.policies.get(self.tool.policy() as usize);
        let timeout =
            Duration::from_millis(policy.map_or(DEFAULT_TIMEOUT_MS, |policy| u64::from(policy.timeout_ms)));
        (timeout, self.started + timeout)
    }

    /// The most that the upstream's answer may hold.
    fn max_response(&self) -> usize {
        let policy = self.context.view.catalog().contents.policies.get(self.tool.policy() as usize);
        let own = policy.and_then(|policy| policy.max_response_bytes).map_or(usize::MAX, |own| own as usize);
        own.min(self.context.settings.limits.response_body)
    }

    /// There will be no answer.
    fn fail(&mut self, failure: CallFailure) {
        let buffers = match std::mem::replace(&mut self.work, Work::Nothing) {
            Work::Send(buffers) | Work::Shape(buffers) | Work::Reuse(.., buffers) => Some(buffers),
            Work::Explain(_, buffers) => buffers,
            Work::Nothing => None,
        };
        self.work = Work::Explain(failure, buffers);
    }

    /// Sends the request, as soon as its upstream takes it.
    async fn send(&mut self) {
        let context = self.context;
        let (timeout, deadline) = self.time();
        let max_response = self.max_response();
        let Work::Send(buffers) = &mut self.work else { return };
        let Catalog { contents, origins, credentials, .. } = context.view.catalog();
        let tool = self.tool;
        let upstream = tool.upstream().and_then(|index| contents.upstreams.get(index as usize));
        let origin = tool.upstream().and_then(|index| origins.get(index as usize));
        let (Some(upstream), Some(origin)) = (upstream, origin) else { return };
        let policy = contents.policies.get(tool.policy() as usize);
        let mcp = context.view.catalog().mcp_tool(&tool);
        if let Some(Err(failure)) = mcp.map(McpTool::check) {
            return self.fail(CallFailure::Upstream(UpstreamError::Mcp(failure)));
        }
        let gate = tool.upstream().and_then(|index| context.view.catalog().gate(index as usize));
        let mut start = Instant::now();
        let entry = match admission::enter(&context, gate, &mut start, deadline).await {
            Ok(entry) => entry,
            Err(failure) => return self.fail(failure),
        };
        let Buffers { request, received, .. } = &mut **buffers;
        let exchange = Exchange {
            tool: self.tool.name(),
            origin,
            authority: contents.strings.get(upstream.authority),
            request,
            connect_timeout: Duration::from_millis(u64::from(upstream.connect_timeout_ms)),
            timeout,
            attempt_timeout: policy
                .and_then(|policy| policy.attempt_timeout_ms)
                .map(|limit| Duration::from_millis(limit.into())),
            start,
            deadline,
            retries: policy.map_or(0, |policy| policy.retry_count),
            idempotent: policy.is_some_and(|policy| policy.idempotent),
            max_response,
            pool: &context.settings.pool,
            budget: &context.shared.limits.budget,
            credential: tool.upstream().and_then(|index| credentials.get(index)).map(|credential| Ask {
                credential,
                values: context.view.variables(),
                caller: context.request.caller.token(),
            }),
            authorization: None,
            envelope: None,
        };
        let result = match mcp {
            None => context.shared.upstream.call(&exchange, received).await,
            // Boxed, so that other calls do not carry it.
            Some(mcp) => Box::pin(mcp::send(mcp, self.beside.as_deref(), &exchange, received)).await,
        };
        let answered = received.answered.filter(|_| result.is_ok()).unwrap_or_else(Instant::now);
        entry.end(&result, received.status, answered);
        self.upstream = answered.saturating_duration_since(start);
        self.attempts = received.attempts;
        if result == Err(UpstreamError::NoRoom) {
            context.shared.limits.hit(Limit::AnswerBytes);
        }
        self.work = match (std::mem::replace(&mut self.work, Work::Nothing), result) {
            (Work::Send(buffers), Ok(())) => Work::Shape(buffers),
            (Work::Send(buffers), Err(error)) => Work::Explain(CallFailure::Upstream(error), Some(buffers)),
            (work, _) => work,
        };
    }

    /// Appends the members of the result, without braces, and notifies the observers.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) -> Done {
        if self.protocol == Some(MODERN) {
            out.extend_from_slice(self.context.view.modern_start());
        }
        let before = out.len();
        match std::mem::replace(&mut self.work, Work::Nothing) {
            Work::Send(buffers) | Work::Shape(buffers) => {
                let begun = is_measured(self.ambient).then(Instant::now);
                let (done, error, start) = self.shape(&buffers.received.answer(), out);
                let render = begun.map(|begun| begun.elapsed());
                if let Some(flight) = self.flight.take() {
                    match done.outcome {
                        Outcome::Ok if !done.input_required => {
                            flight.keep(KeptAnswer::of(&buffers.received, Instant::now()));
                        }
                        // An error is never kept.
                        _ => flight.keep_nothing(),
                    }
                }
                if done.outcome != Outcome::Ok {
                    meta::add(&done, None, self.protocol, start, out);
                }
                let end = End { done: &done, problems: &[], error: error.as_deref(), render };
                self.observe(end, Some(&buffers), out.len() - before);
                buffers::give(buffers);
                done
            }
            Work::Reuse(kept, stale, buffers) => {
                let (done, error, start) = self.shape(&kept.answer(), out);
                if done.outcome == Outcome::Ok {
                    meta::add_cache(kept.age(Instant::now()), stale, self.protocol, start, out);
                } else {
                    meta::add(&done, None, self.protocol, start, out);
                }
                let end = End { done: &done, problems: &[], error: error.as_deref(), render: None };
                self.observe(end, Some(&buffers), out.len() - before);
                buffers::give(buffers);
                done
            }
            Work::Explain(failure, buffers) => {
                if let Some(flight) = self.flight.take() {
                    flight.keep_nothing();
                }
                let done = failure.write(self.context.view.catalog(), &self.tool, out);
                let arguments = failure.arguments();
                meta::add(&done, arguments, self.protocol, before, out);
                let problems = arguments.map_or(&[][..], |error| &error.problems);
                let error = failure.error();
                let end = End { done: &done, problems, error: error.as_deref(), render: None };
                self.observe(end, buffers.as_deref(), out.len() - before);
                buffers.into_iter().for_each(buffers::give);
                done
            }
            // Only a call that was finished has none, and that is gone.
            Work::Nothing => CANCELLED,
        }
    }

    /// How it ended, why it could not be rendered, and where its members begin.
    fn shape(&self, answer: &Answer<'_>, out: &mut Vec<u8>) -> (Done, Option<String>, usize) {
        let before = out.len();
        let limits = &self.context.settings.limits.shape;
        let is_mcp = answer.message.is_some();
        let of_revision = self.protocol.filter(|version| is_mcp || *version != MODERN);
        let of_revision = of_revision.and_then(|version| mcp::of_revision(version, limits));
        let limits = of_revision.as_ref().unwrap_or(limits);
        let Catalog { contents, matchers, .. } = self.context.view.catalog();
        let shaped = buffers::with_scratch(|Scratch { shape: scratch, .. }| {
            let (shaping, ambient) = (self.tool.shaping(), &self.ambient);
            // It gives memory back by itself.
            (shape::shape(contents, matchers, shaping, answer, ambient, limits, scratch, &mut (), out), 0)
        });
        let version = self.protocol.unwrap_or(MODERN);
        let structured =
            shaped.structured.filter(|structured| !protocol::has_structured(version, structured.is_object));
        let has_structured = shaped.structured.is_some() && structured.is_none();
        if let Some(structured) = structured {
            out.truncate(structured.start);
        }
        let start = if is_mcp { self.add_said(&shaped, before, out) } else { before };
        let done = Done {
            outcome: failure::outcome(shaped.failure.as_ref()),
            reason: shaped.failure.as_ref().map(shape::ShapeFailure::name),
            upstream_status: self.tool.upstream().map(|_| answer.status),
            retry_after_seconds: None,
            has_structured,
            mcp: shaped.failure.as_ref().and_then(mcp::code),
            input_required: shaped.input_required,
        };
        (done, shaped.failure.as_ref().and_then(failure::render_error), start)
    }

    fn observe(&self, end: End<'_>, buffers: Option<&Buffers>, response_bytes: usize) {
        let End { done, problems, error, render } = end;
        self.count(done);
        let keeps = self.context.shared.observers.keeps_arguments();
        let Catalog { contents, counts, tenant_counts, directory, .. } = self.context.view.catalog();
        let tenant = directory.tenant_index(&self.context.request.caller);
        let upstream = self.tool.upstream().and_then(|index| contents.upstreams.get(index as usize));
        self.context.shared.observers.call(&CallRecord {
            request: self.context.facts(self.protocol),
            tool: self.tool.name(),
            index: self.tool.index(),
            contents,
            counts,
            tenant_counts: tenant.map(|index| (tenant_counts, index)),
            outcome: done.outcome,
            reason: done.reason,
            problems,
            error,
            upstream_host: upstream.map(|upstream| contents.strings.get(upstream.authority)),
            upstream_status: done.upstream_status,
            attempts: self.attempts,
            total: self.started.elapsed(),
            upstream: self.upstream,
            bind: self.bind.map(|bind| Duration::from_nanos(bind.get().into())),
            render,
            request_bytes: self.request_bytes,
            response_bytes,
            arguments: buffers.filter(|_| keeps).map(|buffers| buffers.arguments.as_str()),
            ambient: self.ambient,
        });
    }
}

/// What is told of the end of a call.
struct End<'e> {
    done: &'e Done,
    problems: &'e [Problem],
    error: Option<&'e str>,
    render: Option<Duration>,
}

const CANCELLED: Done = Done {
    outcome: Outcome::Cancelled,
    reason: Some("cancelled"),
    upstream_status: None,
    retry_after_seconds: None,
    has_structured: false,
    mcp: None,
    input_required: false,
};

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        if !matches!(self.work, Work::Nothing) {
            let end = End { done: &CANCELLED, problems: &[], error: None, render: None };
            self.observe(end, self.work.kept(), 0);
        }
    }
}
