//! A call of one tool: arguments in, the members of a result out. Every interface calls tools through here.

pub(crate) mod admission;
pub mod record;

use crate::call::admission::Entered;
use crate::call::record::{CallRecord, Outcome};
use crate::catalog::Catalog;
use crate::edge::Edge;
use crate::mcp;
use crate::request::identity::Caller;
use crate::runtime::buffers::{self, Buffers, Scratch};
use crate::runtime::clock;
use crate::runtime::random;
use crate::telemetry::logging::{self, RequestId};
use crate::upstream::{Exchange, Received, UpstreamError};
use mcp_bundle::bind::{self, Arguments, PreparedTool, Values};
use mcp_bundle::json::write_string;
use mcp_bundle::plan::ToolPlan;
use mcp_bundle::shape::{self, Answer, Shaped};
use mcp_bundle::template::Ambient;
use mcp_bundle::wire_enums::ProtocolVersion;
use std::time::{Duration, Instant};

/// What is called, by whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a, 'm> {
    pub catalog: &'a Catalog,
    pub tool: PreparedTool<'a>,
    /// A JSON object; `None` stands for an empty one.
    pub arguments: Option<Arguments<'m>>,
    pub caller: &'a Caller,
    /// `None` for the REST forms.
    pub era: Option<ProtocolVersion>,
    pub request_id: &'a RequestId,
}

/// The moment at which a call began, its place among those in flight, and what else does not depend on the tool: while it is
/// made, the tool's memory can come from far away.
pub(crate) struct Start<'a> {
    at: Instant,
    ambient: Ambient,
    /// `None` if all are taken.
    place: Option<Entered<'a>>,
}

/// What became of a call; the members of the result say it in words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    pub outcome: Outcome,
    /// What failed exactly, if anything did.
    pub reason: Option<&'static str>,
    pub upstream_status: Option<u16>,
}

/// A call whose request is made. Nothing of the message that it came in is needed any more: what waits for an upstream is
/// small.
pub(crate) struct Begun<'a> {
    progress: Progress<'a>,
    /// Until the end.
    _place: Option<Entered<'a>>,
    ambient: Ambient,
    state: State,
}

enum State {
    /// The request is to be sent, or the upstream's answer is there.
    Ready(Box<Buffers>),
    /// There is no request, and this is why.
    Refused(&'static str, Outcome, String),
    /// There is no answer.
    Unanswered(UpstreamError),
    /// The result is written.
    Done,
}

/// How far a call has come, so that one that is dropped is counted too.
struct Progress<'a> {
    edge: &'a Edge,
    catalog: &'a Catalog,
    tool: PreparedTool<'a>,
    era: Option<ProtocolVersion>,
    request_id: &'a RequestId,
    started: Instant,
    upstream: Duration,
    attempts: u8,
    /// Why the upstream could not be asked.
    error: Option<String>,
    request_bytes: usize,
    finished: bool,
}

/// Calls the tool and appends the members of its result, without braces.
pub(crate) async fn perform(edge: &Edge, call: &Call<'_, '_>, out: &mut Vec<u8>) -> Done {
    let mut begun = begin(edge, Start::new(edge, call.catalog), call);
    begun.fetch().await;
    begun.write(out)
}

impl<'a> Start<'a> {
    pub fn new(edge: &'a Edge, catalog: &Catalog) -> Start<'a> {
        let at = Instant::now();
        let now_ms = i64::try_from(clock::since_epoch(at).as_millis()).unwrap_or(i64::MAX);
        let ambient = Ambient { now_ms, seed: random::next() };
        let place = edge.metrics.calls_in_flight().enter(catalog.settings.limits.calls_in_flight);
        Start { at, ambient, place }
    }
}

/// Makes the request of a call.
pub(crate) fn begin<'a>(edge: &'a Edge, start: Start<'a>, call: &Call<'a, '_>) -> Begun<'a> {
    let Call { catalog, tool, era, request_id, .. } = *call;
    let Start { at: started, ambient, place } = start;
    let state = match catalog.contents.tools.get(tool.index()) {
        Some(_) if place.is_none() => {
            let text = "The server has too many calls in flight. Try again in a moment.";
            State::Refused("overloaded", Outcome::Overloaded, text.to_owned())
        }
        Some(plan) => bind(call, plan, ambient),
        // Indexes come from the same catalog.
        None => State::Refused("no_such_tool", Outcome::Unusable, "The tool is gone.".to_owned()),
    };
    let progress = Progress {
        edge,
        catalog,
        tool,
        era,
        request_id,
        started,
        upstream: Duration::ZERO,
        attempts: 0,
        error: None,
        request_bytes: call.arguments.map_or(0, |arguments| arguments.text().len()),
        finished: false,
    };
    Begun { progress, _place: place, ambient, state }
}

fn bind(call: &Call<'_, '_>, plan: &ToolPlan, ambient: Ambient) -> State {
    let mut buffers = buffers::take();
    // Nothing of an earlier call can show, whatever the plan says.
    buffers.received.clear();
    let values = Values {
        variables: &call.catalog.variables.0,
        tenant_id: call.caller.tenant_id.as_deref(),
        principal_sub: call.caller.principal_sub.as_deref(),
        prepared: Some(&call.tool),
        ambient,
    };
    let Catalog { contents, matchers, .. } = call.catalog;
    let arguments = &call.arguments.unwrap_or(Arguments::EMPTY);
    let limits = &call.catalog.settings.limits.bind;
    let request = &mut buffers.request;
    let bound = buffers::with_scratch(|Scratch { bind: scratch, .. }| {
        let bound =
            bind::bind_arguments(contents, matchers, plan, arguments, &values, limits, scratch, request);
        // What binding needs grows with the arguments and the request.
        (bound, arguments.text().len().max(request.held()))
    });
    match bound {
        Ok(()) => State::Ready(buffers),
        Err(error) => {
            buffers::give(buffers);
            let reason = error.problems.first().map_or("invalid_arguments", |problem| problem.kind.as_str());
            State::Refused(reason, Outcome::InvalidArguments, error.to_string())
        }
    }
}

impl Begun<'_> {
    /// Asks the upstream, if there is one. Dropping the future cancels the call.
    pub async fn fetch(&mut self) {
        let Begun { progress, state: State::Ready(buffers), .. } = self else { return };
        let Progress { edge, catalog, tool, .. } = progress;
        let contents = &catalog.contents;
        let course = tool.course();
        let upstream = course.upstream.and_then(|index| contents.upstreams.get(index as usize));
        let origin = course.upstream.and_then(|index| catalog.origins.get(index as usize));
        let (Some(upstream), Some(origin)) = (upstream, origin) else { return };
        let policy = contents.policies.get(course.policy as usize);
        let timeout =
            Duration::from_millis(policy.map_or(DEFAULT_TIMEOUT_MS, |policy| u64::from(policy.timeout_ms)));
        let own_limit =
            policy.and_then(|policy| policy.max_response_bytes).map_or(usize::MAX, |own| own as usize);
        let start = Instant::now();
        let Buffers { request, received } = &mut **buffers;
        let exchange = Exchange {
            tool: tool.name(),
            origin,
            authority: contents.strings.get(upstream.authority),
            request,
            connect_timeout: Duration::from_millis(u64::from(upstream.connect_timeout_ms)),
            timeout,
            start,
            deadline: progress.started + timeout,
            retries: policy.map_or(0, |policy| policy.retry_count),
            idempotent: policy.is_some_and(|policy| policy.idempotent),
            max_response: own_limit.min(catalog.settings.limits.response_body),
            pool: &catalog.settings.pool,
        };
        let result = edge.upstream.call(&exchange, received).await;
        let answered = received.answered.filter(|_| result.is_ok()).unwrap_or_else(Instant::now);
        progress.upstream = answered.saturating_duration_since(start);
        progress.attempts = received.attempts;
        if let Err(error) = result
            && let State::Ready(buffers) = std::mem::replace(&mut self.state, State::Unanswered(error))
        {
            buffers::give(buffers);
        }
    }

    /// Appends the members of the result, without braces. Only once.
    pub fn write(&mut self, out: &mut Vec<u8>) -> Done {
        let Begun { progress, ambient, state, .. } = self;
        // It is counted at the end, and was perhaps not counted for long.
        progress.catalog.counts.fetch(progress.tool.index());
        let before = out.len();
        let done = match std::mem::replace(state, State::Done) {
            State::Ready(buffers) => {
                let done = shape(progress, ambient, &buffers.received, out);
                buffers::give(buffers);
                done
            }
            State::Refused(reason, outcome, text) => {
                write_failure(&text, out);
                Done { outcome, reason: Some(reason), upstream_status: None }
            }
            State::Unanswered(error) => {
                progress.error = Some(error.to_string());
                unreachable(progress.catalog, &progress.tool, &error, out)
            }
            State::Done => {
                write_failure("The call is over.", out);
                return Done { outcome: Outcome::Unusable, reason: Some("over"), upstream_status: None };
            }
        };
        progress.finish(&done, out.len().saturating_sub(before));
        done
    }
}

fn shape(progress: &Progress<'_>, ambient: &Ambient, received: &Received, out: &mut Vec<u8>) -> Done {
    let Progress { catalog, tool, era, .. } = progress;
    let answer = Answer {
        status: received.status,
        content_type: received.content_type.as_deref(),
        content_location: received.content_location.as_deref(),
        body: &received.body,
    };
    let limits = &catalog.settings.limits.shape;
    let without_audio = era.filter(|era| !mcp::has_audio(*era)).map(|_| limits.without_audio());
    let limits = without_audio.as_ref().unwrap_or(limits);
    let Catalog { contents, matchers, .. } = catalog;
    let shaped = buffers::with_scratch(|Scratch { shape: scratch, .. }| {
        let shaping = tool.shaping();
        // It gives memory back by itself.
        (shape::shape(contents, matchers, shaping, &answer, ambient, limits, scratch, &mut (), out), 0)
    });
    let structured = shaped
        .structured
        .filter(|structured| !mcp::has_structured(era.unwrap_or(mcp::MODERN), structured.is_object));
    if let Some(structured) = structured {
        out.truncate(structured.start);
    }
    let is_asked =
        tool.course().upstream.is_some_and(|index| contents.upstreams.get(index as usize).is_some());
    Done {
        outcome: outcome(&shaped),
        reason: shaped.failure.as_ref().map(shape::Failure::name),
        upstream_status: is_asked.then_some(received.status),
    }
}

/// For a plan without a policy, which the bundle's reader does not let pass.
const DEFAULT_TIMEOUT_MS: u64 = 30_000;

fn outcome(shaped: &Shaped) -> Outcome {
    match &shaped.failure {
        None => Outcome::Ok,
        Some(shape::Failure::Status(_)) => Outcome::UpstreamStatus,
        Some(shape::Failure::TooLarge { .. }) => Outcome::ResponseTooLarge,
        Some(_) => Outcome::Unusable,
    }
}

/// The result of a call whose upstream gave no answer that can be read.
fn unreachable(catalog: &Catalog, tool: &PreparedTool<'_>, error: &UpstreamError, out: &mut Vec<u8>) -> Done {
    let (outcome, upstream_status) = match error {
        UpstreamError::TooLarge { status, limit } => {
            shape::too_large(&catalog.contents, tool.shaping(), *status, *limit, out);
            (Outcome::ResponseTooLarge, Some(*status))
        }
        UpstreamError::Timeout(_) | UpstreamError::ConnectTimeout(_) => {
            write_failure(&format!("The call of the upstream failed: {error}. Try again later."), out);
            (Outcome::UpstreamTimeout, None)
        }
        _ => {
            write_failure(&format!("The call of the upstream failed: {error}."), out);
            (Outcome::UpstreamFailed, None)
        }
    };
    Done { outcome, reason: Some(error.name()), upstream_status }
}

fn write_failure(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
    write_string(text, out);
    out.extend_from_slice(b"}],\"isError\":true");
}

impl Progress<'_> {
    fn finish(&mut self, done: &Done, response_bytes: usize) {
        self.finished = true;
        self.record(done, response_bytes);
    }

    /// The upstream's name in requests.
    fn host(&self) -> Option<&str> {
        let contents = &self.catalog.contents;
        let upstream = self.tool.course().upstream?;
        contents.upstreams.get(upstream as usize).map(|upstream| contents.strings.get(upstream.authority))
    }

    fn record(&self, done: &Done, response_bytes: usize) {
        let Progress { edge, catalog, tool, .. } = self;
        let record = CallRecord {
            request_id: self.request_id,
            tool: tool.name(),
            era: self.era,
            outcome: done.outcome,
            reason: done.reason,
            error: self.error.as_deref(),
            upstream_host: self.host(),
            upstream_status: done.upstream_status,
            attempts: self.attempts,
            total: self.started.elapsed(),
            upstream: self.upstream,
            request_bytes: self.request_bytes,
            response_bytes,
        };
        if !catalog.settings.without_metrics {
            edge.metrics.call(&catalog.counts, tool.index(), &record);
        }
        logging::log_call(&record);
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if !self.finished {
            let done = Done { outcome: Outcome::Cancelled, reason: Some("cancelled"), upstream_status: None };
            self.record(&done, 0);
        }
    }
}
