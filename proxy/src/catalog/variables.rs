//! The values of `${NAME}`, looked up when a bundle is activated.

use super::{BuildError, Variables};
use mcp_bundle::bind::{self, WhyUnsendable, unsendable};
use mcp_bundle::plan::Contents;

/// All values, or the first variable that cannot be used and a tool that needs it. Without limits, values are taken as they
/// are.
pub fn resolve(
    contents: &Contents,
    variable: &dyn Fn(&str) -> Option<String>,
    limits: Option<&bind::Limits>,
) -> Result<Variables, BuildError> {
    let mut values = Vec::with_capacity(contents.manifest.variables.len());
    for (index, name) in contents.variable_names().enumerate() {
        let Some(value) = variable(name) else {
            let need = match contents.uses_of(index).next() {
                Some((tool, site)) => format!("`{}` needs it in {site}", contents.strings.get(tool.name)),
                None => "the bundle asks for it".to_owned(),
            };
            return Err(BuildError::MissingVariable { name: name.to_owned(), need });
        };
        values.push(value.into_boxed_str());
    }
    let given: Vec<Option<&str>> = values.iter().map(|value| Some(&**value)).collect();
    let wrong = limits.map(|limits| invalid(contents, &given, limits)).unwrap_or_default();
    match wrong.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(Variables(values)),
    }
}

/// Every variable whose value cannot be sent where it must be; `values` are indexed like the manifest's variables.
/// Activation, `mcp-edge check` and anything else with values for a bundle use this.
pub fn invalid(contents: &Contents, values: &[Option<&str>], limits: &bind::Limits) -> Vec<BuildError> {
    let found = unsendable(contents, values, limits).into_iter();
    let errors = found.map(|found| BuildError::InvalidVariable {
        name: contents.variable_names().nth(found.variable).unwrap_or_default().to_owned(),
        tool: contents.strings.get(found.tool.name).to_owned(),
        site: found.site.to_string(),
        reason: match found.why {
            WhyUnsendable::Characters => {
                "only visible ASCII characters, spaces and tabs can be sent there, and it has another one; look for a line \
                 break or a typographic quote in it"
                    .to_owned()
            }
            WhyUnsendable::Length => format!(
                "with it, that gets longer than {} bytes; correct the value, or raise `limits.header_value`",
                limits.header_value
            ),
        },
    });
    errors.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = r#"
        [[tool]]
        name = "send"
        description = "Sends a note to somebody."
        method = "POST"
        endpoint = "https://a.example/send"
        body_template = '{"token": "${A_TOKEN}"}'
        headers = { x-key = "${B_KEY}" }
    "#;

    fn contents() -> Contents {
        let files = mcpc::files::MemoryFiles::one("spec.toml", SPEC);
        mcpc::check::check_files(&files).contents.unwrap()
    }

    fn error(values: &dyn Fn(&str) -> Option<String>) -> String {
        resolve(&contents(), values, Some(&bind::Limits::default())).unwrap_err().to_string()
    }

    #[test]
    fn a_variable_without_a_value_comes_with_its_tool_and_site() {
        let message = error(&|_| None);
        let expected = "`${A_TOKEN}` has no value, and `send` needs it in its body: set it in";
        assert!(message.starts_with(expected), "{message}");
        let message = error(&|name| (name == "A_TOKEN").then(String::new));
        assert!(message.contains("`send` needs it in its header `x-key`"), "{message}");
    }

    #[test]
    fn control_characters_are_refused_where_they_would_be_sent_as_they_are() {
        let value =
            |wrong: &'static str| move |name: &str| Some(if name == wrong { "a\nb" } else { "a" }.to_owned());
        assert!(resolve(&contents(), &value("A_TOKEN"), Some(&bind::Limits::default())).is_ok());
        let message = error(&value("B_KEY"));
        assert!(message.contains("`${B_KEY}` cannot be sent by `send` in its header `x-key`"), "{message}");
    }

    #[test]
    fn what_no_header_can_hold_is_refused_without_its_value() {
        for value in ["it’s", "caf\u{e9}", "a\rb", "\u{7f}"] {
            let message = error(&|_| Some(value.to_owned()));
            assert!(message.contains("`${B_KEY}`") && message.contains("typographic quote"), "{message}");
            assert!(!message.contains(value), "{message}");
        }
        let limits = bind::Limits { header_value: 10, ..bind::Limits::default() };
        let value = |length: usize| move |_: &str| Some("x".repeat(length));
        assert!(resolve(&contents(), &value(10), Some(&limits)).is_ok());
        let message = resolve(&contents(), &value(11), Some(&limits)).unwrap_err().to_string();
        assert!(message.contains("`${B_KEY}`") && message.contains("longer than 10 bytes"), "{message}");
        assert!(!message.contains("xxx"), "{message}");
    }

    #[test]
    fn a_variable_that_no_tool_needs_is_asked_for_all_the_same() {
        let mut contents = contents();
        contents.tools.clear();
        let message = resolve(&contents, &|_| None, Some(&bind::Limits::default())).unwrap_err().to_string();
        assert!(message.starts_with("`${A_TOKEN}` has no value, and the bundle asks for it"), "{message}");
    }
}
