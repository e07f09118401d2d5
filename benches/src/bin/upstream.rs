//! The upstream of load comparisons: fixed answers over HTTP/1.1 with keep-alive, at next to no cost.
//!
//! `upstream ADDRESS THREADS`. Answers are in `mcpc_benches::load::size`.

use mcpc_benches::Failure;
use mcpc_benches::load::size::Size;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longest head of a request.
const MAX_HEAD: usize = 16 << 10;

/// A whole answer for every path that begins like this.
struct Page {
    path: &'static str,
    answer: Vec<u8>,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(threads), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: upstream ADDRESS THREADS".into());
    };
    let listener = TcpListener::bind(address.parse::<SocketAddr>()?)?;
    listener.set_nonblocking(true)?;
    let pages: Arc<[Page]> = Size::ALL.map(Page::new).into();
    let mut running = Vec::new();
    for _ in 0..threads.parse::<usize>()? {
        let (listener, pages) = (listener.try_clone()?, Arc::clone(&pages));
        running.push(std::thread::spawn(move || serve(listener, &pages)));
    }
    for thread in running {
        thread.join().map_err(|_| "a thread ended by a panic")??;
    }
    Ok(())
}

/// Accepts until that fails. Connections stay on the thread that accepted them.
fn serve(listener: TcpListener, pages: &Arc<[Page]>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(answer_on(stream, Arc::clone(pages)));
        }
    })
}

/// Answers GET requests, one after the other; ends with anything else.
async fn answer_on(mut stream: TcpStream, pages: Arc<[Page]>) -> std::io::Result<()> {
    let mut buffer = vec![0; MAX_HEAD];
    let mut filled = 0;
    loop {
        let head = buffer.get(..filled).unwrap_or_default();
        if let Some(end) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            let path = head.strip_prefix(b"GET ").unwrap_or_default();
            match pages.iter().find(|page| path.starts_with(page.path.as_bytes())) {
                Some(page) => stream.write_all(&page.answer).await?,
                None => return stream.write_all(NOT_FOUND).await,
            }
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

const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

impl Page {
    fn new(size: Size) -> Page {
        let body = size.case().body;
        let length = body.len();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        Page { path: size.path(), answer: (head + &body).into_bytes() }
    }
}
