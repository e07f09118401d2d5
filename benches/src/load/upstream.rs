//! The upstream of all measurements: fixed answers over HTTP/1.1 with keep-alive, at next to no cost.

use super::mcp_server;
use super::size::Size;
use std::net::TcpListener;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longest head of a request.
const MAX_HEAD: usize = 16 << 10;
/// The standard library's is 128, fewer than the connections that are opened at once.
const BACKLOG: i32 = 4096;
const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Whole answers, head and body.
pub trait Answers: Send + Sync + 'static {
    /// The answer to a GET; `target` has the rest of the request behind it. `None` for what is not there.
    fn find(&self, target: &[u8]) -> Option<&[u8]>;

    /// Appends the answer to a POST with this body, unless it is not known.
    fn post(&self, _body: &[u8], _out: &mut Vec<u8>) -> bool {
        false
    }
}

/// The answers of load comparisons.
#[derive(Debug)]
pub struct Pages {
    pages: [Page; Size::ALL.len()],
    mcp: mcp_server::Results,
}

/// A whole answer for every path that begins like this.
#[derive(Debug)]
struct Page {
    path: &'static str,
    answer: Vec<u8>,
}

pub fn pages() -> Arc<Pages> {
    let page = |size: Size| Page { path: size.path(), answer: whole_answer(&size.case().body) };
    Arc::new(Pages { pages: Size::ALL.map(page), mcp: mcp_server::Results::new() })
}

/// A JSON body with its head.
pub fn whole_answer(body: &str) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    (head + body).into_bytes()
}

/// Accepts until that fails. Connections stay on the thread that accepted them.
pub fn serve(listener: TcpListener, answers: &Arc<impl Answers>) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    // Listening again changes only the backlog.
    rustix::net::listen(&listener, BACKLOG)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(answer_on(stream, Arc::clone(answers)));
        }
    })
}

/// Answers requests, one after the other; ends with what it does not know.
async fn answer_on(mut stream: TcpStream, answers: Arc<impl Answers>) -> std::io::Result<()> {
    let mut buffer = vec![0; MAX_HEAD];
    let (mut filled, mut out) = (0, Vec::new());
    loop {
        let received = buffer.get(..filled).unwrap_or_default();
        let end = received.windows(4).position(|window| window == b"\r\n\r\n").map(|end| end + 4);
        let whole = end.map(|end| (end, end + content_length(received.get(..end).unwrap_or_default())));
        if let Some((end, whole)) = whole.filter(|(_, whole)| *whole <= filled) {
            out.clear();
            let body = received.get(end..whole).unwrap_or_default();
            let is_known = received.starts_with(b"POST ") && answers.post(body, &mut out);
            let found = received.strip_prefix(b"GET ").and_then(|target| answers.find(target));
            match found.or(is_known.then_some(&out)) {
                Some(answer) => stream.write_all(answer).await?,
                None => return stream.write_all(NOT_FOUND).await,
            }
            buffer.copy_within(whole..filled, 0);
            filled -= whole;
            continue;
        }
        match stream.read(buffer.get_mut(filled..).unwrap_or_default()).await? {
            // The client left, or sends a head without an end.
            0 => return Ok(()),
            count => filled += count,
        }
    }
}

/// 0 if the head does not say.
fn content_length(head: &[u8]) -> usize {
    if head.starts_with(b"GET ") {
        return 0;
    }
    let lines = head.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let mut fields = lines.filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0)
}

impl Answers for Pages {
    fn find(&self, target: &[u8]) -> Option<&[u8]> {
        let page = self.pages.iter().find(|page| target.starts_with(page.path.as_bytes()))?;
        Some(&page.answer)
    }

    fn post(&self, body: &[u8], out: &mut Vec<u8>) -> bool {
        self.mcp.answer(body, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::closed;
    use crate::load::connection::Question;
    use crate::load::open;
    use crate::load::schedule::Schedule;
    use crate::load::usage::{Usage, usage};
    use std::cell::Cell;
    use std::net::SocketAddr;
    use std::rc::Rc;
    use std::time::Duration;

    fn upstream() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || serve(listener, &pages()));
        address
    }

    fn question(path: &str, length: usize) -> Rc<Question> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes();
        Rc::new(Question { address: upstream(), request, status: 200, length, longer: 0 })
    }

    #[tokio::test]
    async fn the_closed_loop_measures_every_size() {
        for size in Size::ALL {
            let question = question(size.path(), size.case().body.len());
            // Not that of this process, in which threads of other tests come and go with what they used.
            let time = Cell::new(0.0);
            let used = || Ok(Usage { cpu_nanoseconds: time.replace(1e6), memory_mib: 1.0 });
            let turn = closed::run(&question, used, 3, Duration::from_millis(1));
            let seen = tokio::task::LocalSet::new().run_until(turn).await.expect("answers");
            assert!(
                seen.rate > 0.0 && seen.cpu > 0.0 && seen.p50 <= seen.p99 && seen.p99 <= seen.p999,
                "{seen:?}"
            );
        }
    }

    #[tokio::test]
    async fn the_open_loop_sends_all_that_is_due() {
        let question = question("/users/1", Size::Small.case().body.len());
        // More than two connections can do: most requests wait for one.
        let schedule = Schedule::new(1e6, Duration::from_millis(2));
        let turn = open::run(&question, 2, schedule);
        let seen = tokio::task::LocalSet::new().run_until(turn).await.expect("answers");
        assert_eq!((schedule.total(), seen.offered.round()), (2000, 1e6));
        assert!(
            seen.achieved > 0.0 && seen.p50 > 0.0 && seen.p50 <= seen.p999 && seen.p999 <= seen.max,
            "{seen:?}"
        );
    }

    #[tokio::test]
    async fn a_wrong_answer_ends_both_loops() {
        let local = tokio::task::LocalSet::new();
        let used = || usage(std::process::id());
        let longer = question("/users/1", 1);
        let closed = closed::run(&longer, used, 2, Duration::from_secs(60));
        let message = local.run_until(closed).await.expect_err("another length").to_string();
        assert!(message.contains("bytes instead of 200 and 1: "), "{message}");
        let schedule = Schedule::new(1000.0, Duration::from_secs(60));
        let nowhere = question("/nowhere", 1);
        let open = open::run(&nowhere, 2, schedule);
        let message = local.run_until(open).await.expect_err("another status");
        assert!(message.to_string().starts_with("an answer has status 404"), "{message}");
    }
}
