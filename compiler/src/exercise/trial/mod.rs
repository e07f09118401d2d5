//! One call of one tool, outside of any proxy: the request that it makes, and the result of an
//! answer.
//!
//! Requests are bound twice. What is shown comes from [`StandIns`], so it cannot hold a secret;
//! what is sent is bound again with the values, and is shown nowhere. An answer that repeats them
//! is shown through a [`Mask`].

mod curl;
#[cfg(feature = "dev")]
mod live;
mod mask;
mod print;
#[cfg(feature = "dev")]
mod send;

pub use curl::{command, unencoded_variables};
#[cfg(feature = "dev")]
pub use live::{Given, NoAnswer, NotReady, Ready};
pub use mask::Mask;
pub use print::{document, message as program_message, request, write_message, write_request, write_result};
#[cfg(feature = "dev")]
pub use send::{Auth, MAX_RESPONSE_BYTES, SendLimits, send};

use crate::exercise::placeholders::{Draft, StandIns};
use crate::exercise::rpc;
use crate::exercise::testing::{Outcome, shape_answer};
use crate::language::variables::{TextPart, Variable};
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{BindError, Request, Scratch, Values};
use mcp_bundle::plan::{Contents, Policy, ToolPlan, Upstream, VariableSite};
use mcp_bundle::shape::{self, Answer};
use mcp_bundle::template::Ambient;
use mcp_bundle::wire_enums::{CredentialKind, PartKind, Transport};

#[derive(Debug)]
pub struct Trial<'c> {
    pub contents: &'c Contents,
    pub plan: &'c ToolPlan,
    matchers: Matchers,
    stand_ins: StandIns,
    /// One for the whole trial: what is shown is what is sent.
    ambient: Ambient,
}

/// The values of the variables of a call.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Indexed like the bundle's variables; empty for those that the call does not need.
    variables: Vec<Box<str>>,
    tenant_id: Option<String>,
    principal_sub: Option<String>,
}

impl<'c> Trial<'c> {
    pub fn new(contents: &'c Contents, plan: &'c ToolPlan, ambient: Ambient) -> Trial<'c> {
        let (matchers, stand_ins) = (Matchers::new(contents), StandIns::new(contents));
        Trial { contents, plan, matchers, stand_ins, ambient }
    }

    /// The request with its variables unresolved.
    pub fn draft(&self, arguments: &str) -> Result<Draft, BindError> {
        let scratch = &mut Scratch::default();
        let draft = self.stand_ins.bind(
            self.contents,
            &self.matchers,
            self.plan,
            arguments,
            self.ambient,
            scratch,
        )?;
        Ok(match self.plan.mcp() {
            Some(plan) => message(self.contents.strings.get(plan.name), draft),
            None => draft,
        })
    }

    /// What the place calls the program that gets the message, for an MCP server over `stdio`.
    pub fn program(&self) -> Option<&'c str> {
        let server = self.contents.servers.get(self.plan.mcp()?.server as usize)?;
        Some(self.contents.strings.get(server.program?))
    }

    /// The request as it is sent.
    pub fn bind(&self, arguments: &str, secrets: &Secrets) -> Result<Request, BindError> {
        let values = Values {
            variables: Some(&secrets.variables),
            tenant_id: secrets.tenant_id.as_deref(),
            principal_sub: secrets.principal_sub.as_deref(),
            ambient: self.ambient,
        };
        let scratch = &mut Scratch::default();
        self.stand_ins.request(self.contents, &self.matchers, self.plan, arguments, &values, scratch)
    }

    /// The result that an MCP server gives, as its response; any other body as it is.
    pub fn body_of_answer(&self, body: Vec<u8>) -> (Vec<u8>, Option<u64>) {
        match self.plan.mcp() {
            Some(_) => (rpc::response(&body), Some(rpc::MESSAGE_ID)),
            None => (body, None),
        }
    }

    pub fn shape(&self, answer: &Answer<'_>) -> Outcome {
        let scratch = &mut shape::Scratch::default();
        shape_answer(self.contents, &self.matchers, self.plan, answer, &self.ambient, scratch, &mut ())
    }

    /// Looks up what a draft needs, and only that; the error names all that is missing.
    pub fn secrets(
        &self,
        draft: &Draft,
        environment: impl Fn(&str) -> Option<String>,
        tenant: Option<&str>,
        principal: Option<&str>,
    ) -> Result<Secrets, Vec<Variable>> {
        let mut secrets = Secrets {
            variables: Vec::new(),
            tenant_id: tenant.map(str::to_owned),
            principal_sub: principal.map(str::to_owned),
        };
        let needed = draft.variables();
        let of_credential = self.credential_variables();
        let mut missing = Vec::new();
        for name in self.contents.variable_names() {
            let is_needed = needed.iter().any(|v| matches!(v, Variable::Named(n) if n == name))
                || of_credential.iter().any(|needed| needed == name);
            let value = if is_needed { environment(name) } else { Some(String::new()) };
            if value.is_none() {
                missing.push(Variable::Named(name.to_owned()));
            }
            secrets.variables.push(value.unwrap_or_default().into_boxed_str());
        }
        for variable in needed {
            match variable {
                Variable::TenantId if tenant.is_none() => missing.push(Variable::TenantId),
                Variable::PrincipalSub if principal.is_none() => missing.push(Variable::PrincipalSub),
                _ => {}
            }
        }
        if missing.is_empty() { Ok(secrets) } else { Err(missing) }
    }

    /// The names of the variables that the credential of the upstream is made of.
    pub fn credential_variables(&self) -> Vec<String> {
        let uses = self.plan.variables(self.contents);
        let is_its = |site| matches!(site, VariableSite::Credential(_) | VariableSite::TokenOrigin(_));
        let its = uses.filter(|found| found.part.kind == PartKind::Variable && is_its(found.site));
        let name = |index: u32| self.contents.variable_names().nth(index as usize).map(str::to_owned);
        its.filter_map(|found| name(found.part.id)).collect()
    }

    /// Hides the values of variables in an answer.
    pub fn mask(&self, secrets: &Secrets) -> Mask {
        Mask::new(self.contents.variable_names().zip(secrets.variables.iter().map(|value| &**value)))
    }

    pub fn policy(&self) -> Option<&'c Policy> {
        self.contents.policies.get(self.plan.policy as usize)
    }

    /// What the edge adds to the request when it sends it, for people.
    pub fn credential_note(&self) -> Option<String> {
        let credential = self.contents.credential(self.plan.request()?.upstream)?;
        let names: Vec<String> =
            self.credential_variables().iter().map(|name| format!("`${{{name}}}`")).collect();
        let what = match credential.kind {
            CredentialKind::Basic => "a name and a password",
            CredentialKind::ClientCredentials => "a token of its token server",
            CredentialKind::Exchange => "a token that is exchanged for the caller's",
        };
        Some(format!("the edge adds a header `authorization` with {what}, by {}", names.join(", ")))
    }

    /// The values of the bundle's variables, in their order.
    pub fn values<'s>(&self, secrets: &'s Secrets) -> &'s [Box<str>] {
        &secrets.variables
    }

    /// What else is sent to an MCP server, for people.
    pub fn session_note(&self) -> Option<&'static str> {
        let server = self.contents.servers.get(self.plan.mcp()?.server as usize)?;
        Some(match server.transport {
            Transport::Http => "the edge opens a session first, if the server wants one",
            Transport::Sse => "the edge opens the stream first; the server says there where messages go",
            Transport::Stdio => return None,
        })
    }

    /// `None` for a fixed answer.
    pub fn upstream(&self) -> Option<&'c Upstream> {
        self.contents.upstreams.get(self.plan.request()?.upstream as usize)
    }
}

/// The message to an MCP server that a request with the arguments alone stands for.
fn message(tool: &str, draft: Draft) -> Draft {
    let accept = TextPart::Literal("application/json, text/event-stream".to_owned());
    let mut headers = draft.headers;
    headers.push(("accept".to_owned(), vec![accept]));
    Draft { headers, body: Some(rpc::call(tool, draft.body)), ..draft }
}
