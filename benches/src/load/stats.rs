//! Medians and ranges over the turns of a contender.

/// The middle of some values and how far they reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Spread {
    /// `None` without values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (low, high) = (*values.first()?, *values.last()?);
        let middle = |index: usize| values.get(index).copied().unwrap_or_default();
        let half = values.len() / 2;
        let median =
            if values.len() % 2 == 1 { middle(half) } else { (middle(half - 1) + middle(half)) / 2.0 };
        Some(Spread { median, low, high })
    }

    /// Turn by turn, since neighbours in time are comparable.
    pub fn of_ratios<T>(above: &[T], below: &[T], value: impl Fn(&T) -> f64) -> Option<Spread> {
        let pairs = above.iter().zip(below).map(|(above, below)| (value(above), value(below)));
        Spread::of(pairs.filter(|(_, below)| *below > 0.0).map(|(above, below)| above / below))
    }

    /// `2.00 (1.90–2.10)`; without the range if there is none to see.
    pub fn show(&self, digits: usize) -> String {
        let [median, low, high] = [self.median, self.low, self.high].map(|value| format!("{value:.digits$}"));
        if low == high { median } else { format!("{median} ({low}–{high})") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_middle_ones() {
        let of = |values: &[f64]| Spread::of(values.iter().copied()).map(|spread| spread.median);
        assert_eq!([of(&[3.0, 1.0, 2.0]), of(&[4.0, 1.0, 2.0, 3.0]), of(&[])], [Some(2.0), Some(2.5), None]);
    }

    #[test]
    fn ratios_are_taken_turn_by_turn() {
        let spread = Spread::of_ratios(&[200.0, 20.0, 300.0], &[100.0, 10.0, 100.0], |value| *value);
        assert_eq!(spread.map(|spread| spread.show(2)).as_deref(), Some("2.00 (2.00–3.00)"));
    }

    #[test]
    fn a_range_that_cannot_be_seen_is_not_shown() {
        assert_eq!(Spread::of([1.001, 1.002]).map(|spread| spread.show(2)).as_deref(), Some("1.00"));
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        assert_eq!(Spread::of_ratios(&[1.0], &[0.0], |value| *value), None);
    }
}
