//! `check`, `build` and loading at 10, 1,000 and 10,000 tools.
#![expect(clippy::expect_used, reason = "what fails here fails the test")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mcp_bundle::format::{self, Trust};
use mcpc::check::check_files;
use std::hint::black_box;

// As the commands have it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [usize; 3] = [10, 1_000, 10_000];

fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    for tools in SIZES {
        let specs = mcpc_benches::specs(tools);
        group.throughput(Throughput::Elements(tools as u64));
        group.bench_with_input(BenchmarkId::new("check", tools), &specs, |bencher, specs| {
            bencher.iter(|| black_box(check_files(specs)));
        });
        group.bench_with_input(BenchmarkId::new("build", tools), &specs, |bencher, specs| {
            bencher.iter(|| {
                let contents = check_files(specs).contents.expect("the synthetic specs are clean");
                black_box(format::write(&contents).expect("a plan can be written"))
            });
        });
        let contents = check_files(&specs).contents.expect("the synthetic specs are clean");
        let bytes = format::write(&contents).expect("a plan can be written");
        group.bench_with_input(BenchmarkId::new("load", tools), &bytes, |bencher, bytes| {
            bencher.iter(|| black_box(format::read(bytes, &Trust::Any).expect("a fresh bundle loads")));
        });
    }
    group.finish();
}

criterion_group!(benches, compile);
criterion_main!(benches);
