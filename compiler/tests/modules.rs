//! The modules of a crate import each other in one direction only: no chain of imports leads back to where it began. So what a
//! later stage derives does not live in an earlier stage's module.
//!
//! Only the top-level modules count, and only code that is not a test. All modules have one style of files.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_module_imports_itself_through_others() {
    for name in ["bundle", "compiler", "diagnostics", "http1", "proxy", "sources"] {
        let imports = imports(name);
        let cyclic: Vec<_> =
            imports.keys().filter(|module| reached(&imports, module).contains(*module)).collect();
        assert!(cyclic.is_empty(), "modules of {name} that import each other: {cyclic:?}");
    }
}

#[test]
fn a_module_with_modules_of_its_own_is_the_mod_rs_of_its_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in ["bundle", "compiler", "diagnostics", "http1", "proxy", "sources"] {
        let mut beside = Vec::new();
        find_files_beside_their_folder(&root.join(name).join("src"), &mut beside);
        assert!(beside.is_empty(), "modules that belong into `mod.rs` of their folder: {beside:?}");
    }
}

fn find_files_beside_their_folder(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_files_beside_their_folder(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && path.with_extension("").is_dir() {
            found.push(path);
        }
    }
}

/// What each top-level module of a crate imports of the others.
fn imports(name: &str) -> Imports {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name).join("src");
    let mut imports = Imports::new();
    for entry in std::fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !matches!(module.as_str(), "lib" | "main") {
            let all = imports.entry(module.clone()).or_default();
            collect(&path, all);
            all.remove(&module);
        }
    }
    assert!(imports.len() > 5, "{name} has modules");
    imports
}

/// All modules that a module imports, and those that they import.
fn reached(imports: &Imports, module: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![module];
    while let Some(module) = next.pop() {
        for imported in imports.get(module).into_iter().flatten() {
            if reached.insert(imported.clone()) {
                next.push(imported);
            }
        }
    }
    reached
}

fn collect(path: &Path, imports: &mut BTreeSet<String>) {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    if stem.ends_with("tests") || stem == "testing" && path.is_file() {
        return;
    }
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), imports);
        }
        return;
    }
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("crate::") {
            rest = after;
            // `$crate::` in a macro is an import of the user of the macro.
            if before.ends_with(|c: char| c == '$' || c.is_alphanumeric() || c == '_') {
                continue;
            }
            let names = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap().split(',').collect(),
                None => vec![rest],
            };
            for name in names {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                imports.insert(name.trim().split(|c| !is_word(c)).next().unwrap().to_owned());
            }
        }
    }
}
