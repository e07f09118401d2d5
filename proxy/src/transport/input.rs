//! What arrives on an HTTP/1 connection: heads, bodies, and what the client sends ahead.

use super::body::{BodyError, BodyLimits};
use crate::request::head::Head;
use http::{Method, Uri};
use mcp_http1::{Body as Framing, Chunked, Malformed};
use pingora_core::protocols::Stream;
use pingora_timeout::timeout;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::Poll;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

/// Longest head of a request.
const MAX_HEAD: usize = 64 << 10;
/// Room for the whole of nearly every request.
const READ: usize = 2 << 10;
/// Most that is asked for at once on the word of a `content-length`.
const BODY_READ: usize = 64 << 10;
/// What a client may send before it has its answer. If it sends more, its leaving shows only when the answer is written.
const AHEAD: usize = 16 << 10;
/// What each buffer may keep between two requests.
const KEPT: usize = 4 << 10;

/// The reading side of a connection. Its memory is used again by each request.
#[derive(Default)]
pub(super) struct Input {
    /// Begins with the request that is being read or answered.
    buffer: Vec<u8>,
    /// Arrived while a request was answered.
    ahead: Vec<u8>,
    /// A body that came in chunks, put together.
    joined: Vec<u8>,
}

/// What is known of a request after its head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) keep_alive: bool,
    /// HTTP/1.0.
    pub(super) old: bool,
    /// Only the head of the answer is wanted.
    pub(super) head_only: bool,
    pub(super) framing: Framing,
    head_length: usize,
}

/// A body that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read {
    chunked: bool,
    start: usize,
    /// Where the request ends in the buffer.
    end: usize,
}

/// Why there is no head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadError {
    /// The client left.
    Gone,
    Malformed,
    TooLong,
}

impl Input {
    /// Something of the next request is here already.
    pub(super) fn has_begun(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Reads the next head into `head`. Safe to cancel: what was read stays.
    pub(super) async fn head(&mut self, stream: &mut Stream, head: &mut Head) -> Result<Request, HeadError> {
        let mut looked_at = 0;
        loop {
            let buffer = &self.buffer;
            // A head ends with a line: later bytes without one are not worth another look at all of it.
            let is_first = looked_at == 0 && !buffer.is_empty();
            let is_worth_it = is_first || buffer.get(looked_at..).is_some_and(|new| new.contains(&b'\n'));
            let read = if is_worth_it { read_head(buffer, head) } else { Ok(None) };
            match read {
                Ok(Some(request)) => return Ok(request),
                Err(Malformed) => return Err(HeadError::Malformed),
                Ok(None) if buffer.len() >= MAX_HEAD => return Err(HeadError::TooLong),
                Ok(None) => {
                    looked_at = buffer.len();
                    self.more(stream, READ).await.map_err(|_| HeadError::Gone)?;
                }
            }
        }
    }

    /// Reads the body of a request.
    pub(super) async fn body(
        &mut self,
        stream: &mut Stream,
        request: &Request,
        limits: BodyLimits,
    ) -> Result<Read, BodyError> {
        let start = request.head_length;
        match request.framing {
            Framing::None | Framing::UntilClose => Ok(Read { chunked: false, start, end: start }),
            Framing::Length(length) => {
                let length = usize::try_from(length).map_err(|_| BodyError::TooLarge)?;
                if length > limits.length {
                    return Err(BodyError::TooLarge);
                }
                let end = start.saturating_add(length);
                if self.buffer.len() < end {
                    let rest = self.fill_to(stream, end);
                    timeout(limits.time, rest).await.unwrap_or(Err(BodyError::TooSlow))?;
                }
                Ok(Read { chunked: false, start, end })
            }
            Framing::Chunked => {
                let all = self.join_chunks(stream, start, limits.length);
                let end = timeout(limits.time, all).await.unwrap_or(Err(BodyError::TooSlow))?;
                Ok(Read { chunked: true, start, end })
            }
        }
    }

    /// The bytes of a body, and where what the client sends meanwhile goes.
    pub(super) fn split(&mut self, read: Read) -> (&[u8], &mut Vec<u8>) {
        let body = if read.chunked {
            &self.joined
        } else {
            self.buffer.get(read.start..read.end).unwrap_or_default()
        };
        (body, &mut self.ahead)
    }

    /// The request is answered: what follows it comes next.
    pub(super) fn finish(&mut self, read: Read) {
        self.buffer.drain(..read.end.min(self.buffer.len()));
        self.buffer.append(&mut self.ahead);
        // An idle connection holds little.
        for buffer in [&mut self.buffer, &mut self.ahead, &mut self.joined] {
            if buffer.is_empty() && buffer.capacity() > KEPT {
                *buffer = Vec::new();
            }
        }
    }

    async fn fill_to(&mut self, stream: &mut Stream, end: usize) -> Result<(), BodyError> {
        while self.buffer.len() < end {
            let room = (end - self.buffer.len()).min(BODY_READ);
            self.more(stream, room).await?;
        }
        Ok(())
    }

    /// Returns where the body ends in the buffer.
    async fn join_chunks(
        &mut self,
        stream: &mut Stream,
        start: usize,
        limit: usize,
    ) -> Result<usize, BodyError> {
        self.joined.clear();
        let mut chunked = Chunked::default();
        loop {
            let mut rest = self.buffer.get(start..).unwrap_or_default();
            while let Some(data) = chunked.next(&mut rest).map_err(|_| BodyError::Malformed)? {
                if data.len() > limit - self.joined.len() {
                    return Err(BodyError::TooLarge);
                }
                self.joined.extend_from_slice(data);
            }
            let end = self.buffer.len() - rest.len();
            if chunked.is_done() {
                return Ok(end);
            }
            self.buffer.truncate(start);
            self.more(stream, READ).await?;
        }
    }

    async fn more(&mut self, stream: &mut Stream, room: usize) -> Result<(), BodyError> {
        self.buffer.reserve(room);
        match stream.read_buf(&mut self.buffer).await {
            Ok(read) if read > 0 => Ok(()),
            _ => Err(BodyError::Gone),
        }
    }
}

/// Ends when the client leaves; what it sends until then is kept.
pub(super) async fn gone(stream: &mut Stream, ahead: &mut Vec<u8>) {
    std::future::poll_fn(|context| {
        while ahead.len() < AHEAD {
            // Nearly always there is nothing, so memory for it is not kept.
            let mut space = [MaybeUninit::uninit(); 512];
            let mut read = ReadBuf::uninit(&mut space);
            match Pin::new(&mut *stream).poll_read(context, &mut read) {
                Poll::Ready(Ok(())) if !read.filled().is_empty() => ahead.extend_from_slice(read.filled()),
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Pending
    })
    .await;
}

/// `None` if the head is not whole yet.
fn read_head(buffer: &[u8], head: &mut Head) -> Result<Option<Request>, Malformed> {
    let Some(read) = head.headers.read(buffer)? else { return Ok(None) };
    // A client mostly asks for the same as before.
    if !read.asks_the_same {
        let (method, target) = head.headers.method_and_target();
        head.method = Method::from_bytes(method).map_err(|_| Malformed)?;
        head.uri = Uri::try_from(target).map_err(|_| Malformed)?;
    }
    // Of two names, whoever stands before us may have gone by the other one.
    if let Some(authority) = head.uri.authority()
        && head.headers.all("host").any(|host| !host.eq_ignore_ascii_case(authority.as_str().as_bytes()))
    {
        return Err(Malformed);
    }
    head.length = if let Framing::Length(length) = read.body { Some(length) } else { None };
    Ok(Some(Request {
        keep_alive: read.keep_alive,
        old: read.minor == 0,
        head_only: head.method == Method::HEAD,
        framing: read.body,
        head_length: read.length,
    }))
}
