//! Event streams of MCP servers: nothing breaks, and it does not matter where the stream is cut.
#![no_main]

use mcp_edge::upstream::mcp::{EventKind, EventReader};

fn read<'p>(pieces: impl Iterator<Item = &'p [u8]>) -> Vec<(EventKind, Vec<u8>)> {
    let (mut reader, mut buffer, mut events) = (EventReader::default(), Vec::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(event) = reader.next(&mut buffer) {
            events.push((event.kind, buffer[event.data].to_vec()));
        }
        reader.compact(&mut buffer);
    }
    events
}

libfuzzer_sys::fuzz_target!(|input: (u8, &[u8])| {
    let (length, stream) = input;
    let pieces = read(stream.chunks(usize::from(length).max(1)));
    assert_eq!(pieces, read(std::iter::once(stream)));
});
