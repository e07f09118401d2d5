//! A bar while a person waits. It is drawn on a terminal only, on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcp_diagnostics::visible::one_line;
use std::time::Duration;

/// How often the bar shows that something still goes on.
const TICK: Duration = Duration::from_millis(100);

/// Gone when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// For so many servers.
    pub fn of(servers: usize) -> Progress {
        // It draws nothing where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(Some(servers as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{spinner} {pos}/{len} servers  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        Progress(bar)
    }

    /// Another server has answered, or failed.
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
