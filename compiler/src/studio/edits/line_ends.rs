//! Line ends of texts that came through a page: browsers turn all of them into line feeds.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The new text of a file with the line ends that its lines had; new lines end as most others do.
pub fn with_line_ends(before: &str, after: &str) -> String {
    let returns = before.matches("\r\n").count();
    if returns == 0 || after.contains('\r') {
        return after.to_owned();
    }
    let usual = if returns * 2 >= before.matches('\n').count() { "\r\n" } else { "\n" };
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let plain: Vec<String> = old.iter().map(|line| line.replace("\r\n", "\n")).collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let mut out = String::with_capacity(after.len() + returns);
    for op in capture_diff_slices(Algorithm::Myers, &plain, &new) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                old.iter().skip(old_index).take(len).for_each(|line| out.push_str(line));
            }
            DiffOp::Delete { .. } => {}
            DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
                for line in new.iter().skip(new_index).take(new_len) {
                    match line.strip_suffix('\n') {
                        Some(line) => {
                            out.push_str(line);
                            out.push_str(usual);
                        }
                        None => out.push_str(line),
                    }
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_keep_their_ends() {
        assert_eq!(with_line_ends("a\r\nb\nc\r\n", "a\nx\nb\nc\n"), "a\r\nx\r\nb\nc\r\n");
        assert_eq!(with_line_ends("a\nb\n", "a\nc\n"), "a\nc\n");
        assert_eq!(with_line_ends("a\r\n", "a\nb"), "a\r\nb");
        assert_eq!(with_line_ends("a\r\n", "a\rb\n"), "a\rb\n", "somebody meant it");
    }

    proptest! {
        #[test]
        fn a_text_that_a_page_did_not_change_comes_back(before in "([ab]{0,2}\r?\n){0,8}[ab]{0,2}") {
            let through_a_page = before.replace("\r\n", "\n");
            prop_assert_eq!(with_line_ends(&before, &through_a_page), before);
        }

        #[test]
        fn only_line_ends_are_added(
            before in "([ab]{0,2}\r?\n){0,8}[ab]{0,2}",
            after in "([ab]{0,2}\n){0,8}[ab]{0,2}",
        ) {
            prop_assert_eq!(with_line_ends(&before, &after).replace("\r\n", "\n"), after);
        }
    }
}
