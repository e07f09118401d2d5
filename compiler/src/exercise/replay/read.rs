//! The lines of an audit log, one at a time. What `mcp-edge` writes is in `docs/OPERATIONS.md`.

use mcp_bundle::json::{Canonical, Kind, MAX_DEPTH, Scanner, Value, members};
use mcp_bundle::template::Ambient;
use std::io::{BufRead, Result};

/// No line of an edge is longer; what is longer is skipped without being kept.
const LONGEST: usize = 1 << 20;

/// Reads lines.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    /// Of the line that was read last, from 1.
    number: u64,
    bytes: Vec<u8>,
    canonical: Canonical,
}

/// A line, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub number: u64,
    pub entry: Entry,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Entry {
    Call(Box<Call>),
    /// A message that was refused before it reached a tool.
    Refused,
    /// So many lines were left out by the edge.
    Dropped(u64),
    /// Not a line of an audit log, and why.
    Broken(&'static str),
}

/// A call that was made.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    pub request_id: String,
    pub tool: String,
    pub revision: String,
    /// The edge refused the arguments.
    pub was_refused: bool,
    pub arguments: Recorded,
}

/// What there is of the arguments.
#[derive(Debug, PartialEq, Eq)]
pub enum Recorded {
    Whole {
        text: String,
        now_ms: i64,
        seed: u64,
    },
    /// Values of `sensitive` parameters are missing.
    Partly,
    Nothing,
}

impl<R: BufRead> Lines<R> {
    pub fn new(reader: R) -> Lines<R> {
        Lines { reader, number: 0, bytes: Vec::new(), canonical: Canonical::default() }
    }

    /// The next line; `None` at the end.
    pub fn read(&mut self) -> Result<Option<Line>> {
        self.bytes.clear();
        let Some(is_short) = self.fill()? else { return Ok(None) };
        self.number += 1;
        let entry = match (is_short, self.bytes.strip_suffix(b"\n")) {
            (false, _) => Entry::Broken("it is too long"),
            (true, None) => Entry::Broken("it has no end"),
            (true, Some(line)) => {
                let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8");
                text.and_then(|text| entry(text, &mut self.canonical)).unwrap_or_else(Entry::Broken)
            }
        };
        Ok(Some(Line { number: self.number, entry }))
    }

    /// Reads up to the end of a line; `false` if it is too long to be kept.
    fn fill(&mut self) -> Result<Option<bool>> {
        let mut length = 0_usize;
        loop {
            let piece = self.reader.fill_buf()?;
            if piece.is_empty() {
                return Ok((length > 0).then_some(length <= LONGEST));
            }
            let end = piece.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
            let taken = end.unwrap_or(piece.len());
            length += taken;
            if length <= LONGEST {
                self.bytes.extend_from_slice(piece.get(..taken).unwrap_or_default());
            }
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(Some(length <= LONGEST));
            }
        }
    }
}

/// The members that matter.
#[derive(Default)]
struct Members<'a> {
    event: Option<Value<'a>>,
    request_id: Option<Value<'a>>,
    tool: Option<Value<'a>>,
    revision: Option<Value<'a>>,
    outcome: Option<Value<'a>>,
    now_ms: Option<Value<'a>>,
    seed: Option<Value<'a>>,
    hidden: Option<Value<'a>>,
    arguments: Option<Value<'a>>,
    digest: Option<Value<'a>>,
    lines: Option<Value<'a>>,
}

fn entry(text: &str, canonical: &mut Canonical) -> std::result::Result<Entry, &'static str> {
    let mut scanner = Scanner::of_text(text, MAX_DEPTH);
    let object = scanner.value().map_err(|_| "it is not JSON")?;
    scanner.finish().map_err(|_| "it is not JSON")?;
    if object.kind != Kind::Object {
        return Err("it is not a JSON object");
    }
    let found = Members::of(object);
    let event = found.event.map(text_of).unwrap_or_default();
    match event.as_str() {
        "call" => found.call(canonical).map(Box::new).map(Entry::Call),
        "refused" => Ok(Entry::Refused),
        "dropped" => {
            let lines = found.lines.and_then(|lines| lines.text.parse().ok());
            lines.map(Entry::Dropped).ok_or("it has no number of `lines`")
        }
        _ => Err("it is not a line of an audit log"),
    }
}

impl<'a> Members<'a> {
    fn of(object: Value<'a>) -> Members<'a> {
        let mut found = Members::default();
        let mut name_of = String::new();
        for (name, value) in members(object) {
            let place = match name.unescaped(&mut name_of) {
                "event" => &mut found.event,
                "request_id" => &mut found.request_id,
                "tool" => &mut found.tool,
                "revision" => &mut found.revision,
                "outcome" => &mut found.outcome,
                "now_ms" => &mut found.now_ms,
                "seed" => &mut found.seed,
                "hidden" => &mut found.hidden,
                "arguments" => &mut found.arguments,
                "arguments_sha256" => &mut found.digest,
                "lines" => &mut found.lines,
                _ => continue,
            };
            *place = Some(value);
        }
        found
    }

    fn call(&self, canonical: &mut Canonical) -> std::result::Result<Call, &'static str> {
        let string = |value: Option<Value<'_>>| value.filter(|value| value.kind == Kind::String).map(text_of);
        Ok(Call {
            request_id: string(self.request_id).unwrap_or_default(),
            tool: string(self.tool).ok_or("it has no `tool`")?,
            revision: string(self.revision).unwrap_or_default(),
            was_refused: self.outcome.is_some_and(|outcome| outcome.is_text("invalid_arguments")),
            arguments: self.recorded(canonical)?,
        })
    }

    fn recorded(&self, canonical: &mut Canonical) -> std::result::Result<Recorded, &'static str> {
        let text = match self.arguments {
            Some(value) if value.kind == Kind::Object => value.text.to_owned(),
            Some(value) if value.kind == Kind::String => text_of(value),
            Some(_) => return Err("its `arguments` are not an object"),
            None => return Ok(Recorded::Nothing),
        };
        let digest: String = canonical.digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        if !self.digest.is_some_and(|written| written.is_text(&digest)) {
            return Err("its `arguments` are not those of its `arguments_sha256`");
        }
        if self.hidden.is_some() {
            return Ok(Recorded::Partly);
        }
        let now_ms = self.now_ms.and_then(|now| now.text.parse().ok()).ok_or("it has no `now_ms`")?;
        let seed = self.seed.and_then(|seed| u64::from_str_radix(seed.raw(), 16).ok());
        Ok(Recorded::Whole { text, now_ms, seed: seed.ok_or("it has no `seed`")? })
    }
}

fn text_of(value: Value<'_>) -> String {
    value.unescaped(&mut String::new()).to_owned()
}

impl Recorded {
    /// The arguments and what templates got as time and chance, if nothing is missing.
    pub fn whole(&self) -> Option<(&str, Ambient)> {
        match self {
            Recorded::Whole { text, now_ms, seed } => Some((text, Ambient { now_ms: *now_ms, seed: *seed })),
            Recorded::Partly | Recorded::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &[u8]) -> Vec<Entry> {
        let mut lines = Lines::new(std::io::BufReader::with_capacity(7, text));
        let mut entries = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            entries.push(line.entry);
            assert_eq!(line.number, entries.len() as u64);
        }
        entries
    }

    const EMPTY: &str = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

    #[test]
    fn lines_are_what_they_say() {
        let call = |rest: &str| {
            format!("{{\"event\":\"call\",\"request_id\":\"r\",\"tool\":\"t\",\"revision\":\"ab\"{rest}}}\n")
        };
        let whole =
            format!(",\"now_ms\":5,\"seed\":\"00ff\",\"arguments_sha256\":\"{EMPTY}\",\"arguments\":");
        let recorded = |rest: &str| match entries(call(rest).as_bytes()).remove(0) {
            Entry::Call(call) => Ok(call.arguments),
            Entry::Broken(why) => Err(why),
            other => panic!("{other:?}"),
        };
        let expected = |text: &str| Ok(Recorded::Whole { text: text.to_owned(), now_ms: 5, seed: 255 });
        assert_eq!(recorded(&format!("{whole}{{ }}")), expected("{ }"));
        assert_eq!(recorded(&format!("{whole}\"{{\\n}}\"")), expected("{\n}"));
        assert_eq!(recorded(&format!("{whole}{{}},\"hidden\":[\"p\"]")), Ok(Recorded::Partly));
        assert_eq!(recorded(""), Ok(Recorded::Nothing));
        assert!(recorded(&format!("{whole}{{\"a\":1}}")).unwrap_err().contains("arguments_sha256"));
        assert!(recorded(&format!("{whole}[]")).is_err());
        assert!(recorded(&whole.replace("5", "x")).is_err());
        assert_eq!(
            entries(b"{\"event\":\"refused\"}\n{\"event\":\"dropped\",\"lines\":3}\n"),
            [Entry::Refused, Entry::Dropped(3)]
        );
    }

    #[test]
    fn what_is_broken_is_told_and_the_rest_is_read() {
        let long = format!("{{\"event\":\"{}\"}}", "x".repeat(LONGEST));
        let text =
            [&b"oops\n[]\n{}\n\xff\n\n"[..], long.as_bytes(), b"\n{\"event\":\"refused\"}\n{\"event\":\"ref"];
        let entries = entries(&text.concat());
        let broken = entries.iter().filter(|entry| matches!(entry, Entry::Broken(_))).count();
        assert_eq!((entries.len(), broken, &entries[6]), (8, 7, &Entry::Refused));
        assert_eq!(entries[5], Entry::Broken("it is too long"));
        assert_eq!(entries[7], Entry::Broken("it has no end"));
    }
}
