//! Where `mcpc check` reads specs from, and how much it prints.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{CLEAN, Done, Workplace};
use std::io::Write;
use std::process::Stdio;

fn run_with_input(place: &Workplace, arguments: &[&str], input: &[u8]) -> Done {
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_spec_is_read_from_standard_input() {
    let place = Workplace::new();
    let done = run_with_input(&place, &["check", "-"], CLEAN.as_bytes());
    assert_eq!((done.code, done.out.as_str()), (0, "checked 1 file: 1 tool, no problems\n"), "{}", done.err);
    let broken = CLEAN.replace("method", "metod");
    let done = run_with_input(&place, &["check", "-", "--format", "concise"], broken.as_bytes());
    assert_eq!(done.code, 1);
    assert_eq!(done.out, "<stdin>:5:1: error[MCP0101] a tool has no key `metod`\n");
    let done = run_with_input(&place, &["check", "-", "--diff"], broken.as_bytes());
    assert!(done.out.contains("\n-metod = \"GET\"\n+method = \"GET\"\n"), "{}", done.out);
    let done = run_with_input(&place, &["check", "-", "--format", "concise"], b"a = \"\xff\"");
    assert!(done.code == 1 && done.out.starts_with("<stdin>:1:"), "{}", done.out);
    assert!(done.out.contains("MCP0002"), "{}", done.out);
}

#[test]
fn standard_input_has_the_configuration_and_templates_of_the_working_directory() {
    let place = Workplace::new();
    place.write("mcpc.toml", "[rules]\nmissing-example = \"error\"\n");
    place.write("order.tmpl", "order {{.id}}");
    let template = "response_template = { file = \"order.tmpl\" }\n\n[[tool.parameters]]";
    let spec = CLEAN.split("[[tool.examples]]").next().unwrap();
    let spec = spec.replace("\n[[tool.parameters]]", template);
    let done = run_with_input(&place, &["check", "-", "--format", "concise"], spec.as_bytes());
    assert!(done.out.contains("no example") && done.out.lines().count() == 1, "{}", done.out);
    assert_eq!(done.code, 1);
}

#[test]
fn standard_input_is_refused_where_it_makes_no_sense() {
    let place = Workplace::with_spec(CLEAN);
    for (arguments, message) in [
        (&["check", "-", "--fix"][..], "`--fix` cannot write to standard input; `--diff` shows"),
        (&["check", "-", "spec.toml"], "`-` reads one spec from standard input"),
        (&["test", "-"], "only `mcpc check` reads a spec from standard input"),
        (&["build", "-", "-o", "x.mcpk"], "only `mcpc check` reads a spec from standard input"),
    ] {
        let done = place.run(arguments);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{arguments:?}");
        assert!(done.err.contains(message), "{}", done.err);
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_without_waiting_for_them() {
    let place = Workplace::with_spec(CLEAN);
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe.toml")).status().unwrap();
    assert!(made.success());
    for path in ["pipe.toml", "/dev/zero"] {
        let done = place.run(&["check", path, "--format", "concise"]);
        assert_eq!(done.code, 2, "{}", done.out);
        assert!(done.out.contains("it is a pipe or a device, not a regular file"), "{}", done.out);
    }
    let done = place.run(&["check", ".", "--format", "concise"]);
    assert!(done.code == 2 && done.out.contains("pipe.toml:1:1: error[MCP0001]"), "{}", done.out);
}

/// Tools without a description of their parameter.
fn many(count: usize) -> String {
    let tool = |number: usize| {
        let tool = CLEAN.replace("description = \"Id of the order\"\n", "");
        tool.replace("get_order", &format!("get_order_{number}"))
    };
    (0..count).map(tool).collect()
}

#[test]
fn many_findings_of_one_rule_are_cut_for_people_and_not_for_programs() {
    let place = Workplace::with_spec(many(1025));
    place.write("mcpc.toml", "[budget]\nlist_tokens = 1000000\n");
    for format in ["human", "concise"] {
        let done = place.run(&["check", "--format", format]);
        let shown = done.out.matches("warning[MCP0801]").count();
        assert_eq!((done.code, shown), (0, 20), "{}", done.out);
        let last = "… and 1,005 more MCP0801; `mcpc check --all` shows them\n";
        assert!(done.out.ends_with(last), "{}", done.out);
        let all = place.run(&["check", "--all", "--format", format]).out;
        assert_eq!(all.matches("warning[MCP0801]").count(), 1025);
        assert!(!all.contains("more MCP0801"));
    }
    let built = place.run(&["build", "-o", "x.mcpk", "--format", "concise"]);
    assert_eq!((built.code, built.err.lines().count()), (0, 21), "{}", built.err);
    for (format, pattern) in [("json", "\"MCP0801\""), ("github", "::warning "), ("sarif", "\"MCP0801\"")] {
        let done = place.run(&["check", "--format", format]);
        assert!(done.out.matches(pattern).count() >= 1025, "{format}");
        assert!(!done.out.contains("--all"), "{format}");
    }
    place.write("spec.toml", many(20));
    assert!(!place.run(&["check"]).out.contains("more MCP0801"));
}

#[test]
fn build_prints_findings_in_a_line_each() {
    let place = Workplace::with_spec(many(2));
    let done = place.run(&["build", "-o", "x.mcpk", "--format", "concise"]);
    assert_eq!((done.code, done.err.lines().count()), (0, 2), "{}", done.err);
    assert!(done.err.starts_with("spec.toml:9:8: warning[MCP0801]"), "{}", done.err);
    assert_eq!(place.run(&["build", "-o", "x.mcpk", "--format", "json"]).code, 2);
}
