//! One call of one tool, outside of any proxy: the request that it makes, and the result of an
//! answer.
//!
//! Requests are bound twice. What is shown comes from [`StandIns`], so it cannot hold a secret;
//! what is sent is bound again with the values, and is shown nowhere. An answer that repeats them
//! is shown through a [`Mask`].

mod curl;
mod mask;
mod print;
#[cfg(feature = "dev")]
mod send;

pub use curl::{command, unencoded_variables};
pub use mask::Mask;
pub use print::{document, request, write_request, write_result};
#[cfg(feature = "dev")]
pub use send::{MAX_RESPONSE_BYTES, SendLimits, send};

use crate::exercise::placeholders::{Draft, StandIns};
use crate::exercise::testing::{Outcome, shape_answer};
use crate::language::variables::Variable;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{BindError, Request, Scratch, Values};
use mcp_bundle::plan::{Contents, Policy, ToolPlan, Upstream};
use mcp_bundle::shape::{self, Answer};
use mcp_bundle::template::Ambient;

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
        self.stand_ins.bind(self.contents, &self.matchers, self.plan, arguments, self.ambient, scratch)
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
        let mut missing = Vec::new();
        for name in self.contents.variable_names() {
            let is_needed = needed.iter().any(|v| matches!(v, Variable::Named(n) if n == name));
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

    /// Hides the values of variables in an answer.
    pub fn mask(&self, secrets: &Secrets) -> Mask {
        Mask::new(self.contents.variable_names().zip(secrets.variables.iter().map(|value| &**value)))
    }

    pub fn policy(&self) -> Option<&'c Policy> {
        self.contents.policies.get(self.plan.policy as usize)
    }

    /// `None` for a fixed answer.
    pub fn upstream(&self) -> Option<&'c Upstream> {
        self.contents.upstreams.get(self.plan.http()?.upstream as usize)
    }
}
