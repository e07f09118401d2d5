//! No text may panic a front end, send it into endless recursion, or give it a span outside the text.

use proptest::prelude::*;

use super::lower::verify::verify;
use super::{Dialect, Inferred, compile, infer};

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
        match compile(dialect, source) {
            Ok(compiled) => verify(&compiled, source),
            Err(errors) => {
                for error in errors {
                    assert!(source.get(error.span.clone()).is_some(), "{dialect:?} {source:?}: {error:?}");
                    assert!(!error.message.is_empty() && !error.message.ends_with('.'), "{error:?}");
                }
            }
        }
    }
    if let Inferred::Neither(_, errors) = infer(source) {
        assert!(!errors.is_empty());
    }
}

fn pieces(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..most).prop_map(|pieces| pieces.concat())
}

/// A body made of actions that are valid everywhere.
fn body(
    actions: &'static [&'static str],
    blocks: &'static [&'static str],
    depth: u32,
) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(actions).prop_map(str::to_owned).boxed();
    leaf.prop_recursive(depth, 24, 4, move |inner| {
        let filled = (prop::sample::select(blocks), inner.clone(), inner.clone())
            .prop_map(|(block, one, other)| block.replace("<1>", &one).replace("<2>", &other));
        prop_oneof![filled, prop::collection::vec(inner, 0..4).prop_map(|parts| parts.concat())]
    })
    .boxed()
}

fn go_body(depth: u32) -> impl Strategy<Value = String> {
    const ACTIONS: &[&str] = &[
        "text\r\n",
        "{{ . }}",
        "{{ .a.b }}",
        "{{ .a.b.c | html | printf \"%s %s\" .d }}",
        "{{ $x := .a }}{{ $x.b }}",
        "{{ $y := 1 }}{{ $y = .b }}{{ $y.c }}",
        "{{ or (and .a $.b) (not .c) 1.5 }}",
        "{{ ($z := .a.b) | print $z ($z := 2) | and $z }}",
        "{{ (index .l 0).k.m }}",
        "{{ gjson \"a.b\" }}{{ gjson \"a.0.b\" }}{{ gjson \"a.l.#.b\" }}",
    ];
    const BLOCKS: &[&str] = &[
        "{{ if .a.b }}<1>{{ else if eq .c 1 }}<2>{{ else }}{{ .d }}{{ end }}",
        "{{ if $v := .a }}<1>{{ $v.c }}{{ end }}<2>",
        "{{ with .a }}<1>{{ else with $w := len .l }}<2>{{ end }}",
        "{{ with $v := .a.c }}{{ $v = 1 }}<1>{{ else }}{{ $v }}<2>{{ end }}",
        "{{ range .l }}<1>{{ if .x }}{{ break }}{{ end }}{{ else }}<2>{{ end }}",
        "{{ range $i, $v := .a.l }}{{ $v.k }}<1>{{ continue }}{{ else }}{{ $v.k }}<2>{{ end }}",
        "{{ $k := 0 }}{{ range $k, $v := .l }}{{ $k = 1 }}<1>{{ end }}{{ range $k = . }}<2>{{ end }}",
    ];
    body(ACTIONS, BLOCKS, depth)
}

fn handlebars_body(depth: u32) -> impl Strategy<Value = String> {
    const ACTIONS: &[&str] = &[
        "text\r\n",
        "{{this}}",
        "{{a.b}}{{a.[0].c}}{{@root.a.b.c}}",
        "{{@index}}{{@key}}{{@first}}{{@last}}",
        "{{lookup a (len b)}}{{and a 1.50}}{{eq \"x\" null}}",
    ];
    const BLOCKS: &[&str] = &[
        "{{#if a.b}}<1>{{else if (eq c 1)}}<2>{{else}}{{d}}{{/if}}",
        "{{#unless a includeZero=true}}<1>{{/unless}}<2>",
        "{{#with a as |v|}}{{v.b}}{{../c}}<1>{{else}}<2>{{/with}}",
        "{{#each l}}{{this}}{{k}}<1>{{else}}<2>{{/each}}",
        "{{#each a as |v k|}}{{v.b}}{{k}}{{@../index}}<1>{{/each}}<2>",
    ];
    body(ACTIONS, BLOCKS, depth)
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
    fn templates_of_sound_actions_are_lowered(go in go_body(4), handlebars in handlebars_body(4)) {
        for (dialect, source) in [(Dialect::Go, go), (Dialect::Handlebars, handlebars)] {
            match compile(dialect, &source) {
                Ok(compiled) => verify(&compiled, &source),
                Err(errors) => panic!("{source}: {errors:?}"),
            }
        }
    }

    #[test]
    fn repeated_pieces_are_survived(piece in pieces(4), count in 1usize..300) {
        let mut source = piece.repeat(count);
        source.truncate(source.floor_char_boundary(4000));
        accepts_any(&source);
    }
}
