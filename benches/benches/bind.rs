//! Binding the arguments of a call, against parsing the same bytes into a `serde_json::Value`.
#![expect(clippy::expect_used, reason = "what fails here fails the test")]

use criterion::{Criterion, criterion_group, criterion_main};
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{Arguments, Binder, Limits, PreparedTools, Request, Scratch, Values};
use mcpc::check::check_files;
use std::hint::black_box;

const CALLS: [(&str, &str, &str); 3] = [
    ("path and query", "get_record_0", r#"{"userId":"u 1","recordId":42,"details":true}"#),
    (
        "five query and header",
        "list_records_1",
        r#"{"state":"all","labels":["bug","later"],"page":2,"perPage":50,"traceId":"0e37df36-f698-11e6-8dd4-cb9ced3df976"}"#,
    ),
    (
        "nested JSON body",
        "create_record_2",
        r#"{"title":"pens and paper","note":"say \"hi\"","city":"Oslo","amount":12.50,"items":[{"sku":"PEN-1","quantity":3},{"sku":"INK-22","quantity":1}]}"#,
    ),
];

fn bind_calls(criterion: &mut Criterion) {
    let contents = check_files(&mcpc_benches::specs(1_000)).contents.expect("the synthetic specs are clean");
    let matchers = Matchers::new(&contents);
    let limits = Limits::default();
    let prepared = PreparedTools::new(&contents, &[Box::from("secret")], &limits);
    for (what, tool, arguments) in CALLS {
        let tool = prepared.find(tool).expect("the tool is there");
        let mut group = criterion.benchmark_group(what);
        let (mut scratch, mut request) = (Scratch::default(), Request::default());
        group.bench_function("bind", |bencher| {
            bencher.iter(|| {
                let arguments = Arguments::of_text(black_box(arguments));
                let (contents, matchers, limits) = (&contents, &matchers, &limits);
                let mut binder = Binder { contents, matchers, limits, scratch: &mut scratch };
                binder.bind(tool, &arguments, &Values::default(), &mut request).expect("the arguments fit");
                black_box(&request);
            });
        });
        group.bench_function("serde_json::Value", |bencher| {
            bencher.iter(|| {
                let value: serde_json::Value =
                    serde_json::from_str(black_box(arguments)).expect("valid JSON");
                black_box(value)
            });
        });
        group.finish();
    }
}

criterion_group!(benches, bind_calls);
criterion_main!(benches);
