//! What the contenders that are built here have in common.

use super::size::Size;
use crate::AnyError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::net::SocketAddr;
use tokio::runtime::{Builder, Runtime};

/// `ADDRESS UPSTREAM THREADS`.
#[derive(Debug)]
pub struct Arguments {
    pub address: SocketAddr,
    pub upstream: SocketAddr,
    pub threads: usize,
}

impl Arguments {
    pub fn of_this_process() -> Result<Arguments, AnyError> {
        let given: Vec<String> = std::env::args().skip(1).collect();
        let [address, upstream, threads] = given.as_slice() else {
            return Err("usage: ADDRESS UPSTREAM THREADS".into());
        };
        Ok(Arguments { address: address.parse()?, upstream: upstream.parse()?, threads: threads.parse()? })
    }
}

/// One thread needs no scheduler that steals.
pub fn runtime(threads: usize) -> std::io::Result<Runtime> {
    let mut builder = if threads == 1 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    builder.worker_threads(threads).enable_all().build()
}

/// The upstream's path of a small record.
pub fn path_of(id: &str) -> String {
    format!("{}{}", Size::Small.path(), utf8_percent_encode(id, ESCAPED))
}

/// All but what RFC 3986 calls unreserved.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_escaped_as_mcp_edge_does_it() {
        assert_eq!(path_of("user 42"), "/users/user%2042");
        assert_eq!(path_of("a/../b~_-."), "/users/a%2F..%2Fb~_-.");
    }
}
