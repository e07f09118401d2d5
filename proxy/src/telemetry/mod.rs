//! What operators see of the calls: logs and metrics.

pub mod logging;
pub mod metrics;
