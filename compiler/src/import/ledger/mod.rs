//! Accounts for every member of a source, so that nothing is dropped without a word.
//!
//! An importer marks what it reads: a value that it opened and reads member by member, or one that it kept, changed or refused as
//! a whole. At the end the audit walks the source: what nobody marked becomes a finding by itself.

use super::codes::{self, Code};
use super::fidelity::{Fate, Fidelity, Finding};
use crate::language::json::Json;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What an importer says about a source's values. Values are told apart by where they are in memory: the documents do not
/// change while they are imported.
#[derive(Debug)]
pub struct Ledger<'d> {
    documents: Vec<(String, &'d Json)>,
    marks: RefCell<BTreeMap<usize, Mark>>,
    findings: RefCell<Vec<Finding>>,
}

#[derive(Debug, Clone)]
struct Mark {
    fate: Fate,
    /// The mark is about all that is inside, too.
    is_whole: bool,
    why: Option<Why>,
}

#[derive(Debug, Clone)]
struct Why {
    code: &'static Code,
    text: String,
}

impl<'d> Ledger<'d> {
    pub fn new(document: &'d Json) -> Ledger<'d> {
        Ledger {
            documents: vec![(String::new(), document)],
            marks: RefCell::default(),
            findings: RefCell::default(),
        }
    }

    /// Adds a further document; `label` is what places in it begin with.
    pub fn add(&mut self, label: &str, document: &'d Json) {
        self.documents.push((label.to_owned(), document));
    }

    /// Takes over what another ledger says; `label` goes ahead of its places.
    pub fn absorb(&mut self, label: &str, other: Ledger<'d>) {
        let placed = |place: &str| format!("{label}{place}");
        self.documents.extend(other.documents.into_iter().map(|(own, document)| (placed(&own), document)));
        self.marks.get_mut().extend(other.marks.into_inner());
        let findings = other.findings.into_inner().into_iter();
        let findings = findings.map(|finding| Finding { place: placed(&finding.place), ..finding });
        self.findings.get_mut().extend(findings);
    }

    /// The value is read, and its members are accounted for one by one.
    pub fn open(&self, value: &Json) {
        self.mark(value, Mark { fate: Fate::Kept, is_whole: false, why: None });
    }

    /// The value and all in it are in the specs.
    pub fn keep(&self, value: &Json) {
        self.mark(value, Mark { fate: Fate::Kept, is_whole: true, why: None });
    }

    /// The value and all in it are in the specs in another way.
    pub fn change(&self, value: &Json, code: &'static Code, why: impl Into<String>) {
        self.mark(
            value,
            Mark { fate: Fate::Changed, is_whole: true, why: Some(Why { code, text: why.into() }) },
        );
    }

    /// Something about the value itself changed; its members are accounted for one by one.
    pub fn change_here(&self, value: &Json, code: &'static Code, why: impl Into<String>) {
        self.mark(
            value,
            Mark { fate: Fate::Changed, is_whole: false, why: Some(Why { code, text: why.into() }) },
        );
    }

    /// The value and all in it are not in the specs.
    pub fn refuse(&self, value: &Json, code: &'static Code, why: impl Into<String>) {
        self.mark(
            value,
            Mark { fate: Fate::Refused, is_whole: true, why: Some(Why { code, text: why.into() }) },
        );
    }

    /// Nobody asked for the value, so it does not count.
    pub fn leave_out(&self, value: &Json, code: &'static Code, why: impl Into<String>) {
        self.mark(
            value,
            Mark { fate: Fate::LeftOut, is_whole: true, why: Some(Why { code, text: why.into() }) },
        );
    }

    /// Says something about a place, beside what the marks say.
    pub fn note(&self, place: &str, fate: Fate, code: &'static Code, why: impl Into<String>) {
        let finding = Finding { place: place.to_owned(), fate, code: code.name, why: why.into(), members: 1 };
        self.findings.borrow_mut().push(finding);
    }

    /// Whether anything was said about the value.
    pub fn is_marked(&self, value: &Json) -> bool {
        self.marks.borrow().contains_key(&address(value))
    }

    /// A member of an object; what becomes of it is for the importer to say.
    pub fn get(&self, object: &'d Json, name: &str) -> Option<&'d Json> {
        object.get(name)
    }

    /// A text that is kept. Another kind of value is refused.
    pub fn text(&self, object: &'d Json, name: &str) -> Option<&'d str> {
        self.read(object, name, "a text", Json::as_str, Self::keep)
    }

    /// A boolean that is kept. Another kind of value is refused.
    pub fn boolean(&self, object: &'d Json, name: &str) -> Option<bool> {
        self.read(object, name, "`true` or `false`", Json::as_bool, Self::keep)
    }

    /// A number that is kept, with its digits. Another kind of value is refused.
    pub fn number(&self, object: &'d Json, name: &str) -> Option<&'d str> {
        self.read(object, name, "a number", Json::as_number, Self::keep)
    }

    /// The elements of a list that is opened. Another kind of value is refused.
    pub fn list(&self, object: &'d Json, name: &str) -> &'d [Json] {
        self.read(object, name, "a list", Json::as_array, Self::open).unwrap_or_default()
    }

    /// The members of an object that is opened. Another kind of value is refused.
    pub fn members(&self, object: &'d Json, name: &str) -> &'d [(String, Json)] {
        self.read(object, name, "an object", Json::as_object, Self::open).unwrap_or_default()
    }

    /// An object that is opened. Another kind of value is refused.
    pub fn object(&self, object: &'d Json, name: &str) -> Option<&'d Json> {
        self.members_of(object.get(name)?).map(|_| object.get(name))?
    }

    /// The members of a value, which is opened if it is an object and refused otherwise.
    pub fn members_of(&self, value: &'d Json) -> Option<&'d [(String, Json)]> {
        match value.as_object() {
            Some(members) => {
                self.open(value);
                Some(members)
            }
            None => {
                self.refuse_kind(value, "an object");
                None
            }
        }
    }

    pub fn refuse_kind(&self, value: &Json, expected: &str) {
        let why = format!("this must be {expected}, not {}", value.with_article());
        self.refuse(value, &codes::WRONG_KIND, why);
    }

    /// Marks a member as read, or refuses it if it is of another kind.
    fn read<T>(
        &self,
        object: &'d Json,
        name: &str,
        expected: &str,
        read: impl Fn(&'d Json) -> Option<T>,
        mark: impl Fn(&Self, &'d Json),
    ) -> Option<T> {
        let value = object.get(name)?;
        let found = read(value);
        match found {
            Some(_) => mark(self, value),
            None => self.refuse_kind(value, expected),
        }
        found
    }

    /// Of two marks on one value, the worse one holds; one about the whole holds over one about its members. What was only opened
    /// can still be left out.
    fn mark(&self, value: &Json, mark: Mark) {
        let mut marks = self.marks.borrow_mut();
        let known = marks.entry(address(value)).or_insert_with(|| mark.clone());
        let was_opened = known.fate == Fate::Kept && !known.is_whole;
        known.is_whole |= mark.is_whole;
        if mark.fate > known.fate || was_opened && mark.fate == Fate::LeftOut {
            known.fate = mark.fate;
            known.why = mark.why;
        }
    }

    /// Walks the source and says what became of it. What is `refused` overrides the marks at its place and below.
    pub fn audit(self, refused: &BTreeMap<String, (&'static Code, String)>) -> Fidelity {
        let mut audit = Audit { marks: self.marks.into_inner(), refused, fidelity: Fidelity::default() };
        for finding in self.findings.into_inner() {
            audit.fidelity.add(finding);
        }
        for (label, document) in self.documents {
            let mut place = label;
            audit.value(document, &mut place);
        }
        audit.fidelity
    }
}

fn address(value: &Json) -> usize {
    std::ptr::from_ref(value).addr()
}

struct Audit<'r> {
    marks: BTreeMap<usize, Mark>,
    refused: &'r BTreeMap<String, (&'static Code, String)>,
    fidelity: Fidelity,
}

impl Audit<'_> {
    /// Adds the findings about a value. Recursion is bounded by the depth of documents.
    fn value(&mut self, value: &Json, place: &mut String) {
        if let Some((code, why)) = self.refused.get(place.as_str()) {
            let why = why.clone();
            self.finding(value, place, Fate::Refused, code.name, why);
            return;
        }
        let Some(mark) = self.marks.get(&address(value)).cloned() else {
            let (fate, code, why) = unmarked(place);
            self.finding(value, place, fate, code.name, why);
            return;
        };
        let (code, why) = mark.why.map_or(("", String::new()), |why| (why.code.name, why.text));
        if mark.is_whole || value.is_scalar() {
            self.finding(value, place, mark.fate, code, why);
            return;
        }
        if mark.fate == Fate::Changed {
            self.fidelity.add(Finding { place: place.clone(), fate: mark.fate, code, why, members: 1 });
        }
        let (findings, kept, others) =
            (self.fidelity.findings.len(), self.fidelity.kept, self.fidelity.others());
        let length = place.len();
        match value {
            Json::Object(members) => {
                for (name, member) in members {
                    place.push('/');
                    place.push_str(&escaped(name));
                    self.value(member, place);
                    place.truncate(length);
                }
            }
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.push('/');
                    place.push_str(&index.to_string());
                    self.value(item, place);
                    place.truncate(length);
                }
            }
            _ => {}
        }
        // What is kept with all its members is one line.
        if self.fidelity.others() == others && mark.fate == Fate::Kept {
            self.fidelity.findings.truncate(findings);
            let members = self.fidelity.kept - kept;
            let place = place.clone();
            self.fidelity.findings.push(Finding {
                place,
                fate: Fate::Kept,
                code: "",
                why: String::new(),
                members,
            });
        }
    }

    fn finding(&mut self, value: &Json, place: &str, fate: Fate, code: &'static str, why: String) {
        self.fidelity.add(Finding { place: place.to_owned(), fate, code, why, members: members(value) });
    }
}

/// What becomes of a value that no importer looked at.
fn unmarked(place: &str) -> (Fate, &'static Code, String) {
    let name = place.rsplit('/').next().unwrap_or_default();
    if name.starts_with("x-") || name.starts_with("X-") {
        return (Fate::Changed, &codes::VENDOR_EXTENSION, "an extension that nothing reads here".to_owned());
    }
    (Fate::Refused, &codes::UNKNOWN_MEMBER, format!("nothing reads `{name}` here"))
}

/// How many values without members there are in a value; one that is empty counts, too.
fn members(value: &Json) -> usize {
    let inside: usize = match value {
        Json::Array(items) => items.iter().map(members).sum(),
        Json::Object(all) => all.iter().map(|(_, value)| members(value)).sum(),
        _ => 0,
    };
    inside.max(1)
}

/// A name as a step of a JSON pointer.
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
