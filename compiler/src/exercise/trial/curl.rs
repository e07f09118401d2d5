//! A request as a `curl` command for a POSIX shell.
//!
//! Every literal is in single quotes, in which a shell expands nothing; a variable is the
//! environment variable of its name in double quotes, in which the shell expands it and splits
//! nothing.

use crate::language::variables::{TextPart, Variable};

use crate::exercise::placeholders::{BytePart, Draft};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_bundle::wire_enums::Method;
use std::fmt::Write;

/// A command that sends the request when it is pasted.
pub fn command(draft: &Draft) -> String {
    let mut words = vec![String::new()];
    let body = draft.body.as_deref();
    match draft.method {
        Method::Get if body.is_none() => {}
        // `--request HEAD` would wait for a body.
        Method::Head => words.push("--head".to_owned()),
        method => words.push(format!("--request {method}")),
    }
    let url = word(&draft.url);
    // curl expands these itself otherwise.
    if url.contains(['[', ']', '{', '}']) {
        words.push("--globoff".to_owned());
    }
    words.push(url);
    for (name, value) in &draft.headers {
        let header = match value.is_empty() {
            // `name:` would remove a header.
            true => vec![TextPart::Literal(format!("{name};"))],
            false => [&[TextPart::Literal(format!("{name}: "))], value.as_slice()].concat(),
        };
        words.push(format!("--header {}", word(&header)));
    }
    let mut before = String::new();
    if let Some(body) = body {
        if !draft.headers.iter().any(|(name, _)| name == "content-type") {
            // curl adds one of its own to data.
            words.push("--header 'content-type:'".to_owned());
        }
        if let Some(bytes) = &draft.bytes {
            before = format!("{} | ", decoded(bytes));
            words.push("--data-binary @-".to_owned());
        } else if body.iter().any(|part| matches!(part, TextPart::Literal(text) if text.contains(is_control)))
        {
            before = format!("{} | ", printf(body));
            words.push("--data-binary @-".to_owned());
        } else {
            // Unlike `--data`, it does not take a leading `@` for a file.
            words.push(format!("--data-raw {}", word(body)));
        }
    }
    if let Some(first) = words.first_mut() {
        *first = format!("{before}curl");
    }
    words.join(" \\\n  ")
}

/// Variables that the edge would encode for their position, and a shell does not.
pub fn unencoded_variables(draft: &Draft) -> Vec<&Variable> {
    let cookies = draft.headers.iter().filter(|(name, _)| name == "cookie").flat_map(|(_, value)| value);
    let mut found = Vec::new();
    // Among bytes, a variable is what it is.
    let body = draft.body.iter().filter(|_| draft.bytes.is_none()).flatten();
    for part in draft.url.iter().chain(body).chain(cookies) {
        match part {
            TextPart::Variable(variable) if !found.contains(&variable) => found.push(variable),
            _ => {}
        }
    }
    found
}

/// One word of a shell command.
fn word(parts: &[TextPart]) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for part in parts {
        // Literals side by side share their quotes.
        if quoted != matches!(part, TextPart::Literal(_)) {
            out.push('\'');
            quoted = !quoted;
        }
        match part {
            TextPart::Literal(text) => out.push_str(&text.replace('\'', r"'\''")),
            TextPart::Variable(variable) => out.push_str(&expansion(variable)),
        }
    }
    if quoted {
        out.push('\'');
    }
    if out.is_empty() { "''".to_owned() } else { out }
}

/// `"$NAME"`. A name of the spec language is one of the shell's too.
fn expansion(variable: &Variable) -> String {
    let name = match variable {
        Variable::Named(name) => name,
        Variable::TenantId => "TENANT_ID",
        Variable::PrincipalSub => "PRINCIPAL_SUB",
    };
    format!("\"${name}\"")
}

/// A command that writes a text with control characters, none of which reaches the terminal it is
/// pasted into.
fn printf(parts: &[TextPart]) -> String {
    let mut format = String::new();
    let mut arguments = String::new();
    for part in parts {
        match part {
            TextPart::Literal(text) => {
                for c in text.chars() {
                    match c {
                        '%' => format.push_str("%%"),
                        '\\' => format.push_str(r"\\"),
                        '\'' => format.push_str(r"'\''"),
                        c if is_control(c) => {
                            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                                // Writing to a string cannot fail.
                                let _ = write!(format, "\\{byte:03o}");
                            }
                        }
                        c => format.push(c),
                    }
                }
            }
            TextPart::Variable(variable) => {
                format.push_str("%s");
                let _ = write!(arguments, " {}", expansion(variable));
            }
        }
    }
    // A shell would take it for an option.
    if let Some(rest) = format.strip_prefix('-') {
        format = format!("\\055{rest}");
    }
    format!("printf '{format}'{arguments}")
}

/// A command that writes bytes.
fn decoded(parts: &[BytePart]) -> String {
    let commands: Vec<String> = parts
        .iter()
        .map(|part| match part {
            BytePart::Literal(bytes) => format!("printf %s '{}' | base64 -d", STANDARD.encode(bytes)),
            BytePart::Variable(variable) => format!("printf %s {}", expansion(variable)),
        })
        .collect();
    match commands.as_slice() {
        [one] => one.clone(),
        several => format!("{{ {}; }}", several.join("; ")),
    }
}

/// What a terminal may act on. Line ends and tabs inside quotes are harmless.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> TextPart {
        TextPart::Literal(text.to_owned())
    }

    fn draft(method: Method, body: Option<Vec<TextPart>>) -> Draft {
        Draft { method, url: vec![literal("https://h/a")], headers: Vec::new(), body, bytes: None }
    }

    #[test]
    fn nothing_in_a_literal_is_read_by_the_shell() {
        assert_eq!(word(&[literal("$(rm -rf /) `x` \"y\" 'z' \\")]), r#"'$(rm -rf /) `x` "y" '\''z'\'' \'"#);
        let token = TextPart::Variable(Variable::Named("TOKEN".into()));
        assert_eq!(word(&[literal("Bearer "), token]), r#"'Bearer '"$TOKEN""#);
        assert_eq!(word(&[TextPart::Variable(Variable::TenantId)]), "\"$TENANT_ID\"");
        assert_eq!(word(&[]), "''");
    }

    #[test]
    fn a_plain_call_is_a_plain_command() {
        assert_eq!(command(&draft(Method::Get, None)), "curl \\\n  'https://h/a'");
        assert_eq!(command(&draft(Method::Head, None)), "curl \\\n  --head \\\n  'https://h/a'");
        let post = command(&draft(Method::Post, Some(vec![literal("@/etc/passwd")])));
        let expected = "curl \\\n  --request POST \\\n  'https://h/a' \\\n  --header 'content-type:' \\\n  --data-raw '@/etc/passwd'";
        assert_eq!(post, expected);
    }

    #[test]
    fn headers_keep_their_values() {
        let headers = vec![("x-empty".to_owned(), vec![]), ("x-a".to_owned(), vec![literal("b")])];
        let text = command(&Draft { headers, ..draft(Method::Delete, None) });
        assert!(text.ends_with("--header 'x-empty;' \\\n  --header 'x-a: b'"), "{text}");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        let body = vec![literal("a'\u{1b}[2J%\\\n\0"), TextPart::Variable(Variable::Named("KEY".into()))];
        let text = command(&draft(Method::Put, Some(body)));
        let start = "printf 'a'\\''\\033[2J%%\\\\\n\\000%s' \"$KEY\" | curl \\\n";
        assert!(text.starts_with(start) && text.ends_with("--data-binary @-"), "{text}");
    }
}
