//! What a call allocates once its buffers are warm.

use allocation_counter::measure;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{self, Arguments, Binder, PreparedTools, Request, Values};
use mcp_bundle::shape::{self, Answer};
use mcp_bundle::template::Ambient;
use mcpc::check::{MemoryFiles, check_files};
use mcpc::template::Dialect;
use mcpc_benches::render::Ours;
use mcpc_instructions::bodies::cases;

/// The bar is 4; nothing in these templates needs even one.
#[test]
fn a_warm_render_allocates_nothing() {
    for case in cases() {
        for (dialect, template) in [(Dialect::Go, case.go), (Dialect::Handlebars, case.handlebars)] {
            let mut ours = Ours::new(dialect, template).unwrap();
            let mut out = Vec::new();
            for _ in 0..2 {
                out.clear();
                assert!(ours.render(case.body.as_bytes(), &mut out));
            }
            let counted = measure(|| {
                out.clear();
                assert!(ours.render(case.body.as_bytes(), &mut out));
            });
            assert_eq!(counted.count_total, 0, "{}, {dialect:?}", case.name);
        }
    }
}

#[test]
fn functions_stay_within_the_bar() {
    let template = "{{ range .orders }}{{ printf \"%-8s\" .id }}{{ add 1 .weight }}{{ upper .city }}{{ eq .status \"x\" }}{{ end }}";
    let case = cases().into_iter().nth(1).unwrap();
    let mut ours = Ours::new(Dialect::Go, template).unwrap();
    let mut out = Vec::new();
    for _ in 0..2 {
        out.clear();
        assert!(ours.render(case.body.as_bytes(), &mut out));
    }
    let counted = measure(|| {
        out.clear();
        assert!(ours.render(case.body.as_bytes(), &mut out));
    });
    // Per call of a function, not per render: text is made in buffers that stay.
    assert!(counted.count_total <= 4, "{} allocations", counted.count_total);
}

#[test]
fn a_warm_call_allocates_nothing_from_arguments_to_result() {
    let contents = check_files(&mcpc_benches::specs(4)).contents.unwrap();
    let matchers = Matchers::new(&contents);
    let (_, tool) = contents.tool("get_record_0").unwrap();
    let variables = [Box::from("secret")];
    let limits = bind::Limits::default();
    let prepared = PreparedTools::new(&contents, &variables, &limits);
    let ready = prepared.find("get_record_0").unwrap();
    let (mut request, mut bound) = (Request::default(), bind::Scratch::default());
    let (mut shaped, mut out) = (shape::Scratch::default(), Vec::new());
    let arguments = Arguments::of_text(r#"{"userId":"u 1","recordId":42,"details":true}"#);
    let body = br#"{"id":42,"state":"open","items":[{"name":"a","price":1},{"name":"b","price":2.5}]}"#;
    let answer = Answer {
        status: 200,
        content_type: Some("application/json"),
        content_location: None,
        message: None,
        body,
    };
    let mut call = || {
        let ambient = Ambient::default();
        let mut binder =
            Binder { contents: &contents, matchers: &matchers, limits: &limits, scratch: &mut bound };
        binder.bind(ready, &arguments, &Values::default(), &mut request).unwrap();
        out.clear();
        let limits = shape::Limits::default();
        shape::shape(&contents, &matchers, tool, &answer, &ambient, &limits, &mut shaped, &mut (), &mut out)
    };
    assert!(!call().is_error);
    let counted = measure(|| assert!(!call().is_error));
    assert_eq!(counted.count_total, 0);
}

#[test]
fn warm_answers_that_are_not_utf8_allocate_nothing() {
    let spec = "[[tool]]\nname = \"get_file\"\ndescription = \"Gets one file as it is.\"\nmethod = \"GET\"\nendpoint = \"https://api.example.com/file\"\n";
    let contents = check_files(&MemoryFiles::one("spec.toml", spec)).contents.unwrap();
    let matchers = Matchers::new(&contents);
    let (_, tool) = contents.tool("get_file").unwrap();
    let (mut scratch, mut out) = (shape::Scratch::default(), Vec::new());
    for content_type in ["image/png", "audio/wav", "application/pdf", "text/plain; charset=iso-8859-1"] {
        let content_type = Some(content_type);
        let answer =
            Answer { status: 200, content_type, content_location: None, message: None, body: &[0xe9; 1000] };
        let mut call = || {
            out.clear();
            let (limits, ambient) = (shape::Limits::default(), Ambient::default());
            shape::shape(
                &contents,
                &matchers,
                tool,
                &answer,
                &ambient,
                &limits,
                &mut scratch,
                &mut (),
                &mut out,
            )
        };
        assert!(!call().is_error);
        let counted = measure(|| assert!(!call().is_error));
        assert_eq!(counted.count_total, 0, "{content_type:?}");
    }
}
