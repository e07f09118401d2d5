//! What each place makes of a template: the encodings of its values, or the reason why there are none.

use mcp_bundle::template::{Destination, Encoding, Function, Op, OpCode};

use crate::template::{Compiled, Dialect, ErrorKind, TemplateError, compile, compile_for, set_destination};

fn dialect(source: &str) -> Dialect {
    if source.contains("{{ ") { Dialect::Go } else { Dialect::Handlebars }
}

/// The encodings of the values, in the order of the program; `Variable` counts.
fn encodings(place: Destination, source: &str) -> Result<Vec<Encoding>, Vec<TemplateError>> {
    let compiled = compile_for(place, dialect(source), source)?;
    let tags = compiled.programs.ops.iter().filter_map(|op| match op.code {
        OpCode::Emit => Some(op.b),
        OpCode::EmitTop => Some(op.a),
        OpCode::Variable => Some(op.c),
        _ => None,
    });
    Ok(tags.map(|tag| Encoding::from_tag(tag as u8).unwrap()).collect())
}

fn accepts(place: Destination, source: &str, expected: &[Encoding]) {
    let found = encodings(place, source).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    assert_eq!(found, expected, "{source}");
}

/// The message of the first error begins like this, and it underlines that.
fn refuses(place: Destination, source: &str, underlined: &str, message: &str) {
    let errors = encodings(place, source).map(|found| panic!("{source}: {found:?}")).unwrap_err();
    assert!(errors[0].message.contains(message), "{source}: {errors:?}");
    assert_eq!(source.get(errors[0].span.clone()), Some(underlined), "{source}: {errors:?}");
}

#[test]
fn a_value_in_a_json_string_is_text_and_one_by_itself_is_json() {
    use Encoding::{Json, Text};
    for (source, expected) in [
        (r#"{"a": "{{ .a }}", "b": {{ .b }}}"#, &[Text, Json] as &[Encoding]),
        (r#"{"a":"{{a}}","b":{{b}}}"#, &[Text, Json]),
        (r#"{"a":{"b":{{b}}}}"#, &[Json]),
        ("{{ .a }}", &[Json]),
        ("  {{ .a }}\n", &[Json]),
        (r#""say \"{{ .a }}\" \\{{ .b }} \u00e9{{ .c }}""#, &[Text, Text, Text]),
        (r#"{"{{ .k }}": 1, {{ .l }}: 2}"#, &[Text, Json]),
        (r#"["x" , {{ .a }} , 1, {{ .b }}]"#, &[Json, Json]),
        (r#"["${A}", ${B}, "${tenant.id}/{{ .a }}"]"#, &[Text, Json, Text, Text]),
        ("\"\u{80}\u{7f}{{ .a }}\"", &[Text]),
    ] {
        accepts(Destination::Json, source, expected);
    }
}

#[test]
fn conditions_and_loops_keep_the_place() {
    use Encoding::{Json, Text};
    for (source, expected) in [
        (r#"{"a": {{ if .a }}{{ .a }}{{ else }}null{{ end }}}"#, &[Json] as &[Encoding]),
        (r#"{"a": 1{{ if .b }}, "b": {{ .b }}{{ end }}}"#, &[Json]),
        (r#"{"a": "{{ if .a }}x{{ .a }}{{ end }}{{ .b }}"}"#, &[Text, Text]),
        (r#"{"a": {{ if .a }}"{{ .a }}"{{ else }}{{ .b }}{{ end }}}"#, &[Text, Json]),
        ("[{{ range $i, $x := .l }}{{ if $i }},{{ end }}{{ $x }}{{ end }}]", &[Json]),
        (r#"[{{ range $i, $x := .l }}{{ if $i }}, {{ end }}"{{ $x }}"{{ end }}]"#, &[Text]),
        ("[{{#each l}}{{#unless @first}},{{/unless}}{{this}}{{/each}}]", &[Json]),
        (r#"[{{ range .l }}{"v": {{ . }}},{{ end }}null]"#, &[Json]),
        (r#"{"a": {{ with .a }}{{ . }}{{ else }}0{{ end }}}"#, &[Json]),
        ("{{ if .a }}{{ .a }}{{ end }}{{ if .b }}{{ .b }}{{ end }}", &[Json, Json]),
    ] {
        accepts(Destination::Json, source, expected);
    }
}

#[test]
fn a_place_in_json_that_is_not_settled_is_an_error() {
    for (source, underlined, message) in [
        (r#"{{ if .q }}"{{ end }}{{ .x }}{{ if .q }}"{{ end }}"#, ".x", "inside or outside a JSON string"),
        (r#"["{{ range .l }}{{ . }}"{{ end }}]"#, ".", "inside or outside"),
        (r#""\{{ .x }}""#, ".x", "part of an escape"),
        (r#""\u00{{ .x }}""#, ".x", "part of an escape"),
        (r#""\u00g1""#, "g", "four hexadecimal digits"),
        (r#""\x{{ .x }}""#, "x", "no escape `\\x`"),
        ("1{{ .x }}", ".x", "is not allowed here"),
        ("{{ .x }}1", "1", "`1` cannot directly follow"),
        ("{{ .x }}\"a\"", "\"", "`\"` cannot directly follow"),
        ("[-{{ .x }}]", ".x", "is not allowed here"),
        ("[\"a\"{{ .x }}]", ".x", "is not allowed here"),
        ("[{{ .x }}{{ .y }}]", ".y", "is not allowed here"),
        ("[{{ .x }} {{ .y }}]", ".y", "is not allowed here"),
        ("[{{ if .c }}{{ .x }}{{ end }}5]", "5", "cannot directly follow"),
        ("[1{{ if .c }}{{ .x }}{{ end }}]", ".x", "is not allowed here"),
        ("[1${A}]", "[1${A}]", "is not allowed here"),
        ("\"a\n{{ .x }}\"", "\n", "line breaks"),
        ("\"{{ .x }}", "", "end inside a JSON string"),
        ("{{ if .a }}\"{{ end }}", "", "end inside a JSON string"),
    ] {
        refuses(Destination::Json, source, underlined, message);
    }
}

#[test]
fn a_body_that_is_never_json_is_found_when_it_does_not_depend_on_data() {
    for (source, underlined, message) in [
        (r#"{"a": {{ .a }}"#, "", "ends in the middle"),
        (r#"{"a": {{ .a }}, }"#, "}", "expected a member name"),
        (r#"{a: {{ .a }}}"#, "a", "expected a member name"),
        (r#"[{{ .a }} {"b": 1}]"#, "{", "does not write JSON"),
        (r#"[{{ .a }}, é]"#, "é", "does not write JSON"),
        (r#"{"a": {{ toJson .a }}, "a": 1}"#, r#""a""#, "member `a` of an object twice"),
        (
            r#"{"x": [1, {"a": {{ .a }}, "b": {}, "\u0061": 1}]}"#,
            r#""\u0061""#,
            "member `a` of an object twice",
        ),
        ("", "", "does not write JSON"),
        ("plain {{ .a }}", ".a", "is not allowed here"),
    ] {
        let errors = compile_for(Destination::Json, Dialect::Go, source).unwrap_err();
        assert!(errors[0].message.contains(message), "{source}: {errors:?}");
        let found = source.get(errors[0].span.clone()).unwrap();
        assert_eq!(found, underlined, "{source}");
    }
    // Here, the data decide.
    accepts(Destination::Json, "{{ if .a }}[{{ end }}]", &[]);
    accepts(
        Destination::Json,
        r#"{ {{ .a }}: 1, {{ .b }}: 2, "{{ .a }}": 3, "{{ .b }}": 4 }"#,
        &[Encoding::Json, Encoding::Json, Encoding::Text, Encoding::Text],
    );
    accepts(Destination::Json, r#"{"a": {{ .a }}, "b": [], "c": {}}"#, &[Encoding::Json]);
}

#[test]
fn values_before_the_question_mark_are_segments_and_those_behind_it_are_pairs() {
    use Encoding::{PathSegment, Query};
    for (source, expected) in [
        ("{{ .a }}/x-{{ .b }}.json?c={{ .c }}&d={{ .d }}", &[PathSegment, PathSegment, Query, Query] as &[_]),
        ("{{a}}?b={{b}}", &[PathSegment, Query]),
        ("?q=?/{{ .q }}", &[Query]),
        ("{{ if .a }}{{ .a }}/{{ end }}b?{{ range .l }}l={{ . }}&{{ end }}", &[PathSegment, Query]),
        ("{{ if .a }}a?{{ else }}b?{{ end }}q={{ .q }}", &[Query]),
        ("${TEAM}/{{ .a }}?k=${KEY}", &[PathSegment, PathSegment, Query]),
        (".{{ .a }}/..{{ .b }}/...", &[PathSegment, PathSegment]),
        ("a%20b/{{ .a }}", &[PathSegment]),
    ] {
        accepts(Destination::Target, source, expected);
    }
    for (source, underlined, message) in [
        ("a{{ if .x }}?{{ end }}{{ .y }}", ".y", "in the path or in the query"),
        ("{{ .a }}/{name}", "{", "`{name}` placeholder"),
        ("{{ .a }}#top", "#top", "a fragment is never sent"),
        ("{{ .a }} b", " ", "a URL cannot have a space"),
        ("{{ .a }}/é", "é", "a URL cannot have `é`"),
        ("{{ .a }}/\u{1}", "\u{1}", "control character U+0001"),
        ("{{ .a }}%2", "%", "two hexadecimal digits"),
        ("%{{ .a }}", "%", "two hexadecimal digits"),
        ("../{{ .a }}", "/", "`.` or `..` as a segment"),
        ("{{ .a }}/%2E./x", "/", "`.` or `..` as a segment"),
        ("{{ .a }}/..?x", "?", "`.` or `..` as a segment"),
        ("{{ .a }}/..", "", "`.` or `..` as a segment"),
        ("x?a={{ .a }};b=1", ";", "`;` is not allowed in the query"),
    ] {
        refuses(Destination::Target, source, underlined, message);
    }
    accepts(Destination::Target, "a;v=1/{{ .a }}", &[PathSegment]);
}

#[test]
fn headers_and_forms_have_one_encoding() {
    accepts(Destination::Header, "a {{ .a }}\t~ ${B}", &[Encoding::Header, Encoding::Header]);
    refuses(Destination::Header, "a\n{{ .a }}", "\n", "a header value cannot have a line break");
    refuses(Destination::Header, "é{{ .a }}", "é", "a header value cannot have `é`");
    // What only decides is not written.
    accepts(Destination::Header, "{{ if eq .a \"é\" }}e{{ end }}", &[]);
    accepts(Destination::Form, "a={{ .a }}&b=%20{{ .b }}", &[Encoding::Query, Encoding::Query]);
    let fixed = "the name of a pair must be fixed: only what follows a `=` can be a value";
    refuses(Destination::Form, "a={{ .a }}&{{ .b }}=1", ".b", fixed);
    refuses(Destination::Target, "x?{{ .a }}=1", ".a", fixed);
    refuses(Destination::Target, "x?a={{ if .c }}&{{ end }}{{ .b }}", ".b", fixed);
    refuses(Destination::Form, "a={{ .a }} b", " ", "a form cannot have a space");
    refuses(Destination::Form, "a={{ .a }};b=1", ";", "a form cannot have `;`");
}

#[test]
fn variables_become_instructions_and_jumps_still_land() {
    let source = "a ${A}{{ if .x }}b ${B} ${A}{{ else }}$${C}{{ end }}d";
    let compiled = compile_for(Destination::Header, Dialect::Go, source).unwrap();
    assert_eq!(compiled.variables, ["A", "B"]);
    let ops = &compiled.programs.ops;
    assert_eq!((ops.len(), compiled.spans.len()), (10, 10));
    assert_eq!(compiled.programs.programs[0].ops.count, 10);
    let text = |op: &Op| compiled.strings[op.a as usize].as_str();
    let branch = ops.iter().find(|op| op.code == OpCode::Branch).unwrap();
    assert_eq!(text(&ops[branch.b as usize]), "${C}");
    let end = ops.iter().find(|op| op.code == OpCode::Jump).unwrap();
    assert_eq!(text(&ops[end.a as usize]), "d");
    for branch in &compiled.branches {
        assert!(["b ", "${C}"].contains(&text(&ops[branch.op as usize])), "{branch:?}");
    }
}

#[test]
fn invalid_variables_are_located() {
    let source = "{{ .a }} ${1x} ${tenant.name} ${open";
    let errors = compile_for(Destination::Header, Dialect::Go, source).unwrap_err();
    let found: Vec<_> =
        errors.iter().map(|error| (error.kind, source.get(error.span.clone()).unwrap())).collect();
    let kind = ErrorKind::Variable;
    assert_eq!(found, [(kind, "${1x}"), (kind, "${tenant.name}"), (kind, "${open")]);
    // In the text of a result, it is text.
    let text = compile_for(Destination::Text, Dialect::Go, "${A} {{ .a }}").unwrap();
    assert_eq!(text.variables, [""; 0]);
}

/// The functions that are called, and what the program writes with.
fn calls(compiled: &Compiled) -> Vec<Function> {
    let called = compiled.programs.ops.iter().filter(|op| op.code == OpCode::Call);
    called.map(|op| Function::from_tag(op.a as u8).unwrap()).collect()
}

#[test]
fn json_is_not_made_twice() {
    let compiled = |source: &str| compile_for(Destination::Json, Dialect::Go, source).unwrap();
    for (source, expected) in [
        ("{{ toJson .a }}", &[] as &[Function]),
        ("{{ .a | toJson }}", &[]),
        (r#"["{{ .a | toJson }}"]"#, &[Function::ToJson]),
        ("{{ .a | toJson | upper }}", &[Function::ToJson, Function::Upper]),
        ("{{ .a | quote }}", &[Function::ToString]),
        (r#""{{ .a | quote }}""#, &[Function::Quote]),
        ("{{ quote .a .b }}", &[Function::Quote]),
    ] {
        assert_eq!(calls(&compiled(source)), expected, "{source}");
    }
    // The place of the call is kept, so that nothing has to move.
    let before = compile(Dialect::Go, "{{ and .a (toJson .b) }}").unwrap();
    let mut after = before.clone();
    set_destination(&mut after, Destination::Json).unwrap();
    let changed: Vec<(&Op, &Op)> =
        before.programs.ops.iter().zip(&after.programs.ops).filter(|(a, b)| a.code != b.code).collect();
    let [(was, is)] = changed.as_slice() else { panic!("{changed:?}") };
    assert_eq!((was.code, is.code), (OpCode::Call, OpCode::Jump));
    let at = after.programs.ops.iter().position(|op| op == *is).unwrap();
    assert_eq!(is.a as usize, at + 1);
}

#[test]
fn a_place_is_that_of_the_program() {
    for place in
        [Destination::Text, Destination::Target, Destination::Header, Destination::Json, Destination::Form]
    {
        let source = if place == Destination::Form { "a={{ .a }}" } else { "{{ .a }}" };
        let compiled = compile_for(place, Dialect::Go, source).unwrap();
        assert_eq!(compiled.programs.programs[0].place, place);
    }
}
