//! What each format looks like.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use mcpc::check::{MemoryFiles, Report, check_files};
use mcpc::language;
use mcpc::lint::{Check, Lint, rules};
use mcpc::render::{Format, render};

/// CRLF, a tab and wide characters before the faults.
const SHOP: &str = "[upstream.shop]\r\nurl = \"https://api.example.com/v1\"\r\n\r\n[[tool]]\r\n\
    name = \"get_order\"\r\n\tdescripton = \"一二三\"\r\nupstream = \"shop\"\r\n\
    annotations = { title = \"注文\", readOnlyHnt = true }\r\nmethod = \"get\"\r\nendpoint = \"/orders\"\r\n\r\n\
    [[tool.parameters]]\r\ntype = \"string\"\r\n";

/// A byte order mark, an escape character and bad syntax.
const BROKEN: &str = "\u{feff}[[tool]]\nname = \"a\"\nrespond = \"\u{1b}[31mred\"\nscopes = [\"x\" \"y\"]\n";

fn rendered(format: Format, report: &Report) -> String {
    let mut out = Vec::new();
    render(format, report, false, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What reading alone finds in the two files.
fn report() -> Report {
    let mut files = MemoryFiles::one("specs/shop.toml", SHOP);
    files.add("broken.toml", BROKEN);
    let mut report = check_files(&files);
    let is_reading = |lint: &&Lint| matches!(lint.check, Check::Reading);
    report.diagnostics.retain(|found| rules::LINTS.iter().filter(is_reading).any(|lint| found.is(lint.rule)));
    report
}

#[test]
fn human() {
    insta::assert_snapshot!(rendered(Format::Human, &report()), @r#"
    error[MCP0004]: a string cannot contain the control character U+001B
     --> broken.toml:3:12
      |
    3 | respond = "␛[31mred"
      |            ^
      |
      = help: write it as `\u001B`

    error[MCP0004]: missing comma between array elements, expected `,`
     --> broken.toml:4:15
      |
    4 | scopes = ["x" "y"]
      |               ^

    error[MCP0101]: a tool has no key `descripton`
     --> specs/shop.toml:6:2
      |
    6 |     descripton = "一二三"
      |     ^^^^^^^^^^
      |
    help: did you mean `description`?
      |
    6 |     description = "一二三"
      |             +

    error[MCP0101]: annotations has no key `readOnlyHnt`
     --> specs/shop.toml:8:31
      |
    8 | annotations = { title = "注文", readOnlyHnt = true }
      |                                 ^^^^^^^^^^^
      |
    help: did you mean `readOnlyHint`?
      |
    8 | annotations = { title = "注文", readOnlyHint = true }
      |                                          +

    error[MCP0108]: `get` is not a method
     --> specs/shop.toml:9:10
      |
    9 | method = "get"
      |          ^^^^^
      |
      = note: it is one of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`
    help: write it as `GET`
      |
    9 - method = "get"
    9 + method = "GET"
      |

    error[MCP0102]: a parameter needs `name`
      --> specs/shop.toml:12:1
       |
    12 | [[tool.parameters]]
       | ^^^^^^^^^^^^^^^^^^^
       |
       = note: name of the argument

    error: 6 errors in 2 files (1 tool); 3 fixable with --fix
    "#);
}

#[test]
fn concise() {
    insta::assert_snapshot!(rendered(Format::Concise, &report()), @r#"
    broken.toml:3:12: error[MCP0004] a string cannot contain the control character U+001B
    broken.toml:4:15: error[MCP0004] missing comma between array elements, expected `,`
    specs/shop.toml:6:2: error[MCP0101] a tool has no key `descripton`
    specs/shop.toml:8:31: error[MCP0101] annotations has no key `readOnlyHnt`
    specs/shop.toml:9:10: error[MCP0108] `get` is not a method
    specs/shop.toml:12:1: error[MCP0102] a parameter needs `name`
    "#);
}

#[test]
fn github() {
    insta::assert_snapshot!(rendered(Format::Github, &report()), @r#"
    ::error file=broken.toml,line=3,col=12,endLine=3,endColumn=13,title=MCP0004 toml-syntax::a string cannot contain the control character U+001B%0Ahelp: write it as `\u001B`
    ::error file=broken.toml,line=4,col=15,endLine=4,endColumn=15,title=MCP0004 toml-syntax::missing comma between array elements, expected `,`
    ::error file=specs/shop.toml,line=6,col=2,endLine=6,endColumn=12,title=MCP0101 unknown-key::a tool has no key `descripton`%0Ahelp: did you mean `description`?
    ::error file=specs/shop.toml,line=8,col=31,endLine=8,endColumn=42,title=MCP0101 unknown-key::annotations has no key `readOnlyHnt`%0Ahelp: did you mean `readOnlyHint`?
    ::error file=specs/shop.toml,line=9,col=10,endLine=9,endColumn=15,title=MCP0108 unknown-method::`get` is not a method%0Anote: it is one of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`%0Ahelp: write it as `GET`
    ::error file=specs/shop.toml,line=12,col=1,endLine=12,endColumn=20,title=MCP0102 missing-key::a parameter needs `name`%0Anote: name of the argument
    "#);
}

#[test]
fn json_is_one_line_and_its_shape_is_a_contract() {
    let mut report = report();
    report.diagnostics.retain(|diagnostic| diagnostic.is(&language::rules::UNKNOWN_METHOD));
    let text = rendered(Format::Json, &report);
    assert_eq!(text.matches('\n').count(), 1);
    insta::assert_snapshot!(text, @r#"{"version":1,"diagnostics":[{"code":"MCP0108","rule":"unknown-method","severity":"error","message":"`get` is not a method","file":"specs/shop.toml","start":{"line":9,"column":10,"offset":196},"end":{"line":9,"column":15,"offset":201},"notes":["it is one of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`"],"help":"write it as `GET`","fixes":[{"message":"write it as `GET`","applicability":"safe","edits":[{"file":"specs/shop.toml","start":{"line":9,"column":10,"offset":196},"end":{"line":9,"column":15,"offset":201},"text":"\"GET\""}]}]}],"summary":{"files":2,"tools":1,"errors":1,"warnings":0}}"#);
}

#[test]
fn color_styles_the_human_format_alone() {
    let mut colored = Vec::new();
    render(Format::Human, &report(), true, &mut colored).unwrap();
    let colored = String::from_utf8(colored).unwrap();
    assert!(colored.contains("\u{1b}[1m"));
    assert!(!colored.contains("\u{1b}[31mred"), "the source's own escapes stay out");
    for format in [Format::Concise, Format::Json, Format::Sarif, Format::Github] {
        let mut out = Vec::new();
        render(format, &report(), true, &mut out).unwrap();
        assert!(!out.contains(&0x1b), "{format:?}");
    }
}

#[test]
fn a_clean_set_is_summed_up() {
    let mut report = report();
    report.diagnostics.clear();
    assert_eq!(rendered(Format::Human, &report), "checked 2 files: 1 tool, no problems\n");
    assert_eq!(rendered(Format::Concise, &report), "");
    assert_eq!(rendered(Format::Github, &report), "");
}

#[test]
fn a_file_that_cannot_be_read_has_no_source_to_show() {
    let input = mcpc::check::Input { specs: vec!["gone.toml".into()], ..Default::default() };
    let report = mcpc::check::check(&input, &MemoryFiles::default());
    insta::assert_snapshot!(rendered(Format::Human, &report), @r#"
    error[MCP0001]: `gone.toml` cannot be read: no such file
    --> gone.toml

    error: 1 error in 1 file (0 tools)
    "#);
}
