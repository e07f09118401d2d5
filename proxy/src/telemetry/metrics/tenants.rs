//! Calls and refusals by tenant. There may be tens of thousands of tenants, and each label is a series to store, so only so many
//! have one: those that called first. The rest are counted together.

use super::expose::encode_counter;
use crate::observe::counts::CallCounts;
use crate::observe::record::Outcome;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(super) struct Tenants {
    pub(super) calls: CallCounts,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// How often each tenant was refused.
    refused: BTreeMap<Box<str>, u64>,
    labelled: BTreeSet<String>,
    most_labels: usize,
}

/// The label of those without one of their own.
const OTHER: &str = "other";

impl Tenants {
    /// These are the tenants; others are forgotten.
    pub(super) fn know<'a>(&self, names: impl Iterator<Item = &'a str>, most_labels: usize) {
        let mut known = self.lock();
        let before = std::mem::take(&mut known.refused);
        known.refused =
            names.map(|name| (name.into(), before.get(name).copied().unwrap_or_default())).collect();
        let Known { refused, labelled, .. } = &mut *known;
        self.calls.retain(|name| refused.contains_key(name));
        labelled.retain(|name| refused.contains_key(name.as_str()));
        while labelled.len() > most_labels && labelled.pop_last().is_some() {}
        known.most_labels = most_labels;
    }

    /// A message of a tenant was refused.
    pub(super) fn refused(&self, tenant: &str) {
        if let Some(count) = self.lock().refused.get_mut(tenant) {
            *count += 1;
        }
    }

    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let mut known = self.lock();
        if known.most_labels == 0 || known.refused.is_empty() {
            return Ok(());
        }
        let mut calls: BTreeMap<(String, &'static str), u64> = BTreeMap::new();
        self.calls.each(|name, outcome: Outcome, count| {
            *calls.entry((known.label(name), outcome.as_str())).or_default() += count;
            Ok::<(), Error>(())
        })?;
        let mut refusals: BTreeMap<String, u64> = BTreeMap::new();
        let refused: Vec<(Box<str>, u64)> = known
            .refused
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(name, count)| (name.clone(), *count))
            .collect();
        for (name, count) in refused {
            *refusals.entry(known.label(&name)).or_default() += count;
        }
        drop(known);
        let help = "Finished calls by tenant and outcome";
        let mut metric = encoder.encode_descriptor("tenant_calls", help, None, MetricType::Counter)?;
        for ((tenant, outcome), count) in &calls {
            let labels = [("tenant", tenant.as_str()), ("outcome", outcome)];
            encode_counter(&mut metric.encode_family(&labels)?, *count)?;
        }
        let help = "Requests of tenants that were refused before they reached a tool";
        let mut metric = encoder.encode_descriptor("tenant_refused", help, None, MetricType::Counter)?;
        for (tenant, count) in &refusals {
            encode_counter(&mut metric.encode_family(&[("tenant", tenant.as_str())])?, *count)?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// A tenant keeps its label as long as it is one.
    fn label(&mut self, name: &str) -> String {
        if !self.labelled.contains(name) {
            if self.labelled.len() >= self.most_labels {
                return OTHER.to_owned();
            }
            self.labelled.insert(name.to_owned());
        }
        name.to_owned()
    }
}
