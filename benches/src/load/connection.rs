//! A keep-alive connection: requests one after the other, every answer read to its end and checked.

use super::answer::{BadAnswer, Body, Head, parse_head};
use super::chunked::Chunked;
use crate::AnyError;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BUFFER: usize = 64 << 10;
/// As much of a wrong answer is shown.
const SHOWN: usize = 300;

/// What is asked, and what must come back.
#[derive(Debug)]
pub struct Question {
    pub address: SocketAddr,
    pub request: Vec<u8>,
    pub status: u16,
    /// Of the body, decoded.
    pub length: usize,
    /// By how much the body may be longer: it says how old it is.
    pub longer: usize,
}

/// What becomes of a connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goes {
    On,
    /// The server wants no further request on it.
    Closes,
}

/// A connection with what was read from it.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// How the body of the last answer begins.
    start: Vec<u8>,
}

/// What of a body is still to come.
enum Rest {
    Bytes(usize),
    Chunks(Chunked),
}

/// Asks once and gives the answer's status and body.
pub async fn ask_once(address: SocketAddr, request: &[u8]) -> Result<(u16, Vec<u8>), AnyError> {
    let mut body = Vec::new();
    let mut connection = Connection::open(address).await?;
    let head = connection.exchange(request, |bytes| body.extend_from_slice(bytes)).await?;
    Ok((head.status, body))
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Result<Connection, AnyError> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: vec![0; BUFFER], start: Vec::new() })
    }

    /// Fails if the answer is not the expected one, or the last one.
    pub async fn ask(&mut self, question: &Question) -> Result<(), AnyError> {
        match self.ask_once_more(question).await? {
            Goes::On => Ok(()),
            Goes::Closes => Err(BadAnswer::Closes.into()),
        }
    }

    /// Fails if the answer is not the expected one.
    pub async fn ask_once_more(&mut self, question: &Question) -> Result<Goes, AnyError> {
        let mut received = 0;
        let mut start = std::mem::take(&mut self.start);
        start.clear();
        let exchanged = self.exchange(&question.request, |bytes| {
            received += bytes.len();
            start.extend_from_slice(bytes.get(..SHOWN.saturating_sub(start.len())).unwrap_or(bytes));
        });
        let head = exchanged.await?;
        self.start = start;
        let (seen, Question { status, length, longer, .. }) = (head.status, question);
        if seen == *status && (*length..=*length + *longer).contains(&received) {
            return Ok(if head.closes { Goes::Closes } else { Goes::On });
        }
        let (wanted, start) = (format!("{status} and {length}"), String::from_utf8_lossy(&self.start));
        Err(format!("an answer has status {seen} and {received} bytes instead of {wanted}: {start}").into())
    }

    /// Sends a request, hands the body of its answer on as it comes and gives its head.
    async fn exchange(&mut self, request: &[u8], mut body: impl FnMut(&[u8])) -> Result<Head, AnyError> {
        self.stream.write_all(request).await?;
        let (head, filled) = self.read_head().await?;
        let begun = self.buffer.get(head.head_length..filled).unwrap_or_default();
        let mut rest = match head.body {
            Body::Length(length) => Rest::Bytes(length),
            Body::Chunked => Rest::Chunks(Chunked::default()),
        };
        let mut done = rest.take(begun, &mut body)?;
        while !done {
            let count = self.read_at(0).await?;
            done = rest.take(self.buffer.get(..count).unwrap_or_default(), &mut body)?;
        }
        Ok(head)
    }

    /// Reads a head, and perhaps more: also gives how much is in the buffer.
    async fn read_head(&mut self) -> Result<(Head, usize), AnyError> {
        let mut filled = 0;
        loop {
            filled += self.read_at(filled).await?;
            if let Some(head) = parse_head(self.buffer.get(..filled).unwrap_or_default())? {
                return Ok((head, filled));
            }
        }
    }

    async fn read_at(&mut self, filled: usize) -> Result<usize, AnyError> {
        let free = self.buffer.get_mut(filled..).filter(|free| !free.is_empty()).ok_or(BadAnswer::TooLong)?;
        match self.stream.read(free).await? {
            0 => Err("the server closed a connection".into()),
            count => Ok(count),
        }
    }
}

impl Rest {
    /// Takes bytes of a body; true at its end.
    fn take(&mut self, bytes: &[u8], body: &mut impl FnMut(&[u8])) -> Result<bool, BadAnswer> {
        let (taken, done) = match self {
            Rest::Bytes(left) => {
                let (part, _) = bytes.split_at(bytes.len().min(*left));
                body(part);
                *left -= part.len();
                (part.len(), *left == 0)
            }
            Rest::Chunks(chunked) => (chunked.take(bytes, body)?, chunked.is_done()),
        };
        if taken == bytes.len() { Ok(done) } else { Err(BadAnswer::TooMuch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// Answers the first request with these bytes, then closes.
    fn server(answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = [0; 3];
            stream.read_exact(&mut request).expect("a request");
            for piece in answer.chunks(7) {
                stream.write_all(piece).expect("a reader");
            }
        });
        address
    }

    async fn asked(answer: &'static [u8]) -> Result<(), String> {
        let question =
            Question { address: server(answer), request: b"ask".to_vec(), status: 200, length: 5, longer: 0 };
        let mut connection = Connection::open(question.address).await.expect("a connection");
        connection.ask(&question).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn the_expected_answer_is_accepted_in_pieces_too() {
        assert_eq!(asked(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await, Ok(()));
    }

    #[tokio::test]
    async fn the_length_of_chunked_answers_is_that_of_what_they_hold() {
        let answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
        assert_eq!(asked(answer).await, Ok(()));
    }

    #[tokio::test]
    async fn wrong_answers_fail() {
        for (answer, expected) in [
            (
                &b"HTTP/1.1 500 No\r\ncontent-length: 5\r\n\r\nhello"[..],
                "an answer has status 500 and 5 bytes instead of 200 and 5: hello",
            ),
            (
                b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhell",
                "an answer has status 200 and 4 bytes instead of 200 and 5: hell",
            ),
            (
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhell\r\n0\r\n\r\n",
                "an answer has status 200 and 4 bytes instead of 200 and 5: hell",
            ),
            (
                b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello",
                "an answer closes its connection",
            ),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell", "the server closed a connection"),
            (b"HTTP/1.1 200", "the server closed a connection"),
        ] {
            assert_eq!(asked(answer).await, Err(expected.to_owned()));
        }
    }

    #[test]
    fn more_than_the_answer_is_refused() {
        let rests = [(Rest::Bytes(2), &b"abc"[..]), (Rest::Chunks(Chunked::default()), b"0\r\n\r\nabc")];
        for (mut rest, bytes) in rests {
            assert_eq!(rest.take(bytes, &mut |_: &[u8]| ()), Err(BadAnswer::TooMuch));
        }
    }

    #[tokio::test]
    async fn asking_once_gives_the_body() {
        let address = server(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
        let answer = ask_once(address, b"ask").await.expect("an answer");
        assert_eq!(answer, (200, b"hello".to_vec()));
    }
}
