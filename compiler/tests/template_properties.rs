//! Generated templates against engines that know nothing of programs: the `handlebars` crate, and a walk over the tree.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod template_support;

use std::fmt;

use ::handlebars::Handlebars;
use mcp_generators::choices::Choices;
use mcp_generators::data::{self, Flavor, Json};
use mcpc::template::Dialect;
use proptest::collection::vec;
use proptest::prelude::*;
use template_support::go_walk::{Stopped, walk};
use template_support::{TemplateFailure, compile, go, go_print, handlebars, render, run, without_shapes};

/// Bytes to choose by; on one line in the report of a failure.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn choices() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..600).prop_map(Bytes)
}

fn config(cases: u32) -> ProptestConfig {
    // What a search for longer finds is turned into a test by hand; nothing is written into the tree.
    let default =
        ProptestConfig { failure_persistence: None, max_shrink_time: 30_000, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { default } else { ProptestConfig { cases, ..default } }
}

fn data(Bytes(bytes): &Bytes, flavor: Flavor) -> Json {
    data::root(&mut Choices::new(bytes), flavor)
}

/// What the crate makes of it.
fn expected(template: &str, data: &str) -> Result<String, String> {
    let mut registry = Handlebars::new();
    registry.register_escape_fn(::handlebars::no_escape);
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    registry.render_template(template, &data).map_err(|error| error.to_string())
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn handlebars_templates_do_what_the_crate_does(template in choices(), values in choices()) {
        let template = handlebars::template(&mut Choices::new(&template.0));
        let data = data(&values, Flavor::Tame).text();
        let expected = expected(&template, &data);
        match (&expected, render(Dialect::Handlebars, &template, &data)) {
            (Ok(expected), Ok(actual)) => prop_assert_eq!(expected, &actual, "{:?} over {}", template, data),
            (Err(_), Err(_)) => {}
            (expected, actual) => {
                prop_assert!(false, "{template:?} over {data}\n the crate: {expected:?}\n we: {actual:?}");
            }
        }
    }

    #[test]
    fn go_templates_do_what_their_trees_say(template in choices(), values in choices()) {
        let tree = go::template(&mut Choices::new(&template.0));
        let template = go_print::print(&tree);
        let data = data(&values, Flavor::Wild);
        let expected = walk(&tree, &data);
        prop_assume!(expected != Err(Stopped::TooLong));
        let data = data.text();
        match (&expected, render(Dialect::Go, &template, &data)) {
            (Ok(expected), Ok(actual)) => prop_assert_eq!(expected, &actual, "{:?} over {}", template, data),
            (Err(Stopped::Value), Err(TemplateFailure::Render(error))) if error.fault.name() == "value" => {}
            // What would fail is refused also where it is never run.
            (_, Err(TemplateFailure::Compile(message))) if message.contains("`: ") || message.contains(" loop over ") => {}
            (expected, actual) => {
                prop_assert!(false, "{template:?} over {data}\n the walk: {expected:?}\n we: {actual:?}");
            }
        }
    }

    /// A shape only spares a program the search.
    #[test]
    fn programs_do_the_same_without_shapes(template in choices(), values in choices(), is_go: bool) {
        let mut choices = Choices::new(&template.0);
        let (dialect, template) = if is_go {
            (Dialect::Go, go_print::print(&go::template(&mut choices)))
        } else {
            (Dialect::Handlebars, handlebars::template(&mut choices))
        };
        let data = data(&values, Flavor::Wild).text();
        if let Ok(contents) = compile(dialect, &template) {
            let (with, without) = (run(&contents, &data), run(&without_shapes(contents), &data));
            prop_assume!(![&with, &without].iter().any(|result| result.as_ref().is_err_and(TemplateFailure::is_limit)));
            prop_assert_eq!(with, without, "{:?} over {}", template, data);
        }
    }
}

/// The one thing that templates may do here and not in the crate, which knows `@root` only with a key.
#[test]
fn the_root_by_itself_is_a_value() {
    let data = r#"{"a":[1]}"#;
    assert_eq!(render(Dialect::Handlebars, "{{#each @root}}{{@key}}{{/each}}", data).unwrap(), "a");
    assert_eq!(expected("{{#each @root}}{{@key}}{{/each}}", data).unwrap(), "");
}
