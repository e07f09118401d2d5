//! Shared by several rules: schemas, URLs, responses, and where things are in a file.

pub(crate) mod allowed;
pub(crate) mod answer;
pub(crate) mod headers;
pub(crate) mod html;
pub(crate) mod insert;
pub(crate) mod locate;
pub(crate) mod misspelt;
pub(crate) mod names;
pub(crate) mod nested;
pub(crate) mod phrases;
pub(crate) mod placeholders;
pub(crate) mod published;
pub(crate) mod reach;
pub(crate) mod schema_shape;
pub(crate) mod schemas;
pub(crate) mod secrets;
pub(crate) mod templates;
pub(crate) mod urls;
pub(crate) mod values;
