//! The section of MCP servers: what it may hold, and that a reader without it refuses the bundle.
#![cfg(test)]

use crate::container::message_of;
use crate::encoder::{assemble, features, sections};
use crate::rules::{NO_STRING, accepted, refused};
use crate::support::{Draft, sample};
use mcp_bundle::definition::canonical;
use mcp_bundle::format::{Features, Header, SectionId, Trust, read, write};
use mcp_bundle::plan::*;
use mcp_bundle::wire_enums::*;

/// Of the sample: the upstream and the tool of its MCP server.
const WIKI: usize = 3;
const SEARCH: usize = 5;

/// Adds a server over HTTP, upstream 3, and a tool of it.
pub fn wiki(d: &mut Draft) {
    let upstream = Upstream {
        name: d.s("wiki"),
        scheme: Scheme::Https,
        host: d.s("mcp.example"),
        port: 443,
        authority: d.s("mcp.example"),
        connect_timeout_ms: 1,
        url: None,
        is_database: false,
    };
    d.contents.upstreams.push(upstream);
    let at = d.tool("wiki_search", "/mcp");
    let Backend::Http(mut request) = d.contents.tools[at].backend.clone() else { panic!("an API") };
    request.upstream = WIKI as u32;
    request.method = Method::Post;
    request.headers = vec![d.placed("authorization", vec![Part::variable(1)])];
    let server = McpServer { transport: Transport::Http, request: request.clone(), program: None };
    d.contents.servers.push(server);
    request.body.kind = BodyKind::Json;
    request.body.ops = vec![d.op(BodyOpKind::Field, "\"q\":", vec![Part::parameter(0)])];
    let definition = serde_json::json!({"name": "search", "inputSchema": {"type": "object"}});
    let plan = McpPlan {
        server: 0,
        request,
        name: d.s("search"),
        definition: d.s(&canonical(&definition).unwrap()),
        on_drift: OnDrift::Refuse,
    };
    let parameter = d.parameter("q", Position::Body);
    let tool = &mut d.contents.tools[at];
    tool.backend = Backend::Mcp(Box::new(plan));
    tool.parameters.push(parameter);
}

/// Makes the server a child process.
fn program(d: &mut Draft) {
    let (empty, name) = (d.s(""), d.s("wiki"));
    let upstream = &mut d.contents.upstreams[WIKI];
    (upstream.scheme, upstream.port) = (Scheme::Stdio, 0);
    (upstream.host, upstream.authority) = (empty, empty);
    let server = &mut d.contents.servers[0];
    (server.transport, server.program) = (Transport::Stdio, Some(name));
}

/// Takes server and tool away, but not the upstream.
fn without(d: &mut Draft) {
    d.contents.servers.clear();
    d.contents.tools.remove(SEARCH);
    d.contents.list.remove(SEARCH);
}

fn plan(d: &mut Draft) -> &mut McpPlan {
    match &mut d.contents.tools[SEARCH].backend {
        Backend::Mcp(plan) => plan,
        other => panic!("{other:?}"),
    }
}

#[test]
fn they_are_written_and_read() {
    accepted(|_| {});
    accepted(|d| {
        d.contents.servers[0].transport = Transport::Sse;
        plan(d).on_drift = OnDrift::Warn;
    });
    accepted(program);
    let contents = sample().finish();
    let tool = &contents.tools[SEARCH];
    assert_eq!(contents.server_name(0), Some("wiki"));
    assert_eq!(tool.http(), None);
    assert_eq!(tool.request(), tool.mcp().map(|plan| &plan.request));
    assert!(tool.variables(&contents).any(|used| used.part == Part::variable(1)));
}

#[test]
fn a_bundle_without_any_has_neither_the_section_nor_the_feature() {
    let mut draft = sample();
    without(&mut draft);
    let contents = draft.finish();
    let bytes = write(&contents).unwrap();
    assert_eq!(read(&bytes, &Trust::Any).unwrap().contents, contents);
    let header = Header::parse(&bytes).unwrap();
    assert!(!header.features.contains(Features::MCP_SERVERS));
    assert!(header.sections.iter().all(|section| section.id != SectionId::Servers));
}

#[test]
fn the_section_stands_behind_its_feature() {
    let contents = sample().finish();
    let message = message_of(&assemble(features(&contents) - Features::MCP_SERVERS.0, &sections(&contents)));
    assert!(message.contains("section `mcp-servers` is of a feature that is not announced"), "{message}");
    let mut rows = sections(&contents);
    rows.retain(|row| row.id != SectionId::Servers.id());
    let message = message_of(&assemble(features(&contents), &rows));
    assert!(message.contains("section `mcp-servers` is missing"), "{message}");
}

#[test]
fn servers() {
    refused("MCP server 0: upstream 9 does not exist, there are 4", |d| {
        d.contents.servers[0].request.upstream = 9;
    });
    refused("MCP server 1: upstream 3 is duplicated or out of order", |d| {
        d.contents.servers.push(d.contents.servers[0].clone());
    });
    refused("MCP server 0: transport `stdio` over another scheme", |d| {
        d.contents.servers[0].transport = Transport::Stdio;
    });
    refused("MCP server 0: only a server over `stdio` has a program", |d| {
        d.contents.servers[0].program = Some(d.s("wiki"));
    });
    refused("MCP server 0: method `GET`", |d| d.contents.servers[0].request.method = Method::Get);
    refused("MCP server 0: a message of its own", |d| {
        d.contents.servers[0].request.body.kind = BodyKind::Json;
    });
    refused("MCP server 0: something of a call outside the body", |d| {
        d.contents.servers[0].request.headers[0].value = vec![Part { kind: PartKind::TenantId, id: 0 }];
    });
    refused("MCP server 0: the path does not begin with `/`", |d| {
        d.contents.servers[0].request.path.clear();
    });
}

#[test]
fn programs() {
    let refused = |expected: &str, edit: fn(&mut Draft)| {
        refused(expected, |d| {
            program(d);
            edit(d);
        });
    };
    refused("upstream 3: a program with a host, a port or a url", |d| d.contents.upstreams[WIKI].port = 1);
    refused("MCP server 0: transport `http` over another scheme", |d| {
        d.contents.servers[0].transport = Transport::Http;
    });
    refused("MCP server 0: only a server over `stdio` has a program", |d| {
        d.contents.servers[0].program = None;
    });
    refused("MCP server 0: a program without a name", |d| d.contents.servers[0].program = Some(d.s("")));
    refused("upstream 3: a program that is no MCP server", |d| {
        without(d);
    });
}

#[test]
fn tools() {
    let refused = |expected: &str, edit: fn(&mut Draft)| {
        refused(&format!("tool `wiki_search`: {expected}"), edit);
    };
    refused("MCP server 1 does not exist, there are 1", |d| plan(d).server = 1);
    refused("the upstream is not that of its MCP server", |d| {
        plan(d).request.upstream = 0;
    });
    refused("method `GET`", |d| plan(d).request.method = Method::Get);
    refused("something of a call outside the body", |d| {
        plan(d).request.headers[0].value = vec![Part { kind: PartKind::PrincipalSub, id: 0 }];
    });
    refused("the arguments are a body of kind `form`", |d| {
        let name = d.s("q");
        plan(d).request.body.kind = BodyKind::Form;
        plan(d).request.body.ops[0].name = name;
    });
    refused("name at its server is string 100000, which does not exist", |d| plan(d).name = NO_STRING);
    refused("the definition is not in its canonical form", |d| {
        let text = d.s(r#"{"name": "search"}"#);
        plan(d).definition = text;
    });
}
