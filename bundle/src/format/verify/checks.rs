//! The nodes of the argument checks.

use super::scan::{Class, Scanner, name};
use super::shared::{Ascending, Checked, ensure, optional_index};
use crate::plan::{Check, Contents, NumberCheck, ObjectCheck, TypeSet};
use crate::strings::Strings;

/// Checks the node at index `at`. It refers only to nodes before it, so following it always ends.
pub(super) fn check(contents: &Contents, scanner: &mut Scanner<'_>, check: &Check, at: usize) -> Checked {
    let types = check.types.0;
    ensure(types != 0 && TypeSet::ANY.contains(check.types), || format!("{types} is not a set of types"))?;
    for id in &check.enumeration {
        scanner.text(*id, Class::JsonScalar, "allowed value")?;
    }
    if let Some(number) = &check.number {
        bounds(scanner, number)?;
    }
    if let Some(string) = &check.string {
        optional_index(string.pattern, contents.manifest.patterns.len(), "pattern")?;
    }
    if let Some(array) = &check.array {
        earlier(array.items, at, "items")?;
    }
    if let Some(members) = &check.object {
        object(&contents.strings, members, at)?;
    }
    Ok(())
}

fn bounds(scanner: &mut Scanner<'_>, number: &NumberCheck) -> Checked {
    for bound in [number.minimum, number.exclusive_minimum, number.maximum, number.exclusive_maximum] {
        scanner.optional_text(bound, Class::JsonNumber, "bound")?;
    }
    Ok(())
}

fn object(strings: &Strings, members: &ObjectCheck, at: usize) -> Checked {
    let mut names = Ascending::new("property");
    for property in &members.properties {
        names.next(name(strings, property.name, "property name")?)?;
        earlier(Some(property.check), at, "property")?;
    }
    earlier(members.additional, at, "additional properties")
}

fn earlier(found: Option<u32>, at: usize, what: &str) -> Checked {
    let is_earlier = found.is_none_or(|found| (found as usize) < at);
    ensure(is_earlier, || format!("{what}: check {} does not come before it", found.unwrap_or_default()))
}
