//! Checking arguments by what stands where in them.

use super::{
    ArrayCheck, Call, Check, Checked, Given, Limits, Name, NumberCheck, ObjectCheck, Parameter, StringCheck,
    Tool,
};
use crate::bind::formats;
use crate::json::{Kind, Span};
use crate::plan::TypeSet;
use crate::strings::same;
use crate::template::Run;

impl<'a> Call<'a> {
    /// Finds the parameters' arguments, if all of them are fine.
    #[inline(never)]
    pub(super) fn arguments(&self, tool: &Tool<'_>, limits: &Limits, given: &mut Given) -> Option<()> {
        let mut seen = 0_u32;
        let (mut at, mut count) = (0, 0);
        while let Some(key) = self.tape.get(at) {
            let name = self.name(key)?;
            let is_it = |parameter: &[u8; 32]| self.is_name(&Parameter::read(parameter).name, &name);
            let index = tool.parameters.iter().position(is_it)?;
            let place = given.get_mut(index).filter(|place| **place == 0)?;
            // A tape is shorter than 255 values.
            *place = at as u8 + 2;
            seen |= 1 << index;
            count += 1;
            at = self.value(Parameter::read(tool.parameters.get(index)?).check, at + 1)?;
        }
        (tool.required & !seen == 0 && count <= limits.arguments).then_some(())
    }

    /// The name of a member, if it is written without escapes.
    #[inline(always)]
    fn name(&self, key: &Span) -> Option<Member<'a>> {
        if key.escaped {
            return None;
        }
        let rest = self.text.as_bytes().get(key.start() + 1..)?;
        let length = key.end().wrapping_sub(key.start() + 2);
        let start = match rest.first_chunk() {
            Some(block) if length < 8 => u64::from_le_bytes(*block) & !(u64::MAX << (8 * length)),
            Some(block) => u64::from_le_bytes(*block),
            None => Name::start(rest.get(..length)?),
        };
        Some(Member { start, length, rest })
    }

    #[inline(always)]
    fn is_name(&self, name: &Name, member: &Member<'_>) -> bool {
        name.start == member.start
            && name.text.count as usize == member.length
            && (member.length <= 8 || member.rest.starts_with(name.text.of(&self.tables.bytes)))
    }

    /// What stands in the text, with its quotes if it is a string.
    #[inline(always)]
    fn raw(&self, span: &Span) -> Option<&'a [u8]> {
        self.text.as_bytes().get(span.start()..span.end())
    }

    #[inline(always)]
    fn is_text(&self, text: Run, bytes: &[u8]) -> bool {
        text.count as usize == bytes.len() && same(text.of(&self.tables.bytes), bytes)
    }

    /// Checks the value at this place of the tape and gives that of the next one. Recursion is bounded by the tape.
    #[inline(always)]
    fn value(&self, check: Checked, at: usize) -> Option<usize> {
        let value = self.tape.get(at)?;
        if check.any >> value.kind as u8 & 1 == 1 {
            return Some(at + 1);
        }
        let check = self.tables.checks.get(check.index as usize)?;
        match value.kind {
            Kind::Array | Kind::Object => self.container(check, at),
            _ => self.scalar(check, value).then_some(at + 1),
        }
    }

    #[inline(never)]
    fn scalar(&self, check: &Check, value: &Span) -> bool {
        let is_fine = match value.kind {
            Kind::String => {
                check.types.contains(TypeSet::STRING) && self.string(check.string.as_ref(), value)
            }
            Kind::Number => self.number(check, value),
            // One that is not any: not allowed, or listed.
            Kind::Boolean => check.types.contains(TypeSet::BOOLEAN),
            Kind::Null | Kind::Array | Kind::Object => false,
        };
        is_fine && (check.values.count == 0 || self.is_listed(check.values, value))
    }

    fn is_listed(&self, values: Run, value: &Span) -> bool {
        let Some(raw) = self.raw(value) else { return false };
        values.of(&self.tables.values).iter().any(|text| self.is_text(*text, raw))
    }

    #[inline(never)]
    fn container(&self, check: &Check, at: usize) -> Option<usize> {
        if check.values.count > 0 {
            return None;
        }
        match self.tape.get(at)?.kind {
            Kind::Array if check.types.contains(TypeSet::ARRAY) => self.array(&check.array, at),
            Kind::Object if check.types.contains(TypeSet::OBJECT) => self.object(check.object.as_ref()?, at),
            _ => None,
        }
    }

    #[inline(always)]
    fn string(&self, check: Option<&StringCheck>, value: &Span) -> bool {
        let Some(check) = check else { return true };
        if value.escaped {
            return false;
        }
        let length = value.end().wrapping_sub(value.start() + 2);
        // A character has one to four bytes, so most texts need not be counted.
        let is_sure = length <= check.most && length.div_ceil(4) >= check.least;
        if is_sure && check.format.is_none() && check.pattern.is_none() {
            return true;
        }
        let Some(text) = self.text.get(value.start() + 1..value.end() - 1) else { return false };
        if !is_sure && !(check.least..=check.most).contains(&text.chars().count()) {
            return false;
        }
        check.format.is_none_or(|format| formats::matches(format, text))
            && check.pattern.is_none_or(|index| {
                self.matchers.pattern(self.contents, index).is_some_and(|regex| regex.is_match(text))
            })
    }

    #[inline(always)]
    fn number(&self, check: &Check, value: &Span) -> bool {
        let is_any = check.types.contains(TypeSet::NUMBER);
        if is_any && check.number.is_none() {
            return true;
        }
        let Some(digits) = self.raw(value) else { return false };
        let Some((whole, is_whole)) = whole_part(digits) else { return false };
        let is_typed = is_any || is_whole && check.types.contains(TypeSet::INTEGER);
        is_typed
            && check.number.is_none_or(|NumberCheck { least, most }| {
                // A fraction makes it less than one greater.
                whole >= least && whole + i64::from(!is_whole) <= most
            })
    }

    fn array(&self, check: &ArrayCheck, at: usize) -> Option<usize> {
        let end = self.tape.get(at)?.end();
        let (mut at, mut count) = (at + 1, 0);
        while let Some(value) = self.tape.get(at).filter(|value| value.start() < end) {
            at = match (check.items, value.kind) {
                (Some(items), _) => self.value(items, at)?,
                // Of the names in an object, none may occur twice.
                (None, Kind::Object) => return None,
                // Their elements follow and are as good as ours.
                (None, _) => at + 1,
            };
            count += 1;
        }
        // Without a check of elements, those of elements are counted, too: a number that may be too great, never too small.
        let is_exact = check.items.is_some() || check.least == 0 && check.most == usize::MAX;
        (is_exact && (check.least..=check.most).contains(&count)).then_some(at)
    }

    fn object(&self, check: &ObjectCheck, at: usize) -> Option<usize> {
        let end = self.tape.get(at)?.end();
        let properties = check.properties.of(&self.tables.properties);
        let (mut at, mut count, mut seen) = (at + 1, 0, 0_u64);
        while let Some(key) = self.tape.get(at).filter(|key| key.start() < end) {
            let name = self.name(key)?;
            let index = properties.iter().position(|property| self.is_name(&property.name, &name))?;
            let bit = 1_u64 << index;
            if seen & bit != 0 {
                return None;
            }
            seen |= bit;
            count += 1;
            at = self.value(properties.get(index)?.check, at + 1)?;
        }
        let complete = check.required & !seen == 0;
        (complete && (check.least..=check.most).contains(&count)).then_some(at)
    }
}

/// The name of a member, where it stands.
struct Member<'a> {
    /// As [`Name::start`].
    start: u64,
    length: usize,
    /// What begins with it.
    rest: &'a [u8],
}

impl Name {
    pub(super) fn start(name: &[u8]) -> u64 {
        name.iter().take(8).rev().fold(0, |start, byte| start << 8 | u64::from(*byte))
    }
}

/// The whole part of a number that is not negative and has few digits, and whether that is all of it.
#[inline(always)]
fn whole_part(text: &[u8]) -> Option<(i64, bool)> {
    const MOST_DIGITS: usize = 18;
    if text.len() > MOST_DIGITS {
        return None;
    }
    let mut whole = 0;
    let mut digits = text.iter();
    for byte in digits.by_ref() {
        match byte {
            b'0'..=b'9' => whole = whole * 10 + i64::from(byte - b'0'),
            b'.' => return digits.all(u8::is_ascii_digit).then_some((whole, false)),
            _ => return None,
        }
    }
    Some((whole, true))
}
