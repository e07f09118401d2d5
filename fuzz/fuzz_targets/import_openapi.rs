//! Whatever a document says, it is refused, or what is imported from it has no errors.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpc::check::{MemoryFiles, check_files};
use mcpc::import::openapi::{self, Options};
use mcpc::import::{document, finish};

fuzz_target!(|bytes: &[u8]| {
    let Ok(json) = document::read(bytes) else { return };
    let options = Options { by_tag: bytes.len() % 2 == 0, compact: bytes.len() % 3 == 0, ..Options::default() };
    let Ok(imported) = openapi::import(&json, &options) else { return };
    let finished = finish(imported);
    let mut files = MemoryFiles::default();
    for file in &finished.files {
        files.add(&file.name, &file.text);
    }
    assert_eq!(check_files(&files).errors(), 0);
});
