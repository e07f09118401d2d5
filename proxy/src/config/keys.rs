//! The language of `edge.toml`: its tables of keys, and the reference that is made of them.

use super::fixed::FIXED;
use super::numbers::{LIMITS, LIST, POOL, TIMEOUTS};
use crate::settings::Settings;
use crate::telemetry::logging::{LogFormat, LogLevel};
use mcp_diagnostics::{Key, Language, ReadingRules, Shape, Table, size};

/// A key, and what the reference says of it.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub shape: Shape,
    default: &'static str,
    doc: &'static str,
    /// Where a number goes.
    pub field: Option<Field>,
}

/// A number of [`Settings`].
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub get: fn(&Settings) -> u64,
    pub set: fn(&mut Settings, u64),
}

impl Row {
    pub const fn new(name: &'static str, shape: Shape, default: &'static str, doc: &'static str) -> Row {
        Row { name, shape, default, doc, field: None }
    }

    pub const fn field(mut self, field: Field) -> Row {
        self.field = Some(field);
        self
    }
}

use Shape::{Boolean, Integer, Tables, Text, Texts, Word};

#[rustfmt::skip]
static TOP_ROWS: [Row; 17] = [
    Row::new("bundle", Text, "", "the bundle that is served; the command line may name another"),
    Row::new("keys", Texts, "", "public keys, as text or as files; with any, the bundle must be signed by one of them"),
    Row::new("poll_seconds", Integer { min: 1, max: 86_400 }, "10", "how often the bundle and the secrets file are looked at"),
    Row::new("secrets", Text, "", "a file of `NAME=value` lines for the `${NAME}`s of the bundle; the environment comes first"),
    Row::new("auth", Text, "", "`\"none\"`: everyone may call; needed to listen on an address that is not loopback"),
    Row::new("threads", Integer { min: 1, max: 1024 }, "the number of cores", "threads that serve"),
    Row::new("admin", Text, "\"127.0.0.1:8081\"", "address of the admin listener, or `\"off\"`"),
    Row::new("metrics", Boolean, "true", "`false`: finished calls are not counted; `/metrics` shows the rest"),
    Row::new("upgrade_socket", Text, "", "where a new process started with `--upgrade` takes the listeners over"),
    Row::new("ca_file", Text, "", "PEM certificates that upstreams are trusted by, instead of the system's"),
    Row::new("listen", Tables(&LISTEN_TABLE), "", "written `[[listen]]`, once for each listener"),
    Row::new("log", Shape::Table(&LOG_TABLE), "", "written `[log]`: what is logged"),
    Row::new("access", Shape::Table(&ACCESS_TABLE), "", "written `[access]`: who may talk to the public listener"),
    Row::new("limits", Shape::Table(&LIMITS_TABLE), "", "written `[limits]`: what a request or an answer may hold at most"),
    Row::new("timeouts", Shape::Table(&TIMEOUTS_TABLE), "", "written `[timeouts]`: how long clients may take"),
    Row::new("pool", Shape::Table(&POOL_TABLE), "", "written `[pool]`: connections to upstreams"),
    Row::new("list", Shape::Table(&LIST_TABLE), "", "written `[list]`: lists of tools"),
];

#[rustfmt::skip]
static LISTEN_ROWS: [Row; 3] = [
    Row::new("address", Text, "\"127.0.0.1:8080\"", "IP address and port; `[[listen]]` may stand several times"),
    Row::new("certificate", Text, "", "PEM file with the certificate and those that lead to its root; then the listener speaks TLS"),
    Row::new("key", Text, "", "PEM file with the certificate's private key"),
];

#[rustfmt::skip]
static LOG_ROWS: [Row; 2] = [
    Row::new("format", Word(&words(&LogFormat::WORDS)), "\"text\"", "`\"text\"` or `\"json\"`"),
    Row::new("level", Word(&words(&LogLevel::WORDS)), "\"info\"", "`\"error\"`, `\"warn\"`, `\"info\"`, `\"debug\"` or `\"trace\"`"),
];

#[rustfmt::skip]
static ACCESS_ROWS: [Row; 2] = [
    Row::new("hosts", Texts, "[]", "`Host` names that are answered, without ports; empty: any, or local names if all listeners are loopback"),
    Row::new("origins", Texts, "[]", "`Origin`s of browsers that are answered, beside that of a known `Host` (one of `hosts`, a local name, an IP address); empty: local ones, if all listeners are loopback"),
];

pub static TOP: Table = table("the file", &keys(&TOP_ROWS));
pub static LISTEN_TABLE: Table = table("`listen`", &keys(&LISTEN_ROWS));
pub static LOG_TABLE: Table = table("`log`", &keys(&LOG_ROWS));
pub static ACCESS_TABLE: Table = table("`access`", &keys(&ACCESS_ROWS));
static LIMITS_TABLE: Table = table("`limits`", &keys(&LIMITS));
static TIMEOUTS_TABLE: Table = table("`timeouts`", &keys(&TIMEOUTS));
static POOL_TABLE: Table = table("`pool`", &keys(&POOL));
static LIST_TABLE: Table = table("`list`", &keys(&LIST));

/// The tables below the top, by name.
pub static TABLES: [(&str, &Table, &[Row]); 7] = [
    ("listen", &LISTEN_TABLE, &LISTEN_ROWS),
    ("log", &LOG_TABLE, &LOG_ROWS),
    ("access", &ACCESS_TABLE, &ACCESS_ROWS),
    ("limits", &LIMITS_TABLE, &LIMITS),
    ("timeouts", &TIMEOUTS_TABLE, &TIMEOUTS),
    ("pool", &POOL_TABLE, &POOL),
    ("list", &LIST_TABLE, &LIST),
];

pub static LANGUAGE: Language = Language {
    // There are no codes: nobody allows a mistake in a configuration.
    rules: ReadingRules {
        syntax: None,
        unknown_key: None,
        missing_key: None,
        key_given_twice: None,
        wrong_type: None,
        invalid_value: None,
    },
    header: |key| key.name.to_owned(),
    home,
    how_to_begin: "write it in TOML, beginning with `bundle = \"tools.mcpk\"`",
};

/// The table that knows this key, if it is written in the wrong one.
fn home(name: &str, _table: &'static Table) -> Option<String> {
    if TOP.find(name).is_some() {
        return Some(format!("`{name}` belongs to the top of the file, before the first `[`"));
    }
    let mut homes = TABLES.iter().filter(|(_, table, _)| table.find(name).is_some());
    let (home, ..) = homes.next()?;
    // A name that two tables know says nothing.
    homes.next().is_none().then(|| format!("`{name}` belongs to `[{home}]`"))
}

/// All keys with their full names, in the order of the reference.
pub fn all() -> impl Iterator<Item = (String, &'static Row)> {
    let is_value = |row: &&Row| !matches!(row.shape, Shape::Table(_) | Tables(_));
    let top = TOP_ROWS.iter().filter(is_value).map(|row| (row.name.to_owned(), row));
    let below = |(table, _, rows): &(&'static str, &Table, &'static [Row])| {
        let table = *table;
        rows.iter().map(move |row| (format!("{table}.{}", row.name), row))
    };
    top.chain(TABLES.iter().flat_map(below))
}

/// The reference of all keys, as Markdown.
pub fn reference() -> String {
    let mut out = String::from("| key | default | changes at | what |\n|---|---|---|---|\n");
    for (name, row) in all() {
        let default = match (row.field, row.default) {
            (Some(field), _) => format!("`{}`", written(row.shape, (field.get)(&Settings::default()))),
            (None, "") => "–".to_owned(),
            (None, words) if words.contains(' ') => words.to_owned(),
            (None, value) => format!("`{value}`"),
        };
        let changes = if FIXED.iter().any(|(fixed, _)| *fixed == name) { "upgrade" } else { "reload" };
        out.push_str(&format!("| `{name}` | {default} | {changes} | {} |\n", row.doc));
    }
    out
}

/// A number as it is written in the file.
pub fn written(shape: Shape, number: u64) -> String {
    match shape {
        Shape::Size { .. } => format!("\"{}\"", size::write(number)),
        _ => number.to_string(),
    }
}

const fn table(name: &'static str, keys: &'static [Key]) -> Table {
    Table { name, doc: "", keys }
}

const fn keys<const N: usize>(rows: &[Row; N]) -> [Key; N] {
    let mut keys = [const { Key::new("", Text, "") }; N];
    let mut index = 0;
    while index < N {
        #[expect(clippy::indexing_slicing, reason = "it is computed by the compiler, within bounds")]
        {
            let row = &rows[index];
            keys[index] = Key::new(row.name, row.shape, row.doc);
        }
        index += 1;
    }
    keys
}

const fn words<T: Copy, const N: usize>(pairs: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut index = 0;
    while index < N {
        #[expect(clippy::indexing_slicing, reason = "it is computed by the compiler, within bounds")]
        {
            words[index] = pairs[index].0;
        }
        index += 1;
    }
    words
}
