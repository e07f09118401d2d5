//! A small language for plans, so that a binding test is a few lines.
//!
//! Checks are written as JSON Schema; `{name}` in a path is a parameter, `${NAME}` anywhere a variable.

use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{
    Arguments, BindError, Binder, Limits, PreparedTools, ProblemKind, Request, Scratch, UNEXPLAINED, Values,
};
use mcp_bundle::envelope::{self, Body};
use mcp_bundle::json::{self, MAX_DEPTH, ScanError, ScanErrorKind, Tape};
use mcp_bundle::plan::*;
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::wire_enums::{BodyKind, BodyOpKind, Method, PartKind, Position, Scheme, Style, ValueFormat};
use serde::de::IgnoredAny;
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

/// A tool ready to be called.
pub struct Built {
    pub contents: Contents,
    pub matchers: Matchers,
    /// `None` for patterns that it does not know.
    published: Option<jsonschema::Validator>,
    pub limits: Limits,
    pub variables: Vec<Box<str>>,
    pub tenant_id: Option<&'static str>,
    pub principal_sub: Option<&'static str>,
}

#[derive(Debug, PartialEq)]
pub struct Bound {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
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

impl Built {
    pub fn plan(&self) -> &ToolPlan {
        &self.contents.tools[0]
    }

    pub fn prepared(&self) -> PreparedTools {
        PreparedTools::new(&self.contents, &self.variables, &self.limits)
    }

    pub fn bind(&self, arguments: &[u8], request: &mut Request) -> Result<(), BindError> {
        let Ok(text) = std::str::from_utf8(arguments) else {
            // A message that is not text has no arguments.
            assert!(envelope::read(arguments, MAX_DEPTH, 1, &mut None).is_err());
            return Err(BindError::unexplained("get_order"));
        };
        let prepared = self.prepared();
        let bound = self.bind_prepared(&prepared, &Arguments::of_text(text), request);
        if let Err(error) = &bound {
            assert!(!error.problems.is_empty(), "{text}");
            assert!(error.problems.iter().all(|problem| problem.message != UNEXPLAINED), "{text}");
        }
        self.assert_same_of_a_message(&prepared, text, &bound, request);
        // Others cost too much time in tests that look at time.
        if bound.is_ok() && text.len() < 100_000 {
            self.assert_same_of_a_caller_with_variables(&prepared, text, request);
            self.assert_published(text);
        }
        bound
    }

    fn values(&self) -> Values<'_> {
        Values { tenant_id: self.tenant_id, principal_sub: self.principal_sub, ..Values::default() }
    }

    fn bind_prepared(
        &self,
        prepared: &PreparedTools,
        arguments: &Arguments<'_>,
        request: &mut Request,
    ) -> Result<(), BindError> {
        let (contents, matchers, limits) = (&self.contents, &self.matchers, &self.limits);
        let mut binder = Binder { contents, matchers, limits, scratch: &mut Scratch::default() };
        binder.bind(prepared.find("get_order").unwrap(), arguments, &self.values(), request)
    }

    /// Fixed headers are ready for those whose variables are the bundle's; who has others gets the same from the same values.
    fn assert_same_of_a_caller_with_variables(
        &self,
        prepared: &PreparedTools,
        arguments: &str,
        request: &Request,
    ) {
        let (contents, matchers, limits) = (&self.contents, &self.matchers, &self.limits);
        let mut binder = Binder { contents, matchers, limits, scratch: &mut Scratch::default() };
        let values = Values { variables: Some(&self.variables), ..self.values() };
        let (tool, mut same) = (prepared.find("get_order").unwrap(), Request::new());
        binder.bind(tool, &Arguments::of_text(arguments), &values, &mut same).unwrap();
        assert_eq!(&same, request);
    }

    /// What is accepted is what the tool's published schema allows, says a validator that is not ours.
    fn assert_published(&self, arguments: &str) {
        // It cannot read all numbers, and takes those of many digits for others.
        let mut runs = arguments.split(|character: char| !character.is_ascii_digit() && character != '.');
        let Ok(value) = serde_json::from_str::<Value>(arguments) else { return };
        if runs.all(|digits| digits.len() < 16)
            && let Some(Err(error)) = self.published.as_ref().map(|schema| schema.validate(&value))
        {
            panic!("{arguments} is bound, but {error}");
        }
    }

    /// A proxy reads arguments as part of a message: nothing else may come of it.
    fn assert_same_of_a_message(
        &self,
        prepared: &PreparedTools,
        arguments: &str,
        bound: &Result<(), BindError>,
        request: &Request,
    ) {
        // Invalid JSON can become valid inside a message.
        if serde_json::from_str::<IgnoredAny>(arguments).is_err() {
            return assert!(bound.is_err());
        }
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{arguments}}}}}"#
        );
        // Where a message may nest no deeper than its arguments may, its tape is used; else they are scanned again.
        for depth in [self.limits.depth + 2, MAX_DEPTH] {
            let mut place = None;
            let message = match envelope::read(body.as_bytes(), depth, 1, &mut place) {
                Ok(Body::One(message)) => message,
                // The scanner's two refusals; a message is two levels deeper than its arguments.
                Err(ScanError { kind: ScanErrorKind::LoneSurrogate | ScanErrorKind::TooDeep, .. }) => {
                    return assert!(bound.is_err());
                }
                other => panic!("{other:?}"),
            };
            let Some(read) = Arguments::of_params(&message.params) else {
                return assert_eq!(arguments.trim_ascii(), "null");
            };
            assert_eq!(read.text(), arguments.trim_ascii());
            let inside =
                Some(json::Value::of_valid(read.text())).filter(|value| value.kind == json::Kind::Object);
            let inside = inside.map_or(0, values_in);
            let places = message.params.argument_tape.all().map(<[_]>::len);
            assert_eq!(places, (inside <= Tape::MOST).then_some(inside));
            let mut same = Request::new();
            assert_eq!(&self.bind_prepared(prepared, &read, &mut same), bound);
            if bound.is_ok() {
                assert_eq!(&same, request);
            }
        }
    }

    /// The request for arguments that must be good.
    pub fn ok(&self, arguments: &str) -> Bound {
        let mut request = Request::new();
        self.bind(arguments.as_bytes(), &mut request).unwrap_or_else(|error| panic!("{error}"));
        Bound {
            url: request.url(&self.contents, self.plan()),
            headers: request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            body: request.body().map(|body| String::from_utf8(body.to_vec()).unwrap()),
        }
    }

    /// What follows the authority in the URL.
    pub fn target(&self, arguments: &str) -> String {
        self.ok(arguments).url.strip_prefix("https://api.example.com").unwrap().to_owned()
    }

    pub fn json_body(&self, arguments: &str) -> String {
        let body = self.ok(arguments).body.unwrap();
        json::Scanner::of_text(&body, 64).value().unwrap();
        body
    }

    pub fn header(&self, arguments: &str) -> Option<String> {
        self.ok(arguments).headers.first().map(|(_, value)| value.clone())
    }

    pub fn error(&self, arguments: &str) -> BindError {
        self.bind(arguments.as_bytes(), &mut Request::new()).unwrap_err()
    }

    /// The one problem with arguments that must have one.
    pub fn problem(&self, arguments: &str) -> (ProblemKind, String) {
        let error = self.error(arguments);
        assert_eq!(error.problems.len(), 1, "{error}");
        (error.problems[0].kind, error.problems[0].message.clone())
    }

    pub fn kind(&self, arguments: &str) -> ProblemKind {
        self.problem(arguments).0
    }
}

/// How many values there are inside a value, names of members included.
fn values_in(value: json::Value<'_>) -> usize {
    let elements: usize = json::elements(value).map(|element| 1 + values_in(element)).sum();
    let members: usize = json::members(value).map(|(_, member)| 2 + values_in(member)).sum();
    elements + members
}
