//! One tool of the plugin.

use super::super::{ENCODED, literal, object_schema, without_secret};
use super::entities::{Entities, Plugin, paths, service_url};
use super::{ACL_DROPPED, ANSWER_NOT_CHECKED, FORM_FLATTENED, GATEWAY_HOST};
use crate::import::codes;
use crate::import::draft::{DraftParameter, DraftTool};
use crate::import::{Fate, Ledger};
use crate::language::json::Json;
use crate::language::names;

pub struct Context<'a, 'd> {
    pub ledger: &'a Ledger<'d>,
    pub entities: &'a Entities<'d>,
    pub plugin: &'a Plugin<'d>,
    /// From 1.
    pub number: usize,
}

/// What a tool's arguments are, as they are collected.
#[derive(Default)]
struct Arguments {
    properties: Vec<(String, Json)>,
    required: Vec<String>,
}

const HINTS: [(&str, &str); 4] = [
    ("read_only_hint", "readOnlyHint"),
    ("destructive_hint", "destructiveHint"),
    ("idempotent_hint", "idempotentHint"),
    ("open_world_hint", "openWorldHint"),
];

impl<'d> Context<'_, 'd> {
    /// Fills the tool; gives the URL of its upstream.
    pub fn read(&self, value: &'d Json, tool: &mut DraftTool) -> Result<String, String> {
        let Context { ledger, plugin, .. } = *self;
        ledger.members_of(value).ok_or("it is not an object")?;
        self.annotations(value, tool);
        let named = ledger.text(value, "name").map(str::to_owned).or_else(|| tool.title.clone());
        let route = plugin.route_name().or_else(|| plugin.service_name()).unwrap_or("kong");
        tool.name = named.unwrap_or_else(|| format!("{route}-{}", self.number));
        tool.description = ledger.text(value, "description").map(str::to_owned);
        let methods =
            plugin.route.and_then(|route| route.get("methods")).and_then(Json::as_array).unwrap_or_default();
        let method = ledger.text(value, "method").or_else(|| methods.first()?.as_str());
        tool.method = Some(method.ok_or("neither the tool nor its route has a method")?.to_ascii_uppercase());
        for key in ["scheme", "host"] {
            if let Some(written) = value.get(key) {
                ledger.change(written, &GATEWAY_HOST, "the tool calls the service itself, past the gateway");
            }
        }
        if let Some(acl) = value.get("acl") {
            ledger.refuse(
                acl,
                &ACL_DROPPED,
                "give the tool `scopes`, or show it to some tenants only (docs/OPERATIONS.md)",
            );
        }
        if let Some(responses) = value.get("responses") {
            ledger.leave_out(
                responses,
                &ANSWER_NOT_CHECKED,
                "Kong only described the answer; write an `output_schema` to have it checked",
            );
        }
        let (url, path) = self.place(value)?;
        let mut arguments = Arguments::default();
        tool.endpoint = Some(self.parameters(value, &path, tool, &mut arguments)?);
        self.constants(value, tool);
        self.body(value, tool, &mut arguments)?;
        tool.input_schema = Some(object_schema(arguments.properties, arguments.required, false));
        Ok(url)
    }

    fn annotations(&self, value: &'d Json, tool: &mut DraftTool) {
        let Some(annotations) = self.ledger.object(value, "annotations") else { return };
        tool.title = self.ledger.text(annotations, "title").map(str::to_owned);
        for (theirs, ours) in HINTS {
            if let Some(hint) = self.ledger.boolean(annotations, theirs) {
                tool.hint(ours, hint);
            }
        }
    }

    /// The URL of the service, and the path below it. Kong's own path is that of the gateway.
    fn place(&self, value: &'d Json) -> Result<(String, String), String> {
        let Context { ledger, entities, plugin, .. } = *self;
        let of_route = plugin.route.and_then(|route| paths(route).next());
        let path = match ledger.text(value, "path") {
            Some(path) if path.starts_with('/') => path.to_owned(),
            Some(path) => format!("{}/{path}", of_route.unwrap_or_default().trim_end_matches('/')),
            None => of_route.ok_or("neither the tool nor its route has a path")?.to_owned(),
        };
        if let Some(c) = path.chars().find(|c| matches!(c, '?' | '#')) {
            return Err(format!("the path `{path}` has a `{c}`; write constants into `query`"));
        }
        let (route, service, prefix) = match entities.route_of(&path, plugin.route) {
            Some((route, service, prefix)) => (Some(route), service, prefix),
            None => (None, plugin.service, String::new()),
        };
        let service =
            service.or(plugin.service).ok_or_else(|| format!("no route takes `{path}` to a service"))?;
        let of_service = ["name", "url", "protocol", "host", "port", "path"].map(|key| service.get(key));
        let of_route =
            ["name", "paths", "methods", "strip_path"].map(|key| route.and_then(|route| route.get(key)));
        of_service.into_iter().chain(of_route).flatten().for_each(|used| ledger.keep(used));
        let url = service_url(service).ok_or("the service has neither a `url` nor a `host`")?;
        let strips = route.and_then(|route| route.get("strip_path")?.as_bool()).unwrap_or(true);
        let rest = if strips { path.strip_prefix(&prefix).unwrap_or(&path) } else { &path };
        let slash = if rest.is_empty() || rest.starts_with('/') { "" } else { "/" };
        Ok((url, if rest.is_empty() { "/".to_owned() } else { format!("{slash}{rest}") }))
    }

    /// Places the parameters; gives the path with the names of the arguments.
    fn parameters(
        &self,
        value: &'d Json,
        path: &str,
        tool: &mut DraftTool,
        arguments: &mut Arguments,
    ) -> Result<String, String> {
        let ledger = self.ledger;
        let mut endpoint = path.to_owned();
        for parameter in ledger.list(value, "parameters") {
            ledger.members_of(parameter).ok_or("a parameter is not an object")?;
            let name = ledger.text(parameter, "name").ok_or("a parameter has no name")?;
            let place =
                ledger.text(parameter, "in").ok_or_else(|| format!("parameter `{name}` has no `in`"))?;
            let place = ["path", "query", "header", "cookie"].into_iter().find(|known| *known == place);
            let place = place.ok_or_else(|| format!("parameter `{name}` is in no place that exists"))?;
            let argument = format!("{place}_{name}");
            let mut schema = match parameter.get("schema") {
                Some(schema) => {
                    ledger.keep(schema);
                    modern(schema)
                }
                None => Json::Object(vec![("type".to_owned(), Json::string("string"))]),
            };
            if let (Some(description), Json::Object(members)) =
                (ledger.text(parameter, "description"), &mut schema)
                && members.iter().all(|(key, _)| key != "description")
            {
                members.push(("description".to_owned(), Json::string(description)));
            }
            for key in ["style", "explode", "example", "examples", "allowReserved", "deprecated"] {
                if let Some(written) = parameter.get(key) {
                    ledger.change(written, &ENCODED, "values are written in the usual style of their place");
                }
            }
            let is_required = ledger.boolean(parameter, "required").unwrap_or_default() || place == "path";
            if arguments.properties.iter().any(|(known, _)| *known == argument) {
                return Err(format!("parameter `{name}` is given twice"));
            }
            if is_required {
                arguments.required.push(argument.clone());
            }
            arguments.properties.push((argument.clone(), schema));
            if place == "path" {
                endpoint = endpoint.replace(&format!("{{{name}}}"), &format!("{{{argument}}}"));
            }
            tool.parameters.push(DraftParameter {
                name: argument,
                position: Some(place),
                wire_name: (place != "path").then(|| name.to_owned()),
                ..DraftParameter::default()
            });
        }
        Ok(endpoint)
    }

    /// Headers and query parameters that are always the same.
    fn constants(&self, value: &'d Json, tool: &mut DraftTool) {
        let ledger = self.ledger;
        for (key, position) in [("headers", "header"), ("query", "query")] {
            for (name, written) in ledger.members(value, key) {
                let texts: Vec<&Json> =
                    written.as_array().map_or_else(|| vec![written], |all| all.iter().collect());
                let [one] = texts.as_slice() else {
                    ledger.refuse(
                        written,
                        &codes::WRONG_KIND,
                        format!("`{name}` has several values, and a tool can send one"),
                    );
                    continue;
                };
                let text = one.as_str().map_or_else(|| one.to_text(), str::to_owned);
                let variable = names::variable(&[&tool.name, name], "API_KEY");
                let secret = match text.starts_with("{vault://") {
                    true => Some(format!("${{{variable}}}")),
                    false => without_secret(name, &text, &variable),
                };
                let text = match secret {
                    Some(replaced) => {
                        let why = format!("`{name}` has `${{{variable}}}` instead of its secret");
                        ledger.change(written, &codes::SECRET_REPLACED, why);
                        replaced
                    }
                    None => {
                        ledger.keep(written);
                        literal(&text)
                    }
                };
                if position == "header" {
                    tool.headers.push((name.clone(), text));
                } else {
                    tool.parameters.push(DraftParameter {
                        name: format!("fixed_{name}"),
                        wire_name: Some(name.clone()),
                        position: Some("query"),
                        value: Some(Json::String(text)),
                        ..DraftParameter::default()
                    });
                }
            }
        }
    }

    fn body(&self, value: &'d Json, tool: &mut DraftTool, arguments: &mut Arguments) -> Result<(), String> {
        let ledger = self.ledger;
        let Some(body) = ledger.object(value, "request_body") else { return Ok(()) };
        let is_required = ledger.boolean(body, "required").unwrap_or_default();
        if let Some(description) = body.get("description") {
            ledger.keep(description);
        }
        let content = ledger.members(body, "content");
        let find =
            |kind: &str| content.iter().find(|(name, _)| name.split(';').next().map(str::trim) == Some(kind));
        let (is_form, chosen) = match (find("application/json"), find("application/x-www-form-urlencoded")) {
            (Some((_, media)), _) => (false, media),
            (None, Some((_, media))) => (true, media),
            (None, None) => return Err("the body is neither JSON nor a form".to_owned()),
        };
        for (name, media) in content.iter().filter(|(_, media)| !std::ptr::eq(media, chosen)) {
            ledger.leave_out(
                media,
                &codes::NOT_USED,
                format!("the tool sends one kind of body, and not `{name}`"),
            );
        }
        ledger.keep(chosen);
        let schema = chosen.get("schema").map_or_else(|| Json::Object(Vec::new()), modern);
        if !is_form {
            tool.body = Some("whole:body".to_owned());
            tool.parameters.push(DraftParameter {
                name: "body".to_owned(),
                position: Some("body"),
                ..DraftParameter::default()
            });
            arguments.properties.push(("body".to_owned(), schema));
            arguments.required.extend(is_required.then(|| "body".to_owned()));
            return Ok(());
        }
        ledger.note(
            &tool.place,
            Fate::Changed,
            &FORM_FLATTENED,
            "the fields of the form are arguments now, beside the others",
        );
        tool.body = Some("form".to_owned());
        let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
        for (name, property) in schema.get("properties").and_then(Json::as_object).unwrap_or_default() {
            if required.iter().any(|known| known.as_str() == Some(name)) && is_required {
                arguments.required.push(name.clone());
            }
            arguments.properties.push((name.clone(), property.clone()));
            let position = Some("body");
            tool.parameters.push(DraftParameter {
                name: name.clone(),
                position,
                ..DraftParameter::default()
            });
        }
        Ok(())
    }
}

/// A schema of OpenAPI 3.0 as JSON Schema has it.
pub fn modern(schema: &Json) -> Json {
    match schema {
        Json::Array(items) => Json::Array(items.iter().map(modern).collect()),
        Json::Object(members) => {
            let is_nullable = schema.get("nullable") == Some(&Json::Bool(true));
            let is_exclusive = |key: &str| schema.get(key) == Some(&Json::Bool(true));
            let mut out: Vec<(String, Json)> = Vec::new();
            for (key, value) in members {
                let (key, value) = match (key.as_str(), value) {
                    ("nullable" | "example" | "xml" | "discriminator" | "externalDocs", _) => continue,
                    ("exclusiveMinimum" | "exclusiveMaximum", Json::Bool(_)) => continue,
                    ("minimum", value) if is_exclusive("exclusiveMinimum") => {
                        ("exclusiveMinimum", value.clone())
                    }
                    ("maximum", value) if is_exclusive("exclusiveMaximum") => {
                        ("exclusiveMaximum", value.clone())
                    }
                    ("type", Json::String(kind)) if is_nullable => {
                        ("type", Json::Array(vec![Json::string(kind), Json::string("null")]))
                    }
                    // Values of the data are no schemas.
                    (key @ ("default" | "enum" | "const" | "examples" | "required"), value) => {
                        (key, value.clone())
                    }
                    (key, value) => (key, modern(value)),
                };
                out.push((key.to_owned(), value));
            }
            Json::Object(out)
        }
        other => other.clone(),
    }
}
