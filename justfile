# What CI runs, in the same order.
ready:
    .ci/run

# The README's test command.
test:
    cargo test --workspace --locked

# Refreshes what is generated.
generate:
    cargo run -q -p mcpc -- rules --format markdown > docs/rules.md
    cargo run -q -p mcpc -- schema > docs/spec.schema.json

# How compiler and proxy scale with tools, answers, connections and threads; `just scale --help` has the options.
scale *options:
    benches/scale {{options}}

# Time and memory of `check`, `build` and loading, at 10 to 10,000 tools.
bench:
    cargo bench -p mcpc-benches

# How much faster templates are rendered and loaded than with the handlebars crate.
templates:
    cargo run --release -p mcpc-benches --bin templates

# `mcp-edge` under load, against nginx and a bare Pingora pass-through; `just load --help` has the options.
load *options:
    cargo build --release -p mcp-edge -p mcpc-benches --bin mcp-edge --bin load --bin passthrough --bin upstream
    cargo run --release -q -p mcpc-benches --bin load -- {{options}}

# Each fuzz target for a while; needs a nightly toolchain and cargo-fuzz.
fuzz seconds="60":
    for target in bind bundle_reader envelope shape template_machine; do cargo +nightly fuzz run $target -- -max_total_time={{seconds}} || exit 1; done
    for target in template_go template_handlebars; do cargo +nightly fuzz run $target -- -dict=fuzz/template.dict -max_total_time={{seconds}} || exit 1; done
    mkdir -p fuzz/corpus/spec_parser
    cargo +nightly fuzz run spec_parser fuzz/corpus/spec_parser tool-specs -- -max_total_time={{seconds}}

deny:
    cargo deny check
