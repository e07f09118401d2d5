//! Floats as Go's `strconv.FormatFloat` writes them. Rust rounds the same way, exactly and half to even, so only the
//! layout is done here.

/// How a float is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `123.450000`, with that many digits after the point.
    Fixed(usize),
    /// `1.234500e+02`
    Exponent(usize),
    /// The shorter of the two, with that many digits, or as few as distinguish the float from its
    /// neighbours.
    General(Option<usize>),
}

/// The text of a float's absolute value.
pub(super) fn format(number: f64, style: Style) -> String {
    let number = number.abs();
    match style {
        Style::Fixed(precision) => format!("{number:.precision$}"),
        Style::Exponent(precision) => with_exponent(&format!("{number:.precision$e}")),
        Style::General(precision) => general(number, precision),
    }
}

fn general(number: f64, precision: Option<usize>) -> String {
    let precision = precision.map(|precision| precision.max(1));
    let text = match precision {
        Some(precision) => format!("{number:.*e}", precision - 1),
        None => format!("{number:e}"),
    };
    let (mantissa, exponent) = parts(&text);
    let digits: String = mantissa.chars().filter(|&character| character != '.').collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    let count = digits.len() as i32;
    // Go's rule: an exponent is for what is small, and for what has more whole digits than were asked for. If the
    // digits asked for are more than there are, it goes by those that there are.
    let most = match precision {
        Some(precision) if precision as i32 > count && count > exponent => count,
        Some(precision) => precision as i32,
        None => 6,
    };
    if exponent < -4 || exponent >= most {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
        let point = if rest.is_empty() { "" } else { "." };
        return with_exponent(&format!("{first}{point}{rest}e{exponent}"));
    }
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    }
    let whole = exponent as usize + 1;
    match digits.split_at_checked(whole) {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, fraction)) => format!("{whole}.{fraction}"),
        None => format!("{digits:0<whole$}"),
    }
}

/// Go writes a sign and at least two digits.
fn with_exponent(text: &str) -> String {
    let (mantissa, exponent) = parts(text);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

fn parts(text: &str) -> (&str, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa, exponent.parse().unwrap_or_default())
}

/// What `#` asks for: always a point, and with [`Style::General`] all digits.
pub(super) fn with_point(text: &str, style: Style) -> String {
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at_checked(at).unwrap_or((text, "")),
        None => (text, ""),
    };
    let mut result = mantissa.to_owned();
    if !mantissa.contains('.') {
        result.push('.');
    }
    if let Style::General(precision) = style {
        let digits = mantissa.chars().filter(char::is_ascii_digit);
        let significant = digits.skip_while(|&digit| digit == '0').count();
        // A lone zero counts as a digit, but none before a point with more behind it.
        let significant = if mantissa == "0" { 1 } else { significant };
        let missing = precision.unwrap_or(6).saturating_sub(significant);
        result.extend(std::iter::repeat_n('0', missing));
    }
    result.push_str(exponent);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_laid_out_as_by_go() {
        for (number, style, expected) in [
            (1.23456, Style::Fixed(2), "1.23"),
            (2.5, Style::Fixed(0), "2"),
            (3.5, Style::Fixed(0), "4"),
            (0.0, Style::Fixed(6), "0.000000"),
            (1e21, Style::Fixed(0), "1000000000000000000000"),
            (1234.5678, Style::Exponent(6), "1.234568e+03"),
            (0.0, Style::Exponent(2), "0.00e+00"),
            (1e-300, Style::Exponent(0), "1e-300"),
            (5e-324, Style::Exponent(3), "4.941e-324"),
            (1_000_000.0, Style::General(None), "1e+06"),
            (100_000.0, Style::General(None), "100000"),
            (123_456_789.0, Style::General(None), "1.23456789e+08"),
            (1_234_567.891, Style::General(None), "1.234567891e+06"),
            (0.0001, Style::General(None), "0.0001"),
            (0.00001, Style::General(None), "1e-05"),
            (2.5, Style::General(None), "2.5"),
            (0.0, Style::General(None), "0"),
            (-1.5, Style::General(None), "1.5"),
            (100.0, Style::General(Some(3)), "100"),
            (1000.0, Style::General(Some(3)), "1e+03"),
            (1234.0, Style::General(Some(10)), "1234"),
            (100_000.0, Style::General(Some(10)), "100000"),
            (1234.5678, Style::General(Some(6)), "1234.57"),
            (1234.5678, Style::General(Some(2)), "1.2e+03"),
            (1234.5678, Style::General(Some(0)), "1e+03"),
            (0.0, Style::General(Some(3)), "0"),
            (9.99, Style::General(Some(2)), "10"),
        ] {
            assert_eq!(format(number, style), expected, "{number} {style:?}");
        }
    }

    #[test]
    fn points_are_added() {
        for (text, style, expected) in [
            ("1", Style::Fixed(0), "1."),
            ("1e+06", Style::Exponent(0), "1.e+06"),
            ("1e+06", Style::General(None), "1.00000e+06"),
            ("2.5", Style::General(None), "2.50000"),
            ("0", Style::General(None), "0.00000"),
            ("0.0001", Style::General(Some(3)), "0.000100"),
        ] {
            assert_eq!(with_point(text, style), expected);
        }
    }
}
