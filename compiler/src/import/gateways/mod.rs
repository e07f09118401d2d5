//! Configurations of other gateways, each in a file or folder of its own, and what they share.

pub mod agentgateway;
pub mod apisix;
pub mod envoy;
pub mod kong;
pub mod postman;
pub mod tool_json;
pub mod wrapped;

use super::codes::{self, codes};
use super::draft::DraftTool;
pub use super::secrets::without_secret;
use super::{Fate, Imported, Ledger};
use crate::language::json::Json;
use crate::language::names::{self, Wanted, portable};
use crate::spec::{PathPiece, parse_endpoint};

/// What an importer is told of a document beside its values.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    /// What comments call it.
    pub name: &'s str,
    /// The name of its file without the ending.
    pub stem: Option<&'s str>,
}

/// Why a document is not one of the format; what to do instead is a part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Foreign(pub String);

/// Reads a document of a format.
pub type Importer = for<'d> fn(&Source<'_>, &'d Json) -> Result<Imported<'d>, Foreign>;

codes! {
    pub BESIDE_TOOLS = "beside-tools", "It configures a gateway and says nothing about tools.";
    pub BASE_URL_UNKNOWN = "base-url-unknown", "The source does not say where the API is, so it is a variable.";
    pub ENCODED = "encoded", "The source wrote a value as it came, or encoded it in another way. Here it is encoded for its place.";
    pub RETRIES_DROPPED = "retries-dropped", "A call that may not be repeated was retried.";
    pub LIMIT_CHANGED = "limit-changed", "A number is beyond what a spec can have, so it was cut.";
    pub NOT_EXPRESSIBLE = "not-expressible", "A spec cannot say this, so the tool was left out.";
}

impl Source<'_> {
    /// The first lines of a spec.
    pub fn comments(&self, format: &str) -> Vec<String> {
        vec![format!("Imported from {} ({format}) by `mcpc import`.", self.name)]
    }
}

/// Opens what leads to values that were read, and leaves out what is beside them. `false`: nothing in the value was read.
///
/// Recursion is bounded by the depth of documents.
pub fn leave_out_rest(ledger: &Ledger<'_>, value: &Json, why: &str) -> bool {
    if ledger.is_marked(value) {
        return true;
    }
    let inside: Vec<&Json> = match value {
        Json::Array(items) => items.iter().collect(),
        Json::Object(members) => members.iter().map(|(_, member)| member).collect(),
        _ => Vec::new(),
    };
    let (read, others): (Vec<&Json>, Vec<&Json>) =
        inside.into_iter().partition(|inner| leave_out_rest(ledger, inner, why));
    if read.is_empty() {
        return false;
    }
    ledger.open(value);
    others.into_iter().for_each(|other| ledger.leave_out(other, &BESIDE_TOOLS, why));
    true
}

/// A member by one of its names: many formats accept `snake_case` and `camelCase`.
pub fn either<'d>(object: &'d Json, names: [&'static str; 2]) -> Option<(&'static str, &'d Json)> {
    names.into_iter().find_map(|name| Some((name, object.get(name)?)))
}

/// A text as specs write it: nothing in it is a variable.
pub fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

/// `https://host:port` and the path after it, as far as the text is an absolute URL without a query.
pub fn origin_and_path(url: &str) -> Option<(String, String)> {
    let parsed = parse_endpoint(url);
    let origin = parsed.origin.as_ref()?;
    let path = parsed.path.iter().map(|piece| match piece {
        PathPiece::Literal(text) => Some(text.as_str()),
        PathPiece::Placeholder(_) => None,
    });
    let path: Option<String> = path.collect();
    Some((format!("{}://{}", origin.scheme, origin.authority), path?))
}

/// A schema of an object with these properties.
pub fn object_schema(properties: Vec<(String, Json)>, required: Vec<String>, is_open: bool) -> Json {
    let mut members = vec![("type".to_owned(), Json::string("object"))];
    if !properties.is_empty() {
        members.push(("properties".to_owned(), Json::Object(properties)));
    }
    if !required.is_empty() {
        let required = required.into_iter().map(Json::String).collect();
        members.push(("required".to_owned(), Json::Array(required)));
    }
    members.push(("additionalProperties".to_owned(), Json::Bool(is_open)));
    Json::Object(members)
}

/// Whole milliseconds of seconds with a fraction; `None` if it is no time that a spec can have.
pub fn milliseconds(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    (seconds > 0.0 && seconds <= 86_400.0).then(|| (seconds * 1000.0).ceil() as u64)
}

/// Gives the tools names that clients take, all different.
pub fn rename(ledger: &Ledger<'_>, tools: &mut [DraftTool]) {
    let theirs: Vec<(String, String)> =
        tools.iter().map(|tool| (tool.name.clone(), format!("{}{}", tool.name, tool.place))).collect();
    let wanted: Vec<Wanted<'_>> = theirs
        .iter()
        .map(|(own, theirs)| {
            let name = portable(own);
            Wanted { is_own: name == *own, has_name: !name.is_empty(), theirs, name }
        })
        .collect();
    for (tool, name) in tools.iter_mut().zip(names::distinct(&wanted)) {
        if tool.name != name {
            let why = format!("the tool is called `{name}`, not `{}`", tool.name);
            ledger.note(&tool.place, Fate::Changed, &codes::NAME_CHANGED, why);
            tool.name = name;
        }
    }
}

#[cfg(test)]
pub mod testing {
    use super::{Importer, Source};
    use crate::import::{Finished, document, finish};
    use crate::language::json::Json;

    /// What `mcpc import` makes of a text.
    pub fn imported(importer: Importer, text: &str) -> Finished {
        let document = document::read(text.as_bytes()).unwrap();
        let source = Source { name: "gateway.yaml", stem: Some("gateway") };
        finish(importer(&source, &document).unwrap_or_else(|foreign| panic!("{foreign}")))
    }

    pub fn refusal(importer: Importer, text: &str) -> String {
        let document = document::read(text.as_bytes()).unwrap();
        let source = Source { name: "gateway.yaml", stem: None };
        importer(&source, &document).err().unwrap_or_else(|| panic!("it is read")).to_string()
    }

    /// The codes of the findings that say something, with their places.
    pub fn findings(finished: &Finished) -> Vec<(&str, &str)> {
        let told = finished.fidelity.findings.iter().filter(|finding| !finding.code.is_empty());
        told.map(|finding| (finding.code, finding.place.as_str())).collect()
    }

    /// Values as hostile documents have them.
    pub fn any_json() -> impl proptest::strategy::Strategy<Value = Json> {
        use proptest::prelude::*;
        let scalar = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            (-3..70_000_i64).prop_map(|n| Json::Number(n.to_string())),
            "(?s).{0,6}|[{}$?#/:.a-z]{0,12}|https?://[a-z{}.]{0,9}/[a-z{}:=]{0,9}".prop_map(Json::String),
        ];
        scalar.boxed()
    }

    /// A document with values of it replaced by others, cut or renamed.
    pub fn mutated(document: &Json, choices: &mut impl Iterator<Item = (u8, Json)>) -> Json {
        match (document, choices.next()) {
            (_, Some((0..=9, other))) => other,
            (Json::Array(items), Some((10..=15, _))) => Json::Array(items.iter().skip(1).cloned().collect()),
            (Json::Array(items), _) => Json::Array(items.iter().map(|item| mutated(item, choices)).collect()),
            (Json::Object(members), _) => Json::Object(
                members.iter().map(|(name, value)| (name.clone(), mutated(value, choices))).collect(),
            ),
            (other, _) => other.clone(),
        }
    }
}
