//! One verb of a `printf` format, as Go's `fmt` carries it out.

use super::super::error::Fault;
use super::call::{FunctionCall, push, push_char, shortened};
use super::float::{self, Style};
use super::quoted;
use super::spec::Spec;
use crate::json::decimal;
use std::fmt::Write;

/// Whole numbers with more digits than any float has are not written out.
const MAX_DIGITS: usize = 400;

/// Whether the verb is one for texts; if so, appends the text.
pub(super) fn write_text(text: &str, verb: char, spec: &Spec, out: &mut String) -> Result<bool, Fault> {
    // The precision counts characters, but for hexadecimal digits bytes.
    let end = |precision| text.char_indices().nth(precision).map_or(text.len(), |(at, _)| at);
    let cut = spec.precision.and_then(|precision| text.get(..end(precision))).unwrap_or(text);
    match verb {
        'q' | 'v' if verb == 'q' || spec.sharp => {
            let mut quoted = String::new();
            if verb == 'q' && spec.sharp && quoted::can_backquote(cut) {
                push(&mut quoted, "`")?;
                push(&mut quoted, cut)?;
                push(&mut quoted, "`")?;
            } else {
                quoted::quote(cut, spec.plus, &mut quoted)?;
            }
            spec.pad(&quoted, out)?;
        }
        's' | 'v' => spec.pad(cut, out)?,
        'x' | 'X' => {
            let bytes = text.as_bytes();
            let bytes = spec.precision.and_then(|precision| bytes.get(..precision)).unwrap_or(bytes);
            spec.pad(&hexadecimal(bytes, verb == 'X', spec)?, out)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn hexadecimal(bytes: &[u8], upper: bool, spec: &Spec) -> Result<String, Fault> {
    let mut text = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        if at > 0 && spec.space {
            push(&mut text, " ")?;
        }
        if spec.sharp && (at == 0 || spec.space) {
            push(&mut text, if upper { "0X" } else { "0x" })?;
        }
        push(&mut text, &if upper { format!("{byte:02X}") } else { format!("{byte:02x}") })?;
    }
    Ok(text)
}

/// Whether the verb is one for the number; if so, appends it. Any number is a float, and one with a whole value is
/// also an integer, however it is spelled.
pub(super) fn write_number(
    call: &FunctionCall<'_>,
    text: &str,
    verb: char,
    spec: &Spec,
    out: &mut String,
) -> Result<bool, Fault> {
    match verb {
        'v' if spec.precision.is_none() => {
            let (negative, digits) = match text.strip_prefix('-') {
                Some(digits) => (true, digits),
                None => (false, text),
            };
            spec.pad_signed(spec.sign(negative), digits, out)?;
        }
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => write_float(call, text, verb, spec, out)?,
        'v' if text.contains(['.', 'e', 'E']) => write_float(call, text, 'g', spec, out)?,
        'd' | 'v' | 'x' | 'X' | 'o' | 'b' | 'c' | 'q' => {
            let Some((negative, digits)) = whole_digits(text) else { return Ok(false) };
            if let 'd' | 'v' = verb {
                spec.pad_whole(negative, "", &digits, out)?;
                return Ok(true);
            }
            let number: u128 = digits.parse().map_err(|_| too_large(call, text, verb))?;
            write_bits(negative, number, verb, spec, out)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn write_bits(negative: bool, number: u128, verb: char, spec: &Spec, out: &mut String) -> Result<(), Fault> {
    let mut digits = String::new();
    let prefix = match verb {
        'x' => "0x",
        'X' => "0X",
        'o' => "0",
        _ => "0b",
    };
    // Writing to a `String` cannot fail.
    let _ = match verb {
        'x' => write!(digits, "{number:x}"),
        'X' => write!(digits, "{number:X}"),
        'o' => write!(digits, "{number:o}"),
        'b' => write!(digits, "{number:b}"),
        _ => {
            let character = u32::try_from(number).ok().filter(|_| !negative).and_then(char::from_u32);
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            match verb {
                'q' => quoted::quote_char(character, spec.plus, &mut digits)?,
                _ => push_char(&mut digits, character)?,
            }
            return spec.pad(&digits, out);
        }
    };
    spec.pad_whole(negative, if spec.sharp { prefix } else { "" }, &digits, out)
}

fn write_float(
    call: &FunctionCall<'_>,
    text: &str,
    verb: char,
    spec: &Spec,
    out: &mut String,
) -> Result<(), Fault> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    let number = number.ok_or_else(|| too_large(call, text, verb))?;
    let style = match verb {
        'f' | 'F' => Style::Fixed(spec.precision.unwrap_or(6)),
        'e' | 'E' => Style::Exponent(spec.precision.unwrap_or(6)),
        _ => Style::General(spec.precision),
    };
    let mut digits = float::format(number, style);
    if spec.sharp {
        digits = float::with_point(&digits, style);
    }
    if verb.is_ascii_uppercase() {
        digits.make_ascii_uppercase();
    }
    spec.pad_signed(spec.sign(number.is_sign_negative()), &digits, out)
}

/// Sign and digits of a number with a whole value, `None` for others and for those with too many digits.
fn whole_digits(text: &str) -> Option<(bool, String)> {
    if !decimal::is_integer(text) {
        return None;
    }
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some((false, "0".to_owned()));
    }
    let exponent: isize = exponent.parse().ok()?;
    let point = exponent.checked_add_unsigned(significant.len())?.checked_sub_unsigned(fraction.len())?;
    let point = usize::try_from(point).ok().filter(|&point| point <= MAX_DIGITS.max(mantissa.len()))?;
    // By hand: a width of the formatting machinery must be less than 65,536.
    let mut digits = significant.to_owned();
    digits.extend(std::iter::repeat_n('0', point.saturating_sub(significant.len())));
    digits.truncate(point);
    Some((negative, digits))
}

fn too_large(call: &FunctionCall<'_>, text: &str, verb: char) -> Fault {
    call.fault(format_args!("{} is too large for %{verb}", shortened(text)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::go;
    use super::whole_digits;
    use crate::template::Function;

    #[test]
    fn verbs_print_as_gos() {
        for (format, argument, expected) in [
            ("%d", "-5", "-5"),
            ("%d", "5.0", "5"),
            ("%d", "1.5e3", "1500"),
            ("%d", "-0", "0"),
            ("%d", "12345678901234567890", "12345678901234567890"),
            ("%+d", "5", "+5"),
            ("% d", "5", " 5"),
            ("%5d|", "-42", "  -42|"),
            ("%-5d|", "-42", "-42  |"),
            ("%05d|", "-42", "-0042|"),
            ("%-05d|", "-42", "-42  |"),
            ("%+05d", "42", "+0042"),
            ("%.4d", "-42", "-0042"),
            ("%08.4d", "-42", "   -0042"),
            ("%.0d|", "0", "|"),
            ("%3.0d|", "0", "   |"),
            ("%x", "255", "ff"),
            ("%X", "255", "FF"),
            ("%#x", "-255", "-0xff"),
            ("%#06x", "255", "0x0000ff"),
            ("%o", "8", "10"),
            ("%#o", "8", "010"),
            ("%#o", "0", "0"),
            ("%b", "5", "101"),
            ("%c", "233", "é"),
            ("%c", "-1", "\u{fffd}"),
            ("%q", "39", "'\\''"),
            ("%f", "5", "5.000000"),
            ("%f", "-1.5", "-1.500000"),
            ("%.0f", "2.5", "2"),
            ("%8.2f|", "3.14159", "    3.14|"),
            ("%-8.2f|", "3.14159", "3.14    |"),
            ("%08.2f|", "-3.14159", "-0003.14|"),
            ("%+.1f", "3.14159", "+3.1"),
            ("% .1f", "3.14159", " 3.1"),
            ("%e", "1234.5678", "1.234568e+03"),
            ("%E", "1234.5678", "1.234568E+03"),
            ("%g", "1000000", "1e+06"),
            ("%g", "2.50", "2.5"),
            ("%G", "1e-10", "1E-10"),
            ("%.3g", "1234.5678", "1.23e+03"),
            ("%#g", "1.5", "1.50000"),
            ("%#.0f", "1", "1."),
            ("%6v|", "-1.50", " -1.50|"),
            ("%06v|", "-1.50", "-01.50|"),
            ("%+v", "7", "+7"),
            ("%.2v", "3.14159", "3.1"),
            ("%.3v", "7", "007"),
            ("%s", "\"héllo\"", "héllo"),
            ("%.2s", "\"héllo\"", "hé"),
            ("%.9s", "\"héllo\"", "héllo"),
            ("%6.2s|", "\"héllo\"", "    hé|"),
            ("%06s", "\"abc\"", "000abc"),
            ("%-06s|", "\"abc\"", "abc   |"),
            ("%x", "\"hé\"", "68c3a9"),
            ("%X", "\"hé\"", "68C3A9"),
            ("% x", "\"hé\"", "68 c3 a9"),
            ("%#x", "\"hé\"", "0x68c3a9"),
            ("%# X", "\"hé\"", "0X68 0XC3 0XA9"),
            ("%.1x", "\"hé\"", "68"),
            ("%6x|", "\"h\"", "    68|"),
            ("%q", "\"é\\n\"", "\"é\\n\""),
            ("%+q", "\"é\"", "\"\\u00e9\""),
            ("%#q", "\"a\\\"b\"", "`a\"b`"),
            ("%#q", "\"a`b\"", "\"a`b\""),
            ("%.1q", "\"ab\"", "\"a\""),
            ("%#v", "\"a\"", "\"a\""),
        ] {
            let quoted = serde_json::to_string(format).unwrap();
            let result = go(Function::Printf, &[&quoted, argument]);
            assert_eq!(result.as_deref(), Ok(expected), "{format} {argument}");
        }
    }

    #[test]
    fn whole_numbers_are_written_out() {
        for (text, expected) in [
            ("0", Some((false, "0"))),
            ("-0.0e99999999999999999999", Some((false, "0"))),
            ("100.00", Some((false, "100"))),
            ("0.0012e4", Some((false, "12"))),
            ("-1200e-2", Some((true, "12"))),
            ("1e3", Some((false, "1000"))),
            ("0.5", None),
            ("1e500", None),
            ("1e99999999999999999999", None),
        ] {
            let expected = expected.map(|(negative, digits)| (negative, digits.to_owned()));
            assert_eq!(whole_digits(text), expected, "{text}");
        }
        assert_eq!(whole_digits(&"9".repeat(1000)), Some((false, "9".repeat(1000))));
    }
}
