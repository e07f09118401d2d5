//! Logs: one line per event on stderr, as text or JSON. Never arguments, bodies or secrets.

mod call;
mod filter;
mod json;
mod line;
pub(super) mod timestamp;
mod writer;

pub use writer::LogWriter;

use crate::observe::Observer;
use crate::observe::record::{CallRecord, Refusal};
use crate::request::failure::Failure;
use crate::request::head::visible;
use call::CallLog;
use filter::WithoutProbes;
use mcp_bundle::format::Revision;
use mcp_bundle::wire_enums::ProtocolVersion;
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

    /// As it is written in a line.
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

/// Logs calls and refusals.
#[derive(Debug, Clone, Copy, Default)]
pub struct Log;

impl Observer for Log {
    fn call(&self, record: &CallRecord<'_>) {
        call::log(record);
    }

    /// Of what the client sent, only the names that decided the refusal are shown, cut to a bounded length.
    fn refused(&self, refusal: &Refusal<'_>) {
        let Refusal { request, head, failure, status } = refusal;
        let text = |name: &str| head.headers.first(name).and_then(visible).map(cut);
        let tool = match failure {
            Failure::UnknownTool(name) => Some(cut(name)),
            _ => None,
        };
        // Never the query, which may hold a credential.
        let path = (*status == 404).then(|| shown_path(head.uri.path()));
        tracing::info!(
            target: "mcp_edge::refused",
            reason = failure.name(),
            error = failure.detail(),
            status,
            method = head.method.as_str(),
            path,
            host = text("host"),
            origin = text("origin"),
            request_id = tracing::field::display(request.request_id),
            tool,
            protocol = request.protocol.map(ProtocolVersion::as_str),
            tenant = request.caller.tenant(),
            principal = request.caller.principal(),
            peer = request.peer.address.map(tracing::field::display),
            toolset = request.toolset,
            revision = request.revision.map(Short).map(tracing::field::display),
            "refused"
        );
    }
}

/// Of what a client wrote.
const LONGEST_SHOWN: usize = 100;

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_SHOWN)).unwrap_or_default()
}

/// Visible ASCII characters; anything else is a `?`.
fn shown_path(path: &str) -> String {
    cut(path).chars().map(|c| if c.is_ascii_graphic() { c } else { '?' }).collect()
}

/// The beginning of a revision, which is also what clients see of it.
struct Short<'a>(&'a Revision);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.iter().take(6).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::observe::record::Outcome;
    use crate::observe::record::tests::call_record;
    use crate::request::head::Head;
    use crate::request::id::RequestId;
    use std::sync::LazyLock;
    use tracing::Dispatch;

    /// Runs `work` with a subscriber of this thread alone.
    ///
    /// While there is only one subscriber, `tracing` asks that of the thread which comes by an event first whether anyone wants
    /// it, and remembers the answer for all threads. A thread of another test has none. So there is always a second one.
    pub(crate) fn with_subscriber(subscriber: Dispatch, work: impl FnOnce()) {
        static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));
        LazyLock::force(&SECOND);
        tracing::dispatcher::with_default(&subscriber, work);
    }

    /// What is written while `work` runs.
    pub(crate) fn written(settings: LogSettings, work: impl FnOnce()) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        let writer = std::sync::Mutex::new(file.reopen().unwrap());
        with_subscriber(Dispatch::new(subscriber(settings, writer).0), work);
        std::fs::read_to_string(file.path()).unwrap()
    }

    static ID: LazyLock<RequestId> = LazyLock::new(|| RequestId::Given("r-1".into()));

    fn call(outcome: Outcome) -> CallRecord<'static> {
        CallRecord {
            upstream_status: Some(503),
            attempts: 2,
            total: std::time::Duration::from_micros(1500),
            ..call_record(&ID, outcome)
        }
    }

    #[test]
    fn a_call_is_one_json_line() {
        let settings = LogSettings { format: LogFormat::Json, level: LogLevel::Info };
        let text = written(settings, || Log.call(&call(Outcome::UpstreamTimeout)));
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
        assert_eq!(written(at(LogLevel::Info), || Log.call(&call(Outcome::Ok))), "");
        assert!(written(at(LogLevel::Debug), || Log.call(&call(Outcome::Ok))).contains("get_order"));
    }

    #[test]
    fn a_refused_caller_is_explained_without_the_challenge() {
        let challenge = "Bearer hunter2".to_owned();
        let failure = &Failure::Unauthenticated { challenge, reason: "the token has expired" };
        let request = call(Outcome::Ok).request;
        let settings = LogSettings { format: LogFormat::Json, level: LogLevel::Info };
        let text = written(settings, || {
            Log.refused(&Refusal { request, head: &Head::default(), failure, status: 401 });
        });
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (line["reason"].as_str(), line["error"].as_str()),
            (Some("unauthenticated"), Some("the token has expired"))
        );
        assert!(!text.contains("hunter2"), "{text}");
    }

    #[test]
    fn a_path_is_shown_bounded_and_without_what_steers_a_terminal() {
        assert_eq!(shown_path("/mcpp/x%20y"), "/mcpp/x%20y");
        assert_eq!(shown_path("/\u{1b}[2Jé\n"), "/?[2J??");
        assert_eq!(shown_path(&"é".repeat(1000)).len(), LONGEST_SHOWN / 2);
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
