//! One request of a collection, with its saved responses.

use super::super::{BESIDE_TOOLS, without_secret};
use super::values::{Variables, description};
use super::{DISABLED, Values, body, url};
use crate::import::draft::{DraftContent, DraftExample, DraftResponse, DraftTool};
use crate::import::secrets::{blank, is_secret_name};
use crate::import::{Ledger, codes};
use crate::language::json::Json;
use crate::language::names;

/// What the tool does not hold.
pub struct Read<'d> {
    /// Of the upstream.
    pub url: String,
    /// The request's own.
    pub auth: Option<&'d Json>,
}

/// Headers that belong to the connection.
const DROPPED: [&str; 9] = [
    "host",
    "content-length",
    "connection",
    "accept-encoding",
    "transfer-encoding",
    "keep-alive",
    "te",
    "upgrade",
    "expect",
];

pub fn read<'d>(
    ledger: &Ledger<'d>,
    variables: &Variables<'_>,
    item: &'d Json,
    tool: &mut DraftTool,
) -> Result<Read<'d>, String> {
    let request = item.get("request").ok_or("there is neither a `request` nor an `item`")?;
    let mut values = Values::new();
    if request.as_str().is_some() {
        return Err("the request is a URL alone; export the collection as version 2.1".to_owned());
    }
    ledger.members_of(request).ok_or("the request is not an object")?;
    tool.method = Some(ledger.text(request, "method").unwrap_or("GET").to_ascii_uppercase());
    let own = description(ledger, request);
    let of_item = description(ledger, item);
    tool.description = own.or(of_item).or_else(|| tool.title.clone());
    let origin = url::read(ledger, variables, request, tool, &mut values)?;
    headers(ledger, variables, request, tool);
    body::read(ledger, variables, request, tool, &mut values)?;
    if tool.body.as_deref().is_some_and(|kind| kind == "multipart") || tool.body.is_none() {
        // The body brings its own type.
        tool.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    }
    responses(ledger, item, tool, values);
    Ok(Read { url: origin, auth: request.get("auth").filter(|auth| **auth != Json::Null) })
}

fn headers<'d>(ledger: &Ledger<'d>, variables: &Variables<'_>, request: &'d Json, tool: &mut DraftTool) {
    let Some(list) = request.get("header") else { return };
    let Some(items) = list.as_array() else {
        if *list == Json::Null {
            ledger.keep(list);
        } else {
            ledger.refuse_kind(list, "a list");
        }
        return;
    };
    ledger.open(list);
    for item in items {
        let text = |key: &str| item.get(key).and_then(Json::as_str);
        let (Some(name), value) = (text("key").map(str::trim), text("value").unwrap_or_default()) else {
            ledger.refuse_kind(item, "an object with a `key`");
            continue;
        };
        if item.get("disabled") == Some(&Json::Bool(true)) {
            ledger.leave_out(item, &DISABLED, format!("the header `{name}` is switched off"));
        } else if name.is_empty() || DROPPED.contains(&name.to_ascii_lowercase().as_str()) {
            ledger.leave_out(item, &BESIDE_TOOLS, format!("the edge sets `{name}` itself"));
        } else if tool.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            ledger.refuse(item, &codes::WRONG_KIND, format!("the header `{name}` is there twice"));
        } else {
            let variable = names::variable(&[&tool.name, name], "API_KEY");
            let has_variable = value.contains("{{");
            match without_secret(name, value, &variable).filter(|_| !has_variable) {
                Some(replaced) => {
                    let why = format!("`{name}` has `${{{variable}}}` instead of its secret");
                    ledger.change(item, &codes::SECRET_REPLACED, why);
                    tool.headers.push((name.to_owned(), replaced));
                }
                None => {
                    ledger.keep(item);
                    tool.headers.push((name.to_owned(), variables.with_places(value)));
                }
            }
        }
    }
}

/// The first saved response that is a success is the response of the example.
fn responses<'d>(ledger: &Ledger<'d>, item: &'d Json, tool: &mut DraftTool, values: Values) {
    let mut example = DraftExample { arguments: values.into_iter().collect(), ..DraftExample::default() };
    let mut is_found = false;
    if item.get("response") == Some(&Json::Null) {
        item.get("response").into_iter().for_each(|none| ledger.keep(none));
    } else {
        for (number, response) in ledger.list(item, "response").iter().enumerate() {
            let status = response
                .get("code")
                .and_then(Json::as_number)
                .and_then(|code| code.parse().ok())
                .unwrap_or(200);
            let text = response.get("body").and_then(Json::as_str).filter(|text| !text.is_empty());
            let Some(text) = text.filter(|_| !is_found && (200..300).contains(&status)) else {
                ledger.leave_out(
                    response,
                    &codes::NOT_USED,
                    "an example has one response, the first that is a success",
                );
                continue;
            };
            is_found = true;
            ledger.keep(response);
            example.place = format!("{}/response/{number}", tool.place);
            example.title = response.get("name").and_then(Json::as_str).map(str::to_owned);
            let body = match Json::parse(text) {
                Some(mut json @ (Json::Array(_) | Json::Object(_))) => {
                    if blank(&mut json) {
                        body::left_out(ledger, tool, "the saved response");
                    }
                    DraftContent::Json(json)
                }
                _ if is_secret_name(text) => {
                    body::left_out(ledger, tool, "the saved response");
                    continue;
                }
                _ => DraftContent::Text(text.to_owned()),
            };
            example.response =
                Some(DraftResponse { status: Some(status), body: Some(body), ..DraftResponse::default() });
        }
    }
    tool.examples.push(example);
}
