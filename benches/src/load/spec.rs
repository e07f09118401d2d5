//! The twenty tools that `mcp-edge` serves under load, compiled in this process.

use super::size::Size;
use crate::AnyError;
use mcp_bundle::format;
use mcpc::check::check_files;
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

/// A bundle with two tools for each size, and others that only show in lists. It needs [`VARIABLE`].
pub fn bundle(upstream: SocketAddr) -> Result<Vec<u8>, AnyError> {
    let mut files = crate::specs(TOOLS - 2 * Size::ALL.len());
    files.add("load.toml", &text(upstream));
    let report = check_files(&files);
    let contents = report.contents.ok_or("the specs under load are not clean")?;
    Ok(format::write(&contents)?)
}

/// What the specs of the other tools ask for.
pub const VARIABLE: (&str, &str) = ("API_TOKEN", "secret");

fn text(upstream: SocketAddr) -> String {
    let mut text = format!("[toolset]\nname = \"load\"\n\n[upstream.local]\nurl = \"http://{upstream}\"\n\n");
    for size in Size::ALL {
        let case = size.case();
        // Writing to a string cannot fail.
        let _ = tool(&mut text, &raw_tool(size), size, None);
        let _ = tool(&mut text, &template_tool(size), size, Some(case.go));
    }
    text
}

fn tool(text: &mut String, name: &str, size: Size, template: Option<&str>) -> std::fmt::Result {
    write!(
        text,
        "[[tool]]\nname = \"{name}\"\n\
         description = \"Gets one record of the size {}, by the id of its owner.\"\n\
         upstream = \"local\"\nmethod = \"GET\"\nendpoint = \"{}{{id}}\"\nmax_response_bytes = 4194304\n",
        size.label(),
        size.path()
    )?;
    if let Some(template) = template {
        writeln!(text, "response_template = '''{template}'''")?;
    }
    text.push_str(
        "parameters = [{ name = \"id\", type = \"string\", description = \"Id of the owner\", required = true, \
         position = \"path\", maxLength = 64 }]\n\
         [[tool.examples]]\narguments = { id = \"user 42\" }\n\n",
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_bundle::format::Trust;

    #[test]
    fn the_bundle_under_load_has_twenty_tools() {
        let bytes = bundle(SocketAddr::from(([127, 0, 0, 1], 9))).expect("clean specs");
        let bundle = format::read(&bytes, &Trust::Any).expect("a sound bundle");
        assert_eq!(bundle.contents.tools.len(), TOOLS);
    }
}
