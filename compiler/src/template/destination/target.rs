//! Path and query of a URL.
//!
//! The template begins right after a `/`. Segments `.` and `..` lead elsewhere, so they are refused here; those that
//! only the values of a call make up are refused when they are written.

use mcp_bundle::template::Encoding;

use super::{Problem, States, Syntax, name};

pub(super) struct Target;

/// At the start of a segment.
const START: States = States(1);
/// The segment is `.` so far.
const DOT: States = States(1 << 1);
const DOTS: States = States(1 << 2);
const IN_SEGMENT: States = States(1 << 3);
/// In the name of a pair of the query.
pub(super) const NAME: States = States(1 << 4);
/// In its value.
const VALUE: States = States(1 << 5);

const PATH: States = START.with(DOT).with(DOTS).with(IN_SEGMENT);
const QUERY: States = NAME.with(VALUE);
const ALL: [States; 6] = [START, DOT, DOTS, IN_SEGMENT, NAME, VALUE];

impl Syntax for Target {
    const START: States = START;

    fn literal(states: States, text: &str) -> Result<States, Problem> {
        if let Some(at) = text.find(['{', '}']) {
            return Err(Problem::new("a `{name}` placeholder is not allowed in or after a template")
                .help("write `{{ .name }}` (Go) or `{{name}}` (Handlebars) instead")
                .within(at..at + 1));
        }
        if let Some(at) = text.find('#') {
            return Err(Problem::new("a fragment is never sent").help("remove it").within(at..text.len()));
        }
        check_characters(text, "a URL", b"/?:@!$&'()*+,;=")?;
        follow(states, text)
    }

    fn value(states: States) -> Result<(Encoding, States), Problem> {
        match (states.touches(PATH), states.touches(QUERY)) {
            (true, false) => Ok((Encoding::PathSegment, IN_SEGMENT)),
            (false, true) => pair_value(states),
            _ => Err(Problem::new(
                "this may be in the path or in the query: its encoding cannot be worked out",
            )
            .help("write the `?` outside of conditions and loops")),
        }
    }

    fn end(states: States) -> Result<(), Problem> {
        if states.touches(DOT.with(DOTS)) { Err(dot_segment()) } else { Ok(()) }
    }
}

/// A value in a query or form. Under a name that a caller chooses, it could replace another pair.
pub(super) fn pair_value(states: States) -> Result<(Encoding, States), Problem> {
    if states.touches(NAME) {
        return Err(Problem::new("the name of a pair must be fixed: only what follows a `=` can be a value")
            .help("write `name={{ … }}`"));
    }
    Ok((Encoding::Query, VALUE))
}

pub(super) fn follow(states: States, text: &str) -> Result<States, Problem> {
    let mut after = States::default();
    for start in ALL.into_iter().filter(|state| states.contains(*state)) {
        after = after.with(walk(start, text)?);
    }
    Ok(after)
}

fn walk(start: States, text: &str) -> Result<States, Problem> {
    let mut state = start;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        // Servers read an encoded dot as one.
        let length = if rest.starts_with("%2e") || rest.starts_with("%2E") { 3 } else { 1 };
        let here = at..at + length;
        let is_dot = length == 3 || rest.starts_with('.');
        state = match (rest.chars().next(), state) {
            // Some servers split a query at `;` as well.
            (Some(';'), NAME | VALUE) => {
                return Err(Problem::new("`;` is not allowed in the query").help("write `%3B`").within(here));
            }
            (Some('&'), NAME | VALUE) => NAME,
            (Some('='), NAME) => VALUE,
            (_, NAME | VALUE) => state,
            (Some('/' | '?'), DOT | DOTS) => return Err(dot_segment().within(here)),
            (Some('/'), _) => START,
            (Some('?'), _) => NAME,
            (_, START) if is_dot => DOT,
            (_, DOT) if is_dot => DOTS,
            _ => IN_SEGMENT,
        };
        at += length;
    }
    Ok(state)
}

fn dot_segment() -> Problem {
    Problem::new("the path must not have `.` or `..` as a segment").help("write the path without it")
}

/// Checks text that is sent as it is: only letters, digits, `-._~`, whole `%` escapes, and what `also` has.
pub(super) fn check_characters(text: &str, what: &str, also: &[u8]) -> Result<(), Problem> {
    for (at, c) in text.char_indices() {
        let here = at..at + c.len_utf8();
        if c == '%' {
            let digits = text.as_bytes().get(at + 1..at + 3).unwrap_or_default();
            if digits.len() < 2 || !digits.iter().all(u8::is_ascii_hexdigit) {
                let problem = Problem::new("`%` must be followed by two hexadecimal digits");
                return Err(problem.help("write `%25` for a percent sign").within(here));
            }
            continue;
        }
        let fits = u8::try_from(c).is_ok_and(|byte| {
            byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte)
        });
        if !fits {
            return Err(Problem::new(format!("{what} cannot have {}", name(c)))
                .help("percent-encode it, as in `%20` for a space")
                .within(here));
        }
    }
    Ok(())
}
