//! Contents to write.
#![cfg(test)]

use ed25519_dalek::SigningKey;
use mcp_bundle::plan::*;
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::template::{
    Constant, ConstantKind, Destination, Field, NONE, Op, OpCode, Path, Program, Programs, Run, Shape, Spot,
    Step,
};
use mcp_bundle::wire_enums::*;

/// The feature bits of the sample.
pub const FEATURES: u64 = 6 + (1 << 8) + (1 << 9) + (1 << 10) + (1 << 11) + (1 << 12);

/// Contents and the pool they are built with.
#[derive(Default)]
pub struct Draft {
    pub contents: Contents,
    pool: PoolBuilder,
}

impl Draft {
    pub fn s(&mut self, text: &str) -> StrId {
        self.pool.intern(text)
    }

    pub fn literal(&mut self, text: &str) -> Part {
        Part::literal(self.s(text))
    }

    pub fn placed(&mut self, name: &str, value: Vec<Part>) -> Placed {
        Placed { name: self.s(name), value }
    }

    pub fn op(&mut self, kind: BodyOpKind, name: &str, value: Vec<Part>) -> BodyOp {
        BodyOp { kind, name: self.s(name), value }
    }

    pub fn parameter(&mut self, name: &str, position: Position) -> Parameter {
        Parameter {
            name: self.s(name),
            position,
            style: Style::Comma,
            required: true,
            default: None,
            check: 0,
            sensitive: false,
            mcp_header: None,
        }
    }

    /// Adds a tool that takes nothing and gets a path, and returns its index.
    pub fn tool(&mut self, name: &str, path: &str) -> usize {
        let tool_name = self.s(name);
        let http = HttpPlan {
            upstream: 0,
            method: Method::Get,
            path: vec![self.literal(path)],
            query: Vec::new(),
            headers: Vec::new(),
            cookies: Vec::new(),
            body: BodyPlan { kind: BodyKind::None, content_type: None, ops: Vec::new(), whole: None },
        };
        let tool = ToolPlan {
            name: tool_name,
            toolset: 0,
            backend: Backend::Http(http),
            parameters: Vec::new(),
            additional: None,
            checks: vec![Check { types: TypeSet::STRING, ..Check::default() }],
            schema: None,
            policy: 0,
            response: ResponsePlan::default(),
        };
        let text = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
        let end = text.len() as u32 - 1;
        let entry = ListEntry { text: self.s(&text), ends: [end; 5], modern: None };
        self.contents.tools.push(tool);
        self.contents.list.push(entry);
        self.contents.tools.len() - 1
    }

    pub fn finish(self) -> Contents {
        Contents { strings: self.pool.finish(), ..self.contents }
    }
}

/// The request of a tool that sends one.
pub fn http(tool: &mut ToolPlan) -> &mut HttpPlan {
    match &mut tool.backend {
        Backend::Http(plan) => plan,
        Backend::Mcp(plan) => &mut plan.request,
        Backend::Fixed(_) | Backend::Arguments(_) => panic!("no request"),
    }
}

/// What every bundle has: a name, a toolset, an upstream and a policy.
fn base() -> Draft {
    let mut d = Draft::default();
    d.contents.manifest.name = d.s("tiny");
    let toolset = Toolset { name: d.s("demo"), title: None, instructions: None };
    d.contents.manifest.toolsets.push(toolset);
    let upstream = Upstream {
        name: d.s("api"),
        scheme: Scheme::Http,
        host: d.s("127.0.0.1"),
        port: 9000,
        authority: d.s("127.0.0.1:9000"),
        connect_timeout_ms: 1000,
        url: None,
        is_database: false,
    };
    d.contents.upstreams.push(upstream);
    d.contents.policies.push(Policy {
        timeout_ms: 5000,
        retry_count: 2,
        idempotent: true,
        cache_seconds: 0,
        max_response_bytes: None,
        max_text_bytes: None,
        max_results: None,
        attempt_timeout_ms: None,
        scopes: Vec::new(),
    });
    d
}

/// The bundle of `docs/BUNDLE.md`.
pub fn tiny() -> Contents {
    let mut d = base();
    let ping = d.tool("ping", "/ping");
    d.contents.tools[ping].checks.clear();
    d.finish()
}

/// Every kind of thing that a bundle can hold. Tools, in order: `create_user` (JSON body), `fixed`,
/// `get_order` (path, query, template), `search` (form), `upload` (whole body), `wiki_search` (of an MCP server).
pub fn sample() -> Draft {
    let mut d = base();
    d.contents.release = Some(Release { version: d.s("1.4.0") });
    let manifest = Manifest {
        name: d.s("sample"),
        toolsets: vec![
            Toolset { name: d.s("demo"), title: Some(d.s("Démo")), instructions: None },
            Toolset { name: d.s("shop"), title: None, instructions: Some(d.s("Orders.")) },
        ],
        variables: vec![d.s("OTHER"), d.s("TOKEN")],
        patterns: vec![d.s("^[a-z]+$")],
        schemas: vec![d.s(r#"{"type":"object"}"#)],
    };
    d.contents.manifest = manifest;
    for (name, host, authority) in
        [("six", "2001:db8::1", "[2001:db8::1]"), ("https://id.example", "id.example", "id.example")]
    {
        let upstream = Upstream {
            name: d.s(name),
            scheme: Scheme::Https,
            host: d.s(host),
            port: 443,
            authority: d.s(authority),
            connect_timeout_ms: 1,
            url: None,
            is_database: false,
        };
        d.contents.upstreams.push(upstream);
    }
    d.contents.credentials = credentials(&mut d);
    d.contents.policies[0].scopes = vec![d.s("orders:read"), d.s("orders:write")];
    d.contents.templates = programs(&mut d);
    create_user(&mut d);
    fixed(&mut d);
    get_order(&mut d);
    search(&mut d);
    upload(&mut d);
    d.contents.policies[0].cache_seconds = 60;
    d.contents.limits = limits();
    d.contents.shared = shared();
    crate::servers::wiki(&mut d);
    d.contents.lenient = vec![0, 3];
    d
}

/// Of the second upstream, by exchange at the third; and of the third.
fn credentials(d: &mut Draft) -> Vec<Credential> {
    let server = TokenServer {
        upstream: 2,
        target: d.s("/oauth/token?v=2"),
        client_auth: ClientAuth::Post,
        scopes: vec![d.s("orders:read"), d.s("a")],
        audience: vec![d.literal("urn:"), Part::variable(0)],
    };
    let exchange = Credential {
        upstream: 1,
        kind: CredentialKind::Exchange,
        name: vec![d.literal("edge")],
        secret: vec![Part::variable(1)],
        server: Some(server),
    };
    let basic = Credential {
        upstream: 2,
        kind: CredentialKind::Basic,
        name: vec![Part::variable(0), d.literal("@shop")],
        secret: vec![Part::variable(1)],
        server: None,
    };
    vec![exchange, basic]
}

fn limits() -> LimitsPlan {
    let rate = RatePlan { calls: 60, seconds: 300, burst: 10, by_tenant: true };
    let cache = CachePlan { shared: true, stale_if_error_seconds: 300 };
    let places = PlacesPlan { in_flight: 20, queue: 100, queue_timeout_ms: 5000 };
    let breaker = BreakerPlan { failures: 3, ..BreakerPlan::DEFAULT };
    LimitsPlan {
        tools: vec![
            ToolLimits { tool: 1, rate: Some(rate), cache: None },
            ToolLimits { tool: 2, rate: Some(rate), cache: Some(cache) },
        ],
        upstreams: vec![
            UpstreamLimits { upstream: 0, places: Some(places), breaker: None },
            UpstreamLimits { upstream: 1, places: None, breaker: Some(breaker) },
        ],
    }
}

fn shared() -> SharedLimits {
    SharedLimits {
        rates: vec![SharedLimit { of: 2, when_away: WhenAway::Refuse }],
        places: vec![SharedLimit { of: 0, when_away: WhenAway::Share }],
    }
}

/// What `Order {{ .status }}` and a loop that does nothing compile to.
fn programs(d: &mut Draft) -> Programs {
    let status = d.s("status");
    let op = Op::new;
    Programs {
        programs: vec![Program {
            dialect: Dialect::Go,
            place: Destination::Text,
            ops: Run { start: 0, count: 8 },
            registers: 3,
            loops: 1,
            shape: 1,
            spots: Run { start: 0, count: 2 },
        }],
        ops: vec![
            op(OpCode::Literal, d.s("Order ").0, 0, 0),
            op(OpCode::Emit, 0, 1, 0),
            op(OpCode::Constant, 0, 0, 0),
            op(OpCode::Loop, 0, 5, 1),
            op(OpCode::Next, 0, 4, 1),
            op(OpCode::Branch, 0, 7, 0),
            op(OpCode::LoopItem, 0, 1, 0),
            op(OpCode::Drop, 0, 0, 0),
        ],
        paths: vec![Path { base: 0, steps: Run { start: 0, count: 1 } }],
        steps: vec![Step { key: status, field: 0 }],
        constants: vec![Constant { kind: ConstantKind::Number, text: d.s("3") }],
        shapes: vec![
            Shape { fields: Run::default(), items: NONE },
            Shape { fields: Run { start: 0, count: 1 }, items: NONE },
        ],
        fields: vec![Field::new(status, "status", 0)],
        spots: vec![Spot { op: 1, line: 1, column: 7 }, Spot { op: 3, line: 1, column: 30 }],
    }
}

fn create_user(d: &mut Draft) {
    let at = d.tool("create_user", "/");
    let headers = vec![
        placed_text(d, "accept", "application/json"),
        Placed { name: d.s("authorization"), value: vec![d.literal("Bearer "), Part::variable(1)] },
        d.placed("x-trace", vec![Part::parameter(3)]),
    ];
    let ops = vec![
        d.op(BodyOpKind::Field, "\"age\":", vec![Part::parameter(0)]),
        BodyOp {
            kind: BodyOpKind::Field,
            name: d.s("\"by\\n\":"),
            value: vec![d.literal("\"t-"), Part { kind: PartKind::TenantId, id: 0 }, d.literal("\"")],
        },
        d.op(BodyOpKind::Open, "\"profile\":", Vec::new()),
        d.op(BodyOpKind::Field, "\"name\":", vec![Part::parameter(1)]),
        d.op(BodyOpKind::Close, "", Vec::new()),
    ];
    let parameters = vec![
        Parameter {
            check: 1,
            required: false,
            default: Some(d.s("18")),
            ..d.parameter("age", Position::Body)
        },
        Parameter { check: 3, ..d.parameter("name", Position::Body) },
        d.parameter("session", Position::Cookie),
        d.parameter("trace", Position::Header),
    ];
    let number =
        NumberCheck { minimum: Some(d.s("-1.5e3")), maximum: Some(d.s("150")), ..Default::default() };
    let object = ObjectCheck {
        properties: vec![
            Property { name: d.s("a"), required: true, check: 0 },
            Property { name: d.s("b"), required: false, check: 1 },
        ],
        closed: false,
        additional: Some(2),
        min_properties: Some(1),
        max_properties: None,
    };
    let string = StringCheck {
        min_length: Some(1),
        max_length: None,
        pattern: Some(0),
        format: Some(ValueFormat::Email),
    };
    let checks = vec![
        Check { types: TypeSet::STRING, string: Some(string), ..Check::default() },
        Check { types: TypeSet::INTEGER, number: Some(number), ..Check::default() },
        Check { array: Some(ArrayCheck { items: Some(1), ..ArrayCheck::default() }), ..Check::default() },
        Check { types: TypeSet::OBJECT, object: Some(object), ..Check::default() },
    ];
    let cookies = vec![
        d.placed("session", vec![Part::parameter(2)]),
        Placed { name: d.s("sub"), value: vec![Part { kind: PartKind::PrincipalSub, id: 0 }] },
    ];
    let body =
        BodyPlan { kind: BodyKind::Json, content_type: Some(d.s("application/json")), ops, whole: None };
    let tool = &mut d.contents.tools[at];
    let request = http(tool);
    *request = HttpPlan { method: Method::Post, headers, cookies, body, ..request.clone() };
    *tool = ToolPlan { parameters, checks, additional: Some(0), schema: Some(0), ..tool.clone() };
}

fn fixed(d: &mut Draft) {
    let at = d.tool("fixed", "/");
    let answer = d.s("always this");
    let parameter = d.parameter("ignored", Position::Body);
    let tool = &mut d.contents.tools[at];
    tool.backend = Backend::Fixed(answer);
    tool.parameters.push(parameter);
}

fn get_order(d: &mut Draft) {
    let at = d.tool("get_order", "/");
    let path = vec![d.literal("/users/"), Part::parameter(2), d.literal("/orders/"), Part::parameter(1)];
    let query = vec![placed_text(d, "api%2Dversion", "2,3"), d.placed("details", vec![Part::parameter(0)])];
    let parameters = vec![
        Parameter {
            required: false,
            style: Style::Repeat,
            sensitive: true,
            mcp_header: Some(d.s("Details")),
            ..d.parameter("details", Position::Query)
        },
        Parameter { required: false, default: Some(d.s("\"1\"")), ..d.parameter("orderId", Position::Path) },
        d.parameter("userId", Position::Path),
    ];
    let enumeration = vec![d.s("\"a\""), d.s("null"), d.s("2.50")];
    let response = ResponsePlan {
        template: Some(0),
        error_template: Some(0),
        select: vec![d.s("items[].name")],
        output_schema: Some(0),
    };
    let text = d.s(r#"{"name":"get_order","title":"é","outputSchema":{}}"#);
    let modern = Some(d.s(r#"{"name":"get_order"}"#));
    d.contents.list[at] = ListEntry { text, ends: [19, 19, 32, 32, 50], modern };
    let tool = &mut d.contents.tools[at];
    let request = http(tool);
    *request = HttpPlan { upstream: 1, path, query, ..request.clone() };
    *tool = ToolPlan { parameters, response, toolset: 1, ..tool.clone() };
    tool.checks[0].enumeration = enumeration;
}

fn search(d: &mut Draft) {
    let at = d.tool("search", "/");
    let ops = vec![
        d.op(BodyOpKind::Field, "q+q", vec![Part::parameter(0)]),
        BodyOp { kind: BodyOpKind::Field, name: d.s("key"), value: vec![Part::variable(0)] },
    ];
    let parameter = d.parameter("q", Position::Body);
    let tool = &mut d.contents.tools[at];
    http(tool).method = Method::Post;
    http(tool).body = BodyPlan { kind: BodyKind::Form, content_type: None, ops, whole: None };
    tool.parameters.push(parameter);
}

fn upload(d: &mut Draft) {
    let at = d.tool("upload", "/");
    let parameter = d.parameter("data", Position::Body);
    let tool = &mut d.contents.tools[at];
    http(tool).method = Method::Put;
    http(tool).body = BodyPlan { kind: BodyKind::Whole, content_type: None, ops: Vec::new(), whole: Some(0) };
    tool.parameters.push(parameter);
}

fn placed_text(d: &mut Draft, name: &str, value: &str) -> Placed {
    Placed { name: d.s(name), value: vec![d.literal(value)] }
}

/// A key whose bytes are all `seed`.
pub fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}
