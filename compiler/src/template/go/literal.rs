//! Number, string and rune literals as Go reads them.

/// A number as Go types it: with a point or an exponent it is a float, otherwise an integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Int(i64),
    Float(f64),
}

/// Why a literal is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LiteralError {
    Malformed,
    Overflow,
    /// Complex numbers, hexadecimal floats, strings that are not UTF-8.
    Unsupported(&'static str),
}

/// Reads the text of a number token.
pub(super) fn number(text: &str) -> Result<Number, LiteralError> {
    if text.ends_with('i') {
        return Err(LiteralError::Unsupported("complex numbers"));
    }
    if !underscores_are_separators(text) {
        return Err(LiteralError::Malformed);
    }
    let plain = text.replace('_', "");
    let (negative, magnitude) = match plain.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = magnitude.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, lower.get(2..).unwrap_or_default()),
        Some("0o") => (8, lower.get(2..).unwrap_or_default()),
        Some("0b") => (2, lower.get(2..).unwrap_or_default()),
        // A bare leading zero means octal, but only in integers.
        Some(_) if lower.starts_with('0') && !lower.contains(['.', 'e']) => (8, lower.as_str()),
        _ => (10, lower.as_str()),
    };
    if radix == 16 && digits.contains('p') {
        return Err(LiteralError::Unsupported("hexadecimal floats"));
    }
    if radix == 10 && digits.contains(['.', 'e']) {
        let value: f64 = digits.parse().map_err(|_| LiteralError::Malformed)?;
        let value = if negative { -value } else { value };
        return if value.is_finite() { Ok(Number::Float(value)) } else { Err(LiteralError::Overflow) };
    }
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(LiteralError::Malformed);
    }
    let value = i128::from_str_radix(digits, radix).map_err(|_| LiteralError::Overflow)?;
    let value = if negative { -value } else { value };
    i64::try_from(value).map(Number::Int).map_err(|_| LiteralError::Overflow)
}

/// Go's rule: an underscore must be between digits; a base prefix counts as a digit.
fn underscores_are_separators(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let prefix = unsigned.get(..2).unwrap_or_default().to_ascii_lowercase();
    let prefixed = matches!(prefix.as_str(), "0x" | "0o" | "0b");
    let digits = if prefixed { unsigned.get(2..).unwrap_or_default() } else { unsigned };
    let is_digit = |c: char| if prefix == "0x" { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };

    let mut after_digit = prefixed;
    let mut after_underscore = false;
    for c in digits.chars() {
        let underscore = c == '_';
        if (underscore && !after_digit) || (after_underscore && !is_digit(c)) {
            return false;
        }
        after_digit = is_digit(c);
        after_underscore = underscore;
    }
    !after_underscore
}

/// Reads the text between the quotes of a `"…"` string.
pub(super) fn quoted(body: &str) -> Result<String, LiteralError> {
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while !rest.is_empty() {
        let (unit, tail) = unit(rest, '"')?;
        match unit {
            Unit::Char(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Unit::Byte(byte) => bytes.push(byte),
        }
        rest = tail;
    }
    String::from_utf8(bytes).map_err(|_| LiteralError::Unsupported("strings that are not UTF-8"))
}

/// Reads the text between the backquotes of a raw string; Go drops carriage returns there.
pub(super) fn raw(body: &str) -> String {
    body.replace('\r', "")
}

/// Reads the text between the quotes of a `'…'` rune; its value is an integer.
pub(super) fn rune(body: &str) -> Result<Number, LiteralError> {
    match unit(body, '\'')? {
        (Unit::Char(c), "") => Ok(Number::Int(i64::from(u32::from(c)))),
        (Unit::Byte(byte), "") => Ok(Number::Int(i64::from(byte))),
        _ => Err(LiteralError::Malformed),
    }
}

enum Unit {
    Char(char),
    /// `\x..` and octal escapes name a byte, which need not be a character.
    Byte(u8),
}

/// Splits the first character or escape off `text`.
fn unit(text: &str, quote: char) -> Result<(Unit, &str), LiteralError> {
    let mut chars = text.chars();
    let first = chars.next().ok_or(LiteralError::Malformed)?;
    if first != '\\' {
        return Ok((Unit::Char(first), chars.as_str()));
    }
    let escape = chars.next().ok_or(LiteralError::Malformed)?;
    let rest = chars.as_str();
    let simple = match escape {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' => '\\',
        c if c == quote => c,
        'x' => return byte(rest, 2, 16),
        'u' => return code_point(rest, 4),
        'U' => return code_point(rest, 8),
        '0'..='7' => return byte(text.get(1..).unwrap_or_default(), 3, 8),
        _ => return Err(LiteralError::Malformed),
    };
    Ok((Unit::Char(simple), rest))
}

fn byte(text: &str, digits: usize, radix: u32) -> Result<(Unit, &str), LiteralError> {
    let (value, rest) = fixed(text, digits, radix)?;
    let byte = u8::try_from(value).map_err(|_| LiteralError::Malformed)?;
    Ok((Unit::Byte(byte), rest))
}

fn code_point(text: &str, digits: usize) -> Result<(Unit, &str), LiteralError> {
    let (value, rest) = fixed(text, digits, 16)?;
    let c = char::from_u32(value).ok_or(LiteralError::Malformed)?;
    Ok((Unit::Char(c), rest))
}

/// Reads exactly `digits` digits; `from_str_radix` alone would also take a sign.
fn fixed(text: &str, digits: usize, radix: u32) -> Result<(u32, &str), LiteralError> {
    let (head, rest) = text.split_at_checked(digits).ok_or(LiteralError::Malformed)?;
    if !head.chars().all(|c| c.is_digit(radix)) {
        return Err(LiteralError::Malformed);
    }
    let value = u32::from_str_radix(head, radix).map_err(|_| LiteralError::Malformed)?;
    Ok((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_every_base() {
        for (text, value) in [
            ("0", 0),
            ("-3", -3),
            ("+7", 7),
            ("0x1F", 31),
            ("0b101", 5),
            ("0o17", 15),
            ("017", 15),
            ("1_000", 1000),
            ("0x_ff", 255),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(number(text), Ok(Number::Int(value)), "{text}");
        }
    }

    #[test]
    fn a_point_or_an_exponent_makes_a_float() {
        for (text, value) in
            [("1.50", 1.5), ("1e3", 1000.0), (".5", 0.5), ("2.", 2.0), ("01.5", 1.5), ("-1E-2", -0.01)]
        {
            assert_eq!(number(text), Ok(Number::Float(value)), "{text}");
        }
    }

    #[test]
    fn malformed_numbers_are_refused() {
        for text in
            ["", "-", "0x", "089", "1__0", "1_", "_1", "1_.5", "1e", ".", "0b12", "0b1.1", "0x1.8", "1e+_2"]
        {
            assert_eq!(number(text), Err(LiteralError::Malformed), "{text}");
        }
    }

    #[test]
    fn numbers_out_of_range_overflow() {
        for text in ["9223372036854775808", "1e400", &"9".repeat(60)] {
            assert_eq!(number(text), Err(LiteralError::Overflow), "{text}");
        }
    }

    #[test]
    fn complex_numbers_and_hexadecimal_floats_are_unsupported() {
        for text in ["1i", "0x1p4"] {
            assert!(matches!(number(text), Err(LiteralError::Unsupported(_))), "{text}");
        }
    }

    #[test]
    fn escapes_decode_as_in_go() {
        assert_eq!(
            quoted(r#"a\n\t\"\\\x41\101\u00e9\U0001F389"#).as_deref(),
            Ok("a\n\t\"\\AA\u{e9}\u{1f389}")
        );
        assert_eq!(quoted(r"\xe4\xbd\xa0").as_deref(), Ok("\u{4f60}"));
    }

    #[test]
    fn bad_escapes_are_refused() {
        for text in [r"\q", r"\x4", r"\x+1", r"\u12", r"\ud800", r"\'", r"\400", "\\", r"\xé"] {
            assert_eq!(quoted(text), Err(LiteralError::Malformed), "{text}");
        }
        assert!(matches!(quoted(r"\xff"), Err(LiteralError::Unsupported(_))));
    }

    #[test]
    fn a_rune_is_one_character_and_an_integer() {
        assert_eq!(rune("a"), Ok(Number::Int(97)));
        assert_eq!(rune(r"\n"), Ok(Number::Int(10)));
        assert_eq!(rune(r"\xff"), Ok(Number::Int(255)));
        assert_eq!(rune(r"\'"), Ok(Number::Int(39)));
        for text in ["", "ab", r#"\""#] {
            assert_eq!(rune(text), Err(LiteralError::Malformed), "{text}");
        }
    }

    #[test]
    fn raw_strings_lose_carriage_returns() {
        assert_eq!(raw("a\r\n\\n"), "a\n\\n");
    }
}
