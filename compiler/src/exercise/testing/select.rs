//! Which examples to run.

use crate::check::Report;
use crate::checked::CheckedTool;
use crate::spec::ExampleSpec;
use mcp_diagnostics::suggest;

#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Names, in which `*` matches anything; none selects all tools.
    pub tools: Vec<String>,
    pub example: Option<ExampleFilter>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleFilter {
    /// Within its tool, from 1.
    Number(usize),
    /// A part of the title, whatever its case.
    Title(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    #[error("there is no tool `{name}`{}", meant.as_ref().map(|meant| format!("; {meant}")).unwrap_or_default())]
    NoSuchTool { name: String, meant: Option<String> },
    #[error("no tool matches `{0}`")]
    NothingMatches(String),
    #[error("`{0}` has no example")]
    Untested(String),
    #[error("no example matches")]
    NoExample,
}

impl ExampleFilter {
    pub fn from_word(word: &str) -> ExampleFilter {
        match word.parse() {
            Ok(number) => ExampleFilter::Number(number),
            Err(_) => ExampleFilter::Title(word.to_lowercase()),
        }
    }
}

impl Selection {
    /// Refuses names that select nothing: a misspelt filter must not look like success.
    pub fn check(&self, report: &Report) -> Result<(), SelectError> {
        let tools = || report.toolsets.iter().flat_map(|toolset| &toolset.tools);
        for name in &self.tools {
            if tools().any(|tool| matches(name, tool.label())) {
                continue;
            }
            if name.contains('*') {
                return Err(SelectError::NothingMatches(name.clone()));
            }
            let meant = suggest::did_you_mean(name, tools().map(|tool| tool.label()));
            return Err(SelectError::NoSuchTool { name: name.clone(), meant });
        }
        let is_filter = !self.tools.is_empty() || self.example.is_some();
        let any = tools().filter(|tool| self.has_tool(tool)).any(|tool| {
            tool.examples.iter().enumerate().any(|(index, example)| self.has_example(index + 1, example))
        });
        if !is_filter || any {
            return Ok(());
        }
        let mut selected = tools().filter(|tool| self.has_tool(tool));
        Err(match (selected.next(), selected.next()) {
            (Some(tool), None) if tool.examples.is_empty() => SelectError::Untested(tool.label().to_owned()),
            _ => SelectError::NoExample,
        })
    }

    pub fn has_all_examples(&self) -> bool {
        self.example.is_none()
    }

    pub fn has_tool(&self, tool: &CheckedTool) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|name| matches(name, tool.label()))
    }

    pub fn has_example(&self, number: usize, example: &ExampleSpec) -> bool {
        match &self.example {
            None => true,
            Some(ExampleFilter::Number(wanted)) => *wanted == number,
            Some(ExampleFilter::Title(part)) => {
                example.title.as_ref().is_some_and(|title| title.value.to_lowercase().contains(part))
            }
        }
    }
}

/// Whether a name fits a pattern in which `*` matches anything.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(first) else {
        return false;
    };
    let (middles, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    // The leftmost place of each piece leaves the most room for those after it.
    for piece in middles.split('*') {
        let Some((_, after)) = left.split_once(piece) else {
            return false;
        };
        left = after;
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_anything() {
        for (pattern, name, fits) in [
            ("get_order", "get_order", true),
            ("get_order", "get_orders", false),
            ("get_*", "get_order", true),
            ("*", "x", true),
            ("*order", "get_order", true),
            ("g*_o*r", "get_order", true),
            ("g*x*r", "get_order", false),
            ("ab*ba", "aba", false),
            ("a**a", "aba", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn a_number_is_a_number_and_a_word_a_title() {
        assert_eq!(ExampleFilter::from_word("2"), ExampleFilter::Number(2));
        assert_eq!(ExampleFilter::from_word("With Details"), ExampleFilter::Title("with details".into()));
    }
}
