//! `mcpc import openapi`, as people run it: good documents, and bad ones.

mod cli_support;

use cli_support::Workplace;
use std::io::Write;

const SHOP: &str = include_str!("../src/import/openapi/tests/shop.yaml");

/// The error of an import that writes nothing.
fn refused(document: &str) -> String {
    let place = Workplace::new();
    place.write("api.yaml", document);
    let done = place.run(&["import", "openapi", "api.yaml", "-o", "out"]);
    assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
    assert_eq!(place.files(), ["api.yaml"], "nothing is written");
    done.err
}

#[test]
fn a_document_becomes_specs_that_pass_their_check_and_their_tests() {
    let place = Workplace::new();
    place.write("shop.yaml", SHOP);
    let done = place.run(&["import", "openapi", "shop.yaml", "-o", "out"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("tools: 3 imported, 0 refused"), "{}", done.out);
    assert!(done.out.contains("wrote out/shop.toml: 3 tools"), "{}", done.out);
    assert!(done.out.contains("refused: callback (1)"), "{}", done.out);
    assert_eq!(place.run(&["check", "out"]).code, 0);
    assert_eq!(place.run(&["test", "out"]).code, 0);
    assert_eq!(place.run(&["build", "out", "-o", "shop.mcpk"]).code, 0);
    let again = place.run(&["import", "openapi", "shop.yaml", "-o", "other"]);
    assert_eq!(again.code, 0);
    assert_eq!(place.read("out/shop.toml"), place.read("other/shop.toml"));
}

#[test]
fn a_dry_run_writes_nothing_and_json_says_everything() {
    let place = Workplace::new();
    place.write("shop.yaml", SHOP);
    let done = place.run(&["import", "openapi", "shop.yaml", "--dry-run", "--format", "json"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(place.files(), ["shop.yaml"]);
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(report["tools"]["imported"], 3);
    let findings = report["findings"].as_array().unwrap();
    let sum = |fate: &str| -> u64 {
        let of_fate = findings.iter().filter(|finding| finding["fate"] == fate);
        of_fate.map(|finding| finding["members"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum("changed"), report["changed"].as_u64().unwrap());
    assert_eq!(sum("refused"), report["refused"].as_u64().unwrap());
    assert!(findings.iter().any(|finding| finding["fate"] == "kept" && finding["place"] == "/openapi"));
}

#[test]
fn nothing_is_overwritten_without_force() {
    let place = Workplace::new();
    place.write("shop.yaml", SHOP);
    place.write("out/shop_orders.toml", "mine");
    let by_tag = ["import", "openapi", "shop.yaml", "-o", "out", "--by-tag"];
    let done = place.run(&by_tag);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.err.contains("`out/shop_orders.toml` already exists"), "{}", done.err);
    assert_eq!(place.read("out/shop_orders.toml"), b"mine");
    assert!(!place.path("out/shop.toml").exists(), "all files or none");
    let done = place.run(&[&by_tag[..], &["--force"]].concat());
    assert_eq!(done.code, 0, "{done:?}");
    assert!(place.path("out/shop.toml").exists());
}

#[test]
fn standard_input_is_a_document() {
    let place = Workplace::new();
    let mut command = place.command(&["import", "openapi", "-", "-o", "out", "--max-tools", "1"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(SHOP.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("1 tool"), "one was asked for");
}

#[test]
fn what_is_no_openapi_document_is_explained() {
    assert!(refused("").contains("it is empty"));
    assert!(refused("[]").contains("this is not an OpenAPI document: it is an array"));
    assert!(refused("a: b").contains("it has neither `openapi` nor `swagger`"));
    assert!(refused("openapi: '4'\npaths: {}").contains("convert the document"));
    assert!(refused("openapi: 3.0.0\npaths: {}").contains("no operations"));
    assert!(refused("openapi: [3").contains("line 1"));
    assert!(refused("a: &a [*a]\n").contains("has no end"));
    let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for i in 1..20 {
        bomb += &format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(","));
    }
    assert!(refused(&bomb).contains("repeat too much"));
}

#[test]
fn what_cannot_be_read_is_explained() {
    let place = Workplace::new();
    let gone = place.run(&["import", "openapi", "gone.yaml"]);
    assert_eq!(gone.code, 2);
    assert!(gone.err.contains("`gone.yaml` cannot be read: no such file"), "{}", gone.err);
    let url = place.run(&["import", "openapi", "https://example.com/api.json"]);
    assert!(url.err.contains("nothing from the network"), "{}", url.err);
    let long = std::fs::File::create(place.path("long.json")).unwrap();
    long.set_len(200 * 1024 * 1024).unwrap();
    let long = place.run(&["import", "openapi", "long.json"]);
    assert_eq!(long.code, 2);
    assert!(long.err.contains("it has 200 MiB or more; an import reads at most 64 MiB"), "{}", long.err);
    let folder = place.run(&["import", "openapi", "."]);
    assert!(folder.err.contains("it is a folder"), "{}", folder.err);
}

#[test]
fn options_that_select_nothing_are_misspelt() {
    let place = Workplace::new();
    place.write("shop.yaml", SHOP);
    let error = |options: &[&str]| {
        let done = place.run(&[&["import", "openapi", "shop.yaml", "-o", "out"][..], options].concat());
        assert_eq!(done.code, 2, "{done:?}");
        done.err
    };
    assert!(error(&["--tag", "order"]).contains("no operation has the tag `order`; did you mean `orders`?"));
    assert!(error(&["--path", "/nothing/**"]).contains("no path matches `/nothing/**`"));
    assert!(error(&["--operation", "x"]).contains("no operation has the id `x`"));
    assert!(error(&["--method", "PUT"]).contains("none of the 3 operations was asked for"));
    assert!(error(&["--bearer-env", "a b"]).contains("the name of a variable"));
    assert!(error(&["--bearer-env", "1abc"]).contains("the name of a variable"));
    assert!(error(&["--server", "shop"]).contains("takes a URL"));
    for url in [
        "https://{x}.a b",
        "https://a b.example",
        "https://a.example/{x}",
        "https://a.example?x=1",
        "https://",
    ] {
        assert!(error(&["--server", url]).contains("a host with a path"), "{url}");
    }
    assert!(error(&["--name", "日本"]).contains("`--name` takes letters"));
    assert!(error(&["--prefix", "é"]).contains("`--prefix` takes letters"));
    assert!(!place.path("out").exists());
}

/// Hostile names: files stay in the folder, tools have names of their own.
#[test]
fn names_lead_nowhere_and_never_collide() {
    let place = Workplace::new();
    let document = r##"{"openapi":"3.0.0","info":{"title":"../../../etc/passwd","version":"1"},"servers":[{"url":"https://a.example"}],
        "paths":{"/a":{"get":{"operationId":"../x","tags":["../../up"],"summary":"Gets the first of the things","responses":{}}},
        "/b":{"get":{"operationId":"..\\x","tags":["../../up"],"summary":"Gets the other of the things","responses":{}}},
        "/c":{"get":{"operationId":"🦀","tags":["🦀"],"summary":"\u001b[31mGets\u202e \"\"\" '''","responses":{}}}}}"##;
    place.write("api.json", document);
    let done = place.run(&["import", "openapi", "api.json", "-o", "out", "--by-tag"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(!done.out.contains('\u{1b}'));
    assert_eq!(place.files(), ["api.json", "out"]);
    let mut files: Vec<String> = std::fs::read_dir(place.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    files.sort();
    assert_eq!(files, ["etc_passwd.toml", "etc_passwd_up.toml"]);
    assert_eq!(place.run(&["check", "out"]).code, 0);
}
