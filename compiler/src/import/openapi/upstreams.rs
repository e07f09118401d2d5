//! Upstreams: one for each server and each way to show who calls.

use super::security::{Credentials, Scheme};
use super::servers::{Server, origin};
use crate::import::draft::{DraftAuth, DraftUpstream};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub struct Upstreams {
    base: String,
    all: Vec<Upstream>,
    /// Where each variable is sent. A secret reaches one host only.
    origins: BTreeMap<String, String>,
}

#[derive(Debug)]
struct Upstream {
    server: Server,
    /// As the document has them.
    asked: Credentials,
    credentials: Credentials,
    scopes: BTreeSet<String>,
}

impl Upstreams {
    pub fn new(base: &str) -> Upstreams {
        Upstreams { base: base.to_owned(), ..Upstreams::default() }
    }

    /// The number of the upstream for a server and credentials.
    pub fn number(&mut self, server: Server, asked: Credentials, scopes: BTreeSet<String>) -> usize {
        let known = self.all.iter().position(|one| one.server == server && one.asked == asked);
        let number = known.unwrap_or_else(|| {
            let mut credentials = asked.clone();
            for variable in credentials.auth.iter_mut().flat_map(Scheme::variables) {
                *variable = self.own_variable(variable, &server);
            }
            for (_, _, variable) in &mut credentials.keys {
                *variable = self.own_variable(variable, &server);
            }
            self.all.push(Upstream { server, asked, credentials, scopes: BTreeSet::new() });
            self.all.len() - 1
        });
        if let Some(one) = self.all.get_mut(number) {
            one.scopes.extend(scopes);
        }
        number
    }

    /// A variable that is sent to no other host.
    pub fn own_variable(&mut self, wanted: &str, server: &Server) -> String {
        let place = origin(&server.url).to_owned();
        let mut name = wanted.to_owned();
        let mut number = 1;
        while self.origins.get(&name).is_some_and(|other| *other != place) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        self.origins.insert(name.clone(), place);
        name
    }

    pub fn name(&self, number: usize) -> String {
        if number == 0 { self.base.clone() } else { format!("{}_{}", self.base, number + 1) }
    }

    /// Values that the tools of an upstream send: name, place, variable.
    pub fn keys(&self, number: usize) -> &[(String, &'static str, String)] {
        self.all.get(number).map(|one| one.credentials.keys.as_slice()).unwrap_or_default()
    }

    /// The header or the query parameter that `auth` sends.
    pub fn sends(&self, number: usize, position: &str, name: &str) -> bool {
        match self.all.get(number).and_then(|one| one.credentials.auth.as_ref()) {
            Some(Scheme::ApiKey { name: own, in_query: true, .. }) => position == "query" && own == name,
            Some(Scheme::ApiKey { name: own, .. }) => position == "header" && own.eq_ignore_ascii_case(name),
            Some(_) => position == "header" && name.eq_ignore_ascii_case("authorization"),
            None => false,
        }
    }

    /// The drafts of those that tools use; `bearer` is for APIs whose document says nothing of credentials.
    pub fn drafts(&self, used: &BTreeSet<usize>, bearer: Option<&str>) -> Vec<DraftUpstream> {
        let each =
            self.all.iter().enumerate().filter(|(number, _)| used.contains(number)).map(|(number, one)| {
                let auth = one.credentials.auth.as_ref().map(|scheme| scheme.draft(&one.scopes));
                let given = bearer.map(|variable| DraftAuth::Bearer { token: format!("${{{variable}}}") });
                DraftUpstream {
                    name: self.name(number),
                    url: one.server.url.clone(),
                    auth: given.or(auth),
                    ..DraftUpstream::default()
                }
            });
        each.collect()
    }
}
