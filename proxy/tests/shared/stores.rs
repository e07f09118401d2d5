//! Every kind of store, and what is said of those that cannot be used.

use crate::edges::{address, edges, take, wait};
use crate::redis::{Redis, free_port};
use mcp_bundle::wire_enums::WhenAway;
use mcp_edge::limits::shared::{NodeAddress, StoreAddress, try_store};
use mcp_edge::limits::{Rate, Refused, SharedLimits, nanoseconds};
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
                Err(Refused::For(wait)) => *refused = wait.as_secs() > 60,
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
    let sentinel = redis.sentinel("");
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
fn sentinels_with_a_password_lead_to_the_server_that_is_master_now() {
    let Some(redis) = Redis::start(&["--requirepass", "of-server", "--masterauth", "of-server"]) else {
        return;
    };
    let port = redis.port.to_string();
    let options =
        ["--replicaof", "127.0.0.1", &port, "--requirepass", "of-server", "--masterauth", "of-server"];
    let Some(replica) = Redis::start(&options) else { return };
    let log_in = |redis: &Redis, words: &[&str]| redis.ask_as("of-server", words);
    wait(|| log_in(&replica, &["INFO", "replication"]).contains("master_link_status:up"));
    // It knows the replica from its first look at the server.
    let sentinel = redis.sentinel(
        "requirepass of-sentinel\nsentinel auth-pass main of-server\n\
         sentinel down-after-milliseconds main 300\nsentinel failover-timeout main 3000\n",
    );
    let mut address = StoreAddress {
        sentinel_service: Some("main".to_owned()),
        password: Some("of-server".to_owned()),
        ..address(&sentinel.url(), 2)
    };
    assert!(try_store(&address).is_err(), "the sentinel wants a password of its own");
    address.sentinel_password = Some("of-sentinel".to_owned());
    assert!(!format!("{address:?}{address}").contains("of-sentinel"));
    is_shared(&address);
    wait(|| sentinel.ask_as("of-sentinel", &["SENTINEL", "REPLICAS", "main"]) != "*0");
    let limits = edges(std::slice::from_ref(&address));
    let rate = Rate::new(100, 1, 100);
    wait(|| take(&limits[0], rate, WhenAway::Refuse).is_ok());
    redis.kill();
    wait(|| log_in(&replica, &["INFO", "replication"]).contains("role:master"));
    wait(|| limits[0].status().unwrap().is_up && take(&limits[0], rate, WhenAway::Refuse).is_ok());
    wait(|| log_in(&replica, &["DBSIZE"]) != ":0");
}

#[test]
fn a_key_that_cannot_be_used_takes_one_limit_away_and_no_other() {
    let Some(redis) = Redis::start(&[]) else { return };
    assert_eq!(redis.ask(&["HSET", "test:{rate/bad}", "a", "b"]), ":1");
    let limits = edges(std::slice::from_ref(&address(&redis.url(), 1))).remove(0);
    let call = |name: &'static str, when_away| {
        let rate = Rate::new(1000, 1, 1000);
        let (key, now) = (name.len() as u64, nanoseconds(Instant::now()));
        limits.take((7, key), rate, when_away, now, || name.to_owned()).unwrap()
    };
    let bad = || call("rate/bad", WhenAway::Refuse);
    wait(|| bad() == Err(Refused::StoreAway));
    assert!(call("rate/bad", WhenAway::Share).is_ok(), "this edge's own part");
    let failed = || limits.stats().unwrap().counts.failed;
    let before = failed();
    let mut passed = 0;
    wait(|| {
        let _ = bad();
        passed += u32::from(call("rate/good", WhenAway::Refuse).is_ok());
        passed > 1000
    });
    assert!(limits.status().unwrap().is_up);
    assert!(failed() <= before + 1, "it is left alone for a while");
    assert_eq!(redis.ask(&["DEL", "test:{rate/bad}"]), ":1");
    wait(|| bad().is_ok());
}

#[test]
fn a_user_who_may_not_run_a_command_of_the_scripts_is_found_by_the_check() {
    let Some(redis) = Redis::start(&[]) else { return };
    for missing in ["-get", "-set", "-hgetall", "-hset", "-hdel", "-zadd", "-pexpire", "-time"] {
        let user = ["ACL", "SETUSER", "edge", "reset", "on", ">hunter2", "~test:*", "+@all", missing];
        assert_eq!(redis.ask(&user), "+OK");
        let (username, password) = (Some("edge".to_owned()), Some("hunter2".to_owned()));
        let address = StoreAddress { username, password, ..address(&redis.url(), 1) };
        assert!(try_store(&address).is_err(), "{missing}");
    }
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
