//! Nobody waits for a server for ever.

use std::time::Duration;

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until there is a connection, with the handshake.
    pub connect: Duration,
    /// Until the head of a response is there.
    pub answer: Duration,
    /// Without a byte.
    pub silence: Duration,
    /// A whole transfer: the largest bundle over a slow line.
    pub transfer: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(20),
            silence: Duration::from_secs(20),
            transfer: Duration::from_secs(600),
        }
    }
}
