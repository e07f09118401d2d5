//! What an API gets.

use super::{Side, each_change, from_to, short};
use crate::diff::Changes;
use crate::diff::rules::request;
use mcp_bundle::plan::{Backend, Credential};
use mcp_bundle::wire_enums::{BodyKind, Scheme};

pub fn compare(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let kind = |side: &Side<'_>| match &side.plan.backend {
        Backend::Mcp(_) => "a tool of an MCP server",
        Backend::Http(_) => "an HTTP request",
        Backend::Fixed(_) => "a fixed answer",
        Backend::Arguments(_) => "an answer made of the arguments",
    };
    let (was, now) = (kind(old), kind(new));
    if was != now {
        changes.add(&request::BACKEND_CHANGED, format!("is {now}, was {was}"));
        return;
    }
    host(old, new, changes);
    parameters(old, new, changes);
    let (Some(before), Some(after)) = (old.plan.request(), new.plan.request()) else { return };
    if before.method != after.method {
        changes.add(&request::METHOD_CHANGED, format!("sends {}, sent {}", after.method, before.method));
    }
    let [was, now] = [(old, before), (new, after)].map(|(side, http)| side.parts(&http.path));
    if was != now {
        let message = format!("the path is `{}`, was `{}`", short(&now), short(&was));
        changes.add(&request::PATH_CHANGED, message);
    }
    if before.body.kind != after.body.kind {
        let word = |kind: BodyKind| if kind == BodyKind::None { "none" } else { kind.as_str() };
        let message = format!("the body is {}, was {}", word(after.body.kind), word(before.body.kind));
        changes.add(&request::BODY_KIND_CHANGED, message);
    }
    let lists = [
        (&request::QUERY_CHANGED, "query parameter", old.fixed(&before.query), new.fixed(&after.query)),
        (&request::HEADER_CHANGED, "header", old.fixed(&before.headers), new.fixed(&after.headers)),
        (&request::COOKIE_CHANGED, "cookie", old.fixed(&before.cookies), new.fixed(&after.cookies)),
        (&request::BODY_CHANGED, "body member", old.fixed_body(before), new.fixed_body(after)),
    ];
    for (rule, what, was, now) in &lists {
        each_change(was, now, |name, was, now| {
            let change = from_to(was.map(String::as_str), now.map(String::as_str));
            changes.add(rule, format!("the fixed {what} `{}` {change}", short(name)));
        });
    }
    each_change(&old.request_templates(), &new.request_templates(), |place, was, now| {
        let how = match (was, now) {
            (Some(_), Some(_)) => "is another one",
            (None, _) => "is new",
            (_, None) => "is gone",
        };
        changes.add(&request::REQUEST_TEMPLATE_CHANGED, format!("the template of {place} {how}"));
    });
    let [was, now] = [old, new].map(credential);
    if was != now {
        let how = match (&was, &now) {
            (Some(_), Some(_)) => "is another one",
            (None, _) => "is new",
            (_, None) => "is gone",
        };
        changes.add(&request::CREDENTIAL_CHANGED, format!("the credential {how}"));
        for (when, credential) in [("now", now), ("before", was)] {
            if let Some(credential) = credential {
                changes.note(format!("{when}: {credential}"));
            }
        }
    }
}

fn host(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let origin = |side: &Side<'_>| {
        // A program has no host; what it is called is compared elsewhere.
        let upstream = side.upstream().filter(|upstream| upstream.scheme != Scheme::Stdio)?;
        Some(side.contents.origin_text(upstream))
    };
    if let (Some(was), Some(now)) = (origin(old), origin(new))
        && was != now
    {
        let change = changes.add(&request::HOST_CHANGED, format!("goes to `{now}`, went to `{was}`"));
        if was.starts_with("https:") && now.starts_with("http:") {
            change.note("without TLS, everyone on the way can read and change it");
        }
    }
}

/// Where the parameters go that both have.
fn parameters(old: &Side<'_>, new: &Side<'_>, changes: &mut Changes) {
    let (mut was, mut now) = (old.places(), new.places());
    let before = old.parameters();
    for (name, at) in new.parameters() {
        let Some(then) = before.get(name) else { continue };
        let styles = [(old, *then), (new, at)]
            .map(|(side, at)| side.plan.parameters.get(at).map(|parameter| parameter.style));
        let (was, now) = (was.remove(then), now.remove(&at));
        let position = |place: &Option<crate::diff::side::Place>| {
            place.as_ref().map_or("template", |place| place.position)
        };
        let (from, to) = (position(&was), position(&now));
        if from != to {
            let message = format!("argument `{name}` goes to {}, went to {}", the(to), the(from));
            changes.add(&request::POSITION_CHANGED, message);
            continue;
        }
        let wire =
            |place: Option<crate::diff::side::Place>| place.map(|place| place.name).unwrap_or_default();
        let (was, now) = (wire(was), wire(now));
        if was != now {
            let called = |name: &str| match name {
                "" => "the body itself".to_owned(),
                name => format!("`{}`", short(name)),
            };
            let message = format!("argument `{name}` is {} in the {to}, was {}", called(&now), called(&was));
            changes.add(&request::WIRE_NAME_CHANGED, message);
        }
        if let [Some(was), Some(now)] = styles
            && was != now
        {
            let message = format!("argument `{name}` is written in style `{now}`, was in `{was}`");
            changes.add(&request::STYLE_CHANGED, message);
        }
    }
}

/// A position in a sentence.
fn the(position: &str) -> String {
    match position {
        "template" => "a template".to_owned(),
        "header" | "cookie" => format!("a {position}"),
        position => format!("the {position}"),
    }
}

/// How the edge shows the API who it is, without secrets: a bundle has only their names.
fn credential(side: &Side<'_>) -> Option<String> {
    let http = side.plan.request()?;
    let Credential { kind, name, secret, server, .. } = side.contents.credential(http.upstream)?;
    let mut text = format!("{kind} {} {}", side.parts(name), side.parts(secret));
    if let Some(server) = server {
        let place = side.contents.upstreams.get(server.upstream as usize);
        let origin = place.map(|place| side.contents.origin_text(place)).unwrap_or_default();
        let scopes: Vec<&str> = server.scopes.iter().map(|scope| side.text(*scope)).collect();
        text.push_str(&format!(
            " from {origin}{} ({}), scopes [{}], audience `{}`",
            side.text(server.target),
            server.client_auth,
            scopes.join(" "),
            side.parts(&server.audience)
        ));
    }
    Some(text)
}
