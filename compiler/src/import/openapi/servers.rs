//! Where an API is: servers with their variables as URLs of upstreams.

use super::Refusal;
use super::api::{Api, Version};
use super::codes;
use super::operations::Operation;
use crate::language::json::Json;
use crate::language::names::variable;
use mcp_bundle::origin::is_possible;

/// The URL of an upstream.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Server {
    pub url: String,
}

/// The server of an operation: its own, its path's, or the document's.
pub fn of_operation(
    api: &Api<'_>,
    operation: &Operation<'_>,
    base: &str,
    override_url: Option<&str>,
) -> Result<Server, Refusal> {
    if api.version == Version::Swagger2 {
        let own = operation.node.get("schemes");
        own.inspect(|own| api.ledger.keep(own));
        return match override_url {
            Some(url) => Ok(Server { url: trimmed(url) }),
            None => of_swagger(api, own, base),
        };
    }
    let homes = [operation.node, operation.item, api.root];
    let list = homes.into_iter().find_map(|home| {
        let list = home.get("servers")?.as_array().filter(|list| !list.is_empty())?;
        home.get("servers").inspect(|servers| api.ledger.open(servers));
        Some(list)
    });
    let (first, others) = match list.and_then(<[_]>::split_first) {
        Some((first, others)) => (Some(first), others),
        None => (None, [].as_slice()),
    };
    for other in others {
        let why = "tools are sent to the first server; change the upstream's `url` for another one";
        api.ledger.change(other, &codes::OTHER_SERVER, why);
    }
    if let Some(url) = override_url {
        first.inspect(|first| {
            api.ledger.change(first, &codes::OTHER_SERVER, "the command line names another one");
        });
        return Ok(Server { url: trimmed(url) });
    }
    let Some(first) = first else { return Ok(unknown_host(base, "")) };
    // It may stand for many operations, and is kept if the first of them is sent there.
    api.ledger.keep(first);
    let template = first.get("url").and_then(Json::as_str).unwrap_or("/");
    of_template(template, first.get("variables"), base).map_err(|why| {
        api.ledger.refuse(first, &codes::SERVER, &why);
        Refusal::new(&codes::SERVER, why)
    })
}

fn of_swagger(api: &Api<'_>, own: Option<&Json>, base: &str) -> Result<Server, Refusal> {
    for name in ["host", "basePath", "schemes"] {
        api.root.get(name).inspect(|value| api.ledger.keep(value));
    }
    let text = |name: &str| api.root.get(name).and_then(Json::as_str);
    let path = text("basePath").unwrap_or("/");
    let Some(host) = text("host").filter(|host| !host.is_empty()) else {
        return Ok(unknown_host(base, path));
    };
    let schemes = own.or_else(|| api.root.get("schemes")).and_then(Json::as_array).unwrap_or_default();
    let has = |scheme: &str| schemes.iter().any(|one| one.as_str() == Some(scheme));
    let scheme = if has("http") && !has("https") { "http" } else { "https" };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let template = format!("{scheme}://{}{slash}{path}", host.trim_end_matches('/'));
    of_template(&template, None, base).map_err(|why| Refusal::new(&codes::SERVER, why))
}

/// A URL whose host the document does not say.
fn unknown_host(base: &str, path: &str) -> Server {
    let name = variable(&[base, "url"], "API_URL");
    let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
    Server { url: trimmed(&format!("${{{name}}}{slash}{path}")) }
}

/// A URL with `{variables}`: those before the path become `${NAME:-default}`, the others their defaults.
fn of_template(template: &str, variables: Option<&Json>, base: &str) -> Result<Server, String> {
    let template = template.trim();
    let template = match template.strip_prefix("//") {
        Some(rest) => format!("https://{rest}"),
        None => template.to_owned(),
    };
    let plain = template.split(['?', '#']).next().unwrap_or_default();
    let lower = plain.to_ascii_lowercase();
    let has_scheme = lower.starts_with("http://") || lower.starts_with("https://");
    if !has_scheme && !plain.starts_with('{') {
        if let Some((scheme, _)) = plain.split_once("://") {
            let shown: String = scheme.chars().take(20).collect();
            return Err(format!("nothing is sent with the scheme `{shown}`"));
        }
        return Ok(unknown_host(base, &filled(plain, variables)?));
    }
    let start = plain.find("://").map_or(0, |at| at + 3);
    let end = plain.get(start..).and_then(|rest| rest.find('/')).map_or(plain.len(), |at| start + at);
    let (origin, path) = plain.split_at(end);
    let path = filled(path, variables)?;
    let origin = match origin.contains('{') {
        false => origin.to_owned(),
        true => {
            let written = with_variables(origin, variables, base);
            if is_possible(&written) {
                written
            } else {
                let name = variable(&[base, "url"], "API_URL");
                match filled(origin, variables) {
                    Ok(default) if is_possible(&format!("${{{name}:-{default}}}")) => {
                        format!("${{{name}:-{default}}}")
                    }
                    _ => format!("${{{name}}}"),
                }
            }
        }
    };
    Ok(Server { url: trimmed(&format!("{origin}{path}")) })
}

/// Whether a URL can be that of an upstream: an origin with or without variables, and a plain path.
pub fn is_usable(url: &str) -> bool {
    let origin = origin(url);
    let path = url.strip_prefix(origin).unwrap_or_default();
    is_possible(origin)
        && path.chars().all(|c| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/%".contains(c))
}

fn trimmed(url: &str) -> String {
    url.trim_end_matches('/').to_owned()
}

/// The parts of a template: texts, and names in braces.
fn parts(template: &str) -> Vec<(&str, bool)> {
    let mut all = Vec::new();
    let mut rest = template;
    while let Some((before, tail)) = rest.split_once('{') {
        all.push((before, false));
        let Some((name, after)) = tail.split_once('}') else {
            return all;
        };
        all.push((name, true));
        rest = after;
    }
    all.push((rest, false));
    all
}

fn default_of<'v>(variables: Option<&'v Json>, name: &str) -> Option<&'v str> {
    let default = variables?.get(name)?.get("default")?;
    default.as_str().or(default.as_number()).filter(|text| !text.is_empty())
}

fn with_variables(template: &str, variables: Option<&Json>, base: &str) -> String {
    let mut out = String::new();
    for (part, is_name) in parts(template) {
        if !is_name {
            out.push_str(part);
            continue;
        }
        let name = variable(&[base, part], "API_URL");
        let is_plain = |text: &&str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-._:".contains(c));
        match default_of(variables, part).filter(is_plain) {
            Some(default) => out.push_str(&format!("${{{name}:-{default}}}")),
            None => out.push_str(&format!("${{{name}}}")),
        }
    }
    out
}

/// The template with the defaults of its variables.
fn filled(template: &str, variables: Option<&Json>) -> Result<String, String> {
    let mut out = String::new();
    for (part, is_name) in parts(template) {
        match default_of(variables, part) {
            _ if !is_name => out.push_str(part),
            Some(default) => out.push_str(default),
            None => return Err(format!("`{{{}}}` in the server's URL has no default", super::short(part))),
        }
    }
    Ok(out)
}

/// Where a URL goes: all before its path.
pub fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let mut depth = 0_usize;
    let end = url.char_indices().skip_while(|(at, _)| *at < start).find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *c == '/' && depth == 0
    });
    url.get(..end.map_or(url.len(), |(at, _)| at)).unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_before_the_path_stay_variables() {
        let url = |template: &str, variables: &str| {
            of_template(template, Json::read(variables).ok().as_ref(), "shop").map(|server| server.url)
        };
        let region = r#"{"region":{"default":"eu"},"v":{"default":"v2"},"port":{"default":8080}}"#;
        for (template, expected) in [
            ("https://a.example/v1/", "https://a.example/v1"),
            ("https://{region}.a.example/{v}", "https://${SHOP_REGION:-eu}.a.example/v2"),
            ("http://localhost:{port}", "http://localhost:${SHOP_PORT:-8080}"),
            ("{host}/api", "${SHOP_HOST}/api"),
            ("https://{tenant}.a.example", "https://${SHOP_TENANT}.a.example"),
            ("/v3", "${SHOP_URL}/v3"),
            ("v3", "${SHOP_URL}/v3"),
            ("//a.example/x?y=z", "https://a.example/x"),
        ] {
            assert_eq!(url(template, region).as_deref(), Ok(expected), "{template}");
        }
        assert!(url("wss://a.example", "{}").unwrap_err().contains("wss"));
        assert!(url("https://a.example/{x}", "{}").unwrap_err().contains("no default"));
    }

    #[test]
    fn an_origin_is_what_is_before_the_path() {
        assert_eq!(origin("https://a.example/v1"), "https://a.example");
        assert_eq!(origin("${URL:-https://a.example}/v1"), "${URL:-https://a.example}");
    }
}
