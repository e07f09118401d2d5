//! Answers: what a model needs of them, and what it is called.
//!
//! Of a fat answer, `select` keeps what tells things apart. The output schema says what is kept, and no more than that.

use super::api::Api;
use super::codes;
use super::examples;
use super::operations::Operation;
use super::view::{Kind, View, view};
use crate::import::Fate;
use crate::language::json::Json;

/// An answer with so few fields is kept as it is.
const THIN: usize = 12;
/// Fields of a thing that are kept, and those of a thing in a list.
const FIELDS: usize = 9;
const LIST_FIELDS: usize = 7;
/// Fields beside a list: how many there are, where the next page is.
const PAGE_FIELDS: usize = 5;
/// Things inside of a thing, and lists, of which the name is kept.
const INNER: usize = 2;
/// Elements of an example that are compared with the schema.
const EXAMPLE_ITEMS: usize = 50;
/// How deep fields are counted.
const MAX_DEPTH: usize = 6;

/// What becomes of the answer of an operation.
#[derive(Debug, Default)]
pub struct Answer {
    pub select: Vec<String>,
    pub output_schema: Option<Json>,
    /// A status, and the body that the document has for it.
    pub example: Option<(u64, Json)>,
    /// Fields that are kept, of how many.
    pub kept: Option<(usize, usize)>,
    /// The example lacks some of the fields that are kept.
    pub example_is_partial: bool,
}

/// What is kept of a value.
#[derive(Debug)]
enum Kept {
    /// Its types; none is any.
    Leaf(Vec<&'static str>),
    Object(Vec<(String, Kept)>),
    List(Box<Kept>),
}

pub fn read<'d>(api: &Api<'d>, operation: &Operation<'d>, with_select: bool) -> Answer {
    let ledger = &api.ledger;
    let mut answer = Answer::default();
    let responses = ledger.members(operation.node, "responses");
    let success = responses
        .iter()
        .filter(|(status, _)| status.starts_with('2'))
        .min_by_key(|(status, _)| status.parse::<u64>().unwrap_or(999))
        .or_else(|| responses.iter().find(|(status, _)| status == "default"));
    for (status, response) in responses {
        if Some(status) != success.map(|(status, _)| status) && !status.starts_with("x-") {
            let why = "an answer that is no success is shown as it is";
            ledger.change(response, &codes::OTHER_ANSWER, why);
        }
    }
    let Some((status, response)) = success else { return answer };
    let Ok(target) = api.resolve(response) else { return answer };
    let (schema, example) = json_of(api, target);
    let status = status.parse().unwrap_or(200);
    let length = |body: &Json| body.to_text().len();
    // Some documents have the text of an answer in a text.
    let example = example.map(|body| match body.as_str().and_then(Json::parse) {
        Some(inner) if !inner.is_scalar() => inner,
        _ => body,
    });
    if example.as_ref().is_some_and(|body| length(body) > examples::MAX_RESPONSE) {
        let why = "its response has more than 32 KiB, so it is in no example of the tool";
        ledger.note(&operation.place, Fate::Changed, &codes::EXAMPLE_TOO_LONG, why);
    }
    answer.example = example.filter(|body| length(body) <= examples::MAX_RESPONSE).map(|body| (status, body));
    let Some(schema) = schema else {
        account(api, target, "the answer is passed on as it is");
        return answer;
    };
    let body = answer.example.as_ref().map(|(_, body)| body);
    let root = view(api, schema);
    let all = count(api, &root, 0);
    if all <= THIN || !with_select {
        if all <= THIN && all > 0 {
            let kept = whole(api, &root, true, 0);
            answer.output_schema = kept.and_then(|kept| kept.kept_by(body)).map(|kept| kept.schema());
        }
        account(api, target, "the output schema says which fields there are");
        return answer;
    }
    let kept = choose(api, &root, true, FIELDS, 0);
    if let Some(kept) = kept.and_then(|kept| kept.kept_by(body)) {
        kept.paths("", &mut answer.select);
        answer.output_schema = Some(kept.schema());
        answer.example_is_partial = body.is_some_and(|body| !kept.is_in(&[body]));
        answer.kept = Some((answer.select.len(), all));
        let why = format!("`select` keeps {} of {all} fields", answer.select.len());
        account(api, target, &why);
    } else {
        account(api, target, "its fields are not known, so it is passed on as it is");
    }
    answer
}

fn account<'d>(api: &Api<'d>, response: &'d Json, why: &str) {
    for (_, member) in response.as_object().unwrap_or_default() {
        api.ledger.change(member, &codes::ANSWER, why);
    }
}

/// The schema and the example of a response that is JSON.
fn json_of<'d>(api: &Api<'d>, response: &'d Json) -> (Option<&'d Json>, Option<Json>) {
    // Swagger 2.
    if let Some(schema) = response.get("schema") {
        let named = response.get("examples").and_then(Json::as_object).unwrap_or_default();
        let example =
            named.iter().find(|(media, _)| media.contains("json")).map(|(_, example)| example.clone());
        return (Some(schema), example.or_else(|| examples::of_schema(api, Some(schema))));
    }
    let content = response.get("content").and_then(Json::as_object).unwrap_or_default();
    let is_json = |media: &str| media.contains("json") || media.starts_with("*/*");
    let best = content.iter().filter(|(media, _)| is_json(media)).min_by_key(|(media, _)| {
        (!media.starts_with("application/json"), media.contains("stream") || media.contains("ndjson"))
    });
    match best {
        // What is of any type and no object or list is most often plain text.
        Some((range, media)) if range.starts_with("*/*") && is_scalar(api, media) => (None, None),
        Some((_, media)) => (media.get("schema"), examples::of_media(api, media)),
        None => (None, None),
    }
}

fn is_scalar(api: &Api<'_>, media: &Json) -> bool {
    media.get("schema").is_some_and(|schema| matches!(view(api, schema).kind, Kind::Scalar))
}

/// How many fields there are in a value, up to a depth.
fn count(api: &Api<'_>, value: &View<'_>, depth: usize) -> usize {
    match value.kind {
        Kind::Scalar | Kind::Any => 1,
        // Lists lead back to themselves as objects do.
        _ if depth >= MAX_DEPTH => 1,
        Kind::List(items) => count(api, &view(api, items), depth + 1),
        Kind::Object => {
            let mut all = 0;
            for (_, schema) in &value.properties {
                all += count(api, &view(api, schema), depth + 1);
                if all > 500 {
                    break;
                }
            }
            all.max(1)
        }
    }
}

/// Everything of a value that has few fields.
fn whole(api: &Api<'_>, value: &View<'_>, is_sure: bool, depth: usize) -> Option<Kept> {
    if depth > MAX_DEPTH {
        return Some(Kept::Leaf(Vec::new()));
    }
    match value.kind {
        Kind::Scalar => Some(Kept::Leaf(value.leaf(is_sure))),
        Kind::Any if depth == 0 => None,
        Kind::Any => Some(Kept::Leaf(Vec::new())),
        // A list or an object that may be missing may be `null`, too, so nothing is said of it.
        _ if depth > 0 && (value.is_nullable || !is_sure) => Some(Kept::Leaf(Vec::new())),
        Kind::List(items) => {
            let inner = whole(api, &view(api, items), true, depth + 1).unwrap_or(Kept::Leaf(Vec::new()));
            Some(Kept::List(Box::new(inner)))
        }
        Kind::Object => {
            let each = value.properties.iter().map(|(name, schema)| {
                let inner = whole(api, &view(api, schema), value.is_required(name), depth + 1);
                ((*name).to_owned(), inner.unwrap_or(Kept::Leaf(Vec::new())))
            });
            let each: Vec<(String, Kept)> = each.collect();
            (!each.is_empty() || depth > 0).then_some(Kept::Object(each))
        }
    }
}

/// The fields of a fat value that tell things apart.
fn choose(api: &Api<'_>, value: &View<'_>, is_sure: bool, fields: usize, depth: usize) -> Option<Kept> {
    if depth > MAX_DEPTH {
        return None;
    }
    match value.kind {
        Kind::Scalar => Some(Kept::Leaf(value.leaf(is_sure))),
        Kind::Any => None,
        Kind::List(items) => {
            let inner = choose(api, &view(api, items), true, LIST_FIELDS.min(fields), depth + 1)?;
            Some(Kept::List(Box::new(inner)))
        }
        Kind::Object => of_object(api, value, fields, depth),
    }
}

fn of_object(api: &Api<'_>, value: &View<'_>, fields: usize, depth: usize) -> Option<Kept> {
    let views: Vec<(&str, View<'_>)> =
        value.properties.iter().map(|(name, schema)| (*name, view(api, schema))).collect();
    // A page of things: the list is what was asked for.
    let list = views
        .iter()
        .filter(|(_, view)| matches!(view.kind, Kind::List(items) if super::view::is_object(api, items)))
        .max_by_key(|(name, view)| (is_page_name(name), count(api, view, 0), std::cmp::Reverse(*name)));
    let is_page = depth == 0
        && list.is_some_and(|(name, view)| {
            is_page_name(name)
                || 2 * count(api, view, 0) > views.iter().map(|(_, view)| count(api, view, 0)).sum()
        });
    let scalars = if is_page { PAGE_FIELDS } else { fields };
    let mut ranked: Vec<(usize, i32)> = views
        .iter()
        .enumerate()
        .filter(|(_, (_, view))| matches!(view.kind, Kind::Scalar | Kind::Any) && !view.is_map)
        .map(|(index, (name, _))| (index, score(name, value.is_required(name))))
        .collect();
    ranked.sort_by_key(|(index, score)| (-score, *index));
    let chosen: Vec<usize> =
        ranked.into_iter().filter(|(_, score)| *score > 0).take(scalars).map(|(index, _)| index).collect();
    let mut inner = 0;
    let mut kept = Vec::new();
    for (index, (name, view)) in views.iter().enumerate() {
        let is_sure = value.is_required(name);
        let one = match view.kind {
            _ if chosen.contains(&index) => Some(Kept::Leaf(view.leaf(is_sure))),
            _ if is_page && list.is_some_and(|(page, _)| page == name) => {
                choose(api, view, is_sure, fields, depth + 1)
            }
            Kind::Object | Kind::List(_) if inner < INNER && score(name, is_sure) > 0 => {
                let one = identity(api, view, 0);
                inner += usize::from(one.is_some());
                one
            }
            _ => None,
        };
        kept.extend(one.map(|one| ((*name).to_owned(), one)));
    }
    // Objects around the thing that was asked for.
    if kept.is_empty() && views.len() <= 4 {
        let each = views.iter().filter_map(|(name, view)| {
            Some(((*name).to_owned(), choose(api, view, value.is_required(name), fields, depth + 1)?))
        });
        kept = each.collect();
    }
    (!kept.is_empty()).then_some(Kept::Object(kept))
}

/// What a thing inside of another one is called.
fn identity(api: &Api<'_>, value: &View<'_>, depth: usize) -> Option<Kept> {
    match value.kind {
        Kind::List(items) if depth == 0 => Some(Kept::List(Box::new(identity(api, &view(api, items), 1)?))),
        // A list of texts is short enough.
        Kind::Scalar if depth == 1 => Some(Kept::Leaf(value.leaf(true))),
        Kind::Object => {
            let names = ["login", "name", "title", "full_name", "email", "slug", "key", "id", "gid", "sid"];
            let name = names.iter().find(|name| {
                let schema = value.properties.iter().find(|(own, _)| own == *name);
                schema.is_some_and(|(_, schema)| matches!(view(api, schema).kind, Kind::Scalar))
            })?;
            let schema = value.properties.iter().find(|(own, _)| own == name).map(|(_, schema)| *schema)?;
            let leaf = Kept::Leaf(view(api, schema).leaf(value.is_required(name)));
            Some(Kept::Object(vec![((*name).to_owned(), leaf)]))
        }
        _ => None,
    }
}

fn is_page_name(name: &str) -> bool {
    matches!(name, "data" | "items" | "results" | "values" | "records" | "entries" | "list" | "content")
}

/// How much a field says to a model; 0 or less is never kept.
fn score(name: &str, is_required: bool) -> i32 {
    let lower = name.to_ascii_lowercase();
    let ends = |all: &[&str]| all.iter().any(|end| lower.ends_with(end));
    let score = match lower.as_str() {
        "id" | "name" | "title" | "number" | "key" | "slug" | "login" | "full_name" | "sid" | "gid"
        | "sha" => 100,
        "state" | "status" | "type" | "kind" | "email" | "username" | "display_name" | "phone" | "ok" => 90,
        "has_more" | "next" | "next_page" | "next_cursor" | "next_page_uri" | "total" | "total_count"
        | "count" => 85,
        "description" | "summary" | "message" | "text" | "amount" | "currency" | "price" | "quantity"
        | "value" | "html_url" | "balance" | "error" | "body" | "content" | "path" | "color" | "version"
        | "result" => 80,
        "node_id" | "gravatar_id" | "object" | "livemode" | "etag" | "self" | "_links" | "links" | "href"
        | "resource_type" | "metadata" | "permissions" => return 0,
        "url" | "uri" => 30,
        _ if ends(&["_url", "_urls", "_uri", "_href"]) => return 0,
        _ if lower.starts_with('_') => return 0,
        _ if ends(&["_at", "_time", "_date", "_on"])
            || matches!(lower.as_str(), "created" | "updated" | "date") =>
        {
            70
        }
        _ if ends(&["_name", "_count", "_status", "_number"]) => 55,
        _ if ends(&["_id", "_sid"]) => 42,
        _ => 45,
    };
    score + i32::from(is_required)
}

impl Kept {
    /// The same, without what the document's own example contradicts; `None` if that is all of it.
    ///
    /// An answer that is not as the output schema says is an error for the caller, so where a document cannot keep its own word
    /// nothing is promised.
    fn kept_by(self, example: Option<&Json>) -> Option<Kept> {
        let Some(example) = example else { return Some(self) };
        match (self, example) {
            (Kept::List(_) | Kept::Object(_), value) if value.is_scalar() => None,
            (Kept::List(inner), Json::Array(items)) => {
                let mut inner = *inner;
                for item in items.iter().take(EXAMPLE_ITEMS) {
                    inner = inner.kept_by(Some(item))?;
                }
                Some(Kept::List(Box::new(inner)))
            }
            (Kept::Object(members), Json::Object(_)) => {
                let each = members.into_iter().map(|(name, inner)| {
                    let kept = match example.get(&name) {
                        Some(value) => inner.kept_by(Some(value)).unwrap_or(Kept::Leaf(Vec::new())),
                        None => inner,
                    };
                    (name, kept)
                });
                Some(Kept::Object(each.collect()))
            }
            (Kept::Leaf(types), value) => {
                let name = value.type_name();
                let fits =
                    types.iter().any(|known| *known == name || (*known == "number" && name == "integer"));
                Some(Kept::Leaf(if fits { types } else { Vec::new() }))
            }
            _ => None,
        }
    }

    /// Whether some of these values together have all that is kept.
    fn is_in(&self, values: &[&Json]) -> bool {
        match self {
            Kept::Leaf(_) => !values.is_empty(),
            Kept::List(inner) => {
                let items: Vec<&Json> =
                    values.iter().filter_map(|value| value.as_array()).flatten().collect();
                inner.is_in(&items)
            }
            Kept::Object(members) => members.iter().all(|(name, inner)| {
                let of_name: Vec<&Json> = values.iter().filter_map(|value| value.get(name)).collect();
                inner.is_in(&of_name)
            }),
        }
    }

    /// The paths of `select`, in the order of the document.
    fn paths(&self, start: &str, out: &mut Vec<String>) {
        match self {
            Kept::Leaf(_) => out.push(start.to_owned()),
            Kept::List(inner) => inner.paths(&format!("{start}[]"), out),
            Kept::Object(members) => {
                for (name, inner) in members {
                    let dot = if start.is_empty() { "" } else { "." };
                    inner.paths(&format!("{start}{dot}{}", escaped(name)), out);
                }
            }
        }
    }

    fn schema(&self) -> Json {
        let of_type = |name: &str| vec![("type".to_owned(), Json::string(name))];
        match self {
            Kept::Leaf(types) => match types.as_slice() {
                [] => Json::Object(Vec::new()),
                [one] => Json::Object(of_type(one)),
                all => {
                    let names = all.iter().map(|name| Json::string(*name)).collect();
                    Json::Object(vec![("type".to_owned(), Json::Array(names))])
                }
            },
            Kept::List(inner) => {
                let mut members = of_type("array");
                members.push(("items".to_owned(), inner.schema()));
                Json::Object(members)
            }
            Kept::Object(inner) => {
                let mut members = of_type("object");
                let properties = inner.iter().map(|(name, inner)| (name.clone(), inner.schema()));
                members.push(("properties".to_owned(), Json::Object(properties.collect())));
                Json::Object(members)
            }
        }
    }
}

/// A name in a path of `select`.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if matches!(c, '.' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
