//! Calls of an audit log again, without a network: the request that each made, and whether another bundle would have made the same.

mod read;
mod report;

pub use read::{Call, Entry, Line, Lines, Recorded};
pub use report::{Format, Report};

use crate::exercise::placeholders::{Draft, StandIns};
use mcp_bundle::bind::Scratch;
use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::format::Bundle;
use mcp_bundle::template::Ambient;
use std::io::BufRead;

/// A bundle that calls are made with.
#[derive(Debug)]
pub struct Replayer {
    bundle: Bundle,
    revision: String,
    matchers: Matchers,
    /// Secrets are not known here, nor needed.
    stand_ins: StandIns,
    scratch: Scratch,
}

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Derived {
    Request(Box<Draft>),
    /// Nothing is sent: the response is in the bundle.
    Fixed,
    /// The arguments are refused, in these words.
    Refused(String),
    UnknownTool,
}

/// What there was in a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub lines: u64,
    pub calls: u64,
    /// Calls whose request was derived again.
    pub derived: u64,
    /// Of those, the ones that another bundle would have made differently.
    pub differ: u64,
    /// Of those, the ones that the edge refused and the bundle does not, or the other way round.
    pub contradict: u64,
    pub other_revision: u64,
    pub without_arguments: u64,
    /// Calls with values of `sensitive` parameters, which are never recorded.
    pub hidden: u64,
    /// Messages that were refused before they reached a tool.
    pub refused: u64,
    /// Lines that the edge left out.
    pub dropped: u64,
    pub broken: u64,
}

impl Counts {
    pub fn is_clean(&self) -> bool {
        self.differ + self.contradict + self.broken == 0 && (self.calls == 0 || self.derived > 0)
    }
}

impl Replayer {
    pub fn new(bundle: Bundle) -> Replayer {
        let (matchers, stand_ins) = (Matchers::new(&bundle.contents), StandIns::new(&bundle.contents));
        let revision = bundle.revision.to_string();
        Replayer { bundle, revision, matchers, stand_ins, scratch: Scratch::default() }
    }

    pub fn revision(&self) -> &str {
        &self.revision
    }

    fn derive(&mut self, tool: &str, arguments: &str, ambient: Ambient) -> Derived {
        let Replayer { bundle, matchers, stand_ins, scratch, .. } = self;
        let contents = &bundle.contents;
        let Some((_, plan)) = contents.tool(tool) else { return Derived::UnknownTool };
        match stand_ins.bind(contents, matchers, plan, arguments, ambient, scratch) {
            Ok(_) if plan.request().is_none() => Derived::Fixed,
            Ok(draft) => Derived::Request(Box::new(draft)),
            Err(error) => Derived::Refused(error.to_string()),
        }
    }
}

/// Goes through a log, a line at a time.
pub fn replay<R: BufRead>(
    log: R,
    bundle: &mut Replayer,
    mut against: Option<&mut Replayer>,
    report: &mut Report<'_>,
) -> std::io::Result<Counts> {
    let mut lines = Lines::new(log);
    let mut counts = Counts::default();
    report.begin(bundle.revision(), against.as_ref().map(|against| against.revision()))?;
    while let Some(Line { number, entry }) = lines.read()? {
        counts.lines += 1;
        match entry {
            Entry::Refused => counts.refused += 1,
            Entry::Dropped(lines) => counts.dropped = counts.dropped.saturating_add(lines),
            Entry::Broken(why) => {
                counts.broken += 1;
                report.broken(number, why)?;
            }
            Entry::Call(call) => {
                counts.calls += 1;
                replay_call(number, &call, bundle, against.as_deref_mut(), &mut counts, report)?;
            }
        }
    }
    report.end(&counts)?;
    Ok(counts)
}

fn replay_call(
    number: u64,
    call: &Call,
    bundle: &mut Replayer,
    against: Option<&mut Replayer>,
    counts: &mut Counts,
    report: &mut Report<'_>,
) -> std::io::Result<()> {
    if call.revision != bundle.revision {
        counts.other_revision += 1;
        return Ok(());
    }
    let Some((arguments, ambient)) = call.arguments.whole() else {
        match call.arguments {
            Recorded::Partly => counts.hidden += 1,
            _ => counts.without_arguments += 1,
        }
        return Ok(());
    };
    counts.derived += 1;
    let derived = bundle.derive(&call.tool, arguments, ambient);
    let contradicts = call.was_refused != matches!(derived, Derived::Refused(_) | Derived::UnknownTool);
    counts.contradict += u64::from(contradicts);
    let Some(against) = against else {
        return report.derived(number, call, &derived, contradicts);
    };
    let other = against.derive(&call.tool, arguments, ambient);
    let differs = derived != other;
    counts.differ += u64::from(differs);
    if differs || contradicts {
        report.differs(number, call, &derived, &other, contradicts)?;
    }
    Ok(())
}
