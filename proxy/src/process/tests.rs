//! Servers side by side, and one after the other.

use super::{BindError, Listener, Options, Order, bind, inherit, takeover};
use crate::transport::tests::{Client, LONG, front, start};
use async_trait::async_trait;
use pingora_core::server::ShutdownWatch;
use pingora_core::services::background::{BackgroundService, background_service};
use std::sync::mpsc;
use std::time::Instant;

struct Beside(mpsc::Sender<&'static str>);

#[async_trait]
impl BackgroundService for Beside {
    async fn start(&self, mut shutdown: ShutdownWatch) {
        self.0.send("started").unwrap();
        shutdown.wait_for(|stopping| *stopping).await.unwrap();
        self.0.send("stopped").unwrap();
    }
}

#[test]
fn several_servers_run_at_once() {
    let fronts = [front(), front(), front()];
    let mut clients: Vec<Client> = fronts.iter().map(|front| front.client()).collect();
    for client in &mut clients {
        client.post("/echo", "hello");
        assert_eq!(client.answer().text(), "hello");
    }
    let [first, rest @ ..] = fronts;
    first.running.stop();
    clients.remove(0).assert_closed();
    for client in &mut clients {
        client.post("/echo", "again");
        assert_eq!(client.answer().text(), "again");
    }
    drop(rest);
}

#[test]
fn an_address_in_use_is_reported_before_anything_starts() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = bind(&[Listener { address: address.clone(), tls: None }]).unwrap_err();
    assert!(matches!(&error, BindError::Address { address: told, .. } if *told == address));
    let error = bind(&[Listener { address: "nowhere".to_owned(), tls: None }]).unwrap_err();
    assert!(error.to_string().starts_with("cannot listen on `nowhere`: "), "{error}");
}

#[test]
fn services_beside_are_started_and_stopped() {
    let (sender, told) = mpsc::channel();
    let service = background_service("beside", Beside(sender));
    let listener = Listener { address: "127.0.0.1:0".to_owned(), tls: None };
    let options = Options { services: vec![Box::new(service)], ..Options::default() };
    let front = start(|_| {}, listener, options);
    assert_eq!(told.recv_timeout(LONG).unwrap(), "started");
    // A call in flight keeps the server, so the service has the time to say good-bye.
    let mut client = front.client();
    client.post("/hold", "");
    front.hears("started");
    front.running.orders.send_replace(Some(Order::ShutDown));
    assert_eq!(told.recv_timeout(LONG).unwrap(), "stopped");
    front.release();
    assert_eq!(client.answer().text(), "held ");
}

#[test]
fn listeners_are_handed_over_without_losing_a_connection() {
    let folder = tempfile::tempdir().unwrap();
    let socket = Some(folder.path().join("upgrade.sock"));
    let listener = |address: &str| Listener { address: address.to_owned(), tls: None };
    let options = |upgrade| Options { upgrade, upgrade_socket: socket.clone(), ..Options::default() };
    let old = start(|_| {}, listener("127.0.0.1:0"), options(false));
    let mut busy = old.client();
    busy.post("/hold", "old");
    old.hears("started");
    let mut idle = old.client();
    idle.post("/echo", "hello");
    assert_eq!(idle.answer().text(), "hello");

    let mut new = start(|_| {}, listener(&old.address.to_string()), options(true));
    new.address = old.address;
    old.running.orders.send_replace(Some(Order::HandOver));
    // Whoever accepts it, every connection is served, until one was served by the new server.
    let begun = Instant::now();
    while new.told.try_recv().is_err() {
        assert!(begun.elapsed() < LONG, "the listeners are not handed over");
        let mut client = new.client();
        client.post("/who", "");
        assert_eq!(client.answer().status, 200);
    }
    // The old server has heard that the new one accepts.
    idle.assert_closed();
    old.release();
    let answer = busy.answer();
    assert_eq!((answer.text(), answer.closes()), ("held old", true));
    drop(old);
    let mut client = new.client();
    client.post("/echo", "hello");
    assert_eq!(client.answer().text(), "hello");
}

#[test]
fn a_new_process_that_dies_before_it_accepts_leaves_the_old_one_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("upgrade.sock");
    let listener = |address: &str| Listener { address: address.to_owned(), tls: None };
    let options = |upgrade| Options { upgrade, upgrade_socket: Some(path.clone()), ..Options::default() };
    let old = start(|_| {}, listener("127.0.0.1:0"), options(false));
    let address = old.address.to_string();

    old.running.orders.send_replace(Some(Order::HandOver));
    let (sockets, confirmation) =
        takeover::take_over(&path, &inherit(&[listener(&address)]).unwrap()).unwrap();
    assert_eq!(sockets.iter().map(|(name, _)| name).collect::<Vec<_>>(), [&address]);
    // It has the sockets, and the old process still serves.
    let mut client = old.client();
    client.post("/echo", "hello");
    assert_eq!(client.answer().text(), "hello");
    drop((sockets, confirmation));

    // The next one is better, and the old process hands over again.
    let mut new = start(|_| {}, listener(&address), options(true));
    new.address = old.address;
    old.running.orders.send_replace(Some(Order::HandOver));
    let begun = Instant::now();
    while new.told.try_recv().is_err() {
        assert!(begun.elapsed() < LONG, "the listeners are not handed over");
        let mut client = old.client();
        client.post("/who", "");
        assert_eq!(client.answer().status, 200);
    }
    client.assert_closed();
}

#[test]
fn nobody_else_can_hand_over_listeners() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("upgrade.sock");
    let other = path.clone();
    let stranger = std::thread::spawn(move || {
        loop {
            if let Ok(mut stream) = std::os::unix::net::UnixStream::connect(&other) {
                return stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
            }
            std::thread::yield_now();
        }
    });
    let error = takeover::take_over(&path, &inherit(&[]).unwrap()).unwrap_err().to_string();
    assert!(error.contains("no listeners of an `mcp-edge`"), "{error}");
    stranger.join().unwrap();
    assert!(!path.exists());
}
