//! What answers a call, with an explicit wire tag for each kind.
//!
//! On the wire it is the tag, one byte, and then what the kind holds. A tag is never reused and never
//! renumbered.

use super::{BodyPlan, McpPlan, Part, Placed};
use crate::strings::StrId;
use crate::wire_enums::Method;
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

const HTTP: u8 = 1;
const FIXED: u8 = 2;
const MCP: u8 = 3;
const ARGUMENTS: u8 = 4;

/// What answers a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// A request to an HTTP API.
    Http(HttpPlan),
    /// A text that the spec holds; nothing is sent.
    Fixed(StrId),
    /// A tool of an MCP server. Rare and large, so boxed.
    Mcp(Box<McpPlan>),
    /// The arguments, as the JSON object that the template of the response reads; nothing is sent. Of the plan only the body
    /// means anything, and only that is on the wire.
    Arguments(Box<HttpPlan>),
}

/// Which of them it is: on this depends what a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    Http,
    Fixed,
    Mcp,
    Arguments,
}

/// The request that a call becomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpPlan {
    /// Index in [`super::Contents::upstreams`].
    pub upstream: u32,
    pub method: Method,
    /// The path, base path included; its first byte is `/`. A template may only come last; it may write
    /// a query, too.
    pub path: Vec<Part>,
    pub query: Vec<Placed>,
    /// Fixed headers first, then those of header parameters. Names are lower case.
    pub headers: Vec<Placed>,
    pub cookies: Vec<Placed>,
    pub body: BodyPlan,
}

impl Backend {
    pub const fn kind(&self) -> BackendKind {
        match self {
            Backend::Http(_) => BackendKind::Http,
            Backend::Fixed(_) => BackendKind::Fixed,
            Backend::Mcp(_) => BackendKind::Mcp,
            Backend::Arguments(_) => BackendKind::Arguments,
        }
    }

    /// An answer that is made of the arguments, which the body has.
    pub fn arguments(body: BodyPlan) -> Backend {
        Backend::Arguments(Box::new(HttpPlan {
            upstream: u32::MAX,
            method: Method::Post,
            path: Vec::new(),
            query: Vec::new(),
            headers: Vec::new(),
            cookies: Vec::new(),
            body,
        }))
    }
}

impl Serialize for Backend {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_tuple(2)?;
        match self {
            Backend::Http(plan) => {
                pair.serialize_element(&HTTP)?;
                pair.serialize_element(plan)?;
            }
            Backend::Fixed(text) => {
                pair.serialize_element(&FIXED)?;
                pair.serialize_element(text)?;
            }
            Backend::Mcp(plan) => {
                pair.serialize_element(&MCP)?;
                pair.serialize_element(plan)?;
            }
            Backend::Arguments(plan) => {
                pair.serialize_element(&ARGUMENTS)?;
                pair.serialize_element(&plan.body)?;
            }
        }
        pair.end()
    }
}

impl<'de> Deserialize<'de> for Backend {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Backend, D::Error> {
        deserializer.deserialize_tuple(2, Pair)
    }
}

/// Reads a tag and what follows it.
struct Pair;

impl<'de> Visitor<'de> for Pair {
    type Value = Backend;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tag and a backend")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Backend, A::Error> {
        let cut = || A::Error::custom("the backend is cut");
        match pair.next_element()?.ok_or_else(cut)? {
            HTTP => Ok(Backend::Http(pair.next_element()?.ok_or_else(cut)?)),
            FIXED => Ok(Backend::Fixed(pair.next_element()?.ok_or_else(cut)?)),
            MCP => Ok(Backend::Mcp(pair.next_element()?.ok_or_else(cut)?)),
            ARGUMENTS => Ok(Backend::arguments(pair.next_element()?.ok_or_else(cut)?)),
            _ => Err(A::Error::custom("unknown Backend tag")),
        }
    }
}
