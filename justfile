# What CI runs, in the same order.
ready:
    .ci/run

# Both programs with all sources of bundles, as they are released.
release:
    cargo build --release --locked -p mcpc -p mcp-edge --features mcpc/buckets,mcp-edge/buckets

# The README's test command.
test:
    cargo test --workspace --locked

# Refreshes what is generated.
generate:
    cargo run -q -p mcpc -- rules --format markdown > docs/rules.md
    cargo run -q -p mcpc -- rules --changes --format markdown > docs/changes.md
    cargo run -q -p mcpc -- schema > docs/spec.schema.json
    cargo run -q -p mcp-edge -- schema > docs/edge.schema.json
    cargo run -q -p mcp-edge -- schema tenants > docs/tenants.schema.json

# `mcp-edge` under load, against nginx, a bare Pingora pass-through and other MCP servers; `just bench --help` has the options.
bench *options:
    benches/run {{options}}

# How compiler and proxy scale with tools, answers, connections and threads; `just scale --help` has the options.
scale *options:
    benches/scale {{options}}

# Calls that are lost while mcp-edge leaves, is replaced, or its upstream is reloaded; `just faults --help` has the options.
faults *options:
    benches/faults {{options}}

# The CPU time of a poll of an unchanged bundle, from real servers.
polls:
    benches/polls

# What a shared rate costs a call, against a rate of the edge alone, with a real Redis.
shared *options:
    benches/shared {{options}}

# Time of `check`, `build`, loading, binding and rendering, with criterion.
micro:
    cargo bench -p mcpc-benches

# How much faster templates are rendered and loaded than with the handlebars crate.
templates:
    cargo run --release -p mcpc-benches --bin templates

# Instructions of the pure part of a call against the committed counts; `just instructions --update` commits to new ones.
instructions *options:
    benches/instructions/run {{options}}

# Draws where the time of a call goes, to docs/benchmarks/call.svg.
flamegraph *file:
    benches/flamegraph {{file}}

# Each fuzz target for a while; needs a nightly toolchain and cargo-fuzz.
fuzz seconds="60":
    for target in bind bundle_reader envelope events http1 shape sources template_machine tokens; do cargo +nightly fuzz run $target -- -max_total_time={{seconds}} || exit 1; done
    for target in template_go template_handlebars; do cargo +nightly fuzz run $target -- -dict=fuzz/template.dict -max_total_time={{seconds}} || exit 1; done
    cargo +nightly fuzz run tenants -- -dict=fuzz/tenants.dict -max_total_time={{seconds}}
    mkdir -p fuzz/corpus/spec_parser fuzz/corpus/import_openapi
    cargo +nightly fuzz run import_openapi fuzz/corpus/import_openapi compiler/src/import/openapi/tests -- -max_total_time={{seconds}}
    cargo +nightly fuzz run spec_parser fuzz/corpus/spec_parser tool-specs -- -max_total_time={{seconds}}

deny:
    cargo deny check
