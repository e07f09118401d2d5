//! A store that does what the scripts do, with a clock of its own.

use crate::limits::shared::store::{Answer, PlacesQuestion, Question, RateAnswer, RateQuestion};
use std::collections::BTreeMap;

/// Times in microseconds.
#[derive(Debug, Default)]
pub struct Model {
    rates: BTreeMap<String, Rate>,
    places: BTreeMap<String, BTreeMap<String, (u32, u64)>>,
    edges: BTreeMap<String, u64>,
    pub operations: u64,
}

/// As in `rate.lua`.
#[derive(Debug, Clone, Copy)]
struct Rate {
    due: f64,
    since: f64,
    slack: f64,
}

const PLENTY: f64 = 1e15;

impl Model {
    pub fn ask(&mut self, question: &Question, now: u64) -> Answer {
        self.operations += 1;
        match question {
            Question::Rate(question) => Answer::Rate(self.rate(question, now as f64)),
            Question::Places(question) => Answer::Places(self.places(question, now)),
            Question::Edges { edge, ttl_ms } => {
                self.edges.insert(edge.clone(), now + ttl_ms * 1000);
                self.edges.retain(|_, until| *until > now);
                Answer::Edges(self.edges.len() as u32)
            }
        }
    }

    /// As after a restart without a file.
    pub fn forget(&mut self) {
        (self.rates, self.places, self.edges) = Default::default();
    }

    fn rate(&mut self, q: &RateQuestion, now: f64) -> RateAnswer {
        let new = |due| Rate { due, since: now, slack: PLENTY };
        let mut rate = match self.rates.get(&q.name) {
            Some(rate) if rate.due > now - 1_000_000.0 => *rate,
            None if q.known as f64 > now => new(q.known as f64 + q.others),
            _ => new(now),
        };
        if q.back_given as f64 >= rate.since {
            let taken_off = (f64::from(q.back) * q.interval).min(rate.slack);
            rate = Rate { due: rate.due - taken_off, slack: rate.slack - taken_off, ..rate };
        }
        if rate.due < now {
            rate = new(now);
        }
        if q.debt > 0 {
            rate.slack = rate.slack.min(rate.due - now);
            rate.due += f64::from(q.debt) * q.interval;
        }
        if rate.slack < q.interval {
            rate = new(rate.due);
        }
        let again = f64::from(q.renew) * q.interval;
        let is_possible = q.renew_given as f64 >= rate.since && again <= rate.slack;
        let renewed = q.renew > 0 && is_possible && rate.due <= now + q.tolerance;
        let renew = if renewed { f64::from(q.renew) } else { 0.0 };
        if renewed {
            rate.due = (rate.due - again).max(now);
            if rate.slack < PLENTY {
                rate.slack -= again;
            }
        }
        let room = (((now + q.tolerance - rate.due) / q.interval + 0.000_001).floor() - renew).max(0.0);
        let wanted = f64::from(q.want).min(room);
        let given = wanted + f64::from(q.more).min(((room - wanted) / 2.0).floor());
        if given + renew > 0.0 {
            if rate.due < now + q.hold {
                rate = new(now + q.hold);
            } else {
                rate.slack = rate.slack.min(rate.due - now - q.hold);
                if rate.slack < q.interval {
                    rate = new(rate.due);
                }
            }
            rate.due += (given + renew) * q.interval;
        }
        rate.due = rate.due.min(now + 2.0 * (q.tolerance + q.hold + q.others));
        let wait = (rate.due + q.interval - q.tolerance - now).ceil().max(0.0) as u64;
        self.rates.insert(q.name.clone(), rate);
        RateAnswer { given: given as u32, renewed, wait, due: rate.due as i64, now: now as i64 }
    }

    fn places(&mut self, q: &PlacesQuestion, now: u64) -> u32 {
        let all = self.places.entry(q.name.clone()).or_default();
        all.retain(|edge, (_, until)| *edge == q.edge || *until > now);
        let others: u32 = all.iter().filter(|(edge, _)| **edge != q.edge).map(|(_, (count, _))| count).sum();
        let given = q.want.min(q.places.saturating_sub(others));
        all.insert(q.edge.clone(), (given, now + q.ttl_ms * 1000));
        given
    }
}
