//! From specs to a loaded bundle, with the real commands.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// A binary of the workspace, which lies beside this test's own folder.
fn binary(name: &str) -> Command {
    let target = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_path_buf();
    let path = target.join(name);
    assert!(path.is_file(), "run the tests of the whole workspace: `{}` is not built", path.display());
    Command::new(path)
}

fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn line<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim()
}

#[test]
fn a_signed_bundle_of_the_real_specs_loads_at_the_edge() {
    let folder = tempfile::tempdir().unwrap();
    let (key, bundle) = (folder.path().join("key"), folder.path().join("demo.mcpk"));
    assert_eq!(run(binary("mcpc").args(["keygen", "-o"]).arg(&key)).0, 0);
    let (code, built, errors) = run(binary("mcpc")
        .current_dir(root())
        .args(["build", "tool-specs", "--deny", "warnings", "-o"])
        .arg(&bundle)
        .arg("--sign")
        .arg(&key));
    assert_eq!((code, errors.as_str()), (0, ""), "{built}");

    let public = folder.path().join("key.pub");
    let (code, loaded, errors) = run(binary("mcp-edge").arg("check").arg(&bundle).arg("--key").arg(&public));
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(line(&loaded, "revision"), line(&built, "revision"));
    assert_eq!(line(&loaded, "needs").replace(" (no value here)", ""), line(&built, "needs"));
    assert!(line(&loaded, "needs").contains("GITHUB_TOKEN"));

    let other = folder.path().join("other");
    assert_eq!(run(binary("mcpc").args(["keygen", "-o"]).arg(&other)).0, 0);
    let other = folder.path().join("other.pub");
    let (code, _, errors) = run(binary("mcp-edge").arg("check").arg(&bundle).arg("--key").arg(&other));
    assert_eq!(code, 1);
    assert!(errors.contains("demo.mcpk"), "{errors}");
}

#[test]
fn the_revision_of_the_real_specs_is_the_recorded_one() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("demo.mcpk");
    let (code, built, errors) =
        run(binary("mcpc").current_dir(root()).args(["build", "tool-specs", "-o"]).arg(&bundle));
    assert_eq!(code, 0, "{errors}");
    let recorded = std::fs::read_to_string(root().join("tests/fixtures/tool-specs.revision")).unwrap();
    // Refresh the record with the revision that `mcpc build tool-specs` prints, if the change is meant.
    assert_eq!(line(&built, "revision"), recorded.trim());
}

#[test]
fn a_bundle_that_is_not_there_or_not_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.mcpk");
    assert_eq!(run(binary("mcp-edge").arg("check").arg(&path)).0, 2);
    std::fs::write(&path, "not a bundle").unwrap();
    let (code, _, errors) = run(binary("mcp-edge").arg("check").arg(&path));
    assert_eq!(code, 1);
    assert!(errors.contains("x.mcpk"), "{errors}");
}
