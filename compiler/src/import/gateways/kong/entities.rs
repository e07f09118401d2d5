//! Services, routes and plugins of a declarative configuration, nested or by reference.

use crate::language::json::Json;

pub const PLUGIN: &str = "ai-mcp-proxy";

#[derive(Default)]
pub struct Entities<'d> {
    services: Vec<&'d Json>,
    /// Each with its service.
    pub routes: Vec<(&'d Json, Option<&'d Json>)>,
    /// Those that convert tools.
    pub plugins: Vec<Plugin<'d>>,
    others: Vec<Plugin<'d>>,
}

pub struct Plugin<'d> {
    pub place: String,
    pub value: &'d Json,
    pub service: Option<&'d Json>,
    pub route: Option<&'d Json>,
}

impl Plugin<'_> {
    pub fn service_name(&self) -> Option<&str> {
        self.service?.get("name")?.as_str()
    }

    pub fn route_name(&self) -> Option<&str> {
        self.route?.get("name")?.as_str()
    }
}

impl<'d> Entities<'d> {
    pub fn of(document: &'d Json) -> Entities<'d> {
        let mut all = Entities::default();
        for (number, service) in list(document, "services") {
            all.services.push(service);
            let place = format!("/services/{number}");
            all.add_routes(service, Some(service), &place);
            all.add_plugins(service, Some(service), None, &place);
        }
        all.add_routes(document, None, "");
        all.add_plugins(document, None, None, "");
        all
    }

    fn add_routes(&mut self, holder: &'d Json, service: Option<&'d Json>, place: &str) {
        for (number, route) in list(holder, "routes") {
            let service = service.or_else(|| self.service(route.get("service")?));
            self.routes.push((route, service));
            self.add_plugins(route, service, Some(route), &format!("{place}/routes/{number}"));
        }
    }

    fn add_plugins(
        &mut self,
        holder: &'d Json,
        service: Option<&'d Json>,
        route: Option<&'d Json>,
        place: &str,
    ) {
        for (number, value) in list(holder, "plugins") {
            let route = route.or_else(|| self.route(value.get("route")?));
            let of_route = route.and_then(|route| {
                self.routes
                    .iter()
                    .find(|(known, _)| std::ptr::eq(*known, route))
                    .and_then(|(_, service)| *service)
            });
            let service = service.or(of_route).or_else(|| self.service(value.get("service")?));
            let plugin = Plugin { place: format!("{place}/plugins/{number}"), value, service, route };
            let is_off = value.get("enabled") == Some(&Json::Bool(false));
            match value.get("name").and_then(Json::as_str) {
                Some(PLUGIN) if !is_off => self.plugins.push(plugin),
                Some(_) if !is_off => self.others.push(plugin),
                _ => {}
            }
        }
    }

    /// A service by its name or id, or by an object that has one.
    fn service(&self, reference: &Json) -> Option<&'d Json> {
        self.services.iter().copied().find(|service| is_named(service, reference))
    }

    fn route(&self, reference: &Json) -> Option<&'d Json> {
        self.routes.iter().map(|(route, _)| *route).find(|route| is_named(route, reference))
    }

    /// Names of the other plugins that calls through a plugin pass.
    pub fn other_plugins<'s>(&'s self, plugin: &'s Plugin<'d>) -> impl Iterator<Item = &'d str> + 's {
        let same = |a: Option<&Json>, b: Option<&Json>| match (a, b) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            (None, _) => true,
            (Some(_), None) => false,
        };
        let all = self
            .others
            .iter()
            .filter(move |other| same(other.service, plugin.service) && same(other.route, plugin.route));
        all.filter_map(|other| other.value.get("name")?.as_str())
    }

    /// The route that a path of the gateway takes, with its service and the prefix that it matches.
    pub fn route_of(
        &self,
        path: &str,
        first: Option<&'d Json>,
    ) -> Option<(&'d Json, Option<&'d Json>, String)> {
        let own =
            self.routes.iter().filter(|(route, _)| first.is_some_and(|first| std::ptr::eq(first, *route)));
        let matching = own.chain(&self.routes).filter_map(|(route, service)| {
            let fits = |prefix: &&str| path.strip_prefix(*prefix).is_some();
            let prefix = paths(route).filter(fits).max_by_key(|prefix| prefix.len())?;
            Some((*route, *service, prefix.to_owned()))
        });
        // The first of the longest: `max_by_key` would give the last.
        matching.reduce(|best, other| if other.2.len() > best.2.len() { other } else { best })
    }
}

/// The paths of a route that are fixed beginnings; `~` begins a pattern.
pub fn paths(route: &Json) -> impl Iterator<Item = &str> {
    let all = route.get("paths").and_then(Json::as_array).unwrap_or_default();
    all.iter().filter_map(Json::as_str).filter(|path| path.starts_with('/'))
}

fn list<'d>(holder: &'d Json, name: &str) -> impl Iterator<Item = (usize, &'d Json)> + use<'d> {
    holder.get(name).and_then(Json::as_array).unwrap_or_default().iter().enumerate()
}

fn is_named(entity: &Json, reference: &Json) -> bool {
    let text = |key: &str| reference.get(key).and_then(Json::as_str);
    let wanted = reference.as_str().or_else(|| text("name")).or_else(|| text("id"));
    let own = ["name", "id"].into_iter().filter_map(|key| entity.get(key)?.as_str());
    wanted.is_some_and(|wanted| own.into_iter().any(|own| own == wanted))
}

/// `https://host:port/path` of a service, without a slash at its end.
pub fn service_url(service: &Json) -> Option<String> {
    let text = |key: &str| service.get(key).and_then(Json::as_str);
    if let Some(url) = text("url") {
        return Some(url.trim_end_matches('/').to_owned());
    }
    let protocol = text("protocol").unwrap_or("http");
    let port = service.get("port").and_then(Json::as_number).unwrap_or(if protocol == "https" {
        "443"
    } else {
        "80"
    });
    let usual = matches!((protocol, port), ("http", "80") | ("https", "443"));
    let port = if usual { String::new() } else { format!(":{port}") };
    Some(format!(
        "{protocol}://{}{port}{}",
        text("host")?,
        text("path").unwrap_or_default().trim_end_matches('/')
    ))
}
