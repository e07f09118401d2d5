//! Finds where a part of a nested value was written.
//!
//! A JSON value of a spec has one span for the whole. For a finding about a part, the text of that
//! tool is parsed again, so specs without findings never pay for it.

use crate::checked::{CheckedTool, CheckedToolset};
use crate::language::json::Json;
use mcp_diagnostics::{
    Sources, Span,
    toml_tree::{self, TomlValue, Value},
};

/// The span of what `steps` lead to inside the value at `whole`. If the steps end early, the
/// nearest enclosing span; `whole` itself if nothing is known.
pub fn part(
    sources: &Sources,
    toolset: &CheckedToolset,
    tool: &CheckedTool,
    whole: Span,
    steps: &[String],
) -> Span {
    let text = &sources.file(whole.file).text;
    if whole.file != tool.span.file {
        // A JSON file of its own.
        let found = Json::locate(sources.text(whole), steps);
        let offset = whole.start as usize;
        return found.map_or(whole, |part| Span::new(whole.file, offset + part.start..offset + part.end));
    }
    if let Some(json) = literal(sources.text(whole)) {
        return Json::locate(&json, steps).map_or(whole, |part| sources.inside(whole, part));
    }
    let start = tool.span.start;
    let next = toolset.tools.partition_point(|other| other.span.start <= start);
    let end = toolset.tools.get(next).map_or(text.len(), |other| other.span.start as usize);
    let Some(fragment) = text.get(start as usize..end) else {
        return whole;
    };
    let (document, _) = toml_tree::read(fragment);
    let wanted = whole.start.wrapping_sub(start) as usize..whole.end.wrapping_sub(start) as usize;
    let mut tops = document.values();
    let Some(found) = tops.find_map(|top| find(top, &wanted)) else {
        return whole;
    };
    let mut place = found.span();
    let mut value = found;
    for step in steps {
        let inner = match value.get_ref() {
            Value::Table(table) => table.get(step),
            Value::Array(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        let Some(inner) = inner else { break };
        value = inner;
        place = value.span();
    }
    Span { file: whole.file, start: start + place.start as u32, end: start + place.end as u32 }
}

/// What a string literal of TOML holds; `None` if it is not one.
fn literal(written: &str) -> Option<String> {
    let document = written.starts_with(['"', '\'']).then(|| format!("x = {written}"))?;
    let (table, errors) = toml_tree::read(&document);
    toml_tree::to_text(table.get("x").filter(|_| errors.is_empty())?, &document)
}

/// Whether a schema is a table of the spec, in which a fix can be written as TOML.
pub fn is_table(sources: &Sources, tool: &CheckedTool, whole: Span) -> bool {
    whole.file == tool.span.file && !sources.text(whole).starts_with(['"', '\''])
}

fn find<'v, 'i>(value: &'v TomlValue<'i>, wanted: &std::ops::Range<usize>) -> Option<&'v TomlValue<'i>> {
    // An array of tables has the span of its first table; the table is meant.
    match value.get_ref() {
        Value::Array(items) => {
            items.iter().find_map(|item| find(item, wanted)).or((value.span() == *wanted).then_some(value))
        }
        _ if value.span() == *wanted => Some(value),
        Value::Table(table) => table.values().find_map(|value| find(value, wanted)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{MemoryFiles, check_files};

    fn located(spec: &str, steps: &[&str]) -> String {
        let report = check_files(&MemoryFiles::one("spec.toml", spec));
        let toolset = &report.toolsets[0];
        let tool = toolset.tools.last().unwrap();
        let steps: Vec<String> = steps.iter().map(|step| (*step).to_owned()).collect();
        let span = tool.input_schema.as_ref().unwrap().span;
        report.sources.text(part(&report.sources, toolset, tool, span, &steps)).to_owned()
    }

    #[test]
    fn a_part_is_found_in_inline_tables_and_under_headers() {
        let inline = "[[tool]]\nname = \"a\"\n[[tool]]\nname = \"b\"\ninput_schema = { allOf = [true, { pattern = '(' }] }\n";
        assert_eq!(located(inline, &["allOf", "1", "pattern"]), "'('");
        let headers =
            "[[tool]]\nname = \"a\"\n[tool.input_schema.properties.x]\npattern = '('\n[upstream.u]\n";
        assert_eq!(located(headers, &["properties", "x", "pattern"]), "'('");
    }

    #[test]
    fn steps_that_end_early_give_the_nearest_place() {
        let spec = "[[tool]]\nname = \"a\"\ninput_schema = { properties = { x = 3 } }\n";
        assert_eq!(located(spec, &["properties", "x", "type"]), "3");
    }
}
