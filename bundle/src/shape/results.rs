//! `max_results`: lists of an answer keep their first elements.

/// A JSON text whose lists are cut.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub text: String,
    /// Elements that were left out, of all lists together.
    pub missing: usize,
}

/// The text with at most `most` elements in each list, at any depth; `None` if nothing is left out.
///
/// Looks only at brackets, commas and strings, and is not a validator: of a text that is not JSON, or is nested
/// deeper than `depth`, nothing is cut, and whatever reads it next finds the problem.
pub(super) fn cut(text: &str, most: usize, depth: usize) -> Option<Cut> {
    let bytes = text.as_bytes();
    // For each open container: whether it is a list, and how many commas it had so far.
    let mut open: Vec<(bool, usize)> = Vec::new();
    // The depth of the list whose rest is being left out.
    let mut cutting: Option<usize> = None;
    let (mut out, mut copied, mut missing) = (String::new(), 0, 0);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at + 1)?,
            b'[' | b'{' if open.len() == depth => return None,
            b'[' => open.push((true, 0)),
            b'{' => open.push((false, 0)),
            b']' | b'}' => {
                if cutting == Some(open.len()) {
                    cutting = None;
                    copied = at;
                }
                let (is_list, _) = open.pop()?;
                if is_list != (*byte == b']') {
                    return None;
                }
            }
            b',' => {
                let level = open.len();
                let (is_list, commas) = open.last_mut()?;
                *commas += 1;
                if *is_list && *commas >= most && cutting.is_none() {
                    out.push_str(text.get(copied..at)?);
                    cutting = Some(level);
                }
                missing += usize::from(cutting == Some(level));
            }
            _ => {}
        }
        at += 1;
    }
    if missing == 0 || !open.is_empty() {
        return None;
    }
    out.push_str(text.get(copied..)?);
    Some(Cut { text: out, missing })
}

/// Where the quote is that ends a string.
fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let found = at + memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(found) == Some(&b'"') {
            return Some(found);
        }
        at = found + 2;
    }
}

/// What a result says of a cut.
pub(super) fn note(missing: usize, most: usize) -> String {
    let (results, verb) = if missing == 1 { ("result", "is") } else { ("results", "are") };
    format!("{missing} more {results} {verb} not shown: this tool returns at most {most} of each list.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn cut_to(text: &str, most: usize) -> Option<(String, usize)> {
        cut(text, most, 64).map(|cut| (cut.text, cut.missing))
    }

    #[test]
    fn lists_keep_their_first_elements_at_any_depth() {
        assert_eq!(cut_to("[1, 2, 3]", 2), Some(("[1, 2]".into(), 1)));
        let text = r#"{"a":[[1,2,3],[4],[5,6]],"b":",[","c":["x\"],",{"d":[]},"y"]}"#;
        let expected = r#"{"a":[[1,2],[4]],"b":",[","c":["x\"],",{"d":[]}]}"#;
        assert_eq!(cut_to(text, 2), Some((expected.into(), 3)));
        for whole in ["[1, 2]", "[]", r#"{"a":1,"b":2,"c":3}"#, "\"[1,2,3]\"", ""] {
            assert_eq!(cut_to(whole, 2), None, "{whole}");
        }
    }

    #[test]
    fn what_is_not_json_is_left_alone() {
        for text in ["[1,2,3", "[1,2,3}", "1,2,3]", "[1,2,\"3]", "[1,2,3]]", "\"\\"] {
            assert_eq!(cut_to(text, 1), None, "{text}");
        }
        assert_eq!(cut("[[1,2]]", 1, 1), None, "too deep");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![any::<i32>().prop_map(Value::from), ".{0,6}".prop_map(Value::from)];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-c\",\\[]{1,3}", inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    /// The same by a tree of values; what is left out is not counted inside.
    fn cut_value(value: &mut Value, most: usize) -> usize {
        match value {
            Value::Array(items) => {
                let missing = items.len().saturating_sub(most);
                items.truncate(most);
                missing + items.iter_mut().map(|item| cut_value(item, most)).sum::<usize>()
            }
            Value::Object(members) => members.values_mut().map(|value| cut_value(value, most)).sum(),
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn a_cut_is_what_cutting_the_values_gives(mut value in value(), most in 1usize..5) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            let missing = cut_value(&mut value, most);
            match cut(&text, most, 64) {
                None => prop_assert_eq!(missing, 0),
                Some(cut) => {
                    prop_assert_eq!(cut.missing, missing);
                    prop_assert_eq!(serde_json::from_str::<Value>(&cut.text).unwrap(), value);
                }
            }
        }

        #[test]
        fn any_text_is_survived(text in "[\\[\\]{}\",\\\\a1é]{0,40}", most in 1usize..3) {
            let _ = cut(&text, most, 8);
        }
    }
}
