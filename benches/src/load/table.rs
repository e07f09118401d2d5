//! What the rounds showed, as a Markdown table.

use super::contender::Contender;
use super::round::Measured;
use std::fmt::Write;

/// The rounds of one contender.
#[derive(Debug)]
pub struct Row {
    pub contender: Contender,
    /// One for each round, in their order.
    pub rounds: Vec<Measured>,
}

/// Median and range over the rounds. Ratios are taken round by round, since neighbours in time are comparable.
pub fn table(rows: &[Row]) -> String {
    let base = rows.iter().find(|row| row.contender == Contender::Passthrough);
    let mut out = String::from(
        "| | RPS | p50 µs | p99 µs | CPU µs a call | RPS ÷ pass-through | CPU: pass-through ÷ it | MiB |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let of = |value: fn(&Measured) -> f64| row.rounds.iter().map(value).collect::<Vec<f64>>();
        let against = |ratio: fn(&Measured, &Measured) -> f64| match base {
            Some(base) => {
                ranged(row.rounds.iter().zip(&base.rounds).map(|(it, base)| ratio(it, base)).collect(), 2)
            }
            None => "–".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {:.0} | {:.0} | {} | {} | {} | {:.0} |",
            row.contender.name(),
            ranged(of(|it| it.rate), 0),
            median(of(|it| it.p50)),
            median(of(|it| it.p99)),
            ranged(of(|it| it.cpu), 1),
            against(|it, base| it.rate / base.rate),
            against(|it, base| base.cpu / it.cpu),
            median(of(|it| it.memory_mib)),
        );
    }
    out
}

fn ranged(values: Vec<f64>, digits: usize) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{:.digits$} ({low:.digits$}–{high:.digits$})", median(values))
}

/// Of an even number of values the upper one of the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(rate: f64, cpu: f64) -> Measured {
        Measured { rate, p50: 10.0, p99: 20.0, cpu, memory_mib: 5.0 }
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let base = Row {
            contender: Contender::Passthrough,
            rounds: vec![round(100.0, 50.0), round(10.0, 50.0), round(100.0, 100.0)],
        };
        let call = Row {
            contender: Contender::Call,
            rounds: vec![round(200.0, 25.0), round(20.0, 25.0), round(300.0, 25.0)],
        };
        let text = table(&[base, call]);
        let last = text.lines().last().expect("rows");
        let expected = "| `tools/call`, raw | 200 (20–300) | 10 | 20 | 25.0 (25.0–25.0) \
                        | 2.00 (2.00–3.00) | 2.00 (2.00–4.00) | 5 |";
        assert_eq!(last, expected);
    }
}
