//! Calls whose answers are used again.

use super::failure::CallFailure;
use super::{PendingCall, Work, buffers};
use crate::cache::{CacheKey, Found, KeptAnswer, KeyParts};
use crate::catalog::CacheRules;
use crate::runtime::deadline::{Elapsed, until};
use crate::serving::shared::Shared;
use crate::upstream::UpstreamError;
use mcp_bundle::wire_enums::CredentialKind;
use std::pin::pin;
use std::sync::Arc;

impl<'a> PendingCall<'a> {
    /// Uses an answer that is kept, or asks for one that others can use, too.
    pub(super) async fn find_or_send(&mut self, rules: &'a CacheRules) {
        let Some(key) = self.cache_key(rules) else { return self.send().await };
        let shared: &'a Shared = self.context.shared;
        let (timeout, deadline) = self.time();
        match until(deadline, pin!(shared.cache.find(&key, rules))).await {
            Ok(Found::Hit { answer, stale }) => self.reuse(answer, stale),
            Ok(Found::Alone) => self.send().await,
            Ok(Found::Flight(flight)) => {
                self.flight = Some(flight);
                self.send().await;
                self.use_stale();
            }
            Err(Elapsed) => {
                self.fail(CallFailure::Upstream(UpstreamError::timeout(timeout)));
            }
        }
    }

    /// If the upstream failed, an answer of before may serve.
    fn use_stale(&mut self) {
        let failed = match &self.work {
            Work::Shape(buffers) => matches!(buffers.received.status, 500 | 502..=504),
            Work::Explain(failure, _) => !matches!(failure, CallFailure::InvalidArguments(_)),
            Work::Send(_) | Work::Reuse(..) | Work::Nothing => false,
        };
        match self.flight.take_if(|_| failed).map(|flight| flight.stale()) {
            Some(Ok(answer)) => self.reuse(answer, true),
            Some(Err(flight)) => self.flight = Some(Box::new(flight)),
            None => {}
        }
    }

    fn cache_key(&self, rules: &CacheRules) -> Option<CacheKey> {
        let Work::Send(buffers) = &self.work else { return None };
        let contents = &self.context.view.catalog().contents;
        let index = self.tool.upstream()?;
        let upstream = contents.upstreams.get(index as usize)?;
        // A tenant's own variables may be part of a credential, which is not part of the request.
        let is_shared = rules.shared && self.context.view.variables().is_none();
        let credential = contents.credential(index);
        let is_exchanged = credential.is_some_and(|own| own.kind == CredentialKind::Exchange);
        let text = |id| contents.strings.get(id);
        let caller = &self.context.request.caller;
        Some(CacheKey::of(&KeyParts {
            tool: self.tool.name(),
            origin: (upstream.scheme.tag(), text(upstream.host), upstream.port),
            authority: text(upstream.authority),
            max_response: self.max_response(),
            tenant: (!is_shared).then(|| caller.tenant()),
            token: caller.token().filter(|_| is_exchanged).map(|token| &**token),
            request: &buffers.request,
        }))
    }

    /// A kept answer takes the place of the upstream's.
    fn reuse(&mut self, answer: Arc<KeptAnswer>, stale: bool) {
        let buffers = match std::mem::replace(&mut self.work, Work::Nothing) {
            Work::Send(buffers) | Work::Shape(buffers) | Work::Reuse(.., buffers) => Some(buffers),
            Work::Explain(_, buffers) => buffers,
            Work::Nothing => None,
        };
        self.work = Work::Reuse(answer, stale, buffers.unwrap_or_else(buffers::take));
    }
}
