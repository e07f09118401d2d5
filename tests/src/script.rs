//! What the upstream does with a request.

use crate::LONG;
use crate::upstream::{Request, Shared};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

/// Steps that follow a request; after the last one the connection takes the next request.
#[derive(Debug, Clone, Default)]
pub struct Script(Vec<Step>);

#[derive(Debug, Clone)]
enum Step {
    Send(Vec<u8>),
    Echo,
    Hold,
    Close,
    UntilClosed,
}

/// These bytes, whatever they are.
pub fn raw(bytes: impl AsRef<[u8]>) -> Script {
    Script::default().send(bytes)
}

/// A whole answer: status, further header lines, body; its length is added.
pub fn reply(head: &str, body: impl AsRef<[u8]>) -> Script {
    let body = body.as_ref();
    raw(format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len())).send(body)
}

/// A whole answer with a content type.
pub fn answer(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Script {
    reply(&format!("{status} Status\r\ncontent-type: {content_type}"), body)
}

/// A success whose text is the line of the request.
pub fn echo() -> Script {
    Script::default().and(Step::Echo)
}

/// A success with JSON.
pub fn json(body: impl AsRef<[u8]>) -> Script {
    answer(200, "application/json", body)
}

impl Script {
    #[must_use]
    pub fn send(mut self, bytes: impl AsRef<[u8]>) -> Script {
        match self.0.last_mut() {
            Some(Step::Send(before)) => before.extend_from_slice(bytes.as_ref()),
            _ => self.0.push(Step::Send(bytes.as_ref().to_vec())),
        }
        self
    }

    /// Waits for [`crate::Upstream::release`] before all else.
    #[must_use]
    pub fn held(mut self) -> Script {
        self.0.insert(0, Step::Hold);
        self
    }

    /// Waits for [`crate::Upstream::release`].
    #[must_use]
    pub fn hold(self) -> Script {
        self.and(Step::Hold)
    }

    /// Closes the connection.
    #[must_use]
    pub fn close(self) -> Script {
        self.and(Step::Close)
    }

    /// Says nothing more; the edge has to close the connection.
    #[must_use]
    pub fn until_closed(self) -> Script {
        self.and(Step::UntilClosed)
    }

    fn and(mut self, step: Step) -> Script {
        self.0.push(step);
        self
    }

    /// Whether the connection may go on.
    pub(crate) fn play(&self, request: &Request, shared: &Shared, stream: &mut TcpStream) -> bool {
        self.0.iter().all(|step| match step {
            // An edge that has heard enough closes.
            Step::Send(bytes) => stream.write_all(bytes).is_ok(),
            Step::Echo => answer(200, "text/plain", request.line()).play(request, shared, stream),
            Step::Hold => shared.take_permit(),
            Step::Close => {
                let _ = stream.shutdown(Shutdown::Both);
                false
            }
            Step::UntilClosed => {
                let _ = stream.set_read_timeout(Some(LONG));
                while matches!(stream.read(&mut [0; 512]), Ok(1..)) {}
                false
            }
        })
    }
}
