//! The end of a line: what it says of the arguments. Made by the thread that writes.

use super::queue::Unfinished;
use crate::settings::AuditArguments;
use mcp_bundle::json::{Canonical, Kind, MAX_DEPTH, Scanner, Value, members, write_string};

/// Longer arguments are known by their digest only.
const LONGEST: usize = 64 << 10;

/// What is said of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The line has none.
    Nothing,
    Digest,
    Kinds,
    Full,
}

/// Finishes lines; its memory serves one after the other.
#[derive(Debug, Default)]
pub(super) struct Finisher {
    canonical: Canonical,
}

impl Mode {
    pub(super) const ALL: [Mode; 4] = [Mode::Nothing, Mode::Digest, Mode::Kinds, Mode::Full];

    pub(super) fn of(number: u8) -> Mode {
        Mode::ALL.get(usize::from(number)).copied().unwrap_or(Mode::Nothing)
    }
}

impl From<AuditArguments> for Mode {
    fn from(arguments: AuditArguments) -> Mode {
        match arguments {
            AuditArguments::None => Mode::Digest,
            AuditArguments::Redacted => Mode::Kinds,
            AuditArguments::Full => Mode::Full,
        }
    }
}

impl Finisher {
    /// Appends the whole line.
    pub(super) fn finish(&mut self, unfinished: Unfinished<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(unfinished.line);
        // It came as text.
        let arguments = std::str::from_utf8(unfinished.arguments).unwrap_or_default();
        if unfinished.mode != Mode::Nothing {
            out.extend_from_slice(b",\"arguments_sha256\":\"");
            super::line::hex(self.canonical.digest(arguments), out);
            out.push(b'"');
            if arguments.len() <= LONGEST {
                write_arguments(arguments, unfinished.mode, out);
            }
        }
        out.extend_from_slice(b"}\n");
    }
}

fn write_arguments(text: &str, mode: Mode, out: &mut Vec<u8>) {
    let mut scanner = Scanner::of_text(text, MAX_DEPTH);
    // What is no object was refused, and may be a secret that was meant for some parameter.
    let object = scanner.value().ok().filter(|value| value.kind == Kind::Object && scanner.finish().is_ok());
    match (mode, object) {
        (Mode::Full, Some(object)) if object.text.contains(['\n', '\r']) => {
            // A line is a line. As a string, every byte of the text can still be had back.
            out.extend_from_slice(b",\"arguments\":");
            write_string(object.text, out);
        }
        (Mode::Full, Some(object)) => {
            out.extend_from_slice(b",\"arguments\":");
            out.extend_from_slice(object.text.as_bytes());
        }
        (Mode::Kinds, Some(object)) => write_kinds(object, out),
        _ => {}
    }
}

fn write_kinds(object: Value<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"argument_kinds\":{");
    let mut name_of = String::new();
    for (number, (name, value)) in members(object).enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write_string(name.unescaped(&mut name_of), out);
        out.extend_from_slice(match value.kind {
            Kind::Null => b":\"null\"",
            Kind::Boolean => b":\"boolean\"",
            Kind::Number => b":\"number\"",
            Kind::String => b":\"string\"",
            Kind::Array => b":\"array\"",
            Kind::Object => b":\"object\"",
        });
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    fn finished(arguments: &str, mode: Mode) -> Json {
        let mut out = Vec::new();
        let unfinished = Unfinished { line: b"{\"a\":1", arguments: arguments.as_bytes(), mode };
        Finisher::default().finish(unfinished, &mut out);
        let line = String::from_utf8(out).unwrap();
        assert!(line.ends_with("}\n") && line.lines().count() == 1, "{line}");
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn each_mode_says_what_it_may() {
        let text = "{\"n\": 1.50, \"s\":\"hunter2\", \"l\":[\"hunter2\"], \"o\":{}, \"z\":null, \"b\":true}";
        let digest = finished(text, Mode::Digest);
        assert_eq!(digest.as_object().unwrap().len(), 2, "{digest}");
        assert_eq!(digest["arguments_sha256"].as_str().unwrap().len(), 64);
        let kinds = finished(text, Mode::Kinds);
        assert!(!kinds.to_string().contains("hunter2"), "{kinds}");
        let expected = json!({"n":"number","s":"string","l":"array","o":"object","z":"null","b":"boolean"});
        assert_eq!(kinds["argument_kinds"], expected);
        let full = finished(text, Mode::Full);
        assert_eq!(full["arguments"]["s"], "hunter2");
        assert_eq!(full["arguments_sha256"], digest["arguments_sha256"]);
        assert_eq!(finished("", Mode::Nothing), json!({"a": 1}));
    }

    #[test]
    fn a_line_is_one_line_whatever_the_arguments_are() {
        let broken = "{\n \"a\":\r\n{\"b\" : 1}}";
        assert_eq!(finished(broken, Mode::Full)["arguments"], broken);
        for odd in ["[\"hunter2\"]", "\"hunter2\"", "{\"a\":\"hunter2\"", "", "{} hunter2"] {
            for mode in Mode::ALL {
                assert!(!finished(odd, mode).to_string().contains("hunter2"), "{odd}");
            }
        }
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(LONGEST));
        let line = finished(&long, Mode::Full);
        assert!(line.get("arguments").is_none() && line["arguments_sha256"].is_string());
    }
}
