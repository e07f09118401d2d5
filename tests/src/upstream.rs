//! A scripted HTTP API that records every byte it receives.

use crate::{LONG, Script, json};
use std::collections::VecDeque;
use std::io::Read;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

#[derive(Debug)]
pub struct Upstream {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// Number of the connection that it came by, from 0.
    pub connection: usize,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// For the next requests, one each.
    scripts: VecDeque<Script>,
    /// For those that come after.
    always: Option<Script>,
    requests: Vec<Request>,
    connections: Vec<TcpStream>,
    threads: Vec<JoinHandle<()>>,
    closed: usize,
    permits: usize,
    stopped: bool,
}

impl Upstream {
    pub fn start() -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::<Shared>::default();
        let accept = {
            let shared = Arc::clone(&shared);
            move || listener.incoming().map_while(Result::ok).all(|stream| shared.accept(stream))
        };
        let acceptor = std::thread::spawn(move || _ = accept());
        Upstream { address, shared, acceptor: Some(acceptor) }
    }

    /// What the next request gets that nothing was said about yet. One without a script gets `{}`.
    pub fn answers(&self, script: Script) {
        self.shared.state().scripts.push_back(script);
    }

    /// What all further requests get.
    pub fn always_answers(&self, script: Script) {
        self.shared.state().always = Some(script);
    }

    /// Lets one script go on that holds.
    pub fn release(&self) {
        self.shared.change(|state| state.permits += 1);
    }

    /// The request of this number, from 0; waits for it.
    pub fn request(&self, number: usize) -> Request {
        let what = format!("request {number} of the upstream");
        self.shared.wait(&what, |state| state.requests.get(number).cloned())
    }

    /// How many requests came.
    pub fn count(&self) -> usize {
        self.shared.state().requests.len()
    }

    /// How many connections were opened.
    pub fn connections(&self) -> usize {
        self.shared.state().connections.len()
    }

    /// Waits until so many connections have ended.
    pub fn wait_closed(&self, count: usize) {
        self.shared.wait("the end of a connection", |state| (state.closed >= count).then_some(()));
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.shared.change(|state| state.stopped = true);
        // Wakes the thread, which then sees that it shall stop.
        let _ = TcpStream::connect(self.address);
        let _ = self.acceptor.take().map(JoinHandle::join);
        let (connections, threads) = {
            let mut state = self.shared.state();
            (std::mem::take(&mut state.connections), std::mem::take(&mut state.threads))
        };
        for connection in connections {
            let _ = connection.shutdown(Shutdown::Both);
        }
        for thread in threads {
            let _ = thread.join();
        }
    }
}

impl Request {
    pub fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).unwrap()
    }

    pub fn line(&self) -> String {
        self.text().lines().next().unwrap_or_default().to_owned()
    }

    /// The values of a header, in their order.
    pub fn header(&self, name: &str) -> Vec<String> {
        let text = self.text();
        let lines = text.split("\r\n\r\n").next().unwrap_or_default().lines().skip(1);
        let pairs = lines.filter_map(|line| line.split_once(": "));
        pairs.filter(|(known, _)| *known == name).map(|(_, value)| value.to_owned()).collect()
    }

    pub fn body(&self) -> String {
        self.text().split_once("\r\n\r\n").unwrap().1.to_owned()
    }
}

impl Shared {
    /// A test that fails elsewhere must not make others hang.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.state());
        self.changed.notify_all();
        changed
    }

    fn wait<T>(&self, what: &str, mut ready: impl FnMut(&mut State) -> Option<T>) -> T {
        let deadline = Instant::now() + LONG;
        let mut state = self.state();
        loop {
            if let Some(found) = ready(&mut state) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "waited too long for {what}");
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether the script may go on.
    pub(crate) fn take_permit(&self) -> bool {
        self.wait("a release", |state| {
            if state.permits == 0 && !state.stopped {
                return None;
            }
            state.permits = state.permits.saturating_sub(1);
            Some(!state.stopped)
        })
    }

    /// Whether more is to be accepted.
    fn accept(self: &Arc<Self>, stream: TcpStream) -> bool {
        let mut state = self.state();
        if state.stopped {
            return false;
        }
        let connection = state.connections.len();
        state.connections.push(stream.try_clone().unwrap());
        let shared = Arc::clone(self);
        state.threads.push(std::thread::spawn(move || shared.serve(connection, stream)));
        true
    }

    fn serve(&self, connection: usize, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_read_timeout(Some(LONG));
        let mut unread = Vec::new();
        while let Some(bytes) = read_request(&mut stream, &mut unread) {
            let request = Request { connection, bytes };
            let script = self.change(|state| {
                state.requests.push(request.clone());
                state.scripts.pop_front().or_else(|| state.always.clone()).unwrap_or_else(|| json("{}"))
            });
            if !script.play(&request, self, &mut stream) {
                break;
            }
        }
        self.change(|state| state.closed += 1);
    }
}

/// The next whole request; `None` if the connection ended before.
fn read_request(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<Vec<u8>> {
    loop {
        if let Some(length) = request_length(unread).filter(|length| *length <= unread.len()) {
            return Some(unread.drain(..length).collect());
        }
        let mut space = [0; 16 << 10];
        match stream.read(&mut space) {
            Ok(length @ 1..) => unread.extend_from_slice(space.get(..length)?),
            _ => return None,
        }
    }
}

fn request_length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(bytes.get(..head)?).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    Some(head + length.map_or(0, |length| length.parse().unwrap()))
}
