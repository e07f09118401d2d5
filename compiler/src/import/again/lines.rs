//! Merges lines: what either side changed of a text, where they did not change the same lines.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// Both sides changed the same lines, differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap;

/// Lines of the last text that a side replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change<'t> {
    old: Range<usize>,
    new: Vec<&'t str>,
}

pub fn merge(last: &str, now: &str, source: &str) -> Result<String, Overlap> {
    let old: Vec<&str> = last.split_inclusive('\n').collect();
    let mut changes = changes(&old, now);
    for change in self::changes(&old, source) {
        if changes.contains(&change) {
            continue;
        }
        if changes.iter().any(|other| overlap(&change.old, &other.old)) {
            return Err(Overlap);
        }
        changes.push(change);
    }
    changes.sort_by_key(|change| (change.old.start, change.old.end));
    let (mut merged, mut at) = (String::with_capacity(now.len().max(source.len())), 0);
    for Change { old: range, new } in changes {
        merged.extend(old.get(at..range.start).unwrap_or_default().iter().copied());
        merged.extend(new);
        at = range.end;
    }
    merged.extend(old.get(at..).unwrap_or_default().iter().copied());
    Ok(merged)
}

fn changes<'t>(old: &[&str], new: &'t str) -> Vec<Change<'t>> {
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    // Patience keeps lines together that occur once: keys of a tool, not the brackets of its schemas.
    let ops = capture_diff_slices(Algorithm::Patience, old, &new);
    let equal = ops.iter().filter(|op| matches!(op, DiffOp::Equal { .. }));
    let equal = equal.map(|op| (op.old_range(), op.new_range()));
    let (mut changes, mut at) = (Vec::new(), (0, 0));
    // What is between lines that are equal.
    for (old_range, new_range) in equal.chain([(old.len()..old.len(), new.len()..new.len())]) {
        let change = Change {
            old: at.0..old_range.start,
            new: new.get(at.1..new_range.start).unwrap_or_default().to_vec(),
        };
        if !change.old.is_empty() || !change.new.is_empty() {
            changes.push(change);
        }
        at = (old_range.end, new_range.end);
    }
    changes
}

/// Whether two ranges have a line in common, or are the same place between two lines, or one is inside the other.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    if a.is_empty() || b.is_empty() {
        let is_inside = |point: &Range<usize>, range: &Range<usize>| {
            range.start < point.start && point.start < range.end || point == range
        };
        return is_inside(a, b) || is_inside(b, a);
    }
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn changes_of_both_sides_meet() {
        assert_eq!(merge("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\nd\n").unwrap(), "A\nb\nC\nd\n");
        assert_eq!(merge("a\nb\n", "A\nb\n", "a\nB\n").unwrap(), "A\nB\n");
        assert_eq!(merge("a\nb\n", "A\nb\n", "A\nb\nc\n").unwrap(), "A\nb\nc\n");
        assert_eq!(merge("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n").unwrap(), "a\nc\nd\n");
    }

    #[test]
    fn changes_of_the_same_lines_do_not() {
        assert_eq!(merge("a\n", "b\n", "c\n"), Err(Overlap));
        assert_eq!(merge("a\n", "a\nb\n", "a\nc\n"), Err(Overlap));
        assert_eq!(merge("a\nb\nc\n", "", "a\nB\nc\n"), Err(Overlap));
    }

    proptest! {
        #[test]
        fn who_changes_nothing_takes_all(last in "[abc\n]{0,20}", new in "[abc\n]{0,20}") {
            for merged in [merge(&last, &last, &new), merge(&last, &new, &last), merge(&last, &new, &new)] {
                prop_assert_eq!(merged.as_ref(), Ok(&new));
            }
        }

        #[test]
        fn sides_are_equal_partners(last in "[ab\n]{0,16}", now in "[ab\n]{0,16}", source in "[ab\n]{0,16}") {
            prop_assert_eq!(merge(&last, &now, &source).is_ok(), merge(&last, &source, &now).is_ok());
        }
    }
}
