//! The upstream: fixed answers to GET over HTTP/1.1 with keep-alive, at next to no cost.

use crate::Failure;
use crate::bodies;
use std::net::SocketAddr;
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Longest head of a request.
const MAX_HEAD: usize = 16 << 10;

/// How long an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Kib10,
    Kib100,
    Mib1,
    Mib10,
}

impl Length {
    pub const ALL: [Length; 4] = [Length::Kib10, Length::Kib100, Length::Mib1, Length::Mib10];

    /// Stands in paths and names of tools.
    pub const fn label(self) -> &'static str {
        match self {
            Length::Kib10 => "10k",
            Length::Kib100 => "100k",
            Length::Mib1 => "1m",
            Length::Mib10 => "10m",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Length::Kib10 => "10 KiB",
            Length::Kib100 => "100 KiB",
            Length::Mib1 => "1 MiB",
            Length::Mib10 => "10 MiB",
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Length::Kib10 => 10 << 10,
            Length::Kib100 => 100 << 10,
            Length::Mib1 => 1 << 20,
            Length::Mib10 => 10 << 20,
        }
    }

    /// A JSON list of about that length.
    pub fn body(self) -> String {
        const SAMPLE: usize = 1_000;
        let one = bodies::list("", SAMPLE, 0).body.len() / SAMPLE;
        bodies::list("", self.bytes() / one, 0).body
    }
}

/// The answer of about 300 bytes to everything else: what the `get_record_…` tools of the synthetic specs read.
pub const RECORD: &str = r#"{"id":42,"state":"open","owner":{"name":"Ada Lovelace","email":"ada@example.com"},"items":[{"name":"pen","price":3},{"name":"paper, \"A4\"","price":5.5},{"name":"ink","price":12}],"city":"Kristiansand","note":"left at the door of the neighbours","updated":"2026-01-02T03:04:05Z"}"#;

/// Whole answers.
struct Pages {
    by_length: [(String, Vec<u8>); Length::ALL.len()],
    record: Vec<u8>,
}

/// Serves on this thread until accepting fails.
pub fn serve(address: SocketAddr) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let local = tokio::task::LocalSet::new();
    runtime.block_on(local.run_until(async {
        let socket = TcpSocket::new_v4()?;
        socket.bind(address)?;
        // Thousands may connect at once.
        let listener = socket.listen(4096)?;
        let pages = Rc::new(Pages {
            by_length: Length::ALL.map(|length| (path(length), answer(&length.body()))),
            record: answer(RECORD),
        });
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::task::spawn_local(answer_on(stream, Rc::clone(&pages)));
        }
    }))
}

/// What paths to answers of that length begin with.
pub fn path(length: Length) -> String {
    format!("/answers/{}/", length.label())
}

/// Answers GET requests, one after the other; ends with anything else.
async fn answer_on(mut stream: TcpStream, pages: Rc<Pages>) -> std::io::Result<()> {
    let mut buffer = vec![0; MAX_HEAD];
    let mut filled = 0;
    loop {
        let head = buffer.get(..filled).unwrap_or_default();
        if let Some(end) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            let Some(target) = head.strip_prefix(b"GET ") else { return Ok(()) };
            stream.write_all(pages.find(target)).await?;
            buffer.copy_within(end + 4..filled, 0);
            filled -= end + 4;
            continue;
        }
        match stream.read(buffer.get_mut(filled..).unwrap_or_default()).await? {
            // The client left, or sends a head without an end.
            0 => return Ok(()),
            count => filled += count,
        }
    }
}

impl Pages {
    fn find(&self, target: &[u8]) -> &[u8] {
        let found = self.by_length.iter().find(|(path, _)| target.starts_with(path.as_bytes()));
        found.map_or(&self.record, |(_, answer)| answer)
    }
}

fn answer(body: &str) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    (head + body).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_the_length_that_their_name_says() {
        for length in Length::ALL {
            let (seen, wanted) = (length.body().len(), length.bytes());
            assert!((wanted * 9 / 10..wanted * 11 / 10).contains(&seen), "{seen} for {wanted}");
        }
        assert!((270..330).contains(&RECORD.len()), "{}", RECORD.len());
    }

    #[test]
    fn a_path_gets_its_own_answer() {
        let page = |text: &str| text.as_bytes().to_vec();
        let pages = Pages {
            by_length: Length::ALL.map(|length| (path(length), page(length.label()))),
            record: page("r"),
        };
        let found = ["/answers/10k/1 ", "/answers/100k/1 ", "/answers/10m/1 ", "/collections/c4 "]
            .map(|target| pages.find(target.as_bytes()));
        assert_eq!(found, [&b"10k"[..], b"100k", b"10m", b"r"]);
    }
}
