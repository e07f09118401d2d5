//! What clients and model providers demand of tools.

/// A client's limits.
#[derive(Debug)]
pub struct Profile {
    pub name: &'static str,
    /// Longest tool name.
    pub max_name: usize,
    /// A name must begin with a letter or `_`.
    pub letter_first: bool,
    /// Most tools it takes at once, if it has such a limit.
    pub max_tools: Option<usize>,
}

pub static PROFILES: &[Profile] = &[
    Profile { name: "anthropic", max_name: 64, letter_first: false, max_tools: None },
    Profile { name: "bedrock", max_name: 64, letter_first: true, max_tools: None },
    Profile { name: "cursor", max_name: 59, letter_first: false, max_tools: Some(80) },
    Profile { name: "gemini", max_name: 63, letter_first: true, max_tools: Some(512) },
    Profile { name: "openai", max_name: 64, letter_first: false, max_tools: Some(128) },
];

/// The profiles that a configuration names; all of them if it names none.
pub fn chosen(names: &[String]) -> impl Iterator<Item = &'static Profile> {
    PROFILES.iter().filter(move |profile| names.is_empty() || names.iter().any(|n| n == profile.name))
}
