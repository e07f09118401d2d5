//! Regular expressions in Go's syntax, run by an engine that takes linear time.

use super::super::error::Fault;
use super::super::value::Value;
use super::call::{FunctionCall, push, shortened};
use super::{Answer, MAX_TEXT};
use regex::{Regex, RegexBuilder};

/// The longest pattern, in bytes.
const MAX_PATTERN: usize = 512;
/// How much memory a compiled pattern may take.
const MAX_COMPILED: usize = 128 * 1024;
/// How many compiled patterns a thread keeps.
const KEPT: usize = 16;

/// Compiled patterns, so that a template does not compile its own again for each call.
#[derive(Debug, Default)]
pub(crate) struct Patterns(Vec<(String, Regex)>);

impl Patterns {
    fn get(&mut self, call: &FunctionCall<'_>) -> Result<Regex, Fault> {
        // A template writes its patterns out: what an upstream answers is never one.
        let Value::Constant(id) = call.value(0) else {
            return Err(call.fault("the pattern must be a text in quotes"));
        };
        let pattern = call.view.strings.get(id);
        if let Some((_, known)) = self.0.iter().find(|(known, _)| known == pattern) {
            return Ok(known.clone());
        }
        let compiled = compile(pattern)
            .map_err(|why| call.fault(format_args!("\"{}\" is not a pattern: {why}", shortened(pattern))))?;
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        self.0.push((pattern.to_owned(), compiled.clone()));
        Ok(compiled)
    }
}

pub(super) fn is_match(call: &FunctionCall<'_>, patterns: &mut Patterns) -> Result<bool, Fault> {
    Ok(patterns.get(call)?.is_match(&bounded(call)?))
}

/// The first match; an empty text if there is none.
pub(super) fn find(
    call: &FunctionCall<'_>,
    patterns: &mut Patterns,
    out: &mut String,
) -> Result<Answer, Fault> {
    let text = bounded(call)?;
    push(out, patterns.get(call)?.find(&text).map_or("", |found| found.as_str()))?;
    Ok(Answer::Text)
}

/// Each match replaced by a text in which `$1` or `${1}` is a group.
pub(super) fn replace(
    call: &FunctionCall<'_>,
    patterns: &mut Patterns,
    out: &mut String,
) -> Result<Answer, Fault> {
    let (pattern, text, replacement) = (patterns.get(call)?, bounded(call)?, call.text(2)?);
    let (mut end, mut part) = (0, String::new());
    for groups in pattern.captures_iter(&text) {
        let Some(found) = groups.get(0) else { continue };
        push(out, text.get(end..found.start()).unwrap_or_default())?;
        end = found.end();
        part.clear();
        groups.expand(&replacement, &mut part);
        push(out, &part)?;
    }
    push(out, text.get(end..).unwrap_or_default())?;
    Ok(Answer::Text)
}

fn bounded<'a>(call: &FunctionCall<'a>) -> Result<std::borrow::Cow<'a, str>, Fault> {
    let text = call.text(1)?;
    if text.len() > MAX_TEXT { Err(Fault::Limit(super::Limit::Text)) } else { Ok(text) }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > MAX_PATTERN {
        return Err(format!("it has more than {MAX_PATTERN} bytes"));
    }
    let compiled = RegexBuilder::new(&translate(pattern)?).size_limit(MAX_COMPILED).build();
    compiled.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it takes too much memory".to_owned(),
        // The last line says what is wrong; those before show where.
        error => {
            let text = error.to_string();
            text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    })
}

/// Writes a pattern of Go for the `regex` crate. In Go `\d`, `\w`, `\s` and `\b` know ASCII only, and there are no operations on
/// what is within brackets.
fn translate(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut is_class = false;
    // Within brackets, before anything of them was read.
    let mut is_start = false;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let was_start = std::mem::take(&mut is_start);
        rest = after;
        match first {
            '\\' => rest = translate_escape(after, is_class, &mut out)?,
            '[' if !is_class => {
                out.push('[');
                (is_class, is_start) = (true, true);
            }
            '[' if after.starts_with(':') => {
                let end = after.find(":]").map_or(0, |at| at + 2);
                let (name, behind) = after.split_at_checked(end).unwrap_or((after, ""));
                out.push('[');
                out.push_str(name);
                rest = behind;
            }
            ']' if is_class && !was_start => {
                out.push(']');
                is_class = false;
            }
            '^' if was_start => {
                out.push('^');
                is_start = true;
            }
            '[' | ']' | '&' | '~' if is_class => out.extend(['\\', first]),
            '-' if is_class && after.starts_with('-') => out.push_str("\\-"),
            _ => out.push(first),
        }
    }
    Ok(out)
}

/// Writes what follows a `\`, and gives what comes after it.
fn translate_escape<'p>(after: &'p str, is_class: bool, out: &mut String) -> Result<&'p str, String> {
    let Some(escaped) = after.chars().next() else {
        out.push('\\');
        return Ok(after);
    };
    let rest = after.get(escaped.len_utf8()..).unwrap_or_default();
    let set = match escaped {
        'd' | 'D' => "0-9",
        'w' | 'W' => "0-9A-Za-z_",
        's' | 'S' => r"\t\n\f\r\x20",
        _ => "",
    };
    match escaped {
        'd' | 'w' | 's' if is_class => out.push_str(set),
        'd' | 'w' | 's' => out.extend(["[", set, "]"]),
        'D' | 'W' | 'S' => out.extend(["[^", set, "]"]),
        'b' if !is_class => out.push_str(r"(?-u:\b)"),
        'C' => return Err(r"`\C` is not supported".to_owned()),
        // All that follows is meant as it is written.
        'Q' => {
            let (literal, behind) = rest.split_once(r"\E").unwrap_or((rest, ""));
            out.push_str(&regex::escape(literal));
            return Ok(behind);
        }
        // The crate takes them for the ends of words.
        '<' | '>' => out.push(escaped),
        _ => out.extend(['\\', escaped]),
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::super::super::value::View;
    use super::super::{Ambient, Function, call};
    use super::*;
    use crate::strings::PoolBuilder;
    use crate::wire_enums::Dialect;
    use proptest::prelude::*;

    /// Patterns are constants, other arguments may come from anywhere.
    fn go(function: Function, arguments: &[&str]) -> Result<String, String> {
        let mut pool = PoolBuilder::new();
        let values: Vec<Value> = arguments.iter().map(|text| Value::Constant(pool.intern(text))).collect();
        let strings = pool.finish();
        let view = View { dialect: Dialect::Go, strings: &strings, data: "", computed: "" };
        let mut out = String::new();
        let (mut patterns, ambient) = (Patterns::default(), Ambient::default());
        for _ in 0..2 {
            out.clear();
            match call(&view, function, &values, &ambient, 1, &mut patterns, &mut out) {
                Ok(Answer::Value(Value::Bool(truth))) => out.push_str(if truth { "true" } else { "false" }),
                Ok(_) => {}
                Err(fault) => return Err(fault.to_string()),
            }
        }
        assert_eq!(patterns.0.len(), 1, "compiled once");
        Ok(out)
    }

    #[test]
    fn patterns_are_gos() {
        for (function, arguments, expected) in [
            (Function::RegexMatch, &["^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+$", "a@b.de"][..], "true"),
            (Function::RegexMatch, &[r"^\d+$", "٣"], "false"),
            (Function::RegexMatch, &[r"^\w+$", "é"], "false"),
            (Function::RegexMatch, &[r"^[\w-]+$", "a-b"], "true"),
            (Function::RegexMatch, &[r"^[^\s\d]+$", "a b"], "false"),
            (Function::RegexMatch, &[r"^[\D]$", "é"], "true"),
            (Function::RegexMatch, &["^[[]]$", "[]"], "true"),
            (Function::RegexMatch, &["^[]a]+$", "]a"], "true"),
            (Function::RegexMatch, &["^[^]]$", "a"], "true"),
            (Function::RegexMatch, &["^[a&&b]+$", "a&b"], "true"),
            (Function::RegexMatch, &["^[[:alpha:]&]+$", "x&"], "true"),
            (Function::RegexMatch, &[r"^\Qa.b\E.$", "a.bc"], "true"),
            (Function::RegexMatch, &[r"^\<a\>$", "<a>"], "true"),
            (Function::RegexMatch, &[r"^\S+ \D$", "ab x"], "true"),
            (Function::RegexMatch, &[r"(?i)^\p{Han}+é$", "你好É"], "true"),
            (Function::RegexFind, &["[a-zA-Z][1-9]", "abcd1234"], "d1"),
            (Function::RegexFind, &["x", "abc"], ""),
            (Function::RegexFind, &[r"\bfoo\b", "éfoo foo"], "foo"),
            (Function::RegexReplaceAll, &["a(x*)b", "-ab-axxb-", "${1}W"], "-W-xxW-"),
            (Function::RegexReplaceAll, &["a(x*)b", "-ab-axxb-", "$1W"], "---"),
            (Function::RegexReplaceAll, &["(?P<n>.)", "ab", "<$n>$$"], "<a>$<b>$"),
            (Function::RegexReplaceAll, &["", "hé", "-"], "-h-é-"),
        ] {
            assert_eq!(go(function, arguments).as_deref(), Ok(expected), "{arguments:?}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_named() {
        for (pattern, expected) in [
            ("(", "`regexMatch`: \"(\" is not a pattern: unclosed group"),
            (r"a\C", "`regexMatch`: \"a\\C\" is not a pattern: `\\C` is not supported"),
            (
                "(a{1000}){1000}",
                "`regexMatch`: \"(a{1000}){1000}\" is not a pattern: it takes too much memory",
            ),
        ] {
            assert_eq!(go(Function::RegexMatch, &[pattern, ""]).unwrap_err(), expected);
        }
        let long = "a".repeat(MAX_PATTERN + 1);
        assert!(go(Function::RegexMatch, &[&long, ""]).unwrap_err().contains("more than 512 bytes"));
        let of_data = super::super::testing::go(Function::RegexFind, &["[1]", "\"a\""]);
        assert_eq!(of_data.unwrap_err(), "`regexFind`: the pattern must be a text in quotes");
        let long = "a".repeat(MAX_TEXT);
        for arguments in [["a", &long, "bb"], ["", &long, &long]] {
            let error = go(Function::RegexReplaceAll, &arguments).unwrap_err();
            assert_eq!(error, "it computes more text than allowed");
        }
    }

    proptest! {
        #[test]
        fn a_pattern_is_translated_or_refused(pattern in r"[\[\]\\^$.|?*+(){}a-c&~:QEdDwWsSb<>é-]{0,16}") {
            if let Ok(compiled) = compile(&pattern) {
                let _ = compiled.is_match("abc [é] <&&>");
            }
        }

        #[test]
        fn a_quoted_text_matches_itself(text in "[^\\\\]{0,12}") {
            prop_assert_eq!(go(Function::RegexMatch, &[&format!("^\\Q{text}\\E$"), &text]), Ok("true".to_owned()));
        }
    }
}
