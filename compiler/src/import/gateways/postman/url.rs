//! The URL of a request: where the API is, and the path and query below.

use super::super::origin_and_path;
use super::Values;
use super::values::{Piece, Variables, only_variable, pieces, place_name};
use crate::import::Ledger;
use crate::import::draft::{DraftParameter, DraftTool};
use crate::import::secrets::is_secret;
use crate::language::json::Json;

/// Reads the URL into the tool; gives that of the upstream.
pub fn read<'d>(
    ledger: &Ledger<'d>,
    variables: &Variables<'_>,
    request: &'d Json,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<String, String> {
    let url = request.get("url").ok_or("the request has no URL")?;
    ledger.keep(url);
    let raw = url.as_str().or_else(|| url.get("raw")?.as_str()).map(str::to_owned);
    let raw = raw.or_else(|| assembled(url)).ok_or("the URL has neither `raw` nor a `host`")?;
    let (raw, query) = raw.split_once('?').map_or((raw.as_str(), ""), |(raw, query)| (raw, query));
    let raw = raw.split('#').next().unwrap_or_default().trim();
    let (base, path) = split(raw);
    let (origin, prefix) = place(variables, base)?;
    let path = path_of(variables, &path, url, tool, values)?;
    tool.endpoint = Some(format!("{prefix}{path}"));
    let listed: Vec<Query> = match url.get("query").and_then(Json::as_array) {
        Some(items) => items.iter().filter_map(Query::of).collect(),
        None => query.split('&').filter(|pair| !pair.is_empty()).map(Query::of_text).collect(),
    };
    self::query(ledger, variables, listed, tool, values)?;
    Ok(origin)
}

/// The URL from its parts.
fn assembled(url: &Json) -> Option<String> {
    let joined = |key: &str, separator: &str| match url.get(key)? {
        Json::String(text) => Some(text.clone()),
        Json::Array(items) => Some(items.iter().filter_map(part).collect::<Vec<_>>().join(separator)),
        _ => None,
    };
    let host = joined("host", ".")?;
    let protocol = url.get("protocol").and_then(Json::as_str).map(|protocol| format!("{protocol}://"));
    let port = url.get("port").and_then(Json::as_str).map(|port| format!(":{port}"));
    let path = joined("path", "/").map(|path| format!("/{}", path.trim_start_matches('/')));
    Some([protocol.unwrap_or_default(), host, port.unwrap_or_default(), path.unwrap_or_default()].concat())
}

fn part(item: &Json) -> Option<&str> {
    item.as_str().or_else(|| item.get("value")?.as_str())
}

/// What is before the path, and the path.
fn split(raw: &str) -> (&str, String) {
    let start = raw.find("://").map_or(0, |at| at + 3);
    let end = raw.get(start..).and_then(|rest| rest.find('/')).map_or(raw.len(), |at| start + at);
    let (base, path) = raw.split_at_checked(end).unwrap_or((raw, ""));
    (base, path.to_owned())
}

/// The URL of the upstream and the beginning of all its paths.
fn place(variables: &Variables<'_>, base: &str) -> Result<(String, String), String> {
    if base.is_empty() {
        return Err("the URL has no host".to_owned());
    }
    if let Some(name) = only_variable(base) {
        let value = variables.value(&name).map(|value| variables.resolved(&value));
        let variable = place_name(&name);
        return Ok(match value.as_deref().map(|value| origin_and_path(value.trim_end_matches('/'))) {
            Some(Some((origin, path))) => {
                (format!("${{{variable}:-{origin}}}"), path.trim_end_matches('/').to_owned())
            }
            // A host without a scheme, or nothing that anyone knows.
            Some(None) | None => match value.filter(|value| !value.contains(['/', '{', '}', ' '])) {
                Some(host) => (format!("https://${{{variable}:-{host}}}"), String::new()),
                None => (format!("${{{variable}}}"), String::new()),
            },
        });
    }
    let has_scheme = base.contains("://");
    let written: String = pieces(base)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Variable(name) => match variables.value(&name).map(|value| variables.resolved(&value)) {
                Some(value) if !value.contains(['/', '{', '}', '$', ' ']) => {
                    format!("${{{}:-{value}}}", place_name(&name))
                }
                _ => format!("${{{}}}", place_name(&name)),
            },
        })
        .collect();
    Ok((if has_scheme { written } else { format!("https://{written}") }, String::new()))
}

/// The path with `{name}` for `:name` and `{{name}}`.
fn path_of(
    variables: &Variables<'_>,
    path: &str,
    url: &Json,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<String, String> {
    let declared = url.get("variable").and_then(Json::as_array).unwrap_or_default();
    let mut out = String::new();
    for segment in path.split('/').skip(1) {
        out.push('/');
        if let Some(name) = segment.strip_prefix(':').filter(|name| !name.is_empty()) {
            let about = declared.iter().find(|one| one.get("key").and_then(Json::as_str) == Some(name));
            let value = about.and_then(|one| one.get("value")?.as_str()).map(|text| variables.resolved(text));
            let text = about
                .and_then(|one| one.get("description"))
                .and_then(|text| text.as_str().or_else(|| text.get("content")?.as_str()));
            argument(name, value.filter(|value| !value.is_empty()), text, None, tool, values)?;
            out.push_str(&format!("{{{name}}}"));
            continue;
        }
        for piece in pieces(segment) {
            match piece {
                Piece::Text(text) if text.contains(['{', '}']) => {
                    return Err(format!("the path has `{text}` in it"));
                }
                Piece::Text(text) => out.push_str(&encoded(&text)),
                Piece::Variable(name) => {
                    let default = variables.value(&name).map(|value| variables.resolved(&value));
                    let argument_name = name.trim_start_matches('$').to_owned();
                    argument(&argument_name, None, None, default, tool, values)?;
                    out.push_str(&format!("{{{argument_name}}}"));
                }
            }
        }
    }
    Ok(if out.is_empty() { "/".to_owned() } else { out })
}

fn argument(
    name: &str,
    value: Option<String>,
    description: Option<&str>,
    default: Option<String>,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<(), String> {
    if tool.parameters.iter().any(|known| known.name == name) {
        return Err(format!("`{name}` is in the path twice"));
    }
    let value = value.filter(|value| !is_secret(name, &Json::string(value)));
    let example = value.or_else(|| default.clone());
    values.insert(name.to_owned(), Json::String(example.unwrap_or_else(|| "1".to_owned())));
    tool.parameters.push(DraftParameter {
        name: name.to_owned(),
        kind: Some("string".to_owned()),
        description: description.map(str::to_owned),
        required: default.is_none(),
        default: default.map(Json::String),
        position: Some("path"),
        ..DraftParameter::default()
    });
    Ok(())
}

/// Characters that no path has are percent-encoded; what is encoded already stays.
fn encoded(text: &str) -> String {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || "-._~:@!$&'()*+,;=%".contains(c);
    let encode = |c: char| match is_fine(c) {
        true => c.to_string(),
        false => c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
    };
    text.chars().map(encode).collect()
}

struct Query {
    name: String,
    value: String,
    description: Option<String>,
    is_off: bool,
}

impl Query {
    fn of(item: &Json) -> Option<Query> {
        let text = |value: &Json| value.as_str().map(str::to_owned);
        let description = item.get("description");
        Some(Query {
            name: item.get("key").and_then(text)?,
            value: item.get("value").and_then(text).unwrap_or_default(),
            description: description.and_then(|value| text(value).or_else(|| text(value.get("content")?))),
            is_off: item.get("disabled") == Some(&Json::Bool(true)),
        })
    }

    fn of_text(pair: &str) -> Query {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Query { name: name.to_owned(), value: value.to_owned(), description: None, is_off: false }
    }
}

fn query(
    ledger: &Ledger<'_>,
    variables: &Variables<'_>,
    listed: Vec<Query>,
    tool: &mut DraftTool,
    values: &mut Values,
) -> Result<(), String> {
    for Query { name, value, description, is_off } in listed {
        if name.contains("{{") {
            return Err(format!("the name of the query parameter `{name}` is a variable"));
        }
        super::body::add(
            ledger,
            variables,
            tool,
            values,
            super::body::Field {
                name,
                value,
                description,
                is_off,
                position: "query",
                position_word: "query",
            },
        );
    }
    Ok(())
}
