//! Event streams, cut anywhere.

use crate::upstream::mcp::{EventKind, EventReader};
use proptest::prelude::*;

/// The events of a stream that arrives in these pieces.
fn read(pieces: &[&[u8]]) -> Vec<(EventKind, String)> {
    let (mut reader, mut buffer, mut events) = (EventReader::default(), Vec::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(event) = reader.next(&mut buffer) {
            events.push((event.kind, String::from_utf8_lossy(&buffer[event.data]).into_owned()));
        }
        reader.compact(&mut buffer);
    }
    events
}

#[test]
fn events_are_found_as_the_standard_says() {
    for (text, expected) in [
        ("data: a\n\n", vec![(EventKind::Message, "a")]),
        ("data:a\r\n\r\n", vec![(EventKind::Message, "a")]),
        ("data: a\r\rdata: b\r\r", vec![(EventKind::Message, "a"), (EventKind::Message, "b")]),
        ("data: a\ndata:  b\ndata\n\n", vec![(EventKind::Message, "a\n b\n")]),
        ("event: endpoint\ndata: /m?x=1\n\n", vec![(EventKind::Endpoint, "/m?x=1")]),
        ("event: other\ndata: x\n\ndata: y\n\n", vec![(EventKind::Other, "x"), (EventKind::Message, "y")]),
        ("\u{feff}data: a\n\n", vec![(EventKind::Message, "a")]),
        (": comment\nid: 7\nretry: 5\nfoo: bar\n\ndata: a\n\n", vec![(EventKind::Message, "a")]),
        ("id: 1\ndata:\n\n", vec![(EventKind::Message, "")]),
        ("data: never ended\n", vec![]),
        ("event: endpoint\n\ndata: a\n\n", vec![(EventKind::Message, "a")]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(kind, text)| (kind, text.to_owned())).collect();
        assert_eq!(read(&[text.as_bytes()]), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn it_does_not_matter_where_a_stream_is_cut(
        lines in prop::collection::vec("(data: ?[a-c]{0,4}|event: (message|endpoint|x)|: ?x|id|data|)(\n|\r\n|\r)", 0..24),
        cuts in prop::collection::vec(1..9_usize, 1..40),
    ) {
        let text = lines.concat();
        let mut pieces = Vec::new();
        let mut rest = text.as_bytes();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        prop_assert_eq!(read(&pieces), read(&[text.as_bytes()]));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let pieces: Vec<&[u8]> = bytes.chunks(7).collect();
        prop_assert_eq!(read(&pieces), read(&[&bytes]));
    }
}
