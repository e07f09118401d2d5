//! Files that are broken in every way a file can be: one clear message, the right exit code, no panic.

mod cli_support;

use cli_support::{CLEAN, Done, Workplace};

fn check(text: impl AsRef<[u8]>) -> Done {
    let place = Workplace::with_spec(text);
    place.run(&["check", "spec.toml", "--format", "concise"])
}

#[test]
fn text_that_is_not_utf8() {
    let done = check(b"[[tool]]\nname = \"caf\xe9\"\n");
    assert_eq!(done.code, 1);
    assert_eq!(
        done.out.lines().collect::<Vec<_>>(),
        ["spec.toml:1:1: error[MCP0002] invalid UTF-8 at line 2, column 12"]
    );
}

#[test]
fn an_empty_file() {
    for text in ["", "\n\n", "# only a comment\n", "\u{feff}"] {
        let done = check(text);
        assert_eq!(done.code, 1, "{text:?}");
        assert_eq!(done.out, "spec.toml:1:1: error[MCP0005] `spec.toml` declares no tool\n", "{text:?}");
    }
}

#[test]
fn a_folder_where_a_file_is_meant() {
    let place = Workplace::new();
    place.write("folder.toml/inner.toml", CLEAN);
    assert_eq!(place.run(&["check", "folder.toml"]).code, 0, "a folder is searched, whatever its name");
    place.write("empty/readme.txt", "");
    let done = place.run(&["check", "empty"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no tool specs in `empty`"), "{}", done.err);
    let done = place.run(&["build", "folder.toml", "-o", "empty"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`empty` is not a file"), "{}", done.err);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read() {
    let place = Workplace::with_spec(CLEAN);
    // Root may read anything, so the file is made unreadable by leading nowhere.
    std::os::unix::fs::symlink("loop.toml", place.path("loop.toml")).unwrap();
    let done = place.run(&["check", "--format", "concise"]);
    assert_eq!(done.code, 2, "the others are still checked");
    assert!(
        done.out.starts_with("loop.toml:1:1: error[MCP0001] `loop.toml` cannot be read: "),
        "{}",
        done.out
    );
}

#[test]
fn a_file_of_a_hundred_megabytes() {
    let place = Workplace::new();
    let file = std::fs::File::create(place.path("big.toml")).unwrap();
    file.set_len(100 << 20).unwrap();
    let done = place.run(&["check", "--format", "concise"]);
    assert_eq!(done.code, 1);
    assert_eq!(
        done.out,
        "big.toml:1:1: error[MCP0003] `big.toml` has 100 MiB; a spec file has at most 64 MiB\n"
    );
}

#[test]
fn duplicate_keys() {
    let done = check(format!("{CLEAN}\n[toolset]\nname = \"a\"\nname = \"b\"\n"));
    assert_eq!(done.code, 1);
    assert_eq!(done.out.lines().count(), 1, "{}", done.out);
    assert!(done.out.contains("error[MCP0004] duplicate key"), "{}", done.out);
}

#[test]
fn ten_thousand_levels() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let done = check(format!("x = {}1{}", open.repeat(10_000), close.repeat(10_000)));
        assert_eq!(done.code, 1, "{}", done.out);
        assert!(done.out.contains("error[MCP0004]"), "{}", done.out);
    }
    let done = check(format!("[{}]\n", vec!["a"; 10_000].join(".")));
    assert_eq!(done.code, 1, "{}", done.out);
}

#[test]
fn columns_stay_right_behind_marks_tabs_and_wide_characters() {
    let at = |text: &str| {
        let done = check(text);
        let line = done.out.lines().find(|line| line.contains("MCP0101")).unwrap_or_default().to_owned();
        line.split(": ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(at("\u{feff}bad = 1"), "spec.toml:1:1");
    assert_eq!(at("[toolset]\r\ntitle = \"x\"\r\nbad = 1\r\n"), "spec.toml:3:1");
    assert_eq!(at("[toolset]\n\t\tbad = 1\n"), "spec.toml:2:3");
    assert_eq!(at("toolset = { title = \"中文🦀é\", bad = 1 }\n"), "spec.toml:1:29");
}

#[test]
fn a_spec_with_every_line_end_means_the_same() {
    let text = CLEAN.replace(
        "[[tool.parameters]]",
        "response_template = \"\"\"\nA {{ .a }}\nB\"\"\"\n[[tool.parameters]]",
    );
    let unix = Workplace::with_spec(&text);
    let windows = Workplace::with_spec(text.replace('\n', "\r\n"));
    let marked = Workplace::with_spec(format!("\u{feff}{text}"));
    for place in [&unix, &windows, &marked] {
        assert_eq!(place.run(&["build", "-o", "x.mcpk"]).code, 0);
    }
    assert!(unix.read("x.mcpk") == windows.read("x.mcpk"));
    assert!(unix.read("x.mcpk") == marked.read("x.mcpk"));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let place = Workplace::with_spec("\"\\u001b[31m\u{7f}\" = 1\n[[tool]]\nname = \"\\u001b]0;x\\u0007\"\n");
    for format in ["human", "concise", "json", "github", "sarif"] {
        let out = place.run(&["check", "--format", format]).out;
        assert!(!out.contains('\u{1b}') && !out.contains('\u{7}'), "{format}: {out:?}");
    }
}

#[test]
fn other_languages_are_named() {
    for (text, language) in
        [("{\n  \"openapi\": \"3.1.0\"\n}", "JSON"), ("openapi: 3.1.0\npaths: {}\n", "YAML")]
    {
        let done = check(text);
        assert_eq!(done.out, format!("spec.toml:1:1: error[MCP0004] this is {language}, not TOML\n"));
    }
}

#[test]
fn a_bundle_where_a_spec_is_meant() {
    let place = Workplace::with_spec(CLEAN);
    assert_eq!(place.run(&["build", "-o", "x.mcpk"]).code, 0);
    let done = place.run(&["check", "x.mcpk", "--format", "concise"]);
    assert_eq!(done.code, 2);
    assert!(done.out.contains("it is a bundle, not a spec"), "{}", done.out);
}

#[cfg(unix)]
#[test]
fn a_template_that_leads_out_of_the_folder() {
    let spec = CLEAN
        .replace("[[tool.parameters]]", "response_template = { file = \"a.tmpl\" }\n[[tool.parameters]]");
    let place = Workplace::new();
    place.write("specs/spec.toml", spec);
    place.write("secret.txt", "{{ .a }}");
    std::os::unix::fs::symlink("../secret.txt", place.path("specs/a.tmpl")).unwrap();
    let done = place.run(&["check", "specs", "--format", "concise"]);
    assert_eq!(done.code, 2);
    assert!(done.out.contains("it leads out of the spec's folder"), "{}", done.out);
    std::fs::remove_file(place.path("specs/a.tmpl")).unwrap();
    place.write("specs/a.tmpl", "{{ .a }}");
    assert_eq!(place.run(&["check", "specs"]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_folder_that_leads_back_to_itself_is_searched_once() {
    let place = Workplace::with_spec(CLEAN);
    std::os::unix::fs::symlink(".", place.path("loop")).unwrap();
    assert_eq!(place.run(&["check"]).out, "checked 1 file: 1 tool, no problems\n");
}

const REQUEST: &str = "name = \"get_order\"\ndescription = \"Gets one order by its number.\"\n\
                       endpoint = \"https://api.example.com/orders/{id}\"\n";
const PARAMETER: &str =
    "name = \"id\"\ndescription = \"Number of the order.\"\nrequired = true\nposition = \"path\"\n";
const EXAMPLE: &str = "[[tool.examples]]\narguments = { id = \"1\" }\n";

/// The only finding about a spec.
fn only(spec: &str) -> String {
    let done = check(spec);
    assert_eq!(done.code, 1, "{}", done.out);
    assert_eq!(done.out.lines().count(), 1, "{}", done.out);
    done.out.trim_end().to_owned()
}

/// A spec with a parameter and an example, and these headers.
fn order(tool: &str, method: &str, parameters: &str) -> String {
    let example = if tool == "[[tools]]" { EXAMPLE.replace("tool.", "tools.") } else { EXAMPLE.to_owned() };
    format!("{tool}\n{REQUEST}{method}\n\n{parameters}\n{PARAMETER}\n{example}")
}

#[test]
fn a_syntax_error_is_reported_once_and_alone() {
    let line = only(&order("[[tool]]", "method: \"GET\"", "[[tool.parameters]]"));
    assert_eq!(line, "spec.toml:5:7: error[MCP0004] a key and its value are separated by `=`, not `:`");
    let spec = order("[[tool]]", "method = \"GET\"", "[[tool.parameters]]");
    let line = only(&spec.replace("Gets one order by", "Gets one order\nby"));
    assert_eq!(line, "spec.toml:3:15: error[MCP0004] this string has no closing `\"` on its line");
}

#[test]
fn a_wrong_shape_is_reported_without_what_follows_from_it() {
    let method = "method = \"GET\"";
    let line = only(&order("[[tool]]", method, "[tool.parameters]"));
    assert_eq!(line, "spec.toml:7:1: error[MCP0103] `parameters` must be a list of tables, not a table");
    let line = only(&order("[tool]", method, "[[tool.parameters]]"));
    assert_eq!(line, "spec.toml:1:1: error[MCP0103] `tool` must be a list of tables, not a table");
    let line = only(&order("[[tools]]", method, "[[tools.parameters]]"));
    assert_eq!(line, "spec.toml:1:3: error[MCP0101] a spec file has no key `tools`");
    let schema = "[tool.parameters]\ntype = \"object\"\n[tool.parameters.properties.id]\ntype = \"string\"\n";
    let line = only(&format!("[[tool]]\n{REQUEST}{method}\n{schema}{EXAMPLE}"));
    assert_eq!(line, "spec.toml:6:1: error[MCP0103] `parameters` must be a list of tables, not a table");
    let line = only(&format!("[[tool]]\n{REQUEST}\n[[tool.parameters]]\n{PARAMETER}{method}\n{EXAMPLE}"));
    assert_eq!(line, "spec.toml:11:1: error[MCP0101] a parameter has no key `method`");
    let line = only(&format!("[[tool]]\n{REQUEST}{method}\ninput_schema = \"object\"\n{EXAMPLE}"));
    assert_eq!(line, "spec.toml:6:17: error[MCP0105] `input_schema` is not valid JSON: expected a value");
    let line = only(&format!("[[tool]]\n{REQUEST}{method}\ninput_schema = 3\n{EXAMPLE}"));
    assert!(
        line.starts_with("spec.toml:6:16: error[MCP0103] `input_schema` must be a JSON Schema: "),
        "{line}"
    );
}

#[test]
fn wrong_headers_are_fixed_in_every_place() {
    let specs = [
        order("[[tools]]", "method = \"GET\"", "[[tools.parameters]]"),
        order("[tool]", "method = \"GET\"", "[tool.parameters]"),
        order("[[tool]]", "method: \"GET\"", "[[tool.parameters]]"),
        order("[[tool]]", "method = “GET”", "[[tool.parameters]]"),
        order("[[tool]]", "method = \"GET\"", "[[tool.parameters]]").replace("tool.examples", "tool.example"),
    ];
    let fixed = order("[[tool]]", "method = \"GET\"", "[[tool.parameters]]");
    for spec in specs {
        let place = Workplace::with_spec(&spec);
        let done = place.run(&["check", "spec.toml", "--fix"]);
        assert_eq!(done.code, 0, "{spec}\n{}", done.out);
        assert_eq!(std::fs::read_to_string(place.path("spec.toml")).unwrap(), fixed, "{spec}");
    }
}

#[test]
fn syntax_errors_name_the_mistake() {
    let with = |line: &str| order("[[tool]]", &format!("method = \"GET\"\n{line}"), "[[tool.parameters]]");
    let human = |line: &str| {
        let place = Workplace::with_spec(with(line));
        place.run(&["check", "spec.toml"]).out
    };
    let out = human("title = \"C:\\Users\"");
    assert!(out.contains("`\\U` is not a valid escape in this string"), "{out}");
    assert!(out.contains("write `'C:\\Users'` with single quotes"), "{out}");
    let out = human("title = “Order”");
    assert!(out.contains("typographic quotes around a string"), "{out}");
    assert!(out.contains("title = \"Order\""), "the patch is shown: {out}");
    let out = human("name = \"again\"");
    assert!(out.contains("duplicate key `name`"), "{out}");
    assert!(out.contains("first defined here"), "{out}");
    let out = human("title = ");
    assert!(out.contains("expected a value after `=`"), "{out}");
    let out = human("idempotent = True");
    assert!(out.contains("`True` is not a TOML value") && out.contains("write `true`"), "{out}");
}

#[test]
fn names_that_other_languages_use_are_recognised() {
    for (line, meant) in [
        ("desc = \"x\"", "description"),
        ("args = []", "parameters"),
        ("url = \"https://api.example.com\"", "endpoint"),
        ("timeout_ms = 5000", "timeout_seconds"),
        ("timeout = 5", "timeout_seconds"),
        ("retries = 2", "retry_count"),
    ] {
        let spec = format!("[[tool]]\nname = \"get_order\"\n{line}\n");
        let out = Workplace::with_spec(spec).run(&["check", "spec.toml"]).out;
        assert!(out.contains(&format!("did you mean `{meant}`?")), "{line}: {out}");
    }
    let unit = order("[[tool]]", "method = \"GET\"\ntimeout_ms = 5000", "[[tool.parameters]]");
    let place = Workplace::with_spec(&unit);
    place.run(&["check", "spec.toml", "--fix"]);
    let text = std::fs::read_to_string(place.path("spec.toml")).unwrap();
    assert_eq!(text, unit, "a number in another unit is not renamed");
}
