//! The headers in which a stateless request repeats parts of its body, so that intermediaries can route on them.
//! A request whose headers say something else than its body is refused.

use crate::catalog::Catalog;
use crate::request::failure::Failure;
use crate::request::head::{Headers, Repeated, visible};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_bundle::bind::PreparedTool;
use mcp_bundle::envelope::Message;
use mcp_bundle::json::decimal;
use mcp_bundle::json::{self, Kind, Value};
use std::borrow::Cow;

/// What encloses a value that a header cannot hold as it is.
const SENTINEL: (&str, &str) = ("=?base64?", "?=");

/// `Mcp-Method`, and `Mcp-Name` for methods that have one.
pub fn check_routing(headers: &Headers, message: &Message<'_>) -> Result<(), Failure> {
    let method = message.method.unwrap_or(NULL);
    let stated = one(headers, "mcp-method")?.ok_or_else(|| missing("Mcp-Method"))?;
    if !method.is_text(text(stated, "Mcp-Method")?) {
        return Err(differs("Mcp-Method"));
    }
    let named = if message.is_method("tools/call") || message.is_method("prompts/get") {
        message.params.name
    } else if message.is_method("resources/read") {
        message.params.uri
    } else {
        return Ok(());
    };
    // The method itself reports a body without a name.
    let Some(named) = named.filter(|named| named.kind == Kind::String) else {
        return Ok(());
    };
    let stated = one(headers, "mcp-name")?.ok_or_else(|| missing("Mcp-Name"))?;
    if !named.is_text(&decoded(stated, "Mcp-Name")?) {
        return Err(differs("Mcp-Name"));
    }
    Ok(())
}

/// `Mcp-Param-…` of the tool's parameters that are mirrored.
pub fn check_params(
    headers: &Headers,
    catalog: &Catalog,
    tool: &PreparedTool<'_>,
    arguments: Option<Value<'_>>,
) -> Result<(), Failure> {
    for mirrored in catalog.mirrored(tool) {
        let name = catalog.contents.strings.get(mirrored.parameter);
        let argument = arguments.filter(|value| value.kind == Kind::Object).and_then(|object| {
            let mut members = json::members(object).filter(|(key, _)| key.is_text(name));
            members.next().map(|(_, value)| value).filter(|value| value.kind != Kind::Null)
        });
        let shown = mirrored.header.as_str();
        match (argument, one(headers, shown)?) {
            (None, None) => {}
            (None, Some(_)) => {
                return Err(Failure::HeaderMismatch(format!("`{shown}` is there, but the argument is not")));
            }
            (Some(_), None) => return Err(missing(shown)),
            (Some(argument), Some(stated)) => {
                let stated = decoded(stated, shown)?;
                let same = match argument.kind {
                    Kind::String => argument.is_text(&stated),
                    Kind::Number => is_number(&stated) && decimal::compare(&stated, argument.text).is_eq(),
                    _ => argument.text == &*stated,
                };
                if !same {
                    return Err(differs(shown));
                }
            }
        }
    }
    Ok(())
}

const NULL: Value<'static> = Value { kind: Kind::Null, text: "null", escaped: false };

/// The only value of a header.
fn one<'h>(headers: &'h Headers, name: &str) -> Result<Option<&'h [u8]>, Failure> {
    headers.one(name).map_err(|Repeated| Failure::HeaderMismatch(format!("`{name}` is repeated")))
}

fn text<'h>(value: &'h [u8], name: &str) -> Result<&'h str, Failure> {
    visible(value)
        .map(|text| text.trim_matches([' ', '\t']))
        .ok_or_else(|| Failure::HeaderMismatch(format!("`{name}` is not visible ASCII")))
}

fn decoded<'h>(value: &'h [u8], name: &str) -> Result<Cow<'h, str>, Failure> {
    let text = text(value, name)?;
    let inner = text.strip_prefix(SENTINEL.0).and_then(|rest| rest.strip_suffix(SENTINEL.1));
    let Some(inner) = inner else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD.decode(inner).ok();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map(Cow::Owned)
        .ok_or_else(|| Failure::HeaderMismatch(format!("`{name}` is not valid base64 of UTF-8 text")))
}

/// A sign, digits, and perhaps a fraction; an exponent would be a second spelling of the same header.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    all(whole) && all(fraction)
}

fn missing(name: &str) -> Failure {
    Failure::HeaderMismatch(format!("the `{name}` header is missing"))
}

fn differs(name: &str) -> Failure {
    Failure::HeaderMismatch(format!("the `{name}` header differs from the body"))
}
