//! The stream of a connection to an upstream.

use crate::runtime::arrived::{Arrived, arrived};
use pingora_core::protocols::Stream;
use std::future::poll_fn;
use std::io;
use std::os::fd::AsRawFd;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// TCP alone is used as it is: Pingora's stream around it has a buffer of 64 KiB, which we would only copy from.
#[derive(Debug)]
pub(super) enum Link {
    Plain(TcpStream),
    Secure(Stream),
}

impl Link {
    /// An upstream has nothing to say between two exchanges: an end or a byte makes the connection useless. The runtime
    /// knows already whether there is something to read, so a quiet connection costs no system call.
    pub(super) fn is_quiet(&mut self) -> bool {
        let mut space = [0; 1];
        match self {
            Link::Plain(stream) => {
                stream.try_read(&mut space).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
            }
            Link::Secure(stream) => {
                let mut buffer = ReadBuf::new(&mut space);
                let read = poll_fn(|context| Pin::new(&mut *stream).poll_read(context, &mut buffer));
                let mut context = Context::from_waker(Waker::noop());
                pin!(tokio::task::unconstrained(read)).poll(&mut context).is_pending()
            }
        }
    }
}

impl Link {
    /// The same, asked of the system: for a request that may not be sent twice, what the runtime heard last is not enough. An
    /// upstream may have closed since, and most do so when they are reloaded.
    pub(super) fn is_quiet_now(&mut self) -> bool {
        let socket = match self {
            Link::Plain(stream) => stream.as_raw_fd(),
            // It is the number of the socket below.
            Link::Secure(stream) => stream.id(),
        };
        arrived(socket) == Arrived::Nothing && self.is_quiet()
    }
}

impl AsyncRead for Link {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Link::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Link::Secure(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Link {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Link::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Link::Secure(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Link::Plain(stream) => Pin::new(stream).poll_flush(context),
            Link::Secure(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Link::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Link::Secure(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
