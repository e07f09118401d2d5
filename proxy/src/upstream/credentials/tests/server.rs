//! A server that does as it is told, for tokens and for the API.

use futures::future::BoxFuture;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Gives the whole answer to the request of this number, from 1.
type Answer = Arc<dyn Fn(usize, String) -> BoxFuture<'static, String> + Send + Sync>;

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    count: watch::Receiver<usize>,
}

/// Shared by the tasks of its connections.
#[derive(Clone)]
struct Shared {
    seen: Arc<Mutex<Vec<String>>>,
    count: Arc<watch::Sender<usize>>,
    answer: Answer,
}

impl Server {
    /// Answers at once.
    pub async fn start(answer: impl Fn(usize, &str) -> String + Send + Sync + 'static) -> Server {
        Server::waiting(Arc::new(move |number, request| {
            let answer = answer(number, &request);
            Box::pin(async move { answer })
        }))
        .await
    }

    pub async fn waiting(answer: Answer) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, count) = watch::channel(0);
        let seen = Arc::<Mutex<Vec<String>>>::default();
        let shared = Shared { seen: Arc::clone(&seen), count: Arc::new(sender), answer };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Server { port, seen, count }
    }

    /// A port that nobody listens on.
    pub async fn nobody() -> u16 {
        TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until so many requests have come.
    pub async fn until(&self, count: usize) {
        self.count.clone().wait_for(|seen| *seen >= count).await.unwrap();
    }
}

async fn serve(stream: TcpStream, Shared { seen, count, answer }: Shared) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut request, mut length) = (String::new(), 0);
        loop {
            let start = request.len();
            if stream.read_line(&mut request).await.unwrap_or(0) == 0 {
                return;
            }
            let line = request.get(start..).unwrap_or_default();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        request.push_str(&String::from_utf8(body).unwrap());
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(request.clone());
            seen.len()
        };
        count.send_replace(number);
        let answer = answer(number, request).await;
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// An answer with a body.
pub fn http(status: u16, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A token with this name and life.
pub fn token(name: &str, seconds: u64) -> String {
    http(200, &format!(r#"{{"access_token":"{name}","token_type":"Bearer","expires_in":{seconds}}}"#))
}
