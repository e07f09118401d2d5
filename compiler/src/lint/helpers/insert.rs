//! Edits that add a key to a table of a spec.

use mcp_diagnostics::{Edit, Sources, Span};

/// An edit that adds `key = value` to a table, right after the value at `after`.
///
/// `table` is the span of the table: its `[[header]]` line, or an inline table with its braces.
/// `None` if the key is already there, even if it could not be read.
pub fn key(sources: &Sources, table: Span, after: Span, key: &str, value: &str) -> Option<Edit> {
    if is_written(sources, table, key) {
        return None;
    }
    let (span, text) = self::after(sources, table, after, key, value)?;
    Some(Edit { span, text })
}

/// Where to add `key = value` after a value, and the text to add; the key must not be there yet.
pub fn after(sources: &Sources, table: Span, after: Span, key: &str, value: &str) -> Option<(Span, String)> {
    let text = &sources.file(table.file).text;
    if is_inline(sources, table) {
        let span = Span { start: after.end, ..after };
        return Some((span, format!(", {key} = {value}")));
    }
    // The rest of the line can only be a comment, which stays with its value.
    let (start, end) = (after.start as usize, after.end as usize);
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |newline| newline + 1);
    let rest = text.get(end..)?.split('\n').next()?;
    let has_return = rest.ends_with('\r');
    let line_end = end + rest.trim_end_matches('\r').len();
    let before = text.get(line_start..start)?;
    let indent = before.len() - before.trim_start().len();
    let width = match is_aligned(text, line_start, line_end) {
        true => before.find('=')?.saturating_sub(indent + 1),
        false => 0,
    };
    let indent = before.get(..indent)?;
    let newline = if has_return { "\r\n" } else { "\n" };
    let place = Span::new(table.file, line_end..line_end);
    Some((place, format!("{newline}{indent}{key:<width$} = {value}")))
}

/// Whether the `=` of a key is aligned with those of its neighbours. The key begins at
/// `line_start`, its value ends at `line_end`.
fn is_aligned(text: &str, line_start: usize, line_end: usize) -> bool {
    let own = text.get(line_start..).and_then(assignment);
    let Some((length, column)) = own else { return false };
    let before = text.get(..line_start).and_then(|before| before.strip_suffix('\n')?.rsplit('\n').next());
    let after = text.get(line_end..).and_then(|after| after.split('\n').nth(1));
    let others = [before, after].into_iter().flatten().filter_map(assignment);
    let mut others = others.filter(|(other, _)| *other != length).peekable();
    if others.peek().is_some() {
        return others.all(|(_, other)| other == column);
    }
    // The neighbours do not show it: as elsewhere in the file.
    text.split('\n').filter_map(assignment).any(|(length, column)| column > length + 1)
}

/// Of a line with `key = value`: where the key ends, and where the `=` is.
fn assignment(line: &str) -> Option<(usize, usize)> {
    let column = line.split('\n').next()?.find('=')?;
    let key = line.get(..column)?.trim_end();
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '"');
    let name = key.trim_start();
    (!name.is_empty() && name.chars().all(is_bare)).then_some((key.len(), column))
}

/// Whether a table has a key, even one with an invalid value.
pub fn is_written(sources: &Sources, table: Span, key: &str) -> bool {
    let is_key = |text: &str| {
        let text = text.trim_start();
        let bare = text.trim_start_matches(['"', '\'']);
        let after = bare.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
        after.is_some_and(|rest| rest.starts_with('='))
    };
    if is_inline(sources, table) {
        return sources.text(table).split(['{', ',', '\n']).any(is_key);
    }
    let text = &sources.file(table.file).text;
    let body = text.get(table.end as usize..).unwrap_or_default();
    let lines = body.split('\n').skip(1);
    lines.take_while(|line| !line.trim_start().starts_with('[')).any(is_key)
}

fn is_inline(sources: &Sources, table: Span) -> bool {
    sources.text(table).starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_required(text: &str, table: &str) -> Option<String> {
        let mut sources = Sources::default();
        let file = sources.add("spec.toml", text);
        let span = |part: &str| text.find(part).map(|at| Span::new(file, at..at + part.len())).unwrap();
        let edit = key(&sources, span(table), span("\"id\""), "required", "true")?;
        let mut text = text.to_owned();
        text.replace_range(edit.span.range(), &edit.text);
        Some(text)
    }

    #[test]
    fn a_line_is_added_below_and_keeps_comments_indents_and_columns() {
        let text = "[[p]]\n  name        = \"id\" # which\n  position    = \"path\"\n";
        let expected =
            "[[p]]\n  name        = \"id\" # which\n  required    = true\n  position    = \"path\"\n";
        assert_eq!(with_required(text, "[[p]]").unwrap(), expected);
        assert_eq!(
            with_required("[[p]]\nname = \"id\"", "[[p]]").unwrap(),
            "[[p]]\nname = \"id\"\nrequired = true"
        );
        let text = "[[p]]\r\nname = \"id\"\r\n";
        assert_eq!(with_required(text, "[[p]]").unwrap(), "[[p]]\r\nname = \"id\"\r\nrequired = true\r\n");
    }

    #[test]
    fn a_file_without_aligned_keys_gets_none() {
        let text = "[[p]]\nposition = \"path\"\nname = \"id\"\n";
        let expected = "[[p]]\nposition = \"path\"\nname = \"id\"\nrequired = true\n";
        assert_eq!(with_required(text, "[[p]]").unwrap(), expected);
        let text = "[[p]]\ndescription = \"id\"\nposition = \"path\"\n";
        let expected = "[[p]]\ndescription = \"id\"\nrequired = true\nposition = \"path\"\n";
        assert_eq!(with_required(text, "[[p]]").unwrap(), expected);
        let text = "[[p]]\ndescription = \"id\"\nposition    = \"path\"\n";
        let expected = "[[p]]\ndescription = \"id\"\nrequired    = true\nposition    = \"path\"\n";
        assert_eq!(with_required(text, "[[p]]").unwrap(), expected);
    }

    #[test]
    fn an_inline_table_grows_in_place() {
        let text = "p = [{ name = \"id\", position = \"path\" }]";
        let expected = "p = [{ name = \"id\", required = true, position = \"path\" }]";
        assert_eq!(with_required(text, "{ name = \"id\", position = \"path\" }").unwrap(), expected);
    }

    #[test]
    fn a_key_that_is_there_is_not_added_again() {
        assert_eq!(with_required("[[p]]\nname = \"id\"\nrequired = \"yes\"\n", "[[p]]"), None);
        assert_eq!(with_required("p = [{name = \"id\", required= 1}]", "{name = \"id\", required= 1}"), None);
        let next = "[[p]]\nname = \"id\"\n[[p]]\nrequired = true\n";
        assert!(with_required(next, "[[p]]").is_some());
    }
}
