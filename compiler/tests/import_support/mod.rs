//! Counts what goes into an import of OpenAPI and what comes out, without asking the importer.
#![allow(dead_code, reason = "each test uses what it needs")]

use mcpc::import::draft::{DraftSpec, DraftTool};
use mcpc::import::fidelity::Fidelity;
use mcpc::language::json::Json;
use std::collections::{BTreeMap, BTreeSet};

/// How many operations a document has.
pub fn operations(json: &Json) -> usize {
    let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    let items = json.get("paths").and_then(Json::as_object).unwrap();
    let members = items.iter().flat_map(|(_, item)| resolved(json, item).as_object().unwrap());
    members.filter(|(name, _)| methods.contains(&name.as_str())).count()
}

/// Values without members, and those of them that are empty lists and objects.
pub fn values(json: &Json) -> (usize, usize) {
    let inside: Vec<(usize, usize)> = match json {
        Json::Array(items) => items.iter().map(values).collect(),
        Json::Object(members) => members.iter().map(|(_, value)| values(value)).collect(),
        _ => return (1, 0),
    };
    if inside.is_empty() {
        return (1, 1);
    }
    inside.into_iter().fold((0, 0), |(all, empty), (more, more_empty)| (all + more, empty + more_empty))
}

/// The report counts every value of the document, and none twice. What is opened and empty has nothing to count.
pub fn assert_counted(json: &Json, fidelity: &Fidelity, name: &str) {
    let (all, empty) = values(json);
    let counted = fidelity.kept + fidelity.changed + fidelity.refused + fidelity.left_out;
    let notes = fidelity.findings.iter().filter(|finding| !finding.code.is_empty()).count();
    assert!(counted <= all + notes, "{name}: {counted} of {all} values are counted, some twice");
    assert!(counted + empty >= all, "{name}: {counted} of {all} values are counted, some never");
}

/// Parameters and members of bodies that are in no tool, and that no finding names.
pub fn lost(json: &Json, specs: &[DraftSpec], fidelity: &Fidelity) -> Vec<String> {
    let told: BTreeSet<&str> = fidelity
        .findings
        .iter()
        // These are about something else of what is around them.
        .filter(|finding| {
            !["", "optional-body", "alternatives", "description-changed"].contains(&finding.code)
        })
        .map(|finding| finding.place.as_str())
        .collect();
    let is_told = |place: &str| {
        let mut place = Some(place);
        while let Some(here) = place {
            if told.contains(here) {
                return true;
            }
            place = here.rsplit_once('/').map(|(above, _)| above).filter(|above| above.len() > 1);
        }
        false
    };
    let mut lost = Vec::new();
    for tool in specs.iter().flat_map(|spec| &spec.tools) {
        let named = wire_names(tool);
        for (place, where_, name) in parameters(json, &tool.place) {
            let is_there = named.contains(&(where_.clone(), plain(&name))) || sent_by_auth(json, &name);
            if !is_there && !is_told(&place) {
                lost.push(format!("{}: the parameter `{name}` in {where_}", tool.place));
            }
        }
        for (place, name) in body_members(json, &tool.place) {
            let is_there = named.contains(&("body".to_owned(), plain(&name)));
            let is_whole =
                tool.body.as_ref().is_some_and(|body| body.contains(':')) || tool.body_template.is_some();
            if !is_there && !is_whole && !is_told(&place) {
                lost.push(format!("{}: the member `{name}` of its body", tool.place));
            }
        }
    }
    lost
}

/// Where the arguments of a tool go, and what they are called there.
fn wire_names(tool: &DraftTool) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for parameter in &tool.parameters {
        let wire = parameter.wire_name.as_ref().unwrap_or(&parameter.name);
        all.insert((parameter.position.unwrap_or("body").to_owned(), plain(wire)));
    }
    let placed: BTreeSet<&str> = tool.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let properties = tool.input_schema.as_ref().and_then(|schema| schema.get("properties"));
    for (name, _) in properties.and_then(Json::as_object).unwrap_or_default() {
        if !placed.contains(name.as_str()) {
            all.insert(("body".to_owned(), plain(name)));
        }
    }
    all
}

/// Names as far as cleaning leaves them: `filter[name]` is `filter_name`.
fn plain(name: &str) -> String {
    let spelt = name.replace('<', "lt").replace('>', "gt");
    spelt.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

fn sent_by_auth(json: &Json, name: &str) -> bool {
    let schemes = json.get("components").and_then(|all| all.get("securitySchemes"));
    let schemes = schemes.or_else(|| json.get("securityDefinitions")).and_then(Json::as_object);
    let mut keys = schemes.unwrap_or_default().iter().filter_map(|(_, scheme)| scheme.get("name")?.as_str());
    name.eq_ignore_ascii_case("authorization") || keys.any(|key| key.eq_ignore_ascii_case(name))
}

/// Place, position and name of each parameter of an operation.
fn parameters(json: &Json, place: &str) -> Vec<(String, String, String)> {
    let item = place.rsplit_once('/').unwrap().0;
    let item = reference_of(json, item).unwrap_or_else(|| item.to_owned());
    let mut all: BTreeMap<(String, String), String> = BTreeMap::new();
    for home in [item.as_str(), place] {
        let Some(list) = at(json, home).and_then(|home| home.get("parameters")?.as_array()) else { continue };
        for (number, _) in list.iter().enumerate() {
            let mut place = format!("{home}/parameters/{number}");
            while let Some(target) = reference_of(json, &place) {
                place = target;
            }
            let Some(parameter) = at(json, &place) else { continue };
            let text = |name: &str| parameter.get(name).and_then(Json::as_str);
            if let (Some(name), Some(where_ @ ("path" | "query" | "header" | "cookie"))) =
                (text("name"), text("in"))
            {
                all.insert((where_.to_owned(), name.to_owned()), place);
            }
        }
    }
    all.into_iter().map(|((where_, name), place)| (place, where_, name)).collect()
}

/// Place and name of each member of a JSON body that a caller may set.
fn body_members(json: &Json, place: &str) -> Vec<(String, String)> {
    let mut body = format!("{place}/requestBody");
    while let Some(target) = reference_of(json, &body) {
        body = target;
    }
    let mut all = Vec::new();
    gather(json, &format!("{body}/content/application~1json/schema"), &mut all, 0);
    all
}

fn gather(json: &Json, place: &str, all: &mut Vec<(String, String)>, depth: usize) {
    if depth > 8 {
        return;
    }
    if let Some(target) = reference_of(json, place) {
        return gather(json, &target, all, depth + 1);
    }
    let Some(schema) = at(json, place) else { return };
    for (name, property) in schema.get("properties").and_then(Json::as_object).unwrap_or_default() {
        if property.get("readOnly") != Some(&Json::Bool(true)) {
            all.push((format!("{place}/properties/{}", escaped(name)), name.clone()));
        }
    }
    for number in 0..schema.get("allOf").and_then(Json::as_array).unwrap_or_default().len() {
        gather(json, &format!("{place}/allOf/{number}"), all, depth + 1);
    }
}

/// Where a `$ref` leads, as a pointer.
fn reference_of(json: &Json, place: &str) -> Option<String> {
    let target = at(json, place)?.get("$ref")?.as_str()?.strip_prefix('#')?;
    Some(target.to_owned())
}

fn resolved<'j>(json: &'j Json, value: &'j Json) -> &'j Json {
    let target =
        value.get("$ref").and_then(Json::as_str).and_then(|target| at(json, target.strip_prefix('#')?));
    target.unwrap_or(value)
}

fn at<'j>(json: &'j Json, pointer: &str) -> Option<&'j Json> {
    let mut value = json;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        value = match value {
            Json::Array(items) => items.get(step.parse::<usize>().ok()?)?,
            other => other.get(&step)?,
        };
    }
    Some(value)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
