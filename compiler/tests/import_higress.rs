//! Files that Higress ships, which are in the folder of the variable `MCPC_CORPUS`.

use mcpc::check::{MemoryFiles, check_files};
use mcpc::import::{finish, higress};
use std::path::Path;

/// A template of a converter, and no server.
const NO_SERVER: &str = "mcp-scripts__yunmarket-tmpl.yaml";

/// Tools whose host an argument chooses, which is what they must not do here.
const REFUSED_TOOLS: usize = 1;

#[test]
fn all_shipped_servers_are_imported_and_have_no_errors() {
    let Some(corpus) = std::env::var_os("MCPC_CORPUS") else {
        return eprintln!("skipped: MCPC_CORPUS names no folder of documents");
    };
    let (mut files, mut refused) = (0, 0);
    for entry in std::fs::read_dir(Path::new(&corpus).join("higress")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let documents = higress::read(&std::fs::read(&path).unwrap()).unwrap();
        let imported = higress::import(&documents, &name, None);
        if name == NO_SERVER {
            assert!(imported.unwrap_err().contains("a template of the converter"));
            continue;
        }
        let finished = finish(imported.unwrap());
        assert!(finished.tools.imported > 0, "{name}: {:#?}", finished.fidelity.findings);
        let mut specs = MemoryFiles::default();
        for file in &finished.files {
            specs.add(&file.name, &file.text);
        }
        assert!(check_files(&specs).contents.is_some(), "{name} has errors");
        (files, refused) = (files + 1, refused + finished.tools.refused);
    }
    assert!(files > 30, "only {files} files");
    assert_eq!(refused, REFUSED_TOOLS);
}
