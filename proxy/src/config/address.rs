//! Addresses to listen on.

use std::net::SocketAddr;

/// Why a text is not an address to listen on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an `IP:port` address")]
pub struct AddressError {
    pub text: String,
    pub help: String,
}

/// Names are not resolved: the addresses to listen on must not depend on a name server.
pub fn parse_address(text: &str) -> Result<SocketAddr, AddressError> {
    text.parse().map_err(|_| AddressError { text: text.to_owned(), help: help(text) })
}

fn help(text: &str) -> String {
    let port = |text: &str| text.parse::<u16>().ok();
    if let Some(port) = text.strip_prefix("localhost:").and_then(port) {
        return format!("write `127.0.0.1:{port}`");
    }
    if let Ok(address) = text.parse::<std::net::IpAddr>() {
        return format!("add a port: `{}`", SocketAddr::new(address, 8080));
    }
    if let Some(port) = port(text.trim_start_matches([':', '*'])) {
        return format!("write `127.0.0.1:{port}`, or `0.0.0.0:{port}` for every address of this machine");
    }
    "write it like `127.0.0.1:8080` or `[::1]:8080`".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_an_address_comes_with_one_that_is() {
        let help = |text| parse_address(text).unwrap_err().help;
        assert_eq!(help("localhost:9000"), "write `127.0.0.1:9000`");
        assert_eq!(
            help(":9000"),
            "write `127.0.0.1:9000`, or `0.0.0.0:9000` for every address of this machine"
        );
        assert_eq!(help("::1"), "add a port: `[::1]:8080`");
        assert_eq!(help("example.com:80"), "write it like `127.0.0.1:8080` or `[::1]:8080`");
        assert!(parse_address("[::1]:0").is_ok());
    }
}
