//! Every kind of store, and what is said of those that cannot be used.

use crate::edges::{address, edges, take, wait};
use crate::redis::{Redis, free_port};
use mcp_bundle::wire_enums::WhenAway;
use mcp_edge::limits::shared::{NodeAddress, StoreAddress, try_store};
use mcp_edge::limits::{Rate, SharedLimits, nanoseconds};
use std::sync::Arc;
use std::time::Instant;

/// Whether two edges at this store share a rate of ten calls.
fn is_shared(address: &StoreAddress) {
    let limits = edges(&[address.clone(), address.clone()]);
    let status: Vec<_> = limits.iter().map(|limits| limits.status().unwrap()).collect();
    assert!(status.iter().all(|status| status.is_up), "{status:?}");
    let rate = Rate::new(10, 3600, 10);
    let mut passed = 0;
    let mut refused = [false; 2];
    wait(|| {
        for (limits, refused) in limits.iter().zip(&mut refused) {
            match take(limits, rate, WhenAway::Refuse) {
                Ok(_) => passed += 1,
                Err(mcp_edge::limits::Refused::For(wait)) => *refused = wait.as_secs() > 60,
                Err(error) => panic!("{error:?}"),
            }
        }
        refused == [true; 2]
    });
    assert!((5..=10).contains(&passed), "{passed} of 10");
}

#[test]
fn one_server_with_a_password_and_a_database() {
    let Some(redis) = Redis::start(&["--requirepass", "hunter2"]) else { return };
    let open = address(&format!("{}/3", redis.url()), 2);
    let error = try_store(&open).unwrap_err();
    assert!(error.contains("NOAUTH") || error.to_lowercase().contains("authentication"), "{error}");
    let mut wrong = StoreAddress { password: Some("hunter3".to_owned()), ..open };
    let error = try_store(&wrong).unwrap_err();
    assert!(!error.contains("hunter3"), "{error}");
    wrong.password = Some("hunter2".to_owned());
    assert!(try_store(&wrong).is_ok() && !format!("{wrong:?}{wrong}").contains("hunter2"));
    is_shared(&wrong);
}

#[test]
fn a_cluster_of_three_masters() {
    let Some(nodes) = Redis::cluster() else { return };
    // Any of them leads to all others.
    let address = StoreAddress { is_cluster: true, ..address(&nodes[1].url(), 2) };
    is_shared(&address);
    // Limits lie on all nodes.
    let limits = edges(std::slice::from_ref(&address));
    let rate = Rate::new(10, 3600, 10);
    let call = |limits: &SharedLimits, number: u64| {
        let now = nanoseconds(Instant::now());
        limits.take((7, number), rate, WhenAway::Refuse, now, || format!("rate/{number}")).unwrap().is_ok()
    };
    for number in 0..30 {
        wait(|| call(&limits[0], number));
    }
    wait(|| nodes.iter().all(|node| node.ask(&["DBSIZE"]) != ":0"));
}

#[test]
fn a_service_that_sentinels_know() {
    let Some(redis) = Redis::start(&[]) else { return };
    let sentinel = redis.sentinel();
    let service = Some("main".to_owned());
    let gone = NodeAddress::parse(&format!("redis://127.0.0.1:{}", free_port())).unwrap();
    let mut address = StoreAddress { sentinel_service: service, ..address(&sentinel.url(), 2) };
    // One that is away is passed over.
    address.nodes.insert(0, gone);
    is_shared(&address);
    address.sentinel_service = Some("other".to_owned());
    assert!(try_store(&address).is_err());
}

#[test]
fn a_server_with_tls_is_verified() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (certificate, key) =
        (file("cert.pem", made.cert.pem()), file("key.pem", made.signing_key.serialize_pem()));
    let port = free_port().to_string();
    let (certificate_name, key_name) = (certificate.to_str().unwrap(), key.to_str().unwrap());
    let options = ["--tls-port", &port, "--tls-cert-file", certificate_name, "--tls-key-file", key_name];
    let options = [&options[..], &["--tls-auth-clients", "no"]].concat();
    let Some(_redis) = Redis::start(&options) else { return };
    let unknown = address(&format!("rediss://localhost:{port}"), 2);
    assert!(try_store(&unknown).is_err(), "nobody vouches for the certificate");
    let known = StoreAddress { ca_file: Some(Arc::from(certificate)), ..unknown };
    is_shared(&known);
    let other = address(&format!("rediss://127.0.0.1:{port}"), 2);
    assert!(try_store(&StoreAddress { ca_file: known.ca_file, ..other }).is_err(), "it is of another name");
}

#[test]
fn what_is_no_store_is_said_so() {
    let gone = address(&format!("redis://127.0.0.1:{}", free_port()), 1);
    let error = try_store(&gone).unwrap_err();
    assert!(error.contains("refused"), "{error}");
    let Some(redis) = Redis::start(&[]) else { return };
    assert_eq!(redis.ask(&["SET", "test:{edges}", "text"]), "+OK");
    let error = try_store(&address(&redis.url(), 1)).unwrap_err();
    assert!(error.contains("WRONGTYPE"), "{error}");
}
