//! Loading a bundle from disk.

use mcp_bundle::format;
use mcp_bundle::plan::Contents;
use mcp_edge::{LoadError, load};

#[test]
fn a_bundle_on_disk_loads_and_a_damaged_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.mcpk");
    let mut builder = mcp_bundle::strings::PoolBuilder::new();
    let mut contents = Contents::default();
    contents.manifest.name = builder.intern("empty");
    contents.strings = builder.finish();
    let mut bytes = format::write(&contents).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(load(&path, &[]).unwrap().contents, contents);

    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(load(&path, &[]), Err(LoadError::Invalid { .. })));
}

#[test]
fn a_missing_file_is_told_apart_from_a_bad_one() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(load(&folder.path().join("none"), &[]), Err(LoadError::Source(_))));
    assert!(matches!(load(folder.path(), &[]), Err(LoadError::Source(_))), "a folder");
}
