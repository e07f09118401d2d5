//! Names in Unla's templates that have others here.

/// Functions, with what they are called here.
const RENAMED: [(&str, &str); 2] = [("toJSON", "toJson"), ("fromJSON", "fromJson")];
/// What a setting's name begins with that is a variable of the environment.
const ENVIRONMENT: &str = "environment_variable_";

/// A template with the names that it has here. `env "NAME"` alone becomes a setting of that name; texts in quotes stay.
pub fn renamed(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("{{") {
        let (action, behind) = after.split_once("}}").unwrap_or((after, ""));
        let has_end = after.len() > action.len();
        out.push_str(before);
        out.push_str("{{");
        match environment(action) {
            Some(name) => out.push_str(&format!(".Config.{ENVIRONMENT}{name}")),
            None => rename(action, &mut out),
        }
        if has_end {
            out.push_str("}}");
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The variable of the environment that a setting's name stands for.
pub fn of_environment(key: &str) -> Option<&str> {
    key.strip_prefix(ENVIRONMENT)
}

/// The name in an action that is `env "NAME"` and no more.
fn environment(action: &str) -> Option<&str> {
    let inner = action.trim_matches(['-', ' ', '\t', '\n', '\r']);
    let name = inner.strip_prefix("env")?.trim_start().strip_prefix('"')?.strip_suffix('"')?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    is_name.then_some(name)
}

/// Writes an action with other names of functions, and with the answer's text as the answer.
fn rename(action: &str, out: &mut String) {
    let mut quote: Option<char> = None;
    let mut word = String::new();
    let end = |word: &mut String, out: &mut String| {
        let known = RENAMED.iter().find(|(theirs, _)| theirs == word);
        match (known, word.strip_prefix(".Response.Body")) {
            (Some((_, ours)), _) => out.push_str(ours),
            (None, Some(rest)) if rest.is_empty() || rest.starts_with('.') => {
                out.push_str(".Response.Data");
                out.push_str(rest);
            }
            _ => out.push_str(word),
        }
        word.clear();
    };
    for c in action.chars() {
        match quote {
            Some(open) => {
                out.push(c);
                quote = (c != open).then_some(open);
            }
            None if c.is_alphanumeric() || matches!(c, '_' | '.' | '$') => word.push(c),
            None => {
                end(&mut word, out);
                out.push(c);
                quote = matches!(c, '"' | '`').then_some(c);
            }
        }
    }
    end(&mut word, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_changed_outside_quotes() {
        for (source, expected) in [
            ("{{ toJSON .Args.a }} toJSON", "{{ toJson .Args.a }} toJSON"),
            (
                "{{ (fromJSON .Args.a).b | printf \"toJSON %s\" }}",
                "{{ (fromJson .Args.a).b | printf \"toJSON %s\" }}",
            ),
            ("Bearer {{ env \"API_KEY\" }}", "Bearer {{.Config.environment_variable_API_KEY}}"),
            ("{{- env \"A B\" -}}", "{{- env \"A B\" -}}"),
            ("{{.Response.Body}}{{ .Response.Bodyguard }}", "{{.Response.Data}}{{ .Response.Bodyguard }}"),
            ("a {{ b", "a {{ b"),
        ] {
            assert_eq!(renamed(source), expected);
        }
        assert_eq!(of_environment("environment_variable_API_KEY"), Some("API_KEY"));
        assert_eq!(of_environment("apiKey"), None);
    }

    proptest! {
        #[test]
        fn text_without_these_names_stays(text in "[a-z{}\" .é|()-]{0,30}") {
            prop_assume!(!text.contains("env"));
            prop_assert_eq!(renamed(&text), text);
        }
    }
}
