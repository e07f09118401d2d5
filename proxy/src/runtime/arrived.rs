//! What a socket has for us, asked of the system itself.
//!
//! The runtime answers from what it heard last, and it hears only when it waits. Where a wrong answer loses a request, that is
//! not enough.

use std::io::ErrorKind;
use std::os::fd::RawFd;

/// What waits on a connection to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    Nothing,
    Bytes,
    /// The other side has closed, or the connection is broken.
    End,
}

/// One look, without waiting and without taking anything.
pub fn arrived(socket: RawFd) -> Arrived {
    use nix::sys::socket::{MsgFlags, recv};
    let mut space = [0; 1];
    match recv(socket, &mut space, MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT) {
        Ok(0) => Arrived::End,
        Ok(_) => Arrived::Bytes,
        Err(error) if std::io::Error::from(error).kind() == ErrorKind::WouldBlock => Arrived::Nothing,
        Err(_) => Arrived::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    #[test]
    fn what_has_arrived_is_seen_and_stays() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        assert_eq!(arrived(one.as_raw_fd()), Arrived::Nothing);
        other.write_all(b"x").unwrap();
        // Loopback delivers before the write returns.
        assert_eq!(arrived(one.as_raw_fd()), Arrived::Bytes);
        let mut byte = [0; 1];
        one.read_exact(&mut byte).unwrap();
        assert_eq!(arrived(one.as_raw_fd()), Arrived::Nothing);
        other.shutdown(Shutdown::Write).unwrap();
        assert_eq!(arrived(one.as_raw_fd()), Arrived::End);
    }
}
