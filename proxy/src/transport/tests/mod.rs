//! A real server on a free port, a handler that is not the edge, and clients that write bytes.

mod client;
mod hostile;
mod http2;
mod listening;
mod requests;
mod streams;
mod timing;

pub(crate) use client::Client;

use super::Handler;
use crate::process::{self, Listener, Options, Running};
use crate::request::head::Head;
use crate::request::identity::Peer;
use crate::request::reply::{BodyKind, Reply};
use crate::serving::events::{EventStream, Guard, Message};
use crate::serving::{Answered, Loaded, Serving};
use crate::settings::Settings;
use arc_swap::ArcSwap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Longer than anything here takes; a test that waits this long has failed.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Answers by path: `/echo` with the body, `/hold` when it is released, `/big` with 300,000 bytes,
/// `/events` and `/silent` with streams, `/none` with 204; `/who` reports that it was requested.
/// Anything else is refused by its head.
#[derive(Clone)]
pub(crate) struct Echo(Arc<Inner>);

struct Inner {
    serving: ArcSwap<Serving>,
    /// Lets calls of `/hold` go.
    release: Semaphore,
    told: mpsc::Sender<&'static str>,
    messages: Mutex<Option<tokio::sync::mpsc::Receiver<Message>>>,
}

/// A server and what its handler says.
pub(crate) struct Front {
    pub(crate) address: SocketAddr,
    pub(crate) running: Running,
    pub(crate) handler: Echo,
    pub(crate) told: mpsc::Receiver<&'static str>,
    pub(crate) messages: Option<tokio::sync::mpsc::Sender<Message>>,
}

struct TellWhenDropped<'a>(&'a Echo, &'static str);

pub(crate) fn front() -> Front {
    front_with(|_| {})
}

pub(crate) fn front_with(change: impl FnOnce(&mut Settings)) -> Front {
    let listener = Listener { address: "127.0.0.1:0".to_owned(), tls: None };
    start(change, listener, Options { threads: 2, ..Options::default() })
}

pub(crate) fn start(change: impl FnOnce(&mut Settings), listener: Listener, options: Options) -> Front {
    let bound =
        if options.upgrade { process::inherit(&[listener]) } else { process::bind(&[listener]) }.unwrap();
    let mut settings = Settings::default();
    change(&mut settings);
    let (sender, told) = mpsc::channel();
    let (messages, receiver) = tokio::sync::mpsc::channel(8);
    let handler = Echo(Arc::new(Inner {
        serving: ArcSwap::from_pointee(Serving {
            settings: Arc::new(settings),
            catalog: None,
            directory: Arc::default(),
        }),
        release: Semaphore::new(0),
        told: sender,
        messages: Mutex::new(Some(receiver)),
    }));
    let address = bound.addresses().first().copied().unwrap_or_else(|| SocketAddr::from(([0; 4], 0)));
    let running = process::start_with(handler.clone(), bound, options);
    Front { address, running, handler, told, messages: Some(messages) }
}

impl Front {
    pub(crate) fn client(&self) -> Client {
        Client::connect(self.address)
    }

    /// Waits for the handler to say so.
    pub(crate) fn hears(&self, word: &str) {
        assert_eq!(self.told.recv_timeout(LONG).unwrap(), word);
    }

    /// Lets one call of `/hold` go.
    pub(crate) fn release(&self) {
        self.handler.0.release.add_permits(1);
    }
}

impl Echo {
    fn tell(&self, word: &'static str) {
        // A test that has ended does not listen.
        let _ = self.0.told.send(word);
    }

    fn stream(&self, messages: Option<tokio::sync::mpsc::Receiver<Message>>) -> Answered {
        Answered::Stream(Box::new(EventStream {
            opening: b"data: opening\n\n".to_vec(),
            changes: None,
            messages,
            in_work: None,
            closing: b"data: closing\n\n".to_vec(),
            guard: Guard::default(),
        }))
    }
}

impl Drop for TellWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.tell(self.1);
    }
}

impl Handler for Echo {
    type Request = String;

    fn serving(&self) -> Loaded {
        self.0.serving.load()
    }

    async fn route(
        &self,
        _serving: &Serving,
        head: &Head,
        _peer: &Peer,
        reply: &mut Reply,
    ) -> Option<String> {
        reply.clear();
        let path = head.uri.path();
        if ["/echo", "/hold", "/big", "/events", "/silent", "/none", "/who"].contains(&path) {
            return Some(path.to_owned());
        }
        reply.status = 404;
        reply.headers.push(("x-asked", path.to_owned()));
        None
    }

    fn too_large(&self, _serving: &Serving, _request: &String, _head: &Head, reply: &mut Reply) {
        reply.clear();
        reply.status = 413;
    }

    async fn answer(
        &self,
        _serving: &Serving,
        request: &String,
        _head: &Head,
        body: &[u8],
        reply: &mut Reply,
    ) -> Answered {
        reply.clear();
        reply.kind = BodyKind::Text;
        match request.as_str() {
            "/hold" => {
                self.tell("started");
                let cancelled = TellWhenDropped(self, "cancelled");
                self.0.release.acquire().await.unwrap().forget();
                std::mem::forget(cancelled);
                reply.body.extend_from_slice(b"held ");
                reply.body.extend_from_slice(body);
            }
            "/who" => self.tell("asked"),
            "/big" => reply.body.resize(300_000, b'x'),
            "/events" => {
                let receiver = self.0.messages.lock().unwrap().take().unwrap();
                return self.stream(Some(receiver));
            }
            "/silent" => return self.stream(None),
            "/none" => {
                reply.kind = BodyKind::Empty;
                reply.status = 204;
            }
            _ => reply.body.extend_from_slice(body),
        }
        Answered::Reply
    }
}
