//! The twenty tools that `mcp-edge` serves under load, compiled in this process.

use super::mcp_server;
use super::size::Size;
use crate::{AnyError, compile};
use mcp_bundle::wire_enums::Transport;
use mcpc::servers::{self, Origin, Reach, ServerSource};
use std::fmt::Write;
use std::net::SocketAddr;

pub const TOOLS: usize = 20;

/// The tool that hands an answer on as it is.
pub fn raw_tool(size: Size) -> String {
    format!("get_{}", size.label())
}

/// The tool with a template.
pub fn template_tool(size: Size) -> String {
    format!("show_{}", size.label())
}

/// The tool of small answers whose rate nobody reaches.
pub const LIMITED_TOOL: &str = "get_limited";

/// The tool of small answers that are kept for longer than a run takes.
pub const CACHED_TOOL: &str = "get_cached";

/// The tool of an MCP server whose result is handed on.
pub fn mcp_tool(size: Size) -> String {
    format!("mcp_{}", raw_tool(size))
}

/// A bundle with two tools for each size, those two, those of the MCP server, and others that only show in lists. It needs
/// [`VARIABLE`].
pub fn bundle(upstream: SocketAddr) -> Result<Vec<u8>, AnyError> {
    let mut files = crate::specs(TOOLS - 2 * Size::ALL.len() - 2 - mcp_server::SIZES.len());
    files.add("load.toml", &text(upstream));
    files.add("mcp.toml", &mcp_text("mcp", over_http(&format!("http://{upstream}/mcp")))?);
    compile(&files)
}

/// A server with this URL.
pub fn over_http(url: &str) -> Reach {
    Reach::Url {
        transport: Transport::Http,
        url: url.to_owned(),
        headers: Vec::new(),
        auth: None,
        timeout_ms: None,
    }
}

/// The spec of [`mcp_server`]; names of tools begin with that of the server.
pub fn mcp_text(name: &str, reach: Reach) -> Result<String, AnyError> {
    let source = ServerSource { name: Some(name.to_owned()), title: None, reach };
    let definitions = mcp_server::SIZES.map(|size| mcp_server::definition(size).to_string());
    let (tools, _) = servers::read_all(definitions.iter().map(String::as_str));
    Ok(servers::draft(&source, name, name, &Origin::default(), tools)?.text)
}

/// What the specs of the other tools ask for.
pub const VARIABLE: (&str, &str) = ("API_TOKEN", "secret");

fn text(upstream: SocketAddr) -> String {
    let mut text = format!("[toolset]\nname = \"load\"\n\n[upstream.local]\nurl = \"http://{upstream}\"\n\n");
    for size in Size::ALL {
        let case = size.case();
        // Writing to a string cannot fail.
        let _ = tool(&mut text, &raw_tool(size), size, "");
        let template = format!("response_template = '''{}'''\n", case.go);
        let _ = tool(&mut text, &template_tool(size), size, &template);
    }
    let _ = tool(&mut text, LIMITED_TOOL, Size::Small, "rate = { calls = 1000000, seconds = 1 }\n");
    let _ = tool(&mut text, CACHED_TOOL, Size::Small, "cache = { seconds = 86400 }\n");
    text
}

/// `more` are further keys.
fn tool(text: &mut String, name: &str, size: Size, more: &str) -> std::fmt::Result {
    writeln!(
        text,
        "[[tool]]\nname = \"{name}\"\n\
         description = \"Gets one record of the size {}, by the id of its owner.\"\n\
         upstream = \"local\"\nmethod = \"GET\"\nendpoint = \"{}{{id}}\"\nmax_response_bytes = 4194304\n{more}\
         parameters = [{{ name = \"id\", type = \"string\", description = \"Id of the owner\", required = true, \
         position = \"path\", maxLength = 64 }}]\n\
         [[tool.examples]]\narguments = {{ id = \"user 42\" }}\n",
        size.label(),
        size.path()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_bundle::format::{self, Trust};

    #[test]
    fn the_bundle_under_load_has_twenty_tools() {
        let bytes = bundle(SocketAddr::from(([127, 0, 0, 1], 9))).expect("clean specs");
        let bundle = format::read(&bytes, &Trust::Any).expect("a sound bundle");
        assert_eq!(bundle.contents.tools.len(), TOOLS);
    }
}
