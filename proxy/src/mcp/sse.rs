//! The HTTP+SSE transport of 2024-11-05: requests are posted, their answers come over a stream opened before.
//!
//! A session lives in the memory of one process, on whose listener both connections must arrive.

use super::listen::LEGACY_CHANGED;
use super::version::VersionHeader;
use super::{Responded, batch, progress, refuse, respond, version};
use crate::observe::record::AnswerKind;
use crate::protocol::MODERN;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::identity::Caller;
use crate::request::refuse::write_rpc;
use crate::request::route::RoutedRequest;
use crate::serving::changes::Changes;
use crate::serving::context::Context;
use crate::serving::events::{EVENT_END, EVENT_START, EventStream, Guard, InWork, Message, event};
use crate::serving::shared::Shared;
use mcp_bundle::envelope::{self, Body};
use mcp_bundle::wire_enums::ProtocolVersion;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, mpsc};

/// The open streams by the ids of their sessions. Only this transport takes the lock.
#[derive(Debug)]
pub struct Sessions {
    open: Mutex<BTreeMap<String, Session>>,
    /// KiB of answers that may wait for clients to read them, of all sessions together.
    budget: Arc<Semaphore>,
}

#[derive(Debug, Clone)]
struct Session {
    answers: mpsc::Sender<Message>,
    /// Who opened it. For anyone else there is no such session.
    caller: Caller,
    toolset: Option<String>,
    /// The tag of the version that `initialize` agreed on; clients of this transport need not repeat it.
    version: Arc<AtomicU8>,
    /// As [`Sessions::budget`].
    budget: Arc<Semaphore>,
    /// Messages that may still be taken before others are answered: posts end at once, so nothing else bounds them.
    room: Arc<Semaphore>,
}

/// Ends the session with its stream.
#[derive(Debug)]
struct Ending {
    sessions: Arc<Sessions>,
    id: String,
}

/// Messages of a session that are worked on or whose answers wait for a client that reads slowly.
const WAITING: u32 = 32;

/// All answers that wait; a session whose answer finds no room ends.
const WAITING_KIB: usize = 64 << 10;

/// What bytes take of [`WAITING_KIB`].
pub(super) fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX)
}

impl Default for Sessions {
    fn default() -> Sessions {
        Sessions { open: Mutex::default(), budget: Arc::new(Semaphore::new(WAITING_KIB)) }
    }
}

impl Sessions {
    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.sessions.open().remove(&self.id);
    }
}

/// Opens a session's stream. Its first event says where to post.
pub fn open(context: &Context<'_>, sessions: &Arc<Sessions>) -> Result<EventStream, Failure> {
    let slot = context.shared.stream_slot().ok_or(Failure::TooManyStreams)?;
    let mut secret = [0; 16];
    // Without randomness ids could be guessed.
    getrandom::fill(&mut secret).map_err(|_| Failure::TooManyStreams)?;
    let id: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let (answers, messages) = mpsc::channel(WAITING as usize);
    let version = Arc::new(AtomicU8::new(ProtocolVersion::V20241105.tag()));
    let room = Arc::new(Semaphore::new(WAITING as usize));
    let in_work = InWork { room: Arc::clone(&room), all: WAITING };
    let (caller, toolset) = (context.request.caller.clone(), context.view.toolset().map(str::to_owned));
    let budget = Arc::clone(&sessions.budget);
    let session = Session { answers, caller, toolset, version, budget, room };
    sessions.open().insert(id.clone(), session);
    let opening = format!("event: endpoint\ndata: /messages?session={id}\n\n").into_bytes();
    context.answered(None, AnswerKind::Stream, opening.len());
    Ok(EventStream {
        opening,
        changes: Some(Changes::of(context, event(LEGACY_CHANGED))),
        messages: Some(messages),
        in_work: Some(in_work),
        closing: Vec::new(),
        guard: Guard(vec![Box::new(slot), Box::new(Ending { sessions: Arc::clone(sessions), id })]),
    })
}

/// Takes a posted message; the answer goes to the session's stream.
pub fn post(
    shared: &Arc<Shared>,
    sessions: &Arc<Sessions>,
    head: &Head,
    request: &RoutedRequest,
    body: &[u8],
) -> Result<(), Failure> {
    let query = head.uri.query().unwrap_or_default();
    let id = query.split('&').find_map(|pair| pair.strip_prefix("session=")).unwrap_or_default();
    let session = sessions.open().get(id).cloned();
    let session =
        session.filter(|session| session.caller.is_same(&request.caller)).ok_or(Failure::UnknownSession)?;
    let place = Arc::clone(&session.room).try_acquire_owned().map_err(|_| Failure::SessionBusy)?;
    let (shared, sessions) = (Arc::clone(shared), Arc::clone(sessions));
    let (head, request) = (head.clone(), request.clone());
    let (body, id) = (body.to_vec(), id.to_owned());
    tokio::spawn(async move {
        let work = async {
            let Some(out) = answer(&shared, &head, &request, &session, &body).await else { return };
            let Ok(room) = Arc::clone(&session.budget).try_acquire_many_owned(kib(out.len())) else {
                // Without a way to post, the stream ends once the others of its answers are sent.
                sessions.open().remove(&id);
                return;
            };
            let message = Message { bytes: out.into(), guard: Guard(vec![Box::new(place), Box::new(room)]) };
            // Fails when the stream is gone, and then nobody waits for it.
            let _ = session.answers.send(message).await;
        };
        // A client that closes its stream cancels what it asked for.
        tokio::select! {
            () = work => {}
            () = session.answers.closed() => {}
        }
    });
    Ok(())
}

/// The event that answers a message, if one does.
async fn answer(
    shared: &Arc<Shared>,
    head: &Head,
    request: &RoutedRequest,
    session: &Session,
    body: &[u8],
) -> Option<Vec<u8>> {
    let mut out = EVENT_START.to_vec();
    let catalog = shared.catalog();
    let toolset = session.toolset.as_deref();
    let view = catalog.as_ref().and_then(|catalog| catalog.view(&request.caller, toolset));
    let responded = match view {
        Some(view) => {
            let settings = &view.catalog().settings;
            let context = Context { shared, settings, view, head, request, notices: None, may_stream: false };
            respond_to_body(&context, session, body, &mut out).await
        }
        None => {
            shared.refused(head, request.facts(), &Failure::NotReady, 503);
            write_rpc(None, &Failure::NotReady, &mut out);
            Responded::Message(503)
        }
    };
    if !matches!(responded, Responded::Message(_) | Responded::Refused { .. }) {
        return None;
    }
    out.extend_from_slice(EVENT_END);
    Some(out)
}

async fn respond_to_body(
    context: &Context<'_>,
    session: &Session,
    body: &[u8],
    out: &mut Vec<u8>,
) -> Responded {
    let limits = &context.settings.limits;
    let mut message = None;
    let body = envelope::read(body, limits.json_depth, limits.batch, &mut message);
    if let Ok(Body::One(message)) = &body
        && message.is_method("initialize")
        && let Some(asked) = &message.params.protocol_version
    {
        session.version.store(version::negotiate(asked).tag(), Ordering::Relaxed);
    }
    let header = match VersionHeader::of(&context.head.headers) {
        VersionHeader::Known(version) if version != MODERN => VersionHeader::Known(version),
        _ => {
            let agreed = ProtocolVersion::from_tag(session.version.load(Ordering::Relaxed));
            VersionHeader::Known(agreed.unwrap_or(ProtocolVersion::V20241105))
        }
    };
    let failure = match body {
        Ok(Body::One(message)) => {
            let notices = progress::beside(message, &session.answers, &session.budget);
            let context = Context { notices: notices.as_ref(), ..*context };
            return respond(&context, header, message, out).await;
        }
        Ok(Body::Batch(messages)) => return batch::respond_to_all(context, header, &messages, out).await,
        Ok(Body::Other) => Failure::InvalidRequest("the body must be a JSON object"),
        Err(error) => Failure::NotJson(error.to_string()),
    };
    refuse(context, None, failure, out)
}
