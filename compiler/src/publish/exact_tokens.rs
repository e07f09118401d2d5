//! How many tokens a text costs a model, by the tables of a real one: OpenAI's `o200k_base`.
//!
//! Loading them takes a quarter of a second, so an estimate is enough wherever it is far from what matters.

#[cfg(any(test, not(feature = "tokens")))]
use super::tokens;

/// The tables that counts are made with, or what stands in for them in a build without.
pub const NAME: &str = if cfg!(feature = "tokens") { "o200k_base" } else { "estimate" };

/// A list is only counted exactly if that takes little time.
const MAX_COUNTED: usize = 200_000;

/// The tokens of a text; an estimate in a build without tables.
#[cfg(feature = "tokens")]
pub fn count(text: &str) -> usize {
    let tables = tiktoken_rs::o200k_base_singleton();
    pieces(text).map(|piece| tables.count_ordinary(piece)).sum()
}

#[cfg(not(feature = "tokens"))]
pub fn count(text: &str) -> usize {
    tokens::estimate(text)
}

/// The tokens of texts whose estimate is `estimated`: counted if that is so near to a budget that the difference may decide.
pub fn near_budget<'t>(estimated: usize, budget: usize, texts: impl IntoIterator<Item = &'t str>) -> usize {
    let (low, high) = (budget / 4 * 3, budget.saturating_mul(4) / 3);
    if (low..=high).contains(&estimated) && estimated <= MAX_COUNTED {
        return texts.into_iter().map(count).sum();
    }
    estimated
}

/// Parts of a text. The time for a run of letters grows with the square of its length, and real texts have no long ones.
#[cfg(feature = "tokens")]
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    const LONGEST_RUN: usize = 1 << 10;
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut run = 0;
        let end = rest.char_indices().find_map(|(at, c)| {
            run = if c.is_whitespace() || c == '"' { 0 } else { run + c.len_utf8() };
            (run > LONGEST_RUN && at > 0).then_some(at)
        });
        let (piece, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_a_budget_is_counted() {
        let text = "{\"a\": 1}";
        assert_eq!(near_budget(1, 1000, [text]), 1);
        assert_eq!(near_budget(5000, 1000, [text]), 5000);
        assert_eq!(near_budget(990, 1000, [text, text]), 2 * count(text));
        assert_eq!(near_budget(usize::MAX, usize::MAX, [text]), usize::MAX);
    }

    #[cfg(feature = "tokens")]
    #[test]
    fn counts_are_those_of_the_tables() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count(r#"{"type":"object"}"#), 5);
        // Special tokens of a model are plain text here.
        assert!(count("<|endoftext|>") > 1);
    }

    #[cfg(feature = "tokens")]
    #[test]
    fn a_long_run_takes_little_time() {
        // It would take hours, if the time grew with the square of the length.
        let tokens = count(&"a".repeat(1 << 20));
        assert!(tokens > 1 << 16, "{tokens}");
    }

    #[cfg(feature = "tokens")]
    proptest::proptest! {
        #[test]
        fn estimates_are_near(words in proptest::collection::vec("[a-z]{2,7}", 20..60)) {
            let text = words.join(" ");
            let (exact, estimated) = (count(&text), tokens::estimate(&text));
            // Made-up words are the worst that can be estimated.
            proptest::prop_assert!(exact < 4 * estimated && estimated < 2 * exact, "{exact} {estimated}");
        }

        #[test]
        fn any_text_is_counted(text in ".{0,200}") {
            let _ = count(&text);
        }
    }
}
