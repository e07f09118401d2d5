//! Figures and tables as they are shown.

use crate::load::stats::Spread;
use std::fmt::Write;

/// A Markdown table whose first column is text or the row's parameter.
#[derive(Debug)]
pub struct Table(String);

impl Table {
    pub fn new(columns: &[&str]) -> Table {
        let mut table = Table(String::new());
        table.row(columns.iter().map(|column| (*column).to_owned()));
        table.row(columns.iter().map(|_| "---:".to_owned()));
        table
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.push('|');
        for cell in cells {
            // Writing to a string cannot fail.
            let _ = write!(self.0, " {cell} |");
        }
        self.0.push('\n');
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Of an even number of values the upper one of the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Median and range.
pub fn ranged(values: &[f64], digits: usize) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{:.digits$} ({low:.digits$}–{high:.digits$})", median(values))
}

/// Median and quartiles, for so many values that the range says little.
pub fn quartiles(values: &[f64], digits: usize) -> String {
    Spread::of(values.iter().copied()).map_or_else(String::new, |spread| spread.show(digits))
}

/// Each value against its neighbour in time.
pub fn ratios(values: &[f64], base: &[f64]) -> Vec<f64> {
    values.iter().zip(base).map(|(value, base)| value / base).collect()
}

pub fn quantile(sorted: &[u64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.get((last * part).round() as usize).copied().unwrap_or_default() as f64
}

/// What one more costs, between a smaller and a larger measurement.
pub fn slope(small: (usize, f64), large: (usize, f64)) -> f64 {
    (large.1 - small.1) / large.0.saturating_sub(small.0).max(1) as f64
}

/// `100,000`
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A line that says whether a bar is met.
pub fn bar(what: &str, unit: &str, seen: f64, most: f64) -> String {
    let verdict = if seen <= most { "met" } else { "**not met**" };
    let digits = if most < 10.0 { 2 } else { 1 };
    let seen = format!("{seen:.digits$}{unit}");
    format!("Bar: {what} at most {most}{unit}. Seen: {seen}, {verdict}.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_have_their_range() {
        assert_eq!(ranged(&[3.0, 1.0, 2.25], 1), "2.2 (1.0–3.0)");
        assert_eq!((median(&[1.0, 4.0, 2.0, 3.0]), median(&[])), (3.0, 0.0));
    }

    #[test]
    fn quantiles_are_of_the_sorted_values() {
        let values: Vec<u64> = (1..=101).collect();
        assert_eq!((quantile(&values, 0.5), quantile(&values, 0.99), quantile(&[], 0.5)), (51.0, 100.0, 0.0));
    }

    #[test]
    fn a_slope_is_the_price_of_one_more() {
        assert_eq!(slope((10, 100.0), (110, 400.0)), 3.0);
        assert_eq!(slope((10, 100.0), (10, 100.0)), 0.0);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [7, 999, 1_000, 100_000, 1_234_567].map(count),
            ["7", "999", "1,000", "100,000", "1,234,567"]
        );
    }

    #[test]
    fn a_bar_is_met_up_to_its_figure() {
        assert_eq!(bar("memory", " MiB", 25.0, 25.0), "Bar: memory at most 25 MiB. Seen: 25.0 MiB, met.\n");
        assert_eq!(bar("ratio", "", 1.06, 1.05), "Bar: ratio at most 1.05. Seen: 1.06, **not met**.\n");
    }

    #[test]
    fn tables_are_markdown() {
        let mut table = Table::new(&["a", "b"]);
        table.row(["1".to_owned(), "2".to_owned()]);
        assert_eq!(table.to_string(), "| a | b |\n| ---: | ---: |\n| 1 | 2 |\n");
    }
}
