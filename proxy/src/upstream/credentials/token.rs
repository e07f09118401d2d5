//! A token, and how long it is good.

use std::fmt;
use std::time::{Duration, Instant};

/// Of a token whose server says nothing about it.
const UNSAID: Duration = Duration::from_secs(300);
/// No token is kept longer.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// A new one is fetched this long before the end, or in the last quarter of a short life.
const AHEAD: Duration = Duration::from_secs(60);
/// A request takes a while to get there, and clocks differ.
const MARGIN: Duration = Duration::from_secs(10);

/// What a request shows the upstream. It is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The value of the header `authorization`.
    header: Box<str>,
    /// `None`: it is good for ever.
    life: Option<Life>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Life {
    refresh: Instant,
    end: Instant,
}

impl Token {
    /// One that never ends.
    pub(super) fn fixed(header: String) -> Token {
        Token { header: header.into(), life: None }
    }

    /// One that was asked for at `asked` and is good for so many seconds.
    pub(super) fn bearer(token: &str, asked: Instant, seconds: Option<u64>) -> Token {
        let life = seconds.map_or(UNSAID, Duration::from_secs).min(LONGEST);
        let refresh = asked + life.saturating_sub(AHEAD.min(life / 4));
        let end = asked + life.saturating_sub(MARGIN.min(life / 10));
        Token { header: format!("Bearer {token}").into(), life: Some(Life { refresh, end }) }
    }

    /// The value of the header `authorization`.
    pub(crate) fn header(&self) -> &str {
        &self.header
    }

    pub(super) fn is_good(&self, now: Instant) -> bool {
        self.life.is_none_or(|life| now < life.end)
    }

    /// It is time for the next one.
    pub(super) fn is_old(&self, now: Instant) -> bool {
        self.life.is_some_and(|life| now >= life.refresh)
    }

    /// When it ends.
    pub(super) fn end(&self) -> Option<Instant> {
        self.life.map(|life| life.end)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}
