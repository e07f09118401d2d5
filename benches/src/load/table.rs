//! What was measured, as Markdown tables.

use super::closed::Measured;
use super::contender::Contender;
use super::open::Paced;
use super::results::{Group, PacedGroup, Row};
use super::stats::Spread;
use std::fmt::Write;

/// Median and range over the rounds. Ratios are taken round by round.
pub fn closed(group: &Group) -> String {
    let base = group.row(Contender::Passthrough).map(|row| row.turns.as_slice());
    let mut out = String::from(
        "| | RPS | p50 µs | p99 µs | p99.9 µs | CPU µs a call | RPS ÷ pass-through | CPU: pass-through ÷ it | RSS MiB |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for Row { contender, turns } in &group.rows {
        let of = |value: fn(&Measured) -> f64| Spread::of(turns.iter().map(value));
        let rates = base.and_then(|base| Spread::of_ratios(turns, base, |turn| turn.rate));
        let costs = base.and_then(|base| Spread::of_ratios(base, turns, |turn| turn.cpu));
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            contender.name(),
            shown(of(|turn| turn.rate), 0),
            middle(of(|turn| turn.p50)),
            middle(of(|turn| turn.p99)),
            middle(of(|turn| turn.p999)),
            shown(of(|turn| turn.cpu), 1),
            shown(rates, 2),
            shown(costs, 2),
            middle(of(|turn| turn.memory_mib)),
        );
    }
    out
}

/// One table for all rates. The longest wait is that of all rounds.
pub fn paced(groups: &[PacedGroup]) -> String {
    let mut out = String::from(
        "| requests a second | | achieved | p50 µs | p99 µs | p99.9 µs | max µs |\n|---:|---|---:|---:|---:|---:|---:|\n",
    );
    for group in groups {
        for Row { contender, turns } in &group.rows {
            let of = |value: fn(&Paced) -> f64| Spread::of(turns.iter().map(value));
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "| {:.0} ({} %) | {} | {} | {} | {} | {} | {:.0} |",
                group.rate,
                group.share,
                contender.name(),
                middle(of(|turn| turn.achieved)),
                shown(of(|turn| turn.p50), 0),
                shown(of(|turn| turn.p99), 0),
                shown(of(|turn| turn.p999), 0),
                of(|turn| turn.max).map_or(0.0, |spread| spread.high),
            );
        }
    }
    out
}

fn shown(spread: Option<Spread>, digits: usize) -> String {
    spread.map_or("–".to_owned(), |spread| spread.show(digits))
}

fn middle(spread: Option<Spread>) -> String {
    spread.map_or("–".to_owned(), |spread| format!("{:.0}", spread.median))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::results::tests::{group, paced as paced_row, row};
    use crate::load::size::Size;

    #[test]
    fn a_row_has_medians_quartiles_and_ratios_round_by_round() {
        let base = row(Contender::Passthrough, &[(100.0, 50.0), (10.0, 50.0), (100.0, 100.0)]);
        let call = row(Contender::Call, &[(200.0, 25.0), (20.0, 25.0), (300.0, 25.0)]);
        let text = closed(&group(Size::Small, 64, vec![base, call]));
        let expected = "| `mcp-edge`, raw | 200 (110–250) | 10 | 20 | 30 | 25.0 \
                        | 2.00 (2.00–2.50) | 2.00 (2.00–3.00) | 5 |";
        assert_eq!(text.lines().last(), Some(expected));
    }

    #[test]
    fn without_the_pass_through_there_are_no_ratios() {
        let text = closed(&group(Size::Small, 64, vec![row(Contender::List, &[(10.0, 1.0)])]));
        assert_eq!(
            text.lines().last(),
            Some("| `mcp-edge`, `tools/list` | 10 | 10 | 20 | 30 | 1.0 | – | – | 5 |")
        );
    }

    #[test]
    fn fixed_rates_are_in_one_table() {
        let group = |share: u16| PacedGroup {
            share,
            rate: f64::from(share) * 10.0,
            rows: vec![paced_row(Contender::Nginx, 100.0, 7000.0)],
        };
        let text = paced(&[group(25), group(50)]);
        assert_eq!(text.lines().count(), 4);
        assert_eq!(
            text.lines().nth(2),
            Some("| 250 (25 %) | nginx `proxy_pass` | 999 | 100 | 1000 | 2000 | 7000 |")
        );
    }
}
