//! Ids of requests.

use crate::request::head::Head;
use crate::runtime::random;
use std::fmt;

/// What ties the log lines of a request to the client's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestId {
    /// From the client.
    Given(Box<str>),
    /// Ours; its text is made when something is logged.
    Made(u64),
}

impl RequestId {
    const MAX: usize = 128;

    /// The client's `x-request-id` if it is sane, else a new one.
    pub fn of(head: &Head) -> RequestId {
        let given = head.headers.first("x-request-id");
        given.and_then(RequestId::from_client).unwrap_or_else(|| RequestId::Made(random::next()))
    }

    /// Visible ASCII only: it is written to logs unchanged.
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

    fn id_of(header: &[u8]) -> String {
        let mut head = Head::default();
        head.headers.append("x-request-id", header);
        RequestId::of(&head).to_string()
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
            (0..1000).map(|_| RequestId::of(&Head::default()).to_string()).collect();
        assert_eq!(ids.len(), 1000);
    }
}
