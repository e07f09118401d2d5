//! What cannot change while the process runs: it needs an upgrade or a restart.

use super::Config;
use crate::process::Listener;

/// A key and whether two configurations differ in it.
type Fixed = (&'static str, fn(&Config, &Config) -> bool);

/// Only whether it is there is fixed.
pub const TLS: &str = "listen.certificate";

pub const FIXED: &[Fixed] = &[
    ("threads", |a, b| a.threads != b.threads),
    ("admin", |a, b| a.admin != b.admin),
    ("recent_calls", |a, b| a.recent_calls != b.recent_calls),
    ("upgrade_socket", |a, b| a.upgrade_socket != b.upgrade_socket),
    ("ca_file", |a, b| a.ca_file != b.ca_file),
    ("listen.address", |a, b| addresses(a).ne(addresses(b))),
    // Other files are read at a reload; whether there is TLS at all belongs to the socket.
    (TLS, |a, b| a.listeners.iter().any(|listener| changes_tls(listener, &b.listeners))),
    ("log.format", |a, b| a.log.format != b.log.format),
    ("audit.file", |a, b| a.settings.audit.file != b.settings.audit.file),
];

impl Config {
    /// The keys that are not as in `running`, and that a reload cannot change.
    pub fn differs_beyond_reload(&self, running: &Config) -> Vec<&'static str> {
        FIXED.iter().filter(|(_, differs)| differs(self, running)).map(|(name, _)| *name).collect()
    }
}

fn addresses(config: &Config) -> impl Iterator<Item = &str> {
    config.listeners.iter().map(|listener| listener.address.as_str())
}

/// Whether the listener of the same address had TLS and has none, or the other way round.
fn changes_tls(listener: &Listener, others: &[Listener]) -> bool {
    let mut same = others.iter().filter(|other| other.address == listener.address);
    same.any(|other| other.tls.is_some() != listener.tls.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys;
    use std::path::Path;

    #[test]
    fn every_fixed_key_is_one_of_the_file_and_is_named_when_it_changes() {
        let config = |text: &str| Config::parse(text, "edge.toml", Path::new("")).unwrap();
        let running = config("");
        for (text, named) in [
            ("threads = 3", "threads"),
            ("admin = \"off\"", "admin"),
            ("recent_calls = 5", "recent_calls"),
            ("upgrade_socket = \"u.sock\"", "upgrade_socket"),
            ("ca_file = \"ca.pem\"", "ca_file"),
            ("[[listen]]\naddress = \"127.0.0.1:1\"", "listen.address"),
            ("[log]\nformat = \"json\"", "log.format"),
            ("[audit]\nfile = \"a.jsonl\"", "audit.file"),
        ] {
            assert_eq!(config(text).differs_beyond_reload(&running), [named]);
        }
        let tls = |file: &str| {
            let address = "address = \"127.0.0.1:8080\"";
            config(&format!("[[listen]]\n{address}\ncertificate = \"{file}\"\nkey = \"{file}\""))
        };
        assert!(
            tls("a").differs_beyond_reload(&tls("b")).is_empty(),
            "another certificate is read at a reload"
        );
        assert_eq!(tls("a").differs_beyond_reload(&running), ["listen.certificate"]);
        let live = "[limits]\nrequest_body = \"2KiB\"\n[log]\nlevel = \"debug\"";
        assert!(config(live).differs_beyond_reload(&running).is_empty());
        for (name, _) in FIXED {
            assert!(keys::all().any(|(known, _)| known == *name), "{name}");
        }
    }
}
