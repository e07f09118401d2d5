//! A timer of the kernel: tokio's own rounds up to milliseconds, which is more than a whole answer takes here.

use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec};
use rustix::time::{timerfd_create, timerfd_settime};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub struct Timer(AsyncFd<OwnedFd>);

impl Timer {
    /// Must be called within a runtime.
    #[expect(
        deprecated,
        reason = "unsound for types that change their descriptor, which an `OwnedFd` never does"
    )]
    pub fn new() -> io::Result<Timer> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        Ok(Timer(AsyncFd::new(timerfd_create(TimerfdClockId::Monotonic, flags)?)?))
    }

    /// Returns once this time has passed.
    pub async fn wait(&self, time: Duration) -> io::Result<()> {
        // No time at all would stop the timer.
        let time = time.max(Duration::from_nanos(1));
        let once = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: Timespec {
                tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: time.subsec_nanos().into(),
            },
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once)?;
        loop {
            let mut expired = [0; 8];
            let mut ready = self.0.readable().await?;
            let read = ready.try_io(|timer| Ok(rustix::io::read(timer, &mut expired)?));
            // Otherwise it was not ready after all.
            if let Ok(read) = read {
                return read.map(|_| ());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[tokio::test]
    async fn it_never_returns_too_early_and_can_be_used_again() {
        let timer = Timer::new().expect("a timer");
        for time in [Duration::ZERO, Duration::from_micros(300), Duration::from_millis(2)] {
            let begin = Instant::now();
            timer.wait(time).await.expect("a timer that ends");
            assert!(begin.elapsed() >= time, "{time:?}");
        }
    }
}
