//! The specs that are measured, compiled.

use super::place::answer_tool;
use super::upstream::{self, Length};
use crate::load::size::Size;
use crate::load::spec;
use crate::{AnyError, compile};
use mcpc::check::MemoryFiles;
use mcpc::servers::Reach;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Every fourth of the synthetic tools has the same shape: a GET with two arguments in the path, one in the query, a
/// header with a secret and a Go template. These are the ones that are called.
pub const CALLED: usize = 4;
/// MCP servers that answer.
pub const LIVE: usize = 100;
pub const ARGUMENTS: &str = r#"{"userId":"u 1","recordId":7,"details":true}"#;

pub fn called_tool(index: usize) -> String {
    format!("get_record_{}", index * CALLED)
}

/// How many of `tools` can be called.
pub fn called_tools(tools: usize) -> usize {
    tools.div_ceil(CALLED)
}

/// Numbers below `most` in an order that looks random and is the same every time.
pub fn shuffled(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |_| {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % most.max(1) as u64) as usize
    })
}

/// A bundle of this many synthetic tools behind `url`.
pub fn tools(tools: usize, url: &str) -> Result<Vec<u8>, AnyError> {
    compile(&crate::specs_at(tools, url))
}

/// A bundle with a tool for each length that hands the answer on as it is.
pub fn answers(url: &str) -> Result<Vec<u8>, AnyError> {
    let mut text = format!("[toolset]\nname = \"answers\"\n\n[upstream.local]\nurl = \"{url}\"\n\n");
    for length in Length::ALL {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[tool]]\nname = \"{}\"\ndescription = \"Gets a list of about {}, by the id of its owner.\"\n\
             upstream = \"local\"\nmethod = \"GET\"\nendpoint = \"{}{{id}}\"\nmax_response_bytes = 16777216\n\
             parameters = [{{ name = \"id\", type = \"string\", description = \"Id of the owner\", required = true, \
             position = \"path\", maxLength = 64 }}]\n\
             [[tool.examples]]\narguments = {{ id = \"user 42\" }}\n\n",
            answer_tool(length),
            length.name(),
            upstream::path(length)
        );
    }
    compile(&MemoryFiles::one("answers.toml", &text))
}

/// A bundle of [`LIVE`] MCP servers that are all the upstream, and so many that are down.
pub fn servers(down: usize, url: &str) -> Result<Vec<u8>, AnyError> {
    /// Nobody listens there.
    const NOBODY: &str = "http://127.0.0.1:1/mcp";
    let live = (0..LIVE).map(|index| (format!("live{index}"), format!("{url}/mcp")));
    let down = (0..down).map(|index| (format!("down{index}"), NOBODY.to_owned()));
    let mut files = MemoryFiles::default();
    for (name, url) in live.chain(down) {
        files.add(&format!("{name}.toml"), &spec::mcp_text(&name, spec::over_http(&url))?);
    }
    compile(&files)
}

/// The tool of a live server whose results are short.
pub fn live_tool(index: usize) -> String {
    format!("live{index}_{}", spec::raw_tool(Size::Small))
}

/// A bundle whose server is a program of this name.
pub fn program(name: &str) -> Result<Vec<u8>, AnyError> {
    compile(&MemoryFiles::one("program.toml", &spec::mcp_text(name, Reach::Program(name.to_owned()))?))
}

/// Writes a bundle with old file times. The proxy reads a new file twice, since its times do not
/// yet show whether it was written again.
pub fn save(bytes: &[u8], path: &Path) -> Result<(), AnyError> {
    const AGE: Duration = Duration::from_secs(60);
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.set_modified(SystemTime::now() - AGE)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_bundle::format::{self, Trust};
    use std::collections::BTreeSet;

    const URL: &str = "http://127.0.0.1:9";

    #[test]
    fn the_called_tools_are_in_the_bundle() {
        let bundle =
            format::read(&tools(10, URL).expect("clean specs"), &Trust::Any).expect("a sound bundle");
        assert_eq!((bundle.contents.tools.len(), called_tools(10)), (10, 3));
        for index in 0..called_tools(10) {
            assert!(bundle.contents.tool(&called_tool(index)).is_some(), "{index}");
        }
    }

    #[test]
    fn servers_that_are_down_come_beside_those_that_are_live() {
        let bytes = servers(2, URL).expect("clean specs");
        let bundle = format::read(&bytes, &Trust::Any).expect("a sound bundle");
        assert_eq!(bundle.contents.servers.len(), LIVE + 2);
        for index in 0..LIVE {
            assert!(bundle.contents.tool(&live_tool(index)).is_some(), "{index}");
        }
    }

    #[test]
    fn each_length_has_a_tool() {
        let bundle = format::read(&answers(URL).expect("clean specs"), &Trust::Any).expect("a sound bundle");
        for length in Length::ALL {
            assert!(bundle.contents.tool(&answer_tool(length)).is_some(), "{length:?}");
        }
    }

    #[test]
    fn an_order_is_the_same_every_time_and_reaches_everything() {
        let order: Vec<usize> = shuffled(1_000, 10).collect();
        assert_eq!(order, shuffled(1_000, 10).collect::<Vec<_>>());
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 10);
    }
}
