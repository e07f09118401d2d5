//! Writes with a time limit, and closing so that the last answer arrives.

use crate::time_limit::within;
use pingora_core::protocols::Stream;
use pingora_timeout::timeout;
use std::io::IoSlice;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// How long, and for how many bytes, we listen to a client whose request we will not read to its end.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 4 << 20;

/// The client left, or does not read.
#[derive(Debug)]
pub(super) struct Unwritten;

/// Writes and flushes both parts, together as long as there is something of the first; each single write may take `limit`.
pub(super) async fn write(
    stream: &mut Stream,
    [mut first, mut second]: [&[u8]; 2],
    limit: Duration,
) -> Result<(), Unwritten> {
    while !first.is_empty() || !second.is_empty() {
        let both = [IoSlice::new(first), IoSlice::new(second)];
        let writing = async {
            if first.is_empty() || second.is_empty() {
                stream.write(if first.is_empty() { second } else { first }).await
            } else {
                stream.write_vectored(&both).await
            }
        };
        let Ok(Ok(written @ 1..)) = within(limit, pin!(writing)).await else { return Err(Unwritten) };
        let of_first = written.min(first.len());
        first = first.get(of_first..).unwrap_or_default();
        second = second.get(written - of_first..).unwrap_or_default();
    }
    match within(limit, pin!(stream.flush())).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Unwritten),
    }
}

/// Ends a connection on which the client may still be sending. Closing it at once would reset it, and a reset takes the
/// answer away from a client that has not read it yet.
pub(super) async fn close_gently(mut stream: Stream) {
    let drain = async {
        let _ = stream.shutdown().await;
        let mut scratch = [0; 4096];
        let mut left = LINGER_BYTES;
        while left > 0 {
            match stream.read(&mut scratch).await {
                Ok(read) if read > 0 => left = left.saturating_sub(read),
                _ => return,
            }
        }
    };
    let _ = timeout(LINGER, drain).await;
}

/// Ends a connection on which nothing is left to read.
pub(super) async fn close(mut stream: Stream) {
    let _ = timeout(LINGER, stream.shutdown()).await;
}
