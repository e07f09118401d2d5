//! What happens before a connection has said anything, and when the server leaves.

use super::super::h1;
use super::{Client, Front, front};
use crate::process::{Listener, Options, TlsFiles};
use crate::request::identity::Peer;
use crate::runtime::exposed::write_private;
use crate::settings::Settings;
use pingora_core::protocols::Stream;
use pingora_core::protocols::l4::stream::Stream as TcpLink;
use std::net::TcpListener;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(200);

fn secure_front(change: impl FnOnce(&mut Settings)) -> (Front, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = TlsFiles::new(folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&files.certificate, own.cert.pem()).unwrap();
    write_private(&files.key, &own.signing_key.serialize_pem());
    let listener = Listener { address: "127.0.0.1:0".to_owned(), tls: Some(files) };
    (super::start(change, listener, Options::default()), folder)
}

#[test]
fn a_connection_counts_before_its_handshake() {
    let (front, _folder) = secure_front(|settings| settings.limits.connections = 2);
    // They say nothing, and are accepted in this order.
    let silent = [front.client(), front.client()];
    front.client().assert_closed();
    drop(silent);
}

#[test]
fn a_handshake_may_not_take_for_ever() {
    let (front, _folder) = secure_front(|settings| settings.timeouts.handshake = SHORT);
    front.client().assert_closed();
}

#[test]
fn the_process_may_allow_fewer_connections_than_the_settings() {
    let listener = Listener { address: "127.0.0.1:0".to_owned(), tls: None };
    let options = Options { most_connections: 1, ..Options::default() };
    let front = super::start(|_| {}, listener, options);
    let mut first = front.client();
    first.post("/echo", "hello");
    assert_eq!(first.answer().text(), "hello");
    front.client().assert_closed();
}

#[test]
fn what_waits_in_the_queue_is_served_by_a_server_that_leaves() {
    let front = front();
    // A call in flight keeps the server while it is asked to leave.
    let mut busy = front.client();
    busy.post("/hold", "on");
    front.hears("started");
    let mut clients: Vec<Client> = (0..20).map(|_| front.client()).collect();
    clients.iter_mut().for_each(|client| client.post("/echo", "hello"));
    let Front { running, handler, .. } = front;
    let stop = std::thread::spawn(move || running.stop());
    for client in &mut clients {
        assert_eq!(client.answer().text(), "hello");
    }
    handler.0.release.add_permits(1);
    assert_eq!(busy.answer().text(), "held on");
    stop.join().unwrap();
}

/// On one thread, nothing is heard of a socket while that thread does something else.
#[test]
fn a_request_that_has_arrived_is_answered_although_the_server_leaves() {
    let front = front();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = Client::connect(listener.local_addr().unwrap());
    let (socket, _) = listener.accept().unwrap();
    socket.set_nonblocking(true).unwrap();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    runtime.block_on(async {
        let socket = tokio::net::TcpStream::from_std(socket).unwrap();
        let stream: Stream = Box::new(TcpLink::from(socket));
        let peer = Peer::of(&stream);
        let (handler, stopped) = (front.handler.clone(), stopped.clone());
        let serving = tokio::spawn(async move { h1::serve(&handler, stream, peer, &stopped).await });
        client.post("/echo", "one");
        let blocking = tokio::task::spawn_blocking(move || {
            let answer = client.answer();
            assert_eq!((answer.text(), answer.closes()), ("one", false));
            client
        });
        let mut client = blocking.await.unwrap();
        // It arrives, and the runtime hears of the end first.
        client.post("/echo", "two");
        stop.send(true).unwrap();
        serving.await.unwrap();
        let answer = client.answer();
        assert_eq!((answer.text(), answer.closes()), ("two", true));
        client.assert_closed();
    });
}
