//! Upstreams of tools: one for each origin and way to prove who calls.

use super::url::Origin;
use crate::import::draft::{DraftAuth, DraftSpec, DraftTool, DraftUpstream};
use crate::language::names;
use std::collections::BTreeSet;

/// The upstreams that tools were given so far.
#[derive(Debug, Default)]
pub struct Upstreams {
    all: Vec<(Origin, Option<DraftAuth>, DraftUpstream)>,
}

impl Upstreams {
    /// The name of the upstream of an origin. `url` is what a relative one becomes.
    pub fn of(&mut self, origin: &Origin, auth: Option<&DraftAuth>, fallback: &str, url: &str) -> String {
        let known = self.all.iter().find(|(known, with, _)| known == origin && with.as_ref() == auth);
        if let Some((.., upstream)) = known {
            return upstream.name.clone();
        }
        let url = match origin {
            Origin::Absolute(url) => url.clone(),
            Origin::Relative => url.to_owned(),
        };
        let name = self.free_name(&host_name(&url).unwrap_or_else(|| fallback.to_owned()));
        let upstream =
            DraftUpstream { name: name.clone(), url, auth: auth.cloned(), ..DraftUpstream::default() };
        self.all.push((origin.clone(), auth.cloned(), upstream));
        name
    }

    fn free_name(&self, wanted: &str) -> String {
        let taken: BTreeSet<&str> = self.all.iter().map(|(.., upstream)| upstream.name.as_str()).collect();
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        std::iter::once(wanted.to_owned())
            .chain(numbered)
            .find(|name| !taken.contains(name.as_str()))
            .unwrap_or_else(|| wanted.to_owned())
    }

    /// Adds the upstreams to a spec. Headers that all tools of one have alike become headers of the upstream.
    pub fn finish(self, spec: &mut DraftSpec) {
        for (.., mut upstream) in self.all {
            let mut tools: Vec<&mut DraftTool> = spec
                .tools
                .iter_mut()
                .filter(|tool| tool.upstream.as_deref() == Some(&upstream.name))
                .collect();
            let Some((first, others)) = tools.split_first_mut() else { continue };
            let shared: Vec<(String, String)> = first
                .headers
                .iter()
                .filter(|header| {
                    !header.1.contains("{{") && others.iter().all(|tool| tool.headers.contains(header))
                })
                .cloned()
                .collect();
            for tool in tools {
                tool.headers.retain(|header| !shared.contains(header));
            }
            upstream.headers = shared;
            spec.upstreams.push(upstream);
        }
    }
}

/// `api_example` for `https://api.example.com`.
fn host_name(url: &str) -> Option<String> {
    let host = url.split("://").nth(1)?.split([':', '/']).next()?;
    let name = host.rsplit_once('.').map_or(host, |(name, _)| name);
    if host.contains("${") { None } else { names::spec_name(name.trim_start_matches("www.")) }
}
