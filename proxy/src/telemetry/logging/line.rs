//! A line of the log, made member by member as `tracing` would make it.

use super::{LogFormat, LogLevel};
use crate::request::id::RequestId;
use mcp_bundle::json::write_string;
use std::fmt::Display;
use std::io::Write;

pub(super) struct Line<'a> {
    format: LogFormat,
    out: &'a mut Vec<u8>,
}

/// A member's name, with everything between the values before and after it.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) json: &'static str,
    pub(super) text: &'static str,
}

macro_rules! name {
    ($name:literal) => {
        $crate::telemetry::logging::line::Name {
            json: concat!(",\"", $name, "\":"),
            text: concat!(" ", $name, "="),
        }
    };
}
pub(super) use name;

impl Line<'_> {
    pub(super) fn new(format: LogFormat, out: &mut Vec<u8>) -> Line<'_> {
        Line { format, out }
    }

    /// `message` and `target` need no escapes.
    #[inline(always)]
    pub(super) fn begin(&mut self, time: &[u8], level: LogLevel, target: &str, message: &str) {
        match self.format {
            LogFormat::Json => {
                self.put("{\"timestamp\":\"");
                self.out.extend_from_slice(time);
                self.put("\",\"level\":\"");
                self.put(level.name());
                self.put("\",\"message\":\"");
                self.put(message);
                self.put("\"");
            }
            LogFormat::Text => {
                self.out.extend_from_slice(time);
                self.fill(format_args!(" {:>5} {target}: {message}", level.name()));
            }
        }
    }

    #[inline(always)]
    pub(super) fn end(self, target: &str) {
        match self.format {
            LogFormat::Json => {
                self.out.extend_from_slice(b",\"target\":\"");
                self.out.extend_from_slice(target.as_bytes());
                self.out.extend_from_slice(b"\"}\n");
            }
            LogFormat::Text => self.out.push(b'\n'),
        }
    }

    #[inline(always)]
    pub(super) fn string(&mut self, name: Name, value: &str) {
        self.name(name);
        match self.format {
            LogFormat::Json => write_string(value, self.out),
            LogFormat::Text => self.fill(format_args!("{value:?}")),
        }
    }

    /// A string without anything that needs an escape.
    #[inline(always)]
    pub(super) fn word(&mut self, name: Name, value: &'static str) {
        self.name(name);
        self.quoted(value.as_bytes());
    }

    #[inline(always)]
    pub(super) fn number(&mut self, name: Name, value: u64) {
        self.name(name);
        self.put(itoa::Buffer::new().format(value));
    }

    /// In text it has no quotes.
    #[inline(always)]
    pub(super) fn id(&mut self, name: Name, id: &RequestId) {
        self.name(name);
        match (id, self.format) {
            (RequestId::Given(id), LogFormat::Json) => write_string(id, self.out),
            (RequestId::Given(id), LogFormat::Text) => self.put(id),
            (RequestId::Made(number), LogFormat::Json) => self.quoted(&hexadecimal(*number)),
            (RequestId::Made(number), LogFormat::Text) => self.out.extend_from_slice(&hexadecimal(*number)),
        }
    }

    /// Something whose text needs no escapes; in text it has no quotes.
    pub(super) fn plain(&mut self, name: Name, value: impl Display) {
        self.name(name);
        match self.format {
            LogFormat::Json => self.fill(format_args!("\"{value}\"")),
            LogFormat::Text => self.fill(format_args!("{value}")),
        }
    }

    /// Inlined down to the name itself: what has a known length is copied by a few instructions.
    #[inline(always)]
    fn name(&mut self, name: Name) {
        match self.format {
            LogFormat::Json => self.put(name.json),
            LogFormat::Text => self.put(name.text),
        }
    }

    #[inline(always)]
    fn quoted(&mut self, text: &[u8]) {
        self.out.push(b'"');
        self.out.extend_from_slice(text);
        self.out.push(b'"');
    }

    #[inline(always)]
    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn fill(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        let _ = self.out.write_fmt(text);
    }
}

/// As `{number:016x}`.
fn hexadecimal(number: u64) -> [u8; 16] {
    std::array::from_fn(|place| {
        let digit = (number >> (60 - 4 * place)) as u8 & 0xf;
        digit + if digit < 10 { b'0' } else { b'a' - 10 }
    })
}
