//! What `mcpc dev` refuses before it serves anything. `tests/tests/dev.rs` has the rest.
#![cfg(feature = "dev")]

mod cli_support;

use cli_support::{CLEAN, Workplace};

/// Arguments that fail, and what the message says.
fn refused(place: &Workplace, arguments: &[&str], expected: &[&str]) {
    let done = place.run(&[&["dev", "--listen", "127.0.0.1:0"], arguments].concat());
    assert_eq!((done.code, done.out.as_str()), (2, ""), "{}", done.err);
    for text in expected {
        assert!(done.err.contains(text), "`{text}` is not in:\n{}", done.err);
    }
}

#[test]
fn help_names_every_option() {
    let done = Workplace::new().run(&["dev", "--help"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    for text in
        ["--mock", "--listen <ADDRESS>", "127.0.0.1:8080", "--env-file <FILE>", "--allow-remote", "--config"]
    {
        assert!(done.out.contains(text), "`{text}` is not in:\n{}", done.out);
    }
}

#[test]
fn a_place_without_specs_is_refused() {
    let place = Workplace::new();
    refused(&place, &[], &["no tool specs in `.`", "`mcpc init`"]);
    refused(&place, &["nowhere.toml"], &["`nowhere.toml` cannot be read"]);
}

#[test]
fn an_address_must_be_one() {
    let place = Workplace::with_spec(CLEAN);
    for wrong in ["8080", "example.com:80"] {
        let done = place.run(&["dev", "--listen", wrong]);
        assert_eq!(done.code, 2);
        assert!(done.err.contains("such as `127.0.0.1:8080`"), "{}", done.err);
    }
}

#[test]
fn an_address_for_other_machines_must_be_meant() {
    let done = Workplace::with_spec(CLEAN).run(&["dev", "--listen", "0.0.0.0:0"]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("`0.0.0.0:0`") && done.err.contains("`--allow-remote`"), "{}", done.err);
}

#[test]
fn a_missing_variable_is_named_with_its_tool() {
    let spec = CLEAN.replace(
        "[[tool.examples]]",
        "[[tool.parameters]]\nname = \"key\"\ndescription = \"The key\"\nposition = \"query\"\nvalue = \"${MCPC_TEST_KEY}\"\n\n[[tool.examples]]",
    );
    let place = Workplace::with_spec(spec);
    place.write("empty.env", "MCPC_TEST_KEY=\n");
    let expected = ["`${MCPC_TEST_KEY}` has no value, and `get_order` needs it", "`--env-file`", "`--mock`"];
    refused(&place, &[], &expected);
    refused(&place, &["--env-file", "empty.env"], &expected);
}

#[test]
fn a_file_of_variables_must_be_readable() {
    let place = Workplace::with_spec(CLEAN);
    place.write("wrong.env", "A=1\nsecret\n");
    refused(&place, &["--env-file", "none.env"], &["`none.env` cannot be read"]);
    refused(&place, &["--env-file", "wrong.env"], &["`wrong.env` line 2: expected `NAME=value`"]);
    let done = place.run(&["dev", "--listen", "127.0.0.1:0", "--env-file", "wrong.env"]);
    assert!(!done.err.contains("secret"));
}
