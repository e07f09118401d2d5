//! Whatever a program does, running it ends, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::format;
use mcp_bundle::template::{Ambient, Limits, Scratch, render_text};
use mcp_generators::choices::Choices;
use mcp_generators::data::{self, Flavor};
use mcp_generators::programs::{self, Manner};

const LIMITS: Limits =
    Limits { steps: 3000, iterations: 300, output: 2000, values: 500, text: 4000, depth: 16 };

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let (program, values) = rest.split_at(rest.len() * 3 / 4);
    let manner = if first & 1 == 0 { Manner::Sound } else { Manner::Hostile };
    let contents = programs::contents(&mut Choices::new(program), manner);
    // Bytes that are a text are tried as they are, too: a scanner meets whatever an upstream sends.
    let data = match std::str::from_utf8(values) {
        Ok(text) if first & 2 == 0 => text.to_owned(),
        _ => data::root(&mut Choices::new(values), Flavor::Wild).text(),
    };
    let ambient = Ambient { now_ms: 1_700_000_000_000, seed: 7 };
    let mut out = vec![b'"'];
    let program = &contents.templates.programs[0];
    let result =
        render_text(&contents, program, &data, &ambient, &LIMITS, &mut Scratch::default(), &mut (), &mut out);
    assert!(out.len() <= 1 + LIMITS.output);
    if result.is_ok() && format::write(&contents).is_ok() {
        out.push(b'"');
        let out = String::from_utf8(out).expect("text is text");
        let value = mcp_bundle::json::Scanner::of_text(&out, 1).value();
        assert_eq!(value.map(|value| value.text.len()), Ok(out.len()));
    }
});
