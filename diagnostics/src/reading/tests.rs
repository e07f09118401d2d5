use super::*;
use crate::source::Sources;

static LIMITS: Table = Table {
    name: "`limits`",
    doc: "Limits.",
    keys: &[
        Key::new("body", Shape::Size { min: 1 << 10, max: 1 << 20 }, "Size of a body."),
        Key::new("batch", Shape::Integer { min: 1, max: 10 }, "Requests in a batch.").alias(&["batches"]),
        Key::new("idle", Shape::Seconds { max: 60 }, "Idle time."),
    ],
};

static ROOT: Table = Table {
    name: "the file",
    doc: "All.",
    keys: &[
        Key::new("limits", Shape::Table(&LIMITS), "Limits."),
        Key::new("level", Shape::Word(&["info", "debug"]), "Level of the log."),
    ],
};

static LANGUAGE: Language = Language {
    rules: ReadingRules {
        syntax: None,
        unknown_key: None,
        missing_key: None,
        key_given_twice: None,
        wrong_type: None,
        invalid_value: None,
    },
    header: |key| key.name.to_owned(),
    home: |name, _| LIMITS.find(name).map(|key| format!("`{}` belongs to `[limits]`", key.name)),
    how_to_begin: "write TOML",
};

/// Message and help.
type Found = (String, Option<String>);

/// The size of a body, whether the level is `debug`, and what is wrong.
fn read(text: &str) -> (Option<u64>, Option<bool>, Vec<Found>) {
    let mut sources = Sources::default();
    let file = sources.add("edge.toml", text);
    let mut diagnostics = Vec::new();
    let mut reading = Reading { language: &LANGUAGE, file, text, diagnostics: &mut diagnostics };
    let Some(toml) = reading.parse() else {
        return (None, None, diagnostics.into_iter().map(|found| (found.message, found.help)).collect());
    };
    let root = reading.fields(&ROOT, &toml, Span::whole_file(file));
    let limits = root.table("limits").map(|(table, span)| reading.fields(&LIMITS, table, span));
    let body = limits.and_then(|limits| limits.size("body")).map(|size| size.value);
    let from_word = |word: &str| ["info", "debug"].contains(&word).then_some(word == "debug");
    let level = reading.word(&root, "level", from_word, None).map(|level| level.value);
    (body, level, diagnostics.into_iter().map(|found| (found.message, found.help)).collect())
}

fn only(text: &str) -> Found {
    let (_, _, found) = read(text);
    let [one] = found.try_into().unwrap();
    one
}

#[test]
fn what_is_right_is_read() {
    assert_eq!(read("level = 'debug'\n[limits]\nbody = '64 KiB'\n"), (Some(65536), Some(true), vec![]));
    assert_eq!(read(""), (None, None, vec![]));
}

#[test]
fn a_size_needs_a_unit_and_has_its_range() {
    assert_eq!(only("limits.body = 64").0, "`body` needs a unit");
    assert_eq!(only("limits.body = '64KB'").0, "`64KB` is not a valid size");
    assert_eq!(only("limits.body = '64KB'").1.unwrap(), "write `\"64KiB\"`");
    assert_eq!(only("limits.body = 65536").1.unwrap(), "write `\"64KiB\"`");
    assert_eq!(only("limits.body = 'much'").1.unwrap(), "write it like `\"64KiB\"`");
    assert_eq!(only("limits.batch = '5'").1.unwrap(), "write `5`");
    assert_eq!(only("limits.batch = '50'").1, None, "it would be too large");
    assert_eq!(only("limits.body = '1B'").0, "`body` must be between `\"1KiB\"` and `\"1MiB\"`");
    assert_eq!(only("limits.body = true").0, "`body` must be a size, not a boolean");
}

#[test]
fn seconds_may_have_a_fraction() {
    for right in ["1", "60", "0.5", "0.001", "1_0.0", "1e1"] {
        assert_eq!(read(&format!("limits.idle = {right}")).2, [], "{right}");
    }
    for wrong in ["0", "-1", "61", "60.1", "0.0004", "nan", "inf", "99999999999999999999"] {
        let found = only(&format!("limits.idle = {wrong}"));
        assert_eq!(found.0, "`idle` must be between 0.001 and 60", "{wrong}");
    }
    let found = only("limits.idle = '500ms'");
    assert_eq!(found.0, "`idle` must be a number of seconds, not a string");
    assert_eq!(found.1.unwrap(), "write `0.5`");
    assert_eq!(only("limits.idle = 'soon'").1, None);
}

#[test]
fn a_key_without_a_value_is_called_so() {
    for text in ["level =", "level = ", "level = # nothing", "level = \nlimits = {}"] {
        assert_eq!(only(text).0, "expected a value after `=`", "{text:?}");
    }
}

#[test]
fn a_misspelt_key_is_read_as_what_it_was_meant_to_be() {
    let (body, _, found) = read("limits.boddy = '1KiB'");
    assert_eq!(body, Some(1024));
    let help = Some("did you mean `body`?".to_owned());
    assert_eq!(found, [("`limits` has no key `boddy`".to_owned(), help)]);
}

#[test]
fn a_key_of_another_table_is_sent_home() {
    assert_eq!(only("batch = 1").1.unwrap(), "`batch` belongs to `[limits]`");
    assert_eq!(only("limits = { batch = 1, batches = 2 }").0, "`batches` and `batch` are the same key");
}

#[test]
fn another_word_comes_with_the_allowed_ones() {
    let (message, help) = only("level = 'DEBUG'");
    assert_eq!((message.as_str(), help.as_deref()), ("`DEBUG` is not a level", Some("write it as `debug`")));
    assert_eq!(only("level = 'deb'").1.unwrap(), "did you mean `debug`?");
}

#[test]
fn another_language_is_named_once() {
    assert_eq!(only("level: info\nlimits:\n"), ("this is YAML, not TOML".into(), Some("write TOML".into())));
    assert_eq!(only("{ \"level\": 1 }").0, "this is JSON, not TOML");
}
