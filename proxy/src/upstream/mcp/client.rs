//! One conversation with a server, for tools that are not the edge: nothing is supervised, compared or kept.

use super::handshake::{self, Opened};
use super::http::HttpTarget;
use super::listing::list_tools;
use super::stdio::StdioConnector;
use super::{Connection, Connector, McpCode, McpFailure, Outgoing, SseConnector, message};
use crate::programs::Program;
use crate::settings::PoolSettings;
use crate::upstream::credentials::Credentials;
use crate::upstream::{Network, OriginKey};
use mcp_bundle::bind::Request;
use mcp_bundle::json::write_string;
use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::Transport;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of a message of a program.
const LONGEST: usize = 64 << 20;

/// How servers are reached. The upstreams of the contents, and those of their token servers, are located.
#[derive(Debug, Clone, Copy)]
pub struct Reached<'a> {
    pub contents: &'a Contents,
    /// The values of the bundle's variables.
    pub variables: &'a [Box<str>],
    pub network: &'a Network,
    pub credentials: &'a Credentials,
    /// What the server is, if it is a program.
    pub program: Option<&'a Program>,
}

/// A conversation; over when dropped.
#[derive(Debug)]
pub struct Client {
    connection: Arc<dyn Connection>,
    opened: Opened,
    deadline: Instant,
}

impl Client {
    /// Connects to a server, an index of [`Contents::servers`], and agrees on a revision. All that is done must be done by the
    /// deadline.
    pub async fn connect(
        reached: &Reached<'_>,
        server: usize,
        deadline: Instant,
    ) -> Result<Client, McpFailure> {
        let connector = reached.connector(server)?;
        let connecting = tokio::time::timeout_at(deadline.into(), connector.connect());
        let slow = |_| McpFailure::new(McpCode::Timeout, "the server did not take the connection in time");
        let connection = connecting.await.map_err(slow)??;
        let opened = handshake::open(&*connection, connector.may_be_modern(), deadline).await;
        match opened {
            Ok(opened) => Ok(Client { connection, opened, deadline }),
            Err(failure) => {
                connection.close();
                Err(failure)
            }
        }
    }

    /// What the server said of itself.
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// The JSON text of each of its tools.
    pub async fn list(&self) -> Result<Vec<Box<str>>, McpFailure> {
        list_tools(&*self.connection, &self.opened, self.deadline).await
    }

    /// Calls a tool; gives the id of the request and the message that answers it, of at most so many bytes.
    pub async fn call(&self, tool: &str, arguments: &str, most: usize) -> Result<(u64, Vec<u8>), McpFailure> {
        let id = message::next_id();
        let mut name = Vec::new();
        write_string(tool, &mut name);
        let name = String::from_utf8_lossy(&name);
        let params = format!(r#""name":{name},"arguments":{arguments}"#);
        let message = message::request(id, "tools/call", &params, Some(self.opened.version));
        let deadline = self.deadline;
        let request = Outgoing {
            id,
            method: "tools/call",
            name: Some(tool),
            message: &message,
            deadline,
            most,
            notices: None,
        };
        let answering = tokio::time::timeout_at(deadline.into(), self.connection.request(request));
        let slow = |_| McpFailure::new(McpCode::Timeout, "the server did not answer the call in time");
        Ok((id, answering.await.map_err(slow)??))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.connection.close();
    }
}

impl Reached<'_> {
    fn connector(&self, server: usize) -> Result<Box<dyn Connector>, McpFailure> {
        let contents = self.contents;
        let plan = contents.servers.get(server);
        let upstream = plan.and_then(|server| contents.upstreams.get(server.request.upstream as usize));
        let (Some(plan), Some(upstream)) = (plan, upstream) else {
            return Err(McpFailure::new(McpCode::Unreachable, "there is no such server"));
        };
        if plan.transport == Transport::Stdio {
            let program = self.program.cloned();
            let nobody = || McpFailure::new(McpCode::Unreachable, "it is a program that nobody has named");
            let name = contents.server_name(server).unwrap_or_default();
            return Ok(Box::new(StdioConnector::new(name, program.ok_or_else(nobody)?, LONGEST)));
        }
        let text = |id| contents.strings.get(id);
        let key =
            OriginKey { scheme: upstream.scheme, host: text(upstream.host).to_owned(), port: upstream.port };
        let target = Arc::new(HttpTarget {
            network: self.network.clone(),
            origin: self.network.origin(&key),
            authority: text(upstream.authority).to_owned(),
            request: Request::of_server(contents, &plan.request, self.variables),
            credential: self.credentials.get(plan.request.upstream).cloned(),
            connect_timeout: Duration::from_millis(upstream.connect_timeout_ms.into()),
            pool: PoolSettings::default(),
            budget: Arc::default(),
        });
        Ok(match plan.transport {
            Transport::Sse => Box::new(SseConnector::new(target, LONGEST)),
            Transport::Http | Transport::Stdio => Box::new(target),
        })
    }
}
