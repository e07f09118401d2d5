//! How a form or multipart body writes its fields: `encoding` of OpenAPI.

use super::api::Api;
use super::arguments::Argument;
use super::codes;
use crate::import::codes::NOT_USED;
use crate::language::json::Json;

/// The media type of a field, if it is exactly one.
pub fn content_type(how: Option<&Json>) -> Option<&str> {
    let media = how?.get("contentType")?.as_str()?;
    (!media.contains([',', '*'])).then_some(media)
}

pub fn is_json(how: Option<&Json>) -> bool {
    content_type(how).is_some_and(|media| media.eq_ignore_ascii_case("application/json"))
}

/// Says what became of each member.
pub fn account<'d>(api: &Api<'d>, encoding: &'d Json, is_multipart: bool, arguments: &[Argument]) {
    let ledger = &api.ledger;
    for (name, how) in ledger.members_of(encoding).unwrap_or_default() {
        let Some(argument) = arguments.iter().find(|argument| argument.wire == *name) else {
            ledger.leave_out(how, &NOT_USED, "the body has no field of this name");
            continue;
        };
        let has_style = argument.style.is_some();
        for (keyword, value) in ledger.members_of(how).unwrap_or_default() {
            match keyword.as_str() {
                "contentType" if is_json(Some(how)) => ledger.keep(value),
                "contentType" if argument.content_type.is_some() => ledger.keep(value),
                "contentType" if is_multipart => {
                    ledger.change(value, &codes::STYLE, "a part has one media type, and here it says none");
                }
                "contentType" => {
                    ledger.change(value, &codes::STYLE, "fields of a form say no media type");
                }
                "style" | "explode" if is_multipart => {
                    ledger.change(value, &codes::STYLE, "parts are sent as their media type says");
                }
                "style" | "explode" if has_style && !is_json(Some(how)) => ledger.keep(value),
                "style" | "explode" => {
                    ledger.change(value, &codes::STYLE, "it makes no difference for values of this type");
                }
                "allowReserved" => {
                    ledger.change(value, &codes::STYLE, "reserved characters are encoded, too");
                }
                "headers" => ledger.refuse(value, &codes::STYLE, "a part has no headers of its own"),
                _ => {}
            }
        }
    }
}
