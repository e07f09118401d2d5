//! What `docs/TEMPLATES.md` shows is what happens: its tables and specs are run.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "what fails here fails the test"
)]

use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{self, Arguments, Binder, PreparedTools, Request, Values};
use mcp_bundle::plan::Contents;
use mcp_bundle::shape::{self, Answer, shape};
use mcp_bundle::template::{Ambient, Destination, Limits, Scratch, render_text};
use mcp_diagnostics::Severity;
use mcpc::check::{MemoryFiles, check_files};
use mcpc::plan::standalone;
use mcpc::template::go::functions::FUNCTIONS;
use mcpc::template::handlebars::helpers;
use mcpc::template::{Dialect, Segment, compile_for};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../docs/TEMPLATES.md");

/// The clock of the page.
const AMBIENT: Ambient = Ambient { now_ms: 1_700_000_000_000, seed: 7 };

/// A row of a table, by the names of the columns, and the `##` heading above it.
struct Row {
    heading: &'static str,
    cells: BTreeMap<&'static str, &'static str>,
}

impl Row {
    /// A cell's text; `None` if the table has no such column.
    fn get(&self, column: &str) -> Option<String> {
        let cell = *self.cells.get(column)?;
        if cell == "*nothing*" {
            return Some(String::new());
        }
        let quotes = cell.len() - cell.trim_start_matches('`').len();
        let fence = cell.get(..quotes).unwrap();
        let inner = cell.strip_prefix(fence).and_then(|rest| rest.strip_suffix(fence));
        let mut inner = inner.unwrap_or_else(|| panic!("not in backticks: {cell}"));
        // A blank keeps backticks in the text apart from those around it.
        if quotes > 1 {
            inner = inner.strip_suffix(' ').unwrap_or(inner);
        }
        Some(inner.replace("\\|", "|").replace('⏎', "\n"))
    }

    /// Whether a result is what the cell says.
    fn expect(&self, column: &str, result: Result<String, String>) -> bool {
        let expected = self.get(column).unwrap();
        let fits = match (&result, expected.strip_prefix("error: ")) {
            (Err(error), Some(part)) => error.contains(part),
            (Ok(text), None) => matches(&expected, text),
            _ => false,
        };
        if !fits {
            eprintln!("{:?}\n  expected {expected:?}\n  actual   {result:?}", self.cells);
        }
        fits
    }
}

/// An `…` stands for anything.
fn matches(expected: &str, actual: &str) -> bool {
    match expected.split_once('…') {
        None => expected == actual,
        Some((start, end)) => actual.starts_with(start) && actual.ends_with(end),
    }
}

/// The rows of all tables that have these columns.
fn rows(columns: &[&str]) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut heading, mut header): (&str, Vec<&str>) = ("", Vec::new());
    for line in PAGE.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            heading = name;
        }
        let Some(inner) = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) else {
            header.clear();
            continue;
        };
        let cells = cells(inner);
        if header.is_empty() {
            header = cells;
        } else if columns.iter().all(|column| header.contains(column)) && !line.starts_with("|---") {
            assert_eq!(cells.len(), header.len(), "{line}");
            rows.push(Row { heading, cells: header.iter().copied().zip(cells).collect() });
        }
    }
    rows
}

/// Splits a row at the pipes without a backslash.
fn cells(row: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in row.match_indices('|').filter(|(at, _)| !row.get(..*at).unwrap().ends_with('\\')) {
        cells.push(row.get(start..at).unwrap().trim());
        start = at + 1;
    }
    cells.push(row.get(start..).unwrap().trim());
    cells
}

fn dialect(row: &Row) -> Dialect {
    match row.heading {
        "Go templates" => Dialect::Go,
        "Handlebars templates" => Dialect::Handlebars,
        other => panic!("no dialect: {other}"),
    }
}

fn render(dialect: Dialect, template: &str, data: &str) -> Result<String, String> {
    let compiled = compile_for(Destination::Text, dialect, template)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let contents = standalone(&[compiled]);
    let program = contents.templates.programs.first().unwrap();
    let mut out = vec![b'"'];
    render_text(
        &contents,
        program,
        data,
        &AMBIENT,
        &Limits::default(),
        &mut Scratch::default(),
        &mut (),
        &mut out,
    )
    .map_err(|error| error.to_string())?;
    out.push(b'"');
    Ok(serde_json::from_slice(&out).unwrap())
}

#[test]
fn templates_render_as_shown() {
    let rows = rows(&["template", "data", "text"]);
    assert!(rows.len() > 150, "{}", rows.len());
    let failed = rows.iter().filter(|row| {
        let template = row.get("template").unwrap();
        let result = render(dialect(row), &template, &row.get("data").unwrap());
        !row.expect("text", result)
    });
    assert_eq!(failed.count(), 0);
}

#[test]
fn every_function_and_helper_is_shown() {
    for (column, dialect, known) in [
        ("function", "Go templates", FUNCTIONS.iter().map(|function| function.name).collect()),
        ("helper", "Handlebars templates", helpers::names().collect::<BTreeSet<_>>()),
    ] {
        let mut shown = BTreeSet::new();
        for row in rows(&[column, "template"]) {
            let name = row.get(column).unwrap();
            assert_eq!(row.heading, dialect, "{name}");
            assert!(row.get("template").unwrap().contains(&name), "{name}: {:?}", row.cells);
            shown.insert(name);
        }
        assert_eq!(shown, known.into_iter().map(str::to_owned).collect::<BTreeSet<_>>());
    }
}

fn contents(spec: &str) -> Result<Contents, String> {
    let report = check_files(&MemoryFiles::one("spec.toml", spec));
    let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let messages: Vec<String> = errors.map(|d| d.message.clone()).collect();
    report.contents.ok_or_else(|| messages.join("; "))
}

/// The specs are complete, except for templates in files.
#[test]
fn specs_on_the_page_are_clean() {
    let blocks: Vec<&str> =
        PAGE.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let report = check_files(&MemoryFiles::one("spec.toml", block));
        let messages: Vec<&String> = report.diagnostics.iter().map(|d| &d.message).collect();
        assert!(messages.is_empty(), "{messages:?} in {block}");
    }
}

#[test]
fn answers_become_results_as_shown() {
    let rows = rows(&["response_template", "answer", "result"]);
    assert!(!rows.is_empty());
    let failed = rows.iter().filter(|row| {
        let template = row.get("response_template").unwrap();
        let spec = format!(
            "[[tool]]\nname = 't'\nmethod = 'GET'\nendpoint = 'https://a.example'\n\
             response_template = {{ go = '''{template}''' }}\n"
        );
        let answer = row.get("answer").unwrap();
        !row.expect("result", contents(&spec).map(|contents| result(&contents, &answer)))
    });
    assert_eq!(failed.count(), 0);
}

/// The texts of a result, each on its line.
fn result(contents: &Contents, answer: &str) -> String {
    let (_, tool) = contents.tool("t").unwrap();
    let answer = Answer {
        status: 200,
        content_type: None,
        content_location: None,
        message: None,
        body: answer.as_bytes(),
    };
    let mut out = vec![b'{'];
    shape(
        contents,
        &Matchers::new(contents),
        tool,
        &answer,
        &AMBIENT,
        &shape::Limits::default(),
        &mut shape::Scratch::default(),
        &mut (),
        &mut out,
    );
    out.push(b'}');
    let result: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let texts = result.get("content").unwrap().as_array().unwrap().iter();
    texts.map(|part| part.get("text").unwrap().as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn requests_are_sent_as_shown() {
    let rows = rows(&["key", "template", "arguments", "sent"]);
    assert!(rows.len() > 10, "{}", rows.len());
    let failed = rows.iter().filter(|row| {
        let (key, template) = (row.get("key").unwrap(), row.get("template").unwrap());
        let arguments = row.get("arguments").unwrap();
        !row.expect("sent", sent(&key, &template, &arguments))
    });
    assert_eq!(failed.count(), 0);
}

/// What a tool with this template sends in the template's place.
fn sent(key: &str, template: &str, arguments: &str) -> Result<String, String> {
    let given: serde_json::Value = serde_json::from_str(arguments).unwrap();
    let mut spec = "[[tool]]\nname = 't'\nmethod = 'POST'\n".to_owned();
    let endpoint = if key == "endpoint" { template } else { "/" };
    spec.push_str(&format!("endpoint = 'https://a.example{endpoint}'\n"));
    spec.push_str(&match key {
        "body_template" => format!("body_template = '''{template}'''\n"),
        "form" => format!("body = 'form'\nbody_template = '''{template}'''\n"),
        "header" => format!("headers = {{ x-test = '''{template}''' }}\n"),
        "endpoint" => String::new(),
        other => panic!("{other}"),
    });
    for name in argument_names(template) {
        let value = given.get(&name);
        let kind = match value {
            Some(serde_json::Value::Number(_)) => "number",
            Some(serde_json::Value::Array(_)) => "array",
            _ => "string",
        };
        let required = value.is_some();
        spec.push_str(&format!(
            "[[tool.parameters]]\nname = '{name}'\ntype = '{kind}'\nrequired = {required}\n"
        ));
    }
    let contents = contents(&spec)?;
    let mut request = Request::default();
    let variables: Vec<Box<str>> = contents.variable_names().map(Box::from).collect();
    let values = Values { ambient: AMBIENT, ..Values::default() };
    let (limits, matchers) = (bind::Limits::default(), Matchers::new(&contents));
    let prepared = PreparedTools::new(&contents, &variables, &limits);
    let (tool, scratch) = (prepared.find("t").unwrap(), &mut bind::Scratch::default());
    let mut binder = Binder { contents: &contents, matchers: &matchers, limits: &limits, scratch };
    let bound = binder.bind(tool, &Arguments::of_text(arguments), &values, &mut request);
    bound.map_err(|error| format!("{error:?}"))?;
    Ok(match key {
        "endpoint" => String::from_utf8(request.target.clone()).unwrap(),
        "header" => {
            let mut headers = request.headers();
            headers.find(|(name, _)| *name == "x-test").map_or("", |(_, value)| value).to_owned()
        }
        _ => String::from_utf8(request.body().unwrap().to_vec()).unwrap(),
    })
}

/// The arguments that a template reads.
fn argument_names(template: &str) -> BTreeSet<String> {
    let (_, compiled) = mcpc::template::infer_and_compile(template);
    let reads = compiled.map(|compiled| compiled.reads).unwrap_or_default();
    let first = reads.into_iter().filter_map(|read| read.path.into_iter().next());
    first.filter_map(|segment| if let Segment::Key(key) = segment { Some(key) } else { None }).collect()
}
