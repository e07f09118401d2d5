//! Looks at strings, at each once.
//!
//! Many plans share a string, and nothing stops a hostile bundle from naming one string of many megabytes
//! in every plan. What was found out about a string is therefore remembered.

use super::shared::{Checked, ensure, quote, text};
use super::template::is_json_inside;
use super::text::{
    is_cookie_literal, is_form_literal, is_header_literal, is_json, is_json_number, is_json_scalar,
    is_part_head, is_path_literal, is_query_literal, is_target_literal,
};
use crate::format::layout::{MAX_FIXED_JSON_LENGTH, MAX_FIXED_JSON_TOTAL, MAX_NAME_LENGTH};
use crate::plan::Part;
use crate::strings::{StrId, Strings};
use crate::wire_enums::PartKind;

/// What a string may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    PathLiteral = 1,
    QueryLiteral = 1 << 1,
    HeaderLiteral = 1 << 2,
    CookieLiteral = 1 << 3,
    Json = 1 << 4,
    JsonScalar = 1 << 5,
    JsonNumber = 1 << 6,
    ListText = 1 << 7,
    JsonInside = 1 << 8,
    TargetLiteral = 1 << 9,
    FormLiteral = 1 << 10,
    PartHead = 1 << 11,
}

pub(super) struct Scanner<'a> {
    strings: &'a Strings,
    /// For each string the classes that it is known to belong to.
    known: Vec<u16>,
    /// How many bytes of composed JSON may still be looked at.
    json_left: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(strings: &'a Strings) -> Scanner<'a> {
        Scanner { strings, known: vec![0; strings.len()], json_left: MAX_FIXED_JSON_TOTAL }
    }

    /// A string that must belong to a class.
    pub(super) fn text(&mut self, id: StrId, class: Class, what: &str) -> Checked<&'a str> {
        let found = text(self.strings, id, what)?;
        if let Some(known) = self.known.get_mut(id.0 as usize)
            && *known & class as u16 == 0
        {
            ensure(class.contains(found), || format!("{what} {} {}", quote(found), class.complaint()))?;
            *known |= class as u16;
        }
        Ok(found)
    }

    pub(super) fn optional_text(&mut self, id: Option<StrId>, class: Class, what: &str) -> Checked {
        id.map_or(Ok(()), |id| self.text(id, class, what).map(drop))
    }

    /// Fixed parts, which are in range, must form one JSON value with variables only inside its strings.
    pub(super) fn json(&mut self, parts: &[Part]) -> Checked {
        if let [Part { kind: PartKind::Literal, id }] = parts {
            return self.text(StrId(*id), Class::Json, "value").map(drop);
        }
        // A letter stands for each variable. Outside a string JSON allows no letter there, so the
        // sample is JSON exactly if the value is, no matter what the variables contain once
        // escaped.
        let strings = self.strings;
        let pieces = parts
            .iter()
            .map(|part| if part.kind == PartKind::Literal { strings.get(StrId(part.id)) } else { "x" });
        let length = pieces.clone().fold(0, |sum: usize, piece| sum.saturating_add(piece.len()));
        ensure(length <= MAX_FIXED_JSON_LENGTH, || {
            format!("a value of {length} bytes in parts, the most is {MAX_FIXED_JSON_LENGTH}")
        })?;
        self.json_left = self.json_left.checked_sub(length).ok_or_else(|| {
            format!("all values in parts have more than {MAX_FIXED_JSON_TOTAL} bytes together")
        })?;
        ensure(is_json(&pieces.collect::<String>()), || {
            "its parts do not form one JSON value with variables only inside strings".to_owned()
        })
    }
}

impl Class {
    fn contains(self, text: &str) -> bool {
        match self {
            Class::PathLiteral => is_path_literal(text),
            Class::QueryLiteral => is_query_literal(text),
            Class::HeaderLiteral => is_header_literal(text),
            Class::CookieLiteral => is_cookie_literal(text),
            Class::Json => is_json(text),
            Class::JsonScalar => is_json_scalar(text),
            Class::JsonNumber => is_json_number(text),
            Class::JsonInside => is_json_inside(text),
            Class::TargetLiteral => is_target_literal(text),
            Class::FormLiteral => is_form_literal(text),
            Class::PartHead => is_part_head(text),
            // A line end would end a server-sent event in the middle of the list.
            Class::ListText => {
                text.starts_with('{') && memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none()
            }
        }
    }

    const fn complaint(self) -> &'static str {
        match self {
            Class::PathLiteral
            | Class::QueryLiteral
            | Class::CookieLiteral
            | Class::TargetLiteral
            | Class::FormLiteral => "does not belong here",
            Class::PartHead => "is not the head of a part",
            Class::JsonInside => "is not allowed inside a JSON string",
            Class::HeaderLiteral => "has control characters",
            Class::Json => "is not JSON",
            Class::JsonScalar => "is not a JSON scalar",
            Class::JsonNumber => "is not a JSON number",
            Class::ListText => "does not begin with `{` or has a line end",
        }
    }
}

/// A name. They are short, so comparing and checking them again costs little.
pub(super) fn name<'a>(strings: &'a Strings, id: StrId, what: &str) -> Checked<&'a str> {
    let name = text(strings, id, what)?;
    ensure(name.len() <= MAX_NAME_LENGTH, || {
        format!("{what} of {} bytes, the most is {MAX_NAME_LENGTH}", name.len())
    })?;
    Ok(name)
}
