//! Which tools need which `${NAME}`.

use mcp_bundle::plan::Contents;

/// One message for each variable without a value, with the tools that need it.
pub fn missing(contents: &Contents, has_value: &dyn Fn(&str) -> bool) -> Vec<String> {
    let names = contents.variable_names().enumerate();
    let without = names.filter(|(_, name)| !has_value(name));
    without.map(|(index, name)| message(contents, index, name)).collect()
}

/// Tools that are named; a message of thousands helps nobody.
const NAMED: usize = 5;

fn message(contents: &Contents, variable: usize, name: &str) -> String {
    let mut tools: Vec<String> = contents
        .uses_of(variable)
        .map(|(tool, _)| format!("`{}`", contents.strings.get(tool.name)))
        .collect();
    // A tool may need it in several places.
    tools.dedup();
    let listed: Vec<&str> = tools.iter().take(NAMED).map(String::as_str).collect();
    let more = match tools.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "`${{{name}}}` has no value; set it in the environment or in the secrets file (needed by {}{more})",
        listed.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_variable_comes_with_the_tools_that_need_it() {
        let spec = r#"
            [upstream.a]
            url = "https://a.example"
            headers = { authorization = "Bearer ${A_TOKEN}" }
            [[tool]]
            name = "first"
            description = "Reads the first thing."
            upstream = "a"
            method = "GET"
            endpoint = "/first"
            [[tool]]
            name = "second"
            description = "Reads the second thing."
            method = "POST"
            endpoint = "https://b.example/second"
            body_template = '{"token": "${B_TOKEN}"}'
        "#;
        let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", spec));
        let contents = report.contents.unwrap();
        let messages = missing(&contents, &|_| false);
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(
            messages[0].contains("`${A_TOKEN}`") && messages[0].ends_with("(needed by `first`)"),
            "{messages:?}"
        );
        assert!(
            messages[1].contains("`${B_TOKEN}`") && messages[1].ends_with("(needed by `second`)"),
            "{messages:?}"
        );
        assert_eq!(missing(&contents, &|name| name == "A_TOKEN").len(), 1);
    }
}
