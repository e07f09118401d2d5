//! Answers and requests of the API as JSON: with the members in their order and numbers with their digits.

pub use crate::language::json::Json;

use super::error::ApiError;
use crate::render::JsonPosition;
use mcp_diagnostics::Location;
use serde::Serialize;
use std::ops::RangeInclusive;

/// Digits of a number that a message repeats.
const MAX_SHOWN: usize = 24;

/// An object.
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The same with more members behind.
pub fn extended<const N: usize>(value: Json, more: [(&str, Json); N]) -> Json {
    let Json::Object(mut members) = value else { return object(more) };
    members.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Json::Object(members)
}

pub fn array<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
    Json::Array(items.into_iter().map(Into::into).collect())
}

/// A document of another command.
pub fn document(value: &impl Serialize) -> Result<Json, ApiError> {
    let text = serde_json::to_string(value).map_err(|error| ApiError::internal(error.to_string()))?;
    Json::parse(&text).ok_or_else(|| ApiError::internal("a document that is no JSON"))
}

/// A place in a file.
pub fn place(location: Location) -> Json {
    document(&JsonPosition::from(location)).unwrap_or(Json::Null)
}

/// Milliseconds with a tenth.
pub fn milliseconds(time: std::time::Duration) -> Json {
    let tenths = time.as_micros() / 100;
    Json::Number(format!("{}.{}", tenths / 10, tenths % 10))
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::String(text.to_owned())
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Json {
        Json::String(text.clone())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Number(number.to_string())
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Number(number.to_string())
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Json {
        Json::Number(number.to_string())
    }
}

impl From<u16> for Json {
    fn from(number: u16) -> Json {
        Json::Number(number.to_string())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

/// The members of a request's body.
#[derive(Debug, Clone, Copy)]
pub struct Members<'j> {
    members: &'j [(String, Json)],
}

impl<'j> Members<'j> {
    /// Of an object with no other members than these.
    pub fn only(body: &'j Json, known: &[&str]) -> Result<Members<'j>, ApiError> {
        let members = Members::of(body)?;
        match members.members.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(members),
            Some((name, _)) => Err(ApiError::bad_request(format!(
                "there is no member `{name}`; the members are {}",
                known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// Of an object that may have others: the documents of other programs do.
    pub fn of(body: &'j Json) -> Result<Members<'j>, ApiError> {
        let members = body.as_object();
        let members = members.ok_or_else(|| {
            ApiError::bad_request(format!("the body is {}, not an object", body.with_article()))
        })?;
        Ok(Members { members })
    }

    /// `null` is as if it were missing.
    pub fn get(&self, name: &str) -> Option<&'j Json> {
        self.members
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
            .filter(|value| **value != Json::Null)
    }

    pub fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(key, _)| key == name)
    }

    pub fn text(&self, name: &str) -> Result<Option<&'j str>, ApiError> {
        self.typed(name, "a string", Json::as_str)
    }

    pub fn needed_text(&self, name: &str) -> Result<&'j str, ApiError> {
        self.text(name)?.ok_or_else(|| ApiError::bad_request(format!("`{name}` is missing")))
    }

    pub fn flag(&self, name: &str) -> Result<bool, ApiError> {
        Ok(self.typed(name, "`true` or `false`", Json::as_bool)?.unwrap_or_default())
    }

    /// A whole number of something, `of milliseconds`.
    pub fn number(&self, name: &str, of: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, ApiError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_number().and_then(|number| number.parse().ok());
        if let Some(number) = number.filter(|number| range.contains(number)) {
            return Ok(Some(number));
        }
        let (min, max) = (range.start(), range.end());
        let given = match value {
            Json::Number(number) if number.len() <= MAX_SHOWN => format!("`{number}`"),
            other => other.with_article().to_owned(),
        };
        let message = format!("`{name}` must be a whole number{of} from {min} to {max}, not {given}");
        Err(ApiError::bad_request(message))
    }

    /// The status of an answer; one that is not given is 200.
    pub fn status(&self) -> Result<u16, ApiError> {
        let status = self.number("status", "", 100..=599)?;
        Ok(status.and_then(|status| u16::try_from(status).ok()).unwrap_or(200))
    }

    pub fn array(&self, name: &str) -> Result<Option<&'j [Json]>, ApiError> {
        self.typed(name, "an array", Json::as_array)
    }

    pub fn object(&self, name: &str) -> Result<Option<&'j [(String, Json)]>, ApiError> {
        self.typed(name, "an object", Json::as_object)
    }

    /// Texts of an array.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<String>>, ApiError> {
        let Some(items) = self.array(name)? else { return Ok(None) };
        let texts: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        match texts {
            Some(texts) => Ok(Some(texts)),
            None => Err(ApiError::bad_request(format!("`{name}` must be an array of strings"))),
        }
    }

    fn typed<T>(
        &self,
        name: &str,
        what: &str,
        read: impl Fn(&'j Json) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => {
                Err(ApiError::bad_request(format!("`{name}` must be {what}, not {}", value.with_article())))
            }
        }
    }
}
