//! Writes log lines on a thread of its own, so that a reader who stalls never stalls a request. What does not fit into the
//! queue is dropped, and counted in the log itself.
//!
//! Lines are collected for a moment and written together. Waking the thread to write one line would
//! cost more than the call that the line describes.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

/// Bytes that may wait.
const WAITING: usize = 1 << 20;

/// How long a line may wait for others.
const GATHER: Duration = Duration::from_millis(5);

/// How long the end of the process waits for the last lines.
const FAREWELL: Duration = Duration::from_secs(1);

/// Where lines are handed over.
#[derive(Debug, Clone)]
pub struct LogWriter {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Wakes the thread when there are lines, or when someone waits for them.
    filled: Condvar,
    /// Wakes those who wait for lines to be written.
    written: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<u8>,
    /// Lines that did not fit.
    dropped: u64,
    /// Batches that were begun and that were written.
    begun: u64,
    written: u64,
    /// Somebody waits: nothing more is gathered.
    urgent: bool,
}

impl LogWriter {
    /// Starts the thread.
    pub fn new(target: impl Write + Send + 'static) -> LogWriter {
        let shared = Arc::<Shared>::default();
        let writing = Arc::clone(&shared);
        std::thread::spawn(move || writing.write_all(target));
        LogWriter { shared }
    }

    /// Hands one line over.
    pub(super) fn add(&self, line: &[u8]) {
        let mut queue = self.shared.lock();
        let is_first = queue.is_empty();
        if queue.lines.len() + line.len() <= WAITING {
            queue.lines.extend_from_slice(line);
        } else {
            queue.dropped += 1;
        }
        drop(queue);
        if is_first {
            self.shared.filled.notify_one();
        }
    }

    /// Waits until what was logged so far is written, but not for ever.
    pub fn flush(&self) {
        let mut queue = self.shared.lock();
        if queue.is_empty() && queue.begun == queue.written {
            return;
        }
        // What waits now is written by the next batch, if one is under way.
        let last = queue.begun + u64::from(!queue.is_empty());
        queue.urgent = true;
        self.shared.filled.notify_one();
        let _ = self.shared.written.wait_timeout_while(queue, FAREWELL, |queue| queue.written < last);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, mut target: impl Write) {
        let mut batch = Vec::new();
        loop {
            let dropped = self.next_batch(&mut batch);
            // If the log cannot be written, there is no one to report it to.
            let _ = target.write_all(&batch);
            if dropped > 0 {
                let _ = writeln!(target, "{dropped} log lines were dropped: nobody read them in time");
            }
            self.lock().written += 1;
            self.written.notify_all();
        }
    }

    /// Waits for lines and takes them, with the number of those that did not fit.
    fn next_batch(&self, batch: &mut Vec<u8>) -> u64 {
        batch.clear();
        let queue = self
            .filled
            .wait_while(self.lock(), |queue| queue.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        let gathered = self.filled.wait_timeout_while(queue, GATHER, |queue| !queue.urgent);
        let mut queue = gathered.unwrap_or_else(PoisonError::into_inner).0;
        std::mem::swap(batch, &mut queue.lines);
        queue.begun += 1;
        queue.urgent = false;
        std::mem::take(&mut queue.dropped)
    }
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.dropped == 0
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
        self.add(line);
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

    /// Blocks until it is released.
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
        // More than fit into the queue and the hands of the thread.
        let line = [&[b'x'; 99][..], b"\n"].concat();
        for _ in 0..2 * WAITING / line.len() + 2 {
            writer.write_all(&line).unwrap();
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
