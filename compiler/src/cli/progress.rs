//! A bar while a person waits. It is drawn on a terminal only, on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
#[cfg(feature = "dev")]
use mcp_diagnostics::visible::one_line;
use std::time::Duration;

/// How often the bar shows that something still goes on.
const TICK: Duration = Duration::from_millis(100);

/// Gone when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// For so many servers.
    #[cfg(feature = "dev")]
    pub fn of(servers: usize) -> Progress {
        Progress::new(servers as u64, "{spinner} {pos}/{len} servers  {msg}")
    }

    fn new(length: u64, template: &str) -> Progress {
        // It draws nothing where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        Progress(bar)
    }

    /// For so many bytes.
    #[cfg(feature = "remote")]
    pub fn of_bytes(bytes: u64) -> Progress {
        Progress::new(bytes, "{spinner} {wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}")
    }

    /// So many bytes have gone.
    #[cfg(feature = "remote")]
    pub fn at(&self, bytes: u64) {
        self.0.set_position(bytes);
    }

    /// Another server has answered, or failed.
    #[cfg(feature = "dev")]
    pub fn one_more(&self, name: &str) {
        self.0.set_message(one_line(name).into_owned());
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
