//! What passes `mcpc check` can be built, and no caller can override what is fixed; whatever is odd about the spec.

mod sweeps;

use mcp_bundle::format;
use mcp_bundle::plan::{Contents, Part, ToolPlan};
use mcp_bundle::strings::StrId;
use mcp_bundle::wire_enums::{BodyKind, PartKind, Style};
use mcp_diagnostics::Severity;
use mcpc::check::{MemoryFiles, check_files};
use std::panic::{AssertUnwindSafe, catch_unwind};

const POSITIONS: [&str; 5] = ["path", "query", "header", "cookie", "body"];
const BODIES: [&str; 3] = ["", "body = \"form\"\n", "body = \"json\"\n"];

/// How a spec ends: with the codes of its errors, or as a bundle.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Refused(Vec<&'static str>),
    Built,
}

/// Checks and builds a spec; `Err` is a gap.
fn end(spec: &str) -> Result<End, String> {
    catch_unwind(AssertUnwindSafe(|| {
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let Some(contents) = report.contents else {
            let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            let mut codes: Vec<_> = errors.map(|d| d.code()).collect();
            codes.sort_unstable();
            codes.dedup();
            return if codes.is_empty() { Err("no plan".to_owned()) } else { Ok(End::Refused(codes)) };
        };
        let tools = report.toolsets.iter().map(|toolset| toolset.tools.len()).sum::<usize>();
        if contents.tools.len() != tools {
            return Err(format!("{} of {tools} tools are planned", contents.tools.len()));
        }
        let bytes = format::write(&contents).map_err(|error| error.to_string())?;
        let back = format::read(&bytes, &format::Trust::Any).map_err(|error| error.to_string())?;
        if back.contents != contents {
            return Err("it reads back as something else".to_owned());
        }
        match contents.tools.iter().find_map(|tool| overridable(&contents, tool)) {
            Some(name) => Err(format!("a caller can send `{name}`, which is fixed or another's")),
            None => Ok(End::Built),
        }
    }))
    .unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// A name that two send of which at least one is an argument.
fn overridable(contents: &Contents, tool: &ToolPlan) -> Option<String> {
    let pairs = |placed: &[mcp_bundle::plan::Placed]| -> Vec<(StrId, Vec<Part>)> {
        placed.iter().map(|pair| (pair.name, pair.value.clone())).collect()
    };
    let http = tool.http()?;
    let mut groups = vec![pairs(&http.query), pairs(&http.headers), pairs(&http.cookies)];
    if http.body.kind == BodyKind::Form {
        groups.push(http.body.ops.iter().map(|op| (op.name, op.value.clone())).collect());
    }
    let decoded = |id: StrId| {
        let text = contents.strings.get(id);
        percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
    };
    for group in groups {
        for (at, (name, value)) in group.iter().enumerate() {
            let name = decoded(*name);
            let [Part { kind: PartKind::Parameter, id }] = value.as_slice() else {
                continue;
            };
            let is_deep = tool.parameters.get(*id as usize).is_some_and(|p| p.style == Style::Deep);
            let is_own = |other: &str| other == name || (is_deep && other.starts_with(&format!("{name}[")));
            for (other_at, (other, _)) in group.iter().enumerate() {
                if other_at != at && is_own(&decoded(*other)) {
                    return Some(decoded(*other));
                }
            }
        }
    }
    None
}

fn tool(endpoint: &str, rest: &str) -> String {
    format!("[[tool]]\nname = \"odd\"\nmethod = \"POST\"\nendpoint = \"{endpoint}\"\n{rest}\n")
}

fn notes(rest: &str) -> String {
    tool("https://api.example.com/notes", rest)
}

fn parameter(keys: &str) -> String {
    format!("[[tool.parameters]]\n{keys}\n")
}

fn schema(members: &str) -> String {
    format!("input_schema = {{ type = \"object\", {members} }}\n")
}

/// Fails with all gaps at once, and returns how many specs became bundles.
fn no_gaps(specs: impl IntoIterator<Item = (String, String)>) -> usize {
    let (mut count, mut built) = (0, 0);
    let mut gaps = Vec::new();
    for (label, spec) in specs {
        count += 1;
        match end(&spec) {
            Ok(End::Built) => built += 1,
            Ok(End::Refused(_)) => {}
            Err(problem) => gaps.push(format!("{label}: {problem}")),
        }
    }
    assert!(
        gaps.is_empty(),
        "{} of {count} specs pass the check and are no bundle:\n{}",
        gaps.len(),
        gaps.join("\n")
    );
    built
}

/// A spec that must end with this error, and no other.
fn refused(code: &'static str, spec: &str) {
    assert_eq!(end(spec), Ok(End::Refused(vec![code])), "{spec}");
}

fn built(spec: &str) {
    assert_eq!(end(spec), Ok(End::Built), "{spec}");
}

#[test]
fn what_the_endpoint_fixes_is_nobody_elses() {
    let at =
        |query: &str, keys: &str| tool(&format!("https://api.example.com/notes?{query}"), &parameter(keys));
    let role = "name = \"role\"\nposition = \"query\"";
    refused("MCP0410", &at("role=user", role));
    refused("MCP0410", &at("r%6Fle=user", role));
    refused(
        "MCP0410",
        &at("filter%5Bowner%5D=me", "name = \"filter\"\ntype = \"object\"\nposition = \"query\""),
    );
    built(&at(
        "filter%5Bowner%5D=me",
        "name = \"filter\"\ntype = \"object\"\nstyle = \"json\"\nposition = \"query\"",
    ));
    built(&at("role=user", "name = \"role\""));
    let queries = [
        "a=1;b=2",
        "=2",
        "=",
        "&",
        "&&a=1&",
        "a",
        "a=",
        "a=b=c",
        "a==",
        "a[b]=1",
        "%5B=1",
        "a+b=1",
        "é=1",
        "a=%",
        "?",
        "a=?/:@!$'()*,",
    ];
    assert!(no_gaps(queries.map(|query| (query.to_owned(), at(query, role)))) > 5);
}

#[test]
fn fields_of_a_form_do_not_meet() {
    let form = |properties: &str, keys: &str| {
        notes(&format!(
            "body = \"form\"\n{}{}",
            schema(&format!("properties = {{ {properties} }}")),
            parameter(keys)
        ))
    };
    let fixed = "name = \"p\"\nwire_name = \"a\"\nvalue = \"1\"";
    refused("MCP0410", &form("a = {}", fixed));
    refused("MCP0410", &form("a = { type = \"object\" }", &fixed.replace("\"a\"", "\"a[b]\"")));
    refused("MCP0410", &form("a = { type = [\"object\", \"null\"] }", &fixed.replace("\"a\"", "\"a[b]\"")));
    refused("MCP0410", &form("\"\" = {}", fixed));
    built(&form("a = {}", &fixed.replace("\"a\"", "\"a[b]\"")));
    built(&form("\"é ü\" = {}", fixed));
}

#[test]
fn a_declared_constant_and_misplaced_arguments_are_refused() {
    let one = schema("properties = { p = { type = \"string\" } }");
    for position in ["query", "header", "cookie", "body"] {
        let constant = parameter(&format!("name = \"p\"\nposition = \"{position}\"\nvalue = \"x\""));
        refused("MCP0414", &notes(&format!("{one}{constant}")));
    }
    for open in [
        "additionalProperties = true",
        "additionalProperties = { type = \"string\" }",
        "patternProperties = { \"^x\" = true }",
    ] {
        let open = schema(&format!("properties = {{ p = {{ type = \"string\" }} }}, {open}"));
        refused("MCP0612", &notes(&format!("body = \"form\"\n{open}")));
        refused("MCP0612", &notes(&format!("body = \"whole:p\"\n{open}")));
        built(&notes(&open));
        let respond = format!("[[tool]]\nname = \"odd\"\nrespond = \"x\"\n{open}");
        assert_eq!(no_gaps([("respond".to_owned(), respond)]), 1);
    }
}

#[test]
fn endless_names_are_refused() {
    let long = "x".repeat(2000);
    for spec in [
        parameter(&format!("name = \"{long}\"")),
        parameter(&format!("name = \"p\"\nwire_name = \"{long}\"\nposition = \"query\"")),
        parameter(&format!("name = \"p\"\nwire_name = '{}'\nposition = \"query\"", "é".repeat(200))),
        parameter(&format!("name = \"p\"\nwire_name = '{}'", "\"".repeat(512))),
        parameter(&format!("name = \"p\"\nvalue = \"${{{long}}}\"")),
        parameter(&format!("name = \"p\"\nmcp_header = \"{long}\"")),
        parameter(&format!("name = \"p\"\ntype = \"object\"\nproperties = {{ {long} = {{}} }}")),
        format!("headers = {{ {long} = \"x\" }}"),
        format!("scopes = [\"{long}\"]"),
        schema(&format!("properties = {{ {long} = {{}} }}")),
    ] {
        refused("MCP0418", &notes(&spec));
    }
    let properties = schema(&format!("properties = {{ '{}' = {{}} }}", "é".repeat(200)));
    refused("MCP0418", &notes(&format!("body = \"form\"\n{properties}")));
    built(&notes(&properties));
    refused("MCP0418", &tool(&format!("https://api.example.com/?{long}=1"), ""));
    refused("MCP0418", &notes(&parameter(&format!("name = \"p\"\nvalue = \"{}\"", "x".repeat(70_000)))));
    refused(
        "MCP0410",
        &notes(&parameter(&format!("name = \"p\"\nwire_name = \"{}\"", vec!["a"; 17].join(".")))),
    );
    for pieces in [20_000, 200_000] {
        let wire = vec!["a"; pieces].join(".");
        assert!(matches!(
            end(&notes(&parameter(&format!("name = \"p\"\nwire_name = \"{wire}\"")))),
            Ok(End::Refused(_))
        ));
    }
}
