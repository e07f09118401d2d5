//! The real proxy in front of an upstream.

use crate::{Client, Process, Upstream, build, get, mcp_edge, modern};
use serde_json::{Value, json};
use std::path::PathBuf;

/// An upstream, a folder with a bundle, and the process that serves it.
#[derive(Debug)]
pub struct Served {
    pub process: Process,
    pub upstream: Upstream,
    pub folder: tempfile::TempDir,
}

impl Served {
    /// Serves one tool, `first`, with these options beside the listeners.
    pub fn start(options: &[&str]) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let upstream = Upstream::start();
        let bundle = folder.path().join("served.mcpk");
        build(&tools_of(&upstream, &["first"]), &bundle);
        let bundle = bundle.display().to_string();
        let mut arguments = vec![bundle.as_str(), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"];
        arguments.extend_from_slice(options);
        Served { process: mcp_edge(arguments), upstream, folder }
    }

    pub fn bundle(&self) -> PathBuf {
        self.folder.path().join("served.mcpk")
    }

    /// Puts a bundle of this spec in the place of the served one, in one step.
    pub fn replace(&self, spec_text: &str) {
        let next = self.folder.path().join("next.mcpk");
        build(spec_text, &next);
        std::fs::rename(next, self.bundle()).unwrap();
    }

    pub fn client(&self) -> Client {
        Client::connect(self.process.address())
    }

    pub fn status(&self) -> Value {
        self.process.ask_admin(get("/status", &[])).json()
    }

    /// The names in `tools/list`.
    pub fn tools(&self) -> Vec<String> {
        let listed = self.client().ask(modern("tools/list", json!({}))).result();
        let tools = listed["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// A spec of these tools, each of which sends `${TOKEN}`.
pub fn tools_of(upstream: &Upstream, tools: &[&str]) -> String {
    let url = format!("http://{}", upstream.address);
    let mut text =
        format!("[upstream.api]\nurl = \"{url}\"\nheaders = {{ authorization = \"Bearer ${{TOKEN}}\" }}\n");
    for tool in tools {
        text.push_str(&format!(
            "[[tool]]\nname = \"{tool}\"\ndescription = \"Reads the {tool} thing.\"\nupstream = \"api\"\n\
             method = \"GET\"\nendpoint = \"/{tool}\"\n"
        ));
    }
    text
}
