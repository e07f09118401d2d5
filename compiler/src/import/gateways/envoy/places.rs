//! Where Envoy sends a path: the routes of the document and their clusters.

use super::super::milliseconds;
use super::ONE_ENDPOINT;
use crate::import::Ledger;
use crate::language::json::Json;
use std::cell::RefCell;

pub struct Places<'d> {
    /// In their order, which decides.
    routes: Vec<&'d Json>,
    clusters: Vec<&'d Json>,
    /// What a place was made of.
    used: RefCell<Vec<&'d Json>>,
}

/// Where a path goes.
pub struct Place {
    pub url: String,
    pub name: String,
    pub timeout_ms: Option<u64>,
    /// The beginning of a path, and what it becomes.
    pub rewrite: Option<(String, String)>,
}

impl<'d> Places<'d> {
    pub fn of(document: &'d Json) -> Places<'d> {
        let mut places = Places { routes: Vec::new(), clusters: Vec::new(), used: RefCell::default() };
        places.collect(document);
        places
    }

    fn collect(&mut self, value: &'d Json) {
        match value {
            Json::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Json::Object(members) => {
                for (key, member) in members {
                    let items = member.as_array().unwrap_or_default();
                    match key.as_str() {
                        "routes" => {
                            self.routes.extend(items.iter().filter(|item| item.get("match").is_some()));
                        }
                        "clusters" => self.clusters.extend(items),
                        _ => {}
                    }
                    self.collect(member);
                }
            }
            _ => {}
        }
    }

    pub fn find(&self, path: &str) -> Option<Place> {
        let (route, action, matched) = self.routes.iter().find_map(|route| {
            let action = route.get("route")?;
            let condition = route.get("match")?;
            let text = |key: &str| condition.get(key).and_then(Json::as_str);
            let prefix = text("prefix")
                .or_else(|| text("path_separated_prefix"))
                .filter(|prefix| path.starts_with(prefix));
            let matched = prefix.or_else(|| text("path").filter(|exact| *exact == path))?;
            Some((route, action, matched))
        })?;
        let cluster = self.cluster(action.get("cluster").and_then(Json::as_str)?)?;
        let of_action =
            ["cluster", "prefix_rewrite", "host_rewrite_literal", "timeout"].map(|key| action.get(key));
        let of_cluster = ["name", "load_assignment", "transport_socket"].map(|key| cluster.get(key));
        let used = [route.get("match")].into_iter().chain(of_action).chain(of_cluster);
        self.used.borrow_mut().extend(used.flatten());
        let rewrite = action.get("prefix_rewrite").and_then(Json::as_str);
        let timeout = action.get("timeout").and_then(Json::as_str);
        let name =
            cluster.get("name").and_then(Json::as_str).or_else(|| route.get("name").and_then(Json::as_str));
        Some(Place {
            url: url(cluster, action)?,
            name: name.unwrap_or("api").to_owned(),
            timeout_ms: timeout.and_then(|text| milliseconds(text.trim_end_matches('s'))),
            rewrite: rewrite
                .filter(|rewrite| *rewrite != matched)
                .map(|rewrite| (matched.to_owned(), rewrite.to_owned())),
        })
    }

    fn cluster(&self, name: &str) -> Option<&'d Json> {
        self.clusters.iter().copied().find(|cluster| cluster.get("name").and_then(Json::as_str) == Some(name))
    }

    /// Says which parts of the document became places, and what of the clusters a spec cannot have.
    pub fn mark(&self, ledger: &Ledger<'_>) {
        self.used.borrow().iter().for_each(|value| ledger.keep(value));
        for cluster in &self.clusters {
            if addresses(cluster).nth(1).is_some()
                && let Some(assignment) = cluster.get("load_assignment")
            {
                let why = "the first endpoint is the place of the upstream; put a load balancer there, or a name that resolves to all";
                ledger.change(assignment, &ONE_ENDPOINT, why);
            }
        }
    }
}

fn addresses(cluster: &Json) -> impl Iterator<Item = &Json> {
    fn list(value: Option<&Json>) -> std::slice::Iter<'_, Json> {
        value.and_then(Json::as_array).unwrap_or_default().iter()
    }
    let groups = list(cluster.get("load_assignment").and_then(|assignment| assignment.get("endpoints")));
    let endpoints = groups.flat_map(|group| list(group.get("lb_endpoints")));
    endpoints.filter_map(|endpoint| endpoint.get("endpoint")?.get("address")?.get("socket_address"))
}

/// The place of a cluster's first endpoint. With TLS, the name that the certificate is for.
fn url(cluster: &Json, action: &Json) -> Option<String> {
    let address = addresses(cluster).next()?;
    let port = address.get("port_value").and_then(Json::as_number)?;
    let text = |value: Option<&'_ Json>| value.and_then(Json::as_str).map(str::to_owned);
    let socket = cluster.get("transport_socket");
    let sni = text(socket.and_then(|socket| socket.get("typed_config")?.get("sni")));
    let rewritten = text(action.get("host_rewrite_literal"));
    let host = rewritten.or(sni).or_else(|| text(address.get("address")))?;
    // A literal may have a port of its own.
    let host = if host.contains(':') && !host.contains('.') { format!("[{host}]") } else { host };
    Some(match socket {
        Some(_) if port == "443" => format!("https://{host}"),
        Some(_) => format!("https://{host}:{port}"),
        None if port == "80" => format!("http://{host}"),
        None => format!("http://{host}:{port}"),
    })
}
