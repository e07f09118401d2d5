//! What the figures were taken on and with.

use std::process::Command;

/// Exactly these are installed and built: they are pinned.
const LOCK: &str = include_str!("../../../Cargo.lock");
const REQUIREMENTS: &str = include_str!("../../contenders/requirements.txt");
const PACKAGE: &str = include_str!("../../contenders/package.json");

/// Names and values, in display order. What a machine does not report is left out.
pub fn describe() -> Vec<(&'static str, String)> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    // This process is bound to some of the cores, so it is not asked.
    let cores = read("/proc/cpuinfo").lines().filter(|line| line.starts_with("processor")).count();
    let profile =
        if cfg!(debug_assertions) { "**dev: the figures mean nothing**" } else { "release, thin LTO" };
    let known = [
        ("date", said("date", &["-u", "+%F %H:%M UTC"])),
        ("commit", said("git", &["describe", "--always", "--dirty"])),
        ("CPU", value_of(&read("/proc/cpuinfo"), "model name")),
        ("cores", Some(cores.to_string())),
        ("memory", value_of(&read("/proc/meminfo"), "MemTotal").as_deref().and_then(gibibytes)),
        ("kernel", Some(read("/proc/sys/kernel/osrelease").trim().to_owned())),
        ("load before", Some(read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" "))),
        ("rustc", said("rustc", &["--version"])),
        ("profile", Some(profile.to_owned())),
        ("Pingora", locked("pingora-core")),
        ("axum, hyper", pair("axum", "hyper")),
        ("rmcp, reqwest", pair("rmcp", "reqwest")),
    ];
    known
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
        .collect()
}

pub fn nginx() -> Option<String> {
    // nginx says its version on stderr.
    let output = Command::new("nginx").arg("-v").output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    text.rsplit_once('/').map(|(_, version)| version.to_owned())
}

/// With the interpreter that runs it.
pub fn fastmcp(python: &str) -> Option<String> {
    let version = |name: &str| pinned(REQUIREMENTS, name);
    let words = ["fastmcp", "httpx", "uvicorn", "uvloop"].map(|name| format!("{name} {}", version(name)));
    Some(format!("{}, {}", words.join(", "), said(python, &["--version"])?))
}

pub fn typescript() -> Option<String> {
    let package: serde_json::Value = serde_json::from_str(PACKAGE).ok()?;
    let version = |name: &str| Some(package.get("dependencies")?.get(name)?.as_str()?.to_owned());
    let (sdk, undici) = (version("@modelcontextprotocol/sdk")?, version("undici")?);
    Some(format!("{sdk}, undici {undici}, Node {}", said("node", &["--version"])?))
}

/// The first line that a command prints.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| line.trim().to_owned())
}

/// Of a line `name : value`.
fn value_of(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

/// Of a text like `2097152 kB`.
fn gibibytes(text: &str) -> Option<String> {
    let kibibytes: f64 = text.split(' ').next()?.parse().ok()?;
    Some(format!("{:.1} GiB", kibibytes / 1024.0 / 1024.0))
}

fn pair(one: &str, other: &str) -> Option<String> {
    Some(format!("{}, {}", locked(one)?, locked(other)?))
}

/// Of a crate in `Cargo.lock`.
fn locked(name: &str) -> Option<String> {
    let (_, after) = LOCK.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    after.split('"').next().map(str::to_owned)
}

fn pinned(requirements: &str, name: &str) -> String {
    let mut lines = requirements.lines().filter_map(|line| line.split_once("=="));
    lines.find(|(known, _)| *known == name).map(|(_, version)| version.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_of_all_contenders_are_pinned() {
        for name in ["axum", "hyper", "pingora-core", "reqwest", "rmcp"] {
            assert!(
                locked(name).is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
            );
        }
        for name in ["fastmcp", "httpx", "httptools", "uvicorn", "uvloop"] {
            assert!(pinned(REQUIREMENTS, name).starts_with(|first: char| first.is_ascii_digit()), "{name}");
        }
        let package: serde_json::Value = serde_json::from_str(PACKAGE).expect("JSON");
        for (name, version) in package["dependencies"].as_object().expect("dependencies") {
            let version = version.as_str().expect("a version");
            assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{name} {version}");
        }
    }

    #[test]
    fn values_are_found_by_their_names() {
        assert_eq!(
            value_of("processor\t: 0\nmodel name\t: Some CPU\n", "model name").as_deref(),
            Some("Some CPU")
        );
        assert_eq!(value_of("", "model name"), None);
        assert_eq!(gibibytes("2621440 kB").as_deref(), Some("2.5 GiB"));
        assert_eq!(pinned("# a\nhttpx2==1\nhttpx==0.28.1\n", "httpx"), "0.28.1");
    }
}
