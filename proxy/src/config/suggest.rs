//! "Did you mean".

/// Longer words are no slips of a finger.
const MAX_BYTES: usize = 64;

/// The help for a word that is not one of `candidates`.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// The candidate that was meant, if one is near enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_BYTES {
        return None;
    }
    let plain = |word: &str| word.to_lowercase().replace(['_', '-'], "");
    let wanted = plain(word);
    let near = candidates.into_iter().map(|candidate| {
        let plain = plain(candidate);
        (strsim::damerau_levenshtein(&wanted, &plain), plain.chars().count(), candidate)
    });
    let length = wanted.chars().count();
    // More than one slip in three letters is another word.
    near.filter(|(distance, other, _)| distance * 3 <= length.max(*other).min(12))
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, candidate)| candidate)
}

/// `` `a`, `b` or `c` ``.
pub fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let keys = ["bundle", "request_body", "admin"];
        assert_eq!(nearest("requestBody", keys), Some("request_body"));
        assert_eq!(nearest("bundel", keys), Some("bundle"));
        assert_eq!(nearest("zzz", keys), None);
        assert_eq!(nearest(&"b".repeat(1000), keys), None);
        assert_eq!(one_of(["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
