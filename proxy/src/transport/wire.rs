//! Writes with a time limit, and closing so that the last answer arrives.

use crate::runtime::deadline::within;
use pingora_core::protocols::Stream;
use pingora_timeout::timeout;
use std::future::poll_fn;
use std::io::IoSlice;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// How long, and for how many bytes, we listen to a client whose request we will not read to its end.
pub(super) const LINGER: Duration = Duration::from_secs(1);
pub(super) const LINGER_BYTES: usize = 4 << 20;

/// The client left, or does not read.
#[derive(Debug)]
pub(super) struct Unwritten;

/// What it took to write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    /// The client did not take all of it at once.
    pub(super) waited: bool,
}

/// Writes and flushes both parts, together as long as there is something of the first; each single write may take `limit`.
pub(super) async fn write(
    stream: &mut Stream,
    [mut first, mut second]: [&[u8]; 2],
    limit: Duration,
) -> Result<Written, Unwritten> {
    let mut waited = false;
    while !first.is_empty() || !second.is_empty() {
        let both = [IoSlice::new(first), IoSlice::new(second)];
        let writing = async {
            if first.is_empty() || second.is_empty() {
                stream.write(if first.is_empty() { second } else { first }).await
            } else {
                stream.write_vectored(&both).await
            }
        };
        let mut writing = pin!(writing);
        let watched = poll_fn(|context| {
            let written = writing.as_mut().poll(context);
            waited |= written.is_pending();
            written
        });
        let Ok(Ok(written @ 1..)) = within(limit, pin!(watched)).await else { return Err(Unwritten) };
        let of_first = written.min(first.len());
        first = first.get(of_first..).unwrap_or_default();
        second = second.get(written - of_first..).unwrap_or_default();
    }
    match within(limit, pin!(stream.flush())).await {
        Ok(Ok(())) => Ok(Written { waited }),
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

#[cfg(test)]
mod tests {
    use super::*;
    use pingora_core::protocols::l4::stream::Stream as TcpStream;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn it_is_known_whether_the_client_had_to_be_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut client: Stream = Box::new(TcpStream::from(client));
        let (mut reader, _) = listener.accept().await.unwrap();
        let limit = Duration::from_secs(20);
        assert!(!write(&mut client, [b"short", &[]], limit).await.unwrap().waited);
        let long = vec![0; 64 << 20];
        let read_all = async {
            let mut read = 0;
            let mut part = vec![0; 1 << 20];
            while read < long.len() + 5 {
                read += reader.read(&mut part).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(write(&mut client, [&long, &[]], limit), read_all);
        assert!(written.unwrap().waited);
    }
}
