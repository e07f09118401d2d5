//! What holds for the source of any template.

use mcp_bundle::format;
use mcp_bundle::template::{Ambient, Limits, Destination, Scratch, render_text};
use mcpc::plan::standalone;
use mcpc::template::{Dialect, compile_for};

const DATA: &str = r#"{"a":{"a":[1,{"b":"x\ny"},null],"b":"é\ud83d\ude00"},"b":[{"a":1.50},{"a":-0,"b":[]}],"c":true,
    "0":"0","x":{"":"","a":12345678901234567890},"name":"<&\"\\>","items":[[1,2],[],[3]],"n":null,"c":3}"#;

pub fn check(dialect: Dialect, source: &str) {
    for place in Destination::ALL.iter().copied() {
        let compiled = match compile_for(place, dialect, source) {
            Ok(compiled) => compiled,
            Err(errors) => {
                assert!(!errors.is_empty());
                for error in errors {
                    assert!(source.get(error.span.clone()).is_some(), "{error:?}");
                }
                continue;
            }
        };
        let mut contents = standalone(std::slice::from_ref(&compiled));
        if place != Destination::Text {
            // Alone, it has no variables that it could write.
            if compiled.variables.is_empty() {
                format::write(&contents).expect("what is compiled can be loaded");
            }
            continue;
        }
        format::write(&contents).expect("what is compiled can be loaded");
        let rendered = render(&contents);
        for step in &mut contents.templates.steps {
            step.field = mcp_bundle::template::NONE;
        }
        contents.templates.shapes.truncate(0);
        // A shape only spares the search, which may cost more steps than there are.
        if let (Some(with), Some(without)) = (rendered, render(&contents)) {
            assert_eq!(with, without);
        }
    }
}

/// The text, `None` if there is none.
fn render(contents: &mcp_bundle::plan::Contents) -> Option<String> {
    let limits = Limits { steps: 50_000, iterations: 5_000, output: 1 << 16, ..Limits::default() };
    let mut out = vec![b'"'];
    let program = &contents.templates.programs[0];
    let ambient = Ambient { now_ms: 1_700_000_000_000, seed: 7 };
    render_text(contents, program, DATA, &ambient, &limits, &mut Scratch::default(), &mut (), &mut out)
        .ok()?;
    out.push(b'"');
    let out = String::from_utf8(out).expect("text is text");
    let value =
        mcp_bundle::json::Scanner::of_text(&out, 1).value().expect("a string that nothing breaks out of");
    assert_eq!(value.text.len(), out.len());
    Some(out)
}
