//! What the upstream answers here.

use crate::AnyError;
use crate::load::mcp_server;
use crate::load::upstream::{self, Answers, whole_answer};
use mcpc_instructions::bodies;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// How long an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Kib10,
    Kib100,
    Mib1,
    Mib10,
}

impl Length {
    pub const ALL: [Length; 4] = [Length::Kib10, Length::Kib100, Length::Mib1, Length::Mib10];

    /// Stands in paths and names of tools.
    pub const fn label(self) -> &'static str {
        match self {
            Length::Kib10 => "10k",
            Length::Kib100 => "100k",
            Length::Mib1 => "1m",
            Length::Mib10 => "10m",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Length::Kib10 => "10 KiB",
            Length::Kib100 => "100 KiB",
            Length::Mib1 => "1 MiB",
            Length::Mib10 => "10 MiB",
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Length::Kib10 => 10 << 10,
            Length::Kib100 => 100 << 10,
            Length::Mib1 => 1 << 20,
            Length::Mib10 => 10 << 20,
        }
    }

    /// A JSON list of about that length.
    pub fn body(self) -> String {
        const SAMPLE: usize = 1_000;
        let one = bodies::list("", SAMPLE, 0).body.len() / SAMPLE;
        bodies::list("", self.bytes() / one, 0).body
    }
}

/// The answer of about 300 bytes to everything else: what the `get_record_…` tools of the synthetic specs read.
pub const RECORD: &str = r#"{"id":42,"state":"open","owner":{"name":"Ada Lovelace","email":"ada@example.com"},"items":[{"name":"pen","price":3},{"name":"paper, \"A4\"","price":5.5},{"name":"ink","price":12}],"city":"Kristiansand","note":"left at the door of the neighbours","updated":"2026-01-02T03:04:05Z"}"#;

/// Whole answers.
struct Pages {
    by_length: [(String, Vec<u8>); Length::ALL.len()],
    record: Vec<u8>,
    mcp: mcp_server::Results,
}

/// Serves on this thread until accepting fails.
pub fn serve(address: SocketAddr) -> Result<(), AnyError> {
    let pages = Pages {
        by_length: Length::ALL.map(|length| (path(length), whole_answer(&length.body()))),
        record: whole_answer(RECORD),
        mcp: mcp_server::Results::new(),
    };
    Ok(upstream::serve(TcpListener::bind(address)?, &Arc::new(pages))?)
}

/// What paths to answers of that length begin with.
pub fn path(length: Length) -> String {
    format!("/answers/{}/", length.label())
}

impl Answers for Pages {
    fn find(&self, target: &[u8]) -> Option<&[u8]> {
        let found = self.by_length.iter().find(|(path, _)| target.starts_with(path.as_bytes()));
        Some(found.map_or(&self.record, |(_, answer)| answer))
    }

    fn post(&self, body: &[u8], out: &mut Vec<u8>) -> bool {
        self.mcp.answer(body, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_the_length_that_their_name_says() {
        for length in Length::ALL {
            let (seen, wanted) = (length.body().len(), length.bytes());
            assert!((wanted * 9 / 10..wanted * 11 / 10).contains(&seen), "{seen} for {wanted}");
        }
        assert!((270..330).contains(&RECORD.len()), "{}", RECORD.len());
    }

    #[test]
    fn a_path_gets_its_own_answer() {
        let page = |text: &str| text.as_bytes().to_vec();
        let pages = Pages {
            by_length: Length::ALL.map(|length| (path(length), page(length.label()))),
            record: page("r"),
            mcp: mcp_server::Results::new(),
        };
        let found = ["/answers/10k/1 ", "/answers/100k/1 ", "/answers/10m/1 ", "/collections/c4 "]
            .map(|target| pages.find(target.as_bytes()).expect("an answer"));
        assert_eq!(found, [&b"10k"[..], b"100k", b"10m", b"r"]);
    }
}
