//! The keys of `edge.toml` that are no numbers of [`Settings`], and the table of all keys.

use super::fixed::FIXED;
use super::numbers::{self, NUMBERS};
use crate::settings::Settings;

#[derive(Debug)]
pub struct Key {
    /// Empty for the top of the file.
    pub table: &'static str,
    pub name: &'static str,
    pub default: &'static str,
    pub doc: &'static str,
}

const fn key(table: &'static str, name: &'static str, default: &'static str, doc: &'static str) -> Key {
    Key { table, name, default, doc }
}

#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("", "bundle", "", "the bundle that is served; the command line may name another"),
    key("", "keys", "", "public keys, as text or as files; with any, the bundle must be signed by one of them"),
    key("", "poll_seconds", "10", "how often the bundle and the secrets file are looked at"),
    key("", "secrets", "", "a file of `NAME=value` lines for the `${NAME}`s of the bundle; the environment comes first"),
    key("", "auth", "", "`\"none\"`: everyone may call; needed to listen on an address that is not loopback"),
    key("", "threads", "the number of cores", "threads that serve"),
    key("", "admin", "\"127.0.0.1:8081\"", "address of the admin listener, or `\"off\"`"),
    key("", "metrics", "true", "`false`: finished calls are not counted; `/metrics` shows the rest"),
    key("", "upgrade_socket", "", "where a new process started with `--upgrade` takes the listeners over"),
    key("", "ca_file", "", "PEM certificates that upstreams are trusted by, instead of the system's"),
    key("listen", "address", "\"127.0.0.1:8080\"", "IP address and port; `[[listen]]` may stand several times"),
    key("listen", "certificate", "", "PEM file with the certificate and those that lead to its root; then the listener speaks TLS"),
    key("listen", "key", "", "PEM file with the certificate's private key"),
    key("log", "format", "\"text\"", "`\"text\"` or `\"json\"`"),
    key("log", "level", "\"info\"", "`\"error\"`, `\"warn\"`, `\"info\"`, `\"debug\"` or `\"trace\"`"),
    key("access", "hosts", "[]", "`Host` names that are answered, without ports; empty: any, or local names if all listeners are loopback"),
    key("access", "origins", "[]", "`Origin`s of browsers that are answered, beside that of a known `Host` (one of `hosts`, a local name, an IP address); empty: local ones, if all listeners are loopback"),
];

pub const TABLES: [&str; 7] = ["listen", "log", "access", "limits", "timeouts", "pool", "list"];

/// The names that a table may hold.
pub fn names(table: &'static str) -> impl Iterator<Item = &'static str> + Clone {
    let keys = KEYS.iter().filter(move |key| key.table == table).map(|key| key.name);
    let numbers = NUMBERS.iter().filter(move |number| number.table == table).map(|number| number.name);
    keys.chain(numbers).chain(TABLES.into_iter().filter(move |_| table.is_empty()))
}

/// The table that knows this key, if it is written in the wrong one.
pub fn home(name: &str) -> Option<&'static str> {
    let keys = KEYS.iter().map(|key| (key.table, key.name));
    let all = keys.chain(NUMBERS.iter().map(|number| (number.table, number.name)));
    let mut homes = all.filter(|(_, known)| *known == name).map(|(table, _)| table);
    // A name that two tables know says nothing.
    homes.next().filter(|_| homes.next().is_none())
}

/// The reference of all keys, as Markdown.
pub fn reference() -> String {
    let mut out = String::from("| key | default | changes at | what |\n|---|---|---|---|\n");
    let mut row = |table: &str, name: &str, default: &str, doc: &str| {
        let dot = if table.is_empty() { "" } else { "." };
        let default = match default {
            "" => "–".to_owned(),
            words if words.contains(' ') => words.to_owned(),
            value => format!("`{value}`"),
        };
        let name = format!("{table}{dot}{name}");
        let changes = if FIXED.iter().any(|(fixed, _)| *fixed == name) { "upgrade" } else { "reload" };
        out.push_str(&format!("| `{name}` | {default} | {changes} | {doc} |\n"));
    };
    for key in KEYS {
        row(key.table, key.name, key.default, key.doc);
    }
    for number in NUMBERS {
        let default = numbers::write(number.unit, (number.get)(&Settings::default()));
        row(number.table, number.name, &default, number.doc);
    }
    out
}
