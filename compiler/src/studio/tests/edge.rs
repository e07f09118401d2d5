use super::{Place, SHOP, folder};
use crate::check::{MemoryFiles, check_files};
use crate::studio::{RunningEdge, Subject};
use mcp_edge::activation::Activation;
use mcp_edge::admin::{self, Admin};
use mcp_edge::config::Config;
use mcp_edge::process::{self, Beside, Listener, Options, Running};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// A running edge with its admin listener.
struct Edge {
    public: SocketAddr,
    admin: SocketAddr,
    _running: Running,
}

impl Edge {
    fn start(files: &tempfile::TempDir) -> Edge {
        let fixed = "[[tool]]\nname = \"get_clock\"\ndescription = \"Gets the time.\"\nrespond = \"noon\"\n";
        let report = check_files(&MemoryFiles::one("clock.toml", fixed));
        let bytes = mcp_bundle::format::write(report.contents.as_ref().unwrap()).unwrap();
        std::fs::write(files.path().join("tools.mcpk"), bytes).unwrap();
        let folder = files.path().to_path_buf();
        let read = move || {
            let text = "bundle = \"tools.mcpk\"\nauth = \"none\"\nrecent_calls = 10\n";
            Ok(Config::parse(text, "edge.toml", &folder).unwrap())
        };
        let activation = Activation::start(read).unwrap();
        let edge = Arc::clone(activation.edge());
        let bound = process::bind(&[Listener { address: "127.0.0.1:0".to_owned(), tls: None }]).unwrap();
        let public = *bound.addresses().first().unwrap();
        let (listener, address) = admin::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let admin = Admin::new(activation, address);
        let service = Box::new(move |socket| admin::service(admin, socket));
        let beside = vec![Beside { address, socket: Some(listener), service }];
        let _running = process::start(edge, bound, Options { beside, ..Options::default() });
        Edge { public, admin: address, _running }
    }

    fn call(&self) {
        let body = r#"{"tool_name":"get_clock","params":{}}"#;
        let mut stream = TcpStream::connect(self.public).unwrap();
        let (host, length) = (self.public, body.len());
        write!(stream, "POST /mcp/invoke HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("noon"), "{answer}");
    }
}

#[test]
fn a_running_edge_is_shown_and_not_changed() {
    let files = folder(&[]);
    let edge = Edge::start(&files);
    edge.call();
    let url = format!("http://{}/", edge.admin);
    let place = Place::of(files, Subject::Edge(RunningEdge::at(&url).unwrap()));
    let session = place.get("/api/studio");
    assert_eq!((&session["mode"], &session["readOnly"]), (&json!("edge"), &json!(true)));
    let status = place.get("/api/studio/edge");
    assert_eq!((&status["reachable"], &status["status"]["active"]["tools"]), (&json!(true), &json!(1)));
    let tools = place.get("/api/studio/edge/tools");
    assert_eq!(tools["tools"][0]["name"], "get_clock");
    assert_eq!((&tools["tools"][0]["calls"], &tools["tools"][0]["backend"]), (&json!(1), &json!("fixed")));
    assert_eq!(place.get("/api/studio/edge/limits")["inFlight"]["now"], 0);
    let calls = place.get("/api/studio/edge/calls");
    assert_eq!((&calls["kept"], &calls["calls"][0]["tool"]), (&json!(10), &json!("get_clock")));
    assert_eq!(calls["calls"][0]["outcome"], "ok");
    for (method, path) in
        [("GET", "/api/studio/tools"), ("POST", "/api/studio/edits"), ("GET", "/api/mcp/servers")]
    {
        assert_eq!(place.send(method, path, "").status, 404, "{path}");
    }
}

#[test]
fn an_edge_that_is_away_is_said_to_be() {
    let place = Place::of(folder(&[]), Subject::Edge(RunningEdge::at("http://127.0.0.1:9").unwrap()));
    let status = place.get("/api/studio/edge");
    assert_eq!((&status["reachable"], &status["status"]), (&json!(false), &json!(null)));
    assert!(status["error"].as_str().unwrap().contains("did not answer"), "{status}");
    let answer = place.send("GET", "/api/studio/edge/calls", "");
    assert_eq!((answer.status, answer.code().as_str()), (502, "upstream"));
    assert!(RunningEdge::at("not a url").is_err() && RunningEdge::at("http://a/b/c").is_err());
}

#[test]
fn another_server_is_not_taken_for_an_edge() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for body in ["{\"status\":\"UP\"}", "{\"version\":\"1.0\"}", "[]"] {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]).unwrap();
            let length = body.len();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        }
    });
    let place = Place::of(folder(&[]), Subject::Edge(RunningEdge::at(&url).unwrap()));
    for _ in 0..3 {
        let status = place.get("/api/studio/edge");
        assert_eq!((&status["reachable"], &status["status"]), (&json!(false), &json!(null)));
        assert!(status["error"].as_str().unwrap().contains("not as the admin listener"), "{status}");
    }
}

#[test]
fn a_studio_of_specs_has_no_edge() {
    let place = Place::mock(&[("shop.toml", SHOP)]);
    assert_eq!(place.send("GET", "/api/studio/edge", "").status, 404);
}
