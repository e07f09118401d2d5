//! Which instructions become of a template.

use super::listing::listing;
use crate::template::{Compiled, Dialect, compile};

pub fn compiled(dialect: Dialect, source: &str) -> Compiled {
    let compiled = compile(dialect, source).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    super::verify::verify(&compiled, source);
    compiled
}

/// The instructions, without their numbers.
pub fn ops(compiled: &Compiled) -> Vec<String> {
    let text = |id: u32| compiled.strings[id as usize].clone();
    let listing = listing(&compiled.programs, &compiled.programs.programs[0], &text, &|kind, id| {
        format!("{kind} {id}")
    });
    listing.lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
}

pub fn go(source: &str) -> Vec<String> {
    ops(&compiled(Dialect::Go, source))
}

pub fn handlebars(source: &str) -> Vec<String> {
    ops(&compiled(Dialect::Handlebars, source))
}

#[test]
fn text_is_one_literal_up_to_where_a_jump_lands() {
    assert_eq!(go("a{{/* c */}}b\r\nc"), ["literal \"ab\\nc\""]);
    assert_eq!(go(""), [""; 0]);
    assert_eq!(go("{{ if .a }}x{{ end }}y"), ["branch r0.a:0 0 -> 2", "literal \"x\"", "literal \"y\""]);
    assert_eq!(
        handlebars("a{{#each l}}b{{/each}}c"),
        [
            "literal \"a\"",
            "push r0.l:0",
            "loop 0 r1 -> 5",
            "literal \"b\"",
            "next 0 r1 -> 3",
            "literal \"c\""
        ]
    );
}

#[test]
fn paths_are_written_at_once() {
    let expected = ["emit r0.a:0.b:0", "emit r0.a:0", "emit r0"];
    assert_eq!(go("{{ .a.b }}{{ $.a }}{{ . }}"), expected);
    assert_eq!(go("{{ (.a).b }}{{ gjson \"a\" }}{{ ($) }}"), expected);
    assert_eq!(handlebars("{{a.b}}{{{@root.a}}}{{&this}}"), expected);
}

#[test]
fn the_first_arm_that_holds_is_run() {
    let expected = [
        "branch r0.a:0 0 -> 3",
        "literal \"x\"",
        "jump -> 9",
        "push r0.b:1",
        "call LEN 1",
        "jump-unless 0 -> 8",
        "literal \"y\"",
        "jump -> 9",
        "literal \"z\"",
    ];
    let expected = |len: &str| expected.map(|line| line.replace("LEN", len));
    assert_eq!(go("{{if .a}}x{{else if len .b}}y{{else}}z{{end}}"), expected("len"));
    assert_eq!(handlebars("{{#if a}}x{{else if (len b)}}y{{else}}z{{/if}}"), expected("#len"));
}

#[test]
fn with_keeps_its_value_in_a_register() {
    let expected = ["push r0.a:0", "store r1", "branch r1 0 -> 5", "emit r1.b:0", "jump -> 6", "emit r0.c:1"];
    assert_eq!(go("{{ with .a }}{{ .b }}{{ else }}{{ .c }}{{ end }}"), expected);
    assert_eq!(handlebars("{{#with a}}{{b}}{{else}}{{c}}{{/with}}"), expected);
    assert_eq!(go("{{ with $x := .a }}{{ $x.b }}{{ else }}{{ .c }}{{ end }}"), expected);
    assert_eq!(go("{{ with . }}{{ .b }}{{ end }}"), ["branch r0 0 -> 2", "emit r0.b:0"]);
}

#[test]
fn loop_variables_are_the_registers_of_the_loop() {
    assert_eq!(
        go(
            "{{ range $i, $v := .l }}{{ $i }}{{ $v.n }}{{ .n }}{{ break }}{{ continue }}{{ else }}{{ $v.n }}{{ end }}"
        ),
        [
            "push r0.l:0",
            "loop 0 r1 -> 9",
            "emit r2",
            "emit r1.n:0",
            "emit r1.n:0",
            "jump -> 10",
            "jump -> 7",
            "next 0 r1 -> 2",
            "jump -> 10",
            // What was looped over was not scanned as an element.
            "emit r1.n:?",
        ]
    );
}

#[test]
fn handlebars_loops_know_their_position() {
    assert_eq!(
        handlebars(
            "{{#each l as |v k|}}{{#each v.m}}{{@index}}{{@../key}}{{k}}{{../x}}{{/each}}{{else}}-{{/each}}"
        ),
        [
            "push r0.l:0",
            "loop 0 r1 -> 13",
            "push r1.m:0",
            "loop 1 r3 -> 11",
            "loop-item index of 1",
            "emit-top",
            "loop-item key of 0",
            "emit-top",
            "emit r2",
            "emit r1.x:1",
            "next 1 r3 -> 4",
            "next 0 r1 -> 2",
            "jump -> 14",
            "literal \"-\"",
        ]
    );
}

#[test]
fn tests_are_negated_and_take_zero() {
    let source = "{{#unless a}}x{{/unless}}{{#if a includeZero=true}}y{{/if}}{{#unless @first}}z{{/unless}}";
    assert_eq!(
        handlebars(source),
        [
            "branch r0.a:0 1 -> 2",
            "literal \"x\"",
            "branch r0.a:0 2 -> 4",
            "literal \"y\"",
            "constant null",
            "jump-unless 1 -> 7",
            "literal \"z\"",
        ]
    );
}

#[test]
fn a_variable_that_changes_has_its_own_register() {
    assert_eq!(
        go("{{ $x := .a }}{{ if .b }}{{ $x = 1 }}{{ end }}{{ $x.c }}"),
        ["push r0.a:0", "store r1", "branch r0.b:1 0 -> 5", "constant 1", "store r1", "emit r1.c:?"]
    );
    assert_eq!(go("{{ $x := .a }}{{ $y := $x }}{{ $y.c }}"), ["push r0.a:0", "store r1", "emit r1.c:0"]);
    assert_eq!(
        go("{{ $x := 1 }}{{ range $i, $x := .l }}{{ $x = 2 }}{{ $i }}{{ else }}{{ $x }}{{ end }}{{ $x }}"),
        [
            "constant 1",
            "store r1",
            "push r0.l:0",
            "store r2",
            "push r2",
            "loop 0 r3 -> 13",
            "push r3",
            "store r2",
            "constant 2",
            "store r2",
            "emit r4",
            "next 0 r3 -> 6",
            "jump -> 14",
            "emit r2",
            "emit r1",
        ]
    );
}

#[test]
fn a_loop_can_set_variables_that_exist() {
    assert_eq!(
        go("{{ $i := 0 }}{{ $v := 0 }}{{ range $i, $v = .l }}x{{ end }}{{ $v }}"),
        [
            "constant 0",
            "store r1",
            "constant 0",
            "store r2",
            "push r0.l:0",
            "store r1",
            "push r1",
            "store r2",
            "push r1",
            "loop 0 r3 -> 16",
            "push r4",
            "store r1",
            "push r3",
            "store r2",
            "literal \"x\"",
            "next 0 r3 -> 10",
            "emit r2",
        ]
    );
}

#[test]
fn arguments_come_before_the_value_that_is_piped_in() {
    assert_eq!(
        go("{{ .s | printf \"%s-%s\" \"a\" | len }}"),
        ["constant \"%s-%s\"", "constant \"a\"", "push r0.s:0", "call printf 3", "call len 1", "emit-top"]
    );
    assert_eq!(
        go("{{ html }}{{ now | js }}"),
        ["call html 0", "emit-top", "call now 0", "call js 1", "emit-top"]
    );
}

#[test]
fn a_piped_value_comes_first_where_it_shows() {
    assert_eq!(
        go("{{ ($x := .a) | print $x }}"),
        ["push r0.a:0", "store r1", "push r1", "store r2", "push r1", "push r2", "call print 2", "emit-top"]
    );
    assert_eq!(
        go("{{ $x := 1 }}{{ $x | print ($x = 2) }}"),
        [
            "constant 1",
            "store r1",
            "push r1",
            "store r2",
            "constant 2",
            "store r1",
            "push r1",
            "push r2",
            "call print 2",
            "emit-top",
        ]
    );
    // It could fail, and must not be left out.
    assert_eq!(
        go("{{ len .a | or .b }}"),
        ["push r0.a:0", "call len 1", "store r1", "push r0.b:1", "keep-unless 1 -> 6", "push r1", "emit-top"]
    );
}

#[test]
fn and_and_or_leave_at_the_argument_that_decides() {
    assert_eq!(
        go("{{ and .a (or .b 1) .c }}{{ .a | or }}"),
        [
            "push r0.a:0",
            "keep-unless 0 -> 7",
            "push r0.b:1",
            "keep-unless 1 -> 5",
            "constant 1",
            "keep-unless 0 -> 7",
            "push r0.c:2",
            "emit-top",
            "push r0.a:0",
            "emit-top",
        ]
    );
}

#[test]
fn gjson_goes_by_keys_then_by_calls() {
    assert_eq!(
        go("{{ gjson \"a.0.b.#.c.1\" }}{{ gjson \"l.#\" }}"),
        [
            "push r0.a:0",
            "constant \"0\"",
            "call #gjson-key 2",
            "constant \"b\"",
            "call #gjson-key 2",
            "constant \"c\"",
            "constant \"1\"",
            "call #gjson-each 3",
            "emit-top",
            "push r0.l:1",
            "call #gjson-each 1",
            "emit-top",
        ]
    );
}

#[test]
fn literals_are_constants_and_fields_are_taken_from_values() {
    assert_eq!(
        go("{{ print nil true 'a' 1.50 \"x\" }}{{ (index .l 0).k.m }}"),
        [
            "constant null",
            "constant true",
            "constant 97",
            "constant 1.5",
            "constant \"x\"",
            "call print 5",
            "emit-top",
            "push r0.l:0",
            "constant 0",
            "call index 2",
            "fields r0.k:?.m:?",
            "emit-top",
        ]
    );
    assert_eq!(
        handlebars("{{lookup a \"k\"}}{{and false 1.50}}"),
        [
            "push r0.a:0",
            "constant \"k\"",
            "call #lookup 2",
            "emit-top",
            "constant false",
            "constant 1.5",
            "call #and 2",
            "emit-top",
        ]
    );
}
