//! Answers that arrive while the request is still being written: an upstream may refuse a body before it has read it.

use super::link::Link;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

/// Where the status is in `HTTP/1.1 413`.
const STATUS_AT: usize = 9;

/// Reads an early answer into `input`. Ready if the rest of the request is not wanted: the upstream closed, or answers with a
/// status from 300 on. It may answer 100 or stream an early success while it still reads.
pub(super) fn poll_refusal(stream: &mut Link, input: &mut Vec<u8>, context: &mut Context<'_>) -> Poll<()> {
    // Nothing more is read before the request is written.
    while input.get(STATUS_AT).is_none() {
        let mut space = [0; 512];
        let mut buffer = ReadBuf::new(&mut space);
        match Pin::new(&mut *stream).poll_read(context, &mut buffer) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Err(_)) => return Poll::Ready(()),
            Poll::Ready(Ok(())) if buffer.filled().is_empty() => return Poll::Ready(()),
            Poll::Ready(Ok(())) => input.extend_from_slice(buffer.filled()),
        }
        if input.get(STATUS_AT).is_some_and(|status| *status >= b'3') {
            return Poll::Ready(());
        }
    }
    Poll::Pending
}
