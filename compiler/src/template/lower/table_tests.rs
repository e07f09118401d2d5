//! What a program says beside its instructions: shapes, reads, branches, places.

use super::listing::shape;
use super::tests::{compiled, go, ops};
use crate::template::{BranchKind, Compiled, Dialect, ErrorKind, Segment, compile, compile_for};

fn shape_of(compiled: &Compiled) -> String {
    let text = |id: u32| compiled.strings[id as usize].clone();
    shape(&compiled.programs, compiled.programs.programs[0].shape, &text)
}

fn go_shape(source: &str) -> String {
    shape_of(&compiled(Dialect::Go, source))
}

fn handlebars_shape(source: &str) -> String {
    shape_of(&compiled(Dialect::Handlebars, source))
}

/// What is read, as `path` or `path…` if it is looped over, with the text of the span.
fn reads(dialect: Dialect, source: &str) -> Vec<(String, &str)> {
    let one = |segment: &Segment| match segment {
        Segment::Key(key) => key.clone(),
        Segment::Each => "*".to_owned(),
    };
    let reads = compiled(dialect, source).reads;
    let reads = reads.into_iter().map(|read| {
        let path: Vec<_> = read.path.iter().map(one).collect();
        (path.join(".") + if read.looped { "…" } else { "" }, &source[read.span])
    });
    reads.collect()
}

#[test]
fn a_shape_is_what_is_read_by_name() {
    assert_eq!(go_shape("plain{{ now }}"), "");
    assert_eq!(go_shape("{{ .b }}{{ .a.c }}{{ .a.b }}{{ $.b }}"), "{b, a: {c, b}}");
    assert_eq!(go_shape("{{ range .l }}{{ .n }}{{ range .m }}x{{ end }}{{ end }}"), "{l: [{n, m: []}]}");
    assert_eq!(go_shape("{{ with .a }}{{ .b }}{{ end }}{{ $x := .a.c }}{{ $x.d }}"), "{a: {b, c: {d}}}");
    assert_eq!(go_shape("{{ $x := .a }}{{ $x = .b }}{{ $x.c }}{{ (index .l 0).d }}"), "{a, b, l}");
    assert_eq!(handlebars_shape("{{#each l as |v|}}{{v.n}}{{../t}}{{/each}}{{a.[0].b}}"), "{l: [{n}], t, a}");
}

#[test]
fn what_has_fields_is_not_looped_over_by_shape() {
    let source = "{{ range .l }}{{ .n.m }}{{ end }}{{ .l.x }}";
    assert_eq!(go_shape(source), "{l: {x}}");
    assert_eq!(
        go(source),
        ["push r0.l:0", "loop 0 r1 -> 4", "emit r1.n:?.m:?", "next 0 r1 -> 2", "emit r0.l:0.x:0"]
    );
}

#[test]
fn what_is_one_field_too_many_is_searched() {
    let source: String = (0..=1024).map(|field| format!("{{{{ .f{field} }}}}")).collect();
    let program = go(&source);
    assert_eq!(program[1023], "emit r0.f1023:1023");
    assert_eq!(program[1024], "emit r0.f1024:?");
}

#[test]
fn what_lies_too_deep_is_searched() {
    let nested = format!("{}{{{{ .b }}}}{}", "{{ with .a.a.a }}".repeat(30), "{{ end }}".repeat(30));
    let last = go(&nested).pop().unwrap();
    assert_eq!(last, "emit r30.b:?");
}

#[test]
fn reads_have_a_path_and_the_place_of_its_last_key() {
    let found = reads(Dialect::Go, "{{ range $v := .a.l }}{{ $v.n }}{{ . }}{{ end }}{{ gjson \"b.#.c\" }}");
    let path = "\"b.#.c\"";
    let expected = [("a.l…", "l"), ("a.l.*.n", "n"), ("b…", path), ("b.*.c", path)];
    assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text)));
    let found = reads(
        Dialect::Handlebars,
        "{{#each e}}{{this.n}}{{@root.[x y]}}{{m.0.k}}{{/each}}{{#each this}}{{/each}}",
    );
    let expected = [("e…", "e"), ("e.*.n", "n"), ("x y", "@root.[x y]"), ("e.*.m", "m.0.k"), ("…", "this")];
    assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text)));
}

#[test]
fn branches_begin_at_an_instruction_of_their_own() {
    let source = "{{ if .a }}x{{ else if .b }}{{ else }}y{{ end }}{{ range .l }}z{{ else }}{{ end }}";
    let branches = compiled(Dialect::Go, source).branches;
    let found: Vec<_> = branches.iter().map(|b| (b.kind, b.op, &source[b.span.clone()])).collect();
    assert_eq!(
        found,
        [
            (BranchKind::Taken, 1, "{{ if .a }}"),
            (BranchKind::Else, 5, "{{ else if .b }}"),
            (BranchKind::Loop, 8, "{{ range .l }}"),
        ]
    );
}

#[test]
fn spots_are_lines_and_columns() {
    let spots = |source| {
        let spots = compiled(Dialect::Go, source).programs.spots;
        spots.iter().map(|spot| (spot.op, spot.line, spot.column)).collect::<Vec<_>>()
    };
    assert_eq!(spots("é {{ .a }}\r\n{{ len .b }}"), [(1, 1, 6), (3, 2, 8), (4, 2, 4), (5, 2, 1)]);
    assert_eq!(spots("plain"), []);
}

#[test]
fn spans_are_of_the_text_as_it_was_given() {
    let source = "a\r\n{{ .b }}\r\n{{ .c }}";
    let compiled = compiled(Dialect::Go, source);
    let texts: Vec<_> = compiled.spans.iter().map(|span| &source[span.clone()]).collect();
    assert_eq!(texts, ["a\r\n", ".b", "\r\n", ".c"]);
    let errors = compile(Dialect::Handlebars, "a\r\n{{> b}}").unwrap_err();
    assert_eq!(errors[0].span, 3..10);
}

#[test]
fn only_literals_are_encoded() {
    let mut compiled =
        compile_for(mcp_bundle::template::Destination::Text, Dialect::Go, "\"\n{{ \"\\\"\\n\" }}").unwrap();
    assert_eq!(ops(&compiled), ["literal \"\\\\\\\"\\\\n\"", "constant \"\\\"\\n\"", "emit-top"]);
    compiled.strings.sort();
    assert_eq!(compiled.strings, ["\"\n", "\\\"\\n"]);
}

#[test]
fn limits_are_kept() {
    let long = format!("{{{{ .a{} }}}}", ".a".repeat(64));
    let many = "{{ range . }}{{ end }}".repeat(2100);
    let fields = format!("{{{{ (len .a){} }}}}", ".a".repeat(65));
    let keys = format!("{{{{ gjson \"#{}\" }}}}", ".a".repeat(64));
    for source in [long, many, fields, keys] {
        let errors = compile(Dialect::Go, &source).unwrap_err();
        assert_eq!(errors[0].kind, ErrorKind::TooComplex, "{errors:?}");
    }
    let fits = format!("{{{{ .a{} }}}}", ".a".repeat(63));
    compiled(Dialect::Go, &fits);
}

#[test]
fn keys_that_are_given_to_index_and_lookup_are_read() {
    let go = |source| reads(Dialect::Go, source);
    let both = |path: &str, key| vec![("user".to_owned(), "user"), (path.to_owned(), key)];
    assert_eq!(go("{{ index .user \"a-b\" }}"), both("user.a-b", "a-b"));
    assert_eq!(go("{{ index .user \"a\" \"b\" 0 \"c\" }}"), both("user.a.b", "b"));
    assert_eq!(go("{{ index .user \"a\\\"\" }}"), both("user.a\"", "\"a\\\"\""));
    assert_eq!(go("{{ index . `a` }}"), [("a".to_owned(), "a")]);
    assert!(go("{{ index .user 0 \"a\" }}{{ index .user .user }}").iter().all(|(path, _)| path == "user"));
    let handlebars = |source| reads(Dialect::Handlebars, source);
    assert_eq!(handlebars("{{lookup user 'a b'}}"), both("user.a b", "{{lookup user 'a b'}}"));
    assert_eq!(handlebars("{{lookup user '0'}}"), [("user".to_owned(), "user")]);
}
