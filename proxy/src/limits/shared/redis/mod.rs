//! Redis or Valkey as the store: one server, a cluster, or a service that sentinels know.
//!
//! Each limit is one key, changed by one script, so a cluster needs nothing more than a tag around its name.

use super::store::{Answer, Connector, Question, RateAnswer, Store, StoreError};
use super::store_address::{NodeAddress, StoreAddress};
use futures::future::BoxFuture;
use redis::aio::MultiplexedConnection;
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::sentinel::{SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo,
    RedisConnectionInfo, RedisError, ServerErrorKind, TlsCertificates, TlsMode,
};
use std::sync::LazyLock;
use std::time::Duration;

/// The keeper's own limits of time are shorter; these end what it no longer waits for.
const CONNECT: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct RedisConnector {
    address: StoreAddress,
    place: String,
}

/// A connection; clones share it.
#[derive(Clone)]
enum Connection {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

struct RedisStore {
    connection: Connection,
    prefix: String,
}

/// A script, and the digest that a server knows it by once it has seen it.
struct Script {
    text: &'static str,
    digest: String,
}

static RATE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("rate.lua")));
static PLACES: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("places.lua")));
static EDGES: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("edges.lua")));

impl RedisConnector {
    pub fn new(address: StoreAddress) -> RedisConnector {
        let place = address.to_string();
        RedisConnector { address, place }
    }

    async fn open(&self) -> Result<Connection, StoreError> {
        // TLS takes the provider of the process.
        pingora_core::tls::install_default_crypto_provider();
        let address = &self.address;
        let authorities = self.authorities()?;
        let connection = if let Some(service) = &address.sentinel_service {
            self.of_sentinels(service, authorities).await
        } else if address.is_cluster {
            self.of_cluster(authorities).await
        } else {
            self.of_server(authorities).await
        };
        connection.map_err(|error| told(&error))
    }

    async fn of_server(&self, authorities: Option<Vec<u8>>) -> Result<Connection, RedisError> {
        let Some(node) = self.address.nodes.first() else { return Err(no_nodes()) };
        let client = client(self.info(node)?, node.tls.then_some(authorities).flatten())?;
        multiplexed(&client).await
    }

    async fn of_sentinels(
        &self,
        service: &str,
        authorities: Option<Vec<u8>>,
    ) -> Result<Connection, RedisError> {
        let StoreAddress { nodes, username, password, sentinel_username, sentinel_password, .. } =
            &self.address;
        let mut builder =
            SentinelClientBuilder::new(nodes.iter().map(place), service, SentinelServerType::Master)?;
        if nodes.iter().any(|node| node.tls) {
            builder = builder.set_client_to_redis_tls_mode(TlsMode::Secure);
            builder = builder.set_client_to_sentinel_tls_mode(TlsMode::Secure);
            if let Some(authorities) = authorities {
                let trusted = || TlsCertificates { client_tls: None, root_cert: Some(authorities.clone()) };
                builder = builder.set_client_to_redis_certificates(trusted());
                builder = builder.set_client_to_sentinel_certificates(trusted());
            }
        }
        if let Some(username) = username {
            builder = builder.set_client_to_redis_username(username);
        }
        if let Some(password) = password {
            builder = builder.set_client_to_redis_password(password);
        }
        if let Some(username) = sentinel_username {
            builder = builder.set_client_to_sentinel_username(username);
        }
        if let Some(password) = sentinel_password {
            builder = builder.set_client_to_sentinel_password(password);
        }
        let database = nodes.first().map_or(0, |node| node.database);
        let mut client = builder.set_client_to_redis_db(database.into()).build()?;
        let client = client.async_get_client().await?;
        multiplexed(&client).await
    }

    async fn of_cluster(&self, authorities: Option<Vec<u8>>) -> Result<Connection, RedisError> {
        let StoreAddress { nodes, .. } = &self.address;
        let infos: Result<Vec<ConnectionInfo>, RedisError> =
            nodes.iter().map(|node| self.info(node)).collect();
        let mut builder = ClusterClientBuilder::new(infos?)
            .connection_timeout(CONNECT)
            .response_timeout(ANSWER)
            .overall_response_timeout(Some(ANSWER))
            .retries(2);
        if let (true, Some(authorities)) = (nodes.iter().any(|node| node.tls), authorities) {
            builder = builder.certs(TlsCertificates { client_tls: None, root_cert: Some(authorities) });
        }
        Ok(Connection::Cluster(builder.build()?.get_async_connection().await?))
    }

    fn info(&self, node: &NodeAddress) -> Result<ConnectionInfo, RedisError> {
        let StoreAddress { username, password, .. } = &self.address;
        let mut settings = RedisConnectionInfo::default().set_db(node.database.into());
        if let Some(username) = username {
            settings = settings.set_username(username);
        }
        if let Some(password) = password {
            settings = settings.set_password(password);
        }
        Ok(place(node).into_connection_info()?.set_redis_settings(settings))
    }

    /// Of `ca_file`.
    fn authorities(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(path) = &self.address.ca_file else { return Ok(None) };
        let read = std::fs::read(path);
        read.map(Some)
            .map_err(|error| StoreError::Lost(format!("`{}` cannot be read: {error}", path.display())))
    }
}

impl Connector for RedisConnector {
    fn connect(&self) -> BoxFuture<'_, Result<Box<dyn Store>, StoreError>> {
        Box::pin(async {
            let connection = self.open().await?;
            Ok(Box::new(RedisStore { connection, prefix: self.address.prefix.clone() }) as Box<dyn Store>)
        })
    }

    fn place(&self) -> &str {
        &self.place
    }
}

impl Store for RedisStore {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Answer, StoreError>> {
        Box::pin(async {
            let answer = match question {
                Question::Rate(q) => {
                    let numbers = [q.interval, q.tolerance, q.hold].map(|number| number.to_string());
                    let counts = [q.want, q.more, q.debt, q.back].map(|count| count.to_string());
                    let (renew, known) = (q.renew.to_string(), q.known.to_string());
                    let (back_given, renew_given) = (q.back_given.to_string(), q.renew_given.to_string());
                    let last = [back_given, renew, renew_given, known, q.others.to_string()];
                    let arguments: Vec<String> = numbers.into_iter().chain(counts).chain(last).collect();
                    let answer: (u32, u8, u64, i64, i64) = self.run(&RATE, &q.name, &arguments).await?;
                    let (given, renewed, wait, due, now) = answer;
                    Answer::Rate(RateAnswer { given, renewed: renewed == 1, wait, due, now })
                }
                Question::Places(q) => {
                    let arguments =
                        [q.edge.clone(), q.places.to_string(), q.want.to_string(), q.ttl_ms.to_string()];
                    Answer::Places(self.run(&PLACES, &q.name, &arguments).await?)
                }
                Question::Edges { edge, ttl_ms } => {
                    let arguments = [edge.clone(), ttl_ms.to_string()];
                    Answer::Edges(self.run(&EDGES, "edges", &arguments).await?)
                }
            };
            Ok(answer)
        })
    }
}

impl RedisStore {
    async fn run<T: redis::FromRedisValue>(
        &self,
        script: &Script,
        name: &str,
        arguments: &[String],
    ) -> Result<T, StoreError> {
        let key = format!("{}:{{{name}}}", self.prefix);
        let command = |verb: &str, script: &str| {
            let mut command = redis::cmd(verb);
            command.arg(script).arg(1).arg(&key).arg(arguments);
            command
        };
        let mut connection = self.connection.clone();
        let ran = connection.run(command("EVALSHA", &script.digest)).await;
        let ran = match ran {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                connection.run(command("EVAL", script.text)).await
            }
            ran => ran,
        };
        ran.map_err(|error| told(&error))
    }
}

impl Connection {
    async fn run<T: redis::FromRedisValue>(&mut self, command: Cmd) -> Result<T, RedisError> {
        match self {
            Connection::One(connection) => command.query_async(connection).await,
            Connection::Cluster(connection) => command.query_async(connection).await,
        }
    }
}

impl Script {
    fn new(text: &'static str) -> Script {
        Script { text, digest: redis::Script::new(text).get_hash().to_owned() }
    }
}

async fn multiplexed(client: &Client) -> Result<Connection, RedisError> {
    let config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(CONNECT)).set_response_timeout(Some(ANSWER));
    let connection = client.get_multiplexed_async_connection_with_config(&config).await?;
    Ok(Connection::One(connection))
}

fn client(info: ConnectionInfo, authorities: Option<Vec<u8>>) -> Result<Client, RedisError> {
    match authorities {
        Some(root_cert) => {
            Client::build_with_tls(info, TlsCertificates { client_tls: None, root_cert: Some(root_cert) })
        }
        None => Client::open(info),
    }
}

fn place(node: &NodeAddress) -> ConnectionAddr {
    let NodeAddress { host, port, tls, .. } = node.clone();
    if tls {
        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
    } else {
        ConnectionAddr::Tcp(host, port)
    }
}

fn no_nodes() -> RedisError {
    RedisError::from((ErrorKind::InvalidClientConfig, "no server is named"))
}

/// On one line. The crate's words have no secrets in them.
fn told(error: &RedisError) -> StoreError {
    let text = error.to_string().replace(['\r', '\n'], " ");
    // Other words of a server are about the server: it loads, follows another one, or has no memory left. Older servers say
    // `ERR` for whatever went wrong within a script.
    let is_of_question = matches!(error.code(), Some("WRONGTYPE" | "NOPERM" | "ERR"));
    match is_of_question && !text.contains("READONLY") {
        true => StoreError::Refused(text),
        false => StoreError::Lost(text),
    }
}

impl std::fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisStore").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}
