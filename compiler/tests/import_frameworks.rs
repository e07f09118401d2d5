//! Documents as frameworks write them, far from what a person would write: each is imported, checked, tested and built, and
//! nothing that it has is lost.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cli_support;
mod import_support;

use cli_support::Workplace;
use import_support::{assert_counted, lost, operations};
use mcpc::import::openapi::{self, Options};
use mcpc::import::{document, finish};

/// Name, text, and what the spec must have.
const DOCUMENTS: &[(&str, &str, &[&str])] = &[
    (
        "fastapi.json",
        include_str!("fixtures/openapi/fastapi.json"),
        &["\"null\"", "encoding = \"base64\"", "body = \"multipart\"", "body = \"form\"", "whole:body"],
    ),
    (
        "spring.yaml",
        include_str!("fixtures/openapi/spring.yaml"),
        &["name = \"sort\"", "encoding = \"base64\"", "X-Tenant", "content[].id"],
    ),
    (
        "nswag.json",
        include_str!("fixtures/openapi/nswag.json"),
        &["style = \"repeat\"", "body = \"multipart\"", "id_body"],
    ),
    (
        "forms.yaml",
        include_str!("fixtures/openapi/forms.yaml"),
        &["style = \"deep\"", "https://files.pay.example", "body = \"form\"", "name = \"get_charges\""],
    ),
    (
        "kubernetes.json",
        include_str!("fixtures/openapi/kubernetes.json"),
        &["endpoint = \"/api/v1/namespaces/{namespace}/pods/{name}\"", "merge-patch+json", "dryRun"],
    ),
];

#[test]
fn documents_of_frameworks_are_imported_checked_tested_and_built() {
    for (name, text, expected) in DOCUMENTS {
        let place = Workplace::new();
        place.write(name, text);
        let done = place.run(&["import", "openapi", name, "-o", "specs", "--name", "api"]);
        assert_eq!(done.code, 0, "{name}: {}{}", done.out, done.err);
        assert_eq!(place.run(&["check", "specs"]).code, 0, "{name}");
        assert_eq!(place.run(&["test", "specs"]).code, 0, "{name}");
        assert_eq!(place.run(&["build", "specs", "-o", "api.mcpk"]).code, 0, "{name}");
        let spec = String::from_utf8(place.read("specs/api.toml")).unwrap();
        for part in *expected {
            assert!(spec.contains(part), "{name}: {part} in\n{spec}");
        }
    }
}

#[test]
fn what_documents_of_frameworks_have_is_in_their_tools_or_in_the_report() {
    for (name, text, _) in DOCUMENTS {
        let json = document::read(text.as_bytes()).unwrap();
        let imported = openapi::import(&json, &Options::default()).unwrap();
        let specs = imported.specs.clone();
        let finished = finish(imported);
        assert_eq!(finished.tools.imported, operations(&json), "{name}: {:?}", finished.fidelity.findings);
        assert_counted(&json, &finished.fidelity, name);
        assert_eq!(lost(&json, &specs, &finished.fidelity), Vec::<String>::new(), "{name}");
    }
}

/// The count itself finds what is lost.
#[test]
fn a_parameter_or_a_member_that_is_lost_is_found() {
    let (_, text, _) = DOCUMENTS.first().unwrap();
    let json = document::read(text.as_bytes()).unwrap();
    let imported = openapi::import(&json, &Options::default()).unwrap();
    let mut specs = imported.specs.clone();
    let finished = finish(imported);
    for tool in specs.iter_mut().flat_map(|spec| &mut spec.tools) {
        tool.parameters.retain(|parameter| parameter.name != "q");
        if let Some(mcpc::language::json::Json::Object(schema)) = &mut tool.input_schema {
            let properties = schema.iter_mut().find(|(name, _)| name == "properties");
            if let Some((_, mcpc::language::json::Json::Object(properties))) = properties {
                properties.retain(|(name, _)| name != "price" && name != "q");
            }
        }
    }
    let lost = lost(&json, &specs, &finished.fidelity);
    assert_eq!(
        lost,
        [
            "/paths/~1items~1{item_id}/get: the parameter `q` in query",
            "/paths/~1items~1{item_id}/put: the member `price` of its body"
        ]
    );
}
