//! `input_schema`, `output_schema` and `answer_schema`: a table, JSON text in a string, or a JSON file beside the spec.

use super::lower::Lowering;
use super::template::ReadFile;
use super::value::{JsonFields, to_json};
use crate::language::json::{Json, JsonError};
use crate::language::rules::{INVALID_VALUE, UNREADABLE_FILE};
use mcp_diagnostics::toml_tree::{TomlTable, TomlValue, Value, to_text};
use mcp_diagnostics::{Diagnostic, Fields, Span, Spanned, literal};
use std::ops::Range;

/// A schema as it is written; `None` in it if it cannot be used, which is then reported.
pub(super) type Read = Option<Option<Spanned<Json>>>;

impl Lowering<'_> {
    pub(super) fn schema(
        &mut self,
        fields: &Fields<'_, '_>,
        key: &'static str,
        files: &mut dyn ReadFile,
    ) -> Read {
        let value = fields.value(key)?;
        let span = fields.at(value);
        match value.get_ref() {
            Value::String(_) => {
                let text = to_text(value, self.toml.text)?;
                Some(self.schema_text(key, span, &text))
            }
            Value::Table(table) => match file_name(table) {
                Some(file) => {
                    let name = Spanned::new(to_text(file, self.toml.text)?, fields.at(file));
                    Some(self.schema_file(key, &name, files))
                }
                None => Some(fields.json(key)),
            },
            _ => Some(to_json(value, self.toml.text).map(|json| Spanned::new(json, span))),
        }
    }

    /// JSON text in a string of the spec.
    fn schema_text(&mut self, key: &str, span: Span, text: &str) -> Option<Spanned<Json>> {
        let written = self.toml.text.get(span.range()).unwrap_or_default().to_owned();
        let place = |range: Range<usize>| {
            literal::locate(&written, range).map_or(span, |found| {
                let start = span.start as usize;
                Span::new(span.file, start + found.start..start + found.end)
            })
        };
        let problem = match parse(key, text) {
            Ok(json) => return Some(Spanned::new(json, span)),
            Err(problem) => problem,
        };
        let is_name = text.ends_with(".json") && !text.contains(['{', '\n']);
        let diagnostic = Diagnostic::new(&INVALID_VALUE, place(problem.range), problem.message);
        self.toml.report(if is_name {
            diagnostic.help(format!("to read a file, write `{{ file = \"{text}\" }}`"))
        } else {
            diagnostic.help("write a JSON Schema as a table, as JSON text, or as `{ file = \"x.json\" }`")
        });
        None
    }

    /// A JSON file beside the spec.
    fn schema_file(
        &mut self,
        key: &str,
        name: &Spanned<String>,
        files: &mut dyn ReadFile,
    ) -> Option<Spanned<Json>> {
        if !self.is_beside(name, "schema") {
            return None;
        }
        let (file, text) = match files.read(self.toml.file, &name.value) {
            Ok(read) => read,
            Err(why) => {
                let message = format!("schema `{}` cannot be read: {why}", name.value);
                self.toml.report(Diagnostic::new(&UNREADABLE_FILE, name.span, message));
                return None;
            }
        };
        // Editors on some systems write a byte order mark.
        let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let start = text.len() - json.len();
        match parse(key, json) {
            Ok(json) => Some(Spanned::new(json, Span::new(file, start..text.len()))),
            Err(Problem { range, message }) => {
                let span = Span::new(file, start + range.start..start + range.end);
                self.toml.report(
                    Diagnostic::new(&INVALID_VALUE, span, message)
                        .related(name.span, "the spec reads it here"),
                );
                None
            }
        }
    }
}

/// The file of `{ file = "x.json" }`. JSON Schema has no keyword of that name.
fn file_name<'t, 'i>(table: &'t TomlTable<'i>) -> Option<&'t TomlValue<'i>> {
    let file = table.get("file")?;
    (table.iter().len() == 1 && file.get_ref().as_str().is_some()).then_some(file)
}

struct Problem {
    range: Range<usize>,
    message: String,
}

fn parse(key: &str, text: &str) -> Result<Json, Problem> {
    let json = Json::read(text).map_err(|JsonError { range, message }| Problem {
        range,
        message: format!("`{key}` is not valid JSON: {message}"),
    })?;
    let fits = match key {
        "input_schema" => json.as_object().is_some(),
        _ => json.as_object().is_some() || json.as_bool().is_some(),
    };
    if fits {
        return Ok(json);
    }
    let start = text.len() - text.trim_start().len();
    let message = format!("`{key}` must be a JSON object, not {}", json.with_article());
    Err(Problem { range: start..text.trim_end().len().max(start), message })
}

#[cfg(test)]
mod tests {
    use crate::check::{MemoryFiles, Report, check_files};

    const TOOL: &str = "[[tool]]\nname = \"add_note\"\ndescription = \"Adds a note to the list of notes.\"\n\
                        method = \"POST\"\nendpoint = \"https://api.example.com/notes\"\n\
                        allow = [{ rule = \"missing-example\", reason = \"short\" }]\n";

    fn check(rest: &str, file: Option<&str>) -> Report {
        let mut files = MemoryFiles::one("spec.toml", &format!("{TOOL}{rest}\n"));
        if let Some(text) = file {
            files.add("note.json", text);
        }
        check_files(&files)
    }

    /// Place and message of each finding.
    fn findings(report: &Report) -> Vec<String> {
        let line = |found: &mcp_diagnostics::Diagnostic| {
            let start = found.start(&report.sources);
            let name = &report.sources.file(found.span.file).name;
            format!("{name}:{}:{}: {}", start.line, start.column, found.message)
        };
        report.diagnostics.iter().map(line).collect()
    }

    const NOTE: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"Words"}},"required":["text"]}"#;

    #[test]
    fn a_schema_is_a_table_a_text_or_a_file() {
        let table = "input_schema = { type = \"object\", properties = { text = { type = \"string\", \
                     description = \"Words\" } }, required = [\"text\"] }";
        let as_table = check(table, None);
        let as_text = check(&format!("input_schema = '{NOTE}'"), None);
        let as_file = check("input_schema = { file = \"note.json\" }", Some(&format!("\u{feff}{NOTE}\n")));
        for report in [&as_table, &as_text, &as_file] {
            assert_eq!(findings(report), [""; 0]);
            let tool = &report.toolsets[0].tools[0];
            assert_eq!(tool.input_schema.as_ref().unwrap().value.to_text(), NOTE);
        }
        let output = check("output_schema = 'true'", None);
        assert_eq!(findings(&output), [""; 0]);
    }

    #[test]
    fn what_is_not_json_is_one_finding_at_its_place() {
        for (rest, file, expected) in [
            (
                "input_schema = \"object\"",
                None,
                "spec.toml:7:17: `input_schema` is not valid JSON: expected a value",
            ),
            (
                "input_schema = '''\n{\n  \"type\": \"object\",\n}'''",
                None,
                "spec.toml:10:1: `input_schema` is not valid JSON: expected a member name in quotes",
            ),
            (
                "input_schema = { file = \"note.json\" }",
                Some("{\n  \"type\" \"object\"\n}"),
                "note.json:2:10: `input_schema` is not valid JSON: expected `:`",
            ),
            (
                "input_schema = { file = \"note.json\" }",
                Some("{\"type\":\"object\",\n\"type\":\"object\"}"),
                "note.json:2:1: `input_schema` is not valid JSON: duplicate member `type`",
            ),
            (
                "input_schema = '[]'",
                None,
                "spec.toml:7:17: `input_schema` must be a JSON object, not an array",
            ),
            (
                "input_schema = { file = \"gone.json\" }",
                None,
                "spec.toml:7:25: schema `gone.json` cannot be read: no such file",
            ),
            (
                "output_schema = { file = \"../x.json\" }",
                None,
                "spec.toml:7:26: a schema's file must be in the spec's folder or below it",
            ),
        ] {
            assert_eq!(findings(&check(rest, file)), [expected], "{rest}");
        }
    }

    #[test]
    fn a_file_name_as_text_is_explained() {
        let report = check("input_schema = \"note.json\"", Some(NOTE));
        let help = report.diagnostics[0].help.as_deref();
        assert_eq!(help, Some("to read a file, write `{ file = \"note.json\" }`"));
        assert_eq!(report.diagnostics.len(), 1, "{:?}", findings(&report));
    }

    #[test]
    fn rules_point_into_the_text_and_into_the_file() {
        let bad = "{\n  \"type\": \"object\",\n  \"properties\": { \"a\": { \"type\": \"strng\", \"description\": \"A\" } }\n}";
        let message = |report: &Report| findings(report).concat();
        let text = message(&check(&format!("input_schema = '''\n{bad}'''"), None));
        assert!(text.starts_with("spec.toml:10:34: `input_schema` is not a valid JSON Schema"), "{text}");
        let report = check("input_schema = { file = \"note.json\" }", Some(bad));
        let file = message(&report);
        assert!(file.starts_with("note.json:3:34: `input_schema` is not a valid JSON Schema"), "{file}");
        assert!(report.diagnostics.iter().all(|found| found.fix.is_none()), "a fix would write TOML");
        let untyped = check("input_schema = { file = \"note.json\" }", Some("{}"));
        assert!(message(&untyped).starts_with("note.json:1:1: `input_schema` must have `type"));
        assert!(untyped.diagnostics.iter().all(|found| found.fix.is_none()));
    }
}
