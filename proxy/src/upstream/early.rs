//! Answers that arrive while the request is still being written: an upstream may refuse a body before it has read it.

use async_trait::async_trait;
use pingora_core::protocols::raw_connect::ProxyDigest;
use pingora_core::protocols::{
    GetProxyDigest, GetSocketDigest, GetTimingDigest, Peek, Shutdown, SocketDigest, Ssl, Stream,
    TimingDigest, UniqueID, UniqueIDType,
};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Where the status stands in `HTTP/1.1 413`.
const STATUS_AT: usize = 9;

/// What was read of an early answer.
#[derive(Default)]
pub(super) struct Early {
    bytes: Vec<u8>,
    /// Nothing more is read before the request is written.
    settled: bool,
}

/// A stream whose first bytes were read before.
#[derive(Debug)]
pub(super) struct Replayed {
    first: io::Cursor<Vec<u8>>,
    stream: Stream,
}

impl Early {
    /// Ready if the rest of the request is not wanted: the upstream closed, or answers with a status from 300 on.
    /// It may answer 100 or stream an early success while it still reads.
    pub fn poll_refusal(&mut self, stream: &mut Stream, context: &mut Context<'_>) -> Poll<()> {
        while !self.settled {
            let mut space = [0; 512];
            let mut buffer = ReadBuf::new(&mut space);
            match Pin::new(&mut *stream).poll_read(context, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(())) if buffer.filled().is_empty() => return Poll::Ready(()),
                Poll::Ready(Ok(())) => self.bytes.extend_from_slice(buffer.filled()),
            }
            if let Some(status) = self.bytes.get(STATUS_AT) {
                self.settled = true;
                if *status >= b'3' {
                    return Poll::Ready(());
                }
            }
        }
        Poll::Pending
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Replayed {
    pub fn new(first: Vec<u8>, stream: Stream) -> Replayed {
        Replayed { first: io::Cursor::new(first), stream }
    }
}

impl AsyncRead for Replayed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let replayed = Pin::new(&mut self.first).poll_read(context, buffer);
        if buffer.filled().len() > before {
            return replayed;
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Replayed {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[async_trait]
impl Shutdown for Replayed {
    async fn shutdown(&mut self) {
        self.stream.shutdown().await;
    }
}

impl UniqueID for Replayed {
    fn id(&self) -> UniqueIDType {
        self.stream.id()
    }
}

impl GetTimingDigest for Replayed {
    fn get_timing_digest(&self) -> Vec<Option<TimingDigest>> {
        self.stream.get_timing_digest()
    }
}

impl GetProxyDigest for Replayed {
    fn get_proxy_digest(&self) -> Option<Arc<ProxyDigest>> {
        self.stream.get_proxy_digest()
    }
}

impl GetSocketDigest for Replayed {
    fn get_socket_digest(&self) -> Option<Arc<SocketDigest>> {
        self.stream.get_socket_digest()
    }
}

impl Ssl for Replayed {}

impl Peek for Replayed {}
