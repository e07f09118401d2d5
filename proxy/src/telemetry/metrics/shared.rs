//! Limits that edges share, and their store.

use super::expose::{counter, encode_counter, gauge};
use crate::limits::shared::{CountStats, SharedStats};
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use std::fmt::Error;

pub(super) fn encode(encoder: &mut DescriptorEncoder<'_>, stats: &SharedStats) -> Result<(), Error> {
    let SharedStats { is_up, edges, leases, in_hand, counts } = *stats;
    let CountStats { leased, returned, wasted, answered, failed, waited } = counts;
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    gauge(encoder, "shared_store_up", "1 while the store of shared limits answers", i64::from(is_up))?;
    gauge(encoder, "shared_edges", "Edges that share limits", edges.into())?;
    gauge(encoder, "shared_leases", "Shared limits that this edge holds something of", number(leases))?;
    gauge(encoder, "shared_in_hand", "Calls and places of shared limits in hand", number(in_hand))?;
    counter(encoder, "shared_leased", "Calls of shared rates that the store gave to this edge", leased)?;
    counter(encoder, "shared_returned", "Of those, given back without use", returned)?;
    counter(encoder, "shared_wasted", "Of those, lost because the store was away", wasted)?;
    let help = "Questions to the store, by whether there was an answer";
    let mut metric = encoder.encode_descriptor("shared_operations", help, None, MetricType::Counter)?;
    for (outcome, count) in [("ok", answered), ("failed", failed)] {
        encode_counter(&mut metric.encode_family(&[("outcome", outcome)])?, count)?;
    }
    let help = "Time that questions to the store took";
    let seconds = Unit::Seconds;
    let mut metric =
        encoder.encode_descriptor("shared_operation", help, Some(&seconds), MetricType::Counter)?;
    metric.encode_counter::<NoLabelSet, _, u64>(&waited.as_secs_f64(), None)
}
