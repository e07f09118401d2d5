//! Where a store is, with all that is needed to connect.

use super::store::Connector;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A server, from a URL without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeAddress {
    pub host: String,
    pub port: u16,
    pub tls: bool,
    /// The number of the database.
    pub database: u32,
}

/// Why a URL is not that of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    #[error("it is not a URL like `redis://cache.internal:6379`")]
    Malformed,
    #[error("its scheme must be `redis`, or `rediss` for TLS")]
    Scheme,
    #[error("a name or a password does not belong into the URL")]
    Secret,
    #[error("its path must be the number of a database, like `/0`")]
    Database,
}

/// A store, and how edges meet there.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreAddress {
    /// One at least; further ones of a cluster, or of its sentinels.
    pub nodes: Vec<NodeAddress>,
    pub is_cluster: bool,
    /// The nodes are sentinels, which know where the service of this name is.
    pub sentinel_service: Option<String>,
    pub username: Option<String>,
    pub password: Option<String>,
    /// What sentinels ask for, which may be something else.
    pub sentinel_username: Option<String>,
    pub sentinel_password: Option<String>,
    /// What the names of all keys begin with.
    pub prefix: String,
    /// There are this many edges at least.
    pub least_edges: u32,
    /// Whom to trust, instead of the platform's authorities.
    pub ca_file: Option<Arc<Path>>,
}

impl NodeAddress {
    pub fn parse(url: &str) -> Result<NodeAddress, NodeError> {
        let uri: http::Uri = url.parse().map_err(|_| NodeError::Malformed)?;
        let tls = match uri.scheme_str() {
            Some("redis") => false,
            Some("rediss") => true,
            Some(_) => return Err(NodeError::Scheme),
            None => return Err(NodeError::Malformed),
        };
        let authority = uri.authority().ok_or(NodeError::Malformed)?;
        if authority.as_str().contains('@') {
            return Err(NodeError::Secret);
        }
        let database = match uri.path().trim_start_matches('/') {
            "" => 0,
            number => number.parse().map_err(|_| NodeError::Database)?,
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() || uri.query().is_some() || authority.as_str().ends_with(':') {
            return Err(NodeError::Malformed);
        }
        let port = match authority.port() {
            Some(port) => port.as_str().parse().map_err(|_| NodeError::Malformed)?,
            // Too large a number is none.
            None if authority.as_str().len() > authority.host().len() => return Err(NodeError::Malformed),
            None => 6379,
        };
        Ok(NodeAddress { host, port, tls, database })
    }
}

impl StoreAddress {
    /// What decides about a connection.
    pub(super) fn place_and_secrets(&self) -> StoreAddress {
        StoreAddress { least_edges: 0, ..self.clone() }
    }

    #[cfg(feature = "redis")]
    pub(super) fn connector(&self) -> Arc<dyn Connector> {
        Arc::new(super::redis::RedisConnector::new(self.clone()))
    }

    #[cfg(not(feature = "redis"))]
    pub(super) fn connector(&self) -> Arc<dyn Connector> {
        Arc::new(WithoutRedis(self.to_string()))
    }
}

/// Stands in for a store that this program cannot speak to.
#[cfg(not(feature = "redis"))]
#[derive(Debug)]
struct WithoutRedis(String);

#[cfg(not(feature = "redis"))]
impl Connector for WithoutRedis {
    fn connect(
        &self,
    ) -> futures::future::BoxFuture<'_, Result<Box<dyn super::store::Store>, super::store::StoreError>> {
        let error = super::store::StoreError::Lost("this `mcp-edge` was built without Redis".to_owned());
        Box::pin(std::future::ready(Err(error)))
    }

    fn place(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NodeAddress { host, port, tls, database } = self;
        let scheme = if *tls { "rediss" } else { "redis" };
        if host.contains(':') {
            write!(f, "{scheme}://[{host}]:{port}")?;
        } else {
            write!(f, "{scheme}://{host}:{port}")?;
        }
        if *database == 0 { Ok(()) } else { write!(f, "/{database}") }
    }
}

/// Without secrets.
impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<String> = self.nodes.iter().map(NodeAddress::to_string).collect();
        f.write_str(&nodes.join(", "))
    }
}

/// Without secrets.
impl fmt::Debug for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreAddress").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is written; and what is read is written in a way that can be read.
        #[test]
        fn any_text_is_an_address_or_refused(text in "(redis://|rediss://)?[\\PC]{0,40}") {
            if let Ok(address) = NodeAddress::parse(&text) {
                prop_assert_eq!(NodeAddress::parse(&address.to_string()), Ok(address));
            }
        }
    }

    #[test]
    fn urls_name_a_server_and_a_database() {
        for (url, shown) in [
            ("redis://cache", "redis://cache:6379"),
            ("redis://cache/", "redis://cache:6379"),
            ("rediss://cache.internal:6380/3", "rediss://cache.internal:6380/3"),
            ("redis://[::1]:7000", "redis://[::1]:7000"),
        ] {
            assert_eq!(NodeAddress::parse(url).unwrap().to_string(), shown);
        }
        for (url, error) in [
            ("", NodeError::Malformed),
            ("cache:6379", NodeError::Malformed),
            ("redis://", NodeError::Malformed),
            ("redis://cache:", NodeError::Malformed),
            ("redis://cache:70000", NodeError::Malformed),
            ("redis://cache/0?a=b", NodeError::Malformed),
            ("http://cache", NodeError::Scheme),
            ("redis://:secret@cache", NodeError::Secret),
            ("redis://cache/zero", NodeError::Database),
        ] {
            assert_eq!(NodeAddress::parse(url), Err(error), "{url}");
        }
    }
}
