//! No text may panic a front end, send it into endless recursion, or give it a span outside the text.

use proptest::prelude::*;

use super::{Dialect, Inferred, check, infer};

/// Pieces of both dialects that make a random string look like a template.
const PIECES: &[&str] = &[
    "{{",
    "}}",
    "{{{",
    "}}}",
    "{{{{",
    "}}}}",
    "{{-",
    "-}}",
    "{{~",
    "~}}",
    "{{#",
    "{{/",
    "{{else",
    "{{^",
    "{{!",
    "{{!--",
    "--}}",
    "{{>",
    "{{#>",
    "{{#*inline ",
    "{{*",
    "{{&",
    "if",
    "else",
    "end",
    "range",
    "with",
    "each",
    "unless",
    "raw",
    "define",
    "template",
    "block",
    "break",
    "continue",
    "nil",
    "true",
    "lookup",
    "len",
    "eq",
    "printf",
    "gjson",
    "this",
    "a",
    "$",
    "$x",
    ".",
    ".a",
    "..",
    "../",
    "./",
    "@",
    "@root",
    "@index",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "|",
    ",",
    "=",
    ":=",
    ":",
    "as |",
    "\"",
    "'",
    "`",
    "\\",
    "/*",
    "*/",
    "-",
    "~",
    " ",
    "\n",
    "\r\n",
    "\t",
    "0",
    "1.5",
    "0x1",
    "1e9",
    "'a'",
    "\"s\"",
    "é",
    "\u{a0}",
    "\u{1f389}",
    "\u{0}",
    "#",
    "/",
    "^",
    "!",
    "&",
    "includeZero=true",
    "x=1",
];

/// Templates to damage.
const SEEDS: &[&str] = &[
    "# {{ .title }}\n{{- range $i, $v := .list }}\n## {{add1 $i}}. {{ $v.name }}\n{{- else }}none{{- end }}",
    "{{ if eq .s \"a\\n\" 'x' }}{{ (index .l 0).k | printf \"%s\" }}{{ else if not .b }}{{/* c */}}{{ end }}",
    "{{ with $x := .a }}{{ $x = 1_0 }}{{ gjson \"a.#.b\" }}{{ break }}{{ else with .c }}{{ `r` }}{{ end }}",
    "{{#if (and (eq a \"x\") (gt n 1))}}{{{b.[c d]}}}{{else if c includeZero=true}}{{&d}}{{^}}{{~e~}}{{/if}}",
    "{{#each l as |v k|}}{{@index}}{{../x}}{{#with (lookup m v)}}{{@root.t}}{{/with}}{{else}}-{{/each}}",
    "a\n{{!-- {{c}} --}}\n{{{{raw}}}} {{x}} {{{{/raw}}}}\\{{y}} {{#> p}}{{#*inline \"q\"}}{{/inline}}{{/p}}{{> r}}",
];

fn accepts_any(source: &str) {
    for dialect in [Dialect::Go, Dialect::Handlebars] {
        for error in check(dialect, source).err().unwrap_or_default() {
            assert!(source.get(error.span.clone()).is_some(), "{dialect:?} {source:?}: {error:?}");
            assert!(!error.message.is_empty() && !error.message.ends_with('.'), "{error:?}");
        }
    }
    if let Inferred::Neither(_, errors) = infer(source) {
        assert!(!errors.is_empty());
    }
}

fn pieces(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..most).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_is_survived(source in any::<String>()) {
        accepts_any(&source);
    }

    #[test]
    fn heaps_of_template_pieces_are_survived(source in pieces(24)) {
        accepts_any(&source);
    }

    #[test]
    fn pieces_inside_one_tag_are_survived(inner in pieces(8)) {
        accepts_any(&format!("{{{{{inner}}}}}"));
        accepts_any(&format!("{{{{#if a}}}}x{{{{{inner}}}}}y{{{{/if}}}}"));
    }

    #[test]
    fn damaged_templates_are_survived(
        seed in prop::sample::select(SEEDS),
        cut in any::<prop::sample::Index>(),
        length in 0usize..6,
        insert in pieces(3),
    ) {
        let start = seed.floor_char_boundary(cut.index(seed.len()));
        let end = seed.ceil_char_boundary((start + length).min(seed.len()));
        let mut damaged = seed.to_owned();
        damaged.replace_range(start..end, &insert);
        accepts_any(&damaged);
    }

    #[test]
    fn repeated_pieces_are_survived(piece in pieces(4), count in 1usize..300) {
        let mut source = piece.repeat(count);
        source.truncate(source.floor_char_boundary(4000));
        accepts_any(&source);
    }
}
