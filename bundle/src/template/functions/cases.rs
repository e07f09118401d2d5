//! Names in other cases, with the words that sprig finds in them.

use super::super::error::Fault;
use super::call::{FunctionCall, push, push_char};
use super::text::{lower, upper};
use super::{Answer, Function};

/// What a run of characters is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// It begins with a capital letter, or is nothing else.
    Capital,
    Letters,
    /// What is between words.
    Connector,
    Punctuation,
    Other,
}

/// `SomeWords`: words begin with a capital letter, and one connector between two of them is left out.
pub(super) fn camel(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let text = call.text(0)?;
    let name = text.trim_start_matches(is_connector);
    push(out, text.get(..text.len() - name.len()).unwrap_or_default())?;
    let mut characters = name.chars();
    let Some(first) = characters.next() else { return Ok(Answer::Text) };
    // Further capitals of a word that begins with one become small.
    let mut lowers = first.is_uppercase();
    let mut last = upper(first);
    for character in characters {
        let was_connector = is_connector(last);
        let mut next = character;
        if is_connector(character) && was_connector {
            push_char(out, last)?;
        } else if was_connector {
            lowers = character.is_uppercase();
            next = upper(character);
        } else {
            lowers &= character.is_uppercase();
            if lowers {
                next = lower(character);
            }
            push_char(out, last)?;
        }
        last = next;
    }
    push_char(out, last)?;
    Ok(Answer::Text)
}

/// `some_words` or `some-words`. A number belongs to the word before it, unless small letters follow.
pub(super) fn snake(call: &FunctionCall<'_>, out: &mut String) -> Result<Answer, Fault> {
    let text = call.text(0)?;
    let connector = if call.function == Function::KebabCase { '-' } else { '_' };
    let mut words = Words(&text);
    let mut word = words.next();
    while let Some((kind, run)) = word {
        word = words.next();
        if word.is_none() {
            return write(kind, run, connector, out);
        }
        if kind != Kind::Connector {
            write(kind, run, connector, out)?;
        }
        match kind {
            Kind::Number => word = rest_of_number(word, &mut words, connector, out)?,
            Kind::Connector => {
                write(kind, run, connector, out)?;
            }
            Kind::Punctuation => {}
            _ => match word {
                // The last run is written by itself.
                Some((Kind::Number, _)) if words.0.is_empty() => {}
                Some((Kind::Number, number)) => {
                    word = words.next();
                    if matches!(word, Some((Kind::Letters, _))) {
                        push_char(out, connector)?;
                        push(out, number)?;
                        word = rest_of_number(word, &mut words, connector, out)?;
                    } else {
                        push(out, number)?;
                        connect(word, connector, out)?;
                    }
                }
                _ => connect(word, connector, out)?,
            },
        }
    }
    Ok(Answer::Text)
}

type Run<'t> = (Kind, &'t str);

/// Writes the small letters and numbers that follow a number, and gives what comes after them.
fn rest_of_number<'t>(
    first: Option<Run<'t>>,
    words: &mut Words<'t>,
    connector: char,
    out: &mut String,
) -> Result<Option<Run<'t>>, Fault> {
    let mut word = first;
    while let Some((Kind::Letters | Kind::Number, run)) = word {
        push(out, run)?;
        word = words.next();
    }
    connect(word, connector, out)?;
    Ok(word)
}

/// Writes a connector before a word.
fn connect(word: Option<Run<'_>>, connector: char, out: &mut String) -> Result<(), Fault> {
    match word {
        None | Some((Kind::Connector | Kind::Punctuation, _)) => Ok(()),
        Some(_) => push_char(out, connector),
    }
}

fn write(kind: Kind, run: &str, connector: char, out: &mut String) -> Result<Answer, Fault> {
    match kind {
        Kind::Capital => run.chars().try_for_each(|character| push_char(out, lower(character)))?,
        Kind::Connector => run.chars().try_for_each(|_| push_char(out, connector))?,
        _ => push(out, run)?,
    }
    Ok(Answer::Text)
}

/// The runs of a text.
struct Words<'t>(&'t str);

impl<'t> Iterator for Words<'t> {
    type Item = Run<'t>;

    fn next(&mut self) -> Option<Run<'t>> {
        let text = self.0;
        let mut characters = text.chars();
        let first = characters.next()?;
        let second = characters.next();
        let kind = kind_of(first);
        let length = match kind {
            Kind::Capital => match second {
                Some(second) if second.is_uppercase() => {
                    let capitals = run_length(text, char::is_uppercase);
                    let next = text.get(capitals..).and_then(|rest| rest.chars().next());
                    // The last capital of `HTTPServer` begins the next word.
                    let last =
                        text.get(..capitals).and_then(|run| run.chars().last()).map_or(0, char::len_utf8);
                    if next.is_some_and(is_letter) { capitals - last } else { capitals }
                }
                _ => first.len_utf8() + run_length(characters_after(text, first), is_small),
            },
            Kind::Letters => run_length(text, is_small),
            Kind::Other => run_length(text, |character| {
                !matches!(
                    kind_of(character),
                    Kind::Connector | Kind::Letters | Kind::Number | Kind::Punctuation
                ) && !is_letter(character)
            }),
            Kind::Punctuation => run_length(text, is_punctuation),
            _ => run_length(text, |character| kind_of(character) == kind),
        };
        // At least one character, so that this ends.
        let (run, rest) = text.split_at_checked(length.max(first.len_utf8()))?;
        self.0 = rest;
        Some((kind, run))
    }
}

fn characters_after(text: &str, first: char) -> &str {
    text.get(first.len_utf8()..).unwrap_or_default()
}

fn run_length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character)).unwrap_or(text.len())
}

fn kind_of(character: char) -> Kind {
    match character {
        _ if is_connector(character) => Kind::Connector,
        _ if is_punctuation(character) => Kind::Punctuation,
        _ if character.is_uppercase() => Kind::Capital,
        _ if is_letter(character) => Kind::Letters,
        _ if character.is_numeric() => Kind::Number,
        _ => Kind::Other,
    }
}

fn is_connector(character: char) -> bool {
    matches!(character, '-' | '_') || character.is_whitespace()
}

/// Signs such as `+` are none; beyond ASCII, only the usual ones are.
fn is_punctuation(character: char) -> bool {
    match character {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => false,
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '‐'..='‧' | '‰'..='⁃' | '、'..='〃' | '〈'..='】' => {
            true
        }
        _ => character.is_ascii_punctuation(),
    }
}

/// Letters that words are made of; a character of Chinese is not.
fn is_letter(character: char) -> bool {
    character.is_alphabetic()
        && !matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

fn is_small(character: char) -> bool {
    is_letter(character) && !character.is_uppercase()
}

#[cfg(test)]
mod tests {
    use super::super::testing::go;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_found() {
        for (text, snake, camel) in [
            ("FirstName", "first_name", "FirstName"),
            ("HTTPServer", "http_server", "Httpserver"),
            ("NoHTTPS", "no_https", "NoHTTPS"),
            ("GO_PATH", "go_path", "GoPath"),
            ("GO PATH", "go_path", "GoPath"),
            ("GO-PATH", "go_path", "GoPath"),
            ("http2xx", "http_2xx", "Http2xx"),
            ("HTTP20xOK", "http_20x_ok", "Http20xOK"),
            ("Duration2m3s", "duration_2m3s", "Duration2m3s"),
            ("Bld4Floor3rd", "bld4_floor_3rd", "Bld4Floor3rd"),
            ("_complex__case_", "_complex__case_", "_Complex_Case_"),
            ("some words", "some_words", "SomeWords"),
            ("Wi_thF", "wi_th_f", "WiThF"),
            ("_AnotherTES_TCaseP", "_another_tes_t_case_p", "_AnotherTESTcaseP"),
            ("ALL", "all", "All"),
            ("TW", "tw", "Tw"),
            ("HTTP-20xStatus", "http_20x_status", "Http20xStatus"),
            ("HTTP20XStatus", "http20_x_status", "Http20XStatus"),
            ("HTTP2XX", "http2_xx", "Http2XX"),
            ("a", "a", "A"),
            ("", "", ""),
            ("2fast", "2fast", "2fast"),
            ("user.name", "user.name", "User.name"),
            ("你好World", "你好_world", "你好World"),
        ] {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(go(Function::SnakeCase, &[&json]).as_deref(), Ok(snake), "{text}");
            let kebab = snake.replace('_', "-");
            assert_eq!(go(Function::KebabCase, &[&json]), Ok(kebab), "{text}");
            assert_eq!(go(Function::CamelCase, &[&json]).as_deref(), Ok(camel), "{text}");
        }
    }

    proptest! {
        #[test]
        fn snake_case_has_no_capitals_and_keeps_letters(text in "[A-Za-z0-9_ .+-]{0,16}") {
            let snake = go(Function::SnakeCase, &[&serde_json::to_string(&text).unwrap()]).unwrap();
            prop_assert!(!snake.contains(char::is_uppercase));
            let letters = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&snake), letters(&text));
        }
    }
}
