use crate::lint::helpers::published;
use crate::lint::{Check, Findings, ToolsetContext, rule};
use mcp_diagnostics::{Applicability, Diagnostic, Edit};
use std::ops::Range;

rule! {
    /// ## What it does
    /// Finds characters in published texts that people cannot see but models read.
    ///
    /// These are control characters, bidirectional embeddings and overrides, zero-width characters,
    /// tag characters (U+E0000 and on) and stray variation selectors. Joiners inside emoji and
    /// between letters of scripts that need them, variation selectors after an emoji, and direction
    /// marks in right-to-left text are fine.
    ///
    /// ## Why is this bad
    /// A description that looks harmless in review can hide a whole message: tag characters alone
    /// can spell any ASCII text. Bidirectional overrides make a text look different from what it
    /// says.
    ///
    /// ## Fails
    /// ```toml
    /// [[tool]]
    /// name = "get_weather"
    /// description = "The weather of a city.\u200B\U000E0068\U000E0069"
    /// method = "GET"
    /// endpoint = "https://api.example.com/weather"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    ///
    /// ## Passes
    /// ```toml
    /// [[tool]]
    /// name = "get_weather"
    /// description = "The weather of a city, with a symbol such as ☀️."
    /// method = "GET"
    /// endpoint = "https://api.example.com/weather"
    /// [[tool.examples]]
    /// arguments = {}
    /// ```
    pub HIDDEN_CHARACTERS = "MCP0803", "hidden-characters", Warning, Check::Toolset(check);
}

/// How many different characters a message names.
const MAX_NAMED: usize = 4;

fn check(context: &ToolsetContext<'_>, findings: &mut Findings<'_>) {
    published::each(context.toolset, &mut |text| {
        let hidden = hidden(text.text);
        let Some((first, _)) = hidden.first() else {
            return;
        };
        let mut kinds: Vec<char> = hidden.iter().map(|(_, c)| *c).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut names: Vec<String> = kinds.iter().take(MAX_NAMED).map(|c| name(*c)).collect();
        if kinds.len() > MAX_NAMED {
            names.push(format!("{} more kinds", kinds.len() - MAX_NAMED));
        }
        let (label, holds) = (text.label(), text.verb("holds", "hold"));
        let message = match hidden.len() {
            1 => format!("{label} {holds} a hidden character: {}", names.join(", ")),
            count => format!("{label} {holds} {count} hidden characters: {}", names.join(", ")),
        };
        let span = text.span(context, first.clone());
        let mut diagnostic = Diagnostic::new(&HIDDEN_CHARACTERS, span, message)
            .note("people cannot see them, but models read them")
            .help("remove them");
        let whole = text.span(context, 0..text.text.len());
        let edits: Vec<Edit> = hidden
            .iter()
            .map(|(range, _)| Edit { span: text.span(context, range.clone()), text: String::new() })
            .collect();
        // Without a position inside the text, the edit would remove the whole text.
        if edits.iter().all(|edit| edit.span.end - edit.span.start < whole.end - whole.start) {
            diagnostic = diagnostic.fix(Applicability::DisplayOnly, edits);
        }
        findings.report(diagnostic);
    });
}

fn hidden(text: &str) -> Vec<(Range<usize>, char)> {
    let ordinary = |b: u8| (b' '..0x7f).contains(&b) || matches!(b, b'\n' | b'\t');
    if text.bytes().all(ordinary) {
        return Vec::new();
    }
    let right_to_left = text.chars().any(is_right_to_left);
    let mut found = Vec::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let after = text.get(end..).and_then(|rest| rest.chars().next());
        if is_hidden(c, before, after, right_to_left) {
            found.push((at..end, c));
        }
        before = Some(c);
    }
    found
}

fn is_hidden(c: char, before: Option<char>, after: Option<char>, right_to_left: bool) -> bool {
    let beyond_ascii = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_invisible(c));
    let is_selector = |c: char| matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    match c {
        '\n' | '\t' => false,
        '\r' => after != Some('\n'),
        c if c.is_control() => true,
        // Emoji sequences, and letters of scripts that join.
        '\u{200d}' => {
            let joins = beyond_ascii(before) || before.is_some_and(|c| c == '\u{fe0f}');
            !(joins && beyond_ascii(after))
        }
        '\u{200c}' => !(beyond_ascii(before) && beyond_ascii(after)),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => !right_to_left,
        c if is_selector(c) => {
            let keycap = before.is_some_and(|c| c.is_ascii_digit() || matches!(c, '#' | '*'));
            !(beyond_ascii(before) || keycap && after == Some('\u{20e3}'))
        }
        c => is_invisible(c),
    }
}

/// Characters without a visible shape, other than control characters.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

fn is_right_to_left(c: char) -> bool {
    let letter = matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    letter && c.is_alphabetic()
}

/// A code point, with its name if it has a well-known one.
fn name(c: char) -> String {
    let known = match c {
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{202a}' | '\u{202b}' => "bidirectional embedding",
        '\u{202d}' | '\u{202e}' => "bidirectional override",
        '\u{202c}' | '\u{2069}' => "end of a bidirectional run",
        '\u{2066}'..='\u{2068}' => "bidirectional isolate",
        '\u{2060}' => "word joiner",
        '\u{feff}' => "zero width no-break space",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{e0020}'..='\u{e007e}' => {
            let plain = char::from_u32(c as u32 - 0xe0000).unwrap_or(' ');
            return format!("U+{:04X} (tag `{plain}`)", c as u32);
        }
        c if c.is_control() => "control character",
        _ => return format!("U+{:04X}", c as u32),
    };
    format!("U+{:04X} ({known})", c as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{found, tool_with};

    #[test]
    fn what_scripts_and_emoji_need_is_not_hidden() {
        for text in ["a\tb\r\nc", "👩‍👩‍👧 ❤️‍🔥 1️⃣", "می‌خواهم", "क्‍ष", "שלום\u{200f}!", "葛\u{e0100}", "naïve – “x”"]
        {
            assert_eq!(hidden(text), [], "{text:?}");
        }
    }

    #[test]
    fn what_nobody_sees_is_hidden() {
        for text in [
            "a\u{200b}b",
            "a\u{200d}b",
            "a\u{fe0f}",
            "☀\u{fe0f}\u{fe0f}",
            "x\u{202e}y",
            "x\u{2066}y",
            "\u{feff}x",
            "x\u{e0041}",
            "a\u{200f}b",
            "a\rb",
            "a\u{7}",
            "a\u{85}",
            "1\u{fe0f}",
        ] {
            assert_eq!(hidden(text).len(), 1, "{text:?}");
        }
    }

    #[test]
    fn code_points_are_named_and_the_first_is_underlined() {
        let messages = found(&HIDDEN_CHARACTERS, &tool_with("title = \"a\\u200Bb\\U000E0041\""));
        let expected = "the title of tool `add_note` holds 2 hidden characters: U+200B (zero width space), U+E0041 (tag `A`)";
        assert_eq!(messages, [(expected.to_owned(), "\\u200B".to_owned())]);
    }
}
