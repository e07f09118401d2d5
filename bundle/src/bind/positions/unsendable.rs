//! Values of `${NAME}` that no call could send: found when a bundle is activated, so that no call fails because of them.

use super::{header, percent};
use crate::bind::Limits;
use crate::plan::{Contents, Part, Placed, ToolPlan, VariableSite};
use crate::strings::StrId;
use crate::wire_enums::PartKind;

/// A variable whose value a tool cannot send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsendable<'a> {
    /// Its index in [`crate::plan::Manifest::variables`].
    pub variable: usize,
    /// The first tool that would have to.
    pub tool: &'a ToolPlan,
    pub site: VariableSite<'a>,
    pub why: WhyUnsendable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyUnsendable {
    /// HTTP has no escape for one of its characters.
    Characters,
    /// What it is a part of gets longer than [`Limits::header_value`].
    Length,
}

/// What is known of a value.
struct Known {
    length: usize,
    /// Percent-encoded, as cookies are.
    encoded: usize,
    /// A header can hold it.
    is_visible: bool,
    has_controls: bool,
}

/// Every variable that cannot be sent where a tool needs it, each once. `values` are indexed like
/// [`crate::plan::Manifest::variables`]; a variable without a value is not looked at.
pub fn unsendable<'a>(
    contents: &'a Contents,
    values: &[Option<&str>],
    limits: &Limits,
) -> Vec<Unsendable<'a>> {
    let known: Vec<Option<Known>> = values.iter().map(|value| value.map(Known::of)).collect();
    let mut search = Search { contents, known: &known, limit: limits.header_value, found: Vec::new() };
    for tool in &contents.tools {
        search.characters(tool);
        search.lengths(tool);
    }
    search.found
}

impl Known {
    fn of(value: &str) -> Known {
        let mut encoded = Vec::new();
        percent::encode(value, &mut encoded);
        Known {
            length: value.len(),
            encoded: encoded.len(),
            is_visible: header::is_visible(value.as_bytes()),
            has_controls: value.bytes().any(|byte| byte.is_ascii_control()),
        }
    }
}

struct Search<'a, 'v> {
    contents: &'a Contents,
    known: &'v [Option<Known>],
    limit: usize,
    found: Vec<Unsendable<'a>>,
}

impl<'a> Search<'a, '_> {
    fn known(&self, part: Part) -> Option<&Known> {
        let is_variable = part.kind == PartKind::Variable;
        self.known.get(part.id as usize).filter(|_| is_variable)?.as_ref()
    }

    /// Those in templates, too. A control character in a cookie could be encoded, but nobody means one.
    fn characters(&mut self, tool: &'a ToolPlan) {
        for used in tool.variables(self.contents) {
            let Some(known) = self.known(used.part) else { continue };
            let why = match used.site {
                VariableSite::Header(_) if !known.is_visible => WhyUnsendable::Characters,
                VariableSite::Header(_) if known.length > self.limit => WhyUnsendable::Length,
                VariableSite::Cookie(_) | VariableSite::Credential(_) if known.has_controls => {
                    WhyUnsendable::Characters
                }
                _ => continue,
            };
            self.add(Unsendable { variable: used.part.id as usize, tool, site: used.site, why });
        }
    }

    /// What arguments add to a header only makes it longer.
    fn lengths(&mut self, tool: &'a ToolPlan) {
        let Some(http) = tool.request() else { return };
        for placed in &http.headers {
            let length = placed.value.iter().map(|part| self.length(*part, |known| known.length)).sum();
            self.length_of(tool, length, [placed], VariableSite::Header);
        }
        // All cookies are one header: `a=b; c=d`.
        let lengths = http.cookies.iter().map(|placed| {
            let value = placed.value.iter().map(|part| self.length(*part, |known| known.encoded));
            self.contents.strings.bytes(placed.name).len() + 1 + value.sum::<usize>()
        });
        // Cookies of arguments may be left out.
        let is_fixed = |placed: &Placed| {
            placed.value.iter().all(|part| matches!(part.kind, PartKind::Literal | PartKind::Variable))
        };
        let fixed = lengths.zip(&http.cookies).filter(|(_, placed)| is_fixed(placed));
        let length = fixed.map(|(length, _)| length + 2).sum::<usize>().saturating_sub(2);
        self.length_of(tool, length, &http.cookies, VariableSite::Cookie);
    }

    /// Blames the longest variable for a header that is too long.
    fn length_of(
        &mut self,
        tool: &'a ToolPlan,
        length: usize,
        placed: impl IntoIterator<Item = &'a Placed>,
        site: fn(&'a str) -> VariableSite<'a>,
    ) {
        if length <= self.limit {
            return;
        }
        let contents = self.contents;
        let parts =
            placed.into_iter().flat_map(|placed| placed.value.iter().map(move |part| (placed, *part)));
        let known = parts.filter_map(|(placed, part)| Some((placed, part, self.known(part)?.length)));
        let Some((placed, part, _)) = known.max_by_key(|(.., length)| *length) else { return };
        let site = site(contents.strings.get(placed.name));
        let (variable, why) = (part.id as usize, WhyUnsendable::Length);
        self.add(Unsendable { variable, tool, site, why });
    }

    fn length(&self, part: Part, of: fn(&Known) -> usize) -> usize {
        match part.kind {
            PartKind::Literal => self.contents.strings.bytes(StrId(part.id)).len(),
            _ => self.known(part).map(of).unwrap_or_default(),
        }
    }

    fn add(&mut self, unsendable: Unsendable<'a>) {
        if !self.found.iter().any(|found| found.variable == unsendable.variable) {
            self.found.push(unsendable);
        }
    }
}
