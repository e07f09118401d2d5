//! What holds for any configuration of an MCP server, by the number of the property in the list of demands.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod request_support;

use mcp_bundle::definition::{Pin, canonical};
use mcp_bundle::format;
use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::{Scheme, Transport};
use mcpc::check::{MemoryFiles, Report, check_files};
use proptest::prelude::*;
use request_support::{HOSTILE, contents, send};
use serde_json::{Value, json};

/// A sound spec of one server with one tool `t`, which is `theirs` there. Names and texts are written as JSON strings,
/// which TOML reads the same.
#[derive(Debug)]
struct Server {
    name: String,
    transport: Transport,
    url: String,
    theirs: String,
    description: String,
    schema: Value,
    /// More keys of the upstream.
    keys: String,
}

impl Server {
    fn spec(&self) -> String {
        let place = match self.transport {
            Transport::Stdio => format!("server = {}", quoted(&self.theirs)),
            Transport::Http | Transport::Sse => format!("url = {}", quoted(&self.url)),
        };
        let definition =
            json!({ "name": self.theirs, "description": self.description, "inputSchema": self.schema });
        format!(
            "[upstream.{}]\nkind = \"mcp\"\ntransport = \"{}\"\n{place}\n{}\n[[tool]]\nname = \"t\"\ndescription = {}\n\
             upstream = \"{}\"\nmcp_tool = {}\npin = \"{}\"\ninput_schema = {}\n[[tool.examples]]\narguments = {{}}\n",
            self.name,
            self.transport,
            self.keys,
            quoted(&self.description),
            self.name,
            quoted(&self.theirs),
            Pin::of(&canonical(&definition).unwrap()),
            quoted(&self.schema.to_string()),
        )
    }
}

fn quoted(text: &str) -> String {
    // JSON does not escape this control character, and TOML wants it to be.
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

fn report(spec: &str) -> Report {
    check_files(&MemoryFiles::one("spec.toml", spec))
}

fn transport() -> impl Strategy<Value = Transport> {
    prop::sample::select(Transport::ALL)
}

/// A JSON Schema of an object whose members say nothing that a value could break.
fn schema() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(&["string", "integer", "number", "boolean"][..]);
    let property = (kind, ".{0,20}").prop_map(|(kind, text)| json!({ "type": kind, "description": text }));
    let properties = prop::collection::btree_map("[a-zA-Z_][a-zA-Z0-9_]{0,8}", property, 0..5);
    (properties, any::<bool>()).prop_map(|(properties, closed)| match closed {
        true => json!({ "type": "object", "properties": properties, "additionalProperties": false }),
        false => json!({ "type": "object", "properties": properties }),
    })
}

fn server() -> impl Strategy<Value = Server> {
    let words = (
        "[a-z][a-z0-9-]{0,10}",
        "[a-z]{1,10}(/[a-zA-Z0-9_][a-zA-Z0-9._~-]{0,7}){0,3}",
        "[!-~]([ -~é-ü]{0,20}[!-~])?",
    );
    (words, transport(), "\\PC{0,60}", schema(), 1..5u16).prop_map(
        |((name, path, theirs), transport, description, schema, retries)| Server {
            name,
            transport,
            url: format!("https://mcp.example.com/{path}"),
            theirs,
            description,
            schema,
            keys: format!("retry_count = {retries}\ntimeout_seconds = 7"),
        },
    )
}

/// The errors of a spec; warnings are about the texts.
fn errors(report: &Report) -> Vec<&str> {
    let errors = report.diagnostics.iter().filter(|found| found.severity == mcp_diagnostics::Severity::Error);
    errors.map(|found| found.message.as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    // Structure: what a spec says of a server is what its bundle says, whichever way it is written.
    #[test]
    fn property_1_a_server_is_planned_as_it_is_written(server in server()) {
        let spec = server.spec();
        let report = report(&spec);
        prop_assert_eq!(errors(&report), Vec::<&str>::new(), "{}", spec);
        let contents = contents(&spec);
        let (_, tool) = contents.tool("t").unwrap();
        let call = tool.mcp().unwrap();
        let planned = &contents.servers[call.server as usize];
        let upstream = &contents.upstreams[call.request.upstream as usize];
        prop_assert_eq!(contents.server_name(call.server as usize), Some(server.name.as_str()));
        prop_assert_eq!(planned.transport, server.transport);
        let text = |id| contents.strings.get(id);
        prop_assert_eq!(text(call.name), server.theirs.as_str());
        match server.transport {
            Transport::Stdio => {
                prop_assert_eq!(planned.program.map(text), Some(server.theirs.as_str()));
                prop_assert_eq!(upstream.scheme, Scheme::Stdio);
            }
            Transport::Http | Transport::Sse => {
                prop_assert!(planned.program.is_none());
                let sent = send(&contents, &json!({})).unwrap();
                prop_assert_eq!(sent.url, server.url);
            }
        }
        let definition: Value = serde_json::from_str(text(call.definition)).unwrap();
        prop_assert_eq!(&definition["inputSchema"], &server.schema);
        let bytes = |report: &Report| format::write(report.contents.as_ref().unwrap()).unwrap();
        prop_assert_eq!(bytes(&report), bytes(&check_files(&MemoryFiles::one("spec.toml", &spec))));
    }

    // URL: only `http` and `https` are valid, and nothing else gets into a bundle.
    #[test]
    fn property_2_only_http_and_https_are_urls(scheme in "[a-z][a-z+.-]{0,7}", rest in "\\PC{0,20}", is_web in any::<bool>()) {
        let (scheme, rest) = if is_web { ("https", "mcp.example.com/mcp") } else { (scheme.as_str(), rest.as_str()) };
        let server = Server {
            name: "u".to_owned(),
            transport: Transport::Http,
            url: format!("{scheme}://{rest}"),
            theirs: "x".to_owned(),
            description: "Reads a thing of the server.".to_owned(),
            schema: json!({ "type": "object" }),
            keys: String::new(),
        };
        let report = report(&server.spec());
        if let Some(contents) = &report.contents {
            prop_assert!(matches!(contents.upstreams[0].scheme, Scheme::Http | Scheme::Https));
            prop_assert!(matches!(scheme, "http" | "https"), "{}", scheme);
        }
        prop_assert!(!is_web || report.contents.is_some());
        prop_assert!(matches!(scheme, "http" | "https") || report.errors() > 0);
    }

    // URL: no text becomes a server's place by accident.
    #[test]
    fn property_2_a_url_is_kept_or_refused(url in "\\PC{0,40}") {
        let server = Server {
            name: "u".to_owned(),
            transport: Transport::Sse,
            url: url.clone(),
            theirs: "x".to_owned(),
            description: "Reads a thing of the server.".to_owned(),
            schema: json!({ "type": "object" }),
            keys: String::new(),
        };
        let report = report(&server.spec());
        let is_web = url.starts_with("http://") || url.starts_with("https://") || url.starts_with("${");
        prop_assert!(is_web || report.errors() > 0, "{}", url);
        prop_assert_eq!(report.contents.is_some(), report.errors() == 0);
    }

    // Round trip: what was reviewed is in the bundle, byte for byte, and its pin is its own.
    #[test]
    fn property_6_what_was_reviewed_comes_back_and_nothing_else_has_its_pin(server in server(), other in ".{1,20}") {
        let spec = server.spec();
        let contents = contents(&spec);
        let definition = contents.strings.get(contents.tool("t").unwrap().1.mcp().unwrap().definition);
        let line = format!("pin = \"{}\"", Pin::of(definition));
        prop_assert!(spec.contains(&line));
        prop_assume!(other != server.description);
        let changed = format!("description = {}", quoted(&other));
        let changed = spec.replacen(&format!("description = {}", quoted(&server.description)), &changed, 1);
        let report = report(&changed);
        prop_assert!(report.diagnostics.iter().any(|found| found.name() == "mismatched-pin"), "{}", changed);
    }

    // Variables: each is resolved where it stands, and an argument never becomes one.
    #[test]
    fn property_7_variables_are_resolved_and_arguments_are_not(
        names in prop::collection::btree_set("[A-Z][A-Z0-9_]{0,8}", 1..4),
        query in prop_oneof![any::<String>(), prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned)],
    ) {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\": \"a ${{{name}}}\"")).collect();
        let template = format!("{{\"q\": {{{{ .query }}}}, \"t\": \"${{tenant.id}}\", {}}}", members.join(", "));
        let header = names.first().unwrap();
        let spec = mapped(&template, &format!("headers = {{ x-key = \"${{{header}}}\" }}"));
        let contents: Contents = contents(&spec);
        let known: Vec<&str> = contents.variable_names().collect();
        prop_assert_eq!(known, names.iter().map(String::as_str).collect::<Vec<_>>());
        let sent = send(&contents, &json!({ "query": query })).unwrap();
        let arguments: Value = serde_json::from_str(&sent.body).unwrap();
        prop_assert_eq!(&arguments["q"], &json!(query));
        prop_assert_eq!(&arguments["t"], &json!("acme"));
        for name in &names {
            prop_assert_eq!(&arguments[name], &json!(format!("a <{name}>\"/")), "{}", name);
        }
        prop_assert_eq!(arguments.as_object().unwrap().len(), names.len() + 2);
    }

    // Variables: one that cannot be is refused before there is a bundle.
    #[test]
    fn property_7_what_is_no_variable_is_refused(name in "[a-z0-9.-]{0,3}[-. ][a-z0-9.-]{0,6}") {
        prop_assume!(!matches!(name.as_str(), "tenant.id" | "principal.sub"));
        let template = format!("{{\"q\": {{{{ .query }}}}, \"v\": \"${{{name}}}\"}}");
        let report = report(&mapped(&template, ""));
        prop_assert!(report.contents.is_none() && report.errors() > 0, "{}", template);
    }
}

/// A tool whose arguments a template makes.
fn mapped(template: &str, keys: &str) -> String {
    let schema = json!({ "type": "object" });
    let definition = json!({ "name": "t", "description": "Reads a thing.", "inputSchema": schema });
    format!(
        "[upstream.u]\nkind = \"mcp\"\nurl = \"https://a.example/mcp\"\n{keys}\n[[tool]]\nname = \"t\"\n\
         description = \"Reads a thing.\"\nupstream = \"u\"\npin = \"{}\"\narguments_template = '''{template}'''\n\
         pinned.input_schema = '{schema}'\n\
         [[tool.parameters]]\nname = \"query\"\ndescription = \"Words\"\nrequired = true\n",
        Pin::of(&canonical(&definition).unwrap()),
    )
}
