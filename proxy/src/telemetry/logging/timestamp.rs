//! Times as text: `2026-07-28T09:05:00.123456Z`. All but the fraction is made once a second.

use std::time::Duration;

#[derive(Debug)]
pub(in crate::telemetry) struct Timestamps {
    second: u64,
    /// Of the last time that was asked for.
    text: Vec<u8>,
}

impl Timestamps {
    pub(in crate::telemetry) const fn new() -> Timestamps {
        Timestamps { second: 0, text: Vec::new() }
    }

    pub(in crate::telemetry) fn text(&mut self, since_epoch: Duration) -> &[u8] {
        let second = since_epoch.as_secs();
        if second != self.second || self.text.is_empty() {
            self.second = second;
            let time =
                i64::try_from(second).ok().and_then(|second| jiff::Timestamp::from_second(second).ok());
            // Its years have four digits.
            self.text =
                time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S.000000Z").to_string().into_bytes();
        }
        let microseconds = since_epoch.subsec_micros();
        if let Some([digits @ .., _]) = self.text.last_chunk_mut::<7>() {
            *digits =
                [100_000, 10_000, 1_000, 100, 10, 1].map(|unit| b'0' + (microseconds / unit % 10) as u8);
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let mut timestamps = Timestamps::new();
        for (seconds, microseconds, wanted) in [
            (0, 0, "1970-01-01T00:00:00.000000Z"),
            (0, 1, "1970-01-01T00:00:00.000001Z"),
            (951_782_400, 999_999, "2000-02-29T00:00:00.999999Z"),
            (951_868_799, 123_456, "2000-02-29T23:59:59.123456Z"),
            (951_868_800, 20, "2000-03-01T00:00:00.000020Z"),
            (2_147_483_648, 500_000, "2038-01-19T03:14:08.500000Z"),
            (11_847_456_541, 0, "2345-06-07T08:09:01.000000Z"),
            (0, 7, "1970-01-01T00:00:00.000007Z"),
        ] {
            let time = Duration::from_secs(seconds) + Duration::from_micros(microseconds);
            assert_eq!(std::str::from_utf8(timestamps.text(time)).unwrap(), wanted);
        }
    }
}
