//! A call that is really made: the request with the values of its variables, sent once, as the edge would send it.

use super::{Auth, MAX_RESPONSE_BYTES, Secrets, SendLimits, Trial, send};
use crate::exercise::placeholders::Draft;
use crate::language::variables::Variable;
use crate::servers::{self, Failure, Programs};
use anyhow::Context;
use mcp_bundle::bind::Request;
use mcp_bundle::origin::{self, Origin};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::EnvFile;
use mcp_edge::upstream::{Received, UpstreamError};
use std::time::Duration;

/// As at the edge, for a plan without a policy.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// What the place gives to a call.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    pub variables: &'a EnvFile,
    pub programs: &'a Programs,
    pub tenant: Option<&'a str>,
    pub principal: Option<&'a str>,
}

/// Why a call cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    #[error("variables have no value")]
    Missing(Vec<Variable>),
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Why a call that was made has no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    #[error("request to `{authority}` failed: {error}")]
    Upstream { authority: String, error: UpstreamError },
    #[error("the call to `{name}` failed: {}", servers::explained(.failure))]
    Server { name: String, failure: Failure },
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// A request that can be sent.
#[derive(Debug)]
pub struct Ready<'a> {
    request: Request,
    pub secrets: Secrets,
    to: To<'a>,
}

/// Where a request goes.
#[derive(Debug)]
enum To<'a> {
    Api {
        origin: Origin,
        /// Where the token server is.
        auth: Option<Box<Contents>>,
    },
    /// An MCP server; the request's body is the arguments.
    Server(Given<'a>),
}

impl<'a> Ready<'a> {
    /// Binds the request with the values of its variables.
    pub fn new(
        trial: &Trial<'_>,
        draft: &Draft,
        arguments: &str,
        given: Given<'a>,
    ) -> Result<Ready<'a>, NotReady> {
        let variables = given.variables;
        let secrets = trial
            .secrets(draft, |name| variables.get(name), given.tenant, given.principal)
            .map_err(NotReady::Missing)?;
        let request = trial.bind(arguments, &secrets).map_err(|error| anyhow::anyhow!("{error}"))?;
        if trial.plan.mcp().is_some() {
            return Ok(Ready { request, secrets, to: To::Server(given) });
        }
        let upstream = trial.upstream().context("the tool has an upstream")?;
        let text = trial.contents.origin_text(upstream);
        let origin = origin::resolve(&text, &|name| variables.get(name))
            .map_err(|error| anyhow::anyhow!("the upstream's URL `{text}` cannot be used: {error}"))?;
        let auth = located(trial, variables)?.map(Box::new);
        Ok(Ready { request, secrets, to: To::Api { origin, auth } })
    }

    pub fn send(&self, trial: &Trial<'_>) -> Result<Received, NoAnswer> {
        let upstream = trial.upstream().context("the tool has an upstream")?;
        let strings = &trial.contents.strings;
        let policy = trial.policy();
        let timeout =
            policy.map_or(DEFAULT_TIMEOUT, |policy| Duration::from_millis(policy.timeout_ms.into()));
        let max_response = policy.and_then(|policy| policy.max_response_bytes);
        let max_response = max_response.map_or(MAX_RESPONSE_BYTES, |bytes| bytes as usize);
        let (origin, auth) = match &self.to {
            To::Api { origin, auth } => (origin, auth),
            To::Server(given) => {
                let call = servers::Call {
                    arguments: self.request.body().unwrap_or_default(),
                    timeout,
                    max_response,
                };
                let called =
                    servers::call(trial.contents, trial.plan, &call, given.variables, given.programs)?;
                let server = trial.plan.mcp().map_or(0, |plan| plan.server as usize);
                let name = || trial.contents.server_name(server).unwrap_or_default().to_owned();
                return called.map_err(|failure| NoAnswer::Server { name: name(), failure });
            }
        };
        let tool = strings.get(trial.plan.name);
        let connect_timeout = Duration::from_millis(upstream.connect_timeout_ms.into());
        let limits = SendLimits { connect_timeout, timeout, max_response };
        let variables = trial.values(&self.secrets);
        let upstream = trial.plan.request().map_or(0, |http| http.upstream);
        let auth = auth.as_deref().map(|contents| Auth { contents, upstream, variables });
        let reply = send(&self.request, tool, origin, &limits, auth.as_ref())?;
        reply.map_err(|error| NoAnswer::Upstream { authority: origin.authority.clone(), error })
    }
}

/// The bundle with the token server of the upstream where its variables say; `None` without a credential.
fn located(trial: &Trial<'_>, variables: &EnvFile) -> anyhow::Result<Option<Contents>> {
    let upstream = trial.plan.request().map(|http| http.upstream);
    let Some(credential) = upstream.and_then(|index| trial.contents.credential(index)) else {
        return Ok(None);
    };
    let mut contents = trial.contents.clone();
    let server = credential.reaches() as usize;
    if let Some(url) = contents.upstreams.get(server).and_then(|upstream| upstream.url) {
        let text = contents.strings.get(url).to_owned();
        let origin = origin::resolve(&text, &|name| variables.get(name))
            .map_err(|error| anyhow::anyhow!("the token URL `{text}` cannot be used: {error}"))?;
        contents.locate(server, &origin);
    }
    Ok(Some(contents))
}
