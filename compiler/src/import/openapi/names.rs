//! Names of tools and of arguments.

use crate::language::names::portable;

/// The name of an operation as words in lower case: `listPets` and `pets/list` become `list_pets` and `pets_list`.
pub fn snake(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for (index, c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| chars.get(index));
        let after = chars.get(index + 1);
        let begins = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if begins {
            out.push('_');
        }
        out.push(if *c == '-' { '_' } else { c.to_ascii_lowercase() });
    }
    let mut name = portable(&out);
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    name.trim_matches('_').to_owned()
}

/// A name for an operation without an id: `GET /pets` is `list_pets`, `DELETE /pets/{id}` is `delete_pets`.
pub fn of_path(method: &str, path: &str) -> String {
    let is_parameter = |segment: &&str| segment.starts_with('{');
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let is_item = segments.last().is_some_and(&is_parameter);
    let verb = match (method, is_item) {
        ("GET", false) => "list",
        ("POST", _) => "create",
        ("PUT", _) => "replace",
        ("PATCH", _) => "update",
        ("DELETE", _) => "delete",
        ("GET", true) => "get",
        (other, _) => return snake(&format!("{other}_{path}")),
    };
    let words: Vec<&str> = segments.into_iter().filter(|segment| !is_parameter(segment)).collect();
    let name = snake(&words.join("_"));
    if name.is_empty() { verb.to_owned() } else { format!("{verb}_{name}") }
}

/// The name of an argument: what clients take, `filter[name]` as `filter_name`.
pub fn argument(wire: &str) -> String {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if wire.chars().all(is_fine) && (1..=64).contains(&wire.len()) {
        return wire.to_owned();
    }
    let spelt = wire.replace('<', "_lt").replace('>', "_gt");
    let name: String = portable(&spelt).chars().take(56).collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "argument".to_owned() } else { name.to_owned() }
}

/// Whether a tool only reads, by the first word of its name; `None` if that does not say.
pub fn destroys(name: &str) -> Option<bool> {
    const DESTROYS: &[&str] =
        &["archive", "cancel", "delete", "destroy", "disable", "purge", "remove", "revoke"];
    const ADDS: &[&str] = &["add", "create", "insert", "list", "post", "search", "send", "upload"];
    let mut words = name.split('_');
    let is_one = |all: &[&str], word: &str| all.contains(&word);
    if words.clone().any(|word| is_one(DESTROYS, word)) {
        return Some(true);
    }
    words.any(|word| is_one(ADDS, word)).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_words() {
        for (id, name) in [
            ("listPets", "list_pets"),
            ("repos/list-for-user", "repos_list_for_user"),
            ("GetV1HTTPServer", "get_v1_http_server"),
            ("chat.postMessage", "chat_post_message"),
            ("read_items__id__get", "read_items_id_get"),
            ("工具", ""),
        ] {
            assert_eq!(snake(id), name, "{id}");
        }
        assert_eq!(of_path("GET", "/pets"), "list_pets");
        assert_eq!(of_path("GET", "/users/{id}/orders/{order}"), "get_users_orders");
        assert_eq!(of_path("DELETE", "/{id}"), "delete");
        assert_eq!(of_path("OPTIONS", "/a/b"), "options_a_b");
        assert_eq!(argument("filter[name]"), "filter_name");
        assert_eq!(argument("StartTime<"), "StartTime_lt");
        assert_eq!(argument("$top"), "top");
        assert_eq!(argument("☃"), "argument");
    }

    proptest! {
        #[test]
        fn every_name_is_portable(text in "(?s).{0,20}|[A-Za-z0-9_/{}.-]{0,30}") {
            let fine = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            prop_assert!(fine(&snake(&text)) && fine(&of_path("GET", &text)) && fine(&argument(&text)));
            prop_assert!(!argument(&text).is_empty());
        }
    }
}
