//! Writes log lines on a thread of its own, so that a reader who stalls never stalls a request. What does not fit into the
//! queue is dropped, and counted in the log itself.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait.
const WAITING: usize = 4096;

/// How long the end of the process waits for the last lines.
const FAREWELL: Duration = Duration::from_secs(1);

/// Where lines are handed over.
#[derive(Debug, Clone)]
pub struct LogWriter {
    lines: SyncSender<Entry>,
    dropped: Arc<AtomicU64>,
}

#[derive(Debug)]
enum Entry {
    Line(Vec<u8>),
    /// Tells when all lines before it are written.
    Mark(SyncSender<()>),
}

impl LogWriter {
    /// Starts the thread.
    pub fn new(target: impl Write + Send + 'static) -> LogWriter {
        let (lines, received) = sync_channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        std::thread::spawn(move || write_all(&received, &counted, target));
        LogWriter { lines, dropped }
    }

    /// Waits until what was logged so far is written, but not for ever.
    pub fn flush(&self) {
        let (told, tell) = sync_channel(1);
        let lines = self.lines.clone();
        // It may have to wait for room in the queue; the process does not wait for it.
        std::thread::spawn(move || lines.send(Entry::Mark(told)));
        let _ = tell.recv_timeout(FAREWELL);
    }
}

fn write_all(lines: &Receiver<Entry>, dropped: &AtomicU64, mut target: impl Write) {
    for entry in lines {
        // There is nobody to tell that the log cannot be written.
        let _ = match entry {
            Entry::Line(line) => target.write_all(&line),
            Entry::Mark(told) => told.send(()).or(Ok(())),
        };
        match dropped.swap(0, Ordering::Relaxed) {
            0 => {}
            count => {
                let _ = writeln!(target, "{count} log lines were dropped: nobody read them in time");
            }
        }
    }
}

impl<'w> MakeWriter<'w> for LogWriter {
    type Writer = LogWriter;

    fn make_writer(&'w self) -> LogWriter {
        self.clone()
    }
}

/// The subscriber writes each line at once.
impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Err(TrySendError::Full(_)) = self.lines.try_send(Entry::Line(line.to_vec())) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Stands still until it is let go.
    #[derive(Clone, Default)]
    struct Gate {
        text: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.text.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_arrive_in_order() {
        let gate = Gate::default();
        let mut writer = LogWriter::new(gate.clone());
        for line in ["a\n", "b\n"] {
            writer.write_all(line.as_bytes()).unwrap();
        }
        LogWriter::flush(&writer);
        assert_eq!(*gate.text.lock().unwrap(), b"a\nb\n");
    }

    #[test]
    fn a_reader_who_stalls_costs_lines_and_not_time() {
        let gate = Gate::default();
        let mut writer = LogWriter::new(gate.clone());
        let closed = gate.text.lock().unwrap();
        // One more than fit into the queue and the hands of the thread.
        for _ in 0..WAITING + 2 {
            writer.write_all(b"x\n").unwrap();
        }
        drop(closed);
        LogWriter::flush(&writer);
        writer.write_all(b"last\n").unwrap();
        LogWriter::flush(&writer);
        let text = String::from_utf8(gate.text.lock().unwrap().clone()).unwrap();
        assert!(text.contains("log lines were dropped"), "{}", text.len());
        assert!(text.ends_with("last\n"));
    }
}
