//! One round: keep-alive connections that ask one request after the other, every answer checked.

use super::answer::{BadAnswer, Head, parse_head};
use super::process::Server;
use crate::Failure;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Before anything is counted: connections are opened, pools filled.
const WARM_UP: Duration = Duration::from_millis(300);
const BUFFER: usize = 64 << 10;

/// What is asked, and what must come back.
#[derive(Debug)]
pub struct Question {
    pub address: SocketAddr,
    pub request: Vec<u8>,
    pub status: u16,
    pub length: usize,
}

/// What a round showed.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Answers in a second.
    pub rate: f64,
    /// Microseconds from the request's first byte to the answer's last.
    pub p50: f64,
    pub p99: f64,
    /// CPU microseconds of the server for one answer.
    pub cpu: f64,
    pub memory_mib: f64,
}

/// What the connections of a round share. They run on one thread.
#[derive(Debug, Default)]
struct Shared {
    counts: Cell<bool>,
    ends: Cell<bool>,
    nanoseconds: RefCell<Vec<u64>>,
}

/// A connection with what was read from it.
struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// Asks for `time` over this many connections. Must run on a `LocalSet`.
pub async fn run(
    question: &Rc<Question>,
    server: &Server,
    connections: usize,
    time: Duration,
) -> Result<Measured, Failure> {
    let shared = Rc::new(Shared::default());
    let mut tasks = JoinSet::new();
    for _ in 0..connections {
        tasks.spawn_local(ask_on(Rc::clone(question), Rc::clone(&shared)));
    }
    wait(&mut tasks, WARM_UP).await?;
    let (before, begin) = (server.usage()?, Instant::now());
    shared.counts.set(true);
    wait(&mut tasks, time).await?;
    shared.counts.set(false);
    let (after, elapsed) = (server.usage()?, begin.elapsed());
    shared.ends.set(true);
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    let mut nanoseconds = shared.nanoseconds.take();
    nanoseconds.sort_unstable();
    if nanoseconds.is_empty() {
        return Err("nothing was answered in a round; give it more seconds".into());
    }
    let answers = nanoseconds.len() as f64;
    Ok(Measured {
        rate: answers / elapsed.as_secs_f64(),
        p50: quantile(&nanoseconds, 0.50) / 1e3,
        p99: quantile(&nanoseconds, 0.99) / 1e3,
        cpu: (after.cpu_seconds - before.cpu_seconds) * 1e6 / answers,
        memory_mib: after.memory_mib,
    })
}

/// Asks once and gives the answer's status and body.
pub async fn ask_once(address: SocketAddr, request: &[u8]) -> Result<(u16, Vec<u8>), Failure> {
    let mut connection = Connection::open(address).await?;
    connection.stream.write_all(request).await?;
    let (head, filled) = connection.read_head().await?;
    let begun = connection.buffer.get(head.head_length..filled).ok_or("a head longer than what was read")?;
    let mut body = begun.to_vec();
    body.resize(head.body_length.max(begun.len()), 0);
    let rest = body.get_mut(begun.len()..).ok_or("a body longer than it is")?;
    connection.stream.read_exact(rest).await?;
    Ok((head.status, body))
}

/// Lets the connections work; ends early if one of them fails.
async fn wait(tasks: &mut JoinSet<Result<(), Failure>>, time: Duration) -> Result<(), Failure> {
    tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        Some(ended) = tasks.join_next() => {
            ended??;
            Err("a connection ended before its round".into())
        }
    }
}

async fn ask_on(question: Rc<Question>, shared: Rc<Shared>) -> Result<(), Failure> {
    let mut connection = Connection::open(question.address).await?;
    while !shared.ends.get() {
        let begin = Instant::now();
        connection.ask(&question).await?;
        if shared.counts.get() {
            let taken = u64::try_from(begin.elapsed().as_nanos())?;
            shared.nanoseconds.borrow_mut().push(taken);
        }
    }
    Ok(())
}

impl Connection {
    async fn open(address: SocketAddr) -> Result<Connection, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: vec![0; BUFFER] })
    }

    async fn ask(&mut self, question: &Question) -> Result<(), Failure> {
        self.stream.write_all(&question.request).await?;
        let (head, mut received) = self.read_head().await?;
        if (head.status, head.body_length) != (question.status, question.length) {
            let Question { status, length, .. } = question;
            return Err(format!(
                "an answer has status {} and {} bytes instead of {status} and {length}",
                head.status, head.body_length
            )
            .into());
        }
        let whole = head.head_length + head.body_length;
        while received < whole {
            received += self.read_at(0).await?;
        }
        if received == whole { Ok(()) } else { Err("there is more than the answer".into()) }
    }

    /// Reads a head, and perhaps more: also gives how much is in the buffer.
    async fn read_head(&mut self) -> Result<(Head, usize), Failure> {
        let mut filled = 0;
        loop {
            filled += self.read_at(filled).await?;
            if let Some(head) = parse_head(self.buffer.get(..filled).unwrap_or_default())? {
                return Ok((head, filled));
            }
        }
    }

    async fn read_at(&mut self, filled: usize) -> Result<usize, Failure> {
        let free = self.buffer.get_mut(filled..).filter(|free| !free.is_empty()).ok_or(BadAnswer::TooLong)?;
        match self.stream.read(free).await? {
            0 => Err("the server closed a connection".into()),
            count => Ok(count),
        }
    }
}

/// `sorted` is not empty.
fn quantile(sorted: &[u64], part: f64) -> f64 {
    let index = ((sorted.len() - 1) as f64 * part).round() as usize;
    sorted.get(index).copied().unwrap_or_default() as f64
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
        let question = Question { address: server(answer), request: b"ask".to_vec(), status: 200, length: 5 };
        let mut connection = Connection::open(question.address).await.expect("a connection");
        connection.ask(&question).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn the_expected_answer_is_accepted_in_pieces_too() {
        assert_eq!(asked(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await, Ok(()));
    }

    #[tokio::test]
    async fn wrong_answers_fail() {
        for (answer, expected) in [
            (
                &b"HTTP/1.1 500 No\r\ncontent-length: 5\r\n\r\nhello"[..],
                "an answer has status 500 and 5 bytes instead of 200 and 5",
            ),
            (
                b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhell",
                "an answer has status 200 and 4 bytes instead of 200 and 5",
            ),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell", "the server closed a connection"),
            (b"HTTP/1.1 200", "the server closed a connection"),
        ] {
            assert_eq!(asked(answer).await, Err(expected.to_owned()));
        }
    }

    #[tokio::test]
    async fn asking_once_gives_the_body() {
        let address = server(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
        let answer = ask_once(address, b"ask").await.expect("an answer");
        assert_eq!(answer, (200, b"hello".to_vec()));
    }

    #[test]
    fn quantiles_are_of_the_sorted_values() {
        let values: Vec<u64> = (1..=101).collect();
        assert_eq!(
            (quantile(&values, 0.5), quantile(&values, 0.99), quantile(&[7], 0.99)),
            (51.0, 100.0, 7.0)
        );
    }
}
