//! "Did you mean".

/// A longer word is not a typo, and comparing it would only take time.
const MAX_BYTES: usize = 64;

/// The candidate that `word` most likely meant, if one is near enough to be worth saying.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_BYTES {
        return None;
    }
    let lower = word.to_lowercase();
    let length = word.chars().count();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word && candidate.len() <= MAX_BYTES)
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        // More than one slip in three letters is another word.
        .filter(|(distance, candidate)| distance * 3 <= length.max(candidate.chars().count()).min(12))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The help text of a misspelling.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// A list for a message: `` `a`, `b` or `c` ``.
pub fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => "nothing".into(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn distance(a: &str, b: &str) -> usize {
    // Separators are what people get wrong first: `base-url`, `baseUrl` and `base_url` are one word.
    let plain = |s: &str| s.replace(['_', '-'], "");
    if plain(a) == plain(b) {
        return 0;
    }
    strsim::damerau_levenshtein(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let keys = ["name", "endpoint", "timeout_seconds"];
        assert_eq!(nearest("endpont", keys), Some("endpoint"));
        assert_eq!(nearest("timeoutSeconds", keys), Some("timeout_seconds"));
        assert_eq!(nearest("NAME", keys), Some("name"));
        assert_eq!(nearest("zzz", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest("a", ["b", "c"]), None);
        assert_eq!(nearest("A", ["b", "a"]), Some("a"));
        assert_eq!(nearest(&"n".repeat(1000), keys), None);
    }

    #[test]
    fn lists_read_as_prose() {
        assert_eq!(one_of(["a"]), "`a`");
        assert_eq!(one_of(["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(one_of([]), "nothing");
    }
}
