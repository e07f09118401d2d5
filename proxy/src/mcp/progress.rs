//! Calls whose caller wants to hear of their progress: the answer is a stream of what the upstream says, and then the result.

use super::sse::kib;
use super::{close_result, open_result};
use crate::call::{self, Beside, ToolCall};
use crate::protocol::MODERN;
use crate::request::accept::Accepts;
use crate::request::head::Head;
use crate::request::route::RoutedRequest;
use crate::serving::context::Context;
use crate::serving::events::{EVENT_END, EVENT_START, EventStream, Guard, InWork, Message, event};
use crate::serving::shared::Shared;
use crate::upstream::mcp::Notices;
use mcp_bundle::bind::{Arguments, PreparedTool};
use mcp_bundle::envelope::{self, Body};
use mcp_bundle::json::{self, Kind, MAX_DEPTH, Value};
use mcp_bundle::wire_enums::ProtocolVersion;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

/// Events that wait for a caller who reads slowly; more notices are dropped.
const WAITING: usize = 32;
/// Of a notice that is passed on.
const MOST_NOTICE: usize = 64 << 10;

/// Passes notices on, with the caller's own token.
#[derive(Debug)]
struct Passing {
    events: mpsc::Sender<Message>,
    token: Box<str>,
    wants_log: bool,
    /// KiB of events that may wait, where others share the stream.
    budget: Option<Arc<Semaphore>>,
}

/// A call that goes on in a task of its own.
struct Call {
    shared: Arc<Shared>,
    head: Head,
    request: RoutedRequest,
    toolset: Option<String>,
    version: ProtocolVersion,
    id: String,
    /// The message again, with what the call needs.
    body: String,
}

/// The stream of a call; `None` if its caller wants none, or there is nothing to hear of.
pub(super) fn stream<'a>(
    context: &Context<'a>,
    version: ProtocolVersion,
    message: &envelope::Message<'a>,
    id: &str,
    tool: &PreparedTool<'a>,
) -> Option<Box<EventStream>> {
    let params = &message.params;
    let token = token(params)?;
    if !context.may_stream || context.view.catalog().mcp_tool(tool).is_none() {
        return None;
    }
    if !Accepts::of(&context.head.headers).events_by_name {
        return None;
    }
    let slot = context.shared.stream_slot()?;
    let room = Arc::new(Semaphore::new(1));
    let place = Arc::clone(&room).try_acquire_owned().ok()?;
    let (events, messages) = mpsc::channel(WAITING);
    let call = Call {
        shared: Arc::clone(context.shared),
        head: context.head.clone(),
        request: context.request.clone(),
        toolset: context.view.toolset().map(str::to_owned),
        version,
        id: id.to_owned(),
        body: again(params),
    };
    let wants_log = version != MODERN || params.meta.log_level.is_some();
    let passing = Passing { events: events.clone(), token: token.text.into(), wants_log, budget: None };
    tokio::spawn(async move {
        let work = async {
            let Some(bytes) = call.run(Arc::new(passing)).await else { return };
            let message = Message { bytes: bytes.into(), guard: Guard(vec![Box::new(place)]) };
            // Fails when the stream is gone, and then nobody waits for it.
            let _ = events.send(message).await;
        };
        // A client that leaves cancels its call.
        tokio::select! {
            () = work => {}
            () = events.closed() => {}
        }
    });
    Some(Box::new(EventStream {
        opening: Vec::new(),
        changes: None,
        messages: Some(messages),
        in_work: Some(InWork { room, all: 1 }),
        closing: Vec::new(),
        guard: Guard(vec![Box::new(slot)]),
    }))
}

/// Passes notices of a call to a stream that its session has open; `None` if its caller wants none.
pub(super) fn beside(
    message: &envelope::Message<'_>,
    events: &mpsc::Sender<Message>,
    budget: &Arc<Semaphore>,
) -> Option<Arc<dyn Notices>> {
    let token = token(&message.params).filter(|_| message.is_method("tools/call"))?;
    Some(Arc::new(Passing {
        events: events.clone(),
        token: token.text.into(),
        wants_log: true,
        budget: Some(Arc::clone(budget)),
    }))
}

fn token<'a>(params: &envelope::Params<'a>) -> Option<Value<'a>> {
    params.meta.progress_token.filter(|token| matches!(token.kind, Kind::String | Kind::Number))
}

/// A message with what a call is made of.
fn again(params: &envelope::Params<'_>) -> String {
    let members = [
        ("name", params.name),
        ("arguments", params.arguments),
        ("inputResponses", params.input_responses),
        ("requestState", params.request_state),
    ];
    let mut body = r#"{"params":{"#.to_owned();
    for (name, value) in members {
        if let Some(value) = value {
            body.push_str(&format!("\"{name}\":{},", value.text));
        }
    }
    let capabilities = params.meta.client_capabilities.map_or("{}", |value| value.text);
    body.push_str(&format!(
        "\"_meta\":{{\"io.modelcontextprotocol/clientCapabilities\":{capabilities}}}}}}}"
    ));
    body
}

impl Call {
    /// The event with the result; `None` if the tool is gone meanwhile.
    async fn run(&self, passing: Arc<dyn Notices>) -> Option<Vec<u8>> {
        let Call { shared, head, request, toolset, version, id, body } = self;
        let catalog = shared.catalog()?;
        let view = catalog.view(&request.caller, toolset.as_deref())?;
        let settings = &view.catalog().settings;
        let context =
            Context { shared, settings, view, head, request, notices: Some(&passing), may_stream: false };
        let mut place = None;
        let Ok(Body::One(message)) = envelope::read(body.as_bytes(), MAX_DEPTH, 1, &mut place) else {
            return None;
        };
        let params = &message.params;
        let mut buffer = String::new();
        let tool = context.view.find(params.name?.unescaped(&mut buffer))?;
        let is_modern = *version == MODERN;
        let beside = Beside {
            capabilities: params.meta.client_capabilities.map(|value| value.text).filter(|_| is_modern),
            input_responses: params.input_responses.map(|value| value.text).filter(|_| is_modern),
            request_state: params.request_state.map(|value| value.text).filter(|_| is_modern),
            notices: Some(&passing),
        };
        let arguments = Arguments::of_params(params);
        let mut out = EVENT_START.to_vec();
        open_result(id, &mut out);
        call::perform(&context, &ToolCall { tool, arguments, protocol: Some(*version), beside }, &mut out)
            .await;
        close_result(&mut out);
        out.extend_from_slice(EVENT_END);
        Some(out)
    }
}

impl Notices for Passing {
    fn notice(&self, message: &[u8]) {
        let Some(data) = passed_on(message, &self.token, self.wants_log) else { return };
        let bytes = event(&data);
        let mut guard = Guard::default();
        if let Some(budget) = &self.budget {
            let Ok(room) = Arc::clone(budget).try_acquire_many_owned(kib(bytes.len())) else { return };
            guard.0.push(Box::new(room));
        }
        let message = Message { bytes: bytes.into(), guard };
        let _ = self.events.try_send(message);
    }
}

/// A notice of a server as its caller gets it; `None` if it gets none.
fn passed_on(message: &[u8], token: &str, wants_log: bool) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(message).ok().filter(|text| text.len() <= MOST_NOTICE)?;
    let message = Value::of_valid(text);
    let member =
        |name: &str| json::members(message).find(|(key, _)| key.is_text(name)).map(|(_, value)| value);
    let method = member("method")?;
    let is_progress = method.is_text("notifications/progress");
    if !(is_progress || wants_log && method.is_text("notifications/message")) {
        return None;
    }
    let mut out = format!(r#"{{"jsonrpc":"2.0","method":{},"params":{{"#, method.text);
    let mut is_first = true;
    let mut push = |name: &str, value: &str, out: &mut String| {
        if !std::mem::take(&mut is_first) {
            out.push(',');
        }
        out.push_str(name);
        out.push(':');
        out.push_str(value);
    };
    if is_progress {
        push("\"progressToken\"", token, &mut out);
    }
    for (name, value) in member("params").into_iter().flat_map(json::members) {
        if !name.is_text("progressToken") && !name.is_text("_meta") {
            push(name.text, value.text, &mut out);
        }
    }
    out.push_str("}}");
    // The data of an event are one line.
    Some(out.replace(['\n', '\r'], " ").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_has_the_token_of_its_caller() {
        let progress =
            br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,
            "message":"half"}}"#;
        let passed = String::from_utf8(passed_on(progress, "\"mine\"", false).unwrap()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&passed).unwrap();
        let expected = serde_json::json!({ "progressToken": "mine", "progress": 1, "message": "half" });
        assert_eq!(value["params"], expected);
        assert!(!passed.contains('\n'));
        let log = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
        assert!(passed_on(log, "1", false).is_none());
        assert!(passed_on(log, "1", true).is_some());
        let other = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        assert!(passed_on(other, "1", true).is_none());
    }
}
