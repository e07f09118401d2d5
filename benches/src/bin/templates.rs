//! How many times faster templates are rendered and loaded than with the `handlebars` crate.
//!
//! Contenders take turns, round by round, so that a noisy machine is noisy to all. Linux only: it reads `/proc`.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use handlebars::Handlebars;
use mcp_bundle::format::{self, Trust};
use mcp_bundle::template::Destination;
use mcpc::plan::standalone;
use mcpc::template::{Dialect, compile_for};
use mcpc_benches::render::contenders;
use mcpc_benches::{AnyError, cpu_ms};
use mcpc_instructions::bodies::{cases, list};
use std::hint::black_box;

const ROUNDS: usize = 9;
/// Bytes of answers that one contender renders in one round.
const WORK: usize = 16 << 20;
const TEMPLATES: usize = 10_000;

fn main() -> Result<(), AnyError> {
    println!("answer to result, CPU time of one thread, median of {ROUNDS} interleaved rounds");
    println!(
        "{:<20} {:>8} {:>10} {:>12} {:>12} {:>12} {:>8} {:>8}",
        "answer", "bytes", "Go µs", "Handleb. µs", "crate µs", "Context µs", "×", "× Ctx"
    );
    for case in cases().into_iter().chain([list("1 MiB list", 5_000, 0)]) {
        let (mut go, mut ours, theirs) = contenders(&case).ok_or("the contenders do not agree")?;
        let body = case.body.as_bytes();
        let repeats = (WORK / body.len()).max(1);
        let mut out = Vec::new();
        let mut times: [Vec<f64>; 4] = Default::default();
        for _ in 0..ROUNDS {
            let mut time =
                |at: usize, render: &mut dyn FnMut(&[u8], &mut Vec<u8>) -> bool| -> Result<(), AnyError> {
                    let start = cpu_ms()?;
                    for _ in 0..repeats {
                        out.clear();
                        if !render(black_box(body), &mut out) {
                            return Err("it could not be rendered".into());
                        }
                    }
                    let list = times.get_mut(at).ok_or("four contenders")?;
                    list.push((cpu_ms()? - start) * 1000.0 / repeats as f64);
                    Ok(())
                };
            time(0, &mut |body, out| go.render(body, out))?;
            time(1, &mut |body, out| ours.render(body, out))?;
            time(2, &mut |body, out| theirs.render(body, out))?;
            time(3, &mut |body, out| theirs.render_context(body, out))?;
        }
        let [go, ours, theirs, context] = times.map(median);
        println!(
            "{:<20} {:>8} {go:>10.2} {ours:>12.2} {theirs:>12.2} {context:>12.2} {:>8.1} {:>8.1}",
            case.name,
            body.len(),
            theirs / ours,
            context / ours
        );
    }
    load()
}

/// Reads a bundle with many templates, against registering their sources.
fn load() -> Result<(), AnyError> {
    let sources: Vec<String> = (0..TEMPLATES).map(template).collect();
    let mut compiled = Vec::new();
    for source in &sources {
        let template = compile_for(Destination::Text, Dialect::Handlebars, source);
        compiled.push(template.map_err(|_| "the template is sound")?);
    }
    let bundle = format::write(&standalone(&compiled))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let start = cpu_ms()?;
        black_box(format::read(&bundle, &Trust::Any)?);
        ours.push(cpu_ms()? - start);
        let start = cpu_ms()?;
        let mut registry = Handlebars::new();
        for (number, source) in sources.iter().enumerate() {
            registry.register_template_string(&number.to_string(), source)?;
        }
        black_box(&registry);
        theirs.push(cpu_ms()? - start);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "\n{TEMPLATES} templates: registered in {theirs:.1} ms, read as a bundle of programs in {ours:.2} ms ({:.0} ×)",
        theirs / ours
    );
    Ok(())
}

fn template(number: usize) -> String {
    format!(
        "Order {{{{id}}}} of shop {number}: {{{{status}}}}\n{{{{#each items}}}}- {{{{name}}}}: {{{{price}}}} {{{{../currency}}}}\
         {{{{#if gift}}}} (gift){{{{/if}}}}\n{{{{/each}}}}Total {{{{total_{number}}}}}"
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
