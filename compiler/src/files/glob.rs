//! Patterns of `exclude`: `*` and `?` within a name, `**` for any number of folders.

/// Whether a pattern fits a path below the folder of `mcpc.toml`, or a folder on the way to it. Without
/// a `/` it fits a name at any depth.
pub fn fits(pattern: &str, path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    let is_anywhere = !pattern.trim_end_matches('/').contains('/');
    // How many names of the path may be behind us.
    let mut reached: Vec<bool> = (0..=names.len()).map(|index| index == 0 || is_anywhere).collect();
    for part in pattern.trim_end_matches('/').split('/') {
        if part == "**" {
            let mut before = false;
            for here in &mut reached {
                before |= *here;
                *here = before;
            }
            continue;
        }
        let mut next = vec![false; reached.len()];
        for ((name, here), after) in names.iter().zip(&reached).zip(next.iter_mut().skip(1)) {
            *after = *here && name_fits(part, name);
        }
        reached = next;
    }
    reached.iter().skip(1).any(|here| *here)
}

/// Linear: of several ways for a `*`, only the last one need be tried again.
fn name_fits(pattern: &str, name: &str) -> bool {
    let (mut rest, mut left) = (pattern.chars(), name.chars());
    let mut star: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let (mut after, mut behind) = (rest.clone(), left.clone());
        match (after.next(), behind.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                star = Some((after.clone(), left.clone()));
                rest = after;
            }
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                rest = after;
                left = behind;
            }
            _ => {
                let Some((pattern, mut from)) = star.take() else { return false };
                if from.next().is_none() {
                    return false;
                }
                star = Some((pattern.clone(), from.clone()));
                rest = pattern;
                left = from;
            }
        }
    }
}

/// Why a pattern can fit nothing.
pub fn problem(pattern: &str) -> Option<&'static str> {
    let mut names = pattern.trim_end_matches('/').split('/');
    if pattern.is_empty() {
        Some("an empty pattern matches nothing")
    } else if pattern.contains('\\') {
        Some("write `/` between folders, not `\\`")
    } else if names.any(|name| matches!(name, "" | "." | "..")) {
        Some("a pattern is relative to the folder of `mcpc.toml`, without `.` and `..`")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_files_and_folders() {
        for (pattern, path, expected) in [
            ("drafts", "drafts/a.toml", true),
            ("drafts/", "drafts/a.toml", true),
            ("drafts", "shop/drafts/b/a.toml", true),
            ("drafts", "my-drafts/a.toml", false),
            ("*.test.toml", "a/shop.test.toml", true),
            ("*.test.toml", "shop.toml", false),
            ("a/*.toml", "a/x.toml", true),
            ("a/*.toml", "b/a/x.toml", false),
            ("a/*.toml", "a/b/x.toml", false),
            ("a/**/x.toml", "a/x.toml", true),
            ("a/**/x.toml", "a/b/c/x.toml", true),
            ("**/old/*", "a/old/x.toml", true),
            ("shop-?.toml", "shop-1.toml", true),
            ("shop-?.toml", "shop-12.toml", false),
            ("é*", "été.toml", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn many_stars_take_linear_time() {
        let (pattern, name) = ("*a".repeat(2000), "a".repeat(20_000));
        assert!(!fits(&format!("{pattern}b"), &name));
    }

    #[test]
    fn patterns_that_fit_nothing_are_known() {
        for pattern in ["", "/a", "a//b", "../a", "a\\b", "./a"] {
            assert!(problem(pattern).is_some(), "{pattern}");
        }
        assert_eq!(problem("drafts/"), None);
    }
}
