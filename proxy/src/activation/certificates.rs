//! The certificates of the listeners, read again with everything else.

use super::ActivationError;
use crate::process::Listener;
use crate::transport::{Certificate, Served, TlsFiles};
use mcp_diagnostics::Stamp;
use std::path::Path;
use std::sync::Arc;

/// What the listeners show, and where it is read from.
#[derive(Debug, Default)]
pub(super) struct Certificates(Vec<Shown>);

#[derive(Debug)]
struct Shown {
    served: Arc<Served>,
    /// Of its listener.
    address: String,
    files: TlsFiles,
    /// Of the files that were read last.
    stamps: Vec<Stamp>,
}

/// Certificates that were read, but are not shown yet.
pub(super) struct Read(Vec<Option<(Certificate, Vec<Stamp>)>>);

impl Certificates {
    /// `shown` are in the order of the listeners.
    pub(super) fn new(listeners: &[Listener], shown: Vec<Option<Arc<Served>>>) -> Certificates {
        let both = listeners.iter().zip(shown);
        let shown = both.filter_map(|(listener, served)| {
            let files = listener.tls.clone()?;
            let (stamps, address) = (stamps(&files), listener.address.clone());
            Some(Shown { served: served?, address, files, stamps })
        });
        Certificates(shown.collect())
    }

    /// The files that a new configuration names. A listener that is not in it, or has no TLS there, waits for an upgrade and
    /// shows what it did.
    pub(super) fn follow(&mut self, listeners: &[Listener]) {
        for shown in &mut self.0 {
            let mut same = listeners.iter().filter(|listener| listener.address == shown.address);
            let files = same.find_map(|listener| listener.tls.as_ref());
            if let Some(files) = files.filter(|files| shown.files != **files) {
                shown.files = files.clone();
                shown.stamps = Default::default();
            }
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().flat_map(|shown| shown.files.paths())
    }

    /// Whether a file may have changed.
    pub(super) fn probe(&self) -> bool {
        self.0.iter().any(|shown| !shown.is_same(&stamps(&shown.files)))
    }

    /// Reads what has changed, or everything. What is wrong is remembered as seen: it is not read again until it changes.
    pub(super) fn read(&mut self, everything: bool) -> Result<Read, ActivationError> {
        let mut read = Vec::new();
        let mut wrong = None;
        for shown in &mut self.0 {
            // Taken before reading: what is written in between is seen as a change the next time.
            let now = stamps(&shown.files);
            if !everything && shown.is_same(&now) {
                read.push(None);
                continue;
            }
            match Certificate::read(&shown.files) {
                Ok(certificate) => read.push(Some((certificate, now))),
                Err(errors) => {
                    shown.stamps = now;
                    wrong = wrong.or_else(|| errors.into_iter().next());
                    read.push(None);
                }
            }
        }
        wrong.map_or(Ok(Read(read)), |error| Err(error.into()))
    }

    /// Shows what was read.
    pub(super) fn show(&mut self, read: Read) {
        for (shown, read) in self.0.iter_mut().zip(read.0) {
            if let Some((certificate, stamps)) = read {
                shown.served.replace(certificate);
                shown.stamps = stamps;
            }
        }
    }
}

impl Shown {
    fn is_same(&self, now: &[Stamp]) -> bool {
        self.stamps.len() == now.len() && self.stamps.iter().zip(now).all(|(before, now)| now.is_same(before))
    }
}

fn stamps(files: &TlsFiles) -> Vec<Stamp> {
    files.paths().map(Stamp::of).collect()
}
