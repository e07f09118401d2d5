//! Whatever a spec says, checking it ends with findings or a plan that the reader accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::format;
use mcpc::check::{MemoryFiles, check_files};

fuzz_target!(|text: &str| {
    let report = check_files(&MemoryFiles::one("spec.toml", text));
    for diagnostic in &report.diagnostics {
        let (start, end) = (diagnostic.start(&report.sources), diagnostic.end(&report.sources));
        assert!(start.line >= 1 && start.column >= 1 && start.offset <= end.offset);
    }
    if let Some(contents) = &report.contents {
        format::write(contents).expect("what is checked can be built");
    }
});
