//! What a `printf` format says of one argument beside the verb, and the padding that follows from it.

use super::super::error::Fault;
use super::call::{FunctionCall, push};

const MAX_WIDTH: usize = 256;
const MAX_PRECISION: usize = 64;

/// What is between `%` and the verb.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spec {
    pub minus: bool,
    pub plus: bool,
    pub sharp: bool,
    pub space: bool,
    pub zero: bool,
    pub width: Option<usize>,
    pub precision: Option<usize>,
}

impl Spec {
    /// The specification at the start of a text, and what follows it.
    pub(super) fn parse<'t>(call: &FunctionCall<'_>, text: &'t str) -> Result<(Spec, &'t str), Fault> {
        let mut spec = Spec::default();
        let rest = text.trim_start_matches(|character| {
            match character {
                '-' => spec.minus = true,
                '+' => spec.plus = true,
                '#' => spec.sharp = true,
                ' ' => spec.space = true,
                '0' => spec.zero = true,
                _ => return false,
            }
            true
        });
        let (width, mut rest) = digits(rest);
        spec.width = width;
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = digits(after);
            spec.precision = Some(precision.unwrap_or(0));
            rest = after;
        }
        if spec.width > Some(MAX_WIDTH) {
            return Err(call.fault(format_args!("a width of at most {MAX_WIDTH} is supported")));
        }
        if spec.precision > Some(MAX_PRECISION) {
            return Err(call.fault(format_args!("a precision of at most {MAX_PRECISION} is supported")));
        }
        Ok((spec, rest))
    }

    /// Appends a text with what it lacks in width.
    pub(super) fn pad(&self, text: &str, out: &mut String) -> Result<(), Fault> {
        let missing = match self.width {
            Some(width) => width.saturating_sub(text.chars().take(width).count()),
            None => 0,
        };
        if self.minus {
            push(out, text)?;
            push(out, &" ".repeat(missing))
        } else {
            push(out, &(if self.zero { "0" } else { " " }).repeat(missing))?;
            push(out, text)
        }
    }

    pub(super) fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// Appends a number; padding zeros go after its sign.
    pub(super) fn pad_signed(&self, sign: &str, digits: &str, out: &mut String) -> Result<(), Fault> {
        if self.zero && !self.minus && !sign.is_empty() {
            push(out, sign)?;
            let width = self.width.map(|width| width.saturating_sub(1));
            return Spec { width, ..*self }.pad(digits, out);
        }
        self.pad(&format!("{sign}{digits}"), out)
    }

    /// Appends a whole number, whose precision is how many digits it has at least.
    pub(super) fn pad_whole(
        &self,
        negative: bool,
        prefix: &str,
        digits: &str,
        out: &mut String,
    ) -> Result<(), Fault> {
        let spaces = Spec { zero: false, ..*self };
        let sign = self.sign(negative);
        let least = match (self.precision, self.width) {
            (Some(0), _) if digits == "0" => return spaces.pad("", out),
            (Some(precision), _) => precision,
            (None, Some(width)) if self.zero && !self.minus => width.saturating_sub(sign.len()),
            _ => 0,
        };
        let digits = format!("{digits:0>least$}");
        // An octal number is known by a zero in front, which may be there already.
        let prefix = if prefix == "0" && digits.starts_with('0') { "" } else { prefix };
        spaces.pad(&format!("{sign}{prefix}{digits}"), out)
    }
}

fn digits(text: &str) -> (Option<usize>, &str) {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = text.strip_suffix(rest).unwrap_or_default();
    let number = (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX));
    (number, rest)
}
