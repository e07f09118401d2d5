//! The command: two processes that share limits, and what they say.

use crate::edges::wait;
use crate::redis::{Redis, free_port};
use mcp_bundle::format;
use mcpc::check::{MemoryFiles, check_files};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NO_STORE: &str =
    "limits are marked `shared`, but `edge.toml` has no `[shared]`: this edge counts them on its own";

/// A process that serves; killed when dropped.
struct Edge {
    child: Child,
    address: String,
    admin: String,
    /// What it said until it listened.
    said: String,
}

/// A folder with a bundle and a configuration, and an upstream that never answers.
struct Place {
    folder: tempfile::TempDir,
    config: PathBuf,
    _upstream: TcpListener,
}

fn place(shared: &str) -> Place {
    place_with(shared, "")
}

/// With more tools.
fn place_with(shared: &str, tools: &str) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let upstream = TcpListener::bind("127.0.0.1:0").unwrap();
    let spec = format!(
        "[upstream.api]\nurl = \"http://{}\"\nmax_in_flight = {{ calls = 4, shared = true }}\n\
         [[tool]]\nname = \"say\"\ndescription = \"Says what the test asks for.\"\nrespond = \"hello\"\n\
         rate = {{ calls = 6, seconds = 3600, by = \"all\", shared = true, when_away = \"refuse\" }}\n\
         [[tool]]\nname = \"hold\"\ndescription = \"Takes as long as the test wants.\"\nupstream = \"api\"\n\
         method = \"GET\"\nendpoint = \"/x\"\n{tools}",
        upstream.local_addr().unwrap()
    );
    let report = check_files(&MemoryFiles::one("spec.toml", &spec));
    let contents = report.contents.unwrap_or_else(|| panic!("{:?}", report.diagnostics));
    std::fs::write(folder.path().join("tools.mcpk"), format::write(&contents).unwrap()).unwrap();
    let config = folder.path().join("edge.toml");
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\n";
    std::fs::write(&config, format!("bundle = \"tools.mcpk\"\nadmin = \"127.0.0.1:0\"\n{listen}{shared}"))
        .unwrap();
    Place { folder, config, _upstream: upstream }
}

fn command(arguments: &[&Path]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-edge"));
    command.args(arguments).env("REDIS_PASSWORD", "hunter2");
    command
}

impl Edge {
    fn start(place: &Place) -> Edge {
        let mut command = command(&[Path::new("--config"), &place.config]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let has_store = std::fs::read_to_string(&place.config).unwrap().contains("[shared]");
        let is_over =
            |said: &str| said.contains("bundle activated") && (has_store || said.contains(NO_STORE));
        while !is_over(&said) {
            let line = lines.next().and_then(Result::ok).unwrap_or_else(|| panic!("{said}"));
            said.push_str(&format!("{line}\n"));
        }
        std::thread::spawn(move || lines.for_each(drop));
        let of = |name: &str| {
            let line = said.lines().find(|line| line.starts_with(name)).unwrap();
            line.split("://").nth(1).unwrap().split('/').next().unwrap().to_owned()
        };
        Edge { address: of("listening"), admin: of("admin"), child, said: said.clone() }
    }

    /// Calls a tool, and does not wait for the answer.
    fn send(&self, tool: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = format!("{{\"tool_name\":\"{tool}\",\"params\":{{}}}}");
        let head = format!(
            "POST /mcp/invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream
    }

    fn call(&self, tool: &str) -> Value {
        read(self.send(tool))
    }

    fn admin(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.admin).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.admin).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    fn shared(&self) -> Value {
        serde_json::from_str::<Value>(&self.admin("/status")).unwrap()["shared_limits"].clone()
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(mut stream: TcpStream) -> Value {
    stream.set_read_timeout(Some(crate::LONG)).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn reason(answer: &Value) -> &str {
    answer["details"]["reason"].as_str().unwrap_or_default()
}

#[test]
fn two_processes_share_a_rate_and_say_how_that_goes() {
    let Some(redis) = Redis::start(&["--requirepass", "hunter2"]) else { return };
    let shared =
        format!("[shared]\nurl = \"{}\"\npassword = \"${{REDIS_PASSWORD}}\"\nedges = 2\n", redis.url());
    let place = place(&shared);
    let checked = command(&[Path::new("check"), &place.config]).output().unwrap();
    let checked = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.contains(&format!("shared     {} answers, in ", redis.url())), "{checked}");
    let edges = [Edge::start(&place), Edge::start(&place)];
    let (mut passed, mut refused) = (0, [false; 2]);
    wait(|| {
        for (edge, refused) in edges.iter().zip(&mut refused) {
            let answer = edge.call("say");
            if answer["success"] == true {
                passed += 1;
                continue;
            }
            assert_eq!(reason(&answer), "rate_of_tool", "{answer}");
            let seconds = answer["details"]["retry_after_seconds"].as_u64().unwrap();
            assert_eq!(answer["error"], format!("Rate limit reached. Try again in {seconds} s."));
            *refused = seconds > 60;
        }
        refused == [true; 2]
    });
    assert!((3..=6).contains(&passed), "{passed} of 6");
    let told = edges[0].shared();
    assert_eq!(
        (&told["state"], &told["edges"], &told["limits"]),
        (&"up".into(), &2.into(), &2.into()),
        "{told}"
    );
    let metrics = edges[0].admin("/metrics");
    for line in
        ["mcp_edge_shared_store_up 1", "mcp_edge_shared_edges 2", "mcp_edge_shared_operation_seconds_total"]
    {
        assert!(metrics.contains(line), "{line}:\n{metrics}");
    }
    assert!(!metrics.contains("hunter2") && !told.to_string().contains("hunter2"));
    // The limit refuses while edges cannot agree.
    redis.kill();
    wait(|| reason(&edges[0].call("say")) == "shared_limit_unavailable");
    let answer = edges[0].call("say");
    assert_eq!(answer["details"]["retry_after_seconds"], 5, "{answer}");
    assert_eq!(edges[0].shared()["state"], "away");
    assert!(edges[0].admin("/metrics").contains("mcp_edge_shared_store_up 0"));
}

#[test]
fn four_processes_under_load_let_the_burst_and_the_rate_through_and_no_more() {
    const RATE: u32 = 200;
    let Some(redis) = Redis::start(&[]) else { return };
    let tool = "[[tool]]\nname = \"many\"\ndescription = \"Is called far more often than its rate.\"\n\
                respond = \"hello\"\n\
                rate = { calls = 200, seconds = 1, by = \"all\", shared = true, when_away = \"refuse\" }\n";
    let place = place_with(&format!("[shared]\nurl = \"{}\"\nedges = 4\n", redis.url()), tool);
    let edges = [(); 4].map(|()| Edge::start(&place));
    let begun = Instant::now();
    // When each call that was let through was sent and answered: it counted in between.
    let work = |edge: &Edge| {
        let mut passed = Vec::new();
        while begun.elapsed() < Duration::from_secs(5) {
            let sent = begun.elapsed();
            if edge.call("many")["success"] == true {
                passed.push((sent, begun.elapsed()));
            }
        }
        passed
    };
    let passed: Vec<(Duration, Duration)> = std::thread::scope(|scope| {
        let threads: Vec<_> = edges.iter().map(|edge| scope.spawn(|| work(edge))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for seconds in [1, 2, 4] {
        let window = Duration::from_secs(seconds);
        let most = RATE as usize * (1 + seconds as usize);
        for (from, _) in &passed {
            let is_within =
                |(sent, answered): &&(Duration, Duration)| sent >= from && *answered <= *from + window;
            let within = passed.iter().filter(is_within).count();
            assert!(within <= most, "{within} in {seconds} s");
        }
    }
    // What the store's clock has given in this time, the burst left aside.
    let least = RATE as usize * 5 * 9 / 10;
    assert!(passed.len() >= least, "{} of {least}", passed.len());
    let operations = |edge: &Edge| {
        let metrics = edge.admin("/metrics");
        let line =
            metrics.lines().find(|line| line.starts_with("mcp_edge_shared_operations_total{outcome=\"ok\"}"));
        line.unwrap().rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let each = edges.iter().map(operations).sum::<u64>() / 5;
    assert!(each <= 400, "{each} questions a second");
}

#[test]
fn places_of_a_process_that_dies_are_free_after_their_time() {
    let Some(redis) = Redis::start(&[]) else { return };
    let place = place(&format!("[shared]\nurl = \"{}\"\nedges = 2\n", redis.url()));
    let (first, second) = (Edge::start(&place), Edge::start(&place));
    let mut held = Vec::new();
    let fill = |edge: &Edge, held: &mut Vec<TcpStream>, most: usize| {
        let full = |stream: &TcpStream| {
            stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
            let mut byte = [0];
            stream.peek(&mut byte).is_ok()
        };
        let before = held.len();
        wait(|| {
            let stream = edge.send("hold");
            if !full(&stream) {
                held.push(stream);
            }
            held.len() - before >= most
        });
        full(&edge.send("hold"))
    };
    // One of the four is always the other's.
    assert!(fill(&first, &mut held, 3), "there are three");
    assert!(fill(&second, &mut held, 1), "there is one");
    assert_eq!(reason(&second.call("hold")), "upstream_in_flight");
    drop(first);
    assert!(fill(&second, &mut held, 2), "there are three in all");
}

#[test]
fn without_a_store_limits_are_this_edges_own_and_that_is_said() {
    let place = place("");
    let edge = Edge::start(&place);
    assert!(edge.said.contains("WARN"), "{}", edge.said);
    let told = edge.shared();
    assert_eq!((&told["state"], &told["limits"]), (&"off".into(), &2.into()), "{told}");
    let passed = (0..10).filter(|_| edge.call("say")["success"] == true).count();
    assert_eq!(passed, 6);
    let checked = command(&[Path::new("check"), &place.config]).output().unwrap();
    assert!(String::from_utf8(checked.stdout).unwrap().contains(NO_STORE));
}

#[test]
fn a_store_that_is_away_from_the_start_is_said_and_keeps_nobody_from_serving() {
    let place = place(&format!("[shared]\nurl = \"redis://127.0.0.1:{}\"\n", free_port()));
    let checked = command(&[Path::new("check"), &place.config]).output().unwrap();
    let text = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success() && text.contains("does not answer: "), "{text}");
    let edge = Edge::start(&place);
    assert_eq!(reason(&edge.call("say")), "shared_limit_unavailable");
    assert!(edge.shared()["message"].as_str().unwrap().contains("refused"), "{}", edge.shared());
    // A variable without a value is a mistake.
    let config = place.folder.path().join("edge.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text + "password = \"${NO_SUCH_PASSWORD}\"\n").unwrap();
    let checked = command(&[Path::new("check"), &config]).output().unwrap();
    let text = String::from_utf8(checked.stderr).unwrap();
    assert!(!checked.status.success() && text.contains("`${NO_SUCH_PASSWORD}` has no value"), "{text}");
}
