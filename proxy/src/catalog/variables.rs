//! The values of `${NAME}`, looked up when a bundle is activated.

use super::{BuildError, Variables};
use mcp_bundle::plan::{Contents, VariableSite};

/// All values, or the first variable that cannot be used and a tool that needs it.
pub fn resolve(
    contents: &Contents,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Variables, BuildError> {
    let mut values = Vec::with_capacity(contents.manifest.variables.len());
    for (index, name) in contents.variable_names().enumerate() {
        let tool_name = |name| contents.strings.get(name).to_owned();
        let Some(value) = variable(name) else {
            let need = match contents.uses_of(index).next() {
                Some((tool, site)) => format!("`{}` needs it in {site}", tool_name(tool.name)),
                None => "the bundle asks for it".to_owned(),
            };
            return Err(BuildError::MissingVariable { name: name.to_owned(), need });
        };
        let is_in_head = |site| {
            matches!(site, VariableSite::Header(_) | VariableSite::Cookie(_) | VariableSite::Credential(_))
        };
        if value.bytes().any(|byte| byte.is_ascii_control())
            && let Some((tool, _)) = contents.uses_of(index).find(|(_, site)| is_in_head(*site))
        {
            return Err(BuildError::InvalidVariable { name: name.to_owned(), tool: tool_name(tool.name) });
        }
        values.push(value.into_boxed_str());
    }
    Ok(Variables(values))
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
        resolve(&contents(), values).unwrap_err().to_string()
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
        assert!(resolve(&contents(), &value("A_TOKEN")).is_ok());
        let message = error(&value("B_KEY"));
        assert!(message.contains("cannot stand in a header of `send`"), "{message}");
    }

    #[test]
    fn a_variable_that_no_tool_needs_is_asked_for_all_the_same() {
        let mut contents = contents();
        contents.tools.clear();
        let message = resolve(&contents, &|_| None).unwrap_err().to_string();
        assert!(message.starts_with("`${A_TOKEN}` has no value, and the bundle asks for it"), "{message}");
    }
}
