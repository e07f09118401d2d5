//! What the figures were taken on.

use std::process::Command;

/// One paragraph of Markdown.
pub fn description() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown CPU".to_owned());
    let memory = field(&read("/proc/meminfo"), "MemTotal").as_deref().and_then(gib).unwrap_or_default();
    let kernel = read("/proc/sys/kernel/osrelease");
    let compiler = said("rustc", &["--version"]);
    let revision = said("git", &["describe", "--always", "--dirty"]);
    let date = said("date", &["-u", "+%Y-%m-%d"]);
    format!(
        "{date}, revision {revision}: {cores} × {model}, {memory:.0} GiB, Linux {}, {compiler}, release profile (thin LTO, \
         one codegen unit), mimalloc, everything on loopback.",
        kernel.trim()
    )
}

/// The first line that a command prints; `unknown` where it cannot be run.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    text.lines().next().map_or_else(|| "unknown".to_owned(), str::to_owned)
}

fn field(text: &str, name: &str) -> Option<String> {
    let (_, value) =
        text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == name)?;
    Some(value.trim().to_owned())
}

fn gib(kib: &str) -> Option<f64> {
    let kib: f64 = kib.split(' ').next()?.parse().ok()?;
    Some(kib / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 106\nmodel name\t: Some CPU @ 2 GHz\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(field(text, "cores"), None);
        assert_eq!(gib("25165824 kB"), Some(24.0));
    }
}
