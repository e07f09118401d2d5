//! What goes to a child's standard input: whole lines, one after the other.
//!
//! Whoever has a message writes it at once if the pipe takes it, on whatever thread that is: to hand it to another thread first
//! would take longer than the write. What the pipe does not take waits here for the connection's own task.

use bytes::{Buf, BytesMut};
use std::io::{ErrorKind, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::unix::pipe::Sender;
use tokio::sync::Notify;

/// The lines of one child.
#[derive(Debug)]
pub(super) struct Outbox {
    state: Mutex<State>,
    /// Something waits, or the box was closed.
    filled: Notify,
    /// The most bytes that may wait. One line beyond that is taken if nothing waits.
    most: usize,
}

#[derive(Debug)]
struct State {
    /// `None` if the box is closed.
    pipe: Option<Arc<Sender>>,
    waiting: BytesMut,
}

/// Why a line was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotTaken {
    Closed,
    /// The child does not read.
    Full,
}

impl Outbox {
    pub(super) fn new(pipe: Sender, most: usize) -> Outbox {
        let state = State { pipe: Some(Arc::new(pipe)), waiting: BytesMut::new() };
        Outbox { state: Mutex::new(state), filled: Notify::new(), most }
    }

    /// Takes a line, without its line feed: all of it or nothing.
    pub(super) fn send(&self, line: &[u8]) -> Result<(), NotTaken> {
        let mut state = self.lock();
        let Some(pipe) = &state.pipe else { return Err(NotTaken::Closed) };
        let mut sent = 0;
        if state.waiting.is_empty() {
            match pipe.try_write_vectored(&[IoSlice::new(line), IoSlice::new(b"\n")]) {
                Ok(length) => sent = length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return Err(NotTaken::Closed),
            }
        } else if state.waiting.len() + line.len() >= self.most {
            return Err(NotTaken::Full);
        }
        if sent <= line.len() {
            state.waiting.extend_from_slice(line.get(sent..).unwrap_or_default());
            state.waiting.extend_from_slice(b"\n");
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Nothing more is taken. What waits is still written, if somebody runs [`Outbox::run`].
    pub(super) fn close(&self) {
        self.lock().pipe = None;
        self.filled.notify_one();
    }

    /// Writes what waits, until the box is closed or the child reads no more.
    pub(super) async fn run(&self) {
        let Some(pipe) = self.lock().pipe.clone() else { return };
        loop {
            let is_closed = match self.write(&pipe) {
                Ok(is_closed) => is_closed,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if pipe.writable().await.is_err() {
                        return;
                    }
                    continue;
                }
                Err(_) => return,
            };
            if is_closed {
                return;
            }
            self.filled.notified().await;
        }
    }

    /// Writes until nothing waits; whether the box is closed.
    fn write(&self, pipe: &Sender) -> std::io::Result<bool> {
        let mut state = self.lock();
        while !state.waiting.is_empty() {
            let sent = pipe.try_write(&state.waiting)?;
            state.waiting.advance(sent);
        }
        // The memory of a message that was large once is given back.
        state.waiting = BytesMut::new();
        Ok(state.pipe.is_none())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use tokio::net::unix::pipe;

    #[tokio::test]
    async fn lines_arrive_whole_and_in_order_whatever_the_pipe_takes_at_once() {
        let (sender, mut receiver) = pipe::pipe().unwrap();
        let outbox = Outbox::new(sender, usize::MAX);
        let lines: Vec<String> = (0..40).map(|i| format!("{i}:{}", "x".repeat(i * 700))).collect();
        let send = async {
            for line in &lines {
                outbox.send(line.as_bytes()).unwrap();
            }
            let mut bytes = vec![0; lines.join("\n").len() + 1];
            receiver.read_exact(&mut bytes).await.unwrap();
            outbox.close();
            assert_eq!(outbox.send(b"late"), Err(NotTaken::Closed));
            String::from_utf8(bytes).unwrap()
        };
        let ((), all) = tokio::join!(outbox.run(), send);
        assert_eq!(all.lines().collect::<Vec<_>>(), lines);
    }

    #[tokio::test]
    async fn what_nobody_reads_is_bounded() {
        let (sender, receiver) = pipe::pipe().unwrap();
        let outbox = Outbox::new(sender, 1 << 20);
        let line = vec![b'x'; 100_000];
        let taken = (0..100).take_while(|_| outbox.send(&line).is_ok()).count();
        assert!((10..=12).contains(&taken), "{taken}");
        assert_eq!(outbox.send(&line), Err(NotTaken::Full));
        drop(receiver);
        outbox.run().await;
    }
}
