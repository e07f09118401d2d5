//! What operators see of the calls: logs and metrics.

pub mod audit;
pub mod logging;
pub mod metrics;
pub mod recent;
