use super::*;
use crate::settings::ClientFiles;
use insta::assert_snapshot;
use mcp_diagnostics::Shape;

const KEY: &str = "mcpc-ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

fn parse(text: &str) -> Config {
    Config::parse(text, "edge.toml", Path::new("conf"))
        .unwrap_or_else(|problems| panic!("{}", problems.render(false)))
}

fn errors(text: &str) -> String {
    Config::parse(text, "edge.toml", Path::new("conf")).unwrap_err().render(false)
}

#[test]
fn an_empty_file_is_the_default() {
    let config = parse("");
    assert_eq!(config.listeners[0].address, "127.0.0.1:8080");
    assert_eq!(config.admin, Some(DEFAULT_ADMIN));
    assert!(config.settings.access.loopback && config.auth.is_none() && config.keys.is_empty());
    assert_eq!(config.poll, Duration::from_secs(10));
}

#[test]
fn every_key_is_read() {
    let config = parse(&format!(
        r#"
        bundle = "tools.mcpk"
        keys = ["{KEY}"]
        poll_seconds = 3
        secrets = "/run/secrets.env"
        auth = "none"
        threads = 2
        metrics = false
        admin = "off"
        upgrade_socket = "up.sock"
        ca_file = "ca.pem"
        [[listen]]
        address = "0.0.0.0:443"
        certificate = "tls/cert.pem"
        key = "tls/key.pem"
        [[listen]]
        address = "[::1]:8080"
        [log]
        format = "json"
        level = "debug"
        [access]
        hosts = ["MCP.example.com"]
        origins = ["https://app.example.com", "http://localhost:3000"]
        "#
    ));
    assert_eq!(config.bundle, Some(BundlePlace::File(PathBuf::from("conf/tools.mcpk"))));
    assert_eq!(config.keys.len(), 1);
    assert_eq!(config.poll, Duration::from_secs(3));
    assert_eq!(config.secrets.file(), Some(Path::new("/run/secrets.env")));
    assert!(config.is_open() && !config.settings.access.loopback);
    assert_eq!((config.threads, config.admin), (Some(2), None));
    assert!(config.settings.without_metrics && !parse("metrics = true").settings.without_metrics);
    assert_eq!(config.upgrade_socket.as_deref(), Some(Path::new("conf/up.sock")));
    assert_eq!(config.ca_file.as_deref(), Some(Path::new("conf/ca.pem")));
    let tls = config.listeners[0].tls.as_ref().unwrap();
    assert_eq!(
        (tls.certificate.as_path(), tls.key.as_path()),
        (Path::new("conf/tls/cert.pem"), Path::new("conf/tls/key.pem"))
    );
    assert_eq!(
        (config.listeners[1].address.as_str(), config.listeners[1].tls.is_none()),
        ("[::1]:8080", true)
    );
    assert_eq!(config.log.format, crate::telemetry::logging::LogFormat::Json);
    assert_eq!(config.log.level, crate::telemetry::logging::LogLevel::Debug);
    assert_eq!(config.settings.access.hosts, ["mcp.example.com"]);
    assert_eq!(config.settings.access.origins.len(), 2);
    assert!(config.exposed().is_empty());
}

#[test]
fn every_number_is_read_at_both_ends_of_its_range_and_refused_beyond() {
    let rows = keys::TABLES.iter().flat_map(|(table, _, rows)| rows.iter().map(move |row| (table, row)));
    for (table, row) in rows {
        let Some(field) = row.field else { continue };
        let (least, most) = match row.shape {
            Shape::Integer { min, max } => (min as u64, max as u64),
            Shape::Size { min, max } => (min, max),
            other => panic!("{other:?}"),
        };
        let name = row.name;
        // The one key that a table must have.
        let needed = if *table == "audit" { "file = \"a.jsonl\"\n" } else { "" };
        let file = |value: &str| format!("[{table}]\n{needed}{name} = {value}\n");
        let number = |value: u64| file(&keys::written(row.shape, value));
        let default = (field.get)(&Settings::default());
        assert!((least..=most).contains(&default), "{name}");
        for value in [least, default, most] {
            assert_eq!((field.get)(&parse(&number(value)).settings), value, "{name}");
        }
        assert!(errors(&number(most + 1)).contains("must be between"), "{name}");
        if let Some(under) = least.checked_sub(1) {
            assert!(errors(&number(under)).contains("must be between"), "{name}");
        }
        for wrong in ["true", "1.5", "-1", "\"many\"", "[]", "99999999999999999999"] {
            assert!(errors(&file(wrong)).contains(name), "{name} = {wrong}");
        }
    }
}

#[test]
fn the_reference_in_the_docs_is_the_one_of_the_code() {
    let docs = include_str!("../../../docs/OPERATIONS.md");
    assert!(docs.contains(&keys::reference()), "put this into docs/OPERATIONS.md:\n{}", keys::reference());
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once() {
    assert_snapshot!(errors("bundel = \"a\"\nthreads = 0\n[limits]\nrequest_body = 1048576\nbatch = \"x\"\n"), @r##"
    error: the file has no key `bundel`
     --> edge.toml:1:1
      |
    1 | bundel = "a"
      | ^^^^^^
      |
    help: did you mean `bundle`?
      |
    1 - bundel = "a"
    1 + bundle = "a"
      |

    error: `threads` must be between 1 and 1024
     --> edge.toml:2:11
      |
    2 | threads = 0
      |           ^
      |
      = note: worker threads

    error: `request_body` needs a unit
     --> edge.toml:4:16
      |
    4 | request_body = 1048576
      |                ^^^^^^^
      |
      = note: the units are `B`, `KiB`, `MiB` and `GiB`
    help: write `"1MiB"`
      |
    4 - request_body = 1048576
    4 + request_body = "1MiB"
      |

    error: `batch` must be an integer, not a string
     --> edge.toml:5:9
      |
    5 | batch = "x"
      |         ^^^
      |
      = note: requests in a batch

    error: `edge.toml` has 4 errors
    "##);
}

#[test]
fn a_key_in_the_wrong_table_is_led_home() {
    assert_snapshot!(errors("[limits]\nsecrets = \"a\"\n[list]\nrequest_body = \"1MiB\"\n"), @r##"
    error: `limits` has no key `secrets`
     --> edge.toml:2:1
      |
    2 | secrets = "a"
      | ^^^^^^^
      |
      = help: `secrets` belongs to the top of the file, before the first `[`

    error: `list` has no key `request_body`
     --> edge.toml:4:1
      |
    4 | request_body = "1MiB"
      | ^^^^^^^^^^^^
      |
      = help: `request_body` belongs to `[limits]`

    error: `edge.toml` has 2 errors
    "##);
}

#[test]
fn an_open_address_needs_a_word() {
    assert_snapshot!(errors("admin = \"0.0.0.0:8081\"\n[[listen]]\naddress = \"192.0.2.1:80\"\n"), @r##"
    error: `0.0.0.0:8081` is reachable from other machines, and the admin listener has no authentication
     --> edge.toml:1:9
      |
    1 | admin = "0.0.0.0:8081"
      |         ^^^^^^^^^^^^^^
      |
      = help: listen on `127.0.0.1`, or write `admin_open = true` if a firewall keeps others out

    error: `192.0.2.1:80` is reachable from other machines, and there is no authentication
     --> edge.toml:3:11
      |
    3 | address = "192.0.2.1:80"
      |           ^^^^^^^^^^^^^^
      |
      = help: listen on `127.0.0.1`, write `[auth]`, or let everyone call with `auth = "none"` at the top of the file

    error: `edge.toml` has 2 errors
    "##);
}

#[test]
fn addresses_are_ip_addresses_with_ports() {
    assert_snapshot!(errors("[[listen]]\naddress = \"localhost:80\"\n[[listen]]\nkey = \"k.pem\"\n"), @r##"
    error: `localhost:80` is not an `IP:port` address
     --> edge.toml:2:11
      |
    2 | address = "localhost:80"
      |           ^^^^^^^^^^^^^^
      |
      = help: write `127.0.0.1:80`

    error: a listener with TLS needs `certificate` and `key`; `certificate` is missing
     --> edge.toml:3:1
      |
    3 | [[listen]]
      | ^^^^^^^^^^

    error: `listen` needs an `address`
     --> edge.toml:3:1
      |
    3 | [[listen]]
      | ^^^^^^^^^^
      |
      = help: write `address = "127.0.0.1:8080"`

    error: `edge.toml` has 3 errors
    "##);
}

#[test]
fn one_address_is_listened_on_once() {
    assert_snapshot!(errors("admin = \"127.0.0.1:8080\"\n"), @r##"
    error: two listeners use `127.0.0.1:8080`
     --> edge.toml:1:9
      |
    1 | admin = "127.0.0.1:8080"
      |         ^^^^^^^^^^^^^^^^
      |
      = note: it is the default of the other one
      = help: give `admin` and each `[[listen]]` an address of its own

    error: `edge.toml` has 1 error
    "##);
}

#[test]
fn words_and_types_are_checked() {
    assert_snapshot!(errors("auth = \"jwt\"\nbundle = \"\"\nkeys = \"k\"\nlisten = \"127.0.0.1:80\"\nlog = 1\n"), @r##"
    error: `auth` cannot be `jwt`
     --> edge.toml:1:8
      |
    1 | auth = "jwt"
      |        ^^^^^
      |
      = help: write `auth = "none"` to let everyone call, or a table `[auth]` with `mode` and `tenants`

    error: `bundle` is empty
     --> edge.toml:2:10
      |
    2 | bundle = ""
      |          ^^

    error: `keys` must be a list of strings, not a string
     --> edge.toml:3:8
      |
    3 | keys = "k"
      |        ^^^
      |
      = note: public keys, as text or as files; with any, one of them must have signed the bundle; a remote source needs them

    error: `listen` must be a list of tables, not a string
     --> edge.toml:4:10
      |
    4 | listen = "127.0.0.1:80"
      |          ^^^^^^^^^^^^^^
      |
      = note: written `[[listen]]`, once for each listener

    error: `log` must be a table, not an integer
     --> edge.toml:5:7
      |
    5 | log = 1
      |       ^
      |
      = note: written `[log]`: what is logged

    error: `edge.toml` has 5 errors
    "##);
}

#[test]
fn a_boolean_for_admin_leads_to_the_word() {
    assert!(errors("admin = false\n").contains("note: address of the admin listener, or `\"off\"`"));
}

#[test]
fn origins_and_hosts_are_checked() {
    assert_snapshot!(errors("[access]\nhosts = [\"https://a\", \"a:80\"]\norigins = [\"a.example\", \"https://a/\"]\n"), @r##"
    error: `https://a` is not a host name
     --> edge.toml:2:10
      |
    2 | hosts = ["https://a", "a:80"]
      |          ^^^^^^^^^^^
      |
      = help: write a name without a scheme or a port, like `mcp.example.com`

    error: `a:80` is not a host name
     --> edge.toml:2:23
      |
    2 | hosts = ["https://a", "a:80"]
      |                       ^^^^^^
      |
      = help: write a name without a scheme or a port, like `mcp.example.com`

    error: `a.example` is not an origin
     --> edge.toml:3:12
      |
    3 | origins = ["a.example", "https://a/"]
      |            ^^^^^^^^^^^
      |
      = help: write a scheme and a host, and a port if it is not the default, like `https://app.example.com`

    error: `https://a/` is not an origin
     --> edge.toml:3:25
      |
    3 | origins = ["a.example", "https://a/"]
      |                         ^^^^^^^^^^^^
      |
      = help: write a scheme and a host, and a port if it is not the default, like `https://app.example.com`

    error: `edge.toml` has 4 errors
    "##);
}

#[test]
fn syntax_errors_come_first() {
    assert_snapshot!(errors("bundle = \n[limits\n"), @r##"
    error: expected a value after `=`
     --> edge.toml:1:8
      |
    1 | bundle = 
      |        ^

    error: unclosed table, expected `]`
     --> edge.toml:2:8
      |
    2 | [limits
      |        ^

    error: `edge.toml` has 2 errors
    "##);
}

#[test]
fn tool_specs_are_not_a_configuration() {
    assert_snapshot!(errors("[[tool]]\nname = \"a\"\n"), @r##"
    error: these are tool specs, not the configuration of an edge
    --> edge.toml
     |
     = help: build a bundle of them with `mcpc build`, and serve that

    error: `edge.toml` has 1 error
    "##);
}

#[test]
fn a_secret_key_is_refused_without_showing_it() {
    let secret = "mcpc-ed25519-secret:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    for (keys, place) in
        [(format!("[\"{secret}\"]"), "edge.toml:1:9"), (format!("\"{secret}\""), "edge.toml:1:8")]
    {
        let text = errors(&format!("keys = {keys}\n"));
        assert!(text.contains("it is a secret key") && text.contains(place), "{text}");
        assert!(!text.contains("AAAA"), "{text}");
    }
}

#[test]
fn keys_that_are_missing_or_empty_are_reported() {
    assert_snapshot!(errors("keys = []\n"), @r##"
    error: `keys` is empty, so no signature would be required
     --> edge.toml:1:8
      |
    1 | keys = []
      |        ^^
      |
      = help: add a key, or remove `keys`

    error: `edge.toml` has 1 error
    "##);
    assert!(errors("keys = [\"none.pub\"]\n").contains("key `none.pub` cannot be read"));
}

#[test]
fn the_value_that_was_meant_is_suggested() {
    assert_snapshot!(errors("[limits]\nrequest_body = \"2MB\"\n[timeouts]\nbody_seconds = \"30s\"\n"), @r##"
    error: `2MB` is not a valid size
     --> edge.toml:2:16
      |
    2 | request_body = "2MB"
      |                ^^^^^
      |
      = note: the units are `B`, `KiB`, `MiB` and `GiB`
    help: write `"2MiB"`
      |
    2 | request_body = "2MiB"
      |                   +

    error: `body_seconds` must be an integer, not a string
     --> edge.toml:4:16
      |
    4 | body_seconds = "30s"
      |                ^^^^^
      |
      = note: from a request's head to the end of its body
    help: write `30`
      |
    4 - body_seconds = "30s"
    4 + body_seconds = 30
      |

    error: `edge.toml` has 2 errors
    "##);
    for (written, help) in [
        ("limits.response_body = 1048576", "write `\"1MiB\"`"),
        ("limits.request_body = \"much\"", "write it like `\"64KiB\"`"),
        ("poll_seconds = \"1m\"", "write `60`"),
        ("threads = \"4\"", "write `4`"),
        ("metrics = \"false\"", "write `false`"),
        ("admin = \"none\"", "write `\"off\"`"),
    ] {
        assert!(errors(written).contains(help), "{}", errors(written));
    }
}

#[test]
fn of_two_listeners_with_one_address_the_second_is_at_fault() {
    let listen = "[[listen]]\naddress = \"127.0.0.1:9000\"\n";
    assert_snapshot!(errors(&format!("{listen}{listen}")), @r##"
    error: two listeners use `127.0.0.1:9000`
     --> edge.toml:4:11
      |
    2 | address = "127.0.0.1:9000"
      |           ---------------- first used here
    3 | [[listen]]
    4 | address = "127.0.0.1:9000"
      |           ^^^^^^^^^^^^^^^^
      |
      = help: give `admin` and each `[[listen]]` an address of its own

    error: `edge.toml` has 1 error
    "##);
    assert!(parse("admin = \"127.0.0.1:0\"\n[[listen]]\naddress = \"127.0.0.1:0\"\n").admin.is_some());
}

#[test]
fn a_certificate_for_an_upstream_comes_with_its_key() {
    let text = "[upstream.crm]\nclient_certificate = \"a.pem\"\nclient_key = \"a.key\"\n";
    let config = Config::parse(text, "edge.toml", Path::new("conf")).unwrap();
    let files = ClientFiles { certificate: "conf/a.pem".into(), key: "conf/a.key".into() };
    assert_eq!(config.settings.client_certificates, [("crm".to_owned(), files)]);
    assert!(config.settings.upstreams.is_empty());
    let alone = "[upstream.crm]\nclient_key = \"a.key\"\n";
    let error = Config::parse(alone, "edge.toml", Path::new("conf")).unwrap_err().to_string();
    assert!(error.contains("`client_key` needs `client_certificate` as well"), "{error}");
}
