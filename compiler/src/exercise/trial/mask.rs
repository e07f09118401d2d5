//! Keeps the values of variables out of what is shown of a response: some APIs repeat what they
//! get.

use crate::language::json::{self, Json};

/// Shorter values could be a part of anything.
const MIN_BYTES: usize = 4;

/// Values, longest first, each with what is shown instead.
#[derive(Debug, Clone, Default)]
pub struct Mask {
    values: Vec<(String, String)>,
}

impl Mask {
    /// Of names and values.
    pub fn new<'a>(variables: impl Iterator<Item = (&'a str, &'a str)>) -> Mask {
        Mask::of(variables.map(|(name, value)| (value, format!("${{{name}}}"))))
    }

    /// Of values and what is shown instead.
    pub fn of<'a>(hidden: impl Iterator<Item = (&'a str, String)>) -> Mask {
        let mut values = Vec::new();
        for (value, shown) in hidden.filter(|(value, _)| value.len() >= MIN_BYTES) {
            // The text of a result can be JSON.
            let mut quoted = String::new();
            json::write_string(value, &mut quoted);
            let escaped =
                quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
            if escaped.len() > value.len() {
                values.push((escaped.to_owned(), shown.clone()));
            }
            values.push((value.to_owned(), shown));
        }
        values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Mask { values }
    }

    /// Whether bytes hold one of the values.
    #[cfg(feature = "dev")]
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        let holds = |value: &str| bytes.windows(value.len()).any(|part| part == value.as_bytes());
        self.values.iter().any(|(value, _)| holds(value))
    }

    pub fn text(&self, text: &str) -> String {
        if self.values.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let found =
                self.values.iter().find_map(|(value, name)| Some((rest.strip_prefix(value.as_str())?, name)));
            rest = if let Some((after, name)) = found {
                out.push_str(name);
                after
            } else {
                out.push(c);
                rest.get(c.len_utf8()..).unwrap_or_default()
            };
        }
        out
    }

    /// Recursion is bounded as it is in all parsed JSON.
    pub fn json(&self, value: &Json) -> Json {
        match value {
            Json::Number(number) => {
                let masked = self.text(number);
                if masked == *number { Json::Number(masked) } else { Json::String(masked) }
            }
            Json::String(text) => Json::String(self.text(text)),
            Json::Array(items) => Json::Array(items.iter().map(|item| self.json(item)).collect()),
            Json::Object(members) => Json::Object(
                members.iter().map(|(key, member)| (self.text(key), self.json(member))).collect(),
            ),
            Json::Null | Json::Bool(_) => value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_names() {
        let mask =
            Mask::new([("KEY", "hunter"), ("LONG", "hunter2"), ("PIN", "123"), ("Q", "a\"b\\c")].into_iter());
        assert_eq!(mask.text("hunter, xhunter2é 123"), "${KEY}, x${LONG}é 123");
        assert_eq!(mask.text("a\"b\\c {\"q\":\"a\\\"b\\\\c\"}"), "${Q} {\"q\":\"${Q}\"}");
        // What is put in is not looked at again.
        assert_eq!(Mask::new([("HOME", "HOME")].into_iter()).text("HOME"), "${HOME}");
        assert_eq!(Mask::default().text("hunter2"), "hunter2");
    }

    #[test]
    fn json_is_masked_everywhere() {
        let mask = Mask::new([("KEY", "12345")].into_iter());
        let value = Json::parse(r#"{"12345":[12345,1,"x12345",null,true]}"#).unwrap();
        assert_eq!(mask.json(&value).to_text(), r#"{"${KEY}":["${KEY}",1,"x${KEY}",null,true]}"#);
    }
}
