//! Real Redis servers on loopback, and a way between them and an edge that can be slow or cut.

use crate::LONG;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// A server; killed when dropped.
#[derive(Debug)]
pub struct Redis {
    child: Child,
    pub port: u16,
    _folder: tempfile::TempDir,
}

/// The server program, or a word that there is none.
pub fn redis_server() -> Option<PathBuf> {
    let named = std::env::var_os("MCPC_REDIS_SERVER").filter(|path| !path.is_empty()).map(PathBuf::from);
    let path = named.unwrap_or_else(|| "redis-server".into());
    let is_there = Command::new(&path).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_there {
        println!("skipped: no `redis-server`; run `export MCPC_REDIS_SERVER=$(tests/redis/install)`");
    }
    is_there.then_some(path)
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Redis {
    /// `None` if there is no server program.
    pub fn start(options: &[&str]) -> Option<Redis> {
        Redis::start_at(free_port(), options)
    }

    /// Without a file: a server that is started again is empty.
    pub fn start_at(port: u16, options: &[&str]) -> Option<Redis> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(redis_server()?);
        command.args(["--port", &port.to_string(), "--save", "", "--appendonly", "no", "--daemonize", "no"]);
        Some(Redis::run(command.args(options), port, folder, "Ready to accept connections"))
    }

    /// A sentinel of the service `main` at this server, with more lines in its configuration.
    pub fn sentinel(&self, more: &str) -> Redis {
        let (port, folder) = (free_port(), tempfile::tempdir().unwrap());
        let config = folder.path().join("sentinel.conf");
        let text = format!("port {port}\nsentinel monitor main 127.0.0.1 {} 1\n{more}", self.port);
        std::fs::write(&config, text).unwrap();
        let mut command = Command::new(redis_server().unwrap());
        Redis::run(command.arg(&config).arg("--sentinel"), port, folder, "+monitor master main")
    }

    fn run(command: &mut Command, port: u16, folder: tempfile::TempDir, ready: &str) -> Redis {
        command.args(["--dir", folder.path().to_str().unwrap()]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = String::new();
        while !said.contains(ready) {
            match lines.next() {
                Some(Ok(line)) => said.push_str(&format!("{line}\n")),
                _ => panic!("redis-server did not start:\n{said}"),
            }
        }
        // So that it can go on writing.
        std::thread::spawn(move || lines.for_each(drop));
        Redis { child, port, _folder: folder }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Ends it at once; the port it had.
    pub fn kill(self) -> u16 {
        self.port
    }

    /// A command, and the first line of its answer, or all of a text.
    pub fn ask(&self, words: &[&str]) -> String {
        self.ask_after(&[], words)
    }

    /// The same with a password.
    pub fn ask_as(&self, password: &str, words: &[&str]) -> String {
        self.ask_after(&["AUTH", password], words)
    }

    fn ask_after(&self, first: &[&str], words: &[&str]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        if !first.is_empty() {
            stream.write_all(request(first).as_bytes()).unwrap();
            reader.read_line(&mut line).unwrap();
            assert_eq!(line, "+OK\r\n");
            line.clear();
        }
        stream.write_all(request(words).as_bytes()).unwrap();
        reader.read_line(&mut line).unwrap();
        let Some(length) = line.strip_prefix('$').and_then(|length| length.trim().parse().ok()) else {
            return line.trim().to_owned();
        };
        let mut text = vec![0; length];
        reader.read_exact(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    /// Three masters that share all keys.
    pub fn cluster() -> Option<[Redis; 3]> {
        let start = || {
            let bus = free_port().to_string();
            Redis::start(&["--cluster-enabled", "yes", "--cluster-port", &bus])
        };
        let nodes = [start()?, start()?, start()?];
        let slots = [("0", "5460"), ("5461", "10922"), ("10923", "16383")];
        for (node, (first, last)) in nodes.iter().zip(slots) {
            assert_eq!(node.ask(&["CLUSTER", "ADDSLOTSRANGE", first, last]), "+OK");
        }
        for node in &nodes[1..] {
            let bus = node.bus_port();
            let meet = ["CLUSTER", "MEET", "127.0.0.1", &node.port.to_string(), &bus];
            assert_eq!(nodes[0].ask(&meet), "+OK");
        }
        let begun = Instant::now();
        let knows_all = |node: &Redis| {
            let info = node.ask(&["CLUSTER", "INFO"]);
            info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
        };
        while !nodes.iter().all(knows_all) {
            assert!(begun.elapsed() < LONG, "{}", nodes[0].ask(&["CLUSTER", "INFO"]));
            std::thread::yield_now();
        }
        Some(nodes)
    }

    fn bus_port(&self) -> String {
        let nodes = self.ask(&["CLUSTER", "NODES"]);
        let place = nodes.split(' ').find(|word| word.contains('@')).unwrap();
        place.split('@').nth(1).unwrap().split(',').next().unwrap().to_owned()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(words: &[&str]) -> String {
    let texts: String = words.iter().map(|word| format!("${}\r\n{word}\r\n", word.len())).collect();
    format!("*{}\r\n{texts}", words.len())
}

/// A way to a server that can be slow or cut.
#[derive(Debug)]
pub struct Way {
    pub port: u16,
    delay: Arc<AtomicU64>,
}

/// Nothing gets through.
const CUT: u64 = u64::MAX;

impl Way {
    pub fn to(port: u16) -> Way {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let way = Way { port: listener.local_addr().unwrap().port(), delay: Arc::default() };
        let delay = Arc::clone(&way.delay);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))) else {
                    continue;
                };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let delay = Arc::clone(&delay);
                    std::thread::spawn(move || carry(from, to, &delay));
                }
            }
        });
        way
    }

    /// In each direction.
    pub fn delay(&self, time: Duration) {
        self.delay.store(time.as_millis() as u64, Relaxed);
    }

    /// Nothing gets through any more, and nobody is told.
    pub fn cut(&self) {
        self.delay.store(CUT, Relaxed);
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, delay: &AtomicU64) {
    let mut buffer = [0; 65536];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        match delay.load(Relaxed) {
            0 => {}
            CUT => continue,
            millis => pass(Duration::from_millis(millis)),
        }
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// Lets time pass.
pub fn pass(time: Duration) {
    let nobody = (Mutex::new(()), Condvar::new());
    let _ = nobody.1.wait_timeout_while(nobody.0.lock().unwrap(), time, |()| true);
}
