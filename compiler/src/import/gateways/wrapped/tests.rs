use super::*;
use crate::import::gateways::testing::{any_json, findings, mutated};
use crate::import::gateways::{agentgateway, apisix};
use crate::import::{Finished, document, finish};
use proptest::prelude::*;

const PETS: &str = r#"
openapi: 3.1.0
info: { title: Pets, version: "1" }
servers: [ { url: "https://docs.example.com" } ]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: Gets one pet.
      parameters: [ { name: id, in: path, required: true, description: Id of the pet, schema: { type: string } } ]
      responses: { "200": { description: ok } }
  /pets:
    get: { operationId: listPets, summary: Lists all pets., responses: { "200": { description: ok } } }
"#;

const AGENT: &str = r#"
binds:
- port: 3000
  listeners:
  - routes:
    - policies:
        mcpAuthorization: { rules: [ 'mcp.tool.name == "pets_getPet" || mcp.tool.name in ["pets_none"]', 'jwt.sub == "me"' ] }
      backends:
      - mcp:
          prefixMode: always
          targets:
          - name: pets
            openapi: { schema: { file: pets.yaml }, host: api.example.com, port: 443, path: /v2 }
          - name: other
            mcp: { host: "http://localhost" }
"#;

const APISIX: &str = r#"
routes:
- id: 1
  name: pets
  uri: /mcp
  plugins:
    openapi-to-mcp:
      openapi_url: https://api.example.com/openapi.json
      base_url: https://api.example.com/v3
      headers: { Authorization: "Bearer ${http_authorization}", X-Api-Key: hunter2, Accept: application/json }
      flatten_parameters: false
      color: red
"#;

fn imported(reader: Reader, config: &str) -> (Vec<Wanted>, Finished) {
    let config = document::read(config.as_bytes()).unwrap();
    let ledger = Ledger::new(&config);
    let targets = reader(&ledger, &config).unwrap();
    let documents: Vec<Json> = targets.iter().map(|_| document::read(PETS.as_bytes()).unwrap()).collect();
    let source = Source { name: "gateway.yaml", stem: Some("gateway") };
    let wanted = targets.iter().map(|target| target.wanted.clone()).collect();
    (wanted, finish(import(&source, "test", ledger, &targets, &documents)))
}

#[test]
fn targets_of_agentgateway_are_imported_with_their_rules() {
    // The rule names an operation that is not there, so nothing could be taken: say so.
    let (wanted, finished) =
        imported(agentgateway::targets, &AGENT.replace(" || mcp.tool.name in [\"pets_none\"]", ""));
    assert_eq!(wanted, [Wanted::File("pets.yaml".to_owned())]);
    let [file] = finished.files.as_slice() else { panic!("{:?}", finished.fidelity) };
    for line in ["name = \"pets_get_pet\"", "url = \"https://api.example.com", "endpoint = \""] {
        assert!(file.text.contains(line), "{line}\n{}", file.text);
    }
    assert!(!file.text.contains("list_pets"), "{}", file.text);
    let found = findings(&finished);
    for code in ["arguments-flattened", "result-changed", "rule-refused", "not-selected", "beside-tools"] {
        assert!(found.iter().any(|(known, _)| *known == code), "{code} {found:?}");
    }
    assert!(found.iter().any(|(_, place)| place.starts_with("pets#/paths/")), "{found:?}");
    let (_, finished) = imported(agentgateway::targets, AGENT);
    assert!(findings(&finished).iter().any(|(code, _)| *code == "document-refused"));
}

#[test]
fn a_rule_that_names_no_tool_of_a_target_leaves_it_out() {
    let config = AGENT.replace(
        "mcp.tool.name == \"pets_getPet\" || mcp.tool.name in [\"pets_none\"]",
        "mcp.tool.name == \"else_a\"",
    );
    let (_, finished) = imported(agentgateway::targets, &config);
    assert!(finished.files.is_empty(), "{:?}", finished.files);
    assert!(findings(&finished).iter().any(|(code, _)| *code == "not-selected"));
    // A rule of another route says nothing about this one.
    let other = AGENT
        .replace("    - policies:", "    - name: first\n      policies:")
        .replace("      backends:\n", "    - backends:\n");
    let (_, finished) = imported(agentgateway::targets, &other);
    assert_eq!(finished.tools.imported, 2, "{:?}", findings(&finished));
}

#[test]
fn the_plugin_of_apisix_is_imported_with_its_headers() {
    let (wanted, finished) = imported(apisix::targets, APISIX);
    assert_eq!(wanted, [Wanted::Url("https://api.example.com/openapi.json".to_owned())]);
    let [file] = finished.files.as_slice() else { panic!("{:?}", finished.fidelity) };
    for line in [
        "https://api.example.com",
        "Bearer ${HTTP_AUTHORIZATION}",
        "X-Api-Key = \"${PETS_X_API_KEY}\"",
        "name = \"list_pets\"",
    ] {
        assert!(file.text.contains(line), "{line}\n{}", file.text);
    }
    assert!(!file.text.contains("hunter2"), "{}", file.text);
    let found = findings(&finished);
    assert!(found.contains(&("unknown-member", "/routes/0/plugins/openapi-to-mcp/color")), "{found:?}");
    assert_eq!(found.iter().filter(|(code, _)| *code == "secret-replaced").count(), 2);
}

#[test]
fn other_configurations_are_refused() {
    let config = document::read(b"{\"binds\": []}").unwrap();
    let ledger = Ledger::new(&config);
    assert!(agentgateway::targets(&ledger, &config).unwrap_err().to_string().contains("mcpc import mcp URL"));
    assert!(apisix::targets(&ledger, &config).unwrap_err().to_string().contains("openapi-to-mcp"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn hostile_documents_are_imported_or_refused(
        choices in prop::collection::vec((0..250_u8, any_json()), 90),
        in_document in prop::collection::vec((0..250_u8, any_json()), 90),
    ) {
        let readers: [(Reader, &str); 2] = [(agentgateway::targets, AGENT), (apisix::targets, APISIX)];
        for (reader, text) in readers {
            let config = mutated(&document::read(text.as_bytes()).unwrap(), &mut choices.clone().into_iter());
            let ledger = Ledger::new(&config);
            let Ok(targets) = reader(&ledger, &config) else { continue };
            let pets = document::read(PETS.as_bytes()).unwrap();
            let documents: Vec<Json> =
                targets.iter().map(|_| mutated(&pets, &mut in_document.clone().into_iter())).collect();
            finish(import(&Source { name: "x", stem: None }, "test", ledger, &targets, &documents));
        }
    }
}
