//! Descriptions that a model can use: plain, short, whole sentences.

/// Tags that are markup. Others, such as `<api_key>`, are the author's words.
const TAGS: &[&str] = &[
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
];
/// What is looked at of a text; nothing that long is read by a model.
const MAX_TEXT: usize = 8192;

/// The text without markup, on one line.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut in_code = false;
    let end = text.char_indices().nth(MAX_TEXT).map_or(text.len(), |(at, _)| at);
    for line in without_tags(text.get(..end).unwrap_or_default()).lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        // Code, rules and tables of Markdown say little on one line.
        if in_code || line.starts_with('|') || (line.len() > 2 && line.chars().all(|c| "-=*_ ".contains(c))) {
            continue;
        }
        let line = line.trim_start_matches(['#', '>']).trim_start();
        let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
        if line.starts_with("[!") && line.ends_with(']') {
            continue;
        }
        inline(line, &mut out);
        out.push(' ');
    }
    let text = out.split_whitespace().collect::<Vec<_>>().join(" ");
    without_pointers(&text)
}

/// The text without sentences that only say where more is to be read: a model cannot follow them.
fn without_pointers(text: &str) -> String {
    const POINTERS: &[&str] =
        &["For more information", "For more details", "See also", "Learn more", "Read more"];
    let is_pointer = |sentence: &&str| POINTERS.iter().any(|start| sentence.starts_with(start));
    if !POINTERS.iter().any(|start| text.contains(start)) {
        return text.to_owned();
    }
    let mut sentences = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(". ").map(|at| at + 1).or(rest.find(".\" ").map(|at| at + 2)) {
        let (sentence, tail) = rest.split_at(at);
        sentences.push(sentence);
        rest = tail.trim_start();
    }
    sentences.push(rest);
    let kept: Vec<&str> = sentences.iter().copied().filter(|sentence| !is_pointer(sentence)).collect();
    if kept.is_empty() { text.to_owned() } else { kept.join(" ") }
}

/// Cuts a text to so many characters, at the end of a sentence where there is one.
pub fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let part = text.get(..end).unwrap_or_default();
    let is_end = |at: usize, c: char| {
        let next = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        matches!(c, '。' | '！' | '？')
            || (matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace))
    };
    let is_abbreviation = |at: usize| {
        let word = part.get(..at).unwrap_or_default().rsplit([' ', '(']).next().unwrap_or_default();
        word.len() < 2 || matches!(word, "e.g" | "i.e" | "etc" | "vs" | "No")
    };
    let sentence = part
        .char_indices()
        .rev()
        .find(|(at, c)| is_end(*at, *c) && !is_abbreviation(*at))
        .map(|(at, c)| at + c.len_utf8())
        .filter(|length| *length * 3 >= end);
    if let Some(length) = sentence {
        return part.get(..length).unwrap_or_default().to_owned();
    }
    let word = part
        .rfind(' ')
        .filter(|at| *at * 2 > end)
        .unwrap_or_else(|| part.char_indices().next_back().map_or(0, |(at, _)| at));
    let start = part.get(..word).unwrap_or_default().trim_end_matches([',', ';', ':', ' ', '(']);
    format!("{start}…")
}

/// The first sentence of a text, if it says enough; at most so many characters.
pub fn first_sentence(text: &str, limit: usize) -> String {
    const ENOUGH: usize = 20;
    if text.chars().count() <= limit / 2 {
        return text.to_owned();
    }
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(". ")).map(|at| from + at + 1) {
        let sentence = text.get(..at).unwrap_or(text);
        let last = sentence.rsplit([' ', '(']).next().unwrap_or_default();
        if sentence.len() >= ENOUGH && last.len() > 2 && !matches!(last, "e.g." | "i.e." | "etc.") {
            return cut(sentence, limit);
        }
        from = at + 1;
    }
    cut(text, limit)
}

/// Removes tags of HTML, and reads its entities.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        if let Some((length, is_block)) = tag(tail) {
            out.push_str(if is_block { "\n" } else { "" });
            rest = tail.get(length..).unwrap_or_default();
        } else if let Some((entity, c)) = ENTITIES.iter().find(|(entity, _)| tail.starts_with(entity)) {
            out.push_str(c);
            rest = tail.get(entity.len()..).unwrap_or_default();
        } else {
            let length = tail.chars().next().map_or(0, char::len_utf8);
            out.push_str(tail.get(..length).unwrap_or_default());
            rest = tail.get(length..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}

const ENTITIES: &[(&str, &str)] =
    &[("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " ")];

/// The length of the tag that a text begins with, and whether it is a line of its own.
fn tag(text: &str) -> Option<(usize, bool)> {
    const MAX_TAG: usize = 400;
    if text.starts_with("<!--") {
        return text.find("-->").map(|end| (end + 3, true));
    }
    let inside = text.strip_prefix('<')?;
    let end = inside
        .find(['>', '<'])
        .filter(|end| *end <= MAX_TAG && inside.as_bytes().get(*end) == Some(&b'>'))?;
    let inside = inside.get(..end)?;
    let name = inside.trim_start_matches('/').split([' ', '/', '\n']).next()?.to_ascii_lowercase();
    let is_inline = matches!(name.as_str(), "a" | "b" | "code" | "em" | "i" | "span" | "strong" | "tt" | "u");
    TAGS.contains(&name.as_str()).then_some((end + 2, !is_inline))
}

/// Adds a line without links, emphasis and images of Markdown.
fn inline(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['[', '!', '*']) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let image = tail.strip_prefix('!').and_then(link);
        if let Some((_, length)) = image {
            rest = tail.get(length + 1..).unwrap_or_default();
        } else if let Some((label, length)) = link(tail) {
            out.push_str(label);
            rest = tail.get(length..).unwrap_or_default();
        } else if let Some(after) = tail.strip_prefix("**") {
            rest = after;
        } else {
            let length = tail.chars().next().map_or(0, char::len_utf8);
            out.push_str(tail.get(..length).unwrap_or_default());
            rest = tail.get(length..).unwrap_or_default();
        }
    }
    out.push_str(rest);
}

/// The label of the link that a text begins with, and the length of the link.
fn link(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix('[')?;
    let middle = inside.find("](")?;
    let label = inside.get(..middle).filter(|label| !label.contains('['))?;
    let target = inside.get(middle + 2..)?;
    let end = target.find(')')?;
    Some((label, 1 + middle + 2 + end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_goes_and_words_stay() {
        let text = "<p>Gets an <em>order</em>.</p><ul><li>One &amp; all</li></ul>";
        assert_eq!(plain(text), "Gets an order. One & all");
        assert_eq!(
            plain("## Title\n\nSee [the docs](https://a.example/b) for **more**.\n"),
            "Title See the docs for more."
        );
        assert_eq!(
            plain("> [!NOTE]\n> Only *open* ones.\n```\ncode\n```\n| a | b |\n---"),
            "Only *open* ones."
        );
        assert_eq!(plain("A ![logo](x.png) and <api_key> and a < b"), "A and <api_key> and a < b");
        assert_eq!(plain("List [1] of `a[0]`"), "List [1] of `a[0]`");
    }

    #[test]
    fn texts_end_with_a_sentence() {
        assert_eq!(cut("One. Two is longer.", 10), "One.");
        assert_eq!(
            cut("Takes a name, e.g. of a user. More follows here.", 30),
            "Takes a name, e.g. of a user."
        );
        assert_eq!(cut("no sentence at all here", 12), "no sentence…");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("ééééé", 3), "éé…");
        assert_eq!(first_sentence("Id of it. Not its name.", 60), "Id of it. Not its name.");
        assert_eq!(
            first_sentence("The name of the owner, e.g. of a repository. It has no case at all.", 60),
            "The name of the owner, e.g. of a repository."
        );
        assert_eq!(plain("Pages. For more information, see \"Pages.\" More."), "Pages. More.");
    }

    proptest! {
        #[test]
        fn any_text_is_cut(text in "(?s)[ -~\u{e9}<>&\\[\\]()!*\n`|]{0,80}", limit in 1..40_usize) {
            let plain = plain(&text);
            prop_assert!(!plain.contains('\n'));
            prop_assert!(cut(&plain, limit).chars().count() <= limit.max(1));
        }
    }
}
