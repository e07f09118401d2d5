//! Answers a second against the pass-through: a bar for each contender, with the range of the rounds.

use super::{Canvas, LABELS, PADDING, WIDTH, class, label};
use crate::load::contender::Contender;
use crate::load::results::Group;
use crate::load::stats::{Spread, digits_for};

const ROW: f64 = 30.0;
const TOP: f64 = 84.0;
const BAR: f64 = 16.0;
/// Width of the column of values, after the ranges.
const VALUES: f64 = 120.0;

/// `None` without a pass-through. The upstream alone is left out: it is not a proxy, and so far ahead
/// that the others would look alike.
pub fn throughput(group: &Group) -> Option<String> {
    let base = group.row(Contender::Passthrough)?;
    let mut bars = Vec::new();
    for row in group.rows.iter().filter(|row| row.contender != Contender::Direct) {
        bars.push((row.contender, Spread::of_ratios(&row.turns, &base.turns, |turn| turn.rate)?));
    }
    bars.sort_by(|(_, one), (_, other)| other.median.total_cmp(&one.median));
    let longest = bars.iter().map(|(_, spread)| spread.high).fold(1.0, f64::max);
    let step = step_for(longest);
    let last = (longest / step).ceil() * step;
    let bottom = TOP + ROW * bars.len() as f64;
    let across = |value: f64| LABELS + (WIDTH - LABELS - PADDING - VALUES) * value / last;

    let mut canvas = Canvas::new(bottom + 44.0);
    let title = "Requests per second, relative to a bare Pingora pass-through";
    canvas.text((PADDING, 32.0), "title", title);
    let under = format!("{}. Median of the rounds, whiskers: their range. More is better.", group.case.title);
    canvas.text((PADDING, 54.0), "dim", under);
    for tick in 0..=(last / step).round() as u32 {
        let value = f64::from(tick) * step;
        canvas.line((across(value), TOP - 8.0), (across(value), bottom), "grid");
        canvas.text((across(value), bottom + 18.0), "dim small middle", format!("{value:.1}"));
    }
    canvas.line((across(1.0), TOP - 8.0), (across(1.0), bottom), "base");
    for (index, (contender, spread)) in bars.iter().enumerate() {
        let middle = TOP + ROW * (index as f64 + 0.5);
        canvas.text((LABELS - 10.0, middle + 4.5), "end", label(*contender));
        let width = across(spread.median) - LABELS;
        canvas.rectangle((LABELS, middle - BAR / 2.0), (width, BAR), &format!("bar {}", class(*contender)));
        let mut behind = across(spread.median);
        if spread.low < spread.high {
            canvas.line((across(spread.low), middle), (across(spread.high), middle), "range");
            for end in [spread.low, spread.high] {
                canvas.line((across(end), middle - 4.0), (across(end), middle + 4.0), "range");
            }
            behind = across(spread.high);
        }
        let digits = digits_for(spread.median, 2);
        canvas.text((behind + 8.0, middle + 4.5), "", format!("{:.digits$}", spread.median));
    }
    Some(canvas.finish(title))
}

/// A round number that makes a handful of ticks.
fn step_for(longest: f64) -> f64 {
    [0.2, 0.5, 1.0, 2.0, 5.0, 10.0].into_iter().find(|step| longest / step <= 8.0).unwrap_or(100.0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_well_formed;
    use super::*;
    use crate::load::results::tests::{group, row};
    use crate::load::size::Size;

    fn chart() -> String {
        let rows = vec![
            row(Contender::Direct, &[(900.0, 1.0), (900.0, 1.0)]),
            row(Contender::Passthrough, &[(100.0, 1.0), (100.0, 1.0)]),
            row(Contender::Call, &[(230.0, 1.0), (250.0, 1.0)]),
            row(Contender::FastMcp, &[(5.0, 1.0), (5.0, 1.0)]),
        ];
        throughput(&group(Size::Small, 64, rows)).expect("a chart")
    }

    #[test]
    fn it_is_well_formed_and_holds_the_values_best_first() {
        let svg = chart();
        assert_well_formed(&svg);
        let place = |text: &str| svg.find(text).unwrap_or_else(|| panic!("no {text} in {svg}"));
        let places = [">mcp-edge, raw<", ">2.40<", ">Pingora pass-through<", ">1.00<", ">FastMCP<", ">0.05<"]
            .map(place);
        assert!(places.is_sorted(), "{places:?}");
        assert!(!svg.contains("direct"));
    }

    #[test]
    fn a_small_ratio_has_enough_digits() {
        let rows =
            vec![row(Contender::Passthrough, &[(31_500.0, 1.0)]), row(Contender::FastMcp, &[(129.0, 1.0)])];
        let svg = throughput(&group(Size::Small, 64, rows)).expect("a chart");
        assert!(svg.contains(">0.004<") && !svg.contains(">0.00<"), "{svg}");
    }

    #[test]
    fn only_a_range_that_is_there_has_whiskers() {
        assert_eq!(chart().matches("class=\"range\"").count(), 3);
    }

    #[test]
    fn the_same_numbers_give_the_same_bytes() {
        assert_eq!(chart(), chart());
    }

    #[test]
    fn without_a_pass_through_there_is_no_chart() {
        assert_eq!(throughput(&group(Size::Small, 64, vec![row(Contender::Call, &[(1.0, 1.0)])])), None);
    }
}
