//! Whatever a configuration of Higress or Unla says, importing it ends with specs that have no errors.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpc::check::{MemoryFiles, check_files};
use mcpc::import::{Imported, document, finish, higress, unla};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(documents) = higress::read(bytes)
        && let Ok(imported) = higress::import(&documents, "server.yaml", Some("server"))
    {
        written(imported);
    }
    if let Ok(document) = document::read(bytes)
        && let Ok(imported) = unla::import(&document, "gateway.yaml", Some("gateway"))
    {
        written(imported);
    }
});

fn written(imported: Imported<'_>) {
    let mut files = MemoryFiles::default();
    for file in finish(imported).files {
        assert!(!file.name.contains(['/', '\\']));
        files.add(&file.name, &file.text);
    }
    let report = check_files(&files);
    assert!(report.contents.is_some(), "{:?}", report.diagnostics);
}
