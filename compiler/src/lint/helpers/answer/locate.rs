//! Finds a key of a path in the text of a template.

use crate::template::{Read, Segment};
use std::ops::Range;

/// Characters between the keys of a path, around them, or around a `gjson` path.
const BETWEEN: [char; 7] = ['.', '/', '[', ']', '"', '`', '\''];

/// The place of the key at `at` in the path. `None` if it was not written together with the keys
/// after it, because the path begins in a loop or a variable.
pub(in crate::lint) fn key(source: &str, read: &Read, at: usize) -> Option<Range<usize>> {
    let mut end = read.span.end;
    let mut found = None;
    for segment in read.path.get(at..)?.iter().rev() {
        let Segment::Key(key) = segment else { return None };
        let text = source.get(..end)?.trim_end_matches(BETWEEN);
        let start = text.strip_suffix(key.as_str())?.len();
        found = Some(start..text.len());
        end = start;
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::template::{Dialect, compile};

    fn found(dialect: Dialect, source: &str, at: usize) -> Option<String> {
        let compiled = compile(dialect, source).unwrap();
        let range = super::key(source, compiled.reads.last().unwrap(), at)?;
        Some(format!("{}:{}", range.start, source.get(range.clone())?))
    }

    #[test]
    fn every_key_of_a_written_path_has_a_place() {
        let go = |source, at| found(Dialect::Go, source, at).unwrap_or_default();
        assert_eq!(go("x {{ .ab.cd }}", 0), "6:ab");
        assert_eq!(go("x {{ .ab.cd }}", 1), "9:cd");
        assert_eq!(go("{{ gjson \"ab.cd\" }}", 0), "10:ab");
        assert_eq!(go("{{ gjson \"ab.cd\" }}", 1), "13:cd");
        assert_eq!(go("{{ with .ab }}{{ .cd }}{{ end }}", 1), "18:cd");
        assert_eq!(go("{{ with .ab }}{{ .cd }}{{ end }}", 0), "");
        assert_eq!(go("{{ range .ab }}{{ .cd }}{{ end }}", 0), "");
        let handlebars = |source, at| found(Dialect::Handlebars, source, at).unwrap_or_default();
        assert_eq!(handlebars("x {{ab.cd}}", 0), "4:ab");
        assert_eq!(handlebars("x {{ab/[c d]}}", 0), "4:ab");
        assert_eq!(handlebars("x {{ab/[c d]}}", 1), "8:c d");
        assert_eq!(handlebars("{{#each ab}}{{cd}}{{/each}}", 2), "14:cd");
    }
}
