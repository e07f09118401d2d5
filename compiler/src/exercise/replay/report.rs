//! What is told of a log: each call as it is read, the numbers at the end.

use super::{Call, Counts, Derived};
use crate::exercise::trial;
use crate::language::json::Json;
use mcp_diagnostics::visible::{one_line, visible};
use similar::{ChangeTag, TextDiff};
use std::io::{Result, Write};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text, for people
    Human,
    /// One JSON document
    Json,
}

/// Writes while a log is read: it may be longer than memory.
pub struct Report<'o> {
    format: Format,
    out: &'o mut dyn Write,
    /// Something was written before.
    is_begun: bool,
    is_compared: bool,
}

impl<'o> Report<'o> {
    pub fn new(format: Format, out: &'o mut dyn Write) -> Report<'o> {
        Report { format, out, is_begun: false, is_compared: false }
    }

    pub(super) fn begin(&mut self, revision: &str, against: Option<&str>) -> Result<()> {
        self.is_compared = against.is_some();
        if self.format == Format::Json {
            let against = against.map_or(Json::Null, Json::string);
            let (revision, against) = (Json::string(revision).to_text(), against.to_text());
            write!(self.out, "{{\"version\":1,\"revision\":{revision},\"against\":{against},\"lines\":[")?;
        }
        Ok(())
    }

    pub(super) fn broken(&mut self, number: u64, why: &str) -> Result<()> {
        match self.format {
            Format::Human => {
                self.separate()?;
                writeln!(self.out, "line {number}: broken: {why}")
            }
            Format::Json => self.item(vec![line(number), ("broken".to_owned(), Json::string(why))]),
        }
    }

    pub(super) fn derived(
        &mut self,
        number: u64,
        call: &Call,
        derived: &Derived,
        contradicts: bool,
    ) -> Result<()> {
        match self.format {
            Format::Human => {
                self.title(number, call, derived, contradicts)?;
                write!(self.out, "{}", text(derived))
            }
            Format::Json => {
                let mut members = facts(number, call, contradicts);
                members.extend(outcome(derived));
                self.item(members)
            }
        }
    }

    pub(super) fn differs(
        &mut self,
        number: u64,
        call: &Call,
        derived: &Derived,
        other: &Derived,
        contradicts: bool,
    ) -> Result<()> {
        if self.format == Format::Json {
            let mut members = facts(number, call, contradicts);
            members.extend(outcome(derived));
            members.push(("against".to_owned(), Json::Object(outcome(other))));
            return self.item(members);
        }
        self.title(number, call, derived, contradicts)?;
        let (before, after) = (text(derived), text(other));
        for change in TextDiff::from_lines(&before, &after).iter_all_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => continue,
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            writeln!(self.out, "{sign} {}", change.value().trim_end_matches('\n'))?;
        }
        Ok(())
    }

    pub(super) fn end(&mut self, counts: &Counts) -> Result<()> {
        if self.format == Format::Json {
            let members =
                named(counts).map(|(name, count, _)| (name.to_owned(), Json::Number(count.to_string())));
            let summary = Json::Object(members.into_iter().collect()).to_text();
            return writeln!(self.out, "],\"summary\":{summary}}}");
        }
        self.separate()?;
        writeln!(self.out, "lines      {}", counts.lines)?;
        writeln!(self.out, "derived    {} of {} calls", counts.derived, counts.calls)?;
        if self.is_compared {
            writeln!(self.out, "differ     {}", counts.differ)?;
        }
        for (_, count, words) in named(counts) {
            if count > 0
                && let Some(words) = words
            {
                writeln!(self.out, "{:<10} {count}: {}", words.0, words.1)?;
            }
        }
        Ok(())
    }

    fn title(&mut self, number: u64, call: &Call, derived: &Derived, contradicts: bool) -> Result<()> {
        self.separate()?;
        writeln!(self.out, "line {number}: {} ({})", one_line(&call.tool), one_line(&call.request_id))?;
        match derived {
            _ if !contradicts => Ok(()),
            Derived::Refused(_) | Derived::UnknownTool => {
                writeln!(self.out, "note: the edge did not refuse these arguments; its limits may be others")
            }
            _ => writeln!(self.out, "note: the edge refused these arguments; its limits may be others"),
        }
    }

    fn separate(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_begun, true) { writeln!(self.out) } else { Ok(()) }
    }

    fn item(&mut self, members: Vec<(String, Json)>) -> Result<()> {
        let comma = if std::mem::replace(&mut self.is_begun, true) { "," } else { "" };
        write!(self.out, "{comma}\n{}", Json::Object(members).to_text())
    }
}

impl std::fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Report").field("format", &self.format).finish_non_exhaustive()
    }
}

/// Title and meaning, for people.
type Words = Option<(&'static str, &'static str)>;

fn named(counts: &Counts) -> [(&'static str, u64, Words); 11] {
    let Counts { lines, calls, derived, differ, contradict, .. } = *counts;
    let Counts { other_revision, without_arguments, hidden, refused, dropped, broken, .. } = *counts;
    let told = |title, meaning| Some((title, meaning));
    [
        ("lines", lines, None),
        ("calls", calls, None),
        ("derived", derived, None),
        ("differ", differ, None),
        (
            "contradict",
            contradict,
            told("contradict", "the edge refused what the bundle takes, or took what it refuses"),
        ),
        (
            "other_revision",
            other_revision,
            told("skipped", "calls of another revision than that of `--bundle`"),
        ),
        (
            "without_arguments",
            without_arguments,
            told("skipped", "calls without arguments; record them with `arguments = \"full\"`"),
        ),
        (
            "hidden",
            hidden,
            told("skipped", "calls with values of `sensitive` parameters, which are never recorded"),
        ),
        ("refused", refused, told("refused", "messages that reached no tool")),
        ("dropped", dropped, told("dropped", "lines that the edge left out")),
        ("broken", broken, told("broken", "lines that cannot be read")),
    ]
}

fn line(number: u64) -> (String, Json) {
    ("line".to_owned(), Json::Number(number.to_string()))
}

fn facts(number: u64, call: &Call, contradicts: bool) -> Vec<(String, Json)> {
    vec![
        line(number),
        ("request_id".to_owned(), Json::string(call.request_id.as_str())),
        ("tool".to_owned(), Json::string(call.tool.as_str())),
        ("contradicts".to_owned(), Json::Bool(contradicts)),
    ]
}

fn outcome(derived: &Derived) -> Vec<(String, Json)> {
    let (kind, value) = match derived {
        Derived::Request(draft) => ("request", trial::request(draft)),
        Derived::Fixed => ("fixed", Json::Bool(true)),
        Derived::Refused(message) => ("refused", Json::string(message.as_str())),
        Derived::UnknownTool => ("unknown_tool", Json::Bool(true)),
    };
    vec![(kind.to_owned(), value)]
}

/// As `mcpc try` shows it.
fn text(derived: &Derived) -> String {
    match derived {
        Derived::Request(draft) => {
            let mut out = Vec::new();
            // Writing to memory cannot fail.
            let _ = trial::write_request(draft, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        }
        Derived::Fixed => "nothing is sent: the response is fixed\n".to_owned(),
        Derived::Refused(message) => format!("{}\n", visible(message)),
        Derived::UnknownTool => "there is no such tool\n".to_owned(),
    }
}
