//! Signals that stop the command.

use super::Event;
use std::sync::mpsc::SyncSender;

/// Sends [`Event::Stop`] on the first signal and ends the process on the second.
pub fn stop_on_signal(events: SyncSender<Event>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Before the greeting is printed: from then on a signal must stop it cleanly.
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    std::thread::spawn(move || {
        runtime.block_on(signals.next());
        let _ = events.send(Event::Stop);
        runtime.block_on(signals.next());
        std::process::exit(130);
    });
    Ok(())
}

/// Signals that ask a process to stop.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Signals { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
