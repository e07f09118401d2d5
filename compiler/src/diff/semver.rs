//! Whether the version in `mcpc.toml` moved as the changes demand.

use super::rules::{arguments, results, tools, version};
use super::{Change, ChangeRule, Class};
use std::fmt;
use std::str::FromStr;

/// `MAJOR.MINOR.PATCH` of Semantic Versioning, without a pre-release or build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// A text that is not a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a version is three numbers, such as `1.4.0`")]
pub struct NotAVersion;

/// Something new is safe, and more than a patch.
const NEW: &[&ChangeRule] = &[
    &tools::TOOL_ADDED,
    &tools::TOOLSET_ADDED,
    &arguments::PARAMETER_ADDED,
    &arguments::ENUM_VALUE_ADDED,
    &results::OUTPUT_SCHEMA_ADDED,
    &results::OUTPUT_FIELD_ADDED,
];

/// Which number of a version has to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Patch,
    Minor,
    Major,
}

impl Version {
    /// The least version that says what these changes do; `None` if nothing changed.
    pub fn after(self, changes: &[Change]) -> Option<Version> {
        let step = changes.iter().map(|change| match change.class() {
            Class::Breaking => Step::Major,
            Class::Risky => Step::Minor,
            Class::Safe if NEW.contains(&change.rule) => Step::Minor,
            Class::Safe => Step::Patch,
        });
        let step = match step.max()? {
            // Before the first stable version, the numbers mean one less.
            Step::Major if self.major == 0 => Step::Minor,
            Step::Minor if self.major == 0 => Step::Patch,
            step => step,
        };
        let next = u32::saturating_add;
        Some(match step {
            Step::Major => Version { major: next(self.major, 1), minor: 0, patch: 0 },
            Step::Minor => Version { minor: next(self.minor, 1), patch: 0, ..self },
            Step::Patch => Version { patch: next(self.patch, 1), ..self },
        })
    }
}

/// What is wrong with the new version. A set that had none may begin with any.
pub fn check(old: Option<Version>, new: Option<Version>, changes: &[Change]) -> Option<Change> {
    let old = old?;
    let change = |rule, message| Some(Change { rule, tool: None, message, notes: Vec::new() });
    let Some(new) = new else {
        return change(&version::VERSION_MOVED_BACK, format!("the version is gone, was {old}"));
    };
    if new < old {
        return change(&version::VERSION_MOVED_BACK, format!("the version is {new}, was {old}"));
    }
    let needed = old.after(changes)?;
    if new >= needed {
        return None;
    }
    let most = changes.iter().map(Change::class).min().map(Class::word).unwrap_or_default();
    let message = format!("the version is {new}, was {old}; these changes need {needed}");
    change(&version::VERSION_NOT_MOVED, message).map(|mut change| {
        change.notes.push(format!("the gravest of them is {most}"));
        change
    })
}

/// Whether the versions say that something breaks.
pub fn is_declared(old: Option<Version>, new: Option<Version>, changes: &[Change]) -> bool {
    new.is_some() && check(old, new, changes).is_none()
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Version, NotAVersion> {
        let mut numbers = text.split('.').map(|part| {
            let is_plain =
                part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
            part.parse().ok().filter(|_| is_plain).ok_or(NotAVersion)
        });
        let mut next = || numbers.next().ok_or(NotAVersion)?;
        let version = Version { major: next()?, minor: next()?, patch: next()? };
        if numbers.next().is_some() { Err(NotAVersion) } else { Ok(version) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::rules::texts;

    fn version(text: &str) -> Option<Version> {
        Some(text.parse().unwrap())
    }

    fn changes(rules: &[&'static ChangeRule]) -> Vec<Change> {
        let change = |rule: &&'static ChangeRule| Change {
            rule,
            tool: None,
            message: String::new(),
            notes: Vec::new(),
        };
        rules.iter().map(change).collect()
    }

    /// The rule of what is wrong.
    fn wrong(old: &str, new: &str, rules: &[&'static ChangeRule]) -> Option<&'static str> {
        check(version(old), version(new), &changes(rules)).map(|change| change.rule.name)
    }

    #[test]
    fn a_version_is_three_numbers() {
        for text in [
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "1.2.x",
            "01.2.3",
            "1.2.3-rc",
            "v1.2.3",
            "1..2",
            "+1.2.3",
            "1.2.99999999999",
        ] {
            assert_eq!(text.parse::<Version>(), Err(NotAVersion), "{text}");
        }
        assert_eq!("0.10.3".parse::<Version>().unwrap().to_string(), "0.10.3");
    }

    #[test]
    fn a_version_moves_as_far_as_the_gravest_change_demands() {
        let (breaking, risky) = (&tools::TOOL_REMOVED, &texts::DESCRIPTION_CHANGED);
        let (new, safe) = (&tools::TOOL_ADDED, &texts::TITLE_CHANGED);
        let next = |old: &str, rules: &[&'static ChangeRule]| {
            version(old).unwrap().after(&changes(rules)).map(|version| version.to_string())
        };
        assert_eq!(next("1.4.2", &[safe, breaking]).as_deref(), Some("2.0.0"));
        assert_eq!(next("1.4.2", &[safe, risky]).as_deref(), Some("1.5.0"));
        assert_eq!(next("1.4.2", &[new]).as_deref(), Some("1.5.0"));
        assert_eq!(next("1.4.2", &[safe]).as_deref(), Some("1.4.3"));
        assert_eq!(next("0.4.2", &[breaking]).as_deref(), Some("0.5.0"));
        assert_eq!(next("0.4.2", &[risky]).as_deref(), Some("0.4.3"));
        assert_eq!(next("1.4.2", &[]), None);
        assert_eq!(next("4294967295.0.0", &[breaking]).as_deref(), Some("4294967295.0.0"));
    }

    #[test]
    fn versions_are_compared_with_the_changes() {
        let breaking = &tools::TOOL_REMOVED;
        assert_eq!(wrong("1.0.0", "1.9.9", &[breaking]), Some("version-not-moved"));
        assert_eq!(wrong("1.0.0", "2.0.0", &[breaking]), None);
        assert_eq!(wrong("1.0.0", "3.1.0", &[breaking]), None);
        assert_eq!(wrong("1.0.0", "1.0.0", &[]), None);
        assert_eq!(wrong("1.0.0", "0.9.0", &[]), Some("version-moved-back"));
        assert_eq!(check(version("1.0.0"), None, &[]).unwrap().rule.name, "version-moved-back");
        assert_eq!(check(None, version("0.1.0"), &changes(&[breaking])), None);
    }

    #[test]
    fn only_a_version_that_moved_declares() {
        let breaking = changes(&[&tools::TOOL_REMOVED]);
        assert!(!is_declared(None, None, &breaking));
        assert!(!is_declared(version("1.0.0"), version("1.1.0"), &breaking));
        assert!(is_declared(version("1.0.0"), version("2.0.0"), &breaking));
        assert!(is_declared(None, version("1.0.0"), &breaking), "who had none begins with any");
    }
}
