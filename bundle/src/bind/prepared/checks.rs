//! The checks of arguments, worked out so that a call compares numbers and the starts of names.
//!
//! Tools of one API mostly have the same few checks. Equal ones are kept once, so that with many tools in use they
//! stay in the nearest caches.

use crate::json::Kind;
use crate::plan::{self, TypeSet};
use crate::strings::{StrId, Strings};
use crate::wire_enums::ValueFormat;
use std::collections::BTreeMap;

/// As [`plan::Check`]. Bounds and texts stay as they are in the plan where messages quote them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Check {
    pub types: TypeSet,
    pub enumeration: Box<[StrId]>,
    pub number: Option<NumberCheck>,
    pub string: Option<StringCheck>,
    pub array: Option<ArrayCheck>,
    pub object: Option<ObjectCheck>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NumberCheck {
    /// Whole numbers from `least` to `most` are surely within the bounds; none are, if least is greater than most.
    pub least: i64,
    pub most: i64,
    pub minimum: Option<StrId>,
    pub exclusive_minimum: Option<StrId>,
    pub maximum: Option<StrId>,
    pub exclusive_maximum: Option<StrId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StringCheck {
    /// Of characters.
    pub length: Length,
    pub pattern: Option<u32>,
    pub format: Option<ValueFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArrayCheck {
    pub length: Length,
    pub items: Option<CheckRef>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectCheck {
    pub length: Length,
    /// Sorted by name.
    pub properties: Box<[Property]>,
    pub closed: bool,
    pub additional: Option<CheckRef>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Property {
    pub name: Name,
    pub check: CheckRef,
    pub required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Length {
    pub least: u32,
    pub most: u32,
}

/// Which check a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CheckRef {
    /// Index in [`super::PreparedTools::checks`].
    pub index: u32,
    /// A bit for each [`Kind`] of which every value is fine.
    any: u8,
}

/// A name that is compared often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    /// Its first eight bytes, with zeros if there are fewer: they tell most names apart without a look at the texts.
    pub start: u64,
    pub length: u32,
    pub text: StrId,
}

/// Collects the checks of all tools.
#[derive(Debug)]
pub(super) struct Checks<'c> {
    strings: &'c Strings,
    known: BTreeMap<Check, u32>,
}

impl Length {
    fn of(least: Option<u32>, most: Option<u32>) -> Length {
        Length { least: least.unwrap_or(0), most: most.unwrap_or(u32::MAX) }
    }

    /// Whether it allows a length.
    #[inline]
    pub(crate) const fn holds(self, length: usize) -> bool {
        // No text of arguments has so many of anything.
        length >= self.least as usize && (length <= self.most as usize || self.most == u32::MAX)
    }
}

impl CheckRef {
    /// Whether every value of this kind is fine.
    #[inline(always)]
    pub(crate) const fn takes_any(self, kind: Kind) -> bool {
        self.any >> kind as u8 & 1 == 1
    }
}

impl Name {
    pub(super) fn new(strings: &Strings, text: StrId) -> Name {
        let name = strings.bytes(text);
        Name { start: Name::start(name), length: name.len() as u32, text }
    }

    #[inline]
    pub(crate) fn start(name: &[u8]) -> u64 {
        match name.first_chunk() {
            Some(start) => u64::from_le_bytes(*start),
            None => name.iter().rev().fold(0, |start, byte| start << 8 | u64::from(*byte)),
        }
    }

    /// The start of the name at a place in a text. Where eight bytes follow, they are read at once.
    #[inline(always)]
    pub(crate) fn start_in(text: &[u8], at: usize, length: usize) -> u64 {
        match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(block) if length < 8 => u64::from_le_bytes(*block) & !(u64::MAX << (8 * length)),
            Some(block) => u64::from_le_bytes(*block),
            None => Name::start(text.get(at..at.saturating_add(length)).unwrap_or_default()),
        }
    }

    /// Whether it is this name, of which `start` is the [`Name::start`].
    #[inline(always)]
    pub(crate) fn is(&self, strings: &Strings, name: &[u8], start: u64) -> bool {
        self.start == start
            && self.length as usize == name.len()
            && (name.len() <= 8 || strings.is(self.text, name))
    }
}

impl<'c> Checks<'c> {
    pub(super) fn new(strings: &'c Strings) -> Checks<'c> {
        Checks { strings, known: BTreeMap::new() }
    }

    /// Adds the checks of a tool that are not there yet; gives where each is.
    pub(super) fn add(&mut self, checks: &[plan::Check]) -> Vec<CheckRef> {
        let mut places = Vec::with_capacity(checks.len());
        for check in checks {
            let made = self.make(check, &places);
            let any = takes_any(&made);
            let next = self.known.len() as u32;
            let index = *self.known.entry(made).or_insert(next);
            places.push(CheckRef { index, any });
        }
        places
    }

    pub(super) fn finish(self) -> Vec<Check> {
        let mut checks: Vec<(Check, u32)> = self.known.into_iter().collect();
        checks.sort_unstable_by_key(|(_, index)| *index);
        checks.into_iter().map(|(check, _)| check).collect()
    }

    /// `places` are those of the checks before, to which alone a check may refer.
    fn make(&self, check: &plan::Check, places: &[CheckRef]) -> Check {
        let place = |index: u32| places.get(index as usize).copied().unwrap_or(NOT_THERE);
        let property = |property: &plan::Property| Property {
            name: Name::new(self.strings, property.name),
            check: place(property.check),
            required: property.required,
        };
        Check {
            types: check.types,
            enumeration: check.enumeration.as_slice().into(),
            number: check.number.as_ref().map(|number| self.number(number)),
            string: check.string.as_ref().map(|string| StringCheck {
                length: Length::of(string.min_length, string.max_length),
                pattern: string.pattern,
                format: string.format,
            }),
            array: check.array.as_ref().map(|array| ArrayCheck {
                length: Length::of(array.min_items, array.max_items),
                items: array.items.map(place),
            }),
            object: check.object.as_ref().map(|object| ObjectCheck {
                length: Length::of(object.min_properties, object.max_properties),
                properties: object.properties.iter().map(property).collect(),
                closed: object.closed,
                additional: object.additional.map(place),
            }),
        }
    }

    /// Bounds that are whole and small, as most are, become numbers.
    fn number(&self, check: &plan::NumberCheck) -> NumberCheck {
        // Far enough from the ends for adding one.
        const FAR: i64 = i64::MAX / 4;
        let &plan::NumberCheck { minimum, exclusive_minimum, maximum, exclusive_maximum } = check;
        let bound = |id: Option<StrId>, otherwise: i64| match id {
            None => Some(otherwise),
            Some(id) => self.strings.get(id).parse().ok().filter(|bound| (-FAR..=FAR).contains(bound)),
        };
        let bounds = || {
            let least = bound(minimum, -FAR)?.max(bound(exclusive_minimum, -FAR - 1)? + 1);
            let most = bound(maximum, FAR)?.min(bound(exclusive_maximum, FAR + 1)? - 1);
            Some((least, most))
        };
        let (least, most) = bounds().unwrap_or((1, 0));
        NumberCheck { least, most, minimum, exclusive_minimum, maximum, exclusive_maximum }
    }
}

/// A check that no bundle refers to; if one did, nothing would pass it.
pub(super) const NOT_THERE: CheckRef = CheckRef { index: u32::MAX, any: 0 };

/// As [`CheckRef::any`].
fn takes_any(check: &Check) -> u8 {
    let types = check.types;
    let any = [
        (Kind::Null, types.contains(TypeSet::NULL)),
        (Kind::Boolean, types.contains(TypeSet::BOOLEAN)),
        (Kind::String, types.contains(TypeSet::STRING) && check.string.is_none()),
        (Kind::Number, types.contains(TypeSet::NUMBER) && check.number.is_none()),
    ];
    let any = any.iter().filter(|(_, is_any)| *is_any && check.enumeration.is_empty());
    any.fold(0, |any, (kind, _)| any | 1 << *kind as u8)
}
