//! Medians and quartiles over the turns of a contender.

/// The median of some values and their quartiles. Values further out are noise of the machine.
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
        let last = values.len().checked_sub(1)? as f64;
        let at = |part: f64| {
            let (place, index) = (last * part, (last * part) as usize);
            let [lower, upper] = [index, index + 1].map(|index| values.get(index).copied());
            let lower = lower.unwrap_or_default();
            lower + (upper.unwrap_or(lower) - lower) * place.fract()
        };
        Some(Spread { median: at(0.5), low: at(0.25), high: at(0.75) })
    }

    /// Turn by turn, since neighbours in time are comparable.
    pub fn of_ratios<T>(above: &[T], below: &[T], value: impl Fn(&T) -> f64) -> Option<Spread> {
        let pairs = above.iter().zip(below).map(|(above, below)| (value(above), value(below)));
        Spread::of(pairs.filter(|(_, below)| *below > 0.0).map(|(above, below)| above / below))
    }

    /// `2.00 (1.90–2.10)`; without the quartiles if both look the same. A value that would be shown
    /// as zero gets more digits.
    pub fn show(&self, digits: usize) -> String {
        let digits = digits_for(self.median, digits);
        let [median, low, high] = [self.median, self.low, self.high].map(|value| format!("{value:.digits$}"));
        if low == high { median } else { format!("{median} ({low}–{high})") }
    }
}

/// `digits`, or as many as it takes to show something else than zero: `0.004` instead of `0.00`.
pub fn digits_for(value: f64, digits: usize) -> usize {
    const MOST: usize = 6;
    let shows_zero = |digits: &usize| value.abs() < 0.5 * 10_f64.powi(-(*digits as i32));
    if value == 0.0 || digits >= MOST {
        return digits;
    }
    (digits..MOST).find(|digits| !shows_zero(digits)).unwrap_or(MOST)
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
    fn half_of_the_values_are_between_the_quartiles() {
        let spread = Spread::of([100.0, 2.0, 1.0, 4.0, 3.0]);
        assert_eq!(spread, Some(Spread { median: 3.0, low: 2.0, high: 4.0 }));
        assert_eq!(Spread::of([7.0]), Some(Spread { median: 7.0, low: 7.0, high: 7.0 }));
    }

    #[test]
    fn ratios_are_taken_turn_by_turn() {
        let spread = Spread::of_ratios(&[200.0, 20.0, 300.0], &[100.0, 10.0, 100.0], |value| *value);
        assert_eq!(spread.map(|spread| spread.show(2)).as_deref(), Some("2.00 (2.00–2.50)"));
    }

    #[test]
    fn quartiles_that_look_the_same_are_not_shown() {
        assert_eq!(Spread::of([1.001, 1.002]).map(|spread| spread.show(2)).as_deref(), Some("1.00"));
    }

    #[test]
    fn small_values_have_enough_digits() {
        let show = |value: f64| Spread { median: value, low: value, high: value }.show(2);
        assert_eq!(
            [0.0041, 0.00041, 0.03, 1.0, 0.0, 1e-12].map(show),
            ["0.004", "0.0004", "0.03", "1.00", "0.00", "0.000000"]
        );
        let spread = Spread { median: 0.0041, low: 0.0036, high: 0.0052 };
        assert_eq!(spread.show(2), "0.004 (0.004–0.005)");
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        assert_eq!(Spread::of_ratios(&[1.0], &[0.0], |value| *value), None);
    }
}
