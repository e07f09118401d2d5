//! The entries of `tools/list`. Their JSON is the compiler's word; what is checked is that they can be
//! cut where the plan says, and sent as one line.

use super::scan::{Class, Scanner};
use super::shared::{Checked, ensure};
use crate::format::layout::MAX_TOOLS;
use crate::plan::{Contents, ListEntry};

pub(super) fn counts(contents: &Contents) -> Checked {
    let (tools, entries) = (contents.tools.len(), contents.list.len());
    ensure(tools <= MAX_TOOLS, || format!("{tools} tools, the most is {MAX_TOOLS}"))?;
    ensure(tools == entries, || format!("{tools} tools, but {entries} list entries"))
}

pub(super) fn entry(scanner: &mut Scanner<'_>, entry: &ListEntry) -> Checked {
    let whole = scanner.text(entry.text, Class::ListText, "text")?;
    let mut last = 1;
    for end in entry.ends {
        ensure(end >= last, || format!("end {end} comes after {last}"))?;
        ensure(whole.is_char_boundary(end as usize), || {
            format!("end {end} is not between two characters of {} bytes", whole.len())
        })?;
        let next = whole.as_bytes().get(end as usize);
        ensure(matches!(next, None | Some(b',' | b'}')), || {
            format!("end {end} is not before a `,` or `}}`")
        })?;
        last = end;
    }
    if let Some(modern) = entry.modern {
        let modern = scanner.text(modern, Class::ListText, "modern text")?;
        ensure(modern.ends_with('}'), || "the modern text does not end with `}`".to_owned())?;
    }
    Ok(())
}
