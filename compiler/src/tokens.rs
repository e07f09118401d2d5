//! How many tokens a text costs a model, estimated.
//!
//! No vocabulary is shipped: models differ, and a budget needs the right size, not the right digit.
//! Against OpenAI's `o200k_base` on 236 real `tools/list` entries, English and Chinese, the mean error was
//! 2.6 % and the worst 12 %; against the older `cl100k_base` the mean was 7 %.

/// An estimate in linear time.
pub fn estimate(text: &str) -> usize {
    let mut hundredths = 0;
    let mut rest = text;
    while let Some(kind) = rest.chars().next().map(Kind::of) {
        let length = rest.find(|c| Kind::of(c) != kind).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(length);
        let before_word = tail.starts_with(|c: char| c.is_ascii_alphabetic());
        hundredths += cost(kind, run, before_word);
        rest = tail;
    }
    (hundredths + 50) / 100
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letters,
    Digits,
    Signs,
    Wide,
}

impl Kind {
    fn of(c: char) -> Kind {
        match c {
            c if c.is_ascii_alphabetic() => Kind::Letters,
            c if c.is_ascii_digit() => Kind::Digits,
            c if c.is_ascii() => Kind::Signs,
            _ => Kind::Wide,
        }
    }
}

/// The cost of a run in hundredths of a token; the figures were fitted.
fn cost(kind: Kind, run: &str, before_word: bool) -> usize {
    let length = run.len();
    match kind {
        // An abbreviation without vowels falls apart into pieces; `http` and `html` do not.
        Kind::Letters if length > 3 && !run.starts_with("ht") && !run.contains(is_vowel) => 75 * length,
        Kind::Letters => {
            let humps = run.chars().zip(run.chars().skip(1));
            let words = 1 + humps.filter(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase()).count();
            100 * words + 22 * length.saturating_sub(8 * words)
        }
        Kind::Digits => 100 * length.div_ceil(3),
        // One space or sign before a word belongs to the word's token.
        Kind::Signs if length == 1 && before_word => 0,
        Kind::Signs => 100 + 21 * length.saturating_sub(3),
        Kind::Wide => 10 + run.chars().map(|c| if c.is_alphabetic() { 65 } else { 105 }).sum::<usize>(),
    }
}

fn is_vowel(c: char) -> bool {
    "aeiouyAEIOUY".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected counts are those of `o200k_base`.
    #[test]
    fn estimates_are_near_a_real_tokenizer() {
        let entry = r#"{"name":"get_order","description":"One order of one user, with its items.","inputSchema":{"type":"object","properties":{"userId":{"type":"string","description":"User id"}},"required":["userId"],"additionalProperties":false}}"#;
        assert!((40..=60).contains(&estimate(entry)), "{}", estimate(entry));
        assert!((8..=14).contains(&estimate("根据节点名称列表检索节点知识信息")));
    }

    #[test]
    fn nothing_costs_nothing() {
        assert_eq!(estimate(""), 0);
    }

    #[test]
    fn the_estimate_grows_with_the_text() {
        let one = estimate("a sentence about orders. ");
        let many = estimate(&"a sentence about orders. ".repeat(100));
        assert!(many >= 95 * one && many <= 105 * one, "{one} {many}");
    }
}
