//! Parsing and rendering an answer, against the `handlebars` crate over a `serde_json::Value`.
#![expect(clippy::expect_used, reason = "what fails here fails the bench")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcpc_benches::render::contenders;
use mcpc_instructions::bodies::cases;
use std::hint::black_box;

fn render(criterion: &mut Criterion) {
    for case in cases() {
        let (mut go, mut handlebars, theirs) = contenders(&case).expect("all give the same text");
        let body = case.body.as_bytes();
        let mut out = Vec::new();
        let mut group = criterion.benchmark_group(case.name);
        group.throughput(Throughput::Bytes(body.len() as u64));
        let mut run = |name: &str, render: &mut dyn FnMut(&[u8], &mut Vec<u8>) -> bool| {
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    out.clear();
                    assert!(render(black_box(body), &mut out));
                });
            });
        };
        run("mcpc, Go", &mut |body, out| go.render(body, out));
        run("mcpc, Handlebars", &mut |body, out| handlebars.render(body, out));
        run("handlebars crate", &mut |body, out| theirs.render(body, out));
        run("handlebars crate, with Context", &mut |body, out| theirs.render_context(body, out));
        group.finish();
    }
}

criterion_group!(benches, render);
criterion_main!(benches);
