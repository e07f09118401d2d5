//! Keeps the connections to servers open: opens them, opens them again, and compares their tools with what was reviewed.
//!
//! All supervisors share one thread, apart from those that serve. A server that is down costs a task that sleeps.

use super::handshake;
use super::listing::list_tools;
use super::pin::definitions;
use super::server::{Live, Server, State, Way};
use super::{Event, McpCode, McpFailure};
use crate::runtime::random;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::watch;

/// From connecting to the list of tools.
const OPEN: Duration = Duration::from_secs(30);
/// Between attempts that fail: the first wait, which doubles, and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// A connection that lasted as long is a good one.
const GOOD: Duration = Duration::from_secs(10);

/// A server, as long as somebody uses it.
#[derive(Debug)]
pub(crate) struct Supervised {
    pub server: Arc<Server>,
    stop: watch::Sender<bool>,
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// How a connection ended.
enum End {
    Lost,
    Closed(McpFailure),
}

/// Begins to supervise.
pub(crate) fn supervise(server: Arc<Server>) -> Supervised {
    let (stop, mut stopped) = watch::channel(false);
    match runtime() {
        Some(runtime) => {
            let server = Arc::clone(&server);
            runtime.spawn(async move {
                let ended = async {
                    let _ = stopped.wait_for(|stop| *stop).await;
                };
                tokio::select! {
                    () = run(&server) => {}
                    () = ended => {}
                }
                if let Some(live) = &*server.live() {
                    live.connection.close();
                }
                server.retract(State::Disconnected);
            });
        }
        None => server.set(State::Error(McpFailure::new(McpCode::Unreachable, "no thread could be started"))),
    }
    Supervised { server, stop }
}

/// The runtime of all supervisors; `None` if the system gives no thread.
pub(crate) fn runtime() -> Option<&'static Handle> {
    static RUNTIME: OnceLock<Option<Handle>> = OnceLock::new();
    let start = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let handle = runtime.handle().clone();
        let serve = move || runtime.block_on(std::future::pending::<()>());
        std::thread::Builder::new().name("mcp-servers".to_owned()).spawn(serve).ok()?;
        Some(handle)
    };
    RUNTIME.get_or_init(start).as_ref()
}

async fn run(server: &Server) {
    let mut failures = 0;
    loop {
        server.set(State::Connecting);
        let attempt = Instant::now();
        match open(server).await {
            Ok(live) => {
                let opened = Instant::now();
                let Live { opened: about, .. } = &*live;
                let (name, version) = (about.name.as_str(), about.version.as_str());
                tracing::info!(server = server.name, name, revision = version, "MCP server connected");
                server.publish(Arc::clone(&live));
                let end = follow(server, &live).await;
                live.connection.close();
                failures = if opened.elapsed() >= GOOD { 0 } else { failures + 1 };
                match &end {
                    End::Lost => tracing::info!(server = server.name, "the session of an MCP server is gone"),
                    End::Closed(failure) => {
                        tracing::warn!(server = server.name, "an MCP server is gone: {failure}");
                    }
                }
                server.retract(match end {
                    End::Closed(failure) if !server.connector().reconnects() => State::Error(failure),
                    _ => State::Connecting,
                });
                // A connection that was good is opened again at once.
                if failures <= 1 && server.connector().reconnects() {
                    continue;
                }
            }
            Err(failure) => {
                failures += 1;
                let is_new = !matches!(server.status().state, State::Error(_));
                if is_new && failures == 1 {
                    tracing::warn!(server = server.name, "an MCP server cannot be used: {failure}");
                }
                server.retract(State::Error(failure));
            }
        }
        if !server.connector().reconnects() {
            return std::future::pending().await;
        }
        let next = attempt + wait(failures);
        let soonest = attempt + FIRST;
        let wanted = async {
            server.wanted.notified().await;
            tokio::time::sleep_until(soonest.into()).await;
        };
        tokio::select! {
            () = tokio::time::sleep_until(next.into()) => {}
            () = wanted => {}
        }
    }
}

/// Doubles with each failure; a part of it is left to chance, so that servers that failed together are not asked together.
pub(super) fn wait(failures: u32) -> Duration {
    let bound = FIRST.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LONGEST);
    let half = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX) / 2;
    bound / 2 + Duration::from_millis(random::next() % half.saturating_add(1))
}

async fn open(server: &Server) -> Result<Arc<Live>, McpFailure> {
    let deadline = Instant::now() + OPEN;
    let slow = |_| McpFailure::new(McpCode::Timeout, "the server was not ready within 30 s");
    tokio::time::timeout_at(deadline.into(), async {
        let connector = server.connector();
        let connection = connector.connect().await?;
        let opened = handshake::open(&*connection, connector.may_be_modern(), deadline).await;
        let listed = match &opened {
            Ok(opened) => list_tools(&*connection, opened, deadline).await,
            Err(failure) => Err(failure.clone()),
        };
        match (opened, listed) {
            (Ok(opened), Ok(listed)) => {
                // A tool is compared before it is called the first time, also one that is activated later.
                server.listed(definitions(&listed));
                connection.follow(&opened);
                let head = connection.call_head();
                Ok(Arc::new(Live { connection, opened, head }))
            }
            (Err(failure), _) | (_, Err(failure)) => {
                connection.close();
                Err(failure)
            }
        }
    })
    .await
    .map_err(slow)?
}

/// Watches a connection until it is over.
async fn follow(server: &Server, live: &Arc<Live>) -> End {
    let mut poll = server.poll.subscribe();
    let mut looked = Instant::now();
    loop {
        let next = looked + *poll.borrow_and_update();
        let is_doubted = tokio::select! {
            event = live.connection.event() => match event {
                Event::ToolsChanged => false,
                Event::Closed(failure) => return End::Closed(failure),
            },
            () = server.lost.notified() => match server.uses(live) {
                // It was about the connection before.
                true => continue,
                false => return End::Lost,
            },
            () = server.doubted.notified() => true,
            // A reload may say another time.
            Ok(()) = poll.changed() => continue,
            () = tokio::time::sleep_until(next.into()) => false,
        };
        if let Err(failure) = look(server, live).await {
            return End::Closed(failure);
        }
        looked = Instant::now();
        if is_doubted {
            server.resume(Arc::clone(live));
        }
    }
}

/// Compares the tools. Over HTTP a failure ends the connection: nothing else shows that the server is gone, or that it cannot be
/// compared any more. Other connections know when they end, so a program that is busy with a long call keeps its verdicts.
async fn look(server: &Server, live: &Live) -> Result<(), McpFailure> {
    match list_tools(&*live.connection, &live.opened, Instant::now() + OPEN).await {
        Ok(tools) => server.listed(definitions(&tools)),
        Err(failure) if matches!(server.way, Way::Http(_)) => return Err(failure),
        Err(failure) => {
            tracing::warn!(server = server.name, "the tools of an MCP server cannot be compared: {failure}");
        }
    }
    Ok(())
}
