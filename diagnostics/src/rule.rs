//! Kinds of findings.

/// A kind of finding that has a code and docs.
#[derive(Debug)]
pub struct Rule {
    /// Never reused.
    pub code: &'static str,
    /// Reads well after "allow", and names the bad pattern.
    pub name: &'static str,
    pub level: Level,
    /// Markdown, as in a doc comment.
    pub docs: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// An error that no setting can lower: the file has no meaning, or no safe one.
    HardError,
    /// An error that may be allowed, with a reason.
    Error,
    Warning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

impl Level {
    pub fn severity(self) -> Severity {
        match self {
            Level::HardError | Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
        }
    }
}

impl Severity {
    /// The word that all formats share.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.code == other.code
    }
}

impl Rule {
    /// The docs without the blank that a doc comment leaves before each line.
    pub fn text(&self) -> String {
        self.docs.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
    }

    /// The first paragraph under `What it does`.
    pub fn summary(&self) -> String {
        let text = self.section("What it does").unwrap_or_default();
        let paragraph = text.split("\n\n").next().unwrap_or_default();
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The text under a heading.
    pub fn section(&self, heading: &str) -> Option<String> {
        let text = self.text();
        let start = text.find(&format!("## {heading}\n"))?;
        let body = text.get(start..)?.split_once('\n')?.1;
        let end = body.find("\n## ").unwrap_or(body.len());
        body.get(..end).map(|body| body.trim().to_owned())
    }
}
