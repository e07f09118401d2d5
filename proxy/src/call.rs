//! A call of one tool: arguments in, the members of a result out. Every interface calls tools through here.

use crate::buffers::{self, Buffers};
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::edge::Edge;
use crate::logging::{self, RequestId};
use crate::mcp;
use crate::random;
use crate::record::{CallRecord, Outcome};
use crate::upstream::{Exchange, UpstreamError};
use mcp_bundle::bind::{self, Arguments, PreparedTool, Values};
use mcp_bundle::json::write_string;
use mcp_bundle::plan::ToolPlan;
use mcp_bundle::shape::{self, Answer, Shaped};
use mcp_bundle::tag::Era;
use mcp_bundle::template::Ambient;
use std::time::{Duration, Instant, SystemTime};

/// What is called, by whom.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub catalog: &'a Catalog,
    pub tool: &'a PreparedTool<'a>,
    /// A JSON object; `None` stands for an empty one.
    pub arguments: Option<Arguments<'a>>,
    pub caller: &'a Caller,
    /// `None` for the REST forms.
    pub era: Option<Era>,
    pub request_id: &'a RequestId,
}

/// What became of a call; the members of the result say it in words.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub outcome: Outcome,
    /// What failed exactly, if anything did.
    pub reason: Option<&'static str>,
    pub upstream_status: Option<u16>,
}

/// How far a call has come, so that one that is dropped is counted too.
struct Progress<'a> {
    edge: &'a Edge,
    call: Call<'a>,
    started: Instant,
    upstream: Duration,
    attempts: u8,
    /// Why the upstream could not be asked.
    error: Option<String>,
    request_bytes: usize,
    finished: bool,
}

/// Calls the tool and appends the members of its result, without braces.
pub async fn perform(edge: &Edge, call: &Call<'_>, out: &mut Vec<u8>) -> Done {
    let started = Instant::now();
    let mut progress = Progress {
        edge,
        call: *call,
        started,
        upstream: Duration::ZERO,
        attempts: 0,
        error: None,
        request_bytes: call.arguments.map_or(0, |arguments| arguments.text().len()),
        finished: false,
    };
    let place = edge.metrics.calls_in_flight().enter(edge.settings.limits.calls_in_flight);
    let before = out.len();
    let done = match call.catalog.contents.tools.get(call.tool.index()) {
        Some(_) if place.is_none() => {
            write_failure("The server has too many calls in flight. Try again in a moment.", out);
            Done { outcome: Outcome::Overloaded, reason: Some("overloaded"), upstream_status: None }
        }
        Some(tool) => {
            let mut buffers = buffers::take();
            let done = run(&mut progress, tool, &mut buffers, out).await;
            buffers::give(buffers, progress.request_bytes);
            done
        }
        // Indexes come from the same catalog.
        None => {
            write_failure("The tool is gone.", out);
            Done { outcome: Outcome::Unusable, reason: Some("no_such_tool"), upstream_status: None }
        }
    };
    progress.finish(&done, out.len().saturating_sub(before));
    done
}

async fn run(progress: &mut Progress<'_>, tool: &ToolPlan, buffers: &mut Buffers, out: &mut Vec<u8>) -> Done {
    let Progress { edge, call, .. } = *progress;
    let Call { catalog, .. } = call;
    let limits = &edge.settings.limits;
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now_ms = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
    let ambient = Ambient { now_ms, seed: random::next() };
    let values = Values {
        variables: &catalog.variables.0,
        tenant_id: call.caller.tenant_id.as_deref(),
        principal_sub: call.caller.principal_sub.as_deref(),
        prepared: Some(call.tool),
        ambient,
    };
    let Buffers { bind: scratch, request, received, shape: shape_scratch } = buffers;
    // Nothing of an earlier call can show, whatever the plan says.
    received.clear();
    let (contents, matchers) = (&catalog.contents, &catalog.matchers);
    let arguments = &call.arguments.unwrap_or(Arguments::EMPTY);
    let bound =
        bind::bind_arguments(contents, matchers, tool, arguments, &values, &limits.bind, scratch, request);
    if let Err(error) = bound {
        write_failure(&error.to_string(), out);
        let reason = error.problems.first().map(|problem| problem.kind.as_str());
        return Done { outcome: Outcome::InvalidArguments, reason, upstream_status: None };
    }
    let course = call.tool.course();
    let upstream = course.upstream.and_then(|index| contents.upstreams.get(index as usize));
    let origin = course.upstream.and_then(|index| catalog.origins.get(index as usize));
    let policy = contents.policies.get(course.policy as usize);
    if let (Some(upstream), Some(origin)) = (upstream, origin) {
        let timeout =
            Duration::from_millis(policy.map_or(DEFAULT_TIMEOUT_MS, |policy| u64::from(policy.timeout_ms)));
        let own_limit =
            policy.and_then(|policy| policy.max_response_bytes).map_or(usize::MAX, |own| own as usize);
        let start = Instant::now();
        let exchange = Exchange {
            tool: call.tool.name(),
            origin,
            authority: contents.strings.get(upstream.authority),
            request,
            connect_timeout: Duration::from_millis(u64::from(upstream.connect_timeout_ms)),
            timeout,
            start,
            deadline: progress.started + timeout,
            retries: policy.map_or(0, |policy| policy.retry_count),
            idempotent: policy.is_some_and(|policy| policy.idempotent),
            max_response: own_limit.min(limits.response_body),
        };
        let result = edge.upstream.call(&exchange, received).await;
        progress.upstream = start.elapsed();
        progress.attempts = received.attempts;
        if let Err(error) = result {
            progress.error = Some(error.to_string());
            return unreachable(catalog, call.tool, &error, out);
        }
    }
    let answer = Answer {
        status: received.status,
        content_type: received.content_type.as_deref(),
        content_location: received.content_location.as_deref(),
        body: &received.body,
    };
    let without_audio = call.era.filter(|era| !mcp::has_audio(*era)).map(|_| limits.shape.without_audio());
    let limits = without_audio.as_ref().unwrap_or(&limits.shape);
    let shaped = shape::shape(
        contents,
        matchers,
        call.tool.shaping(),
        &answer,
        &ambient,
        limits,
        shape_scratch,
        &mut (),
        out,
    );
    let structured = shaped
        .structured
        .filter(|structured| !mcp::has_structured(call.era.unwrap_or(mcp::MODERN), structured.is_object));
    if let Some(structured) = structured {
        out.truncate(structured.start);
    }
    let upstream_status = upstream.map(|_| received.status);
    Done {
        outcome: outcome(&shaped),
        reason: shaped.failure.as_ref().map(shape::Failure::name),
        upstream_status,
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
        let contents = &self.call.catalog.contents;
        let upstream = self.call.tool.course().upstream?;
        contents.upstreams.get(upstream as usize).map(|upstream| contents.strings.get(upstream.authority))
    }

    fn record(&self, done: &Done, response_bytes: usize) {
        let Progress { edge, call, .. } = self;
        let record = CallRecord {
            request_id: call.request_id,
            tool: call.tool.name(),
            era: call.era,
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
        if !edge.settings.without_metrics {
            edge.metrics.call(&call.catalog.counts, call.tool.index(), &record);
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
