//! Waiting at fixed rates: p50, p99 and p99.9 of each contender on a logarithmic scale.

use super::{Canvas, LABELS, PADDING, WIDTH, class, label};
use crate::load::open::Paced;
use crate::load::results::PacedGroup;
use crate::load::stats::Spread;

const ROW: f64 = 26.0;
const HEADING: f64 = 34.0;
const TOP: f64 = 84.0;
/// Width of the column of values.
const VALUES: f64 = 190.0;
/// Marks keep this distance from labels and values.
const INSET: f64 = 8.0;

/// `None` if nothing was measured at a fixed rate.
pub fn latency(groups: &[PacedGroup], connections: u16) -> Option<String> {
    let mut marks = Vec::new();
    for row in groups.iter().flat_map(|group| &group.rows) {
        marks.extend(percentiles(&row.turns)?);
    }
    // The axis covers every mark, not only the middle half of them.
    let shortest = marks.iter().copied().reduce(f64::min)?.max(1.0);
    let longest = marks.iter().copied().reduce(f64::max)?.max(1.0);
    let first = shortest.log10().floor();
    let last = longest.log10().ceil().max(first + 1.0);
    let (left, right) = (LABELS + INSET, WIDTH - PADDING - VALUES - INSET);
    let across = |value: f64| left + (right - left) * (value.max(1.0).log10() - first) / (last - first);
    let rows: usize = groups.iter().map(|group| group.rows.len()).sum();
    let bottom = TOP + HEADING * groups.len() as f64 + ROW * rows as f64;

    let mut canvas = Canvas::new(bottom + 44.0);
    let title = "Latency at fixed rates of requests";
    canvas.text((PADDING, 32.0), "title", title);
    let under = format!(
        "300-byte answers over {connections} connections, counted from when a request was due. Left is better."
    );
    canvas.text((PADDING, 54.0), "dim", under);
    canvas.text((WIDTH - PADDING, TOP), "dim small end", "● p50 · ■ p99 · | p99.9");
    let mut decade = first;
    while decade <= last {
        let (at, value) = (left + (right - left) * (decade - first) / (last - first), 10_f64.powf(decade));
        canvas.line((at, TOP), (at, bottom), "grid");
        canvas.text((at, bottom + 18.0), "dim small middle", time(value));
        decade += 1.0;
    }
    let mut top = TOP;
    for group in groups {
        let heading = format!("{:.0} requests a second ({} % of mcp-edge's most)", group.rate, group.share);
        canvas.text((PADDING, top + 22.0), "dim", heading);
        top += HEADING;
        for row in &group.rows {
            let middle = top + ROW / 2.0;
            let [p50, p99, p999] = percentiles(&row.turns)?;
            let class = class(row.contender);
            canvas.text((LABELS - 10.0, middle + 4.5), "end", label(row.contender));
            canvas.line((across(p50), middle), (across(p999), middle), &format!("track {class}"));
            canvas.line(
                (across(p999), middle - 7.0),
                (across(p999), middle + 7.0),
                &format!("track {class}"),
            );
            canvas.rectangle((across(p99) - 4.5, middle - 4.5), (9.0, 9.0), &format!("bar {class}"));
            canvas.circle((across(p50), middle), 5.0, &format!("bar {class}"));
            let values = [p50, p99, p999].map(time).join(" / ");
            canvas.text((WIDTH - PADDING, middle + 4.5), "end", values);
            top += ROW;
        }
    }
    Some(canvas.finish(title))
}

/// Medians of p50, p99 and p99.9 over the turns; `None` without turns.
fn percentiles(turns: &[Paced]) -> Option<[f64; 3]> {
    let of = |value: fn(&Paced) -> f64| Spread::of(turns.iter().map(value)).map(|spread| spread.median);
    Some([of(|turn| turn.p50)?, of(|turn| turn.p99)?, of(|turn| turn.p999)?])
}

/// Microseconds, in a suitable unit.
fn time(microseconds: f64) -> String {
    let (value, unit) = match microseconds {
        value if value < 999.5 => (value, "µs"),
        value if value < 999_500.0 => (value / 1e3, "ms"),
        value => (value / 1e6, "s"),
    };
    let digits = usize::from(value < 9.95 && value.fract() != 0.0);
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_well_formed;
    use super::*;
    use crate::load::contender::Contender;
    use crate::load::results::tests::paced;

    #[test]
    fn it_is_well_formed_and_holds_the_values() {
        let rows = vec![paced(Contender::Nginx, 80.0, 1.0), paced(Contender::Call, 120.4, 1.0)];
        let svg = latency(&[PacedGroup { share: 50, rate: 12_000.0, rows }], 64).expect("a chart");
        assert_well_formed(&svg);
        for text in [
            ">12000 requests a second (50 % of mcp-edge's most)<",
            ">80 µs / 800 µs / 1.6 ms<",
            ">120 µs / 1.2 ms / 2.4 ms<",
            ">10 µs<",
            ">10 ms<",
        ] {
            assert!(svg.contains(text), "no {text} in {svg}");
        }
    }

    /// The numbers in the attribute `name`.
    fn numbers(svg: &str, name: &str) -> Vec<f64> {
        let start = format!(" {name}=\"");
        let parts = svg.split(&start).skip(1);
        parts
            .map(|part| part.split('"').next().and_then(|text| text.parse().ok()).expect("a number"))
            .collect()
    }

    #[test]
    fn extreme_values_stay_on_the_chart() {
        let rows = vec![paced(Contender::Nginx, 0.0, 1.0), paced(Contender::Call, 1e7, 1.0)];
        assert_well_formed(&latency(&[PacedGroup { share: 1, rate: 1.0, rows }], 1).expect("a chart"));
    }

    #[test]
    fn outliers_stay_on_the_axis_and_cover_no_label() {
        // One far below and one far above the middle half of all rows.
        let p50s = [60.0, 250.0, 260.0, 270.0, 280.0, 290.0, 300.0, 184_549.0];
        let rows = p50s.map(|p50| paced(Contender::Nginx, p50, 1.0)).into();
        let svg = latency(&[PacedGroup { share: 75, rate: 1.0, rows }], 64).expect("a chart");
        let circles = numbers(&svg, "cx");
        assert_eq!(circles.len(), p50s.len());
        let ends = svg.lines().filter(|line| line.contains("class=\"track"));
        let ends: Vec<f64> = ends.flat_map(|line| numbers(line, "x2")).collect();
        for at in circles.iter().chain(&ends) {
            assert!(*at >= LABELS + INSET && *at <= WIDTH - PADDING - VALUES - INSET, "{at} in {svg}");
        }
        assert!(svg.contains(">10 µs<") && svg.contains(">10 s<"), "{svg}");
    }

    #[test]
    fn without_rates_there_is_no_chart() {
        assert_eq!(latency(&[], 64), None);
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        let shown = [1.0, 7.25, 250.4, 999.6, 1234.0, 56_000.0, 2_500_000.0].map(time);
        assert_eq!(shown, ["1 µs", "7.2 µs", "250 µs", "1.0 ms", "1.2 ms", "56 ms", "2.5 s"]);
    }
}
