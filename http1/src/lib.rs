//! HTTP/1 without sockets: what stands in a head, how long a body is, and what is in its chunks.
//!
//! The proxy reads clients and upstreams with it. It is our own because it is on the path of every call: nothing here
//! allocates, and a head is borrowed, not turned into a map. `httparse` knows the grammar of heads. What decides where a
//! message ends is strict: a request that could be read in two ways is none.

mod chunked;
mod framing;
mod request;
mod response;

pub use chunked::Chunked;
pub use framing::Body;
pub use request::{Request, read_request};
pub use response::{Response, read_response};

/// Most headers of a message.
pub const MAX_HEADERS: usize = 128;

/// Not HTTP/1, or not to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// A header as it stands in a head.
pub type Header<'b> = httparse::Header<'b>;
