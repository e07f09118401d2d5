//! Numbers of bytes as people write them: `64KiB`.

const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// Digits and a unit, with or without blanks between them.
pub fn parse(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let unit = unit.trim_start_matches(' ');
    let (_, size) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*size)
}

/// In the largest unit that fits.
pub fn write(bytes: u64) -> String {
    let fitting = UNITS.iter().find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size));
    let (unit, size) = fitting.unwrap_or(&("B", 1));
    format!("{}{unit}", bytes / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse("64KiB"), Some(64 << 10));
        assert_eq!(parse("1 MiB"), Some(1 << 20));
        assert_eq!(parse("7B"), Some(7));
        for wrong in ["", "1", "MiB", "1mb", "1MB", "-1B", "1.5MiB", "99999999999GiB", "１KiB"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_size_is_read_as_it_is_written() {
        for (bytes, text) in
            [(0, "0B"), (7, "7B"), (1 << 10, "1KiB"), (1 << 20, "1MiB"), (3 << 29, "1536MiB")]
        {
            assert_eq!(write(bytes), text);
            assert_eq!(parse(text), Some(bytes));
        }
    }
}
