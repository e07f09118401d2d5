//! Answers that are used again, of tools whose spec says so.
//!
//! What is kept is the upstream's answer and not the result: a result differs by protocol revision and holds what templates say
//! about the time, and a bundle that shapes answers differently takes effect at once. Nothing is kept that did not become a
//! good result.
//!
//! The key is the request as it is sent, byte for byte, with its origin and, unless the spec says `shared`, its tenant. So
//! whatever a bundle or a tenant's variables change about a request gives another key, and what is not asked for any more is
//! evicted in time.
//!
//! Of calls with the same key one asks the upstream, and the others wait for it. If it is cancelled, another takes over. If it
//! fails, all that waited ask for themselves: an error is never kept.

mod key;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use key::{CacheKey, KeyParts};
pub(crate) use store::{AnswerCache, CacheStats, Flight, Found, KeptAnswer};

use crate::catalog::CacheRules;
