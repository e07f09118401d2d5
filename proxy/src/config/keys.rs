//! The language of `edge.toml`: its tables of keys, and the reference made from them.

use super::fixed::{FIXED, TLS};
use super::numbers::{AUDIT_FLUSH, AUDIT_QUEUE, CACHE, DRIFT, LIMITS, LIST, POOL, TIMEOUTS};
use crate::settings::{AuditArguments, Settings, WhenFull};
use crate::telemetry::logging::{LogFormat, LogLevel};
use mcp_diagnostics::{Key, Language, ReadingRules, Shape, Table, size};

/// A key, and what the reference says about it.
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

    /// The default as it is written in the file; `None` if there is none, or it is not fixed.
    pub fn default_value(&self) -> Option<serde_json::Value> {
        let written = match self.field {
            Some(field) => written(self.shape, (field.get)(&Settings::default())),
            None => self.default.to_owned(),
        };
        // What a default looks like is the same in TOML and JSON.
        serde_json::from_str(&written).ok()
    }
}

use Shape::{Boolean, Integer, Tables, Text, Texts, Word};

#[rustfmt::skip]
static TOP_ROWS: [Row; 28] = [
    Row::new("bundle", Text, "", "the bundle to serve: a file, or `https://…`, `oci://…`, `s3://…`, `gs://…` or `az://…`; the command line may name another"),
    Row::new("bundle_copy", Text, "", "a file that keeps the last good bundle of a remote source, for a start while the source is away"),
    Row::new("keys", Texts, "", "public keys, as text or as files; with any, one of them must have signed the bundle; a remote source needs them"),
    Row::new("poll_seconds", Integer { min: 1, max: 86_400 }, "10", "how often to check the bundle, the secrets file and the certificates for changes; a remote source is asked a quarter sooner or later than that, and less often while it fails"),
    Row::new("secrets", Text, "", "a file of `NAME=value` lines for each `${NAME}` of the bundle; the environment has precedence"),
    Row::new("auth", Shape::WordOrTable(&["none"], &AUTH_TABLE), "", "`\"none\"` lets everyone call; or a table `[auth]`. One of them is needed to listen on an address that is not loopback"),
    Row::new("threads", Integer { min: 1, max: 1024 }, "the number of cores", "worker threads"),
    Row::new("admin", Text, "\"127.0.0.1:8081\"", "address of the admin listener, or `\"off\"`"),
    Row::new("admin_open", Boolean, "false", "the admin listener, which has no authentication, may be on an address that is not loopback"),
    Row::new("recent_calls", Integer { min: 0, max: 10_000 }, "0", "finished calls to remember for `/calls` of the admin listener, without arguments and responses"),
    Row::new("metrics", Boolean, "true", "`false` stops counting finished calls; `/metrics` shows the rest"),
    Row::new("upgrade_socket", Text, "", "the socket where a new process, started with `--upgrade`, takes over the listeners"),
    Row::new("ca_file", Text, "", "PEM file of certificate authorities to trust for upstreams and a remote source, instead of the system's"),
    Row::new("mcp_servers", Text, "", "an `mcpServers` file of a desktop client: its programs may run as MCP servers here"),
    Row::new("listen", Tables(&LISTEN_TABLE), "", "written `[[listen]]`, once for each listener"),
    Row::new("log", Shape::Table(&LOG_TABLE), "", "written `[log]`: what is logged"),
    Row::new("audit", Shape::Table(&AUDIT_TABLE), "", "written `[audit]`: a line for each call and each refusal"),
    Row::new("access", Shape::Table(&ACCESS_TABLE), "", "written `[access]`: who may use the public listener"),
    Row::new("interfaces", Shape::Table(&INTERFACES_TABLE), "", "written `[interfaces]`: what is served; a path that is switched off answers 404"),
    Row::new("limits", Shape::Table(&LIMITS_TABLE), "", "written `[limits]`: the largest requests and responses"),
    Row::new("timeouts", Shape::Table(&TIMEOUTS_TABLE), "", "written `[timeouts]`: how long clients may take"),
    Row::new("pool", Shape::Table(&POOL_TABLE), "", "written `[pool]`: connections to upstreams"),
    Row::new("shared", Shape::Table(&SHARED_TABLE), "", "written `[shared]`: the store where edges agree about limits that they share"),
    Row::new("list", Shape::Table(&LIST_TABLE), "", "written `[list]`: lists of tools"),
    Row::new("cache", Shape::Table(&CACHE_TABLE), "", "written `[cache]`: responses that are used again"),
    Row::new("drift", Shape::Table(&DRIFT_TABLE), "", "written `[drift]`: tools of MCP servers that are not what was reviewed"),
    Row::new("upstream", Shape::NamedTables(&UPSTREAM_TABLE), "", "written `[upstream.NAME]`: where an upstream of the bundle is here"),
    Row::new("stdio", Shape::NamedTables(&STDIO_TABLE), "", "written `[stdio.NAME]`: a program that may run as an MCP server here"),
];

#[rustfmt::skip]
static LISTEN_ROWS: [Row; 5] = [
    Row::new("address", Text, "\"127.0.0.1:8080\"", "IP address and port; repeat `[[listen]]` for more listeners"),
    Row::new("certificate", Text, "", "PEM file with the certificate chain; turns on TLS"),
    Row::new("key", Text, "", "PEM file with the certificate's private key, which not everyone on this machine may read"),
    Row::new("client_ca", Text, "", "PEM file with the authorities whose client certificates are accepted; clients are asked for one"),
    Row::new("client_auth", Word(&["required", "optional"]), "\"required\"", "whether clients must show a certificate of `client_ca`; with `\"optional\"`, clients without one can connect"),
];

#[rustfmt::skip]
static LOG_ROWS: [Row; 2] = [
    Row::new("format", Word(&words(&LogFormat::WORDS)), "\"text\"", "`\"text\"` or `\"json\"`"),
    Row::new("level", Word(&words(&LogLevel::WORDS)), "\"info\"", "`\"error\"`, `\"warn\"`, `\"info\"`, `\"debug\"` or `\"trace\"`"),
];

#[rustfmt::skip]
static AUDIT_ROWS: [Row; 5] = [
    Row::new("file", Text, "", "where the lines go: a file, which is made with mode 0600, or a named pipe or a device such as `/dev/stdout`"),
    Row::new("arguments", Word(&words(&AuditArguments::WORDS)), "\"none\"", "`\"none\"`: their SHA-256; `\"redacted\"`: also names and types; `\"full\"`: also values, but never those of `sensitive` parameters"),
    Row::new("when_full", Word(&words(&WhenFull::WORDS)), "\"wait\"", "what happens when `queue` is full: `\"wait\"` holds requests, and refuses them after 10 s; `\"drop\"` leaves lines out and counts them"),
    AUDIT_FLUSH,
    AUDIT_QUEUE,
];

#[rustfmt::skip]
static ACCESS_ROWS: [Row; 2] = [
    Row::new("hosts", Texts, "[]", "`Host` names to answer, without ports; if empty, any, or only local names if all listeners are loopback"),
    Row::new("origins", Texts, "[]", "browser `Origin`s to answer, besides those of a known `Host`; if empty, local ones if all listeners are loopback"),
];

#[rustfmt::skip]
static INTERFACES_ROWS: [Row; 3] = [
    Row::new("mcp", Boolean, "true", "whether MCP is served at `/mcp` and `/mcp/{toolset}`"),
    Row::new("sse", Boolean, "true", "whether HTTP+SSE of older clients is served at `/sse`, `/sse/{toolset}` and `/messages`"),
    Row::new("rest", Boolean, "true", "whether the REST forms are served: `/api/v1/mcp/…`, `/mcp/tools` and `/mcp/invoke`"),
];

#[rustfmt::skip]
static UPSTREAM_ROWS: [Row; 3] = [
    Row::new("url", Text, "", "scheme, host and port that the upstream of this name has here, instead of those in the spec; paths stay"),
    Row::new("client_certificate", Text, "", "PEM file with the certificate chain that the edge shows the upstream of this name; read again at each reload"),
    Row::new("client_key", Text, "", "PEM file with that certificate's private key"),
];

#[rustfmt::skip]
static STDIO_ROWS: [Row; 6] = [
    Row::new("command", Text, "", "the program: a name on `PATH`, or a path"),
    Row::new("args", Texts, "[]", "its arguments; they may hold `${NAME}`"),
    Row::new("env", Shape::TextMap, "", "its environment beside the little that it gets of the edge's own; values may hold `${NAME}`"),
    Row::new("directory", Text, "where the edge runs", "the folder that it runs in"),
    Row::new("calls_at_once", Integer { min: 1, max: 1000 }, "1", "calls that it works on at the same time; others wait for their turn"),
    Row::new("restart", Boolean, "true", "whether it is started again when it has ended by itself"),
];

#[rustfmt::skip]
static AUTH_ROWS: [Row; 5] = [
    Row::new("mode", Word(&["required", "optional", "none"]), "\"required\"", "whether callers must authenticate; with `\"optional\"`, callers without a credential are the tenant `public`"),
    Row::new("tenants", Text, "", "the file of tenants: who may see and call what, and their API keys"),
    Row::new("resource", Shape::Table(&RESOURCE_TABLE), "", "written `[auth.resource]`: how OAuth clients find the authorization server"),
    Row::new("jwt", Tables(&JWT_TABLE), "", "written `[[auth.jwt]]`, once for each issuer of tokens"),
    Row::new("mtls", Shape::Table(&MTLS_TABLE), "", "written `[auth.mtls]`: whose client certificates are credentials"),
];

#[rustfmt::skip]
static RESOURCE_ROWS: [Row; 2] = [
    Row::new("url", Text, "", "the public URL of `/mcp`, as clients call it"),
    Row::new("authorization_servers", Texts, "", "the issuers that clients may get tokens from"),
];

#[rustfmt::skip]
static JWT_ROWS: [Row; 6] = [
    Row::new("issuer", Text, "", "the `iss` of its tokens"),
    Row::new("audience", Texts, "the `url` of `auth.resource`", "the `aud` of its tokens: one of these"),
    Row::new("jwks", Text, "\"discover\"", "its public keys: an `https` URL, a file, or `\"discover\"` to find them by the issuer's metadata"),
    Row::new("algorithms", Texts, "[\"RS256\", \"ES256\", \"EdDSA\"]", "signatures to accept: `RS256` to `RS512`, `PS256` to `PS512`, `ES256`, `ES384`, `EdDSA`"),
    Row::new("tenant", Shape::Table(&CLAIM_TABLE), "", "the caller's tenant: `{ claim = \"org_id\" }` or `{ fixed = \"acme\" }`"),
    Row::new("scopes", Shape::Table(&CLAIM_TABLE), "`{ claim = \"scope\" }`", "what the caller holds: a claim with a text or a list, or `{ fixed = \"a b\" }`"),
];

#[rustfmt::skip]
static MTLS_ROWS: [Row; 1] = [
    Row::new("names", Shape::TextMap, "", "the tenant of each DNS name or URI of a certificate, such as `\"robot.acme.example\" = \"acme\"`"),
];

#[rustfmt::skip]
static CLAIM_ROWS: [Row; 2] = [
    Row::new("claim", Text, "", "the claim's name; dots lead into objects"),
    Row::new("fixed", Text, "", "the same for every token"),
];

#[rustfmt::skip]
static LIMITS_RATE_ROWS: [Row; 1] = [
    Row::new("address", Shape::Table(&RATE_TABLE), "", "requests of each client address, such as `{ calls = 600, seconds = 60, burst = 100 }`; an IPv6 network of 64 bits counts as one address"),
];

#[rustfmt::skip]
static RATE_ROWS: [Row; 3] = [
    Row::new("calls", Integer { min: 1, max: 1_000_000 }, "", "requests in the time"),
    Row::new("seconds", Integer { min: 1, max: 86_400 }, "60", "the time"),
    Row::new("burst", Integer { min: 1, max: 1_000_000 }, "as many as `calls`", "requests that may come at once"),
];

#[rustfmt::skip]
static SHARED_ROWS: [Row; 10] = [
    Row::new("url", Text, "", "a Redis or Valkey server: `redis://HOST:PORT`, with `rediss` for TLS, and `/NUMBER` for another database"),
    Row::new("nodes", Texts, "[]", "more nodes of a cluster, or more sentinels, for when the first is away"),
    Row::new("cluster", Boolean, "false", "whether the store is a cluster"),
    Row::new("sentinel_service", Text, "", "the service to ask sentinels for; `url` and `nodes` are sentinels then"),
    Row::new("username", Text, "", "the user to log in as"),
    Row::new("password", Text, "", "one `${NAME}`, whose value is in the environment or the secrets file"),
    Row::new("sentinel_username", Text, "", "the user to log in as at the sentinels"),
    Row::new("sentinel_password", Text, "", "one `${NAME}` for the sentinels; without it, none is sent to them"),
    Row::new("prefix", Text, "\"mcp-edge\"", "what the names of all keys in the store begin with; edges with the same one share limits"),
    Row::new("edges", Integer { min: 1, max: 100_000 }, "1", "how many edges there are at least; counts until the store says that there are more"),
];

pub static TOP: Table = table("the file", &keys(&TOP_ROWS));
pub static LISTEN_TABLE: Table = table("`listen`", &keys(&LISTEN_ROWS));
pub static LOG_TABLE: Table = table("`log`", &keys(&LOG_ROWS));
static AUDIT_TABLE: Table = table("`audit`", &keys(&AUDIT_ROWS));
pub static ACCESS_TABLE: Table = table("`access`", &keys(&ACCESS_ROWS));
pub static INTERFACES_TABLE: Table = table("`interfaces`", &keys(&INTERFACES_ROWS));
static LIMITS_TABLE: Table = table("`limits`", &keys(&LIMITS));
static TIMEOUTS_TABLE: Table = table("`timeouts`", &keys(&TIMEOUTS));
static POOL_TABLE: Table = table("`pool`", &keys(&POOL));
static CACHE_TABLE: Table = table("`cache`", &keys(&CACHE));
pub static LIMITS_RATE_TABLE: Table = table("`limits.rate`", &keys(&LIMITS_RATE_ROWS));
/// How often somebody may ask.
pub static RATE_TABLE: Table = table("a rate", &keys(&RATE_ROWS));
static DRIFT_TABLE: Table = table("`drift`", &keys(&DRIFT));
pub static SHARED_TABLE: Table = table("`shared`", &keys(&SHARED_ROWS));
static LIST_TABLE: Table = table("`list`", &keys(&LIST));

pub static AUTH_TABLE: Table = table("`auth`", &keys(&AUTH_ROWS));
pub static RESOURCE_TABLE: Table = table("`auth.resource`", &keys(&RESOURCE_ROWS));
pub static JWT_TABLE: Table = table("`auth.jwt`", &keys(&JWT_ROWS));
pub static MTLS_TABLE: Table = table("`auth.mtls`", &keys(&MTLS_ROWS));
pub static CLAIM_TABLE: Table = table("a claim", &keys(&CLAIM_ROWS));
pub static UPSTREAM_TABLE: Table = table("an upstream", &keys(&UPSTREAM_ROWS));
pub static STDIO_TABLE: Table = table("a program", &keys(&STDIO_ROWS));

/// The tables below the top, by name.
pub static TABLES: [(&str, &Table, &[Row]); 20] = [
    ("auth", &AUTH_TABLE, &AUTH_ROWS),
    ("auth.resource", &RESOURCE_TABLE, &RESOURCE_ROWS),
    ("auth.jwt", &JWT_TABLE, &JWT_ROWS),
    ("auth.mtls", &MTLS_TABLE, &MTLS_ROWS),
    ("listen", &LISTEN_TABLE, &LISTEN_ROWS),
    ("log", &LOG_TABLE, &LOG_ROWS),
    ("audit", &AUDIT_TABLE, &AUDIT_ROWS),
    ("access", &ACCESS_TABLE, &ACCESS_ROWS),
    ("interfaces", &INTERFACES_TABLE, &INTERFACES_ROWS),
    ("limits", &LIMITS_TABLE, &LIMITS),
    ("limits.rate", &LIMITS_RATE_TABLE, &LIMITS_RATE_ROWS),
    ("limits.rate.address", &RATE_TABLE, &RATE_ROWS),
    ("timeouts", &TIMEOUTS_TABLE, &TIMEOUTS),
    ("pool", &POOL_TABLE, &POOL),
    ("shared", &SHARED_TABLE, &SHARED_ROWS),
    ("list", &LIST_TABLE, &LIST),
    ("cache", &CACHE_TABLE, &CACHE),
    ("drift", &DRIFT_TABLE, &DRIFT),
    ("upstream.NAME", &UPSTREAM_TABLE, &UPSTREAM_ROWS),
    ("stdio.NAME", &STDIO_TABLE, &STDIO_ROWS),
];

pub static LANGUAGE: Language = Language {
    // There are no codes: a mistake in a configuration cannot be allowed.
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
    how_to_begin: "write it in TOML, starting with `bundle = \"tools.mcpk\"`",
};

/// The table that has this key, if it is written in the wrong one.
fn home(name: &str, _table: &'static Table) -> Option<String> {
    if TOP.find(name).is_some() {
        return Some(format!("`{name}` belongs to the top of the file, before the first `[`"));
    }
    let mut homes = TABLES.iter().filter(|(_, table, _)| table.find(name).is_some());
    let (home, ..) = homes.next()?;
    // A name that two tables have is ambiguous.
    homes.next().is_none().then(|| format!("`{name}` belongs to `[{home}]`"))
}

/// All keys with their full names, in the order of the reference.
pub fn all() -> impl Iterator<Item = (String, &'static Row)> {
    let top = TOP_ROWS.iter().filter(is_listed).map(|row| (row.name.to_owned(), row));
    let below = |(table, _, rows): &(&'static str, &Table, &'static [Row])| {
        let table = *table;
        rows.iter().filter(is_listed).map(move |row| (format!("{table}.{}", row.name), row))
    };
    top.chain(TABLES.iter().flat_map(below))
}

/// Tables have rows of their own, but for the small ones of claims.
fn is_listed(row: &&Row) -> bool {
    match row.shape {
        Shape::Table(table) => std::ptr::eq(table, &CLAIM_TABLE),
        Tables(_) | Shape::NamedTables(_) => false,
        _ => true,
    }
}

/// The reference of all keys, as Markdown.
pub fn reference() -> String {
    let mut out = String::from("| key | default | changes at | what |\n|---|---|---|---|\n");
    for (name, row) in all() {
        let default = match (row.field, row.default) {
            (Some(field), _) => format!("`{}`", written(row.shape, (field.get)(&Settings::default()))),
            (None, "") => "–".to_owned(),
            (None, words) if words.contains(' ') && !words.starts_with('[') => words.to_owned(),
            (None, value) => format!("`{value}`"),
        };
        let is_fixed = name != TLS && FIXED.iter().any(|(fixed, _)| *fixed == name);
        let changes = if is_fixed { "upgrade" } else { "reload" };
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
