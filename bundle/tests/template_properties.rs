//! What is true of every program, from any author, and of every text that it gets as data.
#![expect(clippy::indexing_slicing, reason = "a failed helper is a failed test")]

use mcp_bundle::format;
use mcp_bundle::json::ScanErrorKind;
use mcp_bundle::plan::Contents;
use mcp_bundle::template::{Ambient, Fault, Limits, RenderError, Scratch, Trace, render_text};
use mcp_bundle::wire_enums::Dialect;
use mcp_generators::choices::Choices;
use mcp_generators::data::{self, Flavor};
use mcp_generators::programs::{self, Manner};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

const LIMITS: Limits =
    Limits { steps: 3000, iterations: 300, output: 2000, values: 500, text: 4000, depth: 16 };

/// Counts the instructions.
struct Counter(u32);

impl Trace for Counter {
    fn op(&mut self, _: usize) {
        self.0 += 1;
    }
}

fn run(contents: &Contents, data: &str, limits: &Limits) -> Result<Vec<u8>, RenderError> {
    let ambient = Ambient { now_ms: 1_700_000_000_000, seed: 7 };
    let (mut counter, mut out) = (Counter(0), b"before".to_vec());
    let program = &contents.templates.programs[0];
    let result = render_text(
        contents,
        program,
        data,
        &ambient,
        limits,
        &mut Scratch::default(),
        &mut counter,
        &mut out,
    );
    // The one that goes over the limit is seen too.
    assert!(counter.0 <= limits.steps + 1);
    assert!(out.starts_with(b"before"));
    let text = out.split_off(6);
    assert!(text.len() <= limits.output);
    assert!(result.is_ok() || text.is_empty(), "an error leaves nothing behind");
    result.map(|()| text)
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..300)
}

fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { default } else { ProptestConfig { cases, ..default } }
}

/// A change to a text that leaves it one.
#[derive(Debug, Clone)]
enum Edit {
    Set(Index, char),
    Insert(Index, char),
    Remove(Index),
    Cut(Index),
}

impl Edit {
    fn apply(&self, text: &mut Vec<char>) {
        let length = text.len();
        match self {
            Edit::Insert(at, c) => text.insert(at.index(length + 1), *c),
            _ if length == 0 => {}
            Edit::Set(at, c) => text[at.index(length)] = *c,
            Edit::Remove(at) => drop(text.remove(at.index(length))),
            Edit::Cut(at) => text.truncate(at.index(length)),
        }
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    let c = prop_oneof![
        8 => prop::sample::select("{}[],:\"\\ \n\t0123456789-+.eEutrflsnadDcC8bB/".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
        1 => prop::char::range('\0', '\u{1f}'),
    ];
    let index = any::<Index>;
    prop_oneof![
        4 => (index(), c.clone()).prop_map(|(at, c)| Edit::Set(at, c)),
        4 => (index(), c).prop_map(|(at, c)| Edit::Insert(at, c)),
        3 => index().prop_map(Edit::Remove),
        1 => index().prop_map(Edit::Cut),
    ]
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn no_program_panics_or_goes_on_for_ever(program in bytes(), values in bytes(), hostile: bool) {
        let manner = if hostile { Manner::Hostile } else { Manner::Sound };
        let contents = programs::contents(&mut Choices::new(&program), manner);
        let data = data::root(&mut Choices::new(&values), Flavor::Wild).text();
        let loadable = format::write(&contents);
        prop_assert!(hostile || loadable.is_ok(), "{:?}", loadable.err());
        let result = run(&contents, &data, &LIMITS);
        if let (Ok(_), Ok(text)) = (loadable, result) {
            let quoted = [b"\"", &*text, b"\""].concat();
            prop_assert!(serde_json::from_slice::<String>(&quoted).is_ok(), "{}", String::from_utf8_lossy(&text));
        }
    }

    /// Whatever is projected, all of the text is looked at.
    #[test]
    fn data_are_refused_exactly_if_they_are_not_json(
        program in bytes(), values in bytes(), edits in vec(edit(), 0..4)
    ) {
        let mut contents = programs::contents(&mut Choices::new(&program), Manner::Sound);
        contents.templates.programs[0].ops.count = 0;
        let mut text = data::root(&mut Choices::new(&values), Flavor::Wild).text().chars().collect();
        edits.iter().for_each(|edit| edit.apply(&mut text));
        let text: String = text.into_iter().collect();
        let limits = Limits { values: 100_000, ..Limits::default() };
        let mut judge = |dialect: Dialect| {
            contents.templates.programs[0].dialect = dialect;
            match run(&contents, &text, &limits) {
                Ok(_) => Ok(None),
                Err(RenderError { fault: Fault::Data(error), at: None, op: None }) => Ok(Some(error)),
                Err(other) => Err(TestCaseError::fail(format!("{other:?} of {text:?}"))),
            }
        };
        let (strict, lenient) = (judge(Dialect::Handlebars)?, judge(Dialect::Go)?);
        let expected = serde_json::from_str::<serde_json::Value>(&text).err().map(|error| error.to_string());
        match &expected {
            // Here a number is its digits.
            Some(error) if error.starts_with("number out of range") => {}
            _ => prop_assert_eq!(strict.is_some(), expected.is_some(), "{:?}: {:?}, {:?}", text, strict, expected),
        }
        match (strict, lenient) {
            (Some(strict), None) => prop_assert_eq!(strict.kind, ScanErrorKind::LoneSurrogate, "{:?}", text),
            (None, Some(lenient)) => prop_assert!(false, "{text:?}: {lenient:?}"),
            _ => {}
        }
        for error in [strict, lenient].into_iter().flatten() {
            prop_assert!(error.offset <= text.len() && text.is_char_boundary(error.offset), "{error:?}");
        }
    }
}
