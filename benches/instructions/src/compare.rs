//! Counts against the committed ones.

use crate::AnyError;
use std::collections::BTreeMap;
use std::fmt;

/// In per cent: growth beyond it fails, shrinking beyond it asks for a new baseline.
const TOLERANCE: u64 = 5;

/// Cases for comparison: their counts are not ours, and depend on the system's allocator.
const COMPARED: &str = "value: ";
/// What they are compared with.
const OURS: &str = "bind: ";
/// The cases of which ours takes so many times fewer instructions, see `docs/PERFORMANCE.md`.
const BARS: [&str; 3] = ["path and query", "path and query, with _meta", "body template"];
const BAR: f64 = 2.5;

/// The table, and the verdict.
pub struct Comparison {
    rows: Vec<Row>,
    /// Cases that were not counted.
    missing: Vec<String>,
}

struct Row {
    name: String,
    counted: u64,
    baseline: Option<u64>,
    /// How many times as many instructions parsing the same bytes into a `serde_json::Value` takes.
    fewer: Option<f64>,
}

/// Compares two files with lines such as `12345 name of a case`.
pub fn compare(baseline: &str, counted: &str) -> Result<Comparison, AnyError> {
    let baseline = counts(baseline)?.into_iter().collect::<BTreeMap<_, _>>();
    let counted = counts(counted)?;
    let of = |name: &str| counted.iter().find(|(other, _)| *other == name).map(|(_, count)| *count);
    let rows = counted.iter().map(|&(name, count)| {
        let value = name.strip_prefix(OURS).and_then(|name| of(&format!("{COMPARED}{name}")));
        Row {
            name: name.to_owned(),
            counted: count,
            baseline: baseline.get(name).copied(),
            fewer: value.map(|value| value as f64 / count as f64),
        }
    });
    let rows = rows.collect();
    let missing = baseline.keys().filter(|name| of(name).is_none()).map(|&name| name.to_owned()).collect();
    Ok(Comparison { rows, missing })
}

impl Comparison {
    pub fn is_good(&self) -> bool {
        self.missing.is_empty() && !self.rows.iter().any(|row| row.has_grown() || row.misses_bar())
    }
}

impl Row {
    fn is_ours(&self) -> bool {
        !self.name.starts_with(COMPARED)
    }

    /// In per cent.
    fn change(&self) -> Option<f64> {
        self.baseline.map(|baseline| (self.counted as f64 / baseline as f64 - 1.0) * 100.0)
    }

    /// A case without a baseline counts as grown: it must get one.
    fn has_grown(&self) -> bool {
        self.is_ours()
            && self.baseline.is_none_or(|baseline| self.counted * 100 > baseline * (100 + TOLERANCE))
    }

    fn misses_bar(&self) -> bool {
        self.name.strip_prefix(OURS).is_some_and(|name| BARS.contains(&name))
            && self.fewer.is_none_or(|fewer| fewer < BAR)
    }

    fn has_shrunk(&self) -> bool {
        self.is_ours()
            && self.baseline.is_some_and(|baseline| self.counted * 100 < baseline * (100 - TOLERANCE))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<36} {:>12} {:>12} {:>9}  fewer than `Value`",
            "case", "instructions", "baseline", "change"
        )?;
        for row in &self.rows {
            let baseline = row.baseline.map_or("none".to_owned(), |baseline| baseline.to_string());
            let change = row.change().map_or(String::new(), |change| format!("{change:+.2} %"));
            let fewer = row.fewer.map_or(String::new(), |fewer| format!("  {fewer:.2} ×"));
            writeln!(f, "{:<36} {:>12} {baseline:>12} {change:>9}{fewer}", row.name, row.counted)?;
        }
        for row in self.rows.iter().filter(|row| row.has_grown()) {
            writeln!(
                f,
                "`{}` takes more than {TOLERANCE} % more instructions, or has no baseline",
                row.name
            )?;
        }
        for row in self.rows.iter().filter(|row| row.misses_bar()) {
            writeln!(f, "`{}` does not take {BAR} times fewer than `Value`", row.name)?;
        }
        for name in &self.missing {
            writeln!(f, "`{name}` is in the baseline, but was not counted")?;
        }
        if !self.missing.is_empty() || self.rows.iter().any(Row::has_grown) {
            writeln!(
                f,
                "if that is meant to be, run `benches/instructions/run --update` and say why in the commit"
            )?;
        } else if self.rows.iter().any(Row::has_shrunk) {
            writeln!(f, "fewer instructions: run `benches/instructions/run --update` to keep it so")?;
        }
        Ok(())
    }
}

fn counts(text: &str) -> Result<Vec<(&str, u64)>, AnyError> {
    let line = |line| {
        let (count, name) = str::split_once(line, ' ').ok_or_else(|| format!("no count in `{line}`"))?;
        let count = count.parse().map_err(|_| format!("`{count}` is not a count"))?;
        // Nothing takes no instructions: then nothing was counted.
        if count == 0 { Err(format!("`{name}` has a count of 0").into()) } else { Ok((name, count)) }
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(baseline: &str, counted: &str) -> (bool, String) {
        let comparison = compare(baseline, counted).unwrap();
        (comparison.is_good(), comparison.to_string())
    }

    #[test]
    fn growth_within_the_tolerance_passes() {
        let (good, text) = outcome("1000 bind: a\n", "1050 bind: a\n");
        assert!(good && text.contains("+5.00 %") && !text.contains("--update"), "{text}");
    }

    #[test]
    fn growth_beyond_the_tolerance_fails() {
        let (good, text) = outcome("1000 bind: a\n10 call: b\n", "1051 bind: a\n10 call: b\n");
        assert!(!good && text.contains("`bind: a` takes more") && !text.contains("`call: b`"), "{text}");
    }

    #[test]
    fn shrinking_passes_with_a_hint() {
        let (good, text) = outcome("1000 bind: a\n", "900 bind: a\n");
        assert!(good && text.contains("--update"), "{text}");
    }

    #[test]
    fn a_case_without_baseline_and_one_without_count_fail() {
        assert!(!outcome("", "1 bind: a\n").0);
        assert!(!outcome("1 bind: a\n", "").0);
    }

    #[test]
    fn what_is_compared_with_may_change_and_gives_a_ratio() {
        let (good, text) = outcome("100 bind: a\n10 value: a\n", "100 bind: a\n350 value: a\n");
        assert!(good && text.contains("3.50 ×"), "{text}");
    }

    #[test]
    fn a_case_with_a_bar_fails_below_it() {
        let ours = "100 bind: body template\n";
        let with_value = |count: u32| outcome(ours, &format!("{ours}{count} value: body template\n"));
        let (good, text) = with_value(249);
        assert!(!good && text.contains("`bind: body template` does not take 2.5 times fewer"), "{text}");
        assert!(with_value(250).0);
        assert!(!outcome(ours, ours).0, "there is nothing to compare it with");
    }

    #[test]
    fn files_that_cannot_be_read_are_refused() {
        for text in ["bind: a", "x bind: a", "0 bind: a", "12"] {
            assert!(compare("", text).is_err(), "{text}");
        }
    }
}
