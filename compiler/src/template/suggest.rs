//! "Did you mean": the closest of a few known names.

use strsim::{damerau_levenshtein, jaro_winkler};

/// Longer names are never typing slips of ours, and comparing them costs time for nothing.
const MAX_NAME_BYTES: usize = 32;

/// The known name that `typed` most likely stands for.
pub(crate) fn closest<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if typed.is_empty() || typed.len() > MAX_NAME_BYTES {
        return None;
    }
    let lower = typed.to_lowercase();
    known
        .filter_map(|name| {
            let candidate = name.to_lowercase();
            let distance = damerau_levenshtein(&lower, &candidate);
            // One slip in three letters is a different word more often than a typing error.
            let near = distance * 3 < typed.chars().count().max(name.chars().count());
            near.then(|| (name, distance, jaro_winkler(&lower, &candidate)))
        })
        .min_by(|a, b| a.1.cmp(&b.1).then(b.2.total_cmp(&a.2)).then(a.0.cmp(b.0)))
        .map(|(name, ..)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["toJson", "toString", "len", "eq", "upper", "default"];

    #[test]
    fn a_slip_finds_its_name() {
        assert_eq!(closest("tojson", KNOWN.into_iter()), Some("toJson"));
        assert_eq!(closest("defualt", KNOWN.into_iter()), Some("default"));
        assert_eq!(closest("uper", KNOWN.into_iter()), Some("upper"));
    }

    #[test]
    fn a_different_word_finds_nothing() {
        assert_eq!(closest("env", KNOWN.into_iter()), None);
        assert_eq!(closest("", KNOWN.into_iter()), None);
        assert_eq!(closest(&"l".repeat(1000), KNOWN.into_iter()), None);
    }
}
