//! Whatever a spec says, both ways to read it agree, and checking it ends with findings or a plan that the reader accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::format;
use mcpc::check::{MemoryFiles, check_files};
use mcpc::toml_tree::{quick, read_carefully};

fuzz_target!(|text: &str| {
    if let Some(quick) = quick::read(text) {
        let (careful, errors) = read_carefully(text);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(format!("{quick:?}"), format!("{careful:?}"));
    }
    let report = check_files(&MemoryFiles::one("spec.toml", text));
    for diagnostic in &report.diagnostics {
        let (start, end) = (diagnostic.start(&report.sources), diagnostic.end(&report.sources));
        assert!(start.line >= 1 && start.column >= 1 && start.offset <= end.offset);
    }
    if let Some(contents) = &report.contents {
        format::write(contents).expect("what is checked can be built");
    }
});
