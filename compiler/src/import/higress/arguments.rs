//! Arguments of a tool.

use crate::import::Ledger;
use crate::import::draft::DraftParameter;
use crate::import::rest::values::{fitting, keep_or_correct, keep_or_refuse, kind, required_here, schema};
use crate::import::rest::{Argument, codes};
use crate::import::secrets::default_of;
use crate::language::json::Json;

/// Keywords that the source takes and drops.
const IGNORED: [&str; 8] =
    ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format"];

/// Reads the arguments, with the values that they come from. Of two with one name the later one counts.
pub fn read<'d>(ledger: &Ledger<'d>, tool: &'d Json) -> Vec<(&'d Json, Argument)> {
    let mut all: Vec<(&Json, Argument)> = Vec::new();
    for value in ledger.list(tool, "args") {
        if ledger.members_of(value).is_none() {
            continue;
        }
        let Some(name) = ledger.text(value, "name").filter(|name| !name.is_empty()) else {
            ledger.refuse(value, &codes::NEVER_SENT, "an argument needs a name");
            continue;
        };
        if let Some(at) = all.iter().position(|(_, known)| known.draft.name == name) {
            let (earlier, _) = all.remove(at);
            let why = format!("a later argument is called `{name}`, too");
            ledger.refuse(earlier, &codes::DUPLICATE_ARGUMENT, why);
        }
        all.push((value, argument(ledger, value, name)));
    }
    all
}

fn argument<'d>(ledger: &Ledger<'d>, value: &'d Json, name: &str) -> Argument {
    let kind = kind(ledger, value);
    let mut draft = DraftParameter {
        name: name.to_owned(),
        kind: Some(kind.to_owned()),
        description: ledger
            .text(value, "description")
            .map(str::to_owned)
            .filter(|text| !text.trim().is_empty()),
        ..DraftParameter::default()
    };
    let mut required_members = value.get("objectRequired");
    match value.get("required") {
        Some(list @ Json::Array(_)) => required_members = Some(list),
        Some(required) => {
            draft.required = required.as_bool() == Some(true);
            keep_or_refuse(ledger, required, required.as_bool().is_some(), "`true` or `false`");
        }
        None => {}
    }
    if let Some(default) = value.get("default") {
        draft.default = default_of(ledger, name, default, fitting(ledger, default, kind));
    }
    for item in ledger.list(value, "enum") {
        draft.enumeration.extend(fitting(ledger, item, kind));
    }
    let member = |name: &str, of: &str| value.get(name).filter(|_| kind == of);
    if let Some(items) = member("items", "array") {
        let corrected = schema(items);
        keep_or_correct(ledger, items, corrected == *items);
        draft.keywords.push(("items".to_owned(), corrected));
    }
    if let Some(properties) = member("properties", "object") {
        let members = properties.as_object().unwrap_or_default();
        let mut required = required_here(members);
        let members = members.iter().map(|(name, value)| (name.clone(), schema(value))).collect();
        let corrected = Json::Object(members);
        keep_or_correct(ledger, properties, corrected == *properties);
        draft.keywords.push(("properties".to_owned(), corrected));
        if let Some(list) = required_members {
            ledger.keep(list);
            required = list.as_array().unwrap_or_default().to_vec();
        }
        if !required.is_empty() {
            draft.keywords.push(("required_properties".to_owned(), Json::Array(required)));
        }
    }
    for keyword in IGNORED {
        if let Some(bound) = value.get(keyword) {
            ledger.change(bound, &codes::NOW_ENFORCED, format!("`{keyword}` is published and enforced here"));
            draft.keywords.push((keyword.to_owned(), bound.clone()));
        }
    }
    Argument { draft, position: position(ledger, value) }
}

fn position<'d>(ledger: &Ledger<'d>, value: &'d Json) -> Option<&'static str> {
    const POSITIONS: [&str; 5] = ["query", "path", "header", "cookie", "body"];
    let written = value.get("position")?;
    let name = written.as_str().unwrap_or_default().to_ascii_lowercase();
    let known = POSITIONS.into_iter().find(|position| *position == name);
    match known {
        Some(_) => ledger.keep(written),
        None => ledger.refuse(
            written,
            &crate::import::codes::WRONG_KIND,
            "no place has this name; the source ignores it, too",
        ),
    }
    known
}
