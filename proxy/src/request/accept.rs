//! What a client takes for an answer.

use crate::request::head::{Headers, visible};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepts {
    pub json: bool,
    pub events: bool,
    /// Events by name, not by a range that holds everything.
    pub events_by_name: bool,
}

impl Accepts {
    /// A request without the header takes anything, which is JSON here.
    pub fn of(headers: &Headers) -> Accepts {
        let mut accepts = Accepts { json: false, events: false, events_by_name: false };
        let mut any = false;
        for value in headers.all("accept") {
            // What clients of MCP send.
            if value == b"application/json, text/event-stream" {
                return Accepts { json: true, events: true, events_by_name: true };
            }
            let text = visible(value).unwrap_or_default();
            for item in text.split(',') {
                let mut parts = item.split(';').map(str::trim);
                let range = parts.next().unwrap_or_default();
                any |= !range.is_empty();
                if parts.any(|parameter| matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000")) {
                    continue;
                }
                let is = |name: &str| range.eq_ignore_ascii_case(name);
                accepts.json |= is("application/json") || is("application/*") || is("*/*");
                accepts.events_by_name |= is("text/event-stream");
                accepts.events |= is("text/event-stream") || is("text/*") || is("*/*");
            }
        }
        accepts.json |= !any;
        accepts
    }

    /// JSON is what everyone gets who does not insist on something else.
    pub fn only_events(self) -> bool {
        self.events && !self.json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_weights_are_understood() {
        for (text, json, events) in [
            ("application/json, text/event-stream", true, true),
            ("text/event-stream", false, true),
            ("TEXT/Event-Stream;q=0.5", false, true),
            ("*/*", true, true),
            ("text/event-stream, application/json;q=0", false, true),
            ("text/html", false, false),
            ("", true, false),
        ] {
            let mut headers = Headers::default();
            headers.append("Accept", text.as_bytes());
            let accepts = Accepts::of(&headers);
            assert_eq!((accepts.json, accepts.events), (json, events), "{text}");
            assert_eq!(accepts.events_by_name, text.to_lowercase().contains("event-stream"), "{text}");
        }
        let none = Accepts { json: true, events: false, events_by_name: false };
        assert_eq!(Accepts::of(&Headers::default()), none);
    }
}
