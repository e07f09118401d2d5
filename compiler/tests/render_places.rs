//! How findings with several places, patches and long spans look to people.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use mcp_diagnostics::{Applicability, Diagnostic, Edit, FileId, Sources, Span};
use mcpc::check::{MemoryFiles, check_files};
use mcpc::language;
use mcpc::lint::rules;
use mcpc::render::{Format, render};

/// Two files for findings that are made by hand.
struct Handmade {
    sources: Sources,
    here: FileId,
    there: FileId,
}

impl Handmade {
    fn new() -> Handmade {
        let mut sources = Sources::default();
        let filler = "# …\n".repeat(100);
        let here = format!(
            "[[tool]]\nname = \"one\"\n\tendpoint = \"/x/{{id}}\" # 中文\n{filler}[[tool]]\nname = \"uno\"\n"
        );
        let here = sources.add("here.toml", here);
        let lines = "[[tool]]\nname = \"one\"\ntext = '''\n1\n2\n3\n4\n5\n6\n7'''\n";
        let there = sources.add("there.toml", lines);
        Handmade { sources, here, there }
    }

    fn at(&self, file: FileId, needle: &str) -> Span {
        let start = self.sources.file(file).text.find(needle).unwrap();
        Span::new(file, start..start + needle.len())
    }

    fn human(self, diagnostics: Vec<Diagnostic>) -> String {
        let mut report = check_files(&MemoryFiles::default());
        (report.sources, report.diagnostics, report.files) = (self.sources, diagnostics, 2);
        let mut out = Vec::new();
        render(Format::Human, &report, false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }
}

#[test]
fn related_places_are_shown_near_far_and_in_other_files() {
    let files = Handmade::new();
    let finding = Diagnostic::new(&rules::DUPLICATE_TOOL, files.at(files.here, "\"uno\""), "`uno` is `one`")
        .label("again here")
        .related(files.at(files.here, "\"one\""), "first here")
        .related(files.at(files.here, "{id}"), "and here")
        .related(files.at(files.there, "\"one\""), "and in this file")
        .note("a name is\nunique")
        .help("rename it");
    insta::assert_snapshot!(files.human(vec![finding]), @r#"
    error[MCP0601]: `uno` is `one`
       --> here.toml:105:8
        |
    105 | name = "uno"
        |        ^^^^^ again here
        |
       ::: here.toml:2:8
        |
      2 | name = "one"
        |        ----- first here
      3 |     endpoint = "/x/{id}" # 中文
        |                    ---- and here
        |
       ::: there.toml:2:8
        |
      2 | name = "one"
        |        ----- and in this file
        |
        = note: a name is
                unique
        = help: rename it

    error: 1 error in 2 files (0 tools)
    "#);
}

#[test]
fn patches_show_additions_deletions_and_several_files() {
    let files = Handmade::new();
    let next = files.at(files.here, "# …");
    let parameter = Edit {
        span: Span { end: next.start, ..next },
        text: "[[tool.parameters]]\nname = \"id\"\nposition = \"path\"\n".into(),
    };
    let edit = |span, text: &str| Edit { span, text: text.into() };
    let endpoint = files.at(files.here, "{id}");
    let findings = vec![
        Diagnostic::new(&rules::UNBOUND_PLACEHOLDER, endpoint, "no parameter is named `id`")
            .help("add a parameter")
            .fix(Applicability::DisplayOnly, vec![parameter]),
        Diagnostic::new(&language::rules::UNKNOWN_KEY, files.at(files.there, "name"), "no name here")
            .help("remove the line")
            .replace(files.at(files.there, "name = \"one\"\n"), ""),
        Diagnostic::new(&language::rules::UNKNOWN_KEY, files.at(files.here, "name"), "names of two files")
            .fix(
                Applicability::Safe,
                vec![
                    edit(files.at(files.here, "\"one\""), "\"two\""),
                    edit(files.at(files.there, "\"one\""), "\"two\""),
                ],
            ),
    ];
    insta::assert_snapshot!(files.human(findings), @r#"
    error[MCP0301]: no parameter is named `id`
     --> here.toml:3:17
      |
    3 |     endpoint = "/x/{id}" # 中文
      |                    ^^^^
      |
    help: add a parameter
      |
    4 + [[tool.parameters]]
    5 + name = "id"
    6 + position = "path"
      |

    error[MCP0101]: no name here
     --> there.toml:2:1
      |
    2 | name = "one"
      | ^^^^
      |
    help: remove the line
      |
    2 - name = "one"
      |

    error[MCP0101]: names of two files
     --> here.toml:2:1
      |
    2 | name = "one"
      | ^^^^
      |
    help: `--fix` writes it so
      |
    2 - name = "one"
    2 + name = "two"
      |
     --> there.toml:2:8
      |
    2 - name = "one"
    2 + name = "two"
      |

    error: 3 errors in 2 files (0 tools); 2 fixable with --fix
    "#);
}

#[test]
fn long_spans_and_the_end_of_a_file_are_shown() {
    let files = Handmade::new();
    let end = files.sources.file(files.there).text.len();
    let findings = vec![
        Diagnostic::new(
            &language::rules::WRONG_TYPE,
            files.at(files.there, "'''\n1\n2\n3\n4\n5\n6\n7'''"),
            "too long",
        )
        .label("all this"),
        Diagnostic::new(&language::rules::TOML_SYNTAX, Span::new(files.there, end..end), "it ends too early"),
    ];
    insta::assert_snapshot!(files.human(findings), @r#"
    error[MCP0103]: too long
      --> there.toml:3:8
       |
     3 |   text = '''
       |  ________^
     4 | | 1
     5 | | 2
     6 | | 3
    ...  |
     9 | | 6
    10 | | 7'''
       | |____^ all this

    error[MCP0004]: it ends too early
      --> there.toml:11:1
       |
    11 |
       | ^

    error: 2 errors in 2 files (0 tools)
    "#);
}
