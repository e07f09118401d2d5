//! Event streams that stay open.

use super::h1::shut_down;
use super::wire::{self, Unwritten};
use crate::serving::events::EventStream;
use bytes::Bytes;
use pingora_core::protocols::Stream;
use pingora_core::server::ShutdownWatch;
use std::io::Write;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// A comment: clients skip it, and proxies see that the stream is alive.
const KEEP_ALIVE: Bytes = Bytes::from_static(b":\n\n");

/// Where the events of a stream go.
pub(super) trait Sink: Send {
    fn send(&mut self, data: Bytes) -> impl Future<Output = Result<(), Unwritten>> + Send;
    /// Waits until the client has left. Safe to cancel.
    fn closed(&mut self) -> impl Future<Output = ()> + Send;
    /// Says that nothing follows.
    fn end(&mut self) -> impl Future<Output = Result<(), Unwritten>> + Send;
}

/// An HTTP/1 connection after the head of the stream.
pub(super) struct Http1Sink {
    pub(super) stream: Stream,
    /// HTTP/1.1; the end of an HTTP/1.0 stream is the end of its connection.
    pub(super) chunked: bool,
    pub(super) write_limit: Duration,
    /// Bytes to be sent together with the next event.
    pub(super) out: Vec<u8>,
}

/// Sends a stream's events until its end, the client's or ours.
pub(super) async fn run(
    sink: &mut impl Sink,
    mut events: EventStream,
    stopping: &mut ShutdownWatch,
    keep_alive: Duration,
) -> Result<(), Unwritten> {
    sink.send(Bytes::from(std::mem::take(&mut events.opening))).await?;
    loop {
        let data = tokio::select! {
            biased;
            () = shut_down(stopping) => break,
            () = sink.closed() => return Ok(()),
            next = events.next() => match next {
                Some(data) => data,
                None => return sink.end().await,
            },
            () = pingora_timeout::sleep(keep_alive) => KEEP_ALIVE,
        };
        sink.send(data).await?;
    }
    // What was accepted before is still answered; the process waits for it no longer than for other calls.
    if let Some(in_work) = events.in_work.take() {
        loop {
            let data = tokio::select! {
                biased;
                next = events.next() => match next {
                    Some(data) => data,
                    None => break,
                },
                () = in_work.done() => break,
                () = sink.closed() => return Ok(()),
            };
            sink.send(data).await?;
        }
    }
    let closing = std::mem::take(&mut events.closing);
    if !closing.is_empty() {
        sink.send(Bytes::from(closing)).await?;
    }
    sink.end().await
}

impl Sink for Http1Sink {
    async fn send(&mut self, data: Bytes) -> Result<(), Unwritten> {
        // A chunk of no length would be the end of the stream.
        if self.chunked && !data.is_empty() {
            // Writing to memory cannot fail.
            let _ = write!(self.out, "{:x}\r\n", data.len());
            self.out.extend_from_slice(&data);
            self.out.extend_from_slice(b"\r\n");
        } else {
            self.out.extend_from_slice(&data);
        }
        let sent = wire::write(&mut self.stream, [&self.out, &[]], self.write_limit).await;
        self.out.clear();
        sent.map(|_| ())
    }

    async fn closed(&mut self) {
        let mut scratch = [0; 64];
        // What a client sends after a request whose answer ends the connection is not read.
        while matches!(self.stream.read(&mut scratch).await, Ok(read) if read > 0) {}
    }

    async fn end(&mut self) -> Result<(), Unwritten> {
        let last: &[u8] = if self.chunked { b"0\r\n\r\n" } else { b"" };
        wire::write(&mut self.stream, [last, &[]], self.write_limit).await.map(|_| ())
    }
}
