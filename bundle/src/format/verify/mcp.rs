//! MCP servers and their tools.

use super::request::Request;
use super::scan::{Class, Scanner, name};
use super::shared::{Checked, ensure, index};
use super::{Invalid, Subject, at};
use crate::definition::is_canonical;
use crate::plan::{Contents, HttpPlan, McpPlan, McpServer};
use crate::wire_enums::{BodyKind, Method, PartKind, Scheme, Transport};

pub(super) fn servers(contents: &Contents) -> Result<(), Box<Invalid>> {
    let mut scanner = Scanner::new(&contents.strings);
    let mut last = None;
    for (number, server) in contents.servers.iter().enumerate() {
        let upstream = server.request.upstream;
        let ascends = last.replace(upstream).is_none_or(|last| last < upstream);
        ensure(ascends, || format!("upstream {upstream} is duplicated or out of order"))
            .and_then(|()| self::server(contents, &mut scanner, server))
            .map_err(at(Subject::Server(number)))?;
    }
    let is_server = |upstream: usize| {
        let key = |server: &McpServer| server.request.upstream as usize;
        contents.servers.binary_search_by_key(&upstream, key).is_ok()
    };
    for (number, upstream) in contents.upstreams.iter().enumerate() {
        ensure(upstream.scheme != Scheme::Stdio || is_server(number), || {
            "a program that is no MCP server".to_owned()
        })
        .map_err(at(Subject::Upstream(number)))?;
    }
    Ok(())
}

fn server(contents: &Contents, scanner: &mut Scanner<'_>, server: &McpServer) -> Checked {
    let McpServer { transport, request, program } = server;
    index(request.upstream, contents.upstreams.len(), "upstream")?;
    let scheme = contents.upstreams.get(request.upstream as usize).map(|upstream| upstream.scheme);
    let is_program = *transport == Transport::Stdio;
    ensure(is_program == (scheme == Some(Scheme::Stdio)), || {
        format!("transport `{transport}` over another scheme")
    })?;
    ensure(is_program == program.is_some(), || "only a server over `stdio` has a program".to_owned())?;
    if let Some(program) = program {
        let program = name(&contents.strings, *program, "program")?;
        ensure(!program.is_empty(), || "a program without a name".to_owned())?;
    }
    ensure(request.body.kind == BodyKind::None, || "a message of its own".to_owned())?;
    message(request)?;
    Request::new(contents, &[], request, scanner, &mut []).check()
}

/// What holds for all messages to a server: nothing of a caller is in them but the body.
fn message(request: &HttpPlan) -> Checked {
    ensure(request.method == Method::Post, || format!("method `{}`", request.method))?;
    ensure(request.cookies.is_empty(), || "cookies".to_owned())?;
    let named = request.query.iter().chain(&request.headers);
    let mut outside = request.path.iter().chain(named.flat_map(|placed| &placed.value));
    let is_fixed = outside.all(|part| matches!(part.kind, PartKind::Literal | PartKind::Variable));
    ensure(is_fixed, || "something of a call outside the body".to_owned())
}

/// What a tool at a server has beyond its request, which is checked like that of any tool.
pub(super) fn tool(contents: &Contents, scanner: &mut Scanner<'_>, plan: &McpPlan) -> Checked {
    let server = contents.servers.get(plan.server as usize);
    let Some(server) = server else { return index(plan.server, contents.servers.len(), "MCP server") };
    message(&plan.request)?;
    ensure(server.request.upstream == plan.request.upstream, || {
        "the upstream is not that of its MCP server".to_owned()
    })?;
    ensure(matches!(plan.request.body.kind, BodyKind::Json | BodyKind::Template), || {
        format!("the arguments are a body of kind `{}`", plan.request.body.kind)
    })?;
    name(&contents.strings, plan.name, "name at its server")?;
    let definition = scanner.text(plan.definition, Class::Json, "definition")?;
    ensure(is_canonical(definition), || "the definition is not in its canonical form".to_owned())
}
