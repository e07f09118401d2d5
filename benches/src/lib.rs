//! Synthetic specs of any size, as varied as real ones, the same every time.

pub mod credentials;
pub mod faults;
pub mod load;
pub mod render;
pub mod scale;

use mcp_bundle::format;
use mcpc::check::{MemoryFiles, check_files};
use std::fmt::Write;

/// Tools of one file.
const TOOLS_A_FILE: usize = 100;

/// A set of files with this many tools in all.
pub fn specs(tools: usize) -> MemoryFiles {
    specs_at(tools, "https://api.example.com/v1")
}

/// The same, with tools that call another API.
pub fn specs_at(tools: usize, url: &str) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.add("mcpc.toml", "[budget]\nlist_tokens = 100000000\n");
    for first in (0..tools).step_by(TOOLS_A_FILE) {
        let count = TOOLS_A_FILE.min(tools - first);
        files.add(&format!("api{:05}.toml", first / TOOLS_A_FILE), &file(first, count, url));
    }
    files
}

/// The bundle of such specs.
pub fn compile(files: &MemoryFiles) -> Result<Vec<u8>, AnyError> {
    let report = check_files(files);
    let Some(contents) = report.contents else {
        let first = report.diagnostics.first().map(|found| found.message.to_string()).unwrap_or_default();
        return Err(format!("the measured specs are not clean: {first}").into());
    };
    Ok(format::write(&contents)?)
}

/// Why a measurement cannot be made.
pub type AnyError = Box<dyn std::error::Error>;

/// Time that this thread has run, which neighbours on a shared machine do not change. Linux only.
pub fn cpu_ms() -> Result<f64, AnyError> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().ok_or("schedstat is empty")?.parse()?;
    Ok(nanoseconds / 1e6)
}

fn file(first: usize, tools: usize, url: &str) -> String {
    let mut text = format!(
        "[toolset]\ninstructions = \"Look things up before you change them.\"\n\n\
         [upstream.api]\nurl = \"{url}\"\n\
         headers = {{ accept = \"application/json\", authorization = \"Bearer ${{API_TOKEN}}\" }}\n\n",
    );
    for number in first..first + tools {
        // Writing to a string cannot fail.
        let _ = match number % 4 {
            0 => read_tool(&mut text, number),
            1 => list_tool(&mut text, number),
            2 => create_tool(&mut text, number),
            _ => search_tool(&mut text, number),
        };
    }
    text
}

fn read_tool(text: &mut String, number: usize) -> std::fmt::Result {
    write!(
        text,
        r#"[[tool]]
name = "get_record_{number}"
title = "Get record {number}"
description = "Gets one record of collection {number} with its owner, its state and its items."
upstream = "api"
method = "GET"
endpoint = "/collections/c{number}/users/{{userId}}/records/{{recordId}}"
timeout_seconds = 5
retry_count = 2
response_template = """
Record {{{{ .id }}}}: {{{{ .state }}}}
{{{{- range $index, $item := .items }}}}
- {{{{ $item.name }}}}: {{{{ $item.price }}}}
{{{{- end }}}}"""
parameters = [
  {{ name = "userId", type = "string", description = "Id of the owner", required = true, position = "path", maxLength = 64 }},
  {{ name = "recordId", type = "integer", description = "Number of the record", required = true, position = "path", minimum = 1 }},
  {{ name = "details", type = "boolean", description = "Whether to include the items", default = false, position = "query" }},
]
[[tool.examples]]
arguments = {{ userId = "u 1", recordId = 1{number}, details = true }}
"#
    )
    .map(|()| text.push('\n'))
}

fn list_tool(text: &mut String, number: usize) -> std::fmt::Result {
    write!(
        text,
        r#"[[tool]]
name = "list_records_{number}"
description = "Lists the records of collection {number}, newest first, one page at a time."
upstream = "api"
method = "GET"
endpoint = "/collections/c{number}/records"
cache_seconds = 30
parameters = [
  {{ name = "state", type = "string", description = "Only records in this state", enum = ["open", "closed", "all"], default = "open", position = "query" }},
  {{ name = "labels", type = "array", description = "Only records with these labels", items = {{ type = "string" }}, style = "comma", position = "query" }},
  {{ name = "page", type = "integer", description = "Number of the page", minimum = 1, default = 1, position = "query" }},
  {{ name = "perPage", type = "integer", description = "Records on a page", minimum = 1, maximum = 100, default = 30, wire_name = "per_page", position = "query" }},
  {{ name = "traceId", type = "string", description = "Id that shows in the API's logs", format = "uuid", position = "header", wire_name = "x-trace-id" }},
]
[[tool.examples]]
arguments = {{ labels = ["bug", "later"], page = 2 }}
"#
    )
    .map(|()| text.push('\n'))
}

fn create_tool(text: &mut String, number: usize) -> std::fmt::Result {
    write!(
        text,
        r#"[[tool]]
name = "create_record_{number}"
description = "Creates a record in collection {number} and returns its id."
upstream = "api"
method = "POST"
endpoint = "/collections/c{number}/records"
scopes = ["records:write"]
parameters = [
  {{ name = "title", type = "string", description = "Title of the record", required = true, minLength = 1, maxLength = 200 }},
  {{ name = "note", type = "string", description = "Free text about it" }},
  {{ name = "city", type = "string", description = "City to ship to", wire_name = "shipping.address.city" }},
  {{ name = "amount", type = "number", description = "What it costs", minimum = 0, exclusiveMaximum = 1000000 }},
  {{ name = "items", type = "array", description = "What it is made of", minItems = 1, items = {{ type = "object", properties = {{ sku = {{ type = "string", pattern = "^[A-Z]{{3}}-[0-9]+$" }}, quantity = {{ type = "integer", minimum = 1 }} }}, required = ["sku"], additionalProperties = false }} }},
]
[[tool.examples]]
arguments = {{ title = "pens", amount = 12.5, items = [{{ sku = "PEN-1", quantity = 3 }}] }}
"#
    )
    .map(|()| text.push('\n'))
}

fn search_tool(text: &mut String, number: usize) -> std::fmt::Result {
    write!(
        text,
        r#"[[tool]]
name = "search_{number}"
description = "Searches collection {number} by a query in the API's own language."
upstream = "api"
method = "POST"
endpoint = "/collections/c{number}/_search"
idempotent = true
body = "whole:query"
response_template = {{ handlebars = "{{{{hits.total}}}} hits{{{{#each hits.items}}}}\n- {{{{this.title}}}}{{{{/each}}}}" }}
parameters = [
  {{ name = "query", type = "object", description = "The query", required = true }},
  {{ name = "timeout", type = "string", description = "Limit for the search, such as 5s", pattern = "^[0-9]+(ms|s)$", position = "query" }},
]
[[tool.examples]]
arguments = {{ query = {{ match = {{ title = "pen" }} }} }}
"#
    )
    .map(|()| text.push('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synthetic_specs_are_clean_and_have_the_size_asked_for() {
        let report = check_files(&specs(250));
        let messages: Vec<_> =
            report.diagnostics.iter().map(|d| format!("{}: {}", d.name(), d.message)).collect();
        assert_eq!(messages, [""; 0]);
        assert_eq!((report.files, report.tools()), (3, 250));
    }
}
