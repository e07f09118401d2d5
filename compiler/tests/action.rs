//! The GitHub Action and the pre-commit hooks: read as YAML, and their lines run in a repository.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod cli_support;

use cli_support::{CLEAN, Workplace};
use mcpc::import::document;
use mcpc::language::json::Json;
use std::path::Path;
use std::process::Command;

fn document(name: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name);
    document::read(&std::fs::read(path).unwrap()).unwrap()
}

fn text<'j>(value: &'j Json, key: &str) -> &'j str {
    value.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn step<'j>(action: &'j Json, name: &str) -> &'j Json {
    let steps = action.get("runs").unwrap().get("steps").unwrap().as_array().unwrap();
    steps.iter().find(|step| text(step, "name") == name).unwrap()
}

/// What the main step did.
struct Ran {
    out: String,
    failed: bool,
    files: Vec<String>,
    summary: String,
}

fn git(place: &Workplace, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let done =
        Command::new("git").current_dir(place.path(".")).args(identity).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A repository whose first commit has `specs/`.
fn repository() -> (Workplace, String) {
    let place = Workplace::new();
    place.write("specs/shop.toml", CLEAN);
    place.write("specs/mcpc.toml", "version = \"1.0.0\"\n");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-qm", "first"]);
    let base = git(&place, &["rev-parse", "HEAD"]);
    (place, base)
}

/// Runs a step's script as the runner does, with the command that was built first in the path.
fn run(place: &Workplace, variables: &[(&str, &str)]) -> Ran {
    let action = document("action.yml");
    let script = text(step(&action, "Check, test and compare"), "run").to_owned();
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("output");
    let program = Path::new(env!("CARGO_BIN_EXE_mcpc")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command
        .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &script])
        .current_dir(place.path("."));
    let summary = folder.path().join("summary");
    command.env("GITHUB_STEP_SUMMARY", &summary);
    command.env("PATH", path).env("RUNNER_TEMP", folder.path()).env("GITHUB_OUTPUT", &output);
    for (name, value) in
        [("DENY_WARNINGS", "false"), ("DENY_RISKY", "false"), ("SEMVER", "true"), ("SPECS", "specs")]
    {
        command.env(name, value);
    }
    let done = command.envs(variables.iter().copied()).output().unwrap();
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{out}{}", String::from_utf8_lossy(&done.stderr));
    let outputs = std::fs::read_to_string(output).unwrap();
    let logs = folder.path().join("mcpc");
    assert!(outputs.contains(&format!("sarif={}\n", logs.display())), "{outputs}");
    let mut files: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(logs).unwrap() {
        let path = entry.unwrap().path();
        let log: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(log["version"], "2.1.0");
        files.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    files.sort();
    let summary = std::fs::read_to_string(summary).unwrap();
    Ran { out, failed: outputs.contains("failed=1\n"), files, summary }
}

#[test]
fn every_input_reaches_the_script_through_the_environment() {
    let action = document("action.yml");
    let mut used = String::new();
    for step in action.get("runs").unwrap().get("steps").unwrap().as_array().unwrap() {
        assert!(
            !text(step, "run").contains("${{"),
            "a value in a script could be a command: {}",
            text(step, "name")
        );
        used.push_str(&step.to_text());
    }
    for (name, input) in action.get("inputs").unwrap().as_object().unwrap() {
        assert!(used.contains(&format!("inputs.{name} ")), "{name} does nothing");
        assert!(!text(input, "description").is_empty() && input.get("default").is_some(), "{name}");
    }
    assert_eq!(text(action.get("runs").unwrap(), "using"), "composite");
}

#[test]
fn sound_specs_pass() {
    let (place, base) = repository();
    let ran = run(&place, &[("BASE", &base)]);
    assert!(!ran.failed, "{}", ran.out);
    assert_eq!(ran.files, ["check.sarif", "diff.sarif"]);
}

#[test]
fn a_break_fails_unless_the_version_says_so() {
    let (place, base) = repository();
    place.write("specs/shop.toml", CLEAN.replace("get_order", "read_order"));
    let ran = run(&place, &[("BASE", &base)]);
    assert!(ran.failed);
    assert!(
        ran.out.contains("::error file=specs/shop.toml,line=3,title=MCD0102 tool-renamed::read_order: "),
        "{}",
        ran.out
    );
    assert!(
        ran.summary.starts_with("### mcpc\n<pre>\n") && ran.summary.ends_with("</pre>\n"),
        "{}",
        ran.summary
    );
    assert!(ran.summary.contains("read_order") && ran.summary.contains("MCD0102"), "{}", ran.summary);
    place.write("specs/mcpc.toml", "version = \"2.0.0\"\n");
    assert!(!run(&place, &[("BASE", &base)]).failed);
    assert!(run(&place, &[("BASE", &base), ("SEMVER", "false")]).failed);
    let described = CLEAN.replace("Gets one", "Reads one");
    place.write("specs/shop.toml", described);
    assert!(!run(&place, &[("BASE", &base), ("SEMVER", "false")]).failed);
    assert!(run(&place, &[("BASE", &base), ("SEMVER", "false"), ("DENY_RISKY", "true")]).failed);
}

#[test]
fn what_a_spec_says_stays_text_in_the_summary() {
    let (place, base) = repository();
    place.write("specs/shop.toml", CLEAN.replace("Gets one", "</pre><img src=x> & one"));
    let ran = run(&place, &[("BASE", &base)]);
    let inside = ran.summary.trim_start_matches("### mcpc\n<pre>\n").trim_end_matches("</pre>\n");
    assert!(!inside.contains('<'), "{inside}");
}

#[test]
fn without_a_base_nothing_is_compared() {
    let (place, _) = repository();
    let zeros = "0".repeat(40);
    for (base, word) in [
        ("", "::notice::mcpc diff is skipped: there is no revision"),
        (zeros.as_str(), "::notice::mcpc diff is skipped: there is no revision"),
        ("1234567890123456789012345678901234567890", "::warning::mcpc diff is skipped: git does not have"),
    ] {
        let ran = run(&place, &[("BASE", base)]);
        assert!(ran.out.contains(word) && !ran.failed, "{base}: {}", ran.out);
        assert_eq!(ran.files, ["check.sarif"]);
    }
    let head = git(&place, &["rev-parse", "HEAD"]);
    place.write("more/a.toml", CLEAN);
    let ran = run(&place, &[("BASE", &head), ("SPECS", "more")]);
    assert!(ran.out.contains("has no more") && !ran.failed, "{}", ran.out);
}

#[test]
fn errors_and_failing_examples_fail() {
    let (place, base) = repository();
    place.write("specs/shop.toml", CLEAN.replace("method =", "metod ="));
    let ran = run(&place, &[("BASE", &base)]);
    assert!(ran.failed && ran.out.contains("::error file=specs/shop.toml"), "{}", ran.out);
    place.write(
        "specs/shop.toml",
        format!("{CLEAN}request = {{ url = \"https://api.example.com/other\" }}\n"),
    );
    assert!(run(&place, &[("BASE", &base)]).failed);
    place.write("specs/shop.toml", CLEAN.replace("https:", "http:"));
    assert!(run(&place, &[("BASE", ""), ("DENY_WARNINGS", "true")]).failed);
    assert!(!run(&place, &[("BASE", "")]).failed);
}

#[test]
fn each_hook_runs_as_it_is_written() {
    let (place, _) = repository();
    for hook in document(".pre-commit-hooks.yaml").as_array().unwrap() {
        let arguments = hook.get("args").unwrap().as_array().unwrap().iter().map(|one| one.as_str().unwrap());
        let words: Vec<&str> = text(hook, "entry").split(' ').skip(1).chain(arguments).collect();
        assert_eq!(text(hook, "entry").split(' ').next(), Some("mcpc"));
        let sound = place.run(&words);
        assert_eq!(sound.code, 0, "{words:?}: {}{}", sound.out, sound.err);
        assert_eq!(hook.get("pass_filenames").and_then(Json::as_bool), Some(false));
    }
    place.write("specs/shop.toml", CLEAN.replace("get_order", "read_order"));
    assert_eq!(place.run(&["diff", "--semver", "git:HEAD:.", "."]).code, 1);
}
