//! The bars that speed under load is held against, and whether they are met.

use super::closed::Measured;
use super::contender::Contender;
use super::plan::{CONNECTIONS, MANY};
use super::results::Results;
use super::size::Size;
use super::stats::Spread;
use std::fmt::Write;

struct Bar {
    what: &'static str,
    limit: Limit,
    /// What would be more than asked for.
    stretch: Option<f64>,
    size: Size,
    connections: u16,
    above: Contender,
    below: Contender,
    value: fn(&Measured) -> f64,
}

#[derive(Clone, Copy)]
enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

/// The usual shape: answers a second of one contender for each of another.
const fn rates(
    what: &'static str,
    bar: f64,
    stretch: Option<f64>,
    size: Size,
    above: Contender,
    below: Contender,
) -> Bar {
    let limit = Limit::AtLeast(bar);
    Bar { what, limit, stretch, size, connections: CONNECTIONS, above, below, value: |turn| turn.rate }
}

/// CPU time of one contender for each of another, with small answers.
const fn costs(
    what: &'static str,
    bar: f64,
    stretch: Option<f64>,
    above: Contender,
    below: Contender,
) -> Bar {
    Bar { value: |turn| turn.cpu, ..rates(what, bar, stretch, Size::Small, above, below) }
}

use Contender::{
    AxumHyper, Call, CallCached, CallOff, CallOn, List, Mcp, Nginx, NginxFile, NginxPost, Passthrough,
    RmcpProxy,
};

const BARS: [Bar; 15] = [
    rates("`tools/call` RPS ÷ pass-through", 1.8, Some(2.5), Size::Small, Call, Passthrough),
    costs("CPU a call: pass-through ÷ `tools/call`", 1.6, Some(2.2), Passthrough, Call),
    rates("`tools/call` RPS ÷ nginx `proxy_pass`", 1.0, None, Size::Small, Call, Nginx),
    rates("`tools/call` RPS ÷ axum + hyper", 1.15, Some(1.5), Size::Small, Call, AxumHyper),
    rates("`tools/call` RPS, all on ÷ all off", 0.9, None, Size::Small, CallOn, CallOff),
    costs("CPU a call: all off ÷ all on", 0.9, None, CallOff, CallOn),
    rates("RPS, from the cache ÷ `tools/call`", 1.5, None, Size::Small, CallCached, Call),
    costs("CPU a call: `tools/call` ÷ from the cache", 1.5, None, Call, CallCached),
    rates("100 KiB, raw: RPS ÷ pass-through", 0.8, Some(1.1), Size::LongList, Call, Passthrough),
    rates("1 MiB, raw: RPS ÷ pass-through", 0.55, Some(0.9), Size::Large, Call, Passthrough),
    Bar {
        limit: Limit::AtMost(0.5),
        connections: MANY,
        value: |turn| turn.memory_mib,
        ..rates("RSS at 640 connections ÷ pass-through", 0.5, None, Size::Small, Call, Passthrough)
    },
    rates("MCP server: RPS ÷ nginx with the same POST", 0.9, None, Size::Small, Mcp, NginxPost),
    rates("MCP server: RPS ÷ a proxy of rmcp", 3.0, None, Size::Small, Mcp, RmcpProxy),
    rates("MCP server, 100 KiB: RPS ÷ nginx", 0.8, None, Size::LongList, Mcp, NginxPost),
    rates("`tools/list` RPS ÷ nginx with a file", 0.6, Some(0.9), Size::Small, List, NginxFile),
];

/// Those that were measured, as a Markdown table; `None` if none was.
pub fn table(results: &Results) -> Option<String> {
    let mut rows = String::new();
    for bar in &BARS {
        let Some(seen) = bar.seen(results) else { continue };
        let (sign, limit) = match bar.limit {
            Limit::AtLeast(limit) => ("≥", limit),
            Limit::AtMost(limit) => ("≤", limit),
        };
        let stretch = bar.stretch.map(|stretch| format!("{sign} {stretch}")).unwrap_or_default();
        let verdict = bar.verdict(seen.median);
        // Writing to a string cannot fail.
        let _ =
            writeln!(rows, "| {} | {sign} {limit} | {stretch} | {} | {verdict} |", bar.what, seen.show(2));
    }
    (!rows.is_empty()).then(|| format!("| what | bar | stretch | seen | |\n|---|---:|---:|---:|---|\n{rows}"))
}

impl Bar {
    fn seen(&self, results: &Results) -> Option<Spread> {
        let group = results.group(self.size, self.connections, &[self.above, self.below])?;
        let (above, below) = (group.row(self.above)?, group.row(self.below)?);
        Spread::of_ratios(&above.turns, &below.turns, self.value)
    }

    fn verdict(&self, median: f64) -> &'static str {
        let reaches = |limit: f64| match self.limit {
            Limit::AtLeast(_) => median >= limit,
            Limit::AtMost(_) => median <= limit,
        };
        let (Limit::AtLeast(limit) | Limit::AtMost(limit)) = self.limit;
        if self.stretch.is_some_and(reaches) {
            "stretch met"
        } else if reaches(limit) {
            "met"
        } else {
            "not met"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::results::tests::{group, row};

    fn seen(call: (f64, f64), connections: u16) -> Vec<String> {
        let rows = vec![row(Call, &[call]), row(Passthrough, &[(100.0, 50.0)])];
        let results = Results { groups: vec![group(Size::Small, connections, rows)], paced: Vec::new() };
        table(&results).unwrap_or_default().lines().skip(2).map(str::to_owned).collect()
    }

    #[test]
    fn bars_are_met_or_not() {
        let rates = |rate: f64| seen((rate, 50.0), 64).swap_remove(0);
        assert_eq!(rates(179.0), "| `tools/call` RPS ÷ pass-through | ≥ 1.8 | ≥ 2.5 | 1.79 | not met |");
        assert_eq!(rates(180.0), "| `tools/call` RPS ÷ pass-through | ≥ 1.8 | ≥ 2.5 | 1.80 | met |");
        assert_eq!(rates(250.0), "| `tools/call` RPS ÷ pass-through | ≥ 1.8 | ≥ 2.5 | 2.50 | stretch met |");
    }

    #[test]
    fn less_time_is_better() {
        let costs = |cpu: f64| seen((100.0, cpu), 64).swap_remove(1);
        assert!(costs(25.0).ends_with("| 2.00 | met |"));
        assert!(costs(50.0).ends_with("| 1.00 | not met |"));
    }

    #[test]
    fn memory_may_not_be_more() {
        let text = seen((1.0, 1.0), 640);
        assert_eq!(text, ["| RSS at 640 connections ÷ pass-through | ≤ 0.5 |  | 1.00 | not met |"]);
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        assert_eq!(seen((1.0, 1.0), 64).len(), 2);
        assert!(seen((1.0, 1.0), 65).is_empty());
    }
}
