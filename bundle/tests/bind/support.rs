//! A small language for plans, so that a binding test is a few lines.
//!
//! Checks are written as JSON Schema; `{name}` in a path is a parameter, `${NAME}` anywhere a variable.

use crate::built::Built;
use mcp_bundle::bind::Limits;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::plan::*;
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::wire_enums::{BodyKind, BodyOpKind, Method, PartKind, Position, Scheme, Style, ValueFormat};
use serde_json::{Value, json as tree};

pub struct Tool {
    strings: PoolBuilder,
    manifest: Manifest,
    plan: ToolPlan,
    http: HttpPlan,
    path: String,
    parameters: Vec<(String, Parameter, Option<String>)>,
    fixed: Vec<(Position, String, String)>,
    whole: Option<String>,
    /// The arguments as JSON Schema has them, for a validator that knows nothing of plans.
    published: serde_json::Map<String, Value>,
    takes_others: Value,
    is_lenient: bool,
    /// Parameters of base64 in a multipart body.
    files: Vec<String>,
}

pub fn tool(method: &str, path: &str) -> Tool {
    let mut strings = PoolBuilder::new();
    let http = HttpPlan {
        upstream: 0,
        method: Method::from_word(method).unwrap(),
        path: Vec::new(),
        query: Vec::new(),
        headers: Vec::new(),
        cookies: Vec::new(),
        body: BodyPlan { kind: BodyKind::None, content_type: None, ops: Vec::new(), whole: None },
    };
    let plan = ToolPlan {
        name: strings.intern("get_order"),
        toolset: 0,
        backend: Backend::Http(http.clone()),
        parameters: Vec::new(),
        additional: None,
        checks: Vec::new(),
        schema: None,
        policy: 0,
        response: ResponsePlan::default(),
    };
    Tool {
        strings,
        manifest: Manifest::default(),
        plan,
        http,
        path: path.to_owned(),
        parameters: Vec::new(),
        fixed: Vec::new(),
        whole: None,
        published: serde_json::Map::new(),
        takes_others: Value::Bool(false),
        is_lenient: false,
        files: Vec::new(),
    }
}

impl Tool {
    /// A parameter. Beside JSON Schema, `check` may hold `required`, `default`, `style`, `sensitive`, `file`
    /// and `wire` (a dotted name nests).
    pub fn with(mut self, position: &str, name: &str, check: Value) -> Tool {
        let node = self.node(&check);
        let mut published = check.clone();
        // What `required` means here is nothing that JSON Schema knows, unless it is a list of members.
        if published.get("required").is_some_and(Value::is_boolean) {
            published.as_object_mut().unwrap().remove("required");
        }
        self.published.insert(name.to_owned(), published);
        let default = check.get("default").map(|value| self.strings.intern(&value.to_string()));
        let style = check.get("style").map_or("repeat", |style| style.as_str().unwrap());
        let parameter = Parameter {
            name: self.strings.intern(name),
            position: Position::from_word(position).unwrap(),
            style: Style::from_word(style).unwrap(),
            required: check.get("required") == Some(&Value::Bool(true)),
            default,
            check: node,
            sensitive: check.get("sensitive").is_some(),
            mcp_header: None,
        };
        if check.get("file").is_some() {
            self.files.push(name.to_owned());
        }
        let wire = check.get("wire").map(|wire| wire.as_str().unwrap().to_owned());
        self.parameters.push((name.to_owned(), parameter, wire));
        self
    }

    /// A value that the caller does not see; in a JSON body it is a string.
    pub fn fixed(mut self, position: &str, name: &str, value: &str) -> Tool {
        self.fixed.push((Position::from_word(position).unwrap(), name.to_owned(), value.to_owned()));
        self
    }

    pub fn body(mut self, kind: &str) -> Tool {
        let (kind, content_type) = match kind {
            "json" => (BodyKind::Json, "application/json"),
            "form" => (BodyKind::Form, "application/x-www-form-urlencoded"),
            "multipart" => (BodyKind::Multipart, MULTIPART_TYPE),
            bytes if bytes.starts_with("bytes:") => {
                self.whole = Some(bytes["bytes:".len()..].to_owned());
                (BodyKind::Bytes, "application/octet-stream")
            }
            whole => {
                self.whole = Some(whole.to_owned());
                (BodyKind::Whole, "text/plain")
            }
        };
        self.http.body.kind = kind;
        self.http.body.content_type = Some(self.strings.intern(content_type));
        self
    }

    pub fn additional(mut self, check: Value) -> Tool {
        self.plan.additional = Some(self.node(&check));
        self.takes_others = check;
        self
    }

    /// Takes what can be converted; then what is accepted is more than what is published.
    pub fn lenient(mut self) -> Tool {
        self.is_lenient = true;
        self
    }

    pub fn schema(mut self, schema: Value) -> Tool {
        self.plan.schema = Some(self.manifest.schemas.len() as u32);
        self.manifest.schemas.push(self.strings.intern(&schema.to_string()));
        self
    }

    pub fn build(mut self) -> Built {
        self.parameters.sort_by(|a, b| a.0.cmp(&b.0));
        self.plan.parameters = self.parameters.iter().map(|(_, parameter, _)| parameter.clone()).collect();
        let path = self.path.clone();
        self.http.path = self.parts(&path, |text| text.to_owned());
        for (position, name, value) in std::mem::take(&mut self.fixed) {
            if position == Position::Body && self.http.body.kind == BodyKind::Multipart {
                let parts = self.parts(&value, |text| text.to_owned());
                self.part(&name, false, parts);
                continue;
            }
            if position == Position::Body && self.http.body.kind == BodyKind::Json {
                let parts = self.parts(&format!("\"{value}\""), |text| text.to_owned());
                self.json_field(&name, parts);
                continue;
            }
            let parts = self.parts(&value, |text| text.to_owned());
            self.place(position, &name, parts);
        }
        for index in 0..self.parameters.len() {
            let (name, parameter, wire) = self.parameters[index].clone();
            let parts = vec![Part::parameter(index as u32)];
            let wire = wire.unwrap_or(name.clone());
            match (parameter.position, self.http.body.kind) {
                (Position::Path, _) => {}
                (Position::Body, BodyKind::Json) => self.json_field(&wire, parts),
                (Position::Body, BodyKind::Multipart) => self.part(&wire, self.files.contains(&name), parts),
                (Position::Body, BodyKind::Whole | BodyKind::Bytes) => {
                    assert_eq!(self.whole.as_deref(), Some(name.as_str()));
                    self.http.body.whole = Some(index as u32);
                }
                (position, _) => self.place(position, &wire, parts),
            }
        }
        self.plan.backend = Backend::Http(self.http);
        let mut contents =
            Contents { manifest: self.manifest, tools: vec![self.plan], ..Contents::default() };
        contents.upstreams.push(Upstream {
            name: self.strings.intern("shop"),
            scheme: Scheme::Https,
            host: self.strings.intern("api.example.com"),
            port: 443,
            authority: self.strings.intern("api.example.com"),
            connect_timeout_ms: 1000,
            url: None,
            is_database: false,
        });
        contents.lenient.extend(self.is_lenient.then_some(0));
        contents.strings = self.strings.finish();
        let variables = contents.manifest.variables.len();
        let published = tree!({"properties": self.published, "additionalProperties": self.takes_others});
        Built {
            matchers: Matchers::new(&contents),
            published: jsonschema::validator_for(&published).ok().filter(|_| !self.is_lenient),
            contents,
            limits: Limits::default(),
            variables: vec!["s3cret".into(); variables],
            tenant_id: Some("acme"),
            principal_sub: Some("alice"),
        }
    }

    fn place(&mut self, position: Position, name: &str, value: Vec<Part>) {
        let placed = Placed { name: self.strings.intern(name), value: value.clone() };
        match position {
            Position::Query => self.http.query.push(placed),
            Position::Header => self.http.headers.push(placed),
            Position::Cookie => self.http.cookies.push(placed),
            _ => self.http.body.ops.push(BodyOp { kind: BodyOpKind::Field, name: placed.name, value }),
        }
    }

    fn part(&mut self, name: &str, is_file: bool, value: Vec<Part>) {
        let kind = if is_file { BodyOpKind::File } else { BodyOpKind::Field };
        let name = self.strings.intern(&format!("Content-Disposition: form-data; name=\"{name}\""));
        self.http.body.ops.push(BodyOp { kind, name, value });
    }

    fn json_field(&mut self, wire: &str, value: Vec<Part>) {
        let names: Vec<StrId> =
            wire.split('.').map(|name| self.strings.intern(&format!("\"{name}\":"))).collect();
        let (last, outer) = names.split_last().unwrap();
        let ops = &mut self.http.body.ops;
        let empty = self.strings.intern("");
        ops.extend(outer.iter().map(|&name| BodyOp { kind: BodyOpKind::Open, name, value: Vec::new() }));
        ops.push(BodyOp { kind: BodyOpKind::Field, name: *last, value });
        ops.extend(outer.iter().map(|_| BodyOp { kind: BodyOpKind::Close, name: empty, value: Vec::new() }));
    }

    fn parts(&mut self, template: &str, encode: fn(&str) -> String) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            let close = open + rest[open..].find('}').unwrap();
            let name = &rest[open + 1..close];
            let variable = rest[..open].ends_with('$');
            let literal = rest[..open].trim_end_matches('$');
            if !literal.is_empty() {
                parts.push(Part::literal(self.strings.intern(&encode(literal))));
            }
            parts.push(match (variable, name) {
                (true, "tenant.id") => Part { kind: PartKind::TenantId, id: 0 },
                (true, "principal.sub") => Part { kind: PartKind::PrincipalSub, id: 0 },
                (true, name) => {
                    self.manifest.variables.push(self.strings.intern(name));
                    Part::variable(self.manifest.variables.len() as u32 - 1)
                }
                (false, name) => {
                    let index = self.parameters.iter().position(|(parameter, ..)| parameter == name);
                    Part::parameter(index.unwrap() as u32)
                }
            });
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(Part::literal(self.strings.intern(&encode(rest))));
        }
        parts
    }

    fn node(&mut self, schema: &Value) -> u32 {
        let number = |name: &str| schema.get(name).map(|value| value.as_u64().unwrap() as u32);
        let has = |names: &[&str]| names.iter().any(|name| schema.get(name).is_some());
        let types =
            match schema.get("type") {
                None => TypeSet::ANY,
                Some(Value::String(name)) => TypeSet::from_name(name).unwrap(),
                Some(names) => names.as_array().unwrap().iter().fold(TypeSet(0), |set, name| {
                    set.union(TypeSet::from_name(name.as_str().unwrap()).unwrap())
                }),
            };
        let mut check = Check { types, ..Check::default() };
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            check.enumeration.push(self.strings.intern(&value.to_string()));
        }
        let mut bound = |name: &str| schema.get(name).map(|value| self.strings.intern(&value.to_string()));
        let number_check = NumberCheck {
            minimum: bound("minimum"),
            exclusive_minimum: bound("exclusiveMinimum"),
            maximum: bound("maximum"),
            exclusive_maximum: bound("exclusiveMaximum"),
        };
        check.number = (number_check != NumberCheck::default()).then_some(number_check);
        let pattern = schema.get("pattern").map(|pattern| {
            self.manifest.patterns.push(self.strings.intern(pattern.as_str().unwrap()));
            self.manifest.patterns.len() as u32 - 1
        });
        check.string = has(&["minLength", "maxLength", "pattern", "format"]).then(|| StringCheck {
            min_length: number("minLength"),
            max_length: number("maxLength"),
            pattern,
            format: schema.get("format").and_then(|format| ValueFormat::from_word(format.as_str().unwrap())),
        });
        if has(&["items", "minItems", "maxItems"]) {
            let items = schema.get("items").map(|items| self.node(items));
            check.array =
                Some(ArrayCheck { min_items: number("minItems"), max_items: number("maxItems"), items });
        }
        if has(&["properties", "additionalProperties", "minProperties", "maxProperties"]) {
            check.object = Some(self.object(schema));
        }
        self.plan.checks.push(check);
        self.plan.checks.len() as u32 - 1
    }

    fn object(&mut self, schema: &Value) -> ObjectCheck {
        let number = |name: &str| schema.get(name).map(|value| value.as_u64().unwrap() as u32);
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut properties = Vec::new();
        // `serde_json` keeps members sorted.
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            properties.push(Property {
                check: self.node(schema),
                name: self.strings.intern(name),
                required: required.iter().any(|required| required == name),
            });
        }
        let additional = schema.get("additionalProperties");
        ObjectCheck {
            properties,
            closed: additional == Some(&Value::Bool(false)),
            additional: additional.filter(|check| check.is_object()).map(|check| self.node(check)),
            min_properties: number("minProperties"),
            max_properties: number("maxProperties"),
        }
    }
}
