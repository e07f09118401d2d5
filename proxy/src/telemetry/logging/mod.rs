//! Logs: one line per event on stderr, as text or JSON. Never arguments, bodies or secrets.

mod call;
mod filter;
mod json;
mod line;
mod timestamp;
mod writer;

pub use call::log_call;
pub use writer::LogWriter;

use crate::request::head::{Head, visible};
use crate::runtime::random;
use call::CallLog;
use filter::WithoutProbes;
use std::fmt;
use std::sync::OnceLock;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, reload};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogSettings {
    pub format: LogFormat,
    pub level: LogLevel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

/// In order: each shows what those before it show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, clap::ValueEnum)]
pub enum LogLevel {
    Error,
    Warn,
    #[default]
    Info,
    Debug,
    Trace,
}

/// What ties the log lines of a request to the client's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestId {
    /// From the client.
    Given(Box<str>),
    /// Ours; its text is made when something is logged.
    Made(u64),
}

impl LogFormat {
    pub const WORDS: [(&str, LogFormat); 2] = [("text", LogFormat::Text), ("json", LogFormat::Json)];
}

impl LogLevel {
    pub const WORDS: [(&str, LogLevel); 5] = [
        ("error", LogLevel::Error),
        ("warn", LogLevel::Warn),
        ("info", LogLevel::Info),
        ("debug", LogLevel::Debug),
        ("trace", LogLevel::Trace),
    ];

    fn filter(self) -> LevelFilter {
        match self {
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
            LogLevel::Trace => LevelFilter::TRACE,
        }
    }

    /// As it stands in a line.
    const fn name(self) -> &'static str {
        match self {
            LogLevel::Error => "ERROR",
            LogLevel::Warn => "WARN",
            LogLevel::Info => "INFO",
            LogLevel::Debug => "DEBUG",
            LogLevel::Trace => "TRACE",
        }
    }
}

/// Starts logging for the process; flush what is returned before it ends. A process that logs already keeps its way.
pub fn start(settings: LogSettings) -> LogWriter {
    let writer = LogWriter::new(std::io::stderr());
    let (subscriber, filter) = subscriber(settings, writer.clone());
    if subscriber.try_init().is_ok() {
        CallLog::new(settings, writer.clone()).start();
        let _ = FILTER.set(filter);
    }
    writer
}

/// The level from now on, if it was this process's command that started logging.
pub fn set_level(level: LogLevel) {
    if let Some(filter) = FILTER.get() {
        call::set_level(level);
        // Fails only if nothing is logged any more.
        let _ = filter.reload(filter::targets(level.filter()));
    }
}

/// Decides which events are logged.
type Filter = reload::Handle<Targets, Registry>;

static FILTER: OnceLock<Filter> = OnceLock::new();

fn subscriber<W>(settings: LogSettings, writer: W) -> (impl tracing::Subscriber + Send + Sync, Filter)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = match settings.format {
        LogFormat::Text => lines.map_event_format(WithoutProbes).boxed(),
        LogFormat::Json => lines.event_format(WithoutProbes(json::JsonLines)).boxed(),
    };
    let (filter, handle) = reload::Layer::new(filter::targets(settings.level.filter()));
    (tracing_subscriber::registry().with(layer.with_filter(filter)), handle)
}

/// Logs a request that was turned away before it was one of MCP. Of what the client wrote only the two names are shown that
/// decide over it, cut.
pub fn log_refusal(head: &Head, reason: &'static str, status: u16) {
    let text = |name: &str| {
        let value = head.headers.first(name).and_then(visible);
        value.map(|value| value.get(..value.len().min(LONGEST_SHOWN)).unwrap_or_default())
    };
    tracing::info!(
        target: "mcp_edge::refused",
        reason,
        status,
        method = head.method.as_str(),
        host = text("host"),
        origin = text("origin"),
        "refused"
    );
}

/// Of what a client wrote.
const LONGEST_SHOWN: usize = 100;

/// The client's `x-request-id` if it is sane, else a new one.
pub fn request_id(head: &Head) -> RequestId {
    let given = head.headers.first("x-request-id");
    given.and_then(RequestId::from_client).unwrap_or_else(|| RequestId::Made(random::next()))
}

impl RequestId {
    const MAX: usize = 128;

    /// Visible ASCII only: it is written to logs as it stands.
    pub fn from_client(text: &[u8]) -> Option<RequestId> {
        if text.is_empty() || text.len() > RequestId::MAX || !text.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        std::str::from_utf8(text).ok().map(|text| RequestId::Given(text.into()))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestId::Given(text) => f.write_str(text),
            // Hard to hit by chance, not hard to guess.
            RequestId::Made(number) => write!(f, "{number:016x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::record::{CallRecord, Outcome};

    fn id_of(header: &[u8]) -> String {
        let mut head = Head::default();
        head.headers.append("x-request-id", header);
        request_id(&head).to_string()
    }

    #[test]
    fn a_sane_id_of_the_client_is_kept() {
        assert_eq!(id_of(b"abc-123"), "abc-123");
        let longest = "x".repeat(128);
        assert_eq!(id_of(longest.as_bytes()), longest);
    }

    #[test]
    fn any_other_id_is_replaced() {
        for wrong in [&b""[..], b"a b", b"a\tb", "é".as_bytes(), "x".repeat(129).as_bytes()] {
            let id = id_of(wrong);
            assert!(id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
        }
    }

    #[test]
    fn generated_ids_differ() {
        let ids: std::collections::BTreeSet<String> =
            (0..1000).map(|_| request_id(&Head::default()).to_string()).collect();
        assert_eq!(ids.len(), 1000);
    }

    /// What is written while `work` runs.
    fn written(settings: LogSettings, work: impl FnOnce()) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        let writer = std::sync::Mutex::new(file.reopen().unwrap());
        tracing::subscriber::with_default(subscriber(settings, writer).0, work);
        std::fs::read_to_string(file.path()).unwrap()
    }

    static ID: std::sync::LazyLock<RequestId> = std::sync::LazyLock::new(|| RequestId::Given("r-1".into()));

    fn call(outcome: Outcome) -> CallRecord<'static> {
        CallRecord {
            request_id: &ID,
            tool: "get_order".into(),
            era: None,
            outcome,
            reason: None,
            error: None,
            upstream_host: None,
            upstream_status: Some(503),
            attempts: 2,
            total: std::time::Duration::from_micros(1500),
            upstream: std::time::Duration::from_micros(1200),
            request_bytes: 10,
            response_bytes: 20,
        }
    }

    #[test]
    fn a_call_is_one_json_line() {
        let settings = LogSettings { format: LogFormat::Json, level: LogLevel::Info };
        let text = written(settings, || log_call(&call(Outcome::UpstreamTimeout)));
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (line["level"].as_str(), line["outcome"].as_str()),
            (Some("WARN"), Some("upstream_timeout"))
        );
        assert_eq!((line["request_id"].as_str(), line["tool"].as_str()), (Some("r-1"), Some("get_order")));
        assert_eq!((line["total_us"].as_u64(), line["upstream_status"].as_u64()), (Some(1500), Some(503)));
    }

    #[test]
    fn successes_are_quiet() {
        let at = |level| LogSettings { format: LogFormat::Text, level };
        assert_eq!(written(at(LogLevel::Info), || log_call(&call(Outcome::Ok))), "");
        assert!(written(at(LogLevel::Debug), || log_call(&call(Outcome::Ok))).contains("get_order"));
    }

    #[test]
    fn libraries_say_nothing_that_can_hold_a_request() {
        let library = || {
            tracing::error!(target: "pingora_core::apps::http_app", "GET /?token=hunter2");
            tracing::error!(target: "pingora_core::protocols::http::v1::server", "cookie: hunter2");
            tracing::error!(target: "h2::codec", "hunter2");
            tracing::error!(target: "pingora_core::services::listening", "Downstream handshake error: {}", "hunter2");
            tracing::error!(target: "pingora_core::server::transfer_fd", "No incoming hunter2");
            tracing::warn!(target: "pingora_core::services::listening", "hunter2");
            tracing::error!(target: "pingora_core::services::listening", "Accept() failed");
        };
        for format in [LogFormat::Text, LogFormat::Json] {
            let text = written(LogSettings { format, level: LogLevel::Trace }, library);
            assert!(text.contains("Accept() failed") && !text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn members_of_a_line_are_those_of_the_event() {
        let settings = LogSettings { format: LogFormat::Json, level: LogLevel::Info };
        let text = written(settings, || {
            let error = "a \"b\"\n";
            tracing::info!(target: "mcp_edge", count = 3, good = true, share = 0.5, ?error, "done");
        });
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        let names: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert_eq!(names.len(), 8, "{text}");
        assert_eq!((line["message"].as_str(), line["target"].as_str()), (Some("done"), Some("mcp_edge")));
        assert_eq!((line["count"].as_i64(), line["good"].as_bool()), (Some(3), Some(true)));
        assert_eq!((line["share"].as_f64(), line["error"].as_str()), (Some(0.5), Some("\"a \\\"b\\\"\\n\"")));
        assert!(text.ends_with("\n") && text.lines().count() == 1);
    }
}
