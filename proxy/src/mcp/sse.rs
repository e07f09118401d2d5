//! The HTTP+SSE transport of 2024-11-05: requests are posted, their answers come over a stream opened before.
//!
//! A session lives in the memory of one process, on whose listener both connections must arrive.

use super::listen::LEGACY_CHANGED;
use super::version::Told;
use super::{Context, MODERN, Responded, batch, respond, version, write_error};
use crate::edge::Edge;
use crate::request::events::{EVENT_END, EVENT_START, EventStream, Guard, InWork, Message, event};
use crate::request::failure::Failure;
use crate::request::head::Headers;
use crate::request::identity::Caller;
use crate::telemetry::logging::RequestId;
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
    toolset: Option<String>,
    /// The tag of the revision that `initialize` settled; clients of this transport need not repeat it.
    era: Arc<AtomicU8>,
    /// Messages that may still be taken before others are answered: posts end at once, so nothing else bounds them.
    room: Arc<Semaphore>,
}

/// What became of a posted message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    Taken,
    NoSession,
    /// The session has too many messages in work.
    Full,
}

/// Ends the session with its stream.
#[derive(Debug)]
struct Ending {
    edge: Arc<Edge>,
    id: String,
}

/// Messages of a session that are worked on or whose answers wait for a client that reads slowly.
const WAITING: u32 = 32;

/// All answers that wait; a session whose answer finds no room ends.
const WAITING_KIB: usize = 64 << 10;

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
        self.edge.sessions.open().remove(&self.id);
    }
}

/// Opens a session's stream. Its first event says where to post.
pub fn open(edge: &Arc<Edge>, toolset: Option<&str>) -> Result<EventStream, Failure> {
    let slot = edge.stream_slot().ok_or(Failure::TooManyStreams)?;
    let mut secret = [0; 16];
    // Without randomness ids could be guessed.
    getrandom::fill(&mut secret).map_err(|_| Failure::TooManyStreams)?;
    let id: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let (answers, messages) = mpsc::channel(WAITING as usize);
    let era = Arc::new(AtomicU8::new(ProtocolVersion::V20241105.tag()));
    let room = Arc::new(Semaphore::new(WAITING as usize));
    let in_work = InWork { room: Arc::clone(&room), all: WAITING };
    let session = Session { answers, toolset: toolset.map(str::to_owned), era, room };
    edge.sessions.open().insert(id.clone(), session);
    Ok(EventStream {
        opening: format!("event: endpoint\ndata: /messages?session={id}\n\n").into_bytes(),
        changes: Some((edge.changes(), event(LEGACY_CHANGED).into())),
        messages: Some(messages),
        in_work: Some(in_work),
        closing: Vec::new(),
        guard: Guard(vec![Box::new(slot), Box::new(Ending { edge: Arc::clone(edge), id })]),
    })
}

/// Takes a posted message; the answer goes to the session's stream.
pub fn post(
    edge: &Arc<Edge>,
    query: &str,
    headers: &Headers,
    caller: &Caller,
    request_id: &RequestId,
    body: &[u8],
) -> Posted {
    let id = query.split('&').find_map(|pair| pair.strip_prefix("session=")).unwrap_or_default();
    let Some(session) = edge.sessions.open().get(id).cloned() else {
        return Posted::NoSession;
    };
    let Ok(place) = Arc::clone(&session.room).try_acquire_owned() else {
        return Posted::Full;
    };
    let told = match Told::of(headers) {
        Told::Known(era) if era != MODERN => Some(era),
        _ => None,
    };
    let (edge, body, headers) = (Arc::clone(edge), body.to_vec(), headers.clone());
    let (caller, request_id, id) = (caller.clone(), request_id.clone(), id.to_owned());
    tokio::spawn(async move {
        let work = async {
            let catalog = edge.catalog();
            let view = catalog.as_ref().and_then(|catalog| catalog.view(session.toolset.as_deref()));
            let (headers, caller, request_id) = (&headers, &caller, &request_id);
            let mut out = EVENT_START.to_vec();
            match (&catalog, view) {
                (Some(catalog), Some(view)) => {
                    let context = Context { edge: &edge, catalog, view, headers, caller, request_id };
                    answer(&context, &session, told, &body, &mut out).await;
                }
                _ => write_error(None, &Failure::NotReady, &mut out),
            }
            if out.len() == EVENT_START.len() {
                return;
            }
            out.extend_from_slice(EVENT_END);
            let kib = u32::try_from(out.len() / 1024 + 1).unwrap_or(u32::MAX);
            let Ok(room) = Arc::clone(&edge.sessions.budget).try_acquire_many_owned(kib) else {
                // Without a way to post, the stream ends once the others of its answers are sent.
                edge.sessions.open().remove(&id);
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
    Posted::Taken
}

async fn answer(
    context: &Context<'_>,
    session: &Session,
    told: Option<ProtocolVersion>,
    body: &[u8],
    out: &mut Vec<u8>,
) {
    let limits = &context.catalog.settings.limits;
    let mut place = None;
    let body = envelope::read(body, limits.json_depth, limits.batch, &mut place);
    if let Ok(Body::One(message)) = &body
        && message.is_method("initialize")
        && let Some(asked) = &message.params.protocol_version
    {
        session.era.store(version::negotiate(asked).tag(), Ordering::Relaxed);
    }
    let settled =
        ProtocolVersion::from_tag(session.era.load(Ordering::Relaxed)).unwrap_or(ProtocolVersion::V20241105);
    let told = Told::Known(told.unwrap_or(settled));
    let responded = match body {
        Ok(Body::One(message)) => respond(context, told, message, out).await,
        Ok(Body::Batch(messages)) => batch::respond_to_all(context, told, &messages, out).await,
        Ok(Body::Other) => {
            write_error(None, &Failure::InvalidRequest("the body must be a JSON object"), out);
            return;
        }
        Err(error) => {
            write_error(None, &Failure::NotJson(error.to_string()), out);
            return;
        }
    };
    if !matches!(responded, Responded::Message(_)) {
        out.truncate(EVENT_START.len());
    }
}
