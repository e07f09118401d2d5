//! Limits that edges share, on real Redis servers: one, a cluster, a service of sentinels, with TLS, and when they fail.
//!
//! Where there is no `redis-server`, each test says so and does nothing; `tests/redis/install` gets one.
#![cfg(feature = "redis")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "what fails here fails the test"
)]

mod edges;
mod process;
mod redis;
mod stores;

use std::time::Duration;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(30);
